"""Platform profile of a model: who may choose it, how its quality is measured, and its demo machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Settings = Mapping[str, float | str]  # parameters that differ from their defaults, by name

NOT_COMPARED = "nothing, because no measurements or published figures are available for this type of machine."


@dataclass(frozen=True, slots=True)
class DemoMachine:
    """One machine in the demo. The platform knows its name and parameters, but not its faults."""

    name: str
    serial: int  # seeds the random differences between this machine and its description
    parameters: Settings = field(default_factory=dict)
    fault: str = ""  # a key of workers.emulator.as_built.FAULTS; empty: healthy
    stuck: str = ""  # channel of a sensor that gets stuck; empty: none


@dataclass(frozen=True, slots=True)
class DemoSite:
    """Site of the demo's machines of one model."""

    name: str
    kind: str  # workshop, yard or quarry: a kind of twin.sites
    east_m: float  # on the demo's map
    north_m: float


@dataclass(frozen=True, slots=True)
class PlatformProfile:
    """Profile of a model that is measured on the quality scale and recorded for load tests."""

    offered: bool = True  # may customers choose it for a machine of theirs?
    standing: Settings = field(default_factory=dict)  # parameters for measuring static forces
    at_work: Settings = field(default_factory=dict)  # parameters at the start of its work cycle
    compared: str = NOT_COMPARED  # with which results from outside this project
    demo_machines: tuple[DemoMachine, ...] = ()
    demo_site: DemoSite | None = None
