"""The history writer: reads every machine's stream from its stored position and stores the samples.

The position is stored with the samples, in one transaction. After a failure, the writer keeps the samples
that it has read and tries again. While too many samples wait to be stored, the writer does not read more;
nothing is lost, because the streams keep every sample until it is stored.
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
from twin.log_on_change import LogOnChange
from twin.runtime.specs import all_machines
from twin.valkey.address import pack
from twin.valkey.aof_sync import AppendOnlyFile, check_written
from twin.valkey.pipeline_client import PipelineClient, read_streams, without_errors
from workers.history.reader import Reader

log = logging.getLogger(__name__)

ROUND_S = 1.0
MACHINES_S = 2.0  # how often the list of machines is read
RETRY_S = 1.0  # after a failure
STREAMS = 100  # per command
ENTRIES = 200  # of each stream per command
TOGETHER = 20_000  # samples per transaction
GOLDEN = 0.618033988749895  # its multiples modulo 1 are evenly spread, for any number of them


class Writer:
    """Reads and stores in rounds; each machine is stored about every `every_s` seconds."""

    def __init__(self, pipeline: PipelineClient, aof: AppendOnlyFile, every_s: float) -> None:
        self._pipeline = pipeline
        self._aof = aof
        self._every_s = every_s
        self._readers: dict[UUID, Reader] = {}
        self._seen = 0  # machines found since the start
        self._machines_at = 0.0
        self._log = LogOnChange(log, recovered="storing history again")

    def run(self, done: threading.Event) -> None:
        """Run until `done` is set; then store what was read, if the database responds."""
        while not done.is_set():
            began = time.monotonic()
            behind = self._try()
            if not behind:
                done.wait(began + ROUND_S - time.monotonic())
        self._try(last=True)

    def _try(self, *, last: bool = False) -> bool:
        close_old_connections()  # the database may have been restarted
        try:
            behind = self.round(last=last)
        except DatabaseError as error:
            self._log.report(f"history not stored, because the database is not responding: {error}")
            time.sleep(RETRY_S)
            return False
        except (RedisError, OSError) as error:
            self._log.report(f"the telemetry server is not responding: {error}")
            time.sleep(RETRY_S)
            return False
        self._log.ok()
        return behind

    def round(self, *, last: bool = False) -> bool:
        """Read and store once; return True if a stream has more entries than one command returns."""
        now = time.monotonic()
        if now - self._machines_at >= MACHINES_S:
            self._refresh_machines()
            self._machines_at = now
        behind = self._read()
        self._secure()
        self._store(now_due=last)
        return behind

    def _refresh_machines(self) -> None:
        machines = {spec.id for spec in all_machines()}
        self._readers = {key: reader for key, reader in self._readers.items() if key in machines}
        new = machines - self._readers.keys()
        if new:
            stored = positions(new)
            for machine in new:  # spread over time, so that every round stores about as much
                self._seen += 1
                due = time.monotonic() + self._every_s * (self._seen * GOLDEN % 1)
                self._readers[machine] = Reader(machine, stored.get(machine, BEGINNING), due)

    def _read(self) -> bool:
        readers = {keys.stream(r.machine).encode(): r for r in self._readers.values() if not r.full}
        behind = False
        for some in _parts(list(readers), STREAMS):
            found = read_streams(self._pipeline, [(name, readers[name].read) for name in some], ENTRIES)
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
                log.warning("another history writer is running; stop one of them")
                for batch in some:
                    del self._readers[batch.machine]
                self._machines_at = 0.0  # continue from the position that the other one has stored
                continue
            for batch in some:
                self._readers[batch.machine].stored(self._every_s)
            self._publish(some)

    def _secure(self) -> None:
        """Sync the streams before storing.

        After a power cut the database must not be ahead of the streams, or it would skip new samples. This
        runs in every round, so that a failed write is noticed even while no machine sends.
        """
        check_written(self._pipeline, self._aof)
        self._aof.sync()

    def _publish(self, stored: Sequence[Batch]) -> None:
        """Publish the positions for trimming. If this fails, less is trimmed until the next time."""
        commands = [pack("SET", keys.history_position(batch.machine), batch.last_id) for batch in stored]
        without_errors(self._pipeline.execute(commands))


def _grouped(batches: list[Batch]) -> Iterator[list[Batch]]:
    """Group batches, so that each transaction has a limited length."""
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
