"""One twin and its place in time: a function of the order of the machine's stream, and of nothing else.

Machine time is counted in model steps from the *epoch*, the time of the sample the twin started from. The
*watermark* is the largest machine time heard of, less a fixed delay that gives late samples a chance; the
twin is advanced exactly to it, sample by sample in stream order. Steps up to the watermark are closed: a
sample that belongs to one of them is late and goes to history only.

How many entries arrive at once, how samples are spread over entries, and how often the process is restarted
from a checkpoint changes when a state is computed, never which. Within an entry the twin goes from sample to
sample, and only at its end to the watermark; one that fails behind a sample is seen to fail at the next one,
or at the end of the entry.
"""

import heapq
import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from simcore.errors import BadChannel, Refused, SimcoreError
from simcore.estimate.monitor.finding import Finding, Health
from simcore.messages import Message
from simcore.model import Channel
from twin import messages
from twin.ingest.entries import Entry, Tick
from twin.runtime import frames
from twin.runtime.book import Book, Pending, Twin
from twin.runtime.frames import Status

log = logging.getLogger(__name__)

SYNCED_US = 500_000  # synced while the last sample fused is no further behind the state than this
STALE_US = 5_000_000  # coasting longer than this says nothing about the machine any more
RETRY_US = 1_000_000  # a twin that failed starts again from a sample this far ahead; each time twice as far
LONGEST_RETRY_US = 64_000_000
GOOD_US = 10_000_000  # a twin that has run so long may fail again as if for the first time
SILENCE_US = 300_000  # a machine that has not been heard for so long is silent, and its twin coasts
TICK_US = 100_000  # how far a coasting twin moves at a time


class _NothingFits(Exception):
    """The twin has refused every sample for so long that it is the twin that must be wrong."""

    def __init__(self, sample: Pending) -> None:
        super().__init__()
        self.sample = sample


