"""Delivers the outbox over MQTT, in order; resends samples until the ack topic confirms them.

The broker's own acknowledgement is not enough, because the broker may lose a message in a power cut.
"""

import json
import logging
import queue
import threading
import time
from typing import Any
from urllib.parse import urlsplit

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from twin.log_on_change import LogOnChange
from workers.emulator.outbox import Outbox, Sample

log = logging.getLogger(__name__)

BATCH = 5  # samples per message
GATHER_S = 0.03  # lets a message carry two or three samples instead of one
ACK_S = 5.0  # without an answer, samples are sent again after this time
BACKOFF_S = 1.0
HOPELESS = (400, 413, 422)  # repeating the same request cannot succeed


class MqttSender:
    """Empties the outbox with one message in flight at a time."""

    def __init__(self, url: str, machine: str, token: str, boot: str, outbox: Outbox) -> None:
        address = urlsplit(url)
        if address.scheme not in ("mqtt", "mqtts") or not address.hostname:
            raise ValueError("must be mqtt://host:port, or mqtts://host:port for TLS")
        tls = address.scheme == "mqtts"
        self._host, self._port = address.hostname, address.port or (8883 if tls else 1883)
        self._root = f"hydratwin/{machine}"
        self._boot = boot
        self._outbox = outbox
        self._answers: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._log = LogOnChange(log)
        self._client = Client(CallbackAPIVersion.VERSION2)
        if tls:
            self._client.tls_set()
        self._client.username_pw_set(f"{machine}.{token.split('_')[1]}", token)
        self._client.reconnect_delay_set(1, 5)
        self._client.on_connect = self._on_connect
        self._client.on_message = self._on_message

    def run(self, done: threading.Event) -> None:
        """Send until `done` is set."""
        self._client.connect_async(self._host, self._port)
        self._client.loop_start()
        while not done.is_set():
            if self._outbox.wait_filled(0.2):
                done.wait(self._send_once(done))
        self._client.disconnect()
        self._client.loop_stop()

    def _send_once(self, done: threading.Event) -> float:
        """Send one message with the oldest samples; return how long to wait before the next one."""
        batch = self._outbox.oldest(BATCH)
        while not self._answers.empty():  # late answers to abandoned messages
            self._answers.get()
        body = {"boot": self._boot, "samples": [sample.as_json() for sample in batch]}
        if not self._client.is_connected():
            return self._failed("no connection to the broker")
        self._client.publish(f"{self._root}/telemetry", json.dumps(body), qos=1)
        deadline = time.monotonic() + ACK_S
        while not done.is_set() and time.monotonic() < deadline:
            try:
                answer = self._answers.get(timeout=0.2)
            except queue.Empty:
                continue
            pause_s = self._settle(batch, answer)
            if pause_s is not None:
                return pause_s
        return self._failed("no acknowledgement")

    def _settle(self, batch: list[Sample], answer: dict[str, Any]) -> float | None:
        """Apply a reply to the batch; return the pause, or None if the reply belongs to another message."""
        if answer.get("boot") is None:
            return self._refused(batch, answer)
        if answer["boot"] != self._boot:
            return None
        durable = [s for s in batch if any(first <= s.seq <= last for first, last in answer["accepted"])]
        refused = {each["seq"]: each for each in answer["rejected"] if not each["retry"]}
        for seq, why in refused.items():
            log.warning("sample %s rejected: %s %s", seq, why["field"], why["reason"])
        settled = [s for s in batch if s in durable or s.seq in refused]
        self._outbox.settle(settled)
        if len(settled) < len(batch):
            return (
                self._failed("the server asks for them to be sent later")
                if settled or answer["rejected"]
                else None
            )
        self._report("delivering", logging.INFO)
        return 0.0 if len(self._outbox) >= BATCH else GATHER_S

    def _refused(self, batch: list[Sample], answer: dict[str, Any]) -> float:
        if answer.get("status") in HOPELESS:
            log.error("refused, %d samples dropped: %s", len(batch), answer.get("detail"))
            self._outbox.settle(batch)
            return GATHER_S
        self._failed(str(answer.get("detail")))
        return float(answer.get("retry_after", BACKOFF_S))

    def _failed(self, why: str) -> float:
        self._report(f"keeping samples: {why}", logging.WARNING)
        return BACKOFF_S

    def _report(self, text: str, level: int) -> None:
        self._log.report(text, level=level, detail=f" ({len(self._outbox)} waiting)")

    def _on_connect(self, client: Client, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            self._failed(f"the broker refuses the token ({reason})")
        else:
            client.subscribe(f"{self._root}/ack", qos=1)

    def _on_message(self, client: Client, data: Any, message: Any) -> None:
        try:
            answer = json.loads(message.payload)
        except ValueError:
            return
        if isinstance(answer, dict):
            self._answers.put(answer)
