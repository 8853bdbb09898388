"""Finds free ports, and checks whether a port is free."""

import errno
import random
import socket

HOST = "127.0.0.1"
SERVERS = range(15_000, 32_000)  # Linux assigns outgoing ports from 32768, other systems from 49152


class PortTaken(Exception):
    """Another process already listens on the port."""


def check_free(port: int) -> None:
    """Check that a port is free.

    Raises PortTaken if another process listens there, or OSError for other reasons, such as a privileged
    port.
    """
    if not 0 < port < 65536:
        raise OSError(errno.EINVAL, "must be 1 to 65535")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port closed just now counts as free
        try:
            probe.bind((HOST, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortTaken(port) from None
            raise


def free_ports(count: int) -> list[int]:
    """Return different ports that are free at the moment.

    The ports are below the range of outgoing connections. Otherwise, a client that reconnects while its
    server restarts could be assigned the server's own port and block it.
    """
    found: list[int] = []
    for port in random.sample(SERVERS, len(SERVERS)):
        try:
            check_free(port)
        except PortTaken:
            continue
        found.append(port)
        if len(found) == count:
            return found
    raise OSError(
        errno.EADDRINUSE, f"fewer than {count} ports are free between {SERVERS[0]} and {SERVERS[-1]}"
    )
