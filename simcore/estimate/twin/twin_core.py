"""The parts of a live twin, what it shows, and how it is dumped and loaded; live_twin.py moves it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from simcore.errors import BadChannel, SimcoreError
from simcore.estimate.biases import DELAY, bias_values, biases_of, put_biases, sensor_classes
from simcore.estimate.filter.correction import channel_sigmas
from simcore.estimate.filter.filter_kernel import run_filter
from simcore.estimate.filter_arrays import (
    FULL,
    FilterModel,
    Readings,
    make_scratch,
)
from simcore.estimate.initialise.possible_spread import possible_spread
from simcore.estimate.initialise.static_balance import hanging_joints
from simcore.estimate.linearise.sensor_errors import zero_errors
from simcore.estimate.linearise.stale_inputs import LEVER_TIME, UNKNOWN_FROM
from simcore.estimate.monitor.causes import Causes
from simcore.estimate.monitor.finding import Doubt, Finding, Health
from simcore.estimate.monitor.innovation_monitor import (
    HELD,
    LOAD_CHANGES,
    NIS,
    RECOVERED,
    RECOVERIES,
)
from simcore.estimate.monitor.payload_trust import payload_doubt, payload_watch
from simcore.estimate.monitor.sensor_monitor import SensorMonitor
from simcore.estimate.sensors import Sensor, own_sensors
from simcore.estimate.twin import dump_format
from simcore.estimate.twin.flat_memory import scalars
from simcore.estimate.twin.open_loop import OpenLoopModel
from simcore.estimate.twin.sample_rate import SLOW_SINCE, complaint, is_sparse
from simcore.estimate.twin.twin_memory import make_memory
from simcore.integrate.advance import STEPS
from simcore.kernels.direct import direct
from simcore.messages import Message
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
RECOVERY_SHOWN = 10.0  # s for which a restart from the sensors is reported
_FAST_UNITS = ("Pa", "N", "W", "m³/s", "rad/s", "m/s")  # of quantities that change within a second
NOTHING = np.zeros((0, 0))  # no changes of commands, no readings, no log


class TwinCore:
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
        # by channel that a sample may contain: position of a sensor, or ~valve of an input
        self._places = self._sensors | {
            c.name: ~self._valve(c.name) for c in engine.channels if c.role == "input"
        }
        self._fresh = float(machine.model_error.input_fresh) - LEVER_TIME * math.log(1.0 - UNKNOWN_FROM)
        self._at_p = int(engine.plan.head[0]["at_p"])
        self._at_c = int(engine.plan.head[0]["at_c"])
        self._silence = np.full((1, len(engine.channels)), np.nan)
        self._readings = self._silence.copy()
        self._hanging = self._find_hanging()
        self._payload = payload_watch(engine, self.biases, self._sensors)
        if stride is None:
            stride = self._usual_stride(states)
        made = make_memory(engine, self.biases, self.sensor_monitor, self.causes, self._hanging)
        self._memory, self._estimate, self._monitor, self._rate = made
        self.covariance, self._status, self._held = (
            self._estimate.covariance, self._monitor.status, self._monitor.biases
        )  # fmt: skip
        self._fast = np.array([c.role == "estimate" and c.unit in _FAST_UNITS for c in engine.channels])
        least = machine.model_error.least_rate
        self._least_rate = None if least is None else float(least)
        self._load_steps = self._monitor.spread[states:]
        self._most = possible_spread(engine)
        self._filter = FilterModel(
            engine.plan, engine.workspace, self.biases, model, engine.dt, stride, self._most
        )
        self._scratch = make_scratch(states, len(self.covariance), 2 * int(engine.plan.head[0]["valves"]))
        self._sigmas = np.zeros(len(engine.channels))
        self._sigmas[self._monitor.channels] = [float(s.noise) for s in self.sensor_monitor.sensors]
        self._reading, self._ages = scalars(self._readings[0]), scalars(self._estimate.input_ages)
        self._commands = scalars(engine.state[self._at_c : self._at_c + len(self._ages)])
        self._flags, self._counters = scalars(self._status), scalars(engine.counters)
        self._heard_at = scalars(self.sensor_monitor.overall["time"])
        self._groups = self._filter, self._estimate, self._scratch
        rows = self._readings, self._silence, NOTHING
        known, self._no_readings, self._coasting = (Readings(row, self._sigmas, GATE, True) for row in rows)
        self._fusing = known._replace(inputs_known=False), known
        self._call = direct(run_filter, *self._groups, known, self._monitor, 0, NOTHING, NOTHING)

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

    @property
    def steps(self) -> int:
        """Number of steps since the start."""
        return int(self._counters[STEPS])

    def _split(self, sample: Mapping[str, float]) -> tuple[list[tuple[int, float]], bool]:
        """Separate the inputs of a sample from its sensor readings; returns whether it has any readings."""
        readings, inputs, heard = self._reading, [], False
        self._readings.fill(np.nan)
        for name, value in sample.items():
            place = self._places.get(name)
            if place is None:
                self.engine.position(name)  # refuses one that does not exist
                raise BadChannel(f"channel {name!r} is computed by the twin, so a sample must not contain it")
            number = finite(name, value)
            if place >= 0:
                readings[place], heard = number, True
            else:
                inputs.append((~place, number))
        return inputs, heard

    def _valve(self, name: str) -> int:
        """Index of the named input."""
        return int(self.engine.plan.channels[self.engine.position(name)]["index"])

    def _run(self, steps: int, readings: Readings, ramp: Array = NOTHING) -> int:
        return self._call(*self._groups, readings, self._monitor, steps, ramp, NOTHING)

    def _refresh(self) -> None:
        """Linearise at a state that was set from outside."""
        self._run(0, self._no_readings)

    def compare(self, wanted: bool) -> None:
        """Run the open-loop model beside the twin, from the present state on, or stop it."""
        if not wanted:
            self.open_loop.stop()
        elif not self.open_loop.running:
            self.open_loop.begin(self.engine.state, self.engine.time)

    def _restart_open_loop(self) -> None:
        if self.open_loop.running:
            self.open_loop.begin(self.engine.state, self.engine.time)

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
        out[self._unsure | bool(self._status[HELD])] = np.nan
        if is_sparse(self._rate):
            out[self._fast] = np.nan
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
        return (*self._recovery(), *self._slowness(), *monitor.findings(), *causes, *monitor.notes())

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

    def _slowness(self) -> list[Finding]:
        said = complaint(self._rate, self._least_rate)
        if said is None:
            return []
        return [self.sensor_monitor.finding("slow", "", float(self._rate[SLOW_SINCE]), said)]

    def _recovery(self) -> list[Finding]:
        since, times = float(self._status[RECOVERED]), int(self._status[RECOVERIES])
        if not self.engine.time - since < RECOVERY_SHOWN:
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
