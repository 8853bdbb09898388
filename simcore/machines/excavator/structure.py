"""Builds the structure of the excavator: bodies, joints and shapes."""

from __future__ import annotations

import math
from dataclasses import replace

from simcore.machines.solids import Part, block, body
from simcore.model.case import Chosen
from simcore.model.elements import (
    GROUND,
    Bar,
    Body,
    CutRevolute,
    Fixed,
    Mount,
    Prism,
    Revolute,
)
from simcore.model.quantity import Vector, assumed, derived, place

UP, ACROSS, AHEAD = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
_STILL = assumed(0.0, "rad/s", "at rest")
Flat = tuple[float, float]


def at(x: float, y: float, z: float = 0.0) -> Vector:
    return place(x, y, z, "derived")


def spot(chosen: Chosen, name: str) -> Flat:
    """A point given by two parameters, m."""
    return chosen.number(f"{name}_x"), chosen.number(f"{name}_y")


def mounts(chosen: Chosen, name: str, base: str, eye: str, side: float = 0.0) -> tuple[Mount, Mount]:
    """Foot and eye of a cylinder on two bodies. side: distance from the centre plane, m."""
    foot = Mount(base, at(*spot(chosen, f"{name}_base"), side))
    if name == "bucket":
        return foot, Mount(eye, at(chosen.number("rocker_length"), 0.0))
    return foot, Mount(eye, at(*spot(chosen, f"{name}_eye"), side))


def _pin(x: float, y: float, radius: float, width: float) -> Part:
    return Part(Bar((x, y, -width / 2), (x, y, width / 2), radius))


def _plates(outline: tuple[Flat, ...], gap: float, wall: float) -> list[Part]:
    """Two parallel plates."""
    return [Part(Prism(outline, wall, (0.0, 0.0, side * gap / 2))) for side in (-1.0, 1.0)]


def undercarriage(chosen: Chosen) -> Body:
    """Two tracks and the frame between them; the undercarriage does not move."""
    length, gauge = chosen.number("track_length"), chosen.number("track_gauge")
    width, ring = chosen.number("track_width"), chosen.number("ring_height")
    half, top = length / 2, 0.78 * ring
    round_off = 0.35 * top
    outline = (
        (-half + round_off, 0.0), (half - round_off, 0.0), (half, round_off), (half, top - round_off),
        (half - round_off, top), (-half + round_off, top), (-half, top - round_off), (-half, round_off),
    )  # fmt: skip
    whole = chosen.number("undercarriage_mass")
    tracks = [
        Part(
            Prism(outline, width, (0.0, 0.0, side * gauge / 2), "z", "dark"), mass=derived(0.4 * whole, "kg")
        )
        for side in (-1.0, 1.0)
    ]
    frame = block((1.5, 0.35, gauge - width), (0.0, 0.62 * ring, 0.0))
    ring_part = Bar((0.0, 0.8 * ring, 0.0), (0.0, ring, 0.0), 0.55, finish="dark")
    return body(
        "undercarriage",
        Fixed(GROUND, at(0, 0), Vector((0.0, 0.0, 0.0), "rad", "derived")),
        [*tracks, Part(frame, mass=derived(0.2 * whole, "kg")), Part(ring_part, density=None)],
    )


