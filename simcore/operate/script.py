"""A scripted operator: a list of phases, each with places to go to, as a pure function of what is read.

    mind = start(script)
    mind, levers = decide(script, mind, t, readings)     # 50 times a second

Levers are -1 to 1; `commands` turns them into what the valves are given. docs/machines/operators.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Readings = Mapping[str, float]  # by channel


@dataclass(frozen=True, slots=True)
class Lever:
    """One function of a machine, as its operator uses it."""

    name: str
    reads: str  # channel that tells how far the function has gone
    moves: str  # channel of its command
    full: float = 10.0  # command at full stroke, unit of that channel
    ease: float = 0.2  # from so far off the target the lever is eased; unit of what is read
    near: float = 0.02  # close enough; same unit
    least: float = 0.15  # stroke below which nothing moves
    most: float = 1.0  # stroke that this operator uses
    sign: int = 1  # -1: a positive stroke makes the reading fall
    hand: float = 5.0  # how fast the lever moves, full strokes per second


@dataclass(frozen=True, slots=True)
class Phase:
    """Go to the targets with their levers together; over when all are near or the time is up.

    pause: s to hold still afterwards. load: kg that hang on the machine from the end of the pause on; None:
    as before. strokes: levers that are held at a stroke instead, until the others are near or time is up.
    adjust: changes the levers by what is read, where going to a place is not all there is to it.
    """

    name: str
    targets: Mapping[str, float] = field(default_factory=dict)  # by lever, unit of what it reads
    strokes: Mapping[str, float] = field(default_factory=dict)  # by lever, -1 to 1
    timeout: float = 20.0  # s
    pause: float = 0.0  # s
    load: float | None = None  # kg
    until: Callable[[Readings], bool] | None = None  # over as soon as this holds
    adjust: Callable[[Readings, dict[str, float]], dict[str, float]] | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """A piece of work, done again and again."""

    name: str
    levers: tuple[Lever, ...]
    phases: tuple[Phase, ...]


@dataclass(frozen=True, slots=True)
class Mind:
    """Where an operator is in the work; everything it remembers."""

    phase: int = 0
    since: float = 0.0  # s, when the phase began
    arrived: float | None = None  # s, when its targets were met
    rounds: int = 0  # how often the whole work was done
    strokes: tuple[float, ...] = ()  # of the levers, a cycle ago
    at: float = 0.0  # s, a cycle ago
    load: float | None = None  # kg that was last picked up or put down; None: nothing yet


def start(script: Script, t: float = 0.0) -> Mind:
    return Mind(since=t, strokes=(0.0,) * len(script.levers), at=t)


def decide(script: Script, mind: Mind, t: float, readings: Readings) -> tuple[Mind, dict[str, float]]:
    """What the operator does now: the next state of mind and the levers."""
    phase = script.phases[mind.phase]
    wanted = _wanted(script, phase, readings) if mind.arrived is None else {}
    arrived = mind.arrived
    if arrived is None and _over(script, phase, mind, t, readings):
        arrived, wanted = t, {}
    if phase.adjust is not None and arrived is None:
        wanted = phase.adjust(readings, wanted)
    strokes = tuple(
        _toward(before, max(-1.0, min(1.0, wanted.get(lever.name, 0.0))), lever.hand * (t - mind.at))
        for lever, before in zip(script.levers, mind.strokes, strict=True)
    )
    levers = {lever.name: stroke for lever, stroke in zip(script.levers, strokes, strict=True)}
    if arrived is None or t - arrived < phase.pause:
        return Mind(mind.phase, mind.since, arrived, mind.rounds, strokes, t, mind.load), levers
    last = mind.phase + 1 == len(script.phases)
    after = 0 if last else mind.phase + 1
    load = mind.load if phase.load is None else phase.load
    return Mind(after, t, None, mind.rounds + last, strokes, t, load), levers


def commands(script: Script, levers: Mapping[str, float]) -> dict[str, float]:
    """Levers as what the valves are given, by channel."""
    return {lever.moves: lever.full * levers[lever.name] for lever in script.levers}


def _over(script: Script, phase: Phase, mind: Mind, t: float, readings: Readings) -> bool:
    if t - mind.since >= phase.timeout or (phase.until is not None and phase.until(readings)):
        return True
    levers = {lever.name: lever for lever in script.levers}
    near = all(abs(goal - readings[levers[n].reads]) <= levers[n].near for n, goal in phase.targets.items())
    return near and (bool(phase.targets) or (phase.until is None and not phase.strokes))


def _wanted(script: Script, phase: Phase, readings: Readings) -> dict[str, float]:
    """Strokes towards the targets, eased near them."""
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
