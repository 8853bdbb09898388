"""Makes the responses of ingest, as bytes."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from twin.ingest.append import Outcome
from twin.ingest.refusal import Code, Refusal
from twin.ingest.validation import Rejection
from webui.problems import CONTENT_TYPE, FieldError, problem

Header = tuple[bytes, bytes]
NOT_KEPT: Header = (b"cache-control", b"no-store")
JSON: Header = (b"content-type", b"application/json")
PROBLEM: Header = (b"content-type", CONTENT_TYPE.encode())


class Answer(NamedTuple):
    status: int
    body: bytes
    headers: Sequence[Header]

    async def send(self, send: Any) -> None:
        headers = [*self.headers, (b"content-length", b"%d" % len(self.body))]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


class Refused(Refusal):
    """The whole body is refused for a reason of HTTP; the response may have additional headers."""

    def __init__(self, status: int, code: Code, detail: str, **headers: str) -> None:
        super().__init__(status, code, detail)
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def refused(refusal: Refusal) -> Answer:
    """Return a problem document that names the wrong field."""
    errors = [FieldError(refusal.field, refusal.reason, refusal.code)] if refusal.field else []
    more = dict(refusal.headers) if isinstance(refusal, Refused) else {}
    if refusal.retry_after is not None:
        more["Retry-After"] = str(refusal.retry_after)
    headers = [(name.lower().encode(), value.encode()) for name, value in more.items()]
    document = problem(refusal.status, refusal.detail, errors, refusal.code)
    return Answer(refusal.status, document, (PROBLEM, NOT_KEPT, *headers))


def taken(outcome: Outcome, rejected: list[Rejection]) -> Answer:
    """Return the response to an accepted body: every sample that it does not list as rejected is on disk."""
    document = {"accepted": outcome.accepted, "duplicate": outcome.duplicate, "rejected": rejected}
    return Answer(202, msgspec.json.encode(document), (JSON, NOT_KEPT))
