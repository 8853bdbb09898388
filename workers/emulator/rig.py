"""Simulates the emulated rig: a four-bar mechanism that differs slightly from its description."""

from simcore import registry
from simcore.model import channel_table
from simcore.run.simulation import Simulation

STEP_S = 1e-4  # the twin uses a different step and integrator

# Factors on the described values: a real machine is not known any better.
FRICTION = 1.20
MASS = 0.95
BULK_MODULUS = 0.90

_FACTORS = {
    "coulomb_friction": FRICTION,
    "static_friction": FRICTION,
    "viscous_friction": FRICTION,
    "crank_mass": MASS,
    "coupler_mass": MASS,
    "rocker_mass": MASS,
    "oil_bulk_modulus": BULK_MODULUS,
}


class Rig:
    """Simulates the rig and reads its channels without noise."""

    def __init__(self) -> None:
        case = registry.get("four-bar-b")
        described = {parameter.name: parameter.value for parameter in case.parameters}
        built = {name: float(described[name]) * factor for name, factor in _FACTORS.items()}
        machine = case.build(start="equilibrium", **built)
        self.channels = channel_table(machine)
        self._simulation = Simulation(machine, dt=STEP_S, integrator="rk4")

    def advance(self, seconds: float, command: float) -> None:
        """Simulate this many seconds while the valve command stays the same."""
        self._simulation.advance(round(seconds / STEP_S), inputs={"valve.command": command})

    def readings(self) -> dict[str, float]:
        """Return the true values of all channels."""
        return self._simulation.outputs()
