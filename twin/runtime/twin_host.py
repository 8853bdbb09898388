"""Keeps one twin while its shard is ours: reads its entries, makes its frames and checkpoints."""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from uuid import UUID

import numpy as np

from simcore.errors import SimcoreError
from simcore.estimate.monitor.finding import Finding, Health
from simcore.messages import Message
from simcore.model import Channel
from twin import keys, messages
from twin.ingest import entries
from twin.runtime import checkpoint, frames
from twin.runtime.accounting import Accounts
from twin.runtime.book import Book, Twin
from twin.runtime.fenced_writes import Commit
from twin.runtime.lease import Lease
from twin.runtime.recent_frames import TrailStep
from twin.runtime.session import STALE_US, TwinSession
from twin.runtime.specs import DT_US, MachineSpec
from twin.valkey.streams import StreamEntry

log = logging.getLogger(__name__)

TURN_S = 0.02  # before its neighbours have their turn
CHECKPOINT_S = 1.0  # what a restart has to compute again, at most
HEALTH_US = 200_000  # from one look at the health of a synced twin to the next: it costs as much as a frame
RESTART_MS = 10_000  # with an unusable checkpoint: an hour of stream would take minutes to work off

BuildTwin = Callable[[MachineSpec], tuple[Twin, Sequence[Channel]]]


