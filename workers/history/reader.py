"""What has been read of one stream and is not stored yet."""

import logging
import time
from collections.abc import Iterable
from functools import lru_cache
from uuid import UUID

from twin.history.columns import Taken
from twin.history.writing import Batch
from twin.ingest import entries
from twin.valkey.streams import StreamEntry

log = logging.getLogger(__name__)

MOST_SAMPLES = 5_000  # in one row; who catches up stores so many at a time


class Reader:
    """One machine's place in its stream. To lose it costs nothing: the stored place is where to go on."""

    def __init__(self, machine: UUID, stored: str, due: float) -> None:
        self.machine = machine
        self.read = stored  # entries up to here have been read
        self._stored = stored
        self._due = due  # monotonic; when what has been read is stored
        self._taken: list[Taken] = []
        self._count = 0  # of samples in them

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
                log.error("machine %s: entry %s skipped, unreadable: %s", self.machine, self.read, error)

    def _add(self, entry: entries.Samples) -> None:
        """To what came before if that is of the same start, so that what is done per start is done once."""
        device = _device(entry.device)
        if self._taken and self._taken[-1][:2] == (device, entry.boot):
            self._taken[-1].samples.extend(entry.samples)
        elif entry.samples:
            self._taken.append(Taken(device, entry.boot, entry.samples))
        self._count += len(entry.samples)

    def to_store(self, *, now_due: bool = False) -> Batch | None:
        """What is to be stored now, if anything."""
        if self.read == self._stored:
            return None
        if not (now_due or self.full or time.monotonic() >= self._due):
            return None
        return Batch(self.machine, self._stored, self.read, self._taken)

    def stored(self, every_s: float) -> None:
        """All that was read is in the database. Who is late, or full before, keeps to the same beat: else
        machines that were stored together once, after an outage, would be ever after."""
        now = time.monotonic()
        self._due = now + every_s - ((now - self._due) % every_s if every_s else 0.0)
        self._stored, self._taken, self._count = self.read, [], 0


@lru_cache(maxsize=10_000)
def _device(name: str) -> UUID:
    """Made once: to read it takes longer than to read a sample. Raises ValueError."""
    return UUID(name)
