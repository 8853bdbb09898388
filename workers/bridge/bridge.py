"""What has arrived goes into the streams together, and is acknowledged once it is durable there."""

import contextlib
import logging
import threading
import time

import redis
from django.conf import settings
from django.db import DatabaseError

from twin.control.listener import News
from twin.ingest.known_topics import KnownTopics
from twin.ingest.messages import Judged, MessageIntake
from twin.valkey.pipeline_client import Wire
from workers.bridge.confirming import Confirming
from workers.bridge.link import Arrived, Link

log = logging.getLogger(__name__)

WAIT_S = 0.2  # for a message, before news and counts are looked after
CHORES_S = 1.0
AGAIN_S = 0.5  # between two attempts to reach the telemetry server


class OpenBroker(Exception):
    """The broker lets anybody in: a topic then says nothing about who wrote to it."""


class Bridge:
    """Holds what is not in the streams yet; the broker holds the rest, because we do not acknowledge."""

    def __init__(
        self, link: Link, confirming: Confirming, client: redis.Redis, wire: Wire, news: News
    ) -> None:
        self._link = link
        self._confirming = confirming
        self._client = client
        self._news = news
        self._topics = KnownTopics()
        self._messages = MessageIntake(wire, confirming.file, self._topics)
        self._state = ""
        self._chores_at = 0.0
        self._checked = -1  # the connection at which the broker was seen to be closed to strangers

    def run(self, done: threading.Event) -> None:
        while not done.is_set():
            self._chores()
            if not self._broker_is_closed():
                done.wait(WAIT_S)
                continue
            arrived = self._link.take(settings.MQTT_IN_FLIGHT, WAIT_S)
            if arrived:
                self._carry(arrived, done)
        self._chores(last=True)

    def _broker_is_closed(self) -> bool:
        """Asked anew with every connection: a broker that was restarted may have other settings."""
        connection = self._link.connection
        if connection != self._checked:
            anybody = self._link.lets_anybody_in()
            if anybody:
                raise OpenBroker
            if anybody is False:
                self._checked = connection
        return self._checked == connection

    def _carry(self, arrived: list[Arrived], done: threading.Event) -> None:
        """Until all of it is in the streams or refused, or it will come again anyway."""
        messages: list[Arrived] = []
        judged: list[Judged] = []
        for message in arrived:
            verdict = self._judge(message, done)
            if verdict is not None:
                messages.append(message)
                judged.append(verdict)
        answers = self._append(messages, judged, done)
        if answers is not None:
            self._confirming.add(messages, self._messages.answer(judged, answers))

    def _judge(self, message: Arrived, done: threading.Event) -> Judged | None:
        while not done.is_set():
            try:
                return self._messages.judge(message.topic, message.data, message.received_us)
            except DatabaseError as error:
                self._say(f"the database does not say whose telemetry it is: {error}")
                if self._outdated(message):
                    return None
                done.wait(AGAIN_S)
        return None

    def _append(
        self, messages: list[Arrived], judged: list[Judged], done: threading.Event
    ) -> list[object] | None:
        while not done.is_set():
            try:
                answers: list[object] = self._messages.append(judged)
            except (redis.RedisError, OSError) as error:
                self._say(f"keeping messages, the telemetry server does not answer: {error}")
            else:
                self._say("")
                return answers
            if all(map(self._outdated, messages)):
                return None  # the broker hands them out again
            done.wait(AGAIN_S)
        return None

    def _outdated(self, message: Arrived) -> bool:
        return message.qos > 0 and message.connection != self._link.connection

    def _chores(self, last: bool = False) -> None:
        now = time.monotonic()
        if now < self._chores_at and not last:
            return
        self._chores_at = now + CHORES_S
        self._messages.dropped(self._link.dropped())
        if self._news.wait(0.0):
            self._topics.clear()
        with contextlib.suppress(redis.RedisError, OSError):  # said where messages wait for it
            self._messages.intake.counters.write(self._client)

    def _say(self, text: str) -> None:
        if text != self._state:
            log.log(logging.WARNING if text else logging.INFO, text or "the telemetry server is back")
            self._state = text
