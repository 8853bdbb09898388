"""Names of topics, and the sequence numbers of an answer."""

import itertools
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twin.ingest.messages import ranges
from twin.ingest.packing import detect_form
from twin.ingest.topics import TopicOwner, owner_of, topic

MACHINE, DEVICE = UUID("5d6b8f0e-1111-4222-8333-444444444444"), UUID(int=7)


@pytest.mark.parametrize("owner", [TopicOwner(MACHINE, None), TopicOwner(MACHINE, DEVICE)])
def test_a_topic_says_whose_it_is(owner: TopicOwner) -> None:
    assert owner_of(topic("telemetry", owner)) == owner


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hydratwin",
        f"hydratwin/{MACHINE}/ack",
        f"hydratwin/{MACHINE}",
        f"other/{MACHINE}/telemetry",
        f"hydratwin/{MACHINE}/telemetry/",
        f"hydratwin/{MACHINE}/telemetry/x",
        f"hydratwin/{MACHINE}/telemetry/{DEVICE}/more",
        f"hydratwin/{str(MACHINE).upper()}/telemetry",  # another topic, which no rule of the broker speaks of
        f"hydratwin/{MACHINE.hex}/telemetry",
        f"hydratwin/{{{MACHINE}}}/telemetry",
        f"/hydratwin/{MACHINE}/telemetry",
    ],
)
def test_no_other_topic_is_anybodys(text: str) -> None:
    assert owner_of(text) is None


@settings(deadline=None)
@given(st.lists(st.integers(0, 60)))
def test_ranges_hold_exactly_the_numbers_and_do_not_touch(numbers: list[int]) -> None:
    found = ranges(numbers)
    assert {n for first, last in found for n in range(first, last + 1)} == set(numbers)
    assert all(last + 1 < first for (_, last), (first, _) in itertools.pairwise(found))


def test_json_and_msgpack_are_told_apart_by_their_first_byte() -> None:
    assert [detect_form(data) for data in (b"{}", b' {"boot"', b"\n{", b"")] == ["json"] * 4
    assert [detect_form(data) for data in (b"\x82\xa4boot", b"\xde\x00\x02", b"\xdf")] == ["msgpack"] * 3
