"""What a twin learns of its machine beside its state: slow errors of the model, fed back into its plan."""

from __future__ import annotations

from collections.abc import Iterable
from math import exp

import numpy as np

from simcore.errors import SimcoreError
from simcore.estimate.payload import (
    MASS_FIELDS,
    as_described,
    payload_of,
    put_payload,
    put_weight,
    without_payload,
)
from simcore.kernels.jit import inner, kernel
from simcore.model.elements import Machine
from simcore.model.plan import PRISMATIC, Plan, Records
from simcore.model.quantity import Quantity
from simcore.model.tree import expand
from simcore.model.workspace import Array

# on a free joint, of a valve, of a pressure source, on a body, of a body
TORQUE, GAIN, SUPPLY, PAYLOAD, WEIGHT = range(5)
BIAS = np.dtype(
    [
        ("kind", "i8"),
        ("index", "i8"),  # body, valve or node
        ("unit", "f8"),  # SI units in one filter unit, which is the standard deviation at the start
        ("walk", "f8"),  # filter units per √s
        ("fade", "f8"),  # 1/s, how fast it returns to nothing by itself, keeping its standard deviation
        *MASS_FIELDS,
    ],
    align=True,
)
_LEAST_GAIN = 0.1  # a valve that lets almost nothing through is broken, not biased


def biases_of(machine: Machine, plan: Plan) -> Records:
    """The biases that a machine's description allows for, none where it names no size."""
    error = machine.model_error
    owners = [single.owner for single in expand(machine).singles]  # of the coordinates
    fed = {valve.supply for valve in machine.valves}
    sources = [len(machine.volumes) + k for k, s in enumerate(machine.sources) if s.name in fed]
    joints = [int(b) for b in np.flatnonzero(plan.bodies["free"] >= 0)]
    on = [b for b in joints if not error.unexplained_on or owners[b - 1] in error.unexplained_on]
    slow = error.bias_memory
    slides = [b for b in on if plan.bodies[b]["kind"] == PRISMATIC]
    hinges = [b for b in on if b not in slides]
    frames = expand(machine).frames
    heavy = [frames[name].index for name in error.weight_on]
    entries = [
        *_entries(TORQUE, error.unexplained_torque, hinges, error.torque_memory or slow),
        *_entries(TORQUE, error.unexplained_force, slides, error.torque_memory or slow),
        *_entries(GAIN, error.valve_gain, range(len(plan.valves)), slow),
        *_entries(SUPPLY, error.supply_pressure, sources, slow),
        *_entries(WEIGHT, error.weight, heavy, error.weight_memory),
    ]
    if error.payload is not None:
        entries += _entries(PAYLOAD, error.payload.known, [0], slow)
    if any(memory is None for *_, memory in entries):
        raise SimcoreError(f"{machine.name!r}: biases without bias_memory; say how slowly they change, in s")
    found = np.zeros(len(entries), dtype=BIAS)
    for bias, (kind, index, size, memory) in zip(found, entries, strict=True):
        bias["kind"], bias["index"], bias["unit"] = kind, index, float(size)
        bias["walk"] = float(memory or 1.0) ** -0.5
        if kind == TORQUE and error.torque_fades:
            bias["walk"], bias["fade"] = 0.0, 1.0 / float(memory or 1.0)
        if kind == PAYLOAD:
            without_payload(machine, plan, bias)
        if kind == WEIGHT:
            as_described(plan, bias)
    return found


_Entry = tuple[int, int, Quantity, Quantity | None]


def _entries(
    kind: int, size: Quantity | None, places: Iterable[int], memory: Quantity | None
) -> list[_Entry]:
    return [] if size is None else [(kind, place, size, memory) for place in places]


@inner
def _held(plan: Plan, bias: Records) -> float:
    """A bias as the plan holds it, SI units."""
    if bias.kind == TORQUE:
        return float(plan.bodies[bias.index].extra)
    if bias.kind == GAIN:
        return float(plan.valves[bias.index].gain)
    if bias.kind == SUPPLY:
        return float(plan.nodes[bias.index].pressure)
    return payload_of(plan, bias)


@inner
def _put(plan: Plan, bias: Records, value: float) -> None:
    if bias.kind == TORQUE:
        plan.bodies[bias.index].extra = value
    elif bias.kind == GAIN:
        plan.valves[bias.index].gain = max(value, _LEAST_GAIN)
    elif bias.kind == SUPPLY:
        plan.nodes[bias.index].pressure = value
    elif bias.kind == WEIGHT:
        put_weight(plan, bias, value)
    else:
        put_payload(plan, bias, max(value, bias.least))


@inner
def shift_biases(plan: Plan, biases: Records, changes: Array) -> None:
    """Add changes, in filter units, to what the plan holds."""
    for i in range(len(biases)):
        _put(plan, biases[i], _held(plan, biases[i]) + changes[i] * biases[i].unit)


@inner
def fade_biases(plan: Plan, biases: Records, span: float, cov: Array, tie: Array) -> None:
    """Biases that return to nothing by themselves do so for `span` s: b' = φ b + noise of variance 1 - φ²."""
    n, m = plan.head[0].states, plan.head[0].states + len(biases)
    for i in range(len(biases)):
        if biases[i].fade > 0.0:
            keep = exp(-biases[i].fade * span)
            _put(plan, biases[i], keep * _held(plan, biases[i]))
            for j in range(m):
                cov[n + i, j] *= keep
                cov[j, n + i] *= keep
            cov[n + i, n + i] += 1.0 - keep * keep
            for v in range(tie.shape[1]):
                tie[n + i, v] *= keep


@kernel
def read_biases(plan: Plan, biases: Records, out: Array) -> None:
    """Every bias as the plan holds it, in SI units."""
    for i in range(len(biases)):
        out[i] = _held(plan, biases[i])


@kernel
def put_biases(plan: Plan, biases: Records, values: Array) -> None:
    """Put biases back, in SI units."""
    for i in range(len(biases)):
        _put(plan, biases[i], values[i])


def jumps(machine: Machine, biases: Records) -> Array:
    """How far each bias may jump at once, filter units: a payload when something is picked up, others not."""
    payload = machine.model_error.payload
    change = 0.0 if payload is None else float(payload.change) / float(payload.known)
    return np.where(biases["kind"] == PAYLOAD, change, 0.0)


def bias_values(plan: Plan, biases: Records) -> Array:
    """Every bias as the plan holds it, in SI units."""
    found = np.zeros(len(biases))
    read_biases(plan, biases, found)
    return found
