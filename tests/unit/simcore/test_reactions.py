"""Forces in joints, pins and sections against closed forms, MuJoCo and the laws of every single body."""

import math
from dataclasses import replace

import mujoco
import mujoco_twin
import numpy as np
import pytest
from body_balance import misses, watch
from oil_rigs import arm, rig
from spatial_machines import LOOPS, any_tree, closed_by, machine_of

from simcore import Simulation, registry
from simcore.errors import BadMachine
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.model.elements import (
    Fixed,
    Floating,
    JointSpring,
    Mount,
    Output,
    Revolute,
    Section,
    Spherical,
    Spring,
    Universal,
)
from simcore.model.quantity import Vector, assumed, place
from simcore.run.engine import Engine
from simcore.run.joint_loads import JointLoads

G = 9.81
DOWN = Vector((0.0, -G, 0.0), "m/s²", "assumed")
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def _pendulum(angle: float, rate: float, mass: float = 12.0):
    bar = arm("bar", mass, angle)
    return machine_of([replace(bar, joint=replace(bar.joint, rate=assumed(rate, "rad/s")))], gravity=DOWN)


@pytest.mark.parametrize("angle", [-math.pi / 2, -0.6, 0.9])
def test_a_pendulum_pulls_with_weight_and_speed(angle: float) -> None:
    """Along the bar m g cos + m ω² r; across it m g sin less m r α with α = g sin r/(k² + r²)."""
    m, r, rate = 12.0, 0.5, 2.5
    engine = Engine(_pendulum(angle, rate, m), 1e-3)
    (load,) = JointLoads(engine).read()
    fall = -m * G * math.cos(angle) * r / (m / 12 + m * r * r)
    along = m * G * math.sin(angle) - m * rate**2 * r
    sideways = m * G * math.cos(angle) + m * fall * r
    assert load["force"] == pytest.approx([along, sideways, 0.0], rel=1e-9, abs=1e-9)
    assert load["radial"] == pytest.approx(math.hypot(along, sideways), rel=1e-9)
    assert [load[k] for k in ("axial", "across", "about")] == pytest.approx([0, 0, 0], abs=1e-9)


def test_joints_of_a_hanging_chain_carry_the_weight_below() -> None:
    masses = [3.0, 5.0, 2.0, 7.0]
    bodies = []
    for i, mass in enumerate(masses):
        link = arm(f"link {i}", mass, -math.pi / 2 if i == 0 else 0.0, (0, 0, 0) if i == 0 else (1.0, 0, 0))
        joint = link.joint if i == 0 else replace(link.joint, parent=f"link {i - 1}")
        bodies.append(replace(link, joint=joint))
    loads = JointLoads(Engine(machine_of(bodies, gravity=DOWN), 1e-3)).read()
    below = G * np.cumsum(masses[::-1])[::-1]
    assert loads["radial"] == pytest.approx(below, rel=1e-12)
    assert loads["force"][:, 0] == pytest.approx(-below, rel=1e-12)


def test_a_boom_on_a_cylinder_is_held_by_three_forces_through_one_point() -> None:
    """At rest the pin's force closes the triangle of weight and rod, and passes through where they meet."""
    angle, mass = 0.4, 200.0
    tip = np.array([math.cos(angle), math.sin(angle), 0.0])
    base, rod, centre = np.array([0.5, -1.0, 0.0]), 0.5 * tip, 0.3 * tip
    along = (rod - base) / np.linalg.norm(rod - base)
    weight = np.array([0.0, -mass * G, 0.0])
    push = -np.cross(centre, weight)[2] / np.cross(rod, along)[2]
    area = math.pi * 0.063**2 / 4
    area_b = area - math.pi * 0.036**2 / 4
    machine = rig()
    held = (push + 5e5 * area_b) / area
    volumes = tuple(replace(v, start=assumed(held, "Pa")) if v.name == "base" else v for v in machine.volumes)
    boom = replace(arm("arm", mass, angle), centre=place(0.3, 0, 0))
    engine = Engine(replace(machine, bodies=(boom,), volumes=volumes), 1e-3)
    asked = JointLoads(engine)
    loads = asked.read()
    pin = loads[asked.pin("joint", "arm")]
    turn = np.array([[tip[0], -tip[1], 0], [tip[1], tip[0], 0], [0, 0, 1]])
    force = turn @ pin["force"]
    assert force == pytest.approx(-weight - push * along, rel=1e-6, abs=1e-3)
    meet = rod + along * (centre[0] - rod[0]) / along[0]
    assert abs(np.cross(meet, force)[2]) < 1e-6 * np.linalg.norm(meet) * np.linalg.norm(force)
    assert pin["about"] == pytest.approx(0.0, abs=1e-3)
    assert turn @ loads[asked.pin("rod", "cylinder")]["force"] == pytest.approx(
        push * along, rel=1e-6, abs=1e-3
    )
    assert loads[asked.pin("base", "cylinder")]["radial"] == pytest.approx(push, rel=1e-6)


