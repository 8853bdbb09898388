"""The history writer: reads every machine's stream behind its own place and stores it, a few at a time.

Its place is in the database, stored with the samples. Whatever fails, it keeps what it has read and tries
again; it reads no further while its hands are full, for the streams keep everything until it is stored.
"""

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from uuid import UUID

from django.db import DatabaseError, close_old_connections
from redis.exceptions import RedisError

from twin import keys
from twin.history.writing import BEGINNING, Batch, Overtaken, positions, store
from twin.runtime.specs import all_machines
from twin.valkey.address import pack
from twin.valkey.aof_sync import ServerFile, check_written
from twin.valkey.pipeline_client import Wire, good
from twin.valkey.streams import read_new
from workers.history.reader import Reader

log = logging.getLogger(__name__)

ROUND_S = 1.0
MACHINES_S = 2.0  # how soon a new machine is seen
AGAIN_S = 1.0  # after a failure
STREAMS = 100  # in one question
ENTRIES = 200  # of each stream in one question
TOGETHER = 20_000  # samples in one transaction
GOLDEN = 0.618033988749895  # its multiples divide a span evenly, however many there are


class Writer:
    def __init__(self, wire: Wire, file: ServerFile, every_s: float) -> None:
        self._wire = wire
        self._file = file
        self._every_s = every_s
        self._readers: dict[UUID, Reader] = {}
        self._seen = 0  # machines so far
        self._machines_at = 0.0
        self._state = ""

    def run(self, done: threading.Event) -> None:
        """Until told to stop; then what has been read is stored, if the database is there."""
        while not done.is_set():
            began = time.monotonic()
            behind = self._try()
            if not behind:
                done.wait(began + ROUND_S - time.monotonic())
        self._try(last=True)

    def _try(self, *, last: bool = False) -> bool:
        close_old_connections()  # the database may have been restarted since
        try:
            behind = self.round(last=last)
        except DatabaseError as error:
            self._say(f"nothing is stored, the database does not answer: {error}")
            time.sleep(AGAIN_S)
            return False
        except (RedisError, OSError) as error:
            self._say(f"the telemetry server does not answer: {error}")
            time.sleep(AGAIN_S)
            return False
        self._say("")
        return behind

    def round(self, *, last: bool = False) -> bool:
        """Read and store once; True if there was more than one question's worth."""
        now = time.monotonic()
        if now - self._machines_at >= MACHINES_S:
            self._look_for_machines()
            self._machines_at = now
        behind = self._read()
        self._secure()
        self._store(now_due=last)
        return behind

    def _look_for_machines(self) -> None:
        machines = {spec.id for spec in all_machines()}
        self._readers = {key: reader for key, reader in self._readers.items() if key in machines}
        new = machines - self._readers.keys()
        if new:
            stored = positions(new)
            for machine in new:  # spread over time, so that every round has about as many to store
                self._seen += 1
                due = time.monotonic() + self._every_s * (self._seen * GOLDEN % 1)
                self._readers[machine] = Reader(machine, stored.get(machine, BEGINNING), due)

    def _read(self) -> bool:
        readers = {keys.stream(r.machine).encode(): r for r in self._readers.values() if not r.full}
        behind = False
        for some in _parts(list(readers), STREAMS):
            found = read_new(self._wire, [(name, readers[name].read) for name in some], ENTRIES)
            for name, batch in found.items():
                readers[name].take(batch)
                behind |= len(batch) == ENTRIES
        return behind

    def _store(self, *, now_due: bool) -> None:
        due = [batch for r in self._readers.values() if (batch := r.to_store(now_due=now_due))]
        for some in _grouped(due):
            try:
                store(some)
            except Overtaken:
                log.warning("another history writer is at work: one is enough")
                for batch in some:
                    del self._readers[batch.machine]
                self._machines_at = 0.0  # and begin again where it has got to
                continue
            for batch in some:
                self._readers[batch.machine].stored(self._every_s)
            self._publish(some)

    def _secure(self) -> None:
        """The database must not be ahead of the streams after a power cut, or it would skip what comes next.
        Each round, so that a failed write is noticed, and mended, also while no machine sends."""
        check_written(self._wire, self._file)
        self._file.sync()

    def _publish(self, stored: Sequence[Batch]) -> None:
        """For whoever trims the streams. If this gets lost, less is trimmed until the next time."""
        good(self._wire.ask([pack("SET", keys.history(batch.machine), batch.last_id) for batch in stored]))

    def _say(self, text: str) -> None:
        """One line per change."""
        if text != self._state:
            log.log(logging.WARNING if text else logging.INFO, text or "storing history again")
            self._state = text


def _grouped(batches: list[Batch]) -> Iterator[list[Batch]]:
    """As many in one transaction as is good for those who wait for the database."""
    group: list[Batch] = []
    for batch in batches:
        if group and sum(each.count for each in group) + batch.count > TOGETHER:
            yield group
            group = []
        group.append(batch)
    if group:
        yield group


def _parts(names: list[bytes], size: int) -> Iterator[list[bytes]]:
    return (names[begin : begin + size] for begin in range(0, len(names), size))
