"""Telemetry recorded beforehand: an emulated machine at work, integrated once and kept on disk.

The load tool integrates nothing while it measures. Every machine plays the same recording from another place.
"""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

VERSION = 2  # of what is recorded; a new one makes new files
RIG = "four-bar-b"
# what is played: models, and how their descriptions differ from the usual ones
MODELS: dict[str, dict[str, float | str]] = {RIG: {}, "loader-crane": {"payload": 1.0}, "excavator": {}}
SPREAD_S = 30.0  # machines begin at different places of the recording, as far apart as this at most
SEED = 1


class Recording:
    """Readings by sample and channel, SI units."""

    def __init__(self, rate: float, channels: list[str], readings: NDArray[np.float64]) -> None:
        self.rate = rate
        self.readings = readings
        # all of it beforehand: every machine plays the same, and memory must not grow while it is watched
        self._json = [msgspec.json.encode(dict(zip(channels, row.tolist(), strict=True))) for row in readings]

    def sample(self, number: int) -> bytes:
        """The readings of a sample, a JSON object."""
        return self._json[number]


def load_or_make(
    directory: Path, model: str, rate: float, seconds: float, tell: Callable[[str], None]
) -> Recording:
    """A recording that is long enough, from disk if there is one."""
    wanted = int((seconds + SPREAD_S) * rate) + 1
    path = directory / f"recording-{VERSION}-{model}-{rate:g}Hz.npz"
    if path.exists():
        with np.load(path) as kept:
            if len(kept["readings"]) >= wanted:
                return Recording(rate, kept["channels"].tolist(), kept["readings"])
    channels, readings = _record(model, 1 / rate, wanted, tell)
    directory.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}.npz")  # of one's own: another load test may make the same
    np.savez_compressed(draft, channels=np.array(channels), readings=readings)
    draft.replace(path)
    return Recording(rate, channels, readings)


def _record(
    model: str, period_s: float, count: int, tell: Callable[[str], None]
) -> tuple[list[str], NDArray[np.float64]]:
    cycle = _rig() if model == RIG else _built(model)
    rows: list[list[float]] = []
    names: list[str] = []
    for number in range(count):
        if number % max(1, count // 10) == 0:
            tell(f"recording telemetry of {model}, {100 * number // count} %")
        readings = cycle(period_s)
        names = list(readings)
        rows.append(list(readings.values()))
    return names, np.array(rows)


def _built(model: str) -> Callable[[float], dict[str, float]]:
    """A machine of the catalogue as it was really built, at work without a pause."""
    from workers.emulator.as_built import Plate
    from workers.emulator.at_work import AtWork  # brings numba, which replaying needs not

    return AtWork(Plate(model, model, SEED, MODELS[model]), pauses=False).cycle


def _rig() -> Callable[[float], dict[str, float]]:
    from workers.emulator.driver import Driver
    from workers.emulator.rig import Rig
    from workers.emulator.sensors import Sensors

    rig = Rig()
    human, electronic = np.random.default_rng(SEED).spawn(2)
    driver, sensors, now = Driver(human), Sensors(rig.channels, electronic), 0.0

    def cycle(seconds: float) -> dict[str, float]:
        nonlocal now
        truth = rig.readings()
        command = driver.command(now, truth["crank.angle"])
        readings = sensors.read(truth | {"valve.command": command})
        rig.advance(seconds, command)
        now += seconds
        return readings

    return cycle
