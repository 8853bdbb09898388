"""Computes the filter's Jacobian: derivatives of rates and channels with respect to its states and biases.

Filter states: independent positions (rad), independent velocities (rad/s), pressures (MPa); then biases.
Rows of the Jacobian: one per rate, then one per channel. Columns: one per state, then one per bias. The next
column contains the white noise density of each rate (filter units per √s) and the value of each channel.
"""

from __future__ import annotations

from simcore.algebra.linear import copy, eliminate
from simcore.estimate.biases import GAIN, PAYLOAD, SUPPLY, TORQUE, WEIGHT
from simcore.estimate.linearise.cause_jacobian import cause_columns
from simcore.estimate.linearise.channel_jacobian import MPA as MPA
from simcore.estimate.linearise.channel_jacobian import channel_columns, levers
from simcore.estimate.linearise.engine_jacobian import KNM, engine_columns
from simcore.estimate.linearise.mass_jacobian import mass_column
from simcore.formulation.evaluate import evaluate, move_mechanism, place
from simcore.hydraulics.circuit import load_shafts, oil_softness, pressure_rate, refill
from simcore.hydraulics.cylinders import push_cylinders
from simcore.kernels.jit import inner, kernel, outlined
from simcore.model.plan import (
    COMMAND,
    ENGINE_TORQUE,
    FILL,
    FLOW,
    PRESSURE,
    PUMP,
    PUMP_POWER,
    SPOOL,
    Plan,
    Records,
)
from simcore.model.workspace import (
    BALANCE_CHANGE,
    BASE_BALANCE,
    CONDUCTANCE,
    GRADIENT,
    LEVERS,
    LOOP_INVERSE,
    MASS,
    MOBILITY,
    NUDGED,
    REDUCTION,
    Array,
    Workspace,
)
from simcore.multibody.dynamics import inverse_dynamics, mass_matrix
from simcore.run.outputs import read_channel

_NUDGE_Z, _NUDGE_V = 1e-7, 1e-8  # rad, rad/s


@kernel
def place_of(plan: Plan, s: int) -> int:
    """Index of a filter state in the state vector."""
    head = plan.head[0]
    if s >= 2 * head.free:
        engine = s >= 2 * head.free + head.volumes  # their torques follow the states of frictions
        return int(head.at_p + s - 2 * head.free + (head.inner if engine else 0))
    start = head.at_z if s < head.free else head.at_v
    for j in range(1, len(plan.bodies)):
        if plan.bodies[j].free == s % head.free:
            return int(start + j - 1)
    return -1


@kernel
def unit_of(plan: Plan, s: int) -> float:
    """Size of a filter unit in SI units."""
    head = plan.head[0]
    if s < 2 * head.free:
        return 1.0
    return MPA if s < 2 * head.free + head.volumes else KNM


@inner
def _reduce(plan: Plan, ws: Workspace) -> None:
    """Inverse of the loop system J_d in ws.LOOP_INVERSE, stored after J_d, and ws.REDUCTION = ∂v/∂v_free.

    `place` must have been called for the present position.
    """
    n, rows, free = plan.head[0].coords, plan.head[0].rows, plan.head[0].free
    system, reduce = ws.matrix[LOOP_INVERSE], ws.matrix[REDUCTION]
    for k in range(rows):
        for i in range(rows):
            system[k, rows + i] = 1.0 if i == k else 0.0
        for j in range(n):
            if ws.bodies[j + 1].dependent >= 0:
                system[k, ws.bodies[j + 1].dependent] = ws.jac[k, j]
    eliminate(system, rows, rows)
    for j in range(n):
        d = ws.bodies[j + 1].dependent
        for f in range(free):
            reduce[j, f] = 1.0 if ws.bodies[j + 1].free == f else 0.0
        for k in range(rows if d >= 0 else 0):
            for i in range(n):
                if ws.bodies[i + 1].free >= 0:
                    reduce[j, ws.bodies[i + 1].free] -= system[d, rows + k] * ws.jac[k, i]


