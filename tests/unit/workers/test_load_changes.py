"""Loads set down in mid-air are noticed, weighed and trusted; other errors are not taken for loads."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from simcore.estimate.twin.live_twin import LiveTwin
from tests.weighing import CYCLE_S, EVERY, Levers, dig, digger_spec, put_in_mid_air
from twin.fleet import catalogue

_AT, _UNTIL = 6.0, 14.0  # s, when the load comes and when the run ends


def _curl(t: float) -> Mapping[str, float]:
    """Close the bucket, so that it can carry something."""
    return {"bucket.command": 8.0} if 0.5 < t < 2.5 else {}


def _curl_and_reach(t: float) -> Mapping[str, float]:
    return {"dipper.command": 3.0} if 5.0 < t < 7.5 else _curl(t)


def _raise_to_the_stop(t: float) -> Mapping[str, float]:
    return {"boom.command": 6.0} if 2.5 < t < 5.5 else _curl(t)


def _still(t: float) -> Mapping[str, float]:
    return {}


@pytest.mark.parametrize(
    ("model", "load", "levers"),
    [
        ("excavator", 300.0, _curl),
        ("excavator", 875.0, _curl),
        ("excavator", 1500.0, _curl_and_reach),
        ("loader-crane", 100.0, _still),
        ("loader-crane", 1500.0, _still),
    ],
)
def test_a_load_set_down_in_mid_air_is_noticed_within_a_second_and_weighed(
    model: str, load: float, levers: Levers
) -> None:
    run = put_in_mid_air(model, load, _AT, _UNTIL, levers)
    assert 1 <= len(run.changes) <= 2  # a heavy load is corrected when it has settled
    assert _AT < run.changes[0] < _AT + 1.0
    late = run.times > run.changes[-1] + 2.0
    assert np.mean(np.abs(run.shown[late] - load) < 1.96 * run.sigmas[late]) > 0.95
    error, end = np.abs(run.shown - load), run.times > _UNTIL - 1.0
    assert np.max(error[end]) < max(0.05 * load, 1.5 * run.sigmas[-1])
    trusted = np.array(run.doubts) == ""
    noticed = run.times > run.changes[0]
    assert np.all(np.abs(run.shown[trusted & noticed] - load) < 0.05 * load)
    assert np.mean(trusted[end]) > 0.9 or run.sigmas[-1] > 0.08 * load
    assert run.twin.findings() == ()


def test_a_load_too_light_to_be_noticed_is_not_trusted() -> None:
    run = put_in_mid_air("excavator", 100.0, _AT, _UNTIL, _curl)
    assert run.changes == ()
    assert set(run.doubts[-100:]) == {"payload.untrusted.light"}
    (doubt,) = run.twin.doubts()
    # a load is weighed if its standard deviation, some 30 kg in this position, is at most 5 % of it
    assert 100.0 < float(str(doubt.values["least"])) < 800.0


def test_the_reasons_follow_what_happens() -> None:
    """Start, open bucket while it closes, then a load that settles; at the end stop nothing is weighed."""
    run = put_in_mid_air("excavator", 875.0, _AT, _UNTIL, _curl)
    reasons = [code.removeprefix("payload.untrusted.") for code in run.doubts]
    assert reasons[round(1.0 / CYCLE_S)] == "started"
    assert reasons[round(7.0 / CYCLE_S)] == "settling"
    assert reasons[-1] == ""
    stopped = put_in_mid_air("excavator", 875.0, _AT, 8.0, _raise_to_the_stop)
    assert stopped.doubts[-1] == "payload.untrusted.end_stop"


def test_errors_of_other_kinds_are_not_taken_for_loads() -> None:
    """Pressures 40 ms late, and commands 40 ms late, while the machine digs and dumps."""
    samples = dig(digger_spec(3), 2).samples
    for late in ("pressures", "commands"):
        twin = LiveTwin(catalogue.build("excavator", {}))
        twin.start(samples[2])
        for k in range(3, len(samples)):
            behind = {n: v for n, v in samples[k - 2].items() if ".p" in n} if late == "pressures" else {}
            ahead = {n: v for n, v in samples[k].items() if n.endswith(".command")}
            base = samples[k] if late == "pressures" else samples[k - 2] | ahead
            twin.correct({**base, **behind}, EVERY)
        assert twin.load_changes <= 2, late  # of late commands; the same runs had dozens by surprise alone


def test_an_outlier_is_no_load() -> None:
    """One impossible reading of every pressure in turn, 100 standard deviations off."""
    work = dig(digger_spec(3), 1).samples[:200]
    twin = LiveTwin(catalogue.build("excavator", {}))
    twin.start(work[0])
    for k, sample in enumerate(work[1:], 1):
        wrong = {"boom.p_A": sample["boom.p_A"] + 100e5} if k == 150 else {}
        twin.correct({**sample, **wrong}, EVERY)
    assert twin.load_changes == 0
