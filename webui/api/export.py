"""Sends history as a file, one page at a time, so that a long period does not need more memory."""

from collections.abc import AsyncIterator
from typing import Any, Literal

from channels.db import database_sync_to_async
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.text import slugify
from ninja import Field

from twin.fleet.models import Machine
from twin.history import reading
from twin.history.reading import COLUMNS, Person, Place, Question
from webui.api.files import Column, CsvFile, HistoryFile, ParquetFile
from webui.api.history import Asked, BadQuestion, SpanQuery, understood

PAGE = 10_000  # rows read and sent at a time
MOST = 5_000_000  # samples in one file
TYPES: dict[str, type[HistoryFile]] = {"csv": CsvFile, "parquet": ParquetFile}
FILES = {
    "responses": {
        200: {
            "description": "The file. Times are in UTC, numbers in SI units.",
            "content": {
                kind.content_type: {"schema": {"type": "string", "format": "binary"}}
                for kind in TYPES.values()
            },
        }
    }
}


class ExportQuery(SpanQuery):
    format: Literal["csv", "parquet"] = Field("csv", description="csv or parquet")


def export_history(request: HttpRequest, machine: Machine, query: ExportQuery) -> StreamingHttpResponse:
    """Return the file. If the query is wrong, raises BadQuestion before anything is sent."""
    asked = understood(machine, query)
    if asked.step_s is None:
        _refuse_too_much(request.user, machine, asked)
    file = TYPES[query.format](_columns(machine, asked))
    name = f"{slugify(machine.name) or machine.pk}-{asked.span.begin_us // 1_000_000}.{query.format}"
    response = StreamingHttpResponse(
        _stream(request.user, machine, asked, file), content_type=file.content_type
    )
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _refuse_too_much(user: Person, machine: Machine, asked: Asked) -> None:
    count = reading.samples_between(user, machine.pk, asked.span.begin_us, asked.span.end_us)
    if count > MOST:
        words = f"selects {count} samples; must be at most {MOST}: choose a later time or a resolution in s"
        raise BadQuestion("from", "samples.too_many", words)


def _columns(machine: Machine, asked: Asked) -> list[Column]:
    units = {channel.name: channel.unit for channel in machine.channels()}
    if asked.step_s is None:
        return [Column(name, units[name]) for name in asked.names]
    return [
        Column(f"{name}.{of}", "" if of == "count" else units[name]) for name in asked.names for of in COLUMNS
    ]


async def _stream(user: Person, machine: Machine, asked: Asked, file: HistoryFile) -> AsyncIterator[bytes]:
    place: Place | None = Place(asked.span.begin_us)
    yield file.begin()
    while place is not None:
        part, place = await database_sync_to_async(_part)(user, machine, asked, place, file)
        yield part
    yield file.end()


def _part(
    user: Person, machine: Machine, asked: Asked, place: Place, file: HistoryFile
) -> tuple[bytes, Place | None]:
    question = Question(machine.pk, asked.names, place, asked.span.end_us, PAGE)
    columns: list[Any]
    if asked.step_s is None:
        raw = reading.raw(user, question)
        columns = [raw.value[name] for name in asked.names]
        return file.rows(raw.t_us, columns), raw.next
    found = reading.summaries(user, question, asked.step_s)
    columns = [found.columns[name][of] for name in asked.names for of in COLUMNS]
    return file.rows(found.t_us, columns), found.next
