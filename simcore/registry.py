"""Finds cases and machine models by name. A new machine model needs one folder and one line in MACHINES.

Imports neither numba nor scipy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simcore.cases import PUBLISHED, SYNTHETIC
from simcore.errors import BadParameter, UnknownCase
from simcore.machines.excavator import EXCAVATOR
from simcore.machines.loader_crane import LOADER_CRANE
from simcore.machines.model import MachineModel
from simcore.machines.variant import Variant
from simcore.model.case import Case
from simcore.model.profile import PlatformProfile

MACHINES: tuple[MachineModel, ...] = (LOADER_CRANE, EXCAVATOR)


def names() -> tuple[str, ...]:
    """Names of all cases, then of all machines."""
    return tuple(_by_name())


def get(name: str) -> Case:
    """The case or machine with the given name."""
    known = _by_name()
    if name not in known:
        raise UnknownCase(f"unknown case {name!r}; known: {', '.join(known)}")
    return known[name]


def profiles() -> dict[str, PlatformProfile]:
    """The models that the platform uses, by name. All its lists of models are made from this one."""
    return {case.name: case.profile for case in _cases() if case.profile is not None}


def variant_from_json(data: Mapping[str, Any]) -> Variant:
    """The variant that `Variant.to_json` wrote."""
    if set(data) != {"machine", "parameters"} or not isinstance(data["parameters"], dict):
        raise BadParameter(
            "a variant must have exactly the keys 'machine' and 'parameters'; 'parameters' must be an object"
        )
    model = get(str(data["machine"]))
    if not isinstance(model, MachineModel):
        raise BadParameter(f"{model.name!r} is a published case; only machine models have variants")
    return Variant(model, data["parameters"])


def _cases() -> Iterator[Case]:
    yield from (*PUBLISHED, *SYNTHETIC, *MACHINES)


def _by_name() -> dict[str, Case]:
    return {case.name: case for case in _cases()}
