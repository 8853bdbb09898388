"""How the channels of a machine belong together: which valve opens what, and where its power goes."""

import math
from typing import Any

from simcore.machines.instruments import supply_power
from simcore.model.elements import Machine, Pump, Volume
from webui.machine.circuit.elements import Channels
from webui.machine.circuit.grouping import sort


def openings(machine: Machine) -> dict[str, dict[str, Any]]:
    """By pressure channel: the spool channel of the valve that feeds it, and the spool's limit."""
    channels, found = Channels(machine), {}
    for function in sort(machine).functions:
        spool = None if function.valve is None else channels.of("spool", function.valve.name)
        if function.valve is None or spool is None:
            continue
        for node in (*function.a.nodes, *function.b.nodes):
            if pressure := channels.of("pressure", node):
                found[pressure] = {"spool": spool, "limit": float(function.valve.command_limit)}
    return found


def powers(machine: Machine) -> dict[str, Any] | None:
    """Channels of the hydraulic power that comes in and of what actuators get, and the most that comes in, W.

    A motor is a pump that takes power: its sign is turned. stores: pressures with the oil that each takes up,
    m³/Pa. None where power in or out is unknown.
    """
    channels = Channels(machine)
    feeding = supply_power(machine)
    motors = [m.name for f in sort(machine).functions for m in f.motors]
    pushed = [channels.of("power", c.name) for c in machine.cylinders]
    turned = [
        channels.of("power", e.name) for e in machine.elements if isinstance(e, Pump) and e.name in motors
    ]
    taken = [[name, 1] for name in pushed if name] + [[name, -1] for name in turned if name]
    if not feeding or not taken:
        return None
    stores = [
        [name, _compliance(machine, v)] for v in machine.volumes if (name := channels.of("pressure", v.name))
    ]
    return {"in": list(feeding), "out": taken, "stores": stores, "full": sum(feeding.values())}


def _compliance(machine: Machine, volume: Volume) -> float:
    """V/B_e of a volume as simcore.hydraulics.circuit has it, with pistons in the middle, m³/Pa."""
    oil = 1.0 / float(machine.fluid.bulk_modulus)
    total = float(volume.hose) * (oil + 1.0 / float(volume.hose_bulk_modulus))
    for cylinder in machine.cylinders:
        full, rod = float(cylinder.bore) ** 2, float(cylinder.rod_diameter) ** 2
        soft = math.pi / 4 * float(cylinder.tube_length) / 2 * (oil + 1.0 / float(cylinder.wall_bulk_modulus))
        total += soft * full if cylinder.chamber_a == volume.name else 0.0
        total += soft * (full - rod) if cylinder.chamber_b == volume.name else 0.0
    return total
