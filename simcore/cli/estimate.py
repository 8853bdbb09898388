"""`python -m simcore estimate`: a twin experiment as a table, as JSON and as a page of curves."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np

from simcore.cases.case import Case
from simcore.engine import Engine
from simcore.errors import SimcoreError
from simcore.estimate.biases import GAIN, TORQUE, biases_of
from simcore.estimate.experiment import (
    DT,
    Following,
    Motion,
    estimate,
    move,
    observe,
    real_parameters,
    score,
    state_names,
)
from simcore.estimate.sensors import Sensor, four_bar_set, own_sensors

_WIDTH = 100
_SETS = {f"set-{k}": k for k in range(1, 5)}


@dataclass(frozen=True)
class Experiment:
    """Everything that one run of the command found."""

    options: dict[str, Any]
    names: list[str]
    channels: list[str]
    sensors: tuple[Sensor, ...]
    errors: dict[str, Any]
    truth: Motion
    uncorrected: Motion
    found: Following
    figures: dict[str, Any]
    biases: dict[str, float]


def experiment(
    case: Case, sensors: str, rate: float, machine: str, kind: str, seed: int, noise_scale: float
) -> Experiment:
    """Real machine, twin and uncorrected model side by side."""
    model = case.build()
    chosen = _sensors(case, sensors, rate)
    wrong = real_parameters(case, machine)
    truth, uncorrected = move(case, wrong, real=True), move(case, {}, real=False)
    readings = observe(model, truth, chosen, seed, noise_scale)
    found = estimate(model, readings, chosen, uncorrected.schedule, kind)
    engine = Engine(model, DT)
    names = _bias_names(engine) if kind == "bias" else []
    options = {
        "sensors": sensors, "rate": rate, "machine": machine, "filter": kind, "noise_seed": seed,
        "noise_scale": noise_scale,
    }  # fmt: skip
    figures = score(truth, found, uncorrected)
    biases = dict(zip(names, (float(b) for b in found.biases), strict=True))
    channels = [channel.name for channel in engine.channels]
    results = truth, uncorrected, found, figures, biases
    return Experiment(options, state_names(engine), channels, chosen, wrong, *results)


def _sensors(case: Case, name: str, rate: float) -> tuple[Sensor, ...]:
    if name == "own":
        return own_sensors(case.build(), rate)
    if name not in _SETS or case.name != "four-bar-b":
        allowed = "own" if case.name != "four-bar-b" else f"own, {', '.join(_SETS)}"
        raise SimcoreError(f"sensors {name!r}: {case.name} has {allowed}")
    return four_bar_set(_SETS[name], rate)


def _bias_names(engine: Engine) -> list[str]:
    machine = engine.machine
    sources = [s.name for s in machine.sources]
    spools = [valve.name for valve in machine.valves]
    found = []
    for bias in biases_of(machine, engine.plan):
        kind, index = int(bias["kind"]), int(bias["index"])
        if kind == TORQUE:
            found.append(f"unexplained torque of {engine.owners[index - 1]}, N m")
        elif kind == GAIN:
            found.append(f"gain of {spools[index] if index < len(spools) else index}")
        else:
            found.append(f"pressure of {sources[index - len(machine.volumes)]}, Pa")
    return found


def as_json(case: Case, done: Experiment) -> dict[str, Any]:
    """One object of plain numbers; per state in the order of `states`."""
    figures = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in done.figures.items()}
    return {
        "case": case.name,
        "options": done.options,
        "states": done.names,
        "model_errors": done.errors,
        "noise": {s.name: float(s.noise) for s in done.sensors},
        **figures,
        "us_per_cycle": done.found.us_per_cycle,
        "biases": done.biases,
    }


def table(case: Case, done: Experiment) -> str:
    """What a person reads: errors used, sensors, then a row per state."""
    o, f = done.options, done.figures
    lines = [
        f"{case.name}: filter {o['filter']}, sensors {o['sensors']} at {o['rate']:g} Hz, real machine "
        f"{o['machine']}, noise seed {o['noise_seed']}, noise times {o['noise_scale']:g}",
        "",
        *wrap(
            "The real machine differs from the model in "
            + (", ".join(f"{name} = {value:.6g}" for name, value in done.errors.items()) or "nothing"),
            _WIDTH,
        ),
        *wrap(
            "Sensors (standard deviation of the noise): "
            + ", ".join(f"{s.name} {float(s.noise):.3g} {s.noise.unit}" for s in done.sensors),
            _WIDTH,
        ),
        "",
        f"{'state':28} {'RMSE':>11} {'% of max':>9} {'uncorrected %':>14} {'inside 95 %':>12}",
    ]
    for k, name in enumerate(done.names):
        lines.append(
            f"{name:28} {f['rmse'][k]:11.3e} {f['rmse_percent'][k]:9.4f} "
            f"{f['uncorrected_rmse_percent'][k]:14.3f} {100 * f['coverage'][k]:10.1f} %"
        )
    lines += ["", f"mean NIS {f['nis_mean']:.3f}, mean NEES {f['nees_mean']:.3f}, each per degree of freedom"]
    lines += [f"{name}: {value:.6g}" for name, value in done.biases.items()]
    return "\n".join([*lines, f"{done.found.us_per_cycle:.2f} us per step and correction"])
