"""The runner: keeps the twins of its shards going, round after round."""

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
from twin.runtime.held_leases import Holdings
from twin.runtime.lease import Lease
from twin.runtime.shards import shard_of
from twin.runtime.specs import MachineSpec, build_twin
from twin.runtime.trimming import trim
from twin.runtime.twin_host import BuildTwin, Keeper
from twin.valkey.pipeline_client import Wire
from twin.valkey.streams import read_new

log = logging.getLogger(__name__)

# So long an entry waits at most until it is read; a chunk is late after three times that. Shorter rounds do
# the same work in more pieces: with 100 twins 10 ms cost two cores a tenth more than 15.
ROUND_S = 0.015
FRAME_US = 45_000  # at least, from frame to frame of a twin: every third round, twenty a second
SHARE_S = 0.5  # how often shards are taken or given back
MACHINES_S = 2.0  # how soon a new machine is seen
TICKS_US = 40_000  # how often machines are looked at that have sent nothing
TRIM_S = 10.0
ENTRIES_PER_ROUND = 20  # per twin: bounds the time until its neighbours have their turn
OUTAGE_S = 0.5  # pause before the telemetry server is tried again


class Runner:
    """Runs the twins of the shards it holds."""

    def __init__(
        self,
        client: Redis,
        wire: Wire,
        holdings: Holdings,
        machines: Callable[[], list[MachineSpec]],
        *,
        shards: int,
        delay_us: int,
        keep_s: float = 60.0,
        frame_us: int = FRAME_US,
        build: BuildTwin = build_twin,
    ) -> None:
        self._client = client  # for what is rare
        self._wire = wire
        self._holdings = holdings
        self._machines = machines
        self._shards = shards
        self._delay_us = delay_us
        self._keep_s = keep_s  # stream entries stay so long even when nobody needs them
        self._frame_us = frame_us
        self._build = build
        self._writer = FencedWriter(wire)
        self._specs: list[MachineSpec] = []
        self._keepers: dict[UUID, Keeper] = {}
        self._known_changes = -1  # of the holdings, up to which keepers without a lease have been dropped
        self._behind = False  # a stream held more than one round's entries
        self._share_at = self._machines_at = self._trim_at = 0.0
        self._ticks_us = 0

    def run(self, leave: Callable[[], bool]) -> None:
        """Work until told to leave; then save every twin and give the shards back."""
        with self._holdings.kept():
            self._work(leave)
            try:
                self._commit(list(self._keepers.values()), save=True)
                log.info("saved %d twins and left", len(self._keepers))
            except RedisError as error:
                log.warning("left without saving, others go on from the last checkpoints: %s", error)
        with suppress(RedisError):  # else the leases lapse
            self._holdings.leave()

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
                    log.warning("telemetry server does not answer, trying again: %s", error)
                reachable = False
                self._holdings.progress()
                time.sleep(OUTAGE_S)
            if not self._behind:
                time.sleep(max(0.0, began + ROUND_S - time.monotonic()))

    def round(self) -> None:
        """One round: shards, machines, entries, frames."""
        self._holdings.progress()
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
        self._commit(list(self._keepers.values()))
        if now - self._trim_at >= TRIM_S:
            self._trim_at = now
            self._trim()

    # shards

    def _balance(self) -> bool:
        """Take or give back shards; True if new ones came."""
        for lease in self._holdings.surplus():
            self._commit([keeper for keeper in self._keepers.values() if keeper.lease == lease], save=True)
            self._holdings.give_back(lease)
        return self._holdings.take_share()

    def _drop_lost(self) -> None:
        changes = self._holdings.changes
        if changes == self._known_changes:
            return
        self._known_changes = changes
        held = {lease.shard: lease for lease in self._holdings.all()}
        for machine, keeper in list(self._keepers.items()):
            if held.get(keeper.lease.shard) != keeper.lease:
                del self._keepers[machine]

    # machines

    def _refresh(self) -> None:
        """Care for every machine of our shards, and for no other."""
        try:
            self._specs = self._machines()
        except DatabaseError as error:
            log.warning(
                "database does not answer, going on with the %d known machines: %s", len(self._specs), error
            )
        held = {lease.shard: lease for lease in self._holdings.all()}
        wanted = {spec.id: spec for spec in self._specs if shard_of(spec.id, self._shards) in held}
        for machine, keeper in list(self._keepers.items()):
            if wanted.get(machine) != keeper.spec:
                del self._keepers[machine]
        new = [spec for machine, spec in wanted.items() if machine not in self._keepers]
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
            keeper = Keeper(spec, lease, self._build, self._delay_us, self._frame_us)
            keeper.restore(saved, last_frame, newest[0][0].decode() if newest else None)
            self._keepers[spec.id] = keeper
            self._holdings.progress()

    # time

    def _advance(self) -> None:
        """Feed each twin what its stream has for it; where a machine is silent, append a tick."""
        keepers = {keeper.stream: keeper for keeper in self._keepers.values() if keeper.session is not None}
        self._behind = False
        if not keepers:
            return
        places = [(stream, keeper.last_id) for stream, keeper in keepers.items()]
        found = read_new(self._wire, places, ENTRIES_PER_ROUND)
        for stream, batch in found.items():
            finished = keepers[stream].take(batch)
            self._holdings.progress()
            if not finished or len(batch) == ENTRIES_PER_ROUND:
                self._behind = True
                del keepers[stream]
        now_us = time.time_ns() // 1000
        if not 0 <= now_us - self._ticks_us < TICKS_US:
            self._ticks_us = now_us
            self._tick(keepers.values(), now_us)

    def _tick(self, caught_up: Iterable[Keeper], now_us: int) -> None:
        """Time passes for twins whose machines are silent."""
        for keeper in caught_up:
            if (entry := keeper.tick(now_us)) is not None:
                self._writer.tick(keeper.lease, keeper.machine, keeper.last_id, entry)
        self._writer.send()

    def _commit(self, keepers: list[Keeper], *, save: bool = False) -> None:
        """Write what the twins have to show; a refused write means that the shard is no longer ours."""
        now_us = time.time_ns() // 1000
        made: list[tuple[Keeper, Commit]] = []
        for keeper in keepers:
            commit = keeper.commit(now_us, save=save)
            if commit is not None:
                made.append((keeper, commit))
                self._writer.commit(keeper.lease, commit)
        if not made:
            return
        try:
            accepted = self._writer.send()
        except RedisError:
            for keeper, _ in made:
                keeper.not_written()
            raise
        for (keeper, commit), ok in zip(made, accepted, strict=True):
            if ok:
                keeper.written(commit)
            elif self._holdings.holds(keeper.lease):
                log.warning("lease of shard %d has lapsed, its twins are dropped", keeper.lease.shard)
                self._holdings.drop(keeper.lease)
                self._share_at = 0.0  # nobody may have taken it
        self._drop_lost()

    def _trim(self) -> None:
        needed = {k.machine: k.checkpoint_id if k.session else None for k in self._keepers.values()}
        trim(self._client, needed, self._keep_s)
