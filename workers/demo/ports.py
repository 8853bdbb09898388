"""Free ports, and whether one is taken."""

import errno
import socket

HOST = "127.0.0.1"


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
    """Different ports that nobody listens on just now."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind((HOST, 0))
        return [int(probe.getsockname()[1]) for probe in probes]
    finally:
        for probe in probes:
            probe.close()
