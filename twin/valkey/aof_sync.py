"""The telemetry server's append-only file, synced from here, so that the server need not stop for it.

A server that syncs its file itself before it answers (`appendfsync always`) stands still as long as the disk
takes, and with it every twin. With `appendfsync no` it has written to the file when it answers, which
outlives the server but not the host; who needs it to outlive that, too, syncs the file here, beside the
server's work.

    answers of the server   what it did is in the file, unless the write failed, which
    PING                    then answers with an error (MISCONF) until the server has made up for it
    sync                    what is in the file is on disk

A server that makes up for a failed write may leave a hole in its file, and would not start from it any more
(Valkey 9.1: it cuts off the part that was written and goes on behind it). So nothing is called durable after
a failure until the server, asked to, has written its file anew.

Only processes on the host of the server can do so. For all others it has to sync by itself.
"""

import errno
import os
import time
from pathlib import Path

import redis
from django.conf import settings

from twin.valkey.address import pack
from twin.valkey.pipeline_client import Wire, good

ASK_WRITTEN = pack("PING")  # over the connection of the answers: a server started anew knows nothing of them
REWRITE, REWRITE_S = pack("BGREWRITEAOF"), 2.0
SYNC_S = 0.015  # from one sync to the next, at least: each takes half a millisecond of processor time
FOLDER = "appendonlydir"  # as Valkey and Redis 7 call it unless told otherwise
PART = ".incr.aof"  # the end of the file, which grows; the rest of it the server itself has synced


class ServerFile:
    """One thread at a time may sync. Without a directory it does nothing: the server syncs by itself."""

    def __init__(self, directory: str) -> None:
        self._folder = Path(directory) / FOLDER if directory else None
        self._parts: dict[int, int] = {}  # inode -> descriptor; while it is open, the inode is no other file
        self._failed: set[int] = set()  # inodes
        self._suspect = False
        self._asked_at = -REWRITE_S

    @classmethod
    def from_settings(cls) -> "ServerFile":
        return cls(settings.TELEMETRY_DIR)

    @property
    def trusted(self) -> bool:
        """False from a failure until the file has been written anew."""
        return not (self._suspect or self._failed)

    def distrust(self) -> None:
        """A write to it has failed."""
        self._suspect = self._folder is not None

    def asks_for_rewrite(self) -> bool:
        """Not more often than the server can take it: it may fail, too, while the disk is short of room."""
        if self.trusted or time.monotonic() - self._asked_at < REWRITE_S:
            return False
        self._asked_at = time.monotonic()
        return True

    def sync(self) -> None:
        """All that the server has written by now is on disk. Raises OSError."""
        if self._folder is None:
            return
        self._look(self._folder)
        if self._suspect:
            self._suspect = False
            self._failed.update(self._parts)
        if self._failed:
            raise OSError(errno.EIO, "a write to it failed, it has to be rewritten", str(self._folder))
        for inode, descriptor in self._parts.items():
            try:
                os.fdatasync(descriptor)
            except OSError:
                # the kernel counts what it could not write as written, so a second try proves nothing
                self._failed.add(inode)
                raise

    def close(self) -> None:
        for descriptor in self._parts.values():
            os.close(descriptor)
        self._parts.clear()

    def _look(self, folder: Path) -> None:
        """While the server rewrites its file it has two growing parts; then the older one is removed."""
        with os.scandir(folder) as entries:
            current = {entry.inode(): entry.path for entry in entries if entry.name.endswith(PART)}
        for inode in self._parts.keys() - current.keys():
            os.close(self._parts.pop(inode))
            self._failed.discard(inode)
        for inode in current.keys() - self._parts.keys():
            self._parts[inode] = os.open(current[inode], os.O_RDONLY)
        if not self._parts:
            raise FileNotFoundError(errno.ENOENT, "holds no append-only file of the server", str(folder))


def check_written(wire: Wire, file: ServerFile) -> None:
    """What the server has answered over this wire is in its file. Raises RedisError if it may not be."""
    try:
        good(wire.ask_same([ASK_WRITTEN]))
    except redis.ResponseError:
        file.distrust()
        raise
    if file.asks_for_rewrite():
        wire.ask([REWRITE])  # an error means that it is being rewritten already
