"""Telemetry recorded beforehand: the emulated rig at work, integrated once and kept on disk.

The load tool integrates nothing while it measures. Every machine plays the same recording from another place.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

VERSION = 1  # of what is recorded; a new one makes new files
STEP_S = 1e-4  # of the rig
SPREAD_S = 30.0  # machines begin at different places of the recording, as far apart as this at most
SEED = 1


class Recording(NamedTuple):
    """Readings by sample and channel, SI units."""

    rate: float
    channels: list[str]
    readings: NDArray[np.float64]

    def sample(self, number: int) -> dict[str, float]:
        return dict(zip(self.channels, self.readings[number].tolist(), strict=True))


def load_or_make(directory: Path, rate: float, seconds: float, tell: Callable[[str], None]) -> Recording:
    """A recording that is long enough, from disk if there is one."""
    steps = round(1 / rate / STEP_S)
    wanted = int((seconds + SPREAD_S) * rate) + 1
    path = directory / f"recording-{VERSION}-{rate:g}Hz.npz"
    if path.exists():
        with np.load(path) as kept:
            if len(kept["readings"]) >= wanted:
                return Recording(rate, kept["channels"].tolist(), kept["readings"])
    channels, readings = _record(steps, wanted, tell)
    directory.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft.npz")
    np.savez_compressed(draft, channels=np.array(channels), readings=readings)
    draft.replace(path)
    return Recording(rate, channels, readings)


def _record(steps: int, count: int, tell: Callable[[str], None]) -> tuple[list[str], NDArray[np.float64]]:
    from workers.emulator.driver import Driver  # brings numba, which replaying needs not
    from workers.emulator.rig import Rig
    from workers.emulator.sensors import Sensors

    rig = Rig()
    human, electronic = np.random.default_rng(SEED).spawn(2)
    driver, sensors = Driver(human), Sensors(rig.channels, electronic)
    rows: list[list[float]] = []
    names: list[str] = []
    for number in range(count):
        if number % max(1, count // 10) == 0:
            tell(f"recording telemetry, {100 * number // count} %")
        truth = rig.readings()
        command = driver.command(number * steps * STEP_S, truth["crank.angle"])
        readings = sensors.read(truth | {"valve.command": command})
        names = list(readings)
        rows.append(list(readings.values()))
        rig.advance(steps * STEP_S, command)
    return names, np.array(rows)
