"""The synthetic excavator: its books close, its loop stays shut, and shorter steps converge."""

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

from simcore import registry
from simcore.model.geometry import coordinates
from simcore.model.quantity import Quantity, Tensor, Vector
from simcore.run.case_run import simulate
from simcore.run.recording import Run
from simcore.run.simulation import Simulation

CASE = registry.get("digger-rig")
RELIEF = 18e6  # Pa


@pytest.fixture(scope="module")
def whole() -> Run:
    return simulate(CASE, {})


def _origins(part: Any) -> set[str]:
    """Where the numbers of a description come from."""
    if isinstance(part, Quantity | Vector | Tensor):
        return {part.origin}
    if isinstance(part, tuple):
        return set().union(*(_origins(item) for item in part))
    if is_dataclass(part):
        return set().union(*(_origins(getattr(part, field.name)) for field in fields(part)))
    return set()


def test_it_has_the_size_it_is_timed_for() -> None:
    machine = CASE.build()
    sizes = [
        len(x) for x in (machine.bodies, machine.loops, machine.cylinders, machine.volumes, machine.valves)
    ]
    assert sizes == [6, 1, 3, 10, 3]


def test_nothing_of_it_is_printed_anywhere() -> None:
    assert {p.origin for p in CASE.parameters} == {"assumed"}
    assert _origins(CASE.build()) == {"assumed", "reconstructed"}  # given, and what follows from it


def test_it_stands_still_until_a_valve_opens() -> None:
    sim = Simulation(CASE.build(swing_rate=0.0))
    start = sim.coordinates()
    sim.advance(500)
    assert np.max(np.abs(sim.coordinates() - start)) < 1e-6


def test_every_joint_works_and_no_piston_meets_its_end(whole: Run) -> None:
    places = coordinates(whole.machine)
    swept = np.degrees(np.ptp(whole.coordinates, axis=0))
    assert {name: swept[at][0] > 10.0 for name, at in places.items()} == dict.fromkeys(places, True)
    for cylinder, lengths in zip(whole.machine.cylinders, whole.lengths.T, strict=True):
        assert cylinder.end_damper is not None
        chamber = float(cylinder.chamber_a_at_reference) + lengths - float(cylinder.reference_length)
        reach = float(cylinder.end_damper.length)
        assert reach < chamber.min() < chamber.max() < float(cylinder.tube_length) - reach


def test_the_energy_balance_closes(whole: Run) -> None:
    energy = whole.energy
    assert energy["work_max_abs_J"] > 2000.0
    assert abs(energy["drift_max_J"]) < 0.02
    assert abs(energy["left_over_J"]) < 0.01  # of 375 kJ that the pump gives
    assert abs(energy["oil_left_over_J"]) < 1e-6


def test_the_bucket_linkage_stays_closed(whole: Run) -> None:
    assert whole.gaps["position_max"] < 1e-8


def test_pressures_stay_between_vapour_and_relief(whole: Run) -> None:
    assert whole.pressures.min() > 2e5
    assert whole.pressures.max() < 1.2 * RELIEF


def test_newton_needs_few_iterations(whole: Run) -> None:
    assert whole.newton["failed_steps"] == 0
    assert whole.newton["mean"] < 1.5


def test_halving_the_step_quarters_the_error() -> None:
    runs = {dt: simulate(CASE, {}, dt=dt, t_end=3.0, sample_dt=0.02) for dt in (2e-3, 1e-3, 5e-4, 2e-5)}
    exact = runs.pop(2e-5)
    turns = [np.max(np.abs(run.coordinates - exact.coordinates)) for run in runs.values()]
    pressures = [np.max(np.abs(run.pressures - exact.pressures)) for run in runs.values()]
    assert turns[1] < 2e-5
    assert pressures[1] < 1e4
    for errors in (turns, pressures):
        assert 3.5 < errors[0] / errors[1] < 4.5
        assert 3.5 < errors[1] / errors[2] < 4.5
