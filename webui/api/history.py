"""Checks the query parameters of history requests, and returns a machine's history."""

from typing import Any, NamedTuple

from django.http import HttpRequest
from ninja import Field, Schema

from twin.fleet.identity import telemetry_channels
from twin.fleet.models import Machine
from twin.history import reading
from twin.history.reading import Place, Question
from twin.ingest.validation import MAX_TIME_US, microseconds
from twin.text import shortened
from webui.clock import now_us
from webui.problems import FieldError

MOST_ROWS = 10_000
USUAL_ROWS = 2_000
RAW, AUTO = "raw", "auto"
RAW_SPAN_US = 120_000_000  # the longest span that `auto` answers with raw samples
STEPS_S = (1, 10, 60, 600, 3600)  # the steps that `auto` chooses from
LONGEST_S = 86_400
USUAL_SPAN_US = 60_000_000


class BadQuestion(Exception):
    """A field of the query is wrong."""

    def __init__(self, field: str, code: str, reason: str) -> None:
        super().__init__(reason)
        self.error = FieldError(f"query.{field}", reason, code)


class SpanQuery(Schema):
    """Channels, time span and resolution."""

    channels: str = Field(
        "", description="names of channels, separated by commas; default: all channels with history"
    )
    from_: str = Field(
        "", alias="from", description="begin: microseconds since 1970 or RFC 3339; default: 60 s before `to`"
    )
    to: str = Field("", description="end (exclusive), in the same form; default: now")
    resolution: str = Field(AUTO, description="raw, auto, or a whole number of seconds from 1 to 86400")


class HistoryQuery(SpanQuery):
    limit: int = Field(USUAL_ROWS, ge=1, le=MOST_ROWS, description="largest number of rows on a page")
    page: str = Field("", description="value of `next` in the previous page")


class Span(NamedTuple):
    begin_us: int
    end_us: int


class Asked(NamedTuple):
    """A valid query; raw samples are requested if there is no step."""

    names: list[str]
    span: Span
    step_s: int | None


def understood(machine: Machine, query: SpanQuery) -> Asked:
    """Return the valid form of a query; raises BadQuestion if the query is wrong."""
    span = _span(query)
    return Asked(_channels(machine, query.channels), span, _step(query.resolution, span))


def describe_history(request: HttpRequest, machine: Machine, query: HistoryQuery) -> dict[str, Any]:
    """Return the history that a query asks for; raises BadQuestion if the query is wrong."""
    names, span, step_s = understood(machine, query)
    begin = _place(query.page) if query.page else Place(span.begin_us)
    question = Question(machine.pk, names, begin, span.end_us, query.limit)
    answer: dict[str, Any] = {"machine": machine.pk, "from": span.begin_us, "to": span.end_us}
    units = {channel.name: channel.unit for channel in machine.channels()}
    found: reading.Raw | reading.Summaries
    if step_s is None:
        found = reading.raw(request.user, question)
        columns: dict[str, Any] = {name: {"value": found.value[name]} for name in names}
    else:
        found = reading.summaries(request.user, question, step_s)
        columns = found.columns
    answer["resolution"] = RAW if step_s is None else step_s
    answer["t"] = found.t_us
    answer["channels"] = [{"name": name, "unit": units[name], **columns[name]} for name in names]
    answer["next"] = f"{found.next.t_us}-{found.next.skip}" if found.next else None
    return answer


def _channels(machine: Machine, text: str) -> list[str]:
    known = telemetry_channels(machine)
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in known:
            allowed = ", ".join(known)
            reason = f"{shortened(name, 80)!r} has no history on this machine; must be one of: {allowed}"
            raise BadQuestion("channels", "channels.unknown", reason)
    return names or list(known)


def _span(query: SpanQuery) -> Span:
    end_us = _time("to", query.to) if query.to else now_us()
    begin_us = _time("from", query.from_) if query.from_ else end_us - USUAL_SPAN_US
    if begin_us >= end_us:
        raise BadQuestion("from", "from.after_to", f"is {begin_us}; must be before `to`, which is {end_us}")
    return Span(begin_us, end_us)


def _time(field: str, text: str) -> int:
    digits = text.removeprefix("-")
    found = int(text) if digits.isascii() and digits.isdigit() and len(digits) < 20 else microseconds(text)
    if found is None or abs(found) > MAX_TIME_US:
        reason = "must be microseconds since 1970 or RFC 3339 text such as 2026-01-31T12:00:00Z"
        raise BadQuestion(field, "time.format", f"is {shortened(text, 40)!r}; {reason}")
    return found


def _step(text: str, span: Span) -> int | None:
    """Return the time step in seconds; None for raw samples."""
    length_us = span.end_us - span.begin_us
    if text == RAW or (text == AUTO and length_us <= RAW_SPAN_US):
        return None
    if text == AUTO:
        fitting = (step for step in STEPS_S if length_us <= step * 1_000_000 * USUAL_ROWS)
        return next(fitting, STEPS_S[-1])
    if text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= LONGEST_S:
        return int(text)
    allowed = f"raw, auto, or a whole number of seconds from 1 to {LONGEST_S}"
    raise BadQuestion("resolution", "resolution.range", f"is {shortened(text, 40)!r}; must be {allowed}")


def _place(text: str) -> Place:
    t, _, skip = text.rpartition("-")
    if not (skip.isascii() and skip.isdigit() and len(skip) < 10):
        raise BadQuestion(
            "page",
            "page.format",
            f"is {shortened(text, 40)!r}; must be the value of `next` from an earlier response",
        )
    return Place(_time("page", t), int(skip))
