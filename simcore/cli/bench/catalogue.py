"""Lists the benchmarks by name, and the other engines (peers) that take part in each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from simcore.cli.bench import chains, crowd, derivatives, driven, filters, loops
from simcore.cli.bench.peers import absent
from simcore.cli.bench.timing import Timing
from simcore.errors import SimcoreError


@dataclass(frozen=True)
class _Bench:
    take: Callable[[], Iterator[Timing]]
    peers: tuple[str, ...] = ()


_BENCHES = {
    "chain": _Bench(chains.take, ("MuJoCo", "Exudyn", "Pinocchio")),
    "four-bar-free": _Bench(loops.take, ("MuJoCo", "Exudyn")),
    "rahikainen-a": _Bench(driven.rahikainen, ("Exudyn",)),
    "four-bar-b": _Bench(driven.four_bar),
    "digger-rig": _Bench(driven.digger),
    "derivatives": _Bench(derivatives.take),
    "batch": _Bench(crowd.take),
    "processes": _Bench(crowd.processes),
    "filter": _Bench(filters.take, ("filterpy",)),
    "live-twin": _Bench(filters.live_twin),
}


def _chosen(names: Iterable[str]) -> tuple[str, ...]:
    """The named benchmarks, or all of them; an unknown name is refused before anything is timed."""
    chosen = tuple(names) or tuple(_BENCHES)
    for name in chosen:
        if name not in _BENCHES:
            raise SimcoreError(f"unknown benchmark {name!r}; known: {', '.join(_BENCHES)}")
    return chosen


def left_out(names: Iterable[str]) -> list[str]:
    """A line for each missing peer of these benchmarks."""
    return absent(dict.fromkeys(peer for name in _chosen(names) for peer in _BENCHES[name].peers))


def bench(names: Iterable[str]) -> Iterator[Timing]:
    """Run the named benchmarks, or all of them; returns their timings."""
    for name in _chosen(names):
        yield from _BENCHES[name].take()
