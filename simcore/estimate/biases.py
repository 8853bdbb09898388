"""Defines the biases of a twin: slow model errors that it estimates together with the state.

The estimated values are written to the machine's condition, so the model runs with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, inf

import numpy as np

from simcore.errors import SimcoreError
from simcore.kernels.jit import inner, kernel
from simcore.model.condition import Condition
from simcore.model.elements import Machine
from simcore.model.netlist import edges, piston_leaks
from simcore.model.plan import PRISMATIC, PUMP, Plan, Records
from simcore.model.quantity import Quantity
from simcore.model.tree import expand
from simcore.model.workspace import Array
from simcore.run.load import LOAD, LOAD_FIELDS, load_mass, payload_of, set_payload, set_weight, weight_of

# on a free joint, of a valve, of a pressure source, on a body, of a body
TORQUE, GAIN, SUPPLY, PAYLOAD, WEIGHT = range(5)
# of the pumps, of the oil, of all valves together, across a piston, of all commands; then of a sensor, of a
# group of sensors, of an engine's governor, of a relief valve
DELIVERY, STIFFNESS, DEAD_BAND, LEAKAGE, LAG, SENSOR, DELAY, GOVERNOR, RELIEF = range(5, 14)
BIAS = np.dtype(
    [
        ("kind", "i8"),
        ("index", "i8"),  # body, valve, node, edge or channel; 0 of what the whole machine has once
        ("unit", "f8"),  # SI units in one filter unit, which is the standard deviation at the start
        ("walk", "f8"),  # filter units per √s
        ("fade", "f8"),  # 1/s, how fast it decays to nothing; its standard deviation stays
        ("low", "f8"),  # SI units, range of values that a machine can have
        ("high", "f8"),
        *LOAD_FIELDS,
    ],
    align=True,
)
_DELAYS = 0.15  # s, most by which pressures are stamped late or early (assumed)
# Values that a machine can have (assumed); beyond them it is broken, or something else is wrong.
_RANGES = {
    GAIN: (0.1, inf),  # a valve that lets almost nothing through is broken
    DELIVERY: (0.3, 1.5),
    STIFFNESS: (0.1, 3.0),  # foaming oil; oil without any air
    DEAD_BAND: (0.0, 0.3),  # described valves open at once, so there is none less
    LEAKAGE: (0.0, inf),
    DELAY: (-_DELAYS, _DELAYS),
}
# best knowledge of a sensor's error, share of its class (assumed): play, hysteresis and bending remain
_LEAST_KNOWN = 1 / 3
_QUICKEST = 0.2  # share of its described time constant that a spool has at least


_Entry = tuple[int, int, Quantity, Quantity | None]  # kind, index, size, memory


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
        *_causes(machine, plan),
    ]
    if error.payload is not None:
        entries += _entries(PAYLOAD, error.payload.known, [0], slow)
    entries += _sensor_entries(machine)
    if any(memory is None for *_, memory in entries):
        raise SimcoreError(
            f"{machine.name!r}: a bias has no time scale; set bias_memory (and weight_memory for weight "
            "errors) in model_error"
        )
    found = np.zeros(len(entries), dtype=BIAS)
    for bias, (kind, index, size, memory) in zip(found, entries, strict=True):
        bias["kind"], bias["index"], bias["unit"] = kind, index, float(size)
        bias["walk"] = float(memory or 1.0) ** -0.5
        bias["low"], bias["high"] = _RANGES.get(kind, (-inf, inf))
        if kind == LAG:
            bias["low"] = (_QUICKEST - 1.0) * float(plan.valves["tau"].min())
        if kind == TORQUE and error.torque_fades:
            bias["walk"], bias["fade"] = 0.0, 1.0 / float(memory or 1.0)
        if kind == PAYLOAD:
            _copy_load(payload_of(machine, plan)[0], bias)
            bias["low"] = bias["least"]
        if kind == WEIGHT:  # its size is a share of what the body weighs
            _copy_load(weight_of(plan, index)[0], bias)
            bias["unit"] *= bias["bare_mass"]
    return found


def sensor_classes(machine: Machine) -> dict[int, Quantity]:
    """Standard deviation of the constant error of each sensor whose class is described, by channel."""
    error = machine.model_error
    sizes = {
        "angle": error.angle_error,
        "slide": error.length_error,
        "length": error.length_error,
        "inclination": error.angle_error,
        "pressure": error.pressure_error,
    }
    heard = {k: sizes.get(o.reads) for k, o in enumerate(machine.outputs) if o.role == "sensor"}
    return {k: size for k, size in heard.items() if size is not None}


def _sensor_entries(machine: Machine) -> list[_Entry]:
    """Constant errors and the delay of pressure sensors, last because no rate depends on them (`driven`)."""
    error = machine.model_error
    late = [k for k, o in enumerate(machine.outputs) if o.role == "sensor" and o.reads == "pressure"]
    return [
        *_entries(SENSOR, error.pressure_error, late, error.sensor_memory),
        *_entries(DELAY, error.pressure_delay, late[:1], error.sensor_memory),
    ]


def _copy_load(load: Records, bias: Records) -> None:
    for name in LOAD.names or ():
        bias[name] = load[name]


def _causes(machine: Machine, plan: Plan) -> list[_Entry]:
    """Wear and drift of pumps, oil, valves, pistons and engines."""
    error, memory = machine.model_error, machine.model_error.cause_memory or machine.model_error.bias_memory
    volumes, owners = len(machine.volumes), edges(machine)[1]
    pumps = np.flatnonzero((plan.edges["kind"] == PUMP) & (plan.edges["a"] >= volumes))  # no motors
    leaks = [owners.index(name) for name in piston_leaks(machine)]
    once = [0]
    return [
        *_entries(DELIVERY, error.pump_delivery, [int(k) for k in pumps], memory),
        *_entries(STIFFNESS, error.oil_stiffness, once if volumes else [], memory),
        *_entries(DEAD_BAND, error.dead_band, once if len(plan.valves) else [], memory),
        *_entries(LEAKAGE, error.leakage, leaks, memory),
        *_entries(LAG, error.command_lag, once if len(plan.valves) else [], memory),
        *_entries(RELIEF, error.relief_setting, [owners.index(name) for name in error.relief_on], memory),
        *_entries(GOVERNOR, error.governor_speed, once if machine.diesels else [], memory),
    ]


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
    if bias.kind == SENSOR:
        return float(condition.channels[bias.index].offset)
    if bias.kind == DELAY:
        return float(condition.channels[bias.index].delay)
    if bias.kind == DELIVERY:
        return float(condition.edges[bias.index].delivery)
    if bias.kind == LEAKAGE:
        return float(condition.edges[bias.index].leakage)
    if bias.kind == RELIEF:
        return float(condition.edges[bias.index].setting)
    if bias.kind == STIFFNESS:
        return float(condition.whole[0].stiffness)
    if bias.kind == DEAD_BAND:
        return float(condition.whole[0].dead_band)
    if bias.kind == LAG:
        return float(condition.whole[0].lag)
    if bias.kind == GOVERNOR:
        return float(condition.whole[0].governor)
    return load_mass(condition, bias)


@inner
def _put(condition: Condition, bias: Records, wanted: float) -> None:
    value = min(max(wanted, bias.low), bias.high)
    if bias.kind == TORQUE:
        condition.bodies[bias.index].unexplained = value
    elif bias.kind == GAIN:
        condition.valves[bias.index].gain = value
    elif bias.kind == SUPPLY:
        condition.nodes[bias.index].pressure = value
    elif bias.kind == SENSOR:
        condition.channels[bias.index].offset = value
    elif bias.kind == DELAY:
        condition.channels[bias.index].delay = value
    elif bias.kind == DELIVERY:
        condition.edges[bias.index].delivery = value
    elif bias.kind == LEAKAGE:
        condition.edges[bias.index].leakage = value
    elif bias.kind == RELIEF:
        condition.edges[bias.index].setting = value
    elif bias.kind == STIFFNESS:
        condition.whole[0].stiffness = value
    elif bias.kind == DEAD_BAND:
        condition.whole[0].dead_band = value
    elif bias.kind == LAG:
        condition.whole[0].lag = value
    elif bias.kind == GOVERNOR:
        condition.whole[0].governor = value
    elif bias.kind == WEIGHT:
        set_weight(condition, bias, value)
    else:
        set_payload(condition, bias, value)


@inner
def driven(n: int, biases: Records) -> int:
    """States and those biases that rates depend on; errors of sensors, the last biases, move nothing."""
    count = n + len(biases)
    while count > n and biases[count - n - 1].kind in (SENSOR, DELAY):
        count -= 1
    return count


@inner
def drifted(bias: Records, span: float, variance: float) -> float:
    """Variance of a bias after a random walk of `span` s, filter units².

    That of a sensor's error stays between what its class allows and what can be known of it.
    """
    grown = variance + bias.walk * bias.walk * span
    if bias.kind == SENSOR:
        return float(max(min(grown, max(1.0, variance)), _LEAST_KNOWN * _LEAST_KNOWN))
    return float(grown)


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
