"""Keeps the leases of a runner. A thread renews the leases while the runner makes progress."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from redis import Redis
from redis.exceptions import RedisError

from twin.runtime import sharding
from twin.runtime.lease import Lease, Leases

log = logging.getLogger(__name__)


class HeldLeases:
    """The leases of one runner.

    The main loop acquires and releases shards, while a thread renews the leases; this works because kernels
    release the interpreter lock. The thread renews only while the main loop reports progress, so a runner
    that hangs loses its shards.
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
    def renewing(self) -> Iterator[None]:
        """Renew the leases during the block."""
        self._thread.start()
        try:
            yield
        finally:
            self._done.set()
            self._thread.join()

    def release_all(self) -> None:
        """Release every shard, so that other runners need not wait until the leases lapse."""
        for lease in self.all():
            self.release(lease)
        sharding.remove_heartbeat(self._client, self.runner_id)

    def report_progress(self) -> None:
        """Show that the main loop does not hang; the main loop calls this regularly."""
        self._progress_at = time.monotonic()

    @property
    def changes(self) -> int:
        """Number of leases acquired and lost; while it stays the same, `all()` returns the same leases."""
        return self._changes

    def all(self) -> list[Lease]:
        """Return the leases that are held, by shard."""
        with self._lock:
            return [self._held[shard] for shard in sorted(self._held)]

    def holds(self, lease: Lease) -> bool:
        """Return whether this lease is still held, as far as this runner knows."""
        with self._lock:
            return self._held.get(lease.shard) == lease

    def acquire_share(self) -> bool:
        """Acquire free shards up to the fair share; return True if any were acquired."""
        missing = self._share() - len(self.all())
        if missing <= 0:
            return False
        mine = {lease.shard for lease in self.all()}
        free = self._leases.free(shard for shard in range(self._shards) if shard not in mine)
        acquired = self._leases.acquire(free[:missing])
        with self._lock:
            self._held.update({lease.shard: lease for lease in acquired})
            self._changes += 1
        if acquired:
            log.info("acquired %d shards, now %d of %d", len(acquired), len(self.all()), self._shards)
        return bool(acquired)

    def surplus(self) -> list[Lease]:
        """Return the leases beyond the fair share, to be released once their twins are saved."""
        held = self.all()
        return held[self._share() :]

    def release(self, lease: Lease) -> None:
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
        sharding.send_heartbeat(self._client, self.runner_id)  # so that this runner is counted
        return sharding.fair_share(self._client, self._shards)

    def _keep_renewing(self) -> None:
        stuck = False
        while not self._done.wait(self._lease_s / 4):
            was_stuck, stuck = stuck, time.monotonic() - self._progress_at > self._lease_s * 0.75
            if stuck and not was_stuck:
                log.warning("the main loop makes no progress: leases are not renewed")
            if not stuck:
                with suppress(RedisError):  # the main loop uses the same server and reports the outage
                    self._renew()

    def _renew(self) -> None:
        sharding.send_heartbeat(self._client, self.runner_id)
        for lease in self._leases.renew(self.all()):
            if self.holds(lease):  # not released in the meantime
                log.warning("lost shard %d", lease.shard)
                self.drop(lease)