@inner
def _mobility(plan: Plan, ws: Workspace) -> None:
    """ws.MOBILITY = (RᵀMR)⁻¹Rᵀ, stored after the reduced mass, with the mass matrix of the step's tangent."""
    n, free = plan.head[0].coords, plan.head[0].free
    mass, reduce, system = ws.matrix[MASS], ws.matrix[REDUCTION], ws.matrix[MOBILITY]
    for f in range(free):
        for j in range(n):
            system[f, free + j] = reduce[j, f]
        for g in range(free):
            system[f, g] = 0.0
    for j in range(n):
        for g in range(free):
            moved = 0.0
            for i in range(n):
                moved += mass[j, i] * reduce[i, g]
            for f in range(free):
                system[f, g] += reduce[j, f] * moved
    eliminate(system, free, n)


@inner
def _spread(plan: Plan, ws: Workspace, misses: Array, out: Array) -> None:
    """out = joint rates, zero for free joints, that compensate loop errors: J out = -misses."""
    rows = plan.head[0].rows
    for j in range(plan.head[0].coords):
        out[j] = 0.0
        d = ws.bodies[j + 1].dependent
        for k in range(rows if d >= 0 else 0):
            out[j] -= ws.matrix[LOOP_INVERSE, d, rows + k] * misses[k]


@inner
def _balance(plan: Plan, state: Array, ws: Workspace, out: Array) -> None:
    """out = M a + h - Q + Φ_zᵀλ of a placed and moved machine, then d²Φ/dt², then pressure rates in MPa/s.

    Accelerations a and loop forces λ are those of the unperturbed state, also during a nudge.
    """
    head = plan.head[0]
    n, rows = head.coords, head.rows
    a = state[head.at_a : head.at_a + n]
    inverse_dynamics(plan, a, ws, out)
    for k in range(rows + head.cylinders):
        pull = state[head.at_l + k] if k < rows else -ws.cylinders[k - rows].push
        for j in range(n):
            out[j] += ws.jac[k, j] * pull
    load_shafts(plan, ws, out, 1.0)
    for k in range(rows):
        out[n + k] = ws.rows[k].curve
        for j in range(n):
            out[n + k] += ws.jac[k, j] * a[j]
    for k in range(head.volumes):
        out[n + rows + k] = pressure_rate(ws, k) / MPA


@inner
def _collect(
    plan: Plan, ws: Workspace, change: Array, per_nudge: float, column: int, jacobian: Array
) -> None:
    """Compute a column of the Jacobian from the change of the balance caused by a nudge.

    M δa + Φ_zᵀδλ = -δG and Φ_z δa = -δ(d²Φ/dt²): the loops give the dependent part c of δa, and
    δa_free = -(RᵀMR)⁻¹Rᵀ(δG + M c).
    """
    head = plan.head[0]
    n, free, rows = head.coords, head.free, head.rows
    bent = ws.vector[GRADIENT]
    _spread(plan, ws, change[n : n + rows], bent)
    for j in range(n):
        pull = change[j]
        for i in range(n if rows > 0 else 0):
            pull += ws.matrix[MASS, j, i] * bent[i]
        for f in range(free):
            jacobian[free + f, column] -= ws.matrix[MOBILITY, f, free + j] * pull * per_nudge
    for k in range(head.volumes):
        jacobian[2 * free + k, column] += change[n + rows + k] * per_nudge


@inner
def _oil_columns(plan: Plan, jacobian: Array, ws: Workspace) -> None:
    """Fill the columns of pressures with the flows between volumes."""
    first, volumes = 2 * plan.head[0].free, plan.head[0].volumes
    for i in range(volumes):
        soft = ws.nodes[i]
        stiff = 1.0 / soft.compliance
        for j in range(volumes):
            jacobian[first + i, first + j] = ws.matrix[CONDUCTANCE, i, j] * stiff
        jacobian[first + i, first + i] -= soft.inflow * soft.softening * stiff * stiff


@inner
def _noise_column(plan: Plan, p: Array, column: int, jacobian: Array, ws: Workspace) -> None:
    """Fill the column of model noise: on accelerations, oil and engine torques.

    Where free air makes a volume more compressible, the same amount of oil changes its pressure less.
    """
    head = plan.head[0]
    first = 2 * head.free
    for f in range(head.free):
        jacobian[head.free + f, column] = head.noise_a
    for k in range(head.volumes):
        share = 1.0
        if head.thin == 1 or ws.condition.whole[0].stiffness != 1.0:
            soft, _ = oil_softness(plan, ws.condition.whole[0].stiffness, p[k])
            share -= soft * ws.nodes[k].volume / ws.nodes[k].compliance
        jacobian[first + k, column] = share * head.noise_dp / MPA
    for k in range(head.diesels):
        jacobian[first + head.volumes + k, column] = head.noise_torque / KNM


