"""`manage.py warm_kernels`: compiles every kernel once, so that workers only load them."""

import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from workers.demo.kernels import KernelStamp


class Command(BaseCommand):
    help = "Compile the numerical kernels into the cache that all workers share."
    requires_system_checks: list[str] = []  # noqa: RUF012

    def handle(self, *args: Any, **options: Any) -> None:
        from simcore.warm import warm_kernels  # imports numba

        began = time.monotonic()
        warm_kernels(self._show)
        KernelStamp(Path(settings.BASE_DIR)).write()
        self.stdout.write(f"kernels ready after {time.monotonic() - began:.1f} s")

    def _show(self, text: str, fraction: float) -> None:
        self.stdout.write(f"{fraction:4.0%} {text}")
        self.stdout.flush()
