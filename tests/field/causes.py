"""What is wrong in a draw: one dominant cause with its size.

The ranges are those of the field (assumed): from hardly visible to what a workshop would repair.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

Kind = Literal["machine", "sensor", "time", "none"]
MACHINES = ("excavator", "loader-crane", "four-bar-b")
LOADED = ("excavator", "loader-crane")  # these carry a payload
DEGREE, BAR = np.pi / 180.0, 1e5


@dataclass(frozen=True)
class CauseType:
    """A thing that may be wrong."""

    name: str
    kind: Kind
    sizes: Mapping[str, tuple[float, float]]  # ranges, SI; drawn on a logarithmic scale
    estimated: bool  # whether the filter is to estimate it, so that pressures stay accurate
    machines: tuple[str, ...] = MACHINES
    what: str = ""


@dataclass(frozen=True)
class Cause:
    """What is wrong in one draw."""

    name: str
    sizes: Mapping[str, float]
    part: str = ""  # sensor, body or cylinder

    @property
    def type(self) -> CauseType:
        return CAUSES[self.name]


CAUSES = {
    cause.name: cause
    for cause in (
        CauseType("none", "none", {}, True, what="as-built scatter alone"),
        CauseType(
            "pump", "machine", {"less": (0.02, 0.15)}, True, what="pump delivers less; rig: supply lower"
        ),
        CauseType("oil", "machine", {"softer": (0.10, 0.50)}, True, what="oil is softer"),
        CauseType("dead-band", "machine", {"share": (0.01, 0.08)}, True, what="dead band of all valves"),
        CauseType("spool", "machine", {"slower": (1.2, 3.0)}, True, what="spools are slower by this factor"),
        CauseType(
            "leakage",
            "machine",
            {"share": (0.002, 0.03)},
            True,
            what="across a piston: share of the valve's rated flow at 100 bar",
        ),
        CauseType(
            "mass", "machine", {"more": (0.04, 0.25)}, True, what="a link of the arm is heavier or lighter"
        ),
        CauseType(
            "angle-bias", "sensor", {"off": (0.1 * DEGREE, 1.0 * DEGREE)}, True, what="angle sensor off"
        ),
        CauseType(
            "pressure-bias", "sensor", {"off": (0.5 * BAR, 5.0 * BAR)}, True, what="pressure sensor off"
        ),
        CauseType("stuck", "sensor", {"from": (20.0, 150.0)}, True, what="a sensor repeats its value"),
        CauseType(
            "quantised",
            "sensor",
            {"angle": (0.1 * DEGREE, 1.0 * DEGREE), "pressure": (0.5 * BAR, 5 * BAR)},
            False,
            what="coarse readings of all angles and pressures",
        ),
        CauseType(
            "outliers",
            "sensor",
            {"share": (0.005, 0.05), "far": (5.0, 100.0)},
            True,
            what="share of the readings of a sensor, standard deviations off",
        ),
        CauseType(
            "pressures-late", "time", {"s": (0.005, 0.060)}, True, what="pressures taken before their stamp"
        ),
        CauseType(
            "commands-late", "time", {"s": (0.005, 0.060)}, True, what="commands act after their stamp"
        ),
        CauseType(
            "clock",
            "time",
            {"skew": (5e-5, 2e-3), "step": (0.1, 3.0)},
            False,
            what="the sender's clock is fast or slow, and is set once",
        ),
        CauseType("behind", "time", {"s": (0.5, 8.0)}, False, what="samples arrive this late"),
        CauseType("other-engine", "machine", {}, False, ("excavator",), what="other_excavator.py"),
        CauseType(
            "load-in-air", "none", {"kg": (200.0, 900.0)}, True, LOADED, what="loads set down in mid-air"
        ),
    )
}


OTHER_ENGINE = "other-engine"


def causes_of(machine: str) -> tuple[str, ...]:
    return tuple(name for name, cause in CAUSES.items() if machine in cause.machines)
