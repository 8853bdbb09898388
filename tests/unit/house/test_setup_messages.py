"""Setting up on a machine that lacks something ends in one line that says what is wrong and what to do."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
NOWHERE = "http://127.0.0.1:9"  # the discard port: nothing answers there


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return bare_clone(tmp_path)


def bare_clone(folder: Path) -> Path:
    """A checkout with nothing installed: the files that setting up reads."""
    here = folder / "clone"
    here.mkdir()
    shutil.copy(ROOT / "Makefile", here)
    for folder in ("tools", "requirements"):
        shutil.copytree(ROOT / folder, here / folder, ignore=shutil.ignore_patterns("__pycache__"))
    front_end = here / "webui" / "frontend"
    front_end.mkdir(parents=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(ROOT / "webui" / "frontend" / name, front_end)
    return here


def make(clone: Path, *arguments: str, **environment: str) -> tuple[int, list[str]]:
    answer = subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=clone,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    # make's own last word ("make: *** [Makefile:..] Error 2") comes after ours
    lines = [
        line
        for line in answer.stderr.splitlines() + answer.stdout.splitlines()
        if line.startswith("hydratwin: ")
    ]
    return answer.returncode, lines


def fake_python(folder: Path, version: str) -> Path:
    """A `python3` that answers as an old one would."""
    script = folder / "python3-old"
    script.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "Python {version}" && exit 0\nexit 1\n')
    script.chmod(0o755)
    return script


def test_a_python_that_is_too_old_is_named_with_what_to_do(clone: Path, tmp_path: Path) -> None:
    code, lines = make(clone, "demo", f"PYTHON={fake_python(tmp_path, '3.9.18')}")
    assert code == 2
    assert len(lines) == 1
    assert "Python 3.9.18 is too old" in lines[0]
    assert "3.11 or newer" in lines[0]


def test_no_python_at_all_is_said(clone: Path) -> None:
    code, lines = make(clone, "demo", "PYTHON=python-that-is-not-there")
    assert code == 2
    assert len(lines) == 1
    assert "python-that-is-not-there" in lines[0]


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, list[str]]:
    """A clone after `make demo` without a network, which got as far as installing pip; and what it said."""
    clone = bare_clone(tmp_path_factory.mktemp("offline"))
    variables = {
        "PIP_INDEX_URL": NOWHERE,
        "PIP_EXTRA_INDEX_URL": NOWHERE,
        "PIP_NO_CACHE_DIR": "1",
        "PIP_FIND_LINKS": "",
    }
    return clone, *make(clone, "demo", f"PYTHON={sys.executable}", **variables)


def test_no_network_is_said_in_one_line(offline: tuple[Path, int, list[str]]) -> None:
    _, code, lines = offline
    assert code == 2
    assert len(lines) == 1
    assert "the package registry cannot be reached" in lines[0]
    assert "Check the network" in lines[0]


def test_neither_node_nor_its_wheel_is_said_in_one_line(
    offline: tuple[Path, int, list[str]], tmp_path: Path
) -> None:
    clone, _, _ = offline
    assert (clone / ".venv" / "bin" / "pip").exists()
    tools = tmp_path / "bin"  # a PATH without node
    tools.mkdir()
    for name in ("sh", "env"):
        (tools / name).symlink_to(shutil.which(name) or "")
    answer = subprocess.run(
        [sys.executable, "tools/bootstrap.py", "frontend"],
        cwd=clone,
        env={
            "PATH": str(tools),
            "PIP_INDEX_URL": NOWHERE,
            "PIP_NO_CACHE_DIR": "1",
            "PIP_CONFIG_FILE": os.devnull,
        },
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert answer.returncode == 2
    assert len(answer.stderr.splitlines()) == 1
    assert "neither Node.js 20 nor its wheel" in answer.stderr
    assert "install Node.js" in answer.stderr
