"""Lets only our own pages open sockets, because browsers send cookies with requests from any page."""

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

Scope = dict[str, Any]
Application = Callable[[Scope, Any, Any], Awaitable[None]]


class SameOrigin:
    """Refuses a handshake unless its Origin is the host itself or one of CSRF_TRUSTED_ORIGINS."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if may_open(scope):
            await self._application(scope, receive, send)
        else:
            await WebsocketDenier()(scope, receive, send)


def may_open(scope: Scope) -> bool:
    headers = dict(scope["headers"])
    origin = headers.get(b"origin", b"").decode("latin-1")
    host = headers.get(b"host", b"").decode("latin-1")
    if not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        return False
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    try:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https"):
            return False
        return _with_port(parts.netloc, parts.scheme) == _with_port(host, parts.scheme)
    except ValueError:
        return False


def _with_port(netloc: str, scheme: str) -> str:
    """Return the host in lower case with its port; browsers omit the default port."""
    usual = 443 if scheme == "https" else 80
    parts = urlsplit(f"//{netloc}")
    return f"{parts.hostname}:{parts.port or usual}"
