"""Where a Valkey is and what it wants to hear first, from its address; commands as bytes."""

import ssl
from typing import Any, NamedTuple

import hiredis
from redis.connection import SSLConnection, UnixDomainSocketConnection, parse_url


def pack(*parts: str | bytes | int) -> bytes:
    """A command as it goes over the line."""
    packed: bytes = hiredis.pack_command(parts)  # type: ignore[arg-type]
    return packed


class Address(NamedTuple):
    """Of a server; redis://, rediss:// (checked against the authorities of this host) or unix://."""

    host: str
    port: int
    path: str  # of a socket on this host; else empty
    tls: ssl.SSLContext | None
    greeting: tuple[bytes, ...]  # commands that have to be answered before any other

    @classmethod
    def of(cls, url: str) -> "Address":
        options: Any = parse_url(url)  # type: ignore[no-untyped-call]
        kind, user, password = (options.get(name) for name in ("connection_class", "username", "password"))
        greeting = []
        if password:
            greeting.append(pack("AUTH", user, password) if user else pack("AUTH", password))
        if options.get("db"):
            greeting.append(pack("SELECT", options["db"]))
        tls = None
        if kind is SSLConnection:
            tls = ssl.create_default_context(cafile=options.get("ssl_ca_certs"))
        path = options["path"] if kind is UnixDomainSocketConnection else ""
        return cls(options.get("host", "localhost"), options.get("port", 6379), path, tls, tuple(greeting))
