"""Case: a machine with named parameters, commands over time and run settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from simcore.errors import BadParameter
from simcore.model.checks import check
from simcore.model.elements import Machine
from simcore.model.geometry import Array
from simcore.model.profile import PlatformProfile
from simcore.model.quantity import Origin, Quantity

Value = float | str
CommandSchedule = tuple[tuple[float, dict[str, float]], ...]  # (from time s, commands held by channel)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number or word of a case that a user can set."""

    name: str
    value: Value
    unit: str
    origin: Origin
    note: str
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    label: str = ""  # name for people; empty: the name itself
    group: str = ""  # heading in tables

    def accept(self, given: Value) -> Value:
        """The given value, converted to the type of the parameter; refuses a value that is not allowed."""
        if self.choices:
            if given not in self.choices:
                raise BadParameter(f"{self.name} = {given}: must be one of: {', '.join(self.choices)}")
            return given
        try:
            number = float(given)
        except (TypeError, ValueError):
            number = math.nan
        if isinstance(given, bool) or not self.low <= number <= self.high:
            raise BadParameter(f"{self.name} = {given}: must be {self.low:g} to {self.high:g} {self.unit}")
        return number


def adapted(parameters: tuple[Parameter, ...], *own: Parameter) -> tuple[Parameter, ...]:
    """Shared parameters, in which the case's own parameters replace those of the same name."""
    by_name = {p.name: p for p in own}
    if unknown := by_name.keys() - {p.name for p in parameters}:
        raise BadParameter(
            f"there is no shared parameter of this name to replace: {', '.join(sorted(unknown))}"
        )
    return tuple(by_name.get(p.name, p) for p in parameters)


class Chosen:
    """The parameters of one build: defaults, replaced by values from the user."""

    def __init__(self, parameters: tuple[Parameter, ...], given: Mapping[str, Value]) -> None:
        self._known = {p.name: p for p in parameters}
        for name in given:
            if name not in self._known:
                raise BadParameter(f"unknown parameter {name!r}; known: {', '.join(self._known)}")
        self._values = {p.name: p.accept(given.get(p.name, p.value)) for p in parameters}

    def extended(self, *more: Parameter) -> Chosen:
        """A copy with additional numbers that follow from a choice."""
        found = Chosen((), {})
        found._known = self._known | {p.name: p for p in more}
        found._values = self._values | {p.name: p.value for p in more}
        return found

    def number(self, name: str) -> float:
        return float(self._values[name])

    def word(self, name: str) -> str:
        return str(self._values[name])

    def quantity(self, name: str) -> Quantity:
        """The parameter as a quantity; a value that the user changed no longer has a published source."""
        parameter = self._known[name]
        if self._values[name] == parameter.value:
            return Quantity(self.number(name), parameter.unit, parameter.origin, parameter.note)
        return Quantity(self.number(name), parameter.unit, "assumed", "set by the user")


def staircase(channel: str, command: Callable[[float], float], every: float, until: float) -> CommandSchedule:
    """A smooth command as a controller sends it: constant for `every` s, with its value at mid-interval."""
    return tuple(
        (k * every, {channel: command((k + 0.5) * every)}) for k in range(math.ceil(until / every - 1e-9))
    )


@dataclass(frozen=True, slots=True)
class Gauge:
    """The quantity in which a case reports its error, compared with a run with much shorter steps."""

    name: str  # with its unit
    measure: Callable[[Machine, Array], Array]  # from the coordinates


@dataclass(frozen=True, slots=True)
class Case:
    """A published case, a synthetic one or a machine model."""

    name: str
    sentence: str
    parameters: tuple[Parameter, ...]
    assemble: Callable[[Chosen], Machine]
    command_schedule: CommandSchedule
    dt: float  # s
    t_end: float  # s
    gauge: Gauge | None = None
    kind: str = ""  # what people call such a machine
    profile: PlatformProfile | None = None  # how the platform uses it; None: not at all
    in_service: Callable[[Machine], Machine] | None = None  # adds errors that a publication leaves out

    def build(self, **overrides: Value) -> Machine:
        """Build and check the machine with the given parameters; the others have their defaults."""
        machine = self.assemble(Chosen(self.parameters, overrides))
        check(machine)
        return machine

    def build_in_service(self, **overrides: Value) -> Machine:
        """Build the machine for the twin of a real one, which differs in more than a published case has."""
        machine = self.build(**overrides)
        if self.in_service is not None:
            machine = self.in_service(machine)
            check(machine)
        return machine

    def defaults(self) -> dict[str, Value]:
        """Every parameter with its default value."""
        return {p.name: p.value for p in self.parameters}
