"""Coordinate partitioning: computes everything as a function of the independent coordinates.

Loops are closed exactly; dependent velocities and accelerations follow from the loop Jacobian
(Jaiswal 2021, section 2.1.4; docs/methods/constraints.md).
"""

from __future__ import annotations

from math import inf

from simcore.algebra.linear import eliminate
from simcore.formulation.evaluate import move
from simcore.hydraulics.circuit import load_shafts
from simcore.hydraulics.cylinders import place_cylinders, scalar_rate
from simcore.kernels.jit import inner, kernel
from simcore.model.plan import Plan
from simcore.model.workspace import (
    JOINT_FORCE,
    LOOP_SYSTEM,
    MASS,
    NO_ACCELERATION,
    PIVOT_OF,
    REDUCED_SYSTEM,
    REDUCTION,
    Array,
    Workspace,
)
from simcore.multibody.dynamics import inverse_dynamics, mass_matrix
from simcore.multibody.kinematics import place_bodies
from simcore.multibody.links import place_links
from simcore.multibody.loops import place_rows
from simcore.soil.digging import place_loads

DEGRADED = 10.0  # a dependent coordinate that moves this many times faster than a free one: choose others
_CLOSED = 1e-12  # m
_SETTLED = 1e-10  # m, accepted where rounding ends the iteration
_ROUNDS = 15
_DEPENDENT = 1e-7  # pivots below this share of the largest: no partition here


@inner
def close_loops(plan: Plan, z: Array, ws: Workspace) -> bool:
    """Newton's method on the dependent positions until the gaps vanish; leaves the bodies placed.

    Leaves [J_d⁻¹ (-J_free)] in ws.LOOP_SYSTEM: every iteration solves for it together with the correction.
    """
    gap = 0.0
    rows, free = plan.head[0].rows, plan.head[0].free
    system = ws.matrix[LOOP_SYSTEM]
    for _ in range(_ROUNDS):
        place_bodies(plan.bodies, ws.condition.bodies, z, ws.bodies)
        place_rows(plan, ws)
        gap = 0.0
        for k in range(rows):
            gap = max(gap, abs(ws.rows[k].gap))
            system[k, rows + free] = ws.rows[k].gap
        if not gap < 1e6:
            return False
        _solve_dependent(plan, ws)
        if gap < _CLOSED:
            return True
        for j in range(1, len(plan.bodies)):
            d = ws.bodies[j].dependent
            if d >= 0:
                z[j - 1] -= system[d, rows + free]
    return gap < _SETTLED


@inner
def _solve_dependent(plan: Plan, ws: Workspace) -> None:
    """Solve J_d X = [-J_free | last column]; the caller has filled the last column."""
    rows, free = plan.head[0].rows, plan.head[0].free
    system = ws.matrix[LOOP_SYSTEM]
    for j in range(1, len(plan.bodies)):
        d, f = ws.bodies[j].dependent, ws.bodies[j].free
        for k in range(rows):
            if d >= 0:
                system[k, d] = ws.jac[k, j - 1]
            else:
                system[k, rows + f] = -ws.jac[k, j - 1]
    eliminate(system, rows, free + 1)


@inner
def restore_partition(plan: Plan, ws: Workspace) -> None:
    """Return to the described independent coordinates after `choose_partition`, at the same position."""
    for j in range(1, len(plan.bodies)):
        ws.bodies[j].free, ws.bodies[j].dependent = plan.bodies[j].free, plan.bodies[j].dependent
    _solve_dependent(plan, ws)


@inner
def choose_partition(plan: Plan, ws: Workspace) -> float:
    """Choose the dependent coordinates again: the pivots of Gaussian elimination with full pivoting on Φ_z.

    Returns the smallest pivot over the largest. It falls to zero towards a singular position, where nothing
    is changed.
    """
    rows, n = plan.head[0].rows, plan.head[0].coords
    system = ws.matrix[LOOP_SYSTEM]
    taken = ws.vector[PIVOT_OF]
    taken[:] = -1.0
    for k in range(rows):
        for j in range(n):
            system[k, j] = ws.jac[k, j]
    largest, least = 0.0, inf
    for step in range(rows):
        best, at_row, at = 0.0, 0, 0
        for k in range(step, rows):
            for j in range(n):
                if taken[j] < 0.0 and abs(system[k, j]) > best:
                    best, at_row, at = abs(system[k, j]), k, j
        largest, least = max(largest, best), min(least, best)
        if not best > _DEPENDENT * largest:
            return 0.0
        taken[at] = float(step)
        for j in range(n):
            system[step, j], system[at_row, j] = system[at_row, j], system[step, j]
        for k in range(step + 1, rows):
            ratio = system[k, at] / system[step, at]
            for j in range(n):
                system[k, j] -= ratio * system[step, j]
    free, dependent = 0, 0
    for j in range(n):
        here = ws.bodies[j + 1]
        here.free, here.dependent = -1, -1
        if taken[j] < 0.0:
            here.free = free
            free += 1
        else:
            here.dependent = dependent
            dependent += 1
    return least / largest


