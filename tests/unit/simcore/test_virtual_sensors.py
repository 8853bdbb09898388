"""Virtual sensors: every pressure, force, flow and power of a machine, against the laws they stand for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simcore import registry
from simcore.errors import BadMachine
from simcore.estimate.biases import bias_values, biases_of, put_biases
from simcore.estimate.linearise.jacobian import jacobian_at
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.model import channel_table
from simcore.model.compiler import compile
from simcore.model.elements import Output
from simcore.model.virtual import with_virtual_sensors
from simcore.run.simulation import Simulation

RIG = with_virtual_sensors(registry.get("four-bar-b").build())


def _moving(name: str, steps: int) -> tuple[Simulation, dict[str, float]]:
    case = registry.get(name)
    sim = Simulation(with_virtual_sensors(case.build()))
    sim.advance(steps, case.command_schedule[1][1])
    return sim, sim.outputs()


def test_a_machine_gets_what_it_has_no_channel_for_and_keeps_its_own() -> None:
    own = registry.get("four-bar-b").build().outputs
    assert RIG.outputs[: len(own)] == own
    added = {o.name: o.reads for o in RIG.outputs[len(own) :]}
    assert added == {
        "cylinder.power": "power", "throttle.flow": "flow", "valve.flow_A": "flow_a",
        "valve.flow_B": "flow_b", "pump.flow": "flow", "pump.power": "power",
    }  # fmt: skip
    assert with_virtual_sensors(RIG) == RIG


@pytest.mark.parametrize("name", ["four-bar-b", "crane", "digger-rig", "valve-rig"])
def test_every_pressure_and_force_of_a_machine_has_a_channel(name: str) -> None:
    machine = with_virtual_sensors(registry.get(name).build())
    read = {(o.reads, o.element) for o in machine.outputs}
    assert {("pressure", v.name) for v in machine.volumes} <= read
    assert {(what, c.name) for c in machine.cylinders for what in ("force", "power")} <= read
    units = {c.name: c.unit for c in channel_table(machine)}
    assert {units[o.name] for o in machine.outputs if o.reads == "power"} == {"W"}


@pytest.mark.parametrize("command", [8.0, -6.0])
def test_flows_and_powers_of_the_rig_are_those_of_the_orifice_law(command: float) -> None:
    sim = Simulation(RIG)
    sim.advance(300, {"valve.command": command})
    now = sim.outputs()

    def orifice(coefficient: float, drop: float) -> float:
        return math.copysign(coefficient * math.sqrt(abs(drop)), drop)

    opening, pump, tank = now["valve.spool"] * 2.138e-8, 7.6e6, 1e5
    high, low = ("hose.p", "cylinder.p_B") if command > 0 else ("cylinder.p_B", "hose.p")
    supplied = orifice(abs(opening), pump - now[high])
    returned = orifice(abs(opening), now[low] - tank)
    to_a, to_b = (supplied, -returned) if command > 0 else (-returned, supplied)
    assert now["valve.flow_A"] == pytest.approx(to_a, rel=1e-6)
    assert now["valve.flow_B"] == pytest.approx(to_b, rel=1e-6)
    assert now["pump.flow"] == pytest.approx(supplied, rel=1e-6)
    assert now["pump.power"] == pytest.approx(supplied * pump, rel=1e-6)
    piston, ring = math.pi * 0.08**2 / 4, math.pi * (0.08**2 - 0.035**2) / 4
    before = now["cylinder.length"]
    sim.advance(1)
    speed = (sim.outputs()["cylinder.length"] - before) / 1e-3
    push = now["cylinder.p_A"] * piston - now["cylinder.p_B"] * ring
    assert now["cylinder.power"] == pytest.approx(push * speed, rel=0.02)
    drop, throttle = now["hose.p"] - now["cylinder.p_A"], 0.8 * 2.83e-5 * math.sqrt(2 / 850)
    laminar = throttle * drop / math.sqrt(2e5)
    assert now["throttle.flow"] == pytest.approx(
        laminar if abs(drop) < 2e5 else orifice(throttle, drop), rel=1e-6
    )


@pytest.mark.parametrize("name", ["crane", "digger-rig"])
def test_what_a_pump_delivers_is_its_displacement_less_its_leak(name: str) -> None:
    sim, now = _moving(name, 300)
    edges = sim.plan.edges
    pumps = [e for e in sim.machine.elements if type(e).__name__ == "Pump"]
    assert pumps
    for pump in pumps:
        first = int(np.flatnonzero(edges["kind"] == 5)[0])
        ideal = sim.workspace.edges["flow"][first]
        rise = _pressure(sim, now, pump.outlet) - _pressure(sim, now, pump.inlet)
        leak = float(edges["coefficient"][first + 1]) * rise
        assert now[f"{pump.name.replace(' ', '-')}.flow"] == pytest.approx(ideal - leak, rel=1e-9)
        assert now[f"{pump.name.replace(' ', '-')}.power"] == pytest.approx(rise * (ideal - leak), rel=1e-9)


def _pressure(sim: Simulation, now: dict[str, float], node: str) -> float:
    found = [o.name for o in sim.machine.outputs if (o.reads, o.element) == ("pressure", node)]
    return now[found[0]] if found else float(next(s for s in sim.machine.sources if s.name == node).pressure)


@pytest.mark.parametrize("command", [8.0, -6.0])
def test_biases_change_flows_and_powers_as_the_slopes_say(command: float) -> None:
    sim = Simulation(RIG)
    sim.advance(300, {"valve.command": command})
    biases = biases_of(RIG, sim.plan)
    n = int(sim.plan.head[0]["states"])
    slope = np.zeros((n + len(sim.channels), n + len(biases) + 1))
    jacobian_at(sim.plan, biases, sim.state, sim.workspace, slope)
    held = bias_values(sim.condition, biases)
    oil = [k for k, c in enumerate(sim.channels) if c.quantity in ("flow", "power")]
    for i, unit in enumerate(biases["unit"]):
        step = np.zeros(len(biases))
        step[i] = 1e-4 * unit
        put_biases(sim.condition, biases, held + step)
        up = sim.read()
        put_biases(sim.condition, biases, held - step)
        theirs = (up - sim.read()) / 2e-4
        put_biases(sim.condition, biases, held)
        scale = np.maximum(np.abs(theirs), 1e-3 * np.abs(sim.read()))
        assert np.all(np.abs(slope[n:, n + i] - theirs)[oil] <= 1e-5 * scale[oil])


def test_sigmas_of_virtual_sensors_are_what_the_covariance_makes_of_their_slopes() -> None:
    twin = LiveTwin(RIG)
    twin.command({"valve.command": 5.0})
    twin.advance(200)
    twin.correct({"crank.angle": float(twin.values()[0]), "hose.p": float(twin.values()[2])})
    h = twin._estimate.jacobian[0, 5:, : len(twin.covariance)]
    expected = np.sqrt(np.einsum("ki,ij,kj->k", h, twin.covariance, h))
    virtual = [k for k, c in enumerate(twin.engine.channels) if c.quantity in ("flow", "power")]
    assert np.all(expected[virtual] > 0)
    np.testing.assert_allclose(twin.sigmas()[virtual], expected[virtual], rtol=1e-9)


def test_a_flow_of_something_that_has_none_is_refused() -> None:
    wrong = (*RIG.outputs, Output("crank.flow", "Crank flow", "flow", "crank", "estimate"))
    with pytest.raises(BadMachine, match=r"channel 'crank.flow' refers to 'crank', which does not exist"):
        compile(type(RIG)(**{f: getattr(RIG, f) for f in RIG.__slots__} | {"outputs": wrong}))
