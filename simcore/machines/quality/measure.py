"""Measures all quality checks of a machine. Loads the engine."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from simcore.machines.model import MachineModel
from simcore.machines.quality import statics, twins, work_cycle
from simcore.machines.quality.refusals import refused
from simcore.machines.quality.scale import Check
from simcore.messages import Message, Value
from simcore.model.case import Case
from simcore.model.profile import PlatformProfile
from simcore.model.quantity import SOURCES, Origin

_SOURCED: tuple[Origin, ...] = ("printed", "reconstructed", "standard")


@dataclass(frozen=True)
class Effort:
    """Effort for a measurement: number of sampled machines and their duration."""

    machines: int  # that the twin follows
    seconds: float  # of each
    cylinders: bool = True  # are cylinders that are too short tried?

    def __str__(self) -> str:
        return f"{self.machines} machines of {self.seconds:g} s"


WHOLE, SHORT = Effort(10, 5.0), Effort(6, 1.0, cylinders=False)


def measure(case: Case, effort: Effort = WHOLE) -> tuple[Check, ...]:
    """Measure all checks of a machine."""
    return (*measure_cheap(case, effort), measure_estimator(case, effort))


def measure_cheap(case: Case, effort: Effort) -> tuple[Check, ...]:
    """Measure all checks that take only seconds: all except the estimator."""
    profile = case.profile or PlatformProfile()
    return (_sources(case), _forces(case, profile), *_cycle(case, profile), _refusals(case, effort))


def _sources(case: Case) -> Check:
    origins = Counter(p.origin for p in case.parameters)
    count = len(case.parameters)
    sourced = 100 * sum(origins[o] for o in _SOURCED) / count
    detail = {SOURCES[origin]: number for origin, number in origins.most_common()}
    how = Message("quality.sources", {"count": count})
    return Check("sources", round(sourced, 1), 50.0, None, "%", how, detail)


def _forces(case: Case, profile: PlatformProfile) -> Check:
    errors = {
        name: max(statics.force_errors(case.build(**pose)).values())
        for name, pose in statics.poses_of(case, profile.standing)
    }
    how = Message("quality.forces", {"count": len(errors)})
    return Check("forces", max(errors.values()), None, 1e-6, "", how, errors)


def _cycle(case: Case, profile: PlatformProfile) -> tuple[Check, ...]:
    done = work_cycle.cycle(case, profile.at_work)
    step, p = work_cycle.step_error(done), work_cycle.pressures(done)
    of: dict[str, Value] = {"cycle": done.name, "seconds": round(done.seconds, 1)}
    stepped = of | {"step": case.dt}
    return (
        Check(
            "energy", work_cycle.energy_error(done), None, 0.5, "%",
            Message("quality.energy", stepped),
        ),
        Check(
            "steps", max(step.values()), None, 1e-3, "",
            Message("quality.steps", stepped), step,
        ),
        Check(
            "pressures", p.used, None, 1.0, "",
            Message("quality.pressures", of),
            {"lowest, bar": 1e-5 * p.lowest, "highest, bar": 1e-5 * p.highest,
             "vapour, bar": 1e-5 * p.vapour, "relief, bar": 1e-5 * p.relief},
        ),
    )  # fmt: skip


def _refusals(case: Case, effort: Effort) -> Check:
    tried, missed = refused(case, effort.cylinders)
    cylinders = isinstance(case, MachineModel) and effort.cylinders
    how = Message("quality.refusals.cylinders" if cylinders else "quality.refusals")
    detail: dict[str, Any] = {"tried": tried} | ({"not refused": missed} if missed else {})
    return Check("refusals", 100 * (1 - len(missed) / tried), 100.0, None, "%", how, detail)


def measure_estimator(case: Case, effort: Effort) -> Check:
    h = twins.consistency(case, effort.machines, effort.seconds)
    values: dict[str, Value] = {
        "count": effort.machines,
        "seconds": effort.seconds,
        "states": h.states,
    }
    how = Message("quality.estimator", values)
    detail = {"NIS, one expected": h.nis, "share inside the 95 % bounds": h.coverage}
    return Check("estimator", h.nees, h.low, h.high, "", how, detail)