@inner
def largest_gain(plan: Plan, ws: Workspace) -> float:
    """Largest |∂z/∂z_free|; a large value means that the dependent coordinates should be chosen again."""
    gain = 0.0
    for j in range(plan.head[0].coords):
        for f in range(plan.head[0].free):
            gain = max(gain, abs(ws.matrix[REDUCTION, j, f]))
    return gain


@inner
def _take_gradient(plan: Plan, ws: Workspace) -> None:
    """Set ws.REDUCTION[:, :free] = ∂z/∂z_free from the solved loop system."""
    rows, free = plan.head[0].rows, plan.head[0].free
    reduce, system = ws.matrix[REDUCTION], ws.matrix[LOOP_SYSTEM]
    for j in range(1, len(plan.bodies)):
        d = ws.bodies[j].dependent
        for f in range(free):
            if d >= 0:
                reduce[j - 1, f] = system[d, rows + f]
            else:
                reduce[j - 1, f] = 1.0 if ws.bodies[j].free == f else 0.0


@inner
def _spread_velocity(plan: Plan, v: Array, ws: Workspace) -> None:
    """Compute the dependent velocities from the independent ones."""
    reduce = ws.matrix[REDUCTION]
    for j in range(1, len(plan.bodies)):
        if ws.bodies[j].dependent >= 0:
            v[j - 1] = 0.0
            for i in range(1, len(plan.bodies)):
                if ws.bodies[i].free >= 0:
                    v[j - 1] += reduce[j - 1, ws.bodies[i].free] * v[i - 1]


@inner
def bend(plan: Plan, ws: Workspace) -> None:
    """Set ws.REDUCTION[:, free] to the accelerations that keep loops closed at zero free acceleration."""
    rows, free = plan.head[0].rows, plan.head[0].free
    system = ws.matrix[LOOP_SYSTEM]
    for k in range(rows):
        system[k, rows + free] = -ws.rows[k].curve
    _solve_dependent(plan, ws)
    for j in range(1, len(plan.bodies)):
        d = ws.bodies[j].dependent
        ws.matrix[REDUCTION, j - 1, free] = system[d, rows + free] if d >= 0 else 0.0


@inner
def joint_forces(plan: Plan, ws: Workspace) -> None:
    """Set ws.JOINT_FORCE = Q - h: torques of cylinders minus velocity terms and weight."""
    head = plan.head[0]
    force, still = ws.vector[JOINT_FORCE], ws.vector[NO_ACCELERATION]
    still[:] = 0.0
    inverse_dynamics(plan, still, ws, force)
    for j in range(head.coords):
        force[j] = -force[j]
        for k in range(head.cylinders):
            force[j] += ws.cylinders[k].push * ws.jac[head.rows + k, j]
    load_shafts(plan, ws, force, -1.0)


@inner
def _accelerate_tree(plan: Plan, a: Array, ws: Workspace) -> None:
    """Compute accelerations without loops, where every coordinate is free."""
    n, cylinders = plan.head[0].coords, plan.head[0].cylinders
    mass, system = ws.matrix[MASS], ws.matrix[REDUCED_SYSTEM]
    for i in range(n):
        f = ws.bodies[i + 1].free
        for j in range(n):
            system[f, ws.bodies[j + 1].free] = mass[i, j]
        system[f, n] = ws.vector[JOINT_FORCE, i]
        for k in range(cylinders):
            system[f, n + 1 + k] = ws.jac[k, i]
    eliminate(system, n, 1 + cylinders)
    for j in range(n):
        a[j] = system[ws.bodies[j + 1].free, n]


