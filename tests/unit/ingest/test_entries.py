"""Stream entries: what is written can be read, by us and by any msgpack reader."""

import msgpack
import msgspec
import pytest

from twin.ingest import entries
from twin.ingest.entries import Samples, Tick

SAMPLES = Samples("device", "boot", 7, [(0, 10, {"hose.p": 1.5e6}), (1, 20, {"crank.angle": 1.0})])


@pytest.mark.parametrize("entry", [SAMPLES, Tick(5, 6)])
def test_an_entry_survives_the_journey(entry: entries.Entry) -> None:
    assert entries.decode(entries.encode(entry)) == entry


def test_an_independent_reader_sees_the_agreed_maps() -> None:
    assert msgpack.unpackb(entries.encode(SAMPLES)) == {
        "kind": "samples",
        "device": "device",
        "boot": "boot",
        "received": 7,
        "samples": [[0, 10, {"hose.p": 1.5e6}], [1, 20, {"crank.angle": 1.0}]],
    }
    assert msgpack.unpackb(entries.encode(Tick(5, 6))) == {"kind": "tick", "t": 5, "received": 6}


def test_head_and_samples_glued_together_are_an_entry() -> None:
    parts = [entries.encode_sample(sample) for sample in SAMPLES.samples]
    glued = entries.encode_head("device", "boot", 7) + bytes([0x90 + len(parts)]) + b"".join(parts)
    assert entries.decode(glued) == SAMPLES


def test_something_else_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        entries.decode(msgpack.packb({"kind": "surprise"}))
