"""Reads the telemetry body of an HTTP request, with limits on its type, size and time."""

import asyncio
from typing import Any

from twin.ingest.body import Form
from twin.ingest.packing import gunzip, too_large
from webui.ingest.answers import Refused

FORMS: dict[str, Form] = {
    "application/json": "json",
    "application/msgpack": "msgpack",
    "application/x-msgpack": "msgpack",
    "application/vnd.msgpack": "msgpack",
}
Headers = dict[bytes, bytes]
MAX_LENGTH_DIGITS = 18


class Gone(Exception):
    """The client disconnected while sending."""


def form_by_header(headers: Headers) -> Form:
    given = headers.get(b"content-type", b"").decode("latin-1").split(";")[0].strip().lower()
    if given not in FORMS:
        detail = (
            f"Content-Type {given!r} is not supported; must be one of: application/json, application/msgpack."
        )
        raise Refused(415, "media.type", detail, Accept="application/json, application/msgpack")
    return FORMS[given]


def encoding_of(headers: Headers) -> str:
    given = headers.get(b"content-encoding", b"identity").decode("latin-1").strip().lower()
    if given not in ("gzip", "identity"):
        detail = f"Content-Encoding {given!r} is not supported; must be one of: gzip, identity."
        raise Refused(415, "media.encoding", detail, Accept_Encoding="gzip")
    return given


async def receive_body(headers: Headers, receive: Any, limit: int, seconds: float) -> bytes:
    """Return the body as sent. A body whose Content-Length exceeds the limit is refused before it is read."""
    announced = headers.get(b"content-length", b"")
    if announced.isdigit() and (len(announced) > MAX_LENGTH_DIGITS or int(announced) > limit):
        raise too_large(limit)
    try:
        async with asyncio.timeout(seconds):
            return await _all_parts(receive, limit)
    except TimeoutError:
        detail = f"The body did not arrive within {seconds:g} s; no sample was accepted."
        raise Refused(408, "body.slow", detail, Connection="close") from None


async def _all_parts(receive: Any, limit: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise too_large(limit)
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def unpack(data: bytes, encoding: str, limit: int) -> bytes:
    """Decompress the body."""
    return gunzip(data, limit) if encoding == "gzip" else data
