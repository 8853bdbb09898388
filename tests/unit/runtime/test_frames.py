"""The bytes of a frame."""

import math

import msgspec
import numpy as np
import pytest

from twin.runtime import frames


def example(**changes) -> frames.Frame:
    arrays = frames.pack(
        np.array([1.5, -2e6, math.nan]),
        np.array([0.1, math.nan, 1e300]),
        np.array([math.nan, -2.1e6, 3.0]),
        np.array([1.0, math.nan, math.inf]),
        np.array([math.nan, -1e5, math.nan]),
        np.array([math.nan, 6e4, math.nan]),
        np.array([frames.FUSED, frames.GIVEN, 0], dtype=np.uint8),
    )
    fields = {
        "machine": "m", "epoch": 1, "seq": 2, "t": 3, "ts": 4, "t_sample": 5, "received": 6,
        "status": "synced", "reason": "", "load": 0.02, "lag_us": 7,
        "health": frames.Health(1.1, 0.8, 1.3), "findings": [frames.Finding("stuck", "b", 8, "It is stuck.")],
        "doubts": [frames.Doubt("b", "payload.untrusted.soil")],
    }  # fmt: skip
    return frames.Frame(**(fields | msgspec.structs.asdict(arrays) | changes))


def test_a_frame_is_a_msgpack_map_with_the_documented_keys():
    pipeline = msgspec.msgpack.decode(frames.encode(example()))
    names = (
        "type machine epoch seq t ts t_sample received status reason value sigma measured "
        "uncorrected innovation spread flags load lag_us chunks overruns health findings doubts code values "
        "failures retry_s"
    )
    assert list(pipeline) == names.split()
    assert pipeline["type"] == "frame"
    assert np.frombuffer(pipeline["value"], "<f4").tolist() == [1.5, -2e6, 0.0]


def test_no_nan_goes_over_the_wire_and_flags_say_what_is_missing():
    frame = example()
    assert list(frame.flags) == [0b1001011, 0b0110101, 0b0000100]
    for numbers in (
        frame.value,
        frame.sigma,
        frame.measured,
        frame.uncorrected,
        frame.innovation,
        frame.spread,
    ):
        assert np.isfinite(np.frombuffer(numbers, "<f4")).all()
    assert np.isnan(frames.unpack(frame.sigma, frame.flags, frames.SIGMA)).tolist() == [False, True, True]


def test_what_is_not_given_is_not_known():
    arrays = frames.pack(np.ones(2), np.ones(2), np.ones(2))
    assert list(arrays.flags) == [0b111, 0b111]
    assert np.isnan(frames.unpack(arrays.uncorrected, arrays.flags, frames.UNCORRECTED)).all()


def test_a_frame_of_the_version_before_is_read_without_codes():
    wire = msgspec.msgpack.decode(frames.encode(example(status="failed", reason="diverged")))
    for name in ("code", "values", "failures", "retry_s"):
        del wire[name]
    for name in ("code", "values"):
        del wire["findings"][0][name]
    old = frames.decode(msgspec.msgpack.encode(wire))
    assert (old.reason, old.cause) == ("diverged", None)
    assert (old.findings[0].text, old.findings[0].code) == ("It is stuck.", "")


def test_a_frame_survives_the_wire():
    assert frames.decode(frames.encode(example())) == example()


@pytest.mark.parametrize("data", [b"", b"\x80", b"nonsense", msgspec.msgpack.encode({"type": "hello"})])
def test_other_bytes_are_no_frame(data):
    with pytest.raises(ValueError, match=r"."):
        frames.decode(data)
