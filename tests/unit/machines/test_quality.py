"""The quality scale: what is stored in the repository is up to date and claims no more than is measured."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from simcore import registry
from simcore.cli.main import main
from simcore.machines.quality.measure import SHORT, measure_cheap, measure_estimator
from simcore.machines.quality.scale import LEVELS, PHYSICS, QUESTIONS, Check, claims_more, level
from simcore.machines.quality.statics import force_errors
from simcore.machines.quality.stored_results import FOLDER, StoredResult, from_json, version
from simcore.model.case import Case
from simcore.model.equilibrium import static_forces
from simcore.model.quantity import assumed

pytestmark = pytest.mark.long

NAMES = list(registry.profiles())


def stored(name: str) -> StoredResult:
    return from_json(json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", NAMES)
def test_stored_results_belong_to_the_present_description(name: str) -> None:
    assert stored(name).version == version(registry.get(name)), (
        f"the description of {name} has changed: python -m simcore quality {name} --write"
    )
    assert sorted(check.name for check in stored(name).checks) == sorted(QUESTIONS)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_more_is_stored_than_is_measured(name: str) -> None:
    case = registry.get(name)
    by_name = {check.name: check for check in stored(name).checks}
    measured = measure_cheap(case, SHORT)
    assert {check.name for check in measured} == set(QUESTIONS) - {"estimator"}
    assert [claim for check in measured if (claim := claims_more(by_name[check.name], check))] == []
    if by_name["estimator"].verdict == "met":  # fewer machines: wider bounds
        assert measure_estimator(case, SHORT).verdict == "met"


@pytest.mark.parametrize("name", NAMES)
def test_the_physics_of_every_machine_is_consistent(name: str) -> None:
    missed = [c.name for c in stored(name).checks if c.name in PHYSICS and c.verdict != "met"]
    assert missed == []


def test_a_wrong_pressure_is_found_as_a_wrong_force() -> None:
    """One per cent more in the lift cylinder: the equations of motion must tell that very force."""
    machine = registry.get("loader-crane").build()
    lift = next(c for c in machine.cylinders if c.name == "lift")
    volume = next(v for v in machine.volumes if v.name == lift.chamber_a)
    more = replace(volume, start=assumed(1.01 * float(volume.start), "Pa"))
    wrong = replace(machine, volumes=tuple(more if v is volume else v for v in machine.volumes))
    area = 3.141592653589793 * float(lift.bore) ** 2 / 4
    expected = 0.01 * float(volume.start) * area / max(map(abs, static_forces(machine).values()))
    found = force_errors(wrong)
    assert found["lift"] == pytest.approx(expected, rel=1e-6)
    assert found["fold"] < 1e-3 * expected


def test_another_number_is_another_version() -> None:
    case = registry.get("four-bar-b")
    first = case.parameters[0]
    for changed in (replace(first, value=16.1), replace(first, high=2e4), replace(first, origin="assumed")):
        assert version(replace(case, parameters=(changed, *case.parameters[1:]))) != version(case)
    for same in (replace(case, sentence="Other words"), _with_note("Another reason")):
        assert version(same) == version(case)


def _with_note(note: str) -> Case:
    """The rig with another note behind one of its numbers."""
    case = registry.get("four-bar-b")
    machine = case.build()
    fluid = replace(machine.fluid, density=replace(machine.fluid.density, note=note))
    return replace(case, assemble=lambda _: replace(machine, fluid=fluid))


def _check(name: str, value: float | None, low: float | None = None, high: float | None = 1.0) -> Check:
    return Check(name, value, low, high, "", "by hand")


def test_a_level_needs_everything_below_it() -> None:
    for (lower, _, _), (upper, needs, _) in pairwise(LEVELS):
        checks = [_check(name, 0.5) for name in needs]
        assert level(checks) == upper
        for k in range(len(checks)):
            assert level(checks[:k] + checks[k + 1 :]) != upper
        last = replace(checks[-1], value=None)
        assert last.verdict == "not measured"
        assert level([*checks[:-1], last]) == lower


@pytest.mark.parametrize(
    ("claimed", "measured", "words"),
    [
        (_check("energy", 0.5), _check("energy", 1.5), "stored as met, now missed"),
        (_check("energy", 0.1), _check("energy", 0.4), "stored as 0.1, now 0.4"),
        (_check("energy", 0.4), _check("energy", 0.1), ""),
        (_check("energy", 1e-9), _check("energy", 9e-9), ""),
        (_check("energy", 0.5, high=2.0), _check("energy", 0.5), "stored limits"),
        (_check("sources", 60.0, 50.0, None), _check("sources", 55.0, 50.0, None), "stored as 60, now 55"),
        (_check("steps", None), _check("steps", 3.0), ""),
    ],
)
def test_a_claim_beyond_the_measurement_is_reported(claimed: Check, measured: Check, words: str) -> None:
    report = claims_more(claimed, measured)
    assert words in report
    assert bool(report) == bool(words)


def test_a_machine_without_a_scale_is_told_those_that_have_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["quality", "valve-rig"]) == 2
    assert (
        "valve-rig has no quality measurement; models that have one: four-bar-b, loader-crane, excavator"
        in (capsys.readouterr().err)
    )
