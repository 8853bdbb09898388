"""The append script on a real Valkey: each sample enters the stream once, exactly."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twin import keys
from twin.ingest import entries
from twin.ingest.append import (
    SEEN_MS,
    Appender,
    Outcome,
    Source,
    StreamFull,
    TooManyBoots,
    append_command,
    read_reply,
)
from twin.ingest.entries import Sample

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
    pairs = client.zrange(keys.seen_numbers("device", "boot"), 0, -1, withscores=True)
    return [(int(first), int(last)) for first, last in pairs]


near = st.integers(0, 12)
far = st.integers(2**53 - 8, 2**53 - 1)
requests = st.lists(st.lists(near | far, min_size=1, max_size=20), min_size=1, max_size=12)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(requests)
def test_de_duplication_agrees_with_a_set(valkey: Any, bodies: list[list[int]]) -> None:
    with valkey.client() as client:
        client.flushall()
        appender = Appender(valkey.pipeline, valkey.aof)
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
        assert Appender(valkey.pipeline, valkey.aof).append(SOURCE, samples, 42) == Outcome(count, 0)
        assert stream_of(client) == [entries.Samples("device", "boot", 42, samples)]
        assert intervals_of(client) == [(0, count - 1)]


def test_a_device_that_restarts_at_zero_is_no_duplicate(valkey: Any) -> None:
    appender = Appender(valkey.pipeline, valkey.aof)
    appender.append(SOURCE, samples_of([0, 1]), T)
    assert appender.append(Source("machine", "device", "next"), samples_of([0, 1]), T) == Outcome(2, 0)
    assert appender.append(Source("machine", "other", "boot"), samples_of([0, 1]), T) == Outcome(2, 0)


def test_a_body_of_duplicates_adds_no_entry(valkey: Any) -> None:
    with valkey.client() as client:
        appender = Appender(valkey.pipeline, valkey.aof)
        appender.append(SOURCE, samples_of([0, 1]), T)
        assert appender.append(SOURCE, samples_of([1, 0]), T) == Outcome(0, 2)
        assert len(stream_of(client)) == 1


def test_a_full_stream_takes_nothing_and_remembers_nothing(valkey: Any, settings: Any) -> None:
    settings.STREAM_CAP = 1
    with valkey.client() as client:
        appender = Appender(valkey.pipeline, valkey.aof)
        appender.append(SOURCE, samples_of([0]), T)
        with pytest.raises(StreamFull):
            appender.append(SOURCE, samples_of([1]), T)
        assert intervals_of(client) == [(0, 0)]
        settings.STREAM_CAP = 2
        assert appender.append(SOURCE, samples_of([1]), T) == Outcome(1, 0)


def test_seen_numbers_are_forgotten_a_week_after_their_last_use(valkey: Any) -> None:
    with valkey.client() as client:
        Appender(valkey.pipeline, valkey.aof).append(SOURCE, samples_of([0]), T)
        assert 6.99 < client.pttl(keys.seen_numbers("device", "boot")) / 86_400_000 <= 7


def test_what_was_acknowledged_survives_a_killed_server(valkey: Any) -> None:
    with valkey.client() as client:
        Appender(valkey.pipeline, valkey.aof).append(SOURCE, samples_of([0, 1]), T)
    valkey.stop()
    valkey.start()
    with valkey.client() as client:
        assert len(stream_of(client)[0].samples) == 2
        assert Appender(valkey.pipeline, valkey.aof).append(SOURCE, samples_of([1, 2]), T) == Outcome(1, 1)


SECOND = 1_000_000


def one(seq: int, t: int) -> list[Sample]:
    return [(seq, t, {"hose.p": 1.0})]


def boot(name: str) -> Source:
    return Source("machine", "device", name)


def shared_token_of(client: Any) -> dict[bytes, bytes]:
    return client.hgetall(keys.shared_token("machine"))


def test_two_devices_with_one_token_are_noticed_and_lose_nothing(valkey: Any) -> None:
    with valkey.client() as client:
        appender = Appender(valkey.pipeline, valkey.aof)
        outcomes = []
        for turn in range(4):  # both count from zero and send every second
            for late, name in enumerate(("left", "right")):
                outcomes.append(appender.append(boot(name), one(turn, T + turn * SECOND + late), T))
        assert all(outcome.accepted == 1 and outcome.duplicate == 0 for outcome in outcomes)
        assert {outcome.other_boot for outcome in outcomes[:4]} == {None}
        assert outcomes[-2].other_boot == "right"
        found = shared_token_of(client)
        assert (found[b"device"], found[b"earlier"], found[b"later"]) == (b"device", b"left", b"right")
        assert 0 < client.pttl(keys.shared_token("machine")) <= 300_000


def test_a_device_that_restarts_and_sends_its_backlog_meanwhile_is_one_device(valkey: Any) -> None:
    with valkey.client() as client:
        appender = Appender(valkey.pipeline, valkey.aof)
        appender.append(boot("before"), one(0, T), T)
        for turn in range(5):  # the new start is live, the old one's samples follow, oldest first
            live = appender.append(boot("after"), one(turn, T + (100 + turn) * SECOND), T)
            late = appender.append(boot("before"), one(1 + turn, T + (10 + turn) * SECOND), T)
            assert (live, late) == (Outcome(1, 0), Outcome(1, 0))
        assert shared_token_of(client) == {}


def test_a_backlog_of_a_start_never_seen_before_is_no_rival(valkey: Any) -> None:
    appender = Appender(valkey.pipeline, valkey.aof)
    for turn in range(3):
        assert appender.append(boot("after"), one(turn, T + (100 + turn) * SECOND), T).other_boot is None
        assert appender.append(boot("before"), one(turn, T + turn * SECOND), T).other_boot is None


def test_a_start_that_has_fallen_silent_is_no_rival(valkey: Any) -> None:
    with valkey.client() as client:
        appender = Appender(valkey.pipeline, valkey.aof)
        appender.append(boot("rig"), one(0, T), T)
        appender.append(boot("tried by hand"), one(0, T + SECOND), T)
        client.pexpire(keys.seen_numbers("device", "tried by hand"), SEEN_MS - 61_000)  # a minute ago
        assert appender.append(boot("rig"), one(1, T + 90 * SECOND), T) == Outcome(1, 0)


def test_a_resent_batch_of_the_earlier_start_is_no_rival(valkey: Any) -> None:
    appender = Appender(valkey.pipeline, valkey.aof)
    appender.append(boot("left"), one(0, T + 5 * SECOND), T)
    appender.append(boot("right"), one(0, T + SECOND), T)
    assert appender.append(boot("left"), one(0, T + 5 * SECOND), T) == Outcome(0, 1)


def test_the_number_of_starts_is_bounded_and_expired_ones_make_room(valkey: Any, settings: Any) -> None:
    settings.MAX_STARTS = 2
    with valkey.client() as client:
        appender = Appender(valkey.pipeline, valkey.aof)
        for name in ("a", "b"):
            appender.append(boot(name), one(0, T), T)
        with pytest.raises(TooManyBoots):
            appender.append(boot("c"), one(0, T), T)
        assert appender.append(boot("a"), one(1, T), T) == Outcome(1, 0)  # whoever was in stays in
        assert len(stream_of(client)) == 3
        client.delete(keys.seen_numbers("device", "b"))  # as after a week
        assert appender.append(boot("c"), one(0, T), T) == Outcome(1, 0)


def test_many_batches_in_one_round_trip_each_have_their_answer(valkey: Any, settings: Any) -> None:
    settings.STREAM_CAP = 1
    other = Source("other machine", "other device", "boot")
    commands = [append_command(SOURCE, samples_of([0, 1]), T), append_command(SOURCE, samples_of([2]), T)]
    replies = Appender(valkey.pipeline, valkey.aof).append_all(
        [*commands, append_command(other, samples_of([7]), T)]
    )
    assert read_reply(replies[0]) == Outcome(2, 0)
    with pytest.raises(StreamFull):
        read_reply(replies[1])
    assert read_reply(replies[2]) == Outcome(1, 0)
