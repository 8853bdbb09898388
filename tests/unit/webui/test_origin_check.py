"""A socket is opened by our own pages only."""

from typing import Any

import pytest

from webui.sockets.origin_check import may_open


def scope(host: str, origin: str | None) -> dict[str, Any]:
    headers = [(b"host", host.encode())]
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    return {"headers": headers}


@pytest.mark.parametrize(
    ("host", "origin", "allowed"),
    [
        ("localhost:8000", "http://localhost:8000", True),
        ("127.0.0.1:8000", "http://127.0.0.1:8000", True),
        ("localhost", "http://localhost", True),
        ("localhost:80", "http://localhost", True),
        ("localhost", "https://localhost:443", True),
        ("LOCALHOST:8000", "http://localhost:8000", True),
        ("localhost:8000", "http://localhost:3000", False),  # another program on the same computer
        ("localhost:8000", "http://127.0.0.1:8000", False),
        ("localhost:8000", "https://evil.example", False),
        ("localhost:8000", "http://localhost:8000.evil.example", False),
        ("localhost:8000", "null", False),
        ("localhost:8000", "", False),
        ("localhost:8000", None, False),
        ("localhost:8000", "http://localhost:port", False),
        ("localhost:8000", "ftp://localhost:8000", False),
        ("evil.example", "http://evil.example", False),  # a name that is not ours, pointed at us
        ("", "http://", False),
    ],
)
def test_origin_must_be_the_host_itself(host: str, origin: str | None, allowed: bool) -> None:
    assert may_open(scope(host, origin)) is allowed


def test_a_trusted_origin_may_open_a_socket(settings: Any) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://twin.example"]
    assert may_open(scope("localhost:8000", "https://twin.example"))
    assert not may_open(scope("localhost:8000", "https://twin.example.evil.example"))
