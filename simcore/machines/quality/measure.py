"""Measures the scale of a machine. Loads the engine."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from simcore.machines.model import MachineModel
from simcore.machines.quality import statics, twins, work_cycle
from simcore.machines.quality.refusals import refused
from simcore.machines.quality.scale import Check
from simcore.model.case import Case
from simcore.model.profile import PlatformProfile
from simcore.model.quantity import SOURCES, Origin

_SOURCED: tuple[Origin, ...] = ("printed", "reconstructed", "standard")


@dataclass(frozen=True)
class Effort:
    """How much is spent on a measurement."""

    machines: int  # that the twin follows
    seconds: float  # of each
    cylinders: bool = True  # are cylinders that are too short tried?

    def __str__(self) -> str:
        return f"{self.machines} machines of {self.seconds:g} s"


WHOLE, SHORT = Effort(10, 5.0), Effort(6, 1.0, cylinders=False)


def measure(case: Case, effort: Effort = WHOLE) -> tuple[Check, ...]:
    """Every check of a machine."""
    return (*measure_cheap(case, effort), measure_estimator(case, effort))


def measure_cheap(case: Case, effort: Effort) -> tuple[Check, ...]:
    """Every check that takes seconds: all but the estimator."""
    profile = case.profile or PlatformProfile()
    return (_sources(case), _forces(case, profile), *_cycle(case, profile), _refusals(case, effort))


def _sources(case: Case) -> Check:
    origins = Counter(p.origin for p in case.parameters)
    count = len(case.parameters)
    sourced = 100 * sum(origins[o] for o in _SOURCED) / count
    detail = {SOURCES[origin]: number for origin, number in origins.most_common()}
    how = f"share of its {count} parameters that are printed, completed or in a standard; not weighted"
    return Check("sources", round(sourced, 1), 50.0, None, "%", how, detail)


def _forces(case: Case, profile: PlatformProfile) -> Check:
    errors = {
        name: max(statics.force_errors(case.build(**pose)).values())
        for name, pose in statics.poses_of(case, profile.standing)
    }
    how = (
        f"start pressures from virtual work, accelerations from the equations of motion, in "
        f"{_counted(len(errors), 'pose')}: change of force that would stop all motion, of the largest force"
    )
    return Check("forces", max(errors.values()), None, 1e-6, "", how, errors)


def _cycle(case: Case, profile: PlatformProfile) -> tuple[Check, ...]:
    done = work_cycle.cycle(case, profile.at_work)
    step, p = work_cycle.step_error(done), work_cycle.pressures(done)
    of = f"{done.name}, {done.seconds:.1f} s"
    ms = f"{1e3 * case.dt:g} ms"
    return (
        Check(
            "energy", work_cycle.energy_error(done), None, 0.5, "%",
            f"{of} in steps of {ms}: what the books of all elements leave over, of what was given",
        ),
        Check(
            "steps", max(step.values()), None, 1e-3, "",
            f"{of} with the same levers in steps of {ms} and of half: change of the end, of each range", step,
        ),
        Check(
            "pressures", p.used, None, 1.0, "",
            f"{of}: highest pressure of all volumes over relief + 20 %; 2 where one fell to vapour pressure",
            {"lowest, bar": 1e-5 * p.lowest, "highest, bar": 1e-5 * p.highest,
             "vapour, bar": 1e-5 * p.vapour, "relief, bar": 1e-5 * p.relief},
        ),
    )  # fmt: skip


def _refusals(case: Case, effort: Effort) -> Check:
    tried, missed = refused(case, effort.cylinders)
    how = "values beyond each end of each range, unknown choices"
    if isinstance(case, MachineModel) and effort.cylinders:
        how += ", cylinders too short for a pose"
    detail: dict[str, Any] = {"tried": tried} | ({"not refused": missed} if missed else {})
    return Check("refusals", 100 * (1 - len(missed) / tried), 100.0, None, "%", how, detail)


def measure_estimator(case: Case, effort: Effort) -> Check:
    h = twins.honesty(case, effort.machines, effort.seconds)
    how = (
        f"{effort} drawn from what the filter assumes, {h.states} states, own sensors: normalised square of "
        f"its errors, one expected, between the 95 % bounds of an honest filter"
    )
    detail = {"NIS, one expected": h.nis, "share inside the 95 % bounds": h.coverage}
    return Check("estimator", h.nees, h.low, h.high, "", how, detail)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
