"""Live twin of one machine: advances in time, is corrected by readings, and can be dumped and loaded."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from simcore.errors import BadChannel, Diverged, Refused, SimcoreError
from simcore.estimate.biases import bias_values, biases_of, put_biases
from simcore.estimate.filter.correction import channel_sigmas
from simcore.estimate.filter.filter_kernel import BROKEN, LOST, REFUSED, run_filter
from simcore.estimate.filter_arrays import (
    FULL,
    FilterModel,
    Readings,
    make_scratch,
)
from simcore.estimate.initialise.from_sample import set_from, stand_still, start_sigmas
from simcore.estimate.initialise.possible_spread import possible_spread
from simcore.estimate.initialise.static_balance import hanging_joints, solve_static_balance
from simcore.estimate.linearise.stale_inputs import LEVER_TIME, UNKNOWN_FROM
from simcore.estimate.monitor.finding import Finding, Health
from simcore.estimate.monitor.innovation_monitor import (
    ALERT,
    ALERT_FOR,
    BEYOND,
    HELD,
    LAG,
    NIS,
    OPEN_LOOP_CHECKED,
    RECOVERED,
    RECOVERIES,
    SURPRISE,
)
from simcore.estimate.monitor.sensor_monitor import SensorMonitor
from simcore.estimate.sensors import Sensor, own_sensors
from simcore.estimate.twin import dump_format
from simcore.estimate.twin.kept_biases import after_loss, after_silence, considered, first_covariance
from simcore.estimate.twin.open_loop import OpenLoopModel
from simcore.estimate.twin.twin_memory import make_memory
from simcore.integrate.advance import STEPS
from simcore.kernels.direct import direct
from simcore.messages import Message
from simcore.model.compiler import start_state
from simcore.model.elements import Machine
from simcore.model.workspace import Array
from simcore.run.engine import Engine, finite

GATE = 5.0  # standard deviations
# model steps over which the covariance is propagated at once (docs/methods/error-state-filter.md)
_STRIDE, _LONG_STRIDE = 5, 20
_HANGING_STRIDE = 10  # of a machine whose load hangs free: no sensor measures its swing
_MANY = 16  # states of the filter, biases included, from which the long stride is taken
_LEAST_RATE = 10.0  # Hz, assumed of a machine's own sensors; one that sends less often seems silent at times
_OPEN_LOOP_EVERY = 100  # steps from one check of the open-loop model to the next
_RECOVERY_SHOWN = 10.0  # s for which a restart from the sensors is reported
# s without a reading after which the state is unknown: beginning again from the sensors is then closer than
# a correction, and never fails (docs/methods/error-state-filter.md)
_UNKNOWN_AFTER = 1.0
_SILENT = 0.2  # s without a reading: a state that was lost by then was lost for want of telemetry
# s for which a command is held until the next one; controllers of 50 Hz hold theirs for 20 ms (assumed)
_HELD_FOR = 0.025
_RAMP_PART = 0.005  # s, of an interpolated command
_NOTHING = np.zeros((0, 0))  # no changes of commands, no readings, no log


class LiveTwin:
    """Model, error-state filter, sensor monitor, last inputs and open-loop model of one machine."""

    def __init__(
        self,
        machine: Machine,
        dt_us: int = 1000,
        sensors: Sequence[Sensor] | None = None,
        model: int = FULL,
        stride: int | None = None,
    ) -> None:
        """sensors: default: the machine's own. model: transition of the covariance, PUBLISHED or FULL.

        stride: model steps by which the covariance may lag behind the state; the default depends on the
        number of states and on whether a load hangs freely.
        """
        if not isinstance(dt_us, int) or dt_us <= 0:
            raise SimcoreError(f"dt_us = {dt_us}: must be a whole number of microseconds above zero")
        self.engine = engine = Engine(machine, dt_us * 1e-6)
        engine.refuse_redundant("the filter")
        self.biases = biases_of(machine, engine.plan)
        labels = {channel.name: channel.label for channel in engine.channels}
        own = own_sensors(machine, _LEAST_RATE) if sensors is None else sensors
        self.sensor_monitor = SensorMonitor(own, GATE, labels)
        self.open_loop = OpenLoopModel(machine, engine.dt)
        self._unbiased = bias_values(engine.condition, self.biases)
        self._fingerprint = dump_format.fingerprint(engine, dt_us)
        states = int(engine.plan.head[0]["states"])
        self._unsure = np.array([c.role not in ("sensor", "estimate") for c in engine.channels])
        self._sensors = {s.channel: engine.position(s.channel) for s in self.sensor_monitor.sensors}
        self._inputs = {c.name: self._valve(c.name) for c in engine.channels if c.role == "input"}
        self._fresh = float(machine.model_error.input_fresh) - LEVER_TIME * math.log(1.0 - UNKNOWN_FROM)
        self._at_c = int(engine.plan.head[0]["at_c"])
        self._silence = np.full((1, len(engine.channels)), np.nan)
        self._readings = self._silence.copy()
        self._hanging = self._find_hanging()
        if stride is None:
            stride = self._usual_stride(states)
        made = make_memory(engine, self.biases, self.sensor_monitor, self.open_loop, self._hanging)
        self._memory, self._estimate, self._monitor, self._periods = made
        self.covariance, self._status, self._held = (
            self._estimate.covariance, self._monitor.status, self._monitor.biases
        )  # fmt: skip
        self._load_steps = self._monitor.spread[states:]
        self._most = possible_spread(engine)
        self._filter = FilterModel(
            engine.plan, engine.workspace, self.biases, model, engine.dt, stride, self._most
        )
        self._scratch = make_scratch(states, len(self.covariance), 2 * int(engine.plan.head[0]["valves"]))
        self._sigmas = np.zeros(len(engine.channels))
        self._sigmas[self._monitor.channels] = [float(s.noise) for s in self.sensor_monitor.sensors]
        self._call = direct(run_filter, *self._arguments(0, _NOTHING, True))
        self.start({})

    def _find_hanging(self) -> list[int]:
        """Independent joints without sensor, cylinder, pump and engine."""
        measured = self._silence[0].copy()
        measured[list(self._sensors.values())] = 0.0
        self.engine.settle(self.engine.state)
        return hanging_joints(self.engine, measured)

    def _usual_stride(self, states: int) -> int:
        if states + len(self.biases) < _MANY:
            return _STRIDE
        return _HANGING_STRIDE if self._hanging else _LONG_STRIDE

    @property
    def steps(self) -> int:
        """Number of steps since the start."""
        return self.engine.steps

    def start(self, sample: Mapping[str, float]) -> None:
        """Start from a first sample; everything else is nominal, with nominal uncertainty."""
        engine = self.engine
        inputs, _ = self._split(sample)
        self._memory[:] = 0.0
        self._estimate.input_ages[:] = np.inf
        self._estimate.innovations[:] = np.nan
        self._status[[ALERT, NIS, RECOVERED]] = ALERT_FOR, np.nan, np.nan
        self.sensor_monitor.clear()
        put_biases(engine.condition, self.biases, self._unbiased)
        engine.state[:] = start_state(engine.machine, engine.plan)
        self._command(inputs)
        self._set(start_sigmas(engine), first_covariance(self.biases, self._load_steps), None)
        self.open_loop.begin(engine.state, 0.0)

    def resume(self, sample: Mapping[str, float], after: int = 0) -> None:
        """Continue from the sensors, `after` steps later that are not simulated, as after a long silence.

        Positions, velocities and pressures begin from the sample; everything slow is kept: biases with their
        covariance, the load, findings and faulty sensors, counters. Raises Diverged, and changes nothing, if
        the sample is impossible.
        """
        inputs, _ = self._split(sample)
        kept = self._memory.copy()
        try:
            self._hold(after)
            self._begin_again(inputs, lost=False)
        except Diverged:
            self._put(kept)
            raise

    def _begin_again(self, inputs: list[tuple[int, float]], lost: bool) -> None:
        """Set the state from the prepared readings; lost: the filter, not the telemetry, is the reason."""
        engine, n = self.engine, len(self._most)
        silence = np.nan_to_num(engine.time - float(self.sensor_monitor.overall[0]["time"]))
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
        stand_still(engine, self._readings[0])
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
            self.open_loop.begin(engine.state, engine.time)

    def _set(self, sigmas: Array, slow: Array, kept: Array | None) -> None:
        """Set state and covariance from the prepared readings; sigmas, slow: of what they do not determine.

        kept: biases that the static balance must not change; None: the twin is new.
        """
        engine, readings, n = self.engine, self._readings[0], len(sigmas)
        sigmas = set_from(engine, readings, sigmas)
        if np.max(self._load_steps, initial=0.0) > 0.0:
            self.covariance[:] = solve_static_balance(engine, self.biases, readings, sigmas, slow, kept)
        else:  # it carries no load: the described forces hold
            self.covariance[:] = 0.0
            self.covariance[:n, :n], self.covariance[n:, n:] = np.diag(sigmas**2), slow
        self._held[:] = bias_values(engine.condition, self.biases)
        self._estimate.input_cross_cov[:], self._estimate.jacobian[:] = 0.0, 0.0
        self._refresh()

    def _recover(self) -> None:
        """Restart from the healthy sensors after losing track of the machine; time and inputs continue."""
        kept = self._memory.copy()
        try:
            self._begin_again([], lost=True)
        except Diverged:  # not from these readings; the monitor will ask again
            self._put(kept)

    def _recently_lost(self) -> bool:
        return bool(self.engine.time - self._status[RECOVERED] < _RECOVERY_SHOWN)

    def _hold(self, steps: int) -> None:
        """Let time pass without simulating: the state is unknown until the next reading."""
        self.engine.counters[STEPS] += steps
        self._estimate.input_ages[:] += steps
        self._status[[HELD, LAG]] = 1.0, 0.0

    def _split(self, sample: Mapping[str, float]) -> tuple[list[tuple[int, float]], bool]:
        """Separate the inputs of a sample from its sensor readings; returns whether it has any readings."""
        readings, inputs, heard = self._readings[0], [], False
        readings.fill(np.nan)
        for name, value in sample.items():
            if name in self._sensors:
                readings[self._sensors[name]], heard = finite(name, value), True
            elif name in self._inputs:
                inputs.append((self._inputs[name], finite(name, value)))
            else:
                self.engine.position(name)  # refuses one that does not exist
                raise BadChannel(f"channel {name!r} is computed by the twin; it cannot be sent")
        return inputs, heard

    def _valve(self, name: str) -> int:
        """Index of the named input."""
        return int(self.engine.plan.channels[self.engine.position(name)]["index"])

    def command(self, sample: Mapping[str, float]) -> None:
        """Store the inputs in a sample; they count as known until they are too old.

        If the command was unknown before, the spool is assumed to have followed it already.
        """
        self._command(self._split(sample)[0])

    def _command(self, inputs: list[tuple[int, float]]) -> None:
        old = []
        for valve, value in inputs:
            if self._is_old(valve):
                old.append(valve)
            self._give(valve, value)
        if old:
            self._take_up_spools(old)
            self._refresh()

    def _give(self, valve: int, value: float) -> None:
        """Store an input that is known from now on."""
        self.engine.state[self._at_c + valve] = value
        self.open_loop.command(valve, value)
        self._estimate.input_cross_cov[:, 2 * valve : 2 * valve + 2] = 0.0
        self._estimate.input_ages[valve] = 0.0

    def _is_old(self, valve: int, steps: int = 0) -> bool:
        """Whether an input is too old to count as known, now or after some steps."""
        age = self._estimate.input_ages[valve] + steps
        return bool((age - 0.5) * self.engine.dt > self._fresh)  # half a step against rounding

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
        self._advance(n_steps, _NOTHING)

    def _advance(self, n_steps: int, ramp: Array) -> None:
        done = 0 if self._status[HELD] else max(self._run(n_steps, _NOTHING, True, ramp), 0)
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
        ramp = self._ramp(inputs, after)
        # commands act on later steps only, so one call is enough unless an input grows old in it
        once = heard and after > 0 and self._stays_known(after) and not self._is_unknown(after)
        if once and self._fuse(after, True, ramp):
            self._command(inputs)
            self._check_open_loop()
            return
        self._advance_by(after, ramp)
        inputs, heard = self._split(sample)
        if heard and self._is_unknown(0):
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
        if heard:
            self._check_open_loop()

    def _advance_by(self, steps: int, ramp: Array = _NOTHING) -> None:
        if steps:
            self._advance(steps, ramp)

    def _ramp(self, inputs: list[tuple[int, float]], steps: int) -> Array:
        """Commands on the way to those of a sample that comes after some steps, as the kernel's schedule.

        A lever moves steadily, so between two samples that are far apart its command is interpolated. Holding
        the old one makes a twin late by half a period, which at 25 Hz spoils the pressures of a digging
        excavator. It is then known again at the sample, and least known half-way.
        """
        if steps * self.engine.dt <= _HELD_FOR or not inputs:
            return _NOTHING
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

    def _is_unknown(self, steps: int) -> bool:
        """Whether the state will be unknown after some steps without a reading."""
        silence = self.engine.time - float(self.sensor_monitor.overall[0]["time"]) + steps * self.engine.dt
        return bool(self._status[HELD] or silence > _UNKNOWN_AFTER)

    def _find_again(self, inputs: list[tuple[int, float]]) -> None:
        """Begin again from readings after a silence; the filter was lost if there was none."""
        silence = self.engine.time - float(self.sensor_monitor.overall[0]["time"])
        kept = self._memory.copy()
        try:
            self._begin_again(inputs, lost=silence < _SILENT)
        except Diverged as error:
            self._put(kept)
            raise Refused(self.engine.time, Message("filter.refused")) from error

    def _stays_known(self, steps: int) -> bool:
        """Whether no input becomes stale within these steps."""
        return not any(self._is_old(valve, steps) for valve in range(len(self._estimate.input_ages)))

    def _fuse(self, steps: int, known: bool, ramp: Array = _NOTHING) -> bool:
        """Take steps and fuse the prepared readings in one call; False: nothing has changed."""
        result = self._run(steps, self._readings, known, ramp)
        if result in (REFUSED, BROKEN):
            return False
        self.open_loop.advance(steps)
        if 0 <= result < steps:
            self._hold(steps - result)
            self._recover()
        elif result == LOST:
            self._recover()
        return True

    def _check_open_loop(self) -> None:
        """Restart a failed open-loop model, at fixed intervals so that reading its values changes nothing."""
        interval = self.engine.steps // _OPEN_LOOP_EVERY
        if interval == self._status[OPEN_LOOP_CHECKED]:
            return
        self._status[OPEN_LOOP_CHECKED] = interval
        self.open_loop.catch_up()
        if self.open_loop.lost:
            self.open_loop.begin(self.engine.state, self.engine.time)

    def _run(self, steps: int, values: Array, known: bool, ramp: Array = _NOTHING) -> int:
        return self._call(*self._arguments(steps, values, known, ramp))

    def _arguments(self, steps: int, values: Array, known: bool, ramp: Array = _NOTHING) -> tuple[Any, ...]:
        """Arguments of `run_filter`. values: no row, or one row with a value per channel."""
        readings = Readings(values, self._sigmas, GATE, known)
        groups = self._filter, self._estimate, self._scratch, readings, self._monitor
        return (*groups, steps, ramp, _NOTHING)

    def _refresh(self) -> None:
        """Linearise at a state that was set from outside."""
        self._run(0, self._silence, True)

    def values(self) -> Array:
        """Every channel in SI units, in the order of the channel table."""
        return self.engine.read()

    def uncorrected(self) -> Array:
        """Every channel of the open-loop model, SI units; NaN if that model has failed."""
        return self.open_loop.values()

    def sigmas(self) -> Array:
        """Standard deviation of every channel; NaN for inputs and for channels that are never corrected."""
        out = np.empty(len(self.engine.channels))
        asked = self.engine.plan, len(self.covariance), self.covariance, self._estimate.jacobian[0], out
        direct(channel_sigmas, *asked)(*asked)
        out[self._unsure | bool(self._status[HELD])] = np.nan
        return out

    def innovations(self) -> tuple[Array, Array]:
        """Innovations of the last correction by channel (measured minus expected), and standard deviations.

        NaN where there was no reading. For an excluded sensor: the values that it would have had.
        """
        off, spread = self._estimate.innovations[:, 0].copy(), np.sqrt(self._estimate.innovations[:, 1])
        spread[np.isnan(off)] = np.nan
        return off, spread

    def health(self) -> Health | None:
        """How well readings and model agree; None: too few readings to say."""
        nis, low, high = self.sensor_monitor.consistency()
        return Health(nis, low, high) if np.isfinite(nis) else None

    def findings(self) -> tuple[Finding, ...]:
        """Present findings; those about the twin as a whole come first."""
        return (*self._recovery(), *self.sensor_monitor.findings())

    def _recovery(self) -> list[Finding]:
        since, times = float(self._status[RECOVERED]), int(self._status[RECOVERIES])
        if not self.engine.time - since < _RECOVERY_SHOWN:
            return []
        what = Message("twin.restarted")
        if times > 1:
            what = Message("twin.restarted.again", {"times": times, "since": 0})
        return [self.sensor_monitor.finding("diverged", "", since, what)]

    def diagnostics(self) -> dict[str, float]:
        """Newton iterations, steps that had to be divided, and the last normalised innovation squared."""
        newton = self.engine.newton()
        return {
            "newton_mean": newton["mean"],
            "newton_max": newton["max"],
            "failed_steps": newton["failed_steps"],
            "nis": float(self._status[NIS]),
        }

    def dump(self) -> bytes:
        """The complete twin as bytes, for `load` into a twin of the same machine and step."""
        self.open_loop.catch_up()
        return dump_format.pack(self._fingerprint, self._memory)

    def load(self, dump: bytes) -> None:
        """Continue from a dump with bit-identical results. Raises ForeignDump for a dump of another twin."""
        self._put(dump_format.unpack(dump, self._fingerprint, len(self._memory)))

    def _put(self, memory: Array) -> None:
        self._memory[:] = memory
        put_biases(self.engine.condition, self.biases, self._held)
