"""Records of pins, sections and their loads, for simcore/formulation/reactions.py."""

from __future__ import annotations

from typing import Any

import numpy as np

AT_JOINT, AT_LOOP, AT_CYLINDER = range(3)  # kinds of pins
OF_JOINT, OF_CYLINDER, OF_LOOP, OF_LINK = range(4)  # kinds of parts

_PLACE: list[tuple[Any, ...]] = [
    ("body", "i8"),  # that carries point and axes
    ("on", "i8"),  # body that carries the pin's axis
    ("at", "f8", (3,)),  # m
    ("axes", "f8", (3, 3)),  # directions of the components, one per row
    ("axis", "f8", (3,)),  # of the pin, or zeros
]
PIN = np.dtype(
    [
        *_PLACE,
        ("kind", "i8"),
        ("index", "i8"),  # body, first loop row or cylinder
        ("count", "i8"),  # of loop rows
        ("sign", "f8"),  # -1 at the base of a cylinder
    ],
    align=True,
)
SECTION = np.dtype(
    [
        *_PLACE,
        ("mass", "f8"),  # kg
        ("centre", "f8", (3,)),  # m
        ("inertia", "f8", (6,)),  # about the centre, body axes: xx yy zz xy xz yz, kg m²
        ("first", "i8"),  # of its parts
        ("count", "i8"),
    ],
    align=True,
)
PART = np.dtype([("kind", "i8"), ("index", "i8"), ("sign", "f8")], align=True)  # -1: acts the other way round
LOAD = np.dtype(
    [
        ("force", "f8", (3,)),  # N, along the axes of the pin's body or of the section
        ("moment", "f8", (3,)),  # N m, about the pin or the section's point
        ("radial", "f8"),  # N, across the pin's axis
        ("axial", "f8"),  # N, along it
        ("across", "f8"),  # N m, across the pin's axis
        ("about", "f8"),  # N m, about it: friction and drive of a hinge
    ],
    align=True,
)