def platform(chosen: Chosen) -> Body:
    """Upper carriage on the slewing ring: frame, cab, engine compartment and counterweight."""
    foot, base = spot(chosen, "boom_foot"), spot(chosen, "boom_base")
    offset, frame = chosen.number("boom_offset"), chosen.number("frame_mass")
    cheek = ((foot[0] - 0.35, 0.05), (base[0] + 0.14, 0.05), (base[0] + 0.12, base[1] + 0.12),
             (foot[0] + 0.12, foot[1] + 0.14), (foot[0] - 0.14, foot[1] + 0.12))  # fmt: skip
    joint = Revolute(GROUND, at(0, chosen.number("ring_height")), UP, chosen.quantity("swing_start"), _STILL)
    parts = [
        Part(block((3.4, 0.28, 2.5), (-0.75, 0.19, 0.0)), mass=derived(0.75 * frame, "kg")),
        # the cab is on the left, as on every excavator: from the right nothing hides the boom cylinders
        Part(block((1.7, 1.65, 0.95), (0.35, 1.15, -0.78), "glass"), mass=derived(0.25 * frame, "kg")),
        Part(block((1.5, 0.95, 2.4), (-1.35, 0.82, 0.0), "arm"), mass=chosen.quantity("engine_mass")),
        Part(block((0.55, 1.0, 2.5), (-2.45, 0.60, 0.0), "dark"), mass=chosen.quantity("counterweight")),
        *_plates(cheek, 0.62, 0.04),
        _pin(*foot, 0.05, 0.8),
        _pin(*base, 0.045, 2 * offset + 0.1),
    ]  # fmt: skip
    tubes = [_tube(chosen, "boom", base, (base[0] + 0.4, 0.9), z) for z in (-offset, offset)]
    return _carrying("platform", joint, parts, *tubes)


def boom(chosen: Chosen) -> Body:
    """A bent box beam from its foot to the hinge of the dipper."""
    length, wall, width = (chosen.number(f"boom_{part}") for part in ("length", "wall", "width"))
    eye, base = spot(chosen, "boom_eye"), spot(chosen, "dipper_base")
    bend = 0.44 * length
    outline = (
        (-0.16, -0.16), (0.15, -0.17), (bend, eye[1] - 0.12), (length, -0.16), (length + 0.16, 0.0),
        (length - 0.1, 0.18), (bend + 0.5, eye[1] + 0.44), (bend - 0.5, eye[1] + 0.40), (-0.12, 0.17),
    )  # fmt: skip
    ear = (
        (base[0] - 0.25, eye[1] + 0.30), (base[0] + 0.25, eye[1] + 0.22), (base[0] + 0.1, base[1] + 0.09),
        (base[0] - 0.1, base[1] + 0.09),
    )  # fmt: skip
    parts = [
        Part(Prism(outline, width), wall=wall),
        *_plates(ear, 0.24, 0.03),
        _pin(*eye, 0.05, 2 * chosen.number("boom_offset") + 0.16),
        _pin(*base, 0.045, 0.36),
        _pin(length, 0.0, 0.05, width + 0.16),
    ]
    joint = Revolute(
        "platform", at(*spot(chosen, "boom_foot")), ACROSS, chosen.quantity("boom_start"), _STILL
    )
    return _carrying("boom", joint, parts, _tube(chosen, "dipper", base, (length * 0.75, base[1] + 0.1)))


def _tube(chosen: Chosen, name: str, foot: Flat, towards: Flat, side: float = 0.0) -> Part:
    """Mass of a half-extended cylinder (steel tube and rod), added to the body that carries its foot.

    Jaiswal 2021, VI gives 8 to 12 kg for the dipper cylinders, a tenth of the mass of their rods alone.
    """
    bore, rod, stroke = (chosen.number(f"{name}_{part}") for part in ("bore", "rod", "stroke"))
    tube = math.pi * ((bore / 2 + 0.0125) ** 2 - (bore / 2) ** 2) * (stroke + 0.2)
    steel = 7850.0 * (tube + math.pi * rod**2 / 4 * (stroke + 0.2))
    ends = (*foot, side), (*towards, side)
    bar = Bar(ends[0], ends[1], bore / 2, bore / 2 - 1e-3)
    return Part(bar, mass=derived(steel, "kg", "tube and rod from bore and stroke"))


def _carrying(name: str, joint: Revolute, parts: list[Part], *cylinders: Part) -> Body:
    """A body with the mass of its cylinders added; the cylinders are drawn separately."""
    whole = body(name, joint, [*parts, *cylinders])
    return replace(whole, shapes=whole.shapes[: len(parts)])


