"""The controller of the emulated rig: in every cycle, it reads and reports the sensors and sets the valve."""

import threading
import time
from typing import Protocol

from workers.emulator.driver import Driver
from workers.emulator.outbox import Sample
from workers.emulator.sensors import Sensors

CYCLE_S = 0.02
CYCLE_US = 20_000
# After a longer stall (the computer slept) the machine counts as switched off; its twin is stale by then and
# restarts. A shorter stall is caught up: skipped, it would look as if the machine had stopped at once.
MISSED_S = 5.0


class Physics(Protocol):
    """The simulated machine that the controller controls."""

    def advance(self, seconds: float, command: float) -> None: ...
    def readings(self) -> dict[str, float]: ...


class Report(Protocol):
    """A receiver of samples."""

    def put(self, sample: Sample) -> None: ...


class Controller:
    """Runs the machine in real time."""

    def __init__(self, rig: Physics, driver: Driver, sensors: Sensors, report: Report) -> None:
        self._rig = rig
        self._driver = driver
        self._sensors = sensors
        self._report = report
        self._cycles = 0

    def cycle(self, t_us: int) -> None:
        """Run one cycle that begins at machine time t_us.

        The cycle reports the readings at that time, and the command that is held from then on.
        """
        truth = self._rig.readings()
        command = self._driver.command(self._cycles * CYCLE_S, truth["crank.angle"])
        readings = self._sensors.read(truth | {"valve.command": command})
        self._report.put(Sample(self._cycles, t_us, readings))
        self._rig.advance(CYCLE_S, command)
        self._cycles += 1

    def run(self, done: threading.Event) -> None:
        """Run cycles in step with the clock until `done` is set."""
        due, t_us = time.monotonic(), time.time_ns() // 1000
        while not done.is_set():
            behind = time.monotonic() - due
            if behind > MISSED_S:
                due, t_us = time.monotonic(), time.time_ns() // 1000
            due, t_us = due + CYCLE_S, t_us + CYCLE_US
            done.wait(due - time.monotonic())
            self.cycle(t_us)
