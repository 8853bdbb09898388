"""The twin of one machine: advances with it, is corrected by it, and can be put away and taken up again."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from simcore.engine import Engine, finite
from simcore.errors import BadChannel, Diverged, ForeignDump, SimcoreError
from simcore.estimate.biases import bias_values, biases_of, put_biases
from simcore.estimate.error_state_ekf import FULL, channel_sigmas, correct_twin
from simcore.estimate.follow import follow
from simcore.estimate.slopes import MPA, place_of, slopes_at
from simcore.integrate.advance import COUNTERS
from simcore.model.compiler import start_state
from simcore.model.elements import Machine
from simcore.model.plan import ANGLE, DIRECT, PRESSURE, RATE
from simcore.work import Array

_MAGIC = b"HTWN"
_FORMAT = 3
_HEADER = struct.Struct("<4sI32s")  # magic, format, model
_START_SPREAD = 2.0  # the first reading counts with twice its sensor's noise
_APPROACH = 0.1  # rad; far positions are approached in parts so that loops keep their assembly
_MOST_PARTS = 1000
_GATE = 5.0  # standard deviations
_CONVINCED = 2  # readings of a channel so far off that the twin doubts itself
_NOTHING = np.zeros((0, 0))  # no changes of commands, no readings, no log


class LiveTwin:
    """Model, error-state filter and last inputs of one machine."""

    def __init__(self, machine: Machine, dt_us: int = 1000) -> None:
        if not isinstance(dt_us, int) or dt_us <= 0:
            raise SimcoreError(f"dt_us = {dt_us}: must be a whole number of microseconds above zero")
        self.engine = Engine(machine, dt_us * 1e-6)
        self.engine.refuse_redundant("the filter")
        head = self.engine.plan.head[0]
        self.biases = biases_of(machine, self.engine.plan)
        self._unbiased = bias_values(self.engine.plan, self.biases)
        states, channels = int(head["states"]), len(self.engine.channels)
        m, sides = states + len(self.biases), 2 * int(head["valves"])
        self.covariance = np.zeros((m, m))
        self._slope = np.zeros((2, states + channels, m + 1))  # at the present state, and for the next one
        self._scratch = np.zeros((states + m + 2 + sides, states + m + states + sides))
        self._dx = np.zeros(m)
        self._tie = np.zeros((m, sides))  # covariance of the states with unknown openings
        self._ages = np.zeros(sides // 2)  # steps since each input was given
        self._seen = np.full((channels, 2), np.nan)  # last innovations and their variances
        self._rejected = np.zeros(channels)  # readings in a row that were too far off
        self._places = [place_of(self.engine.plan, i) for i in range(states)]
        self._sigmas = np.nan_to_num(self.engine.plan.channels["sigma"])
        self._nis = np.full(1, np.nan)
        self._model = _fingerprint(self.engine, dt_us)
        self._role = np.array([c.role in ("sensor", "estimate") for c in self.engine.channels])
        self.start({})

    @property
    def steps(self) -> int:
        """Steps since the start."""
        return self.engine.steps

    def start(self, sample: Mapping[str, float]) -> None:
        """State from a first sample; what it does not tell is nominal and known as little as that."""
        engine = self.engine
        readings = self._split(sample)
        engine.counters[:] = 0.0
        self._ages[:] = np.inf
        self._tie[:] = 0.0
        self._nis[0] = np.nan
        self._seen[:] = np.nan
        self._rejected[:] = 0.0
        put_biases(engine.plan, self.biases, self._unbiased)
        engine.state[:] = start_state(engine.machine, engine.plan)
        self.command(sample)
        sigma = self._start_sigma()
        self._start_pressures(readings, sigma)
        self._start_motion(readings, sigma)
        self.covariance[:] = np.diag(np.append(sigma**2, np.ones(len(self.biases))))
        self._refresh()

    def _start_motion(self, readings: Array, sigma: Array) -> None:
        """Independent positions and velocities from their sensors, approached along the closed loop."""
        engine, free = self.engine, int(self.engine.plan.head[0]["free"])
        engine.settle(engine.state)
        for s in range(2 * free):
            kind, at = (ANGLE, "at_z") if s < free else (RATE, "at_v")
            place = self._places[s]
            index = place - int(engine.plan.head[0][at])
            channel = self._sensor(readings, kind, index)
            if channel is None:
                continue
            sigma[s] = _START_SPREAD * float(engine.plan.channels[channel]["sigma"])
            start, target = float(engine.state[place]), float(readings[channel])
            parts = 1 + int(abs(target - start) / _APPROACH) if kind == ANGLE else 1
            for part in range(1, min(parts, _MOST_PARTS) + 1):
                engine.state[place] = start + (target - start) * part / parts
                engine.settle(engine.state)
        if any(c["chamber_a"] <= 0 or c["chamber_b"] <= 0 for c in engine.work.cylinders):
            raise Diverged(0.0, "the first sample places a piston outside its tube")

    def _start_pressures(self, readings: Array, sigma: Array) -> None:
        """Measured pressures as read; an unmeasured volume takes those of measured ones behind an orifice."""
        engine, head = self.engine, self.engine.plan.head[0]
        pressures = engine.state[head["at_p"] : head["at_p"] + head["volumes"]]
        sensors = [self._sensor(readings, PRESSURE, k) for k in range(len(pressures))]
        for k, channel in enumerate(sensors):
            if channel is not None:
                pressures[k] = readings[channel]
                noise = float(engine.plan.channels[channel]["sigma"])
                sigma[2 * int(head["free"]) + k] = _START_SPREAD * noise / MPA
        for k, channel in enumerate(sensors):
            known = [n for n in _neighbours(engine, k) if n < len(sensors) and sensors[n] is not None]
            if channel is None and known:
                pressures[k] = np.mean(pressures[known])

    def _sensor(self, readings: Array, kind: int, index: int) -> int | None:
        """Channel of a reading of that kind, or None."""
        for k, channel in enumerate(self.engine.plan.channels):
            if channel["kind"] == kind and channel["index"] == index and np.isfinite(readings[k]):
                return k
        return None

    def _split(self, sample: Mapping[str, float]) -> Array:
        """Sensor readings of a sample in channel order; NaN where there is none."""
        readings = np.full(len(self.engine.channels), np.nan)
        for name, value in sample.items():
            k = self.engine.position(name)
            role = self.engine.channels[k].role
            if role not in ("sensor", "input"):
                raise BadChannel(f"channel {name!r} is no reading of the machine: the twin computes it")
            number = finite(name, value)
            if role == "sensor":
                readings[k] = number
        return readings

    def command(self, sample: Mapping[str, float]) -> None:
        """Latch the inputs among the channels of a sample; from here on they are known for a while.

        After a time in which nobody knew the command, the spool is taken to have followed it already.
        """
        inputs = {c.name for c in self.engine.channels if c.role == "input"}
        given = {name: value for name, value in sample.items() if name in inputs}
        self.engine.command(given)
        valves = [int(self.engine.plan.channels[self.engine.position(name)]["index"]) for name in given]
        self._tie[:, [2 * v + side for v in valves for side in (0, 1)]] = 0.0
        old = [v for v in valves if self._old()[v]]
        self._ages[valves] = 0.0
        if old:
            self._take_up_spools(old)

    def _old(self) -> npt.NDArray[np.bool_]:
        """Which inputs were given too long ago to be known."""
        fresh = float(self.engine.machine.model_error.input_fresh)
        return (self._ages - 0.5) * self.engine.dt > fresh  # half a step against rounding

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
        engine = self.engine
        parts = engine.state, self.covariance, self._slope, self._tie, self._ages
        kept = [part.copy() for part in parts]
        done = follow(
            engine.plan, self.biases, FULL, engine.state, self.covariance, self._slope, self._tie, self._ages,
            self._dx, self._scratch, engine.work, engine.dt, n_steps, _NOTHING, _NOTHING, self._sigmas,
            np.inf, self._seen, _NOTHING, engine.counters,
        )  # fmt: skip
        if done % 2 == 1:
            self._slope[:] = self._slope[::-1].copy()
        if done < n_steps:
            self._refresh()  # channels are linearised at the last step of a chunk only, which never came
            raise engine.diverged()
        if not (np.all(np.isfinite(engine.state)) and np.all(np.isfinite(self.covariance))):
            for part, old in zip(parts, kept, strict=True):
                part[:] = old
            raise Diverged(engine.time, "covariance or state is no longer finite")

    def correct(self, sample: Mapping[str, float]) -> None:
        """Latch the inputs of a sample and fuse its sensor readings.

        Afterwards the loops are closed exactly, and accelerations, pressure rates and slopes are those of
        the corrected state: frozen, they would spoil the next step and its derivative.
        """
        readings = self._split(sample)
        known = not np.any(self._old())
        self.command(sample)
        if np.all(np.isnan(readings)):
            return
        engine, biases = self.engine, bias_values(self.engine.plan, self.biases)
        parts = engine.state, self.covariance, self._tie, self._seen, self._rejected
        kept = [part.copy() for part in parts]
        gate = self._gate(readings, known)
        if not correct_twin(
            engine.plan, self.biases, engine.state, self.covariance, self._tie, readings, self._sigmas,
            gate, known, self._slope[0], self._dx, self._scratch, engine.work, self._seen,
        ):  # fmt: skip
            for part, old in zip(parts, kept, strict=True):
                part[:] = old
            put_biases(engine.plan, self.biases, biases)
            raise Diverged(engine.time, "a correction led to a position that cannot be")
        self._refresh()
        self._nis[0] = np.nansum(self._seen[:, 0] ** 2 / np.where(self._seen[:, 1] > 0, self._seen[:, 1], 1))

    def _gate(self, readings: Array, known: bool) -> float:
        """Standard deviations beyond which a reading is left out this time.

        One reading far off is an outlier. When the next one of that channel is as far, it is the twin that
        is wrong: it doubts its state and listens to everything. After commands that nobody knew it doubts
        whether it moves: friction is steep around rest, and linearised there rest seems almost certain.
        """
        n = len(self._places)
        h = self._slope[0, n:, :-1]
        off = readings - self._slope[0, n:, -1]
        spread = np.einsum("ki,ij,kj->k", h, self.covariance, h) + self._sigmas**2
        far = off**2 > _GATE**2 * spread
        self._rejected[:] = np.where(far, self._rejected + 1, np.where(np.isnan(off), self._rejected, 0))
        doubt = np.zeros(n, dtype=bool)
        if not known and np.any(np.abs(off) > _GATE * self._sigmas):
            free = int(self.engine.plan.head[0]["free"])
            doubt[free : 2 * free] = True
        doubt |= np.any(self._rejected >= _CONVINCED)
        self.covariance[np.arange(n), np.arange(n)] += np.where(doubt, self._start_sigma() ** 2, 0.0)
        if np.all(doubt):
            self._rejected[:] = 0
        return np.inf if np.any(doubt) else _GATE

    def _start_sigma(self) -> Array:
        """How far the state may be from the nominal one when nothing was measured, filter units."""
        error, free = self.engine.machine.model_error, int(self.engine.plan.head[0]["free"])
        volumes = len(self._places) - 2 * free
        return np.repeat(
            [float(error.start_position), float(error.start_rate), float(error.start_pressure) / MPA],
            [free, free, volumes],
        )

    def values(self) -> Array:
        """Every channel in SI units, in the order of the channel table."""
        return self.engine.read()

    def sigmas(self) -> Array:
        """Standard deviation of every channel; NaN for inputs and for what is never corrected."""
        out = np.empty(len(self.engine.channels))
        channel_sigmas(self.engine.plan, len(self.covariance), self.covariance, self._slope[0], out)
        return np.where(self._role, out, np.nan)

    def diagnostics(self) -> dict[str, float]:
        """Newton iterations, steps that had to be divided, and the last normalised innovation squared."""
        newton = self.engine.newton()
        return {
            "newton_mean": newton["mean"],
            "newton_max": newton["max"],
            "failed_steps": newton["failed_steps"],
            "nis": float(self._nis[0]),
        }

    def _refresh(self) -> None:
        """Slopes at a state that was set from outside."""
        engine = self.engine
        slopes_at(engine.plan, self.biases, engine.state, engine.work, self._slope[0])

    def _parts(self) -> tuple[Array, ...]:
        """Everything that later steps depend on."""
        known = self.engine.state, self.covariance, self._slope[0], self._tie, self._ages
        return *known, self.engine.counters, self._nis, self._seen, self._rejected

    def dump(self) -> bytes:
        """The complete twin as bytes, for `load` into a twin of the same machine and step."""
        header = _HEADER.pack(_MAGIC, _FORMAT, self._model)
        parts = bias_values(self.engine.plan, self.biases), *self._parts()
        return header + b"".join(part.astype("<f8").tobytes() for part in parts)

    def load(self, dump: bytes) -> None:
        """Take up a dumped twin; what follows is bit-identical. Refuses a dump that is not its own."""
        if len(dump) < _HEADER.size or dump[:4] != _MAGIC:
            raise ForeignDump("this is no dump of a twin")
        _, version, model = _HEADER.unpack_from(dump)
        if version != _FORMAT:
            raise ForeignDump(f"dump has format {version}; this version reads format {_FORMAT}")
        if model != self._model:
            raise ForeignDump("dump belongs to another machine, other parameters or another time step")
        numbers = np.frombuffer(dump, dtype="<f8", offset=_HEADER.size)
        if numbers.size != len(self.biases) + sum(part.size for part in self._parts()):
            raise ForeignDump(f"dump has {len(dump)} bytes, which is not what this twin writes")
        put_biases(self.engine.plan, self.biases, numbers[: len(self.biases)])
        numbers = numbers[len(self.biases) :]
        for part in self._parts():
            part.flat[:] = numbers[: part.size]
            numbers = numbers[part.size :]


def _neighbours(engine: Engine, node: int) -> list[int]:
    """Nodes behind fixed orifices of a node."""
    fixed = [e for e in engine.plan.edges if e["valve"] < 0 and e["kind"] == DIRECT]
    return [int(e["b"]) for e in fixed if e["a"] == node] + [int(e["a"]) for e in fixed if e["b"] == node]


def _fingerprint(engine: Engine, dt_us: int) -> bytes:
    """Digest of everything that gives a dump its meaning."""
    digest = hashlib.sha256(f"{_FORMAT} {dt_us} {COUNTERS}".encode())
    for records in engine.plan:
        digest.update(records.tobytes())
    return digest.digest()
