"""Entries into the platform's session and twin, as the runner feeds them; what the twin showed meanwhile."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np

from simcore.estimate.monitor.finding import Finding, Health
from simcore.model.workspace import Array
from tests.field.draws import Draw
from tests.field.telemetry import T0_US, Telemetry
from twin.ingest.entries import Tick
from twin.runtime import specs
from twin.runtime.session import TwinSession

DELAY_US = 150_000  # of the platform's settings
TICKS_S = 0.04  # how often the runner looks for silent machines
SILENT_S = 0.3  # from which it does
LOOK_S = 0.1  # of machine time from one look at the twin to the next
HEALTH_S = 0.5
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
    learned: list[Array] = field(default_factory=list)  # differences from the description, with health_times
    changes: list[tuple[float, str]] = field(default_factory=list)  # arrival and status, at every change
    stops: list[tuple[float, str]] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)  # arrivals of samples from which the twin started again
    cpu: float = 0.0  # s, of the twin alone
    late: int = 0
    refused: int = 0


def play(draw: Draw, telemetry: Telemetry) -> Shown:
    """The whole draw."""
    spec = specs.MachineSpec(UUID(int=draw.number), draw.machine, dict(draw.described))
    twin, channels = specs.build_twin(spec)
    session = TwinSession(twin, channels, dt_us=specs.DT_US, delay_us=DELAY_US)
    watch = _Watch(session, telemetry)
    now = 0.0
    for arrives, entry in telemetry.entries:
        if arrives - now > SILENT_S:
            _wait(session, watch, now, arrives)
        now = arrives
        watch.feed(entry, now)
    _wait(session, watch, now, now + END_S)
    watch.shown.late, watch.shown.refused = session.record.late, session.record.refused
    return watch.shown


def _wait(session: TwinSession, watch: _Watch, begin: float, end: float) -> None:
    """The runner's ticks while nothing arrives."""
    for k in range(1, int((end - begin) / TICKS_S) + 1):
        now = begin + k * TICKS_S
        now_us = T0_US + round(now * 1e6)
        if (due := session.tick_due(now_us)) is not None:
            watch.feed(Tick(due, now_us), now)


class _Watch:
    """Feeds a session and notes what it shows."""

    def __init__(self, session: TwinSession, telemetry: Telemetry) -> None:
        self.shown = Shown()
        self._session, self._clock = session, telemetry.clock
        self._looked, self._checked = -np.inf, -np.inf
        self._status, self._failing, self._epoch = "", False, 1
        self._nominal = _learned(session)

    def feed(self, entry: object, now: float) -> None:
        session, shown, record = self._session, self.shown, self._session.record
        began = time.process_time()
        session.feed(entry)  # type: ignore[arg-type]
        shown.cpu += time.process_time() - began
        failing = record.failure is not None and not record.adrift
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
            shown.learned.append(_learned(session) - self._nominal)

    def _look(self, state: float, now: float, status: str) -> None:
        shown = self.shown
        shown.times.append(self._clock.true_time(state, now))
        shown.arrivals.append(now)
        shown.status.append(status)
        shown.values.append(self._session.values())
        shown.sigmas.append(self._session.sigmas())


def _learned(session: TwinSession) -> Array:
    """Valve gains, and masses in units of 100 kg or of the body, with which the twin computes."""
    engine = session.twin.engine  # type: ignore[attr-defined]
    masses = engine.condition.bodies["mass"] / np.maximum(engine.plan.bodies["mass"], 100.0)
    return np.concatenate([engine.condition.valves["gain"], masses])
