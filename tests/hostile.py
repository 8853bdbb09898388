"""Messages that nobody should send: fuzzed bodies, wrong types, huge numbers, wrong tokens, replays.

None of them may add a sample to a stream. Each comes from a seeded generator, so a finding can be repeated.
"""

import gzip
import json
import math
import random
import string
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice, repeat
from typing import Any

import msgpack

from twin.fleet import tokens

BOMB = gzip.compress(b" " * 20_000_000, 9)
HUGE = ["1e400", "-1e400", "9" * 5000, str(2**63), str(-(2**63) - 1), "NaN", "Infinity", "1e-400", "-0"]
SCALARS: list[Any] = [None, True, False, 0, -1, 1.5, 2**53, "", "x", [], {}, [[]], {"a": {}}, "\ud800"]


@dataclass
class Message:
    """A request; the body is also what is published over MQTT."""

    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    method: str = "POST"


class Hostile:
    """An endless supply. `replayed` are bodies that have been accepted before."""

    def __init__(self, seed: int, token: str, replayed: list[bytes]) -> None:
        self._random = random.Random(seed)
        self._token = token
        self._replayed = replayed
        self._bodies: list[Callable[[], bytes]] = [
            self._noise, self._cut, self._flipped, self._wrong_types, self._huge_numbers, self._deep,
            self._replay, self._implausible, self._boots, self._many, self._msgpack_noise,
        ]  # fmt: skip

    def bodies(self, count: int, largest: float = math.inf) -> Iterator[bytes]:
        """So many, none of them larger than so many bytes."""
        endless = (self._random.choice(self._bodies)() for _ in repeat(None))
        return islice((body for body in endless if len(body) <= largest), count)

    def requests(self, count: int) -> Iterator[Message]:
        for body in self.bodies(count):
            yield self._request(body)

    # whole requests

    def _request(self, body: bytes) -> Message:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        if body[:1] not in (b"{", b"["):
            headers["Content-Type"] = self._random.choice(["application/json", "application/msgpack"])
        roll = self._random.random()
        if roll < 0.10:
            headers["Authorization"] = self._wrong_token()
        elif roll < 0.13:
            headers["Content-Type"] = self._random.choice(["", "text/plain", "application/json2", "\x7f"])
        elif roll < 0.16:
            headers["Content-Encoding"] = "gzip"  # which it is not
        elif roll < 0.17:
            headers["Content-Encoding"], body = "gzip", BOMB
        elif roll < 0.18:
            headers["Content-Encoding"], body = "gzip", gzip.compress(body)[:-3]
        elif roll < 0.19:
            headers["Content-Encoding"] = self._random.choice(["br", "deflate", "gzip, gzip"])
        elif roll < 0.20:
            return Message(b"", headers, self._random.choice(["GET", "PUT", "DELETE", "PATCH"]))
        elif roll < 0.202:
            body = b" " * 1_048_577
        return Message(body, headers)

    def _wrong_token(self) -> str:
        made = tokens.make().text
        cut = self._token[:-1] + ("A" if self._token[-1] != "A" else "B")
        swapped = self._token[:12] + made[12:]
        choices = [made, cut, swapped, "", "ht_", self._text(60), f"{self._token}=", "é" * 20]
        scheme = self._random.choice(["Bearer ", "Bearer ", "Basic ", "", "bearer\t"])
        return (scheme + self._random.choice(choices)).encode("latin-1", "replace").decode("latin-1").strip()

    # bodies

    def _noise(self) -> bytes:
        return self._random.randbytes(self._random.randrange(300))

    def _msgpack_noise(self) -> bytes:
        data = bytearray(msgpack.packb({"boot": "noise", "samples": [self._unknown()]}))
        for _ in range(self._random.randrange(1, 6)):
            data[self._random.randrange(len(data))] = self._random.randrange(256)
        return bytes(data)

    def _cut(self) -> bytes:
        body = self._body([self._unknown()])
        return body[: self._random.randrange(len(body) - 1)]

    def _flipped(self) -> bytes:
        body = bytearray(self._body([self._unknown(), self._unknown()]))
        for _ in range(self._random.randrange(1, 8)):
            body[self._random.randrange(len(body))] ^= 1 << self._random.randrange(8)
        return bytes(body)

    def _wrong_types(self) -> bytes:
        wrong = self._random.choice(SCALARS)
        sample = self._unknown() | {self._random.choice(["seq", "t", "channels"]): wrong}
        whole: dict[str, Any] = {"boot": "types", "samples": [sample, wrong]}
        if self._random.random() < 0.3:
            whole[self._random.choice(["boot", "samples"])] = wrong
        return json.dumps(self._random.choice([whole, whole, wrong, [whole]])).encode()

    def _huge_numbers(self) -> bytes:
        huge = self._random.choice(HUGE)
        place = self._random.choice(['"seq": %s, "t": 1', '"seq": 1, "t": %s', '"seq": 1, "t": 1, "x": %s'])
        return (
            f'{{"boot": "huge", "samples": [{{{place % huge}, "channels": {{"hose.p": {huge}}}}}]}}'.encode()
        )

    def _deep(self) -> bytes:
        depth = self._random.choice([50, 1000, 50_000])
        return self._random.choice([b"[" * depth, b'{"boot":' * depth, b"\x91" * depth, b"\x81\xa1a" * depth])

    def _replay(self) -> bytes:
        return self._random.choice(self._replayed)

    def _implausible(self) -> bytes:
        now = time.time_ns() // 1000
        changes: list[dict[str, Any]] = [
            {"t": now + self._random.randrange(10**7, 10**15)},
            {"t": -self._random.randrange(10**15)},
            {
                "t": self._random.choice(
                    ["yesterday", "2026-02-31T00:00:00Z", "0001-01-01T00:00:00+23:59", ""]
                )
            },
            {"seq": -self._random.randrange(1, 10**9)},
            {"seq": 2**53},
            {"channels": {}},
            {"channels": {"hose.p": self._random.choice([-1e30, 1e30])}},
            {"channels": {self._text(500): 1.0}},
        ]
        return self._body([{"seq": 0, "t": now, "channels": {"hose.p": 1e7}} | self._random.choice(changes)])

    def _boots(self) -> bytes:
        boot = self._random.choice(["", "x" * 65, "\x00", "a\nb", "\u202e", "\ud800"])
        now = time.time_ns() // 1000
        return json.dumps(
            {"boot": boot, "samples": [{"seq": 0, "t": now, "channels": {"hose.p": 1}}]}
        ).encode()

    def _many(self) -> bytes:
        return self._body([self._unknown()] * self._random.choice([0, 1001, 1500]))

    def _unknown(self) -> dict[str, Any]:
        """Right in form, but of a channel that no machine has."""
        return {
            "seq": self._random.randrange(10**6),
            "t": time.time_ns() // 1000,
            "channels": {"no.such": 1.0},
        }

    def _body(self, samples: list[Any]) -> bytes:
        return json.dumps({"boot": "hostile", "samples": samples}).encode()

    def _text(self, most: int) -> str:
        return "".join(self._random.choices(string.printable, k=self._random.randrange(most)))
