"""Processes telemetry from MQTT: validates and appends many messages at once, then replies on the ack topics.

In MQTT, a reply is not linked to the message that it answers. Each reply therefore gives the boot, the
sequence numbers of the durable samples, and the rejected samples. A device must keep every sample that no
reply has mentioned.
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
from twin.ingest.append import Appender, NotAccepted, Outcome, append_command, read_reply
from twin.ingest.intake import Intake, source
from twin.ingest.refusal import Refusal
from twin.ingest.topic_cache import TopicCache
from twin.ingest.topics import TopicOwner, topic
from twin.ingest.validation import Batch, Rejection
from twin.valkey.aof_sync import AppendOnlyFile
from twin.valkey.pipeline_client import PipelineClient


class ValidatedMessage(NamedTuple):
    """A message after validation, ready to be appended, or to be answered with its refusal."""

    owner: TopicOwner | None
    identity: Identity | None
    batch: Batch | None
    command: bytes | None
    refusal: Refusal | None


class Answer(NamedTuple):
    """A reply to publish."""

    topic: str
    body: bytes


@dataclass
class _Durable:
    """The content of a reply about one boot."""

    seqs: list[int] = field(default_factory=list)
    duplicate: int = 0
    rejected: list[Rejection] = field(default_factory=list)


class MessageIntake:
    """Brings messages into the streams and makes the replies to them."""

    def __init__(self, pipeline: PipelineClient, aof: AppendOnlyFile, topics: TopicCache) -> None:
        self.intake = Intake("mqtt")
        self._appender = Appender(pipeline, aof)
        self._topics = topics

    def validate(self, topic: str, data: bytes, received_us: int) -> ValidatedMessage:
        """Validate a message; call once per message.

        Raises DatabaseError if the sender cannot be identified now.
        """
        known = self._topics.get(topic)
        if known is None:
            text = "message refused, no valid token allows its topic: %.100r"
            self.intake.throttled_log.log("topic", logging.WARNING, text, topic)
            return self._refuse(None, Refusal(401, "topic.not_allowed", "No valid token allows this topic."))
        owner, identity = known
        try:
            self.intake.admit(identity)
            batch = self.intake.validate(identity, *_unpacked(data), received_us)
        except Refusal as refusal:
            return self._refuse(owner, refusal)
        if not batch.samples:
            return ValidatedMessage(owner, identity, batch, None, None)
        command = append_command(source(identity, batch), batch.samples, received_us)
        return ValidatedMessage(owner, identity, batch, command, None)

    def append(self, messages: Sequence[ValidatedMessage]) -> list[Any]:
        """Append the samples; return the append script's replies.

        Raises RedisError if the outcome is unknown: append again.
        """
        commands = [each.command for each in messages if each.command is not None]
        replies = self._appender.append_all(commands) if commands else []
        for reply in replies:
            if isinstance(reply, redis.RedisError) and not isinstance(reply, redis.ResponseError):
                raise reply
        return replies

    def answer(self, messages: Sequence[ValidatedMessage], replies: Sequence[Any]) -> list[Answer]:
        """Return the replies to the devices, one per boot, to be published once the samples are durable."""
        boots: dict[tuple[TopicOwner, str], _Durable] = {}
        refusals: list[Answer] = []
        waiting = iter(replies)
        for each in messages:
            refusal = each.refusal
            if each.batch is not None and each.identity is not None and each.owner is not None:
                try:
                    outcome = read_reply(next(waiting)) if each.command else Outcome(0, 0)
                except (NotAccepted, redis.ResponseError) as error:
                    refusal = self.intake.not_accepted(each.identity, error)
                    self.intake.counters.refused(refusal.status)
                else:
                    self.intake.accepted(each.identity, each.batch, outcome)
                    _add(boots.setdefault((each.owner, each.batch.boot), _Durable()), each.batch, outcome)
            if refusal is not None and each.owner is not None:
                refusals.append(Answer(topic("ack", each.owner), _refused(refusal)))
        return [
            *(Answer(topic("ack", owner), _durable(boot, what)) for (owner, boot), what in boots.items()),
            *refusals,
        ]

    def dropped(self, count: int) -> None:
        """Count QoS 0 messages that were dropped because the queue was full."""
        if count:
            self.intake.counters.refused(503, count)
            text = "%d messages of QoS 0 dropped: the queue is full"
            self.intake.throttled_log.log("dropped", logging.WARNING, text, count)

    def _refuse(self, owner: TopicOwner | None, refusal: Refusal) -> ValidatedMessage:
        self.intake.counters.refused(refusal.status)
        return ValidatedMessage(owner, None, None, None, refusal)


def ranges(numbers: Iterable[int]) -> list[list[int]]:
    """Return [first, last] of every run of consecutive numbers, in order."""
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
    return data, packing.detect_form(data)


def _add(durable: _Durable, batch: Batch, outcome: Outcome) -> None:
    durable.seqs += [sample[0] for sample in batch.samples]
    durable.duplicate += outcome.duplicate
    durable.rejected += batch.rejected


def _durable(boot: str, what: _Durable) -> bytes:
    document = {"boot": boot, "accepted": ranges(what.seqs), "duplicate": what.duplicate}
    return msgspec.json.encode(document | {"rejected": what.rejected})


def _refused(refusal: Refusal) -> bytes:
    document: dict[str, Any] = {"boot": None, "status": refusal.status}
    document |= {"code": refusal.code, "detail": refusal.detail}
    if refusal.field:
        document["errors"] = [{"field": refusal.field, "reason": refusal.reason, "code": refusal.code}]
    if refusal.retry_after is not None:
        document["retry_after"] = refusal.retry_after
    return msgspec.json.encode(document)
