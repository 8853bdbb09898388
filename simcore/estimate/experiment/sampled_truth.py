"""Simulates the real machine E0, whose errors are sampled from the filter's own assumptions.

Biases are sampled with their standard deviations and then drift at random; the rates get the white noise of
the model error. The assumptions of the filter are therefore exactly right, and its errors must match its
covariance (Bar-Shalom 2001, section 5.4).
"""

from __future__ import annotations

import numpy as np

from simcore.estimate.biases import BIAS, PAYLOAD, bias_values, biases_of, put_biases
from simcore.estimate.experiment.events import PickUp
from simcore.estimate.experiment.offline_twin import DT
from simcore.estimate.linearise.aerated_oil import air_in, with_oil
from simcore.estimate.linearise.jacobian import jacobian_at, place_of, unit_of
from simcore.estimate.linearise.sensor_errors import SMOOTHING
from simcore.formulation.evaluate import evaluate
from simcore.model.elements import Machine
from simcore.model.plan import PRESSURE
from simcore.model.workspace import Array
from simcore.run.simulation import Simulation

_REAL_DT = 1e-4  # s, by RK4
_FRESH = 5  # steps for which the effect of the noise over a step is reused
_DEFECTIVE = 1e12  # condition number of eigenvectors that are as good as dependent
_SHORT = 1e-4  # product of the largest rate and a step for which three terms of a series are enough
_SEED = 0x0E0  # beside the seed of the sensors' noise


class SampledMachine:
    """A machine with sampled biases and noise on its rates."""

    def __init__(self, machine: Machine, seed: int) -> None:
        self.sim = Simulation(machine, _REAL_DT, "rk4")
        plan = self.sim.plan
        self._chance = np.random.default_rng([_SEED, seed])
        self.biases = biases_of(machine, plan)
        drawn = self._chance.normal(size=len(self.biases)) * self.biases["unit"]
        self._shift(drawn)
        head = plan.head[0]
        self._states = int(head["states"])
        self.places = [place_of(plan, i) for i in range(self._states)]
        self.units = np.array([unit_of(plan, i) for i in range(self._states)])
        self._root = np.zeros((self._states, self._states))
        self._taken = 0
        self.sim.settle(self.sim.state)
        self._averaged = self.sim.state.copy()

    def _shift(self, changes: Array) -> None:
        """Add changes to the biases, SI units."""
        condition = self.sim.condition
        put_biases(condition, self.biases, bias_values(condition, self.biases) + changes)

    def pick_up(self, mass: float) -> None:
        """Add this mass, kg, to the payload."""
        self._shift(np.where(self.biases["kind"] == PAYLOAD, mass, 0.0))

    def read(self) -> Array:
        """All channels, those of sensors with their errors (linearise/sensor_errors.py)."""
        sim = self.sim
        found = np.asarray(sim.read() + sim.condition.channels["offset"])
        late = np.sum(sim.condition.channels["delay"])
        for k, channel in enumerate(sim.plan.channels):
            if late != 0.0 and channel["kind"] == PRESSURE and channel["sigma"] > 0.0:
                place = int(sim.plan.head[0]["at_p"]) + int(channel["index"])
                found[k] -= late * (sim.state[place] - self._averaged[place]) / SMOOTHING
        return found

    def step(self, schedule: Array) -> None:
        """Take one step of the twin: the motion, then the effect of the noise during it."""
        sim = self.sim
        sim.follow(schedule, round(DT / _REAL_DT))
        if self._taken % _FRESH == 0:
            self._root = self._noise_root()
        self._taken += 1
        self._add(self._root @ self._chance.normal(size=self._states) * self.units)
        gone = -np.expm1(-self.biases["fade"] * DT)
        walk = np.sqrt(self.biases["walk"] ** 2 * DT + gone * (2.0 - gone)) * self.biases["unit"]
        faded = np.where(gone > 0.0, gone * bias_values(sim.condition, self.biases), 0.0)
        self._shift(self._chance.normal(size=len(self.biases)) * walk - faded)
        sim.settle(sim.state)
        self._averaged += -np.expm1(-DT / SMOOTHING) * (sim.state - self._averaged)

    def _add(self, kick: Array) -> None:
        """Add the effect of noise to the state, SI units; pressures change through the amount of oil."""
        sim, head = self.sim, self.sim.plan.head[0]
        evaluate(sim.plan, sim.state, sim.workspace)
        air, power = air_in(sim.plan)
        oil = 2 * int(head["free"]) + np.arange(int(head["volumes"]))
        for i, place in enumerate(self.places):
            if i in oil:
                node, y = sim.workspace.nodes[i - oil[0]], sim.state[place] - head["vapour"]
                soft, held = node["compliance"], air * node["volume"]
                sim.state[place] = head["vapour"] + with_oil(soft, held, power, y, soft * kick[i])
            else:
                sim.state[place] += kick[i]

    def _noise_root(self) -> Array:
        """L with L Lᵀ = ∫₀^dt e^{As} Q e^{Aᵀs} ds, from the eigenvalues of A if it has enough vectors."""
        n, sim = self._states, self.sim
        jacobian = np.zeros((n, n + 1))
        jacobian_at(sim.plan, np.zeros(0, dtype=BIAS), sim.state, sim.workspace, jacobian)
        power = np.diag(jacobian[:, n] ** 2)
        values, vectors = np.linalg.eig(jacobian[:, :n])
        if sim.machine.diesels and np.linalg.cond(vectors) > _DEFECTIVE:
            return _root(_grown_noise(jacobian[:, :n], power))
        back = np.linalg.inv(vectors)
        sums = values[:, None] + values[None, :]
        slow = np.abs(sums) * DT < 1e-9
        grown = np.where(slow, DT, np.expm1(sums * DT) / np.where(slow, 1.0, sums))
        spread = (vectors @ (back @ power @ back.T * grown) @ vectors.T).real
        return _root(spread)


