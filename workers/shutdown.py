"""Shuts long-running processes down in order on SIGTERM and Ctrl-C."""

import signal
import threading
from queue import SimpleQueue


def stop_event() -> threading.Event:
    """Return an event that SIGTERM and Ctrl-C set. Call this from the main thread.

    A signal handler may run while the main thread holds the lock of the event, and setting the event there
    would deadlock. Therefore the handler only puts an item into a SimpleQueue, which is reentrant, and a
    thread sets the event.
    """
    done, signalled = threading.Event(), SimpleQueue[None]()

    def set_event() -> None:
        signalled.get()
        done.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: signalled.put(None))
    threading.Thread(target=set_event, name="shutdown", daemon=True).start()
    return done
