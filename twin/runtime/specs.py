"""Reads the model and parameters of each machine from the database, and builds the machine's twin."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from simcore.model import Channel, channel_table
from twin.fleet import catalogue
from twin.fleet.models import Machine
from twin.runtime.session_record import Twin

DT_US = 2_000  # model step of a live twin; the quality of estimates is that of 1 ms (docs/benchmarks.md)


@dataclass(frozen=True)
class MachineSpec:
    """One machine of the fleet."""

    id: UUID
    model: str
    parameters: dict[str, Any] = field(default_factory=dict)


def all_machines() -> list[MachineSpec]:
    """Return every machine of every organisation."""
    rows = Machine.objects.for_runtime().values_list("id", "model", "parameters")
    return [MachineSpec(id, model, parameters) for id, model, parameters in rows]


def build_twin(spec: MachineSpec) -> tuple[Twin, Sequence[Channel]]:
    """Build a twin that has not started, and its channels; raises SimcoreError for a wrong description."""
    from simcore.estimate.twin.live_twin import LiveTwin  # imports numba, which a reader of specs avoids

    machine = catalogue.build(spec.model, spec.parameters)
    return LiveTwin(machine, dt_us=DT_US), channel_table(machine)
