"""Defines findings (what is wrong), doubts (what cannot be trusted) and the health of a twin."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from simcore.messages import TEMPLATES, Message, Value

# quantised, offset, cause and clock: the twin allows for them, and no sensor is excluded
NOTES = ("quantised", "offset", "cause", "clock")
FindingKind = Literal[
    "silent", "stuck", "biased", "disagrees", "outlying", "diverged", "slow", "quantised", "offset", "cause"
]
HealthCode = Literal["health.unknown", "health.reliable", "health.cautious", "health.unfit"]


@dataclass(frozen=True)
class Finding:
    """A fault of a sensor, of the machine, or of the twin as a whole.

    Times are in microseconds: since the start of the run in simcore, since 1970 in frames (`from_epoch`).
    """

    # silent, stuck, biased, disagrees, outlying: sensor excluded; diverged of the twin; slow telemetry; NOTES
    kind: str
    channel: str  # of the sensor; empty: the machine or the twin as a whole
    since: int
    text: str  # English, for programs and the command line
    code: str = ""  # of the message (simcore.messages), and its values
    values: dict[str, Value] = field(default_factory=dict)

    @property
    def is_note(self) -> bool:
        """Whether the twin allows for it and goes on with all sensors."""
        return self.kind in NOTES

    @property
    def message(self) -> Message:
        return Message(self.code, self.values)

    def from_epoch(self, epoch_us: int) -> Finding:
        """The finding with all times counted from another instant."""
        instants = {name for name, kind in TEMPLATES[self.code].kinds.items() if kind == "instant"}
        moved: dict[str, Value] = {
            name: epoch_us + value if name in instants and isinstance(value, int) else value
            for name, value in self.values.items()
        }
        return replace(self, since=epoch_us + self.since, values=moved)


@dataclass(frozen=True)
class Doubt:
    """A channel whose value cannot be trusted at present, and why."""

    channel: str
    code: str  # of the message (simcore.messages), and its values
    values: dict[str, Value] = field(default_factory=dict)

    @property
    def message(self) -> Message:
        return Message(self.code, self.values)


@dataclass(frozen=True)
class Health:
    """Mean square of recent normalised innovations of healthy sensors (expected: 1), and its 95 % bounds."""

    nis: float
    low: float
    high: float


def health_code(health: Health | None) -> HealthCode:
    """Message code that says where the mean square lies relative to its bounds."""
    if health is None:
        return "health.unknown"
    if health.nis > health.high:
        return "health.unfit"
    return "health.cautious" if health.nis < health.low else "health.reliable"
