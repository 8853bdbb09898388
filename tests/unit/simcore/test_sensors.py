"""Sensors as data: a definition that cannot be is refused with field, value and what is allowed."""

import math
from dataclasses import replace

import numpy as np
import pytest

from simcore import registry
from simcore.errors import BadSensor, SimcoreError
from simcore.estimate.sensors import (
    Mounting,
    Sensor,
    check_sensors,
    equipped,
    four_bar_set,
    own_sensors,
    steps_between,
)
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.model import channel_table
from simcore.model.elements import Output
from simcore.model.quantity import assumed

RIG, CRANE = registry.get("four-bar-b").build(), registry.get("crane").build()
DT = 1e-3
ENCODER = Sensor("encoder", "joint encoder", "crank.angle", 200.0, assumed(0.004, "rad"))
GAUGE = Sensor("gauge", "chamber pressure", "hose.p", 50.0, assumed(5e4, "Pa"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "thermometer"}, r"kind = 'thermometer': must be one of: joint encoder, gyro, inclinometer"),
        ({"channel": "boom.angle"}, r"channel = 'boom\.angle' is unknown; known: crank\.angle, crank\.rate"),
        ({"channel": "hose.p"}, r"'hose\.p' reads pressure, but kind 'joint encoder' measures angle"),
        ({"kind": "load cell"}, r"'crank\.angle' reads angle, but kind 'load cell' measures force"),
        ({"noise": assumed(-0.1, "rad")}, r"noise = -0\.1 rad: must be more than zero"),
        ({"noise": assumed(0.0, "rad")}, r"noise = 0 rad: must be more than zero"),
        ({"noise": assumed(math.nan, "rad")}, r"noise = nan rad: must be more than zero"),
        (
            {"noise": assumed(0.25, "deg")},
            r"noise is given in 'deg': must be in 'rad' for kind 'joint encoder'",
        ),
        ({"bias": math.inf}, r"bias = inf rad: must be finite"),
        ({"delay": -0.2}, r"delay = -0\.2 s: must be zero or more"),
        ({"delay": math.nan}, r"delay = nan s: must be zero or more"),
        ({"mounting": Mounting(sign=2)}, r"mounting\.sign = 2: must be 1 or -1"),
        ({"mounting": Mounting(zero=math.nan)}, r"mounting\.zero = nan rad: must be finite"),
        ({"rate": 0.0}, r"rate = 0 Hz: must be more than zero"),
        ({"rate": math.inf}, r"rate = inf Hz: must be more than zero"),
        ({"rate": 2000.0}, r"rate = 2000 Hz gives a reading every 0\.5 model steps of 0\.001 s"),
        ({"rate": 300.0}, r"rate = 300 Hz gives a reading every 3\.33333 model steps"),
        ({"name": ""}, r"sensor name '': names must be unique and not empty"),
    ],
)
def test_a_wrong_definition_is_refused_with_what_is_allowed(changes: dict, message: str) -> None:
    check_sensors(RIG, (ENCODER,), DT)
    with pytest.raises(BadSensor, match=message):
        check_sensors(RIG, (replace(ENCODER, **changes),), DT)
    assert issubclass(BadSensor, SimcoreError)


def test_two_sensors_share_neither_name_nor_channel() -> None:
    with pytest.raises(BadSensor, match="'encoder': names must be unique and not empty"):
        check_sensors(RIG, (ENCODER, replace(GAUGE, name="encoder")), DT)
    with pytest.raises(BadSensor, match=r"'crank\.angle' is already measured by 'encoder'"):
        check_sensors(RIG, (ENCODER, replace(ENCODER, name="spare")), DT)


