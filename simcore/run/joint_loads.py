"""Reads the forces in the pins of a machine, and the loads of declared sections."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simcore.formulation.evaluate import evaluate
from simcore.formulation.reactions import joint_loads
from simcore.kernels.direct import direct
from simcore.model.elements import Section
from simcore.model.load_records import LOAD
from simcore.model.pins import Pin, pin_records, pins, section_records
from simcore.model.plan import Records
from simcore.run.engine import Engine


class JointLoads:
    """Loads of pins and sections of an engine's machine; pins: those wanted, None for all.

    `records` are the pins, sections and parts for a kernel that calls `joint_loads` itself.
    """

    def __init__(
        self, engine: Engine, sections: Sequence[Section] = (), wanted: Sequence[Pin] | None = None
    ) -> None:
        self.pins = pins(engine.machine) if wanted is None else tuple(wanted)
        self.sections = tuple(sections)
        self.records = pin_records(engine.machine, self.pins), *section_records(engine.machine, sections)
        self.loads: Records = np.zeros(len(self.pins) + len(self.sections), dtype=LOAD)
        self._engine = engine

    def read(self) -> Records:
        """Loads at the engine's state, pins first: records of dtype LOAD, overwritten by the next call."""
        seen = self._engine.plan, self._engine.state, self._engine.workspace
        direct(evaluate, *seen)(*seen)
        asked = *seen, *self.records, self.loads
        direct(joint_loads, *asked)(*asked)
        return self.loads

    def pin(self, kind: str, element: str) -> int:
        """Place of a pin in the loads."""
        return next(k for k, p in enumerate(self.pins) if (p.kind, p.element) == (kind, element))

    def section(self, name: str) -> int:
        """Place of a section in the loads."""
        return len(self.pins) + [s.name for s in self.sections].index(name)
