"""Defines which methods of a twin a session calls, and the session's own record: times, counters, samples."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from simcore.estimate.monitor.finding import Doubt, Finding, Health
from simcore.messages import Message
from twin.runtime.clock_watch import ClockRecord


class Twin(Protocol):
    """The part of `simcore.estimate.twin.live_twin.LiveTwin` that a session uses."""

    def start(self, readings: Mapping[str, float]) -> None: ...
    def resume(self, readings: Mapping[str, float], after: int = 0) -> None: ...  # after: steps to skip
    def advance(self, n_steps: int) -> None: ...
    def correct(self, readings: Mapping[str, float], after: int = 0) -> None: ...  # after: model steps
    def values(self) -> NDArray[np.float64]: ...
    def sigmas(self) -> NDArray[np.float64]: ...
    def compare(self, wanted: bool) -> None: ...  # with the open-loop model
    def uncorrected(self) -> NDArray[np.float64]: ...
    def innovations(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def health(self) -> Health | None: ...
    def findings(self) -> Sequence[Finding]: ...
    def doubts(self) -> Sequence[Doubt]: ...
    def dump(self) -> bytes: ...
    def load(self, data: bytes) -> None: ...


class Pending(msgspec.Struct, order=True, array_like=True):
    """A sample that waits for the watermark, ordered by machine time, then by arrival number (unique)."""

    t: int
    arrival: int
    received: int
    readings: dict[str, float]


class SessionRecord(msgspec.Struct):
    """A session's position in time, counters and waiting samples; stored in checkpoints. Times are in µs."""

    epoch: int = 0  # number of starts of machine time: of the twin, or by a clock set back; 0: no sample yet
    epoch_us: int = 0
    step: int = 0  # model steps since the epoch
    watermark_us: int = 0
    heard_us: int = 0  # machine time of the newest sample that was not late, and its arrival
    heard_received_us: int = 0
    fused_us: int = 0  # machine time of the last sample that corrected the twin, and its arrival
    fused_received_us: int = 0
    entry_received_us: int = 0  # arrival of the last entry
    taken: int = 0  # samples of the current entry that were already fed
    arrivals: int = 0
    late: int = 0  # samples that arrived after their step was closed
    refused: int = 0  # samples that the twin refused
    failure: Message | None = None  # why it has stopped
    failures: int = 0  # consecutive ones: a long run without failure resets the count
    failed_us: int = 0  # machine time of the last failure
    period_us: int = 0  # mean time from one fused sample to the next
    pending: list[Pending] = msgspec.field(default_factory=list)
    measured: dict[str, float] = msgspec.field(default_factory=dict)
    clock: ClockRecord = msgspec.field(default_factory=ClockRecord)
