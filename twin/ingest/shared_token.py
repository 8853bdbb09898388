"""Reads the append script's finding that two devices use one token at the same time."""

from typing import NamedTuple
from uuid import UUID

import redis

from twin import keys


class SharedToken(NamedTuple):
    """Two boots of one device that sent samples of the same time."""

    device: str
    earlier: str
    later: str
    at_us: int  # last time it was noticed


def shared_token_of(client: redis.Redis, machine: UUID | str) -> SharedToken | None:
    """Return the shared token of a machine; None if none was noticed within the last five minutes."""
    found: dict[bytes, bytes] = client.hgetall(keys.shared_token(machine))  # type: ignore[assignment]
    if not found:
        return None
    text = {name: value.decode(errors="replace") for name, value in found.items()}
    return SharedToken(text[b"device"], text[b"earlier"], text[b"later"], int(text[b"at"]))
