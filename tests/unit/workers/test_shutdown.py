"""A process that is asked to end does so, whatever it is just doing."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[3]

# the worst moment: the main thread is inside the event, and holds the lock that setting it needs
PROGRAM = """
import signal
from workers.shutdown import stop_event
done = stop_event()
assert not done.wait(0.01)
with done._cond:
    signal.raise_signal(signal.{number})
    assert not done.is_set()
assert done.wait({patience})
print("ended")
"""


@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT"])
def test_a_signal_in_the_worst_moment_is_heard(number: str) -> None:
    program = PROGRAM.format(number=number, patience=PATIENCE_S)
    answer = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE_S,
        check=False,
    )
    assert (answer.returncode, answer.stdout) == (0, "ended\n"), answer.stderr
