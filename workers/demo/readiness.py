"""Checks whether the services of the demo are ready."""

import logging
import time

import httpx
from redis.exceptions import RedisError

from twin import keys
from twin.runtime import frames
from twin.runtime.sharding import live_runners
from twin.valkey.clients import connect
from workers.demo.services import Layout


class Readiness:
    """Asks the services themselves, because a running process may not be ready yet."""

    def __init__(self, layout: Layout) -> None:
        self._began_us = time.time_ns() // 1000
        self._telemetry = connect(layout.telemetry_url, retries=1)
        self._broker = connect(layout.broker_url, retries=1)
        logging.getLogger("httpx").setLevel(logging.WARNING)  # no line per request
        self._http = httpx.Client(base_url=layout.url, timeout=2.0, trust_env=False)

    def stores(self) -> bool:
        """Return whether both Valkey servers respond."""
        try:
            return bool(self._telemetry.ping() and self._broker.ping())
        except RedisError:
            return False

    def runners(self) -> bool:
        """Return whether at least one runner is live."""
        try:
            return bool(live_runners(self._telemetry))
        except RedisError:
            return False

    def web(self) -> bool:
        """Return whether the web process responds and finds everything it needs."""
        try:
            return self._http.get("/readyz").status_code == 200
        except httpx.HTTPError:
            return False

    def frame(self, machine: str) -> bool:
        """Return whether the machine's twin has published a frame since the start of the demo."""
        try:
            data = self._telemetry.get(keys.frame(machine))
            return isinstance(data, bytes) and frames.decode(data).ts > self._began_us
        except (RedisError, ValueError):
            return False
