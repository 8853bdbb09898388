"""What the disk alone makes a durable answer wait, measured beside a run: its floor at that time."""

import os
import threading
import time
from pathlib import Path
from types import TracebackType

import numpy as np

EVERY_S = 0.01
BLOCK = b"\0" * 4096


class DiskProbe:
    """Appends a block to a file of its own and syncs it, again and again, while the context lasts."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "probe"
        self._syncs: list[tuple[float, float]] = []  # begin and end
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="disk probe", daemon=True)

    def __enter__(self) -> "DiskProbe":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def wait_ms(self, percentile: float) -> float:
        """Of somebody who comes at any moment and leaves when a sync that began after it is over."""
        begins, ends = np.array(self._syncs).T
        moments = np.arange(begins[0], begins[-1], 0.001)
        waits = ends[np.searchsorted(begins, moments)] - moments
        return round(1000 * float(np.percentile(waits, percentile)), 1)

    def _run(self) -> None:
        with self._path.open("ab", buffering=0) as file:
            while not self._done.wait(EVERY_S):
                file.write(BLOCK)
                begin = time.monotonic()
                os.fdatasync(file.fileno())
                self._syncs.append((begin, time.monotonic()))
