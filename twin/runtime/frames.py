"""The frame: what a twin shows, twenty times a second, as the bytes that reach the browser.

A frame is a msgpack map. Arrays are little-endian float32 in the order of the machine's channel table; a byte
of flags per channel says which numbers mean something, so that no NaN is ever sent.
"""

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

Status = Literal["synced", "coasting", "stale", "failed"]

VALUE, SIGMA, MEASURED = 1, 2, 4  # flag bits: the value, its sigma, the last reading

Floats = NDArray[np.float64]


class Frame(msgspec.Struct, tag="frame", tag_field="type", frozen=True, kw_only=True):
    """One picture of one twin. Times are microseconds since 1970."""

    machine: str
    epoch: int  # raised each time the twin starts anew from a sample
    seq: int  # raised by one from frame to frame
    t: int  # machine time of the state
    ts: int  # server time when the frame was made
    t_sample: int  # machine time of the last sample fused, 0 if none
    received: int  # server time at which that sample arrived
    status: Status
    reason: str  # why it failed, else empty
    value: bytes
    sigma: bytes
    measured: bytes
    flags: bytes
    load: float  # processor time per machine time
    lag_us: int  # server time from the arrival of the last entry to this frame
    chunks: int = 0  # entries of telemetry that moved the twin, and those of them that did so too late
    overruns: int = 0


class Arrays(msgspec.Struct, frozen=True):
    """The numbers of a frame as they go over the wire."""

    value: bytes
    sigma: bytes
    measured: bytes
    flags: bytes


_decoder = msgspec.msgpack.Decoder(Frame)


def encode(frame: Frame) -> bytes:
    """The frame as bytes."""
    return msgspec.msgpack.encode(frame)


def decode(data: bytes) -> Frame:
    """The frame in these bytes; ValueError if they are none."""
    return _decoder.decode(data)


def pack(value: Floats, sigma: Floats, measured: Floats) -> Arrays:
    """Numbers to wire form; what is not finite, or too large for a float32, counts as missing."""
    flags = np.zeros(len(value), dtype=np.uint8)

    def narrowed(numbers: Floats, bit: int) -> bytes:
        with np.errstate(over="ignore"):
            narrow = numbers.astype("<f4")
        known = np.isfinite(narrow)
        flags[known] |= bit
        return np.where(known, narrow, np.float32(0)).tobytes()

    return Arrays(
        value=narrowed(value, VALUE),
        sigma=narrowed(sigma, SIGMA),
        measured=narrowed(measured, MEASURED),
        flags=flags.tobytes(),
    )


def unpack(numbers: bytes, flags: bytes, bit: int) -> Floats:
    """Numbers from wire form, NaN where there are none."""
    known = np.frombuffer(flags, dtype=np.uint8) & bit
    return np.where(known > 0, np.frombuffer(numbers, dtype="<f4").astype(np.float64), np.nan)
