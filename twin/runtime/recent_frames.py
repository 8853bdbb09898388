"""Selects four frames a second to keep for a minute; a page that opens can then show the last minute."""

from collections.abc import Iterable

from twin.runtime import frames
from twin.runtime.frames import Frame

SPAN_S = 60
STEP_US = 250_000  # machine time between two recent frames
MOST_FRAMES = SPAN_S * 1_000_000 // STEP_US


class RecentFrameFilter:
    """Selects one frame per step of machine time, and also every change of status or epoch."""

    def __init__(self) -> None:
        self._last: Frame | None = None

    def selects(self, frame: Frame) -> bool:
        """Return whether to keep this frame; if so, the next step is counted from this frame."""
        last = self._last
        selected = (
            last is None
            or (frame.epoch, frame.status) != (last.epoch, last.status)
            or not 0 <= frame.t - last.t < STEP_US
        )
        if selected:
            self._last = frame
        return selected

    def reset(self) -> None:
        """Select the next frame, because the last one may not have been written."""
        self._last = None


def between(kept: Iterable[bytes], since_us: int, newest: bytes) -> list[bytes]:
    """Return the frames made at or after server time `since_us` and before `newest`; skip unreadable ones."""
    try:
        until_us = frames.decode(newest).ts
    except ValueError:
        return []
    return [data for data in kept if since_us <= made(data) < until_us]


def made(data: bytes) -> int:
    """Return the server time at which a frame was made; -1 if the bytes are not a frame."""
    try:
        return frames.decode(data).ts
    except ValueError:  # written by another version, or not by us
        return -1