@inner
def _accelerate(plan: Plan, a: Array, ws: Workspace) -> None:
    """Solve RᵀMR a_free = Rᵀ(Q - h - M c) and set a = R a_free + c.

    After the solution, ws.REDUCED_SYSTEM contains ∂a_free/∂force of every cylinder, which the filter needs.
    """
    n, rows, free = plan.head[0].coords, plan.head[0].rows, plan.head[0].free
    cylinders = plan.head[0].cylinders
    if rows == 0:
        _accelerate_tree(plan, a, ws)
        return
    mass, reduce, system = ws.matrix[MASS], ws.matrix[REDUCTION], ws.matrix[REDUCED_SYSTEM]
    for f in range(free):
        for g in range(free + 1 + cylinders):
            system[f, g] = 0.0
        for i in range(n):
            pull = ws.vector[JOINT_FORCE, i]
            for j in range(n):
                pull -= mass[i, j] * reduce[j, free]
                for g in range(free):
                    system[f, g] += reduce[i, f] * mass[i, j] * reduce[j, g]
            system[f, free] += reduce[i, f] * pull
            for k in range(cylinders):
                system[f, free + 1 + k] += reduce[i, f] * ws.jac[rows + k, i]
    eliminate(system, free, 1 + cylinders)
    for j in range(n):
        a[j] = reduce[j, free]
        for f in range(free):
            a[j] += reduce[j, f] * system[f, free]


@inner
def _multipliers(plan: Plan, a: Array, lam: Array, ws: Workspace) -> None:
    """Compute the loop forces that balance the dependent rows: J_dᵀ λ = (Q - h - M a)_d."""
    n, rows = plan.head[0].coords, plan.head[0].rows
    mass, system = ws.matrix[MASS], ws.matrix[LOOP_SYSTEM]
    for j in range(n):
        d = ws.bodies[j + 1].dependent
        if d >= 0:
            pull = ws.vector[JOINT_FORCE, j]
            for i in range(n):
                pull -= mass[j, i] * a[i]
            for k in range(rows):
                system[d, k] = ws.jac[k, j]
            system[d, rows] = pull
    eliminate(system, rows, 1)
    for k in range(rows):
        lam[k] = system[k, rows]


@inner
def derive_position(plan: Plan, ws: Workspace) -> None:
    """Compute what else follows from positions; bodies must be placed and the loop system solved."""
    place_links(plan, ws)
    place_cylinders(plan, ws)
    _take_gradient(plan, ws)
    mass_matrix(plan, ws)


@inner
def settle_position(plan: Plan, state: Array, ws: Workspace) -> bool:
    """Close the loops and compute everything that follows from positions; False if a loop stays open."""
    head = plan.head[0]
    if not close_loops(plan, state[head.at_z : head.at_v], ws):
        return False
    if len(plan.soils) > 0:
        fills = state[head.at_p + head.scalars - head.soils :]
        place_loads(plan.soils, ws.bodies, fills, ws.soils)
    derive_position(plan, ws)
    return True


@inner
def settle_motion(plan: Plan, state: Array, ws: Workspace) -> None:
    """Compute dependent velocities and everything that follows from velocities, pressures and spools."""
    head = plan.head[0]
    v = state[head.at_v : head.at_v + head.coords]
    _spread_velocity(plan, v, ws)
    p = state[head.at_p : head.at_p + head.scalars]
    move(plan, v, p, state[head.at_u : head.at_u + head.valves], ws)


@inner
def settle_rates(plan: Plan, state: Array, ws: Workspace) -> None:
    """Compute accelerations, loop forces and rates of pressures and seals after `settle_motion`."""
    head = plan.head[0]
    a = state[head.at_a : head.at_a + head.coords]
    bend(plan, ws)
    joint_forces(plan, ws)
    _accelerate(plan, a, ws)
    _multipliers(plan, a, state[head.at_l : head.at_l + head.rows], ws)
    for k in range(head.scalars):
        state[head.at_dp + k] = scalar_rate(plan, ws, k)


@kernel
def settle(plan: Plan, state: Array, ws: Workspace) -> bool:
    """Make a state consistent from its independent positions and velocities, pressures and spools."""
    if not settle_position(plan, state, ws):
        return False
    settle_motion(plan, state, ws)
    settle_rates(plan, state, ws)
    return True
