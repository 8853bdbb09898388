"""Poses that the loader crane must reach, a command schedule, and a work cycle for a scripted operator."""

from __future__ import annotations

import math

from simcore.machines.reach import Poses
from simcore.model.case import Chosen, CommandSchedule
from simcore.operate.script import Lever, Phase, Script

EMPTY = 1.0  # kg on an empty hook
_UP = math.radians(68.0)  # highest main boom
_DOWN = math.radians(-12.0)
_FOLDED = math.radians(-108.0)


def poses(chosen: Chosen) -> Poses:
    """Corners of the work space."""
    out = chosen.number("extend_stroke")
    straight = math.radians(-2.0)
    return {
        "full reach": {"boom": 0.05, "jib": straight, "extension": out - 0.05},
        "boom raised": {"boom": _UP, "jib": straight, "extension": 0.02},
        "boom lowered": {"boom": _DOWN, "jib": straight, "extension": 0.02},
        "folded": {"boom": _UP, "jib": _FOLDED, "extension": 0.02},
    }


# full strokes of ten volts with rests between: up, out, round, in, down
COMMAND_SCHEDULE: CommandSchedule = (
    (0.0, {"lift.command": 0.0, "fold.command": 0.0, "extend.command": 0.0, "slew.command": 0.0}),
    (1.0, {"lift.command": 6.0}),
    (4.0, {"lift.command": 0.0, "extend.command": 6.0}),
    (7.0, {"extend.command": 0.0, "slew.command": 6.0}),
    (11.0, {"slew.command": 0.0, "fold.command": 5.0}),
    (13.0, {"fold.command": 0.0, "lift.command": -5.0}),
    (16.0, {"lift.command": 0.0}),
)

LEVERS = (
    Lever("slew", "slew.angle", "slew.command", ease=0.25, near=0.01, least=0.12, hand=2.0),
    Lever("lift", "boom.angle", "lift.command", ease=0.12, near=0.006, least=0.10, hand=3.0),
    Lever("fold", "jib.angle", "fold.command", ease=0.15, near=0.008, least=0.10, hand=3.0),
    Lever("extend", "extension.length", "extend.command", ease=0.25, near=0.01, least=0.10, hand=3.0),
)


def pick_reach_place(chosen: Chosen) -> Script:
    """Picks up a load beside the truck, places it on the bed and returns with an empty hook."""
    load, nothing = chosen.number("usual_load"), EMPTY
    phases = (
        Phase("swing out", {"slew": -1.2, "lift": 0.5}),
        Phase("reach down", {"fold": -1.0, "extend": 0.7, "lift": 0.25}, pause=1.0, load=load),
        Phase("pick", {"lift": 0.75}),
        Phase("swing in", {"slew": 0.0, "extend": 0.3}, pause=0.5),
        Phase("place", {"fold": -1.15, "lift": 0.6}, pause=1.0, load=nothing),
        Phase("clear", {"lift": 0.8}, pause=1.0),
    )
    return Script("pick-reach-place", LEVERS, phases)


CYCLES = {"pick-reach-place": pick_reach_place}
