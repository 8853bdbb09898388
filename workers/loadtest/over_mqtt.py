"""Sends a machine's telemetry over MQTT, and keeps samples until a reply on the ack topic confirms them."""

import asyncio
import contextlib
import time

import msgspec

from workers.loadtest.machine import AGAIN_S, NO_ANSWER_S, PER_BODY, Machine
from workers.loadtest.mqtt_client import MqttClient

LOOK_S = 0.05


class _Outcome(msgspec.Struct):
    """The part of the platform's reply that is used here."""

    accepted: list[tuple[int, int]] = []


_outcomes = msgspec.json.Decoder(_Outcome)


async def play(machine: Machine, port: int) -> None:
    while not machine.done:
        with contextlib.suppress(OSError, EOFError):
            await _session(machine, port)
        await asyncio.sleep(AGAIN_S)


async def _session(machine: Machine, port: int) -> None:
    """Send until all samples are acknowledged, the connection is lost, or the oldest sample waits too long.

    A lost reply is not repeated, and later replies mention only later samples. The sample therefore has to be
    sent again.
    """
    moved_at = time.monotonic()

    def heard(data: bytes) -> None:
        nonlocal moved_at
        for first, last in _outcomes.decode(data).accepted:
            if first <= machine.acked <= last:
                machine.acknowledged(last + 1)
                moved_at = time.monotonic()

    client, root = MqttClient(heard), f"hydratwin/{machine.credentials.machine}"
    async with asyncio.timeout(NO_ANSWER_S):
        await client.connect(port, machine.credentials.machine, machine.credentials.token, f"{root}/ack")
    listening = asyncio.create_task(client.listen())
    sent = machine.acked
    try:
        while not machine.done and not listening.done():
            if sent < machine.count:
                body = await machine.body(sent)
                client.publish(f"{root}/telemetry", body)
                sent = min(sent + PER_BODY, machine.count)
            else:
                await asyncio.sleep(LOOK_S)
            if time.monotonic() - moved_at > NO_ANSWER_S:
                return
    finally:
        listening.cancel()
        with contextlib.suppress(asyncio.CancelledError, OSError, EOFError):
            await listening
        client.close()
