"""Leaves out the pressure state of a small oil volume.

The pressure is then computed from the neighbouring nodes instead of being integrated. This is the singular
perturbation of a volume between one port of a directional valve and one orifice (Rahikainen 2018,
Publication II; docs/methods/singular-perturbation.md).
"""

from __future__ import annotations

from dataclasses import replace

from simcore.errors import BadMachine
from simcore.model.elements import Machine, Throttled
from simcore.model.quantity import Quantity


def without_volume(machine: Machine, name: str, factors: tuple[Quantity, Quantity] | None) -> Machine:
    """The machine with the volume replaced by a throttled valve port.

    factors: published corrections of the throttle's flow for positive and negative spool. None: two orifices
    in series.
    """
    if name not in {v.name for v in machine.volumes}:
        known = ", ".join(v.name for v in machine.volumes)
        raise BadMachine(f"volume {name!r} does not exist; known: {known}")
    orifices = [o for o in machine.orifices if name in (o.a, o.b)]
    valves = [v for v in machine.valves if name in (v.supply, v.tank, v.port_a, v.port_b)]
    chambers = [c for c in machine.cylinders if name in (c.chamber_a, c.chamber_b)]
    if len(orifices) != 1 or len(valves) != 1 or chambers or valves[0].port_a != name:
        raise BadMachine(
            f"volume {name!r} cannot be left out: it must lie between port A of one directional valve and "
            "one orifice, and must not be a cylinder chamber"
        )
    orifice, valve = orifices[0], valves[0]
    behind = orifice.b if orifice.a == name else orifice.a
    throttled = replace(valve, port_a=behind, throttled_a=Throttled(orifice.area, orifice.discharge, factors))
    return replace(
        machine,
        volumes=tuple(v for v in machine.volumes if v.name != name),
        orifices=tuple(o for o in machine.orifices if o is not orifice),
        valves=tuple(throttled if v is valve else v for v in machine.valves),
        outputs=tuple(o for o in machine.outputs if not (o.reads == "pressure" and o.element == name)),
    )
