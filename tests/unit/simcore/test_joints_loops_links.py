"""Welds, springs, forces, redundant loops, new partitions, and machines that are refused."""

import math
from dataclasses import replace

import numpy as np
import pytest
from body_balance import misses, watch
from scipy.integrate import solve_ivp
from spatial_machines import any_body, any_joint, any_tree, machine_of

from simcore import registry
from simcore.errors import BadMachine, SimcoreError
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.model.checks import check
from simcore.model.elements import (
    GROUND,
    Body,
    CutRevolute,
    Fixed,
    JointSpring,
    Machine,
    Mount,
    Prismatic,
    Push,
    Revolute,
    Rod,
    Spherical,
    Spring,
    Twist,
)
from simcore.model.geometry import point, poses
from simcore.model.quantity import Tensor, Vector, assumed, place
from simcore.model.tree import expand
from simcore.run.engine import Engine
from simcore.run.joint_loads import JointLoads
from simcore.run.simulation import Simulation

WEIGHTLESS = Vector((0.0, 0.0, 0.0), "m/s²", "assumed")
X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def _one(joint: Prismatic | Revolute, mass: float = 2.0, **changes: object) -> Machine:
    body = replace(any_body("body", joint, np.random.default_rng(0)), mass=assumed(mass, "kg"))
    body = replace(body, centre=place(0, 0, 0), inertia=Vector((0.5, 0.5, 0.5), "kg m²", "assumed"))
    return machine_of([body], **({"gravity": WEIGHTLESS} | changes))


def _slide(start: float = 0.0) -> Prismatic:
    return Prismatic(GROUND, place(0, 0, 0), X, assumed(start, "m"), assumed(0.0, "m/s"))


def _hinge() -> Revolute:
    return Revolute(GROUND, place(0, 0, 0), Z, assumed(0.0, "rad"), assumed(0.0, "rad/s"))


def _run(machine: Machine, t: float, integrator: str = "rk4", dt: float = 1e-3) -> np.ndarray:
    sim = Simulation(machine, dt=dt, integrator=integrator)
    sim.advance(round(t / dt))
    return sim.coordinates()


@pytest.mark.parametrize("integrator", ["rk4", "trapezoidal"])
@pytest.mark.parametrize("in_joint", [True, False])
def test_a_mass_on_a_spring_and_damper_follows_its_closed_form(integrator: str, in_joint: bool) -> None:
    k, c, m, x0 = 200.0, 3.0, 2.0, 0.1
    numbers = assumed(k, "N/m"), assumed(c, "N s/m")
    link: JointSpring | Spring
    if in_joint:
        link = JointSpring("spring", "body", *numbers, assumed(0.0, "m"))
    else:
        wall, end = Mount(GROUND, place(-1, 0, 0)), Mount("body", place(0, 0, 0))
        link = Spring("spring", wall, end, *numbers, assumed(1.0, "m"))
    found = _run(_one(_slide(x0), links=(link,)), 0.5, integrator)[0]
    decay = c / (2 * m)
    w = math.sqrt(k / m - decay**2)
    exact = x0 * math.exp(-decay * 0.5) * (math.cos(w * 0.5) + decay / w * math.sin(w * 0.5))
    assert found == pytest.approx(exact, abs=1e-9 if integrator == "rk4" else 1e-5)


def test_constant_forces_and_torques_give_the_acceleration_they_should() -> None:
    force = Vector((6.0, 1.0, 0.0), "N", "assumed")
    push = Push("push", GROUND, Mount("body", place(0.3, 0.2, 0)), force, GROUND)
    assert _run(_one(_slide(), links=(push,)), 0.5)[0] == pytest.approx(0.5 * 3.0 * 0.25, abs=1e-12)
    twist = Twist("twist", GROUND, "body", Vector((0.0, 0.0, 2.0), "N m", "assumed"), GROUND)
    assert _run(_one(_hinge(), links=(twist,)), 0.5)[0] == pytest.approx(0.5 * 4.0 * 0.25, abs=1e-12)


def test_a_force_that_follows_its_body_keeps_its_lever() -> None:
    arm = Mount("body", place(0.4, 0, 0))
    across = Vector((0.0, 5.0, 0.0), "N", "assumed")
    follower = _one(_hinge(), links=(Push("push", GROUND, arm, across, "body"),))
    assert _run(follower, 1.0)[0] == pytest.approx(0.5 * 4.0, abs=1e-10)
    constant = _one(_hinge(), links=(Push("push", GROUND, arm, across, GROUND),))
    exact = solve_ivp(lambda _, y: [y[1], 4.0 * math.cos(y[0])], (0, 1), [0, 0], rtol=1e-11, atol=1e-12)
    assert _run(constant, 1.0)[0] == pytest.approx(exact.y[0, -1], abs=1e-8)


