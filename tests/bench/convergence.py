"""Convergence of rahikainen-a with the time step: `python -m tests.bench.convergence`.

Fast mode is of second order; reference mode of first, because its spool moves by forward Euler. With the same
spool update and penalty rule, the two differ by how far Newton goes, not by what it solves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from simcore import Run, registry
from simcore.run.case_run import simulate

CASE = registry.get("rahikainen-a")
STEPS_MS = (4.0, 2.0, 1.0, 0.5)
EXACT_DT = 1e-5  # s
SAMPLE_DT = 0.02  # s, a multiple of every step
LIFT_ENDS = 2.8  # s
MODES = {"fast": "trapezoidal", "reference": "trapezoidal-reference"}


@dataclass(frozen=True)
class Line:
    """Largest error of any joint angle at one time step, rad."""

    step_ms: float
    lift: float
    whole: float


def sampled(dt: float, mode: str = "fast", **overrides: str) -> Run:
    return simulate(CASE, overrides, dt=dt, integrator=MODES[mode], sample_dt=SAMPLE_DT)


def errors(mode: str, exact: Run, steps_ms: Sequence[float] = STEPS_MS) -> list[Line]:
    """Errors against a run with far shorter steps."""
    found = []
    for ms in steps_ms:
        run = sampled(ms * 1e-3, mode)
        off = np.max(np.abs(run.coordinates - exact.coordinates), axis=1)
        found.append(Line(ms, float(off[run.t <= LIFT_ENDS].max()), float(off.max())))
    return found


def orders(lines: Sequence[Line], part: str) -> list[float]:
    """Order between successive lines: log of the ratio of errors over that of steps."""
    return [
        math.log(getattr(a, part) / getattr(b, part)) / math.log(a.step_ms / b.step_ms)
        for a, b in pairwise(lines)
    ]


def apart(ms: float, **overrides: str) -> tuple[float, float]:
    """Largest distance of fast from reference mode with the published spool, in shares of the range.

    Of any angle, and of any pressure.
    """
    fast, reference = (sampled(ms * 1e-3, mode, spool="euler", **overrides) for mode in MODES)
    angle, pressure = (
        float(np.max(np.max(np.abs(a - b), axis=0) / np.ptp(b, axis=0)))
        for a, b in (
            (fast.coordinates, reference.coordinates),
            (fast.pressures, reference.pressures),
        )
    )
    return angle, pressure


def report() -> Iterator[str]:
    exact = sampled(EXACT_DT)
    yield f"{CASE.name}: error of joint angles against steps of {EXACT_DT * 1e6:g} us, rad"
    for mode in MODES:
        lines = errors(mode, exact)
        rates = zip([math.nan, *orders(lines, "lift")], [math.nan, *orders(lines, "whole")], strict=True)
        yield ""
        yield f"{mode:10} {'lift':>10} {'order':>6} {'whole run':>10} {'order':>6}"
        for line, (lift, whole) in zip(lines, rates, strict=True):
            yield f"{line.step_ms:7g} ms {line.lift:10.2e} {_order(lift)} {line.whole:10.2e} {_order(whole)}"
    yield ""
    yield "fast against reference, both with the published spool update, in shares of the range"
    for ms in STEPS_MS[1:]:
        angle, pressure = apart(ms)
        yield f"{ms:7g} ms  angle {angle:.1e}  pressure {pressure:.1e}"


def _order(rate: float) -> str:
    return f"{'':6}" if math.isnan(rate) else f"{rate:6.2f}"


if __name__ == "__main__":
    for text in report():
        print(text, flush=True)
