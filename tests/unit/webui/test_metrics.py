"""What Prometheus is told."""

import time
from typing import Any

import msgspec
import numpy as np
import pytest
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from twin import keys
from twin.ingest.append import Appender, Source
from twin.runtime import frames

pytestmark = pytest.mark.database


def told(client: Client) -> dict[Any, float]:
    response = client.get("/metrics")
    assert response.status_code == 200
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(response.content.decode())
        for sample in family.samples
    }


def put_frame(client: Any, machine: Any, **changes: Any) -> None:
    arrays = frames.pack(np.zeros(1), np.zeros(1), np.zeros(1))
    fields: dict[str, Any] = {
        "machine": str(machine), "epoch": 1, "seq": 1, "t": 1, "ts": 1, "t_sample": 1, "received": 1,
        "status": "synced", "reason": "", "load": 0.02, "lag_us": 30_000, "chunks": 10, "overruns": 1,
        **msgspec.structs.asdict(arrays),
    }  # fmt: skip
    client.set(keys.frame(machine), frames.encode(frames.Frame(**(fields | changes))))


def test_without_the_telemetry_server_it_says_so(client: Client, db: None) -> None:
    found = told(client)
    assert found == {("hydratwin_up", "database"): 1, ("hydratwin_up", "telemetry"): 0}


def test_twins_and_streams_are_summed_up(client: Client, story: Any, valkey: Any) -> None:
    ours, theirs = story.machine.pk, story.strange_machine.pk
    with valkey.client() as server:
        put_frame(server, ours)
        put_frame(server, theirs, load=0.03, lag_us=90_000, overruns=3)
        for seq in range(4):
            sample = (seq, time.time_ns() // 1000, {"hose.p": 1.0})
            Appender(valkey.pipeline, valkey.aof).append(Source(ours, story.device.pk, "boot"), [sample], 1)
        newest = server.xrevrange(keys.stream(ours), count=1)[0][0].decode()
        server.set(keys.history_position(ours), f"{int(newest.split('-')[0]) - 2500}-0")
    found = told(client)
    assert found["hydratwin_twins", "synced"] == 2
    assert (found["hydratwin_chunks_total",], found["hydratwin_overruns_total",]) == (20, 4)
    assert found["hydratwin_load",] == pytest.approx(0.05)
    assert found["hydratwin_lag_seconds", "1"] == pytest.approx(0.09)
    assert found["hydratwin_stream_entries",] == 4
    assert found["hydratwin_history_behind_seconds",] == pytest.approx(2.5)
    assert found["hydratwin_runners",] == 0


def test_nobodys_machine_is_named(client: Client, story: Any, valkey: Any) -> None:
    with valkey.client() as server:
        put_frame(server, story.machine.pk)
    text = client.get("/metrics").content.decode()
    assert str(story.machine.pk) not in text
    assert "Northern" not in text
