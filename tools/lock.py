"""Pins every dependency with its hashes. The lock files name no host; the installer chooses the registry."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMON = [
    "--universal",
    "--python-version",
    "3.11",
    "--generate-hashes",
    "--no-header",
    "--quiet",
    "--upgrade",
]


def compile_to(output: str, *arguments: str) -> None:
    uv = str(ROOT / ".venv" / "bin" / "uv")
    subprocess.run(
        [uv, "pip", "compile", *COMMON, "-o", f"requirements/{output}", *arguments], cwd=ROOT, check=True
    )


if __name__ == "__main__":
    compile_to("uv.txt", "requirements/uv.in")
    compile_to("node.txt", "requirements/node.in")
    compile_to("dev.txt", "pyproject.toml", "--extra", "dev")
    # the bench times what the tests ran, beside other engines
    dev = ("--constraint", "requirements/dev.txt")
    compile_to("peers.txt", "pyproject.toml", "--extra", "dev", "--extra", "peers", *dev)
    # the demo runs what the tests ran: the same versions, without the tools
    compile_to("base.txt", "pyproject.toml", *dev)
