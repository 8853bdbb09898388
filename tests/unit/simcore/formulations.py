"""One case by penalty and by coordinate partitioning, step by step."""

from __future__ import annotations

import numpy as np

from simcore.model.case import Case
from simcore.run.case_run import run

BOTH = ("penalty", "double-step")


def by_both(case: Case) -> dict[str, dict]:
    """Results of the whole run, every step sampled."""
    return {way: run(case, {}, formulation=way, sample_dt=case.dt) for way in BOTH}


def differences(results: dict[str, dict]) -> tuple[float, float]:
    """Largest difference of the angles, rad, and of the pressures as a share of their range."""
    angles, pressures = (
        [np.array(results[way]["samples"][key]) for way in BOTH] for key in ("z_deg", "pressure_Pa")
    )
    share = np.max(np.abs(pressures[0] - pressures[1]), axis=0) / np.ptp(pressures[1], axis=0)
    return float(np.radians(np.max(np.abs(angles[0] - angles[1])))), float(np.max(share))
