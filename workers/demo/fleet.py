"""Lists the demo's machines and sites, as the machine models declare them (simcore/model/profile.py)."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import NamedTuple

from simcore import registry
from simcore.model.profile import DemoSite
from workers.emulator.as_built import AsBuiltSpec

DEVICE = "Controller"


class ModelSite(NamedTuple):
    """A site, and the models whose machines work there."""

    site: DemoSite
    models: tuple[str, ...]


def machines() -> tuple[AsBuiltSpec, ...]:
    """Return all working machines except the laboratory rig."""
    return tuple(
        AsBuiltSpec(each.name, model, each.serial, each.parameters, each.fault, each.stuck)
        for model, profile in registry.profiles().items()
        for each in profile.demo_machines
    )


def sites() -> tuple[ModelSite, ...]:
    """Return all sites; models that declare the same site share it."""
    found: dict[DemoSite, list[str]] = {}
    for model, profile in registry.profiles().items():
        if profile.demo_site is not None:
            found.setdefault(profile.demo_site, []).append(model)
    return tuple(ModelSite(site, tuple(models)) for site, models in found.items())


def environment(tokens: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the fleet's emulator: machines and their tokens (by machine name).

    Tokens are passed in the environment, because other users of the computer cannot read it.
    """
    members = [asdict(spec) | {"token": tokens[spec.name]} for spec in machines()]
    return {"HYDRATWIN_FLEET": json.dumps(members)}
