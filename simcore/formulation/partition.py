"""Coordinate partitioning: everything as a function of the independent coordinates.

Loops are closed exactly; dependent velocities and accelerations follow from the loop Jacobian
(Jaiswal 2021, section 2.1.4; docs/methods/constraints.md).
"""

from __future__ import annotations

from simcore.algebra.linear import eliminate
from simcore.formulation.evaluate import move
from simcore.hydraulics.circuit import load_shafts
from simcore.hydraulics.cylinders import place_cylinders, scalar_rate
from simcore.kernels.jit import inner, kernel
from simcore.model.plan import Plan
from simcore.model.workspace import DEPENDENT, FORCE, FREE, MASS, REDUCE, RESIDUAL, Array, Work
from simcore.multibody.dynamics import inverse_dynamics, mass_matrix
from simcore.multibody.kinematics import place_bodies
from simcore.multibody.links import place_links
from simcore.multibody.loops import place_rows
from simcore.soil.digging import place_loads

DEGRADED = 10.0  # a dependent coordinate that moves so much faster than a free one asks for a new choice
_CLOSED = 1e-12  # m
_SETTLED = 1e-10  # m, accepted where rounding ends the iteration
_ROUNDS = 15
_DEPENDENT = 1e-7  # pivots below this share of the largest: no partition here


@inner
def close_loops(plan: Plan, z: Array, work: Work) -> bool:
    """Newton on the dependent positions until the gaps vanish; leaves the bodies placed.

    Leaves [J_d⁻¹ (-J_free)] behind: every round solves for it together with the correction.
    """
    gap = 0.0
    rows, free = plan.head[0].rows, plan.head[0].free
    system = work.matrix[DEPENDENT]
    for _ in range(_ROUNDS):
        place_bodies(plan.bodies, z, work.bodies)
        place_rows(plan, work)
        gap = 0.0
        for k in range(rows):
            gap = max(gap, abs(work.rows[k].gap))
            system[k, rows + free] = work.rows[k].gap
        if not gap < 1e6:
            return False
        _solve_dependent(plan, work)
        if gap < _CLOSED:
            return True
        for j in range(1, len(plan.bodies)):
            d = work.bodies[j].dependent
            if d >= 0:
                z[j - 1] -= system[d, rows + free]
    return gap < _SETTLED


@inner
def _solve_dependent(plan: Plan, work: Work) -> None:
    """J_d X = [-J_free | last column], whose content the caller has put there."""
    rows, free = plan.head[0].rows, plan.head[0].free
    system = work.matrix[DEPENDENT]
    for j in range(1, len(plan.bodies)):
        d, f = work.bodies[j].dependent, work.bodies[j].free
        for k in range(rows):
            if d >= 0:
                system[k, d] = work.jac[k, j - 1]
            else:
                system[k, rows + f] = -work.jac[k, j - 1]
    eliminate(system, rows, free + 1)


@inner
def choose_partition(plan: Plan, work: Work) -> bool:
    """Name the dependent coordinates anew: pivots of Gaussian elimination with full pivoting on Φ_z.

    False, and nothing changed, where the loop equations are singular.
    """
    rows, n = plan.head[0].rows, plan.head[0].coords
    system = work.matrix[DEPENDENT]
    taken = work.vector[RESIDUAL]
    taken[:] = -1.0
    for k in range(rows):
        for j in range(n):
            system[k, j] = work.jac[k, j]
    largest = 0.0
    for step in range(rows):
        best, at_row, at = 0.0, 0, 0
        for k in range(step, rows):
            for j in range(n):
                if taken[j] < 0.0 and abs(system[k, j]) > best:
                    best, at_row, at = abs(system[k, j]), k, j
        largest = max(largest, best)
        if not best > _DEPENDENT * largest:
            return False
        taken[at] = float(step)
        for j in range(n):
            system[step, j], system[at_row, j] = system[at_row, j], system[step, j]
        for k in range(step + 1, rows):
            ratio = system[k, at] / system[step, at]
            for j in range(n):
                system[k, j] -= ratio * system[step, j]
    free, dependent = 0, 0
    for j in range(n):
        here = work.bodies[j + 1]
        here.free, here.dependent = -1, -1
        if taken[j] < 0.0:
            here.free = free
            free += 1
        else:
            here.dependent = dependent
            dependent += 1
    return True


