"""Counting wear: samples a second beside other packages, size of load records, counting again from them."""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version

import numpy as np

from simcore.model.quantity import assumed, standard
from simcore.model.workspace import Array
from simcore.wear.counters import CycleCounters
from simcore.wear.load_record import pack, recount, stamp_of, take_record, unpack
from simcore.wear.miner import HotSpot, damages
from simcore.wear.rainflow import with_half_cycles
from simcore.wear.sn_curve import en_1993_1_9
from simcore.wear.sums import BlockSums
from simcore.wear.turning_points import Counted
from tests.bench.figures import Figure, figure_table, table
from tests.excavator_loads import SAMPLE_S, counted_channels, loads, summed_channels

HOURS = 1760  # of work in a year
SAMPLES = 400_000
CHUNKS = {"one piece": SAMPLES, "1000": 1000, "50": 50}
HOW = """
CPU time of the process, one thread, best of 5, all counters in turns. All count the same signal, rounded to
whole numbers before, which ours does again. Closed cycles are equal in number, and for `rainflow` all counts
by range. `boom.force`: of the excavator at work. `smooth`: noise filtered to some 100 samples a cycle.
`noise`: white, two of three samples are turning points.
pylife: its four-point detector with the recorder of values.
`rainflow` has no chunks: its time is that of one piece, best of 3.
"""
Counting = Callable[[list[Array]], int]  # parts of a signal -> closed cycles


def section() -> list[str]:
    hour = loads(3600.0)
    rows = list(_rows(hour))
    for row in rows:
        print("  ".join(row), flush=True)
    figures = list(_record_figures(hour))
    for figure in figures:
        print(f"{figure.what}: {figure.value} ({figure.accuracy})", flush=True)
    header = ("signal", "chunks", "counter", "million samples/s", "closed cycles", "ours over it")
    return [
        f"- load average at the end: {os.getloadavg()[0]:.2f}",
        f"- peers: {', '.join(_peers()) or 'none installed'}",
        HOW,
        *table(header, rows),
        "",
        *figure_table(figures),
    ]


def _peers() -> list[str]:
    return [f"{name} {version(name)}" for name in ("pylife", "rainflow") if _found(name)]


