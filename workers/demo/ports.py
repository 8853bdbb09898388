"""Free ports, and whether one is taken."""

import errno
import random
import socket

HOST = "127.0.0.1"
SERVERS = range(15_000, 32_000)  # Linux hands out ports from 32768 on, others from 49152


class PortTaken(Exception):
    """Somebody listens there already."""


def check_free(port: int) -> None:
    """PortTaken unless the port can be listened on; other reasons (a privileged port) come as OSError."""
    if not 0 < port < 65536:
        raise OSError(errno.EINVAL, "ports go from 1 to 65535")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # one just closed counts as free
        try:
            probe.bind((HOST, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortTaken(port) from None
            raise


def free_ports(count: int) -> list[int]:
    """Different ports that nobody listens on just now.

    From below those that systems hand out to outgoing connections: a client that tries again and again while
    its server is restarted might be given that very port, and keep the server from coming back.
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
    raise OSError(errno.EADDRINUSE, f"no {count} free ports from {SERVERS[0]} to {SERVERS[-1]}")
