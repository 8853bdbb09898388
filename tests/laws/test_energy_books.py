"""The energy books of any machine close, and no passive element creates energy."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import Run, Simulation, registry
from simcore.formulation.evaluate import evaluate
from simcore.model.elements import GROUND, Floating, JointSpring, Link, Machine, Mount, Push, Spring, Twist
from simcore.model.quantity import Vector, assumed, place
from simcore.multibody.dynamics import mechanical_energy
from tests.unit.simcore.oil_rigs import rig
from tests.unit.simcore.spatial_machines import JOINTS, LOOPS, any_tree, closed_by

seeds = st.integers(0, 10_000)
few = settings(max_examples=8, deadline=None, derandomize=True)
MOVING = tuple(kind for kind in JOINTS if kind is not Floating)
SPRING = "spring", Mount("b0", place(0.2, 0.1, -0.3)), Mount("b3", place(-0.1, 0.4, 0.2))


def _links(driven: bool) -> tuple[Link, ...]:
    """A spring with a damper and a damped joint; driven: a push, a follower and a torque as well."""
    passive = (
        Spring(*SPRING, assumed(50.0, "N/m"), assumed(4.0, "N s/m"), assumed(0.5, "m")),
        JointSpring("damped", "b1", assumed(0.0, "N m/rad"), assumed(0.7, "N m s/rad"), assumed(0.0, "rad")),
    )
    if not driven:
        return passive
    force, torque = Vector((3.0, -8.0, 5.0), "N", "assumed"), Vector((2.0, 1.0, -4.0), "N m", "assumed")
    return (
        *passive,
        Push("push", "b0", Mount("b2", place(0.3, 0.2, 0.1)), force, GROUND),
        Push("follower", GROUND, Mount("b3", place(0.0, 0.4, 0.0)), force, "b3"),
        Twist("twist", "b1", "b3", torque, "b1"),
    )


def _any_machine(seed: int, driven: bool) -> Machine:
    tree = replace(any_tree(5, seed, MOVING, chain=True), links=_links(driven))
    return closed_by(tree, LOOPS[seed % len(LOOPS)], "b1", "b4", seed) if seed % 2 else tree


def _scale(done: Run) -> float:
    kinetic, potential = done.energy["kinetic_J"], done.energy["potential_J"]
    return kinetic["max"] + potential["max"] - potential["min"] + 1.0


@few
@given(seed=seeds)
def test_the_books_of_any_mechanism_close_with_second_order(seed: int) -> None:
    machine = _any_machine(seed, driven=True)
    coarse, fine = (Simulation(machine, dt=dt).run(0.2) for dt in (2e-3, 5e-4))
    assert abs(fine.energy["left_over_J"]) < 1e-4 * _scale(fine)
    assert fine.energy["drift_max_J"] < 0.15 * coarse.energy["drift_max_J"] + 1e-8 * _scale(fine)
    assert set(fine.energy["elements"]["links"]) == {"spring", "damped", "push", "follower", "twist"}


@few
@given(seed=seeds)
def test_without_a_drive_a_mechanism_only_loses(seed: int) -> None:
    done = Simulation(_any_machine(seed, driven=False), dt=1e-3).run(0.2)
    elements = done.energy["elements"]["links"]
    assert elements["spring"]["lost_J"] >= 0.0
    assert elements["damped"]["lost_J"] >= 0.0
    assert done.energy["given_J"] == 0.0
    energies = done.energies
    mechanical = energies["kinetic"] + energies["potential"] + energies["elastic"]
    assert np.all(np.diff(mechanical) < 1e-4 * _scale(done))


@few
@given(seed=seeds)
def test_bodies_add_up_to_the_energy_that_the_dynamics_tell(seed: int) -> None:
    sim = Simulation(_any_machine(seed, driven=True), dt=1e-3)
    done = sim.run(0.05)
    evaluate(sim.plan, sim.state, sim.workspace)
    parts = sum(done.energy[f"{kind}_J"]["end"] for kind in ("kinetic", "potential", "elastic"))
    assert parts == pytest.approx(mechanical_energy(sim.plan, sim.workspace), rel=1e-12, abs=1e-12)
    bodies = done.energy["elements"]["bodies"].values()
    assert sum(b["kinetic_J"]["end"] for b in bodies) == pytest.approx(done.energy["kinetic_J"]["end"])
    assert sum(b["potential_J"]["max"] for b in bodies) >= done.energy["potential_J"]["max"] - 1e-9


drives = st.lists(
    st.tuples(st.integers(20, 200), st.floats(-10, 10), st.floats(0, 1)), min_size=1, max_size=4
)


@settings(max_examples=12, deadline=None, derandomize=True)
@given(drive=drives)
def test_the_books_of_a_whole_machine_close_into_its_end_dampers(
    drive: list[tuple[int, float, float]],
) -> None:
    steps, valve, pump = zip(*drive, strict=True)
    t = np.cumsum([0, *steps]) * 1e-3
    inputs = {"valve.command": (t[:-1], valve), "pump.command": (t[:-1], pump)}
    energy = Simulation(rig(), dt=2.5e-4).run(t[-1], inputs).energy
    turned_over = abs(energy["given_J"]) + energy["lost_J"] + energy["work_max_abs_J"] + 1.0
    assert abs(energy["left_over_J"]) < 5e-4 * turned_over
    cylinder = energy["elements"]["cylinders"]["cylinder"]
    assert cylinder["oil_J"] == pytest.approx(
        cylinder["rod_J"] + cylinder["stored_J"] + cylinder["lost_J"], abs=5e-4 * turned_over
    )
    pump_entry = energy["elements"]["pumps"]["pump"]
    assert pump_entry["given_J"] == pump_entry["shaft_J"] >= pump_entry["oil_J"] - 1e-9


@pytest.mark.parametrize("law", ["bengisu-akay", "brown-mcphee", "lugre", "modified-lugre"])
def test_a_seal_only_loses_and_bent_bristles_count_as_stored(law: str) -> None:
    machine = registry.get("four-bar-b").build(friction=law)
    coarse, fine = (
        Simulation(machine, dt=dt).run(3.0, {"valve.command": lambda t: 3.0 if t % 1.0 < 0.5 else -3.0})
        for dt in (1e-3, 2.5e-4)
    )
    cylinder = fine.energy["elements"]["cylinders"]["cylinder"]
    assert cylinder["seal_J"] > 0.0
    assert (abs(cylinder["stored_J"]) > 0.0) == (law in {"lugre", "modified-lugre"})
    assert abs(fine.energy["left_over_J"]) < 1e-3 * fine.energy["lost_J"]
    assert fine.energy["drift_max_J"] < coarse.energy["drift_max_J"]


def test_a_spring_gives_back_what_it_took() -> None:
    """A body on a spring: closed form, ½ k x₀² swings between spring and body."""
    machine = any_tree(1, 3, (JOINTS[1],))
    body = machine.bodies[0]
    joint = replace(body.joint, start=assumed(0.3, "m"), rate=assumed(0.0, "m/s"))
    spring = JointSpring("spring", body.name, assumed(80.0, "N/m"), assumed(0.0, "N s/m"), assumed(0.0, "m"))
    still = Vector((0.0, 0.0, 0.0), "m/s²", "assumed")
    machine = replace(machine, bodies=(replace(body, joint=joint),), links=(spring,), gravity=still)
    done = Simulation(machine, dt=1e-3).run(4.0)
    elastic = done.energy["elements"]["links"]["spring"]["elastic_J"]
    assert elastic["start"] == pytest.approx(0.5 * 80.0 * 0.3**2)
    assert elastic["max"] == pytest.approx(elastic["start"], rel=1e-4)
    assert done.energy["kinetic_J"]["max"] == pytest.approx(elastic["start"], rel=1e-4)
    assert elastic["min"] < 1e-3 * elastic["start"]