@inner
def largest_gain(plan: Plan, work: Work) -> float:
    """Largest |∂z/∂z_free|: how far the pivots of the loop equations have degraded."""
    gain = 0.0
    for j in range(plan.head[0].coords):
        for f in range(plan.head[0].free):
            gain = max(gain, abs(work.matrix[REDUCE, j, f]))
    return gain


@inner
def _take_gradient(plan: Plan, work: Work) -> None:
    """work.REDUCE[:, :free] = ∂z/∂z_free from the solved loop system."""
    rows, free = plan.head[0].rows, plan.head[0].free
    reduce, system = work.matrix[REDUCE], work.matrix[DEPENDENT]
    for j in range(1, len(plan.bodies)):
        d = work.bodies[j].dependent
        for f in range(free):
            if d >= 0:
                reduce[j - 1, f] = system[d, rows + f]
            else:
                reduce[j - 1, f] = 1.0 if work.bodies[j].free == f else 0.0


@inner
def _spread_velocity(plan: Plan, v: Array, work: Work) -> None:
    """Dependent velocities from the independent ones."""
    reduce = work.matrix[REDUCE]
    for j in range(1, len(plan.bodies)):
        if work.bodies[j].dependent >= 0:
            v[j - 1] = 0.0
            for i in range(1, len(plan.bodies)):
                if work.bodies[i].free >= 0:
                    v[j - 1] += reduce[j - 1, work.bodies[i].free] * v[i - 1]


@inner
def bend(plan: Plan, work: Work) -> None:
    """work.REDUCE[:, free] = accelerations that keep the loops closed at zero free acceleration."""
    rows, free = plan.head[0].rows, plan.head[0].free
    system = work.matrix[DEPENDENT]
    for k in range(rows):
        system[k, rows + free] = -work.rows[k].curve
    _solve_dependent(plan, work)
    for j in range(1, len(plan.bodies)):
        d = work.bodies[j].dependent
        work.matrix[REDUCE, j - 1, free] = system[d, rows + free] if d >= 0 else 0.0


@inner
def joint_forces(plan: Plan, work: Work) -> None:
    """work.FORCE = torques of cylinders minus velocity terms and weight: Q - h."""
    head = plan.head[0]
    force, still = work.vector[FORCE], work.vector[RESIDUAL]
    still[:] = 0.0
    inverse_dynamics(plan, still, work, force)
    for j in range(head.coords):
        force[j] = -force[j]
        for k in range(head.cylinders):
            force[j] += work.cylinders[k].push * work.jac[head.rows + k, j]
    load_shafts(plan, work, force, -1.0)


@inner
def _accelerate_tree(plan: Plan, a: Array, work: Work) -> None:
    """The same without loops, where every coordinate is free."""
    n, cylinders = plan.head[0].coords, plan.head[0].cylinders
    mass, system = work.matrix[MASS], work.matrix[FREE]
    for i in range(n):
        f = work.bodies[i + 1].free
        for j in range(n):
            system[f, work.bodies[j + 1].free] = mass[i, j]
        system[f, n] = work.vector[FORCE, i]
        for k in range(cylinders):
            system[f, n + 1 + k] = work.jac[k, i]
    eliminate(system, n, 1 + cylinders)
    for j in range(n):
        a[j] = system[work.bodies[j + 1].free, n]


