"""The shards a runner holds, kept by a thread while the runner makes progress."""

import logging
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from redis import Redis
from redis.exceptions import RedisError

from twin.runtime import runners
from twin.runtime.lease import Lease, Leases

log = logging.getLogger(__name__)


class Holdings:
    """Leases of one runner.

    The main loop takes and gives back shards; a thread renews them, for kernels release the interpreter
    lock. It does so only while the main loop shows progress: a runner that hangs must lose its shards, not
    keep them.
    """

    def __init__(self, client: Redis, runner_id: str, *, shards: int, lease_ms: int) -> None:
        self.runner_id = runner_id
        self._client = client
        self._shards = shards
        self._leases = Leases(client, runner_id, lease_ms)
        self._lease_s = lease_ms / 1000
        self._held: dict[int, Lease] = {}
        self._changes = 0
        self._lock = threading.Lock()
        self._progress_at = time.monotonic()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._keep_renewing, name="renew leases", daemon=True)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Renew for as long as the block lasts."""
        self._thread.start()
        try:
            yield
        finally:
            self._done.set()
            self._thread.join()

    def leave(self) -> None:
        """Give everything back, so that nobody has to wait for it to lapse."""
        for lease in self.all():
            self.give_back(lease)
        runners.leave(self._client, self.runner_id)

    def progress(self) -> None:
        """The main loop is alive."""
        self._progress_at = time.monotonic()

    @property
    def changes(self) -> int:
        """Raised whenever a lease comes or goes: who has seen this number need not look at them again."""
        return self._changes

    def all(self) -> list[Lease]:
        """The leases held, by shard."""
        with self._lock:
            return [self._held[shard] for shard in sorted(self._held)]

    def holds(self, lease: Lease) -> bool:
        """Whether this very lease is still ours, as far as we know."""
        with self._lock:
            return self._held.get(lease.shard) == lease

    def take_share(self) -> bool:
        """Take free shards up to the fair share; True if there were any."""
        missing = self._share() - len(self.all())
        if missing <= 0:
            return False
        mine = {lease.shard for lease in self.all()}
        free = self._leases.free(shard for shard in range(self._shards) if shard not in mine)
        taken = self._leases.acquire(free[:missing])
        with self._lock:
            self._held.update({lease.shard: lease for lease in taken})
            self._changes += 1
        if taken:
            log.info("took %d shards, holds %d of %d", len(taken), len(self.all()), self._shards)
        return bool(taken)

    def surplus(self) -> list[Lease]:
        """Leases beyond the fair share, to be given back once their twins are saved."""
        held = self.all()
        return held[self._share() :]

    def give_back(self, lease: Lease) -> None:
        """Release one shard."""
        self.drop(lease)
        self._leases.release(lease)

    def drop(self, lease: Lease) -> None:
        """Forget a lease that was lost."""
        with self._lock:
            if self._held.get(lease.shard) == lease:
                del self._held[lease.shard]
                self._changes += 1

    def _share(self) -> int:
        runners.beat(self._client, self.runner_id)  # so that we count ourselves
        return math.ceil(self._shards / max(1, len(runners.live_runners(self._client))))

    def _keep_renewing(self) -> None:
        stuck = False
        while not self._done.wait(self._lease_s / 4):
            was_stuck, stuck = stuck, time.monotonic() - self._progress_at > self._lease_s * 0.75
            if stuck and not was_stuck:
                log.warning("no progress: leases are not renewed until there is some")
            if not stuck:
                with suppress(RedisError):  # the main loop meets the same server and reports it
                    self._renew()

    def _renew(self) -> None:
        runners.beat(self._client, self.runner_id)
        for lease in self._leases.renew(self.all()):
            if self.holds(lease):  # and was not given back meanwhile
                log.warning("lost shard %d", lease.shard)
                self.drop(lease)
