"""A machine as a picture: what a display needs, as plain JSON-able data. Metres, model axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.model.elements import GROUND, Body, Cylinder, Machine, Mount
from simcore.model.geometry import point, poses, start_angles
from simcore.model.quantity import place


def scene(machine: Machine) -> dict[str, Any]:
    """Bodies with joints and shapes, ground brackets, cylinders and the space the machine needs."""
    return {
        "bodies": [_body(machine, body) for body in machine.bodies],
        "anchors": _anchors(machine),
        "cylinders": [_cylinder(machine, cylinder) for cylinder in machine.cylinders],
        "bounds": _bounds(machine),
    }


def _channel(machine: Machine, reads: str, element: str) -> str | None:
    return next((o.name for o in machine.outputs if o.reads == reads and o.element == element), None)


def _body(machine: Machine, body: Body) -> dict[str, Any]:
    joint = {
        "type": type(body.joint).__name__.lower(),
        "origin": list(body.joint.at.xyz),
        "axis": list(getattr(body.joint, "axis", (0.0, 0.0, 1.0))),
        "channel": _channel(machine, "angle", body.name),
    }
    shape = {
        "kind": "beam",
        "from": [0.0, 0.0, 0.0],
        "to": [float(body.shape.length), 0.0, 0.0],
        "width": float(body.shape.width),
        "depth": float(body.shape.depth),
    }
    return {"name": body.name, "parent": body.joint.parent, "joint": joint, "shapes": [shape]}


def _anchors(machine: Machine) -> list[dict[str, Any]]:
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
    return {
        "name": cylinder.name,
        "base": {"body": cylinder.base.body, "at": list(cylinder.base.at.xyz)},
        "rod": {"body": cylinder.rod.body, "at": list(cylinder.rod.at.xyz)},
        "bore": float(cylinder.bore),
        "rod_diameter": float(cylinder.rod_diameter),
        "tube_length": float(cylinder.tube_length),
        "channels": {
            "p_A": _channel(machine, "pressure", cylinder.chamber_a),
            "p_B": _channel(machine, "pressure", cylinder.chamber_b),
            "length": _channel(machine, "length", cylinder.name),
            "force": _channel(machine, "force", cylinder.name),
        },
    }


def _bounds(machine: Machine) -> dict[str, list[float]]:
    """Box around the machine at its start, with a tenth of its size to spare for motion."""
    where = poses(machine, start_angles(machine))
    corners = [where[body.name][1] for body in machine.bodies]
    corners += [
        point(where, Mount(body.name, place(float(body.shape.length), 0, 0))) for body in machine.bodies
    ]
    corners += [point(where, mount) for c in machine.cylinders for mount in (c.base, c.rod)]
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    spare = 0.1 * float(np.max(high - low))
    return {"min": [float(x) for x in low - spare], "max": [float(x) for x in high + spare]}