@inner
def _couple(
    plan: Plan, lever: Array, node: int, push: float, displaced: float, ws: Workspace, jacobian: Array
) -> None:
    """Add the coupling of oil and motion: pressure acts along `lever`, and motion along it displaces oil.

    lever: two rows, accelerations of the free coordinates per unit of force, and speed per free velocity.
    """
    free = plan.head[0].free
    column = 2 * free + node
    if node < plan.head[0].volumes:
        taken = displaced / (ws.nodes[node].compliance * MPA)
        for f in range(free):
            jacobian[free + f, column] += lever[0, f] * push * MPA
            jacobian[column, free + f] -= lever[1, f] * taken


@inner
def _drag(free: int, lever: Array, damping: float, jacobian: Array) -> None:
    """Add a force against the velocity of a point."""
    for f in range(free):
        for g in range(free):
            jacobian[free + f, free + g] -= damping * lever[0, f] * lever[1, g]


@inner
def _cylinder_columns(plan: Plan, jacobian: Array, ws: Workspace) -> None:
    """Fill the columns of cylinders: pressures act on rods, rods displace oil, seals cause friction."""
    head = plan.head[0]
    lever = ws.matrix[LEVERS]
    for k in range(head.cylinders):
        c, here = plan.cylinders[k], ws.cylinders[k]
        levers(plan, ws, ws.jac[head.rows + k], lever)
        _drag(head.free, lever, here.damping, jacobian)
        _couple(plan, lever, c.node_a, here.gain * c.area_a, c.area_a, ws, jacobian)
        _couple(plan, lever, c.node_b, -here.gain * c.area_b, -c.area_b, ws, jacobian)


@inner
def _shaft_columns(plan: Plan, jacobian: Array, ws: Workspace) -> None:
    """Fill the columns of pumps: pressures brake shafts, shafts move oil, drag grows with speed."""
    head = plan.head[0]
    lever, gradient = ws.matrix[LEVERS], ws.vector[GRADIENT]
    for k in range(len(plan.edges)):
        edge, here = plan.edges[k], ws.edges[k]
        if edge.kind == PUMP and edge.shaft >= 0:
            for j in range(head.coords):
                gradient[j] = 1.0 if j == edge.shaft else 0.0
            levers(plan, ws, gradient, lever)
            _drag(head.free, lever, here.torque_v, jacobian)
            _couple(plan, lever, edge.a, here.torque_p, here.stroke, ws, jacobian)
            _couple(plan, lever, edge.b, -here.torque_p, -here.stroke, ws, jacobian)


@inner
def _bias_columns(plan: Plan, biases: Records, jacobian: Array, ws: Workspace) -> None:
    """Fill the columns of torques, gains and sources."""
    head = plan.head[0]
    free, first = head.free, 2 * head.free
    for i in range(len(biases)):
        bias, column = biases[i], head.states + i
        if bias.kind == TORQUE:
            for f in range(free):
                jacobian[free + f, column] = ws.matrix[MOBILITY, f, free + bias.index - 1] * bias.unit
        elif bias.kind == SUPPLY:
            for k in range(head.volumes):
                drawn = ws.matrix[CONDUCTANCE, k, bias.index] / ws.nodes[k].compliance
                jacobian[first + k, column] = drawn * bias.unit / MPA
        elif bias.kind == GAIN:
            for k in range(len(plan.edges)):
                edge = plan.edges[k]
                if edge.valve == bias.index:
                    more = ws.edges[k].flow / ws.condition.valves[bias.index].gain * bias.unit / MPA
                    if edge.a < head.volumes:
                        jacobian[first + edge.a, column] -= more / ws.nodes[edge.a].compliance
                    if edge.b < head.volumes:
                        jacobian[first + edge.b, column] += more / ws.nodes[edge.b].compliance


