"""Decompresses bodies, and detects their format if no header states it."""

import zlib

from twin.ingest.body import Form
from twin.ingest.refusal import Refusal

GZIP = b"\x1f\x8b"


def gunzip(data: bytes, limit: int) -> bytes:
    """Decompress a body to at most `limit` bytes, because a small file may expand to a very large one."""
    reader = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        body = reader.decompress(data, limit + 1)
    except zlib.error as error:
        raise Refusal(400, "body.gzip", f"The body is not gzip: {error}.") from None
    if len(body) > limit:
        raise too_large(limit)
    if not reader.eof or reader.unused_data:
        raise Refusal(400, "body.gzip", "The body is not one complete gzip file.")
    return body


def detect_form(data: bytes) -> Form:
    """Detect the format: JSON starts with a brace or white space, but no msgpack map does."""
    return "json" if data[:1] in (b"{", b" ", b"\n", b"\r", b"\t", b"") else "msgpack"


def too_large(limit: int) -> Refusal:
    detail = f"The body is too large; it must be at most {limit} bytes, before and after decompression."
    return Refusal(413, "body.too_large", detail)
