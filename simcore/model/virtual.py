"""Adds virtual sensors: channels for quantities without a sensor.

Virtual sensors cover every pressure, force, flow and power, the payload, and the position of the bucket or
the load.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simcore.model.elements import Leakage, Machine, Output, Pump, Reads

# word in the name of an element -> what people call the valve
_VALVES = {
    "holding": "load-holding valve",
    "relief": "relief valve",
    "shock": "shock valve",
    "suction": "suction valve",
}


def with_virtual_sensors(machine: Machine) -> Machine:
    """The machine with a channel for every hydraulic quantity; existing channels stay."""
    known = {(o.reads, o.element) for o in machine.outputs}
    names = {o.name for o in machine.outputs}
    new = [o for o in _virtual(machine) if (o.reads, o.element) not in known and o.name not in names]
    return replace(machine, outputs=(*machine.outputs, *new))


def _virtual(machine: Machine) -> Iterator[Output]:
    for volume in machine.volumes:
        yield _estimate(volume.name, "p", "pressure", "pressure")
    for cylinder in machine.cylinders:
        part = "" if "cylinder" in cylinder.name else "cylinder "
        yield _estimate(cylinder.name, "force", f"{part}force", "force")
        yield _estimate(cylinder.name, "power", f"{part}power", "power")
    for orifice in machine.orifices:
        yield _estimate(orifice.name, "flow", "flow", "flow")
    for valve in machine.valves:
        yield _estimate(valve.name, "flow_A", "flow to A", "flow_a")
        yield _estimate(valve.name, "flow_B", "flow to B", "flow_b")
    for element in machine.elements:
        if not isinstance(element, Leakage):
            yield _estimate(element.name, "flow", "flow", "flow")
        if isinstance(element, Pump):
            yield _estimate(element.name, "power", "power", "power")
    yield from _of_the_tool(machine)
    fed = {valve.supply for valve in machine.valves}
    for source in machine.sources:
        if source.name in fed:
            yield _estimate(source.name, "flow", "flow", "flow")
            yield _estimate(source.name, "power", "power", "power")


def _of_the_tool(machine: Machine) -> Iterator[Output]:
    """Payload and position of the tool, which is the bucket or the load on the hook."""
    payload = machine.model_error.payload
    if payload is not None:
        yield Output("payload.mass", "Payload", "payload", payload.body, "estimate")
    for digging in machine.digging:
        body = digging.edge.body
        yield _estimate(body, "height", "height", "height", digging.name)
        yield _estimate(body, "tilt", "tilt", "inclination")
        yield _estimate(body, "speed", "speed", "tool_speed", digging.name)
    if payload is not None and not machine.digging:
        yield _estimate(payload.body, "height", "height", "height")
        yield _estimate(payload.body, "speed", "speed", "tool_speed")


def _estimate(element: str, end: str, what: str, reads: Reads, of: str | None = None) -> Output:
    """An estimated channel. of: name of the element, if it differs from the channel's."""
    spoken = " ".join(_VALVES.get(word, word) for word in element.split())
    label = f"{spoken[0].upper()}{spoken[1:]} {what}"
    return Output(f"{element.replace(' ', '-')}.{end}", label, reads, of or element, "estimate")
