"""What twins weigh beside machines that are not as described: six loads of every crane, four digs.

python -m tests.bench weighing
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.bench.figures import table
from tests.weighing import (
    CRANE_LOADS,
    CRANE_S,
    DIGGER_S,
    SOILS,
    TOLD,
    Weighed,
    Work,
    crane_spec,
    dig,
    digger_spec,
    lift,
    weigh,
)
from workers.demo import fleet

SERIALS = range(1, 9)
HOW = f"""
Machines with drawn steel, plates, seals, oil and valves (workers/emulator/as_built.py), followed from rest at
50 Hz by the twin that the platform builds. Cranes lift {", ".join(f"{load:.0f}" for load in CRANE_LOADS)} kg
one after the other; excavators dig four times, in {TOLD} as the twin is told, or in another soil that it is
not told of. Errors of the channel `payload.mass` count from {CRANE_S:g} s after a load hangs on the hook, or
{DIGGER_S:g} s after the bucket has left the ground, until it is put down: the mean of all, the worst reading,
what the twin says (mean standard deviation), and the share of readings within two of these. Below: the demo's
machines, some of them with a fault.
"""
HEADER = ("machine", "loads, kg", "mean", "worst", "at, kg", "sigma, kg", "within 2 sigma", "twin says")


def section() -> list[str]:
    return [HOW, *table(HEADER, (_row(work) for work in _works()))]


def _works() -> Iterator[Work]:
    for serial in SERIALS:
        yield lift(crane_spec(serial))
    for serial in SERIALS:
        yield dig(digger_spec(serial))
    for serial in SERIALS:
        yield dig(digger_spec(serial, SOILS[serial % len(SOILS)]))
    for spec in fleet.machines():
        yield lift(spec) if spec.model == "loader-crane" else dig(spec)


def _row(work: Work) -> tuple[str, ...]:
    weighed, twin = weigh(work)
    worst: Weighed = max(weighed, key=lambda w: w.worst)
    loads = [w.load for w in weighed]
    name = work.spec.name + (f", {work.spec.fault}" if work.spec.fault else "")
    row = (
        name,
        f"{min(loads):.0f} to {max(loads):.0f}",
        f"{100 * np.mean([np.mean(w.errors) / w.load for w in weighed]):+.1f} %",
        f"{100 * worst.worst:.1f} %",
        f"{worst.load:.0f}",
        f"{min(np.mean(w.sigmas) for w in weighed):.0f} to {max(np.mean(w.sigmas) for w in weighed):.0f}",
        f"{100 * np.mean([w.inside for w in weighed]):.0f} %",
        ", ".join(f"{f.channel or 'twin'} {f.kind}" for f in twin.findings()) or "all sound",
    )
    print(" | ".join(row), flush=True)
    return row
