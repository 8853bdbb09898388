"""Encrypts secrets with Django's secret key before storing them; a stolen database does not reveal them."""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class CannotUnseal(ValueError):
    """The secret was encrypted with an unknown key."""


def seal(text: str) -> str:
    return _box().encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    try:
        return _box().decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise CannotUnseal(
            "the secret was encrypted with another secret key; add that key to SECRET_KEY_FALLBACKS"
        ) from None


def _box() -> MultiFernet:
    """Return a cipher that encrypts with the current key and can also decrypt with the previous ones."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([Fernet(_derived(key)) for key in keys])


def _derived(key: str | bytes) -> bytes:
    """Derive a key for this purpose only (HKDF, RFC 5869): sessions and forms are signed with other keys."""
    derive = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"hydratwin sealed secrets")
    return base64.urlsafe_b64encode(derive.derive(key if isinstance(key, bytes) else key.encode()))
