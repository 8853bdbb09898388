"""Moves MQTT messages into the streams, and acknowledges them once they are durable."""

import contextlib
import logging
import threading
import time

import redis
from django.conf import settings
from django.db import DatabaseError

from twin.control.listener import ControlListener
from twin.ingest.messages import MessageIntake, ValidatedMessage
from twin.ingest.topic_cache import TopicCache
from twin.log_on_change import LogOnChange
from twin.valkey.pipeline_client import PipelineClient
from workers.bridge.acknowledger import Acknowledger
from workers.bridge.broker_connection import BrokerConnection, Message

log = logging.getLogger(__name__)

WAIT_S = 0.2  # for a message, before the periodic work
PERIODIC_S = 1.0
RETRY_S = 0.5  # between two attempts to reach the telemetry server or the database


class OpenBroker(Exception):
    """The broker accepts anonymous clients, so a topic does not prove who wrote to it."""


class Bridge:
    """Keeps messages that are not in the streams yet; the broker keeps the rest until acknowledged."""

    def __init__(
        self,
        connection: BrokerConnection,
        acknowledger: Acknowledger,
        client: redis.Redis,
        pipeline: PipelineClient,
        control: ControlListener,
    ) -> None:
        self._connection = connection
        self._acknowledger = acknowledger
        self._client = client
        self._control = control
        self._topics = TopicCache()
        self._intake = MessageIntake(pipeline, acknowledger.aof, self._topics)
        self._log = LogOnChange(log, recovered="taking messages again")
        self._periodic_at = 0.0
        self._checked = -1  # number of the connection at which anonymous clients were refused

    def run(self, done: threading.Event) -> None:
        while not done.is_set():
            self._periodic()
            if not self._broker_is_closed():
                done.wait(WAIT_S)
                continue
            messages = self._connection.take(settings.MQTT_IN_FLIGHT, WAIT_S)
            if messages:
                self._process(messages, done)
        self._periodic(last=True)

    def _broker_is_closed(self) -> bool:
        """Check that the broker is closed, on every connect: a restarted broker may have other settings."""
        number = self._connection.number
        if number != self._checked:
            anonymous = self._connection.accepts_anonymous()
            if anonymous:
                raise OpenBroker
            if anonymous is False:
                self._checked = number
        return self._checked == number

    def _process(self, messages: list[Message], done: threading.Event) -> None:
        """Try until all messages are in the streams or refused, or until the broker will send them again."""
        kept: list[Message] = []
        validated: list[ValidatedMessage] = []
        for message in messages:
            result = self._validate(message, done)
            if result is not None:
                kept.append(message)
                validated.append(result)
        replies = self._append(kept, validated, done)
        if replies is not None:
            self._acknowledger.add(kept, self._intake.answer(validated, replies))

    def _validate(self, message: Message, done: threading.Event) -> ValidatedMessage | None:
        while not done.is_set():
            try:
                return self._intake.validate(message.topic, message.data, message.received_us)
            except DatabaseError as error:
                self._log.report(
                    f"senders cannot be identified, because the database is not responding: {error}"
                )
                if self._outdated(message):
                    return None
                done.wait(RETRY_S)
        return None

    def _append(
        self, messages: list[Message], validated: list[ValidatedMessage], done: threading.Event
    ) -> list[object] | None:
        while not done.is_set():
            try:
                replies: list[object] = self._intake.append(validated)
            except (redis.RedisError, OSError) as error:
                self._log.report(f"keeping messages, because the telemetry server is not responding: {error}")
            else:
                self._log.ok()
                return replies
            if all(map(self._outdated, messages)):
                return None  # the broker sends them again
            done.wait(RETRY_S)
        return None

    def _outdated(self, message: Message) -> bool:
        return message.qos > 0 and message.connection != self._connection.number

    def _periodic(self, last: bool = False) -> None:
        """Handle control events, counters and dropped messages, once a second."""
        now = time.monotonic()
        if now < self._periodic_at and not last:
            return
        self._periodic_at = now + PERIODIC_S
        self._intake.dropped(self._connection.dropped())
        if self._control.wait(0.0):
            self._topics.clear()
        with contextlib.suppress(redis.RedisError, OSError):  # reported where messages wait for it
            self._intake.intake.counters.write(self._client)
