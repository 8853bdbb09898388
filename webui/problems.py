"""Makes errors for programs: problem documents according to RFC 9457."""

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
    code: str  # the same word for the same fault, whatever the text


def problem(status: int, detail: str, errors: Sequence[FieldError] = (), code: str = "") -> bytes:
    """Return the document: kind of error (title), what happened (detail, code), and the wrong fields."""
    document: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        "detail": detail,
        "code": code or HTTPStatus(status).name.lower(),
    }
    if errors:
        document["errors"] = list(errors)
    return msgspec.json.encode(document)


def problem_response(status: int, detail: str, errors: Sequence[FieldError] = ()) -> HttpResponse:
    return HttpResponse(problem(status, detail, errors), status=status, content_type=CONTENT_TYPE)
