"""What every circuit keeps: closed energy books, no energy from passive parts, pressures above zero."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import registry
from simcore.estimate.biases import BIAS
from simcore.estimate.linearise.jacobian import jacobian_at
from simcore.formulation.evaluate import evaluate
from simcore.hydraulics.circuit import oil_softness
from simcore.hydraulics.flow import opened, pump_torque, smooth_flow
from simcore.model.compiler import compile
from simcore.model.elements import Machine
from simcore.model.quantity import assumed
from simcore.multibody.dynamics import mechanical_energy
from simcore.run.case_run import run
from simcore.run.simulation import Simulation
from tests.unit.simcore.oil_rigs import cylinder, flywheel_rig, metering_rig, rig, volume

RIG = rig()


commands = st.lists(
    st.tuples(st.integers(5, 60), st.floats(-10, 10), st.floats(0, 1)), min_size=1, max_size=5
)


@settings(max_examples=20, deadline=None)
@given(drive=commands)
def test_energy_books_close_to_rounding_and_no_passive_element_gives_energy(
    drive: list[tuple[int, float, float]],
) -> None:
    steps, valve, pump = zip(*drive, strict=True)
    t = np.cumsum([0, *steps]) * 1e-3
    done = Simulation(RIG, dt=1e-3).run(
        t[-1], {"valve.command": (t[:-1], valve), "pump.command": (t[:-1], pump)}
    )
    scale = abs(done.energy["given_J"]) + done.energy["lost_J"] + 1e-6
    assert abs(done.energy["oil_left_over_J"]) < 1e-12 * scale
    elements = done.energy["elements"]
    assert set(elements["resistances"]) == {"valve", "relief", "holding", "refill", "seal leak"}
    for entry in (*elements["resistances"].values(), *elements["pumps"].values()):
        assert entry["lost_J"] >= 0.0
        assert all(lost >= 0.0 for lost in entry.get("edges", {}).values())
    assert elements["cylinders"]["cylinder"]["end_damper_J"] >= 0.0


@settings(max_examples=25, deadline=None)
@given(drive=commands)
def test_no_pressure_falls_to_vapour_pressure(drive: list[tuple[int, float, float]]) -> None:
    sim = Simulation(RIG, dt=1e-3)
    head = sim.plan.head[0]
    for steps, u, x in drive:
        for _ in range(steps):
            sim.advance(1, {"valve.command": u, "pump.command": x})
            assert sim.state[head["at_p"] : head["at_p"] + 4].min() > 500.0


def _pulled(mass: float) -> Machine:
    """An arm that falls because its base side gives way, while the shut rod side is stretched."""
    relief = replace(RIG.elements[1], name="dump", a="base", setting=assumed(2e5, "Pa"))
    gap = replace(
        RIG.elements[4], name="gap", a="rod side", b="tank", conductance=assumed(1e-15, "m³/(s Pa)")
    )
    return rig(
        bodies=(replace(RIG.bodies[0], mass=assumed(mass, "kg")),),
        volumes=(volume("base", 1.5e5, 0.02), volume("rod side", 1.5e5, 0.02)),
        valves=(),
        elements=(relief, gap),
        cylinders=(cylinder("base", "rod side"),),
        outputs=RIG.outputs[:1],
    )


@settings(max_examples=15, deadline=None)
@given(mass=st.floats(200, 3000))
def test_a_stretched_volume_stays_above_vapour_pressure(mass: float) -> None:
    sim = Simulation(_pulled(mass), dt=1e-3)
    head, lowest = sim.plan.head[0], 1e9
    for _ in range(200):
        sim.advance(1)
        lowest = min(lowest, sim.state[head["at_p"] : head["at_p"] + 2].min())
    assert 500.0 < lowest < 1e5


@settings(deadline=None)
@given(p=st.floats(600, 5e7))
def test_air_softens_the_oil_the_more_the_lower_the_pressure(p: float) -> None:
    plan = compile(RIG)
    soft, slope = oil_softness(plan, 1.0, p)
    h = 1e-6 * p
    high, low = oil_softness(plan, 1.0, p + h)[0], oil_softness(plan, 1.0, p - h)[0]
    assert slope == pytest.approx((high - low) / (2 * h), rel=1e-4, abs=1e-22)
    assert slope < 0
    assert 1 / 1.4e9 + soft > 0


@settings(deadline=None)
@given(drop=st.floats(-5e7, 5e7), coefficient=st.floats(0, 1e-5), laminar=st.floats(1e3, 1e6))
def test_the_smooth_law_never_pumps_and_meets_root_and_line(
    drop: float, coefficient: float, laminar: float
) -> None:
    flow, slope = smooth_flow(drop, coefficient, laminar)
    assert flow * drop >= 0.0
    assert slope >= 0.0
    far = smooth_flow(1e4 * laminar, 1.0, laminar)[0]
    assert far == pytest.approx(math.sqrt(1e4 * laminar), rel=1e-8)
    assert smooth_flow(1e-4 * laminar, 1.0, laminar)[1] == pytest.approx(1 / math.sqrt(laminar), rel=1e-7)


@settings(deadline=None)
@given(
    stroke=st.floats(0, 1e-4),
    rise=st.floats(-5e7, 5e7),
    drag=st.floats(0, 5),
    speed=st.floats(-500, 500),
)
def test_a_pump_never_gives_more_than_its_shaft_takes(
    stroke: float, rise: float, drag: float, speed: float
) -> None:
    torque, _, _ = pump_torque(stroke, rise, drag, speed)
    given_to_oil = stroke * speed * rise
    assert torque * speed >= given_to_oil - 1e-12 * abs(given_to_oil) - 1e-300


def test_a_pump_at_its_rated_point_has_its_efficiencies() -> None:
    machine = rig()
    plan = compile(machine)
    pump, leak = plan.edges[4], plan.edges[5]
    flow = pump["coefficient"] * 150.0 - leak["coefficient"] * 2e7
    assert flow == pytest.approx(0.93 * 4e-6 * 150.0)
    torque, _, _ = pump_torque(4e-6, 2e7, float(pump["drag"]), 150.0)
    assert 4e-6 * 2e7 / torque == pytest.approx(0.9)


def test_a_flywheel_that_drives_a_pump_gives_what_the_oil_takes() -> None:
    machine = flywheel_rig()
    sim = Simulation(machine, dt=1e-3)
    before = mechanical_energy(sim.plan, sim.workspace)
    energy = sim.run(1.0).energy
    evaluate(sim.plan, sim.state, sim.workspace)
    given_away = before - mechanical_energy(sim.plan, sim.workspace)
    assert given_away > 1000.0
    assert energy["elements"]["pumps"]["pump"]["shaft_J"] == pytest.approx(given_away, rel=1e-5)
    assert energy["drift_max_J"] < 1e-4 * given_away
    assert energy["lost_J"] == pytest.approx(given_away, rel=1e-2)
    explicit = Simulation(machine, dt=1e-4, integrator="rk4")
    explicit.advance(10_000)
    assert explicit.outputs()["wheel.rate"] == pytest.approx(sim.outputs()["wheel.rate"], rel=1e-5)


def test_the_filter_knows_that_pressure_brakes_a_shaft() -> None:
    sim = Simulation(flywheel_rig(), dt=1e-3)
    slope = np.zeros((3 + len(sim.channels), 4))
    jacobian_at(sim.plan, np.zeros(0, dtype=BIAS), sim.state, sim.workspace, slope)
    assert slope[1, 2] == pytest.approx(-4e-6 / 0.9 * 1e6, rel=1e-6)  # rad/s² per MPa on 1 kg m²


def test_every_valve_edge_has_its_own_curve() -> None:
    plan = compile(RIG)
    edges = plan.edges
    for edge, sign, expected in ((0, 1, 5.1e-8), (1, 1, 3e-8 + 2.2e-7 / 3), (2, -1, 3e-8 + 2.2e-7 / 3)):
        assert opened(plan, edges[edge], np.array([4.0 * sign, 0.0]), 0.0) == pytest.approx(expected)
        assert opened(plan, edges[edge], np.array([-4.0 * sign, 0.0]), 0.0) == 0.0
    assert opened(plan, edges[3], np.array([-12.0, 0.0]), 0.0) == 2e-7


@pytest.mark.parametrize("load", [1e6, 5e6, 1.5e7])
def test_a_compensator_keeps_the_drop_over_the_meter(load: float) -> None:
    machine = metering_rig(setting=1e6)
    sources = (machine.sources[0], replace(machine.sources[1], pressure=assumed(load, "Pa")))
    sim = Simulation(replace(machine, sources=sources), dt=1e-3)
    sim.advance(1000, {"meter.command": 6.0})
    assert sim.outputs()["between.p"] - load == pytest.approx(1.1e6, abs=1e5)


def test_a_relief_valve_holds_the_supply_and_a_load_stays_where_it_is_held() -> None:
    sim = Simulation(RIG, dt=1e-3)
    sim.advance(1500, {"pump.command": 1.0})
    assert 1.8e7 < sim.outputs()["supply.p"] < 1.9e7
    angle = sim.outputs()["arm.angle"]
    sim.advance(1000, {"pump.command": 0.0})
    assert sim.outputs()["arm.angle"] == pytest.approx(angle, abs=2e-3)


def test_an_end_damper_stops_the_piston_inside_its_tube() -> None:
    sim = Simulation(RIG, dt=1e-3)
    sim.advance(3000, {"pump.command": 1.0, "valve.command": 10.0})
    here = sim.workspace.cylinders[0]
    assert 0.0 < here["chamber_b"] < 0.03
    assert abs(here["speed"]) < 1e-3


def test_a_single_acting_cylinder_breathes_from_its_source() -> None:
    machine = rig(cylinders=(cylinder("base", "tank"),), volumes=RIG.volumes)
    sim = Simulation(machine, dt=1e-3)
    sim.advance(300, {"pump.command": 1.0, "valve.command": 8.0})
    lifted = sim.outputs()["arm.angle"]
    explicit = Simulation(machine, dt=2e-5, integrator="rk4")
    explicit.advance(15_000, {"pump.command": 1.0, "valve.command": 8.0})
    assert lifted == pytest.approx(explicit.outputs()["arm.angle"], abs=1e-4)


def test_the_assembled_tangent_leads_to_the_differenced_solution() -> None:
    ends = []
    for integrator in ("trapezoidal", "trapezoidal-reference"):
        machine = replace(RIG, solver=replace(RIG.solver, spool="euler"))
        sim = Simulation(machine, dt=1e-3, integrator=integrator)
        sim.advance(300, {"pump.command": 1.0, "valve.command": 7.0})
        sim.advance(300, {"valve.command": -7.0})
        ends.append(sim.outputs())
    assert ends[0]["arm.angle"] == pytest.approx(ends[1]["arm.angle"], abs=1e-7)
    for name in ("supply.p", "base.p", "rod side.p"):
        assert ends[0][name] == pytest.approx(ends[1][name], abs=50.0)


def test_books_of_a_case_close() -> None:
    result = run(registry.get("four-bar-b"), {}, t_end=3.0)
    energy = result["energy"]
    assert abs(energy["oil_left_over_J"]) < 1e-9
    assert abs(energy["left_over_J"]) <= energy["drift_max_J"] + 1e-9
    assert energy["elements"]["cylinders"]["cylinder"]["rod_J"] == pytest.approx(energy["work_J"])
    assert energy["elements"]["resistances"]["valve"]["lost_J"] > 0
