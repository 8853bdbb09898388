"""Makes and checks tokens, `<kind>_<prefix>_<secret>`: a public prefix, then a secret of 256 random bits.

Only the SHA-256 digest of a token is stored. A slow password hash would add no security, because a random
token cannot be guessed. The MQTT broker needs a verifier in its own format, which is computed when the token
is made, because afterwards its text is no longer known.
"""

import base64
import hashlib
import hmac
import re
import secrets
from typing import NamedTuple

SALT = 12  # bytes
ROUNDS = 101  # Mosquitto's default; a secret of 256 bits needs no more

DEVICE, API = "ht", "hta"  # kinds: one cannot be mistaken for the other

_FORM = re.compile(r"(hta?)_([a-z2-7]{8})_([A-Za-z0-9_-]{43})")


class NewToken(NamedTuple):
    text: str  # shown once, never stored
    prefix: str
    digest: bytes
    verifier: str  # for the MQTT broker


def make(kind: str = DEVICE) -> NewToken:
    prefix = base64.b32encode(secrets.token_bytes(5)).decode().lower()
    text = f"{kind}_{prefix}_{secrets.token_urlsafe(32)}"
    return NewToken(text, prefix, digest(text), broker_verifier(text, secrets.token_bytes(SALT)))


def prefix_of(text: str, kind: str = DEVICE) -> str | None:
    """Return the public prefix of a token; None if the text is not a token of this kind."""
    match = _FORM.fullmatch(text)
    return match[2] if match and match[1] == kind else None


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def matches(text: str, kept: bytes | memoryview) -> bool:
    return hmac.compare_digest(digest(text), bytes(kept))


def broker_verifier(text: str, salt: bytes) -> str:
    """Return the PBKDF2 verifier (SHA-512) of a secret, in the format of Mosquitto's password file."""
    key = hashlib.pbkdf2_hmac("sha512", text.encode(), salt, ROUNDS, dklen=64)
    return f"$7${ROUNDS}${base64.b64encode(salt).decode()}${base64.b64encode(key).decode()}"
