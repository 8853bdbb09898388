"""Effects of pumps, oil, valves, pistons and engines on the rates, against central differences."""

from __future__ import annotations

import numpy as np
import pytest

from simcore import registry
from simcore.estimate.biases import (
    DEAD_BAND,
    DELIVERY,
    GOVERNOR,
    LAG,
    LEAKAGE,
    RELIEF,
    STIFFNESS,
    bias_values,
    biases_of,
    put_biases,
)
from simcore.estimate.linearise.jacobian import jacobian_at, place_of, unit_of
from simcore.formulation.partition import settle
from simcore.model.virtual import with_virtual_sensors
from simcore.model.workspace import Array
from simcore.run.simulation import Simulation

DT = 1e-3
KINDS = {
    "delivery": DELIVERY,
    "stiffness": STIFFNESS,
    "dead band": DEAD_BAND,
    "leakage": LEAKAGE,
    "lag": LAG,
    "governor": GOVERNOR,
    "relief": RELIEF,
}
# bristles are no states of the filter; in the air nothing has a kink
MACHINES = {
    "excavator": (
        {"seal_law": "brown-mcphee", "soil": "none"},
        {"boom.command": 4.0, "dipper.command": -3.0, "swing.command": 2.0, "bucket.command": 5.0},
    ),
    "loader-crane": ({"seal_law": "brown-mcphee"}, {"lift.command": 5.0, "slew.command": -3.0}),
}
# what the machine differs by when it is linearised, so that no derivative is only right at the description
WORN = {
    DELIVERY: 0.93,
    STIFFNESS: 0.85,
    DEAD_BAND: 0.03,
    LEAKAGE: 3e-12,
    LAG: 0.008,
    GOVERNOR: 1.5,
    RELIEF: -2e5,
}
NONE = {("loader-crane", "governor"), ("excavator", "relief")}
NUDGE = 1e-4  # filter units


def _worn(name: str) -> tuple[Simulation, np.ndarray]:
    """A machine that moves and whose spools still move, with its biases."""
    parameters, commands = MACHINES[name]
    machine = with_virtual_sensors(registry.get(name).build(**parameters))
    sim = Simulation(machine, dt=DT)
    biases = biases_of(machine, sim.plan)
    values = bias_values(sim.condition, biases)
    for i, kind in enumerate(biases["kind"]):
        values[i] = WORN.get(int(kind), values[i])
    put_biases(sim.condition, biases, values)
    sim.advance(300, commands)
    sim.advance(25, {channel: 0.6 * value for channel, value in commands.items()})
    assert settle(sim.plan, sim.state, sim.workspace)
    return sim, biases


def _columns(sim: Simulation, biases: np.ndarray, state: Array) -> Array:
    n = int(sim.plan.head[0]["states"])
    found = np.zeros((n + len(sim.channels), n + len(biases) + 1))
    jacobian_at(sim.plan, biases, state.copy(), sim.workspace, found)
    return found


def _shifted(sim: Simulation, biases: np.ndarray, i: int, nudge: float) -> None:
    values = bias_values(sim.condition, biases)
    values[i] += nudge * biases["unit"][i]
    put_biases(sim.condition, biases, values)


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for name in MACHINES for kind in KINDS if (name, kind) not in NONE],
)
def test_a_step_depends_on_a_cause_as_its_column_says(name: str, kind: str) -> None:
    """∂x₊/∂b of a whole step; a spool that follows later has been late before the step as well."""
    sim, biases = _worn(name)
    plan, head = sim.plan, sim.plan.head[0]
    n = int(head["states"])
    places = [place_of(plan, s) for s in range(n)]
    units = np.array([unit_of(plan, s) for s in range(n)])
    at_u, at_s, valves = (int(head[k]) for k in ("at_u", "at_s", "valves"))
    start = sim.state.copy()
    found = np.flatnonzero(biases["kind"] == KINDS[kind])
    assert len(found) > 0
    for i in found:

        def stepped(nudge: float, i: int = int(i)) -> Array:
            _shifted(sim, biases, i, nudge)
            sim.state[:] = start
            if kind == "lag":
                late = start[at_s : at_s + valves] * nudge * biases["unit"][i]
                sim.state[at_u : at_u + valves] += late
            assert settle(plan, sim.state, sim.workspace)
            sim.advance(1)
            _shifted(sim, biases, i, -nudge)
            return np.asarray(sim.state[places] / units)

        before = _columns(sim, biases, start)
        sim.state[:] = start
        sim.advance(1)
        after = _columns(sim, biases, sim.state)
        drives = (before[:n, n + i] + after[:n, n + i]) * DT / 2
        ours = np.linalg.solve(np.eye(n) - DT / 2 * after[:n, :n], drives)
        theirs = (stepped(NUDGE) - stepped(-NUDGE)) / (2 * NUDGE)
        assert np.linalg.norm(theirs) > 1e-6, "the cause must act where it is tested"
        assert np.linalg.norm(ours - theirs) < 1e-3 * np.linalg.norm(theirs), (kind, ours, theirs)


@pytest.mark.parametrize("name", MACHINES)
def test_channels_depend_on_causes_as_their_rows_say(name: str) -> None:
    """Flows and powers that have a virtual sensor."""
    sim, biases = _worn(name)
    n, start = int(sim.plan.head[0]["states"]), sim.state.copy()
    rows = _columns(sim, biases, start)[n:]
    for i in np.flatnonzero(np.isin(biases["kind"], [DELIVERY, DEAD_BAND, LEAKAGE])):
        found = []
        for nudge in (NUDGE, -NUDGE):
            _shifted(sim, biases, int(i), nudge)
            sim.state[:] = start
            found.append(sim.read().copy())
            _shifted(sim, biases, int(i), -nudge)
        theirs = (found[0] - found[1]) / (2 * NUDGE)
        for k, channel in enumerate(sim.channels):
            if channel.quantity in ("flow", "power"):
                size = max(abs(theirs[k]), 1e-9 if channel.quantity == "flow" else 1e-2)
                assert abs(rows[k, n + i] - theirs[k]) < 1e-4 * size + 1e-9, (channel.name, i)
