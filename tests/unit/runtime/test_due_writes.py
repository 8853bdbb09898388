"""When a frame and a checkpoint are due."""

import msgspec

from twin.runtime.checkpoint import Checkpoint
from twin.runtime.due_writes import CHECKPOINT_S, DueWrites
from twin.runtime.session_record import SessionRecord

FRAME_US = 45_000


def test_a_frame_is_due_when_it_shows_something_new_and_the_last_one_is_old_enough() -> None:
    due = DueWrites(FRAME_US)
    assert not due.frame(lambda: None, 100_000)  # nothing to show yet
    assert due.frame(lambda: "a", 100_000)
    assert not due.frame(lambda: "b", 200_000)  # not fed since
    due.fed()
    assert not due.frame(lambda: "b", 100_000 + FRAME_US - 1)
    assert due.frame(lambda: "b", 100_000 + FRAME_US)
    due.fed()
    assert not due.frame(lambda: "b", 900_000)  # shows the same


def test_a_clock_that_was_set_back_does_not_hold_up_frames() -> None:
    due = DueWrites(FRAME_US)
    assert due.frame(lambda: "a", 10**9)
    due.fed()
    assert due.frame(lambda: "b", 10**8)


def test_a_checkpoint_is_due_after_a_while_or_when_asked_for_but_never_without_food() -> None:
    due = DueWrites(FRAME_US)
    assert due.checkpoint(100.0, save=False)
    assert not due.checkpoint(200.0, save=True)
    due.fed()
    assert not due.checkpoint(100.0 + CHECKPOINT_S / 2, save=False)
    assert due.checkpoint(100.0 + CHECKPOINT_S / 2, save=True)


def test_it_is_idle_once_all_is_shown_and_saved_until_it_is_fed_or_a_write_is_lost() -> None:
    due = DueWrites(FRAME_US)
    assert not due.idle
    assert due.frame(lambda: "a", 100_000)
    assert not due.idle
    assert due.checkpoint(1000.0, save=False)
    assert due.idle
    due.repeat()
    assert not due.idle
    assert due.frame(lambda: "a", 100_001)
    assert due.checkpoint(1000.0, save=False)


def test_a_checkpoint_keeps_its_stored_form_across_versions() -> None:
    data = msgspec.msgpack.encode(Checkpoint(1, "m", 2, "3-0", SessionRecord(epoch=7), b"twin"))
    assert msgspec.msgpack.decode(data).keys() == {"format", "model", "token", "last_id", "book", "twin"}
    assert msgspec.msgpack.decode(data, type=Checkpoint).record.epoch == 7
