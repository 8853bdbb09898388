"""Converts the friction laws of cylinders and joints to records for the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.model import plan as p
from simcore.model.elements import (
    BengisuAkay,
    BrownMcPhee,
    Efficiency,
    Friction,
    JointFriction,
    LuGre,
    Machine,
    ModifiedLuGre,
)
from simcore.model.geometry import coordinates


def laws(machine: Machine) -> list[tuple[str, Friction | None]]:
    """Name and friction law of each cylinder, then of each joint."""
    seals: list[tuple[str, Friction | None]] = [(c.name, c.friction) for c in machine.cylinders]
    return seals + [(j.name, j.friction) for j in machine.links if isinstance(j, JointFriction)]


def states(law: Friction | None) -> int:
    """Number of states of a law."""
    return 2 if isinstance(law, ModifiedLuGre) else int(isinstance(law, LuGre))


def frictions(machine: Machine) -> p.Records:
    """The records of all frictions, in the order of `laws`."""
    where = coordinates(machine)
    joints = [where[j.body].start for j in machine.links if isinstance(j, JointFriction)]
    found = np.zeros(len(machine.cylinders) + len(joints), dtype=p.FRICTION)
    found["coord"] = [p.FIXED] * len(machine.cylinders) + joints
    inner = 0
    for record, (_, law) in zip(found, laws(machine), strict=True):
        record["inner"], record["inners"] = inner, states(law)
        inner += states(law)
        for name, value in (_NEUTRAL | _numbers(law)).items():
            record[name] = value
    return found


# keeps divisions finite in laws that do not use the number
_NEUTRAL = {"stribeck": 1.0, "bristle": 1.0} | dict.fromkeys(
    ("film_speed", "film_up", "film_down", "film_dwell"), 1.0
)


def _numbers(law: Friction | None) -> dict[str, Any]:
    match law:
        case None:
            return {"law": p.NONE}
        case Efficiency():
            loss = 1 - float(law.efficiency)
            if law.turn_velocity is None:
                return {"law": p.EFFICIENCY, "loss": loss}
            return {"law": p.PASSIVE_EFFICIENCY, "loss": loss, "stribeck": float(law.turn_velocity)}
        case BrownMcPhee():
            return {"law": p.BROWN_MCPHEE} | _stribeck(law)
        case BengisuAkay():
            return {"law": p.BENGISU_AKAY, "shape": float(law.shape)} | _stribeck(law)
        case LuGre():
            bristles = {"bristle": float(law.bristle_stiffness), "micro": float(law.bristle_damping)}
            return {"law": p.LUGRE, "exponent": float(law.exponent)} | bristles | _stribeck(law)
        case ModifiedLuGre():
            film = {
                "film_speed": float(law.film_velocity),
                "film_up": float(law.film_build),
                "film_down": float(law.film_decay),
                "film_dwell": float(law.film_dwell),
            }
            return _numbers(law.bristles) | film | {"law": p.MODIFIED_LUGRE}


def _stribeck(law: BrownMcPhee | BengisuAkay | LuGre) -> dict[str, float]:
    return {
        "coulomb": float(law.coulomb),
        "static": float(law.static),
        "stribeck": float(law.stribeck_velocity),
        "viscous": float(law.viscous),
    }