def _mujoco_loads(machine) -> dict[str, np.ndarray]:
    """Force and torque sensors at the origin of every body, in its axes."""
    twin = mujoco_twin.Twin(machine)
    specification = mujoco.MjSpec.from_string(twin.text)
    for body in machine.bodies:
        specification.body(body.name).add_site(name=body.name)
        for kind in (mujoco.mjtSensor.mjSENS_FORCE, mujoco.mjtSensor.mjSENS_TORQUE):
            specification.add_sensor(type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=body.name)
    model = specification.compile()
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = twin.data.qpos, twin.data.qvel
    mujoco.mj_forward(model, data)
    return {b.name: data.sensordata[6 * k : 6 * k + 6].copy() for k, b in enumerate(machine.bodies)}


@pytest.mark.parametrize("seed", range(10))
def test_joints_and_welds_of_random_trees_carry_what_mujoco_says(seed: int) -> None:
    machine = any_tree(7, seed)
    theirs = _mujoco_loads(machine)
    welded = [b for b in machine.bodies if isinstance(b.joint, Fixed)]
    laden = {b.joint.parent for b in welded}
    sections = []
    for b in welded:
        if b.name not in laden and b.joint.parent != "ground" and _moves(machine, b.name):
            children = tuple(c.name for c in machine.bodies if c.joint.parent == b.name)
            outboard = b.mass, b.centre, b.inertia
            sections.append(Section(b.name, b.name, place(0, 0, 0), X, Y, Z, *outboard, children))
    asked = JointLoads(Engine(machine, 1e-3), sections)
    loads = asked.read()
    size = max(np.max(np.abs(wrench)) for wrench in theirs.values())
    for pin, load in zip(asked.pins, loads, strict=False):
        ours = np.concatenate([load["force"], load["moment"]])
        assert np.max(np.abs(ours - theirs[pin.element])) < 1e-9 * size, pin
    for section in sections:
        load = loads[asked.section(section.name)]
        ours = -np.concatenate([load["force"], load["moment"]])  # of the outboard part on the rest
        assert np.max(np.abs(ours - theirs[section.name])) < 1e-9 * size, section.name


def _moves(machine, name: str) -> bool:
    joints = {b.name: b.joint for b in machine.bodies}
    while name != "ground":
        if not isinstance(joints[name], Fixed):
            return True
        name = joints[name].parent
    return False


@pytest.mark.parametrize("kind", LOOPS)
@pytest.mark.parametrize(
    "way", [("penalty", "trapezoidal"), ("double-step", "trapezoidal"), ("index1", "rk4")]
)
def test_every_body_of_a_spatial_loop_obeys_newton_and_euler(kind: type, way: tuple[str, str]) -> None:
    """Loop forces act on both bodies: each alone must balance."""
    tree = any_tree(5, 21, (Universal, Revolute, Spherical), chain=True)
    machine = closed_by(tree, kind, "b1", "b4", 3)
    worst = []
    for dt in (4e-4, 2e-4):
        sim = Simulation(machine, dt=dt, formulation=way[0], integrator=way[1])
        sim.advance(round(0.02 / dt) - 2)
        asked = JointLoads(sim)
        moment = watch(sim, asked)
        size = np.max(moment.loads["radial"])
        left = misses(machine, moment, asked, dt)
        worst.append(max(float(np.max(np.abs(miss))) for miss in left.values()) / size)
    assert worst[1] < 1e-3
    assert worst[1] < 0.5 * worst[0] + 1e-6


