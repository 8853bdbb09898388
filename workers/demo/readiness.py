"""Whether the services answer."""

import logging
import time

import httpx
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from twin import keys
from twin.runtime import frames
from twin.runtime.runners import live_runners
from workers.demo.services import Layout


class Readiness:
    """Asks the services themselves; a process that runs is not a service that works."""

    def __init__(self, layout: Layout) -> None:
        self._began_us = time.time_ns() // 1000
        self._telemetry = Redis.from_url(layout.telemetry_url, retry=Retry(NoBackoff(), 1))
        self._broker = Redis.from_url(layout.broker_url, retry=Retry(NoBackoff(), 1))
        logging.getLogger("httpx").setLevel(logging.WARNING)  # no line for each question
        self._http = httpx.Client(base_url=layout.url, timeout=2.0, trust_env=False)

    def stores(self) -> bool:
        """Both Valkeys answer."""
        try:
            return bool(self._telemetry.ping() and self._broker.ping())
        except RedisError:
            return False

    def runners(self) -> bool:
        """There is somebody to run twins."""
        try:
            return bool(live_runners(self._telemetry))
        except RedisError:
            return False

    def web(self) -> bool:
        """The web process is up and finds everything it needs."""
        try:
            return self._http.get("/readyz").status_code == 200
        except httpx.HTTPError:
            return False

    def frame(self, machine: str) -> bool:
        """The machine's twin has shown something since we started."""
        try:
            data = self._telemetry.get(keys.frame(machine))
            return isinstance(data, bytes) and frames.decode(data).ts > self._began_us
        except (RedisError, ValueError):
            return False
