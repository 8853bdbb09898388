"""Signs deliveries according to Standard Webhooks 1.0, an open specification for which libraries exist.

webhook-id          id of the delivery, the same in every attempt
webhook-timestamp   seconds since 1970, so that a receiver can refuse old deliveries
webhook-signature   v1,<base64 of HMAC-SHA256 over "id.timestamp.body">
"""

import base64
import hashlib
import hmac
import secrets

_MARK = "whsec_"


def new_secret() -> str:
    return _MARK + base64.b64encode(secrets.token_bytes(32)).decode()


def headers(secret: str, message: str, timestamp: int, body: bytes) -> dict[str, str]:
    key = base64.b64decode(secret.removeprefix(_MARK))
    signed = f"{message}.{timestamp}.".encode() + body
    mac = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    return {
        "webhook-id": message,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"v1,{mac}",
    }
