"""Events that disturb an experiment: sensor faults, or a load that is picked up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from simcore.errors import SimcoreError
from simcore.estimate.experiment.sampling import NEVER, Faults
from simcore.estimate.sensors import Sensor
from simcore.model.case import Case
from simcore.model.elements import Machine
from simcore.model.quantity import assumed

PICK_UP = "pick-up"
EVENTS = (PICK_UP, "stuck", "outliers", "loss", "delay", "late", "swapped")
WEIGHED_AFTER = 10.0  # s after which the picked-up mass must be known
_LATE = 0.2  # s
_IN_MOTION, _AT_REST = 0.5, 1.0  # s after a command began or ended
_SPARE_PERIODS = 2.0  # by which readings may come in the wrong order
_PRESSURES = ("chamber pressure", "pump pressure")


@dataclass(frozen=True)
class PickUp:
    """A mass that the machine carries from one moment on."""

    at: float  # s
    mass: float  # kg
    t_end: float  # s, of the run


@dataclass(frozen=True)
class Event:
    """Difference between a run and an undisturbed one."""

    name: str | None = None
    at: float = NEVER  # s, when it begins; NEVER where it lasts for the whole run, or where there is none
    sensors: tuple[Sensor, ...] = ()  # as they really are
    patience: float = 0.0  # s by which the twin lags its machine, so that readings can arrive
    faults: dict[str, Faults] = field(default_factory=dict)
    pick_up: PickUp | None = None
    monitored: bool = False  # by a live twin with its monitor


def stage(case: Case, machine: Machine, name: str | None, sensors: Sequence[Sensor]) -> Event:
    """Prepare the named event for a case and its sensors."""
    declared, patience = tuple(sensors), _patience(sensors)
    shares = {"outliers": Faults(outliers=0.01), "loss": Faults(loss=0.3), "swapped": Faults(swapped=0.5)}
    if name is None:
        return Event(sensors=declared, patience=patience)
    if name == PICK_UP:
        return Event(
            name, sensors=declared, patience=patience, pick_up=_pick_up(case, machine), monitored=True
        )
    if name in shares:
        faults = {s.name: shares[name] for s in sensors}
        return Event(name, sensors=declared, patience=patience, faults=faults, monitored=True)
    if name == "stuck":
        at = _in_motion(case)
        faults = {_pressure(case, sensors).name: Faults(stuck_from=at)}
        return Event(name, at, declared, patience, faults, monitored=True)
    if name == "delay":  # of all sensors; the twin knows it
        slow = tuple(replace(s, delay=_LATE) for s in sensors)
        return Event(name, sensors=slow, patience=_patience(slow), monitored=True)
    if name == "late":  # of one sensor; the twin does not know it
        one = _pressure(case, sensors)
        slow = tuple(replace(s, delay=_LATE) if s is one else s for s in sensors)
        return Event(name, sensors=slow, patience=patience, monitored=True)
    raise SimcoreError(f"event {name!r}: must be one of: {', '.join(EVENTS)}")


def _patience(sensors: Sequence[Sensor]) -> float:
    """Time that a twin waits for its slowest sensor and for readings in the wrong order, s."""
    return max((s.delay + _SPARE_PERIODS * s.period for s in sensors), default=0.0)


def _pressure(case: Case, sensors: Sequence[Sensor]) -> Sensor:
    """The first pressure sensor."""
    found = [s for s in sensors if s.kind in _PRESSURES]
    if not found:
        raise SimcoreError(
            f"{case.name}: the event needs a pressure sensor, but the only sensors are: "
            f"{', '.join(s.name for s in sensors)}"
        )
    return found[0]


def _movements(case: Case) -> list[tuple[float, float]]:
    """Times at which commands begin and end, s."""
    times = [t for t, _ in case.command_schedule] + [case.t_end]
    moving = [any(value != 0.0 for value in commands.values()) for _, commands in case.command_schedule]
    found = [(times[k], times[k + 1]) for k, moves in enumerate(moving) if moves]
    if not found:
        raise SimcoreError(f"{case.name}: the event needs a movement, but all commands are zero")
    return found


def _in_motion(case: Case) -> float:
    return _movements(case)[-1][0] + _IN_MOTION


def _pick_up(case: Case, machine: Machine) -> PickUp:
    """Pick up a load at rest after the first movement, long enough before the end."""
    payload = machine.model_error.payload
    if payload is None:
        raise SimcoreError(f"{case.name} cannot pick up a load: its description declares no payload")
    at = _movements(case)[0][1] + _AT_REST
    return PickUp(at, float(payload.change), max(case.t_end, at + WEIGHED_AFTER + _AT_REST))


def with_more(machine: Machine, mass: float) -> Machine:
    """The machine with additional mass, kg, on the body that carries its payload."""
    payload = machine.model_error.payload
    if payload is None:
        return machine
    bodies = tuple(
        replace(b, mass=assumed(float(b.mass) + mass, "kg", "picked up")) if b.name == payload.body else b
        for b in machine.bodies
    )
    return replace(machine, bodies=bodies)
