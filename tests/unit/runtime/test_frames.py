"""The bytes of a frame."""

import math

import msgspec
import numpy as np
import pytest

from twin.runtime import frames


def example(**changes) -> frames.Frame:
    arrays = frames.pack(
        np.array([1.5, -2e6, math.nan]), np.array([0.1, math.nan, 1e300]), np.array([math.nan, -2.1e6, 3.0])
    )
    fields = {
        "machine": "m", "epoch": 1, "seq": 2, "t": 3, "ts": 4, "t_sample": 5, "received": 6,
        "status": "synced", "reason": "", "load": 0.02, "lag_us": 7,
        "value": arrays.value, "sigma": arrays.sigma, "measured": arrays.measured, "flags": arrays.flags,
    }  # fmt: skip
    return frames.Frame(**(fields | changes))


def test_a_frame_is_a_msgpack_map_with_the_documented_keys():
    wire = msgspec.msgpack.decode(frames.encode(example()))
    names = (
        "type machine epoch seq t ts t_sample received status reason value sigma measured flags load lag_us "
        "chunks overruns"
    )
    assert list(wire) == names.split()
    assert wire["type"] == "frame"
    assert np.frombuffer(wire["value"], "<f4").tolist() == [1.5, -2e6, 0.0]


def test_no_nan_goes_over_the_wire_and_flags_say_what_is_missing():
    frame = example()
    assert list(frame.flags) == [0b011, 0b101, 0b100]
    for numbers in (frame.value, frame.sigma, frame.measured):
        assert np.isfinite(np.frombuffer(numbers, "<f4")).all()
    assert np.isnan(frames.unpack(frame.sigma, frame.flags, frames.SIGMA)).tolist() == [False, True, True]


def test_a_frame_survives_the_wire():
    assert frames.decode(frames.encode(example())) == example()


@pytest.mark.parametrize("data", [b"", b"\x80", b"nonsense", msgspec.msgpack.encode({"type": "hello"})])
def test_other_bytes_are_no_frame(data):
    with pytest.raises(ValueError, match=r"."):
        frames.decode(data)
