"""Checks style and types of Python and TypeScript and reports all findings together."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.bootstrap import FRONTEND, node_environment

ROOT = Path(__file__).resolve().parent.parent
PYTHON = [sys.executable, "-m"]
CHECKS: dict[str, tuple[list[str], Path]] = {
    "lint": ([*PYTHON, "ruff", "check", "."], ROOT),
    "format": ([*PYTHON, "ruff", "format", "--check", "--quiet", "."], ROOT),
    "types": ([*PYTHON, "mypy"], ROOT),
    "TypeScript lint": (["npm", "run", "--silent", "lint"], FRONTEND),
    "TypeScript format": (["npm", "run", "--silent", "format:check"], FRONTEND),
    "TypeScript types": (["npm", "run", "--silent", "check"], FRONTEND),
    "TypeScript tests": (["npm", "test", "--silent"], FRONTEND),
}


def main() -> int:
    environment = node_environment()
    failed = []
    for name, (command, cwd) in CHECKS.items():
        answer = subprocess.run(
            command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
        )
        print(f"{'ok    ' if answer.returncode == 0 else 'FAILED'} {name}", flush=True)
        if answer.returncode:
            failed.append(name)
            print(answer.stdout + answer.stderr, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
