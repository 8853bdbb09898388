"""Combines an as-built machine with its operator and sensors; gives the readings of each controller cycle."""

import numpy as np

from simcore.operate.script import Script, commands, decide, start
from workers.emulator.as_built import AsBuiltMachine, AsBuiltSpec
from workers.emulator.sensors import Sensors


class WorkingMachine:
    """A machine that works from its creation on. pauses: whether it rests between work cycles."""

    def __init__(self, spec: AsBuiltSpec, pauses: bool = True) -> None:
        self._built = AsBuiltMachine(spec)
        rest, *work = self._built.script.phases
        phases = (rest, *work) if pauses else tuple(work)
        self._script = Script(self._built.script.name, self._built.script.levers, phases)
        self._sensors = Sensors(self._built.channels, np.random.default_rng(spec.serial), spec.stuck)
        self._operator = start(self._script)
        self._time_s = 0.0

    def cycle(self, seconds: float) -> dict[str, float]:
        """Return the present readings and commands; then simulate this many seconds."""
        truth, before = self._built.readings(), self._operator.load
        self._operator, levers = decide(self._script, self._operator, self._time_s, truth)
        if self._operator.load is not None and self._operator.load != before:
            self._built.carry(self._operator.load)
        given = commands(self._script, levers)
        readings = self._sensors.read(truth | given)
        self._built.advance(seconds, given)
        self._time_s += seconds
        return readings