def test_half_a_turning_bar_pulls_at_its_middle() -> None:
    """Tension m/2 (ω² 3/4 l + g sin), shear and bending of the outer half."""
    m, angle, rate = 12.0, -0.6, 3.0
    inertia = Vector((0.0, m / 2 * 0.25 / 12, m / 2 * 0.25 / 12), "kg m²", "assumed")
    half = assumed(m / 2, "kg"), place(0.75, 0, 0), inertia
    section = Section("middle", "bar", place(0.5, 0, 0), X, Y, Z, *half)
    root = Section(
        "root",
        "bar",
        place(0, 0, 0),
        X,
        Y,
        Z,
        assumed(m, "kg"),
        place(0.5, 0, 0),
        Vector((0.01, m / 12, m / 12), "kg m²", "assumed"),
    )
    asked = JointLoads(Engine(_pendulum(angle, rate, m), 1e-3), [section, root])
    loads = asked.read()
    fall = -m * G * math.cos(angle) * 0.5 / (m / 3)
    load = loads[asked.section("middle")]
    tension = -m / 2 * (G * math.sin(angle) - rate**2 * 0.75)
    shear = -m / 2 * (G * math.cos(angle) + 0.75 * fall)
    bending = 0.25 * shear - m / 2 * 0.25 / 12 * fall
    assert load["force"] == pytest.approx([tension, shear, 0], rel=1e-9, abs=1e-9)
    assert load["moment"] == pytest.approx([0, 0, bending], rel=1e-9, abs=1e-9)
    assert loads[asked.section("root")]["force"] == pytest.approx(-loads[0]["force"], rel=1e-9, abs=1e-9)


def test_a_section_around_all_of_a_boom_carries_what_its_pin_does() -> None:
    """Cylinders, child, loop and mass declared outboard: the whole boom and the whole rocker hang on it."""
    machine = registry.get("excavator").build(soil="none")
    bodies = {b.name: b for b in machine.bodies}

    def whole(name: str, **attached: tuple[str, ...]) -> Section:
        b = bodies[name]
        return Section(name, name, place(0, 0, 0), Y, Z, X, b.mass, b.centre, b.inertia, **attached)

    sections = [
        whole("boom", carries=("dipper",), cylinders=("boom", "boom right", "dipper")),
        whole("rocker", carries=("link",), cylinders=("bucket",)),
        whole("link", loops=("bucket pin",)),
    ]
    sim = Simulation(machine)
    sim.advance(200, {"boom.command": 5.0, "swing.command": 5.0, "bucket.command": 4.0})
    asked = JointLoads(sim, sections)
    loads = asked.read()
    for name in ("boom", "rocker", "link"):
        pin, cut = loads[asked.pin("joint", name)], loads[asked.section(name)]
        for part in ("force", "moment"):
            turned = -pin[part][[1, 2, 0]]  # into the section's axes
            assert cut[part] == pytest.approx(turned, rel=1e-9, abs=1e-6 * pin["radial"]), (name, part)


def test_a_spring_outboard_of_a_section_counts() -> None:
    bar = _pendulum(-math.pi / 2, 0.0)
    ends = Mount("ground", place(0, -2.0, 0)), Mount("bar", place(1.0, 0, 0))
    spring = Spring("spring", *ends, assumed(100.0, "N/m"), assumed(0.0, "N s/m"), assumed(0.4, "m"))
    cut = Section("tip", "bar", place(0.9, 0, 0), X, Y, Z, links=("spring",))
    asked = JointLoads(Engine(replace(bar, links=(spring,)), 1e-3), [cut])
    loads = asked.read()
    assert loads[asked.section("tip")]["force"] == pytest.approx([60.0, 0, 0], abs=1e-9)
    assert loads[0]["force"][0] == pytest.approx(-12.0 * G - 60.0, rel=1e-12)


