"""`manage.py replay FILE --machine ID`: sends recorded telemetry through the public interface."""

import hashlib
import math
import os
import secrets
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
from django.core.management.base import BaseCommand, CommandError

from twin.fleet import services
from twin.fleet.identity import identify, telemetry_channels
from twin.fleet.models import Device, DeviceToken, Machine
from workers.replay.can_log import CanLog
from workers.replay.recording import BadRecording, Reader
from workers.replay.sending import TIMEOUT_S, Pace, Replay, Stopped, shift_to_now
from workers.replay.tables import read_csv, read_json_lines

DEVICE = "File replay"
TABLES: dict[str, Reader] = {".csv": read_csv, ".jsonl": read_json_lines, ".ndjson": read_json_lines}


class Command(BaseCommand):
    help = (
        "Send a recording (CSV, JSON lines, or a candump log with --dbc) as a device does. The device token "
        "is HYDRATWIN_DEVICE_TOKEN; without it, a token is issued for the duration of the replay."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--machine", type=UUID, required=True, help="id of the machine, as shown in the admin"
        )
        parser.add_argument("--url", default="http://127.0.0.1:8000", help="address of the platform")
        parser.add_argument(
            "--speed",
            type=_speed,
            default=1.0,
            help="1: as recorded; 10: ten times as fast; max: as fast as possible",
        )
        parser.add_argument(
            "--shift",
            action="store_true",
            help="shift machine times to the present; by default they are kept",
        )
        parser.add_argument("--dbc", type=Path, help="DBC file that describes the frames of a CAN log")

    def handle(self, *args: Any, **options: Any) -> None:
        machine = Machine.objects.for_runtime().filter(pk=options["machine"]).first()
        if machine is None:
            raise CommandError(
                f"machine {options['machine']} does not exist; the admin shows the ids of all machines"
            )
        path: Path = options["file"]
        try:
            read = _reader(path, options["dbc"], machine)
            first_us, last_us, count = _look_through(read, path)
        except (OSError, ValueError) as error:
            raise CommandError(str(error)) from None
        shift_us = 0
        if options["shift"]:
            shift_us = shift_to_now(time.time_ns() // 1000, first_us, last_us, options["speed"])
        boot = f"replay {secrets.token_hex(8)}" if options["shift"] else f"replay {_digest(path)}"
        with _token(machine) as token, httpx.Client(base_url=options["url"], timeout=TIMEOUT_S) as client:
            replay = Replay(client, token, boot, self.stderr.write)
            try:
                replay.send(read(path), Pace(options["speed"], first_us, shift_us))
            except Stopped as error:
                raise CommandError(f"{path}: {error}") from None
        self._report(path, replay, count)

    def _report(self, path: Path, replay: Replay, count: int) -> None:
        tally = replay.tally
        for reason in tally.reasons:
            self.stderr.write(f"{path}: {reason}")
        self.stdout.write(
            f"{count} samples: {tally.accepted} accepted, {tally.duplicate} sent before, "
            f"{tally.rejected} rejected"
        )
        if tally.rejected:
            raise CommandError(f"{tally.rejected} of {count} samples were rejected")


def _speed(text: str) -> float:
    if text == "max":
        return math.inf
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed < math.inf:
        raise ArgumentTypeError(f"{text!r}: must be a number above 0, or max")
    return speed


def _reader(path: Path, dbc: Path | None, machine: Machine) -> Reader:
    if dbc is not None:
        return CanLog(dbc, telemetry_channels(machine))
    if path.suffix.lower() not in TABLES:
        known = ", ".join(TABLES)
        raise ValueError(
            f"{path}: the file type is not supported; must be one of: {known}, or a CAN log with --dbc"
        )
    return TABLES[path.suffix.lower()]


def _look_through(read: Reader, path: Path) -> tuple[int, int, int]:
    """Return the first and last machine time and the number of samples.

    A file with an error is not sent at all.
    """
    first_us = last_us = count = 0
    for sample in read(path):
        if not count:
            first_us = last_us = sample.t_us
        if sample.t_us < last_us:
            raise BadRecording(path, sample.line, "t", "the time is earlier than that of the previous sample")
        last_us = sample.t_us
        count += 1
    if not count:
        raise ValueError(f"{path}: contains no samples")
    return first_us, last_us, count


def _digest(path: Path) -> str:
    """Return the file's digest as the boot, so that samples that were sent before are not stored twice."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


@contextmanager
def _token(machine: Machine) -> Iterator[str]:
    """Provide the caller's own token, or a new one that is revoked afterwards."""
    given = os.environ.get("HYDRATWIN_DEVICE_TOKEN", "")
    if given:
        known = identify(given)
        if known is None or known.machine != str(machine.pk):
            raise CommandError(f"HYDRATWIN_DEVICE_TOKEN is not a valid token of machine {machine}")
        yield given
        return
    device = Device.objects.for_runtime().filter(machine=machine, name=DEVICE).first()
    device = device or services.create_device(machine, DEVICE)
    text = services.rotate_token(device, over_mqtt=False)
    try:
        yield text
    finally:
        prefix = text.split("_")[1]
        services.revoke_token(DeviceToken.objects.for_runtime().get(prefix=prefix))
