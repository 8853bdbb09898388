"""Twins of digging excavators and working cranes through gaps, losses and low rates: found again, no stop."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from simcore.estimate.twin.live_twin import LiveTwin
from twin.ingest.entries import Samples, Tick
from twin.runtime.session import TwinSession
from twin.runtime.specs import DT_US, MachineSpec, build_twin
from workers.emulator.as_built import AsBuiltSpec
from workers.emulator.working_machine import WorkingMachine

pytestmark = pytest.mark.long

_CYCLE = 0.01  # s, of the machine's controller
_T0 = 1_763_251_200_000_000
_AT_LEAST_RATE = 0.06  # of the largest pressure, RMS: what nine of ten machines must reach
_BACK = 2.0  # s after a gap until which the twin must follow again


@cache
def _recording(
    model: str, serial: int, seconds: float
) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """Truth and readings of a machine at work, at 100 Hz."""
    machine = WorkingMachine(AsBuiltSpec("machine", model, serial), pauses=False)
    truth, readings = [], []
    for _ in range(round(seconds / _CYCLE)):
        truth.append(machine._built.readings())
        readings.append(machine.cycle(_CYCLE))
    return truth, readings


@cache
def _twin(model: str) -> LiveTwin:
    twin, _ = build_twin(MachineSpec(None, model, {}))
    assert isinstance(twin, LiveTwin)
    return twin


class Played:
    """A session that is fed a recording, sampled every `every` cycles, without what `lost` says (s)."""

    def __init__(self, model: str, serial: int, seconds: float, every: int, lost) -> None:
        truth, readings = _recording(model, serial, seconds)
        twin = _twin(model)
        self.session = TwinSession(twin, twin.engine.channels, dt_us=DT_US, delay_us=0)
        self.statuses: dict[float, str] = {}
        shown = (c for c in twin.engine.channels if c.unit == "Pa" and c.role in ("sensor", "estimate"))
        pressures = [c.name for c in shown if c.name in truth[0]]
        places = [twin.engine.position(name) for name in pressures]
        errors = []
        for k, sample in enumerate(readings):
            t, now_us = k * _CYCLE, _T0 + round(k * _CYCLE * 1e6)
            if k % every == 0 and not lost(t):
                self.session.feed(Samples("device", "boot", now_us, [(0, now_us, sample)]))
                if t > 2.0:
                    errors.append(self.session.values()[places] - [truth[k][name] for name in pressures])
            elif (due_us := self.session.tick_due(now_us)) is not None:
                self.session.feed(Tick(due_us, now_us))
            assert self.session.record.failure is None, self.session.reason()
            self.statuses[round(t, 2)] = self.session.status
        most = max(abs(row[name]) for row in truth for name in pressures)
        self.pressure_error = float(np.sqrt(np.mean(np.square(errors)))) / most


@pytest.mark.parametrize("gap", [0.2, 1.0, 2.0, 4.0, 10.0])
@pytest.mark.parametrize("model", ["excavator", "loader-crane"])
def test_a_twin_follows_again_within_two_seconds_after_every_gap(model: str, gap: float) -> None:
    begins = np.arange(3.0, 56.0 - gap, gap + 3.1)
    played = Played(model, 901, 60.0, 2, lambda t: bool(np.any((t >= begins) & (t < begins + gap))))
    for begin in begins:
        back = round(float(begin + gap), 2)
        after = [status for t, status in played.statuses.items() if back + 0.1 < t < back + _BACK]
        assert set(after) == {"synced"}
    assert played.session.record.epoch == 1
    assert played.session.twin.findings() == () or gap > 1.0


@pytest.mark.parametrize(
    ("model", "every", "error"),
    [
        ("excavator", 1, _AT_LEAST_RATE),
        ("excavator", 4, _AT_LEAST_RATE),
        ("excavator", 6, _AT_LEAST_RATE),
        ("excavator", 20, 0.25),
        ("loader-crane", 4, _AT_LEAST_RATE),
        ("loader-crane", 20, _AT_LEAST_RATE),
    ],
)
def test_pressures_at_low_rates(model: str, every: int, error: float) -> None:
    played = Played(model, 901, 25.0, every, lambda t: False)
    assert played.pressure_error < error
    slow = [f.code for f in played.session.twin.findings() if f.kind == "slow"]
    assert slow == (["telemetry.slow"] if (model, every) == ("excavator", 20) else [])


@pytest.mark.parametrize("model", ["excavator", "loader-crane"])
def test_two_samples_of_five_are_lost(model: str) -> None:
    chance = np.random.default_rng(4)
    played = Played(model, 901, 25.0, 2, lambda t: chance.random() < 0.4)
    assert played.pressure_error < _AT_LEAST_RATE


@pytest.mark.parametrize("model", ["excavator", "loader-crane"])
def test_a_twin_with_a_sample_a_second_never_stops_and_stays_synced(model: str) -> None:
    played = Played(model, 902, 25.0, 100, lambda t: False)
    assert {status for t, status in played.statuses.items() if t > 4.0} == {"synced"}
    assert [f.code for f in played.session.twin.findings() if f.kind == "slow"] == ["telemetry.sparse"]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("model", ["excavator", "loader-crane"])
def test_a_twin_starts_from_any_moment_and_any_half_of_the_channels(model: str, seed: int) -> None:
    _, readings = _recording(model, 901, 60.0)
    chance, twin = np.random.default_rng(seed), _twin(model)
    for _ in range(8):
        at = int(chance.integers(0, len(readings) - 100))
        kept = {name for name in readings[at] if chance.random() < 0.5}
        session = TwinSession(twin, twin.engine.channels, dt_us=DT_US, delay_us=0)
        for k in range(0, 100, 2):
            sample = {name: value for name, value in readings[at + k].items() if name in kept or k > 50}
            now_us = _T0 + round(k * _CYCLE * 1e6)
            session.feed(Samples("device", "boot", now_us, [(0, now_us, sample)]))
            assert session.record.failure is None, session.reason()
        assert session.status == "synced"
        assert np.isfinite(twin.values()).all()
        assert np.isfinite(twin.covariance).all()
