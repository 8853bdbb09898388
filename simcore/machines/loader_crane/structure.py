"""Builds the structure of the loader crane: bodies, joints and shapes."""

from __future__ import annotations

from simcore.machines.solids import Part, block, body
from simcore.model.case import Chosen
from simcore.model.elements import (
    GROUND,
    Bar,
    Body,
    Fixed,
    Mount,
    Point,
    Prism,
    Prismatic,
    Revolute,
    Shape,
    Wheel,
)
from simcore.model.quantity import Quantity, Vector, assumed, derived, place

UP, ACROSS, AHEAD = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
_STILL = assumed(0.0, "rad/s", "at rest")
_LINK = 0.12  # m, between the two swing axes
_LOAD_DENSITY = 900.0  # kg/m³, of what is drawn as the load


def _at(x: float, y: float, z: float = 0.0) -> Vector:
    return place(x, y, z, "derived")


def _steel(chosen: Chosen) -> Quantity:
    return chosen.quantity("steel_density")


def lift_mounts(chosen: Chosen) -> tuple[Mount, Mount]:
    """Mounts of the lift cylinder: foot on the column, eye below the main boom."""
    return (
        Mount("column", _at(chosen.number("lift_base_x"), chosen.number("lift_base_y"))),
        Mount("boom", _at(chosen.number("lift_rod_x"), chosen.number("lift_rod_y"))),
    )


def _fold_foot(chosen: Chosen) -> tuple[float, float]:
    return chosen.number("boom_length") - chosen.number("fold_base_back"), chosen.number("fold_base_y")


def fold_mounts(chosen: Chosen) -> tuple[Mount, Mount]:
    """Mounts of the fold cylinder: foot below the main boom, eye below the folding boom."""
    eye = _at(chosen.number("fold_rod_x"), chosen.number("fold_rod_y"))
    return Mount("boom", _at(*_fold_foot(chosen))), Mount("jib", eye)


def bodies(chosen: Chosen) -> tuple[Body, ...]:
    """Truck, column, main boom, folding boom, extension, the link at its tip, hook and load."""
    return (
        _truck(chosen),
        _column(chosen),
        _boom(chosen),
        _jib(chosen),
        _extension(chosen),
        *_hanging(chosen),
    )


def beam(chosen: Chosen, name: str, start: float, end: float) -> Part:
    """A tapered box beam along x, symmetric about its centre line in the plane."""
    first, last = chosen.number(f"{name}_height") / 2, chosen.number(f"{name}_tip") / 2
    outline = ((start, -first), (end, -last), (end, last), (start, first))
    return Part(Prism(outline, chosen.number(f"{name}_width")), wall=chosen.number(f"{name}_wall"))


def _pin(at: Point, radius: float, width: float) -> Part:
    x, y, z = at
    return Part(Bar((x, y, z - width / 2), (x, y, z + width / 2), radius))


def _ear(eye: tuple[float, float], foot: float, width: float) -> list[Part]:
    """Two plates on either side of a cylinder's eye, and the pin through them."""
    (x, y), half = eye, 0.14
    outline: tuple[tuple[float, float], ...] = (
        (x - half, foot), (x - 0.06, y - 0.05), (x + 0.06, y - 0.05), (x + half, foot),
    )  # fmt: skip
    if y > foot:
        outline = ((x - half, foot), (x + half, foot), (x + 0.06, y + 0.05), (x - 0.06, y + 0.05))
    plates = [Part(Prism(outline, 0.02, (0.0, 0.0, side * (width / 2 - 0.01)))) for side in (-1, 1)]
    return [*plates, _pin((x, y, 0.0), 0.03, width + 0.04)]


