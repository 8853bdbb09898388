"""Writes the accounts of the MQTT broker from the device tokens, and makes the broker reload them."""

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

CHECK_S = 30.0  # the files are compared this often, because control events can be lost
PAUSE_S = 1.0


class Command(BaseCommand):
    help = "Write Mosquitto's password and access files; with --watch, keep them up to date."

    _reload_due = False  # the broker has not reloaded the files yet

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "directory", type=Path, help="directory for the files; must match the broker's settings"
        )
        parser.add_argument(
            "--pid-file", type=Path, help="pid file of the broker, used to make the broker reload the files"
        )
        parser.add_argument("--watch", action="store_true", help="keep running and keep the files up to date")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            broker = Broker.from_url(settings.MQTT_URL)
        except ValueError as error:
            raise CommandError(f"HYDRATWIN_MQTT_URL {error}") from None
        if not options["directory"].is_dir():
            raise CommandError(f"directory {options['directory']} does not exist")
        if not options["watch"]:
            self._write(broker, options["directory"], options["pid_file"])
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _stop)
        control = ControlListener(settings.TELEMETRY_URL)
        while True:
            try:
                self._write(broker, options["directory"], options["pid_file"])
            except DatabaseError as error:
                self.stderr.write(f"accounts not checked, because the database is not responding: {error}")
            deadline = time.monotonic() + CHECK_S
            while not control.wait(PAUSE_S) and time.monotonic() < deadline:
                pass

    def _write(self, broker: Broker, directory: Path, pid_file: Path | None) -> None:
        if write_files(directory, broker):
            self.stdout.write("accounts of the MQTT broker written")
            self._reload_due = True
        if not self._reload_due or pid_file is None:
            return
        try:
            os.kill(int(pid_file.read_text()), signal.SIGHUP)
            self._reload_due = False
        except (OSError, ValueError) as error:  # a broker that starts later reads the files anyway
            self.stderr.write(f"the broker has not reloaded its accounts: {pid_file}: {error}")


def _stop(*_: object) -> None:
    raise SystemExit(0)