def dipper(chosen: Chosen) -> Body:
    length, wall, width = (chosen.number(f"dipper_{part}") for part in ("length", "wall", "width"))
    eye, base, rocker = spot(chosen, "dipper_eye"), spot(chosen, "bucket_base"), spot(chosen, "rocker_hinge")
    outline = (
        (eye[0] - 0.08, eye[1] - 0.08), (0.0, -0.2), (length, -0.11), (length + 0.1, 0.0), (length, 0.12),
        (0.75, 0.42), (0.1, 0.5), (eye[0] + 0.02, eye[1] + 0.1),
    )  # fmt: skip
    ear = ((base[0] - 0.2, 0.40), (base[0] + 0.2, 0.40), (base[0] + 0.08, base[1] + 0.08),
           (base[0] - 0.08, base[1] + 0.08))  # fmt: skip
    parts = [
        Part(Prism(outline, width), wall=wall),
        *_plates(ear, 0.2, 0.03),
        _pin(*eye, 0.045, width + 0.05),
        _pin(*base, 0.04, 0.32),
        _pin(*rocker, 0.04, width + 0.14),
        _pin(length, 0.0, 0.045, width + 0.14),
    ]
    hinge = at(chosen.number("boom_length"), 0)
    joint = Revolute("boom", hinge, ACROSS, chosen.quantity("dipper_start"), _STILL)
    return _carrying("dipper", joint, parts, _tube(chosen, "bucket", base, (base[0] + 1.2, base[1] + 0.05)))


def bucket(chosen: Chosen) -> Body:
    """Bucket: a shell that is open towards -y; x points from its hinge to the teeth."""
    r, width = chosen.number("bucket_radius"), chosen.number("bucket_width")
    ear = ear_at(chosen)
    shell = (
        (-0.10, -0.10), (0.22 * r, 0.02), (0.34 * r, 0.26 * r), (0.62 * r, 0.36 * r), (0.9 * r, 0.16 * r),
        (r, 0.0), (1.0 * r, 0.05 * r), (0.95 * r, 0.22 * r), (0.64 * r, 0.44 * r), (0.28 * r, 0.36 * r),
        (0.1 * r, 0.2 * r), (-0.08, 0.16),
    )  # fmt: skip
    side = (
        (0.22 * r, 0.02),
        (0.9 * r, 0.0),
        (0.93 * r, 0.18 * r),
        (0.63 * r, 0.40 * r),
        (0.32 * r, 0.32 * r),
    )
    lug = ((-0.1, -0.08), (0.12, -0.05), (ear[0] + 0.12, ear[1] - 0.02), (ear[0], ear[1] + 0.09),
           (ear[0] - 0.09, ear[1]))  # fmt: skip
    mass = chosen.number("bucket_mass")
    parts = [
        Part(Prism(shell, width, finish="steel"), mass=derived(0.6 * mass, "kg")),
        *(
            Part(Prism(side, 0.03, (0.0, 0.0, z * (width / 2 - 0.015)), finish="steel"),
                 mass=derived(0.14 * mass, "kg"))
            for z in (-1.0, 1.0)
        ),
        *(
            Part(Prism(lug, 0.05, (0.0, 0.0, z * 0.24), finish="steel"), mass=derived(0.06 * mass, "kg"))
            for z in (-1.0, 1.0)
        ),
        *(
            Part(block((0.2, 0.06, 0.07), (0.98 * r, 0.02, z), "dark"), density=None)
            for z in _teeth(width)
        ),
    ]  # fmt: skip
    hinge = at(chosen.number("dipper_length"), 0)
    return body("bucket", Revolute("dipper", hinge, ACROSS, chosen.quantity("bucket_start"), _STILL), parts)


def _teeth(width: float) -> list[float]:
    count = max(3, round(width / 0.25))
    return [(k / (count - 1) - 0.5) * (width - 0.1) for k in range(count)]


def ear_at(chosen: Chosen) -> Flat:
    """Pin of the link on the bucket, m."""
    radius, angle = chosen.number("ear_radius"), chosen.number("ear_angle")
    return radius * math.cos(angle), radius * math.sin(angle)


