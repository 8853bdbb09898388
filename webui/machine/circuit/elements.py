"""Finds the symbol of an element and its orientation."""

from __future__ import annotations

from simcore.model.elements import (
    CheckValve,
    Compensator,
    CounterbalanceValve,
    Leakage,
    Machine,
    Orifice,
    Pump,
    Reads,
    ReliefValve,
    TwoWayValve,
)
from webui.machine.circuit.grouping import TwoPort, ends

_KINDS: dict[type, str] = {
    Orifice: "throttle",
    CheckValve: "check",
    ReliefValve: "relief",
    CounterbalanceValve: "counterbalance",
    Compensator: "compensator",
    Leakage: "leakage",
    TwoWayValve: "two-way",
}


def kind_of(element: TwoPort) -> str:
    """Return the name of the symbol."""
    if isinstance(element, Pump):
        varies = element.control or element.demands or element.power_limit
        return "variable-pump" if varies else "pump"
    return _KINDS[type(element)]


def upright(element: TwoPort) -> tuple[str, str]:
    """Return the nodes below and above the upright symbol; a counterbalance valve has its load above."""
    first, second = ends(element)
    return (second, first) if isinstance(element, CounterbalanceValve) else (first, second)


def rises(element: TwoPort) -> bool:
    """Return whether a positive flow goes up through the upright symbol."""
    return upright(element) == ends(element)


class Channels:
    """Finds the channel of a machine that shows a given quantity of an element."""

    def __init__(self, machine: Machine) -> None:
        self._names = {(o.reads, o.element): o.name for o in machine.outputs}

    def of(self, reads: Reads, element: str) -> str | None:
        return self._names.get((reads, element))
