"""Refuses impossible machine descriptions. Each error gives the element, the value and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from simcore.errors import BadMachine
from simcore.model.diesel_soil import drives_are_sound
from simcore.model.elements import (
    GROUND,
    CutTranslational,
    Efficiency,
    Fixed,
    Floating,
    JointFriction,
    JointSpring,
    Machine,
    Prismatic,
    Pump,
    Push,
    Reads,
    ReliefValve,
    Revolute,
    Spring,
    Twist,
)
from simcore.model.friction_check import friction_is_sound
from simcore.model.geometry import (
    gap_jacobian,
    inertia_matrix,
    moves,
    start_angles,
)
from simcore.model.hydraulic_checks import (
    chambers_have_room,
    circuit_is_connected,
    cylinders_are_sound,
    elements_are_sound,
)
from simcore.model.netlist import pilots, ports, spools
from simcore.model.quantity import Quantity, Tensor, Vector
from simcore.model.shape_checks import shapes_are_sound
from simcore.model.tree import mass_by_coordinate

# fields whose value may be zero, and fields of either sign; every other number must be positive
_ZERO_ALLOWED = {
    "mass",
    "stiffness",
    "damping",
    "free_length",
    "hose",
    "coulomb",
    "static",
    "viscous",
    "shape",
    "bristle_damping",
    "cracking",
    "check_cracking",
    "ratio",
    "conductance",
    "stiffening",
    "fraction",
    "vapour_pressure",
    "noise",
    "acceleration",
    "pressure_rate",
    "rod_diameter",
    "drag",
    "weight",
    "cohesion",
    "surcharge",
    "backward",
    "chamber_a_at_reference",
}
_ANY_SIGN = {
    "start",
    "rate",
    "slide_start",
    "slide_rate",
    "second_start",
    "second_rate",
    "rest",
    "speed",
    "pours_below",
}
_UNIT_TOLERANCE = 1e-9
_REACTIONS = ("reaction", "loop_reaction", "rod_reaction")


def check(machine: Machine) -> None:
    """Raise BadMachine for the first error."""
    _names_are_unique(machine)
    for element in _elements(machine):
        _numbers_are_sound(getattr(element, "name", type(element).__name__), element)
    for body in machine.bodies:
        shapes_are_sound(body)
    _tree_is_a_tree(machine)
    _slides_are_straight(machine)
    _names_are_known(machine)
    _inertias_are_physical(machine)
    _links_are_sound(machine)
    cylinders_are_sound(machine)
    elements_are_sound(machine)
    circuit_is_connected(machine)
    chambers_have_room(machine)
    drives_are_sound(machine)
    _every_motion_moves_mass(machine)


def _elements(machine: Machine) -> Iterable[Any]:
    """Every part of the machine that contains numbers."""
    yield from (machine.fluid, machine.solver, machine.model_error)
    yield from machine.bodies
    yield from machine.loops
    yield from machine.links
    yield from machine.volumes
    yield from machine.sources
    yield from machine.orifices
    yield from machine.valves
    yield from machine.elements
    yield from machine.cylinders
    yield from machine.outputs
    yield from machine.diesels
    yield from machine.digging


def _names_are_unique(machine: Machine) -> None:
    groups = {
        "body": [GROUND, *(b.name for b in machine.bodies)],
        "loop": [loop.name for loop in machine.loops],
        "link": [link.name for link in machine.links],
        "volume or source": [v.name for v in machine.volumes] + [s.name for s in machine.sources],
        "orifice or valve": [
            part.name for group in (machine.orifices, machine.valves, machine.elements) for part in group
        ],
        "cylinder": [c.name for c in machine.cylinders],
        "channel": [o.name for o in machine.outputs],
        "diesel engine": [e.name for e in machine.diesels],
        "digging edge": [d.name for d in machine.digging],
    }
    for kind, names in groups.items():
        for name in names:
            if names.count(name) > 1:
                raise BadMachine(
                    f"{kind} name {name!r} is used {names.count(name)} times; each must be unique"
                )


def _numbers_are_sound(owner: str, part: Any) -> None:
    """Check the numbers in nested dataclasses; the field name determines what is allowed."""
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, Quantity):
            _number(f"{owner}.{field.name}", field.name, value)
        elif isinstance(value, Vector | Tensor):
            numbers = value.xyz if isinstance(value, Vector) else value.six
            if not all(math.isfinite(x) for x in numbers):
                raise BadMachine(f"{owner}.{field.name} = {numbers} {value.unit}: must be finite")
        elif field.name.startswith("axis"):
            if not abs(math.hypot(*value) - 1.0) < _UNIT_TOLERANCE:
                raise BadMachine(f"{owner}.{field.name} = {value}: must be a unit vector")
        elif isinstance(value, tuple):
            for number in value:
                if isinstance(number, Quantity):
                    _number(f"{owner}.{field.name}", field.name, number)
                elif is_dataclass(number):
                    _numbers_are_sound(f"{owner}.{field.name}", number)
        elif is_dataclass(value):
            _numbers_are_sound(f"{owner}.{field.name}", value)


def _number(path: str, field: str, quantity: Quantity) -> None:
    x, unit = float(quantity), quantity.unit
    if not math.isfinite(x):
        raise BadMachine(f"{path} = {x} {unit}: must be a finite number")
    if field in _ANY_SIGN and unit != "Pa":
        return
    if x < 0 or (x == 0 and field not in _ZERO_ALLOWED):
        allowed = "zero or more" if field in _ZERO_ALLOWED else "more than zero"
        raise BadMachine(f"{path} = {x:g} {unit}: must be {allowed}")


def _tree_is_a_tree(machine: Machine) -> None:
    known = {GROUND}
    for body in machine.bodies:
        if body.joint.parent not in known:
            raise BadMachine(
                f"body {body.name!r}: its parent {body.joint.parent!r} must be described before it; "
                f"the bodies before it are: {_list(known)}"
            )
        known.add(body.name)


def _slides_are_straight(machine: Machine) -> None:
    for loop in machine.loops:
        if isinstance(loop, CutTranslational):
            pairs = ((loop.axis_a, loop.axis_side_a), (loop.axis_b, loop.axis_side_b))
            for slide, side in pairs:
                if abs(sum(x * y for x, y in zip(slide, side, strict=True))) > _UNIT_TOLERANCE:
                    raise BadMachine(
                        f"loop {loop.name!r}: side axis {side} must be perpendicular to slide axis {slide}"
                    )


def _names_are_known(machine: Machine) -> None:
    bodies = {GROUND, *(b.name for b in machine.bodies)}
    volumes = {v.name for v in machine.volumes}
    nodes = volumes | {s.name for s in machine.sources}
    hinged = {b.name for b in machine.bodies if isinstance(b.joint, Revolute)}
    sliding = {b.name for b in machine.bodies if isinstance(b.joint, Prismatic)}
    error = machine.model_error
    carrying = () if error.payload is None else (error.payload.body,)
    _known("model error", (*error.unexplained_on, *error.weight_on, *carrying), bodies - {GROUND})
    _known("model error", error.leakage_on, {c.name for c in machine.cylinders})
    _known("model error", error.relief_on, {e.name for e in machine.elements if isinstance(e, ReliefValve)})
    sources = {s.name for s in machine.sources}
    pumps = {e.name for e in machine.elements if isinstance(e, Pump)}
    for loop in machine.loops:
        _known(f"loop {loop.name!r}", (loop.a.body, loop.b.body), bodies)
    for link in machine.links:
        names: tuple[str, ...]
        match link:
            case Spring():
                names = (link.a.body, link.b.body)
            case Push():
                names = (link.a, link.b.body, link.follows)
            case Twist():
                names = (link.a, link.b, link.follows)
            case JointSpring() | JointFriction():
                names = (link.body,)
        _known(f"link {link.name!r}", names, bodies)
    for orifice in machine.orifices:
        _known(f"orifice {orifice.name!r}", (orifice.a, orifice.b), nodes)
    for valve in machine.valves:
        _known(f"valve {valve.name!r}", (valve.supply, valve.tank, valve.port_a, valve.port_b), nodes)
    for cylinder in machine.cylinders:
        _known(f"cylinder {cylinder.name!r}", (cylinder.base.body, cylinder.rod.body), bodies)
        _known(f"cylinder {cylinder.name!r}", (cylinder.chamber_a, cylinder.chamber_b), nodes)
    for element in machine.elements:
        owner = f"{type(element).__name__} {element.name!r}"
        _known(owner, ports(element) + pilots(element), nodes)
        if isinstance(element, Pump) and element.shaft is not None:
            _known(owner, (element.shaft,), hinged)
        if isinstance(element, Pump):
            _known(owner, (d.valve for d in element.demands), {v.name for v in machine.valves})
    for engine in machine.diesels:
        _known(f"engine {engine.name!r}", (engine.shaft,), hinged)
    for d in machine.digging:
        _known(f"digging edge {d.name!r}", (d.edge.body,), bodies - {GROUND})
    _known("independent", machine.independent, bodies - {GROUND})
    sources_of: dict[Reads, set[str]] = {
        "angle": hinged,
        "rate": hinged,
        "slide": sliding,
        "slide_rate": sliding,
        "pressure": volumes,
        "length": {c.name for c in machine.cylinders},
        "force": {c.name for c in machine.cylinders},
        "command": {s.name for s in spools(machine)},
        "spool": {s.name for s in spools(machine)},
        "inclination": bodies - {GROUND},
        "spin": hinged,
        "flow": {o.name for o in machine.orifices} | {e.name for e in machine.elements} | sources,
        "flow_a": {v.name for v in machine.valves},
        "flow_b": {v.name for v in machine.valves},
        "power": {c.name for c in machine.cylinders} | pumps | sources,
        "speed": hinged,
        "torque": {e.name for e in machine.diesels},
        "fuel": {e.name for e in machine.diesels},
        "fill": {d.name for d in machine.digging},
        "digging": {d.name for d in machine.digging},
        "height": {d.name for d in machine.digging} | bodies - {GROUND},
        "tool_speed": {d.name for d in machine.digging} | bodies - {GROUND},
        "payload": set(carrying),
        "reaction": {b.name for b in machine.bodies if not isinstance(b.joint, Fixed | Floating)},
        "loop_reaction": {loop.name for loop in machine.loops},
        "rod_reaction": {c.name for c in machine.cylinders},
    }
    for output in machine.outputs:
        _known(f"channel {output.name!r}", (output.element,), sources_of[output.reads])
        if (output.role == "sensor") != (output.noise is not None):
            raise BadMachine(
                f"channel {output.name!r}: a channel with the role sensor must have noise; "
                "other channels must not"
            )
        if output.reads in _REACTIONS and output.role != "model":
            raise BadMachine(
                f"channel {output.name!r}: a reaction must have the role model; "
                "the filter neither corrects it nor says how uncertain it is"
            )
        if output.reads in ("inclination", "height") and not any(machine.gravity.xyz):
            raise BadMachine(
                f"channel {output.name!r}: an inclination or height needs gravity, but gravity is zero"
            )


def _known(owner: str, names: Iterable[str], allowed: set[str]) -> None:
    for name in names:
        if name not in allowed:
            raise BadMachine(f"{owner} refers to {name!r}, which does not exist; known: {_list(allowed)}")


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _inertias_are_physical(machine: Machine) -> None:
    for body in machine.bodies:
        given = body.inertia.xyz if isinstance(body.inertia, Vector) else body.inertia.six
        small, middle, large = np.linalg.eigvalsh(inertia_matrix(body.inertia))
        spare = _UNIT_TOLERANCE * max(abs(large), abs(small))
        if small < -spare or large > small + middle + spare:
            raise BadMachine(
                f"body {body.name!r}: principal moments {small:g}, {middle:g}, {large:g} kg m² of {given} "
                "are impossible for a rigid body; none may be negative or exceed the sum of the other two"
            )


def _links_are_sound(machine: Machine) -> None:
    coordinates = {b.name: moves(b.joint) for b in machine.bodies}
    taken: set[tuple[type, str]] = set()
    for link in machine.links:
        if not isinstance(link, JointSpring | JointFriction):
            continue
        kind = "joint spring" if isinstance(link, JointSpring) else "joint friction"
        if (type(link), link.body) in taken or link.body == GROUND:
            raise BadMachine(
                f"link {link.name!r}: {link.body!r} can have at most one {kind}, and the ground none"
            )
        taken.add((type(link), link.body))
        needs_one = isinstance(link, JointFriction) or float(link.stiffness) > 0
        if needs_one and coordinates[link.body] != 1:
            raise BadMachine(
                f"link {link.name!r}: the joint of {link.body!r} has {coordinates[link.body]} "
                f"coordinates; a {kind} needs a joint with exactly one"
            )
        if isinstance(link, JointFriction):
            friction_is_sound(link.name, link.friction)
            if isinstance(link.friction, Efficiency):
                raise BadMachine(
                    f"link {link.name!r}: a joint has no hydraulic force, which the efficiency law needs; "
                    "use BengisuAkay, BrownMcPhee, LuGre or ModifiedLuGre"
                )


def _every_motion_moves_mass(machine: Machine) -> None:
    """Refuse a direction of motion without inertia, whose acceleration would be undefined."""
    z = start_angles(machine)
    if z.size == 0:
        raise BadMachine(f"machine {machine.name!r} has no joint that can move")
    mass, owners = mass_by_coordinate(machine, z)
    allowed = np.eye(z.size)
    if machine.loops:
        _, sizes, right = np.linalg.svd(gap_jacobian(machine, z))
        rank = int(np.sum(sizes > 1e-7 * sizes[0]))
        allowed = right[rank:].T
    scale = np.sqrt(np.maximum(np.diag(mass), 1e-300))
    values, vectors = np.linalg.eigh(allowed.T @ mass @ allowed)
    if values.size and values[0] <= 1e-13 * max(values[-1], 1e-300):
        lightest = int(np.argmax(np.abs(allowed @ vectors[:, 0]) / np.maximum(scale, 1e-9)))
        raise BadMachine(
            f"body {owners[lightest]!r} can move without moving any mass: "
            "give inertia to this body or to one that it carries"
        )
