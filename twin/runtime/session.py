"""Feeds telemetry to one twin and keeps track of the twin's machine time.

The twin's state depends only on the order of the entries in the stream. Machine time is counted in model
steps from the *epoch*, the time of the sample from which the twin started; after a silence or a failure the
twin resumes from a sample, and its steps go on from the same epoch. The *watermark* is the largest
machine time received, minus a fixed delay that allows for late samples. The twin advances exactly to the
watermark, sample by sample in stream order. Steps up to the watermark are closed: a sample that belongs to
one of them is late and goes only to the history.

The state does not depend on how many entries arrive at once, on how samples are distributed over entries, or
on restarts from a checkpoint. They only affect the time at which a state is computed. Within an entry, the
twin advances from sample to sample; only at the end of the entry does it advance to the watermark. A failure
after a sample therefore shows at the next sample or at the end of the entry.
"""

import heapq
import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from simcore.errors import BadChannel, Refused, SimcoreError
from simcore.estimate.monitor.finding import Doubt, Finding, Health
from simcore.messages import Message
from simcore.model import Channel
from twin import messages
from twin.ingest.entries import Entry, Tick
from twin.runtime import frames
from twin.runtime.clock_watch import clock_findings, watch_clock
from twin.runtime.frames import Status
from twin.runtime.session_record import Pending, SessionRecord, Twin

log = logging.getLogger(__name__)

SYNCED_US = 500_000  # synced while the last fused sample is at most this far behind the state, or
SYNCED_PERIODS = 3  # this many usual intervals between samples, at most MOST_SYNCED_US
MOST_SYNCED_US = 4_500_000
STALE_US = 5_000_000  # a twin that coasts longer than this is stale
REFUSED_US = 500_000  # a twin that has refused every sample for this long resumes from the next one
RETRY_US = 1_000_000  # a failed twin restarts from a sample this far ahead; the distance doubles each time
LONGEST_RETRY_US = 64_000_000
GOOD_US = 10_000_000  # a run of this length without failure resets the count of failures
SILENCE_US = 300_000  # a machine that has sent nothing for this long, and for one and a half of its usual
# intervals, is silent, and its twin coasts
PERIOD_MEMORY = 8  # samples over which the usual interval is averaged
TICK_US = 100_000  # how far a coasting twin moves at a time


class _NothingFits(Exception):
    """The twin has refused every sample for REFUSED_US, so its state must be wrong."""

    def __init__(self, sample: Pending) -> None:
        super().__init__()
        self.sample = sample


