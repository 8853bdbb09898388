"""How telemetry travels: rate, loss, gaps, jitter, batches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

RATES_HZ = (5.0, 7.5, 10.0, 16.7, 20.0, 25.0, 33.3, 50.0, 50.0, 50.0, 100.0)
GAPS_S = (0.2, 30.0)
MOST_LOSS = 0.4
SETTLE_S = 12.0  # from the start, or from the end of a gap, to the next gap at the earliest


@dataclass(frozen=True)
class Link:
    """Of one draw."""

    rate: float  # Hz
    loss: float  # share of samples
    bursts: int  # mean length of a loss, samples
    gaps: tuple[tuple[float, float], ...]  # s: begin and end
    sample_jitter: float  # share of the period
    stamp_jitter: float  # s, standard deviation
    latency: float  # s
    arrival_jitter: float  # s, mean of what comes on top
    batch: float  # s of samples in one body

    @property
    def effective_hz(self) -> float:
        return self.rate * (1.0 - self.loss)


def draw_link(chance: np.random.Generator, seconds: float) -> Link:
    rate = float(chance.choice(RATES_HZ))
    loss = float(chance.choice([0.0, chance.uniform(0.0, 0.1), chance.uniform(0.1, MOST_LOSS)]))
    bursts = int(chance.choice([1, 1, 3]))
    jitter, stamps = float(chance.uniform(0.0, 0.3)), float(chance.choice([0.0, chance.uniform(0.0, 2e-3)]))
    latency, arrival = float(chance.uniform(0.005, 0.06)), float(chance.uniform(0.0, 0.03))
    batch = float(chance.choice([0.0, 0.1, 0.1, 0.25]))
    return Link(rate, loss, bursts, _gaps(chance, seconds), jitter, stamps, latency, arrival, batch)


def clean_link() -> Link:
    """50 Hz without any trouble."""
    return Link(50.0, 0.0, 1, (), 0.0, 0.0, 0.02, 0.0, 0.1)


def _gaps(chance: np.random.Generator, seconds: float) -> tuple[tuple[float, float], ...]:
    """Three to six gaps, lengths on a logarithmic scale, at least one of them long."""
    count = int(chance.integers(3, 7))
    lengths = np.exp(chance.uniform(*np.log(GAPS_S), count))
    lengths[0] = chance.uniform(6.0, GAPS_S[1])
    lengths = lengths[: max(1, int(seconds / 50.0))]
    chance.shuffle(lengths)
    spare = seconds - np.sum(lengths) - SETTLE_S * (len(lengths) + 1)
    if spare < 0.0:
        return ()
    pauses = SETTLE_S + spare * chance.dirichlet(np.ones(len(lengths) + 1))
    begins = np.cumsum(pauses[:-1]) + np.concatenate([[0.0], np.cumsum(lengths)[:-1]])
    return tuple((float(b), float(b + n)) for b, n in zip(begins, lengths, strict=True))
