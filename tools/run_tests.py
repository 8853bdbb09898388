"""Runs lint, CPU-bound tests and tests with services in parallel, for `make check` and `make test`.

    python -m tools.run_tests check|test

Tests with services mostly wait, so lint and CPU-bound tests run at the same time with the lowest priority.
The output of the tests with services is shown immediately, the output of the other parts when they end.
Failures are listed again at the end.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from workers.demo.kernels import KernelStamp

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
LINT = [PYTHON, "-m", "tools.lint"]
PYTEST = [PYTHON, "-m", "pytest"]
# computing alone: a process per core; with services, which mostly wait: two files at a time
COMPUTING = [*PYTEST, "-q", "-n", "logical", "--maxprocesses", "4", "tests/unit", "tests/laws"]
COMPUTING += ["tests/field", "-m"]
EVERYTHING, QUICK = "not system and not e2e", "not system and not e2e and not long"
SERVICES = [*PYTEST, "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "-m", "system or e2e"]
SERVICES += ["tests/e2e", "tests/system"]
LOOK_S = 0.1


class Part:
    """A running command; without a log file its output goes directly to the terminal."""

    def __init__(self, command: Sequence[str], log: IO[str] | None = None) -> None:
        self._log = log
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment(), stdout=log, stderr=subprocess.STDOUT if log else None
        )

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    @property
    def failed(self) -> bool:
        return self._process.returncode != 0

    def show(self) -> None:
        if self._log is not None:
            self._log.seek(0)
            print(f"\n{self._log.read().strip()}", flush=True)

    def stop(self) -> None:
        """Stop the command as Ctrl-C does, so that pytest ends the services that its tests have started."""
        if not self.ended:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()


def environment() -> dict[str, str]:
    """Environment with a separate bytecode directory if none may be written next to the sources."""
    if not sys.dont_write_bytecode:
        return dict(os.environ)
    return os.environ | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(ROOT / "var" / "bytecode")}


def heed_signals() -> None:
    """Handle SIGINT even if a shell started this in the background, where SIGINT is ignored by default."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def warm_kernels() -> bool:
    """Compile the kernels once in advance; otherwise every process would."""
    if KernelStamp(ROOT).valid():
        return True
    print("==> Compiling the numerical kernels (once for each version, about two minutes) ...", flush=True)
    command = [PYTHON, "manage.py", "warm_kernels"]
    return subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode == 0


def main(what: str) -> int:
    if not warm_kernels():
        return 1
    behind = ["nice", "-n", "19"] if what == "test" else []
    with tempfile.TemporaryFile("w+") as first, tempfile.TemporaryFile("w+") as second:
        computing = [*COMPUTING, EVERYTHING if what == "test" else QUICK]
        parts = [Part([*behind, *LINT], first), Part([*behind, *computing], second)]
        if what == "test":
            parts.append(Part(SERVICES))
        try:
            wait(parts)
        finally:
            for part in parts:
                part.stop()
        for part in parts:
            if part.failed:
                part.show()
    return int(any(part.failed for part in parts))


def wait(parts: Sequence[Part]) -> None:
    """Show the output of each part as it ends, the first part first, so that test results come last."""
    running = list(parts)
    while running:
        time.sleep(LOOK_S)
        for part in list(running):
            if part.ended:
                running.remove(part)
                part.show()
            elif part is parts[0]:
                break


if __name__ == "__main__":
    if sys.argv[1:] not in (["check"], ["test"]):
        sys.exit("run_tests: the argument must be check or test")
    heed_signals()
    try:
        sys.exit(main(sys.argv[1]))
    except KeyboardInterrupt:
        sys.exit(130)
