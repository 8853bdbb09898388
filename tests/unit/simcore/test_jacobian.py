"""Slopes of the rates against central differences of settled states, for every kind of machine."""

from __future__ import annotations

import numpy as np
import pytest

from simcore import registry
from simcore.estimate.biases import BIAS
from simcore.estimate.linearise.jacobian import jacobian_at, place_of, unit_of
from simcore.formulation.partition import settle
from simcore.model.virtual import with_virtual_sensors
from simcore.run.simulation import Simulation

# loops and a cylinder; two cylinders and a load on a rope; loops in space, three cylinders and a pump line;
# a tree in space; a cylinder against a valve block; an engine, a pump within its power and a bucket in soil
MACHINES = ["four-bar-b", "rahikainen-b", "crane", "digger-rig", "valve-rig", "chain", "excavator"]
OPTIONS = {
    "chain": {"n": 5.0, "spatial": 1.0},
    # bristles are not the filter's; it starts with its teeth in the ground
    "excavator": {"ground_level": 2.0, "seal_law": "brown-mcphee"},
}


def _moving(name: str, steps: int) -> Simulation:
    case = registry.get(name)
    sim = Simulation(with_virtual_sensors(case.build(**OPTIONS.get(name, {}))))
    inputs = {} if len(case.command_schedule) < 2 else case.command_schedule[1][1]
    # the teeth must move: at rest the size of a resistance has a kink
    sim.advance(4 * steps if name == "excavator" else steps, inputs)
    return sim


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("steps", [40, 400])
def test_slopes_are_the_derivative_of_the_settled_rates(name: str, steps: int) -> None:
    sim = _moving(name, steps)
    plan, ws, head = sim.plan, sim.workspace, sim.plan.head[0]
    n, free, volumes, diesels = (int(head[k]) for k in ("states", "free", "volumes", "diesels"))
    places = [place_of(plan, s) for s in range(n)]
    start = sim.state.copy()
    assert settle(plan, start, ws)

    def rates(state: np.ndarray) -> np.ndarray:
        """Of the states, then the channels."""
        assert settle(plan, state, ws)
        at_a = int(head["at_a"] - head["at_v"])
        moving = [places[free + f] for f in range(free)]
        at = int(head["at_dp"] + volumes + head["inner"])
        slow = state[head["at_dp"] : head["at_dp"] + volumes] / 1e6, state[at : at + diesels] / 1e3
        sim.state[:] = state
        return np.concatenate([state[moving], state[[m + at_a for m in moving]], *slow, sim.read()])

    ours = np.zeros((n + len(sim.channels), n + 1))
    jacobian_at(plan, np.zeros(0, dtype=BIAS), start.copy(), ws, ours)
    sizes = [1e-6] * free + [1e-6] * free + [1e-4] * volumes + [1e-4] * diesels
    for s, size in enumerate(sizes):
        up, down = start.copy(), start.copy()
        up[places[s]] += size * unit_of(plan, s)
        down[places[s]] -= size * unit_of(plan, s)
        theirs = (rates(up) - rates(down)) / (2 * size)
        for rows in (slice(0, n), *(slice(n + k, n + k + 1) for k in range(len(sim.channels)))):
            # a swing's angle, for one, changes nothing
            flow = rows.start >= n and sim.channels[rows.start - n].quantity == "flow"
            allowed = 2e-5 * max(np.linalg.norm(theirs[rows]), 1e-6 if flow else 1.0)
            if rows.start >= n and sim.channels[rows.start - n].quantity in ("force", "power"):
                allowed += 2e-3  # what rounding leaves of a nudge of 1e-7 in forces of some 1e5 N
            assert np.linalg.norm(ours[rows, s] - theirs[rows]) < allowed, (
                s,
                rows,
                ours[rows, s],
                theirs[rows],
            )
    np.testing.assert_allclose(ours[n:, -1], rates(start)[n:])
