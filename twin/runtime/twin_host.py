"""Hosts one twin while this runner holds its shard: feeds it entries and makes its frames and checkpoints."""

import logging
import math
import time
from collections.abc import Callable, Iterable, Sequence
from uuid import UUID

import numpy as np

from simcore.errors import SimcoreError
from simcore.estimate.monitor.finding import Doubt, Finding, Health
from simcore.messages import Message
from simcore.model import Channel
from twin import keys, messages
from twin.ingest import entries
from twin.runtime import checkpoint, frames
from twin.runtime.due_writes import DueWrites
from twin.runtime.fenced_writes import Commit
from twin.runtime.lease import Lease
from twin.runtime.realtime_load import RealtimeLoad
from twin.runtime.recent_frames import RecentFrameFilter
from twin.runtime.session import STALE_US, TwinSession
from twin.runtime.session_record import SessionRecord, Twin
from twin.runtime.specs import DT_US, MachineSpec
from twin.valkey.pipeline_client import StreamEntry

log = logging.getLogger(__name__)

SLICE_S = 0.02  # longest time in one round before the next twin is served
HEALTH_US = 200_000  # interval of health checks of a synced twin: a check costs as much as a frame
WATCHED_S = 10.0  # for which the open-loop model goes on after the last page is closed: it may be reloading
RESTART_MS = 10_000  # how far back to start without a usable checkpoint: an hour would take minutes

BuildTwin = Callable[[MachineSpec], tuple[Twin, Sequence[Channel]]]


