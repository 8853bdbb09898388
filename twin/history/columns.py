"""A segment's samples as bytes: column by column, exact to the last bit, compressed.

The eight bytes of the numbers are stored apart (all first bytes, then all second ones): those that change
little lie together, which is what the compression lives on.
"""

import zlib
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import msgspec
import numpy as np
from numpy.typing import NDArray

LEVEL = 1  # of compression; more costs ten times the processor time for a twentieth of the size

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Taken(NamedTuple):
    """A sample and where it came from."""

    device: UUID
    boot: str
    seq: int
    t_us: int
    readings: dict[str, float]


class Columns(NamedTuple):
    """Samples of a segment; a reading is NaN where the sample had none."""

    t_us: Ints
    seq: Ints
    source: Ints  # index into sources
    sources: list[tuple[str, str]]  # device, boot
    readings: dict[str, Floats]


class _Stored(msgspec.Struct):
    t: bytes
    seq: bytes
    source: bytes
    sources: list[tuple[str, str]]
    readings: dict[str, bytes]
    format: int = 1


def columns_of(samples: Sequence[Taken]) -> Columns:
    sources = list(dict.fromkeys((str(sample.device), sample.boot) for sample in samples))
    places = {source: index for index, source in enumerate(sources)}
    names = dict.fromkeys(name for sample in samples for name in sample.readings)
    nothing = float("nan")
    return Columns(
        t_us=np.array([sample.t_us for sample in samples], dtype=np.int64),
        seq=np.array([sample.seq for sample in samples], dtype=np.int64),
        source=np.array([places[str(each.device), each.boot] for each in samples], dtype=np.int64),
        sources=sources,
        readings={
            name: np.array([sample.readings.get(name, nothing) for sample in samples], dtype=np.float64)
            for name in names
        },
    )


def pack(columns: Columns) -> bytes:
    stored = _Stored(
        t=_apart(np.diff(columns.t_us, prepend=np.int64(0))),
        seq=_apart(np.diff(columns.seq, prepend=np.int64(0))),
        source=_apart(columns.source),
        sources=columns.sources,
        readings={name: _apart(numbers) for name, numbers in columns.readings.items()},
    )
    return zlib.compress(msgspec.msgpack.encode(stored), LEVEL)


def unpack(data: bytes | memoryview) -> Columns:
    stored = msgspec.msgpack.decode(zlib.decompress(data), type=_Stored)
    return Columns(
        t_us=np.cumsum(_together(stored.t).view("<i8")),
        seq=np.cumsum(_together(stored.seq).view("<i8")),
        source=_together(stored.source).view("<i8"),
        sources=stored.sources,
        readings={name: _together(data).view("<f8") for name, data in stored.readings.items()},
    )


def _apart(numbers: Ints | Floats) -> bytes:
    little = numbers.astype(numbers.dtype.newbyteorder("<"))
    return little.view(np.uint8).reshape(-1, 8).T.tobytes()


def _together(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, dtype=np.uint8).reshape(8, -1).T.reshape(-1).copy()
