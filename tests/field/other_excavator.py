"""An excavator of another engine: own equations of motion, own laws, integrated with RK4.

Only the data sheet (masses, pins, bores, volumes) is that of the description. The arm moves in its plane and
the carriage stands still. Differences from the twin's model, all chosen here:

- friction of seals: F = (F_c + (F_s - F_c) exp(-(v/v_s)²)) tanh(v/v_0) + d v, without bristles;
- orifices: Q = K x (0.92 + 0.08 |x|) Δp / √(|Δp| + p_t), progressive and smooth at zero, p_t = 0.5 bar;
- load holding: the way to the tank opens with a squared share of p + r p_other over the setting;
- oil: bulk modulus E(p) = E₀ (1 - 0.4 exp(-p / 20 bar)), hoses included;
- pump regulator: displacement follows demand and power limit with a lag of 60 ms;
- governor: a proportional one that idles 2 rad/s higher, torque with a lag of 0.2 s;
- the boom encoder is off by 0.15 degrees.

The arm in absolute angles φ, in complex numbers: the centre of body i is p_i = Σ_j a_ij exp(iφ_j), so that
M_jk = Σ_i m_i Re(a_ij exp(iφ_j) conj(a_ik exp(iφ_k))) + δ_jk J_j, and the centripetal accelerations
-Σ_k a_ik φ̇_k² exp(iφ_k) give the remaining inertial forces (Lagrange's equations of a planar chain).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from simcore.model import channel_table
from simcore.model.elements import Body, Machine
from simcore.model.quantity import Tensor
from simcore.model.workspace import Array
from tests.field import work
from tests.field.draws import Draw
from tests.field.truth import CYCLE_S, RECORD_S, Truth
from twin.fleet import catalogue

STEP_S = 1e-4
ENCODER_OFF = math.radians(0.15)  # of the boom
_LINKS = ("boom", "dipper", "bucket")
_TANK, _RETURN = 1e5, 5e5  # Pa
_RELIEF, _RELIEF_SPAN = 3.43e7, 1.5e6
_SHOCK = 3.6e7
_P, _V, _PUMP, _SPEED, _TORQUE, _DISPLACED, _SPOOL = 6, 3, 12, 13, 14, 15, 16
_STATES = (
    19  # three angles, three rates, six pressures, pump line, engine (speed, torque), pump, three spools
)


def arm_of(machine: Machine) -> tuple[Array, Array, Array]:
    """a_ij (complex, by body and angle), masses and moments of boom, dipper, bucket and load."""
    bodies: dict[str, Body] = {b.name: b for b in machine.bodies}
    along = [float(np.real(_at(bodies["dipper"]))), float(np.real(_at(bodies["bucket"])))]
    a = np.zeros((4, 3), dtype=np.complex128)
    mass, moment = np.zeros(4), np.zeros(4)
    for k, name in enumerate(_LINKS):
        a[k, :k] = along[:k]
        a[k, k] = complex(*bodies[name].centre.xyz[:2])
        mass[k], moment[k] = float(bodies[name].mass), _moment(bodies[name])
    a[3, :2], a[3, 2], mass[3] = along, _at(bodies["load"]), 1.0
    # rocker and link ride on the dipper, at the middle of the rocker's arc (assumed)
    extra = float(bodies["rocker"].mass) + float(bodies["link"].mass)
    seat = _at(bodies["rocker"]) + 0.3j
    old, total = a[1, 1], mass[1] + extra
    a[1, 1] = (mass[1] * old + extra * seat) / total
    moment[1] += mass[1] * abs(old - a[1, 1]) ** 2 + extra * abs(seat - a[1, 1]) ** 2
    mass[1] = total
    return a, mass, moment


def _at(body: Body) -> complex:
    return complex(*body.joint.at.xyz[:2])  # type: ignore[union-attr]


def _moment(body: Body) -> float:
    inertia = body.inertia
    return float(inertia.six[2] if isinstance(inertia, Tensor) else inertia.xyz[2])


def lengths_of(machine: Machine) -> tuple[Array, Array]:
    """Angles of each joint, and the lengths of its cylinder: tables of 400 points."""
    bodies = {b.name: b for b in machine.bodies}
    cylinders = {c.name: c for c in machine.cylinders}
    angles = np.linspace([-0.9, -2.9, -2.6], [1.15, -0.5, 0.8], 400).T
    pins = {
        name: (complex(*cylinders[name].base.at.xyz[:2]), complex(*cylinders[name].rod.at.xyz[:2]))
        for name in _LINKS
    }
    turn = np.exp(1j * angles)
    found = np.empty_like(angles)
    found[0] = np.abs(_at(bodies["boom"]) + pins["boom"][1] * turn[0] - pins["boom"][0])
    found[1] = np.abs(_at(bodies["dipper"]) + pins["dipper"][1] * turn[1] - pins["dipper"][0])
    ear = _at(bodies["bucket"]) + complex(*machine.loops[0].a.at.xyz[:2]) * turn[2]  # type: ignore[union-attr]
    hinge, rocker = _at(bodies["rocker"]), abs(_at(bodies["link"]))
    link = abs(complex(*machine.loops[0].b.at.xyz[:2]))  # type: ignore[union-attr]
    way = ear - hinge
    reach = np.abs(way)
    foot = (rocker**2 - link**2 + reach**2) / (2.0 * reach)
    side = np.sqrt(np.maximum(rocker**2 - foot**2, 0.0))
    tip = hinge + (foot + 1j * side) * way / reach
    found[2] = np.abs(tip - pins["bucket"][0])
    return angles, found


@njit(cache=True)
def _flow(gain: float, opening: float, drop: float) -> float:
    return gain * opening * (0.92 + 0.08 * opening) * drop / math.sqrt(abs(drop) + 5e4)


@njit(cache=True)
def _rates(x: Array, u: Array, a: Array, mass: Array, moment: Array, low: Array, step: Array, length: Array,
           slope: Array, oil: Array, pump: Array, load: float, out: Array) -> None:  # fmt: skip
    """Rates of the state.

    oil, by function: areas A and B, closed length, gain, share of the pump, tube, holding. length, slope:
    tables of the cylinders by angle, from `low` in steps of `step`. pump: displacement per rad, power limit,
    lag of the spools.
    """
    speed = x[_SPEED]
    e = np.empty(3, dtype=np.complex128)
    rate = np.empty(3)
    turned, spun = 0.0, 0.0
    for j in range(3):
        turned += x[j]
        spun += x[_V + j]
        e[j], rate[j] = complex(math.cos(turned), math.sin(turned)), spun
    matrix, force = np.zeros((3, 3)), np.zeros(3)
    for i in range(4):
        m = load if i == 3 else mass[i]
        pull = 0j
        for k in range(3):
            pull -= a[i, k] * e[k] * rate[k] ** 2
        for j in range(3):
            arm = 1j * a[i, j] * e[j]
            force[j] -= m * ((arm.conjugate() * pull).real + 9.81 * arm.imag)
            for k in range(3):
                matrix[j, k] += m * (arm * (1j * a[i, k] * e[k]).conjugate()).real
    for j in range(3):
        matrix[j, j] += moment[j]
    drawn, asked = 0.0, 0.0
    for j in range(3):
        place = min(max((x[j] - low[j]) / step[j], 0.0), length.shape[1] - 1.001)
        n = int(place)
        share = place - n
        long = (1 - share) * length[j, n] + share * length[j, n + 1]
        lever = (1 - share) * slope[j, n] + share * slope[j, n + 1]
        area_a, area_b, closed, gain, portion, tube, holds = oil[j]
        v = lever * x[_V + j]
        seal = (900.0 + 500.0 * math.exp(-((v / 0.03) ** 2))) * math.tanh(v / 0.004) + 6500.0 * v
        cylinders = 2.0 if j == 0 else 1.0
        stroke = long - closed
        push = x[_P + 2 * j] * area_a - x[_P + 2 * j + 1] * area_b - cylinders * seal
        if stroke < 0.02:
            push += 4e7 * (0.02 - stroke) - 4e5 * min(v, 0.0)
        elif stroke > tube - 0.02:
            push -= 4e7 * (stroke - tube + 0.02) + 4e5 * max(v, 0.0)
        force[j] += lever * push
        if j > 0:  # a cylinder turns its two bodies against each other
            force[j - 1] -= lever * push
        p_a, p_b, spool = x[_P + 2 * j], x[_P + 2 * j + 1], x[_SPOOL + j]
        q_a, q_b = 0.0, 0.0
        supply = x[_PUMP]
        if spool > 0.0:
            into = _flow(gain, spool, max(supply - p_a, 0.0))
            way = _held(p_b, p_a) if holds == 2.0 else 1.0
            q_a, q_b, drawn = into, -way * _flow(gain, spool, p_b - _RETURN), drawn + into
        else:
            into = _flow(gain, -spool, max(supply - p_b, 0.0))
            way = _held(p_a, p_b) if holds == 1.0 else 1.0
            q_b, q_a, drawn = into, -way * _flow(gain, -spool, p_a - _RETURN), drawn + into
        q_a += _guard(p_a)
        q_b += _guard(p_b)
        out[_P + 2 * j] = _modulus(p_a) / (1.6e-3 + area_a * max(stroke, 0.0)) * (q_a - area_a * v)
        out[_P + 2 * j + 1] = _modulus(p_b) / (1.6e-3 + area_b * max(tube - stroke, 0.0)) * (q_b + area_b * v)
        out[_SPOOL + j] = (u[j] - spool) / pump[2]
        asked += portion * abs(spool)
    acceleration = np.linalg.solve(matrix, force)
    before = 0.0
    for j in range(3):
        out[j] = x[_V + j]
        out[_V + j] = acceleration[j] - before  # relative
        before = acceleration[j]
    p = x[_PUMP]
    most = pump[1] / max(pump[0] * speed * max(p, 1e6), 1.0)
    wanted = min(min(asked, 1.0), most)
    out[_DISPLACED] = (wanted - x[_DISPLACED]) / 0.06
    delivered = pump[0] * speed * x[_DISPLACED] * (1.0 - 0.045 * p / 3.43e7)
    relief = 8e-3 * min(max((p - _RELIEF) / _RELIEF_SPAN, 0.0), 2.0)
    drained = 2e-4 * math.tanh((p - _RETURN) / 2e5)  # the line relaxes to the tank at rest
    out[_PUMP] = _modulus(p) / 2.5e-3 * (delivered - drawn - relief - drained)
    governed = min(max((210.4 - speed) / 14.0, 0.0), 1.0) * 600.0
    out[_TORQUE] = (governed - x[_TORQUE]) / 0.2
    taken = pump[0] * x[_DISPLACED] * max(p - _TANK, 0.0) / 0.93 + 75.0 + 0.3 * (speed - 200.0)
    out[_SPEED] = (x[_TORQUE] - taken) / 3.3


@njit(cache=True)
def _modulus(p: float) -> float:
    return 1.05e9 * (1.0 - 0.4 * math.exp(-max(p, 0.0) / 2e6))


@njit(cache=True)
def _held(p: float, other: float) -> float:
    share = min(max((p + 9.0 * other - 3.7e7) / 5e6, 0.0), 1.0)
    return share * share * (3.0 - 2.0 * share)


@njit(cache=True)
def _guard(p: float) -> float:
    """Shock valve out, suction valve in, m³/s."""
    out = 4e-3 * min(max((p - _SHOCK) / 2e6, 0.0), 2.0)
    return 5e-3 * math.sqrt(max(4e5 - p, 0.0) / 4e5) - out


@njit(cache=True)
def _advance(x: Array, u: Array, a: Array, mass: Array, moment: Array, low: Array, step: Array, length: Array,
             slope: Array, oil: Array, pump: Array, load: float, dt: float, count: int) -> None:  # fmt: skip
    k1, k2, k3, k4 = np.empty_like(x), np.empty_like(x), np.empty_like(x), np.empty_like(x)
    for _ in range(count):
        _rates(x, u, a, mass, moment, low, step, length, slope, oil, pump, load, k1)
        _rates(x + 0.5 * dt * k1, u, a, mass, moment, low, step, length, slope, oil, pump, load, k2)
        _rates(x + 0.5 * dt * k2, u, a, mass, moment, low, step, length, slope, oil, pump, load, k3)
        _rates(x + dt * k3, u, a, mass, moment, low, step, length, slope, oil, pump, load, k4)
        x += dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


class OtherExcavator:
    """State and data sheet."""

    def __init__(self, machine: Machine) -> None:
        a, mass, moment = arm_of(machine)
        angles, length = lengths_of(machine)
        step = angles[:, 1] - angles[:, 0]
        slope = np.gradient(length, axis=1) / step[:, None]
        valves = {v.name: v for v in machine.valves}
        shares = {d.valve: float(d.share) for e in machine.elements for d in getattr(e, "demands", ())}
        main = next(e for e in machine.elements if e.name == "pump")
        oil = np.empty((3, 7))
        for j, name in enumerate(_LINKS):
            c, v = next(c for c in machine.cylinders if c.name == name), valves[f"{name} valve"]
            twins = 2.0 if name == "boom" else 1.0
            bore, rod = math.pi / 4 * float(c.bore) ** 2, math.pi / 4 * float(c.rod_diameter) ** 2
            holds = {"boom": 1.0, "dipper": 2.0, "bucket": 0.0}[name]
            gain = float(v.coefficient) * float(v.command_limit)
            tube = float(c.tube_length)
            oil[j] = twins * bore, twins * (bore - rod), float(c.reference_length), gain, 0.0, tube, holds
            oil[j, 4] = shares[v.name]
        lag = float(valves["boom valve"].time_constant)
        pump = np.array([float(main.displacement), float(main.power_limit), lag])  # type: ignore[union-attr,arg-type]
        self._fixed: tuple[Any, ...] = (a, mass, moment, angles[:, 0].copy(), step, length, slope, oil, pump)
        self._angles, self._length = angles, length
        self.load, self._u = 1.0, np.zeros(3)
        self.state = np.zeros(_STATES)
        self.state[:3] = 0.55, -1.2, -0.9
        volumes = {v.name: float(v.start) for v in machine.volumes}
        for j, name in enumerate(_LINKS):
            self.state[_P + 2 * j : _P + 2 * j + 2] = volumes[f"{name} piston"], volumes[f"{name} rod"]
        self.state[[_PUMP, _SPEED, _TORQUE]] = 5e5, 208.5, 80.0

    def advance(self, commands: dict[str, float], seconds: float) -> None:
        """RK4 steps with constant commands."""
        self._u[:] = [commands[f"{name}.command"] / 10.0 for name in _LINKS]
        _advance(self.state, self._u, *self._fixed, self.load, STEP_S, round(seconds / STEP_S))

    def channels(self) -> dict[str, float]:
        """By the platform's names; what this model does not have is missing."""
        x = self.state
        found = {
            "swing.angle": 0.0,
            "swing.rate": 0.0,
            "bucket.digging": 0.0,
            "engine.speed": float(x[_SPEED]),
        }
        found |= {"pump.p": float(x[_PUMP]), "payload.mass": self.load}
        for j, name in enumerate(_LINKS):
            found[f"{name}.angle"] = float(x[j])
            found[f"{name}.p_A"], found[f"{name}.p_B"] = float(x[_P + 2 * j]), float(x[_P + 2 * j + 1])
            found[f"{name}.length"] = float(np.interp(x[j], self._angles[j], self._length[j]))
        return found


