"""Errors for programs: RFC 9457 problem documents."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import msgspec
from django.http import HttpResponse

CONTENT_TYPE = "application/problem+json"


class FieldError(msgspec.Struct, frozen=True):
    """The wrong part of the request, and why."""

    field: str
    reason: str


def problem(status: int, detail: str, errors: Sequence[FieldError] = ()) -> bytes:
    """The document: kind of error (title), what happened (detail), and the fields concerned."""
    document: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        "detail": detail,
    }
    if errors:
        document["errors"] = list(errors)
    return msgspec.json.encode(document)


def problem_response(status: int, detail: str, errors: Sequence[FieldError] = ()) -> HttpResponse:
    return HttpResponse(problem(status, detail, errors), status=status, content_type=CONTENT_TYPE)
