"""Entries into the platform's session and twin, as the runner feeds them; what the twin showed meanwhile."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np

from simcore.estimate.monitor.finding import Finding, Health
from simcore.model.workspace import Array
from tests.field.draws import Draw
from tests.field.names import UNTRUSTED_PAYLOAD
from tests.field.telemetry import T0_US, Telemetry
from twin.ingest.entries import Tick
from twin.runtime import checkpoint, specs
from twin.runtime.session import TwinSession

DELAY_US = 150_000  # of the platform's settings
TICKS_S = 0.04  # how often the runner looks for silent machines
SILENT_S = 0.3  # from which it does
LOOK_S = 0.1  # of machine time from one look at the twin to the next
HEALTH_S = 0.5
MOVES_AT = 0.4  # of the work: another runner takes the twin over from its checkpoint
END_S = 1.0  # after the last entry


@dataclass
class Shown:
    """What the twin showed, look by look."""

    times: list[float] = field(default_factory=list)  # true time of the state, s
    arrivals: list[float] = field(default_factory=list)  # when it was shown, s
    status: list[str] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)
    sigmas: list[Array] = field(default_factory=list)
    health_times: list[float] = field(default_factory=list)  # arrival, s
    health: list[Health | None] = field(default_factory=list)
    findings: list[tuple[Finding, ...]] = field(default_factory=list)
    doubted: list[bool] = field(default_factory=list)  # whether the payload was marked as not trustworthy
    learned: list[Array] = field(default_factory=list)  # differences from the description, with health_times
    changes: list[tuple[float, str]] = field(default_factory=list)  # arrival and status, at every change
    stops: list[tuple[float, str]] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)  # arrivals of samples from which the twin started again
    cpu: float = 0.0  # s, of the twin alone
    late: int = 0
    refused: int = 0


def play(draw: Draw, telemetry: Telemetry) -> Shown:
    """The whole draw."""
    watch = _Watch(_session(draw), telemetry)
    now, moved = 0.0, False
    for arrives, entry in telemetry.entries:
        if arrives - now > SILENT_S:
            watch.wait(now, arrives)
        now = arrives
        watch.feed(entry, now)
        if not moved and now > MOVES_AT * draw.seconds:
            moved = watch.move_to(_session(draw))
    watch.wait(now, now + END_S)
    record = watch.session.record
    watch.shown.late, watch.shown.refused = record.late, record.refused
    return watch.shown


def _session(draw: Draw) -> TwinSession:
    """As the platform builds it."""
    spec = specs.MachineSpec(UUID(int=draw.number), draw.machine, dict(draw.described))
    twin, channels = specs.build_twin(spec)
    return TwinSession(twin, channels, dt_us=specs.DT_US, delay_us=DELAY_US)


class _Watch:
    """Feeds a session and notes what it shows."""

    def __init__(self, session: TwinSession, telemetry: Telemetry) -> None:
        self.shown = Shown()
        self.session, self._clock = session, telemetry.clock
        self._looked, self._checked = -np.inf, -np.inf
        self._status, self._failing, self._epoch = "", False, 1
        self._nominal = _learned(session)

    def feed(self, entry: object, now: float) -> None:
        session, shown, record = self.session, self.shown, self.session.record
        began = time.process_time()
        session.feed(entry)  # type: ignore[arg-type]
        shown.cpu += time.process_time() - began
        failing = record.failure is not None
        if failing and not self._failing:
            shown.stops.append((now, session.reason()))
        self._failing = failing
        if record.epoch > self._epoch:
            shown.starts.append(now)
            self._epoch = record.epoch
        status = session.status
        if status != self._status:
            shown.changes.append((now, status))
            self._status = status
        state = (session.state_us - T0_US) * 1e-6
        if abs(state - self._looked) >= LOOK_S:
            self._looked = state
            self._look(state, now, status)
        if now - self._checked >= HEALTH_S and status == "synced":
            self._checked = now
            health, findings = session.health()
            shown.health_times.append(now)
            shown.health.append(health)
            shown.findings.append(tuple(findings))
            shown.doubted.append(any(doubt.code.startswith(UNTRUSTED_PAYLOAD) for doubt in session.doubts()))
            shown.learned.append(_learned(session) - self._nominal)

    def _look(self, state: float, now: float, status: str) -> None:
        shown = self.shown
        shown.times.append(self._clock.true_time(state, now))
        shown.arrivals.append(now)
        shown.status.append(status)
        shown.values.append(self.session.values())
        shown.sigmas.append(self.session.sigmas())

    def wait(self, begin: float, end: float) -> None:
        """The runner's ticks while nothing arrives."""
        for k in range(1, int((end - begin) / TICKS_S) + 1):
            now = begin + k * TICKS_S
            now_us = T0_US + round(now * 1e6)
            if (due := self.session.tick_due(now_us)) is not None:
                self.feed(Tick(due, now_us), now)

    def move_to(self, other: TwinSession) -> bool:
        """Continue with a new session from the present one's checkpoint."""
        saved = checkpoint.dump(self.session, model="same", token=1, last_id="0-0")
        checkpoint.restore(other, saved, model="same")
        self.session = other
        return True


def _learned(session: TwinSession) -> Array:
    """Valve gains, and masses in units of 100 kg or of the body, with which the twin computes."""
    engine = session.twin.engine  # type: ignore[attr-defined]
    masses = engine.condition.bodies["mass"] / np.maximum(engine.plan.bodies["mass"], 100.0)
    return np.concatenate([engine.condition.valves["gain"], masses])
