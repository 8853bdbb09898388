"""Plays a recording in real time as one machine, and continues while its samples are not accepted.

The content of a sample follows from its number, so there is no queue: all samples from number `acked` on are
still to be delivered.
"""

import asyncio
import time
from typing import NamedTuple

from workers.loadtest.recording import Recording
from workers.loadtest.times import Times

PER_BODY = 5
AGAIN_S = 0.2  # after a failure
NO_ANSWER_S = 5.0
BOOT = b"load"


class Credentials(NamedTuple):
    machine: str
    device: str
    token: str


class Machine:
    def __init__(
        self,
        credentials: Credentials,
        recording: Recording,
        offset: int,
        begin: float,
        count: int,
        waits: Times,
    ) -> None:
        self.credentials = credentials
        self.count = count  # samples in total
        self.acked = 0  # samples below this number are durable
        self.sent = 0  # samples below this number were sent at least once
        self.refused = 0  # permanently
        self._waits = waits  # times from when a body was due to its acknowledgement
        self._recording = recording
        self._offset = offset
        self._begin = begin  # monotonic time of the first sample
        self._begin_us = time.time_ns() // 1000 + round((begin - time.monotonic()) * 1e6)
        self._jump = (count, 0)  # first sample with a wrong clock, and its error in microseconds

    @property
    def done(self) -> bool:
        return self.acked >= self.count

    def jump(self, microseconds: int) -> None:
        """Change the machine's clock from the next sample on."""
        self._jump = (self.existing(), microseconds)

    def existing(self) -> int:
        """Return the number of samples measured until now."""
        taken = int((time.monotonic() - self._begin) * self._recording.rate) + 1
        return max(0, min(self.count, taken))

    async def body(self, first: int) -> bytes:
        """Return the body that starts with this sample; wait until it is complete."""
        last = min(first + PER_BODY, self.count)
        await asyncio.sleep(max(0.0, self._due(last) - time.monotonic()))
        self.sent = max(self.sent, last)
        samples = b",".join([self._sample(number) for number in range(first, last)])
        return b'{"boot":"%b","samples":[%b]}' % (BOOT, samples)

    def acknowledged(self, until: int) -> None:
        """Note that samples below this number are durable."""
        while self.acked < until:
            self.acked = min(self.acked + PER_BODY, until)
            self._waits.add(time.monotonic() - self._due(self.acked))

    def _due(self, last: int) -> float:
        """Return when the body that ends before this number was complete."""
        return self._begin + (last - 1) / self._recording.rate

    def _sample(self, number: int) -> bytes:
        jumps_at, by_us = self._jump
        t_us = self._begin_us + round(number * 1e6 / self._recording.rate)
        readings = self._recording.sample(self._offset + number)
        t_us += by_us if number >= jumps_at else 0
        return b'{"seq":%d,"t":%d,"channels":%b}' % (number, t_us, readings)
