"""The parts of the load tool: what machines send, what is refused, what counts as lost."""

import asyncio
import json
import time
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from tests.waiting import PATIENCE_S
from workers.loadtest import check, report
from workers.loadtest.machine import Credentials, Machine
from workers.loadtest.meter import ProcessMeter
from workers.loadtest.recording import Recording, load_or_make
from workers.loadtest.times import BIN_S, LONGEST_S, Times

RECORDING = Recording(50.0, ["hose.p", "crank.angle"], np.arange(400.0).reshape(200, 2))


def machine(count: int = 12, begin_s: float = -10.0, offset: int = 3, waits: Times | None = None) -> Machine:
    """All of its samples exist already, unless a test says otherwise."""
    begin = time.monotonic() + begin_s
    return Machine(Credentials("m", "d", "t"), RECORDING, offset, begin, count, waits or Times())


def body(of: Machine, first: int) -> list[dict[str, Any]]:
    return json.loads(asyncio.run(of.body(first)))["samples"]


def test_a_body_has_five_samples_of_the_recording_and_the_last_the_rest():
    sender = machine()
    first = body(sender, 0)
    assert [sample["seq"] for sample in first] == [0, 1, 2, 3, 4]
    assert first[2]["channels"] == {"hose.p": 10.0, "crank.angle": 11.0}  # row 3 + 2
    assert [after["t"] - before["t"] for before, after in pairwise(first)] == [20_000] * 4
    assert [sample["seq"] for sample in body(sender, 10)] == [10, 11]
    assert sender.sent == 12


def test_a_body_says_to_the_last_bit_what_was_recorded():
    readings = np.random.default_rng(5).normal(0.0, 1e6, (20, 2)) ** 3
    sender = Machine(Credentials("m", "d", "t"), Recording(50.0, ["a", 'ä "'], readings), 4, 0.0, 12, Times())
    document = json.loads(asyncio.run(sender.body(5)))
    assert document["boot"] == "load"
    assert list(document["samples"][0]) == ["seq", "t", "channels"]
    assert [list(sample["channels"].items()) for sample in document["samples"]] == [
        [("a", first), ('ä "', second)] for first, second in readings[9:14].tolist()
    ]


def test_a_body_waits_until_its_samples_exist():
    assert machine(begin_s=PATIENCE_S).existing() == 0
    began = time.monotonic()
    body(machine(begin_s=0.2), 0)
    assert time.monotonic() - began >= 0.27  # five samples are complete 80 ms after the first


def test_a_clock_that_is_set_changes_later_samples_only(monkeypatch):
    sender = machine(count=100, begin_s=0.0)
    in_the_middle, at_the_end = sender._begin + 1.0, sender._begin + 2.0
    monkeypatch.setattr(time, "monotonic", lambda: in_the_middle)
    before = body(sender, 0)
    sender.jump(-30_000_000)
    assert body(sender, 0) == before
    monkeypatch.setattr(time, "monotonic", lambda: at_the_end)
    later = body(sender, 90)
    assert later[0]["t"] == before[0]["t"] + 90 * 20_000 - 30_000_000


def test_acknowledgements_are_timed_body_by_body():
    sender = machine(waits=(waits := Times()))
    sender.acknowledged(10)
    sender.acknowledged(12)
    sender.acknowledged(5)  # an old one says nothing new
    assert (sender.acked, sender.done, waits.count) == (12, True, 3)
    assert waits.percentile_ms(0.1) > 9_000


@pytest.mark.parametrize(
    ("runs", "lost"),
    [([[0, 11]], 0), ([[0, 4], [6, 11]], 1), ([], 12), ([[0, 20]], 0), ([[0, 3], [8, 30]], 4)],
)
def test_lost_is_what_was_acknowledged_and_is_not_stored(runs: list[list[int]], lost: int) -> None:
    sender = machine()
    sender.acknowledged(12)
    assert check.lost(sender, runs) == lost


@pytest.mark.parametrize(
    ("runs", "odd"), [([[0, 11]], 0), ([[0, 4], [6, 11]], 0), ([[0, 12]], 1), ([[0, 5], [5, 11]], 1), ([], 0)]
)
def test_strange_is_what_is_stored_twice_or_was_never_sent(runs: list[list[int]], odd: int) -> None:
    sender = machine()
    sender.sent = 12
    assert len(check.strange([sender], {sender.credentials.machine: runs})) == odd
    assert len(check.strange([sender], {"another": [[0, 0]]})) == 1


def test_a_recording_is_made_once_and_again_only_if_it_is_too_short(tmp_path, monkeypatch):
    made: list[int] = []

    def record(model: str, period_s: float, count: int, tell: Any) -> Any:
        made.append(count)
        return ["hose.p"], np.zeros((count, 1))

    monkeypatch.setattr("workers.loadtest.recording._record", record)
    for seconds in (10.0, 5.0, 20.0, 10.0):
        found = load_or_make(tmp_path, "excavator", 50.0, seconds, print)
        assert len(found.readings) >= (seconds + 30) * 50
    assert len(made) == 2


def test_memory_is_judged_after_two_minutes_only():
    meter = ProcessMeter()
    meter.memory["web"] = [(t, 100.0 + (50.0 if t > 60 else 0.0) + t / 30) for t in range(0, 300, 10)]
    meter.memory["short"] = [(t, 100.0) for t in range(0, 130, 10)]
    slopes = meter.slopes()
    assert slopes["web"] == pytest.approx(2.0)
    assert slopes["short"] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--twins", "0"], "'0': must be a whole number from 1 to 1000"),
        (["--rate", "x"], "'x': must be a whole number"),
        (["--seconds", "1e9"], "from 5 to 3600"),
        (["--fault", "earthquake"], "worker-kill"),
        (["--model", "tractor"], "excavator"),
        (["--cores", "1000"], "'1000': must be a whole number from 1 to"),
        (["--fault", "bridge-kill"], "needs --transport mqtt"),
    ],
)
def test_what_cannot_be_run_is_one_line(arguments: list[str], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        call_command("loadtest", *arguments)


def test_a_run_that_lost_something_has_failed_and_says_what():
    fault = {"name": "web-kill", "recovered_s": None, "different": ["m"], "identical": 0}
    samples = SimpleNamespace(sent=10, acknowledged=9, lost=2, strange=["m of 10 sent: ..."])
    found = report.problems({"samples": vars(samples), "unsettled": ["m"], "fault": fault})
    assert [problem.split()[0] for problem in found] == ["2", "stored", "1", "1", "1", "not"]
    samples = SimpleNamespace(sent=10, acknowledged=10, lost=0, strange=[])
    assert report.problems({"samples": vars(samples), "unsettled": [], "fault": None}) == []


def test_percentiles_are_those_of_all_that_was_timed():
    taken_s = np.random.default_rng(7).exponential(0.03, 5_000)
    times = Times()
    for each in taken_s:
        times.add(each)
    assert times.count == 5_000
    for percent in (1, 50, 99):
        exact_ms = 1000 * np.percentile(taken_s, percent, method="inverted_cdf")
        assert times.percentile_ms(percent) == pytest.approx(exact_ms, abs=1000 * BIN_S)
    times.clear()
    assert times.percentile_ms(50) is None
    times.add(-1e-3)
    times.add(10 * LONGEST_S)
    assert times.percentiles() == {"p50": 0.1, "p99": pytest.approx(1000 * LONGEST_S, abs=0.2)}
