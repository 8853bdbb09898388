"""The peer of the benchmarks moves the same machine."""

import numpy as np
import pytest

from simcore import cases
from simcore.cli.bench.mujoco_peer import Hinges
from simcore.simulation import Simulation


@pytest.mark.parametrize("spatial", [0.0, 1.0])
def test_both_engines_let_a_chain_fall_alike(spatial: float) -> None:
    machine = cases.get("chain").build(n=5.0, spatial=spatial)
    ours, theirs = Simulation(machine, dt=1e-3, integrator="rk4"), Hinges(machine, 1e-3)
    ours.advance(300)
    theirs.advance(300)
    assert np.allclose(ours.coordinates(), theirs.coordinates(), atol=1e-9)
