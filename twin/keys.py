"""Defines every key and channel that Hydratwin uses in the telemetry server.

Streams, leases, checkpoints and frames are all in the telemetry server, because one script may use several of
them. The broker server (Celery, channel layer) stores none of them.

Some keys have outdated names (`ht:trail:`, `ht:rivals:`). They must not be renamed, because processes of two
versions use the same keys during a rolling upgrade.
"""

from uuid import UUID

PREFIX = "ht:"

CONTROL = f"{PREFIX}control"  # pub/sub channel: JSON events, e.g. a revoked device token
INGEST_COUNTERS = f"{PREFIX}counted:*"  # pattern: counters of the ingest processes
RUNNERS = f"{PREFIX}runner:*"  # pattern: heartbeats of the live runners


def stream(machine: UUID | str) -> str:
    """Telemetry and ticks of one machine, in the order in which its twin reads them (stream)."""
    return f"{PREFIX}stream:{machine}"


def seen_numbers(device: UUID | str, boot: str) -> str:
    """Sequence numbers already accepted from one boot of one device, as intervals (sorted set)."""
    return f"{PREFIX}seen:{device}:{boot}"


def boots(device: UUID | str) -> str:
    """The boots of a device, each with the machine time of its first samples (hash)."""
    return f"{PREFIX}starts:{device}"


def shared_token(machine: UUID | str) -> str:
    """Two boots of one device that send at the same time: two devices share one token (hash, expires)."""
    return f"{PREFIX}rivals:{machine}"


def ingest_counters(process: str) -> str:
    """What one ingest process has accepted and refused since it started (hash, expires)."""
    return f"{PREFIX}counted:{process}"


def history_position(machine: UUID | str) -> str:
    """Stream entry up to which history is stored; trimming reads it.

    It may lag behind, but never runs ahead.
    """
    return f"{PREFIX}history:{machine}"


def lease(shard: int) -> str:
    """The owner of a shard as "owner:token"; expires with the lease."""
    return f"{PREFIX}lease:{shard}"


def fence(shard: int) -> str:
    """Counter of the fencing tokens of a shard; never expires."""
    return f"{PREFIX}fence:{shard}"


def checkpoint(machine: UUID | str) -> str:
    """Checkpoint from which a machine's twin continues after a restart (bytes)."""
    return f"{PREFIX}checkpoint:{machine}"


def frame(machine: UUID | str) -> str:
    """Last frame of a machine's twin (bytes)."""
    return f"{PREFIX}frame:{machine}"


def recent_frames(machine: UUID | str) -> str:
    """Thinned frames of a twin's last minute, oldest first (list of bytes, bounded, expires)."""
    return f"{PREFIX}trail:{machine}"


def live(machine: UUID | str) -> str:
    """Pub/sub channel of the frames of a machine's twin (bytes)."""
    return f"{PREFIX}live:{machine}"


def runner(runner_id: str) -> str:
    """Heartbeat of one runner; expires after the runner has gone."""
    return f"{PREFIX}runner:{runner_id}"