def test_a_hinge_passes_on_no_moment_but_that_of_its_damper() -> None:
    """Virtual power: along its freedom a joint does no work, except what acts in the joint itself."""
    tree = any_tree(5, 3, (Revolute,))
    damper = JointSpring(
        "damper", "b2", assumed(3.0, "N m/rad"), assumed(2.0, "N m s/rad"), assumed(0.1, "rad")
    )
    engine = Engine(replace(tree, links=(damper,)), 1e-3)
    asked = JointLoads(engine)
    loads = asked.read()
    z, v = engine.state[:5], engine.state[engine.plan.head[0]["at_v"] :][:5]
    expected = np.zeros(5)
    expected[2] = -3.0 * (z[2] - 0.1) - 2.0 * v[2]
    assert loads["about"] == pytest.approx(expected, abs=1e-9 * np.max(loads["across"]))


def test_a_floating_body_has_no_pin() -> None:
    machine = any_tree(4, 8, (Floating, Spherical), chain=True)
    held = [b.name for b in machine.bodies if isinstance(b.joint, Spherical)]
    assert 0 < len(held) < 4
    assert [p.element for p in JointLoads(Engine(machine, 1e-3)).pins] == held


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"body": "ground"}, "a body that can move"),
        ({"axis_z": (0.0, 0.0, -1.0)}, "right-handed"),
        ({"mass": assumed(1.0, "kg")}, "needs a centre"),
        ({"carries": ("bar",)}, "does not carry 'bar'"),
        ({"cylinders": ("lift",)}, "refers to cylinder 'lift'"),
    ],
)
def test_an_impossible_section_is_refused(change: dict, reason: str) -> None:
    section = replace(Section("cut", "bar", place(0, 0, 0), X, Y, Z), **change)
    with pytest.raises(BadMachine, match=reason):
        JointLoads(Engine(_pendulum(0.0, 0.0), 1e-3), [section])


def _watched():
    machine = registry.get("excavator").build(soil="none")
    more = (
        Output("boom.pin", "Boom pin", "reaction", "boom", "model"),
        Output("linkage.pin", "Linkage pin", "loop_reaction", "bucket pin", "model"),
        Output("dipper.rod-pin", "Dipper rod pin", "rod_reaction", "dipper", "model"),
    )
    return replace(machine, outputs=(*machine.outputs, *more))


PINS = {
    "boom.pin": ("joint", "boom"),
    "linkage.pin": ("loop", "bucket pin"),
    "dipper.rod-pin": ("rod", "dipper"),
}


def test_channels_read_what_the_pins_carry() -> None:
    sim = Simulation(_watched())
    run = sim.run(0.3, {"boom.command": 4.0, "bucket.command": 4.0})
    asked = JointLoads(sim)
    loads = asked.read()
    for name, (kind, element) in PINS.items():
        expected = float(loads[asked.pin(kind, element)]["radial"])
        assert expected > 100.0
        assert sim.outputs()[name] == pytest.approx(expected, rel=1e-12)
        assert run[name][-1] == pytest.approx(expected, rel=1e-9)
        assert next(c.unit for c in sim.channels if c.name == name) == "N"


def test_a_twin_reads_reactions_without_uncertainty() -> None:
    twin = LiveTwin(_watched())
    twin.advance(20)
    twin.correct({"boom.p_A": twin.values()[twin.engine.index["boom.p_A"]]})
    at = [twin.engine.index[name] for name in PINS]
    assert np.all(twin.values()[at] > 100.0)
    assert np.all(np.isnan(twin.sigmas()[at]))
    assert np.all(twin.sigmas()[[twin.engine.index["boom.angle"]]] > 0.0)


def test_a_reaction_is_the_model_s_word_only() -> None:
    machine = registry.get("excavator").build(soil="none")
    assert Engine(machine, 1e-3).plan.head[0]["reactions"] == 0
    for wrong in (
        Output("boom.pin", "Boom pin", "reaction", "boom", "estimate"),
        Output("load.pin", "Load pin", "reaction", "load", "model"),
    ):
        with pytest.raises(BadMachine, match=r"role model|refers to 'load'"):
            Engine(replace(machine, outputs=(*machine.outputs, wrong)), 1e-3)
