"""Computes mass, centre and inertia of bodies from geometry and material, in closed form.

Prisms use the moments of their outline from Green's theorem (docs/machines/description.md). A box beam is its
outer prism minus its inner prism, so its plates need not be listed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from simcore.errors import BadMachine
from simcore.model.elements import Bar, Body, Joint, Point, Prism, Shape, Wheel
from simcore.model.geometry import Array, plane
from simcore.model.outlines import ACROSS, ALONG
from simcore.model.quantity import Quantity, Tensor, Vector, derived, standard

STEEL = standard(7850.0, "kg/m³", "structural steel, EN 1991-1-1")
_FROM = "from geometry and material"
Flat = tuple[float, float]


@dataclass(frozen=True)
class Solid:
    """Mass properties in a body's frame."""

    mass: float  # kg
    centre: Array  # m
    inertia: Array  # about the centre, kg m²


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a body: its shape, and either its material or its mass.

    wall: thickness of the plates of a closed hollow prism, m; None: solid. If density and mass are None, the
    part is only drawn; another part includes its mass.
    """

    shape: Shape
    density: Quantity | None = STEEL  # kg/m³
    wall: float | None = None
    mass: Quantity | None = None  # kg, spread evenly over the shape


def solid(part: Part) -> Solid:
    """Mass properties of one part."""
    unit = _of_density_one(part.shape, part.wall)
    if part.mass is not None:
        factor = float(part.mass) / unit.mass
    else:
        factor = 0.0 if part.density is None else float(part.density)
    return Solid(factor * unit.mass, unit.centre, factor * unit.inertia)


def together(solids: Iterable[Solid]) -> Solid:
    """Several solids combined into one (parallel axes)."""
    listed = list(solids)
    mass = sum(s.mass for s in listed)
    if mass == 0:
        return Solid(0.0, np.zeros(3), np.zeros((3, 3)))
    centre = sum((s.mass * s.centre for s in listed), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for s in listed:
        arm = s.centre - centre
        inertia += s.inertia + s.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Solid(mass, centre, inertia)


def body(name: str, joint: Joint, parts: Iterable[Part], steel: Quantity = STEEL) -> Body:
    """A rigid body made of parts: mass properties and shapes from the same numbers.

    steel: density of the parts without a material of their own.
    """
    listed = [replace(part, density=steel) if part.density is STEEL else part for part in parts]
    whole = together(solid(part) for part in listed)
    i = whole.inertia
    six = (i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2])
    x, y, z = whole.centre
    return Body(
        name=name,
        joint=joint,
        mass=derived(whole.mass, "kg", _FROM),
        centre=Vector((float(x), float(y), float(z)), "m", "derived", _FROM),
        inertia=Tensor(tuple(float(v) for v in six), "kg m²", "derived", _FROM),  # type: ignore[arg-type]
        shapes=tuple(part.shape for part in listed),
    )


def block(size: Point, at: Point, finish: str = "frame") -> Prism:
    """A box with the given sizes along x, y and z, around its centre."""
    x, y, z = size[0] / 2, size[1] / 2, size[2]
    return Prism(((-x, -y), (x, -y), (x, y), (-x, y)), z, at, "z", finish)  # type: ignore[arg-type]


def inset(outline: tuple[Flat, ...], wall: float) -> tuple[Flat, ...]:
    """An outline with every edge moved inwards by the wall thickness."""
    count, found = len(outline), []
    for k in range(count):
        before, here, after = outline[k - 1], outline[k], outline[(k + 1) % count]
        (ux, uy), (vx, vy) = _direction(before, here), _direction(here, after)
        turn = ux * vy - uy * vx
        # the corner moves by s·u + t·v so that it is `wall` inside of both edges
        x, y = (vx - ux, vy - uy) if abs(turn) > 1e-12 else (-uy, ux)
        size = wall / turn if abs(turn) > 1e-12 else wall
        found.append((here[0] + size * x, here[1] + size * y))
    return tuple(found)


def _direction(a: Flat, b: Flat) -> Flat:
    length = math.dist(a, b)
    return (b[0] - a[0]) / length, (b[1] - a[1]) / length


def _of_density_one(shape: Shape, wall: float | None) -> Solid:
    match shape:
        case Prism():
            outside = _prism(shape, shape.outline, shape.width)
            if wall is None:
                return outside
            inner, width = inset(shape.outline, wall), shape.width - 2 * wall
            hollow = _prism(shape, inner, width)
            if width <= 0 or not 0 < hollow.mass < outside.mass or _turned_over(shape.outline, inner):
                raise BadMachine(f"a wall of {wall:g} m is too thick for a section {shape.width:g} m wide")
            return together([outside, Solid(-hollow.mass, hollow.centre, -hollow.inertia)])
        case Bar():
            outside = _bar(shape.start, shape.end, shape.radius)
            if shape.hole == 0:
                return outside
            hollow = _bar(shape.start, shape.end, shape.hole)
            return together([outside, Solid(-hollow.mass, hollow.centre, -hollow.inertia)])
        case Wheel():
            x, y, z = shape.at
            half = shape.width / 2
            return _bar((x, y, z - half), (x, y, z + half), shape.radius)
    raise BadMachine(
        f"a {type(shape).__name__.lower()} is only for display: must not be used to compute a mass"
    )


def _turned_over(outline: tuple[Flat, ...], inner: tuple[Flat, ...]) -> bool:
    """Whether insetting has reversed an edge, because the wall is thicker than the section."""
    edges = zip(pairwise((*outline, outline[0])), pairwise((*inner, inner[0])), strict=True)
    return any((b[0] - a[0]) * (d[0] - c[0]) + (b[1] - a[1]) * (d[1] - c[1]) <= 0 for (a, b), (c, d) in edges)


def _prism(shape: Prism, outline: tuple[Flat, ...], width: float) -> Solid:
    """A prism: area, first and second moments of its outline from Green's theorem, then the extrusion."""
    area = mu = mv = uu = vv = uv = 0.0
    for (u, v), (a, b) in pairwise((*outline, outline[0])):
        cross = u * b - a * v
        area += cross / 2
        mu += cross * (u + a) / 6
        mv += cross * (v + b) / 6
        uu += cross * (u * u + u * a + a * a) / 12
        vv += cross * (v * v + v * b + b * b) / 12
        uv += cross * (2 * u * v + u * b + a * v + 2 * a * b) / 24
    first, second = ACROSS[shape.along]
    third = ALONG[shape.along]
    mass = area * width
    u0, v0 = mu / area, mv / area
    suu, svv, suv = (
        (uu - area * u0 * u0) * width,
        (vv - area * v0 * v0) * width,
        (uv - area * u0 * v0) * width,
    )
    sww = mass * width * width / 12
    centre = np.array(shape.at, dtype=float)
    centre[first] += u0
    centre[second] += v0
    inertia = np.zeros((3, 3))
    inertia[first, first], inertia[second, second], inertia[third, third] = svv + sww, suu + sww, suu + svv
    inertia[first, second] = inertia[second, first] = -suv
    return Solid(mass, centre, inertia)


def _bar(start: Point, end: Point, radius: float) -> Solid:
    """A round bar: m r²/2 about its axis, m (3 r² + l²)/12 perpendicular to it."""
    a, b = np.array(start, dtype=float), np.array(end, dtype=float)
    length = float(np.linalg.norm(b - a))
    mass = math.pi * radius**2 * length
    axis = (b - a) / length
    first, second = plane((float(axis[0]), float(axis[1]), float(axis[2])))
    across = mass * (3 * radius**2 + length**2) / 12
    inertia = mass * radius**2 / 2 * np.outer(axis, axis)
    inertia += across * (np.outer(first, first) + np.outer(second, second))
    return Solid(mass, (a + b) / 2, inertia)
