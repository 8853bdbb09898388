"""Telemetry that comes as messages: many are judged and appended together, then answered on their ack topics.

A message answers no request, so its answer names what it is about: the boot, the sequence numbers that are
durable, and the samples that were refused. Whatever an answer does not name the device has to keep.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
import redis
from django.conf import settings

from twin.fleet.identity import Identity
from twin.ingest import packing
from twin.ingest.append import Appender, NotTaken, Outcome, call, read_answer
from twin.ingest.intake import Intake, source
from twin.ingest.known_topics import KnownTopics
from twin.ingest.refusal import Refusal
from twin.ingest.topics import Place, topic
from twin.ingest.validation import Batch, Rejection
from twin.valkey.aof_sync import ServerFile
from twin.valkey.pipeline_client import Wire


class Judged(NamedTuple):
    """A message that has been looked at once; what may enter the stream waits for it."""

    place: Place | None
    identity: Identity | None
    batch: Batch | None
    call: bytes | None
    refusal: Refusal | None


class Answer(NamedTuple):
    """What is published."""

    topic: str
    body: bytes


@dataclass
class _Durable:
    """What is to be told about one boot."""

    seqs: list[int] = field(default_factory=list)
    duplicate: int = 0
    rejected: list[Rejection] = field(default_factory=list)


class MessageIntake:
    """From messages to streams."""

    def __init__(self, wire: Wire, file: ServerFile, topics: KnownTopics) -> None:
        self.intake = Intake("mqtt")
        self._appender = Appender(wire, file)
        self._topics = topics

    def judge(self, topic: str, data: bytes, received_us: int) -> Judged:
        """Once for each message. Raises DatabaseError when it cannot be told yet who sent it."""
        known = self._topics.get(topic)
        if known is None:
            text = "a message to a topic that no valid token allows: %.100r"
            self.intake.notices.say("topic", logging.WARNING, text, topic)
            return self._refuse(None, Refusal(401, "No valid token allows this topic."))
        place, identity = known
        try:
            self.intake.admit(identity)
            batch = self.intake.judge(identity, *_unpacked(data), received_us)
        except Refusal as refusal:
            return self._refuse(place, refusal)
        if not batch.samples:
            return Judged(place, identity, batch, None, None)
        return Judged(place, identity, batch, call(source(identity, batch), batch.samples, received_us), None)

    def append(self, judged: Sequence[Judged]) -> list[Any]:
        """The answers of the streams; raises RedisError when nobody knows what has been taken: try again."""
        calls = [each.call for each in judged if each.call is not None]
        answers = self._appender.append_all(calls) if calls else []
        for answer in answers:
            if isinstance(answer, redis.RedisError) and not isinstance(answer, redis.ResponseError):
                raise answer
        return answers

    def answer(self, judged: Sequence[Judged], answers: Sequence[Any]) -> list[Answer]:
        """What the devices have to be told, boot by boot, once all that it names is durable."""
        told: dict[tuple[Place, str], _Durable] = {}
        refusals: list[Answer] = []
        waiting = iter(answers)
        for each in judged:
            refusal = each.refusal
            if each.batch is not None and each.identity is not None and each.place is not None:
                try:
                    outcome = read_answer(next(waiting)) if each.call else Outcome(0, 0)
                except (NotTaken, redis.ResponseError) as error:
                    refusal = self.intake.not_taken(each.identity, error)
                    self.intake.counters.refused(refusal.status)
                else:
                    self.intake.taken(each.identity, each.batch, outcome)
                    _note(told.setdefault((each.place, each.batch.boot), _Durable()), each.batch, outcome)
            if refusal is not None and each.place is not None:
                refusals.append(Answer(topic("ack", each.place), _refused(refusal)))
        return [
            *(Answer(topic("ack", place), _durable(boot, what)) for (place, boot), what in told.items()),
            *refusals,
        ]

    def dropped(self, count: int) -> None:
        """Messages without a guarantee (QoS 0) for which there was no room."""
        if count:
            self.intake.counters.refused(503, count)
            self.intake.notices.say(
                "dropped", logging.WARNING, "%d messages of QoS 0 dropped: no room", count
            )

    def _refuse(self, place: Place | None, refusal: Refusal) -> Judged:
        self.intake.counters.refused(refusal.status)
        return Judged(place, None, None, None, refusal)


def ranges(numbers: Iterable[int]) -> list[list[int]]:
    """[first, last] of every run without a gap, in order."""
    found: list[list[int]] = []
    for number in sorted(set(numbers)):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


def _unpacked(data: bytes) -> tuple[bytes, Any]:
    limit = settings.MQTT_MAX_BODY
    if len(data) > limit:
        raise packing.too_large(limit)
    if data.startswith(packing.GZIP):
        data = packing.gunzip(data, limit)
    return data, packing.form_of(data)


def _note(durable: _Durable, batch: Batch, outcome: Outcome) -> None:
    durable.seqs += [sample[0] for sample in batch.samples]
    durable.duplicate += outcome.duplicate
    durable.rejected += batch.rejected


def _durable(boot: str, what: _Durable) -> bytes:
    document = {"boot": boot, "accepted": ranges(what.seqs), "duplicate": what.duplicate}
    return msgspec.json.encode(document | {"rejected": what.rejected})


def _refused(refusal: Refusal) -> bytes:
    document: dict[str, Any] = {"boot": None, "status": refusal.status, "detail": refusal.detail}
    if refusal.field:
        document["errors"] = [{"field": refusal.field, "reason": refusal.reason}]
    if refusal.retry_after is not None:
        document["retry_after"] = refusal.retry_after
    return msgspec.json.encode(document)