def inside(chosen: Chosen) -> Vector:
    """Centre of the soil in the bucket, m."""
    r = chosen.number("bucket_radius")
    return at(0.60 * r, 0.14 * r)


def linkage(chosen: Chosen) -> tuple[Body, Body]:
    """Bucket linkage: the rocker on the dipper, and the link from the rocker to the bucket."""
    start_r, start_l = _assembled(chosen)
    found = []
    for name, parent, hinge, start, width in (
        ("rocker", "dipper", at(*spot(chosen, "rocker_hinge")), start_r, 0.46),
        ("link", "rocker", at(chosen.number("rocker_length"), 0), start_l, 0.3),
    ):
        length = chosen.number(f"{name}_length")
        outline = ((-0.07, -0.06), (length + 0.07, -0.06), (length + 0.07, 0.06), (-0.07, 0.06))
        mass = derived(chosen.number("linkage_mass") / 2, "kg", "half on either side")
        sides = [Part(Prism(outline, 0.04, (0.0, 0.0, z * width / 2)), mass=mass) for z in (-1.0, 1.0)]
        joint = Revolute(parent, hinge, ACROSS, derived(start, "rad", "where the loop closes"), _STILL)
        found.append(body(name, joint, sides))
    return found[0], found[1]


def _assembled(chosen: Chosen) -> tuple[float, float]:
    """Angles of rocker and link at the start, from the intersection of two circles above the dipper.

    If the circles do not meet, the angles of closest approach; the loop check then refuses the machine.
    """
    x, y = ear_at(chosen)
    turn = chosen.number("bucket_start")
    px, py = spot(chosen, "rocker_hinge")
    ex = chosen.number("dipper_length") + x * math.cos(turn) - y * math.sin(turn) - px
    ey = x * math.sin(turn) + y * math.cos(turn) - py
    a, b, d = chosen.number("rocker_length"), chosen.number("link_length"), math.hypot(ex, ey)
    share = min(max((a * a + d * d - b * b) / (2 * a * d), -1.0), 1.0)
    rocker = math.atan2(ey, ex) + math.acos(share)
    jx, jy = a * math.cos(rocker), a * math.sin(rocker)
    return rocker, math.atan2(ey - jy, ex - jx) - rocker


def bucket_pin(chosen: Chosen) -> CutRevolute:
    """Hinge between link and bucket, which closes the loop."""
    return CutRevolute(
        "bucket pin",
        Mount("bucket", at(*ear_at(chosen))),
        Mount("link", at(chosen.number("link_length"), 0)),
        ACROSS,
        ACROSS,
    )


def crankshaft(chosen: Chosen) -> Body:
    """Crankshaft and flywheel: inertia without weight; the reaction torque on the carriage is neglected."""
    inertia = chosen.number("engine_inertia")
    speed = chosen.number("engine_speed") - 0.2 * chosen.number("engine_droop")
    return Body(
        "crankshaft",
        Revolute(GROUND, at(0, 0), AHEAD, derived(0.0, "rad"), derived(speed, "rad/s", "hardly loaded")),
        mass=assumed(0.0, "kg", "its weight is the engine's"),
        centre=at(0, 0),
        inertia=Vector((inertia, 0.6 * inertia, 0.6 * inertia), "kg m²", "derived"),
        shapes=(),
    )


def load(chosen: Chosen) -> Body:
    """A load in the bucket, in addition to the soil that it digs."""
    side = max((chosen.number("payload") / 1700.0) ** (1 / 3), 0.01)
    shape = block((side, 0.7 * side, side), (0.0, 0.0, 0.0), "load")
    joint = Fixed("bucket", inside(chosen), Vector((0.0, 0.0, 0.0), "rad", "derived"))
    return body("load", joint, [Part(shape, mass=chosen.quantity("payload"))])


def bodies(chosen: Chosen) -> tuple[Body, ...]:
    return (
        undercarriage(chosen),
        platform(chosen),
        boom(chosen),
        dipper(chosen),
        bucket(chosen),
        *linkage(chosen),
        crankshaft(chosen),
        load(chosen),
    )
