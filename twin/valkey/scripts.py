"""Calls Lua scripts by their SHA-1 digest; sends a script's text only if the server does not have it yet."""

import hashlib
from collections.abc import Sequence
from typing import Any

import redis

from twin.valkey.address import pack


class Script:
    """A Lua script."""

    def __init__(self, text: str) -> None:
        digest = hashlib.sha1(text.encode(), usedforsecurity=False)  # the server identifies scripts by SHA-1
        self._digest = digest.hexdigest()
        self.load_command = pack("SCRIPT", "LOAD", text)

    def command(self, keys: Sequence[str], *arguments: str | bytes | int) -> bytes:
        """Return the packed command that runs the script on these keys."""
        return pack("EVALSHA", self._digest, len(keys), *keys, *arguments)


def missing_scripts(replies: Sequence[Any]) -> list[int]:
    """Return the indexes of the replies that say NOSCRIPT, for example after a restart of the server."""
    return [i for i, reply in enumerate(replies) if _is_missing(reply)]


def _is_missing(reply: Any) -> bool:
    return isinstance(reply, redis.ResponseError) and str(reply).startswith("NOSCRIPT")
