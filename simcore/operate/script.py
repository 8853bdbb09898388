"""Scripted operator with phases and targets; each decision is a pure function of state, time and readings.

    state = start(script)
    state, levers = decide(script, state, t, readings)     # 50 times a second

Levers go from -1 to 1; `commands` converts them to valve commands (docs/machines/operators.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Readings = Mapping[str, float]  # by channel


@dataclass(frozen=True, slots=True)
class Lever:
    """Lever for one function of a machine."""

    name: str
    reads: str  # channel with the position of the function
    moves: str  # channel of its command
    full: float = 10.0  # command at full stroke, unit of that channel
    ease: float = 0.2  # the stroke falls within this distance of the target; unit of `reads`
    near: float = 0.02  # the target is reached within this distance; same unit
    least: float = 0.15  # smallest stroke that moves the function
    most: float = 1.0  # largest stroke that this operator uses
    sign: int = 1  # -1: a positive stroke lowers the reading
    hand: float = 5.0  # speed of the lever, full strokes per second


@dataclass(frozen=True, slots=True)
class Phase:
    """Moves all functions to their targets; ends when all are near, `until` is true or time is up."""

    name: str
    targets: Mapping[str, float] = field(default_factory=dict)  # by lever, unit of its reading
    strokes: Mapping[str, float] = field(default_factory=dict)  # by lever, -1 to 1: held until the phase ends
    timeout: float = 20.0  # s
    pause: float = 0.0  # s, to hold still afterwards
    load: float | None = None  # kg, carried from the end of the pause on; None: unchanged
    until: Callable[[Readings], bool] | None = None  # ends the phase
    # corrects the levers by the readings, where targets and strokes are not enough
    adjust: Callable[[Readings, dict[str, float]], dict[str, float]] | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """A work cycle that is repeated."""

    name: str
    levers: tuple[Lever, ...]
    phases: tuple[Phase, ...]


@dataclass(frozen=True, slots=True)
class OperatorState:
    """The operator's place in the work cycle, and everything that the operator remembers."""

    phase: int = 0
    since: float = 0.0  # s, when the phase began
    arrived: float | None = None  # s, when its targets were met
    rounds: int = 0  # completed work cycles
    strokes: tuple[float, ...] = ()  # of the levers, at the last decision
    at: float = 0.0  # s, time of the last decision
    load: float | None = None  # kg, last load picked up or put down; None: none yet


def start(script: Script, t: float = 0.0) -> OperatorState:
    return OperatorState(since=t, strokes=(0.0,) * len(script.levers), at=t)


def decide(
    script: Script, state: OperatorState, t: float, readings: Readings
) -> tuple[OperatorState, dict[str, float]]:
    """The operator's next state, and the lever positions at time t."""
    phase = script.phases[state.phase]
    wanted = _wanted(script, phase, readings) if state.arrived is None else {}
    arrived = state.arrived
    if arrived is None and _over(script, phase, state, t, readings):
        arrived, wanted = t, {}
    if phase.adjust is not None and arrived is None:
        wanted = phase.adjust(readings, wanted)
    strokes = tuple(
        _toward(before, max(-1.0, min(1.0, wanted.get(lever.name, 0.0))), lever.hand * (t - state.at))
        for lever, before in zip(script.levers, state.strokes, strict=True)
    )
    levers = {lever.name: stroke for lever, stroke in zip(script.levers, strokes, strict=True)}
    if arrived is None or t - arrived < phase.pause:
        return OperatorState(state.phase, state.since, arrived, state.rounds, strokes, t, state.load), levers
    last = state.phase + 1 == len(script.phases)
    after = 0 if last else state.phase + 1
    load = state.load if phase.load is None else phase.load
    return OperatorState(after, t, None, state.rounds + last, strokes, t, load), levers


def commands(script: Script, levers: Mapping[str, float]) -> dict[str, float]:
    """Converts lever strokes to valve commands, by channel."""
    return {lever.moves: lever.full * levers[lever.name] for lever in script.levers}


def _over(script: Script, phase: Phase, state: OperatorState, t: float, readings: Readings) -> bool:
    if t - state.since >= phase.timeout or (phase.until is not None and phase.until(readings)):
        return True
    levers = {lever.name: lever for lever in script.levers}
    near = all(abs(goal - readings[levers[n].reads]) <= levers[n].near for n, goal in phase.targets.items())
    return near and (bool(phase.targets) or (phase.until is None and not phase.strokes))


def _wanted(script: Script, phase: Phase, readings: Readings) -> dict[str, float]:
    """Lever strokes towards the targets, reduced near them."""
    found = dict(phase.strokes)
    for lever in script.levers:
        if lever.name in phase.targets:
            left = phase.targets[lever.name] - readings[lever.reads]
            if abs(left) <= lever.near:
                found[lever.name] = 0.0
                continue
            size = max(lever.least, lever.most * min(1.0, abs(left) / lever.ease))
            found[lever.name] = size * lever.sign * (1.0 if left > 0 else -1.0)
    return found


def _toward(before: float, wanted: float, step: float) -> float:
    return before + max(-step, min(step, wanted - before))