def _column(chosen: Chosen) -> Body:
    height, side = chosen.number("column_height"), chosen.number("column_width")
    back, half = chosen.number("column_offset"), side / 2
    outline = ((-half, 0.0), (half, 0.0), (half - 0.06, height - 0.15), (-back + 0.1, height + 0.12),
               (-back - 0.12, height + 0.12), (-back - 0.16, height - 0.2))  # fmt: skip
    foot = (chosen.number("lift_base_x"), chosen.number("lift_base_y"))
    (x, y), inside = (foot[0] + 0.05, foot[1]), half - 0.05
    plates = ((inside, y - 0.22), (x, y - 0.06), (x, y + 0.06), (inside, y + 0.16))
    joint = Revolute(
        GROUND, _at(0, chosen.number("mounting_height")), UP, chosen.quantity("slew_start"), _STILL
    )
    parts = [
        Part(Prism(outline, side), wall=chosen.number("column_wall")),
        Part(Bar((0.0, -0.02, 0.0), (0.0, 0.12, 0.0), 0.34, finish="dark")),
        *(Part(Prism(plates, 0.025, (0.0, 0.0, z * (half - 0.02)))) for z in (-1, 1)),
        _pin((*foot, 0.0), 0.035, side),
        _pin((-back, height, 0.0), 0.05, side + 0.06),
    ]
    return body("column", joint, parts, _steel(chosen))


def _boom(chosen: Chosen) -> Body:
    length, width = chosen.number("boom_length"), chosen.number("boom_width")
    hinge = _at(-chosen.number("column_offset"), chosen.number("column_height"))
    lift = (chosen.number("lift_rod_x"), chosen.number("lift_rod_y"))
    fold = _fold_foot(chosen)
    parts = [
        beam(chosen, "boom", -0.1, length + 0.08),
        *_ear(lift, -0.1, width + 0.04),
        *_ear(fold, -0.1, width + 0.04),
        _pin((length, 0.0, 0.0), 0.05, width + 0.12),
    ]
    joint = Revolute("column", hinge, ACROSS, chosen.quantity("boom_start"), _STILL)
    return body("boom", joint, parts, _steel(chosen))


def _jib(chosen: Chosen) -> Body:
    length, width = chosen.number("jib_length"), chosen.number("jib_width")
    eye = (chosen.number("fold_rod_x"), chosen.number("fold_rod_y"))
    above = _extend_height(chosen)
    parts = [
        beam(chosen, "jib", -0.12, length),
        *_ear(eye, -0.08, width + 0.06),
        *_ear((_extend_foot(chosen), above), 0.08, 0.12),
    ]
    hinge = _at(chosen.number("boom_length"), 0)
    joint = Revolute("boom", hinge, ACROSS, chosen.quantity("jib_start"), _STILL)
    return body("jib", joint, parts, _steel(chosen))


def _extend_height(chosen: Chosen) -> float:
    """Height of the extension cylinder above the centre line of the folding boom, on which it lies, m."""
    return chosen.number("jib_height") / 2 + 0.6 * chosen.number("extend_bore") + 0.03


def _extend_foot(chosen: Chosen) -> float:
    """Position of the cylinder's foot along the folding boom, m; fully in, a little stroke remains."""
    return tip(chosen) - 0.02 - chosen.number("extend_closed") - 0.03


def tip(chosen: Chosen) -> float:
    """Position of the load along the folding boom with the extension fully in, m."""
    return chosen.number("jib_length") + 0.15


def _extension(chosen: Chosen) -> Body:
    end, length, above = tip(chosen), chosen.number("extension_length"), _extend_height(chosen)
    width = chosen.number("extension_width")
    joint = Prismatic(
        "jib", _at(0, 0), AHEAD, chosen.quantity("extension_start"), assumed(0.0, "m/s", "at rest")
    )
    parts = [
        beam(chosen, "extension", end - length, end + 0.06),
        *_ear((end - 0.02, above), 0.06, 0.1),
        _pin((end, -0.1, 0.0), 0.03, width + 0.04),
    ]
    return body("extension", joint, parts, _steel(chosen))


def extend_mounts(chosen: Chosen) -> tuple[Mount, Mount]:
    """Mounts of the extension cylinder: foot on the folding boom, eye at the tip of the extension."""
    above = _extend_height(chosen)
    return Mount("jib", _at(_extend_foot(chosen), above)), Mount("extension", _at(tip(chosen) - 0.02, above))


