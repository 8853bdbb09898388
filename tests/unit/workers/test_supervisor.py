"""The supervisor and the Celery settings it relies on."""

import pytest

from twin.log_on_change import LogOnChange
from twin.runtime import sharding
from workers import tasks
from workers.app import TWINS, app


@pytest.fixture
def sent(valkey, monkeypatch):
    """Runner messages that would have been sent; they lie in the real queue."""
    messages = []

    def send(**options) -> None:
        messages.append(options)
        with valkey.client() as broker:
            broker.lpush(options["queue"], b"message")

    monkeypatch.setattr(tasks.run_twins, "apply_async", send)
    monkeypatch.setattr(tasks, "_runner_log", LogOnChange(tasks.log))
    return messages


def test_an_empty_queue_is_filled_with_offers_that_never_expire(sent):
    """A worker that crashes finds the offers of long ago, and with them it starts at once."""
    tasks.supervise()
    assert sent == [{"queue": TWINS}] * tasks.OFFERS


def test_offers_that_nobody_takes_do_not_pile_up(sent):
    for _ in range(10):
        tasks.supervise()
    assert len(sent) == tasks.OFFERS


def test_the_number_of_runners_is_logged_when_it_changes(sent, valkey, caplog, monkeypatch):
    with valkey.client() as client:
        tasks.supervise()
        monkeypatch.setattr(sharding, "HEARTBEAT_MS", 60_000)  # does not lapse meanwhile
        sharding.send_heartbeat(client, "host.1.abc")
        tasks.supervise()
        tasks.supervise()
        sharding.remove_heartbeat(client, "host.1.abc")
    lines = [record.getMessage() for record in caplog.records if record.name == "workers.tasks"]
    assert lines == ["0 runner(s) alive", "1 runner(s) alive"]


def test_a_telemetry_server_that_is_away_does_not_stop_the_offers(sent, settings):
    settings.TELEMETRY_URL = "redis://127.0.0.1:1/0"
    tasks.supervise()
    assert len(sent) == tasks.OFFERS


def test_runners_are_acknowledged_early_and_never_prefetched():
    assert app.conf.task_acks_late is False
    assert app.conf.worker_disable_prefetch is True
    assert app.conf.task_routes["workers.run_twins"] == {"queue": TWINS}
    assert app.conf.worker_proc_alive_timeout > 90  # the longest compile of all kernels


def test_the_workers_parent_process_does_not_load_the_compiler():
    import subprocess
    import sys

    code = "import workers.app, workers.tasks, sys; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
