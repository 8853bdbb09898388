"""Real-time accounts of one twin: does it keep up with its machine, and what does that cost?"""

from twin.runtime.frames import Frame

DUE_US = 50_000  # a chunk is due when its entry arrives and late after this
SMOOTHING = 0.1  # weight of the newest round in the displayed load


class Accounts:
    """A chunk is what one entry of telemetry lets the twin advance."""

    def __init__(self) -> None:
        self.load = 0.0  # processor time per machine time, smoothed
        self.chunks = 0
        self.overruns = 0  # chunks that were finished late

    def resume(self, last: Frame) -> None:
        """Counts go on after a restart: late chunks do not vanish with the runner that was late."""
        self.chunks, self.overruns = last.chunks, last.overruns

    def finished(self, received_us: int, now_us: int) -> None:
        """A chunk whose entry arrived then is finished now."""
        self.chunks += 1
        self.overruns += now_us - received_us > DUE_US

    def spent(self, cpu_s: float, moved_us: int) -> None:
        """So much processor time took the twin so far in machine time."""
        if moved_us > 0:
            self.load += SMOOTHING * (cpu_s * 1e6 / moved_us - self.load)
