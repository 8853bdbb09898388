"""The machines of the demo beside the laboratory rig: who they are, and what is wrong with some of them."""

import json
from collections.abc import Mapping
from dataclasses import asdict

from workers.emulator.as_built import Plate

DEVICE = "Controller"
_EMPTY_HOOK = {"payload": 1.0}

FLEET = (
    Plate("Loader crane 11", "loader-crane", 11, _EMPTY_HOOK),
    Plate("Loader crane 12", "loader-crane", 12, _EMPTY_HOOK | {"boom_length": 2.8, "jib_length": 2.8}),
    Plate("Loader crane 13", "loader-crane", 13, _EMPTY_HOOK, fault="worn seals"),
    Plate("Loader crane 14", "loader-crane", 14, _EMPTY_HOOK | {"usual_load": 900.0}),
    Plate("Loader crane 15", "loader-crane", 15, _EMPTY_HOOK, stuck="fold.p_A"),
    Plate("Excavator 21", "excavator", 21),
    Plate("Excavator 22", "excavator", 22, {"bucket": "small", "dipper_cylinder": "small"}),
    Plate("Excavator 23", "excavator", 23, {"bucket": "large"}),
    Plate("Excavator 24", "excavator", 24, {"dipper_cylinder": "large"}, fault="worn seals"),
    Plate("Excavator 25", "excavator", 25, {"bucket": "small"}, stuck="boom.p_B"),
)

# name, kind, metres east and north on the demo's plan, and the models whose machines are there
SITES = (
    ("Laboratory", "workshop", 0.0, 0.0, ("four-bar-b",)),
    ("Harbour yard", "yard", 1400.0, -350.0, ("loader-crane",)),
    ("North quarry", "quarry", 650.0, 900.0, ("excavator",)),
)


def environment(tokens: Mapping[str, str]) -> dict[str, str]:
    """What the emulator of the fleet is told; tokens by name. Other users cannot read an environment."""
    members = [asdict(plate) | {"token": tokens[plate.name]} for plate in FLEET]
    return {"HYDRATWIN_FLEET": json.dumps(members)}
