"""The four-bar rig derived a second time, without the engine: one degree of freedom, closed-form geometry,
Lagrange's equation for the crank angle, and scipy's stiff integrators. Numbers are written out again here.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp

L1, L2, L3, GROUND = 2.0, 8.0, 5.0, 10.0  # m
M1, M2, M3 = 16.0, 64.0, 40.0  # kg
G = 9.81
AREA_A = math.pi * 0.08**2 / 4
AREA_B = math.pi * (0.08**2 - 0.035**2) / 4
PUMP, TANK = 7.6e6, 1e5
C_VALVE, TAU = 2.138e-8, 5.5e-3
C_THROTTLE = 0.8 * 2.83e-5 * math.sqrt(2 / 850)
OIL, HOSE, WALL = 1.5e9, 5.5e8, 3.15e10


def angles(theta: float) -> tuple[float, float]:
    """Absolute angles of coupler and rocker, from the triangle crank tip - knee - far bearing."""
    bx, by = L1 * math.cos(theta), L1 * math.sin(theta)
    dx, dy = GROUND - bx, -by
    reach = math.hypot(dx, dy)
    coupler = math.atan2(dy, dx) + math.acos((L2**2 + reach**2 - L3**2) / (2 * L2 * reach))
    rocker = math.atan2(-by - L2 * math.sin(coupler), GROUND - bx - L2 * math.cos(coupler))
    return coupler, rocker


def ratios(theta: float) -> tuple[float, float]:
    """Angular velocities of coupler and rocker per unit crank rate, from the closed velocity polygon."""
    c, r = angles(theta)
    matrix = [[-L2 * math.sin(c), -L3 * math.sin(r)], [L2 * math.cos(c), L3 * math.cos(r)]]
    first, second = np.linalg.solve(matrix, [L1 * math.sin(theta), -L1 * math.cos(theta)])
    return float(first), float(second)


def inertia(theta: float) -> float:
    """Moment of inertia as the crank feels it, kg m²."""
    c, _ = angles(theta)
    kc, kr = ratios(theta)
    vx = -L1 * math.sin(theta) - L2 / 2 * math.sin(c) * kc
    vy = L1 * math.cos(theta) + L2 / 2 * math.cos(c) * kc
    return M1 * L1**2 / 3 + M2 * (vx**2 + vy**2) + M2 * L2**2 / 12 * kc**2 + M3 * L3**2 / 3 * kr**2


def potential(theta: float) -> float:
    c, r = angles(theta)
    height1 = L1 / 2 * math.sin(theta)
    height2 = L1 * math.sin(theta) + L2 / 2 * math.sin(c)
    height3 = -L3 / 2 * math.sin(r)
    return G * (M1 * height1 + M2 * height2 + M3 * height3)


def slope(function, x: float, h: float = 1e-4) -> float:
    """Fourth-order central difference."""
    return (8 * (function(x + h) - function(x - h)) - (function(x + 2 * h) - function(x - 2 * h))) / (12 * h)


def friction(v: float) -> float:
    r = abs(v) / 0.0125
    size = 210 * math.tanh(4 * r) + 620 * r / (r * r / 4 + 0.75) ** 2
    return math.copysign(size, v) + 330 * v * math.tanh(4)


def orifice(drop: float, c: float) -> float:
    if abs(drop) < 2e5:
        return c * drop / math.sqrt(2e5)
    return math.copysign(c * math.sqrt(abs(drop)), drop)


def crank_acceleration(theta: float, rate: float, force: float) -> float:
    """Lagrange: J θ'' + J' θ'²/2 + V' = F ds/dθ with s = 2 cos(θ/2)."""
    lever = -math.sin(theta / 2)
    torque = force * lever - 0.5 * slope(inertia, theta) * rate**2 - slope(potential, theta)
    return torque / inertia(theta)


def rates(_t: float, x: np.ndarray, command: float) -> list[float]:
    theta, rate, p1, p2, p3, u = x
    s, ds = 2 * math.cos(theta / 2), -math.sin(theta / 2) * rate
    la = 0.45 + s - math.sqrt(3)
    stiff1 = 4.71e-5 * (1 / OIL + 1 / HOSE)
    stiff2 = 3.14e-5 * (1 / OIL + 1 / HOSE) + AREA_A * la * (1 / OIL + 1 / WALL)
    stiff3 = 7.85e-5 * (1 / OIL + 1 / HOSE) + AREA_B * (0.9 - la) * (1 / OIL + 1 / WALL)
    if u >= 0:
        into, out = orifice(PUMP - p1, C_VALVE * u), orifice(p3 - TANK, C_VALVE * u)
    else:
        into, out = -orifice(p1 - TANK, -C_VALVE * u), -orifice(PUMP - p3, -C_VALVE * u)
    through = orifice(p1 - p2, C_THROTTLE)
    force = p2 * AREA_A - p3 * AREA_B - friction(ds)
    return [
        rate,
        crank_acceleration(theta, rate, force),
        (into - through) / stiff1,
        (through - AREA_A * ds) / stiff2,
        (AREA_B * ds - out) / stiff3,
        (command - u) / TAU,
    ]


def trajectory(until: float, drive: list[tuple[float, float]], method: str = "Radau") -> np.ndarray:
    """State at the end: crank angle and rate, hose, piston and rod pressure, spool."""
    x = np.array([math.pi / 3, 0.0, 0.0, 0.0, 3.5e6, 0.0])
    x[2] = x[3] = (681.23 + 3.5e6 * AREA_B) / AREA_A
    ends = [t for t, _ in drive[1:]] + [until]
    for (begin, command), end in zip(drive, ends, strict=True):
        scale = [1e-9, 1e-9, 1e-2, 1e-2, 1e-2, 1e-9]
        run = solve_ivp(rates, (begin, end), x, method=method, args=(command,), rtol=1e-8, atol=scale)
        assert run.success
        x = run.y[:, -1]
    return x
