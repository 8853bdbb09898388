"""Live twin of one machine: advances in time, is corrected by readings, and can be dumped and loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from simcore.errors import BadChannel, Diverged, Refused, SimcoreError
from simcore.estimate.biases import DELAY, bias_values, biases_of, load_steps, put_biases, sensor_classes
from simcore.estimate.filter.correction import channel_sigmas
from simcore.estimate.filter.filter_kernel import BROKEN, LOST, REFUSED, run_filter
from simcore.estimate.filter_arrays import (
    FULL,
    JACOBIAN_COLUMNS,
    FilterModel,
    FilterState,
    Readings,
    make_scratch,
)
from simcore.estimate.initialise.from_sample import set_from, start_sigmas
from simcore.estimate.initialise.static_balance import hanging_joints, solve_static_balance
from simcore.estimate.linearise.sensor_errors import delayed_pressures, start_covariance, zero_errors
from simcore.estimate.monitor.causes import Causes
from simcore.estimate.monitor.finding import Doubt, Finding, Health
from simcore.estimate.monitor.innovation_monitor import (
    ALERT,
    ALERT_FOR,
    DUG,
    LOAD_CHANGED,
    LOAD_CHANGES,
    NIS,
    PREFIT,
    RECOVERED,
    RECOVERIES,
    STATUS,
    Monitor,
)
from simcore.estimate.monitor.load_signature import CANDIDATES, EVIDENCE, ONSET
from simcore.estimate.monitor.payload_trust import payload_doubt, payload_watch
from simcore.estimate.monitor.sensor_monitor import SensorMonitor
from simcore.estimate.sensors import Sensor, own_sensors
from simcore.estimate.twin import dump_format
from simcore.estimate.twin.flat_memory import allocate
from simcore.estimate.twin.open_loop import OpenLoopModel
from simcore.integrate.advance import COUNTERS
from simcore.kernels.direct import direct
from simcore.messages import Message
from simcore.model.compiler import start_state
from simcore.model.elements import Machine
from simcore.model.plan import PRESSURE
from simcore.model.workspace import Array
from simcore.run.engine import Engine, finite

GATE = 5.0  # standard deviations
# s over which the covariance is propagated at once (docs/methods/error-state-filter.md)
_SPAN, _LONG_SPAN = 5e-3, 20e-3
_HANGING_SPAN = 10e-3  # of a machine whose load hangs free: no sensor measures its swing
_MANY = 16  # states of the filter, biases included, from which the long span is taken
_LEAST_RATE = 10.0  # Hz, assumed of a machine's own sensors; one that sends less often seems silent at times
_RECOVERY_SHOWN = 10.0  # s for which a restart from the sensors is reported
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
        classed = [engine.channels[k].name for k in sensor_classes(machine)]
        self.sensor_monitor = SensorMonitor(own, GATE, labels, classed)
        self.open_loop = OpenLoopModel(machine, engine.dt)
        self._unbiased = bias_values(engine.condition, self.biases)
        self.causes = Causes(engine, self.biases, self._unbiased)
        self._zero_errors = zero_errors(machine, engine.plan)
        self._fingerprint = dump_format.fingerprint(engine, dt_us)
        states = int(engine.plan.head[0]["states"])
        self._unsure = np.array([c.role not in ("sensor", "estimate") for c in engine.channels])
        self._sensors = {s.channel: engine.position(s.channel) for s in self.sensor_monitor.sensors}
        self._inputs = {c.name: self._valve(c.name) for c in engine.channels if c.role == "input"}
        self._fresh = float(machine.model_error.input_fresh)
        self._at_p = int(engine.plan.head[0]["at_p"])
        self._at_c = int(engine.plan.head[0]["at_c"])
        self._silence = np.full((1, len(engine.channels)), np.nan)
        self._readings = self._silence.copy()
        self._hanging = self._find_hanging()
        self._payload = payload_watch(engine, self.biases, self._sensors)
        if stride is None:
            stride = self._usual_stride(states)
        self._allocate(states, len(engine.channels), model, stride)
        self.start({})

    def _find_hanging(self) -> list[int]:
        """Independent joints without sensor, cylinder, pump and engine."""
        measured = self._silence[0].copy()
        measured[list(self._sensors.values())] = 0.0
        self.engine.settle(self.engine.state)
        return hanging_joints(self.engine, measured)

    def _usual_stride(self, states: int) -> int:
        span = _HANGING_SPAN if self._hanging else _LONG_SPAN
        if states + len(self.biases) < _MANY:
            span = _SPAN
        return max(1, round(span / self.engine.dt))

    def _allocate(self, states: int, channels: int, model: int, stride: int) -> None:
        """Allocate one memory for all that later steps depend on, and the groups that the kernel takes."""
        engine, m, rows = self.engine, states + len(self.biases), states + channels
        sides = 2 * int(engine.plan.head[0]["valves"])
        self._memory, part = allocate(
            {
                "biases": (len(self.biases),),
                "state": (len(engine.state),),
                "covariance": (m, m),
                "input_cross_cov": (m, sides + CANDIDATES),
                "evidence": (CANDIDATES, EVIDENCE),
                "input_ages": (sides // 2,),
                "counters": (COUNTERS,),
                "innovations": (channels, 2),
                "prefit": (channels, PREFIT),
                "status": (STATUS,),
                "sensor_monitor": (self.sensor_monitor.size,),
                "causes": (self.causes.size,),
                "averaged": delayed_pressures(engine.plan, self.biases).shape,
                "jacobian": (2, rows, m + JACOBIAN_COLUMNS),
            },
            scratch=rows * (m + JACOBIAN_COLUMNS),
        )
        engine.state, engine.counters = part["state"], part["counters"]
        self.sensor_monitor.move_into(part["sensor_monitor"])
        self.causes.move_into(part["causes"])
        self._estimate = FilterState(
            *(part[name] for name in ("state", "covariance", "jacobian", "input_cross_cov", "input_ages")),
            *(part[name] for name in ("innovations", "counters", "averaged")),
        )
        self.covariance, self._status, self._held = part["covariance"], part["status"], part["biases"]
        heard = np.array([engine.position(s.channel) for s in self.sensor_monitor.sensors], dtype=np.int64)
        spread = np.append(start_sigmas(engine), load_steps(engine.machine, self.biases))
        self._monitor = Monitor(
            memory=self._memory,
            backup=np.zeros_like(self._memory),
            biases=self._held,
            status=self._status,
            prefit=part["prefit"],
            spread=spread,
            channels=heard,
            report=np.zeros((3, len(heard))),
            sensors=self.sensor_monitor.rows,
            overall=self.sensor_monitor.overall,
            hanging=np.array(self._hanging, dtype=np.int64),
            evidence=part["evidence"],
        )
        self._filter = FilterModel(engine.plan, engine.workspace, self.biases, model, engine.dt, stride)
        self._scratch = make_scratch(states, m, sides)
        self._sigmas = np.zeros(channels)
        self._sigmas[heard] = [float(s.noise) for s in self.sensor_monitor.sensors]
        self._call = direct(run_filter, *self._arguments(0, _NOTHING, True))

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
        self._status[[ALERT, NIS, RECOVERED, LOAD_CHANGED, DUG]] = ALERT_FOR, *[np.nan] * 4
        self.sensor_monitor.clear()
        self.causes.clear()
        put_biases(engine.condition, self.biases, self._unbiased)
        engine.state[:] = start_state(engine.machine, engine.plan)
        self._command(inputs)
        self._set(self._readings[0])
        self._restart_open_loop()

    def _set(self, readings: Array) -> None:
        """Set state and covariance from readings (NaN: none); biases become unknown again."""
        put_biases(self.engine.condition, self.biases, self._unbiased)
        sigmas = set_from(self.engine, readings)
        carried = float(np.max(load_steps(self.engine.machine, self.biases), initial=0.0))
        if carried > 0.0:
            self.covariance[:] = solve_static_balance(self.engine, self.biases, readings, sigmas, carried)
        else:  # it carries no load: the described forces hold
            spread = np.ones(len(self.biases))
            self.covariance[:] = start_covariance(self.engine.plan, self.biases, readings, sigmas, spread)
        averaged = self._estimate.averaged
        averaged[:] = self.engine.state[self._at_p : self._at_p + len(averaged)]
        self._held[:] = bias_values(self.engine.condition, self.biases)
        self._estimate.input_cross_cov[:], self._estimate.jacobian[:] = 0.0, 0.0
        self._monitor.evidence[:, ONSET] = np.nan
        self._refresh()

    def _recover(self) -> None:
        """Restart from the healthy sensors after losing track of the machine; time and inputs continue."""
        kept = self._memory.copy()
        try:
            self._set(self._readings[0])
        except Diverged:  # not from these readings; the monitor will ask again
            self._put(kept)
            return
        self.sensor_monitor.forget()
        self._status[RECOVERED] = self.engine.time
        self._status[RECOVERIES] += 1

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
                raise BadChannel(f"channel {name!r} is computed by the twin, so a sample must not contain it")
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
            self.engine.state[self._at_c + valve] = value
            self.open_loop.command(valve, value)
            self._estimate.input_cross_cov[:, 2 * valve : 2 * valve + 2] = 0.0
            self._estimate.input_ages[valve] = 0.0
        if old:
            self._take_up_spools(old)

    def _is_old(self, valve: int, steps: int = 0) -> bool:
        """Whether an input is too old to be known, now or after some steps."""
        age = self._estimate.input_ages[valve] + steps
        return bool((age - 0.5) * self.engine.dt > self._fresh)  # half a step against rounding

    def _take_up_spools(self, valves: list[int]) -> None:
        """Move spools to their commands and update everything that depends on them."""
        engine, head = self.engine, self.engine.plan.head[0]
        for v in valves:
            limit = float(engine.plan.valves[v]["limit"])
            command = float(engine.state[head["at_c"] + v])
            engine.state[head["at_u"] + v] = min(max(command, -limit), limit)
        engine.settle(engine.state)
        self._refresh()

    def advance(self, n_steps: int) -> None:
        """Take steps with constant inputs. After Diverged the twin stays at its last good state.

        An input that is not repeated becomes stale; the covariance then allows for any value of it.
        """
        done = self._run(n_steps, _NOTHING, True)
        if done == BROKEN:
            raise Diverged(self.engine.time, Message("filter.not_finite"))
        self.open_loop.advance(done)
        if done < n_steps:
            raise self.engine.diverged()

    def correct(self, sample: Mapping[str, float], after: int = 0) -> None:
        """Take `after` steps, store the inputs of a sample and fuse the readings of healthy sensors.

        Then the loops are closed exactly, and accelerations, pressure rates and Jacobian are recomputed for
        the corrected state, because the next step starts from them. Raises Diverged, as `advance` does, if
        the steps fail. After Refused or BadChannel the steps have been taken, but nothing was fused.
        """
        try:
            inputs, heard = self._split(sample)
        except BadChannel:
            self._advance_by(after)
            raise
        # commands act on later steps only, so one call is enough unless an input grows old in it
        if heard and after and self._stays_known(after) and self._fuse(after, True):
            self._command(inputs)
            return
        self._advance_by(after)
        inputs, heard = self._split(sample)
        known = self._stays_known(0)
        if not known:  # the position of the spools depends on the present command
            self._command(inputs)
        fused = not heard or self._fuse(0, known)
        if known:  # as above: the result must not depend on how steps are divided between calls
            self._command(inputs)
        if not fused:
            raise Refused(self.engine.time, Message("filter.refused"))

    def _advance_by(self, steps: int) -> None:
        if steps:
            self.advance(steps)

    def _stays_known(self, steps: int) -> bool:
        """Whether no input becomes stale within these steps."""
        return not any(self._is_old(valve, steps) for valve in range(len(self._estimate.input_ages)))

    def _fuse(self, steps: int, known: bool) -> bool:
        """Take steps and fuse the prepared readings in one call; False: nothing has changed."""
        result = self._run(steps, self._readings, known)
        if result in (REFUSED, BROKEN):
            return False
        done = steps if result == LOST else result
        self.open_loop.advance(done)
        if done < steps:
            raise self.engine.diverged()
        if result == LOST:
            self._recover()
        self.causes.update(self.engine.time, self._held, self.covariance)
        if self.open_loop.lost:
            self._restart_open_loop()
        return True

    def compare(self, wanted: bool) -> None:
        """Run the open-loop model beside the twin, from the present state on, or stop it."""
        if not wanted:
            self.open_loop.stop()
        elif not self.open_loop.running:
            self.open_loop.begin(self.engine.state, self.engine.time)

    def _restart_open_loop(self) -> None:
        if self.open_loop.running:
            self.open_loop.begin(self.engine.state, self.engine.time)

    def _run(self, steps: int, values: Array, known: bool) -> int:
        return self._call(*self._arguments(steps, values, known))

    def _arguments(self, steps: int, values: Array, known: bool) -> tuple[Any, ...]:
        """Arguments of `run_filter`. values: no row, or one row with a value per channel."""
        readings = Readings(values, self._sigmas, GATE, known)
        groups = self._filter, self._estimate, self._scratch, readings, self._monitor
        return (*groups, steps, _NOTHING, _NOTHING)

    def _refresh(self) -> None:
        """Linearise at a state that was set from outside."""
        self._run(0, self._silence, True)

    def values(self) -> Array:
        """Every channel in SI units, in the order of the channel table."""
        return self.engine.read()

    def uncorrected(self) -> Array:
        """Every channel of the open-loop model, SI units; NaN while it does not run or if it has failed."""
        return self.open_loop.values()

    def sigmas(self) -> Array:
        """Standard deviation of every channel; NaN for inputs and for channels that are never corrected."""
        out = np.empty(len(self.engine.channels))
        groups = self.engine.plan, self.biases, self.covariance
        asked = *groups, self._estimate.jacobian[0], self._zero_errors, out
        direct(channel_sigmas, *asked)(*asked)
        out[self._unsure] = np.nan
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
        monitor = self.sensor_monitor
        causes = [monitor.finding(*named) for named in self.causes.named(self._held)]
        return (*self._recovery(), *monitor.findings(), *causes, *monitor.notes())

    def time_offsets(self) -> dict[str, tuple[float, float]]:
        """By how much readings are stamped later than taken, and its standard deviation, s, by channel."""
        found: dict[str, tuple[float, float]] = {}
        for i in np.flatnonzero(self.biases["kind"] == DELAY):
            at = len(self.covariance) - len(self.biases) + i
            spread = float(np.sqrt(self.covariance[at, at]) * self.biases[i]["unit"])
            for s in self.sensor_monitor.sensors:
                if self.engine.plan.channels[self._sensors[s.channel]]["kind"] == PRESSURE:
                    found[s.channel] = float(self._held[i]), spread
        return found

    def _recovery(self) -> list[Finding]:
        since, times = float(self._status[RECOVERED]), int(self._status[RECOVERIES])
        if not self.engine.time - since < _RECOVERY_SHOWN:
            return []
        what = Message("twin.restarted")
        if times > 1:
            what = Message("twin.restarted.again", {"times": times, "since": 0})
        return [self.sensor_monitor.finding("diverged", "", since, what)]

    @property
    def load_changes(self) -> int:
        """Number of load changes noticed since the start."""
        return int(self._status[LOAD_CHANGES])

    def doubts(self) -> tuple[Doubt, ...]:
        """Channels whose values cannot be trusted at present, and why."""
        if self._payload is None:
            return ()
        evidence, row = self._monitor.evidence, self._payload.row
        left = self._estimate.input_cross_cov[row, -len(evidence) :]
        sigma = self._payload.unit * float(self.covariance[row, row]) ** 0.5
        watch = self._payload, self.engine, self._status, evidence, left, sigma, self.sensor_monitor
        found = payload_doubt(*watch)
        return () if found is None else (found,)

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
        return dump_format.pack(self._fingerprint, self._memory)

    def load(self, dump: bytes) -> None:
        """Continue from a dump with bit-identical results. Raises ForeignDump for a dump of another twin.

        The open-loop model, if it runs, begins there.
        """
        self._put(dump_format.unpack(dump, self._fingerprint, len(self._memory)))
        self._restart_open_loop()

    def _put(self, memory: Array) -> None:
        self._memory[:] = memory
        put_biases(self.engine.condition, self.biases, self._held)
