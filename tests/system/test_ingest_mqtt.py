"""Telemetry over MQTT: a real Mosquitto, the bridge as a process, a real Valkey and database."""

import gzip
import json
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import msgpack
import pytest
from redis import Redis

from tests.hostile import Hostile
from tests.hostile_http import counted_since
from tests.system.mosquitto import Device, Mosquitto, Program, find_mosquitto, started
from tests.waiting import PATIENCE_S, wait_for
from twin import keys
from twin.ingest import counters, entries

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(
        find_mosquitto() is None,
        reason="no Mosquitto here: install the package 'mosquitto' (tools/bootstrap.py does so as root)",
    ),
]


@dataclass
class Mqtt:
    """The broker with the accounts of the database, and the bridge."""

    broker: Mosquitto
    accounts: Program
    bridge: Program
    web: Any

    def device(self, user: str | None = None, token: str | None = None) -> Device:
        token = token or self.web.token
        user = f"{self.web.machine}.{token.split('_')[1]}" if user is None else user
        return Device(self.broker.port, self.web.machine, user, token)


@pytest.fixture(scope="module")
def running(web_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mqtt]:
    directory = tmp_path_factory.mktemp("mqtt")
    broker = Mosquitto(directory)
    environment = web_server.environment | {"HYDRATWIN_MQTT_URL": broker.url}
    command = ["manage.py", "broker_accounts", str(directory), "--pid-file", str(broker.pid_file), "--watch"]
    accounts = Program("accounts", command, environment, directory)
    bridge = Program("bridge", ["-m", "workers.bridge"], environment, directory)
    with started(broker, accounts, bridge):
        bridge.wait_for_line("connected to the broker")
        yield Mqtt(broker, accounts, bridge, web_server)


@pytest.fixture
def mqtt(running: Mqtt, valkey: Any) -> Mqtt:
    """The same, before an empty stream."""
    return running


@pytest.fixture
def device(mqtt: Mqtt) -> Iterator[Device]:
    device = mqtt.device().ready()
    yield device
    device.close()


