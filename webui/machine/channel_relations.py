"""Finds channels that belong together: a pressure and the spool of its valve; hydraulic powers in and out."""

from typing import Any

from simcore.machines.instruments import supply_power
from simcore.model.compliance import mid_stroke_compliance
from simcore.model.elements import Machine, Pump
from webui.machine.circuit.elements import Channels
from webui.machine.circuit.grouping import group


def openings(machine: Machine) -> dict[str, dict[str, Any]]:
    """Return by pressure channel the spool channel of the valve that feeds it, and the spool's limit."""
    channels, found = Channels(machine), {}
    for function in group(machine).functions:
        spool = None if function.valve is None else channels.of("spool", function.valve.name)
        if function.valve is None or spool is None:
            continue
        for node in (*function.a.nodes, *function.b.nodes):
            if pressure := channels.of("pressure", node):
                found[pressure] = {"spool": spool, "limit": float(function.valve.command_limit)}
    return found


def powers(machine: Machine) -> dict[str, Any] | None:
    """Return the channels of hydraulic power in and out, and the highest power in, W.

    Power in is what the supply delivers; power out is what the actuators receive. A motor is described as a
    pump that receives power, so its sign is reversed. `stores` lists pressure channels with the compliance of
    their volumes, m³/Pa. Returns None if the power in or out is unknown.
    """
    channels = Channels(machine)
    feeding = supply_power(machine)
    motors = [m.name for f in group(machine).functions for m in f.motors]
    pushed = [channels.of("power", c.name) for c in machine.cylinders]
    turned = [
        channels.of("power", e.name) for e in machine.elements if isinstance(e, Pump) and e.name in motors
    ]
    taken = [[name, 1] for name in pushed if name] + [[name, -1] for name in turned if name]
    if not feeding or not taken:
        return None
    stores = [
        [name, mid_stroke_compliance(machine, v)]
        for v in machine.volumes
        if (name := channels.of("pressure", v.name))
    ]
    return {"in": list(feeding), "out": taken, "stores": stores, "full": sum(feeding.values())}
