"""The demo command as a user meets it."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.system.collected import lend_static
from tests.system.stack import ENVIRONMENT, ROOT, START_S, DemoProcess
from tests.waiting import PATIENCE_S, wait_for
from workers.demo.ports import PortTaken, check_free, free_ports

pytestmark = pytest.mark.system

SERVICES = {"telemetry", "broker", "twins", "web", "history", "jobs", "showroom"}  # without a machine


def alive(facts: dict[str, Any]) -> list[str]:
    """Every process of the demo's services and their children: each service leads a group of its own."""
    groups = {str(pid) for pid in facts["pids"].values()}
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _parent, group = (process / "stat").read_text().rsplit(")", 1)[1].split()[:3]
            if group in groups and state != "Z":
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


def readable_by_others(data: Path) -> list[str]:
    """What lies in the demo's data that somebody else may read; the terminal's copy is the test's own."""
    found = (path for path in data.rglob("*") if path.name != "terminal.txt")
    return [str(path) for path in found if path.exists() and path.stat().st_mode & 0o077]


def run_demo(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", "demo", *options]
    return subprocess.run(
        command,
        cwd=ROOT,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE_S,
        check=False,
    )


def test_it_starts_restarts_what_crashes_and_leaves_nothing_behind(tmp_path):
    demo = DemoProcess(tmp_path)
    try:
        facts = demo.wait_ready()
        assert httpx.get(f"{facts['url']}/readyz", timeout=PATIENCE_S).status_code == 200
        wait_for(lambda: "stop | Ctrl-C" in demo.terminal(), "the last line of the welcome")
        assert f"open | {facts['url']}" in demo.terminal()
        assert all(password in demo.terminal() for password in facts["logins"].values())
        old = facts["pids"]["jobs"]
        os.kill(old, signal.SIGKILL)
        wait_for(lambda: demo.facts()["pids"]["jobs"] != old, "jobs restarted")
        wait_for(lambda: "jobs | killed by SIGKILL" in demo.terminal(), "the terminal says so")
        second = run_demo("--data", str(tmp_path), "--port", str(free_ports(1)[0]))
        assert second.returncode == 2
        assert "another demo already uses" in second.stderr
        assert readable_by_others(tmp_path) == []
        facts = demo.facts()
    finally:
        code = demo.end(signal.SIGINT)
    assert code == 0
    assert alive(facts) == []
    assert not (tmp_path / "run.json").exists()
    check_free(demo.port)


def test_killing_the_demo_itself_leaves_no_orphan(tmp_path):
    lend_static(tmp_path)
    demo = DemoProcess(tmp_path, "--no-emulator")
    try:
        wait_for(lambda: demo.facts().get("pids", {}).keys() == SERVICES, "all services started", START_S)
        facts = demo.facts()
        assert len(alive(facts)) >= len(SERVICES)
    finally:
        demo.end(signal.SIGKILL)
    wait_for(lambda: alive(facts) == [], "no orphan")
    wait_for(lambda: is_free(demo.port), "the port is free")  # threads of a killed process end one by one


def is_free(port: int) -> bool:
    with contextlib.suppress(PortTaken):
        check_free(port)
        return True
    return False


def test_a_taken_port_is_one_clear_line():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        run = run_demo("--port", str(port))
    assert run.returncode == 2
    assert run.stderr.splitlines() == [
        f"demo: port {port} is in use: stop the program that uses it, or choose another port with --port"
    ]


def test_a_directory_that_cannot_be_written_is_one_clear_line(tmp_path):
    (tmp_path / "file").write_text("")
    run = run_demo("--port", str(free_ports(1)[0]), "--data", str(tmp_path / "file" / "data"))
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1
    assert "cannot write to" in run.stderr