def test_every_kind_fits_a_channel_of_the_crane() -> None:
    level = Output("boom.level", "", "inclination", "boom", "model")
    spin = Output("hanger.spin", "", "spin", "hanger", "model")
    machine = replace(CRANE, outputs=(*CRANE.outputs, level, spin))
    fits = [
        ("joint encoder", "boom.angle", "rad"),
        ("gyro", "boom.rate", "rad/s"),
        ("gyro", "hanger.spin", "rad/s"),
        ("wheel speed", "hanger.rate", "rad/s"),
        ("inclinometer", "boom.level", "rad"),
        ("cylinder length", "cylinder.length", "m"),
        ("chamber pressure", "cylinder.p_A", "Pa"),
        ("pump pressure", "pump.p", "Pa"),
        ("load cell", "cylinder.force", "N"),
    ]
    sensors = [Sensor(c, kind, c, 100.0, assumed(0.1, unit)) for kind, c, unit in fits]
    check_sensors(machine, sensors, DT)
    measured = {c.name for c in channel_table(equipped(machine, sensors, DT)) if c.role == "sensor"}
    assert measured == {c for _, c, _ in fits}


def test_a_gyro_on_a_body_that_another_carries_does_not_measure_the_joint() -> None:
    gyro = Sensor("g", "gyro", "hanger.rate", 100.0, assumed(0.01, "rad/s"))
    with pytest.raises(BadSensor, match=r"rate of 'hanger' relative to 'boom'; a gyro measures rotation rel"):
        check_sensors(CRANE, (gyro,), DT)


@pytest.mark.parametrize(("rate", "steps"), [(1000.0, 1), (200.0, 5), (50.0, 20), (1 / 3, 3000)])
def test_readings_fall_on_model_steps(rate: float, steps: int) -> None:
    assert steps_between(replace(ENCODER, rate=rate), DT) == steps


def test_a_mounting_is_undone() -> None:
    sensor = replace(ENCODER, mounting=Mounting(sign=-1, zero=0.3))
    assert sensor.reading(1.0) == pytest.approx(-0.7)
    values = np.linspace(-1, 1, 5)
    assert sensor.value(sensor.reading(values)) == pytest.approx(values)


@pytest.mark.parametrize(
    ("number", "channels"),
    [
        (1, ["crank.angle", "hose.p", "cylinder.p_A", "cylinder.p_B"]),
        (2, ["crank.angle", "crank.rate", "hose.p", "cylinder.p_A", "cylinder.p_B"]),
        (3, ["crank.angle", "crank.rate", "hose.p", "cylinder.p_A"]),
        (4, ["crank.angle", "crank.rate", "hose.p", "cylinder.p_B"]),
    ],
)
def test_the_published_sets_measure_what_the_publication_says(number: int, channels: list[str]) -> None:
    sensors = four_bar_set(number, 200.0)
    volumes = {o.name: o.element for o in RIG.outputs if o.reads == "pressure"}
    order = [v.name for v in RIG.volumes]
    assert [s.channel for s in sensors] == channels
    for sensor in sensors[-2:]:
        assert order.index(volumes[sensor.channel]) == int(sensor.name[1:]) - 1
    table = {c.name: c.noise_sigma for c in channel_table(equipped(RIG, sensors, DT)) if c.role == "sensor"}
    noise = {"rad": math.radians(0.25), "rad/s": 0.01, "Pa": 0.5e5}
    assert table == {s.channel: noise[s.noise.unit] for s in sensors}


def test_a_set_that_nobody_published_is_refused() -> None:
    with pytest.raises(BadSensor, match="sensor set 5: must be 1 to 4"):
        four_bar_set(5, 100.0)


def test_a_machine_with_another_set_is_corrected_by_its_sensors_alone() -> None:
    twin = LiveTwin(equipped(RIG, four_bar_set(3, 100.0), DT))
    before = twin.sigmas()[3]
    twin.correct({"cylinder.p_A": 3e6})
    assert twin.sigmas()[3] < 0.1 * before
    with pytest.raises(SimcoreError, match=r"'cylinder\.p_B' is computed by the twin"):
        twin.correct({"cylinder.p_B": 3e6})


@pytest.mark.parametrize("name", ["four-bar-b", "crane", "digger-rig"])
def test_the_sensors_a_machine_brings_along_are_sound(name: str) -> None:
    machine = registry.get(name).build()
    sensors = own_sensors(machine, 50.0)
    check_sensors(machine, sensors, DT)
    assert [s.channel for s in sensors] == [o.name for o in machine.outputs if o.role == "sensor"]
