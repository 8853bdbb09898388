"""The emulated machine: what it reports, and that nothing of it gets lost."""

import json
import math
import subprocess
import sys
import threading

import httpx
import numpy as np
import pytest

from simcore import registry
from simcore.model import channel_table
from tests.waiting import PATIENCE_S
from workers.emulator import sender
from workers.emulator.controller import CYCLE_S, CYCLE_US, Controller
from workers.emulator.driver import Driver
from workers.emulator.outbox import Outbox, Sample
from workers.emulator.sensors import STUCK_AFTER, Sensors

CHANNELS = channel_table(registry.get("four-bar-b").build())


class Server:
    """Answers as told and notes what it acknowledged."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[list[int]] = []
        self.stored: list[int] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        assert request.headers["Authorization"] == "Bearer secret"
        seqs = [sample["seq"] for sample in body["samples"]]
        self.requests.append(seqs)
        answer = self.answers.pop(0) if self.answers else accepted()
        if isinstance(answer, Exception):
            raise answer
        if answer.status_code == 202:
            rejected = {item["index"] for item in answer.json()["rejected"]}
            self.stored += [seq for index, seq in enumerate(seqs) if index not in rejected]
        return answer


def accepted(*rejected: dict) -> httpx.Response:
    return httpx.Response(202, json={"accepted": 1, "duplicate": 0, "rejected": list(rejected)})


def outbox_with(count: int, capacity: int = 100) -> Outbox:
    outbox = Outbox(capacity)
    for seq in range(count):
        outbox.put(Sample(seq, seq * CYCLE_US, {"crank.angle": 1.0}))
    return outbox


def deliver(server: Server, outbox: Outbox, requests: int) -> list[float]:
    client = sender.make_client("http://platform", httpx.MockTransport(server))
    post = sender.Sender(client, "secret", "boot", outbox)
    return [post.send_once() for _ in range(requests)]


def test_samples_go_out_in_order_at_most_five_at_a_time():
    server, outbox = Server(), outbox_with(12)
    deliver(server, outbox, 3)
    assert server.requests == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11]]
    assert len(outbox) == 0


def test_samples_are_kept_while_the_server_is_away_and_all_delivered_later():
    away = [httpx.ConnectError("refused"), httpx.ReadTimeout("slow"), httpx.Response(502)]
    server, outbox = Server(*away), outbox_with(3)
    pauses = deliver(server, outbox, 3)
    assert len(outbox) == 3
    assert pauses == sorted(pauses)
    assert pauses[0] > 0
    for seq in range(3, 30):
        outbox.put(Sample(seq, seq * CYCLE_US, {}))
    deliver(server, outbox, 6)
    assert server.stored == list(range(30))


def test_an_answer_that_got_lost_means_sending_again():
    server, outbox = Server(httpx.ReadError("cut")), outbox_with(2)
    deliver(server, outbox, 2)
    assert server.requests == [[0, 1], [0, 1]]


def test_a_busy_server_is_given_the_time_it_asks_for():
    server, outbox = Server(httpx.Response(503, headers={"Retry-After": "7"})), outbox_with(1)
    assert deliver(server, outbox, 1) == [7.0]
    assert len(outbox) == 1


def test_a_refused_token_keeps_the_samples():
    server, outbox = Server(httpx.Response(401, json={"detail": "token was revoked"})), outbox_with(1)
    deliver(server, outbox, 1)
    assert len(outbox) == 1


def test_rejected_samples_are_dropped_unless_they_may_be_tried_again():
    future = {"index": 1, "field": "t", "reason": "in the future", "retry": True}
    nan = {"index": 0, "field": "channels", "reason": "not a number", "retry": False}
    server, outbox = Server(accepted(nan, future)), outbox_with(4)
    deliver(server, outbox, 2)
    assert server.requests == [[0, 1, 2, 3], [1, 2, 3]]


def test_a_sample_that_comes_too_early_is_not_sent_again_without_a_pause():
    future = {"index": 0, "field": "t", "reason": "in the future", "retry": True}
    server, outbox = Server(*(accepted(future) for _ in range(4))), outbox_with(20)
    pauses = deliver(server, outbox, 4)
    assert pauses == sorted(pauses)
    assert 0 < pauses[0] < pauses[-1]
    assert len(outbox) == 20


def test_a_body_that_can_never_be_taken_does_not_block_the_rest():
    server, outbox = Server(httpx.Response(422, json={"title": "bad"})), outbox_with(7)
    deliver(server, outbox, 2)
    assert server.stored == [5, 6]


def test_a_full_outbox_gives_up_the_oldest():
    outbox = outbox_with(12, capacity=10)
    assert [sample.seq for sample in outbox.oldest(3)] == [2, 3, 4]
    assert outbox.given_up == 2


def test_samples_given_up_while_under_way_do_not_confuse_the_outbox():
    outbox = outbox_with(10, capacity=10)
    batch = outbox.oldest(5)
    for seq in (10, 11):
        outbox.put(Sample(seq, 0, {}))
    outbox.settle(batch)
    assert [sample.seq for sample in outbox.oldest(2)] == [5, 6]


def test_the_sender_thread_empties_the_outbox():
    server, outbox, done = Server(), outbox_with(0), threading.Event()
    client = sender.make_client("http://platform", httpx.MockTransport(server))
    join = sender.start(sender.Sender(client, "secret", "boot", outbox), done)
    for seq in range(20):
        outbox.put(Sample(seq, 0, {}))
    assert outbox.wait_empty(PATIENCE_S)
    done.set()
    join()
    assert server.stored == list(range(20))


def test_sensors_add_the_noise_of_the_channel_table_and_nothing_to_commands():
    sensors = Sensors(CHANNELS, np.random.default_rng(1))
    truth = {channel.name: 1.0 for channel in CHANNELS}
    readings = [sensors.read(truth) for _ in range(4000)]
    assert set(readings[0]) == {"crank.angle", "crank.rate", "hose.p", "cylinder.p_B", "valve.command"}
    assert {reading["valve.command"] for reading in readings} == {1.0}
    angles = np.array([reading["crank.angle"] for reading in readings])
    assert angles.std() == pytest.approx(math.radians(0.25), rel=0.05)
    assert angles.mean() == pytest.approx(1.0, abs=4 * math.radians(0.25) / math.sqrt(4000))


class SlowCrank:
    """Turns in proportion to the command; a positive one lowers it."""

    def __init__(self) -> None:
        self.angle = math.radians(60)
        self.commands: list[float] = []

    def advance(self, seconds: float, command: float) -> None:
        self.commands.append(command)
        self.angle -= 0.03 * command * seconds

    def readings(self) -> dict[str, float]:
        return {channel.name: 0.0 for channel in CHANNELS} | {"crank.angle": self.angle}


def work(cycles: int) -> tuple[SlowCrank, list[Sample], list[float]]:
    rig, outbox = SlowCrank(), Outbox(cycles)
    human, electronic = np.random.default_rng(1).spawn(2)
    controller = Controller(rig, Driver(human), Sensors(CHANNELS, electronic), outbox)
    angles = []
    for cycle in range(cycles):
        controller.cycle(cycle * CYCLE_US)
        angles.append(math.degrees(rig.angle))
    return rig, outbox.oldest(cycles), angles


def test_each_sample_reports_the_command_that_is_held_from_its_time_on():
    rig, samples, _ = work(500)
    assert [sample.channels["valve.command"] for sample in samples] == rig.commands
    assert [sample.seq for sample in samples] == list(range(500))


def test_the_driver_swings_the_crank_up_and_down_with_pauses():
    rig, _, angles = work(round(60 / CYCLE_S))
    assert 41 < min(angles) < 49
    assert 66 < max(angles) < 74
    assert 0.1 < rig.commands.count(0.0) / len(rig.commands) < 0.6
    assert {1.0, -1.0} <= {math.copysign(1, command) for command in rig.commands if command}


def test_without_a_token_the_emulator_says_so_in_one_line():
    environment = {"PATH": "/usr/bin"}
    run = subprocess.run(
        [sys.executable, "-m", "workers.emulator"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert run.stderr.splitlines() == ["emulator: set HYDRATWIN_DEVICE_TOKEN to the device's token"]


def test_a_stuck_sensor_shows_the_same_from_some_reading_on_and_the_others_go_on():
    sensors = Sensors(CHANNELS, np.random.default_rng(1), stuck="hose.p")
    truth = {channel.name: 1.0 for channel in CHANNELS}
    shown = [sensors.read(truth) for _ in range(STUCK_AFTER + 20)]
    assert len({reading["hose.p"] for reading in shown[: STUCK_AFTER - 1]}) > STUCK_AFTER / 2
    assert len({reading["hose.p"] for reading in shown[STUCK_AFTER - 1 :]}) == 1
    assert len({reading["cylinder.p_B"] for reading in shown[STUCK_AFTER:]}) == 20
    soon = Sensors(CHANNELS, np.random.default_rng(1), stuck="hose.p", stuck_after=3)
    assert [soon.read(truth)["hose.p"] for _ in range(6)] == [
        reading["hose.p"] for reading in shown[:3] + [shown[2]] * 3
    ]
