"""`manage.py demo`: runs the platform with an emulated machine on this computer."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from workers.demo.run import CannotStart, Demo, Emulated


class Command(BaseCommand):
    help = "Run the whole platform on this computer with an emulated machine; Ctrl-C stops all services."
    requires_system_checks: list[str] = []  # noqa: RUF012

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="port of the web pages (default 8000)")
        parser.add_argument("--data", help="directory for the demo's data (default var/demo)")
        parser.add_argument("--fleet", action="store_true", help="emulate ten more machines")
        parser.add_argument("--no-emulator", action="store_true", help="start without any emulated machine")

    def handle(self, *args: Any, **options: Any) -> None:
        root = Path(settings.BASE_DIR)
        try:
            data = _directory(options["data"], root / "var" / "demo")
            emulated: Emulated = (
                "none" if options["no_emulator"] else ("fleet" if options["fleet"] else "rig")
            )
            demo = Demo(root, data, options["port"], emulated)
            code = demo.run()
        except CannotStart as error:
            self.stderr.write(f"demo: {error}")
            code = 2
        sys.exit(code)


def _directory(given: str | None, usual: Path) -> Path:
    if given is not None and not given.strip():  # an empty path would mean the current directory
        raise CannotStart("--data is empty: give a directory, or omit the option to use var/demo")
    return (Path(given) if given else usual).resolve()