def _found(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def signals(hour: Array) -> dict[str, Array]:
    """Whole numbers."""
    random = np.random.default_rng(0)
    names = [channel.name for channel in counted_channels()]
    force = np.tile(hour[:, names.index("boom.force")] / 1e3, 1 + SAMPLES // len(hour))[:SAMPLES]
    filtered = np.convolve(random.normal(size=SAMPLES + 100), np.hanning(101), "valid")[:SAMPLES] * 20.0
    noise = random.normal(0.0, 100.0, SAMPLES)
    return {name: np.rint(x) for name, x in (("boom.force", force), ("smooth", filtered), ("noise", noise))}


def _ours(parts: list[Array]) -> int:
    counters = _counters()
    for part in parts:
        counters.count(part[:, None])
    return int(counters.counts(0).sum())


def _counters() -> CycleCounters:
    return CycleCounters([Counted("x", *(assumed(value, "1") for value in (1.0, 1.0, -1000.0, 1000.0)))])


def _pylife(parts: list[Array]) -> int:
    from pylife.stress import rainflow

    detector = rainflow.FourPointDetector(recorder=rainflow.LoopValueRecorder())
    for part in parts:
        detector.process(part)
    return len(detector.recorder.values_from)


def _rainflow(parts: list[Array]) -> int:
    import rainflow

    counts = rainflow.count_cycles(parts[0])
    counters = _counters()
    counters.count(parts[0][:, None])
    total = with_half_cycles(counters.counts(0), counters.residue(0))
    if {int(k): n for k, n in counts if k} != {int(k): total[k] for k in np.flatnonzero(total)}:
        raise AssertionError("rainflow counts other cycles")
    return int(counters.counts(0).sum())


def _rows(hour: Array) -> Iterator[tuple[str, ...]]:
    for name, signal in signals(hour).items():
        slow = 0.0
        for chunk, size in CHUNKS.items():
            parts = [np.ascontiguousarray(signal[k : k + size]) for k in range(0, len(signal), size)]
            counters: dict[str, Counting] = {"ours": _ours}
            if _found("pylife"):
                counters["pylife"] = _pylife
            speeds, cycles = {}, {}
            best = dict.fromkeys(counters, np.inf)
            for _ in range(5):
                for who, count in counters.items():
                    began = time.process_time()
                    cycles[who] = count(parts)
                    best[who] = min(best[who], time.process_time() - began)
            speeds = {who: SAMPLES / seconds / 1e6 for who, seconds in best.items()}
            if len(set(cycles.values())) > 1:
                raise AssertionError(f"{name} in {chunk}: closed cycles differ: {cycles}")
            if _found("rainflow"):
                slow = slow or _rainflow_speed(signal)
                speeds["rainflow"], cycles["rainflow"] = slow, cycles["ours"]
            for who, speed in speeds.items():
                ratio = f"{speeds['ours'] / speed:.1f}"
                yield name, chunk, who, f"{speed:.1f}", str(cycles[who]), "" if who == "ours" else ratio


def _rainflow_speed(signal: Array) -> float:
    import rainflow

    _rainflow([signal])  # counts are equal
    seconds = []
    for _ in range(3):
        began = time.process_time()
        rainflow.count_cycles(signal)
        seconds.append(time.process_time() - began)
    return len(signal) / min(seconds) / 1e6


def _record_figures(hour: Array) -> Iterator[Figure]:
    channels, summed = counted_channels(), summed_channels()
    stamp = stamp_of(channels, summed)
    live, sums = CycleCounters(channels), BlockSums(summed, SAMPLE_S)
    began = time.process_time()
    live.count(hour)
    sums.add(hour)
    seconds = time.process_time() - began
    yield Figure(
        "live counting of an hour",
        f"{seconds * 1e3:.0f} ms",
        f"{len(channels)} channels, {len(hour)} samples each",
        "excavator, dig-swing-dump, unsteady hand",
    )
    yield Figure(
        "memory for a checkpoint", f"{live.packed().nbytes / 1e3:.0f} kB", "with the hour's points", ""
    )
    record = take_record(live, sums)
    packed = pack(record, stamp)
    points = sum(len(levels) for levels in record.levels)
    yield Figure("memory after the record", f"{live.packed().nbytes / 1e3:.0f} kB", "20 channels", "")
    yield Figure(
        "load record of an hour", f"{len(packed) / 1e3:.0f} kB", f"{points} turning points", "budget 200 kB"
    )
    again, sums_again = CycleCounters(channels), BlockSums(summed, SAMPLE_S)
    spots = [
        HotSpot(c.name, c.name, assumed(100e6 / float(c.high), "Pa"), en_1993_1_9(standard(71e6, "Pa")))
        for c in channels
    ]
    recount([unpack(packed, stamp)], again, sums_again)
    same = again.packed().tobytes() == live.packed().tobytes()
    same = same and damages(again, spots).tobytes() == damages(live, spots).tobytes()
    year, year_sums = CycleCounters(channels), BlockSums(summed, SAMPLE_S)
    began = time.process_time()
    for _ in range(HOURS):
        recount([unpack(packed, stamp)], year, year_sums)
    found = damages(year, spots)
    seconds = time.process_time() - began
    yield Figure(
        f"another S-N curve, counters of {HOURS} h from records",
        f"{seconds:.1f} s",
        f"one core, {points * HOURS / 1e6:.0f} million turning points; budget 60 s",
        f"the hour's record {HOURS} times; largest damage {found.max():.2g}; "
        f"of the hour itself identical with the live ones: {'yes' if same else 'NO'}",
    )
