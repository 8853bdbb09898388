"""What a session keeps: a twin, and the book of where it is in time."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from simcore.estimate.monitor.finding import Finding, Health
from simcore.messages import Message


class Twin(Protocol):
    """What a session needs of a twin (`simcore.estimate.twin.live_twin.LiveTwin`)."""

    def start(self, readings: Mapping[str, float]) -> None: ...
    def advance(self, n_steps: int) -> None: ...
    def correct(self, readings: Mapping[str, float], after: int = 0) -> None: ...  # so many steps
    def values(self) -> NDArray[np.float64]: ...
    def sigmas(self) -> NDArray[np.float64]: ...
    def uncorrected(self) -> NDArray[np.float64]: ...
    def innovations(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def health(self) -> Health | None: ...
    def findings(self) -> Sequence[Finding]: ...
    def dump(self) -> bytes: ...
    def load(self, data: bytes) -> None: ...


class Pending(msgspec.Struct, order=True, array_like=True):
    """A sample that waits for the watermark; ordered by machine time, then by arrival (which is unique)."""

    t: int
    arrival: int
    received: int
    readings: dict[str, float]


class Book(msgspec.Struct):
    """Everything a session knows besides the twin's own state. Times in microseconds."""

    epoch: int = 0  # how often the twin has started; 0: no sample yet
    epoch_us: int = 0
    step: int = 0  # model steps since the epoch
    watermark_us: int = 0
    heard_us: int = 0  # machine time of the newest sample that was not late, and when it arrived
    heard_received_us: int = 0
    fused_us: int = 0  # machine time of the last sample that corrected the twin, and when it arrived
    fused_received_us: int = 0
    entry_received_us: int = 0  # when the last entry arrived
    taken: int = 0  # samples of the next entry that have been taken already
    arrivals: int = 0
    late: int = 0  # samples of steps that were closed when they came
    refused: int = 0  # samples that the twin could not be corrected by
    failure: Message | None = None  # why it has stopped
    adrift: bool = False  # failed while its machine was silent: its state is held until a sample comes
    failures: int = 0  # in a row, without a good while between them
    pending: list[Pending] = msgspec.field(default_factory=list)
    measured: dict[str, float] = msgspec.field(default_factory=dict)
