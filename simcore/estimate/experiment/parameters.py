"""Compares the biases that a filter has estimated with those of the real machine, by name."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from simcore.estimate.biases import (
    DEAD_BAND,
    DELAY,
    DELIVERY,
    GAIN,
    GOVERNOR,
    LAG,
    LEAKAGE,
    PAYLOAD,
    RELIEF,
    SENSOR,
    STIFFNESS,
    SUPPLY,
    TORQUE,
    WEIGHT,
    bias_values,
)
from simcore.estimate.experiment.result import FilterResult
from simcore.model.netlist import edges
from simcore.model.plan import PRISMATIC, Records
from simcore.run.engine import Engine

_OF_THE_WHOLE = {
    STIFFNESS: "stiffness of the oil",
    DEAD_BAND: "dead band of the valves",
    LAG: "lag of the commands, s",
    GOVERNOR: "governor speed beyond its description, rad/s",
}


class Learned(NamedTuple):
    """Estimate and true value of one bias at one time, SI units."""

    name: str
    kind: int
    estimate: float
    sigma: float
    real: float  # NaN where the real machine has no such number


def learned(
    biases: Records, names: list[str], found: FilterResult, real: list[float], step: int
) -> list[Learned]:
    """All biases after the given step, counted from zero."""
    rows = zip(names, biases["kind"], found.biases[step], found.bias_sigmas[step], real, strict=True)
    return [Learned(name, int(kind), float(b), float(s), r) for name, kind, b, s, r in rows]


def real_values(model: Engine, real: Engine, biases: Records) -> list[float]:
    """True biases of another machine of the same kind; NaN where no parameter corresponds to the bias."""
    found = []
    for bias, value in zip(biases, bias_values(real.condition, biases), strict=True):
        kind, valve = int(bias["kind"]), real.plan.edges["valve"] == bias["index"]
        if kind == TORQUE:
            value = math.nan
        elif kind == GAIN:
            value = np.mean(real.plan.edges["coefficient"][valve] / model.plan.edges["coefficient"][valve])
        found.append(float(value))
    return found


def bias_names(engine: Engine, biases: Records) -> list[str]:
    """Names of the biases with units, for display."""
    machine = engine.machine
    spools, owners = [valve.name for valve in machine.valves], edges(machine)[1]
    found = []
    for bias in biases:
        kind, index = int(bias["kind"]), int(bias["index"])
        if kind == TORQUE:
            slides = engine.plan.bodies[index]["kind"] == PRISMATIC
            what = "unexplained force along {}, N" if slides else "unexplained torque of {}, N m"
            found.append(what.format(engine.owners[index - 1]))
        elif kind == GAIN:
            found.append(f"gain of {spools[index] if index < len(spools) else index}")
        elif kind == SUPPLY:
            found.append(f"pressure of {machine.sources[index - len(machine.volumes)].name}, Pa")
        elif kind == WEIGHT:
            found.append(f"weight of {engine.owners[index - 1]} beyond its description, kg")
        elif kind == DELIVERY:
            found.append(f"delivery of {owners[index]}")
        elif kind == LEAKAGE:
            found.append(f"{owners[index]}, m³/(s Pa)")
        elif kind == RELIEF:
            found.append(f"setting of {owners[index]} beyond its description, Pa")
        elif kind in _OF_THE_WHOLE:
            found.append(_OF_THE_WHOLE[kind])
        elif kind == PAYLOAD and machine.model_error.payload is not None:
            found.append(f"payload of {machine.model_error.payload.body}, kg")
        elif kind == SENSOR:
            found.append(f"error of sensor {machine.outputs[index].name}, {engine.channels[index].unit}")
        elif kind == DELAY:
            found.append("delay of the pressures, s")
    return found
