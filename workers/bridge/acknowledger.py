"""Publishes replies to devices and acknowledges their MQTT messages once the samples are on disk.

The acknowledger runs in its own thread, so that new messages enter the streams during a sync and no twin
waits for the disk. Its queue stays short, because the broker limits the number of unacknowledged messages.
"""

import logging
import queue
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple

from twin.ingest.messages import Answer
from twin.log_on_change import LogOnChange
from twin.valkey.aof_sync import SYNC_S, AppendOnlyFile
from workers.bridge.broker_connection import BrokerConnection, Message

log = logging.getLogger(__name__)

RETRY_S = 0.5  # between two attempts to sync
END_S = 2.0  # longest wait at the end; the broker sends unacknowledged messages again


class Appended(NamedTuple):
    """Messages whose samples are in the server's file, with the replies to them."""

    messages: Sequence[Message]
    answers: Sequence[Answer]


class Acknowledger:
    """Acknowledges messages.

    As a context manager, it acknowledges the waiting ones at its end, if the disk works.
    """

    def __init__(self, connection: BrokerConnection, aof: AppendOnlyFile) -> None:
        self._connection = connection
        self.aof = aof
        self._appended: queue.SimpleQueue[Appended | None] = queue.SimpleQueue()  # None ends the thread
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="acknowledge", daemon=True)
        self._sync_at = 0.0  # earliest time of the next sync
        self._log = LogOnChange(log, recovered="acknowledging again")

    def __enter__(self) -> "Acknowledger":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._appended.put(None)
        self._thread.join(END_S)

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def add(self, messages: Sequence[Message], answers: Sequence[Answer]) -> None:
        if not self.alive:
            raise RuntimeError(
                "the thread that acknowledges MQTT messages has ended"
            )  # the bridge ends and is restarted
        self._appended.put(Appended(messages, answers))

    def _run(self) -> None:
        last = False
        while not last:
            waiting = self._take()
            last = None in waiting
            appended = [each for each in waiting if each is not None]
            if not self._sync():
                return
            for each in appended:
                self._connection.publish(each.answers)
                self._connection.acknowledge(each.messages)

    def _take(self) -> list[Appended | None]:
        """Wait for the first item, then take all."""
        found = [self._appended.get()]
        time.sleep(max(0.0, self._sync_at - time.monotonic()))
        self._sync_at = time.monotonic() + SYNC_S
        while not self._appended.empty():
            found.append(self._appended.get())
        return found

    def _sync(self) -> bool:
        """Try until the sync succeeds; return False if it still fails when the bridge ends."""
        while True:
            try:
                self.aof.sync()
            except OSError as error:
                text = f"messages not acknowledged: the telemetry server's file cannot be synced: {error}"
                self._log.report(text, level=logging.ERROR)
                if self._ending.wait(RETRY_S):
                    return False
            else:
                self._log.ok()
                return True
