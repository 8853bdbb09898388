"""`python -m simcore bench`: what it says, how it takes turns, and the page and picture of its times."""

import json
from xml.etree import ElementTree

import pytest

from simcore.cli.bench import Timing, as_json, line, peers
from simcore.cli.bench.plot import cost_against_size
from simcore.cli.bench.timing import REPEATS, Contender, beside, in_turns
from simcore.cli.main import main
from tests.bench.engine import timing_table
from tests.bench.figures import page, sections_of

OURS = Timing("chain plane", "simcore RK4", 2.0, 2.5, 1e-9, "tip, m", 500.0, bodies=6)
PEER = Timing("chain plane", "MuJoCo RK4", 8.0, 9.0, 2e-9, "tip, m", 125.0, bodies=6)


def test_a_line_has_time_error_and_real_time() -> None:
    told = line(OURS)
    for part in (
        "chain plane, 6 bodies",
        "simcore RK4",
        "2.00 us best",
        "2.50 median",
        "tip, m 1.0e-09",
        "500",
    ):
        assert part in told
    assert "ours takes" not in told


def test_a_peer_stands_beside_ours() -> None:
    ours, peer = beside(OURS, [PEER])
    assert ours == OURS
    assert peer.ours_over_it == 0.25
    assert "ours takes 0.25 of this time" in line(peer)


def test_json_holds_every_field_and_what_was_left_out() -> None:
    told = json.loads(json.dumps(as_json([OURS], ["no such peer"])))
    assert "load average" in told["circumstances"]
    assert told["left_out"] == ["no such peer"]
    assert told["timings"][0]["best_us"] == 2.0
    assert told["timings"][0]["bodies"] == 6


def test_contenders_take_turns() -> None:
    asked: list[str] = []

    class Engine:
        def __init__(self, name: str) -> None:
            self.name = name

        def advance(self, n_steps: int, /) -> None:
            asked.append(f"{self.name}{n_steps}")

    times = in_turns([Contender("a", lambda: Engine("a"), 3), Contender("b", lambda: Engine("b"), 5)])
    assert asked == ["a3", "b5"] * REPEATS
    assert [len(taken) for taken in times] == [REPEATS, REPEATS]


def test_an_unknown_benchmark_is_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "four-bar-free", "nonsense"]) == 2
    told = capsys.readouterr()
    assert told.out == ""  # nothing was timed before
    assert "'nonsense'" in told.err
    for name in ("chain", "four-bar-free", "rahikainen-a", "four-bar-b", "digger-rig", "filter", "live-twin"):
        assert name in told.err


def test_a_peer_that_is_missing_is_said_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda _: None)
    assert main(["bench", "four-bar-free"]) == 0
    load, *missing, explicit, implicit = capsys.readouterr().out.splitlines()
    assert load.startswith("load average")
    assert [told.split()[0] for told in missing] == ["MuJoCo", "Exudyn"]
    assert all("not installed" in told for told in missing)
    assert "simcore RK4" in explicit
    assert "simcore implicit" in implicit


def test_a_benchmark_puts_the_error_beside_the_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda _: None)
    assert main(["bench", "four-bar-free", "--json"]) == 0
    explicit, implicit = json.loads(capsys.readouterr().out)["timings"]
    assert 0 < implicit["best_us"] <= implicit["median_us"]
    assert 0 < implicit["error"] < 6e-5  # rad of the crank after a second
    assert explicit["error"] < 1e-8


def test_the_picture_has_a_curve_for_every_engine_in_every_panel() -> None:
    timings = [
        Timing(f"chain {way}", engine, time * n, time * n, 0.0, "tip, m", 1.0, bodies=n)
        for way in ("plane", "spatial")
        for engine, time in (("ours", 1.0), ("theirs", 3.0))
        for n in (6, 60)
    ]
    picture = ElementTree.fromstring(cost_against_size(timings))  # noqa: S314 - our own text
    space = "{http://www.w3.org/2000/svg}"
    curves = [curve.get("points", "").split() for curve in picture.iter(f"{space}polyline")]
    assert len(curves) == 4
    heights = [[float(point.split(",")[1]) for point in curve] for curve in curves]
    assert all(small > large for small, large in heights)  # more bodies cost more, and up is less y
    assert heights[0][0] > heights[1][0]
    words = {text.text for text in picture.iter(f"{space}text")}
    assert {"ours", "theirs", "bodies", "best of 7, us per step", "6", "60"} <= words


def test_a_timing_is_a_row_of_the_page() -> None:
    rows = timing_table(beside(OURS, [PEER]))
    assert rows[2] == "| chain plane, 6 bodies | simcore RK4 | 2.00 | 2.50 | tip, m 1.0e-09 | 500 |  |"
    assert rows[3].endswith("| tip, m 2.0e-09 | 125 | 0.25 |")


def test_a_page_gives_its_sections_back() -> None:
    sections = {"Engine": "- date: today\n\n| a |\n|---|", "Live path": "- date: before"}
    assert sections_of(page(sections)) == sections
