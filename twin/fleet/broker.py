"""Writes Mosquitto's password file and access file from the device tokens in the database.

Every valid device token is an account named `{machine}.{prefix of the token}`, so that a device can switch
from one token to the next. In addition, `{machine}` is an account with the machine's oldest valid token. An
account may only write to its own telemetry topic and read its own ack topic.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from twin.fleet import tokens
from twin.fleet.models import DeviceToken
from twin.ingest.topics import TopicOwner, patterns, topic

PASSWORDS, ACCESS = "passwords", "access"
MODE = 0o640  # readable by the broker's group


class Account(NamedTuple):
    user: str
    verifier: str
    write: tuple[str, ...]
    read: tuple[str, ...]


class Broker(NamedTuple):
    """The broker's address, and the account that the bridge uses."""

    host: str
    port: int
    tls: bool
    user: str
    password: str

    @classmethod
    def from_url(cls, url: str) -> "Broker":
        """Parse mqtt://user:password@host:port or mqtts://...; error messages never contain the password."""
        parts = urlsplit(url)
        if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname:
            raise ValueError(
                "must be mqtt://user:password@host:port, or mqtts://user:password@host:port for TLS"
            )
        if not parts.username or not parts.password:
            raise ValueError("must contain the bridge's user name and password")
        tls = parts.scheme == "mqtts"
        port = parts.port or (8883 if tls else 1883)
        return cls(parts.hostname, port, tls, unquote(parts.username), unquote(parts.password))


def write_files(directory: Path, broker: Broker) -> bool:
    """Write both files, replacing each in one step; return False if both were already up to date."""
    accounts = [_bridge(broker), *_devices()]
    changed = [
        _replace(directory / PASSWORDS, _password_file(accounts)),
        _replace(directory / ACCESS, _access_file(accounts)),
    ]
    return any(changed)


def _bridge(broker: Broker) -> Account:
    # a salt derived from the password, so that the file changes only with the password
    salt = hashlib.sha256(f"bridge {broker.password}".encode()).digest()[: tokens.SALT]
    verifier = tokens.broker_verifier(broker.password, salt)
    return Account(broker.user, verifier, write=patterns("ack"), read=patterns("telemetry"))


def _devices() -> Iterator[Account]:
    first: dict[object, object] = {}  # machine -> its first device
    named: set[object] = set()  # machines that have their `{machine}` account
    rows = DeviceToken.objects.for_runtime().select_related("device").exclude(verifier="").order_by("pk")
    for row in rows.iterator():
        machine = row.device.machine_id
        first.setdefault(machine, row.device_id)
        if row.revoked_at is not None:
            continue
        owners = [TopicOwner(machine, row.device_id)]
        if first[machine] == row.device_id:
            owners.append(TopicOwner(machine, None))
        write = tuple(topic("telemetry", owner) for owner in owners)
        read = tuple(topic("ack", owner) for owner in owners)
        yield Account(f"{machine}.{row.prefix}", row.verifier, write, read)
        if machine not in named:
            named.add(machine)
            yield Account(str(machine), row.verifier, write, read)


def _password_file(accounts: Iterable[Account]) -> str:
    return "".join(f"{account.user}:{account.verifier}\n" for account in accounts)


def _access_file(accounts: Iterable[Account]) -> str:
    lines: list[str] = []
    for account in accounts:
        lines.append(f"user {account.user}")
        lines += [f"topic write {each}" for each in account.write]
        lines += [f"topic read {each}" for each in account.read]
    return "\n".join(lines) + "\n"


def _replace(path: Path, content: str) -> bool:
    if path.exists() and path.read_text() == content:
        return False
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, MODE), "w") as file:
        file.write(content)
    draft.replace(path)
    return True