def _hanging(chosen: Chosen) -> tuple[Body, Body, Body]:
    """The link swings along the boom, the hook across it; the load is welded to the hook."""
    level = chosen.number("boom_start") + chosen.number("jib_start")
    straight = derived(-level, "rad", "it hangs straight down")
    swings = Revolute("extension", _at(tip(chosen), -0.1), ACROSS, straight, _STILL)
    link = body(
        "link", swings, [Part(Bar((0.0, 0.0, 0.0), (0.0, -_LINK, 0.0), 0.03)), _pin((0, 0, 0), 0.025, 0.14)]
    )
    rope, mass = chosen.number("rope_length"), chosen.quantity("hook_mass")
    across = Revolute("link", _at(0, -_LINK), AHEAD, assumed(0.0, "rad", "straight down"), _STILL)
    side = (chosen.number("usual_load") / _LOAD_DENSITY) ** (1 / 3)
    eye = min(-0.1, -rope + 0.5 * side + 0.12)
    hook = body("hook", across, [
        Part(Bar((0.0, 0.0, 0.0), (0.0, eye, 0.0), 0.012, finish="dark"), density=None),
        Part(block((0.1, 0.2, 0.1), (0.0, eye, 0.0), "steel"), mass=mass),
    ])  # fmt: skip
    weld = Fixed("hook", _at(0, -rope), Vector((0.0, 0.0, 0.0), "rad", "derived"))
    load = body(
        "load",
        weld,
        [
            Part(
                block((1.2 * side, 0.8 * side, 1.04 * side), (0, 0, 0), "load"),
                mass=chosen.quantity("payload"),
            )
        ],
    )
    return link, hook, load


def support(chosen: Chosen) -> tuple[tuple[float, float], ...]:
    """Support polygon of the stabilised truck: x and z of wheels and feet, in order around it, m."""
    foot, wheel = chosen.number("stabiliser_spread") / 2, chosen.number("track_width") / 2
    front, rear = chosen.number("front_axle"), chosen.number("rear_axle")
    right = ((front, wheel), (0.0, foot), (rear, wheel))
    return (*right, *((x, -z) for x, z in reversed(right)))


def _truck(chosen: Chosen) -> Body:
    """Frame, cab, bed and wheels, with the stabilisers of the crane; y is zero on the ground."""
    top, foot = chosen.number("mounting_height"), chosen.number("stabiliser_spread") / 2
    front, rear, half = (
        chosen.number("front_axle"),
        chosen.number("rear_axle"),
        chosen.number("track_width") / 2,
    )
    radius, middle = 0.5, chosen.number("truck_centre")
    frame = (rear + 1.4) - (front - 1.0)
    cab = ((0.0, 0.0), (1.7, 0.0), (1.7, 1.9), (0.5, 1.9), (0.05, 0.95))
    window = ((0.42, 1.05), (1.1, 1.05), (1.1, 1.7), (0.62, 1.7))
    drawn: list[Shape] = [
        Prism(_rectangle(frame, 0.26), 0.8, ((rear + front + 0.4) / 2, top - 0.13, 0.0), finish="dark"),
        Prism(cab, 2.3, (front - 1.15, top - 0.2, 0.0), finish="frame"),
        Prism(window, 2.32, (front - 1.15, top - 0.2, 0.0), finish="glass"),
        block((rear + 0.8, 0.1, 2.4), ((rear + 0.8) / 2 + 0.6, top + 0.12, 0.0), "frame"),
        block((0.08, 0.75, 2.4), (0.62, top + 0.5, 0.0), "frame"),
        *(Wheel((x, radius, z * (half - 0.02)), radius, 0.3) for x in (front, rear) for z in (-1, 1)),
        block((0.26, 0.24, 2 * foot - 0.1), (0.0, top - 0.32, 0.0), "arm"),
        block((0.7, 0.3, 0.9), (0.0, top - 0.02, 0.0), "arm"),
        *(Bar((0.0, 0.06, z * foot), (0.0, top + 0.1, z * foot), 0.06) for z in (-1, 1)),
        *(block((0.4, 0.06, 0.4), (0.0, 0.03, z * foot), "dark") for z in (-1, 1)),
    ]  # fmt: skip
    # its weight stands where the parameter says, inside of what is drawn
    weight = Part(
        block((3.0, 0.2, 0.7), (middle, top - 0.13, 0.0), "dark"), mass=chosen.quantity("truck_mass")
    )
    nowhere = Vector((0.0, 0.0, 0.0), "rad", "derived")
    shown = [Part(shape, density=None) for shape in drawn]
    return body("truck", Fixed(GROUND, _at(0, 0), nowhere), [weight, *shown])


def _rectangle(length: float, height: float) -> tuple[tuple[float, float], ...]:
    x, y = length / 2, height / 2
    return (-x, -y), (x, -y), (x, y), (-x, y)
