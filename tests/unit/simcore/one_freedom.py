"""Mechanisms of one freedom without the engine: closed-form geometry, Lagrange, scipy's stiff integrators.

Numbers of the cases are written out again where they are used.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.integrate import solve_ivp
from scipy.interpolate import make_interp_spline

Array = npt.NDArray[np.float64]
Pose = tuple[float, float, Array, Array, Array]  # mass, moment of inertia, centre x and y, absolute angle
G = 9.81


class OneFreedom:
    """J(q) q'' + J'(q) q'²/2 + V'(q) = F s'(q), with J, V and s as quintic splines over a fine grid."""

    def __init__(
        self,
        poses: Callable[[Array], list[Pose]],
        length: Callable[[Array], Array],
        low: float,
        high: float,
    ) -> None:
        q = np.linspace(low, high, 2001)
        inertia, potential = np.zeros(q.size), np.zeros(q.size)
        for mass, moment, x, y, angle in poses(q):
            dx, dy, turn = (make_interp_spline(q, part, k=7).derivative()(q) for part in (x, y, angle))
            inertia += mass * (dx**2 + dy**2) + moment * turn**2
            potential += mass * G * y
        self.inertia, self.potential, self.length = (
            make_interp_spline(q, part, k=5) for part in (inertia, potential, length(q))
        )
        self.d_inertia, self.d_potential, self.lever = (
            spline.derivative() for spline in (self.inertia, self.potential, self.length)
        )

    def static_force(self, q: float) -> float:
        """Virtual work: F = V'/s'."""
        return float(self.d_potential(q) / self.lever(q))

    def acceleration(self, q: float, rate: float, force: float) -> float:
        torque = force * self.lever(q) - 0.5 * self.d_inertia(q) * rate**2 - self.d_potential(q)
        return float(torque / self.inertia(q))


def orifice(drop: float, c: float, laminar: float = 2e5) -> float:
    """C sgn(Δp) √|Δp|, straight below the laminar limit."""
    if abs(drop) < laminar:
        return c * drop / math.sqrt(laminar)
    return math.copysign(c * math.sqrt(abs(drop)), drop)


@dataclass(frozen=True)
class JaiswalCircuit:
    """The printed circuit of Jaiswal 2021, I on a mechanism of one freedom, without friction."""

    mechanism: OneFreedom
    area_a: float = math.pi * 0.08**2 / 4
    area_b: float = math.pi * (0.08**2 - 0.035**2) / 4
    tau: float = 1 / (70 * math.pi)

    def start(self, q: float) -> Array:
        p_a = (self.mechanism.static_force(q) + 3.5e6 * self.area_b) / self.area_a
        return np.array([q, 0.0, p_a, p_a, 3.5e6, 0.0])

    def rates(self, _t: float, x: Array, command: float) -> list[float]:
        q, rate, p1, p2, p3, u = x
        oil, hose, wall, edge = 1.5e9, 5.5e8, 3.15e10, 2.138e-8
        ds = float(self.mechanism.lever(q)) * rate
        chamber = float(self.mechanism.length(q)) - 1.1
        soft1 = 4.71e-5 * (1 / oil + 1 / hose)
        soft2 = 3.14e-5 * (1 / oil + 1 / hose) + self.area_a * chamber * (1 / oil + 1 / wall)
        soft3 = 7.85e-5 * (1 / oil + 1 / hose) + self.area_b * (1.1 - chamber) * (1 / oil + 1 / wall)
        if u >= 0:
            into, out = orifice(7.6e6 - p1, edge * u), orifice(p3 - 1e5, edge * u)
        else:
            into, out = -orifice(p1 - 1e5, -edge * u), -orifice(7.6e6 - p3, -edge * u)
        through = orifice(p1 - p2, 0.8 * 2.83e-5 * math.sqrt(2 / 850))
        return [
            rate,
            self.mechanism.acceleration(q, rate, p2 * self.area_a - p3 * self.area_b),
            (into - through) / soft1,
            (through - self.area_a * ds) / soft2,
            (self.area_b * ds - out) / soft3,
            (command - u) / self.tau,
        ]

    def trajectory(self, q: float, drive: list[tuple[float, float]], until: float) -> Array:
        """Coordinate and rate, hose, piston and rod pressure, spool at the end; drive: (from, volts)."""
        x, scale = self.start(q), [1e-10, 1e-9, 1e-2, 1e-2, 1e-2, 1e-9]
        ends = [t for t, _ in drive[1:]] + [until]
        for (begin, command), end in zip(drive, ends, strict=True):
            run = solve_ivp(
                self.rates, (begin, end), x, method="Radau", args=(command,), rtol=1e-9, atol=scale
            )
            assert run.success
            x = run.y[:, -1]
        return np.asarray(x)
