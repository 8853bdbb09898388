"""Operators: the machine's scripted work cycle, or free play with all levers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np

from simcore import registry
from simcore.machines.excavator.work_cycle import LEVERS as EXCAVATOR_LEVERS
from simcore.machines.loader_crane.work_cycle import LEVERS as CRANE_LEVERS
from simcore.machines.model import MachineModel
from simcore.operate.script import Lever, Phase, Script, commands, decide, start
from tests.field.causes import OTHER_ENGINE
from tests.field.draws import WORK, Draw
from workers.emulator.driver import Driver

Readings = Mapping[str, float]
_EMPTY = 1.0  # kg
# where free play may go, unit of the lever's reading: clear of the ground and of the ends of the strokes
_ROOM = {
    "swing": (-1.5, 1.5), "boom": (0.45, 0.85), "dipper": (-2.2, -0.95), "bucket": (-1.9, 0.0),
    "slew": (-1.4, 1.4), "lift": (0.25, 1.0), "fold": (-1.4, -0.3), "extend": (0.15, 1.6),
}  # fmt: skip
_MOVES_S, _RESTS_S = (0.8, 4.0), (0.0, 5.0)


class Operator(Protocol):
    """Decides every 20 ms."""

    load: float | None  # kg to be carried from now on; None: unchanged

    def decide(self, t: float, truth: Readings) -> dict[str, float]:
        """Commands by channel."""


class Cycle:
    """The machine's work cycle with this operator's strokes, rests and loads."""

    def __init__(self, draw: Draw, chance: np.random.Generator) -> None:
        model = registry.get(draw.machine)
        assert isinstance(model, MachineModel)
        script = model.cycle(next(iter(model.cycles)), **draw.described)
        most = float(chance.uniform(0.6, 1.0))
        levers = tuple(replace(lever, most=min(lever.most, most)) for lever in script.levers)
        phases: list[Phase] = []
        for _ in range(12):  # rounds that differ in load and rest
            phases.append(Phase("rest", pause=float(chance.uniform(0.5, 6.0))))
            load = float(chance.uniform(150.0, 1100.0))
            phases += [
                replace(p, load=load) if p.load is not None and p.load > 2.0 else p for p in script.phases
            ]
        self._script = Script(script.name, levers, tuple(phases))
        self._state = start(self._script)
        self.load: float | None = None

    def decide(self, t: float, truth: Readings) -> dict[str, float]:
        before = self._state.load
        self._state, levers = decide(self._script, self._state, t, truth)
        self.load = self._state.load if self._state.load != before else None
        return commands(self._script, levers)


class FreePlay:
    """Every lever goes its own way: to a random place with a random stroke, then rests.

    loads: kg, set down in mid-air one after the other, with an empty time after each; a quarter of the time
    at rest.
    """

    def __init__(
        self, levers: tuple[Lever, ...], chance: np.random.Generator, loads: tuple[float, ...] = ()
    ) -> None:
        self._levers, self._chance = levers, chance
        self._goal = [0.0] * len(levers)
        self._most = [0.0] * len(levers)  # stroke, 0: at rest
        self._until = [float(chance.uniform(1.0, 4.0)) for _ in levers]
        self._stroke = [0.0] * len(levers)
        self._at = 0.0
        self._rest_until = 0.0
        times = np.cumsum(chance.uniform(9.0, 25.0, 2 * len(loads)))
        self._loads = [(float(t), loads[k // 2] if k % 2 == 0 else _EMPTY) for k, t in enumerate(times)]
        self.load: float | None = None

    def decide(self, t: float, truth: Readings) -> dict[str, float]:
        self.load = None
        if self._loads and t >= self._loads[0][0]:
            self.load = self._loads.pop(0)[1]
            if self._chance.random() < 0.5:  # hold still for a while
                self._rest_until = t + float(self._chance.uniform(1.0, 4.0))
        found = {}
        for k, lever in enumerate(self._levers):
            if t >= self._until[k]:
                self._choose(k, t)
            left = lever.sign * (self._goal[k] - truth[lever.reads])
            wanted = self._most[k] * float(np.clip(left / lever.ease, -1.0, 1.0))
            wanted = 0.0 if abs(left) < 2.0 * lever.near or t < self._rest_until else wanted
            most = lever.hand * (t - self._at)
            self._stroke[k] += float(np.clip(wanted - self._stroke[k], -most, most))
            found[lever.moves] = lever.full * self._stroke[k]
        self._at = t
        return found

    def _choose(self, k: int, t: float) -> None:
        """Rest after a movement, move after a rest."""
        moves = self._most[k] == 0.0
        self._most[k] = float(self._chance.uniform(0.25, 1.0)) if moves else 0.0
        self._goal[k] = float(self._chance.uniform(*_ROOM[self._levers[k].name]))
        self._until[k] = t + float(self._chance.uniform(*(_MOVES_S if moves else _RESTS_S)))


class RigDriver:
    """Up and down with pauses, or with random voltages held for a while."""

    def __init__(self, chance: np.random.Generator, free: bool) -> None:
        self._driver, self._chance, self._free = Driver(chance), chance, free
        self._volts, self._until = 0.0, 0.0
        self.load: float | None = None

    def decide(self, t: float, truth: Readings) -> dict[str, float]:
        angle = truth["crank.angle"]
        if not self._free:
            return {"valve.command": self._driver.command(t, angle)}
        if t >= self._until:
            self._volts = float(self._chance.uniform(-8.0, 8.0)) * float(self._chance.random() < 0.7)
            self._until = t + float(self._chance.uniform(0.2, 2.0))
        if (angle > 1.22 and self._volts < 0.0) or (angle < 0.78 and self._volts > 0.0):
            self._volts = -self._volts
        return {"valve.command": self._volts}


def operator(draw: Draw) -> Operator:
    chance = draw.chance(WORK)
    if draw.machine == "four-bar-b":
        return RigDriver(chance, draw.free)
    if not draw.free:
        return Cycle(draw, chance)
    levers = EXCAVATOR_LEVERS if draw.machine == "excavator" else CRANE_LEVERS
    if draw.cause.name in ("load-in-air", OTHER_ENGINE):
        first = draw.cause.sizes.get("kg", 700.0)
        loads = (first, *(float(x) for x in chance.uniform(200.0, 900.0, 20)))
    else:
        loads = (
            tuple(float(x) for x in chance.uniform(150.0, 600.0, 20)) if draw.machine != "excavator" else ()
        )
    return FreePlay(levers, chance, loads)
