"""Defines the frame: the bytes that a twin publishes up to twenty times a second and that reach the browser.

A frame is a msgpack map. Arrays are little-endian float32 in the order of the machine's channel table. One
byte of flags per channel says which numbers are valid, so that NaN is never sent.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from simcore.estimate.monitor.finding import Doubt, Finding, Health
from simcore.messages import Message, Value

Status = Literal["synced", "coasting", "stale", "failed"]

# flag bits: value, its sigma, last reading, value of the open-loop model, last innovation
VALUE, SIGMA, MEASURED, UNCORRECTED, INNOVATION = 1, 2, 4, 8, 16
# origin of the value: sent by the machine, or corrected by its readings; neither: simulated
GIVEN, FUSED = 32, 64

_BITS = np.array([VALUE, SIGMA, MEASURED, UNCORRECTED, INNOVATION, INNOVATION], dtype=np.uint8)[:, None]

Floats = NDArray[np.float64]


class Arrays(msgspec.Struct, frozen=True):
    """The numbers of a frame as bytes."""

    value: bytes
    sigma: bytes
    measured: bytes
    uncorrected: bytes  # of the open-loop model
    innovation: bytes  # last reading minus the twin's prediction
    spread: bytes  # standard deviation of the innovation
    flags: bytes


class Frame(msgspec.Struct, tag="frame", tag_field="type", frozen=True, kw_only=True):
    """The state of one twin at one time. Times are in microseconds since 1970."""

    machine: str
    epoch: int  # increases each time the twin restarts from a sample
    seq: int  # increases by one from frame to frame
    t: int  # machine time of the state
    ts: int  # server time when the frame was made
    t_sample: int  # machine time of the last fused sample, 0 if none
    received: int  # server time of its arrival
    status: Status
    reason: str  # why it failed or is behind, in technical English; else empty
    value: bytes
    sigma: bytes
    measured: bytes
    uncorrected: bytes
    innovation: bytes
    spread: bytes
    flags: bytes
    load: float  # processor time per machine time
    lag_us: int  # server time from the arrival of the last entry to this frame
    chunks: int = 0  # telemetry entries that advanced the twin
    overruns: int = 0  # those among them that were finished too late
    health: Health | None = None  # None: too few readings to tell
    findings: Sequence[Finding] = ()
    doubts: Sequence[Doubt] = ()  # channels whose values cannot be trusted, and why
    code: str = ""  # of the message behind the reason (twin.messages), and its values
    values: dict[str, Value] = {}
    failures: int = 0  # in a row
    retry_s: int = 0  # how far ahead of the state a sample must be for the next attempt, after a failure

    @property
    def cause(self) -> Message | None:
        """The reason for the status, as data."""
        return Message(self.code, self.values) if self.code else None


STALE_US = 5_000_000  # an older frame is stale, whatever its status was

_decoder = msgspec.msgpack.Decoder(Frame)


def encode(frame: Frame) -> bytes:
    """Encode a frame as bytes."""
    return msgspec.msgpack.encode(frame)


def decode(data: bytes) -> Frame:
    """Decode a frame; raises ValueError if the bytes are not a frame."""
    return _decoder.decode(data)


def status_at(frame: Frame, now_us: int) -> Status:
    """Return the status of a frame at another time; an old frame is stale: its twin no longer runs."""
    old = now_us - frame.ts > STALE_US
    return "stale" if old and frame.status != "failed" else frame.status


def pack(
    value: Floats,
    sigma: Floats,
    measured: Floats,
    uncorrected: Floats | None = None,
    innovation: Floats | None = None,
    spread: Floats | None = None,
    origin: NDArray[np.uint8] | None = None,
) -> Arrays:
    """Pack numbers into the bytes of a frame; mark those that do not fit a finite float32 as missing."""
    narrow = np.full((len(_BITS), len(value)), np.nan, dtype="<f4")
    with np.errstate(over="ignore"):
        for row, numbers in enumerate((value, sigma, measured, uncorrected, innovation, spread)):
            if numbers is not None:
                narrow[row] = numbers
    known = np.isfinite(narrow)
    narrow[~known] = 0.0
    flags = np.bitwise_or.reduce(known * _BITS, axis=0)
    data, size = narrow.tobytes(), 4 * len(value)
    rows = [data[row * size : (row + 1) * size] for row in range(len(_BITS))]
    return Arrays(
        value=rows[0],
        sigma=rows[1],
        measured=rows[2],
        uncorrected=rows[3],
        innovation=rows[4],
        spread=rows[5],
        flags=(flags if origin is None else flags | origin).tobytes(),
    )


def unpack(numbers: bytes, flags: bytes, bit: int) -> Floats:
    """Unpack numbers from the bytes of a frame; NaN where a number is missing."""
    known = np.frombuffer(flags, dtype=np.uint8) & bit
    return np.where(known > 0, np.frombuffer(numbers, dtype="<f4").astype(np.float64), np.nan)