def sample(seq: int, **changes: Any) -> dict[str, Any]:
    return {"seq": seq, "t": time.time_ns() // 1000, "channels": {"hose.p": 1e7 + seq}} | changes


def body(*seqs: int, boot: str = "first") -> dict[str, Any]:
    return {"boot": boot, "samples": [sample(seq) for seq in seqs]}


def stored(client: Redis, machine: str) -> list[tuple[str, int]]:
    rows = client.xrange(keys.stream(machine))
    found = [entries.decode(fields[entries.FIELD]) for _, fields in rows]
    return [(entry.boot, each[0]) for entry in found for each in entry.samples]  # type: ignore[union-attr]


def test_what_the_ack_topic_names_is_in_the_stream(mqtt: Mqtt, device: Device, valkey: Any) -> None:
    device.send(body(0, 1, 2, 5))
    assert device.ack() == {"boot": "first", "accepted": [[0, 2], [5, 5]], "duplicate": 0, "rejected": []}
    with valkey.client() as client:
        assert stored(client, mqtt.web.machine) == [("first", seq) for seq in (0, 1, 2, 5)]
    # the same device over HTTP: what it has sent is not taken twice
    answer = httpx.post(
        f"{mqtt.web.url}/api/v1/telemetry",
        json=body(5, 6),
        headers={"Authorization": f"Bearer {mqtt.web.token}"},
        timeout=PATIENCE_S,
    ).json()
    assert (answer["accepted"], answer["duplicate"]) == (1, 1)


def test_every_form_of_body_is_understood(mqtt: Mqtt, device: Device, valkey: Any) -> None:
    content = body(0)
    plain = json.dumps(content).encode()
    answers = []
    for data in (msgpack.packb(content), gzip.compress(plain), plain):
        device.send(data)
        answers.append(device.ack())
    assert [answer["accepted"] for answer in answers] == [[[0, 0]]] * 3
    assert [answer["duplicate"] for answer in answers] == [0, 1, 1]


def told_by_bridge(client: Any) -> Counter[str]:
    """Counts of bridges alone: a web process may tell those of earlier tests at any time."""
    told: Counter[str] = Counter()
    for name, numbers in counters.by_process(client).items():
        if name.startswith("mqtt."):
            told.update(numbers)
    return told


def test_what_is_refused_is_answered_with_the_reason_and_counted(
    mqtt: Mqtt, device: Device, valkey: Any
) -> None:
    with valkey.client() as client:
        began_us = time.time_ns() // 1000
        wait_for(lambda: counted_since(client, "mqtt", began_us), "the counts so far")
        before = told_by_bridge(client)
        device.send({"boot": "b", "samples": [sample(0), sample(1, channels={"hose.p": "high"}), sample(-2)]})
        answer = device.ack()
        assert answer["accepted"] == [[0, 0]]
        assert [(each["seq"], each["field"]) for each in answer["rejected"]] == [
            (1, "channels.hose.p"),
            (None, "seq"),
        ]
        for data, status in ((b"{", 400), (b"[]", 400), (b"{}", 422), (b"x" * 262_144, 400)):
            device.send(data)
            refused = device.ack()
            assert (refused["boot"], refused["status"]) == (None, status)
            assert refused["detail"]
        assert stored(client, mqtt.web.machine) == [("b", 0)]

        def news() -> dict[str, int]:
            return {name: count - before.get(name, 0) for name, count in told_by_bridge(client).items()}

        wait_for(lambda: news().get("bodies.refused.400") == 3, "the counts")
        assert news().get("bodies.refused.422") == 1
        assert news()["samples.rejected.channels"] == news()["samples.rejected.seq"] == 1


def test_hostile_messages_change_nothing_and_every_one_is_counted(
    mqtt: Mqtt, device: Device, valkey: Any
) -> None:
    good = json.dumps(body(0, 1)).encode()
    device.send(good)
    device.ack()
    bodies = list(Hostile(2, mqtt.web.token, [good]).bodies(300, largest=262_144))
    with valkey.client() as client:
        sent_us = time.time_ns() // 1000
        wait_for(lambda: counted_since(client, "mqtt", sent_us), "the counts so far")
        before, stream = told_by_bridge(client), client.xrange(keys.stream(mqtt.web.machine))
        for each in bodies:
            device.send(each)

        def news() -> dict[str, int]:
            return {name: count - before.get(name, 0) for name, count in told_by_bridge(client).items()}

        def counted() -> bool:
            return sum(count for name, count in news().items() if name.startswith("bodies.")) == len(bodies)

        wait_for(counted, f"{len(bodies)} messages counted")
        assert news().get("samples.accepted", 0) == 0
        assert client.xrange(keys.stream(mqtt.web.machine)) == stream
    device.send(body(2))
    answers = iter(device.ack, None)
    assert next(each for each in answers if each.get("accepted") == [[2, 2]])


def test_a_device_reaches_its_own_topics_only(mqtt: Mqtt, device: Device, valkey: Any) -> None:
    assert mqtt.device(token="ht_aaaaaaaa_" + 43 * "x").is_refused()
    assert mqtt.device(user="").is_refused()
    assert mqtt.device(user="bridge").is_refused()
    other = "5d6b8f0e-0000-4000-8000-000000000000"
    device.send(body(0), to=f"hydratwin/{other}/telemetry")
    device.client.subscribe("hydratwin/#", qos=1)
    device.client.publish(f"hydratwin/{mqtt.web.machine}/ack", b"{}", qos=1)  # not even its own
    device.send(body(0))
    heard = [device.ack()]
    device.send(body(1))
    while heard[-1].get("accepted") != [[1, 1]]:
        heard.append(device.ack())
    own = [[[0, 0]], [[1, 1]]]  # each once or, by the second subscription, twice
    assert all(each.get("boot") == "first" and each["accepted"] in own for each in heard), heard
    with valkey.client() as client:
        assert client.keys("ht:stream:*") == [keys.stream(mqtt.web.machine).encode()]


def test_messages_wait_for_the_telemetry_server_and_outlive_a_killed_bridge(
    mqtt: Mqtt, device: Device, valkey: Any
) -> None:
    device.send(body(0))
    device.ack()
    valkey.stop()
    said = len(mqtt.bridge.log())
    for seq in range(1, 20):
        device.send(body(seq))
    mqtt.bridge.wait_for_line("keeping messages", after=said)
    assert device.acks.empty()
    mqtt.bridge.stop(signal.SIGKILL)
    for seq in range(20, 25):
        device.send(body(seq))
    valkey.start()
    mqtt.bridge.start()
    named: set[int] = set()
    while len(named) < 24:
        for first, last in device.ack()["accepted"]:
            named.update(range(first, last + 1))
    with valkey.client() as client:
        assert sorted(stored(client, mqtt.web.machine)) == [("first", seq) for seq in range(25)]


def test_a_killed_broker_comes_back_and_the_device_sends_again_what_was_not_acknowledged(
    mqtt: Mqtt, device: Device, valkey: Any
) -> None:
    device.send(body(0))
    device.ack()
    said = len(mqtt.bridge.log())
    mqtt.broker.stop(signal.SIGKILL)
    mqtt.broker.start()
    mqtt.bridge.wait_for_line("connected to the broker", after=said)
    device.ready()
    device.send(body(0, 1))
    answer = device.ack()
    assert (answer["accepted"], answer["duplicate"]) == ([[0, 1]], 1)


def test_tokens_change_over_without_a_pause_and_a_revoked_one_is_cut_off(
    mqtt: Mqtt, device: Device, valkey: Any
) -> None:
    second = mqtt.web.manage("issue_token", mqtt.web.device).strip()
    user = f"{mqtt.web.machine}.{second.split('_')[1]}"
    passwords = mqtt.broker.directory / "passwords"
    wait_for(lambda: user in passwords.read_text(), "an account for the new token")
    successor = wait_for(lambda: _let_in(mqtt, user, second), "the new token is let in")
    device.send(body(0))  # the first one works on
    assert device.ack()["accepted"] == successor.ack()["accepted"] == [[0, 0]]
    successor.send(body(1))
    assert successor.ack()["accepted"] == [[1, 1]]
    third = mqtt.web.manage("issue_token", mqtt.web.device).strip()  # now the first is one too many
    try:
        first_user = f"{mqtt.web.machine}.{mqtt.web.token.split('_')[1]}"
        wait_for(lambda: first_user not in passwords.read_text(), "the account of the old token is gone")
        assert wait_for(device.is_refused, "the connection with the old token is ended, its next refused")
        wait_for(lambda: _is_refused(mqtt, first_user, mqtt.web.token), "the old token is refused")
        successor.send(body(2))
        assert successor.ack()["accepted"] == [[2, 2]]
    finally:
        successor.close()
        mqtt.web.token = third


def _let_in(mqtt: Mqtt, user: str, token: str) -> Device | None:
    device = mqtt.device(user, token)
    if device.is_refused():
        device.close()
        return None
    device.refused.put(False)
    return device.ready()


def _is_refused(mqtt: Mqtt, user: str, token: str) -> bool:
    device = mqtt.device(user, token)
    refused = device.is_refused()
    device.close()
    return refused


def test_the_bridge_takes_nothing_from_a_broker_that_lets_anybody_in(web_server: Any, tmp_path: Any) -> None:
    broker = Mosquitto(tmp_path, allow_anonymous="true", use_username_as_clientid="false")
    bridge = Program(
        "bridge",
        ["-m", "workers.bridge"],
        web_server.environment | {"HYDRATWIN_MQTT_URL": broker.url},
        tmp_path,
    )
    with started(broker, bridge):
        assert bridge.process is not None
        assert bridge.process.wait(PATIENCE_S) == 2
    assert "accepts anonymous clients" in bridge.log()


def test_the_emulated_machine_keeps_its_samples_until_the_ack_topic_names_them(
    mqtt: Mqtt, valkey: Any, tmp_path: Any
) -> None:
    address = f"mqtt://127.0.0.1:{mqtt.broker.port}"
    command = ["-m", "workers.emulator", "--transport", "mqtt", "--url", address]
    environment = mqtt.web.environment | {"HYDRATWIN_DEVICE_TOKEN": mqtt.web.token}
    emulator = Program("emulator", [*command, "--machine", mqtt.web.machine], environment, tmp_path)
    with valkey.client() as client, started(emulator):
        wait_for(lambda: len(stored(client, mqtt.web.machine)) > 20, "samples over MQTT", 4 * PATIENCE_S)
        mqtt.bridge.stop(signal.SIGKILL)
        mqtt.bridge.start()
        before = len(stored(client, mqtt.web.machine))
        wait_for(lambda: len(stored(client, mqtt.web.machine)) > before + 20, "samples again", 2 * PATIENCE_S)
        assert emulator.stop() == 0
        found = stored(client, mqtt.web.machine)
    assert len({boot for boot, _ in found}) == 1
    assert [seq for _, seq in found] == list(range(len(found)))  # none lost, none twice, in order
