"""The peers of the benchmarks move the same machines; those that are not installed are not asked."""

import importlib
from typing import Any

import numpy as np
import pytest

from simcore import registry
from simcore.cli.bench import loops
from simcore.cli.bench.filterpy_peer import Filter
from simcore.cli.bench.filters import Kernels, coupled_oscillators
from simcore.cli.bench.mujoco_peer import Loops
from simcore.run.simulation import Simulation

CHAINS = [
    ("mujoco", "mujoco_peer.Hinges"),
    ("exudyn", "exudyn_peer.Tree"),
    ("pinocchio", "pinocchio_peer.Tree"),
]


def _peer(name: str) -> Any:
    module, _, engine = name.partition(".")
    return getattr(importlib.import_module(f"simcore.cli.bench.{module}"), engine)


@pytest.mark.parametrize("spatial", [0.0, 1.0])
@pytest.mark.parametrize(("needs", "peer"), CHAINS)
def test_every_engine_lets_a_chain_fall_alike(needs: str, peer: str, spatial: float) -> None:
    pytest.importorskip(needs)
    machine = registry.get("chain").build(n=5.0, spatial=spatial)
    ours, theirs = Simulation(machine, dt=1e-3, integrator="rk4"), _peer(peer)(machine, 1e-3)
    ours.advance(300)
    theirs.advance(300)
    assert np.allclose(ours.coordinates(), theirs.coordinates(), atol=1e-9)


def _exact() -> float:
    exact = Simulation(registry.get("four-bar-free").build(), dt=1e-4, integrator="rk4")
    exact.advance(5000)
    return float(exact.coordinates()[0])


def test_a_stiff_loop_in_mujoco_stays_closed() -> None:
    machine = registry.get("four-bar-free").build()
    theirs = Loops(machine, 1e-3, *loops.closed_start(machine))
    theirs.advance(500)
    assert theirs.gap() < 1e-6
    assert abs(theirs.coordinates()[0] - _exact()) < 1e-6


def test_a_loop_in_exudyn_stays_closed() -> None:
    pytest.importorskip("exudyn")
    machine = registry.get("four-bar-free").build()
    theirs = _peer("exudyn_peer.PlaneLoop")(machine, 1e-3, *loops.closed_start(machine))
    theirs.advance(500)
    assert theirs.gap() < 1e-9
    assert abs(theirs.crank() - _exact()) < 1e-4


def test_our_filter_is_that_of_the_books() -> None:
    problem = coupled_oscillators()
    ours = Kernels(problem)
    ours.advance(50)
    assert np.allclose(ours.covariance, problem.covariance_after(50), rtol=1e-9, atol=1e-15)


def test_filterpy_is_given_the_same_problem() -> None:
    pytest.importorskip("filterpy")
    problem = coupled_oscillators()
    theirs = Filter(problem)
    theirs.advance(50)
    assert np.allclose(theirs.covariance, problem.covariance_after(50), rtol=1e-9, atol=1e-15)
