"""The frame: what a twin shows, twenty times a second, as the bytes that reach the browser.

A frame is a msgpack map. Arrays are little-endian float32 in the order of the machine's channel table; a byte of
flags per channel says which numbers mean something, so that no NaN is ever sent.
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import msgpack
import numpy as np
from numpy.typing import NDArray

Status = Literal["synced", "coasting", "stale", "failed"]
STATUSES: tuple[Status, ...] = get_args(Status)

VALUE, SIGMA, MEASURED = 1, 2, 4  # flag bits: the value, its sigma, the last reading

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Frame:
    """One picture of one twin. Times are microseconds since 1970; NaN in an array means: there is none."""

    machine: str
    epoch: int  # raised each time the twin starts anew from a sample
    seq: int  # raised by one from frame to frame
    t: int  # machine time of the state
    ts: int  # server time when the frame was made
    t_sample: int  # machine time of the last sample fused, 0 if none
    received: int  # server time at which that sample arrived
    status: Status
    reason: str  # why it failed, else empty
    value: Floats
    sigma: Floats
    measured: Floats
    load: float  # processor time per machine time
    lag_us: int  # server time from the arrival of the last entry to this frame


def encode(frame: Frame) -> bytes:
    """The frame as bytes."""
    value, value_known = _pack(frame.value)
    sigma, sigma_known = _pack(frame.sigma)
    measured, measured_known = _pack(frame.measured)
    flags = value_known * VALUE + sigma_known * SIGMA + measured_known * MEASURED
    fields = {
        "type": "frame",
        "machine": frame.machine,
        "epoch": frame.epoch,
        "seq": frame.seq,
        "t": frame.t,
        "ts": frame.ts,
        "t_sample": frame.t_sample,
        "received": frame.received,
        "status": frame.status,
        "reason": frame.reason,
        "value": value,
        "sigma": sigma,
        "measured": measured,
        "flags": flags.astype(np.uint8).tobytes(),
        "load": frame.load,
        "lag_us": frame.lag_us,
    }
    return bytes(msgpack.packb(fields))


def decode(data: bytes) -> Frame:
    """The frame in these bytes; ValueError if they are none."""
    try:
        fields: dict[str, Any] = msgpack.unpackb(data)
        if fields.pop("type") != "frame" or fields["status"] not in STATUSES:
            raise ValueError("not a frame")
        flags = np.frombuffer(fields.pop("flags"), dtype=np.uint8)
        arrays = {
            name: _unpack(fields.pop(name), flags & bit)
            for name, bit in (("value", VALUE), ("sigma", SIGMA), ("measured", MEASURED))
        }
        return Frame(**fields, **arrays)
    except (KeyError, TypeError, AttributeError, ValueError, msgpack.UnpackException) as error:
        raise ValueError(f"not a frame: {error}") from error


def _pack(array: Floats) -> tuple[bytes, NDArray[np.uint8]]:
    """Numbers as float32 with 0 for those there are not, and which there are."""
    with np.errstate(over="ignore"):  # too large for a float32 counts as: there is none
        narrow = array.astype("<f4")
    known = np.isfinite(narrow)
    return np.where(known, narrow, np.float32(0)).tobytes(), known.astype(np.uint8)


def _unpack(data: bytes, known: NDArray[np.uint8]) -> Floats:
    numbers = np.frombuffer(data, dtype="<f4").astype(np.float64)
    return np.where(known > 0, numbers, np.nan)
