"""Formats the result of a twin experiment as JSON or as a table."""

from __future__ import annotations

import math
from textwrap import wrap
from typing import Any

import numpy as np

from simcore.cli.estimate import Experiment
from simcore.model.case import Case

_WIDTH = 100
_FIGURES = ("rmse_percent", "coverage", "nis_mean", "nees_mean")


def as_json(case: Case, done: Experiment) -> dict[str, Any]:
    """The experiment as one JSON object; values per state are in the order of `states`."""
    return {
        "case": case.name,
        "options": done.options,
        "states": done.names,
        "model_errors": done.errors,
        "noise": {s.name: float(s.noise) for s in done.sensors},
        **_plain(done.figures),
        "us_per_cycle": done.found.us_per_cycle,
        "biases": {one.name: one.estimate for one in done.learned},
        "parameters": {
            one.name: {
                "estimate": one.estimate,
                "sigma": one.sigma,
                "real": _number(one.real),
                "at": done.judged_at,
            }
            for one in done.learned
        },
        "event": _event(done),
        "health": {
            row.sensor: {
                "nu_square": row.square,
                "mean_statistic": row.mean.statistic,
                "ljung_box_p": row.white.p_value,
                "spool_correlation": _number(row.spool.value),
                "spool_statistic": _number(row.spool.statistic),
                "lacks": row.lacks,
            }
            for row in done.health
        },
    }


def _event(done: Experiment) -> dict[str, Any] | None:
    if done.event.name is None:
        return None
    clean = None if done.clean is None else {key: _plain(done.clean)[key] for key in _FIGURES}
    sensors = {sensor.channel: sensor.name for sensor in done.sensors}
    named = [
        {
            "at": at, "kind": f.kind, "sensor": sensors.get(f.channel), "since": f.since / 1e6,
            "text": f.text, "code": f.code, "values": f.values,
        }
        for at, f in done.found.findings
    ]  # fmt: skip
    begin = done.event.pick_up.at if done.event.pick_up else _number(done.event.at)
    return {
        "name": done.event.name, "at": begin, "readings": done.readings, "late": done.late,
        "behind_s": done.event.patience, "named": named, "clean": clean,
    }  # fmt: skip


def _plain(figures: dict[str, Any]) -> dict[str, Any]:
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in figures.items()}


def _number(value: float) -> float | None:
    """The number, or None for NaN and infinity, which JSON does not have."""
    return value if math.isfinite(value) else None


def table(case: Case, done: Experiment) -> str:
    """The experiment as a table: model errors, sensors, then a row per state."""
    o, f = done.options, done.figures
    sensors = ", ".join(f"{s.name} {float(s.noise):.3g} {s.noise.unit}" for s in done.sensors)
    wrong = ", ".join(f"{name} = {value:.6g}" for name, value in done.errors.items()) or "nothing"
    drawn = (
        " (sampled from the filter's assumptions, as is the noise on its rates)"
        if o["machine"] == "E0"
        else ""
    )
    lines = [
        f"{case.name}: filter {o['filter']}, sensors {o['sensors']} at {o['rate']:g} Hz, real machine "
        f"{o['machine']}, noise seed {o['noise_seed']}, noise times {o['noise_scale']:g}",
        "",
        *wrap(f"The real machine differs from the model in {wrong}{drawn}", _WIDTH),
        *wrap(f"Sensors (standard deviation of the noise): {sensors}", _WIDTH),
        *_happened(done),
        "",
        f"{'state':28} {'RMSE':>11} {'% of max':>9} {'uncorrected %':>14} {'inside 95 %':>12}"
        + (f" {'undisturbed %':>14}" if done.clean else ""),
    ]
    for k, name in enumerate(done.names):
        lines.append(
            f"{name:28} {f['rmse'][k]:11.3e} {f['rmse_percent'][k]:9.4f} "
            f"{f['uncorrected_rmse_percent'][k]:14.3f} {100 * f['coverage'][k]:10.1f} %"
            + (f" {done.clean['rmse_percent'][k]:14.4f}" if done.clean else "")
        )
    lines += ["", f"mean NIS {f['nis_mean']:.3f}, mean NEES {f['nees_mean']:.3f}, each per degree of freedom"]
    lines += [*_health(done), "", *_learned(done)]
    return "\n".join([*lines, f"{done.found.us_per_cycle:.2f} us per step and correction, best of three"])


def _happened(done: Experiment) -> list[str]:
    """Lines about the event and the findings of the sensor monitor."""
    event = done.event
    if event.name is None:
        return []
    lines = [
        "",
        f"Event {event.name}: {done.late} of {done.readings} readings arrived too late to be fused; "
        f"the twin waits {1e3 * event.patience:.0f} ms for readings",
    ]
    if event.pick_up:
        lines.append(f"{event.pick_up.mass:g} kg were picked up at {event.pick_up.at:g} s")
    if math.isfinite(event.at):
        lines.append(f"The event began at {event.at:g} s")
    lines += [
        f"Found at {at:.2f} s: {finding.text}, since {finding.since / 1e6:.1f} s"
        for at, finding in done.found.findings
    ]
    return [part for line in lines for part in (wrap(line, _WIDTH) or [""])]


def _health(done: Experiment) -> list[str]:
    """Tests of the innovations; the correlation with the spool shows model errors that NIS does not show."""
    if not done.health:
        return []
    lines = ["", f"{'innovations of':16} {'mean square':>12} {'Ljung-Box p':>12} {'with the spool':>15}"]
    for row in done.health:
        spool = (
            "" if math.isnan(row.spool.value) else f"{row.spool.value:+.3f} ({row.spool.statistic:+.1f} σ)"
        )
        lines.append(f"{row.sensor:16} {row.square:12.3f} {row.white.p_value:12.1e} {spool:>15}")
    lacking = [row.sensor for row in done.health if row.lacks]
    if lacking:
        warning = (
            f"{', '.join(lacking)}: innovations are correlated with the spool. The model lacks something "
            "that no filter state describes: do not trust the bounds."
        )
        lines += wrap(warning, _WIDTH)
    return lines


def _learned(done: Experiment) -> list[str]:
    """Estimated biases, with the true values where they exist."""
    lines = []
    for one in done.learned:
        real = "" if math.isnan(one.real) else f", true value {one.real:.6g}"
        lines.append(f"{one.name} at {done.judged_at:g} s: {one.estimate:.6g} ± {one.sigma:.3g}{real}")
    return lines
