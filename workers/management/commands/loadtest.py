"""`manage.py loadtest`: runs many twins and all services on this computer, with or without a fault."""

import json
import math
import os
import sys
import tempfile
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from workers.loadtest import mosquitto, report
from workers.loadtest.faults import FAULTS
from workers.loadtest.platform import CannotStart
from workers.loadtest.recording import RIG, load_or_make, played_models
from workers.loadtest.run import WARM_S, Options, Run

MOST_TWINS, MOST_SOCKETS, MOST_SECONDS = 1_000, 2_000, 3_600


class Command(BaseCommand):
    help = (
        "Start a separate platform, replay recorded telemetry to N twins, receive frames over M sockets, "
        "and print how well the twins kept up and whether samples were lost. Exits with 1 if the test failed."
    )
    requires_system_checks: list[str] = []  # noqa: RUF012

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--twins", type=_between(1, MOST_TWINS), default=10)
        parser.add_argument(
            "--rate", type=_between(1, 200), default=50, help="samples per second for each twin"
        )
        parser.add_argument(
            "--sockets", type=_between(0, MOST_SOCKETS), default=10, help="number of WebSocket clients"
        )
        parser.add_argument("--seconds", type=_between(5, MOST_SECONDS), default=60)
        parser.add_argument("--transport", choices=("http", "mqtt"), default="http")
        parser.add_argument("--fault", choices=sorted(FAULTS), help="fault to inject during the run")
        parser.add_argument(
            "--model", choices=sorted(played_models()), default=RIG, help="model of the machines"
        )
        parser.add_argument(
            "--cores",
            type=_between(1, os.cpu_count() or 1),
            help="number of runners, each with a reserved core; the other processes share the rest",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = Options(**{name: options[name] for name in Options.__dataclass_fields__})
        if wanted.transport == "mqtt" and mosquitto.find() is None:
            raise CommandError("--transport mqtt needs Mosquitto, which is not installed on this computer")
        if wanted.fault and FAULTS[wanted.fault].mqtt and wanted.transport != "mqtt":
            raise CommandError(f"--fault {wanted.fault} needs --transport mqtt")
        recording = load_or_make(
            Path(settings.DATA_DIR) / "loadtest",
            wanted.model,
            wanted.rate,
            wanted.seconds + WARM_S,
            self._progress,
        )
        with tempfile.TemporaryDirectory(prefix="ht-load-") as folder:
            try:
                with redirect_stdout(sys.stderr):  # the services print their events
                    found = Run(wanted, Path(settings.BASE_DIR), Path(folder), self._progress).execute(
                        recording
                    )
            except CannotStart as error:
                raise CommandError(str(error)) from None
        self.stdout.write(json.dumps(found) if options["json"] else report.text(found))
        for problem in report.problems(found) if options["json"] else ():
            self._progress(f"FAILED: {problem}")
        if report.problems(found):
            sys.exit(1)

    def _progress(self, text: str) -> None:
        """Print progress to stderr, so that programs can read stdout."""
        self.stderr.write(f"loadtest: {text}")
        self.stderr.flush()


def _between(least: float, most: float) -> Callable[[str], int]:
    def parse(text: str) -> int:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not least <= number <= most or number != int(number):
            raise ArgumentTypeError(f"{text!r}: must be a whole number from {least:g} to {most:g}")
        return int(number)

    return parse
