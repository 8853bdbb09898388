"""The runner: a loop that feeds new telemetry to the twins of its shards and publishes their frames."""

import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from uuid import UUID

from django.db import DatabaseError
from redis import Redis
from redis.exceptions import RedisError

from twin import keys
from twin.runtime.fenced_writes import Commit, FencedWriter
from twin.runtime.held_leases import HeldLeases
from twin.runtime.lease import Lease
from twin.runtime.sharding import shard_of
from twin.runtime.specs import MachineSpec, build_twin
from twin.runtime.trimming import trim
from twin.runtime.twin_host import BuildTwin, TwinHost
from twin.valkey.pipeline_client import PipelineClient, read_streams

log = logging.getLogger(__name__)

# The longest time until an entry is read; a chunk is late after three times that. Shorter rounds do the same
# work in more pieces: with 100 twins, 10 ms cost two cores a tenth more than 15 ms.
ROUND_S = 0.015
FRAME_US = 45_000  # shortest interval between two frames of a twin: every third round, twenty a second
SHARE_S = 0.5  # how often shards are acquired or released
MACHINES_S = 2.0  # how often the list of machines is read
TICKS_US = 40_000  # how often silent machines are checked
TRIM_S = 10.0
ENTRIES_PER_ROUND = 20  # per twin: bounds the time until the other twins are served
OUTAGE_S = 0.5  # pause before the telemetry server is tried again