def _root(spread: Array) -> Array:
    """L with L Lᵀ = spread."""
    size, vectors = np.linalg.eigh(0.5 * (spread + spread.T))
    return np.asarray(vectors * np.sqrt(np.maximum(size, 0.0)))


def _grown_noise(a: Array, power: Array) -> Array:
    """∫₀^dt e^{As} Q e^{Aᵀs} ds by doubling: W(2h) = W(h) + F W(h) Fᵀ, F(2h) = F², from a short h on.

    An engine that its governor does not hold has no own eigenvector for its angle.
    """
    halvings = max(0, int(np.ceil(np.log2(np.linalg.norm(a, 1) * DT / _SHORT))))
    h = DT / 2.0**halvings
    step = np.eye(len(a)) + h * a @ (np.eye(len(a)) + 0.5 * h * a)
    spread = h * power + 0.5 * h * h * (a @ power + power @ a.T)
    for _ in range(halvings):
        spread = spread + step @ spread @ step.T
        step = step @ step
    return np.asarray(spread)


def sample_motion(
    machine: Machine, seed: int, schedule: Array, steps: int, pick_up: PickUp | None = None
) -> tuple[Array, Array, SampledMachine]:
    """States (filter units) and readings without noise at every step, and the machine at the end."""
    drawn = SampledMachine(machine, seed)
    sim = drawn.sim
    states, channels = np.zeros((steps + 1, len(drawn.places))), np.zeros((steps + 1, len(sim.channels)))
    picked = steps + 1 if pick_up is None else round(pick_up.at / DT)
    changes = {int(row[0]): row[1:] for row in schedule}
    none = np.zeros((0, 0))
    for k in range(steps + 1):
        if k > 0:
            command = changes.get(k - 1)
            drawn.step(none if command is None else np.append(0.0, command)[None])
        if pick_up is not None and k == picked:
            drawn.pick_up(pick_up.mass)
        channels[k] = drawn.read()
        states[k] = sim.state[drawn.places] / drawn.units
    return states, channels, drawn
