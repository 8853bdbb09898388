"""Load records: turning points and sums of a period as bytes, from which all counters can be recomputed.

A record holds per channel the confirmed turning points of its period and the provisional one at its end.
Counting them like samples gives the state of the live counters at that time, bit for bit: what lies between
two turning points neither turns nor closes anything, and a provisional point can only be extended by what
follows.

Packed: levels as differences of 16 bits (they wrap, which undoes itself), sums as differences of 64 bits; low
and high bytes apart, because the high ones are almost all equal; then zlib.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simcore.errors import ForeignDump
from simcore.wear.counters import CLIPPED, MISSING, SAMPLES, CycleCounters
from simcore.wear.sums import BlockSums, Summed
from simcore.wear.turning_points import Counted, Levels, Whole

_MAGIC, _VERSION = b"HTLR", 1
_HEAD = struct.Struct("<4sBIHHI")  # magic, version, stamp, counted channels, summed channels, blocks
_TALLIES = (SAMPLES, MISSING, CLIPPED)


@dataclass(frozen=True, slots=True)
class LoadRecord:
    """The loads of a period.

    levels: turning points by counted channel. tallies: samples, missing and clipped ones since the beginning,
    by channel. blocks: integrals over ten seconds each, in quanta, a column per summed channel. missing:
    samples that these lacked since the beginning.
    """

    levels: tuple[Levels, ...]
    tallies: Whole
    blocks: Whole
    missing: Whole


def stamp_of(channels: Sequence[Counted], summed: Sequence[Summed]) -> int:
    """What a record depends on: names, quanta, gates and spans."""
    text = repr([(c.name, *c.settings()) for c in channels] + [(s.name, float(s.quantum)) for s in summed])
    return zlib.crc32(text.encode())


def take_record(counters: CycleCounters, sums: BlockSums) -> LoadRecord:
    """The record of the period since the last one; the counters go on."""
    tallies = counters.memory.heads[:, _TALLIES].copy()
    return LoadRecord(tuple(counters.take_points()), tallies, sums.take_blocks(), sums.memory.missing.copy())


def recount(records: Sequence[LoadRecord], counters: CycleCounters, sums: BlockSums) -> None:
    """Continue counters by records; after all records of a machine they equal its live ones."""
    for record in records:
        for c, levels in enumerate(record.levels):
            counters.recount(c, levels)
        counters.memory.heads[:, _TALLIES] = record.tallies
        sums.memory.totals[:] += record.blocks.sum(axis=0)
        sums.memory.missing[:] = record.missing


def pack(record: LoadRecord, stamp: int) -> bytes:
    """The record as bytes. stamp: of its channels, see stamp_of."""
    lengths = np.array([len(levels) for levels in record.levels], dtype="<u4")
    levels = np.concatenate([np.zeros(0, dtype=np.int16), *record.levels]).astype("<i2")
    steps = np.diff(levels, prepend=np.int16(0))  # 16 bits wrap around
    body = b"".join((
        lengths.tobytes(), record.tallies.astype("<i8").tobytes(), record.missing.astype("<i8").tobytes(),
        _apart(steps), _apart(np.diff(record.blocks, axis=0, prepend=0).T.astype("<i8")),
    ))  # fmt: skip
    blocks, summed = record.blocks.shape
    head = _HEAD.pack(_MAGIC, _VERSION, stamp, len(lengths), summed, blocks)
    return head + zlib.compress(body, 6)


def unpack(data: bytes, stamp: int) -> LoadRecord:
    """The record from its bytes; refuses those of other channels."""
    if len(data) < _HEAD.size or data[:4] != _MAGIC:
        raise ForeignDump(f"load record of {len(data)} bytes: must begin with {_MAGIC.decode()}")
    _, version, theirs, counted, summed, blocks = _HEAD.unpack_from(data)
    if version != _VERSION:
        raise ForeignDump(f"load record: version = {version}: must be {_VERSION}")
    if theirs != stamp:
        raise ForeignDump(f"load record: channels = {theirs:08x}: must be {stamp:08x}, those of this machine")
    try:
        body = zlib.decompress(data[_HEAD.size :])
    except zlib.error as error:
        raise ForeignDump(f"load record: damaged: {error}") from None
    lengths = np.frombuffer(body, "<u4", counted)
    sizes = 4 * counted, 24 * counted, 8 * summed, 2 * int(lengths.sum()), 8 * blocks * summed
    if len(body) != sum(sizes):
        raise ForeignDump(f"load record: {len(body)} bytes: must be {sum(sizes)}")
    _, tallies, missing, steps, sums = np.split(np.frombuffer(body, np.uint8), np.cumsum(sizes)[:-1])
    levels = np.cumsum(_together(steps, "<i2"), dtype=np.int16)
    return LoadRecord(
        tuple(np.split(levels, np.cumsum(lengths)[:-1])) if counted else (),
        tallies.view("<i8").reshape(counted, len(_TALLIES)).astype(np.int64),
        np.cumsum(_together(sums, "<i8").reshape(summed, blocks).T, axis=0, dtype=np.int64),
        missing.view("<i8").astype(np.int64),
    )


def _apart(numbers: np.ndarray) -> bytes:
    """All lowest bytes, then all next ones, and so on: equal bytes lie together."""
    flat = np.ascontiguousarray(numbers).reshape(-1)
    return flat.view(np.uint8).reshape(-1, flat.itemsize).T.tobytes()


def _together(planes: np.ndarray, kind: str) -> np.ndarray:
    size = np.dtype(kind).itemsize
    return np.ascontiguousarray(planes.reshape(size, -1).T).view(kind).reshape(-1)
