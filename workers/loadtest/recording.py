"""Makes the telemetry for load tests: simulates a working machine once and stores its samples on disk.

Nothing is simulated during a measurement. All machines play the same recording, from different positions.
"""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from simcore import registry
from simcore.machines.model import MachineModel

VERSION = 2  # of the recordings; a new number makes new files
RIG = "four-bar-b"
SPREAD_S = 30.0  # machines start at places of the recording that are at most this far apart
SEED = 1


def played_models() -> dict[str, dict[str, float | str]]:
    """Return the models that a load test can play, with the parameters of their machines."""
    return {
        name: dict(profile.at_work)
        for name, profile in registry.profiles().items()
        if name == RIG or _works(name)
    }


def _works(name: str) -> bool:
    """Return whether the model has an operator's work cycle to record."""
    case = registry.get(name)
    return isinstance(case, MachineModel) and bool(case.cycles)


class Recording:
    """Readings by sample and channel, in SI units."""

    def __init__(self, rate: float, channels: list[str], readings: NDArray[np.float64]) -> None:
        self.rate = rate
        self.readings = readings
        # encoded once: all machines send the same bytes, and memory stays constant during the measurement
        self._json = [msgspec.json.encode(dict(zip(channels, row.tolist(), strict=True))) for row in readings]

    def sample(self, number: int) -> bytes:
        """Return the readings of a sample as a JSON object."""
        return self._json[number]


def load_or_make(
    directory: Path, model: str, rate: float, seconds: float, report: Callable[[str], None]
) -> Recording:
    """Return a recording of at least this length, from disk if possible.

    `report` receives lines of progress.
    """
    wanted = int((seconds + SPREAD_S) * rate) + 1
    path = directory / f"recording-{VERSION}-{model}-{rate:g}Hz.npz"
    if path.exists():
        with np.load(path) as stored:
            if len(stored["readings"]) >= wanted:
                return Recording(rate, stored["channels"].tolist(), stored["readings"])
    channels, readings = _record(model, 1 / rate, wanted, report)
    directory.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}.npz")  # another load test may write the same recording
    np.savez_compressed(draft, channels=np.array(channels), readings=readings)
    draft.replace(path)
    return Recording(rate, channels, readings)


def _record(
    model: str, period_s: float, count: int, report: Callable[[str], None]
) -> tuple[list[str], NDArray[np.float64]]:
    cycle = _rig() if model == RIG else _machine(model)
    rows: list[list[float]] = []
    names: list[str] = []
    for number in range(count):
        if number % max(1, count // 10) == 0:
            report(f"recording telemetry of {model}, {100 * number // count} %")
        readings = cycle(period_s)
        names = list(readings)
        rows.append(list(readings.values()))
    return names, np.array(rows)


def _machine(model: str) -> Callable[[float], dict[str, float]]:
    """Return an as-built machine that works without pauses."""
    from workers.emulator.as_built import AsBuiltSpec
    from workers.emulator.working_machine import WorkingMachine  # loads numba; playing does not need it

    return WorkingMachine(AsBuiltSpec(model, model, SEED, played_models()[model]), pauses=False).cycle


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
