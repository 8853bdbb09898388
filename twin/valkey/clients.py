"""Creates redis-py clients, sync and asyncio, with our timeouts and retries.

They are meant for rare commands. The live path uses the cheaper `pipeline_client` and `async_client`
(decision 023).
"""

import redis
import redis.asyncio
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import ConstantBackoff, NoBackoff
from redis.retry import Retry

TIMEOUT = 2.0  # s, to connect and for each reply
PAUSE_S = 0.2  # between the attempts of a patient client


def connect(url: str, *, retries: int = 0, timeout_s: float | None = None) -> redis.Redis:
    """Return a client that gives up soon.

    Use `retries=1` for a client that is kept: its idle connection may die.
    """
    seconds = TIMEOUT if timeout_s is None else timeout_s
    return redis.Redis.from_url(
        url, socket_timeout=seconds, socket_connect_timeout=seconds, retry=Retry(NoBackoff(), retries)
    )


def connect_async(url: str, *, timeout_s: float = TIMEOUT) -> redis.asyncio.Redis:
    """Return an asyncio client that gives up soon; it retries once, because it is kept."""
    return redis.asyncio.Redis.from_url(
        url, socket_timeout=timeout_s, socket_connect_timeout=TIMEOUT, retry=AsyncRetry(NoBackoff(), 1)
    )


def connect_patiently(url: str, seconds: float) -> redis.Redis:
    """Return a client that keeps trying for this long, for tests that stop the server."""
    return redis.Redis.from_url(url, retry=Retry(ConstantBackoff(PAUSE_S), round(seconds / PAUSE_S)))
