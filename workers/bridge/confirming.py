"""Devices are told what is durable, and the broker what it may forget, once the disk has it.

A thread of its own, so that what arrives meanwhile enters the streams and no twin waits for the disk. The
broker hands out only so many messages that are not acknowledged: that bounds what waits here.
"""

import logging
import queue
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple

from twin.ingest.messages import Answer
from twin.valkey.aof_sync import SYNC_S, ServerFile
from workers.bridge.link import Arrived, Link

log = logging.getLogger(__name__)

AGAIN_S = 0.5  # between two attempts to sync
END_S = 2.0  # what is not durable by then comes again


class Carried(NamedTuple):
    """Messages whose samples are in the server's file, and what is to be said about them."""

    messages: Sequence[Arrived]
    answers: Sequence[Answer]


class Confirming:
    """Used as a context: at its end, what waits is confirmed first, if the disk lets us."""

    def __init__(self, link: Link, file: ServerFile) -> None:
        self._link = link
        self.file = file
        self._carried: queue.SimpleQueue[Carried | None] = queue.SimpleQueue()  # None is the end
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="confirm", daemon=True)
        self._sync_at = 0.0  # not before
        self._said = ""

    def __enter__(self) -> "Confirming":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._carried.put(None)
        self._thread.join(END_S)

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def add(self, messages: Sequence[Arrived], answers: Sequence[Answer]) -> None:
        if not self.alive:
            raise RuntimeError("nobody confirms any more")  # the bridge ends, and is started again
        self._carried.put(Carried(messages, answers))

    def _run(self) -> None:
        last = False
        while not last:
            waiting = self._take()
            last = None in waiting
            carried = [each for each in waiting if each is not None]
            if not self._sync():
                return
            for each in carried:
                self._link.publish(each.answers)
                self._link.acknowledge(each.messages)

    def _take(self) -> list[Carried | None]:
        """All that waits, once there is something."""
        found = [self._carried.get()]
        time.sleep(max(0.0, self._sync_at - time.monotonic()))
        self._sync_at = time.monotonic() + SYNC_S
        while not self._carried.empty():
            found.append(self._carried.get())
        return found

    def _sync(self) -> bool:
        """False if it was not possible and is no longer asked for."""
        while True:
            try:
                self.file.sync()
            except OSError as error:
                self._say(f"nothing is acknowledged, the telemetry server's file cannot be synced: {error}")
                if self._ending.wait(AGAIN_S):
                    return False
            else:
                self._say("")
                return True

    def _say(self, text: str) -> None:
        if text != self._said:
            log.log(logging.ERROR if text else logging.INFO, text or "acknowledging again")
            self._said = text
