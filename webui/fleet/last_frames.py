"""Reads the last known status of each machine from the last frames of the twins."""

import logging
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import redis
from django.conf import settings

from twin import keys
from twin.fleet.models import Machine
from twin.ingest.shared_token import SharedToken, shared_token_of
from twin.runtime import frames
from twin.runtime.frames import Frame
from twin.valkey.clients import connect
from webui.clock import now_us

log = logging.getLogger(__name__)


class Seen(NamedTuple):
    """A machine's last known state.

    `status`: synced, coasting, stale, failed, waiting (no sample yet) or unknown; `age_s`: age of the last
    sample.
    """

    status: str
    age_s: float | None
    frame: Frame | None


NEVER = Seen("waiting", None, None)
UNKNOWN = Seen("unknown", None, None)  # the telemetry server does not answer


class TelemetryAway(Exception):
    """The telemetry server is not responding."""


def last_seen(machines: Iterable[Machine]) -> list[Seen]:
    """Return one status per machine, in the same order, with one request to the telemetry server."""
    names = [keys.frame(machine.pk) for machine in machines]
    if not names:
        return []
    try:
        found: list[Any] = _client(settings.TELEMETRY_URL).mget(names)
    except (redis.RedisError, OSError) as error:
        log.warning("telemetry server: %s", error)
        raise TelemetryAway from error
    now = now_us()
    return [seen_in(data, now) for data in found]


def last_seen_if_known(machines: Sequence[Machine]) -> list[Seen | None]:
    """Return one status per machine, for pages that also work without it.

    Each is None if the telemetry server is not responding.
    """
    try:
        return [*last_seen(machines)]
    except TelemetryAway:
        return [None] * len(machines)


def shared_token_if_known(machine: Machine) -> SharedToken | None:
    """Return the two devices that send with one token for this machine.

    None if there are none, or if the telemetry server is not responding.
    """
    try:
        return shared_token_of(_client(settings.TELEMETRY_URL), machine.pk)
    except (redis.RedisError, OSError) as error:
        log.warning("telemetry server: %s", error)
        return None


def seen_in(data: bytes | None, now: int) -> Seen:
    """Return the status that a last frame gives at the time `now`, in µs."""
    if data is None:
        return NEVER
    try:
        frame = frames.decode(data)
    except ValueError as error:  # of another version, or foreign
        log.warning("a last frame cannot be read: %s", error)
        return NEVER
    return Seen(
        frames.status_at(frame, now),
        max(0.0, (now - frame.received) / 1e6) if frame.received else None,
        frame,
    )


@lru_cache(maxsize=4)
def _client(url: str) -> redis.Redis:
    return connect(url, retries=1)
