"""What a draw showed, as a record of plain numbers (a JSON line)."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from simcore.estimate.monitor.finding import Finding, health_code
from simcore.model import Channel, channel_table
from simcore.model.workspace import Array
from tests.field import names, other_excavator
from tests.field.causes import OTHER_ENGINE
from tests.field.draws import Draw
from tests.field.play import Shown, play
from tests.field.telemetry import Telemetry, telemetry
from tests.field.truth import Truth, work_through
from twin.fleet import catalogue

FULL_PRESSURE = {"excavator": 3.43e7, "loader-crane": 2.6e7, "four-bar-b": 7.6e6}  # Pa, relief or supply
SETTLED_S = 2.0  # after a gap
START_S = 5.0  # after the first sample
BOUND = 1.96  # standard deviations
LOAD_KG = 100.0  # smallest that is judged
LOAD_CONSTANT_S = 5.0  # for which it was not changed
LOAD_TOLERANCE = 0.05
NAMED_S = 2.0  # a culprit counts as named if it was shown at least this long
KEPT = 0.3  # share of what was learned that must be left after a gap
LEARNED = 0.01  # of a valve's gain or a mass, from which it counts
SPEEDS = ("rad/s", "m/s")


def run(draw: Draw) -> dict[str, Any]:
    """Integrate, play and measure one draw."""
    began = time.process_time()
    other = draw.cause.name == OTHER_ENGINE
    truth = other_excavator.work_through(draw) if other else work_through(draw)
    worked = time.process_time()
    machine = catalogue.build(draw.machine, dict(draw.described))
    channels = tuple(channel_table(machine))
    sent = telemetry(draw, truth, channels)
    shown = play(draw, sent)
    found = {
        "draw": draw.number,
        "machine": draw.machine,
        "cause": draw.cause.name,
        "sizes": {k: round(v, 6) for k, v in draw.cause.sizes.items()},
        "part": draw.cause.part,
        "free": draw.free,
        "rate": draw.link.rate,
        "effective_hz": round(draw.link.effective_hz, 2),
        "link": asdict(draw.link),
        "truth_s": truth.seconds,
        "truth_ended": truth.ended,
    }
    found |= _course(draw, truth, sent, shown, channels)
    found["cpu"] = {
        "truth": round(worked - began, 2),
        "twin": round(shown.cpu, 2),
        "twin_percent": round(100 * shown.cpu / max(truth.seconds, 1.0), 3),
        "all": round(time.process_time() - began, 2),
    }
    return found


def _course(
    draw: Draw, truth: Truth, sent: Telemetry, shown: Shown, channels: tuple[Channel, ...]
) -> dict[str, Any]:
    times, arrivals = np.array(shown.times), np.array(shown.arrivals)
    judged = _judged(times, arrivals, shown, sent)
    values, sigmas, exact = np.array(shown.values), np.array(shown.sigmas), truth.at(times)
    unfit = _unfit_at(shown, arrivals)
    found: dict[str, Any] = {
        "synced": round(float(np.mean([s == "synced" for s in shown.status])), 4) if shown.status else 0.0,
        "judged": int(judged.sum()),
        "unfit": round(float(unfit[judged].mean()), 3) if judged.any() else None,
        "gaps": [_gap(draw, gap, sent, shown) for gap in sent.gaps],
        "stops": [(round(t, 2), reason[:120]) for t, reason in shown.stops],
        "starts": [round(t, 2) for t in shown.starts],
        "recoveries": _recoveries(shown),
        "late": shown.late,
        "refused": shown.refused,
    }
    found |= _accuracy(draw, channels, values[judged], sigmas[judged], exact[judged], unfit[judged])
    found |= _payload(channels, truth, times, judged, values, sigmas, exact, shown, arrivals, unfit)
    found |= _names(draw, shown)
    return found


def _judged(times: Array, arrivals: Array, shown: Shown, sent: Telemetry) -> Array:
    """Looks while synced, from some seconds after the start and after every gap."""
    good = np.array([status == "synced" for status in shown.status], dtype=bool)
    good &= times >= START_S
    for begin, end in sent.gaps:
        good &= (arrivals < begin) | (arrivals >= end + SETTLED_S)
    return np.asarray(good)


def _unfit_at(shown: Shown, arrivals: Array) -> Array:
    """Whether the twin said that its estimates do not fit, at every look."""
    if not shown.health_times:
        return np.zeros(len(arrivals), dtype=bool)
    said = np.array(
        [
            health_code(health) == "health.unfit" or any(f.code.startswith(names.UNFIT) for f in findings)
            for health, findings in zip(shown.health, shown.findings, strict=True)
        ]
    )
    at = np.searchsorted(shown.health_times, arrivals, side="right") - 1
    return np.asarray(said[np.maximum(at, 0)] & (at >= 0))


def _accuracy(
    draw: Draw, channels: tuple[Channel, ...], values: Array, sigmas: Array, exact: Array, unfit: Array
) -> dict[str, Any]:
    """Errors of pressures, and how often bounds hold, by kind of channel."""
    rmse: dict[str, float] = {}
    measured: dict[str, float] = {}
    inside: dict[str, list[Array]] = {"position": [], "velocity": [], "pressure": []}
    by_channel: dict[str, float] = {}
    for k, channel in enumerate(channels):
        kind = _kind(channel)
        if not kind or not len(values) or np.isnan(exact[0, k]):  # NaN: the true machine does not say
            continue
        off = values[:, k] - exact[:, k]
        held = np.abs(off) <= BOUND * sigmas[:, k]
        inside[kind].append(held)
        by_channel[channel.name] = round(float(held.mean()), 3)
        if kind == "pressure":
            share = float(np.sqrt(np.mean(off**2)) / FULL_PRESSURE[draw.machine])
            (measured if channel.role == "sensor" else rmse)[channel.name] = round(share, 5)
    return {
        "pressure_measured": measured,
        "pressure_unmeasured": rmse,
        "coverage": {kind: round(float(np.mean(held)), 4) for kind, held in inside.items() if held},
        "covered_or_said": {
            kind: round(float(np.mean([h | unfit for h in held])), 4) for kind, held in inside.items() if held
        },
        "coverage_by_channel": by_channel,
    }


def _kind(channel: Channel) -> str:
    """position, velocity or pressure; empty: not judged."""
    if channel.role not in ("sensor", "estimate"):
        return ""
    if channel.unit == "Pa":
        return "pressure"
    if channel.unit in SPEEDS:
        return "velocity"
    return "position" if channel.unit in ("rad", "m") else ""


def _payload(
    channels: tuple[Channel, ...], truth: Truth, times: Array, judged: Array, values: Array, sigmas: Array,
    exact: Array, shown: Shown, arrivals: Array, unfit: Array,
) -> dict[str, Any]:  # fmt: skip
    """Loads that have not changed for a while, in the air."""
    at = {channel.name: k for k, channel in enumerate(channels)}
    if "payload.mass" not in at or not len(values):
        return {"payload": None}
    k = at["payload.mass"]
    whole = truth.values[:, k]
    earlier = truth.at(np.maximum(times - LOAD_CONSTANT_S, 0.0))[:, k]
    middle = truth.at(np.maximum(times - 0.5 * LOAD_CONSTANT_S, 0.0))[:, k]
    mass = exact[:, k]
    constant = (np.abs(mass - earlier) < 0.01 * mass) & (np.abs(mass - middle) < 0.01 * mass)
    chosen = judged & constant & (mass > LOAD_KG) & (times > START_S + LOAD_CONSTANT_S)
    if "bucket.digging" in at:
        chosen &= np.abs(exact[:, at["bucket.digging"]]) < 1.0
    if not chosen.any():
        return {"payload": {"looks": 0, "largest": round(float(whole.max()), 1)}}
    off = (values[chosen, k] - mass[chosen]) / mass[chosen]
    marked = unfit[chosen] | _doubted(shown, arrivals[chosen])
    return {
        "payload": {
            "looks": int(chosen.sum()),
            "largest": round(float(whole.max()), 1),
            "median_error": round(float(np.median(np.abs(off))), 4),
            "p90_error": round(float(np.quantile(np.abs(off), 0.9)), 4),
            "marked": round(float(marked.mean()), 4),
            "good_or_marked": round(float(np.mean(marked | (np.abs(off) <= LOAD_TOLERANCE))), 4),
            "inside": round(float(np.mean(np.abs(off) * mass[chosen] <= BOUND * sigmas[chosen, k])), 4),
        }
    }


def _doubted(shown: Shown, arrivals: Array) -> Array:
    """Whether the payload was marked as not trustworthy, at every look."""
    if not shown.health_times:
        return np.zeros(len(arrivals), dtype=bool)
    at = np.searchsorted(shown.health_times, arrivals, side="right") - 1
    return np.asarray(np.array(shown.doubted)[np.maximum(at, 0)] & (at >= 0))


def _names(draw: Draw, shown: Shown) -> dict[str, Any]:
    """Culprits that were named, for how long, first and last; which of them are right."""
    seen: dict[names.Name, list[float]] = {}
    for t, findings in zip(shown.health_times, shown.findings, strict=True):
        for name in names.named(findings):
            seen.setdefault(name, []).append(t)
    step = float(np.median(np.diff(shown.health_times))) if len(shown.health_times) > 2 else 0.0
    found = [
        {
            "code": name[0],
            "channel": name[1],
            "first": round(times[0], 1),
            "last": round(times[-1], 1),
            "seconds": round(len(times) * step, 1),
            "right": names.is_right(name, draw.cause),
            "sensor": names.blames_sensor(name),
        }
        for name, times in seen.items()
        if len(times) * step >= NAMED_S
    ]
    return {"named": found}


def _gap(draw: Draw, gap: tuple[float, float], sent: Telemetry, shown: Shown) -> dict[str, Any]:
    """How a twin came through a gap."""
    begin, end = gap
    first = next((t for t, _ in sent.entries if t >= end), None)
    found: dict[str, Any] = {"at": round(begin, 2), "length": round(end - begin, 2)}
    if first is None:
        return found | {"synced_after": None}
    states = dict.fromkeys((first,), next((s for t, s in reversed(shown.changes) if t < first), ""))
    states |= {t: s for t, s in shown.changes if t >= first}
    synced = next((t for t, s in sorted(states.items()) if s == "synced"), None)
    return found | {
        "synced_after": None if synced is None else round(synced - first, 3),
        "restarted": any(first <= t < first + SETTLED_S for t in shown.starts),
        **_forgotten(draw, first, shown),
    }


def _forgotten(draw: Draw, end: float, shown: Shown) -> dict[str, Any]:
    """Whether what was learned and found before a gap was lost. end: arrival of the first body after it.

    Samples that were sent before the gap are still fused some tenths of a second after its beginning, so the
    last look before its end counts; a twin is looked at while it is synced, which is soon over in a gap.
    """
    times = np.array(shown.health_times)
    before, after = np.flatnonzero(times < end), np.flatnonzero(times >= end)
    if not len(before) or not len(after):
        return {"forgot": None}
    a, b = int(before[-1]), int(after[0])
    old, new = shown.learned[a], shown.learned[b]
    known = np.abs(old) > LEARNED
    lost = bool(known.any()) and bool(np.mean(np.abs(new[known]) < KEPT * np.abs(old[known])) > 0.5)
    since = {(f.code, f.channel): f.since for f in shown.findings[a]}
    jumped = [
        f.code
        for f in shown.findings[b]
        if f.code.startswith(("sensor.", "cause.")) and since.get((f.code, f.channel), f.since) != f.since
    ]
    right, left = (_right_names(draw, shown.findings[k]) for k in (a, b))
    gone = sorted(name[0] for name in right - left)
    forgot = lost or bool(jumped) or bool(gone)
    return {"forgot": forgot, "lost_biases": lost, "since_jumped": jumped, "findings_gone": gone}


def _right_names(draw: Draw, findings: Iterable[Finding]) -> set[names.Name]:
    """Right names; a group that contains the cause is the same with fewer or more members."""
    right = {name for name in names.named(findings) if names.is_right(name, draw.cause)}
    return {(code, "") if code.startswith("cause.group") else (code, part) for code, part in right}


def _recoveries(shown: Shown) -> int:
    """How often the twin said that it restarted from its sensors."""
    count, last = 0, False
    for findings in shown.findings:
        now = any(f.code.startswith("twin.restarted") for f in findings)
        count, last = count + (now and not last), now
    return count
