"""Clocks that are wrong in known ways, over networks with jitter, batches and loss."""

import random

import msgspec
import pytest

from twin.runtime.clock_watch import ClockRecord, clock_findings, watch_clock

T0 = 1_763_251_200_000_000


def play(
    seconds: float, rate: float = 50.0, *, offset=0.0, skew=0.0, behind=0.0, step=0.0, batch=0.1, seed=1
):
    """Samples of a clock that is `offset` ahead, runs `skew` too fast and is set by `step` halfway."""
    rng, record = random.Random(seed), ClockRecord()
    for k in range(int(seconds * rate)):
        taken = k / rate
        stamp = taken * (1 + skew) + offset + (step if taken > seconds / 2 else 0.0)
        arrival = taken - taken % batch + batch + 0.03 + rng.expovariate(20.0) + behind
        if rng.random() > 0.3:
            watch_clock(record, T0 + round(stamp * 1e6), T0 + round(arrival * 1e6))
    return record


def codes(record):
    return [finding.code for finding in clock_findings(record)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rate", [1.0, 10.0, 100.0])
def test_a_right_clock_is_not_blamed(rate, seed):
    assert codes(play(300.0, rate, seed=seed)) == []


def test_a_sender_that_is_behind_is_named_with_its_delay():
    (finding,) = clock_findings(play(60.0, behind=4.0))
    assert finding.code == "clock.behind"
    assert finding.values["behind"] == pytest.approx(4.0, abs=0.2)


def test_a_clock_that_is_ahead_is_named():
    (finding,) = clock_findings(play(60.0, offset=2.0))
    assert finding.code == "clock.ahead"
    assert finding.values["ahead"] == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize(("skew", "code"), [(5e-4, "clock.skew.fast"), (-5e-4, "clock.skew.slow")])
def test_a_clock_that_runs_wrong_is_named_with_its_rate(skew, code):
    (finding,) = clock_findings(play(120.0, skew=skew))
    assert finding.code == code
    assert finding.values["rate"] == pytest.approx(1.8, rel=0.2)  # s per hour


@pytest.mark.parametrize(("step", "code"), [(0.5, "clock.set.forward"), (-0.5, "clock.set.back")])
def test_a_clock_that_is_set_is_named_with_the_step(step, code):
    findings = {f.code: f for f in clock_findings(play(60.0, step=step))}
    assert findings[code].values["step"] == pytest.approx(0.5, abs=0.1)


def test_a_finding_keeps_its_first_time_through_a_checkpoint():
    record = play(60.0, behind=4.0)
    first = clock_findings(record)[0].since
    again = msgspec.msgpack.decode(msgspec.msgpack.encode(record), type=ClockRecord)
    for k in range(3000):
        watch_clock(again, T0 + 60_000_000 + k * 20_000, T0 + 64_000_000 + k * 20_000)
    assert clock_findings(again)[0].since == first
