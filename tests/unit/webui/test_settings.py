"""Settings from the environment, in processes of their own: both modes, and one line for what is missing."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[3]
PRODUCTION = {
    "HYDRATWIN_ENV": "production",
    "HYDRATWIN_SECRET_KEY": "k3y-" * 4 + "of-many-different-characters-0123456789-abcdefgh",
    "HYDRATWIN_ALLOWED_HOSTS": "twin.example,www.twin.example",
    "HYDRATWIN_CSRF_TRUSTED_ORIGINS": "https://twin.example",
    "HYDRATWIN_DATABASE_URL": "postgres://hydratwin:secret@db.example:5432/hydratwin",
    "HYDRATWIN_TELEMETRY_URL": "redis://telemetry.example:6379/0",
    "HYDRATWIN_BROKER_URL": "redis://broker.example:6379/0",
    "HYDRATWIN_CHANNELS_URL": "redis://broker.example:6379/1",
}

# as django.setup() begins, without the applications, whose loading takes longer than all else here
LOGGING = """
import logging
from django.conf import settings
from django.utils.log import configure_logging
configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
"""


def run(*arguments: str, data: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HYDRATWIN_")}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=kept | {"HYDRATWIN_DATA": str(data), "PYTHONWARNINGS": "error"} | variables,
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE_S,
        check=False,
    )


def ask(expression: str, data: Path, **variables: str) -> str:
    answer = run("-c", f"from twin import settings as s; print(({expression}))", data=data, **variables)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.strip()


def test_production_passes_the_deployment_check(tmp_path: Path) -> None:
    answer = run("manage.py", "check", "--deploy", "--fail-level", "INFO", data=tmp_path, **PRODUCTION)
    assert answer.returncode == 0, answer.stderr
    assert "no issues (0 silenced)" in answer.stdout


@pytest.mark.parametrize(
    "missing",
    [
        "HYDRATWIN_SECRET_KEY",
        "HYDRATWIN_ALLOWED_HOSTS",
        "HYDRATWIN_DATABASE_URL",
        "HYDRATWIN_TELEMETRY_URL",
        "HYDRATWIN_BROKER_URL",
        "HYDRATWIN_CHANNELS_URL",
    ],
)
def test_what_production_lacks_is_named_in_one_line(tmp_path: Path, missing: str) -> None:
    answer = run("manage.py", "check", data=tmp_path, **(PRODUCTION | {missing: " "}))
    assert answer.returncode == 1
    (line,) = answer.stderr.splitlines()
    assert line.startswith(f"hydratwin: {missing} is not set")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("HYDRATWIN_ENV", "staging"),
        ("HYDRATWIN_DATABASE_URL", "mysql://root@localhost/x"),
        ("HYDRATWIN_DATABASE_URL", "nonsense"),
        ("HYDRATWIN_TELEMETRY_URL", "localhost:6379"),
        ("HYDRATWIN_TRUSTED_PROXY", "10.0.0.1"),
        ("HYDRATWIN_DATA", "/proc/nowhere"),
    ],
)
def test_a_wrong_value_is_one_line_too(tmp_path: Path, variable: str, value: str) -> None:
    answer = run("manage.py", "check", data=tmp_path, **{variable: value})
    assert answer.returncode == 1
    (line,) = answer.stderr.splitlines()
    assert line.startswith(f"hydratwin: {variable}")
    assert "root@" not in line


def test_the_embedded_mode_needs_nothing_and_keeps_its_secret(tmp_path: Path) -> None:
    first = ask("s.SECRET_KEY", tmp_path)
    assert len(first) > 50
    assert ask("s.SECRET_KEY", tmp_path) == first
    assert stat.S_IMODE((tmp_path / "secret-key").stat().st_mode) == 0o600
    assert ask("s.DEBUG, s.ALLOWED_HOSTS", tmp_path) == "(False, ['localhost', '127.0.0.1', '[::1]'])"


def test_cookies_and_transport_are_strict_in_production_only(tmp_path: Path) -> None:
    asked = "s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SECURE_SSL_REDIRECT, s.SECURE_HSTS_SECONDS > 0"
    assert ask(asked, tmp_path, **PRODUCTION) == "(True, True, True, True)"
    assert ask(asked, tmp_path) == "(False, False, False, False)"


def test_sqlite_runs_in_wal_mode(tmp_path: Path) -> None:
    script = (
        "import django; django.setup()\n"
        "from django.db import connection\n"
        "cursor = connection.cursor()\n"
        "print(cursor.execute('PRAGMA journal_mode').fetchone()[0],"
        " cursor.execute('PRAGMA busy_timeout').fetchone()[0])"
    )
    answer = run("-c", script, data=tmp_path, DJANGO_SETTINGS_MODULE="twin.settings")
    assert answer.stdout.split() == ["wal", "20000"], answer.stderr


@pytest.mark.parametrize("name", ["a?b", "a#b", "a%41b", "a b", "ä&=;"])
def test_the_embedded_database_lies_in_the_data_directory_whatever_it_is_called(
    tmp_path: Path, name: str
) -> None:
    data = tmp_path / name
    script = "from django.db import connection; connection.ensure_connection()"
    answer = run("-c", script, data=data, DJANGO_SETTINGS_MODULE="twin.settings")
    assert answer.returncode == 0, answer.stderr
    assert (data / "hydratwin.sqlite3").exists()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_database_may_be_reached_through_a_socket(tmp_path: Path) -> None:
    address = "postgres://hydratwin@%2Frun%2Fpostgresql/hydratwin"
    host = ask("s.DATABASES['default']['HOST']", tmp_path, HYDRATWIN_DATABASE_URL=address)
    assert host == "/run/postgresql"


def test_the_models_and_the_migrations_agree(tmp_path: Path) -> None:
    answer = run("manage.py", "makemigrations", "--check", "--dry-run", data=tmp_path)
    assert answer.returncode == 0, answer.stdout


def test_a_log_line_is_one_line_even_with_a_traceback(tmp_path: Path) -> None:
    script = LOGGING + (
        "try: 1 / 0\nexcept ZeroDivisionError: logging.getLogger('some.part').exception('it broke\\nbadly')"
    )
    answer = run("-c", script, data=tmp_path, DJANGO_SETTINGS_MODULE="twin.settings")
    (line,) = answer.stderr.splitlines()
    assert "ERROR some.part: it broke | badly | Traceback" in line
    assert line.endswith("ZeroDivisionError: division by zero")


def test_a_log_line_obeys_nobody(tmp_path: Path) -> None:
    script = LOGGING + "logging.getLogger('some.part').info('%s said \\x1b[2J\\0\\r\\ud800', 'somebody')"
    answer = run("-c", script, data=tmp_path, DJANGO_SETTINGS_MODULE="twin.settings")
    assert answer.stderr.endswith(r"somebody said \x1b[2J\x00 | \ud800" + "\n")


def test_a_token_from_a_database_without_tables_is_one_line_that_says_what_to_do(tmp_path: Path) -> None:
    answer = run("manage.py", "issue_token", "00000000-0000-4000-8000-000000000000", data=tmp_path)
    assert answer.returncode == 1
    (line,) = answer.stderr.splitlines()
    assert str(tmp_path / "hydratwin.sqlite3") in line
    assert "run `manage.py migrate` first" in line


def test_a_proxy_is_believed_only_when_told(tmp_path: Path) -> None:
    assert ask("s.SECURE_PROXY_SSL_HEADER", tmp_path, **PRODUCTION) == "None"
    told = PRODUCTION | {"HYDRATWIN_TRUSTED_PROXY": "1"}
    assert ask("s.SECURE_PROXY_SSL_HEADER", tmp_path, **told) == "('HTTP_X_FORWARDED_PROTO', 'https')"
