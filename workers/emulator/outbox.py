"""A queue of samples that wait for acknowledgement."""

import threading
from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """The sample of one controller cycle."""

    seq: int
    t_us: int
    channels: dict[str, float]

    def as_json(self) -> dict[str, object]:
        """Return the sample in the form that the telemetry interface expects."""
        return {"seq": self.seq, "t": self.t_us, "channels": self.channels}


class Outbox:
    """A bounded queue from the controller to the sender; when it is full, the oldest samples are dropped."""

    def __init__(self, capacity: int) -> None:
        self.given_up = 0
        self._capacity = capacity
        self._waiting: deque[Sample] = deque()
        self._changed = threading.Condition()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, sample: Sample) -> None:
        """Store a sample until it is settled."""
        with self._changed:
            if len(self._waiting) == self._capacity:
                self._waiting.popleft()
                self.given_up += 1
            self._waiting.append(sample)
            self._changed.notify_all()

    def oldest(self, count: int) -> list[Sample]:
        """Return the samples to send next; they stay in the queue until they are settled."""
        with self._changed:
            return [self._waiting[i] for i in range(min(count, len(self._waiting)))]

    def settle(self, samples: list[Sample]) -> None:
        """Remove samples that were acknowledged or refused."""
        done = {sample.seq for sample in samples}
        with self._changed:
            while self._waiting and self._waiting[0].seq in done:
                self._waiting.popleft()
            self._changed.notify_all()

    def wait_filled(self, seconds: float) -> bool:
        """Wait until there are samples to send."""
        with self._changed:
            return self._changed.wait_for(lambda: bool(self._waiting), seconds)

    def wait_empty(self, seconds: float) -> bool:
        """Wait until all samples are settled."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting, seconds)
