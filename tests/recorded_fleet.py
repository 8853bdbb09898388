"""Machines without twins: their last frames are written as a runner writes them, and kept young.

For tests of the fleet page, which shows a hundred machines; a hundred real twins need more than two cores.
"""

import math
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
import redis

from simcore.model import channel_table
from twin import keys
from twin.fleet.catalogue import build
from twin.runtime import frames
from twin.usage.meter import channel_indexes

REFRESH_S = 0.5


@dataclass(frozen=True)
class Recorded:
    """A machine and how it is; without an age it is heard all the time."""

    machine: str
    model: str = "four-bar-b"
    power_w: float | None = 1500.0
    silent_s: float = 0.0
    changes: dict[str, Any] = field(default_factory=dict)  # of the frame: status, reason, findings, health

    def frame(self, now_us: int) -> bytes:
        channels = channel_table(build(self.model, {}))
        values = np.zeros(len(channels))
        place = channel_indexes(channels).power
        if place is not None and self.power_w is not None:
            values[place] = self.power_w * (1.2 + math.sin(now_us / 7e6 + len(self.machine)))
        heard_us = now_us - round(1e6 * self.silent_s)
        told: dict[str, Any] = {
            "machine": self.machine, "epoch": 1, "seq": now_us // 50_000, "t": heard_us - 150_000,
            "ts": heard_us, "t_sample": heard_us, "received": heard_us, "status": "synced", "reason": "",
            "load": 0.05, "lag_us": 8_000, "health": frames.Health(1.02, 0.8, 1.25),
        }  # fmt: skip
        arrays = msgspec.structs.asdict(frames.pack(values, values, values))
        return frames.encode(frames.Frame(**(arrays | told | self.changes)))


def write_frames(client: redis.Redis, machines: Sequence[Recorded]) -> None:
    now_us = time.time_ns() // 1000
    client.mset({keys.frame(each.machine): each.frame(now_us) for each in machines})


@contextmanager
def kept_young(client: redis.Redis, machines: Sequence[Recorded]) -> Iterator[None]:
    """The machines speak for as long as the block lasts; those that are silent were heard before it."""
    write_frames(client, machines)
    speaking = [each for each in machines if not each.silent_s]
    done = threading.Event()

    def speak() -> None:
        while not done.wait(REFRESH_S):
            write_frames(client, speaking)

    thread = threading.Thread(target=speak, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def stuck(channel: str) -> frames.Finding:
    values: dict[str, Any] = {"sensor": channel, "quantity": "pressure", "reading": 4.95e5, "change": 1.09e7}
    return frames.Finding("stuck", channel, 0, f"{channel} sensor stuck", "sensor.stuck.model", values)


def silent(channel: str) -> frames.Finding:
    values: dict[str, Any] = {"sensor": channel, "rate": 10.0}
    return frames.Finding("silent", channel, 0, f"{channel} sensor silent", "sensor.silent", values)


STUCK = {"findings": [stuck("hose.p")]}
SEVERAL = {"findings": [stuck("pump.p"), silent("boom.p_A")]}
DISHONEST = {"health": frames.Health(2.9, 0.8, 1.25)}
STOPPED = {
    "status": "failed",
    "reason": "diverged at t = 12.402 s: pressure of 'hose'; the last good state is kept",
    "code": "model.pressure",
    "values": {"part": "hose", "time": 12.402},
}
