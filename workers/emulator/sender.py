"""Delivers the outbox over HTTP, in order; resends samples until they are acknowledged."""

import logging
import threading
from collections.abc import Callable
from typing import Protocol

import httpx

from twin.log_on_change import LogOnChange
from workers.emulator.outbox import Outbox, Sample

log = logging.getLogger(__name__)

BATCH = 5  # samples per request
GATHER_S = 0.03  # lets a request carry two or three samples instead of one
TIMEOUT_S = 5.0
BACKOFF_S = (0.2, 5.0)  # first and longest pause after a failure
PATIENCE_S = 1.0  # shorter pauses are not logged

PATH = "/api/v1/telemetry"
HOPELESS = (400, 413, 415, 422)  # repeating the same request cannot succeed


class Sender:
    """Empties the outbox."""

    def __init__(self, client: httpx.Client, token: str, boot: str, outbox: Outbox) -> None:
        self._client = client
        self._headers = {"Authorization": f"Bearer {token}"}
        self._boot = boot
        self._outbox = outbox
        self._backoff_s = 0.0
        self._log = LogOnChange(log)

    def run(self, done: threading.Event) -> None:
        """Send until `done` is set."""
        while not done.is_set():
            if self._outbox.wait_filled(0.2):
                pause_s = self.send_once()
                done.wait(pause_s)

    def send_once(self) -> float:
        """Send one request with the oldest samples; return how long to wait before the next one."""
        batch = self._outbox.oldest(BATCH)
        if not batch:
            return GATHER_S
        body = {"boot": self._boot, "samples": [sample.as_json() for sample in batch]}
        try:
            response = self._client.post(PATH, json=body, headers=self._headers)
        except httpx.HTTPError as error:
            return self._failed(f"no response from the server ({type(error).__name__})")
        if response.status_code == 202:
            return self._delivered(batch, response)
        if response.status_code in HOPELESS:
            log.error("refused, %d samples dropped: %s", len(batch), _problem(response))
            self._outbox.settle(batch)
            return GATHER_S
        return self._failed(_problem(response), _retry_after(response))

    def _delivered(self, batch: list[Sample], response: httpx.Response) -> float:
        again: dict[int, object] = {}
        for rejected in response.json().get("rejected", []):
            index = rejected.get("index", 0)
            if rejected.get("retry"):
                again[index] = rejected.get("field")
            else:
                log.warning("sample %d rejected: %s", batch[index].seq, rejected.get("reason"))
        first_again = min(again, default=len(batch))  # later samples must not overtake it
        self._outbox.settle(batch[:first_again])
        if again:
            return self._failed(f"the server asks for them to be sent later, because of {again[first_again]}")
        self._backoff_s = 0.0
        self._report("delivering", logging.INFO)
        return 0.0 if len(self._outbox) >= BATCH else GATHER_S

    def _failed(self, why: str, wait_s: float | None = None) -> float:
        first, longest = BACKOFF_S
        self._backoff_s = min(longest, max(first, 2 * self._backoff_s))
        if self._backoff_s > PATIENCE_S:
            self._report(f"keeping samples: {why}", logging.WARNING)
        return self._backoff_s if wait_s is None else wait_s

    def _report(self, text: str, level: int) -> None:
        self._log.report(text, level=level, detail=f" ({len(self._outbox)} waiting)")


def make_client(url: str, transport: httpx.BaseTransport | None = None) -> httpx.Client:
    """Return an HTTP client that keeps its connection open."""
    return httpx.Client(base_url=url, timeout=TIMEOUT_S, transport=transport, trust_env=False)


class Sending(Protocol):
    """A sender over any protocol."""

    def run(self, done: threading.Event) -> None: ...


def start(sender: Sending, done: threading.Event) -> Callable[[], None]:
    """Send from a separate thread, so that a slow server does not slow the machine; return its join()."""
    thread = threading.Thread(target=sender.run, args=(done,), name="sender", daemon=True)
    thread.start()
    return thread.join


def _problem(response: httpx.Response) -> str:
    """Return the server's response in one line."""
    try:
        problem = response.json()
        text = problem.get("detail") or problem.get("title") or ""
    except (ValueError, AttributeError):
        text = ""
    return f"{response.status_code} {text or response.reason_phrase}"


def _retry_after(response: httpx.Response) -> float | None:
    try:
        return float(response.headers["Retry-After"])
    except (KeyError, ValueError):
        return None
