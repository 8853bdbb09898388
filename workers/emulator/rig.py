"""The physical rig: the four-bar as it was really built, which is not quite as described."""

from simcore import registry
from simcore.model import channel_table
from simcore.run.simulation import Simulation

STEP_S = 1e-4  # the twin uses another step and another integrator

# What differs from the twin's description: nobody knows a real machine better than this.
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
    """Integrates the machine and reads its sensors without noise."""

    def __init__(self) -> None:
        case = registry.get("four-bar-b")
        described = {parameter.name: parameter.value for parameter in case.parameters}
        built = {name: float(described[name]) * factor for name, factor in _FACTORS.items()}
        machine = case.build(start="equilibrium", **built)
        self.channels = channel_table(machine)
        self._simulation = Simulation(machine, dt=STEP_S, integrator="rk4")

    def advance(self, seconds: float, command: float) -> None:
        """Let time pass with the valve held."""
        self._simulation.advance(round(seconds / STEP_S), inputs={"valve.command": command})

    def readings(self) -> dict[str, float]:
        """Every channel as it truly is."""
        return self._simulation.outputs()
