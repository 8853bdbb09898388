"""A twin beside an excavator whose friction, masses, oil, valves, pump and engine differ from the model's."""

from __future__ import annotations

import numpy as np
import pytest

from simcore import Simulation
from simcore.estimate.biases import PAYLOAD, bias_values
from simcore.estimate.linearise.jacobian import place_of, unit_of
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.machines import excavator
from simcore.operate.operator import Loads, perform

pytestmark = pytest.mark.long

EXCAVATOR = excavator.EXCAVATOR
_BASE: dict[str, float | str] = {"soil": "none", "seal_law": "brown-mcphee"}
_OTHERS: dict[str, float | str] = {  # in place of the model's: friction +20 %, weights -5 %, oil -10 %, ...
    "seal_coulomb": 1080.0, "seal_static": 1560.0, "seal_viscous": 9.6e3, "swing_friction": 1080.0,
    "frame_mass": 2755.0, "linkage_mass": 71.25, "oil_modulus": 1.44e9, "boom_flow": 6.05e-3,
    "dipper_flow": 4.73e-3, "engine_torque": 620.0, "pump_displacement": 3.28e-5,
}  # fmt: skip
_PICKED_UP, _AT = 900.0, 6.0  # kg, s


class Followed:
    """What the twin made of two cycles with a load from six seconds on."""

    def __init__(self) -> None:
        machine = EXCAVATOR.build(**_BASE, **_OTHERS)
        done = perform(Simulation(machine), EXCAVATOR.cycle("dig-swing-dump", **_BASE), rounds=2)
        real, self.twin = Simulation(machine), LiveTwin(EXCAVATOR.build(**_BASE))
        self.sensors = {c.name: c.noise_sigma or 0.0 for c in real.channels if c.role == "sensor"}
        plan, chance, loads = self.twin.engine.plan, np.random.default_rng(5), Loads(real)
        states = range(int(plan.head[0]["states"]))
        places, units = [place_of(plan, i) for i in states], np.array([unit_of(plan, i) for i in states])
        squares, inside, self.payload = [], [], []
        carried = False
        for k, t in enumerate(done.times):
            if t >= _AT and not carried:
                loads.put(_PICKED_UP)
                carried = True
            given = {name: values[k] for name, values in done.levers.items()}
            real.advance(20, given)
            read = real.outputs()
            sample = given | {n: read[n] + chance.normal(0, sigma) for n, sigma in self.sensors.items()}
            if k == 0:
                self.twin.start(sample)
                continue
            self.twin.command(given)
            self.twin.advance(20)
            self.twin.correct(sample)
            known = bias_values(self.twin.engine.condition, self.twin.biases)
            self.payload.append(float(known[self.twin.biases["kind"] == PAYLOAD][0]))
            if t > 0.5:
                off, sigma = self.twin.innovations()
                squares.append(np.nanmean((off / sigma) ** 2))
                error = (self.twin.engine.state[places] - real.state[places]) / units
                inside.append(np.abs(error) < 1.96 * np.sqrt(np.diag(self.twin.covariance))[: len(error)])
        self.nis = float(np.mean(squares))
        self.inside = np.mean(inside, axis=0)


@pytest.fixture(scope="module")
def followed() -> Followed:
    return Followed()


def test_the_filter_has_the_sensors_and_states_it_is_asked_for(followed: Followed) -> None:
    assert 5 <= len(followed.sensors) <= 8
    assert len(followed.twin.covariance) >= 25


def test_the_filter_is_consistent(followed: Followed) -> None:
    """Every state lies in its 95 % bounds, but for the crankshaft's angle, which nothing depends on."""
    assert 0.6 < followed.nis < 1.2
    shaft = int(np.argmin(followed.inside))
    assert shaft == 4
    others = np.delete(followed.inside, shaft)
    assert np.mean(others) > 0.92
    assert np.min(others) > 0.8
    assert followed.twin.findings() == ()


def test_the_payload_is_found_within_five_per_cent(followed: Followed) -> None:
    before, after = followed.payload[int((_AT - 1) / 0.02)], np.mean(followed.payload[-250:])
    assert abs(before) < 0.05 * _PICKED_UP
    assert after == pytest.approx(_PICKED_UP, rel=0.05)
