"""Laws the engine keeps whatever the machine and the numbers."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import registry
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.formulation.evaluate import evaluate
from simcore.friction.brown_mcphee import brown_mcphee
from simcore.hydraulics.flow import edge_flow
from simcore.model.elements import Machine
from simcore.model.quantity import Vector, assumed
from simcore.multibody.dynamics import mechanical_energy
from simcore.run.engine import Engine
from simcore.run.simulation import Simulation

CASE = registry.get("four-bar-b")
MACHINE = CASE.build()

force = st.floats(0, 1e5)
speed = st.floats(-10, 10)


@settings(deadline=None)
@given(v=speed, coulomb=force, extra=force, stribeck=st.floats(1e-4, 1), viscous=st.floats(0, 1e4))
def test_friction_never_creates_energy(
    v: float, coulomb: float, extra: float, stribeck: float, viscous: float
) -> None:
    friction, _ = brown_mcphee(v, coulomb, coulomb + extra, stribeck, viscous)
    assert friction * v >= 0.0
    backwards, _ = brown_mcphee(-v, coulomb, coulomb + extra, stribeck, viscous)
    assert backwards == -friction


@settings(deadline=None)
@given(v=st.floats(-0.2, 0.2))
def test_friction_has_the_slope_it_says(v: float) -> None:
    h = 1e-7
    high, _ = brown_mcphee(v + h, 210.0, 830.0, 0.0125, 330.0)
    low, _ = brown_mcphee(v - h, 210.0, 830.0, 0.0125, 330.0)
    _, slope = brown_mcphee(v, 210.0, 830.0, 0.0125, 330.0)
    assert slope == pytest.approx((high - low) / (2 * h), rel=1e-4, abs=0.5)


@settings(deadline=None)
@given(drop=st.floats(-5e7, 5e7), coefficient=st.floats(0, 1e-5))
def test_an_orifice_never_pumps(drop: float, coefficient: float) -> None:
    flow, slope = edge_flow(drop, coefficient, 2e5)
    assert flow * drop >= 0.0
    assert slope >= 0.0


def test_flow_is_continuous_where_it_turns_laminar() -> None:
    assert edge_flow(2e5 * (1 - 1e-12), 1e-6, 2e5)[0] == pytest.approx(edge_flow(2e5, 1e-6, 2e5)[0], rel=1e-9)


def _swinging(speed: float = 0.5) -> Machine:
    """The mechanism alone, thrown and left to itself."""
    bare = replace(MACHINE, volumes=(), sources=(), orifices=(), valves=(), cylinders=(), outputs=())
    crank = bare.bodies[0]
    joint = replace(crank.joint, rate=assumed(speed, "rad/s"))
    return replace(bare, bodies=(replace(crank, joint=joint), *bare.bodies[1:]))


def _energy(engine: Engine) -> float:
    evaluate(engine.plan, engine.state, engine.workspace)
    return mechanical_energy(engine.plan, engine.workspace)


def _worst_energy_error(dt: float, integrator: str) -> float:
    sim = Simulation(_swinging(), dt=dt, integrator=integrator)
    start, worst = _energy(sim), 0.0
    for _ in range(20):
        sim.advance(round(0.05 / dt))
        worst = max(worst, abs(_energy(sim) - start))
    return worst


def test_energy_is_conserved_without_losses_to_second_order_in_the_step() -> None:
    coarse, fine = _worst_energy_error(4e-3, "trapezoidal"), _worst_energy_error(1e-3, "trapezoidal")
    assert fine < 1e-3  # J, of hundreds that are exchanged
    assert 10 < coarse / fine < 25


def test_the_explicit_integrator_conserves_energy_to_rounding() -> None:
    assert _worst_energy_error(1e-3, "rk4") < 1e-8


def test_the_implicit_step_converges_with_second_order() -> None:
    ends = {}
    for dt in (2e-3, 1e-3, 5e-4, 5e-5):
        sim = Simulation(CASE.build(), dt=dt)
        sim.advance(round(0.1 / dt))
        sim.advance(round(0.3 / dt), {"valve.command": 10.0})
        ends[dt] = sim.outputs()
    for name in ("crank.angle", "cylinder.p_B"):
        errors = [abs(ends[dt][name] - ends[5e-5][name]) for dt in (2e-3, 1e-3, 5e-4)]
        orders = [math.log2(a / b) for a, b in pairwise(errors)]
        assert all(1.7 < order < 2.4 for order in orders), (name, errors)


def test_implicit_and_explicit_integrators_agree() -> None:
    ends = []
    for dt, integrator in ((5e-4, "trapezoidal"), (1e-4, "rk4")):
        sim = Simulation(MACHINE, dt=dt, integrator=integrator)
        sim.advance(round(0.5 / dt), {"valve.command": 10.0})
        sim.advance(round(0.5 / dt), {"valve.command": -10.0})
        ends.append(sim.outputs())
    assert ends[0]["crank.angle"] == pytest.approx(ends[1]["crank.angle"], abs=5e-6)
    assert ends[0]["cylinder.p_A"] == pytest.approx(ends[1]["cylinder.p_A"], rel=2e-3)


def _turned(machine: Machine, axis: int) -> Machine:
    """The same machine in another plane: axes permuted everywhere they occur in the ground frame."""

    def roll(xyz: tuple[float, float, float]) -> tuple[float, float, float]:
        moved = np.roll(xyz, axis)
        return float(moved[0]), float(moved[1]), float(moved[2])

    def vector(v: Vector) -> Vector:
        return replace(v, xyz=roll(v.xyz))

    bodies = tuple(
        replace(
            b,
            joint=replace(b.joint, at=vector(b.joint.at), axis=roll(b.joint.axis)),
            centre=vector(b.centre),
            inertia=vector(b.inertia),
        )
        for b in machine.bodies
    )
    loops = tuple(
        replace(
            c,
            a=replace(c.a, at=vector(c.a.at)),
            b=replace(c.b, at=vector(c.b.at)),
            axis_a=roll(c.axis_a),
            axis_b=roll(c.axis_b),
        )
        for c in machine.loops
    )
    cylinders = tuple(
        replace(c, base=replace(c.base, at=vector(c.base.at)), rod=replace(c.rod, at=vector(c.rod.at)))
        for c in machine.cylinders
    )
    return replace(machine, gravity=vector(machine.gravity), bodies=bodies, loops=loops, cylinders=cylinders)


@pytest.mark.parametrize("axis", [1, 2])
def test_the_plane_a_machine_moves_in_does_not_matter(axis: int) -> None:
    ends = []
    for machine in (MACHINE, _turned(MACHINE, axis)):
        sim = Simulation(machine)
        sim.advance(300, {"valve.command": 10.0})
        ends.append(sim.outputs()["crank.angle"])
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(chunks=st.lists(st.integers(1, 40), min_size=1, max_size=6), cut=st.integers(0, 5))
def test_chunks_dumps_and_loads_change_no_bit(chunks: list[int], cut: int) -> None:
    whole, parts = LiveTwin(MACHINE), LiveTwin(MACHINE)
    sample = {"crank.angle": 1.05, "crank.rate": -0.01, "hose.p": 2.9e6, "valve.command": 6.0}
    for twin in (whole, parts):
        twin.correct(sample)
    whole.advance(sum(chunks))
    for k, chunk in enumerate(chunks):
        if k == cut:
            dump = parts.dump()
            parts = LiveTwin(MACHINE)
            parts.load(dump)
        parts.advance(chunk)
    assert parts.dump() == whole.dump()
    for twin in (whole, parts):
        twin.correct(sample)
        twin.advance(3)
    assert parts.dump() == whole.dump()
    assert np.array_equal(parts.values(), whole.values())


def test_reading_values_and_sigmas_changes_nothing() -> None:
    monitored, left_alone = LiveTwin(MACHINE), LiveTwin(MACHINE)
    for twin in (monitored, left_alone):
        twin.command({"valve.command": 5.0})
    for _ in range(10):
        monitored.advance(7)
        monitored.values()
        monitored.sigmas()
        monitored.diagnostics()
    left_alone.advance(70)
    assert monitored.dump() == left_alone.dump()
