"""Runs Mosquitto with the settings in deploy/, the command that writes its accounts, and the bridge."""

import getpass
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from workers.demo.child import Service
from workers.demo.ports import HOST
from workers.demo.services import Layout

PASSWORD = secrets.token_hex(16)


def find() -> str | None:
    """Return the path of Mosquitto; Debian installs it in a directory that only root's PATH contains."""
    return shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def url(port: int) -> str:
    return f"mqtt://bridge:{PASSWORD}@{HOST}:{port}"


def parts(layout: Layout, port: int, python: Callable[..., Service]) -> Iterator[Service]:
    """Return the services in the order in which they start."""
    directory = layout.data / "mosquitto"
    directory.mkdir()
    pid_file = directory / "broker.pid"
    _write_settings(layout.root / "deploy" / "mosquitto.conf", directory, port)
    command = [find() or "mosquitto", "-c", str(directory / "mosquitto.conf")]
    yield python(
        "accounts", "django", "broker_accounts", str(directory), "--pid-file", str(pid_file), "--watch"
    )
    yield Service("mosquitto", command, layout.environment())
    yield python("bridge", "workers.bridge")


def _write_settings(source: Path, directory: Path, port: int) -> None:
    changes = {
        "listener": f"{port} {HOST}",
        "password_file": str(directory / "passwords"),
        "acl_file": str(directory / "access"),
        "persistence_location": f"{directory}/",
        "pid_file": str(directory / "broker.pid"),
    }
    text = source.read_text()
    for name, value in changes.items():
        text = re.sub(rf"^{name} .*$", f"{name} {value}", text, flags=re.MULTILINE)
    (directory / "mosquitto.conf").write_text(f"{text}\nuser {getpass.getuser()}\n")
    for name in ("passwords", "access"):
        (directory / name).touch()
