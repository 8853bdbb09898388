"""Collects the samples that were read from one stream and are not stored yet."""

import logging
import time
from collections.abc import Iterable
from functools import lru_cache
from uuid import UUID

from twin.history.columns import Taken
from twin.history.writing import Batch
from twin.ingest import entries
from twin.valkey.pipeline_client import StreamEntry

log = logging.getLogger(__name__)

MOST_SAMPLES = 5_000  # in one row, also while catching up


class Reader:
    """Reads one machine's stream. After a crash, reading continues from the stored position."""

    def __init__(self, machine: UUID, stored: str, due: float) -> None:
        self.machine = machine
        self.read = stored  # entries up to here have been read
        self._stored = stored
        self._due = due  # monotonic time of the next store
        self._taken: list[Taken] = []
        self._count = 0  # samples in _taken

    @property
    def full(self) -> bool:
        return self._count >= MOST_SAMPLES

    def take(self, batch: Iterable[StreamEntry]) -> None:
        for entry_id, fields in batch:
            self.read = entry_id.decode()
            try:
                entry = entries.decode(entries.data_of(fields))
                if isinstance(entry, entries.Samples):
                    self._add(entry)
            except ValueError as error:  # msgspec's own are ValueErrors
                log.error("machine %s: skipped unreadable entry %s: %s", self.machine, self.read, error)

    def _add(self, entry: entries.Samples) -> None:
        """Add an entry; samples of the same boot are joined, so that the work per boot is done only once."""
        device = _device(entry.device)
        if self._taken and self._taken[-1][:2] == (device, entry.boot):
            self._taken[-1].samples.extend(entry.samples)
        elif entry.samples:
            self._taken.append(Taken(device, entry.boot, entry.samples))
        self._count += len(entry.samples)

    def to_store(self, *, now_due: bool = False) -> Batch | None:
        """Return the batch to store now, if any."""
        if self.read == self._stored:
            return None
        if not (now_due or self.full or time.monotonic() >= self._due):
            return None
        return Batch(self.machine, self._stored, self.read, self._taken)

    def stored(self, every_s: float) -> None:
        """Note that the batch is in the database.

        The machine keeps its place within the storing period, so that machines that were stored together
        after an outage spread out again.
        """
        now = time.monotonic()
        self._due = now + every_s - ((now - self._due) % every_s if every_s else 0.0)
        self._stored, self._taken, self._count = self.read, [], 0


@lru_cache(maxsize=10_000)
def _device(name: str) -> UUID:
    """Return the device's id; cached, because parsing a UUID takes longer than decoding a sample.

    Raises ValueError.
    """
    return UUID(name)
