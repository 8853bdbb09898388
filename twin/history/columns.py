"""Encodes the samples of a segment as compressed columns, without any loss of precision.

The eight bytes of each number are stored in separate planes (all first bytes, then all second bytes, and so
on). Bytes that change little are then next to each other and compress well.
"""

import zlib
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple
from uuid import UUID

import msgspec
import numpy as np
from numpy.typing import NDArray

from twin.ingest.entries import Sample

LEVEL = 1  # of compression; more costs ten times the processor time and saves a twentieth of the size

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Taken(NamedTuple):
    """Consecutive samples from one boot of a device; there is at least one."""

    device: UUID
    boot: str
    samples: list[Sample]


class Columns(NamedTuple):
    """The samples of a segment as columns; NaN where a sample has no reading."""

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


def columns_of(taken: Sequence[Taken]) -> Columns:
    named = [(str(each.device), each.boot) for each in taken]
    places = {source: index for index, source in enumerate(dict.fromkeys(named))}
    sizes = [len(each.samples) for each in taken]
    seqs, times, readings = zip(*chain.from_iterable(each.samples for each in taken), strict=True)
    return Columns(
        t_us=np.array(times, dtype=np.int64),
        seq=np.array(seqs, dtype=np.int64),
        source=np.repeat(np.array([places[source] for source in named], dtype=np.int64), sizes),
        sources=list(places),
        readings=_readings(readings),
    )


def _readings(samples: Sequence[dict[str, float]]) -> dict[str, Floats]:
    kinds = dict.fromkeys(map(tuple, samples))  # different sets of channels, in their order
    if len(kinds) == 1:  # the usual case: all samples have the same channels
        (names,) = kinds
        values = np.fromiter(chain.from_iterable(map(dict.values, samples)), dtype=np.float64)
        return dict(zip(names, values.reshape(len(samples), len(names)).T.copy(), strict=True))
    nothing = float("nan")
    return {
        name: np.array([sample.get(name, nothing) for sample in samples], dtype=np.float64)
        for name in dict.fromkeys(chain.from_iterable(kinds))
    }


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
