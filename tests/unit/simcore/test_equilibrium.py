"""A solved equilibrium stays where it is."""

from dataclasses import replace

import oil_rigs
import pytest

from simcore import registry
from simcore.errors import BadMachine
from simcore.model.elements import Orifice
from simcore.model.equilibrium import at_rest, static_forces
from simcore.model.geometry import static_force
from simcore.model.plan import PILOTED
from simcore.model.quantity import assumed
from simcore.run.simulation import Simulation


@pytest.mark.parametrize("name", ["four-bar-a", "four-bar-b", "quick-return", "rahikainen-a", "rahikainen-b"])
def test_a_case_that_starts_in_equilibrium_stays_there(name: str) -> None:
    case = registry.get(name)
    sim = Simulation(case.build(start="equilibrium", friction="none"))
    before = sim.outputs()
    sim.advance(500)
    for channel, value in sim.outputs().items():
        if channel.endswith("angle"):
            assert value == pytest.approx(before[channel], abs=1e-8)


def test_forces_of_one_cylinder_are_those_of_virtual_work() -> None:
    machine = registry.get("four-bar-a").build()
    assert static_forces(machine)["cylinder"] == pytest.approx(static_force(machine), rel=1e-9)


def test_a_machine_with_a_counterbalance_valve_is_brought_to_rest() -> None:
    rig = oil_rigs.rig()
    line = replace(rig.volumes[1], start=assumed(1e5, "Pa"))
    machine = at_rest(replace(rig, volumes=(rig.volumes[0], line, *rig.volumes[2:])))
    sim = Simulation(machine, dt=1e-3)
    sim.advance(200)
    assert sim.outputs()["arm.angle"] == pytest.approx(0.1, abs=1e-5)
    assert float(machine.volumes[3].start) == 5e5
    assert machine.volumes[2].start.note == "holds the machine still"


def test_a_pulling_load_is_held_by_the_rod_side() -> None:
    rig = oil_rigs.rig()
    hung = replace(rig, gravity=replace(rig.gravity, xyz=(0.0, 9.81, 0.0)))
    line = replace(hung.volumes[1], start=assumed(1e5, "Pa"))
    still = at_rest(replace(hung, volumes=(hung.volumes[0], line, *hung.volumes[2:])))
    assert float(still.volumes[2].start) == pytest.approx(1e5)
    assert float(still.volumes[3].start) > 5e5
    sim = Simulation(still, dt=1e-3)
    assert abs(sim.state[sim.plan.head[0]["at_a"]]) < 1e-6


@pytest.mark.parametrize("name", ["loader-crane", "excavator"])
def test_no_oil_flows_into_the_chambers_of_a_machine_at_rest(name: str) -> None:
    """The crane's extension pulls: its piston chamber is as full as check valves make it."""
    sim = Simulation(registry.get(name).build(), 1e-3)
    head = sim.plan.head[0]
    chambers = {int(n) for c in sim.plan.cylinders for n in (c["node_a"], c["node_b"])}
    flows = [
        float(here["flow"])
        for edge, here in zip(sim.plan.edges, sim.workspace.edges, strict=True)
        if edge["kind"] == PILOTED and {int(edge["a"]), int(edge["b"])} & chambers
    ]
    assert len(flows) > 3
    assert flows == [0.0] * len(flows)
    assert sim.state[head["at_p"] : head["at_p"] + head["volumes"]].min() > 4e5


def test_a_joint_that_nothing_holds_is_named() -> None:
    rig = oil_rigs.rig()
    loose = replace(
        rig,
        bodies=(*rig.bodies, oil_rigs.arm("flap", 5.0, 0.3)),
        independent=("arm", "flap"),
    )
    with pytest.raises(BadMachine, match="no cylinder holds the joint of"):
        at_rest(loose)


def test_a_chamber_that_is_open_to_a_source_is_refused_with_both_pressures() -> None:
    rig = oil_rigs.rig()
    drain = Orifice("drain", "base", "tank", assumed(1e-6, "m²"), assumed(0.7, "-"), assumed(1e5, "Pa"))
    with pytest.raises(
        BadMachine, match=r"'cylinder' needs .* Pa in 'base' to be at rest, but the pressure there is 1e"
    ):
        at_rest(replace(rig, orifices=(drain,)))
