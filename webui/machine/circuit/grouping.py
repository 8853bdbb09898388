"""Sorts a netlist for drawing: the common supply, and the elements that belong to each directional valve."""

from __future__ import annotations

from dataclasses import dataclass, field

from simcore.model.elements import (
    Cylinder,
    DirectionalValve,
    Element,
    Machine,
    Orifice,
    Pump,
)
from simcore.model.netlist import ports

TwoPort = Orifice | Element


def ends(element: TwoPort) -> tuple[str, ...]:
    """Return the two nodes of an element."""
    return (element.a, element.b) if isinstance(element, Orifice) else ports(element)


@dataclass(slots=True)
class Side:
    """The nodes from a port of the valve to the actuator, and the elements between them."""

    nodes: list[str] = field(default_factory=list)
    between: list[TwoPort] = field(default_factory=list)  # one fewer than nodes
    beside: dict[str, list[TwoPort]] = field(default_factory=dict)  # by node: elements that lead elsewhere


@dataclass(slots=True)
class Function:
    """A directional valve with everything that only it feeds; without a valve, all remaining elements."""

    valve: DirectionalValve | None
    a: Side
    b: Side
    cylinders: list[Cylinder] = field(default_factory=list)
    motors: list[Pump] = field(default_factory=list)


@dataclass(slots=True)
class Groups:
    common: list[str]  # nodes shared by several functions: supplies, tanks
    functions: list[Function]
    supply: list[TwoPort]  # between common nodes


def group(machine: Machine) -> Groups:
    """Assign every node, two-port element, valve and cylinder to exactly one group."""
    return _Sorting(machine).run()


class _Sorting:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.left: list[TwoPort] = [*machine.orifices, *machine.elements]
        sources = [s.name for s in machine.sources]
        fed = [v.supply for v in machine.valves] + [v.tank for v in machine.valves]
        self.common = list(dict.fromkeys([*fed, *sources]))
        self.taken: set[str] = set(self.common)
        self.cylinders = list(machine.cylinders)

    def run(self) -> Groups:
        supply = [e for e in self.left if set(ends(e)) <= set(self.common)]
        self._take(supply)
        functions = [self._function(valve) for valve in self.machine.valves]
        for function in functions:  # after all paths are known: the elements beside them
            self._hang(function)
        while loose := [v.name for v in self.machine.volumes if v.name not in self.taken]:
            functions.append(self._loose(loose[0]))
        return Groups(self.common, functions, supply)

    def _take(self, elements: list[TwoPort]) -> None:
        self.left = [e for e in self.left if e not in elements]

    def _function(self, valve: DirectionalValve) -> Function:
        found = Function(valve, self._path(valve.port_a), self._path(valve.port_b))
        self._actuators(found)
        return found

    def _path(self, port: str) -> Side:
        """Return the shortest path from a port through elements to a cylinder or motor."""
        side = Side()
        if port in self.taken:  # shared with another function, which draws it
            return side
        self.taken.add(port)
        goals = {name for c in self.machine.cylinders for name in (c.chamber_a, c.chamber_b)}
        trails: list[tuple[list[str], list[TwoPort]]] = [([port], [])]
        seen = {port}
        best = trails[0]
        while trails:
            nodes, between = trails.pop(0)
            if nodes[-1] in goals:
                best = nodes, between
                break
            for element in self.left:
                if isinstance(element, Pump) or nodes[-1] not in ends(element):
                    continue
                (other,) = set(ends(element)) - {nodes[-1]}
                if other not in seen and other not in self.taken:
                    seen.add(other)
                    trails.append(([*nodes, other], [*between, element]))
        side.nodes, side.between = best
        self.taken.update(side.nodes)
        self._take(side.between)
        return side

    def _actuators(self, function: Function) -> None:
        own = {*function.a.nodes, *function.b.nodes}
        for cylinder in list(self.cylinders):
            if {cylinder.chamber_a, cylinder.chamber_b} & own:
                function.cylinders.append(cylinder)
                self.cylinders.remove(cylinder)
        a, b = set(function.a.nodes), set(function.b.nodes)
        for element in list(self.left):
            both = set(ends(element))
            if isinstance(element, Pump) and both & a and both & b:
                function.motors.append(element)
                self._take([element])

    def _hang(self, function: Function) -> None:
        for side in (function.a, function.b):
            for node in side.nodes:
                side.beside[node] = [e for e in self.left if node in ends(e)]
                self._take(side.beside[node])

    def _loose(self, start: str) -> Function:
        found = Function(None, self._path(start), Side())
        self._actuators(found)
        self._hang(found)
        return found