def work_through(draw: Draw) -> Truth:
    """Free play of this machine; the swing lever is left alone."""
    machine = catalogue.build(draw.machine, dict(draw.described))
    names = tuple(channel.name for channel in channel_table(machine))
    inputs = tuple(channel.name for channel in channel_table(machine) if channel.role == "input")
    other, operator = OtherExcavator(machine), work.operator(draw)
    cycles, per_cycle = round(draw.seconds / CYCLE_S), round(CYCLE_S / RECORD_S)
    values, given = np.full((cycles * per_cycle + 1, len(names)), np.nan), np.zeros((cycles, len(inputs)))
    at = {name: k for k, name in enumerate(names)}
    ended, done = "", 0

    def note(row: int) -> dict[str, float]:
        shown = other.channels()
        for name, value in shown.items():
            values[row, at[name]] = value
        return shown

    shown = note(0)
    for cycle in range(cycles):
        decided = operator.decide(cycle * CYCLE_S, shown) | {"swing.command": 0.0}
        given[cycle] = [decided[name] for name in inputs]
        other.load = operator.load if operator.load is not None else other.load
        for _ in range(per_cycle):
            other.advance(decided, RECORD_S)
            done += 1
            shown = note(done)
        if not np.all(np.isfinite(other.state)):
            ended = "the state is not finite"
            break
    return Truth(names, values[: done + 1], given[: done // per_cycle + 1], inputs, done * RECORD_S, ended)
