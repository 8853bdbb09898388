"""Every name Hydratwin uses in the telemetry server.

Everything that decides about a twin lives in the telemetry server, because one script must see it together:
streams, leases, checkpoints, frames and trails. The broker server (Celery, channel layer) holds none of it.
"""

from uuid import UUID

PREFIX = "ht:"

CONTROL = f"{PREFIX}control"  # pub/sub: JSON events, e.g. a revoked device token
COUNTED = f"{PREFIX}counted:*"  # pattern: counts of the ingest processes
RUNNERS = f"{PREFIX}runner:*"  # pattern: heartbeats of the live runners


def stream(machine: UUID | str) -> str:
    """Telemetry and ticks of one machine, in the order in which its twin sees them (stream)."""
    return f"{PREFIX}stream:{machine}"


def seen(device: UUID | str, boot: str) -> str:
    """Sequence numbers already accepted from one start of one device: an interval list."""
    return f"{PREFIX}seen:{device}:{boot}"


def starts(device: UUID | str) -> str:
    """The boots a device has used, each with the machine time of its first samples (hash)."""
    return f"{PREFIX}starts:{device}"


def rivals(machine: UUID | str) -> str:
    """Two starts of one device that send at once, so two devices with one token (hash, expires)."""
    return f"{PREFIX}rivals:{machine}"


def counted(process: str) -> str:
    """What one ingest process has taken and refused since it started (hash, expires)."""
    return f"{PREFIX}counted:{process}"


def history(machine: UUID | str) -> str:
    """The entry of its stream up to which history is stored, for whoever trims: never ahead of the truth."""
    return f"{PREFIX}history:{machine}"


def lease(shard: int) -> str:
    """Who runs a shard: "owner:token", expires with the lease."""
    return f"{PREFIX}lease:{shard}"


def fence(shard: int) -> str:
    """Counter from which each new owner of a shard draws its token; never expires."""
    return f"{PREFIX}fence:{shard}"


def checkpoint(machine: UUID | str) -> str:
    """From what its twin continues after a restart (bytes)."""
    return f"{PREFIX}checkpoint:{machine}"


def frame(machine: UUID | str) -> str:
    """The last frame of its twin (bytes)."""
    return f"{PREFIX}frame:{machine}"


def trail(machine: UUID | str) -> str:
    """Frames of its last minute, thinned, oldest first (list of bytes, bounded, expires)."""
    return f"{PREFIX}trail:{machine}"


def live(machine: UUID | str) -> str:
    """Pub/sub channel on which its frames appear (bytes)."""
    return f"{PREFIX}live:{machine}"


def runner(runner_id: str) -> str:
    """Heartbeat of one runner; expires when the runner is gone."""
    return f"{PREFIX}runner:{runner_id}"