@inner
def _accelerate(plan: Plan, a: Array, work: Work) -> None:
    """RᵀMR a_free = Rᵀ(Q - h - M c), a = R a_free + c.

    Behind the solution work.FREE keeps ∂a_free/∂push of every cylinder, which the filter needs.
    """
    n, rows, free = plan.head[0].coords, plan.head[0].rows, plan.head[0].free
    cylinders = plan.head[0].cylinders
    if rows == 0:
        _accelerate_tree(plan, a, work)
        return
    mass, reduce, system = work.matrix[MASS], work.matrix[REDUCE], work.matrix[FREE]
    for f in range(free):
        for g in range(free + 1 + cylinders):
            system[f, g] = 0.0
        for i in range(n):
            pull = work.vector[FORCE, i]
            for j in range(n):
                pull -= mass[i, j] * reduce[j, free]
                for g in range(free):
                    system[f, g] += reduce[i, f] * mass[i, j] * reduce[j, g]
            system[f, free] += reduce[i, f] * pull
            for k in range(cylinders):
                system[f, free + 1 + k] += reduce[i, f] * work.jac[rows + k, i]
    eliminate(system, free, 1 + cylinders)
    for j in range(n):
        a[j] = reduce[j, free]
        for f in range(free):
            a[j] += reduce[j, f] * system[f, free]


@inner
def _multipliers(plan: Plan, a: Array, lam: Array, work: Work) -> None:
    """Loop forces that balance the dependent rows: J_dᵀ λ = (Q - h - M a)_d."""
    n, rows = plan.head[0].coords, plan.head[0].rows
    mass, system = work.matrix[MASS], work.matrix[DEPENDENT]
    for j in range(n):
        d = work.bodies[j + 1].dependent
        if d >= 0:
            pull = work.vector[FORCE, j]
            for i in range(n):
                pull -= mass[j, i] * a[i]
            for k in range(rows):
                system[d, k] = work.jac[k, j]
            system[d, rows] = pull
    eliminate(system, rows, 1)
    for k in range(rows):
        lam[k] = system[k, rows]


@inner
def derive_position(plan: Plan, work: Work) -> None:
    """All else that follows from positions, once the bodies are placed and the loop system is solved."""
    place_links(plan, work)
    place_cylinders(plan, work)
    _take_gradient(plan, work)
    mass_matrix(plan, work)


@inner
def settle_position(plan: Plan, state: Array, work: Work) -> bool:
    """Close the loops; all that follows from positions. False when a loop cannot be closed."""
    head = plan.head[0]
    if not close_loops(plan, state[head.at_z : head.at_v], work):
        return False
    if len(plan.soils) > 0:
        fills = state[head.at_p + head.scalars - head.soils :]
        place_loads(plan.soils, work.bodies, fills, work.soils)
    derive_position(plan, work)
    return True


@inner
def settle_motion(plan: Plan, state: Array, work: Work) -> None:
    """Dependent velocities and all that follows from them, from pressures and from spools."""
    head = plan.head[0]
    v = state[head.at_v : head.at_v + head.coords]
    _spread_velocity(plan, v, work)
    p = state[head.at_p : head.at_p + head.scalars]
    move(plan, v, p, state[head.at_u : head.at_u + head.valves], work)


@inner
def settle_rates(plan: Plan, state: Array, work: Work) -> None:
    """Accelerations, loop forces, rates of pressures and seals of a settled motion."""
    head = plan.head[0]
    a = state[head.at_a : head.at_a + head.coords]
    bend(plan, work)
    joint_forces(plan, work)
    _accelerate(plan, a, work)
    _multipliers(plan, a, state[head.at_l : head.at_l + head.rows], work)
    for k in range(head.scalars):
        state[head.at_dp + k] = scalar_rate(plan, work, k)


@kernel
def settle(plan: Plan, state: Array, work: Work) -> bool:
    """Make a state consistent from its independent positions and velocities, pressures and spools."""
    if not settle_position(plan, state, work):
        return False
    settle_motion(plan, state, work)
    settle_rates(plan, state, work)
    return True
