"""Which frames are kept for those who come later."""

import msgspec
import numpy as np
import pytest

from twin.runtime import frames, recent_frames

NOTHING = frames.pack(np.empty(0), np.empty(0), np.empty(0))


def frame(t_ms: int, *, epoch: int = 1, status: frames.Status = "synced", ts_ms: int = 0) -> frames.Frame:
    return frames.Frame(
        machine="m", epoch=epoch, seq=1, t=t_ms * 1000, ts=ts_ms * 1000, t_sample=0, received=0,
        status=status, reason="", load=0.0, lag_us=0, **msgspec.structs.asdict(NOTHING),
    )  # fmt: skip


def test_one_frame_per_step_of_machine_time():
    chosen = recent_frames.RecentFrameFilter()
    taken = [t for t in range(0, 60_000, 50) if chosen.selects(frame(t))]
    assert taken == list(range(0, 60_000, 250))
    assert len(taken) == recent_frames.MOST_FRAMES


@pytest.mark.parametrize("change", [{"status": "coasting"}, {"epoch": 2}, {"t_ms": -50}])
def test_a_change_is_taken_at_once(change):
    chosen = recent_frames.RecentFrameFilter()
    assert chosen.selects(frame(0))
    assert not chosen.selects(frame(50))
    assert chosen.selects(frame(**({"t_ms": 100} | change)))


def test_after_a_lost_write_the_next_frame_is_taken():
    chosen = recent_frames.RecentFrameFilter()
    assert chosen.selects(frame(0))
    chosen.reset()
    assert chosen.selects(frame(50))


def test_only_frames_of_the_last_minute_and_before_the_newest_are_shown():
    kept = [frames.encode(frame(0, ts_ms=ts)) for ts in (1, 2, 3, 4, 5)]
    assert recent_frames.between([b"\xc1", *kept], 2_000, kept[3]) == kept[1:3]
    assert recent_frames.between(kept, 0, b"not a frame") == []
