"""What has been read of one stream and is not stored yet."""

import logging
import time
from collections.abc import Iterable
from uuid import UUID

from twin.history.columns import Taken
from twin.history.writing import Batch
from twin.telemetry import entries
from twin.telemetry.streams import StreamEntry

log = logging.getLogger(__name__)

MOST_SAMPLES = 5_000  # in one row; who catches up stores so many at a time


class Reader:
    """One machine's place in its stream. To lose it costs nothing: the stored place is where to go on."""

    def __init__(self, machine: UUID, stored: str, due: float) -> None:
        self.machine = machine
        self.read = stored  # entries up to here have been read
        self._stored = stored
        self._due = due  # monotonic; when what has been read is stored
        self._samples: list[Taken] = []

    @property
    def full(self) -> bool:
        return len(self._samples) >= MOST_SAMPLES

    def take(self, batch: Iterable[StreamEntry]) -> None:
        for entry_id, fields in batch:
            self.read = entry_id.decode()
            try:
                entry = entries.decode(entries.data_of(fields))
                if isinstance(entry, entries.Samples):
                    device = UUID(entry.device)
                    self._samples += [Taken(device, entry.boot, *sample) for sample in entry.samples]
            except ValueError as error:  # msgspec's own are ValueErrors
                log.error("machine %s: entry %s skipped, unreadable: %s", self.machine, self.read, error)

    def to_store(self, *, now_due: bool = False) -> Batch | None:
        """What is to be stored now, if anything."""
        if self.read == self._stored:
            return None
        if not (now_due or self.full or time.monotonic() >= self._due):
            return None
        return Batch(self.machine, self._stored, self.read, self._samples)

    def stored(self, due: float) -> None:
        """All that was read is in the database."""
        self._stored, self._due, self._samples = self.read, due, []
