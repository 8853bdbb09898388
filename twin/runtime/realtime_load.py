"""Measures whether a twin keeps up with its machine, and how much processor time the twin uses."""

from twin.runtime.frames import Frame

DUE_US = 50_000  # a chunk is due when its entry arrives; it is an overrun when finished later than this
SMOOTHING = 0.1  # weight of the newest round in `load`


class RealtimeLoad:
    """Counters of one twin. A chunk is the machine time by which one telemetry entry advances the twin."""

    def __init__(self) -> None:
        self.load = 0.0  # processor time per machine time, smoothed
        self.chunks = 0
        self.overruns = 0

    def resume(self, last: Frame) -> None:
        """Continue from the counts of the previous runner, so that its overruns are not forgotten."""
        self.chunks, self.overruns = last.chunks, last.overruns

    def count_chunk(self, received_us: int, now_us: int) -> None:
        """Count a chunk that has just finished and whose entry arrived at `received_us`."""
        self.chunks += 1
        self.overruns += now_us - received_us > DUE_US

    def add_cpu_time(self, cpu_s: float, moved_us: int) -> None:
        """Update the smoothed processor time per second of machine time."""
        if moved_us > 0:
            self.load += SMOOTHING * (cpu_s * 1e6 / moved_us - self.load)