class TwinSession:
    """Feeds a twin from its machine's stream."""

    def __init__(self, twin: Twin, channels: Sequence[Channel], *, dt_us: int, delay_us: int) -> None:
        self.twin = twin
        self.dt_us = dt_us
        self.delay_us = delay_us
        self.book = Book()
        self._names = [channel.name for channel in channels]
        self._labels = {channel.name: channel.label for channel in channels}
        self._telemetry = {channel.name for channel in channels if channel.role in ("sensor", "input")}
        self._sensors = {channel.name for channel in channels if channel.role == "sensor"}
        origins = {"input": frames.GIVEN, "sensor": frames.FUSED, "estimate": frames.FUSED, "model": 0}
        self._origin = np.array([origins[channel.role] for channel in channels], dtype=np.uint8)

    # what it is

    @property
    def state_us(self) -> int:
        """Machine time of the twin's state."""
        return self.book.epoch_us + self.book.step * self.dt_us

    @property
    def status(self) -> Status:
        """How far the state can be trusted."""
        if self.book.failure and not self.book.adrift:
            return "failed"
        unheard_us = self.state_us - self.book.fused_us
        if unheard_us < SYNCED_US:
            return "synced"
        return "coasting" if unheard_us < STALE_US else "stale"

    @property
    def started(self) -> bool:
        """Whether there has been a sample."""
        return self.book.epoch > 0

    @property
    def has_state(self) -> bool:
        """Whether the twin has a state: not before its first sample, nor when it could not start from it."""
        return self.started and not (self.book.failure and self.book.step == 0)

    def values(self) -> NDArray[np.float64]:
        """The twin's channels; NaN when it has none to show."""
        return self.twin.values() if self.has_state else self._nothing()

    def sigmas(self) -> NDArray[np.float64]:
        """Standard deviation of each channel, NaN where there is none."""
        return self.twin.sigmas() if self.has_state else self._nothing()

    def measured(self) -> NDArray[np.float64]:
        """The last reading of each channel, NaN where there is none."""
        return np.array([self.book.measured.get(name, math.nan) for name in self._names])

    def arrays(self) -> frames.Arrays:
        """All the numbers of a frame."""
        if not self.has_state:
            return frames.pack(self._nothing(), self._nothing(), self.measured())
        twin = self.twin
        numbers = self.values(), self.sigmas(), self.measured(), twin.uncorrected(), *twin.innovations()
        return frames.pack(*numbers, origin=self._origin if self.status == "synced" else None)

    def health(self) -> tuple[Health | None, list[Finding]]:
        """How well readings and model agree, and what is wrong; times are the machine's."""
        if not self.has_state:
            return None, []
        moved = (finding.from_epoch(self.book.epoch_us) for finding in self.twin.findings())
        findings = [replace(f, text=messages.english(f.message, self._labels)) for f in moved]
        return self.twin.health(), findings

    def retry_s(self) -> int:
        """How far ahead of the state a sample must be for the twin to start again; 0 while it runs."""
        return self._retry_us() // 1_000_000 if self.book.failure else 0

    def reason(self) -> str:
        """Why the twin stopped, for logs and programs."""
        book = self.book
        if book.failure is None:
            return ""
        if book.failures < 2:
            return messages.detail(book.failure)
        again = Message("twin.retry", {"count": book.failures, "retry": self.retry_s()})
        return f"{messages.detail(book.failure)} ({messages.detail(again)})"

    # what happens to it

    def feed(self, entry: Entry, enough: Callable[[], bool] = lambda: False) -> bool:
        """Take the next entry of the stream, or the rest of one that was interrupted.

        False when `enough` said so before the end: feed the same entry again to go on. An entry may hold
        hours of machine time, and other twins wait for their turn.
        """
        book = self.book
        book.entry_received_us = entry.received
        if isinstance(entry, Tick):
            if self.started:
                self._coast(entry.t)
            return True
        for _, t, readings in entry.samples[book.taken :]:
            self._take(t, entry.received, readings)
            book.taken += 1
            if book.taken < len(entry.samples) and enough():
                return False
        book.taken = 0
        if self.started and not book.failure:
            self._try(self._advance_to_watermark)
        return True

    def tick_due(self, now_us: int) -> int | None:
        """To which machine time a tick should take the twin now, if the machine is silent."""
        book = self.book
        silence_us = now_us - book.heard_received_us
        if not self.started or silence_us < SILENCE_US or self.status in ("stale", "failed"):
            return None
        last_us = book.fused_us + STALE_US + self.dt_us  # just far enough to be stale
        target_us = min(book.heard_us + silence_us - self.delay_us, last_us)
        due_us = min(book.watermark_us + TICK_US, last_us)
        return target_us if target_us >= due_us else None

    def _take(self, t: int, received: int, readings: dict[str, float]) -> None:
        book = self.book
        known = readings
        if not readings.keys() <= self._telemetry:
            known = {name: value for name, value in readings.items() if name in self._telemetry}
        closed = self._closed_step()
        reached_us = self.state_us if book.failure else book.epoch_us + max(book.step, closed) * self.dt_us
        if not self.started or t - reached_us > (self._retry_us() if book.failure else STALE_US):
            self._begin(t, received, known)
        elif not book.failure:
            if self._step_of(t) <= max(-1, closed):
                self._take_late(t, received, known)
                return
            book.arrivals += 1
            heapq.heappush(book.pending, Pending(t, book.arrivals, received, known))
            # a clock that runs ahead, be it for one sample, must not close steps that others still need
            passed_us = min(t, received)
            if passed_us > book.heard_us:
                book.heard_us, book.heard_received_us = passed_us, received
            self._raise_watermark(passed_us - self.delay_us)
        elif t > self.state_us:
            book.adrift = False

    def _take_late(self, t: int, received: int, readings: dict[str, float]) -> None:
        """Count it; when nothing else has come for long, the clock was set back: start again."""
        self.book.late += 1
        if received - self.book.heard_received_us > STALE_US:
            self._begin(t, received, readings)

    def _begin(self, t: int, received: int, readings: dict[str, float]) -> None:
        """Start (again) from one sample: the first one, or the first after a long silence or a failure."""
        book = self.book
        book.epoch += 1
        book.heard_us, book.heard_received_us = min(t, received), received
        book.epoch_us, book.step, book.watermark_us = t, 0, book.heard_us - self.delay_us
        book.fused_us, book.fused_received_us = t, received
        book.failure, book.adrift, book.pending, book.measured = None, False, [], dict(readings)
        try:
            self.twin.start(readings)
        except Exception as error:
            self._fail(error)

    def _coast(self, t: int) -> None:
        """Go on without the machine, with its last commands held.

        They may lead where the model ends, a piston to the end of its tube. That says nothing about the
        machine: the state is held from there on, and the twin is stale in its time instead of failed.
        """
        book, epoch = self.book, self.book.epoch
        if not book.failure:
            self._raise_watermark(t)
            if not book.failure:
                self._try(self._advance_to_watermark)
            book.adrift = bool(book.failure) and book.epoch == epoch and t - book.fused_us >= SYNCED_US
        if book.adrift:
            book.watermark_us = max(t, book.watermark_us)
            book.step = self._closed_step()

    def _raise_watermark(self, t: int) -> None:
        if t > self.book.watermark_us:
            self.book.watermark_us = t
            self._try(self._fuse_what_is_closed)

    def _try(self, work: Callable[[], None]) -> None:
        try:
            work()
        except _NothingFits as fault:
            self._begin(fault.sample.t, fault.sample.received, fault.sample.readings)
        except Exception as error:
            self._fail(error)

    def _fuse_what_is_closed(self) -> None:
        book = self.book
        closed = self._closed_step()
        while book.pending and (step := self._step_of(book.pending[0].t)) <= closed:
            self._correct(heapq.heappop(book.pending), step)

    def _advance_to_watermark(self) -> None:
        book, closed = self.book, self._closed_step()
        if closed > book.step:
            self.twin.advance(closed - book.step)
            book.step = closed
        if book.failures and self.state_us - book.epoch_us > GOOD_US:
            book.failures = 0

    def _correct(self, sample: Pending, step: int) -> None:
        """Fuse a sample. One the twin refuses is counted and skipped: a single bad reading harms nothing."""
        book = self.book
        book.measured.update(sample.readings)
        try:
            self.twin.correct(sample.readings, step - book.step)
        except (Refused, BadChannel) as error:
            book.step = step
            book.refused += 1
            if sample.t - book.fused_us > STALE_US:
                raise _NothingFits(sample) from error
            return
        book.step = step
        if not self._sensors.isdisjoint(sample.readings):  # commands alone say nothing about the state
            book.fused_us, book.fused_received_us = sample.t, sample.received

    def _fail(self, error: Exception) -> None:
        """Stop here; the twin tries again from the first sample that is far enough ahead (a new epoch).

        One that keeps failing tries less and less often: it costs its neighbours nothing, and says so.
        """
        book = self.book
        book.failures += 1
        book.failure = messages.failure(error)
        book.pending = []
        if not isinstance(error, SimcoreError):
            log.error("unexpected failure of a twin", exc_info=error)

    def _retry_us(self) -> int:
        return min(LONGEST_RETRY_US, RETRY_US << max(0, min(self.book.failures, 10) - 1))

    def _step_of(self, t: int) -> int:
        """The model step nearest to a machine time."""
        return (t - self.book.epoch_us + self.dt_us // 2) // self.dt_us

    def _closed_step(self) -> int:
        return (self.book.watermark_us - self.book.epoch_us) // self.dt_us

    def _nothing(self) -> NDArray[np.float64]:
        return np.full(len(self._names), math.nan)
