"""A "real" rig beside its twin: other parameters, another integrator, noisy sensors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simcore import registry
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.model import channel_table
from simcore.run.simulation import Simulation

CASE = registry.get("four-bar-b")
FRICTION = ("coulomb_friction", "static_friction", "viscous_friction")
PERIOD = 0.02  # s between samples


def wrong_parameters() -> dict[str, float]:
    """Friction 20 % up, masses 5 % down, bulk moduli 10 % down."""
    found = {}
    for p in CASE.parameters:
        factor = 1.2 if p.name in FRICTION else 1.0
        factor *= 0.95 if p.name.endswith("_mass") else 1.0
        factor *= 0.9 if p.name.endswith("bulk_modulus") else 1.0
        if factor != 1.0:
            found[p.name] = float(p.value) * factor
    return found


def operator(t: float) -> float:
    """Valve command of an operator who moves the crank out and back with pauses, V."""
    phase = t % 9.0
    if 1.0 <= phase < 2.5:
        return 8.0
    return -8.0 if 4.0 <= phase < 6.5 else 0.0


class Rig:
    """The machine that the twin cannot see into."""

    def __init__(self, seed: int, drive: Callable[[float], float] = operator, **overrides: float) -> None:
        self.drive = drive
        machine = CASE.build(**wrong_parameters(), **overrides)
        self.sim = Simulation(machine, dt=1e-4, integrator="rk4")
        self.random = np.random.default_rng(seed)
        self.sensors = [c for c in channel_table(self.sim.machine) if c.role == "sensor"]

    def run(self, noisy: bool = True) -> tuple[np.ndarray, dict[str, float]]:
        """One sample period on: true channels, and what the telemetry says of them."""
        command = self.drive(self.sim.time)
        self.sim.advance(round(PERIOD / self.sim.dt), {"valve.command": command})
        true = self.sim.outputs()
        sample = {c.name: true[c.name] for c in self.sensors}
        if noisy:
            sample = {c.name: true[c.name] + self.random.normal(0, c.noise_sigma) for c in self.sensors}
        sample["valve.command"] = self.drive(self.sim.time)
        return np.array(list(true.values())), sample


def follow(seconds: float, *seeds: int) -> tuple[LiveTwin, np.ndarray, np.ndarray, np.ndarray]:
    """A twin after a run beside the rig; errors, sigmas (by sample, channel) and NIS, one seed after another.

    The rig runs once; each seed is a twin that hears it through other noise.
    """
    rig = Rig(0)
    noises = [np.random.default_rng(seed) for seed in seeds]
    twins = [LiveTwin(CASE.build()) for _ in seeds]
    found: list[list[tuple[np.ndarray, np.ndarray, float]]] = [[] for _ in seeds]
    for done in range(1 + round(seconds / PERIOD)):
        true, sample = rig.run(noisy=False)
        for twin, noise, log in zip(twins, noises, found, strict=True):
            heard = sample | {c.name: sample[c.name] + noise.normal(0, c.noise_sigma) for c in rig.sensors}
            if done == 0:
                twin.start(heard)
                continue
            twin.advance(20)
            twin.correct(heard)
            log.append((twin.values() - true, twin.sigmas(), twin.diagnostics()["nis"]))
    errors, sigmas, nis = (np.array([[row[k] for row in log] for log in found]) for k in range(3))
    return twins[0], errors, sigmas, nis
