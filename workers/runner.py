"""Builds a runner from the settings and runs it."""

import gc
import os
import secrets
import socket
from collections.abc import Callable

from django.conf import settings
from django.db import close_old_connections

from twin.runtime.held_leases import HeldLeases
from twin.runtime.runner import Runner
from twin.runtime.specs import MachineSpec, all_machines
from twin.valkey.clients import connect
from twin.valkey.pipeline_client import PipelineClient

REPLY_S = 1.0  # timeout of the telemetry server


def run(leave: Callable[[], bool]) -> None:
    """Run twins until `leave` returns True."""
    gc.freeze()  # modules and kernels live for ever: searching them for garbage would pause all twins
    runner_id = f"{socket.gethostname()}.{os.getpid()}.{secrets.token_hex(3)}"
    url = settings.TELEMETRY_URL
    # one retry replaces an idle connection that was cut; the runner itself handles longer outages
    with connect(url, retries=1, timeout_s=REPLY_S) as client:
        leases = HeldLeases(client, runner_id, shards=settings.SHARDS, lease_ms=settings.LEASE_MS)
        runner = Runner(
            client,
            PipelineClient(url, REPLY_S),
            leases,
            _machines,
            shards=settings.SHARDS,
            delay_us=settings.TELEMETRY_DELAY_US,
            keep_s=settings.STREAM_KEEP_S,
        )
        runner.run(leave)


def _machines() -> list[MachineSpec]:
    close_old_connections()  # the database may have been restarted since the last query
    return all_machines()
