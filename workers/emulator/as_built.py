"""Simulates a machine as it was built: slightly different from its description, and sometimes worn.

The serial number determines the random differences; the platform does not know them.
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

STEP_S = 1e-3  # the platform's twins use the same integrator and step: only the machine differs
# standard deviations from machine to machine, as shares of the described values
_SPREAD = {"steel_density": 0.02, "oil_modulus": 0.06}
_WALL_SPREAD = 0.02  # of plate thickness, independent for every beam
_SEALS, _SEAL_SPREAD = ("seal_coulomb", "seal_static"), 0.12  # the same share for both
_VALVE_SPREAD = 0.04
_EASY, _KEEN = 0.65, 1.0  # stroke that operators use, share of the full one
_IDLE_S = (6.0, 40.0)  # between two work cycles
_LOADS = (0.35, 1.4)  # of the described payload

# faults: parameters as multiples of the described values
FAULTS: Mapping[str, Mapping[str, float]] = {
    "": {},
    "leaking valves": {"spool_leak": 12.0},
    "worn seals": {"seal_coulomb": 2.2, "seal_static": 2.2},
    "air in the oil": {"oil_air": 6.0},
    "sticking slew valve": {"slew_flow": 0.6},
}


@dataclass(frozen=True)
class AsBuiltSpec:
    """The specification of an emulated machine: what the platform knows about it, and its faults."""

    name: str
    model: str
    serial: int
    parameters: Mapping[str, Value] = field(default_factory=dict)  # as the platform knows them
    fault: str = ""  # a key of FAULTS
    stuck: str = ""  # channel of a sensor that gets stuck


class AsBuiltMachine:
    """Simulates a machine and reads its channels without noise."""

    def __init__(self, spec: AsBuiltSpec) -> None:
        model = registry.get(spec.model)
        if not isinstance(model, MachineModel):
            raise ValueError(
                f"{spec.model} is a published case without a work cycle; only machine models can be emulated"
            )
        chance = np.random.default_rng([spec.serial, 0x0B0])
        machine = model.build(**as_built_parameters(model, spec, chance))
        self.channels = channel_table(machine)
        self.script = operator_script(model, spec, chance)
        self._simulation = Simulation(machine, dt=STEP_S)
        self._loads = Loads(self._simulation) if machine.model_error.payload is not None else None

    def advance(self, seconds: float, commands: Mapping[str, float]) -> None:
        """Simulate this many seconds while the commands stay the same."""
        self._simulation.advance(round(seconds / STEP_S), commands)

    def carry(self, mass: float) -> None:
        """Set the load that the machine carries, kg."""
        if self._loads is not None:
            self._loads.put(mass)

    def readings(self) -> dict[str, float]:
        """Return the true values of all channels."""
        return self._simulation.outputs()


def as_built_parameters(
    model: MachineModel, spec: AsBuiltSpec, chance: np.random.Generator
) -> dict[str, Value]:
    """Return the machine's true parameters: the described ones with random differences and the fault."""
    found = dict(spec.parameters)
    described = model.defaults() | found
    tight = 1.0 + _SEAL_SPREAD * float(chance.standard_normal())
    for parameter in model.parameters:
        name = parameter.name
        spread = _spread(name)
        drawn = tight if name in _SEALS else 1.0 + spread * float(chance.standard_normal())
        factor = drawn * FAULTS[spec.fault].get(name, 1.0)
        if factor != 1.0 and not parameter.choices:
            value = float(described[name]) * factor
            found[name] = min(max(value, parameter.low), parameter.high)
    return found


def _spread(name: str) -> float:
    """Return the standard deviation of a parameter from machine to machine, as a share of its value."""
    if name.endswith("_wall"):
        return _WALL_SPREAD
    return _SPREAD.get(name, _VALVE_SPREAD if name.endswith("_flow") and name != "pump_flow" else 0.0)


def operator_script(model: MachineModel, spec: AsBuiltSpec, chance: np.random.Generator) -> Script:
    """Return the work cycle with this operator's strokes and loads, and a rest before each round."""
    cycle = next(iter(model.cycles))
    script = model.cycle(cycle, **spec.parameters)
    most = float(chance.uniform(_EASY, _KEEN))
    levers = tuple(replace(lever, most=min(lever.most, most)) for lever in script.levers)
    share = float(chance.uniform(*_LOADS))
    phases = tuple(
        phase if phase.load is None or phase.load < 2.0 else replace(phase, load=share * phase.load)
        for phase in script.phases
    )
    rest = Phase("rest", pause=float(chance.uniform(*_IDLE_S)))
    return Script(script.name, levers, (rest, *phases))
