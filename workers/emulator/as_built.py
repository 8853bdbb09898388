"""A machine of the catalogue as it was really built: a little different from its description, maybe worn.

What differs is drawn from its serial number. Nobody tells the platform.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from simcore import registry
from simcore.machines.model import MachineModel
from simcore.model import channel_table
from simcore.model.case import Value
from simcore.operate.operator import Loads
from simcore.operate.script import Phase, Script
from simcore.run.simulation import Simulation

STEP_S = 1e-3  # the platform's twins use the same rule and step: what differs is the machine
# standard deviations of what a workshop gets right, as shares of the described values
_SPREAD = {"steel_density": 0.02, "oil_modulus": 0.06}
_PLATE_SPREAD = 0.02  # of the thickness of plates, each beam its own
_SEALS, _SEAL_SPREAD = ("seal_coulomb", "seal_static"), 0.12  # one set of seals: both by the same share
_VALVE_SPREAD = 0.04
_EASY, _KEEN = 0.65, 1.0  # how much of the lever operators use
_IDLE_S = (6.0, 40.0)  # between two pieces of work
_LOADS = (0.35, 1.4)  # of the described payload

# what may be wrong: parameters as multiples of the described ones
FAULTS: Mapping[str, Mapping[str, float]] = {
    "": {},
    "leaking valves": {"spool_leak": 12.0},
    "worn seals": {"seal_coulomb": 2.2, "seal_static": 2.2},
    "air in the oil": {"oil_air": 6.0},
    "sticking slew valve": {"slew_flow": 0.6},
}


@dataclass(frozen=True)
class Plate:
    """What stands on a machine's plate, and what does not."""

    name: str
    model: str
    serial: int
    parameters: Mapping[str, Value] = field(default_factory=dict)  # as the platform knows them
    fault: str = ""  # one of FAULTS
    stuck: str = ""  # a sensor that gets stuck


class Built:
    """Integrates a machine and reads its channels without noise."""

    def __init__(self, plate: Plate) -> None:
        model = registry.get(plate.model)
        if not isinstance(model, MachineModel):
            raise ValueError(f"{plate.model} is a published case: nobody works with it")
        chance = np.random.default_rng([plate.serial, 0x0B0])
        machine = model.build(**hidden(model, plate, chance))
        self.channels = channel_table(machine)
        self.script = habits(model, plate, chance)
        self._simulation = Simulation(machine, dt=STEP_S)
        self._loads = Loads(self._simulation) if machine.model_error.payload is not None else None

    def advance(self, seconds: float, commands: Mapping[str, float]) -> None:
        """Let time pass with the levers held."""
        self._simulation.advance(round(seconds / STEP_S), commands)

    def carry(self, mass: float) -> None:
        """A load is picked up or put down, kg."""
        if self._loads is not None:
            self._loads.put(mass)

    def readings(self) -> dict[str, float]:
        """Every channel as it truly is."""
        return self._simulation.outputs()


def hidden(model: MachineModel, plate: Plate, chance: np.random.Generator) -> dict[str, Value]:
    """The parameters that a machine really has: described ones with what its workshop and its life added."""
    found = dict(plate.parameters)
    described = model.defaults() | found
    tight = 1.0 + _SEAL_SPREAD * float(chance.standard_normal())
    for parameter in model.parameters:
        name = parameter.name
        spread = _spread(name)
        drawn = tight if name in _SEALS else 1.0 + spread * float(chance.standard_normal())
        factor = drawn * FAULTS[plate.fault].get(name, 1.0)
        if factor != 1.0 and not parameter.choices:
            value = float(described[name]) * factor
            found[name] = min(max(value, parameter.low), parameter.high)
    return found


def _spread(name: str) -> float:
    """How much a parameter differs from machine to machine, as a share."""
    if name.endswith("_wall"):
        return _PLATE_SPREAD
    return _SPREAD.get(name, _VALVE_SPREAD if name.endswith("_flow") and name != "pump_flow" else 0.0)


def habits(model: MachineModel, plate: Plate, chance: np.random.Generator) -> Script:
    """The work of this machine's operator: own levers, own loads, and a rest after each round."""
    cycle = next(iter(model.cycles))
    script = model.cycle(cycle, **plate.parameters)
    most = float(chance.uniform(_EASY, _KEEN))
    levers = tuple(replace(lever, most=min(lever.most, most)) for lever in script.levers)
    share = float(chance.uniform(*_LOADS))
    phases = tuple(
        phase if phase.load is None or phase.load < 2.0 else replace(phase, load=share * phase.load)
        for phase in script.phases
    )
    rest = Phase("rest", pause=float(chance.uniform(*_IDLE_S)))
    return Script(script.name, levers, (rest, *phases))
