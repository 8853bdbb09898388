"""Twenty load channels of the excavator at work, with an operator whose hand is not steady.

Without the unsteady hand every round would be like the one before, and a packed record would be flattered.
"""

from __future__ import annotations

import math

import numpy as np

from simcore import registry
from simcore.model.quantity import assumed
from simcore.model.workspace import Array
from simcore.operate.operator import CYCLE_S
from simcore.operate.script import commands, decide, start
from simcore.run.simulation import Simulation
from simcore.wear.sums import Summed
from simcore.wear.turning_points import Counted

SAMPLE_S = 0.01  # s
_DT = 2e-3  # s
_HAND, _HAND_S = (
    0.15,
    0.5,
)  # (assumed) standard deviation of the lever's stroke, relative, and its correlation time
_PRESSURES = (
    *("pump.p", "swing.p_A", "swing.p_B", "boom.p_A", "boom.p_B"),
    *("dipper.p_A", "dipper.p_B", "bucket.p_A", "bucket.p_B"),
)
_FORCES = ("boom.force", "dipper.force", "bucket.force", "bucket.digging")
# differences of pressures and sums of forces: what a motor, a piston or a weld between two cylinders feels
_DIFFERENCES = tuple((f"{name}.p_A", f"{name}.p_B") for name in ("swing", "boom", "dipper", "bucket"))
_SUMS = (("boom.force", "dipper.force"), ("dipper.force", "bucket.force"))
_TORQUE = "engine.torque"


def counted_channels() -> list[Counted]:
    """All twenty channels; gates of some 5 % of the working range, quanta of 1 % (assumed)."""

    def channel(name: str, quantum: float, gate: float, span: float, unit: str) -> Counted:
        return Counted(name, *(assumed(value, unit) for value in (quantum, gate, -span, span)))

    pressures = [*_PRESSURES, *(f"{a} - {b}" for a, b in _DIFFERENCES)]
    forces = [*_FORCES, *(f"{a} + {b}" for a, b in _SUMS)]
    return [
        *(channel(name, 4e5, 2e6, 5e7, "Pa") for name in pressures),
        *(channel(name, 4e3, 2e4, 1e6, "N") for name in forces),
        channel(_TORQUE, 10.0, 50.0, 2e3, "N m"),
    ]


def summed_channels() -> list[Summed]:
    """The integral of each channel over time."""
    return [
        Summed(c.name, assumed(10.0 * float(c.quantum), f"{c.quantum.unit} s")) for c in counted_channels()
    ]


def loads(seconds: float, seed: int = 0) -> Array:
    """Samples every 10 ms, a column per channel, of the work cycle dig-swing-dump."""
    model = registry.get("excavator")
    sim, script = Simulation(model.build(), _DT), model.cycle("dig-swing-dump")
    mind, random, hand = start(script), np.random.default_rng(seed), np.zeros(len(script.levers))
    rows = []
    for k in range(round(seconds / CYCLE_S)):
        mind, levers = decide(script, mind, k * CYCLE_S, sim.outputs())
        kick = math.sqrt(2.0 * CYCLE_S / _HAND_S) * _HAND
        hand += kick * random.normal(size=len(hand)) - hand * CYCLE_S / _HAND_S
        given = commands(script, levers)
        sim.command({name: v * (1.0 + h) for (name, v), h in zip(given.items(), hand, strict=True)})
        for _ in range(round(CYCLE_S / SAMPLE_S)):
            sim.advance(round(SAMPLE_S / _DT))
            rows.append(sim.read().copy())
    values, at = np.array(rows), sim.index
    columns = [values[:, at[name]] for name in _PRESSURES]
    columns += [values[:, at[a]] - values[:, at[b]] for a, b in _DIFFERENCES]
    columns += [values[:, at[name]] for name in _FORCES]
    columns += [values[:, at[a]] + values[:, at[b]] for a, b in _SUMS]
    return np.ascontiguousarray(np.column_stack([*columns, values[:, at[_TORQUE]]]))
