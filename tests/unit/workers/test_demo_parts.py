"""The parts of the demo, each by itself."""

import json
import os
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_S, wait_for
from workers.demo import console, fleet, prepare, services
from workers.demo.child import Child, Service
from workers.demo.kernels import KernelStamp
from workers.demo.ports import PortTaken, check_free, free_ports
from workers.demo.reaper import Reaper
from workers.demo.run import CannotStart, Demo
from workers.demo.supervisor import CRASHES, GaveUp, Supervisor

ROOT = Path(__file__).resolve().parents[3]


def alive(pid: int) -> bool:
    """Runs, and is not merely waiting to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def python(code: str, name: str = "service") -> Service:
    return Service(name, [sys.executable, "-c", code], os.environ)


@pytest.fixture
def reaper():
    reaper = Reaper()
    yield reaper
    reaper.close()


def test_a_taken_port_is_noticed():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(PortTaken):
            check_free(taken.getsockname()[1])
    check_free(free_ports(1)[0])


@pytest.mark.parametrize("port", [-1, 0, 65536])
def test_a_number_that_is_no_port_is_refused(port):
    with pytest.raises(OSError, match="1 to 65535"):
        check_free(port)


def test_free_ports_differ():
    assert len(set(free_ports(20))) == 20


@pytest.mark.parametrize(
    ("line", "event"),
    [
        ("03:00:00 INFO twin.runtime.held_leases: took 32 shards", "took 32 shards"),
        ("03:00:00 INFO celery.worker: Connected to redis", None),
        ("03:00:00 WARNING celery.worker: Connection lost", "warning: Connection lost"),
        ("INFO:     Started server process [1]", None),
        ("", None),
    ],
)
def test_the_terminal_shows_our_events_and_everybodys_warnings(line, event):
    assert console.event_in(line) == event


def test_the_terminal_obeys_no_service(capsys):
    console.say("web", "refused: \x1b]0;mine\x07\0")
    assert capsys.readouterr().out == "      web | refused: \\x1b]0;mine\\x07\\x00\n"


def test_the_demo_takes_no_settings_of_another_installation(monkeypatch, tmp_path):
    monkeypatch.setenv("HYDRATWIN_ENV", "production")
    monkeypatch.setenv("HYDRATWIN_DATABASE_URL", "postgres://precious")
    monkeypatch.setenv("HYDRATWIN_KERNEL_CACHE", "/cache")
    environment = services.Layout(tmp_path, tmp_path, 1, 2, 3).environment()
    assert "HYDRATWIN_DATABASE_URL" not in environment
    assert environment["HYDRATWIN_ENV"] == "embedded"
    assert environment["HYDRATWIN_KERNEL_CACHE"] == "/cache"


def test_where_no_bytecode_may_lie_beside_the_sources_it_lies_in_the_demos_data(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    environment = services.Layout(tmp_path, tmp_path, 1, 2, 3).environment()
    assert environment["PYTHONPYCACHEPREFIX"] == str(tmp_path / "bytecode")
    assert environment["PYTHONDONTWRITEBYTECODE"] == ""


def test_the_emulators_token_is_not_on_its_command_line(tmp_path):
    service = services.emulator(services.Layout(tmp_path, tmp_path, 1, 2, 3), "ht_secret")
    assert "ht_secret" not in " ".join(service.command)
    assert service.environment["HYDRATWIN_DEVICE_TOKEN"] == "ht_secret"


def test_passwords_are_made_once_and_readable_by_their_owner_only(tmp_path):
    made, fresh = prepare._passwords(tmp_path / "logins.json")
    assert fresh
    assert stat.S_IMODE((tmp_path / "logins.json").stat().st_mode) == 0o600
    assert prepare._passwords(tmp_path / "logins.json") == (made, False)
    assert len(set(made.values())) == len(prepare.PEOPLE)


def test_kernels_are_compiled_again_when_a_source_changes_or_the_cache_is_another(monkeypatch, tmp_path):
    (tmp_path / "simcore").mkdir()
    source = tmp_path / "simcore" / "kernel.py"
    source.write_text("a = 1")
    monkeypatch.setenv("HYDRATWIN_KERNEL_CACHE", str(tmp_path / "cache"))
    assert not KernelStamp(tmp_path).valid()
    KernelStamp(tmp_path).write()
    assert KernelStamp(tmp_path).valid()
    source.write_text("a = 2")
    assert not KernelStamp(tmp_path).valid()
    source.write_text("a = 1")
    assert KernelStamp(tmp_path).valid()
    monkeypatch.setenv("HYDRATWIN_KERNEL_CACHE", str(tmp_path / "other cache"))
    assert not KernelStamp(tmp_path).valid()


def test_the_guard_kills_what_is_left_when_its_pipe_closes():
    reaper = Reaper()
    code = "import subprocess, sys; p = subprocess.Popen(['sleep', '60']); print(p.pid, flush=True); p.wait()"
    parent = subprocess.Popen([sys.executable, "-c", code], start_new_session=True, stdout=subprocess.PIPE)
    grandchild = int(parent.stdout.readline())
    finished = subprocess.Popen(["true"], start_new_session=True)
    reaper.register(parent.pid)
    reaper.register(finished.pid)
    finished.wait()
    reaper.unregister(finished.pid)
    assert alive(grandchild)
    reaper.close()
    parent.wait()
    parent.stdout.close()
    wait_for(lambda: not alive(grandchild), "the grandchild ends")


def test_a_child_leads_a_group_in_our_session_where_its_niceness_counts(tmp_path, reaper):
    child = Child(python("import time; time.sleep(60)"), tmp_path / "service.log", reaper)
    assert os.getpgid(child.pid) == child.pid != os.getpgrp()
    assert os.getsid(child.pid) == os.getsid(0)
    child.clean_up()


def test_a_childs_output_goes_to_its_log_and_its_events_to_the_terminal(tmp_path, reaper, capsys):
    code = "print('raw'); print('03:00:00 INFO twin.x: an event'); print('why it ended'); raise SystemExit(3)"
    child = Child(python(code), tmp_path / "service.log", reaper)
    assert child.wait(PATIENCE_S)
    child.clean_up()
    assert (tmp_path / "service.log").read_text().splitlines()[0] == "raw"
    assert capsys.readouterr().out == "  service | an event\n"
    assert child.how_it_ended == "ended with exit code 3: why it ended"


def test_a_crashed_service_is_restarted(tmp_path, reaper):
    told: list[dict[str, int]] = []
    supervisor = Supervisor(tmp_path, reaper, told.append)
    first = supervisor.start(python("import time; time.sleep(60)"))
    os.kill(first.pid, 9)

    def restarted() -> bool:
        supervisor.restart_crashed()
        return told[-1]["service"] != first.pid

    wait_for(restarted, "a new process")
    supervisor.stop(["service"], hurry=lambda: False)
    assert not alive(told[-1]["service"])


@pytest.mark.parametrize(("ran_s", "pause"), [(0.0, "0.2 s"), (60.0, "0.0 s")])
def test_only_a_service_that_crashes_soon_after_its_start_is_kept_waiting(
    tmp_path, reaper, capsys, monkeypatch, ran_s, pause
):
    supervisor = Supervisor(tmp_path, reaper, lambda _pids: None)
    child = supervisor.start(python("import time; time.sleep(60)"))
    os.kill(child.pid, 9)
    assert child.wait(PATIENCE_S)
    monkeypatch.setattr("workers.demo.supervisor.STEADY_S", PATIENCE_S)
    supervisor._started_at["service"] -= ran_s
    supervisor.restart_crashed()
    assert f"killed by SIGKILL; restarting in {pause}" in capsys.readouterr().out
    supervisor.stop(["service"], hurry=lambda: True)


def test_a_service_that_keeps_crashing_is_given_up_with_its_last_words(tmp_path, reaper, monkeypatch):
    monkeypatch.setattr("workers.demo.supervisor.BACKOFF_S", (0.0, 0.0))
    monkeypatch.setattr("workers.demo.supervisor.CRASH_WINDOW_S", 3600.0)  # six starts take a while
    supervisor = Supervisor(tmp_path, reaper, lambda _pids: None)
    supervisor.start(python("raise SystemExit('no such table')"))

    def watch_for_ever() -> None:
        while True:
            supervisor.restart_crashed()
            time.sleep(0.01)

    with pytest.raises(GaveUp, match=rf"service crashed {CRASHES + 1} times .*: no such table"):
        watch_for_ever()


def test_a_service_that_does_not_leave_is_killed(tmp_path, reaper, capsys):
    supervisor = Supervisor(tmp_path, reaper, lambda _pids: None)
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    child = supervisor.start(python(f"{deaf} print('up', flush=True); time.sleep(60)"))
    wait_for(lambda: child.last_line == "up", "the service is up")
    supervisor.stop(["service"], hurry=lambda: True)
    assert not alive(child.pid)
    assert "did not stop in time, killed" in capsys.readouterr().out


@pytest.mark.parametrize("content", ["", "{", "[]", '{"manager": 5}', "\ufffd"])
def test_a_broken_file_of_logins_is_one_line_that_says_what_to_do(tmp_path, content):
    (tmp_path / "logins.json").write_text(content)
    with pytest.raises(SystemExit, match=r"logins.json .*: delete this file") as caught:
        prepare._passwords(tmp_path / "logins.json")
    assert len(str(caught.value).splitlines()) == 1


def test_without_a_front_end_the_demo_says_what_to_run(tmp_path):
    demo = Demo(tmp_path, tmp_path / "data", free_ports(1)[0], "nobody")
    with pytest.raises(CannotStart, match=r"front end is not built: run `make demo`"):
        demo._check()
    assert list(tmp_path.iterdir()) == []


def manage(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE_S,
        check=False,
    )


def test_an_empty_data_directory_is_refused_in_one_line():
    answer = manage("demo", "--data", "", "--port", str(free_ports(1)[0]))
    assert answer.returncode == 2
    assert answer.stderr.splitlines() == [
        "demo: --data is empty: give a directory, or omit the option to use var/demo"
    ]


def test_ctrl_c_while_modules_are_loaded_ends_quietly(tmp_path):
    (tmp_path / "django").mkdir()
    # whoever starts the tests in the background may have had the signal ignored
    heed = "import os, signal, time\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    interrupt = f"{heed}os.kill(os.getpid(), signal.SIGINT)\ntime.sleep(10)"
    (tmp_path / "django" / "__init__.py").write_text(interrupt)
    answer = manage("demo", PYTHONPATH=str(tmp_path))
    assert (answer.returncode, answer.stdout, answer.stderr) == (130, "", "")


@pytest.fixture
def prepared(valkey, db):
    """Prepares the fleet with the tokens of the start before."""
    passwords = {name: f"password of {name}" for name in prepare.PEOPLE}

    def start(rig: dict | None = None, own: dict | None = None, others: dict | None = None):
        tokens = {prepare.MACHINE: rig["token"], prepare.OWN_MACHINE: own["token"]} if rig and own else {}
        tokens |= {name: machine["token"] for name, machine in (others or {}).items()}
        return prepare._fleet(passwords, not tokens, tokens, fleet.machines())

    return start


@pytest.mark.database
def test_preparing_twice_gives_the_same_machines_and_tokens(prepared):
    from twin.fleet.models import DeviceToken, Machine

    first = prepared()
    assert prepared(*first) == first
    names = {machine.name for machine in Machine.objects.for_runtime()}
    assert names == {"Laboratory rig", "Your own rig", *(spec.name for spec in fleet.machines())}
    assert len(names) == 12
    assert DeviceToken.objects.for_runtime().filter(revoked_at=None).count() == 12


def test_the_tokens_of_the_fleet_are_not_on_its_command_line(tmp_path):
    tokens = {spec.name: f"ht_secret_{spec.serial}" for spec in fleet.machines()}
    service = services.fleet_at_work(services.Layout(tmp_path, tmp_path, 1, 2, 3), tokens)
    assert not any("ht_secret" in word for word in service.command)
    told = json.loads(service.environment["HYDRATWIN_FLEET"])
    assert {member["name"]: member["token"] for member in told} == tokens


@pytest.mark.database
def test_tokens_issued_by_hand_stay_valid_when_the_demo_needs_a_new_one(prepared):
    from twin.fleet import services
    from twin.fleet.identity import identify
    from twin.fleet.models import Device

    first = prepared()
    device = Device.objects.for_runtime().get(name=prepare.OWN_DEVICE)
    by_hand = [services.rotate_token(device), services.rotate_token(device)]  # ends the demo's own
    _, own, _ = prepared(*first)
    assert own["token"] != first[1]["token"]
    assert all(identify(token).machine == own["machine"] for token in [own["token"], *by_hand])
