"""Converts a machine to JSON data for a 3D display, in metres and model axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simcore.model.elements import (
    GROUND,
    Body,
    Cylinder,
    Fixed,
    Joint,
    Machine,
    Mount,
    Prismatic,
    ReliefValve,
    Revolute,
)
from simcore.model.geometry import point, poses, start_angles
from simcore.model.outlines import corners, drawn
from simcore.model.quantity import place


def scene(machine: Machine) -> dict[str, Any]:
    """Bodies with joints and shapes, ground brackets, cylinders and the space the machine needs."""
    return {
        "bodies": [_body(machine, body) for body in machine.bodies],
        "anchors": _anchors(machine),
        "cylinders": [_cylinder(machine, cylinder) for cylinder in machine.cylinders],
        "bounds": _bounds(machine),
        "full_pressure": highest_pressure(machine),
        "fills": _fills(machine),
        "payload": _payload(machine),
    }


def _channel(machine: Machine, reads: str, element: str) -> str | None:
    return next((o.name for o in machine.outputs if o.reads == reads and o.element == element), None)


def _body(machine: Machine, body: Body) -> dict[str, Any]:
    moves = "slide" if isinstance(body.joint, Prismatic) else "angle"
    axis, start = _motion(body.joint)
    joint = {
        "type": type(body.joint).__name__.lower(),
        "origin": list(body.joint.at.xyz),
        "axis": list(axis),
        "start": start,
        "channel": _channel(machine, moves, body.name),
    }
    shapes = [drawn(shape) for shape in body.shapes]
    return {"name": body.name, "parent": body.joint.parent, "joint": joint, "shapes": shapes}


def _motion(joint: Joint) -> tuple[tuple[float, ...], float]:
    """Axis of a joint and its start position; for a weld, its fixed rotation."""
    if isinstance(joint, Fixed):
        turn = joint.turn.xyz
        angle = math.hypot(*turn)
        return (tuple(x / angle for x in turn) if angle else (0.0, 0.0, 1.0)), angle
    if isinstance(joint, Revolute | Prismatic):
        return joint.axis, float(joint.start)
    return (0.0, 0.0, 1.0), 0.0


def _anchors(machine: Machine) -> list[dict[str, Any]]:
    """Brackets on the floor, unless the machine has its own base."""
    if any(isinstance(b.joint, Fixed) and b.joint.parent == GROUND for b in machine.bodies):
        return []
    found = [
        {"name": f"{body.name} bearing", "at": list(body.joint.at.xyz)}
        for body in machine.bodies
        if body.joint.parent == GROUND
    ]
    for loop in machine.loops:
        found += [{"name": loop.name, "at": list(m.at.xyz)} for m in (loop.a, loop.b) if m.body == GROUND]
    found += [
        {"name": f"{c.name} bearing", "at": list(c.base.at.xyz)}
        for c in machine.cylinders
        if c.base.body == GROUND
    ]
    return found


def _cylinder(machine: Machine, cylinder: Cylinder) -> dict[str, Any]:
    area = math.pi * float(cylinder.bore) ** 2 / 4
    return {
        "name": cylinder.name,
        "base": {"body": cylinder.base.body, "at": list(cylinder.base.at.xyz)},
        "rod": {"body": cylinder.rod.body, "at": list(cylinder.rod.at.xyz)},
        "bore": float(cylinder.bore),
        "rod_diameter": float(cylinder.rod_diameter),
        "tube_length": float(cylinder.tube_length),
        "full_force": area * highest_pressure(machine),
        "channels": {
            "p_A": _channel(machine, "pressure", cylinder.chamber_a),
            "p_B": _channel(machine, "pressure", cylinder.chamber_b),
            "length": _channel(machine, "length", cylinder.name),
            "force": _channel(machine, "force", cylinder.name),
        },
    }


def _fills(machine: Machine) -> list[dict[str, Any]]:
    """Soil in buckets: its position, m, and the volume of a full bucket, m³."""
    return [
        {
            "body": d.edge.body,
            "at": list(d.centre.xyz),
            "width": float(d.width),
            "full": float(d.capacity),
            "channel": _channel(machine, "fill", d.name),
        }
        for d in machine.digging
    ]


def _payload(machine: Machine) -> dict[str, Any] | None:
    """The load on a hook: its body and usual mass, kg. Soil is shown separately."""
    payload = machine.model_error.payload
    if payload is None or machine.digging:
        return None
    channel = _channel(machine, "payload", payload.body)
    return {"body": payload.body, "usual": float(payload.change), "channel": channel}


def highest_pressure(machine: Machine) -> float:
    """Highest supply pressure, Pa: that of the relief valve, or of the strongest source."""
    fed = {valve.supply for valve in machine.valves}
    reliefs = [float(e.setting) for e in machine.elements if isinstance(e, ReliefValve) and e.a in fed]
    return max([*reliefs, *(float(s.pressure) for s in machine.sources)], default=0.0)


def _bounds(machine: Machine) -> dict[str, list[float]]:
    """Box around the machine at its start, with a tenth of its size to spare for motion."""
    where = poses(machine, start_angles(machine))
    found = [where[body.name][1] for body in machine.bodies]
    found += [
        point(where, Mount(body.name, place(*corner)))
        for body in machine.bodies
        for shape in body.shapes
        for corner in corners(shape)
    ]
    found += [point(where, mount) for c in machine.cylinders for mount in (c.base, c.rod)]
    low, high = np.min(found, axis=0), np.max(found, axis=0)
    spare = 0.1 * float(np.max(high - low))
    return {"min": [float(x) for x in low - spare], "max": [float(x) for x in high + spare]}
