"""Books of a run: work, energy and its drift, open loops, extremes. One entry per step."""

from __future__ import annotations

from simcore.evaluate import evaluate
from simcore.jit import inner, kernel
from simcore.model.plan import Plan
from simcore.multibody.dynamics import mechanical_energy
from simcore.multibody.links import link_power
from simcore.work import Array, Work

# entries of the books; signed sums in J
ENERGY_0, POWER, WORK, WORK_MIN, WORK_MAX, DRIFT, GAP, GAP_RATE, GAP_CURVE, POTENTIAL_0, RISE = range(11)
LINK_POWER, LINK_WORK = 11, 12
BOOKS = 13
LOW, HIGH = 0, 1  # rows of the extremes: positions, pressures, cylinder lengths


@inner
def _power(plan: Plan, work: Work) -> float:
    """What the cylinders give to the mechanism now, W."""
    power = 0.0
    for k in range(plan.head[0].cylinders):
        power += work.cylinders[k].push * work.cylinders[k].speed
    return power


@inner
def potential_energy(plan: Plan, work: Work) -> float:
    """Energy of weight, J; zero with every centre of mass at the origin."""
    energy = 0.0
    for i in range(1, len(plan.bodies)):
        for axis in range(3):
            energy -= plan.bodies[i].mass * plan.head[0].gravity[axis] * work.bodies[i].centre[axis]
    return energy


@inner
def _note_extreme(value: float, at: int, extremes: Array) -> None:
    extremes[LOW, at] = min(extremes[LOW, at], value)
    extremes[HIGH, at] = max(extremes[HIGH, at], value)


@kernel
def open_books(plan: Plan, state: Array, work: Work, books: Array, extremes: Array) -> None:
    """Begin at a settled state."""
    evaluate(plan, state, work)
    books[:] = 0.0
    books[ENERGY_0] = mechanical_energy(plan, work)
    books[POWER] = _power(plan, work)
    books[POTENTIAL_0] = potential_energy(plan, work)
    books[LINK_POWER] = link_power(plan, work)
    extremes[LOW] = 1e300
    extremes[HIGH] = -1e300


@kernel
def enter_step(
    plan: Plan, state: Array, work: Work, dt: float, right: bool, books: Array, extremes: Array
) -> None:
    """One step: work by the trapezoidal rule, or by right rectangles as the publications did."""
    head = plan.head[0]
    evaluate(plan, state, work)
    power = _power(plan, work)
    books[WORK] += dt * (power if right else 0.5 * (power + books[POWER]))
    books[POWER] = power
    books[WORK_MIN] = min(books[WORK_MIN], books[WORK])
    books[WORK_MAX] = max(books[WORK_MAX], books[WORK])
    given = link_power(plan, work)
    books[LINK_WORK] += 0.5 * dt * (given + books[LINK_POWER])
    books[LINK_POWER] = given
    drift = mechanical_energy(plan, work) - books[ENERGY_0] - books[WORK] - books[LINK_WORK]
    books[DRIFT] = max(books[DRIFT], abs(drift))
    books[RISE] = max(books[RISE], potential_energy(plan, work) - books[POTENTIAL_0])
    for k in range(head.rows):
        curve = work.rows[k].curve
        for j in range(head.coords):
            curve += work.jac[k, j] * state[head.at_a + j]
        books[GAP] = max(books[GAP], abs(work.rows[k].gap))
        books[GAP_RATE] = max(books[GAP_RATE], abs(work.rows[k].rate))
        books[GAP_CURVE] = max(books[GAP_CURVE], abs(curve))
    for j in range(head.coords):
        _note_extreme(state[head.at_z + j], j, extremes)
    for k in range(head.volumes):
        _note_extreme(state[head.at_p + k], head.coords + k, extremes)
    for k in range(head.cylinders):
        _note_extreme(work.cylinders[k].length, head.coords + head.volumes + k, extremes)
