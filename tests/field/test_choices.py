"""What is drawn, sent and judged, without playing it."""

from __future__ import annotations

import numpy as np
import pytest

from simcore.estimate.monitor.finding import Finding
from simcore.model import channel_table
from tests.field.causes import CAUSES, Cause
from tests.field.draws import draw
from tests.field.judge import minimum_hz
from tests.field.names import blames_sensor, is_right
from tests.field.play import Shown
from tests.field.record import _forgotten
from tests.field.telemetry import Clock, telemetry
from tests.field.truth import RECORD_S, Truth
from twin.fleet import catalogue


def test_a_draw_is_a_function_of_its_number() -> None:
    assert draw(17) == draw(17)
    assert draw(17) != draw(18)


def test_three_hundred_draws_play_every_cause_on_every_machine() -> None:
    played = {(d.machine, d.cause.name) for d in map(draw, range(300))}
    assert played == {(machine, c.name) for c in CAUSES.values() for machine in c.machines}


def test_gaps_rates_and_losses_are_as_wide_as_the_field() -> None:
    links = [d.link for d in map(draw, range(300))]
    lengths = [end - begin for link in links for begin, end in link.gaps]
    assert min(lengths) < 0.4
    assert max(lengths) > 20.0
    assert {5.0, 100.0} <= {link.rate for link in links}
    assert max(link.loss for link in links) > 0.3


@pytest.mark.parametrize("step", [1.5, -0.4])
def test_a_clock_that_was_set_leads_back_to_the_true_time(step: float) -> None:
    number = next(n for n in range(999) if draw(n, "excavator", "clock").cause.sizes["step"] * step > 0)
    clock = Clock(draw(number, "excavator", "clock"))
    for t in (10.0, 100.0, 200.0, 290.0):
        assert clock.true_time(float(clock.stamp(np.array([t]))[0]), t) == pytest.approx(t, abs=1e-9)


def test_late_pressures_are_those_of_earlier() -> None:
    """On a machine whose channels all rise by one unit a second, a reading says when it was taken."""
    chosen = draw(3, "excavator", "pressures-late", seconds=60.0, clean=True)
    channels = tuple(channel_table(catalogue.build("excavator", {})))
    t = np.arange(0.0, 60.0 + RECORD_S / 2, RECORD_S)
    rises = np.array([1e9 if channel.unit == "Pa" else 1e3 for channel in channels])
    names = tuple(channel.name for channel in channels)
    inputs = tuple(channel.name for channel in channels if channel.role == "input")
    truth = Truth(names, t[:, None] * rises, np.zeros((3000, len(inputs))), inputs, 60.0, "")
    entries = telemetry(chosen, truth, channels).entries
    samples = [sample for _, entry in entries for sample in entry.samples][100:]
    late = [(readings["boom.angle"] / 1e3 - readings["pump.p"] / 1e9) for _, _, readings in samples]
    assert np.mean(late) == pytest.approx(chosen.cause.sizes["s"], abs=5e-4)


@pytest.mark.parametrize(
    ("code", "part", "cause", "right"),
    [
        ("cause.pump", "", Cause("pump", {}), True),
        ("sensor.biased.low", "pump.p", Cause("pump", {}), False),
        ("sensor.biased.low", "boom.angle", Cause("angle-bias", {}, "boom.angle"), True),
        ("sensor.biased.low", "swing.angle", Cause("angle-bias", {}, "boom.angle"), False),
        ("cause.group", "cause.oil,cause.pump", Cause("pump", {}), True),
        ("cause.group", "cause.oil,cause.spool", Cause("pump", {}), False),
        ("cause.group", "boom,dipper", Cause("mass", {}, "dipper"), True),
        ("cause.group", "boom,jib", Cause("mass", {}, "dipper"), False),
        ("cause.group", "fold piston leakage,pump.p", Cause("leakage", {}, "fold"), True),
        ("cause.group", "cause.name.oil,boom.p_A", Cause("pressure-bias", {}, "boom.p_A"), True),
        ("cause.oil", "", Cause("none", {}), False),
    ],
)
def test_names_are_right_for_the_true_cause_only(code: str, part: str, cause: Cause, right: bool) -> None:
    assert is_right((code, part), cause) == right
    assert blames_sensor((code, part)) == code.startswith("sensor.")


def test_the_minimum_rate_is_the_description_s() -> None:
    assert [minimum_hz(machine) for machine in ("excavator", "loader-crane", "four-bar-b")] == [
        15.0,
        5.0,
        20.0,
    ]


def _group(*parts: str) -> tuple[Finding, ...]:
    return (Finding("cause", "", 0, "", "cause.group", {"causes": list(parts)}),)


def test_what_changes_before_or_after_a_silence_is_not_forgotten_in_it() -> None:
    """A gap from 10 to 20 s; a sample from before it is fused at 10.2 s."""
    chosen = draw(2, "excavator", "pump")
    shown = Shown(health_times=[9.9, 10.3, 20.1])
    shown.learned = [np.array([0.1]), np.array([0.02]), np.array([0.02])]
    shown.findings = [
        _group("cause.name.pump"),
        _group("cause.name.pump", "pump.p"),
        _group("cause.name.pump"),
    ]
    assert not _forgotten(chosen, 20.0, shown)["forgot"]
    shown.learned[2] = np.array([0.0])
    assert _forgotten(chosen, 20.0, shown)["lost_biases"]
    shown.findings[2] = ()
    assert _forgotten(chosen, 20.0, shown)["findings_gone"] == ["cause.group"]
