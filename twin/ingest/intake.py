"""Checks a telemetry body from HTTP or MQTT before it enters the stream: limits, validation, counters.

The code of the transport identifies the device before these checks, and appends the samples after them.
"""

import logging

import redis
from django.conf import settings

from twin.fleet.identity import Identity
from twin.ingest.append import NotAccepted, Outcome, Source, StreamFull
from twin.ingest.body import Form
from twin.ingest.counters import Counters
from twin.ingest.disk_guard import DiskGuard
from twin.ingest.rate import RateLimiter
from twin.ingest.refusal import BadBody, Malformed, Refusal
from twin.ingest.validation import Batch, Limits, Rejection, validate
from twin.throttled_log import ThrottledLog

log = logging.getLogger(__name__)

RETRY_FULL, RETRY_AWAY = 10, 2  # s
RETRY_BOOTS = 3600  # s


class Intake:
    """The limits, counters and log of one ingest process."""

    def __init__(self, transport: str) -> None:
        self.counters = Counters(transport)
        self.throttled_log = ThrottledLog(log)
        self._limits = Limits.from_settings()
        self._disk = DiskGuard(settings.TELEMETRY_DIR, settings.TELEMETRY_RESERVE)
        burst_s = settings.RATE_BURST_S
        self._bodies = RateLimiter(settings.RATE_BODIES, settings.RATE_BODIES * burst_s)
        self._samples = RateLimiter(settings.RATE_SAMPLES, settings.RATE_SAMPLES * burst_s)

    def admit(self, identity: Identity) -> None:
        """Check whether the device may send a body now; raises Refusal if not.

        Called before the body is read.
        """
        if self._disk.almost_full():
            text = "the telemetry server's disk is almost full: all telemetry is refused"
            self.throttled_log.log("disk", logging.ERROR, text)
            detail = "The telemetry server's disk is almost full. No sample was accepted; send again later."
            raise Refusal(503, "disk.full", detail, retry_after=RETRY_FULL)
        self._limit_rate(self._bodies, identity, 1, "bodies")

    def validate(self, identity: Identity, data: bytes, form: Form, received_us: int) -> Batch:
        """Return the samples of the body that may enter the stream, and the rejections. Raises Refusal."""
        try:
            batch = validate(data, form, identity.channels, received_us, self._limits)
        except Malformed as error:
            raise Refusal(400, error.code, f"The body {error}.", field="body", reason=str(error)) from None
        except BadBody as error:
            raise Refusal(422, error.code, f"{error}.", field=error.field, reason=error.reason) from None
        self._limit_rate(self._samples, identity, len(batch.samples), "samples")
        return batch

    def accepted(self, identity: Identity, batch: Batch, outcome: Outcome) -> None:
        """Count and log a batch after the stream's reply, or a batch without valid samples."""
        self.counters.taken(outcome, batch.rejected)
        if batch.rejected:
            self._log_rejected(identity, batch.rejected, len(batch.samples))
        if outcome.other_boot is not None:
            text = "machine %s: two devices use the token of device %s at the same time (boots %r and %r)"
            names = (identity.machine, identity.device, batch.boot, outcome.other_boot)
            self.throttled_log.log(f"shared token {identity.device}", logging.WARNING, text, *names)

    def not_accepted(self, identity: Identity, error: NotAccepted | redis.RedisError | OSError) -> Refusal:
        """Return the refusal for a batch that the stream did not accept."""
        if isinstance(error, StreamFull):
            subject, text = f"full {identity.machine}", "the stream of machine %s is full"
            self.throttled_log.log(subject, logging.WARNING, text, identity.machine)
            detail = "The machine's stream is full. No sample was accepted; send again later."
            return Refusal(503, "stream.full", detail, retry_after=RETRY_FULL)
        if isinstance(error, NotAccepted):
            most = settings.MAX_STARTS
            text = "device %s has used more than %d boots in a week: refused"
            self.throttled_log.log(f"boots {identity.device}", logging.WARNING, text, identity.device, most)
            detail = f"The device has used more than {most} different boots within a week."
            reason = f"is a new boot; a device may use at most {most} boots per week"
            return Refusal(429, "boot.too_many", detail, field="boot", reason=reason, retry_after=RETRY_BOOTS)
        self.throttled_log.log("server", logging.WARNING, "telemetry server: %s", error)
        detail = "The telemetry server is not responding; send the same samples again."
        return Refusal(503, "server.away", detail, retry_after=RETRY_AWAY)

    def _limit_rate(self, limiter: RateLimiter, identity: Identity, amount: int, what: str) -> None:
        wait_s = limiter.take(identity.device, amount)
        if wait_s:
            allowed = f"{limiter.rate:g} {what}"
            text = "device %s sends more than %s per second: refused"
            self.throttled_log.log(f"rate {identity.device}", logging.WARNING, text, identity.device, allowed)
            detail = f"The device sends more than {allowed} per second; no sample was accepted."
            raise Refusal(
                429, "rate.bodies" if what == "bodies" else "rate.samples", detail, retry_after=wait_s
            )

    def _log_rejected(self, identity: Identity, rejected: list[Rejection], others: int) -> None:
        first = rejected[0]
        text = "device %s: %d of %d samples rejected, first: %s %s"
        counts = (len(rejected), len(rejected) + others)
        values = (identity.device, *counts, first.field, first.reason)
        self.throttled_log.log(f"rejected {identity.device}", logging.INFO, text, *values)


def source(identity: Identity, batch: Batch) -> Source:
    return Source(identity.machine, identity.device, batch.boot)
