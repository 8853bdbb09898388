"""Syncs the telemetry server's append-only file to disk, so that the server does not have to stop for a sync.

With `appendfsync always` the server stops during every sync, and all twins stop with it. With `appendfsync
no` a reply means that the change is in the file, which survives a crash of the server but not of the host. If
data must also survive a crash of the host, a process uses this module to sync the file while the server
continues:

    reply of the server   the change is in the file, unless the write failed
    PING                  fails with MISCONF after a failed write, until the server has recovered
    sync                  everything in the file is on disk

A server that recovers from a failed write may leave a hole in its file, and it cannot start from such a file
(Valkey 9.1 cuts off the incomplete part and continues behind it). After a failure, therefore, nothing counts
as durable until the server has rewritten its file, which we request.

Only processes on the server's host can sync the file. If there are none, the server has to do it.
"""

import errno
import os
import time
from pathlib import Path

import redis
from django.conf import settings

from twin.valkey.address import pack
from twin.valkey.pipeline_client import PipelineClient, without_errors

PING = pack("PING")  # on the same connection: a restarted server knows nothing about earlier failures
REWRITE, REWRITE_S = pack("BGREWRITEAOF"), 2.0
SYNC_S = 0.015  # minimum interval between syncs: each costs half a millisecond of processor time
FOLDER = "appendonlydir"  # default of Valkey and Redis 7
PART = ".incr.aof"  # the growing end of the file; the server itself syncs the other parts


class AppendOnlyFile:
    """The server's append-only file.

    Only one thread may sync at a time. Without a directory, sync does nothing.
    """

    def __init__(self, directory: str) -> None:
        self._folder = Path(directory) / FOLDER if directory else None
        self._parts: dict[int, int] = {}  # inode -> descriptor; an open descriptor keeps the inode unique
        self._failed: set[int] = set()  # inodes of parts with a failed write or sync
        self._suspect = False
        self._rewrite_asked_at = -REWRITE_S

    @classmethod
    def from_settings(cls) -> "AppendOnlyFile":
        return cls(settings.TELEMETRY_DIR)

    @property
    def trusted(self) -> bool:
        """False from a failure until the server has rewritten the file."""
        return not (self._suspect or self._failed)

    def distrust(self) -> None:
        """Note that the server has reported a failed write."""
        self._suspect = self._folder is not None

    def should_rewrite(self) -> bool:
        """True at most every REWRITE_S while the file is not trusted: a rewrite also fails on a full disk."""
        if self.trusted or time.monotonic() - self._rewrite_asked_at < REWRITE_S:
            return False
        self._rewrite_asked_at = time.monotonic()
        return True

    def sync(self) -> None:
        """Sync everything that the server has written until now to disk. Raises OSError."""
        if self._folder is None:
            return
        self._update_parts(self._folder)
        if self._suspect:
            self._suspect = False
            self._failed.update(self._parts)
        if self._failed:
            raise OSError(
                errno.EIO,
                "a write to the append-only file failed; the server must rewrite the file first",
                str(self._folder),
            )
        for inode, descriptor in self._parts.items():
            try:
                os.fdatasync(descriptor)
            except OSError:
                # the kernel marks pages that it could not write as clean, so a second sync proves nothing
                self._failed.add(inode)
                raise

    def close(self) -> None:
        for descriptor in self._parts.values():
            os.close(descriptor)
        self._parts.clear()

    def _update_parts(self, folder: Path) -> None:
        """Update the parts: during a rewrite the server has two growing ones, then removes the older one."""
        with os.scandir(folder) as entries:
            current = {entry.inode(): entry.path for entry in entries if entry.name.endswith(PART)}
        for inode in self._parts.keys() - current.keys():
            os.close(self._parts.pop(inode))
            self._failed.discard(inode)
        for inode in current.keys() - self._parts.keys():
            self._parts[inode] = os.open(current[inode], os.O_RDONLY)
        if not self._parts:
            raise FileNotFoundError(
                errno.ENOENT,
                "the directory contains no append-only file of the telemetry server",
                str(folder),
            )


def check_written(pipeline: PipelineClient, aof: AppendOnlyFile) -> None:
    """Check that everything confirmed on this connection is in the server's file.

    Raises RedisError if it may not be.
    """
    try:
        without_errors(pipeline.execute_on_same_connection([PING]))
    except redis.ResponseError:
        aof.distrust()
        raise
    if aof.should_rewrite():
        pipeline.execute([REWRITE])  # an error means that a rewrite is already running
