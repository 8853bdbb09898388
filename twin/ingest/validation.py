"""Validates telemetry from HTTP, MQTT and files according to the same rules.

Each sample is accepted as a whole, or rejected as a whole with a reason; a bad sample does not affect others.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import msgspec
from django.conf import settings

from simcore.model import Channel
from twin.ingest.body import Form, RawSample, parse_body
from twin.ingest.entries import Sample
from twin.ingest.refusal import Flaw
from twin.text import shortened

MAX_SEQ = 2**53 - 1  # the append script counts in doubles, which are exact up to here
MAX_TIME_US = 253_402_300_800_000_000  # the year 10000, which Python's datetime cannot hold
MAX_FIELD = 80  # characters of a field name in a rejection: a device may send any channel name

Channels = Mapping[str, Channel]

_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class Limits:
    """Limits on what a body may contain."""

    max_samples: int
    max_future_us: int
    max_age_us: int

    @classmethod
    def from_settings(cls) -> "Limits":
        return cls(settings.MAX_SAMPLES, settings.MAX_FUTURE_US, settings.MAX_AGE_US)


class Rejection(msgspec.Struct, frozen=True):
    """Why a sample was not accepted. `retry`: the same sample may be accepted when sent again later."""

    index: int
    field: str
    reason: str
    retry: bool = False
    seq: int | None = None  # of the sample, where it has one
    code: str = ""  # twin.ingest.refusal.Code


@dataclass(frozen=True)
class Batch:
    """The samples that may enter the stream, and the rejections."""

    boot: str
    samples: list[Sample]
    rejected: list[Rejection]


def validate(data: bytes, form: Form, channels: Channels, now_us: int, limits: Limits) -> Batch:
    """Check a body against the machine's telemetry channels and the server's clock.

    Raises Malformed or BadBody if the body as a whole cannot be used.
    """
    body = parse_body(data, form, limits.max_samples)
    samples: list[Sample] = []
    rejected: list[Rejection] = []
    for index, raw in enumerate(body.samples):
        checked = raw if isinstance(raw, Flaw) else _check(raw, channels, now_us, limits)
        if isinstance(checked, Flaw):
            field = shortened(checked.field, MAX_FIELD)
            seq = _seq_of(raw)
            rejected.append(Rejection(index, field, checked.reason, checked.passes, seq, checked.code))
        else:
            samples.append(checked)
    return Batch(body.boot, samples, rejected)


def _seq_of(raw: RawSample | Flaw) -> int | None:
    """Return the sample's sequence number if it is valid."""
    return raw.seq if raw.seq is not None and 0 <= raw.seq <= MAX_SEQ else None


def _check(raw: RawSample, channels: Channels, now_us: int, limits: Limits) -> Sample | Flaw:
    if not 0 <= raw.seq <= MAX_SEQ:
        return Flaw("seq", "seq.range", f"is {shortened(str(raw.seq), 40)}; must be 0 to {MAX_SEQ}")
    t = raw.t if isinstance(raw.t, int) else microseconds(raw.t)
    if t is None:
        return Flaw("t", "t.format", f"{raw.t[:40]!r} is not RFC 3339 text such as 2026-01-31T12:00:00.5Z")  # type: ignore[index]
    if abs(t) > MAX_TIME_US:
        return Flaw(
            "t",
            "t.range",
            f"is {shortened(str(t), 40)}; must be microseconds since 1970 UTC, before the year 10000",
        )
    if t > now_us + limits.max_future_us:
        ahead, allowed = (t - now_us) / 1e6, limits.max_future_us / 1e6
        return Flaw(
            "t", "t.future", f"is {ahead:.6g} s in the future; must be at most {allowed:g} s", passes=True
        )
    if t < now_us - limits.max_age_us:
        days = limits.max_age_us / 86_400e6
        return Flaw("t", "t.old", f"is {(now_us - t) / 86_400e6:.6g} days old; must be at most {days:g} days")
    if not raw.channels:
        return Flaw("channels", "channels.empty", "is empty; a sample needs at least one reading")
    for name, value in raw.channels.items():
        if name not in channels:
            known = ", ".join(sorted(channels))
            return Flaw(
                f"channels.{name}",
                "channel.unknown",
                f"is not a telemetry channel of this machine; must be one of: {known}",
            )
        least, most = channels[name].plausible
        if not least <= value <= most:  # NaN is in no range
            unit = channels[name].unit
            return Flaw(
                f"channels.{name}",
                "channel.range",
                f"is {value:g} {unit}; must be {least:g} to {most:g} {unit}",
            )
    return raw.seq, t, raw.channels


def microseconds(text: str) -> int | None:
    """Return RFC 3339 text as exact microseconds since 1970; None if the text is not RFC 3339."""
    text = text.upper()
    if not _RFC_3339.fullmatch(text):
        return None
    try:
        return (datetime.fromisoformat(text) - _EPOCH) // _MICROSECOND
    except ValueError:  # the 31st of February, for example
        return None
