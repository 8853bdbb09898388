"""Quality scale: the checks, the result of a check, and the level that follows from all results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from simcore.messages import Message, english

Verdict = Literal["met", "missed", "not measured"]

# name: title of the check on pages
QUESTIONS = {
    "forces": "Static forces consistent with the equations of motion",
    "energy": "Energy balance over a work cycle",
    "steps": "Same result with half the time step",
    "pressures": "Pressures between vapour pressure and relief pressure + 20 %",
    "refusals": "Invalid configurations rejected with reason",
    "estimator": "Estimation errors consistent with the stated uncertainty",
    "sources": "Parameters with a documented source",
}
PHYSICS = ("forces", "energy", "steps", "pressures", "refusals")
# (level, checks that it needs, rule in words), from the lowest on
LEVELS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("draft", (), "at least one physics check is not met or has not been measured"),
    (
        "consistent",
        PHYSICS,
        "all physics checks are met: forces, energy, time step, pressures and rejected configurations",
    ),
    ("twin", (*PHYSICS, "estimator"), "all physics checks and the check of the estimation errors are met"),
    (
        "sourced",
        (*PHYSICS, "estimator", "sources"),
        "all checks are met, and at least half of the parameters have a documented source",
    ),
)


@dataclass(frozen=True)
class Check:
    """Result of one check. value: the measured figure; low, high: its limits, in the same unit."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    unit: str
    how: Message  # it was measured
    detail: Mapping[str, Any] = field(default_factory=dict)  # other figures, by what they are

    @property
    def verdict(self) -> Verdict:
        if self.value is None:
            return "not measured"
        above = self.low is None or self.value >= self.low
        below = self.high is None or self.value <= self.high
        return "met" if above and below else "missed"

    def to_json(self) -> dict[str, Any]:
        """The check as JSON; `how` is in English, with its message code and values."""
        how = {"how": english(self.how), "code": self.how.code, "values": self.how.values}
        return asdict(self) | how | {"detail": dict(self.detail), "verdict": self.verdict}


def check_from_json(data: Mapping[str, Any]) -> Check:
    """The check that `to_json` wrote; the verdict is computed again."""
    made = ("how", "code", "values", "verdict")
    kept = {name: value for name, value in data.items() if name not in made}
    return Check(**kept, how=Message(data["code"], data["values"]))


def level(checks: Iterable[Check]) -> str:
    """The highest level whose checks are all met."""
    met = {check.name for check in checks if check.verdict == "met"}
    return [name for name, needs, _ in LEVELS if met.issuperset(needs)][-1]


def rule(name: str) -> str:
    return next(words for level_name, _, words in LEVELS if level_name == name)


def figure_text(check: Check) -> str:
    """The measured figure as text."""
    return "not measured" if check.value is None else _with_unit(check.value, check.unit)


def asked_text(check: Check) -> str:
    """The limits of the figure as text."""
    low = "" if check.low is None else _with_unit(check.low, check.unit)
    high = "" if check.high is None else _with_unit(check.high, check.unit)
    if low and high:
        return f"{low} to {high}"
    return f"at least {low}" if low else f"at most {high}"


def number_text(value: float) -> str:
    """The number with three digits, and with a power of ten if it is very large or small."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    digits, _, power = f"{value:.1e}".partition("e")
    raised = str(int(power)).translate(_RAISED)
    return f"10{raised}" if digits == "1.0" else f"{digits} · 10{raised}"


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _with_unit(value: float, unit: str) -> str:
    return f"{number_text(value)} {unit}".strip()


def claims_more(stored: Check, measured: Check) -> str:
    """What a stored check claims beyond a new measurement; empty if nothing.

    A figure may differ by a fifth plus a hundredth of its limit, because rounding differs between computers.
    """
    if stored.verdict == "met" and measured.verdict != "met":
        return f"{stored.name}: stored as met, now {measured.verdict}"
    if (stored.low, stored.high) != (measured.low, measured.high):
        limits = f"{stored.low} to {stored.high}, now {measured.low} to {measured.high}"
        return f"{stored.name}: stored limits {limits}"
    if stored.value is None or measured.value is None:
        return ""
    if measured.high is not None and measured.low is None:
        spare = 0.01 * measured.high
        if measured.value > 1.2 * stored.value + spare:
            return f"{stored.name}: stored as {stored.value:.3g}, now {measured.value:.3g} {measured.unit}"
    if measured.low is not None and measured.high is None and measured.value < stored.value - 1e-9:
        return f"{stored.name}: stored as {stored.value:.3g}, now {measured.value:.3g} {measured.unit}"
    return ""
