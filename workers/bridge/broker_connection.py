"""Connects the bridge to the MQTT broker: a persistent session with manual acknowledgement of messages."""

import logging
import queue
import socket
import threading
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from django.conf import settings
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from twin.fleet.broker import Broker
from twin.ingest.messages import Answer
from twin.ingest.topics import patterns
from twin.log_on_change import LogOnChange

log = logging.getLogger(__name__)

SESSION_S = 7 * 24 * 3600  # how long the broker keeps our session
KEEPALIVE_S = 20
RECONNECT_S = (1, 5)
PROBE_S = 5.0
GATHER_S = 0.004  # collects messages: a round trip per message would cost more processor time


class Message(NamedTuple):
    """A message as received."""

    connection: int  # number of the connection, see BrokerConnection.number
    mid: int
    qos: int
    topic: str
    data: bytes
    received_us: int


class BrokerConnection:
    """Puts messages into a queue; after a reconnection, the broker sends unacknowledged messages again."""

    def __init__(self, broker: Broker) -> None:
        self.number = 0  # counts the connections
        self._dropped = 0
        self._received: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._log = LogOnChange(log)
        self._broker = broker
        self._lock = threading.Lock()  # keeps `number` constant while messages are acknowledged
        self._client = _client(broker, broker.user)
        self._client.manual_ack_set(True)
        self._client.username_pw_set(broker.user, broker.password)
        self._client.reconnect_delay_set(*RECONNECT_S)
        self._client.on_connect = self._on_connect
        self._client.on_subscribe = self._on_subscribe
        self._client.on_connect_fail = lambda *_: self._log.report("the broker is not responding")
        self._client.on_disconnect = self._on_disconnect
        self._client.on_message = self._on_message

    def start(self) -> None:
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        properties.SessionExpiryInterval = SESSION_S
        properties.ReceiveMaximum = settings.MQTT_IN_FLIGHT
        self._client.connect_async(
            self._broker.host, self._broker.port, KEEPALIVE_S, clean_start=False, properties=properties
        )
        self._client.loop_start()

    def stop(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def take(self, most: int, seconds: float) -> list[Message]:
        """Return received messages; wait up to `seconds` for the first one."""
        found: list[Message] = []
        try:
            found.append(self._received.get(timeout=seconds))
            time.sleep(GATHER_S)
            while len(found) < most:
                found.append(self._received.get_nowait())
        except queue.Empty:
            pass
        return found

    def dropped(self) -> int:
        """Return how many messages were dropped since the last call because the queue was full."""
        count, self._dropped = self._dropped, 0
        return count

    def publish(self, answers: Iterable[Answer]) -> None:
        """Publish replies at most once; a device that misses a reply sends its samples again."""
        for answer in answers:
            self._client.publish(answer.topic, answer.body, qos=0)

    def acknowledge(self, messages: Iterable[Message]) -> None:
        """Acknowledge messages, except of earlier connections: the broker sends those again with new ids."""
        with self._lock:
            for message in messages:
                if message.qos and message.connection == self.number:
                    self._client.ack(message.mid, message.qos)

    def accepts_anonymous(self) -> bool | None:
        """Return whether the broker accepts a client without an account; None if there is no response."""
        answers: queue.SimpleQueue[bool] = queue.SimpleQueue()
        stranger = _client(self._broker, "")
        stranger.on_connect = lambda c, d, f, reason, p: answers.put(not reason.is_failure)
        try:
            stranger.connect(self._broker.host, self._broker.port)
            stranger.loop_start()
            return answers.get(timeout=PROBE_S)
        except (OSError, queue.Empty):
            return None
        finally:
            stranger.disconnect()
            stranger.loop_stop()

    def _on_connect(self, client: Client, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            self._log.report(f"the broker refuses the bridge: {reason}", level=logging.ERROR)
            return
        with self._lock:
            self.number += 1
        client.subscribe([(pattern, 1) for pattern in patterns("telemetry")])

    def _on_subscribe(self, client: Client, data: Any, mid: int, reasons: Any, properties: Any) -> None:
        """From now on the broker keeps messages for the bridge."""
        refused = next((reason for reason in reasons if reason.is_failure), None)
        if refused is None:
            self._log.report("connected to the broker", level=logging.INFO)
        else:
            self._log.report(f"the broker refuses the subscription: {refused}", level=logging.ERROR)

    def _on_disconnect(self, client: Client, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            self._log.report(f"connection to the broker lost: {reason}")

    def _on_message(self, client: Client, data: Any, message: MQTTMessage) -> None:
        try:
            self._enqueue(message)
        except Exception:  # it would end the client's thread; the broker sends the message again
            log.exception("a message was not accepted")

    def _enqueue(self, message: MQTTMessage) -> None:
        if message.qos == 0 and self._received.qsize() >= settings.MQTT_IN_FLIGHT:
            self._dropped += 1  # the broker does not limit QoS 0; without an answer the device sends again
            return
        now_us = time.time_ns() // 1000
        number, data = self.number, bytes(message.payload)
        self._received.put(Message(number, message.mid, message.qos, message.topic, data, now_us))


def _client(broker: Broker, name: str) -> Client:
    client = Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=MQTTProtocolVersion.MQTTv5)
    client.on_socket_open = _send_at_once
    if broker.tls:
        client.tls_set()
    return client


def _send_at_once(client: Client, data: Any, opened: Any) -> None:
    """Disable Nagle's algorithm: an acknowledgement must not wait for the next packet."""
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