def _welded(seed: int) -> Machine:
    """A weld in the middle of a chain, turned, with a ball behind it."""
    random = np.random.default_rng(seed)
    kinds = (Revolute, Fixed, Spherical, Fixed, Revolute)
    bodies: list[Body] = []
    for i, kind in enumerate(kinds):
        parent = f"b{i - 1}" if i else GROUND
        bodies.append(any_body(f"b{i}", any_joint(kind, parent, random), random))
    return machine_of(bodies)


def test_points_and_poses_of_welded_bodies_are_carried_over() -> None:
    machine = _welded(3)
    sim = Simulation(machine, dt=1e-3, integrator="rk4")
    sim.advance(100)
    sim.read()
    tree, where = expand(machine), poses(machine, sim.coordinates())
    for body in machine.bodies:
        index, at = tree.mount(Mount(body.name, place(0.3, -0.2, 0.1)))
        here = sim.workspace.bodies[index]
        ours = here["origin"] + here["rotation"] @ np.array(at) + tree.origin
        assert np.allclose(ours, point(where, Mount(body.name, place(0.3, -0.2, 0.1))), atol=1e-10), body.name


def _three_cranks() -> Machine:
    """A beam on three equal parallel cranks: one crank more than it needs."""
    across = Vector((0.0, 1 / 12, 1 / 12), "kg m²", "assumed")
    start = assumed(0.5, "rad")

    def body(name: str, parent: str, x: float, angle: object, y: float = 0.0) -> Body:
        joint = Revolute(parent, place(x, y, 0), Z, angle, assumed(0.0, "rad/s"))  # type: ignore[arg-type]
        shape = registry.get("chain").build().bodies[0].shapes
        return Body(name, joint, assumed(1.0, "kg"), place(0.5, 0, 0), across, shape)

    crank = body("crank", GROUND, 0, start)
    beam = replace(body("beam", "crank", 1, assumed(-0.5, "rad")), centre=place(1, 0, 0))
    down = assumed(0.5 + math.pi, "rad")
    others = [body("second", "beam", 1, down), body("third", "beam", 2, down)]
    loops = tuple(
        CutRevolute(f"{o.name} foot", Mount(GROUND, place(x, 0, 0)), Mount(o.name, place(1, 0, 0)), Z, Z)
        for o, x in zip(others, (1, 2), strict=True)
    )
    gravity = Vector((0.0, -9.81, 0.0), "m/s²", "assumed")
    return machine_of([crank, beam, *others], gravity=gravity, loops=loops)


@pytest.mark.parametrize("way", [("penalty", "trapezoidal"), ("penalty", "damped"), ("index1", "rk4")])
def test_redundant_loops_move_as_the_pendulum_they_are(way: tuple[str, str]) -> None:
    sim = Simulation(_three_cranks(), dt=1e-3, integrator=way[1], formulation=way[0])
    assert sim.plan.head[0]["redundant"] == 1
    sim.advance(500)
    inertia, lever = 3 * (1 / 12 + 1 / 4) + 1.0, 3 * 0.5 + 1.0
    exact = solve_ivp(
        lambda _, y: [y[1], -9.81 * lever / inertia * math.cos(y[0])],
        (0, 0.5),
        [0.5, 0.0],
        rtol=1e-10,
        atol=1e-12,
    )
    assert sim.coordinates()[0] == pytest.approx(exact.y[0, -1], abs=1e-6 if way[1] == "rk4" else 1e-5)


def test_redundant_pins_share_a_load_that_moves_every_body_rightly() -> None:
    """How they share it is not determined, but each body alone must balance."""
    machine, dt = _three_cranks(), 5e-4
    sim = Simulation(machine, dt=dt)
    sim.advance(100)
    asked = JointLoads(sim)
    moment = watch(sim, asked)
    for name, miss in misses(machine, moment, asked, dt).items():
        assert np.max(np.abs(miss)) < 1e-3 * np.max(moment.loads["radial"]), name


def test_redundant_loops_are_refused_by_name_where_they_cannot_be_taken() -> None:
    for integrator in ("trapezoidal", "rk4"):
        with pytest.raises(
            SimcoreError, match=r"double-step does not support redundant.*'second foot', 'third foot'"
        ):
            Simulation(_three_cranks(), integrator=integrator, formulation="double-step")
    with pytest.raises(SimcoreError, match="the filter does not support redundant"):
        LiveTwin(_three_cranks())


