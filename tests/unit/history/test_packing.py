"""Runs of sequence numbers, columns and seconds, each beside a model in plain Python."""

import math
import struct
from collections import defaultdict
from itertools import pairwise
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from twin.history import columns, runs, seconds
from twin.history.columns import Taken

DEVICES = [UUID(int=1), UUID(int=2)]

numbers = st.floats(-1e12, 1e12)


def taken_with(readings):
    times = st.integers(1_700_000_000_000_000, 1_700_000_003_000_000)
    samples = st.lists(st.tuples(st.integers(0, 2**53 - 1), times, readings), min_size=1, max_size=20)
    each = st.builds(Taken, st.sampled_from(DEVICES), st.sampled_from(["a", "b"]), samples)
    return st.lists(each, min_size=1, max_size=4)


taken = st.one_of(  # the same channels in all samples, as of most machines, or now these and now those
    taken_with(st.fixed_dictionaries({"p": numbers, "q": numbers})),
    taken_with(st.dictionaries(st.sampled_from(["p", "q", "r"]), numbers, min_size=1)),
)


@settings(deadline=None)
@given(st.lists(st.integers(0, 30)))
def test_runs_are_a_set_of_numbers(numbers):
    kept, known = [], set()
    for number in numbers:
        assert runs.add(kept, number) == (number not in known)
        known.add(number)
    assert [n for first, last in kept for n in range(first, last + 1)] == sorted(known)
    assert all(after[0] > before[1] + 1 for before, after in pairwise(kept))


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5), st.booleans())))
def test_numbers_that_follow_are_added_at_once_if_they_are_above_all_others(parts):
    kept, known = [], set()
    for first, length, one_is_missing in parts:
        numbers = list(range(first, first + length))
        if one_is_missing:
            numbers.append(first + length + 1)
        fits = not one_is_missing and first > max(known, default=-1)
        assert runs.append(kept, numbers) == fits
        known |= set(numbers) if fits else set()
    one_by_one = []
    for number in sorted(known):
        runs.add(one_by_one, number)
    assert kept == one_by_one


@settings(deadline=None)
@given(taken)
def test_columns_come_back_to_the_last_bit(taken):
    found = columns.unpack(columns.pack(columns.columns_of(taken)))
    samples = [(each, sample) for each in taken for sample in each.samples]
    for k, (source, (seq, t_us, readings)) in enumerate(samples):
        assert found.sources[found.source[k]] == (str(source.device), source.boot)
        assert (found.seq[k], found.t_us[k]) == (seq, t_us)
        back = {name: column[k] for name, column in found.readings.items() if not math.isnan(column[k])}
        assert {name: struct.pack("<d", value) for name, value in back.items()} == {
            name: struct.pack("<d", value) for name, value in readings.items()
        }
    assert len(found.t_us) == len(samples)


@settings(deadline=None)
@given(taken, st.integers(0, 4))
def test_the_summary_of_a_second_is_that_of_its_readings_however_they_are_divided(taken, cut):
    expected = defaultdict(list)
    for _, t_us, readings in (sample for each in taken for sample in each.samples):
        for name, value in readings.items():
            expected[name, t_us // 1_000_000].append(value)
    joined: dict = {}
    for part in (taken[:cut], taken[cut:]):
        for key, summary in seconds.summaries(columns.columns_of(part)).items() if part else ():
            joined[key] = joined[key].joined(summary) if key in joined else summary
    assert joined.keys() == expected.keys()
    for key, values in expected.items():
        found = joined[key]
        assert (found.count, found.least, found.most) == (len(values), min(values), max(values))
        error = abs(found.mean - math.fsum(values) / len(values))
        assert error <= 1e-12 * max(1e-300, max(map(abs, values)))
