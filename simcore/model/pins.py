"""Lists the pins of a machine and compiles sections to records for simcore/formulation/reactions.py."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from simcore.errors import BadMachine
from simcore.model.elements import (
    CutRevolute,
    CutTranslational,
    Fixed,
    Floating,
    Loop,
    Machine,
    PointOnLine,
    Push,
    Section,
    Spherical,
    Spring,
    Twist,
)
from simcore.model.geometry import Array, inertia_matrix, row_owners
from simcore.model.load_records import (
    AT_CYLINDER,
    AT_JOINT,
    AT_LOOP,
    OF_CYLINDER,
    OF_JOINT,
    OF_LINK,
    OF_LOOP,
    PART,
    PIN,
    SECTION,
)
from simcore.model.loop_rows import useful_rows
from simcore.model.plan import Records
from simcore.model.tree import Tree, expand

_UNIT = 1e-9  # by which axes may miss being perpendicular


@dataclass(frozen=True, slots=True)
class Pin:
    """A place where one part of a machine holds another: its load acts on `body`, in the axes of `body`."""

    kind: Literal["joint", "loop", "base", "rod"]  # base and rod: the two ends of a cylinder
    element: str  # body of the joint, loop or cylinder
    body: str


def pins(machine: Machine) -> tuple[Pin, ...]:
    """Every pin: of the joints by body, of the loops, then both ends of each cylinder."""
    found = [
        Pin("joint", b.name, b.name) for b in machine.bodies if not isinstance(b.joint, Fixed | Floating)
    ]
    found += [Pin("loop", loop.name, loop.b.body) for loop in machine.loops]
    for c in machine.cylinders:
        found += [Pin("base", c.name, c.base.body), Pin("rod", c.name, c.rod.body)]
    return tuple(found)


def pin_records(machine: Machine, wanted: Iterable[Pin]) -> Records:
    """Records of pins."""
    tree, kept = expand(machine), row_ranges(machine)
    wanted = list(wanted)
    out = np.zeros(len(wanted), dtype=PIN)
    loops = {loop.name: loop for loop in machine.loops}
    cylinders = {c.name: (k, c) for k, c in enumerate(machine.cylinders)}
    joints = {b.name: b.joint for b in machine.bodies}
    for record, pin in zip(out, wanted, strict=True):
        frame = tree.frames[pin.body]
        record["body"] = record["on"] = frame.index
        record["axes"], record["sign"] = frame.turn.T, 1.0
        if pin.kind == "joint":
            record["kind"], record["index"] = AT_JOINT, frame.index
            if not isinstance(joints[pin.body], Spherical):
                record["axis"] = tree.singles[frame.index - 1].axis
        elif pin.kind == "loop":
            loop = loops[pin.element]
            record["kind"], record["at"] = AT_LOOP, tree.mount(loop.b)[1]
            record["index"], record["count"] = kept[pin.element]
            record["on"], record["axis"] = loop_axis(tree, loop)
        else:
            k, cylinder = cylinders[pin.element]
            end = cylinder.rod if pin.kind == "rod" else cylinder.base
            record["kind"], record["index"], record["at"] = AT_CYLINDER, k, tree.mount(end)[1]
            record["sign"] = 1.0 if pin.kind == "rod" else -1.0
    return out


def row_ranges(machine: Machine) -> dict[str, tuple[int, int]]:
    """First compiled row of every loop, and how many it has."""
    if not machine.loops:
        return {}
    owners = [name for name, keep in zip(row_owners(machine), useful_rows(machine), strict=True) if keep]
    return {
        loop.name: (owners.index(loop.name) if loop.name in owners else 0, owners.count(loop.name))
        for loop in machine.loops
    }


def loop_axis(tree: Tree, loop: Loop) -> tuple[int, Array]:
    """Body that carries the axis of a loop joint, and the axis in its compiled frame; zeros: none."""
    if isinstance(loop, CutRevolute | CutTranslational):
        frame = tree.frames[loop.b.body]
        return frame.index, frame.direction(loop.axis_b)
    frame = tree.frames[loop.a.body]
    axis = loop.axis_a if isinstance(loop, PointOnLine) else (0.0, 0.0, 0.0)
    return frame.index, frame.direction(axis)


def section_records(machine: Machine, sections: Sequence[Section]) -> tuple[Records, Records]:
    """Records of sections, and of the parts that are attached outboard of them."""
    tree, ranges = expand(machine), row_ranges(machine)
    out = np.zeros(len(sections), dtype=SECTION)
    parts: list[tuple[int, int, float]] = []
    for record, section in zip(out, sections, strict=True):
        if section.body not in tree.frames or not (frame := tree.frames[section.body]).index:
            raise BadMachine(f"section {section.name!r}: {section.body!r} must be a body that can move")
        axes = np.array([section.axis_x, section.axis_y, section.axis_z])
        if np.max(np.abs(axes @ axes.T - np.eye(3))) > _UNIT or np.linalg.det(axes) < 0:
            raise BadMachine(
                f"section {section.name!r}: its axes must be right-handed unit vectors at right angles"
            )
        record["body"] = record["on"] = frame.index
        record["at"], record["axes"] = frame.point(section.at.xyz), axes @ frame.turn.T
        record["axis"] = frame.direction(section.axis_x)
        if section.mass is not None:
            if section.centre is None:
                raise BadMachine(f"section {section.name!r}: an outboard mass needs a centre")
            record["mass"], record["centre"] = float(section.mass), frame.point(section.centre.xyz)
            if section.inertia is not None:
                i = frame.turn @ inertia_matrix(section.inertia) @ frame.turn.T
                record["inertia"] = i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]
        record["first"] = len(parts)
        parts += _parts(machine, tree, ranges, section)
        record["count"] = len(parts) - record["first"]
    return out, np.array(parts, dtype=PART)


def _parts(
    machine: Machine, tree: Tree, ranges: dict[str, tuple[int, int]], section: Section
) -> list[tuple[int, int, float]]:
    """What acts outboard of a section: kind, index and sign."""
    here = section.body

    def sign(name: str, a: str, b: str) -> float:
        if here not in (a, b) or a == b:
            raise BadMachine(f"section {section.name!r}: {name!r} is not attached to {here!r} by one end")
        return 1.0 if here == b else -1.0

    def found(kind: str, name: str, known: Iterable[Any]) -> tuple[int, Any]:
        for k, element in enumerate(known):
            if element.name == name:
                return k, element
        raise BadMachine(f"section {section.name!r} refers to {kind} {name!r}, which does not exist")

    parts = []
    for name in section.carries:
        _, body = found("body", name, machine.bodies)
        if body.joint.parent != here or isinstance(body.joint, Fixed):
            raise BadMachine(f"section {section.name!r}: {here!r} does not carry {name!r} by a joint")
        first = next(k for k, single in enumerate(tree.singles) if single.owner == name)
        parts.append((OF_JOINT, first + 1, -1.0))
    for name in section.cylinders:
        k, cylinder = found("cylinder", name, machine.cylinders)
        parts.append((OF_CYLINDER, k, sign(name, cylinder.base.body, cylinder.rod.body)))
    for name in section.loops:
        _, loop = found("loop", name, machine.loops)
        first, count = ranges[name]
        side = sign(name, loop.a.body, loop.b.body)
        parts += [(OF_LOOP, first + k, side) for k in range(count)]
    between = [link for link in machine.links if isinstance(link, Spring | Push | Twist)]
    for name in section.links:
        k, link = found("link", name, between)
        a, b = (end if isinstance(end, str) else end.body for end in (link.a, link.b))
        parts.append((OF_LINK, k, sign(name, a, b)))
    return parts
