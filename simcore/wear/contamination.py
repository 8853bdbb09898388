"""Cleanliness of the oil: how many more hard particles a dirtier oil carries (ISO 4406).

One code more means twice as many particles, so particle concentration relative to a reference code is
2^(code - reference). The code is that of particles above 6 µm, the second of the three.
"""

from __future__ import annotations

from simcore.kernels.jit import kernel
from simcore.model.quantity import assumed
from simcore.wear.checks import between

REFERENCE = assumed(16.0, "1", "ISO 4406 code ≥ 6 µm of the catalogue life: 18/16/13")
_LEAST, _MOST = 1.0, 28.0  # codes of the standard's table


@kernel
def particle_ratio(code: float, reference: float) -> float:
    """Particles per volume, relative to oil of the reference code."""
    return float(2.0 ** (code - reference))


def checked_code(owner: str, code: float) -> float:
    """Refuse a code that the standard's table does not have."""
    return between(owner, "cleanliness code", code, _LEAST, _MOST)
