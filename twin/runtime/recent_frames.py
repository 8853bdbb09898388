"""The trail: a thinned minute of frames, so that whoever opens a page sees what has just been."""

from collections.abc import Iterable

from twin.runtime import frames
from twin.runtime.frames import Frame

SPAN_S = 60
STEP_US = 250_000  # machine time from one frame of the trail to the next
MOST_FRAMES = SPAN_S * 1_000_000 // STEP_US


class TrailStep:
    """Chooses the frames: one per step of machine time, and every change of status or epoch at once."""

    def __init__(self) -> None:
        self._last: Frame | None = None

    def takes(self, frame: Frame) -> bool:
        """Does this frame belong on the trail? If so, it is the one that the next is measured from."""
        last = self._last
        taken = (
            last is None
            or (frame.epoch, frame.status) != (last.epoch, last.status)
            or not 0 <= frame.t - last.t < STEP_US
        )
        if taken:
            self._last = frame
        return taken

    def forget(self) -> None:
        """The last one may be lost: the next frame is taken."""
        self._last = None


def between(kept: Iterable[bytes], since_us: int, newest: bytes) -> list[bytes]:
    """The frames made from a server time on and before the newest; what is not a frame is left out."""
    try:
        until_us = frames.decode(newest).ts
    except ValueError:
        return []
    return [data for data in kept if since_us <= made(data) < until_us]


def made(data: bytes) -> int:
    """Server time at which a frame was made; -1 for what is no frame."""
    try:
        return frames.decode(data).ts
    except ValueError:  # of another version, or not ours
        return -1
