"""Device tokens: `ht_<prefix>_<secret>`, 256 random bits behind a public prefix.

The secret is kept as its SHA-256 only. A slow password hash would add nothing: the entropy is in the token.
"""

import base64
import hashlib
import hmac
import re
import secrets
from typing import NamedTuple

_FORM = re.compile(r"ht_([a-z2-7]{8})_([A-Za-z0-9_-]{43})")


class NewToken(NamedTuple):
    text: str  # shown once, never stored
    prefix: str
    digest: bytes


def make() -> NewToken:
    prefix = base64.b32encode(secrets.token_bytes(5)).decode().lower()
    text = f"ht_{prefix}_{secrets.token_urlsafe(32)}"
    return NewToken(text, prefix, digest(text))


def prefix_of(text: str) -> str | None:
    """The public part of a token; None if the text is no token at all."""
    match = _FORM.fullmatch(text)
    return match[1] if match else None


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def matches(text: str, kept: bytes | memoryview) -> bool:
    return hmac.compare_digest(digest(text), bytes(kept))
