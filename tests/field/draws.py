"""A draw: machine, cause, work and link, all from its number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from simcore.model.case import Value
from tests.field.causes import CAUSES, MACHINES, OTHER_ENGINE, Cause, causes_of
from tests.field.link import Link, clean_link, draw_link

SECONDS = 300.0
_SEED = 0xF1E1D
# purposes of the random numbers: each has its own stream, so that one may change without the others
_WHAT, _LINK, SCATTER, WORK, NOISE, TRAVEL = range(6)
_ORDER = ("excavator", "loader-crane", "excavator", "loader-crane", "excavator", "four-bar-b")
_OTHER_EVERY = 25  # excavators, of which one is the other engine's
_RULES = (("trapezoidal", 1.25e-3), ("trapezoidal", 6.25e-4), ("damped", 1.25e-3))
_ANGLES = {
    "excavator": ("swing.angle", "boom.angle", "dipper.angle", "bucket.angle"),
    "loader-crane": ("slew.angle", "boom.angle", "jib.angle"),
    "four-bar-b": ("crank.angle",),
}
_PRESSURES = {
    "excavator": ("pump.p", "boom.p_A", "boom.p_B"),
    "loader-crane": ("pump.p", "lift.p_A", "lift.p_B", "fold.p_A"),
    "four-bar-b": ("hose.p", "cylinder.p_B"),
}
_LINKS = {
    "excavator": ("boom", "dipper", "bucket"),
    "loader-crane": ("boom", "jib", "extension"),
    "four-bar-b": ("crank", "coupler", "rocker"),
}
_CYLINDERS = {
    "excavator": ("boom", "dipper", "bucket"),
    "loader-crane": ("lift", "fold", "extend"),
    "four-bar-b": ("cylinder",),
}


@dataclass(frozen=True)
class Draw:
    """Everything that is chosen."""

    number: int
    machine: str
    described: Mapping[str, Value]  # parameters as the platform knows them
    cause: Cause
    link: Link
    seconds: float
    free: bool  # free play instead of the work cycle
    integrator: str
    step: float  # s

    def chance(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng([_SEED, self.number, purpose])


def draw(
    number: int,
    machine: str | None = None,
    cause: str | None = None,
    seconds: float = SECONDS,
    clean: bool = False,
) -> Draw:
    """Machines take turns, and each machine's draws take its causes in turn."""
    chance = np.random.default_rng([_SEED, number, _WHAT])
    usual, place = _turn(number)
    machine = machine or usual
    names = causes_of(machine)
    named = cause or _usual_cause(machine, place)
    if machine not in MACHINES or named not in names:
        raise ValueError(f"unknown: {machine} with {named}; causes: {', '.join(names)}")
    rule, step = _RULES[int(chance.integers(len(_RULES)))]
    free, load = bool(chance.random() < 0.4), named in ("load-in-air", OTHER_ENGINE)
    described = _described(machine, chance)
    link = clean_link() if clean else draw_link(np.random.default_rng([_SEED, number, _LINK]), seconds)
    which = _cause(named, machine, chance)
    return Draw(number, machine, described, which, link, seconds, free or load, rule, step)


def _usual_cause(machine: str, place: int) -> str:
    """In turn; now and then the machine of another engine."""
    if machine == "excavator" and place % _OTHER_EVERY == _OTHER_EVERY - 1:
        return OTHER_ENGINE
    names = [name for name in causes_of(machine) if name != OTHER_ENGINE]
    return names[place % len(names)]


def _turn(number: int) -> tuple[str, int]:
    """Machine of a draw, and how many draws that machine had before."""
    machine, each = _ORDER[number % len(_ORDER)], _ORDER.count(_ORDER[number % len(_ORDER)])
    return machine, number // len(_ORDER) * each + _ORDER[: number % len(_ORDER)].count(machine)


def _described(machine: str, chance: np.random.Generator) -> dict[str, Value]:
    if machine == "excavator":
        return {
            "bucket": str(chance.choice(["small", "medium", "medium", "large"])),
            "dipper_cylinder": str(chance.choice(["small", "medium", "medium", "large"])),
        }
    return {"payload": 1.0} if machine == "loader-crane" else {"start": "equilibrium"}


def _cause(name: str, machine: str, chance: np.random.Generator) -> Cause:
    sizes = {
        what: float(np.exp(chance.uniform(np.log(low), np.log(high))))
        for what, (low, high) in CAUSES[name].sizes.items()
    }
    if name in ("mass", "angle-bias", "pressure-bias", "clock"):  # either direction
        sizes = {what: size * float(chance.choice([-1.0, 1.0])) for what, size in sizes.items()}
    parts = {
        "mass": _LINKS,
        "leakage": _CYLINDERS,
        "angle-bias": _ANGLES,
        "pressure-bias": _PRESSURES,
    }.get(name, {})
    if name in ("stuck", "outliers"):
        parts = {machine: _ANGLES[machine] + _PRESSURES[machine]}
    if name == OTHER_ENGINE:
        return Cause(name, sizes, "boom.angle")
    return Cause(name, sizes, str(chance.choice(parts[machine])) if parts else "")
