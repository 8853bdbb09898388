"""New entries of many streams in one question."""

from collections.abc import Iterable, Sequence
from typing import Any

from twin.valkey.address import pack
from twin.valkey.pipeline_client import Wire, good

StreamEntry = Sequence[Any]  # its id, and its fields and their values in turn


def read_new(
    wire: Wire, places: Iterable[tuple[str | bytes, str]], count: int
) -> dict[bytes, Sequence[StreamEntry]]:
    """By stream the entries behind its place, at most so many of each. Raises RedisError."""
    streams, behind = zip(*places, strict=True)
    question = pack("XREAD", "COUNT", count, "STREAMS", *streams, *behind)
    return dict(good(wire.ask([question]))[0] or ())
