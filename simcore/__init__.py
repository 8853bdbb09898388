"""Simulates hydraulic machines that are described as data; one compiled engine runs all of them.

from simcore import Simulation
run = Simulation(machine, dt=1e-3).run(10.0, inputs={"valve.command": 5.0})
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simcore.run.recording import Run
    from simcore.run.simulation import Simulation

__all__ = ["Run", "Simulation"]


def __getattr__(name: str) -> Any:
    """Import the engine on first use: it loads the compiler, which machine descriptions do not need."""
    if name == "Simulation":
        from simcore.run.simulation import Simulation

        return Simulation
    if name == "Run":
        from simcore.run.recording import Run

        return Run
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
