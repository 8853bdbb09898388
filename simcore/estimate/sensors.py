"""Describes the sensors of a machine: channel, rate, noise and mounting of each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar, get_args

from simcore.errors import BadSensor
from simcore.model.channels import UNITS
from simcore.model.elements import GROUND, Machine, Output, Reads
from simcore.model.quantity import Quantity, assumed
from simcore.model.workspace import Array

_Number = TypeVar("_Number", float, Array)

SensorKind = Literal[
    "joint encoder",
    "gyro",
    "inclinometer",
    "cylinder length",
    "draw wire",
    "chamber pressure",
    "pump pressure",
    "wheel speed",
    "tachometer",
    "load cell",
]
# kind -> what its channel may read, all of the same unit
_READS: Mapping[SensorKind, tuple[Reads, ...]] = {
    "joint encoder": ("angle",),
    "gyro": ("rate", "spin"),
    "inclinometer": ("inclination",),
    "cylinder length": ("length",),
    "draw wire": ("slide",),
    "chamber pressure": ("pressure",),
    "pump pressure": ("pressure",),
    "wheel speed": ("rate",),
    "tachometer": ("speed",),
    "load cell": ("force",),
}
_WHOLE = 1e-6  # share of a step by which a sample may miss it: rounding of rate and step


@dataclass(frozen=True, slots=True)
class Mounting:
    """Mounting of a sensor: reading = sign * value + zero. The twin knows it and undoes it."""

    sign: int = 1  # -1: it counts the other way round
    zero: float = 0.0  # what it shows where the channel is zero, unit of the channel
    place: str = ""  # body, axis and offset in words, for people who look for it


@dataclass(frozen=True, slots=True)
class Sensor:
    """A physical sensor, to be checked by `check_sensors`.

    bias: constant error of its readings, unknown to the twin. delay: time from taking a reading, which is
    the time stamp of the reading, until it arrives.
    """

    name: str
    kind: SensorKind
    channel: str
    rate: float  # Hz
    noise: Quantity  # standard deviation, unit of the channel
    bias: float = 0.0  # unit of the channel
    delay: float = 0.0  # s
    mounting: Mounting = field(default_factory=Mounting)

    @property
    def period(self) -> float:
        """Time between readings, s."""
        return 1.0 / self.rate

    @property
    def quantity(self) -> str:
        """Quantity that the sensor measures: pressure, angle ..."""
        return UNITS[_READS[self.kind][0]][1]

    def reading(self, value: _Number) -> _Number:
        """Error-free reading of the sensor for this value of its channel."""
        return self.mounting.sign * value + self.mounting.zero

    def value(self, reading: _Number) -> _Number:
        """Value of the channel that corresponds to a reading."""
        return self.mounting.sign * (reading - self.mounting.zero)


def check_sensors(machine: Machine, sensors: Iterable[Sensor], dt: float) -> None:
    """Raise BadSensor for the first error. dt: step of the model, s."""
    names: set[str] = set()
    taken: dict[str, str] = {}
    for sensor in sensors:
        if not sensor.name or sensor.name in names:
            raise BadSensor(f"sensor name {sensor.name!r}: names must be unique and not empty")
        names.add(sensor.name)
        _kind_fits(machine, sensor)
        if sensor.channel in taken:
            raise BadSensor(
                f"sensor {sensor.name!r}: channel {sensor.channel!r} is already measured by "
                f"{taken[sensor.channel]!r}; each sensor needs its own channel"
            )
        taken[sensor.channel] = sensor.name
        _numbers_are_valid(sensor)
        steps_between(sensor, dt)


def steps_between(sensor: Sensor, dt: float) -> int:
    """Number of model steps from one reading to the next; it must be a whole number."""
    steps = 1.0 / (sensor.rate * dt)
    whole = round(steps)
    if whole < 1 or abs(steps - whole) > _WHOLE * steps:
        raise BadSensor(
            f"sensor {sensor.name!r}: rate = {sensor.rate:g} Hz gives a reading every {steps:.6g} model "
            f"steps of {dt:g} s: must be a whole number of steps, 1 or more"
        )
    return whole


def _kind_fits(machine: Machine, sensor: Sensor) -> None:
    if sensor.kind not in _READS:
        raise BadSensor(
            f"sensor {sensor.name!r}: kind = {sensor.kind!r}: "
            f"must be one of: {', '.join(get_args(SensorKind))}"
        )
    outputs = {o.name: o for o in machine.outputs}
    if sensor.channel not in outputs:
        raise BadSensor(
            f"sensor {sensor.name!r}: channel = {sensor.channel!r} is unknown; known: {', '.join(outputs)}"
        )
    output, allowed = outputs[sensor.channel], _READS[sensor.kind]
    if output.reads not in allowed:
        raise BadSensor(
            f"sensor {sensor.name!r}: channel = {sensor.channel!r} reads {output.reads}, "
            f"but kind {sensor.kind!r} measures {' or '.join(allowed)}"
        )
    if sensor.kind == "gyro" and output.reads == "rate":
        _gyro_sees_the_ground(machine, sensor, output)


def _gyro_sees_the_ground(machine: Machine, sensor: Sensor, output: Output) -> None:
    """Refuse a gyro for a joint between two moving bodies: a gyro measures rotation against the ground."""
    carrier = _carrier(machine, output)
    if carrier != GROUND:
        raise BadSensor(
            f"sensor {sensor.name!r}: channel = {sensor.channel!r} is the rate of {output.element!r} "
            f"relative to {carrier!r}; a gyro measures rotation relative to the ground, so choose a channel "
            "that reads spin"
        )


def _numbers_are_valid(sensor: Sensor) -> None:
    sigma, mounting = float(sensor.noise), sensor.mounting
    unit = UNITS[_READS[sensor.kind][0]][0]
    rules = (
        ("rate", sensor.rate, "Hz", sensor.rate > 0, "more than zero"),
        ("noise", sigma, sensor.noise.unit, sigma > 0, "more than zero"),
        ("bias", sensor.bias, unit, True, "finite"),
        ("delay", sensor.delay, "s", sensor.delay >= 0, "zero or more"),
        ("mounting.sign", mounting.sign, "", mounting.sign in (1, -1), "1 or -1"),
        ("mounting.zero", mounting.zero, unit, True, "finite"),
    )
    for name, value, shown, sound, allowed in rules:
        if not (math.isfinite(value) and sound):
            raise BadSensor(
                f"sensor {sensor.name!r}: {name} = {value:g} {shown}".rstrip() + f": must be {allowed}"
            )
    if sensor.noise.unit != unit:
        raise BadSensor(
            f"sensor {sensor.name!r}: noise is given in {sensor.noise.unit!r}: "
            f"must be in {unit!r} for kind {sensor.kind!r}"
        )


def equipped(machine: Machine, sensors: Sequence[Sensor], dt: float) -> Machine:
    """The machine with exactly these sensors: their channels are measured, the others estimated."""
    check_sensors(machine, sensors, dt)
    noise = {s.channel: s.noise for s in sensors}
    return replace(machine, outputs=tuple(_with_role(o, noise.get(o.name)) for o in machine.outputs))


def _with_role(output: Output, noise: Quantity | None) -> Output:
    if noise is not None:
        return replace(output, role="sensor", noise=noise)
    return replace(output, role="estimate", noise=None) if output.role == "sensor" else output


def own_sensors(machine: Machine, rate: float) -> tuple[Sensor, ...]:
    """A sensor for every channel with the role sensor, with the name of the channel."""
    return tuple(
        Sensor(o.name, _usual_kind(machine, o), o.name, rate, o.noise)
        for o in machine.outputs
        if o.role == "sensor" and o.noise is not None
    )


def _usual_kind(machine: Machine, output: Output) -> SensorKind:
    """The first kind that can measure a channel; a gyro only for rotation against the ground."""
    fitting = [kind for kind, reads in _READS.items() if output.reads in reads]
    if not fitting:
        raise BadSensor(f"channel {output.name!r} reads {output.reads}, which no kind of sensor measures")
    moving = output.reads == "rate" and _carrier(machine, output) != GROUND
    return "wheel speed" if moving else fitting[0]


def _carrier(machine: Machine, output: Output) -> str:
    """The body against which a joint's channel is measured."""
    return {b.name: b.joint.parent for b in machine.bodies}[output.element]


