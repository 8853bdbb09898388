"""Trees with joints of every kind against MuJoCo, and loops against a dense solve with its mass matrix."""

import mujoco_twin
import numpy as np
import pytest
from spatial_machines import JOINTS, LOOPS, any_tree, closed_by

from simcore.formulation.evaluate import evaluate
from simcore.model.elements import CutSpherical, Floating, Machine, Revolute, Rod, Spherical, Universal
from simcore.model.geometry import gaps, shifted, start_angles
from simcore.model.workspace import MASS
from simcore.multibody.dynamics import inverse_dynamics, mass_matrix
from simcore.run.engine import Engine


def _close(ours: np.ndarray, theirs: np.ndarray, relative: float) -> None:
    assert np.max(np.abs(ours - theirs)) < relative * np.max(np.abs(theirs))


def _compare(machine: Machine) -> None:
    theirs = mujoco_twin.Twin(machine)
    engine = Engine(machine, 1e-3)
    head = engine.plan.head[0]
    n = int(head["coords"])
    evaluate(engine.plan, engine.state, engine.workspace)
    mass_matrix(engine.plan, engine.workspace)
    _close(engine.workspace.matrix[MASS, :n, :n], theirs.mass, 1e-9)
    bias = np.zeros(n)
    inverse_dynamics(engine.plan, np.zeros(n), engine.workspace, bias)
    _close(bias, theirs.bias, 1e-9)
    _close(engine.state[head["at_a"] : head["at_a"] + n], theirs.acceleration, 1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_equal_mujoco(seed: int) -> None:
    _compare(any_tree(6, seed))


@pytest.mark.parametrize("kind", JOINTS[:-1])
def test_chains_of_one_kind_of_joint_equal_mujoco(kind: type) -> None:
    _compare(any_tree(4, 5, (kind,), chain=True))


def test_a_free_machine_equals_mujoco() -> None:
    _compare(any_tree(5, 8, (Floating, Spherical), chain=True))


def _along(machine: Machine, z: np.ndarray, direction: np.ndarray, h: float) -> list[np.ndarray]:
    """Loop equations at seven places along a motion with constant joint velocities."""
    return [gaps(machine, shifted(machine, z, h * k * direction)) for k in range(-3, 4)]


def _first(f: list[np.ndarray], h: float) -> np.ndarray:
    return (f[6] - f[0] - 9 * (f[5] - f[1]) + 45 * (f[4] - f[2])) / (60 * h)


def _second(f: list[np.ndarray], h: float) -> np.ndarray:
    return (2 * (f[0] + f[6]) - 27 * (f[1] + f[5]) + 270 * (f[2] + f[4]) - 490 * f[3]) / (180 * h * h)


def _compare_closed(machine: Machine) -> None:
    """Accelerations against [M Φ_zᵀ; Φ_z 0] with MuJoCo's M and bias, numpy's Φ_z and Φ̇_z v."""
    engine = Engine(machine, 1e-3)
    head = engine.plan.head[0]
    n = int(head["coords"])
    v = engine.state[head["at_v"] : head["at_v"] + n].copy()
    assert np.max(np.abs(v)) > 0.1
    z, h = start_angles(machine), 5e-3
    theirs = mujoco_twin.Twin(machine, v)
    slopes = np.array([_first(_along(machine, z, unit, h), h) for unit in np.eye(n)]).T
    curve = _second(_along(machine, z, v, 2e-3), 2e-3)
    assert np.max(np.abs(slopes @ v)) < 1e-9
    rows = len(slopes)
    system = np.block([[theirs.mass, slopes.T], [slopes, np.zeros((rows, rows))]])
    answer = np.linalg.solve(system, np.concatenate([-theirs.bias, -curve]))
    _close(engine.state[head["at_a"] : head["at_a"] + n], answer[:n], 1e-8)
    _close(engine.state[head["at_l"] : head["at_l"] + rows], answer[n:], 1e-7)


@pytest.mark.parametrize("kind", LOOPS)
@pytest.mark.parametrize("other", ["ground", "b1"])
def test_accelerations_with_a_loop_equal_a_dense_solve(kind: type, other: str) -> None:
    tree = any_tree(5, 21, (Universal, Revolute, Spherical), chain=True)
    _compare_closed(closed_by(tree, kind, other, "b4", 3))


def test_accelerations_with_several_loops_equal_a_dense_solve() -> None:
    tree = any_tree(7, 4, (Floating, Universal, Spherical))
    machine = closed_by(tree, Rod, "b0", "b5", 1)
    machine = closed_by(machine, CutSpherical, "b2", "b6", 2)
    _compare_closed(closed_by(machine, Rod, "ground", "b3", 5))
