"""Defines the biases of a twin: slow model errors that it estimates together with the state.

The estimated values are written to the machine's condition, so the model runs with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp

import numpy as np

from simcore.errors import SimcoreError
from simcore.kernels.jit import inner, kernel
from simcore.model.condition import Condition
from simcore.model.elements import Machine
from simcore.model.plan import PRISMATIC, Plan, Records
from simcore.model.quantity import Quantity
from simcore.model.tree import expand
from simcore.model.workspace import Array
from simcore.run.load import LOAD, LOAD_FIELDS, load_mass, payload_of, set_payload, set_weight, weight_of

# on a free joint, of a valve, of a pressure source, on a body, of a body
TORQUE, GAIN, SUPPLY, PAYLOAD, WEIGHT = range(5)
BIAS = np.dtype(
    [
        ("kind", "i8"),
        ("index", "i8"),  # body, valve or node
        ("unit", "f8"),  # SI units in one filter unit, which is the standard deviation at the start
        ("walk", "f8"),  # filter units per √s
        ("fade", "f8"),  # 1/s, how fast it decays to nothing; its standard deviation stays
        *LOAD_FIELDS,
    ],
    align=True,
)
_LEAST_GAIN = 0.1  # a valve that lets almost nothing through is broken, not biased


def biases_of(machine: Machine, plan: Plan) -> Records:
    """The biases for which the machine's description gives a standard deviation."""
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
        raise SimcoreError(
            f"{machine.name!r}: a bias has no time scale; set bias_memory (and weight_memory for weight "
            "errors) in model_error"
        )
    found = np.zeros(len(entries), dtype=BIAS)
    for bias, (kind, index, size, memory) in zip(found, entries, strict=True):
        bias["kind"], bias["index"], bias["unit"] = kind, index, float(size)
        bias["walk"] = float(memory or 1.0) ** -0.5
        if kind == TORQUE and error.torque_fades:
            bias["walk"], bias["fade"] = 0.0, 1.0 / float(memory or 1.0)
        if kind == PAYLOAD:
            _copy_load(payload_of(machine, plan)[0], bias)
        if kind == WEIGHT:  # its size is a share of what the body weighs
            _copy_load(weight_of(plan, index)[0], bias)
            bias["unit"] *= bias["bare_mass"]
    return found


def _copy_load(load: Records, bias: Records) -> None:
    for name in LOAD.names or ():
        bias[name] = load[name]


_Entry = tuple[int, int, Quantity, Quantity | None]


def _entries(
    kind: int, size: Quantity | None, places: Iterable[int], memory: Quantity | None
) -> list[_Entry]:
    return [] if size is None else [(kind, place, size, memory) for place in places]


@inner
def _held(condition: Condition, bias: Records) -> float:
    """Present value of a bias in the condition, SI units."""
    if bias.kind == TORQUE:
        return float(condition.bodies[bias.index].unexplained)
    if bias.kind == GAIN:
        return float(condition.valves[bias.index].gain)
    if bias.kind == SUPPLY:
        return float(condition.nodes[bias.index].pressure)
    return load_mass(condition, bias)


@inner
def _put(condition: Condition, bias: Records, value: float) -> None:
    if bias.kind == TORQUE:
        condition.bodies[bias.index].unexplained = value
    elif bias.kind == GAIN:
        condition.valves[bias.index].gain = max(value, _LEAST_GAIN)
    elif bias.kind == SUPPLY:
        condition.nodes[bias.index].pressure = value
    elif bias.kind == WEIGHT:
        set_weight(condition, bias, value)
    else:
        set_payload(condition, bias, max(value, bias.least))


@inner
def shift_biases(condition: Condition, biases: Records, changes: Array) -> None:
    """Add changes, in filter units, to the biases in the condition."""
    for i in range(len(biases)):
        _put(condition, biases[i], _held(condition, biases[i]) + changes[i] * biases[i].unit)


@inner
def fade_biases(
    plan: Plan, condition: Condition, biases: Records, span: float, cov: Array, input_cross_cov: Array
) -> None:
    """Let fading biases decay for `span` s: b' = φ b + noise with variance 1 - φ²."""
    n, m = plan.head[0].states, plan.head[0].states + len(biases)
    for i in range(len(biases)):
        if biases[i].fade > 0.0:
            keep = exp(-biases[i].fade * span)
            _put(condition, biases[i], keep * _held(condition, biases[i]))
            for j in range(m):
                cov[n + i, j] *= keep
                cov[j, n + i] *= keep
            cov[n + i, n + i] += 1.0 - keep * keep
            for v in range(input_cross_cov.shape[1]):
                input_cross_cov[n + i, v] *= keep


@kernel
def read_biases(condition: Condition, biases: Records, out: Array) -> None:
    """Every bias as the condition has it, in SI units."""
    for i in range(len(biases)):
        out[i] = _held(condition, biases[i])


@kernel
def put_biases(condition: Condition, biases: Records, values: Array) -> None:
    """Restore biases, given in SI units."""
    for i in range(len(biases)):
        _put(condition, biases[i], values[i])


def load_steps(machine: Machine, biases: Records) -> Array:
    """Sudden change that each bias may make, filter units: nonzero only for a payload that is picked up."""
    payload = machine.model_error.payload
    change = 0.0 if payload is None else float(payload.change) / float(payload.known)
    return np.where(biases["kind"] == PAYLOAD, change, 0.0)


def bias_values(condition: Condition, biases: Records) -> Array:
    """Every bias as the condition has it, in SI units."""
    found = np.zeros(len(biases))
    read_biases(condition, biases, found)
    return found
