"""Writes and reads dumps of a twin: a header that identifies the model, then the twin's memory."""

from __future__ import annotations

import hashlib
import struct

import numpy as np

from simcore.errors import ForeignDump
from simcore.integrate.advance import COUNTERS
from simcore.model.workspace import Array
from simcore.run.engine import Engine

_MAGIC = b"HTWN"
FORMAT = 10
_HEADER = struct.Struct("<4sI32s")  # magic, format, fingerprint of the model


def fingerprint(engine: Engine, dt_us: int) -> bytes:
    """Digest of everything that determines the meaning of a dump: format, step and plan."""
    digest = hashlib.sha256(f"{FORMAT} {dt_us} {COUNTERS}".encode())
    for records in engine.plan:
        digest.update(records.tobytes())
    return digest.digest()


def pack(model: bytes, memory: Array) -> bytes:
    """Add a header to a twin's memory. model: fingerprint."""
    return _HEADER.pack(_MAGIC, FORMAT, model) + memory.astype("<f8").tobytes()


def unpack(dump: bytes, model: bytes, size: int) -> Array:
    """Memory of `size` numbers from a dump; raises ForeignDump if the dump belongs to another twin."""
    if len(dump) < _HEADER.size or dump[:4] != _MAGIC:
        raise ForeignDump("these bytes are not a dump of a twin")
    _, version, owner = _HEADER.unpack_from(dump)
    if version != FORMAT:
        raise ForeignDump(
            f"dump has format {version}: must be {FORMAT}, the only format that this version reads"
        )
    if owner != model:
        raise ForeignDump("dump was made with another machine, other parameters or another time step")
    if len(dump) != _HEADER.size + 8 * size:
        raise ForeignDump(
            f"dump has {len(dump)} bytes: must be {_HEADER.size + 8 * size} bytes for this twin"
        )
    return np.frombuffer(dump, dtype="<f8", offset=_HEADER.size)
