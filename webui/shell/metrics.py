"""GET /metrics for Prometheus: only totals, without the names of machines or organisations."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import redis
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from twin import keys
from twin.fleet.models import Machine
from twin.ingest import counters
from twin.runtime import frames
from twin.runtime.frames import Frame
from twin.runtime.sharding import live_runners
from twin.valkey.clients import connect

QUANTILES = (0.5, 0.99, 1.0)


@login_not_required
@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    registry = CollectorRegistry()
    registry.register(_Platform())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class _Platform:
    """Collects the metrics of one response.

    A service that fails is 0 in `up`, and its metrics are left out.
    """

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("hydratwin_up", "Whether a service responds", labels=["service"])
        try:
            machines = list(Machine.objects.for_runtime().values_list("pk", flat=True))
            up.add_metric(["database"], 1)
        except DatabaseError:
            machines = []
            up.add_metric(["database"], 0)
        found: list[Metric] = []
        try:
            with connect(settings.TELEMETRY_URL) as client:
                found = [*_ingest(client), *_twins(client, machines), *_streams(client, machines)]
            up.add_metric(["telemetry"], 1)
        except (redis.RedisError, OSError):
            up.add_metric(["telemetry"], 0)
        yield up
        yield from found


def _ingest(client: redis.Redis) -> Iterator[Metric]:
    """Yield the counters of ingest; those of a process that has ended expire after a day."""
    taken = CounterMetricFamily("hydratwin_ingest", "Bodies and samples by outcome", labels=["what"])
    for name, value in sorted(counters.total(client).items()):
        taken.add_metric([name], value)
    yield taken
    yield GaugeMetricFamily("hydratwin_runners", "Runners that are alive", len(live_runners(client)))


def _twins(client: redis.Redis, machines: list[Any]) -> Iterator[Metric]:
    shown = _frames(client, machines)
    twins = GaugeMetricFamily("hydratwin_twins", "Twins by the status of their last frame", labels=["status"])
    for status in ("synced", "coasting", "stale", "failed"):
        twins.add_metric([status], sum(frame.status == status for frame in shown))
    yield twins
    chunks = sum(frame.chunks for frame in shown)
    yield CounterMetricFamily("hydratwin_chunks", "Telemetry entries that advanced a twin", chunks)
    late = sum(frame.overruns for frame in shown)
    yield CounterMetricFamily("hydratwin_overruns", "Telemetry entries that took longer than 50 ms", late)
    following = [frame for frame in shown if frame.status == "synced"]
    load = sum(frame.load for frame in following)
    yield GaugeMetricFamily(
        "hydratwin_load", "Processor time per machine time, summed over all synced twins", load
    )
    lag = GaugeMetricFamily(
        "hydratwin_lag_seconds", "Time from the arrival of telemetry to its frame", labels=["quantile"]
    )
    for quantile in QUANTILES if following else ():
        seconds = float(np.quantile([frame.lag_us / 1e6 for frame in following], quantile))
        lag.add_metric([f"{quantile:g}"], seconds)
    yield lag


def _streams(client: redis.Redis, machines: list[Any]) -> Iterator[Metric]:
    pipe = client.pipeline(transaction=False)
    for machine in machines:
        pipe.xlen(keys.stream(machine))
        pipe.xrevrange(keys.stream(machine), count=1)
        pipe.get(keys.history_position(machine))
    answers = pipe.execute() if machines else []
    lengths, newest, stored = answers[::3], answers[1::3], answers[2::3]
    yield GaugeMetricFamily(
        "hydratwin_stream_entries", "Number of entries in the longest stream", max(lengths, default=0)
    )
    behind = [
        _ms(entries[0][0]) - _ms(place) for entries, place in zip(newest, stored, strict=True) if entries
    ]
    text = "Time by which stored history lags behind the newest telemetry, largest of all machines"
    yield GaugeMetricFamily("hydratwin_history_behind_seconds", text, max(behind, default=0) / 1000)


def _frames(client: redis.Redis, machines: list[Any]) -> list[Frame]:
    found: Any = client.mget([keys.frame(machine) for machine in machines]) if machines else []
    shown = []
    for data in found:
        try:
            shown += [frames.decode(data)] if data else []
        except ValueError:  # of another version
            continue
    return shown


def _ms(entry_id: bytes | None) -> int:
    return int(entry_id.split(b"-")[0]) if entry_id else 0
