"""How a process that runs for long is asked to end."""

import signal
import threading
from queue import SimpleQueue


def asked_to_end() -> threading.Event:
    """Set once the process is asked to end, by SIGTERM or Ctrl-C. For the main thread to call.

    A handler runs between any two instructions of the main thread, perhaps while that very thread holds the
    lock of the event: setting it there would wait for ever. So the handler only puts word into a queue, which
    may interrupt anything, and a thread passes it on.
    """
    done, asked = threading.Event(), SimpleQueue[None]()

    def pass_on() -> None:
        asked.get()
        done.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: asked.put(None))
    threading.Thread(target=pass_on, name="asked to end", daemon=True).start()
    return done
