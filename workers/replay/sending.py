"""Sends a recording in order, as a device does, at any speed; repeats each batch until it is acknowledged."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import httpx

from workers.replay.recording import Recorded

PATH = "/api/v1/telemetry"
MOST = 500  # samples per body
GATHER_S = 0.1  # samples due within this time share a body
RETRY_S = 1.0
TIMEOUT_S = 10.0
SHOWN = 20  # rejected samples that are listed


class Stopped(Exception):
    """The platform refuses the recording."""


@dataclass
class Tally:
    """Counts the outcomes of the samples."""

    accepted: int = 0
    duplicate: int = 0
    rejected: int = 0
    reasons: list[str] = field(default_factory=list)  # of the first rejected samples, with their lines


@dataclass(frozen=True)
class Pace:
    """Decides when each sample is sent, and with which machine time.

    Infinite speed means as fast as possible.
    """

    speed: float
    first_us: int  # machine time of the first sample
    shift_us: int  # added to the machine time of each

    def due_s(self, t_us: int) -> float:
        """Return when to send a sample, in seconds after the start."""
        return (t_us - self.first_us) / 1e6 / self.speed


def shift_to_now(now_us: int, first_us: int, last_us: int, speed: float) -> int:
    """Return the shift that puts no sample ahead of the clock when it is sent, and the last one on time."""
    length_us = last_us - first_us
    ahead_us = length_us - length_us / speed if speed > 1 else 0.0
    return now_us - round(ahead_us) - first_us


class Replay:
    """One replay."""

    def __init__(self, client: httpx.Client, token: str, boot: str, report: Callable[[str], None]) -> None:
        self.tally = Tally()
        self._client = client
        self._headers = {"Authorization": f"Bearer {token}"}
        self._boot = boot
        self._report = report

    def send(self, samples: Iterator[Recorded], pace: Pace) -> None:
        began = first_due = time.monotonic()
        batch: list[Recorded] = []
        for sample in samples:
            due = began + pace.due_s(sample.t_us)
            if batch and (len(batch) == MOST or due > first_due + GATHER_S):
                self._deliver(batch, pace)
                batch = []
            if not batch:
                first_due = due
            time.sleep(max(0.0, due - time.monotonic()))
            batch.append(sample)
        if batch:
            self._deliver(batch, pace)

    def _deliver(self, batch: list[Recorded], pace: Pace) -> None:
        samples = [
            {"seq": each.seq, "t": each.t_us + pace.shift_us, "channels": each.channels} for each in batch
        ]
        while True:
            wait_s = self._post(batch, {"boot": self._boot, "samples": samples})
            if wait_s is None:
                return
            time.sleep(wait_s)

    def _post(self, batch: list[Recorded], body: object) -> float | None:
        """Send a batch; return None when it is done, otherwise how long to wait before the next attempt."""
        try:
            response = self._client.post(PATH, json=body, headers=self._headers)
        except httpx.TransportError as error:
            self._report(f"no response from the platform ({type(error).__name__}), trying again")
            return RETRY_S
        if response.status_code == 202:
            self._note(batch, response.json())
            return None
        problem = response.json().get("detail", response.reason_phrase) if response.content else ""
        if response.status_code in (408, 429, 500, 503):
            self._report(f"waiting: {problem}")
            return float(response.headers.get("Retry-After", RETRY_S))
        raise Stopped(
            f"{response.status_code} {problem} (samples from line {batch[0].line} on were not stored)"
        )

    def _note(self, batch: list[Recorded], answer: dict[str, object]) -> None:
        self.tally.accepted += int(answer["accepted"])  # type: ignore[call-overload]
        self.tally.duplicate += int(answer["duplicate"])  # type: ignore[call-overload]
        for each in answer["rejected"]:  # type: ignore[attr-defined]
            self.tally.rejected += 1
            if len(self.tally.reasons) < SHOWN:
                line = batch[each["index"]].line
                self.tally.reasons.append(f"line {line}: {each['field']} {each['reason']}")
