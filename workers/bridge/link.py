"""The bridge's connection to the broker: a session that outlives it, messages acknowledged by hand."""

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

log = logging.getLogger(__name__)

SESSION_S = 7 * 24 * 3600  # for so long the broker keeps our place
KEEPALIVE_S = 20
RECONNECT_S = (1, 5)
PROBE_S = 5.0
GATHER_S = 0.004  # for others to come along: a round trip for each would cost more processor time


class Arrived(NamedTuple):
    """A message as it came."""

    connection: int  # of ours, counted
    mid: int
    qos: int
    topic: str
    data: bytes
    received_us: int


class Link:
    """Puts what arrives into a queue; whatever is not acknowledged comes again with the next connection."""

    def __init__(self, broker: Broker) -> None:
        self.connection = 0
        self._dropped = 0
        self._arrived: queue.SimpleQueue[Arrived] = queue.SimpleQueue()
        self._state = ""
        self._broker = broker
        self._lock = threading.Lock()  # of the connection's number: what it says must be true while we ack
        self._client = _client(broker, broker.user)
        self._client.manual_ack_set(True)
        self._client.username_pw_set(broker.user, broker.password)
        self._client.reconnect_delay_set(*RECONNECT_S)
        self._client.on_connect = self._on_connect
        self._client.on_subscribe = self._on_subscribe
        self._client.on_connect_fail = lambda *_: self._say("the broker does not answer", logging.WARNING)
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

    def take(self, most: int, seconds: float) -> list[Arrived]:
        """What has arrived; waits for the first."""
        found: list[Arrived] = []
        try:
            found.append(self._arrived.get(timeout=seconds))
            time.sleep(GATHER_S)
            while len(found) < most:
                found.append(self._arrived.get_nowait())
        except queue.Empty:
            pass
        return found

    def dropped(self) -> int:
        """Messages that were not taken for want of room, since the last call."""
        count, self._dropped = self._dropped, 0
        return count

    def publish(self, answers: Iterable[Answer]) -> None:
        """At most once: a device that does not hear it sends its samples again, and hears it then."""
        for answer in answers:
            self._client.publish(answer.topic, answer.body, qos=0)

    def acknowledge(self, messages: Iterable[Arrived]) -> None:
        """Those of an earlier connection come again: their numbers may mean other messages by now."""
        with self._lock:
            for message in messages:
                if message.qos and message.connection == self.connection:
                    self._client.ack(message.mid, message.qos)

    def lets_anybody_in(self) -> bool | None:
        """Does the broker accept a connection without an account? None if it does not say."""
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
            self._say(f"the broker refuses the bridge: {reason}", logging.ERROR)
            return
        with self._lock:
            self.connection += 1
        client.subscribe([(pattern, 1) for pattern in patterns("telemetry")])

    def _on_subscribe(self, client: Client, data: Any, mid: int, reasons: Any, properties: Any) -> None:
        """Only now is a message that somebody sends kept for us."""
        refused = next((reason for reason in reasons if reason.is_failure), None)
        if refused is None:
            self._say("connected to the broker", logging.INFO)
        else:
            self._say(f"the broker refuses the bridge its topics: {refused}", logging.ERROR)

    def _on_disconnect(self, client: Client, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            self._say(f"connection to the broker lost: {reason}", logging.WARNING)

    def _on_message(self, client: Client, data: Any, message: MQTTMessage) -> None:
        try:
            self._note(message)
        except Exception:  # it would end the thread that listens; unacknowledged, the message comes again
            log.exception("a message was not taken")

    def _note(self, message: MQTTMessage) -> None:
        if message.qos == 0 and self._arrived.qsize() >= settings.MQTT_IN_FLIGHT:
            self._dropped += 1  # nothing bounds these but us; the device has no answer and sends again
            return
        place = (self.connection, message.mid, message.qos)
        now_us = time.time_ns() // 1000
        self._arrived.put(Arrived(*place, message.topic, bytes(message.payload), now_us))

    def _say(self, text: str, level: int) -> None:
        if text != self._state:
            self._state = text
            log.log(level, text)


def _client(broker: Broker, name: str) -> Client:
    client = Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=MQTTProtocolVersion.MQTTv5)
    client.on_socket_open = _send_at_once
    if broker.tls:
        client.tls_set()
    return client


def _send_at_once(client: Client, data: Any, opened: Any) -> None:
    """An acknowledgement is small and must not wait for the next packet."""
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