def test_a_bad_choice_of_coordinates_is_left_before_it_becomes_singular() -> None:
    case = registry.get("four-bar-free")
    good = case.build(crank_rate=12.0)
    ends = []
    for independent, dt in (("crank", 5e-4), ("rocker", 5e-4), ("crank", 2.5e-4), ("rocker", 2.5e-4)):
        machine = replace(good, independent=(independent,))
        engine = Engine(good, 1e-3)  # consistent velocities for both
        head = engine.plan.head[0]
        rates = engine.state[head["at_v"] : head["at_a"]]
        bodies = tuple(
            replace(b, joint=replace(b.joint, rate=assumed(float(v), "rad/s")))
            for b, v in zip(machine.bodies, rates, strict=True)
        )
        sim = Simulation(replace(machine, bodies=bodies), dt=dt, formulation="double-step")
        sim.advance(round(1.0 / dt))
        ends.append(sim)
    angles = [float(sim.coordinates()[0]) for sim in ends]
    # the rule errs differently on each choice, and less with the square of the step
    assert abs(angles[0] - angles[1]) < 1e-3
    assert abs(angles[2] - angles[3]) < 0.35 * abs(angles[0] - angles[1])
    assert abs(ends[0].coordinates()[0]) > 2 * math.pi  # both passed the rocker's dead points
    assert ends[1].plan.bodies["free"][3] == 0
    assert ends[1].workspace.bodies["free"][3] == -1


def test_independent_coordinates_are_found_by_pivoting_when_none_is_named() -> None:
    machine = replace(registry.get("four-bar-free").build(), independent=())
    free = Simulation(machine).plan.bodies["free"]
    assert int(np.sum(free >= 0)) == 1


@pytest.mark.parametrize(
    ("way", "message"),
    [
        (
            ("penalty", "rk4"),
            "penalty cannot be used with integrator rk4; use one of these integrators: trapezoidal, damped",
        ),
        (
            ("index1", "damped"),
            "index1 cannot be used with integrator damped; use one of these integrators: rk4",
        ),
        (("exact", "rk4"), "unknown formulation 'exact'; known: penalty, double-step, index1"),
    ],
)
def test_combinations_that_do_not_exist_are_refused(way: tuple[str, str], message: str) -> None:
    with pytest.raises(SimcoreError, match=message):
        Simulation(registry.get("four-bar-free").build(), integrator=way[1], formulation=way[0])


def _bad(**changes: object) -> Machine:
    machine = any_tree(3, 2)
    return replace(machine, bodies=(*machine.bodies[:2], replace(machine.bodies[2], **changes)))


def test_bodies_and_joints_that_cannot_be_are_refused_by_name() -> None:
    six = (1.0, 1.0, 1.0, 2.0, 0.0, 0.0)
    with pytest.raises(BadMachine, match="body 'b2': principal moments -1"):
        check(_bad(inertia=Tensor(six, "kg m²", "assumed")))
    with pytest.raises(BadMachine, match=r"b2\.inertia .* must be finite"):
        check(_bad(inertia=Tensor((math.nan, *six[1:]), "kg m²", "assumed")))
    zero = Revolute("b0", place(0, 0, 0), (0.0, 0.0, 0.0), assumed(0, "rad"), assumed(0, "rad/s"))
    with pytest.raises(BadMachine, match=r"b2\.joint\.axis = .* must be a unit vector"):
        check(_bad(joint=zero))
    with pytest.raises(BadMachine, match=r"b2\.mass = -1 kg"):
        check(_bad(mass=assumed(-1.0, "kg")))
    loose = replace(zero, axis=Z)
    nothing = Vector((0.0, 0.0, 0.0), "kg m²", "assumed")
    with pytest.raises(BadMachine, match="body 'b2' can move without moving any mass"):
        check(_bad(joint=loose, mass=assumed(0.0, "kg"), inertia=nothing))


def test_loops_and_links_that_cannot_be_are_refused_by_name() -> None:
    machine = any_tree(3, 2)
    ends = Mount("b0", place(0, 0, 0)), Mount("b2", place(0, 0, 0))
    with pytest.raises(BadMachine, match="loop 'stay' of 'machine' does not close"):
        check(
            replace(machine, loops=(Rod("stay", Mount(GROUND, place(90, 0, 0)), ends[1], assumed(1, "m")),))
        )
    numbers = assumed(1.0, "N/m"), assumed(0.0, "N s/m"), assumed(1.0, "m")
    with pytest.raises(BadMachine, match="link 'spring' refers to 'b9', which does not exist"):
        check(replace(machine, links=(Spring("spring", Mount("b9", place(0, 0, 0)), ends[1], *numbers),)))
    with pytest.raises(BadMachine, match=r"spring\.stiffness = nan N/m"):
        check(replace(machine, links=(Spring("spring", *ends, assumed(math.nan, "N/m"), *numbers[1:]),)))
    ball = any_tree(2, 2, (Spherical,))
    spring = JointSpring(
        "stiff ball", "b1", assumed(1, "N m/rad"), assumed(0, "N m s/rad"), assumed(0, "rad")
    )
    with pytest.raises(BadMachine, match="link 'stiff ball': the joint of 'b1' has 3 coordinates"):
        check(replace(ball, links=(spring,)))
