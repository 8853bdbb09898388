"""Write the accounts of the MQTT broker from the device tokens, and have the broker read them."""

import os
import signal
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from twin.control.listener import ControlListener
from twin.fleet.broker import Broker, write_files

LOOK_S = 30.0  # news of a token can get lost; the files are compared so often anyway
PAUSE_S = 1.0


class Command(BaseCommand):
    help = "Write Mosquitto's password and access files; with --watch again whenever a token changes."

    _untold = False  # the broker may still have the files as they were

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("directory", type=Path, help="of the two files, as the broker's settings name it")
        parser.add_argument("--pid-file", type=Path, help="of the broker, which is told to read them again")
        parser.add_argument("--watch", action="store_true", help="stay, and keep the files right")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            broker = Broker.from_url(settings.MQTT_URL)
        except ValueError as error:
            raise CommandError(f"HYDRATWIN_MQTT_URL {error}") from None
        if not options["directory"].is_dir():
            raise CommandError(f"there is no directory {options['directory']}")
        if not options["watch"]:
            self._write(broker, options["directory"], options["pid_file"])
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _stop)
        news = ControlListener(settings.TELEMETRY_URL)
        while True:
            try:
                self._write(broker, options["directory"], options["pid_file"])
            except DatabaseError as error:
                self.stderr.write(f"accounts not looked at: {error}")
            deadline = time.monotonic() + LOOK_S
            while not news.wait(PAUSE_S) and time.monotonic() < deadline:
                pass

    def _write(self, broker: Broker, directory: Path, pid_file: Path | None) -> None:
        if write_files(directory, broker):
            self.stdout.write("accounts of the MQTT broker written")
            self._untold = True
        if not self._untold or pid_file is None:
            return
        try:
            os.kill(int(pid_file.read_text()), signal.SIGHUP)
            self._untold = False
        except (OSError, ValueError) as error:  # one that starts later reads the files by itself
            self.stderr.write(f"the broker was not told: {pid_file}: {error}")


def _stop(*_: object) -> None:
    raise SystemExit(0)