@inner
def _nudge_position(plan: Plan, state: Array, f: int, nudged: Array, ws: Workspace) -> None:
    """Move along a free direction: place the bodies and set dependent velocities as the loops require."""
    head = plan.head[0]
    n = head.coords
    there, misses = nudged[head.at_v : head.at_v + n], ws.vector[BALANCE_CHANGE]
    for j in range(n):
        nudged[head.at_z + j] = state[head.at_z + j] + _NUDGE_Z * ws.matrix[REDUCTION, j, f]
    place(plan, nudged[head.at_z : head.at_v], ws)
    for k in range(head.rows):
        misses[k] = 0.0
        for j in range(n):
            misses[k] += ws.jac[k, j] * state[head.at_v + j]
    _spread(plan, ws, misses, there)
    for j in range(n):
        there[j] += state[head.at_v + j]


@inner
def _feels_motion(kind: int) -> bool:
    """Whether moving the mechanism, at constant pressures and spools, can change a channel."""
    return kind not in (PRESSURE, COMMAND, SPOOL, FILL, ENGINE_TORQUE, FLOW, PUMP_POWER)


@outlined
def fill_jacobian(
    plan: Plan, biases: Records, state: Array, ws: Workspace, with_channels: bool, jacobian: Array
) -> None:
    """Fill the Jacobian of a machine that has just been stepped or settled, so that its forces balance.

    with_channels: fill the rows of the channels as well.

    For each nudge along a free direction, only the affected parts are evaluated again: accelerations and loop
    forces are kept, and the change of the balance gives their derivatives. Leaves `ws` nudged.
    """
    head = plan.head[0]
    n, free, states = head.coords, head.free, head.states
    last, channels = states + len(biases), len(plan.channels) if with_channels else 0
    p = state[head.at_p : head.at_p + head.scalars]
    nudged, base, change = ws.vector[NUDGED], ws.vector[BASE_BALANCE], ws.vector[BALANCE_CHANGE]
    there = nudged[head.at_v : head.at_v + n]
    _reduce(plan, ws)
    _mobility(plan, ws)
    for i in range(states + channels):
        for j in range(last + 1):
            jacobian[i, j] = 0.0
    _oil_columns(plan, jacobian, ws)
    _noise_column(plan, p, last, jacobian, ws)
    _cylinder_columns(plan, jacobian, ws)
    if head.shafts > 0:
        _shaft_columns(plan, jacobian, ws)
    if head.diesels > 0:
        engine_columns(plan, jacobian, ws)
    _bias_columns(plan, biases, jacobian, ws)
    cause_columns(plan, biases, state, ws, jacobian)
    if with_channels:
        channel_columns(plan, biases, state, ws, jacobian)
    copy(state, nudged)
    # first undisturbed; then velocities, which need the undisturbed position; then positions
    for column in range(2 * free, -1, -1):
        moves, f = column < free, column % free
        if moves:
            _nudge_position(plan, state, f, nudged, ws)
        elif column < 2 * free:
            jacobian[f, column] = 1.0
            for j in range(n):
                there[j] = state[head.at_v + j] + _NUDGE_V * ws.matrix[REDUCTION, j, f]
        if column < 2 * free:
            move_mechanism(plan, there, p, ws)
        if moves:
            push_cylinders(plan, p, ws)
            refill(plan, p, ws)
        _balance(plan, state, ws, change)
        for i in range(n + head.rows + head.volumes):
            if column == 2 * free:
                base[i] = change[i]
            change[i] -= base[i]
        per_nudge = 1.0 / (_NUDGE_Z if moves else _NUDGE_V)
        if column < 2 * free:
            _collect(plan, ws, change, per_nudge, column, jacobian)
        else:
            for i in range(len(biases)):
                if biases[i].kind in (PAYLOAD, WEIGHT):
                    mass_column(plan, biases[i], states + i, jacobian, ws)
        for k in range(channels):
            if column == 2 * free:
                jacobian[states + k, last] = read_channel(plan, nudged, ws, k)
            elif _feels_motion(plan.channels[k].kind):
                value = read_channel(plan, nudged, ws, k)
                jacobian[states + k, column] += (value - jacobian[states + k, last]) * per_nudge


@kernel
def jacobian_at(plan: Plan, biases: Records, state: Array, ws: Workspace, jacobian: Array) -> None:
    """Evaluate a settled state and fill its Jacobian."""
    evaluate(plan, state, ws)
    mass_matrix(plan, ws)
    fill_jacobian(plan, biases, state, ws, len(jacobian) > plan.head[0].states, jacobian)
