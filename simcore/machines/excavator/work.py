"""Where the excavator must reach, a drive for benchmarks, and its work: dig, swing, dump."""

from __future__ import annotations

import math

from simcore.cases.case import Chosen, Drive
from simcore.machines.reach import Poses
from simcore.operate.script import Lever, Phase, Script

_RAISED, _LOWERED = math.radians(55.0), math.radians(-40.0)
_OUT, _IN = math.radians(-40.0), math.radians(-150.0)
_OPEN, _CURLED = math.radians(38.0), math.radians(-140.0)


def poses(chosen: Chosen) -> Poses:
    """Corners of the work space."""
    return {
        "full reach": {"boom": 0.1, "dipper": _OUT, "bucket": _OPEN},
        "boom raised": {"boom": _RAISED, "dipper": _IN, "bucket": _CURLED},
        "boom lowered": {"boom": _LOWERED, "dipper": _OUT, "bucket": _OPEN},
        "dipper in": {"boom": 0.3, "dipper": _IN, "bucket": _CURLED},
    }


# strokes of all functions without ground, for benchmarks and the published table of cases
DRIVE: Drive = (
    (0.0, {"boom.command": 0.0, "dipper.command": 0.0, "bucket.command": 0.0, "swing.command": 0.0}),
    (0.5, {"boom.command": 6.0}),
    (2.5, {"boom.command": 0.0, "dipper.command": -5.0}),
    (4.0, {"dipper.command": 0.0, "swing.command": 8.0}),
    (7.0, {"swing.command": 0.0, "bucket.command": -6.0}),
    (8.5, {"bucket.command": 6.0}),
    (10.0, {"bucket.command": 0.0, "swing.command": -8.0}),
    (13.0, {"swing.command": 0.0, "dipper.command": 5.0}),
    (14.5, {"dipper.command": 0.0, "boom.command": -4.0}),
    (16.0, {"boom.command": 0.0}),
)

LEVERS = (
    Lever("swing", "swing.angle", "swing.command", ease=0.5, near=0.03, least=0.1, hand=4.0),
    Lever("boom", "boom.angle", "boom.command", ease=0.15, near=0.02, least=0.12, hand=6.0),
    Lever("dipper", "dipper.angle", "dipper.command", ease=0.2, near=0.03, least=0.12, sign=-1, hand=6.0),
    Lever("bucket", "bucket.angle", "bucket.command", ease=0.3, near=0.05, least=0.15, sign=-1, hand=6.0),
)
CYCLES = {}
