"""The table of the twin experiments: every set of sensors, rate and filter on the real machines E1 and E2.

python -m tests.bench.estimation [SEEDS]    this table alone, printed
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simcore import cases
from simcore.estimate import experiment as x
from simcore.estimate.sensors import four_bar_set
from tests.bench.figures import table

SETS, RATES, MACHINES = (1, 2, 3, 4), (100.0, 200.0, 500.0, 1000.0), ("E1", "E2")
SEEDS = 20
HOW = """
`python -m simcore estimate four-bar-b --sensors set-N --rate HZ --machine M --filter F --noise-seed S`;
RMSE after 0.5 s in per cent of the real machine's largest value, mean over {seeds} noise seeds ± its standard
error; share inside the 95 % bounds pooled over the seeds, smallest and largest of the five states; NIS per
degree of freedom. Encoder 0.25 degrees ({encoder:.3f} % of the largest angle of E1), gyro 0.01 rad/s,
pressures 0.5 bar; one tuning for all cells.
"""


@dataclass(frozen=True)
class Cell:
    machine: str
    kind: str
    number: int
    rate: float
    percent: np.ndarray  # by seed and state
    coverage: np.ndarray  # by state
    nis: float
    us: float  # per step and correction, best

    @property
    def row(self) -> tuple[str, ...]:
        means = np.mean(self.percent, axis=0)
        errors = np.std(self.percent, axis=0, ddof=1) / len(self.percent) ** 0.5
        inside = f"{100 * np.min(self.coverage):.1f} to {100 * np.max(self.coverage):.1f} %"
        cells = (f"{mean:.4f} ± {error:.4f}" for mean, error in zip(means, errors, strict=True))
        return (
            self.machine, self.kind, f"{self.number}", f"{self.rate:g}", *cells, inside, f"{self.nis:.2f}",
            f"{self.us:.1f}",
        )  # fmt: skip


def cells(seeds: int = SEEDS) -> Iterator[Cell]:
    case = cases.get("four-bar-b")
    model, alone = case.build(), x.move(case, {}, real=False)
    for machine in MACHINES:
        truth = x.move(case, x.real_parameters(case, machine), real=True)
        for number in SETS:
            for rate in RATES:
                sensors = four_bar_set(number, rate)
                readings = [x.observe(model, truth, sensors, seed) for seed in range(seeds)]
                for kind in x.FILTERS:
                    found = [x.estimate(model, r, sensors, alone.schedule, kind) for r in readings]
                    scores = [x.score(truth, each, alone) for each in found]
                    yield Cell(
                        machine, kind, number, rate,
                        np.array([s["rmse_percent"] for s in scores]),
                        np.mean([s["coverage"] for s in scores], axis=0),
                        float(np.mean([s["nis_mean"] for s in scores])),
                        min(each.us_per_cycle for each in found),
                    )  # fmt: skip


def section(seeds: int = SEEDS) -> list[str]:
    case = cases.get("four-bar-b")
    largest = np.max(np.abs(x.move(case, x.real_parameters(case, "E1"), real=True).states[:, 0]))
    header = (
        "machine", "filter", "set", "Hz", "angle, %", "rate, %", "hose, %", "piston, %", "rod, %", "inside",
        "NIS", "us",
    )  # fmt: skip
    rows = []
    for cell in cells(seeds):
        print(" | ".join(cell.row), flush=True)
        rows.append(cell.row)
    encoder = 100 * np.radians(0.25) / largest
    return [HOW.format(seeds=seeds, encoder=encoder), "", *table(header, rows)]


if __name__ == "__main__":
    section(int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS)
