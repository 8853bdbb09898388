"""What ingest answers, as ready bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from twin.telemetry.append import Outcome
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


class Refused(Exception):
    """Nothing of the body was taken."""

    def __init__(self, status: int, detail: str, errors: Sequence[FieldError] = (), **headers: str) -> None:
        super().__init__(detail)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answer = Answer(status, problem(status, detail, errors), CONTENT_TYPE, named)


def taken(outcome: Outcome, rejected: list[Rejection]) -> Answer:
    """Whatever is not listed as rejected is durable."""
    document = {"accepted": outcome.accepted, "duplicate": outcome.duplicate, "rejected": rejected}
    return Answer(202, msgspec.json.encode(document))