class TwinHost:
    """Hosts one twin of this runner."""

    def __init__(
        self, spec: MachineSpec, lease: Lease, build: BuildTwin, delay_us: int, frame_us: int
    ) -> None:
        self.spec = spec
        self.lease = lease
        self.stream = keys.stream(spec.id).encode()
        self.last_id = "0-0"
        self.checkpoint_id = "0-0"  # entries up to here are not needed again
        self._delay_us = delay_us
        self._build = build
        self._model = checkpoint.model_version(spec.model, spec.parameters)
        self._broken = Message("twin.stopped", {"error": ""})  # why there is no session
        self._seq = 0
        self._realtime = RealtimeLoad()
        self._due = DueWrites(frame_us)
        self._recent = RecentFrameFilter()
        self._health_us = 0  # when the health was last checked, and the result
        self._last_health: tuple[Health | None, list[Finding]] = None, []
        self._last_doubts: Sequence[Doubt] = ()
        self._logged_failure = ""
        self._watched_at = -math.inf  # when a page of the machine was last open
        self.session: TwinSession | None = self._new_session()

    @property
    def machine(self) -> UUID:
        return self.spec.id

    def restore(self, saved: bytes | None, last_frame: bytes | None, newest_id: str | None) -> None:
        """Continue from the stored checkpoint; if it cannot be used, start near the end of the stream."""
        if (last := _frame_in(last_frame)) is not None:
            self._seq = last.seq  # continues, so that a browser can tell a gap from a restart
            self._realtime.resume(last)
        if self.session is None:
            return
        if saved is None:
            return  # start at the beginning of the stream
        try:
            found = checkpoint.restore(self.session, saved, model=self._model)
        except checkpoint.BadCheckpoint as error:
            log.warning("machine %s restarts from its stream, because its checkpoint %s", self.machine, error)
            self.session = self._new_session()
            if newest_id is not None:
                self.last_id = f"{max(0, int(newest_id.split('-')[0]) - RESTART_MS)}-0"
        else:
            self.last_id = self.checkpoint_id = found.last_id

    def feed(self, batch: Iterable[StreamEntry]) -> bool:
        """Feed entries to the twin in order; return False if its time slice ended before the last entry."""
        if self.session is None:
            return True
        try:
            return self._feed(self.session, batch)
        except Exception as error:
            self._break(error)
            return True

    def _feed(self, session: TwinSession, batch: Iterable[StreamEntry]) -> bool:
        began, state_us = time.thread_time(), session.state_us
        over_at = time.monotonic() + SLICE_S  # wall time: far cheaper to read than processor time
        finished = True
        for entry_id, fields in batch:
            if not finished or time.monotonic() > over_at:
                finished = False
                break
            try:
                finished = self._feed_one(session, entries.decode(entries.data_of(fields)), over_at)
            except ValueError as error:  # msgspec's own are ValueErrors
                log.error("machine %s: skipped unreadable entry %s: %s", self.machine, entry_id, error)
            if finished:
                self.last_id = entry_id.decode()
            self._due.fed()
        self._realtime.add_cpu_time(time.thread_time() - began, session.state_us - state_us)
        return finished

    def _feed_one(self, session: TwinSession, entry: entries.Entry, over_at: float) -> bool:
        epoch, before_us = session.record.epoch, session.state_us
        finished = session.feed(entry, lambda: time.monotonic() > over_at)
        moved = session.record.epoch == epoch and session.state_us > before_us
        if finished and moved and isinstance(entry, entries.Samples):
            self._realtime.count_chunk(entry.received, time.time_ns() // 1000)
        return finished

    def tick(self, now_us: int) -> bytes | None:
        """Return the tick entry to append if the machine is silent."""
        due_us = self.session.tick_due(now_us) if self.session else None
        return None if due_us is None else entries.encode(entries.Tick(due_us, now_us))

    def commit(self, now_us: int, *, save: bool = False) -> Commit | None:
        """Return what to write after a round, if anything; `save` requests a checkpoint now."""
        if self._due.idle:
            return None
        try:
            frame, saved = self._frame(now_us), self._checkpoint(save)
        except Exception as error:
            self._break(error)
            frame, saved = self._frame(now_us), None
        if frame is None and saved is None:
            return None
        keep_recent = frame is not None and self._recent.selects(frame)
        data = None if frame is None else frames.encode(frame)
        return Commit(self.machine, data, saved, self.last_id, keep_recent)

    def written(self, commit: Commit, heard: int) -> None:
        """Note that the commit is stored: entries up to its checkpoint may be trimmed.

        heard: processes that received its frame. The open-loop model runs only while somebody looks.
        """
        if commit.checkpoint is not None:
            self.checkpoint_id = commit.last_id
        if commit.frame is None or self.session is None:
            return
        now = time.monotonic()
        if heard > 0:
            self._watched_at = now
        self.session.twin.compare(now - self._watched_at < WATCHED_S)

    def not_written(self) -> None:
        """Note that the commit may be lost: its content will be written again."""
        self._due.repeat()
        self._recent.reset()

    def _frame(self, now_us: int) -> frames.Frame | None:
        if not self._due.frame(self._shows, now_us):
            return None
        self._seq += 1
        return self._make_frame(now_us)

    def _shows(self) -> object:
        """Return what a frame would show now; None if there is nothing.

        A frame is due when this has changed.
        """
        session = self.session
        if session is None:
            return self._broken
        if not session.started:
            return None
        return session.record.epoch, session.state_us, session.status, session.record.fused_us

    def _make_frame(self, now_us: int) -> frames.Frame:
        session = self.session
        record = session.record if session else SessionRecord()
        arrays = session.arrays() if session else frames.pack(np.empty(0), np.empty(0), np.empty(0))
        health, findings = self._health(now_us)
        status, cause, reason = self._verdict(now_us)
        return frames.Frame(
            machine=str(self.machine),
            epoch=record.epoch,
            seq=self._seq,
            t=session.state_us if session else 0,
            ts=now_us,
            t_sample=record.fused_us,
            received=record.fused_received_us,
            status=status,
            reason=reason,
            code=cause.code if cause else "",
            values=cause.values if cause else {},
            failures=record.failures,
            retry_s=session.retry_s() if session else 0,
            value=arrays.value,
            sigma=arrays.sigma,
            measured=arrays.measured,
            uncorrected=arrays.uncorrected,
            innovation=arrays.innovation,
            spread=arrays.spread,
            flags=arrays.flags,
            health=health,
            findings=findings,
            doubts=self._last_doubts,
            load=self._realtime.load,
            lag_us=max(0, now_us - record.entry_received_us) if session else 0,
            chunks=self._realtime.chunks,
            overruns=self._realtime.overruns,
        )

    def _health(self, now_us: int) -> tuple[Health | None, list[Finding]]:
        if self.session is None:
            return None, []
        if self.session.status != "synced" or not 0 <= now_us - self._health_us < HEALTH_US:
            self._health_us, self._last_health = now_us, self.session.health()
            self._last_doubts = self.session.doubts()
        return self._last_health

    def _verdict(self, now_us: int) -> tuple[frames.Status, Message | None, str]:
        """Return the present status and its reason; a twin that still works through a backlog is stale."""
        if self.session is None:
            return "failed", self._broken, messages.detail(self._broken)
        status, record = self.session.status, self.session.record
        behind_us = now_us - record.fused_received_us
        if status == "synced" and behind_us > STALE_US:
            behind = Message("twin.catching_up", {"behind": behind_us / 1e6})
            return "stale", behind, messages.detail(behind)
        reason = self.session.reason()
        if reason and reason != self._logged_failure:
            log.warning("machine %s: the twin stopped: %s", self.machine, reason)
        self._logged_failure = reason
        return status, record.failure, reason

    def _checkpoint(self, save: bool) -> bytes | None:
        if self.session is None or (self.last_id == "0-0" and not self.session.started):  # nothing read yet
            return None
        if not self._due.checkpoint(time.monotonic(), save=save):
            return None
        return checkpoint.dump(self.session, model=self._model, token=self.lease.token, last_id=self.last_id)

    def _new_session(self) -> TwinSession | None:
        try:
            twin, channels = self._build(self.spec)
        except Exception as error:
            self._break(error)
            return None
        return TwinSession(twin, channels, dt_us=DT_US, delay_us=self._delay_us)

    def _break(self, error: Exception) -> None:
        """Stop this twin and show why, so that its failure does not affect the other twins."""
        self.session = None
        self._due.show()
        self._broken = messages.failure(error, building=True)
        unexpected = None if isinstance(error, SimcoreError) else error
        log.error(
            "machine %s has no twin: %s", self.machine, messages.detail(self._broken), exc_info=unexpected
        )


def _frame_in(data: bytes | None) -> frames.Frame | None:
    try:
        return None if data is None else frames.decode(data)
    except ValueError:  # written by another version, or not by us
        return None
