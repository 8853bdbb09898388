"""Records give back the live counters, bit for bit, and are small."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore.errors import BadParameter, ForeignDump
from simcore.model.quantity import assumed
from simcore.model.workspace import Array
from simcore.wear.counters import CycleCounters
from simcore.wear.load_record import LoadRecord, pack, recount, stamp_of, take_record, unpack
from simcore.wear.sums import BlockSums, Summed
from tests.excavator_loads import SAMPLE_S, counted_channels, loads, summed_channels
from tests.unit.wear.counting import channel

CHANNELS = [channel(gate=3.0, quantum=0.7, span=42.0), channel("y", span=30.0)]
SUMMED = [Summed("x", assumed(0.9, "N s")), Summed("y", assumed(5.0, "N s"))]
STAMP = stamp_of(CHANNELS, SUMMED)
readings = st.lists(st.one_of(st.floats(-60.0, 60.0), st.just(float("nan"))), min_size=1, max_size=120)
cuts = st.lists(st.integers(0, 120), max_size=6)


def _live(values: Array, cuts: list[int]) -> tuple[CycleCounters, BlockSums, list[LoadRecord]]:
    counters, sums, records = CycleCounters(CHANNELS), BlockSums(SUMMED, 1.0), []
    for part in np.split(values, sorted(cuts)):
        counters.count(part)
        sums.add(part)
        records.append(unpack(pack(take_record(counters, sums), STAMP), STAMP))
    return counters, sums, records


@settings(deadline=None)  # the first example may compile a kernel
@given(readings, cuts)
def test_counters_from_records_are_the_live_ones(history: list[float], cuts: list[int]) -> None:
    values = np.array([history, history[::-1]]).T
    live, live_sums, records = _live(values, cuts)
    counters, sums = CycleCounters(CHANNELS), BlockSums(SUMMED, 1.0)
    recount(records, counters, sums)
    assert counters.packed().tobytes() == live.packed().tobytes()
    assert sums.memory.totals.tolist() == live_sums.memory.totals.tolist()
    assert sums.memory.missing.tolist() == live_sums.memory.missing.tolist()


@settings(deadline=None)  # the first example may compile a kernel
@given(readings, cuts)
def test_taking_records_does_not_disturb_the_counters(history: list[float], cuts: list[int]) -> None:
    values = np.array([history, history[::-1]]).T
    assert _live(values, cuts)[0].packed().tobytes() == _live(values, [])[0].packed().tobytes()


@settings(deadline=None)  # the first example may compile a kernel
@given(readings, cuts)
def test_sums_are_integrals_whatever_the_chunks(history: list[float], cuts: list[int]) -> None:
    values = np.array([history, history]).T
    whole, parts = BlockSums(SUMMED, 1.0), BlockSums(SUMMED, 1.0)
    whole.add(values)
    for part in np.split(values, sorted(cuts)):
        parts.add(part)
        parts = BlockSums.unpacked(SUMMED, 1.0, parts.packed())
    assert whole.packed().tobytes() == parts.packed().tobytes()
    closed = len(history) // 10 * 10
    exact = np.nansum(values[:closed], axis=0)  # dt = 1 s
    quanta = np.array([0.9, 5.0])
    assert np.all(np.abs(whole.memory.totals * quanta - exact) <= 0.5 * quanta + 1e-9)


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=60))
def test_damaged_records_are_refused(noise: bytes) -> None:
    good = pack(_live(np.zeros((50, 2)), [])[2][0], STAMP)
    for bad in (noise, good[:17] + noise, good[:-1] if not noise else good[: len(noise)]):
        with pytest.raises(ForeignDump, match="load record"):
            unpack(bad, STAMP)


def test_a_record_of_other_channels_is_refused() -> None:
    data = pack(_live(np.zeros((50, 2)), [])[2][0], STAMP)
    with pytest.raises(ForeignDump, match=f"channels = {STAMP:08x}: must be"):
        unpack(data, stamp_of(CHANNELS[:1], SUMMED))


def test_an_impossible_sum_is_refused() -> None:
    with pytest.raises(BadParameter, match="x: quantum = 0 N s: must be more than zero and finite"):
        Summed("x", assumed(0.0, "N s"))
    with pytest.raises(BadParameter, match="dt = 11 s: must be more than zero and at most 10 s"):
        BlockSums(SUMMED, 11.0)


def test_a_record_of_the_excavator_is_small() -> None:
    """At most 200 kB an hour for twenty channels; here ten minutes of work."""
    channels, summed = counted_channels(), summed_channels()
    assert len(channels) == 20
    counters, sums, seconds = CycleCounters(channels), BlockSums(summed, SAMPLE_S), 600.0
    values = loads(seconds)
    counters.count(values)
    sums.add(values)
    record, stamp = take_record(counters, sums), stamp_of(channels, summed)
    packed = pack(record, stamp)
    assert len(packed) * 3600.0 / seconds < 200e3
    assert min(len(levels) for levels in record.levels) > 10
    again, sums_again = CycleCounters(channels), BlockSums(summed, SAMPLE_S)
    recount([unpack(packed, stamp)], again, sums_again)
    assert again.packed().tobytes() == counters.packed().tobytes()
    assert sums_again.memory.totals.tolist() == sums.memory.totals.tolist()
