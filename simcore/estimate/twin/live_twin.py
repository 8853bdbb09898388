"""The twin of one machine: advances with it, is corrected by it, and can be put away and taken up again."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping, Sequence

import numpy as np

from simcore.errors import BadChannel, Diverged, ForeignDump, Refused, SimcoreError
from simcore.estimate.biases import bias_values, biases_of, jumps, put_biases
from simcore.estimate.filter.correction import channel_sigmas
from simcore.estimate.filter.filter_kernel import BROKEN, LOST, REFUSED, SLOPE_COLUMNS, follow, make_scratch
from simcore.estimate.filter.prediction import FULL
from simcore.estimate.initialise.from_sample import set_from, start_sigmas
from simcore.estimate.initialise.static_balance import hanging_joints, stand
from simcore.estimate.monitor.finding import Finding, Health
from simcore.estimate.monitor.innovation_monitor import (
    ALERT,
    ALERT_FOR,
    NIS,
    PACE,
    PRIOR,
    RECOVERED,
    RECOVERIES,
    TURN,
    Vigil,
)
from simcore.estimate.monitor.sensor_monitor import SensorWatch
from simcore.estimate.sensors import Sensor, own_sensors
from simcore.estimate.twin.flat_memory import lay_out
from simcore.estimate.twin.open_loop import ModelAlone
from simcore.integrate.advance import COUNTERS
from simcore.kernels.direct import direct
from simcore.messages import Message
from simcore.model.compiler import start_state
from simcore.model.elements import Machine
from simcore.model.workspace import Array
from simcore.run.engine import Engine, finite

_MAGIC = b"HTWN"
_FORMAT = 7
_HEADER = struct.Struct("<4sI32s")  # magic, format, model
GATE = 5.0  # standard deviations
# steps through which the covariance is carried at once (docs/methods/error-state-filter.md)
_STRIDE, _LONG_STRIDE = 5, 20
_HANGING_STRIDE = 10  # of a machine whose load hangs free: nobody measures its swing
_MANY = 16  # states of the filter, biases included, from which on the long stride is taken
_LEAST_RATE = 10.0  # Hz; a sensor that sends less often than others is taken for silent now and then
_ALONE_EVERY = 100  # steps from one look at the model left alone to the next
_TOLD_FOR = 10.0  # s for which a new beginning from the sensors is told
_NOTHING = np.zeros((0, 0))  # no changes of commands, no readings, no log


class LiveTwin:
    """Model, error-state filter, watch, last inputs and the model left alone of one machine."""

    def __init__(
        self,
        machine: Machine,
        dt_us: int = 1000,
        sensors: Sequence[Sensor] | None = None,
        model: int = FULL,
        stride: int | None = None,
    ) -> None:
        """sensors: those that the machine itself names, unless given. model: of the covariance's transition.

        stride: most steps that the covariance may be behind the state; unless given, by the number of states
        and by whether a load hangs.
        """
        if not isinstance(dt_us, int) or dt_us <= 0:
            raise SimcoreError(f"dt_us = {dt_us}: must be a whole number of microseconds above zero")
        self.engine = engine = Engine(machine, dt_us * 1e-6)
        engine.refuse_redundant("the filter")
        self.biases = biases_of(machine, engine.plan)
        labels = {channel.name: channel.label for channel in engine.channels}
        own = own_sensors(machine, _LEAST_RATE) if sensors is None else sensors
        self.watch = SensorWatch(own, GATE, labels)
        self.alone = ModelAlone(machine, engine.dt)
        self._unbiased = bias_values(engine.plan, self.biases)
        self._model = _fingerprint(engine, dt_us)
        states = int(engine.plan.head[0]["states"])
        self._unsure = np.array([c.role not in ("sensor", "estimate") for c in engine.channels])
        self._sensors = {s.channel: engine.position(s.channel) for s in self.watch.sensors}
        self._inputs = {c.name: self._valve(c.name) for c in engine.channels if c.role == "input"}
        self._fresh = float(machine.model_error.input_fresh)
        self._at_c = int(engine.plan.head[0]["at_c"])
        self._silence = np.full((1, len(engine.channels)), np.nan)
        self._readings = self._silence.copy()
        self._hanging = self._find_hanging()
        if stride is None:
            stride = self._usual_stride(states)
        self._lay_out(states, len(engine.channels), model, stride)
        self.start({})

    def _find_hanging(self) -> list[int]:
        """Independent joints that neither sensors nor oil nor an engine holds."""
        measured = self._silence[0].copy()
        measured[list(self._sensors.values())] = 0.0
        self.engine.settle(self.engine.state)
        return hanging_joints(self.engine, measured)

    def _usual_stride(self, states: int) -> int:
        if states + len(self.biases) < _MANY:
            return _STRIDE
        return _HANGING_STRIDE if self._hanging else _LONG_STRIDE

    def _lay_out(self, states: int, channels: int, model: int, stride: int) -> None:
        """Everything that later steps depend on in one memory, and what the kernel takes beside it."""
        engine, m, rows = self.engine, states + len(self.biases), states + channels
        sides = 2 * int(engine.plan.head[0]["valves"])
        self._memory, part = lay_out(
            {
                "biases": (len(self.biases),),
                "state": (len(engine.state),),
                "covariance": (m, m),
                "tie": (m, sides),  # covariance of the states with unknown openings
                "ages": (sides // 2,),  # steps since each input was given
                "counters": (COUNTERS,),
                "seen": (channels, 2),  # last innovations and their variances
                "prior": (channels, PRIOR),
                "pace": (PACE,),
                "watch": (self.watch.size,),
                "alone": (self.alone.size,),
                "slope": (2, rows, m + SLOPE_COLUMNS),  # where the covariance is, and for the next place
            },
            scratch=rows * (m + SLOPE_COLUMNS),
        )
        engine.state, engine.counters = part["state"], part["counters"]
        self.watch.keep_in(part["watch"])
        self.alone.keep_in(part["alone"])
        self.covariance, self._tie, self._ages = part["covariance"], part["tie"], part["ages"]
        self._seen, self._pace, self._held = part["seen"], part["pace"], part["biases"]
        self._prior, self._slope = part["prior"], part["slope"]
        heard = np.array([engine.position(s.channel) for s in self.watch.sensors], dtype=np.int64)
        spread = np.append(start_sigmas(engine), jumps(engine.machine, self.biases))
        self._vigil = Vigil(
            self._memory, np.zeros_like(self._memory), self._held, self._pace, self._prior, spread, heard,
            np.zeros((3, len(heard))), self.watch.rows, self.watch.whole,
            np.array(self._hanging, dtype=np.int64),
        )  # fmt: skip
        self._filter = (
            engine.plan, self.biases, model, engine.state, self.covariance, self._slope, self._tie,
            self._ages, np.zeros(m), make_scratch(states, m, sides), engine.work,
            engine.dt,
        )  # fmt: skip
        sigmas = np.zeros(channels)
        sigmas[heard] = [float(s.noise) for s in self.watch.sensors]
        self._rest = sigmas, GATE, self._seen, _NOTHING, engine.counters, stride
        self._call = direct(follow, *self._filter, 0, _NOTHING, _NOTHING, *self._rest, True, self._vigil)

    @property
    def steps(self) -> int:
        """Steps since the start."""
        return self.engine.steps

    def start(self, sample: Mapping[str, float]) -> None:
        """State from a first sample; what it does not tell is nominal and known as little as that."""
        engine = self.engine
        inputs, _ = self._split(sample)
        self._memory[:] = 0.0
        self._ages[:] = np.inf
        self._seen[:] = np.nan
        self._pace[[ALERT, NIS, RECOVERED]] = ALERT_FOR, np.nan, np.nan
        self.watch.clear()
        put_biases(engine.plan, self.biases, self._unbiased)
        engine.state[:] = start_state(engine.machine, engine.plan)
        self._command(inputs)
        self._set(self._readings[0])
        self.alone.begin(engine.state, 0.0)

    def _set(self, readings: Array) -> None:
        """State and covariance from readings, NaN where there is none; biases are unknown again."""
        put_biases(self.engine.plan, self.biases, self._unbiased)
        sigmas = set_from(self.engine, readings)
        carried = float(np.max(jumps(self.engine.machine, self.biases), initial=0.0))
        if carried > 0.0:
            self.covariance[:] = stand(self.engine, self.biases, readings, sigmas, carried)
        else:  # it bears nothing but itself: the description tells the forces
            self.covariance[:] = np.diag(np.append(sigmas**2, np.ones(len(self.biases))))
        self._held[:] = bias_values(self.engine.plan, self.biases)
        self._tie[:], self._slope[:] = 0.0, 0.0
        self._refresh()

    def _recover(self) -> None:
        """Begin anew from the sound sensors where the filter has lost its machine; time and inputs go on."""
        kept = self._memory.copy()
        try:
            self._set(self._readings[0])
        except Diverged:  # not from these readings; the watch goes on and asks again
            self._put(kept)
            return
        self.watch.forget()
        self._pace[RECOVERED] = self.engine.time
        self._pace[RECOVERIES] += 1

    def _split(self, sample: Mapping[str, float]) -> tuple[list[tuple[int, float]], bool]:
        """Inputs of a sample, and whether there are sensor readings, which are laid out in channel order."""
        readings, inputs, heard = self._readings[0], [], False
        readings.fill(np.nan)
        for name, value in sample.items():
            if name in self._sensors:
                readings[self._sensors[name]], heard = finite(name, value), True
            elif name in self._inputs:
                inputs.append((self._inputs[name], finite(name, value)))
            else:
                self.engine.position(name)  # refuses one that does not exist
                raise BadChannel(f"channel {name!r} is no reading of the machine: the twin computes it")
        return inputs, heard

    def _valve(self, name: str) -> int:
        """Number of the input of that name."""
        return int(self.engine.plan.channels[self.engine.position(name)]["index"])

    def command(self, sample: Mapping[str, float]) -> None:
        """Latch the inputs among the channels of a sample; from here on they are known for a while.

        After a time in which nobody knew the command, the spool is taken to have followed it already.
        """
        self._command(self._split(sample)[0])

    def _command(self, inputs: list[tuple[int, float]]) -> None:
        old = []
        for valve, value in inputs:
            if self._is_old(valve):
                old.append(valve)
            self.engine.state[self._at_c + valve] = value
            self.alone.command(valve, value)
            self._tie[:, 2 * valve : 2 * valve + 2] = 0.0
            self._ages[valve] = 0.0
        if old:
            self._take_up_spools(old)

    def _is_old(self, valve: int, steps: int = 0) -> bool:
        """Whether an input was given too long ago to be known, or will have been after some steps."""
        age = self._ages[valve] + steps
        return bool((age - 0.5) * self.engine.dt > self._fresh)  # half a step against rounding

    def _take_up_spools(self, valves: list[int]) -> None:
        """Put spools where their commands want them, and all that depends on them."""
        engine, head = self.engine, self.engine.plan.head[0]
        for v in valves:
            limit = float(engine.plan.valves[v]["limit"])
            command = float(engine.state[head["at_c"] + v])
            engine.state[head["at_u"] + v] = min(max(command, -limit), limit)
        engine.settle(engine.state)
        self._refresh()

    def advance(self, n_steps: int) -> None:
        """Take steps with the inputs held. On Diverged the twin stays at its last good state.

        An input that is not given again grows old; then the covariance allows for any other.
        """
        done = self._follow(n_steps, _NOTHING, True)
        if done == BROKEN:
            raise Diverged(self.engine.time, Message("filter.not_finite"))
        self.alone.advance(done)
        if done < n_steps:
            raise self.engine.diverged()

    def correct(self, sample: Mapping[str, float], after: int = 0) -> None:
        """Take so many steps, latch the inputs of a sample and fuse its readings, but for named sensors'.

        Afterwards the loops are closed exactly, and accelerations, pressure rates and slopes are those of
        the corrected state: frozen, they would spoil the next step and its derivative. Raises Diverged, as
        `advance` does, when the steps fail; Refused (or BadChannel) leaves the twin behind its steps.
        """
        try:
            inputs, heard = self._split(sample)
        except BadChannel:
            self._advance_by(after)
            raise
        # commands act on later steps only, so all may go into one call, unless one of them grows old in it
        if heard and after and self._stays_known(after) and self._fuse(after, True):
            self._command(inputs)
            self._mind_the_model_alone()
            return
        self._advance_by(after)
        inputs, heard = self._split(sample)
        known = self._stays_known(0)
        if not known:  # where spools are depends on what is commanded now
            self._command(inputs)
        fused = not heard or self._fuse(0, known)
        if known:  # as above: how steps are divided between calls must not matter
            self._command(inputs)
        if not fused:
            raise Refused(self.engine.time, Message("filter.refused"))
        if heard:
            self._mind_the_model_alone()

    def _advance_by(self, steps: int) -> None:
        if steps:
            self.advance(steps)

    def _stays_known(self, steps: int) -> bool:
        """Whether no input grows old within so many steps."""
        return not any(self._is_old(valve, steps) for valve in range(len(self._ages)))

    def _fuse(self, steps: int, known: bool) -> bool:
        """Steps and the readings that are laid out, in one call; False: nothing of it has happened."""
        result = self._follow(steps, self._readings, known)
        if result in (REFUSED, BROKEN):
            return False
        done = steps if result == LOST else result
        self.alone.advance(done)
        if done < steps:
            raise self.engine.diverged()
        if result == LOST:
            self._recover()
        return True

    def _mind_the_model_alone(self) -> None:
        """Now and then, and at a correction, so that it does not matter when anybody asked for its values."""
        turn = self.engine.steps // _ALONE_EVERY
        if turn == self._pace[TURN]:
            return
        self._pace[TURN] = turn
        self.alone.catch_up()
        if self.alone.lost:
            self.alone.begin(self.engine.state, self.engine.time)

    def _follow(self, steps: int, readings: Array, known: bool) -> int:
        return self._call(*self._filter, steps, _NOTHING, readings, *self._rest, known, self._vigil)

    def _refresh(self) -> None:
        """Slopes at a state that was set from outside."""
        self._follow(0, self._silence, True)

    def values(self) -> Array:
        """Every channel in SI units, in the order of the channel table."""
        return self.engine.read()

    def uncorrected(self) -> Array:
        """The same of the model left alone; NaN where it could not go on."""
        return self.alone.values()

    def sigmas(self) -> Array:
        """Standard deviation of every channel; NaN for inputs and for what is never corrected."""
        out = np.empty(len(self.engine.channels))
        asked = self.engine.plan, len(self.covariance), self.covariance, self._slope[0], out
        direct(channel_sigmas, *asked)(*asked)
        out[self._unsure] = np.nan
        return out

    def innovations(self) -> tuple[Array, Array]:
        """Of the last correction by channel: reading less expectation, and its standard deviation.

        NaN where nothing was read. Of a sensor that is named and left out, those that it would have had.
        """
        off, spread = self._seen[:, 0].copy(), np.sqrt(self._seen[:, 1])
        spread[np.isnan(off)] = np.nan
        return off, spread

    def health(self) -> Health | None:
        """How well readings and model agree; None: too few readings to say."""
        nis, low, high = self.watch.honesty()
        return Health(nis, low, high) if np.isfinite(nis) else None

    def findings(self) -> tuple[Finding, ...]:
        """What is wrong now; what concerns the twin as a whole comes first."""
        return (*self._recovery(), *self.watch.findings())

    def _recovery(self) -> list[Finding]:
        since, times = float(self._pace[RECOVERED]), int(self._pace[RECOVERIES])
        if not self.engine.time - since < _TOLD_FOR:
            return []
        what = Message("twin.restarted")
        if times > 1:
            what = Message("twin.restarted.again", {"times": times, "since": 0})
        return [self.watch.finding("diverged", "", since, what)]

    def diagnostics(self) -> dict[str, float]:
        """Newton iterations, steps that had to be divided, and the last normalised innovation squared."""
        newton = self.engine.newton()
        return {
            "newton_mean": newton["mean"],
            "newton_max": newton["max"],
            "failed_steps": newton["failed_steps"],
            "nis": float(self._pace[NIS]),
        }

    def dump(self) -> bytes:
        """The complete twin as bytes, for `load` into a twin of the same machine and step."""
        self.alone.catch_up()
        return _HEADER.pack(_MAGIC, _FORMAT, self._model) + self._memory.astype("<f8").tobytes()

    def load(self, dump: bytes) -> None:
        """Take up a dumped twin; what follows is bit-identical. Refuses a dump that is not its own."""
        if len(dump) < _HEADER.size or dump[:4] != _MAGIC:
            raise ForeignDump("this is no dump of a twin")
        _, version, model = _HEADER.unpack_from(dump)
        if version != _FORMAT:
            raise ForeignDump(f"dump has format {version}; this version reads format {_FORMAT}")
        if model != self._model:
            raise ForeignDump("dump belongs to another machine, other parameters or another time step")
        if len(dump) != _HEADER.size + self._memory.nbytes:
            raise ForeignDump(f"dump has {len(dump)} bytes, which is not what this twin writes")
        self._put(np.frombuffer(dump, dtype="<f8", offset=_HEADER.size))

    def _put(self, memory: Array) -> None:
        self._memory[:] = memory
        put_biases(self.engine.plan, self.biases, self._held)


def _fingerprint(engine: Engine, dt_us: int) -> bytes:
    """Digest of everything that gives a dump its meaning."""
    digest = hashlib.sha256(f"{_FORMAT} {dt_us} {COUNTERS}".encode())
    for records in engine.plan:
        digest.update(records.tobytes())
    return digest.digest()
