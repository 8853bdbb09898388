"""Decides when a twin's next frame and its next checkpoint are due."""

from collections.abc import Callable

CHECKPOINT_S = 1.0  # bounds the machine time that a restart has to compute again


class DueWrites:
    """Decides what one twin has to write after a round.

    frame        due if the twin was fed, would now show something different, and its last frame is at
                 least `frame_us` old
    checkpoint   due if the twin was fed since its last checkpoint, which is at least CHECKPOINT_S old, or if
                 asked for
    """

    def __init__(self, frame_us: int) -> None:
        self._frame_us = frame_us
        self._to_show = True  # fed since the last frame was made or found unnecessary
        self._to_save = True  # fed since the last checkpoint
        self._shown: object = None  # what the last frame showed
        self._shown_us = 0
        self._saved_at = 0.0  # monotonic

    @property
    def idle(self) -> bool:
        """Return whether nothing has happened since everything was shown and saved."""
        return not self._to_show and not self._to_save

    def fed(self) -> None:
        """Note that the twin has read an entry."""
        self._to_show = self._to_save = True

    def show(self) -> None:
        """Note that there is something new to show but nothing to save, because the twin broke."""
        self._to_show = True

    def repeat(self) -> None:
        """Make frame and checkpoint due at once, because the last writes may be lost."""
        self.fed()
        self._shown, self._shown_us, self._saved_at = None, 0, 0.0

    def frame(self, shows: Callable[[], object], now_us: int) -> bool:
        """Return whether to make a frame now.

        `shows` is what it would show; None if there is nothing to show yet.
        """
        if not self._to_show or (showing := shows()) is None:
            return False
        if showing == self._shown:
            self._to_show = False
            return False
        if 0 <= now_us - self._shown_us < self._frame_us:
            return False
        self._to_show, self._shown, self._shown_us = False, showing, now_us
        return True

    def checkpoint(self, now: float, *, save: bool) -> bool:
        """Return whether to make a checkpoint now (monotonic time); `save` requests one."""
        if not self._to_save or (not save and now - self._saved_at < CHECKPOINT_S):
            return False
        self._to_save, self._saved_at = False, now
        return True
