"""Connections to the telemetry server and the broker that give up soon, for whoever cannot wait."""

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

TIMEOUT = 2.0  # s


def connect(url: str, retries: int = 0) -> redis.Redis:
    """One retry is for connections that are kept: the server may have been restarted meanwhile."""
    return redis.Redis.from_url(
        url, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT, retry=Retry(NoBackoff(), retries)
    )
