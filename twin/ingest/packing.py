"""Undoing gzip within a limit, and telling the forms of a body apart where no header does."""

import zlib

from twin.ingest.body import Form
from twin.ingest.refusal import Refusal

GZIP = b"\x1f\x8b"


def gunzip(data: bytes, limit: int) -> bytes:
    """Never more than the limit: a small file can hold a very large one."""
    reader = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        body = reader.decompress(data, limit + 1)
    except zlib.error as error:
        raise Refusal(400, f"The body is not gzip: {error}.") from None
    if len(body) > limit:
        raise too_large(limit)
    if not reader.eof or reader.unused_data:
        raise Refusal(400, "The body is not one complete gzip file.")
    return body


def form_of(data: bytes) -> Form:
    """A JSON object begins with a brace or white space, neither of which begins a map in msgpack."""
    return "json" if data[:1] in (b"{", b" ", b"\n", b"\r", b"\t", b"") else "msgpack"


def too_large(limit: int) -> Refusal:
    return Refusal(413, f"The body is too large; allowed are {limit} bytes, before and after decompression.")
