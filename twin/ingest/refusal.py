"""Why a telemetry body, or one of its samples, is not accepted; the same for HTTP, MQTT and files."""

from typing import NamedTuple


class Flaw(NamedTuple):
    """What is wrong with one sample. `passes`: it may be accepted later; `seq`: its number, if known."""

    field: str
    reason: str
    passes: bool = False
    seq: int | None = None


class Malformed(ValueError):
    """The bytes are neither JSON nor msgpack."""


class BadBody(ValueError):
    """The body as a whole cannot be used."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class Refusal(Exception):
    """No sample of the body was accepted. `status` is an HTTP status; send again after `retry_after` s."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        field: str | None = None,
        reason: str = "",
        retry_after: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.field = field
        self.reason = reason
        self.retry_after = retry_after
