"""A stand-in for the numerics where only order matters."""

import json

import numpy as np

from simcore import registry
from simcore.errors import Diverged, Refused
from simcore.estimate.monitor.finding import Finding, Health
from simcore.messages import Message
from simcore.model import channel_table

CHANNELS = channel_table(registry.get("four-bar-b").build())
REFUSED = 1e6  # an angle that no correction can lead to
POISON = 1e9  # an angle that is taken, and the next step diverges


class RecordingTwin:
    """Notes what is done to it; its state is the notes."""

    def __init__(self) -> None:
        self.notes: list = []

    def start(self, readings):
        self.notes = ["start", dict(readings), 0]
        if readings.get("crank.angle", 0) >= REFUSED:
            raise Diverged(0.0, Message("model.joint", {"part": "crank"}))

    def resume(self, readings, after=0):
        assert after >= 0
        if readings.get("crank.angle", 0) >= REFUSED:
            raise Diverged(0.0, Message("model.joint", {"part": "crank"}))
        self.notes.extend([f"resume {after}", dict(readings), 0])

    def advance(self, n_steps):
        assert n_steps > 0
        if isinstance(self.notes[-1], dict) and self.notes[-1].get("crank.angle") == POISON:
            raise Diverged(0.0, Message("model.joint", {"part": "crank"}))
        if isinstance(self.notes[-1], int):
            self.notes[-1] += n_steps
        else:
            self.notes.append(n_steps)

    def correct(self, readings, after=0):
        assert after >= 0
        if after:
            self.advance(after)
        if readings.get("crank.angle", 0) == REFUSED:
            raise Refused(0.0, Message("filter.refused"))
        self.notes.append(dict(readings))

    def values(self):
        return np.zeros(len(CHANNELS))

    def sigmas(self):
        return np.zeros(len(CHANNELS))

    def compare(self, wanted):
        self.compared = wanted

    def uncorrected(self):
        return np.ones(len(CHANNELS))

    def innovations(self):
        return np.full(len(CHANNELS), 0.5), np.full(len(CHANNELS), 0.25)

    def health(self):
        return Health(0.9, 0.7, 1.4)

    def doubts(self):
        return ()

    def findings(self):
        values = {"sensor": "hose.p", "quantity": "pressure", "reading": 3e6}
        stuck = Finding("stuck", "hose.p", 1_500_000, "", "sensor.stuck.others", values)
        again = Finding("diverged", "", 1_700_000, "", "twin.restarted.again", {"times": 3, "since": 0})
        return (stuck, again) if len(self.notes) > 3 else ()

    def dump(self):
        return json.dumps(self.notes).encode()

    def load(self, data):
        self.notes = json.loads(data)
