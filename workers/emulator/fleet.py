"""`python -m workers.emulator.fleet --url http://127.0.0.1:8000`: several working machines in one process.

HYDRATWIN_FLEET in the environment lists the machines as JSON: for each the fields of AsBuiltSpec and a device
token. One thread runs all machines in real time; another thread delivers their samples.
"""

import argparse
import json
import logging
import os
import secrets
import signal
import sys
import threading
import time
from typing import Any

from simcore.errors import SimcoreError
from workers.emulator.as_built import AsBuiltSpec
from workers.emulator.controller import MISSED_S
from workers.emulator.outbox import Outbox, Sample
from workers.emulator.sender import BATCH, Sender, make_client
from workers.emulator.working_machine import WorkingMachine

CYCLE_S, CYCLE_US = 0.04, 40_000  # half the rate of the rig: a dozen machines share one computer
KEEP_S = 120  # unacknowledged samples are kept this long
IDLE_S = 0.005  # pause of the sending thread


class Worker:
    """One working machine, and its samples that are not delivered yet."""

    def __init__(self, spec: AsBuiltSpec) -> None:
        self.spec = spec
        self.outbox = Outbox(capacity=round(KEEP_S / CYCLE_S))
        self._machine = WorkingMachine(spec)
        self._cycles = 0

    def cycle(self, t_us: int) -> None:
        """Run one controller cycle that begins at machine time t_us."""
        self.outbox.put(Sample(self._cycles, t_us, self._machine.cycle(CYCLE_S)))
        self._cycles += 1


def run(workers: list[Worker], done: threading.Event) -> None:
    """Run all machines in real time until `done` is set, one after the other in each cycle."""
    due, t_us = time.monotonic(), time.time_ns() // 1000
    while not done.is_set():
        if time.monotonic() - due > MISSED_S:
            due, t_us = time.monotonic(), time.time_ns() // 1000
        due, t_us = due + CYCLE_S, t_us + CYCLE_US
        done.wait(due - time.monotonic())
        for worker in workers:
            worker.cycle(t_us)


def deliver(senders: list[tuple[Sender, Outbox]], done: threading.Event) -> None:
    """Send the full batches of all machines from one thread; each sender has its own pauses."""
    ready = [0.0] * len(senders)
    while not done.is_set():
        now, sent = time.monotonic(), False
        for k, (sender, outbox) in enumerate(senders):
            if now >= ready[k] and len(outbox) >= BATCH:
                pause = sender.send_once()
                ready[k] = time.monotonic() + pause
                sent = True
        if not sent:
            done.wait(IDLE_S)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="fleet", description="Emulate working machines that send telemetry."
    )
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="address of the platform")
    arguments = parser.parse_args()
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s fleet: %(message)s", datefmt="%H:%M:%S"
    )
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        members: list[dict[str, Any]] = json.loads(os.environ["HYDRATWIN_FLEET"])
        tokens = [member.pop("token") for member in members]
        workers = [Worker(AsBuiltSpec(**member)) for member in members]
    except (KeyError, TypeError, ValueError, SimcoreError) as error:
        sys.stderr.write(f"fleet: HYDRATWIN_FLEET must be a JSON list of machines with tokens ({error})\n")
        return 2
    done = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: done.set())
    client, boot = make_client(arguments.url), secrets.token_hex(8)
    pairs = zip(workers, tokens, strict=True)
    senders = [(Sender(client, token, boot, worker.outbox), worker.outbox) for worker, token in pairs]
    thread = threading.Thread(target=deliver, args=(senders, done), name="sender", daemon=True)
    thread.start()
    run(workers, done)
    thread.join()
    return 0


if __name__ == "__main__":
    sys.exit(main())