_ENCODER = assumed(math.radians(0.25), "rad", "encoder")
_GYRO = assumed(0.01, "rad/s", "gyroscope")
_GAUGE = assumed(5e4, "Pa", "0.5 bar")
# p1, p2, p3 of the publication: hose, piston chamber, rod chamber
_SETS = {1: (False, (1, 2, 3)), 2: (True, (1, 2, 3)), 3: (True, (1, 2)), 4: (True, (1, 3))}
_PRESSURES = {1: "hose.p", 2: "cylinder.p_A", 3: "cylinder.p_B"}


def four_bar_set(number: int, rate: float) -> tuple[Sensor, ...]:
    """One of the four sensor sets of Jaiswal 2021, III for four-bar-b, with assumed noise."""
    if number not in _SETS:
        raise BadSensor(f"sensor set {number!r}: must be 1 to 4")
    with_gyro, pressures = _SETS[number]
    sensors = [Sensor("encoder", "joint encoder", "crank.angle", rate, _ENCODER)]
    if with_gyro:
        sensors.append(Sensor("gyro", "gyro", "crank.rate", rate, _GYRO))
    for k in pressures:
        sensors.append(Sensor(f"p{k}", "chamber pressure", _PRESSURES[k], rate, _GAUGE))
    return tuple(sensors)