class TwinSession:
    """Feeds a twin from its machine's stream."""

    def __init__(self, twin: Twin, channels: Sequence[Channel], *, dt_us: int, delay_us: int) -> None:
        self.twin = twin
        self.dt_us = dt_us
        self.delay_us = delay_us
        self.record = SessionRecord()
        self._names = [channel.name for channel in channels]
        self._labels = {channel.name: channel.label for channel in channels}
        self._telemetry = {channel.name for channel in channels if channel.role in ("sensor", "input")}
        self._sensors = {channel.name for channel in channels if channel.role == "sensor"}
        origins = {"input": frames.GIVEN, "sensor": frames.FUSED, "estimate": frames.FUSED, "model": 0}
        self._origin = np.array([origins[channel.role] for channel in channels], dtype=np.uint8)

    # state

    @property
    def state_us(self) -> int:
        """Machine time of the twin's present state."""
        return self.record.epoch_us + self.record.step * self.dt_us

    @property
    def status(self) -> Status:
        """Whether the twin's state follows the machine."""
        if self.record.failure:
            return "failed"
        unheard_us = self.state_us - self.record.fused_us
        if unheard_us < self._synced_us():
            return "synced"
        return "coasting" if unheard_us < STALE_US else "stale"

    @property
    def started(self) -> bool:
        """Whether a first sample has arrived."""
        return self.record.epoch > 0

    @property
    def has_state(self) -> bool:
        """False before the first sample, and if the twin could not start from it."""
        return self.started and not (self.record.failure and self.record.step == 0)

    def values(self) -> NDArray[np.float64]:
        """Values of the twin's channels; NaN if there is no state."""
        return self.twin.values() if self.has_state else self._nothing()

    def sigmas(self) -> NDArray[np.float64]:
        """Standard deviation of each channel; NaN if there is none."""
        return self.twin.sigmas() if self.has_state else self._nothing()

    def measured(self) -> NDArray[np.float64]:
        """Last reading of each channel; NaN if there is none."""
        return np.array([self.record.measured.get(name, math.nan) for name in self._names])

    def arrays(self) -> frames.Arrays:
        """All numbers of a frame."""
        if not self.has_state:
            return frames.pack(self._nothing(), self._nothing(), self.measured())
        twin = self.twin
        numbers = self.values(), self.sigmas(), self.measured(), twin.uncorrected(), *twin.innovations()
        return frames.pack(*numbers, origin=self._origin if self.status == "synced" else None)

    def health(self) -> tuple[Health | None, list[Finding]]:
        """How well readings and model agree, with the findings; times are machine times."""
        if not self.has_state:
            return None, []
        moved = (finding.from_epoch(self.record.epoch_us) for finding in self.twin.findings())
        findings = [replace(f, text=messages.english(f.message, self._labels)) for f in moved]
        return self.twin.health(), [*findings, *clock_findings(self.record.clock)]

    def doubts(self) -> Sequence[Doubt]:
        """Channels whose values cannot be trusted at present, and why."""
        return self.twin.doubts() if self.has_state and self.status == "synced" else ()

    def retry_s(self) -> int:
        """How far ahead of the state a sample must be, in s, for the twin to start again; 0 while it runs."""
        return self._retry_us() // 1_000_000 if self.record.failure else 0

    def reason(self) -> str:
        """Why the twin stopped, for logs and programs."""
        record = self.record
        if record.failure is None:
            return ""
        if record.failures < 2:
            return messages.detail(record.failure)
        again = Message("twin.retry", {"count": record.failures, "retry": self.retry_s()})
        return f"{messages.detail(record.failure)} ({messages.detail(again)})"

    # events

    def feed(self, entry: Entry, enough: Callable[[], bool] = lambda: False) -> bool:
        """Feed the next entry of the stream, or the rest of an interrupted one.

        Returns False if `enough` became true before the end; feed the same entry again to continue. This
        matters because an entry may contain hours of machine time while other twins wait.
        """
        record = self.record
        record.entry_received_us = entry.received
        if isinstance(entry, Tick):
            if self.started:
                self._coast(entry.t)
            return True
        for _, t, readings in entry.samples[record.taken :]:
            self._take(t, entry.received, readings)
            record.taken += 1
            if record.taken < len(entry.samples) and enough():
                return False
        record.taken = 0
        return True

    def tick_due(self, now_us: int) -> int | None:
        """Return the machine time to which a tick should advance the twin now; None if no tick is needed."""
        record = self.record
        silence_us = now_us - record.heard_received_us
        if not self.started or silence_us < self._silence_us() or self.status in ("stale", "failed"):
            return None
        last_us = record.fused_us + STALE_US + self.dt_us  # just far enough to be stale
        target_us = min(record.heard_us + silence_us - self.delay_us, last_us)
        due_us = min(record.watermark_us + TICK_US, last_us)
        return target_us if target_us >= due_us else None

    def _take(self, t: int, received: int, readings: dict[str, float]) -> None:
        record = self.record
        watch_clock(record.clock, t, received)
        known = readings
        if not readings.keys() <= self._telemetry:
            known = {name: value for name, value in readings.items() if name in self._telemetry}
        closed = self._closed_step()
        reached_us = (
            self.state_us if record.failure else record.epoch_us + max(record.step, closed) * self.dt_us
        )
        if not self.started or t - reached_us > (self._retry_us() if record.failure else STALE_US):
            self._begin(t, received, known)
        elif not record.failure:
            if self._step_of(t) <= max(record.step - 1, closed):
                self._take_late(t, received, known)
                return
            record.arrivals += 1
            heapq.heappush(record.pending, Pending(t, record.arrivals, received, known))
            # a sample with a clock that runs ahead must not close steps that other samples still need
            passed_us = min(t, received)
            if passed_us > record.heard_us:
                record.heard_us, record.heard_received_us = passed_us, received
            self._raise_watermark(passed_us - self.delay_us)

    def _take_late(self, t: int, received: int, readings: dict[str, float]) -> None:
        """Count a late sample.

        If only late samples came for STALE_US, the clock was set back: start again.
        """
        self.record.late += 1
        if received - self.record.heard_received_us > STALE_US:
            self._begin(t, received, readings)

    def _begin(self, t: int, received: int, readings: dict[str, float]) -> None:
        """Begin from a sample: the first one ever, or the first one after a long silence or a failure.

        Only the first one starts a new twin. Later, the twin resumes: what it has learned, its findings and
        its counters stay, and steps that were not simulated are skipped. If the machine's clock was set back,
        a new epoch begins, whose time continues from the sample.
        """
        record, first = self.record, not self.has_state
        back = not first and t <= self.state_us
        record.heard_us, record.heard_received_us = min(t, received), received
        if not first and not back:
            self._observe_period(t - record.fused_us)
        record.fused_us, record.fused_received_us = t, received
        record.watermark_us = record.heard_us - self.delay_us
        record.failure, record.pending = None, []
        if first:
            record.epoch, record.epoch_us, record.step = record.epoch + 1, t, 0
            record.measured = dict(readings)
        elif back:
            record.epoch, record.epoch_us = record.epoch + 1, t - record.step * self.dt_us
        record.measured.update(readings)
        step = self._step_of(t)
        try:
            if first:
                self.twin.start(readings)
            else:
                self.twin.resume(readings, step - record.step)
        except Exception as error:
            self._fail(error)
        else:
            record.step = step

    def _coast(self, t: int) -> None:
        """Continue without telemetry: the twin expects commands to return to neutral."""
        if not self.record.failure:
            self._raise_watermark(t)
            if not self.record.failure:
                self._try(self._advance_to_watermark)

    def _raise_watermark(self, t: int) -> None:
        if t > self.record.watermark_us:
            self.record.watermark_us = t
            self._try(self._fuse_what_is_closed)

    def _try(self, work: Callable[[], None]) -> None:
        try:
            work()
        except _NothingFits as fault:
            self._begin(fault.sample.t, fault.sample.received, fault.sample.readings)
        except Exception as error:
            self._fail(error)

    def _fuse_what_is_closed(self) -> None:
        record = self.record
        closed = self._closed_step()
        while record.pending and (step := self._step_of(record.pending[0].t)) <= closed:
            self._correct(heapq.heappop(record.pending), step)

    def _advance_to_watermark(self) -> None:
        record, closed = self.record, self._closed_step()
        if closed > record.step:
            self.twin.advance(closed - record.step)
            record.step = closed

    def _correct(self, sample: Pending, step: int) -> None:
        """Fuse a sample. A sample that the twin refuses is counted and skipped."""
        record = self.record
        record.measured.update(sample.readings)
        try:
            self.twin.correct(sample.readings, step - record.step)
        except (Refused, BadChannel) as error:
            record.step = step
            record.refused += 1
            if sample.t - record.fused_us > REFUSED_US:
                raise _NothingFits(sample) from error
            return
        record.step = step
        if record.failures and self.state_us - record.failed_us > GOOD_US:
            record.failures = 0
        if not self._sensors.isdisjoint(sample.readings):  # commands alone do not correct the state
            self._observe_period(sample.t - record.fused_us)
            record.fused_us, record.fused_received_us = sample.t, sample.received

    def _observe_period(self, interval_us: int) -> None:
        """Learn how often samples come; a single gap counts as a few intervals only."""
        record = self.record
        if interval_us <= 0:
            return
        usual_us = record.period_us or interval_us
        record.period_us = usual_us + (min(interval_us, 3 * usual_us) - usual_us) // PERIOD_MEMORY

    def _synced_us(self) -> int:
        return min(max(SYNCED_US, SYNCED_PERIODS * self.record.period_us), MOST_SYNCED_US)

    def _silence_us(self) -> int:
        return min(max(SILENCE_US, self.record.period_us * 3 // 2), MOST_SYNCED_US)

    def _fail(self, error: Exception) -> None:
        """Stop the twin; it resumes from the first sample that is far enough ahead.

        A twin that keeps failing tries again less and less often, so that it takes no time from the others.
        """
        record = self.record
        record.failures += 1
        record.failed_us = self.state_us
        record.failure = messages.failure(error)
        record.pending = []
        if not isinstance(error, SimcoreError):
            log.error("unexpected failure of a twin", exc_info=error)

    def _retry_us(self) -> int:
        return min(LONGEST_RETRY_US, RETRY_US << max(0, min(self.record.failures, 10) - 1))

    def _step_of(self, t: int) -> int:
        """Return the model step nearest to a machine time."""
        return (t - self.record.epoch_us + self.dt_us // 2) // self.dt_us

    def _closed_step(self) -> int:
        return (self.record.watermark_us - self.record.epoch_us) // self.dt_us

    def _nothing(self) -> NDArray[np.float64]:
        return np.full(len(self._names), math.nan)
