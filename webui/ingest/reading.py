"""From an HTTP request to the bytes of a telemetry body, with a limit at every step."""

import zlib
from typing import Any

from twin.telemetry.body import Form
from webui.ingest.answers import Refused

FORMS: dict[str, Form] = {
    "application/json": "json",
    "application/msgpack": "msgpack",
    "application/x-msgpack": "msgpack",
    "application/vnd.msgpack": "msgpack",
}
Headers = dict[bytes, bytes]


class Gone(Exception):
    """The client went away while sending."""


def form_of(headers: Headers) -> Form:
    given = headers.get(b"content-type", b"").decode("latin-1").split(";")[0].strip().lower()
    if given not in FORMS:
        detail = f"Content-Type {given!r} is not understood; send application/json or application/msgpack."
        raise Refused(415, detail, Accept="application/json, application/msgpack")
    return FORMS[given]


def encoding_of(headers: Headers) -> str:
    given = headers.get(b"content-encoding", b"identity").decode("latin-1").strip().lower()
    if given not in ("gzip", "identity"):
        detail = f"Content-Encoding {given!r} is not understood; send gzip or nothing."
        raise Refused(415, detail, Accept_Encoding="gzip")
    return given


async def read_body(headers: Headers, receive: Any, limit: int) -> bytes:
    """The body as sent. One that announces more than the limit is refused before it is read."""
    announced = headers.get(b"content-length", b"")
    if announced.isdigit() and int(announced) > limit:
        raise _too_large(limit)
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise _too_large(limit)
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def unpack(data: bytes, encoding: str, limit: int) -> bytes:
    """Undo the compression, never to more than the limit: a small file can hold a very large one."""
    if encoding == "identity":
        return data
    reader = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        body = reader.decompress(data, limit + 1)
    except zlib.error as error:
        raise Refused(400, f"The body is not gzip: {error}.") from None
    if len(body) > limit:
        raise _too_large(limit)
    if not reader.eof or reader.unused_data:
        raise Refused(400, "The body is not one complete gzip file.")
    return body


def _too_large(limit: int) -> Refused:
    return Refused(413, f"The body is too large; allowed are {limit} bytes, before and after decompression.")
