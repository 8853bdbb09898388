"""Telemetry over real HTTP: uvicorn, a real Valkey, a real database."""

import gzip
import json
import time
from typing import Any

import httpx
import msgpack
import pytest

from tests.waiting import PATIENCE_S, wait_for
from twin import keys
from twin.ingest import entries
from twin.ingest.append import Appender, Source
from twin.ingest.shared_token import shared_token_of

pytestmark = pytest.mark.system


@pytest.fixture
def device(web_server: Any, valkey: Any) -> Any:
    """A device that is signed in, before an empty stream."""
    headers = {"Authorization": f"Bearer {web_server.token}"}
    with httpx.Client(base_url=web_server.url, headers=headers, timeout=PATIENCE_S) as client:
        yield client


def sample(seq: int, **changes: Any) -> dict[str, Any]:
    return {"seq": seq, "t": time.time_ns() // 1000, "channels": {"hose.p": 1e7 + seq}} | changes


def post(device: httpx.Client, *samples: Any, boot: str = "first") -> httpx.Response:
    return device.post("/api/v1/telemetry", json={"boot": boot, "samples": list(samples)})


def stream(valkey: Any, web_server: Any) -> list[Any]:
    with valkey.client() as client:
        rows = client.xrange(keys.stream(web_server.machine))
        return [entries.decode(fields[entries.FIELD]) for _, fields in rows]


def seqs(valkey: Any, web_server: Any) -> list[int]:
    return [each[0] for entry in stream(valkey, web_server) for each in entry.samples]


def test_what_is_acknowledged_is_in_the_stream(device: Any, valkey: Any, web_server: Any) -> None:
    before = time.time_ns() // 1000
    response = post(device, sample(0), sample(1))
    assert response.status_code == 202
    assert response.json() == {"accepted": 2, "duplicate": 0, "rejected": []}
    (entry,) = stream(valkey, web_server)
    assert (entry.device, entry.boot) == (web_server.device, "first")
    assert before <= entry.received <= time.time_ns() // 1000
    assert [(each[0], each[2]) for each in entry.samples] == [(0, {"hose.p": 1e7}), (1, {"hose.p": 1e7 + 1})]


def test_every_form_of_body_is_the_same_sample(device: Any, valkey: Any, web_server: Any) -> None:
    body = {"boot": "b", "samples": [sample(0)]}
    forms = [
        ("application/json", json.dumps(body).encode(), {}),
        ("application/msgpack", msgpack.packb(body), {}),
        (
            "application/json; charset=utf-8",
            gzip.compress(json.dumps(body).encode()),
            {"Content-Encoding": "gzip"},
        ),
    ]
    answers = [
        device.post("/api/v1/telemetry", content=content, headers={"Content-Type": name} | more).json()
        for name, content, more in forms
    ]
    assert [(answer["accepted"], answer["duplicate"]) for answer in answers] == [(1, 0), (0, 1), (0, 1)]
    assert seqs(valkey, web_server) == [0]


def test_a_bad_sample_is_refused_with_a_reason_and_its_neighbours_are_taken(
    device: Any, valkey: Any, web_server: Any
) -> None:
    future = time.time_ns() // 1000 + 3_600_000_000
    bad = [
        sample(1, t=future),
        sample(2, channels={"hose.p": "high"}),
        sample(3, channels={"warp.drive": 1.0}),
        sample(-4),
    ]
    answer = post(device, sample(0), *bad, sample(5)).json()
    assert (answer["accepted"], answer["duplicate"]) == (2, 0)
    found = [(each["index"], each["field"]) for each in answer["rejected"]]
    assert found == [(1, "t"), (2, "channels.hose.p"), (3, "channels.warp.drive"), (4, "seq")]
    assert all(each["reason"] for each in answer["rejected"])
    assert [each["retry"] for each in answer["rejected"]] == [
        True,
        False,
        False,
        False,
    ]  # time mends the first
    assert seqs(valkey, web_server) == [0, 5]


def test_a_nan_is_refused_in_json_and_in_msgpack(device: Any, valkey: Any, web_server: Any) -> None:
    good, bad = sample(0), sample(1, channels={"hose.p": float("nan")})
    body = {"boot": "b", "samples": [good, bad]}
    for name, content in (
        ("application/json", json.dumps(body).encode()),
        ("application/msgpack", msgpack.packb(body)),
    ):
        answer = device.post("/api/v1/telemetry", content=content, headers={"Content-Type": name}).json()
        (rejection,) = answer["rejected"]
        assert (rejection["index"], rejection["field"]) == (1, "channels.hose.p")
        assert "nan" in rejection["reason"]
    assert seqs(valkey, web_server) == [0]


def test_a_wrong_token_or_body_leaves_no_trace(device: Any, valkey: Any, web_server: Any) -> None:
    wrong = {"Authorization": "Bearer " + web_server.token[:-3] + "xyz"}
    body = {"boot": "b", "samples": [sample(0)]}
    refused = device.post("/api/v1/telemetry", json=body, headers=wrong)
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Bearer")
    for content, status in ((b"{", 400), (b"[]", 422), (b" " * 2_000_000, 413)):
        named = {"Content-Type": "application/json"}
        assert device.post("/api/v1/telemetry", content=content, headers=named).status_code == status
    assert device.get("/api/v1/telemetry").status_code == 405
    with valkey.client() as client:
        assert client.keys("ht:s*") == []
    assert post(device, sample(0)).status_code == 202


def test_a_device_that_restarts_and_one_that_resends_ten_minutes_lose_and_repeat_nothing(
    device: Any, valkey: Any, web_server: Any
) -> None:
    now, count = time.time_ns() // 1000, 6_000  # ten minutes at 10 Hz
    bodies = [
        [sample(seq, t=now - 100_000 * (count - seq)) for seq in range(first, first + 1000)]
        for first in range(0, count, 1000)
    ]
    for body in bodies[:-1]:
        assert post(device, *body).json()["accepted"] == 1000
    answers = [post(device, *body).json() for body in bodies]  # all of it again, and the last part for once
    assert [(each["accepted"], each["duplicate"]) for each in answers] == [(0, 1000)] * 5 + [(1000, 0)]
    assert post(device, sample(0), sample(1), boot="second").json()["accepted"] == 2  # counts from zero again
    assert seqs(valkey, web_server) == [*range(count), 0, 1]


def test_two_devices_with_one_token_lose_nothing_and_are_named_in_the_log(
    device: Any, valkey: Any, web_server: Any
) -> None:
    now = time.time_ns() // 1000
    for seq in range(4):
        for boot in ("left", "right"):
            t = now - 10_000_000 + 1_000_000 * seq + (boot == "right")
            assert post(device, sample(seq, t=t), boot=boot).json()["accepted"] == 1
    assert sorted(seqs(valkey, web_server)) == sorted([*range(4)] * 2)
    named = f"machine {web_server.machine}: two devices use the token of device {web_server.device}"
    wait_for(lambda: named in (web_server.data / "uvicorn.log").read_text(), "the line in the log")
    with valkey.client() as client:
        rivals = shared_token_of(client, web_server.machine)
    assert rivals is not None
    assert {rivals.earlier, rivals.later} == {"left", "right"}


def test_the_page_of_a_machine_names_two_devices_with_one_token(valkey: Any, story: Any, client: Any) -> None:
    client.force_login(story.alice)
    address = f"/machines/{story.machine.pk}/"
    assert "Two devices" not in client.get(address).content.decode()
    appender = Appender(valkey.pipeline, valkey.aof)
    for seq in range(3):
        for late, boot in enumerate(("left", "<right>")):
            source = Source(story.machine.pk, story.device.pk, boot)
            appender.append(source, [(seq, 1_000_000 * seq + late, {"hose.p": 1.0})], 0)
    page = client.get(address).content.decode()
    assert "Two devices use the same token" in page
    assert "report the boot names left and &lt;right&gt;" in page


def test_a_revoked_token_is_refused_at_once_and_its_successor_works(
    device: Any, valkey: Any, web_server: Any
) -> None:
    second = web_server.manage("issue_token", web_server.device).strip()
    named = {"Authorization": f"Bearer {second}"}
    assert post(device, sample(0)).status_code == 202
    assert device.post(
        "/api/v1/telemetry", json={"boot": "b", "samples": [sample(0)]}, headers=named
    ).is_success
    third = web_server.manage("issue_token", web_server.device).strip()  # now the first is one too many
    try:
        # sooner than the web process would ask the database again by itself
        wait_for(lambda: post(device, sample(1)).status_code == 401, "the old token is refused")
        assert device.post(
            "/api/v1/telemetry", json={"boot": "c", "samples": [sample(0)]}, headers=named
        ).is_success
    finally:
        web_server.token = third  # for the tests that follow


def test_while_the_telemetry_server_is_away_nothing_is_taken_and_nothing_is_lost(
    device: Any, valkey: Any, web_server: Any
) -> None:
    assert post(device, sample(0)).status_code == 202
    valkey.stop()
    refused = post(device, sample(1))
    assert refused.status_code == 503
    assert int(refused.headers["retry-after"]) > 0
    assert refused.headers["content-type"] == "application/problem+json"
    valkey.start()
    assert post(device, sample(1)).json()["accepted"] == 1
    assert seqs(valkey, web_server) == [0, 1]
    assert httpx.get(f"{web_server.url}/healthz", timeout=PATIENCE_S).status_code == 200
