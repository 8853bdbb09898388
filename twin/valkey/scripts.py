"""Lua scripts, called by their digest: the text goes over the line only when the server lacks it."""

import hashlib
from collections.abc import Sequence
from typing import Any

import redis

from twin.valkey.address import pack


class Script:
    """A script of the telemetry server."""

    def __init__(self, text: str) -> None:
        self._digest = hashlib.sha1(
            text.encode(), usedforsecurity=False
        ).hexdigest()  # as the server names it
        self.loading = pack("SCRIPT", "LOAD", text)

    def call(self, names: Sequence[str], *arguments: str | bytes | int) -> bytes:
        """A call as it goes over the line; names are the keys that it touches."""
        return pack("EVALSHA", self._digest, len(names), *names, *arguments)


def not_known(answers: Sequence[Any]) -> list[int]:
    """Which of the answers say that the server does not know the script, for one, after a restart."""
    return [i for i, answer in enumerate(answers) if _says_so(answer)]


def _says_so(answer: Any) -> bool:
    return isinstance(answer, redis.ResponseError) and str(answer).startswith("NOSCRIPT")
