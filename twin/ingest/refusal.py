"""Defines the reasons for refusing a telemetry body or a sample; HTTP, MQTT and files share them."""

from typing import Literal, NamedTuple

# what is wrong, as a word that programs can compare and that stays the same when the text changes
Code = Literal[
    # the request
    "method.not_allowed",
    "media.type",
    "media.encoding",
    "token.missing",
    "token.unknown",
    "token.not_checked",
    "topic.not_allowed",
    # the body
    "body.slow",
    "body.too_large",
    "body.gzip",
    "body.nested",
    "body.syntax",
    "body.type",
    "boot.type",
    "boot.length",
    "boot.too_many",
    "samples.type",
    "samples.count",
    # a sample
    "sample.type",
    "seq.type",
    "seq.range",
    "t.type",
    "t.format",
    "t.range",
    "t.future",
    "t.old",
    "channels.type",
    "channels.empty",
    "channel.name",
    "channel.type",
    "channel.size",
    "channel.unknown",
    "channel.range",
    # how much is sent, and the platform
    "rate.bodies",
    "rate.samples",
    "stream.full",
    "disk.full",
    "server.away",
    "internal",
]


class Flaw(NamedTuple):
    """What is wrong with one sample.

    `passes`: it may be accepted later; `seq`: its sequence number, if known.
    """

    field: str
    code: Code
    reason: str
    passes: bool = False
    seq: int | None = None


class Malformed(ValueError):
    """The bytes are neither JSON nor msgpack."""

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class BadBody(ValueError):
    """The body as a whole cannot be used."""

    def __init__(self, field: str, code: Code, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.code = code
        self.reason = reason


class Refusal(Exception):
    """No sample of the body was accepted.

    `status` is an HTTP status; the device may resend after `retry_after` s.
    """

    def __init__(
        self,
        status: int,
        code: Code,
        detail: str,
        *,
        field: str | None = None,
        reason: str = "",
        retry_after: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.field = field
        self.reason = reason
        self.retry_after = retry_after
