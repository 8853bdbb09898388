"""What ingest answers, as ready bytes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from twin.telemetry.append import Outcome
from twin.telemetry.refusal import Refusal
from twin.telemetry.validation import Rejection
from webui.problems import CONTENT_TYPE, FieldError, problem


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)

    async def send(self, send: Any) -> None:
        headers = {"Content-Type": self.content_type, "Content-Length": str(len(self.body))}
        headers |= {"Cache-Control": "no-store", **self.headers}
        encoded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": self.status, "headers": encoded})
        await send({"type": "http.response.body", "body": self.body})


class Refused(Refusal):
    """Nothing of the body was taken, for a reason that only HTTP knows; says more in headers."""

    def __init__(self, status: int, detail: str, **headers: str) -> None:
        super().__init__(status, detail)
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def refused(refusal: Refusal) -> Answer:
    """A problem document that names the field."""
    errors = [FieldError(refusal.field, refusal.reason)] if refusal.field else []
    headers = dict(refusal.headers) if isinstance(refusal, Refused) else {}
    if refusal.retry_after is not None:
        headers["Retry-After"] = str(refusal.retry_after)
    document = problem(refusal.status, refusal.detail, errors)
    return Answer(refusal.status, document, CONTENT_TYPE, headers)


def taken(outcome: Outcome, rejected: list[Rejection]) -> Answer:
    """Whatever is not listed as rejected is durable."""
    document = {"accepted": outcome.accepted, "duplicate": outcome.duplicate, "rejected": rejected}
    return Answer(202, msgspec.json.encode(document))
