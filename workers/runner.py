"""Puts a runner together from the settings."""

import gc
import os
import secrets
import socket
from collections.abc import Callable

from django.conf import settings
from django.db import close_old_connections
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from twin.runtime.held_leases import Holdings
from twin.runtime.runner import Runner
from twin.runtime.specs import MachineSpec, all_machines
from twin.valkey.pipeline_client import Wire

ANSWER_S = 1.0  # for the telemetry server


def run(leave: Callable[[], bool]) -> None:
    """Run twins until told to leave."""
    gc.freeze()  # modules and kernels stay for good: looking through them for garbage stops all twins
    runner_id = f"{socket.gethostname()}.{os.getpid()}.{secrets.token_hex(3)}"
    # one retry finds out that an idle connection was cut; a longer outage is the runner's own business
    url = settings.TELEMETRY_URL
    client = Redis.from_url(
        url, retry=Retry(NoBackoff(), 1), socket_timeout=ANSWER_S, socket_connect_timeout=ANSWER_S
    )
    with client:
        holdings = Holdings(client, runner_id, shards=settings.SHARDS, lease_ms=settings.LEASE_MS)
        runner = Runner(
            client,
            Wire(url, ANSWER_S),
            holdings,
            _machines,
            shards=settings.SHARDS,
            delay_us=settings.TELEMETRY_DELAY_US,
            keep_s=settings.STREAM_KEEP_S,
        )
        runner.run(leave)


def _machines() -> list[MachineSpec]:
    close_old_connections()  # a runner lives long; the database may have been restarted since it last asked
    return all_machines()
