"""`python -m simcore estimate`: simulates a machine and its twin, with an optional event such as a fault."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from simcore.errors import SimcoreError
from simcore.estimate.biases import biases_of
from simcore.estimate.experiment.events import WEIGHED_AFTER, Event, stage, with_more
from simcore.estimate.experiment.experiment import (
    SETTLED,
    Motion,
    move,
    real_motion,
    real_parameters,
    record_motion,
    score,
    state_names,
)
from simcore.estimate.experiment.offline_twin import DT, estimate, without_biases
from simcore.estimate.experiment.parameters import Learned, bias_names, learned, real_values
from simcore.estimate.experiment.result import FilterResult
from simcore.estimate.monitor.consistency import (
    Verdict,
    Whiteness,
    goes_with,
    mean_test,
    regressor_test,
    whiteness,
)
from simcore.estimate.sensors import Sensor, four_bar_set, own_sensors
from simcore.model.case import Case
from simcore.model.elements import Machine
from simcore.run.engine import Engine

_SETS = {f"set-{k}": k for k in range(1, 5)}


class SensorHealth(NamedTuple):
    """Results of the tests on one sensor's innovations."""

    sensor: str
    square: float  # mean, one expected
    mean: Verdict
    white: Whiteness
    spool: Verdict  # strongest correlation with a spool
    lacks: bool  # correlated enough to show that the model lacks something


@dataclass(frozen=True)
class Experiment:
    """All results of one run of the command."""

    options: dict[str, Any]
    names: list[str]
    channels: list[str]
    sensors: tuple[Sensor, ...]
    errors: dict[str, Any]
    event: Event
    readings: int
    late: int  # readings that arrived too late to be fused
    truth: Motion
    uncorrected: Motion
    found: FilterResult
    figures: dict[str, Any]
    clean: dict[str, Any] | None  # the same without the event
    learned: list[Learned]  # at the end, or ten seconds after a load was picked up
    judged_at: float  # s, time of `learned`
    health: list[SensorHealth]


class Setting(NamedTuple):
    """The options of the command."""

    sensors: str
    rate: float  # Hz
    machine: str
    filter: str
    noise_seed: int
    noise_scale: float
    event: str | None


def experiment(case: Case, chosen: Setting, takes: int = 1) -> Experiment:
    """Run real machine, twin and uncorrected model. takes: runs of the twin; the fastest gives the time."""
    model, sensors = case.build(), choose_sensors(case, chosen.sensors, chosen.rate)
    event = stage(case, model, chosen.event, sensors)
    if event.pick_up and chosen.filter != "bias":
        raise SimcoreError(
            f"--filter {chosen.filter}: must be bias, the only filter that estimates a load that is picked up"
        )
    alone = move(case, {}, False, event.pick_up)
    truth, wrong = real_motion(case, chosen.machine, chosen.filter, chosen.noise_seed, alone, event.pick_up)
    found, readings, late = _follow(model, truth, alone, event, sensors, chosen)
    again = [_follow(model, truth, alone, event, sensors, chosen)[0] for _ in range(takes - 1)]
    found = replace(found, us_per_cycle=min(one.us_per_cycle for one in (found, *again)))
    clean = None
    if event.name and not event.pick_up:
        calm = Event(sensors=sensors, patience=event.patience, monitored=event.monitored)
        clean = score(truth, _follow(model, truth, alone, calm, sensors, chosen)[0], alone)
    engine = Engine(model, DT)
    judged = event.pick_up.at + WEIGHED_AFTER if event.pick_up else float(truth.t[-1])
    channels = [channel.name for channel in engine.channels]
    return Experiment(
        chosen._asdict(), state_names(engine), channels, sensors, wrong, event, readings, late, truth, alone,
        found, score(truth, found, alone), clean, _learned(case, engine, chosen, event, wrong, found, judged),
        judged, _health(engine, sensors, truth, found),
    )  # fmt: skip


def _follow(
    model: Machine, truth: Motion, alone: Motion, event: Event, sensors: Sequence[Sensor], chosen: Setting
) -> tuple[FilterResult, int, int]:
    """The twin's result under an event, the number of readings, and how many of them arrived too late."""
    recording = record_motion(
        model, truth, event.sensors, chosen.noise_seed, chosen.noise_scale, event.faults
    )
    readings = recording.dense(event.patience)[1:]
    found = estimate(model, readings, sensors, alone.schedule, chosen.filter, monitored=event.monitored)
    late = recording.late(event.patience)
    return found, int(np.sum(np.isfinite(readings))) + late, late


def choose_sensors(case: Case, name: str, rate: float) -> tuple[Sensor, ...]:
    if name == "own":
        return own_sensors(case.build(), rate)
    if name not in _SETS or case.name != "four-bar-b":
        allowed = "own" if case.name != "four-bar-b" else f"own, {', '.join(_SETS)}"
        raise SimcoreError(f"--sensors {name}: must be one of: {allowed} (for {case.name})")
    return four_bar_set(_SETS[name], rate)


def _learned(
    case: Case,
    engine: Engine,
    chosen: Setting,
    event: Event,
    wrong: dict[str, Any],
    found: FilterResult,
    at: float,
) -> list[Learned]:
    """Biases estimated by the twin, and those of the real machine."""
    machine = engine.machine if chosen.filter == "bias" else without_biases(engine.machine)
    biases = biases_of(machine, engine.plan)
    names = bias_names(engine, biases)
    if chosen.machine == "E0":
        real = [wrong[name] for name in names]
    else:
        other = case.build(**real_parameters(case, chosen.machine))
        heavier = with_more(other, event.pick_up.mass) if event.pick_up else other
        real = real_values(engine, Engine(heavier, DT), biases)
    return learned(biases, names, found, real, round(at / DT) - 1)


def _health(
    engine: Engine, sensors: Sequence[Sensor], truth: Motion, found: FilterResult
) -> list[SensorHealth]:
    late = truth.t[1:] > SETTLED - 1e-9
    spools = [k for k, o in enumerate(engine.machine.outputs) if o.reads == "spool"]
    rows = []
    for sensor in sensors:
        nu = found.innovations[late, engine.position(sensor.channel)]
        if np.sum(np.isfinite(nu)) < 20:
            continue
        sides = [truth.channels[1:][late, k] for k in spools]
        tests = [(regressor_test(nu, side), goes_with(nu, side)) for side in sides if np.ptp(side) > 0]
        none = Verdict(float("nan"), float("nan"), float("nan")), False
        most, lacks = max(tests, key=lambda test: abs(test[0].statistic), default=none)
        square = float(np.nanmean(nu**2))
        rows.append(SensorHealth(sensor.name, square, mean_test(nu), whiteness(nu), most, lacks))
    return rows
