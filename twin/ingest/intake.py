"""The one path of telemetry between a body that arrived and the stream, behind HTTP and behind MQTT.

Who sends has been settled before; how the script of the stream is called (at once or many together) is the
transport's. In between everything is the same: rates, validation, counts, and what is told of it.
"""

import logging

import redis
from django.conf import settings

from twin.fleet.identity import Identity
from twin.ingest.append import NotTaken, Outcome, Source, StreamFull
from twin.ingest.body import BadBody, Form, Malformed
from twin.ingest.counters import Counters
from twin.ingest.disk_guard import Room
from twin.ingest.limits import Limits
from twin.ingest.rate import Meter
from twin.ingest.refusal import Refusal
from twin.ingest.validation import Batch, Rejection, validate
from twin.throttled_log import Notices

log = logging.getLogger(__name__)

RETRY_FULL, RETRY_AWAY = 10, 2  # s
RETRY_STARTS = 3600  # s


class Intake:
    """What one ingest process knows about its traffic."""

    def __init__(self, transport: str) -> None:
        self.counters = Counters(transport)
        self.notices = Notices(log)
        self._limits = Limits.from_settings()
        self._room = Room(settings.TELEMETRY_DIR, settings.TELEMETRY_RESERVE)
        burst_s = settings.RATE_BURST_S
        self._bodies = Meter(settings.RATE_BODIES, settings.RATE_BODIES * burst_s)
        self._samples = Meter(settings.RATE_SAMPLES, settings.RATE_SAMPLES * burst_s)

    def admit(self, identity: Identity) -> None:
        """May this device send a body now? Asked before the body is read."""
        if self._room.short():
            self.notices.say(
                "room", logging.ERROR, "the telemetry server's disk is almost full: nothing is taken"
            )
            detail = "The telemetry server's disk is almost full; nothing was taken, send it again later."
            raise Refusal(503, detail, retry_after=RETRY_FULL)
        self._meter(self._bodies, identity, 1, "bodies")

    def judge(self, identity: Identity, data: bytes, form: Form, received_us: int) -> Batch:
        """What of the body may enter the stream."""
        try:
            batch = validate(data, form, identity.channels, received_us, self._limits)
        except Malformed as error:
            raise Refusal(400, f"The body {error}.", field="body", reason=str(error)) from None
        except BadBody as error:
            raise Refusal(422, f"{error}.", field=error.field, reason=error.reason) from None
        self._meter(self._samples, identity, len(batch.samples), "samples")
        return batch

    def taken(self, identity: Identity, batch: Batch, outcome: Outcome) -> None:
        """The stream has answered (or nothing of the batch was for it)."""
        self.counters.taken(outcome, batch.rejected)
        if batch.rejected:
            self._tell_rejected(identity, batch.rejected, len(batch.samples))
        if outcome.rival is not None:
            text = "machine %s: two devices use the token of device %s at once (boots %r and %r)"
            names = (identity.machine, identity.device, batch.boot, outcome.rival)
            self.notices.say(f"rivals {identity.device}", logging.WARNING, text, *names)

    def not_taken(self, identity: Identity, error: NotTaken | redis.RedisError | OSError) -> Refusal:
        """Why the stream took nothing, for the device."""
        if isinstance(error, StreamFull):
            self.notices.say(
                f"full {identity.machine}", logging.WARNING, "stream of machine %s is full", identity.machine
            )
            detail = "The machine's stream is full; nothing was taken, send it again later."
            return Refusal(503, detail, retry_after=RETRY_FULL)
        if isinstance(error, NotTaken):
            text = "device %s: more than %d boots in a week, refused"
            self.notices.say(
                f"starts {identity.device}", logging.WARNING, text, identity.device, settings.MAX_STARTS
            )
            detail = f"The device has used more than {settings.MAX_STARTS} boots within a week."
            return Refusal(429, detail, field="boot", reason="is one too many", retry_after=RETRY_STARTS)
        self.notices.say("server", logging.WARNING, "telemetry server: %s", error)
        detail = "The telemetry server does not answer; send the same samples again."
        return Refusal(503, detail, retry_after=RETRY_AWAY)

    def _meter(self, meter: Meter, identity: Identity, amount: int, what: str) -> None:
        wait_s = meter.take(identity.device, amount)
        if wait_s:
            allowed = f"{meter.rate:g} {what}"
            text = "device %s sends more than %s per second, refused"
            self.notices.say(f"rate {identity.device}", logging.WARNING, text, identity.device, allowed)
            detail = f"The device sends more than {allowed} per second; nothing was taken."
            raise Refusal(429, detail, retry_after=wait_s)

    def _tell_rejected(self, identity: Identity, rejected: list[Rejection], others: int) -> None:
        first = rejected[0]
        text = "device %s: %d of %d samples refused, first: %s %s"
        counts = (len(rejected), len(rejected) + others)
        values = (identity.device, *counts, first.field, first.reason)
        self.notices.say(f"rejected {identity.device}", logging.INFO, text, *values)


def source(identity: Identity, batch: Batch) -> Source:
    return Source(identity.machine, identity.device, batch.boot)
