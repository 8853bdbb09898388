"""A machine whose condition says that it is worn moves like one that is described that way."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from simcore import Simulation
from simcore.model.condition import Condition
from simcore.model.elements import Curve, DirectionalValve, Leakage, Machine, Pump
from simcore.model.quantity import Quantity, assumed
from tests.unit.simcore.oil_rigs import rig
from tests.unit.simcore.shaft_rigs import engine, wheel

SHARE, DEAD_BAND, LEAK, LATER, FASTER = 0.8, 0.06, 3e-12, 0.02, 4.0
COMMANDS = {
    "valve.command": lambda t: 8.0 if t < 0.5 else (-4.0 if t < 0.8 else 1.5),
    "pump.command": lambda t: 0.7,
}


def _scaled(quantity: Quantity, factor: float) -> Quantity:
    return assumed(factor * float(quantity), quantity.unit)


def _estimated() -> Machine:
    """The rig with everything that a twin may estimate: a leak across its piston, and lags."""
    leak, lag = assumed(1e-12, "m³/(s Pa)"), assumed(0.01, "s")
    error = replace(rig().model_error, leakage=leak, leakage_on=("cylinder",), command_lag=lag)
    return rig(model_error=error)


def _wear_pump(machine: Machine, condition: Condition) -> None:
    # the leak of a pump follows from its efficiency and its displacement, and does not change here
    condition.edges["delivery"] = SHARE


def _described_pump(machine: Machine) -> Machine:
    worn: list[object] = []
    for e in machine.elements:
        if isinstance(e, Pump):
            lost = 1.0 - (1.0 - float(e.volumetric_efficiency)) / SHARE
            e = replace(
                e, displacement=_scaled(e.displacement, SHARE), volumetric_efficiency=assumed(lost, "-")
            )
        worn.append(e)
    return replace(machine, elements=tuple(worn))  # type: ignore[arg-type]


def _soften(machine: Machine, condition: Condition) -> None:
    condition.whole["stiffness"] = SHARE


def _described_oil(machine: Machine) -> Machine:
    return replace(
        machine, fluid=replace(machine.fluid, bulk_modulus=_scaled(machine.fluid.bulk_modulus, SHARE))
    )


def _overlap(machine: Machine, condition: Condition) -> None:
    condition.whole["dead_band"] = DEAD_BAND


def _described_overlap(machine: Machine) -> Machine:
    def late(curve: Curve, limit: float) -> Curve:
        travel = tuple(DEAD_BAND * limit + (1.0 - DEAD_BAND) * at for at in curve.openings)
        return replace(curve, openings=(DEAD_BAND * limit, *travel), coefficients=(0.0, *curve.coefficients))

    def overlapped(valve: DirectionalValve) -> DirectionalValve:
        assert valve.curves is not None
        limit = float(valve.command_limit)
        a, b, c, d = (late(curve, limit) for curve in valve.curves)
        return replace(valve, curves=(a, b, c, d))

    return replace(machine, valves=tuple(overlapped(valve) for valve in machine.valves))


def _leak(machine: Machine, condition: Condition) -> None:
    condition.edges["leakage"][-1] = LEAK


def _described_leak(machine: Machine) -> Machine:
    leak = Leakage("worn piston", "base", "rod side", assumed(LEAK, "m³/(s Pa)"))
    return replace(machine, elements=(*machine.elements, leak))


def _delay(machine: Machine, condition: Condition) -> None:
    condition.whole["lag"] = LATER


def _described_delay(machine: Machine) -> Machine:
    def later(constant: Quantity) -> Quantity:
        return assumed(float(constant) + LATER, "s")

    valves = tuple(replace(v, time_constant=later(v.time_constant)) for v in machine.valves)
    elements = tuple(
        replace(e, control=replace(e.control, time_constant=later(e.control.time_constant)))
        if isinstance(e, Pump) and e.control is not None
        else e
        for e in machine.elements
    )
    return replace(machine, valves=valves, elements=elements)


CAUSES: dict[str, tuple[Callable[[Machine, Condition], None], Callable[[Machine], Machine]]] = {
    "pump": (_wear_pump, _described_pump),
    "oil": (_soften, _described_oil),
    "dead band": (_overlap, _described_overlap),
    "leakage": (_leak, _described_leak),
    "lag": (_delay, _described_delay),
}


@pytest.mark.parametrize("integrator", ["trapezoidal", "rk4"])
@pytest.mark.parametrize("cause", CAUSES)
def test_a_worn_condition_is_a_worn_description(cause: str, integrator: str) -> None:
    wear, describe = CAUSES[cause]
    machine = _estimated()
    dt, end = (1e-3, 1.0) if integrator == "trapezoidal" else (2e-5, 0.1)
    worn, described, new = (
        Simulation(m, dt=dt, integrator=integrator) for m in (machine, describe(rig()), machine)
    )
    wear(machine, worn.condition)
    for sim in (worn, described, new):
        sim.settle(sim.state)  # rates of the start as they now are
    ours, theirs, unworn = (sim.run(end, COMMANDS) for sim in (worn, described, new))
    for channel in ("arm.angle", "supply.p", "base.p", "rod side.p"):
        change = np.max(np.abs(unworn[channel] - theirs[channel]))
        assert change > 0.0, "the cause must act"
        np.testing.assert_allclose(ours[channel], theirs[channel], rtol=1e-7, atol=2e-4 * change)


@pytest.mark.parametrize("cause", CAUSES)
def test_the_books_of_a_worn_machine_close(cause: str) -> None:
    sim = Simulation(_estimated(), dt=2.5e-4)
    CAUSES[cause][0](sim.machine, sim.condition)
    energy = sim.run(1.0, COMMANDS).energy
    turned_over = abs(energy["given_J"]) + energy["lost_J"] + energy["work_max_abs_J"]
    assert abs(energy["left_over_J"]) < 5e-4 * turned_over
    assert abs(energy["oil_left_over_J"]) < 1e-9 * turned_over
    leaks = [name for name in energy["elements"]["resistances"] if "piston leakage" in name]
    assert bool(leaks) == (cause == "leakage"), "a tight piston has no entry"
    for name in leaks:
        assert energy["elements"]["resistances"][name]["lost_J"] > 0.0


def test_a_governor_that_is_set_faster_is_one_described_so() -> None:
    worn, described = Simulation(wheel(150.0, 190.0)), Simulation(wheel(150.0, 190.0))
    fast = replace(engine(), speed=assumed(float(engine().speed) + FASTER, "rad/s"))
    described = Simulation(replace(worn.machine, diesels=(fast,)))
    described.state[:] = worn.state
    worn.condition.whole["governor"] = FASTER
    for sim in (worn, described):
        sim.settle(sim.state)
        sim.advance(3000)
    np.testing.assert_allclose(worn.read(), described.read(), rtol=1e-9)
    assert np.any(np.abs(worn.read() - Simulation(wheel(150.0, 190.0)).read()) > 1.0)
