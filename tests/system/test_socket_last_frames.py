"""How a machine was last seen: from the frame in a real Valkey to the fleet page and the interface."""

from typing import Any

import msgspec
import numpy as np
import pytest
from django.test import Client

from twin import keys
from twin.runtime import frames
from webui.fleet import last_frames

pytestmark = [pytest.mark.system, pytest.mark.django_db]

NOW_US = 1_800_000_000_000_000
VALUES = np.arange(17.0)
SIGMAS = np.where(VALUES == 9, np.nan, 0.5)
READINGS = np.where(VALUES < 3, VALUES + 0.25, np.nan)


@pytest.fixture(autouse=True)
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame says nothing about now after five seconds: no page may take longer."""
    monkeypatch.setattr(last_frames, "now_us", lambda: NOW_US)


@pytest.fixture
def alice(story: Any, client: Client) -> Client:
    client.force_login(story.alice)
    return client


def keep_frame(valkey: Any, story: Any, **changes: Any) -> None:
    fields: dict[str, Any] = {
        "machine": str(story.machine.pk),
        "epoch": 2,
        "seq": 7,
        "t": NOW_US - 150_000,
        "ts": NOW_US,
        "t_sample": NOW_US - 170_000,
        "received": NOW_US - 2_000_000,
        "status": "coasting",
        "reason": "",
        "load": 0.02,
        "lag_us": 3000,
        "health": frames.Health(1.1, 0.8, 1.3),
        "findings": [
            frames.Finding(
                "silent",
                "hose.p",
                17,
                "Hose pressure sensor silent",
                "sensor.silent",
                {"sensor": "hose.p", "rate": 10.0},
            )
        ],
    }
    more = VALUES + 1, READINGS - VALUES, SIGMAS, np.where(VALUES < 9, frames.FUSED, 0).astype(np.uint8)
    arrays = msgspec.structs.asdict(frames.pack(VALUES, SIGMAS, READINGS, *more))
    with valkey.client() as client:
        client.set(keys.frame(story.machine.pk), frames.encode(frames.Frame(**(arrays | fields | changes))))


def row(alice: Client) -> dict[str, Any]:
    (found,) = alice.get("/machines/").context["rows"]
    return dict(found)


def test_a_machine_without_a_frame_is_waited_for(alice: Client, valkey: Any, story: Any) -> None:
    assert (row(alice)["status"], row(alice)["age_s"]) == ("waiting", None)
    state = alice.get(f"/api/v1/machines/{story.machine.pk}/state").json()
    assert (state["status"], state["t"]) == ("waiting", None)
    assert all(channel["value"] is None for channel in state["channels"])


def test_the_fleet_shows_status_and_age(alice: Client, valkey: Any, story: Any) -> None:
    keep_frame(valkey, story)
    assert (row(alice)["status"], row(alice)["age_s"]) == ("coasting", 2.0)
    (item,) = alice.get("/api/v1/machines").json()["items"]
    assert item["status"] == "coasting"


def test_a_frame_that_nobody_renews_is_stale_whatever_it_says(alice: Client, valkey: Any, story: Any) -> None:
    keep_frame(valkey, story, status="synced", ts=NOW_US - 5_000_001)
    assert row(alice)["status"] == "stale"
    keep_frame(valkey, story, status="failed", reason="diverged", code="model.linkage", ts=NOW_US - 5_000_001)
    assert row(alice)["status"] == "failed"
    assert "(model.linkage)" in row(alice)["text"]


def test_the_state_has_numbers_by_channel_and_null_where_there_is_none(
    alice: Client, valkey: Any, story: Any
) -> None:
    keep_frame(valkey, story)
    state = alice.get(f"/api/v1/machines/{story.machine.pk}/state").json()
    assert (state["epoch"], state["seq"], state["status"]) == (2, 7, "coasting")
    assert (state["code"], state["values"], state["failures"], state["retry_s"]) == ("", {}, 0, 0)
    first, last_but_one = state["channels"][1], state["channels"][9]
    assert first == {
        "name": "crank.rate",
        "unit": "rad/s",
        "role": "sensor",
        "value": 1.0,
        "sigma": 0.5,
        "measured": 1.25,
        "origin": "estimated",
        "uncorrected": 2.0,
        "innovation": 0.25,
        "innovation_sigma": 0.5,
    }
    assert last_but_one["origin"] == "simulated"
    assert state["health"] == {"nis": 1.1, "low": 0.8, "high": 1.3}
    assert state["findings"] == [
        {
            "kind": "silent",
            "channel": "hose.p",
            "since": 17,
            "text": "Hose pressure sensor silent",
            "code": "sensor.silent",
            "values": {"sensor": "hose.p", "rate": 10.0},
        }
    ]
    assert (last_but_one["value"], last_but_one["sigma"], last_but_one["measured"]) == (9.0, None, None)


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x80"])
def test_bytes_that_are_no_frame_are_no_state(alice: Client, valkey: Any, story: Any, data: bytes) -> None:
    with valkey.client() as client:
        client.set(keys.frame(story.machine.pk), data)
    assert row(alice)["status"] == "waiting"


def test_everything_is_ready_when_services_and_runners_are(client: Client, valkey: Any) -> None:
    assert client.get("/readyz").json()["checks"]["runners"] == "none alive"
    with valkey.client() as server:
        server.set(keys.runner("r1"), "1")
    response = client.get("/readyz")
    assert (response.status_code, response.json()["status"]) == (200, "ready")


def test_a_telemetry_server_whose_file_nobody_syncs_is_not_ready(
    client: Client, valkey: Any, settings: Any
) -> None:
    settings.TELEMETRY_DIR = ""
    assert "HYDRATWIN_TELEMETRY_DIR" in client.get("/readyz").json()["checks"]["telemetry"]
    with valkey.client() as server:
        server.config_set("appendfsync", "always")
        try:
            assert client.get("/readyz").json()["checks"]["telemetry"] == "ok"
        finally:
            server.config_set("appendfsync", "no")
