"""Runs the filter of a live twin, without its monitor, over a recording in one call."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from simcore.errors import BadChannel, SimcoreError
from simcore.estimate.biases import biases_of
from simcore.estimate.experiment.monitored_twin import run_monitored_twin
from simcore.estimate.experiment.result import FilterResult
from simcore.estimate.filter.filter_kernel import run_filter
from simcore.estimate.filter_arrays import (
    FULL,
    JACOBIAN_COLUMNS,
    PUBLISHED,
    FilterModel,
    FilterState,
    Readings,
    make_scratch,
)
from simcore.estimate.initialise.from_sample import start_sigmas
from simcore.estimate.linearise.jacobian import jacobian_at
from simcore.estimate.linearise.sensor_errors import delayed_pressures
from simcore.estimate.monitor.innovation_monitor import no_monitor
from simcore.estimate.sensors import Sensor, check_sensors
from simcore.model.elements import Machine
from simcore.model.workspace import Array
from simcore.run.engine import Engine

DT = 1e-3  # s, of the twin
FILTERS = ("published", "full", "bias")


def without_biases(machine: Machine) -> Machine:
    """The machine without biases, for a filter that estimates states only."""
    none = replace(
        machine.model_error, unexplained_torque=None, unexplained_force=None, valve_gain=None,
        supply_pressure=None, weight=None, payload=None, pump_delivery=None, oil_stiffness=None,
        dead_band=None, leakage=None, command_lag=None, relief_setting=None, governor_speed=None,
        angle_error=None, length_error=None, pressure_error=None, pressure_delay=None,
    )  # fmt: skip
    return replace(machine, model_error=none)


def estimate(
    machine: Machine,
    readings: Array,
    sensors: Sequence[Sensor],
    schedule: Array,
    kind: str,
    monitored: bool = False,
    known_start: bool = False,
) -> FilterResult:
    """Let a twin of the machine follow readings, with the given kind of filter.

    readings: by step and channel; NaN means no reading. monitored: use a live twin, which excludes outliers,
    monitors its sensors and itself, and acts on findings. known_start: the machine starts in the described
    state and the filter knows it; biases remain unknown.
    """
    twin = OfflineTwin(machine, sensors, kind)
    if known_start:
        twin.covariance[: twin.n, : twin.n] = 0.0
    twin.refuse(readings)
    if monitored:
        return run_monitored_twin(twin.engine.machine, readings, sensors, schedule, twin.model, DT)
    return twin.run(readings, schedule)


class OfflineTwin:
    """Model, filter and scratch memory for one run."""

    def __init__(self, machine: Machine, sensors: Sequence[Sensor], kind: str) -> None:
        if kind not in FILTERS:
            raise SimcoreError(f"filter {kind!r}: must be one of: {', '.join(FILTERS)}")
        check_sensors(machine, sensors, DT)
        machine = machine if kind == "bias" else without_biases(machine)
        self.engine = Engine(machine, DT)
        self.engine.refuse_redundant("the filter")
        plan = self.engine.plan
        self.biases = biases_of(machine, plan)
        self.model = PUBLISHED if kind == "published" else FULL
        self.n, self._channels = int(plan.head[0]["states"]), len(self.engine.channels)
        m, sides = self.n + len(self.biases), 2 * int(plan.head[0]["valves"])
        self.start = start_sigmas(self.engine)
        self.covariance = np.diag(np.append(self.start, np.ones(m - self.n)) ** 2)
        self.columns = [self.engine.position(s.channel) for s in sensors]
        self.sigmas = np.zeros(self._channels)
        self.sigmas[self.columns] = [float(s.noise) for s in sensors]
        engine = self.engine
        self._estimate = FilterState(
            state=engine.state,
            covariance=self.covariance,
            jacobian=np.zeros((2, self.n + self._channels, m + JACOBIAN_COLUMNS)),
            input_cross_cov=np.zeros((m, sides)),
            input_ages=np.full(sides // 2, -np.inf),  # commands are known
            innovations=np.full((self._channels, 2), np.nan),
            counters=engine.counters,
            averaged=delayed_pressures(plan, self.biases),
        )
        most = np.full(self.n, np.inf)  # commands are known, so nothing grows without limit
        self._filter = FilterModel(plan, engine.workspace, self.biases, self.model, DT, 1, most)
        self._scratch = make_scratch(self.n, m, sides)
        at_p = int(plan.head[0]["at_p"])
        averaged = self._estimate.averaged
        averaged[:] = engine.state[at_p : at_p + len(averaged)]
        jacobian_at(plan, self.biases, engine.state, engine.workspace, self._estimate.jacobian[0])

    def refuse(self, readings: Array) -> None:
        """Refuse readings of the wrong shape, or that are neither finite nor NaN (no reading)."""
        if readings.ndim != 2 or readings.shape[1] != self._channels:
            raise BadChannel(
                f"readings have shape {readings.shape}: must have {self._channels} columns, one per channel"
            )
        wrong = np.argwhere(np.isinf(readings))
        if len(wrong):
            step, k = wrong[0]
            name = self.engine.channels[k].name
            raise BadChannel(f"channel {name!r}: {readings[step, k]} at step {step} is not a finite number")
        strange = set(np.flatnonzero(np.any(np.isfinite(readings), axis=0))) - set(self.columns)
        if strange:
            name = self.engine.channels[min(strange)].name
            raise BadChannel(f"channel {name!r} has readings, but no sensor measures it")

    def run(self, readings: Array, schedule: Array) -> FilterResult:
        """Run all steps in one kernel call."""
        steps = len(readings)
        log = np.zeros((steps, self.n + self.n**2 + 2 * self._channels + 2 * len(self.biases)))
        self._take(readings[:0], schedule[:0], log[:0])  # loads the kernel before time is taken
        begin = time.process_time()
        self._take(readings, schedule, log)
        taken = time.process_time() - begin
        states, covariances, innovations, variances, values, spreads = self._split(log)
        return FilterResult(
            states, covariances.reshape(steps, self.n, self.n), innovations / np.sqrt(variances), values,
            np.sqrt(spreads) * self.biases["unit"], (), taken / max(steps, 1) * 1e6,
        )  # fmt: skip

    def _take(self, readings: Array, schedule: Array, log: Array) -> None:
        steps = len(readings)
        given = Readings(readings, self.sigmas, np.inf, True)
        groups = self._filter, self._estimate, self._scratch, given, no_monitor()
        if run_filter(*groups, steps, schedule, log) < steps:
            raise self.engine.diverged()

    def _split(self, log: Array) -> list[Array]:
        """Split the log: states, covariances, innovations and their variances, biases and their variances."""
        sizes = [self.n, self.n**2, self._channels, self._channels, len(self.biases)]
        return list(np.split(log, np.cumsum(sizes), axis=1))
