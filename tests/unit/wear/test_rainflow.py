"""Rainflow counting: the standard's example, other implementations, chunks, checkpoints, a full stack."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore.errors import BadChannel, BadParameter
from simcore.wear import rainflow as ours
from simcore.wear.counters import CLIPPED, DEPTH, MISSING, OVERFLOWS, SAMPLES, CycleCounters
from simcore.wear.rainflow import with_repeated
from tests.unit.wear.counting import astm, channel, counted, ended, turning

EXAMPLE = [-2, 1, -3, 5, -1, 3, -4, 4, -2]  # ASTM E1049-85, Figure 6
histories = st.lists(st.integers(-40, 40), min_size=2, max_size=200)
readings = st.lists(st.one_of(st.floats(-60.0, 60.0), st.just(float("nan"))), min_size=1, max_size=120)


def test_the_example_of_the_standard() -> None:
    assert ended(counted(EXAMPLE)) == {3: 0.5, 4: 1.5, 6: 0.5, 8: 1.0, 9: 0.5}


def test_the_example_of_the_standard_repeated() -> None:
    counters = counted(EXAMPLE)
    total = with_repeated(counters.counts(0), counters.residue(0))
    # 5.4.5: from the largest peak, 5, on: 5 -1 3 -4 4 -3 (1 -2 within) 5
    assert {int(k): int(total[k]) for k in np.flatnonzero(total)} == {3: 1, 4: 1, 7: 1, 9: 1}


@settings(deadline=None)
@given(histories)
def test_counts_are_those_of_the_three_point_rule(history: list[int]) -> None:
    assert ended(counted(history)) == astm(history)


@settings(deadline=None)
@given(histories.filter(lambda history: len(history) > 2))  # of two values it loses the second
def test_counts_are_those_of_the_package_rainflow(history: list[int]) -> None:
    theirs = pytest.importorskip("rainflow", reason="rainflow is one of the peers")
    assert ended(counted(history)) == {k: n for k, n in theirs.count_cycles(history) if k}


@settings(deadline=None)
@given(histories)
def test_a_repeated_history_leaves_nothing_open(history: list[int]) -> None:
    points = turning([*history, history[0]])
    first = int(np.argmax(points))
    ring = turning(points[first:] + points[1 : first + 1])
    counters = counted(history)
    found = with_repeated(counters.counts(0), counters.residue(0))
    # from the largest value to the same again the only half cycles left are the largest range, twice
    assert {int(k): float(found[k]) for k in np.flatnonzero(found)} == astm(ring)


def _fed(values: np.ndarray, cuts: list[int], checkpoint: bool = False) -> bytes:
    channels = [channel(gate=3.0, quantum=0.7, span=42.0), channel("y", span=20.0)]
    counters = CycleCounters(channels)
    for part in np.split(values, sorted(cuts)):
        counters.count(part)
        if checkpoint:
            counters = CycleCounters.unpacked(channels, counters.packed())
    return counters.packed().tobytes()


@settings(deadline=None)
@given(readings, st.lists(st.integers(0, 120), max_size=8))
def test_chunks_change_nothing(history: list[float], cuts: list[int]) -> None:
    values = np.array([history, history[::-1]]).T
    assert _fed(values, cuts) == _fed(values, [])


@settings(deadline=None)
@given(readings, st.lists(st.integers(0, 120), max_size=4))
def test_a_checkpoint_continues_identically(history: list[float], cuts: list[int]) -> None:
    values = np.array([history, history]).T
    assert _fed(values, cuts, checkpoint=True) == _fed(values, [])


@settings(deadline=None)
@given(histories, st.integers(1, 12))
def test_only_reversals_beyond_the_gate_count(history: list[int], gate: int) -> None:
    counters = counted(history, gate=float(gate))
    points = [int(x) for x in counters.take_points()[0]]
    steps = np.diff(points)
    assert np.all(np.abs(steps) >= gate)
    assert np.all(steps[1:] * steps[:-1] < 0)
    assert points[0] == history[0]
    # nothing wider than the gate is lost: between two turning points no reversal reaches it
    assert not counters.counts(0)[:gate].any()
    if len(points) > 1:
        assert max(points) > max(history) - gate
        assert min(points) < min(history) + gate


@settings(deadline=None)
@given(histories, st.integers(1, 9))
def test_gated_points_are_the_extremes_of_plain_python(history: list[int], gate: int) -> None:
    points, direction = [history[0]], 0
    for x in history:
        if direction and (x - points[-1]) * direction > 0:
            points[-1] = x
        elif (direction and (points[-1] - x) * direction >= gate) or (
            not direction and abs(x - points[-1]) >= gate
        ):
            direction = 1 if x > points[-1] else -1
            points.append(x)
    assert counted(history, gate=float(gate)).take_points()[0].tolist() == points


@settings(deadline=None)
@given(st.lists(st.integers(-10, 10), min_size=2, max_size=400), st.integers(1, 4))
def test_the_capacity_suffices_for_a_quantised_signal(history: list[int], gate: int) -> None:
    channels = [channel(gate=float(gate), span=10.0)]
    assert ours.capacity_for(channels) == 2 * (20 - gate + 1) + 1
    counters = CycleCounters(channels)
    counters.count(np.array(history, dtype=float)[:, None])
    assert counters.memory.heads[0, OVERFLOWS] == 0


def test_a_spiral_fills_the_capacity() -> None:
    wide = [(-1) ** k * ((k + 1) // 2) for k in range(21)]  # ranges 1, 2, ... 20
    narrow = [(-1) ** k * (-(-(20 - k) // 2)) for k in range(21)]
    counters = CycleCounters([channel(span=10.0)])
    counters.count(np.array(wide + narrow, dtype=float)[:, None])
    assert counters.memory.heads[0, DEPTH] > 39
    assert counters.memory.heads[0, OVERFLOWS] == 0


def test_a_full_stack_counts_its_smallest_inner_range() -> None:
    turns = 400
    spiral = [(-1) ** k * (1000 - 2 * k) for k in range(turns)]  # ranges shrink by 4: nothing ever closes
    counters = counted(spiral)
    overflows = int(counters.memory.heads[0, OVERFLOWS])
    assert overflows == (turns - ours.MOST_POINTS + 1) // 2
    assert counters.counts(0).sum() == overflows
    assert 2 * overflows + len(counters.residue(0)) == turns  # every point is in a cycle or on the stack
    ranges = np.abs(np.diff(spiral))
    total = Counter({int(k): float(n) for k, n in ended(counters).items()})
    assert max(total) == ranges[0]


def test_missing_and_clipped_samples_are_reported() -> None:
    counters = CycleCounters([channel(span=10.0)])
    counters.count(np.array([[0.0], [np.nan], [np.inf], [-50.0], [3.0]]))
    assert counters.memory.heads[0, [SAMPLES, MISSING, CLIPPED]].tolist() == [5, 1, 2]
    assert counters.residue(0).tolist() == [0, 10, -10, 3]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"quantum": 0.0}, "x: quantum = 0 N: must be more than zero"),
        ({"quantum": float("nan")}, "x: quantum = nan: must be finite"),
        ({"gate": 0.5}, "x: gate = 0.5 N: must be at least the quantum, 1 N"),
        ({"span": 0.1}, "x: high = 0.1 N: must exceed low, -0.1 N, by the gate at least"),
        ({"span": 40000.0}, "x: quantum = 1 N: low and high must be within ±32767 quanta"),
    ],
)
def test_an_impossible_channel_is_refused(given: dict[str, float], message: str) -> None:
    with pytest.raises(BadParameter) as error:
        channel(**given)  # type: ignore[arg-type]
    assert str(error.value) == message


def test_samples_of_another_width_are_refused() -> None:
    with pytest.raises(BadChannel, match="must have 1 columns"):
        CycleCounters([channel()]).count(np.zeros((3, 2)))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_white_noise_counts_as_the_three_point_rule(seed: int) -> None:
    history = np.random.default_rng(seed).normal(0.0, 200.0, 3000).round().clip(-1000, 1000)
    assert ended(counted(history)) == astm(history.tolist())
