"""Converts a Valkey URL into a socket address and a handshake, and packs commands as bytes."""

import ssl
from typing import Any, NamedTuple

import hiredis
from redis.connection import SSLConnection, UnixDomainSocketConnection, parse_url


def pack(*parts: str | bytes | int) -> bytes:
    """Pack one command in the server's protocol."""
    packed: bytes = hiredis.pack_command(parts)  # type: ignore[arg-type]
    return packed


class Address(NamedTuple):
    """The address of a server: redis://, rediss:// (TLS, with this host's certificates) or unix://."""

    host: str
    port: int
    path: str  # of a Unix socket; empty for TCP
    tls: ssl.SSLContext | None
    handshake: tuple[bytes, ...]  # commands to send first: password and database

    @classmethod
    def of(cls, url: str) -> "Address":
        options: Any = parse_url(url)  # type: ignore[no-untyped-call]
        kind, user, password = (options.get(name) for name in ("connection_class", "username", "password"))
        handshake = []
        if password:
            handshake.append(pack("AUTH", user, password) if user else pack("AUTH", password))
        if options.get("db"):
            handshake.append(pack("SELECT", options["db"]))
        tls = None
        if kind is SSLConnection:
            tls = ssl.create_default_context(cafile=options.get("ssl_ca_certs"))
        path = options["path"] if kind is UnixDomainSocketConnection else ""
        return cls(options.get("host", "localhost"), options.get("port", 6379), path, tls, tuple(handshake))
