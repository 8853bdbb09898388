"""The append script on a real Valkey: each sample enters the stream once, exactly."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twin import keys
from twin.telemetry import entries
from twin.telemetry.append import Appender, Outcome, Source, StreamFull
from twin.telemetry.entries import Sample

pytestmark = pytest.mark.system

T = 1_800_000_000_000_000
SOURCE = Source("machine", "device", "boot")


def samples_of(seqs: list[int]) -> list[Sample]:
    return [(seq, T + index, {"hose.p": float(index)}) for index, seq in enumerate(seqs)]


def stream_of(client: Any, machine: str = "machine") -> list[entries.Samples]:
    found = [entries.decode(fields[entries.FIELD]) for _, fields in client.xrange(keys.stream(machine))]
    assert all(isinstance(entry, entries.Samples) for entry in found)
    return found  # type: ignore[return-value]


def intervals_of(client: Any) -> list[tuple[int, int]]:
    pairs = client.zrange(keys.seen("device", "boot"), 0, -1, withscores=True)
    return [(int(first), int(last)) for first, last in pairs]


near = st.integers(0, 12)
far = st.integers(2**53 - 8, 2**53 - 1)
requests = st.lists(st.lists(near | far, min_size=1, max_size=20), min_size=1, max_size=12)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(requests)
def test_de_duplication_agrees_with_a_set(valkey: Any, bodies: list[list[int]]) -> None:
    with valkey.client() as client:
        client.flushall()
        appender = Appender(client)
        seen: set[int] = set()
        expected: list[Sample] = []
        for seqs in bodies:
            outcome = appender.append(SOURCE, samples_of(seqs), T)
            fresh = [s for i, s in enumerate(samples_of(seqs)) if s[0] not in seen and s[0] not in seqs[:i]]
            seen.update(seqs)
            expected += fresh
            assert outcome == Outcome(len(fresh), len(seqs) - len(fresh))
        assert [sample for entry in stream_of(client) for sample in entry.samples] == expected

        # the intervals hold exactly the set, and as few of them as possible
        intervals = intervals_of(client)
        assert {n for first, last in intervals for n in range(first, last + 1)} == seen
        assert all(last + 1 < first for (_, last), (first, _) in pairwise(intervals))


@pytest.mark.parametrize("count", [1, 15, 16, 255, 256, 1000])
def test_an_entry_of_any_length_can_be_read(valkey: Any, count: int) -> None:
    with valkey.client() as client:
        samples = samples_of(list(range(count)))
        assert Appender(client).append(SOURCE, samples, 42) == Outcome(count, 0)
        assert stream_of(client) == [entries.Samples("device", "boot", 42, samples)]
        assert intervals_of(client) == [(0, count - 1)]


def test_a_device_that_restarts_at_zero_is_no_duplicate(valkey: Any) -> None:
    with valkey.client() as client:
        appender = Appender(client)
        appender.append(SOURCE, samples_of([0, 1]), T)
        assert appender.append(Source("machine", "device", "next"), samples_of([0, 1]), T) == Outcome(2, 0)
        assert appender.append(Source("machine", "other", "boot"), samples_of([0, 1]), T) == Outcome(2, 0)


def test_a_body_of_duplicates_adds_no_entry(valkey: Any) -> None:
    with valkey.client() as client:
        appender = Appender(client)
        appender.append(SOURCE, samples_of([0, 1]), T)
        assert appender.append(SOURCE, samples_of([1, 0]), T) == Outcome(0, 2)
        assert len(stream_of(client)) == 1


def test_a_full_stream_takes_nothing_and_remembers_nothing(valkey: Any, settings: Any) -> None:
    settings.STREAM_CAP = 1
    with valkey.client() as client:
        appender = Appender(client)
        appender.append(SOURCE, samples_of([0]), T)
        with pytest.raises(StreamFull):
            appender.append(SOURCE, samples_of([1]), T)
        assert intervals_of(client) == [(0, 0)]
        settings.STREAM_CAP = 2
        assert appender.append(SOURCE, samples_of([1]), T) == Outcome(1, 0)


def test_seen_numbers_are_forgotten_a_week_after_their_last_use(valkey: Any) -> None:
    with valkey.client() as client:
        Appender(client).append(SOURCE, samples_of([0]), T)
        assert 6.99 < client.pttl(keys.seen("device", "boot")) / 86_400_000 <= 7


def test_what_was_acknowledged_survives_a_killed_server(valkey: Any) -> None:
    with valkey.client() as client:
        Appender(client).append(SOURCE, samples_of([0, 1]), T)
    valkey.stop()
    valkey.start()
    with valkey.client() as client:
        assert len(stream_of(client)[0].samples) == 2
        assert Appender(client).append(SOURCE, samples_of([1, 2]), T) == Outcome(1, 1)
