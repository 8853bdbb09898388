"""Live twin of one machine: advances in time, is corrected by readings, and can be dumped and loaded."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from simcore.errors import BadChannel, Diverged, Refused
from simcore.estimate.biases import bias_values, put_biases
from simcore.estimate.filter.filter_kernel import BROKEN, LOST, REFUSED
from simcore.estimate.filter_arrays import (
    FULL,
)
from simcore.estimate.initialise.from_sample import set_from, stand_still, start_sigmas
from simcore.estimate.initialise.static_balance import solve_static_balance
from simcore.estimate.linearise.sensor_errors import start_covariance
from simcore.estimate.monitor.innovation_monitor import (
    ALERT,
    ALERT_FOR,
    BEYOND,
    DUG,
    HELD,
    LAG,
    LOAD_CHANGED,
    NIS,
    RECOVERED,
    RECOVERIES,
    SURPRISE,
)
from simcore.estimate.monitor.load_signature import ONSET
from simcore.estimate.sensors import Sensor
from simcore.estimate.twin.kept_biases import after_loss, after_silence, considered, first_covariance
from simcore.estimate.twin.sample_rate import is_slow, observe
from simcore.estimate.twin.twin_core import NOTHING, RECOVERY_SHOWN, TwinCore
from simcore.integrate.advance import STEPS
from simcore.messages import Message
from simcore.model.compiler import start_state
from simcore.model.elements import Machine
from simcore.model.workspace import Array

# s without a reading after which the state is unknown: beginning again from the sensors is then closer than
# a correction, and never fails (docs/methods/error-state-filter.md)
_UNKNOWN_AFTER = 1.0
_SILENT = 0.2  # s without a reading: a state that was lost by then was lost for want of telemetry
# s for which a command is held until the next one; controllers of 50 Hz hold theirs for 20 ms (assumed)
_HELD_FOR = 0.025
_RAMP_PART = 0.005  # s, of an interpolated command


class LiveTwin(TwinCore):
    """Twin of one machine that starts, resumes, takes steps and is corrected by readings."""

    def __init__(
        self,
        machine: Machine,
        dt_us: int = 1000,
        sensors: Sequence[Sensor] | None = None,
        model: int = FULL,
        stride: int | None = None,
    ) -> None:
        """As TwinCore; the twin starts at its described state, before any sample."""
        super().__init__(machine, dt_us, sensors, model, stride)
        self.start({})

    def start(self, sample: Mapping[str, float]) -> None:
        """Start from a first sample; everything else is nominal, with nominal uncertainty."""
        engine = self.engine
        inputs, _ = self._split(sample)
        self._memory[:] = 0.0
        self._estimate.input_ages[:] = np.inf
        self._estimate.innovations[:] = np.nan
        self._status[[ALERT, NIS, RECOVERED, LOAD_CHANGED, DUG]] = ALERT_FOR, *[np.nan] * 4
        self.sensor_monitor.clear()
        self.causes.clear()
        put_biases(engine.condition, self.biases, self._unbiased)
        engine.state[:] = start_state(engine.machine, engine.plan)
        self._command(inputs)
        self._set(start_sigmas(engine), first_covariance(self.biases, self._load_steps), None)
        self._restart_open_loop()

    def resume(self, sample: Mapping[str, float], after: int = 0) -> None:
        """Continue from the sensors, `after` steps later that are not simulated, as after a long silence.

        Positions, velocities and pressures begin from the sample; everything slow is kept: biases with their
        covariance, the load, findings and faulty sensors, counters. Raises Diverged, and changes nothing, if
        the sample is impossible.
        """
        inputs, _ = self._split(sample)
        kept = self._memory.copy()
        try:
            self._observe_rate(after, self._silence_after(after))
            self._hold(after)
            self._begin_again(inputs, lost=False)
        except Diverged:
            self._put(kept)
            raise

    def _begin_again(self, inputs: list[tuple[int, float]], lost: bool) -> None:
        """Set the state from the prepared readings; lost: the filter, not the telemetry, is the reason."""
        engine, n = self.engine, len(self._most)
        silence = self._silence_after(0)
        silence = 0.0 if math.isnan(silence) else silence
        stroke = float(engine.machine.model_error.input_memory)
        own = self.covariance[n:, n:].copy()
        values, slow = after_silence(self.biases, self._held, own, self._load_steps, silence, stroke)
        if lost and self._recently_lost():  # what was learned may be the reason
            values, slow = self._unbiased, first_covariance(self.biases, self._load_steps)
        elif lost:
            slow = after_loss(self.biases, slow, self._load_steps)
        put_biases(engine.condition, self.biases, values)
        self._readings[0, [self._sensors[name] for name in self.sensor_monitor.faulty()]] = np.nan
        known = start_sigmas(engine)
        unsure = np.sqrt(np.maximum(np.diag(self.covariance)[:n], 0.0))
        sigmas = np.minimum(np.maximum(known, np.nan_to_num(unsure, nan=np.inf)), self._most)
        sigmas[int(engine.plan.head[0]["free"]) :] = known[int(engine.plan.head[0]["free"]) :]
        stand_still(engine)
        for valve, value in inputs:
            self._give(valve, value)
        self._take_up_spools(range(len(self._estimate.input_ages)))
        self._set(sigmas, slow, considered(self.biases))
        self.sensor_monitor.pass_over(engine.time)
        self.sensor_monitor.forget()
        self._status[[ALERT, HELD, LAG]] = ALERT_FOR, 0.0, 0.0
        self._monitor.prefit[:, [BEYOND, SURPRISE]] = 0.0
        if lost:
            self._status[RECOVERED] = engine.time
            self._status[RECOVERIES] += 1
        if self.open_loop.lost or silence > _UNKNOWN_AFTER:
            self._restart_open_loop()

    def _set(self, sigmas: Array, slow: Array, kept: Array | None) -> None:
        """Set state and covariance from the prepared readings; sigmas, slow: of what they do not determine.

        kept: biases that the static balance must not change; None: the twin is new.
        """
        engine, readings = self.engine, self._readings[0]
        sigmas = set_from(engine, readings, sigmas)
        if np.max(self._load_steps, initial=0.0) > 0.0:
            self.covariance[:] = solve_static_balance(engine, self.biases, readings, sigmas, slow, kept)
        else:  # it carries no load: the described forces hold
            self.covariance[:] = start_covariance(engine.plan, self.biases, readings, sigmas, slow)
        averaged = self._estimate.averaged
        averaged[:] = engine.state[self._at_p : self._at_p + len(averaged)]
        self._held[:] = bias_values(engine.condition, self.biases)
        self._estimate.input_cross_cov[:], self._estimate.jacobian[:] = 0.0, 0.0
        self._monitor.evidence[:, ONSET] = np.nan
        self._refresh()

    def _recover(self) -> None:
        """Restart from the healthy sensors after losing track of the machine; time and inputs continue."""
        kept = self._memory.copy()
        try:
            self._begin_again([], lost=True)
        except Diverged:  # not from these readings; the monitor will ask again
            self._put(kept)

    def _recently_lost(self) -> bool:
        return bool(self.engine.time - self._status[RECOVERED] < RECOVERY_SHOWN)

    def _hold(self, steps: int) -> None:
        """Let time pass without simulating: the state is unknown until the next reading."""
        self.engine.counters[STEPS] += steps
        self._estimate.input_ages[:] += steps
        self._status[[HELD, LAG]] = 1.0, 0.0

    def command(self, sample: Mapping[str, float]) -> None:
        """Store the inputs in a sample; they count as known until they are too old.

        If the command was unknown before, the spool is assumed to have followed it already.
        """
        self._command(self._split(sample)[0])

    def _command(self, inputs: list[tuple[int, float]]) -> None:
        if not inputs:
            return
        old = [valve for valve, _ in inputs if self._is_old(valve)]
        if len(inputs) == len(self._ages):
            self._estimate.input_cross_cov[:, : 2 * len(inputs)] = 0.0  # faster than one by one
        for valve, value in inputs:
            self._give(valve, value, correlated=len(inputs) < len(self._ages))
        if old:
            self._take_up_spools(old)
            self._refresh()

    def _give(self, valve: int, value: float, correlated: bool = True) -> None:
        """Store an input that is known from now on. correlated: errors of states may depend on it so far."""
        self._commands[valve], self._ages[valve] = value, 0.0
        if self.open_loop.running:
            self.open_loop.command(valve, value)
        if correlated:
            self._estimate.input_cross_cov[:, 2 * valve : 2 * valve + 2] = 0.0

    def _is_old(self, valve: int) -> bool:
        """Whether an input is too old to count as known."""
        return self._too_old(self._ages[valve])

    def _too_old(self, age: float) -> bool:
        return (age - 0.5) * self.engine.dt > self._fresh  # half a step against rounding

    def _take_up_spools(self, valves: Iterable[int]) -> None:
        """Move spools to their commands."""
        engine, head = self.engine, self.engine.plan.head[0]
        for v in valves:
            limit = float(engine.plan.valves[v]["limit"])
            command = float(engine.state[head["at_c"] + v])
            engine.state[head["at_u"] + v] = min(max(command, -limit), limit)
        engine.settle(engine.state)

    def advance(self, n_steps: int) -> None:
        """Take steps without readings.

        An input that is not repeated becomes stale: the covariance then allows for other values, and the
        expected one returns to neutral. If the model cannot continue, its state is held from there on.
        """
        self._advance(n_steps, NOTHING)

    def _advance(self, n_steps: int, ramp: Array) -> None:
        done = 0 if self._flags[HELD] else max(self._run(n_steps, self._coasting, ramp), 0)
        self.open_loop.advance(n_steps)
        if done < n_steps:
            self._hold(n_steps - done)

    def correct(self, sample: Mapping[str, float], after: int = 0) -> None:
        """Take `after` steps, store the inputs of a sample and fuse the readings of healthy sensors.

        Then the loops are closed exactly, and accelerations, pressure rates and Jacobian are recomputed for
        the corrected state, because the next step starts from them. A twin whose state is unknown, after a
        silence or because its model could not continue, begins again from the readings. After Refused or
        BadChannel the steps have been taken, but nothing was fused.
        """
        try:
            inputs, heard = self._split(sample)
        except BadChannel:
            self._advance_by(after)
            raise
        silence = self._silence_after(after)
        if heard:
            self._observe_rate(after, silence)
        ramp = self._ramp(inputs, after)
        # commands act on later steps only, so one call is enough unless an input grows old in it
        once = heard and after > 0 and self._stays_known(after) and not self._is_unknown(silence)
        if once and self._fuse(after, True, ramp):
            self._command(inputs)
            return
        self._advance_by(after, ramp)
        inputs, heard = self._split(sample)
        if heard and self._is_unknown(self._silence_after(0)):
            self._find_again(inputs)
            return
        known = self._stays_known(0)
        if not known:  # the position of the spools depends on the present command
            self._command(inputs)
        fused = not heard or self._fuse(0, known)
        if known:  # as above: the result must not depend on how steps are divided between calls
            self._command(inputs)
        if not fused:
            raise Refused(self.engine.time, Message("filter.refused"))

    def _advance_by(self, steps: int, ramp: Array = NOTHING) -> None:
        if steps:
            self._advance(steps, ramp)

    def _ramp(self, inputs: list[tuple[int, float]], steps: int) -> Array:
        """Commands on the way to those of a sample that comes after some steps, as the kernel's schedule.

        A lever moves steadily, so between two samples that are far apart its command is interpolated. Holding
        the old one makes a twin late by half a period, which at 25 Hz spoils the pressures of a digging
        excavator. It is then known again at the sample, and least known half-way.
        """
        if steps * self.engine.dt <= _HELD_FOR or not inputs:
            return NOTHING
        ages = self._estimate.input_ages
        first = self.engine.state[self._at_c : self._at_c + len(ages)]
        change = np.zeros(len(ages))
        for valve, value in inputs:
            if not self._is_old(valve):
                change[valve] = value - first[valve]
                ages[valve] = -0.5 * steps
        parts = min(steps, math.ceil(steps * self.engine.dt / _RAMP_PART))
        share = (np.arange(parts) + 0.5) / parts
        ramp = np.empty((parts, 1 + len(ages)))
        ramp[:, 0] = np.floor(np.arange(parts) * steps / parts)
        ramp[:, 1:] = first + share[:, None] * change
        return ramp

    def _observe_rate(self, after: int, silence: float) -> None:
        if not math.isnan(silence):
            observe(self._rate, (self.steps + after) * self.engine.dt, silence, self._least_rate)

    def _silence_after(self, steps: int) -> float:
        """Time since the last reading after some steps, s; NaN: there was none."""
        return (self.steps + steps) * self.engine.dt - self._heard_at[0]

    def _is_unknown(self, silence: float) -> bool:
        """Whether the state is unknown after this time without a reading, s."""
        return self._flags[HELD] != 0.0 or silence > _UNKNOWN_AFTER

    def _find_again(self, inputs: list[tuple[int, float]]) -> None:
        """Begin again from readings after a silence; the filter was lost if there was none."""
        silence = self._silence_after(0)
        kept = self._memory.copy()
        try:
            self._begin_again(inputs, lost=silence < _SILENT)
        except Diverged as error:
            self._put(kept)
            raise Refused(self.engine.time, Message("filter.refused")) from error

    def _stays_known(self, steps: int) -> bool:
        """Whether no input becomes stale within these steps."""
        return not self._too_old(max(self._ages, default=-math.inf) + steps)

    def _fuse(self, steps: int, known: bool, ramp: Array = NOTHING) -> bool:
        """Take steps and fuse the prepared readings in one call; False: nothing has changed."""
        result = self._run(steps, self._fusing[known], ramp)
        if result in (REFUSED, BROKEN):
            return False
        self.open_loop.advance(steps)
        if 0 <= result < steps:
            self._hold(steps - result)
            self._recover()
        elif result == LOST:
            self._recover()
        if not is_slow(self._rate, self._least_rate):  # fast errors of the model look like causes then
            changed = float(self._status[LOAD_CHANGED])
            self.causes.update(self.engine.time, self._held, self.covariance, changed)
        if self.open_loop.lost:
            self._restart_open_loop()
        return True
