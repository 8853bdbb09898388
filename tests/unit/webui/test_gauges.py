"""Dials on the page, and how channels belong together."""

import math
import re

import pytest
from django.utils import translation

from simcore import registry
from simcore.machines.instruments import instruments
from twin.fleet.catalogue import build
from twin.fleet.models import Machine
from webui.machine.channel_relations import openings, powers
from webui.machine.gauges import SWEEP, arc, dials, missing, tick
from webui.units import System


def ends(path: str) -> tuple[float, float]:
    """Angles of the two ends of an arc, degrees clockwise from the top."""
    x, y, u, v = (float(re.findall(r"-?\d+\.\d+", path)[i]) for i in (0, 1, -2, -1))
    return math.degrees(math.atan2(x, -y)), math.degrees(math.atan2(u, -v))


def test_an_arc_ends_where_it_should() -> None:
    assert ends(arc(-SWEEP, SWEEP)) == pytest.approx((-120, 120), abs=0.05)
    assert ends(arc(30, 75)) == pytest.approx((30, 75), abs=0.05)
    assert ends(tick(40))[0] == pytest.approx(40, abs=0.1)


def test_red_zones_of_a_dial_lie_at_their_values() -> None:
    machine = Machine(model="excavator", parameters={})
    dial = next(d for d in dials(machine) if d.channel == "engine.speed")
    (found,) = [i for i in instruments(build("excavator", {})) if i.channel == "engine.speed"]
    for path, zone in zip(dial.red, found.red, strict=True):
        for angle, value in zip(ends(path), (zone.low, zone.high), strict=True):
            share = (float(value) - float(found.low)) / (float(found.high) - float(found.low))
            assert angle == pytest.approx(240 * share - 120, abs=0.1)
    assert "764 rpm, the engine stalls below this speed" in dial.notes[0]
    assert "our assumption" in " ".join(dial.notes)


def _notes(channel: str, system: System) -> list[float]:
    """Numbers with which the notes of a dial begin."""
    machine = Machine(model="excavator", parameters={})
    dial = next(d for d in dials(machine, system) if d.channel == channel)
    return [float(note.split(": ")[1].split()[0].replace("−", "-").rstrip("°,")) for note in dial.notes]


# what one of the metric unit is in the other, by published conversions
@pytest.mark.parametrize(
    ("channel", "ratio"),
    [("payload.mass", 1e3 / 0.45359237), ("bucket.height", 1 / 0.3048), ("pump.power", 1e3 / 745.6999)],
)
def test_limits_are_told_in_the_units_of_the_person(channel: str, ratio: float) -> None:
    metric, us = _notes(channel, "metric"), _notes(channel, "us")
    assert metric
    assert us == pytest.approx([number * ratio for number in metric], rel=0.01)  # three digits each
    assert _notes("bucket.tilt", "metric") == _notes("bucket.tilt", "us")


def test_notes_are_in_the_language_of_whoever_asks() -> None:
    """Not in that of whoever asked first."""
    machine = Machine(model="excavator", parameters={})
    with translation.override("en"):
        english = dials(machine)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("webui.machine.gauges._", lambda text: f"<{text}")
        marked = dials(machine)
    assert english[0].notes[0].startswith("Limit of the red zone: ")
    assert marked[0].notes[0].startswith("<Limit of the red zone: ")


def test_a_gauge_that_is_not_there_is_named_with_the_reason() -> None:
    found = dict(missing(Machine(model="loader-crane", parameters={})))
    assert set(found) == {"Engine speed", "Tilt", "Fuel", "Driving speed", "Roll"}
    assert "level ground" in found["Roll"]
    for name in registry.names():
        assert all(why.endswith(".") for _, why in missing(Machine(model=name, parameters={})))


def test_every_pressure_of_a_function_knows_its_valve() -> None:
    found = openings(build("loader-crane", {}))
    assert found["lift.p_A"] == {"spool": "lift.spool", "limit": 10.0}
    assert found["lift-hose-A.p"]["spool"] == "lift.spool"
    assert "pump.p" not in found


def test_power_goes_from_the_pump_to_cylinders_and_motors() -> None:
    found = powers(build("excavator", {}))
    assert found is not None
    assert found["in"] == ["pump.power"]
    assert ["boom.power", 1] in found["out"]
    assert ["swing-motor.power", -1] in found["out"]
    assert found["full"] == pytest.approx(9.2e4)
    assert all(1e-14 < compliance < 1e-9 for _, compliance in found["stores"])


@pytest.mark.parametrize("name", registry.names())
def test_every_channel_that_is_named_exists(name: str) -> None:
    machine = build(name, {})
    known = {o.name for o in machine.outputs}
    found = powers(machine) or {"in": [], "out": [], "stores": []}
    named = {*found["in"], *(channel for channel, _ in [*found["out"], *found["stores"]])}
    for pressure, opening in openings(machine).items():
        named |= {pressure, opening["spool"]}
    assert named <= known