class Runner:
    """Runs the twins of the shards it holds."""

    def __init__(
        self,
        client: Redis,
        pipeline: PipelineClient,
        leases: HeldLeases,
        machines: Callable[[], list[MachineSpec]],
        *,
        shards: int,
        delay_us: int,
        keep_s: float = 60.0,
        frame_us: int = FRAME_US,
        build: BuildTwin = build_twin,
    ) -> None:
        self._client = client  # for rare commands
        self._pipeline = pipeline
        self._leases = leases
        self._machines = machines
        self._shards = shards
        self._delay_us = delay_us
        self._keep_s = keep_s  # minimum age of stream entries that are trimmed
        self._frame_us = frame_us
        self._build = build
        self._writer = FencedWriter(pipeline)
        self._specs: list[MachineSpec] = []
        self._hosts: dict[UUID, TwinHost] = {}
        self._known_changes = -1  # value of leases.changes at the last _drop_lost
        self._behind = False  # a stream held more than one round's entries
        self._share_at = self._machines_at = self._trim_at = 0.0
        self._ticks_us = 0

    def run(self, leave: Callable[[], bool]) -> None:
        """Run until `leave` returns True; then save every twin and release the shards."""
        with self._leases.renewing():
            self._work(leave)
            try:
                self._commit(list(self._hosts.values()), save=True)
                log.info("saved %d twins and left", len(self._hosts))
            except RedisError as error:
                log.warning(
                    "left without saving; other runners continue from the last checkpoints: %s", error
                )
        with suppress(RedisError):  # then the leases lapse
            self._leases.release_all()

    def _work(self, leave: Callable[[], bool]) -> None:
        reachable = True
        while not leave():
            began = time.monotonic()
            try:
                self.round()
                if not reachable:
                    log.info("telemetry server is back")
                reachable = True
            except RedisError as error:
                if reachable:
                    log.warning("telemetry server is not responding, trying again: %s", error)
                reachable = False
                self._leases.report_progress()
                time.sleep(OUTAGE_S)
            if not self._behind:
                time.sleep(max(0.0, began + ROUND_S - time.monotonic()))

    def round(self) -> None:
        """Run one round: acquire shards, update the list of machines, feed entries, write frames."""
        self._leases.report_progress()
        now = time.monotonic()
        if now - self._share_at >= SHARE_S:
            self._share_at = now
            if self._balance():
                self._machines_at = 0.0
        self._drop_lost()
        if now - self._machines_at >= MACHINES_S:
            self._machines_at = now
            self._refresh()
        self._advance()
        self._commit(list(self._hosts.values()))
        if now - self._trim_at >= TRIM_S:
            self._trim_at = now
            self._trim()

    # shards

    def _balance(self) -> bool:
        """Acquire or release shards; return True if this runner has new ones."""
        for lease in self._leases.surplus():
            self._commit([host for host in self._hosts.values() if host.lease == lease], save=True)
            self._leases.release(lease)
        return self._leases.acquire_share()

    def _drop_lost(self) -> None:
        changes = self._leases.changes
        if changes == self._known_changes:
            return
        self._known_changes = changes
        held = {lease.shard: lease for lease in self._leases.all()}
        for machine, host in list(self._hosts.items()):
            if held.get(host.lease.shard) != host.lease:
                del self._hosts[machine]

    # machines

    def _refresh(self) -> None:
        """Host every machine of the held shards, and no other."""
        try:
            self._specs = self._machines()
        except DatabaseError as error:
            log.warning(
                "database is not responding, continuing with the %d known machines: %s",
                len(self._specs),
                error,
            )
        held = {lease.shard: lease for lease in self._leases.all()}
        wanted = {spec.id: spec for spec in self._specs if shard_of(spec.id, self._shards) in held}
        for machine, host in list(self._hosts.items()):
            if wanted.get(machine) != host.spec:
                del self._hosts[machine]
        new = [spec for machine, spec in wanted.items() if machine not in self._hosts]
        if new:
            self._adopt(new, held)

    def _adopt(self, specs: list[MachineSpec], held: dict[int, Lease]) -> None:
        pipe = self._client.pipeline(transaction=False)
        for spec in specs:
            pipe.mget(keys.checkpoint(spec.id), keys.frame(spec.id))
            pipe.xrevrange(keys.stream(spec.id), count=1)
        answers = pipe.execute()
        for spec, (saved, last_frame), newest in zip(specs, answers[::2], answers[1::2], strict=True):
            lease = held[shard_of(spec.id, self._shards)]
            host = TwinHost(spec, lease, self._build, self._delay_us, self._frame_us)
            host.restore(saved, last_frame, newest[0][0].decode() if newest else None)
            self._hosts[spec.id] = host
            self._leases.report_progress()

    # time

    def _advance(self) -> None:
        """Feed each twin the new entries of its stream; append a tick where a machine is silent."""
        hosts = {host.stream: host for host in self._hosts.values() if host.session is not None}
        self._behind = False
        if not hosts:
            return
        positions = [(stream, host.last_id) for stream, host in hosts.items()]
        found = read_streams(self._pipeline, positions, ENTRIES_PER_ROUND)
        for stream, batch in found.items():
            finished = hosts[stream].feed(batch)
            self._leases.report_progress()
            if not finished or len(batch) == ENTRIES_PER_ROUND:
                self._behind = True
                del hosts[stream]
        now_us = time.time_ns() // 1000
        if not 0 <= now_us - self._ticks_us < TICKS_US:
            self._ticks_us = now_us
            self._tick(hosts.values(), now_us)

    def _tick(self, caught_up: Iterable[TwinHost], now_us: int) -> None:
        """Append ticks to the streams of silent machines."""
        for host in caught_up:
            if (entry := host.tick(now_us)) is not None:
                self._writer.tick(host.lease, host.machine, host.last_id, entry)
        self._writer.send()

    def _commit(self, hosts: list[TwinHost], *, save: bool = False) -> None:
        """Write frames and checkpoints; a refused write means that the lease of the shard has lapsed."""
        now_us = time.time_ns() // 1000
        made: list[tuple[TwinHost, Commit]] = []
        for host in hosts:
            commit = host.commit(now_us, save=save)
            if commit is not None:
                made.append((host, commit))
                self._writer.commit(host.lease, commit)
        if not made:
            return
        try:
            outcomes = self._writer.send()
        except RedisError:
            for host, _ in made:
                host.not_written()
            raise
        for (host, commit), outcome in zip(made, outcomes, strict=True):
            if outcome.made:
                host.written(commit, outcome.heard)
            elif self._leases.holds(host.lease):
                log.warning("lease of shard %d has lapsed; its twins are dropped", host.lease.shard)
                self._leases.drop(host.lease)
                self._share_at = 0.0  # the shard may still be free
        self._drop_lost()

    def _trim(self) -> None:
        needed = {k.machine: k.checkpoint_id if k.session else None for k in self._hosts.values()}
        trim(self._client, needed, self._keep_s)
