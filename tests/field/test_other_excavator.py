"""The machine of another engine against the description: two engines that share no equation agree at rest."""

from __future__ import annotations

import numpy as np
import pytest

from simcore.run.simulation import Simulation
from tests.field.other_excavator import OtherExcavator, lengths_of
from twin.fleet import catalogue

LEVERS = ("swing.command", "boom.command", "dipper.command", "bucket.command")


@pytest.mark.parametrize("pose", [(0.55, -1.2, -0.9), (0.2, -2.0, 0.2), (0.8, -1.0, -1.8)])
def test_cylinders_have_the_lengths_of_the_description(pose: tuple[float, float, float]) -> None:
    starts = dict(zip(("boom_start", "dipper_start", "bucket_start"), pose, strict=True))
    machine = catalogue.build("excavator", starts)
    described = Simulation(machine).outputs()
    angles, lengths = lengths_of(machine)
    for j, name in enumerate(("boom", "dipper", "bucket")):
        assert np.interp(pose[j], angles[j], lengths[j]) == pytest.approx(
            described[f"{name}.length"], abs=2e-4
        )


def test_pressures_of_the_description_hold_the_arm_at_rest() -> None:
    other = OtherExcavator(catalogue.build("excavator", {}))
    before = other.channels()
    other.advance(dict.fromkeys(LEVERS, 0.0), 1.0)
    after = other.channels()
    for name in ("boom", "dipper", "bucket"):
        assert after[f"{name}.angle"] == pytest.approx(before[f"{name}.angle"], abs=1e-3)
        assert after[f"{name}.p_A"] == pytest.approx(before[f"{name}.p_A"], abs=2e5)
