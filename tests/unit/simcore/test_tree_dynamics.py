"""Kernels for trees and loops against plain numpy on random spatial machines."""

import numpy as np
import pytest
from spatial_machines import any_tree, closed_chain, random_tree

from simcore.errors import BadMachine
from simcore.formulation.evaluate import evaluate
from simcore.model.elements import Machine, Mount
from simcore.model.geometry import gaps, point, poses, potential_energy
from simcore.model.tree import base
from simcore.model.workspace import MASS
from simcore.multibody.dynamics import inverse_dynamics, mass_matrix, mechanical_energy
from simcore.run.engine import Engine
from simcore.run.simulation import Simulation


def _jacobians(machine: Machine, z: np.ndarray, h: float = 1e-5) -> list[tuple[np.ndarray, np.ndarray]]:
    """∂centre/∂z and ∂(body-axis rotation)/∂z of every body by central differences of numpy poses."""
    found = []
    for body in machine.bodies:
        move, spin = np.zeros((3, z.size)), np.zeros((3, z.size))
        turn = poses(machine, z)[body.name][0]
        for j in range(z.size):
            high, low = z.copy(), z.copy()
            high[j] += h
            low[j] -= h
            where = poses(machine, high), poses(machine, low)
            mount = Mount(body.name, body.centre)
            move[:, j] = (point(where[0], mount) - point(where[1], mount)) / (2 * h)
            w = (where[0][body.name][0] - where[1][body.name][0]) / (2 * h) @ turn.T
            spin[:, j] = turn.T @ np.array([w[2, 1], w[0, 2], w[1, 0]])
        found.append((move, spin))
    return found


def _mass(machine: Machine, z: np.ndarray) -> np.ndarray:
    total = np.zeros((z.size, z.size))
    for body, (move, spin) in zip(machine.bodies, _jacobians(machine, z), strict=True):
        total += float(body.mass) * move.T @ move + spin.T @ np.diag(body.inertia.xyz) @ spin
    return total


def _state(machine: Machine, seed: int) -> tuple[Engine, np.ndarray, np.ndarray]:
    engine = Engine(machine, 1e-3)
    random = np.random.default_rng(seed)
    n = len(machine.bodies)
    z, v = random.uniform(-2, 2, n), random.uniform(-1, 1, n)
    head = engine.plan.head[0]
    engine.state[head["at_z"] : head["at_z"] + n] = z
    engine.state[head["at_v"] : head["at_v"] + n] = v
    evaluate(engine.plan, engine.state, engine.workspace)
    return engine, z, v


@pytest.mark.parametrize("seed", range(4))
def test_mass_matrix_equals_the_sum_over_body_jacobians(seed: int) -> None:
    machine = random_tree(5, seed)
    engine, z, v = _state(machine, seed)
    mass_matrix(engine.plan, engine.workspace)
    ours = engine.workspace.matrix[MASS, : z.size, : z.size]
    assert np.allclose(ours, _mass(machine, z), rtol=1e-8, atol=1e-8)
    # the engine measures heights from its own base
    lift = sum(float(b.mass) for b in machine.bodies) * np.dot(machine.gravity.xyz, base(machine))
    kinetic = mechanical_energy(engine.plan, engine.workspace) - potential_energy(machine, z) - lift
    assert kinetic == pytest.approx(0.5 * v @ ours @ v, rel=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_inverse_dynamics_equals_lagrange(seed: int) -> None:
    machine = random_tree(4, seed)
    engine, z, v = _state(machine, seed)
    a = np.random.default_rng(seed + 50).uniform(-3, 3, z.size)
    ours = np.zeros(z.size)
    inverse_dynamics(engine.plan, a, engine.workspace, ours)
    h = 1e-4
    theirs = _mass(machine, z) @ a
    rate = (_mass(machine, z + h * v) - _mass(machine, z - h * v)) / (2 * h)
    theirs += rate @ v
    for j in range(z.size):
        nudge = np.zeros(z.size)
        nudge[j] = h
        theirs[j] -= 0.5 * v @ (_mass(machine, z + nudge) - _mass(machine, z - nudge)) @ v / (2 * h)
        theirs[j] += (potential_energy(machine, z + nudge) - potential_energy(machine, z - nudge)) / (2 * h)
    assert np.allclose(ours, theirs, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_the_articulated_recursion_equals_a_solve_with_the_mass_matrix(seed: int) -> None:
    sim = Simulation(any_tree(6, seed), dt=1e-3, integrator="rk4", formulation="double-step")
    sim.advance(5)
    head = sim.plan.head[0]
    at = slice(int(head["at_a"]), int(head["at_a"] + head["coords"]))
    recursive = sim.state[at].copy()
    sim.settle(sim.state)
    scale = float(np.max(np.abs(sim.state[at])))
    assert np.allclose(recursive, sim.state[at], rtol=1e-9, atol=1e-9 * scale)


def test_rows_of_a_spatial_loop_have_the_gradient_and_curvature_of_their_gaps() -> None:
    machine = closed_chain(6, seed=3)
    engine, z, v = _state(machine, 3)
    assert engine.plan.head[0]["rows"] == 5
    h = 1e-5
    columns = [(gaps(machine, z + d) - gaps(machine, z - d)) / (2 * h) for d in h * np.eye(z.size)]
    assert np.allclose(engine.workspace.rows["gap"], gaps(machine, z), atol=1e-12)
    assert np.allclose(engine.workspace.jac, np.array(columns).T, atol=1e-8)
    assert np.allclose(engine.workspace.rows["rate"], engine.workspace.jac @ v, atol=1e-12)
    second = (gaps(machine, z + 1e-3 * v) - 2 * gaps(machine, z) + gaps(machine, z - 1e-3 * v)) / 1e-6
    assert np.allclose(engine.workspace.rows["curve"], second, atol=1e-4)


def test_a_wrong_number_of_independent_joints_is_refused_with_the_right_one() -> None:
    machine = closed_chain(6, seed=3, independent=("b0", "b1"))
    with pytest.raises(BadMachine, match="so 1 independent joint coordinates must be named"):
        Engine(machine, 1e-3)
