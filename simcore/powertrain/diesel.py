"""Simulates a diesel engine: governor, full-load curve, torque that follows with a lag, and fuel.

dT/dt = (T_d - T)/τ with T_d = s T_full(ω) - (1 - s) T_drag and the governor's share s = 3x² - 2x³,
x = (ω₀ - ω)/droop between 0 and 1. The lag is modelled as in Baharudin 2016, Publication IV
(docs/methods/diesel.md).
"""

from __future__ import annotations

from simcore.kernels.jit import inner, kernel, outlined
from simcore.model.plan import GRID, Records
from simcore.model.workspace import Array


@inner
def _full_load(diesel: Records, speed: float) -> tuple[float, float]:
    """Largest torque, N m, and its slope: linear between the points, constant beyond them."""
    last = diesel.points - 1
    if speed <= diesel.at[0]:
        return diesel.full[0], 0.0
    for i in range(last):
        if speed < diesel.at[i + 1]:
            slope = (diesel.full[i + 1] - diesel.full[i]) / (diesel.at[i + 1] - diesel.at[i])
            return diesel.full[i] + slope * (speed - diesel.at[i]), slope
    return diesel.full[last], 0.0


@kernel
def demand(diesel: Records, faster: float, speed: float) -> tuple[float, float, float]:
    """Torque that the governor requests, N m, and its derivatives for speed and for its setting.

    faster: setting of the governor beyond the described one, rad/s.
    """
    x = (diesel.speed + faster - speed) / diesel.droop
    share, share_x = 0.0, 0.0
    if x >= 1.0:
        share = 1.0
    elif x > 0.0:
        share, share_x = x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x)
    full, slope = _full_load(diesel, speed)
    torque = share * (full + diesel.drag) - diesel.drag
    stiff = share_x / diesel.droop * (full + diesel.drag)
    return torque, share * slope - stiff, stiff


@outlined
def run_diesels(diesels: Records, faster: float, v: Array, torques: Array, running: Records) -> None:
    """Torque of every engine and its rate. Takes few arguments because passing the whole plan is slower."""
    for k in range(len(diesels)):
        diesel, here = diesels[k], running[k]
        wanted, slope, _ = demand(diesel, faster, v[diesel.coord])
        here.torque = torques[k]
        here.rate = (wanted - here.torque) / diesel.tau
        here.rate_v = slope / diesel.tau


@inner
def _cell(grid: Array, x: float) -> tuple[int, float]:
    """Cell of a rising grid that contains x, and the position of x in it, 0 to 1; clamped at the ends."""
    if x <= grid[0]:
        return 0, 0.0
    for i in range(GRID - 1):
        if x < grid[i + 1]:
            return i, (x - grid[i]) / (grid[i + 1] - grid[i])
    return GRID - 2, 1.0


@kernel
def fuel_rate(diesel: Records, speed: float, torque: float) -> tuple[float, float, float]:
    """Fuel, kg/s, from the map (bilinear in a cell), and its derivatives with respect to speed and torque."""
    i, a = _cell(diesel.map_speed, speed)
    j, b = _cell(diesel.map_torque, torque)
    r = diesel.map_rate
    low, high = r[i, j] + b * (r[i, j + 1] - r[i, j]), r[i + 1, j] + b * (r[i + 1, j + 1] - r[i + 1, j])
    left, right = r[i, j] + a * (r[i + 1, j] - r[i, j]), r[i, j + 1] + a * (r[i + 1, j + 1] - r[i, j + 1])
    per_speed, per_torque = 0.0, 0.0
    if diesel.map_speed[0] < speed < diesel.map_speed[GRID - 1]:
        per_speed = (high - low) / (diesel.map_speed[i + 1] - diesel.map_speed[i])
    if diesel.map_torque[0] < torque < diesel.map_torque[GRID - 1]:
        per_torque = (right - left) / (diesel.map_torque[j + 1] - diesel.map_torque[j])
    return low + a * (high - low), per_speed, per_torque
