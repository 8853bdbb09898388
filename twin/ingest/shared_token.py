"""Two devices that use one token at once, as the append script has noticed it."""

from typing import NamedTuple
from uuid import UUID

import redis

from twin import keys


class Rivals(NamedTuple):
    """Two starts of one device whose samples are of the same time."""

    device: str
    earlier: str
    later: str
    at_us: int  # when it was seen last


def rivals_of(client: redis.Redis, machine: UUID | str) -> Rivals | None:
    """None if it was not seen within the last five minutes."""
    found: dict[bytes, bytes] = client.hgetall(keys.rivals(machine))  # type: ignore[assignment]
    if not found:
        return None
    text = {name: value.decode(errors="replace") for name, value in found.items()}
    return Rivals(text[b"device"], text[b"earlier"], text[b"later"], int(text[b"at"]))
