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

samples = st.lists(
    st.builds(
        Taken,
        st.sampled_from(DEVICES),
        st.sampled_from(["a", "b"]),
        st.integers(0, 2**53 - 1),
        st.integers(1_700_000_000_000_000, 1_700_000_003_000_000),
        st.dictionaries(st.sampled_from(["p", "q", "r"]), st.floats(-1e12, 1e12), min_size=1),
    ),
    min_size=1,
    max_size=40,
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
@given(samples)
def test_columns_come_back_to_the_last_bit(taken):
    found = columns.unpack(columns.pack(columns.columns_of(taken)))
    for k, sample in enumerate(taken):
        assert found.sources[found.source[k]] == (str(sample.device), sample.boot)
        assert (found.seq[k], found.t_us[k]) == (sample.seq, sample.t_us)
        back = {name: column[k] for name, column in found.readings.items() if not math.isnan(column[k])}
        assert {name: struct.pack("<d", value) for name, value in back.items()} == {
            name: struct.pack("<d", value) for name, value in sample.readings.items()
        }


@settings(deadline=None)
@given(samples, st.integers(0, 40))
def test_the_summary_of_a_second_is_that_of_its_readings_however_they_are_divided(taken, cut):
    expected = defaultdict(list)
    for sample in taken:
        for name, value in sample.readings.items():
            expected[name, sample.t_us // 1_000_000].append(value)
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
