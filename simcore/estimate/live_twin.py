"""The twin of one machine: advances with it, is corrected by it, and can be put away and taken up again."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping

import numpy as np

from simcore.engine import Engine, finite
from simcore.errors import BadChannel, Diverged, ForeignDump, SimcoreError
from simcore.estimate.error_state_ekf import advance_twin, channel_sigmas, fuse, is_old
from simcore.estimate.slopes import MPA, channel_slopes, place_of, slopes_at, unit_of
from simcore.formulation.partition import settle
from simcore.integrate.advance import COUNTERS, astray
from simcore.model.compiler import start_state
from simcore.model.elements import Machine
from simcore.model.plan import ANGLE, DIRECT, PRESSURE, RATE
from simcore.multibody.rotations import keep_attitudes
from simcore.work import Array

_MAGIC = b"HTWN"
_FORMAT = 2
_HEADER = struct.Struct("<4sI32s")  # magic, format, model
_START_SPREAD = 2.0  # the first reading counts with twice its sensor's noise
_APPROACH = 0.1  # rad; far positions are approached in parts so that loops keep their assembly
_MOST_PARTS = 1000


class LiveTwin:
    """Model, error-state filter and last inputs of one machine."""

    def __init__(self, machine: Machine, dt_us: int = 1000) -> None:
        if not isinstance(dt_us, int) or dt_us <= 0:
            raise SimcoreError(f"dt_us = {dt_us}: must be a whole number of microseconds above zero")
        self.engine = Engine(machine, dt_us * 1e-6)
        self.engine.refuse_redundant("the filter")
        head = self.engine.plan.head[0]
        states, channels = int(head["states"]), len(self.engine.channels)
        self.covariance = np.zeros((states, states))
        self._slope = np.zeros((states, states))
        sides = 2 * int(head["valves"])
        self._scratch = np.zeros((3 * states + sides, max(3 * states, states + sides, channels)))
        self._tie = np.zeros((states, sides))  # covariance of the states with unknown openings
        self._ages = np.zeros(sides // 2)  # steps since each input was given
        self._channel_slope = np.zeros((channels, states))
        self._places = [place_of(self.engine.plan, i) for i in range(states)]
        self._units = np.array([unit_of(self.engine.plan, i) for i in range(states)])
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
        engine, error = self.engine, self.engine.machine.model_error
        readings = self._split(sample)
        engine.counters[:] = 0.0
        self._ages[:] = np.inf
        self._tie[:] = 0.0
        self._nis[0] = np.nan
        engine.state[:] = start_state(engine.machine, engine.plan)
        self.command(sample)
        free, states = int(engine.plan.head[0]["free"]), self.covariance.shape[0]
        nominal = [float(error.start_position)] * free + [float(error.start_rate)] * free
        nominal += [float(error.start_pressure) / MPA] * (states - 2 * free)
        sigma = np.array(nominal)
        self._start_pressures(readings, sigma)
        self._start_motion(readings, sigma)
        self.covariance[:] = np.diag(sigma**2)
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
        old = [v for v in valves if is_old(self.engine.plan, self._ages[v], self.engine.dt)]
        self._ages[valves] = 0.0
        if old:
            self._take_up_spools(old)

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
        done = advance_twin(
            engine.plan,
            engine.state,
            self.covariance,
            self._slope,
            self._tie,
            self._ages,
            self._scratch,
            engine.work,
            n_steps,
            engine.dt,
            engine.counters,
        )
        if done < n_steps:
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
        self.command(sample)
        if np.all(np.isnan(readings)):
            return
        engine, dx = self.engine, np.zeros(len(self.covariance))
        kept = engine.state.copy(), self.covariance.copy(), self._tie.copy()
        self._linearise_channels()
        nis = fuse(
            engine.plan,
            self.covariance,
            self._tie,
            readings,
            engine.read(),
            self._channel_slope,
            dx,
            self._scratch,
        )
        if not self._move(dx):
            engine.state[:], self.covariance[:], self._tie[:] = kept
            raise Diverged(engine.time, "a correction led to a position that cannot be")
        keep_attitudes(engine.plan, engine.state)
        self._refresh()
        self._nis[0] = nis

    def _move(self, dx: Array) -> bool:
        """Add a correction to the state; a long one in parts, so that loops keep their assembly."""
        engine = self.engine
        free = int(engine.plan.head[0]["free"])
        parts = 1 + min(int(np.max(np.abs(dx[:free]), initial=0.0) / _APPROACH), _MOST_PARTS)
        for _ in range(parts):
            engine.state[self._places] += dx / parts * self._units
            if not settle(engine.plan, engine.state, engine.work) or astray(engine.plan, engine.work):
                return False
        return True

    def values(self) -> Array:
        """Every channel in SI units, in the order of the channel table."""
        return self.engine.read()

    def sigmas(self) -> Array:
        """Standard deviation of every channel; NaN for inputs and for what is never corrected."""
        out = np.empty(len(self.engine.channels))
        self._linearise_channels()
        channel_sigmas(self.engine.plan, self.covariance, self._channel_slope, out)
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

    def _linearise_channels(self) -> None:
        """∂channel/∂x at the present state."""
        engine, low, high = self.engine, self._scratch[0], self._scratch[1]
        if not channel_slopes(engine.plan, engine.state, engine.work, self._channel_slope, low, high):
            raise Diverged(engine.time, "a loop cannot be closed at this position")

    def _refresh(self) -> None:
        """Slopes at a state that was set from outside."""
        engine = self.engine
        slopes_at(engine.plan, engine.state, engine.work, self._slope)

    def _parts(self) -> tuple[Array, ...]:
        """Everything that later steps depend on."""
        known = self.engine.state, self.covariance, self._slope, self._tie, self._ages
        return *known, self.engine.counters, self._nis

    def dump(self) -> bytes:
        """The complete twin as bytes, for `load` into a twin of the same machine and step."""
        header = _HEADER.pack(_MAGIC, _FORMAT, self._model)
        return header + b"".join(part.astype("<f8").tobytes() for part in self._parts())

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
        if numbers.size != sum(part.size for part in self._parts()):
            raise ForeignDump(f"dump has {len(dump)} bytes, which is not what this twin writes")
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
