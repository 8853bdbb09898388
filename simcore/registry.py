"""Every published case and machine by name. A new machine type is one folder and one line in MACHINES.

Imports neither numba nor scipy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simcore.cases import PUBLISHED, SYNTHETIC
from simcore.errors import BadParameter, UnknownCase
from simcore.machines.excavator import EXCAVATOR
from simcore.machines.loader_crane import LOADER_CRANE
from simcore.machines.model import MachineModel
from simcore.machines.variant import Variant
from simcore.model.case import Case

MACHINES: tuple[MachineModel, ...] = (LOADER_CRANE, EXCAVATOR)

_BY_NAME: dict[str, Case] = {case.name: case for case in (*PUBLISHED, *SYNTHETIC, *MACHINES)}


def names() -> tuple[str, ...]:
    """Names of all cases, then of all machines."""
    return tuple(_BY_NAME)


def get(name: str) -> Case:
    """The case or machine of that name."""
    if name not in _BY_NAME:
        raise UnknownCase(f"unknown case {name!r}; known: {', '.join(_BY_NAME)}")
    return _BY_NAME[name]


def variant_from_json(data: Mapping[str, Any]) -> Variant:
    """The variant that `Variant.to_json` wrote."""
    if set(data) != {"machine", "parameters"} or not isinstance(data["parameters"], dict):
        raise BadParameter("a variant has the keys 'machine' and 'parameters', an object of names and values")
    model = get(str(data["machine"]))
    if not isinstance(model, MachineModel):
        raise BadParameter(f"{model.name!r} is a published case and has no variants")
    return Variant(model, data["parameters"])
