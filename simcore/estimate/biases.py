"""What a twin learns of its machine beside its state: slow errors of the model, fed back into its plan."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from simcore.errors import SimcoreError
from simcore.jit import inner
from simcore.model.elements import Machine
from simcore.model.plan import Plan, Records
from simcore.model.quantity import Quantity
from simcore.work import Array

TORQUE, GAIN, SUPPLY = range(3)  # on a free joint, of a valve, of a pressure source
BIAS = np.dtype(
    [
        ("kind", "i8"),
        ("index", "i8"),  # body, valve or node
        ("unit", "f8"),  # SI units in one filter unit, which is the standard deviation at the start
        ("walk", "f8"),  # filter units per √s
    ],
    align=True,
)
_LEAST_GAIN = 0.1  # a valve that lets almost nothing through is broken, not biased


def biases_of(machine: Machine, plan: Plan) -> Records:
    """The biases that a machine's description allows for, none where it names no size."""
    error = machine.model_error
    fed = {valve.supply for valve in machine.valves}
    sources = [len(machine.volumes) + k for k, s in enumerate(machine.sources) if s.name in fed]
    joints = [int(b) for b in np.flatnonzero(plan.bodies["free"] >= 0)]
    entries = [
        *_entries(TORQUE, error.unexplained_torque, joints),
        *_entries(GAIN, error.valve_gain, range(len(plan.valves))),
        *_entries(SUPPLY, error.supply_pressure, sources),
    ]
    if entries and error.bias_memory is None:
        raise SimcoreError(f"{machine.name!r}: biases without bias_memory; say how slowly they change, in s")
    walk = 0.0 if error.bias_memory is None else float(error.bias_memory) ** -0.5
    return np.array([(*entry, walk) for entry in entries], dtype=BIAS)


def _entries(kind: int, size: Quantity | None, places: Iterable[int]) -> list[tuple[int, int, float]]:
    return [] if size is None else [(kind, place, float(size)) for place in places]


@inner
def shift_biases(plan: Plan, biases: Records, changes: Array) -> None:
    """Add changes, in filter units, to what the plan holds."""
    for i in range(len(biases)):
        bias, change = biases[i], changes[i] * biases[i].unit
        if bias.kind == TORQUE:
            plan.bodies[bias.index].extra += change
        elif bias.kind == GAIN:
            plan.valves[bias.index].gain = max(plan.valves[bias.index].gain + change, _LEAST_GAIN)
        else:
            plan.nodes[bias.index].pressure += change


@inner
def note_biases(plan: Plan, biases: Records, values: Array) -> None:
    """Every bias as the plan holds it, in SI units."""
    for i in range(len(biases)):
        if biases[i].kind == TORQUE:
            values[i] = plan.bodies[biases[i].index].extra
        elif biases[i].kind == GAIN:
            values[i] = plan.valves[biases[i].index].gain
        else:
            values[i] = plan.nodes[biases[i].index].pressure


@inner
def lay_biases(plan: Plan, biases: Records, values: Array) -> None:
    """Put noted biases back."""
    for i in range(len(biases)):
        if biases[i].kind == TORQUE:
            plan.bodies[biases[i].index].extra = values[i]
        elif biases[i].kind == GAIN:
            plan.valves[biases[i].index].gain = values[i]
        else:
            plan.nodes[biases[i].index].pressure = values[i]


def bias_values(plan: Plan, biases: Records) -> Array:
    """Every bias as the plan holds it, in SI units."""
    held = _held(plan)
    return np.array([held[int(bias["kind"])][bias["index"]] for bias in biases])


def put_biases(plan: Plan, biases: Records, values: Array) -> None:
    """Put biases back, in SI units."""
    held = _held(plan)
    for bias, value in zip(biases, values, strict=True):
        held[int(bias["kind"])][bias["index"]] = value


def _held(plan: Plan) -> dict[int, Array]:
    """Where the plan holds each kind."""
    return {TORQUE: plan.bodies["extra"], GAIN: plan.valves["gain"], SUPPLY: plan.nodes["pressure"]}
