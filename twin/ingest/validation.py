"""The one judgement of telemetry, whichever way it came in: HTTP, MQTT or a file.

A sample is taken whole or refused whole, with the reason; one bad sample does not touch the others.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import msgspec

from simcore.model import Channel
from twin.ingest.body import Flaw, Form, RawSample, read_body
from twin.ingest.entries import Sample
from twin.ingest.limits import Limits
from twin.text import shortened

MAX_SEQ = 2**53 - 1  # the de-duplication script counts in doubles, which are exact up to here
MAX_TIME_US = 253_402_300_800_000_000  # the year 10000, which no calendar of ours knows
MAX_FIELD = 80  # characters of a field's name in a rejection: a device may call its channels anything

Channels = Mapping[str, Channel]

_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Rejection(msgspec.Struct, frozen=True):
    """Why a sample was not taken. `retry`: would the same sample be taken if it were sent again later?"""

    index: int
    field: str
    reason: str
    retry: bool = False
    seq: int | None = None  # of the sample, where it has one


@dataclass(frozen=True)
class Batch:
    """What may enter the stream, and what may not."""

    boot: str
    samples: list[Sample]
    rejected: list[Rejection]


def validate(data: bytes, form: Form, channels: Channels, now_us: int, limits: Limits) -> Batch:
    """Judge a body against a machine's telemetry channels and our clock.

    Raises body.Malformed or body.BadBody when the body as a whole cannot be used.
    """
    body = read_body(data, form, limits.max_samples)
    samples: list[Sample] = []
    rejected: list[Rejection] = []
    for index, raw in enumerate(body.samples):
        judged = raw if isinstance(raw, Flaw) else _judge(raw, channels, now_us, limits)
        if isinstance(judged, Flaw):
            field = shortened(judged.field, MAX_FIELD)
            rejected.append(Rejection(index, field, judged.reason, judged.passes, _seq_of(raw)))
        else:
            samples.append(judged)
    return Batch(body.boot, samples, rejected)


def _seq_of(raw: RawSample | Flaw) -> int | None:
    """By what the device knows the sample; nothing that is no sequence number."""
    return raw.seq if raw.seq is not None and 0 <= raw.seq <= MAX_SEQ else None


def _judge(raw: RawSample, channels: Channels, now_us: int, limits: Limits) -> Sample | Flaw:
    if not 0 <= raw.seq <= MAX_SEQ:
        return Flaw("seq", f"is {shortened(str(raw.seq), 40)}; allowed are 0 to {MAX_SEQ}")
    t = raw.t if isinstance(raw.t, int) else microseconds(raw.t)
    if t is None:
        return Flaw("t", f"{raw.t[:40]!r} is not RFC 3339 text such as 2026-01-31T12:00:00.5Z")  # type: ignore[index]
    if abs(t) > MAX_TIME_US:
        return Flaw("t", f"is {shortened(str(t), 40)}; allowed are microseconds since 1970 UTC")
    if t > now_us + limits.max_future_us:
        ahead, allowed = (t - now_us) / 1e6, limits.max_future_us / 1e6
        return Flaw("t", f"is {ahead:.6g} s in the future; allowed are {allowed:g} s", passes=True)
    if t < now_us - limits.max_age_us:
        days = limits.max_age_us / 86_400e6
        return Flaw("t", f"is {(now_us - t) / 86_400e6:.6g} days old; allowed are {days:g} days")
    if not raw.channels:
        return Flaw("channels", "is empty; a sample has at least one reading")
    for name, value in raw.channels.items():
        if name not in channels:
            known = ", ".join(sorted(channels))
            return Flaw(f"channels.{name}", f"is not a telemetry channel of this machine; those are {known}")
        least, most = channels[name].plausible
        if not least <= value <= most:  # NaN is in no range
            unit = channels[name].unit
            return Flaw(f"channels.{name}", f"is {value:g} {unit}; allowed are {least:g} to {most:g} {unit}")
    return raw.seq, t, raw.channels


def microseconds(text: str) -> int | None:
    """RFC 3339 text as microseconds since 1970, exactly; None if it is something else."""
    text = text.upper()
    if not _RFC_3339.fullmatch(text):
        return None
    try:
        return (datetime.fromisoformat(text) - _EPOCH) // _MICROSECOND
    except ValueError:  # the 31st of February, for example
        return None
