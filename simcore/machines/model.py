"""Machine model: a case with validated variants, poses that it must reach, work cycles and limits.

docs/machines/description.md explains how to write a machine model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from simcore.errors import BadMachine
from simcore.machines.analyses import CapacityChart, VariantComparison
from simcore.machines.reach import Poses, check_reach
from simcore.model.case import Case, Chosen, Parameter, Value
from simcore.model.checks import check
from simcore.model.elements import Machine
from simcore.model.profile import PlatformProfile
from simcore.model.quantity import Quantity
from simcore.operate.script import Script

_HALVINGS = 20  # bisections towards a refused value: finds its limit to a millionth, shown with four digits


def _nowhere(_: Chosen) -> Poses:
    return {}


def _without_limits(_: Mapping[str, Value]) -> Mapping[str, Quantity]:
    return {}


@dataclass(frozen=True, slots=True)
class MachineModel(Case):
    """A machine with its variants."""

    profile: PlatformProfile = field(default_factory=PlatformProfile)
    poses: Callable[[Chosen], Poses] = _nowhere  # by name, joint coordinates that every variant must reach
    limits: Callable[[Mapping[str, Value]], Mapping[str, Quantity]] = _without_limits  # at work, by channel
    cycles: Mapping[str, Callable[[Chosen], Script]] = field(default_factory=dict)  # work cycles by name
    capacity_chart: CapacityChart | None = None
    variants: VariantComparison | None = None

    def build(self, **overrides: Value) -> Machine:
        """Build and check the variant with the given parameters.

        A variant that cannot be built is refused; the error names the wrong parameter and its allowed range.
        """
        chosen = self.chosen(overrides)
        try:
            return self._assembled(chosen)
        except BadMachine as error:
            raise BadMachine(f"{error}{self._blame(overrides)}") from None

    def chosen(self, overrides: Mapping[str, Value]) -> Chosen:
        """The parameters of a variant; an unknown name or a value that is not allowed is refused."""
        return Chosen(self.parameters, overrides)

    def cycle(self, name: str, **overrides: Value) -> Script:
        """A work cycle of a variant, for a scripted operator."""
        if name not in self.cycles:
            raise BadMachine(f"{self.name} has no work cycle {name!r}; known: {', '.join(self.cycles)}")
        return self.cycles[name](self.chosen(overrides))

    def _assembled(self, chosen: Chosen) -> Machine:
        machine = self.assemble(chosen)
        check(machine)
        check_reach(machine, self.poses(chosen))
        return machine

    def _buildable(self, given: Mapping[str, Value]) -> bool:
        try:
            self._assembled(self.chosen(given))
        except BadMachine:
            return False
        return True

    def _blame(self, overrides: Mapping[str, Value]) -> str:
        """Text about the first changed parameter whose default would work, with its allowed range."""
        for name in overrides:
            parameter = next(p for p in self.parameters if p.name == name)
            if not self._buildable({**overrides, name: parameter.value}):
                continue
            if parameter.choices:
                fitting = [c for c in parameter.choices if self._buildable({**overrides, name: c})]
                return f"; {name} = {overrides[name]}: must be one of: {', '.join(fitting)}"
            low, high = sorted(self._range(overrides, parameter))
            return (
                f"; {name} = {overrides[name]}: with the other values of this variant, it "
                f"must be {low:.4g} to {high:.4g} {parameter.unit}"
            )
        return ""

    def _range(self, overrides: Mapping[str, Value], parameter: Parameter) -> tuple[float, float]:
        """Allowed range of a parameter around its default, with the other values as given."""
        start = float(parameter.value)

        def edge(end: float) -> float:
            if self._buildable({**overrides, parameter.name: end}):
                return end
            good, bad = start, end
            for _ in range(_HALVINGS):
                middle = 0.5 * (good + bad)
                if self._buildable({**overrides, parameter.name: middle}):
                    good = middle
                else:
                    bad = middle
            return good

        return edge(parameter.low), edge(parameter.high)