class Keeper:
    """One twin in our care."""

    def __init__(
        self, spec: MachineSpec, lease: Lease, build: BuildTwin, delay_us: int, frame_us: int
    ) -> None:
        self.spec = spec
        self.lease = lease
        self.stream = keys.stream(spec.id).encode()
        self.last_id = "0-0"
        self.checkpoint_id = "0-0"  # entries up to here are not needed again
        self._delay_us = delay_us
        self._frame_us = frame_us  # at least, from frame to frame
        self._build = build
        self._model = checkpoint.model_version(spec.model, spec.parameters)
        self._broken = Message("twin.stopped", {"error": ""})  # why there is no session
        self._seq = 0
        self._accounts = Accounts()
        self._moved = True  # entries have come since a frame was made, or shown to be needless
        self._shown: object = None  # what the last frame showed, and when it was made
        self._shown_us = 0
        self._looked_us = 0  # when its health was looked at last, and what was found
        self._found: tuple[Health | None, list[Finding]] = None, []
        self._reported: Message | None = None  # the failure last logged
        self._trail = TrailStep()
        self._saved_at = 0.0
        self._unsaved = True
        self._settled = False  # nothing has happened since all there was had been shown and saved
        self.session: TwinSession | None = self._new_session()

    @property
    def machine(self) -> UUID:
        return self.spec.id

    def restore(self, saved: bytes | None, last_frame: bytes | None, newest_id: str | None) -> None:
        """Continue from what is stored; if that cannot be used, start anew near the end of the stream."""
        if (last := _frame_in(last_frame)) is not None:
            self._seq = last.seq  # goes on, so that a browser can tell a gap from a new start
            self._accounts.resume(last)
        if self.session is None:
            return
        if saved is None:
            return  # from the beginning of the stream
        try:
            found = checkpoint.restore(self.session, saved, model=self._model)
        except checkpoint.BadCheckpoint as error:
            log.warning("machine %s restarts from its stream: checkpoint %s", self.machine, error)
            self.session = self._new_session()
            if newest_id is not None:
                self.last_id = f"{max(0, int(newest_id.split('-')[0]) - RESTART_MS)}-0"
        else:
            self.last_id = self.checkpoint_id = found.last_id

    def take(self, batch: Iterable[StreamEntry]) -> bool:
        """Feed entries to the twin, in order; False if its turn was over before their end."""
        if self.session is None:
            return True
        try:
            return self._feed(self.session, batch)
        except Exception as error:
            self._break(error)
            return True

    def _feed(self, session: TwinSession, batch: Iterable[StreamEntry]) -> bool:
        began, state_us = time.thread_time(), session.state_us
        over_at = time.monotonic() + TURN_S  # which costs far less to ask for than processor time
        finished = True
        for entry_id, fields in batch:
            if not finished or time.monotonic() > over_at:
                finished = False
                break
            try:
                finished = self._feed_one(session, entries.decode(entries.data_of(fields)), over_at)
            except ValueError as error:  # msgspec's own are ValueErrors
                log.error("machine %s: entry %s skipped, unreadable: %s", self.machine, entry_id, error)
            if finished:
                self.last_id = entry_id.decode()
            self._moved, self._unsaved, self._settled = True, True, False
        self._accounts.spent(time.thread_time() - began, session.state_us - state_us)
        return finished

    def _feed_one(self, session: TwinSession, entry: entries.Entry, over_at: float) -> bool:
        epoch, before_us = session.book.epoch, session.state_us
        finished = session.feed(entry, lambda: time.monotonic() > over_at)
        moved = session.book.epoch == epoch and session.state_us > before_us
        if finished and moved and isinstance(entry, entries.Samples):
            self._accounts.finished(entry.received, time.time_ns() // 1000)
        return finished

    def tick(self, now_us: int) -> bytes | None:
        """The tick entry that is due, if the machine is silent."""
        due_us = self.session.tick_due(now_us) if self.session else None
        return None if due_us is None else entries.encode(entries.Tick(due_us, now_us))

    def commit(self, now_us: int, *, save: bool = False) -> Commit | None:
        """What has to be written after a round, if anything; `save` asks for the checkpoint now."""
        if self._settled and not save:
            return None
        try:
            frame, saved = self._frame(now_us), self._checkpoint(save)
        except Exception as error:
            self._break(error)
            frame, saved = self._frame(now_us), None
        if frame is None and saved is None:
            return None
        on_trail = frame is not None and self._trail.takes(frame)
        data = None if frame is None else frames.encode(frame)
        return Commit(self.machine, data, saved, self.last_id, on_trail)

    def written(self, commit: Commit) -> None:
        """The commit is stored: entries up to its checkpoint are not needed again."""
        if commit.checkpoint is not None:
            self.checkpoint_id = commit.last_id

    def not_written(self) -> None:
        """The commit may be lost: show and save again what it held."""
        self._moved, self._shown, self._shown_us = True, None, 0
        self._trail.forget()
        self._unsaved, self._settled = True, False
        self._saved_at = 0.0

    def _frame(self, now_us: int) -> frames.Frame | None:
        if not self._moved:
            self._settled = not self._unsaved
            return None
        session = self.session
        if session is None:
            shows: object = self._broken
        elif session.started:
            shows = (session.book.epoch, session.state_us, session.status, session.book.fused_us)
        else:
            return None
        if shows == self._shown:
            self._moved, self._settled = False, not self._unsaved
            return None
        if 0 <= now_us - self._shown_us < self._frame_us:
            return None
        self._moved, self._shown, self._shown_us = False, shows, now_us
        self._seq += 1
        return self._picture(now_us)

    def _picture(self, now_us: int) -> frames.Frame:
        session = self.session
        book = session.book if session else Book()
        arrays = session.arrays() if session else frames.pack(np.empty(0), np.empty(0), np.empty(0))
        health, findings = self._health(now_us)
        status, cause, reason = self._verdict(now_us)
        return frames.Frame(
            machine=str(self.machine),
            epoch=book.epoch,
            seq=self._seq,
            t=session.state_us if session else 0,
            ts=now_us,
            t_sample=book.fused_us,
            received=book.fused_received_us,
            status=status,
            reason=reason,
            code=cause.code if cause else "",
            values=cause.values if cause else {},
            failures=book.failures,
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
            load=self._accounts.load,
            lag_us=max(0, now_us - book.entry_received_us) if session else 0,
            chunks=self._accounts.chunks,
            overruns=self._accounts.overruns,
        )

    def _health(self, now_us: int) -> tuple[Health | None, list[Finding]]:
        if self.session is None:
            return None, []
        if self.session.status != "synced" or not 0 <= now_us - self._looked_us < HEALTH_US:
            self._looked_us, self._found = now_us, self.session.health()
        return self._found

    def _verdict(self, now_us: int) -> tuple[frames.Status, Message | None, str]:
        """Status and reason as of now: a twin that works off a backlog does not follow its machine yet."""
        if self.session is None:
            return "failed", self._broken, messages.detail(self._broken)
        status, book = self.session.status, self.session.book
        behind_us = now_us - book.fused_received_us
        if status == "synced" and behind_us > STALE_US:
            behind = Message("twin.catching_up", {"behind": behind_us / 1e6})
            return "stale", behind, messages.detail(behind)
        reason = self.session.reason()
        if book.failure and book.failure != self._reported:
            log.warning("machine %s: its twin stopped: %s", self.machine, reason)
        self._reported = book.failure
        return status, book.failure, reason

    def _checkpoint(self, save: bool) -> bytes | None:
        now = time.monotonic()
        if self.session is None or not self._unsaved:
            return None
        if self.last_id == "0-0" and not self.session.started:  # nothing read yet
            return None
        if not save and now - self._saved_at < CHECKPOINT_S:
            return None
        self._saved_at, self._unsaved = now, False
        return checkpoint.dump(self.session, model=self._model, token=self.lease.token, last_id=self.last_id)

    def _new_session(self) -> TwinSession | None:
        try:
            twin, channels = self._build(self.spec)
        except Exception as error:
            self._break(error)
            return None
        return TwinSession(twin, channels, dt_us=DT_US, delay_us=self._delay_us)

    def _break(self, error: Exception) -> None:
        """Whatever is wrong with one twin must not touch its neighbours: it is put aside, with the reason."""
        self.session, self._moved, self._settled = None, True, False
        self._broken = messages.failure(error, building=True)
        unexpected = None if isinstance(error, SimcoreError) else error
        log.error(
            "machine %s has no twin: %s", self.machine, messages.detail(self._broken), exc_info=unexpected
        )


def _frame_in(data: bytes | None) -> frames.Frame | None:
    try:
        return None if data is None else frames.decode(data)
    except ValueError:  # of another version, or not ours
        return None
