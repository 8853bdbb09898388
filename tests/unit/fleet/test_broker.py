"""The accounts of the MQTT broker: who may do what, as the files say it."""

import base64
import hashlib
import stat
from pathlib import Path
from typing import Any

import pytest

from twin.fleet import services
from twin.fleet.broker import Broker, write_files
from twin.fleet.identity import identify_topic
from twin.fleet.models import DeviceToken

pytestmark = pytest.mark.database

BROKER = Broker.from_url("mqtts://bridge:p%40ss@broker.example")


def passwords(directory: Path) -> dict[str, str]:
    lines = (directory / "passwords").read_text().splitlines()
    return dict(line.split(":", 1) for line in lines)


def access(directory: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in (directory / "access").read_text().splitlines():
        if line.startswith("user "):
            user = line.removeprefix("user ")
        else:
            found.setdefault(user, set()).add(line.removeprefix("topic "))
    return found


def opens(verifier: str, password: str) -> bool:
    """As Mosquitto checks it."""
    _, kind, rounds, salt, key = verifier.split("$")
    made = hashlib.pbkdf2_hmac("sha512", password.encode(), base64.b64decode(salt), int(rounds), 64)
    return kind == "7" and made == base64.b64decode(key)


def test_the_address_of_the_broker() -> None:
    assert BROKER == ("broker.example", 8883, True, "bridge", "p@ss")
    for wrong in ("", "http://a:b@c", "mqtt://host", "mqtt://a:b@host:port", "mqtt://a@host"):
        with pytest.raises(ValueError, match=r"must|[Pp]ort"):
            Broker.from_url(wrong)


def test_every_valid_token_is_an_account_with_its_own_topics(story: Any, tmp_path: Path) -> None:
    first = services.issue_token(story.device)
    second = services.issue_token(story.device)
    other = services.create_device(story.machine, "Gateway")
    third = services.issue_token(other)
    services.issue_token(other, over_mqtt=False)
    assert write_files(tmp_path, BROKER)
    machine, names = str(story.machine.pk), {t: t.split("_")[1] for t in (first, second, third)}
    kept = passwords(tmp_path)
    assert set(kept) == {"bridge", machine, *(f"{machine}.{prefix}" for prefix in names.values())}
    assert opens(kept["bridge"], "p@ss")
    assert opens(kept[machine], first)
    assert not opens(kept[machine], second)
    assert all(opens(kept[f"{machine}.{prefix}"], token) for token, prefix in names.items())
    root, mine, others = f"hydratwin/{machine}", story.device.pk, other.pk
    own = {f"write {root}/telemetry/{mine}", f"read {root}/ack/{mine}"}
    plain = {f"write {root}/telemetry", f"read {root}/ack"}
    rights = access(tmp_path)
    assert rights[machine] == rights[f"{machine}.{names[first]}"] == own | plain
    assert rights[f"{machine}.{names[third]}"] == {
        f"write {root}/telemetry/{others}",
        f"read {root}/ack/{others}",
    }
    assert rights["bridge"] == {
        "read hydratwin/+/telemetry",
        "read hydratwin/+/telemetry/+",
        "write hydratwin/+/ack",
        "write hydratwin/+/ack/+",
    }
    assert stat.S_IMODE((tmp_path / "passwords").stat().st_mode) & 0o007 == 0
    assert not write_files(tmp_path, BROKER)  # nothing has changed


def test_a_revoked_token_has_no_account_and_the_plain_name_goes_to_its_successor(
    story: Any, tmp_path: Path
) -> None:
    first, second = services.issue_token(story.device), services.issue_token(story.device)
    services.revoke_token(DeviceToken.objects.for_runtime().get(prefix=first.split("_")[1]))
    write_files(tmp_path, BROKER)
    kept = passwords(tmp_path)
    assert f"{story.machine.pk}.{first.split('_')[1]}" not in kept
    assert opens(kept[str(story.machine.pk)], second)


def test_a_topic_belongs_to_a_device_with_a_valid_token(story: Any) -> None:
    machine = story.machine.pk
    other = services.create_device(story.machine, "Replay")
    services.issue_token(other, over_mqtt=False)
    assert identify_topic(machine, None) is None
    services.issue_token(story.device)
    found = identify_topic(machine, None)
    assert found is not None
    assert (found.device, found.machine) == (str(story.device.pk), str(machine))
    assert found == identify_topic(machine, story.device.pk)
    assert identify_topic(machine, other.pk) is None
    assert identify_topic(story.strange_machine.pk, story.device.pk) is None
    for token in DeviceToken.objects.for_runtime().filter(device=story.device):
        services.revoke_token(token)
    assert identify_topic(machine, None) is None
