"""Instruments: those a machine has, with limits that are the description's own."""

from __future__ import annotations

import math

import pytest

from simcore import registry
from simcore.machines.instruments import Instrument, absent, instruments, supply_power
from simcore.machines.loader_crane.machine import LOADER_CRANE
from simcore.model.quantity import SOURCES
from twin.fleet.catalogue import build


def _of(name: str) -> dict[str, Instrument]:
    return {found.channel: found for found in instruments(build(name, {}))}


def test_a_machine_has_the_instruments_of_what_it_has() -> None:
    assert list(_of("excavator")) == [
        "engine.speed", "payload.mass", "bucket.height", "bucket.tilt", "bucket.speed", "pump.power",
        "engine.fuel",
    ]  # fmt: skip
    assert list(_of("loader-crane")) == ["payload.mass", "load.height", "load.speed", "pump.power"]
    assert list(_of("four-bar-b")) == ["pump.power"]
    assert _of("chain") == {}


def test_what_a_machine_lacks_of_the_display_is_named() -> None:
    assert absent(build("excavator", {})) == ("driving speed", "roll")
    assert absent(build("loader-crane", {})) == ("engine speed", "tilt", "fuel", "driving speed", "roll")
    assert "payload" in absent(build("four-bar-b", {}))


@pytest.mark.parametrize("name", registry.names())
def test_scales_hold_their_zones_and_marks_and_every_number_says_where_it_comes_from(name: str) -> None:
    for found in _of(name).values():
        low, high = float(found.low), float(found.high)
        assert low < high
        numbers = [found.low, found.high]
        for zone in found.red:
            assert low <= float(zone.low) < float(zone.high) <= high
            numbers += [zone.low, zone.high]
        if found.recommended is not None:
            assert low <= float(found.recommended) <= high
            numbers.append(found.recommended)
        assert all(number.origin in SOURCES and number.note for number in numbers)


def test_the_engine_is_red_where_it_has_no_torque_and_best_where_it_burns_least() -> None:
    machine = build("excavator", {})
    (engine,) = machine.diesels
    found = _of("excavator")["engine.speed"]
    assert float(found.red[0].high) == engine.full_load.speeds[0]
    assert float(found.red[1].low) > float(engine.speed)
    best = min(min(row) for row in engine.fuel.specific)
    rows = dict(zip(engine.fuel.speeds, engine.fuel.specific, strict=True))
    assert found.recommended is not None
    assert best in rows[float(found.recommended)]


def test_a_full_bucket_is_marked_and_the_ground_is_where_a_cut_begins() -> None:
    machine = build("excavator", {"ground_level": -0.5})
    (digging,) = machine.digging
    found = {each.channel: each for each in instruments(machine)}
    full, ground = found["payload.mass"].recommended, found["bucket.height"].recommended
    assert full is not None
    assert float(full) == pytest.approx(float(digging.capacity) * float(digging.soil.density))
    assert ground is not None
    assert float(ground) == -0.5


def test_the_load_of_a_stretched_crane_is_limited_by_its_moment() -> None:
    """A crane of about 13 t m: at 7.5 m less than 13 / 7.5 t, as the truck or a beam gives way first."""
    limit = LOADER_CRANE.limits({})["payload.mass"]
    assert 500.0 < float(limit) < 13e3 / 6.5
    lighter = LOADER_CRANE.limits({"truck_mass": 4000.0})["payload.mass"]
    assert float(lighter) < float(limit)
    (zone,) = next(i for i in instruments(build("loader-crane", {}), {"payload.mass": limit})).red
    assert float(zone.low) == float(limit)


def test_the_most_power_is_that_of_the_pump() -> None:
    crane = build("loader-crane", {})
    pump = next(e for e in crane.elements if e.name == "pump")
    flow = 9.5e-4  # m³/s, the crane's own parameter
    assert supply_power(crane)["pump.power"] == pytest.approx(flow * 2.6e7, rel=0.02)
    assert float(pump.displacement) * float(pump.rated_speed) == pytest.approx(flow)
    rig = build("four-bar-b", {})
    p = float(next(s for s in rig.sources if s.name == "pump").pressure)
    (valve,) = rig.valves
    through = float(valve.coefficient) * float(valve.command_limit) * math.sqrt(p)
    assert supply_power(rig) == {"pump.power": pytest.approx(p * through)}


def test_the_scale_of_a_tools_speed_is_that_of_its_stretched_arm() -> None:
    """A reach as in data sheets of such machines: 9 to 10 m of a 20 t excavator, 7 to 10 m of a crane."""
    assert 8.0 < float(_of("excavator")["bucket.speed"].high) < 11.0
    assert 6.5 < float(_of("loader-crane")["load.speed"].high) < 12.0
