"""Numerics of Hydratwin: machines described as data, one compiled engine for all of them.

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
    """The engine loads the compiler; descriptions do without, so it is imported when it is asked for."""
    if name == "Simulation":
        from simcore.run.simulation import Simulation

        return Simulation
    if name == "Run":
        from simcore.run.recording import Run

        return Run
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
