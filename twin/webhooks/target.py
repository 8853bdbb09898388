"""Checks webhook addresses, to prevent requests into our own network (server-side request forgery).

We resolve the host name, require that all its addresses are public, and connect to a checked address instead
of the name. If the name gets another address after the check, this therefore has no effect.
"""

import ipaddress
import socket
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# IPv6 networks that are translated to IPv4 addresses
_TRANSLATED = tuple(map(ipaddress.ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")))


class BadTarget(ValueError):
    """Why an address is refused."""


class Target(NamedTuple):
    """A checked IP address to connect to, and the host name of the server."""

    scheme: str
    host: str
    port: int
    path: str
    address: str


def check(url: str) -> None:
    """Check an address without a name lookup; raises BadTarget."""
    _parts(url)


def locate(url: str) -> Target:
    """Resolve the host name; raises BadTarget if any of its addresses is not public."""
    scheme, host, port, path = _parts(url)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        raise BadTarget(_("The host name %(host)s was not found.") % {"host": host}) from None
    addresses = [str(entry[4][0]) for entry in found]
    _refuse_private(host, addresses)
    return Target(scheme, host, port, path, addresses[0])


def _parts(url: str) -> tuple[str, str, int, str]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise BadTarget(_("This is not a valid address.")) from None
    allowed = ("https", "http") if settings.WEBHOOK_PRIVATE else ("https",)
    if parts.scheme not in allowed:
        raise BadTarget(_("The address must begin with https://."))
    if not host or not host.isascii():
        raise BadTarget(_("The address has no valid host name."))
    if parts.username or parts.password or "@" in parts.netloc:
        raise BadTarget(
            _(
                "The address must not contain a user name or password. The receiver can verify the"
                " signature instead."
            )
        )
    _refuse_private(host, [host] if _is_number(host) else [])
    path = parts.path or "/"
    usual = 443 if parts.scheme == "https" else 80
    return parts.scheme, host, port or usual, f"{path}?{parts.query}" if parts.query else path


def _refuse_private(host: str, addresses: Sequence[str]) -> None:
    if settings.WEBHOOK_PRIVATE:
        return
    for text in addresses:
        if not is_public(ipaddress.ip_address(text.partition("%")[0])):
            words = _(
                "%(host)s leads to %(address)s, which is not a public address. Use an address that can be"
                " reached from the internet."
            )
            raise BadTarget(words % {"host": host, "address": text})


def is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if any(address in network for network in _TRANSLATED):
            return False
    return address.is_global and not address.is_multicast


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
