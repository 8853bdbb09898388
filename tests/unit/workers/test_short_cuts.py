"""What the short cuts of a machine's twin change, against a twin that takes none."""

from __future__ import annotations

import numpy as np
import pytest

from simcore.estimate.twin.live_twin import LiveTwin
from tests.twins_at_work import Course, change, course, description, exactly_solved, telemetry
from twin.runtime.specs import DT_US

pytestmark = pytest.mark.long

_SECONDS = 8.0


@pytest.fixture(scope="module")
def courses() -> dict[str, Course]:
    """An excavator at work, followed as the platform does, and with steps of 1 ms: solved exactly, and with
    slopes and covariance at every step as well."""
    samples, machine = telemetry("excavator", _SECONDS), description("excavator")
    exact = exactly_solved(machine)
    twins = {
        "live": LiveTwin(machine, dt_us=DT_US),
        "solved": LiveTwin(exact),
        "chain": LiveTwin(exact, stride=1),
    }
    return {name: course(twin, samples) for name, twin in twins.items()}


def _moving(values: np.ndarray) -> np.ndarray:
    """All states but the angle of the crankshaft, which nothing depends on and nothing measures."""
    return np.delete(values, 4)


def test_steps_and_where_newton_stops_are_lost_in_what_the_twin_does_not_know(
    courses: dict[str, Course],
) -> None:
    found = change(courses["live"], courses["solved"])
    assert np.max(_moving(found.estimates)) < 0.2  # standard deviations; steps are 2 ms, 0.14 measured
    assert np.max(np.abs(_moving(found.sigmas))) < 0.03


def test_a_leap_knows_measured_motion_as_well_as_every_step_of_the_chain(courses: dict[str, Course]) -> None:
    """Positions of the joints; what nobody measures differs more, as the docs say."""
    found = change(courses["live"], courses["chain"])
    assert np.max(found.estimates[:4]) < 0.5
    assert np.max(np.abs(found.sigmas[:4])) < 0.02
