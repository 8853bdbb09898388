"""Encodes and restores checkpoints: a session's state, and its positions in time and in the stream."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import msgspec

from twin.runtime.session import TwinSession
from twin.runtime.session_record import SessionRecord

FORMAT = 2  # 1 had the reason of a failure as a sentence


class BadCheckpoint(ValueError):
    """Why a twin cannot continue from a checkpoint."""


class Checkpoint(msgspec.Struct, frozen=True, rename={"record": "book"}):  # stored name kept for old ones
    """The state of a session between two entries of its stream."""

    format: int
    model: str  # see model_version
    token: int  # of the lease under which it was written
    last_id: str  # last stream entry that was read
    record: SessionRecord
    twin: bytes


class _Version(msgspec.Struct, frozen=True):
    format: int


def _from_format_1(data: bytes) -> bytes:
    """Return the same checkpoint in the present format."""
    old = msgspec.msgpack.decode(data)
    book = old["book"]
    text = book.pop("failure", "")
    book["failure"] = {"code": "twin.stopped", "values": {"error": text}} if text else None
    return msgspec.msgpack.encode(old | {"format": FORMAT})


def model_version(name: str, parameters: Mapping[str, Any]) -> str:
    """Return the version of a checkpoint's model: its name and parameters.

    The twin's dump has its own version.
    """
    digest = hashlib.sha256(json.dumps(parameters, sort_keys=True).encode()).hexdigest()
    return f"{name}:{digest[:16]}"


def dump(session: TwinSession, *, model: str, token: int, last_id: str) -> bytes:
    """Return the session as checkpoint bytes."""
    state = session.twin.dump() if session.has_state else b""
    return msgspec.msgpack.encode(Checkpoint(FORMAT, model, token, last_id, session.record, state))


def restore(session: TwinSession, data: bytes, *, model: str) -> Checkpoint:
    """Restore a new session from a checkpoint; raises BadCheckpoint if it does not fit."""
    try:
        version = msgspec.msgpack.decode(data, type=_Version).format
        if version not in (1, FORMAT):
            raise BadCheckpoint(f"has format {version}, but format {FORMAT} is expected")
        found = msgspec.msgpack.decode(_from_format_1(data) if version == 1 else data, type=Checkpoint)
    except msgspec.DecodeError as error:
        raise BadCheckpoint(f"is unreadable ({error})") from error
    if found.model != model:
        raise BadCheckpoint(f"belongs to model {found.model}, but the machine's model is now {model}")
    if found.twin:
        try:
            session.twin.load(found.twin)
        except ValueError as error:
            raise BadCheckpoint(f"contains a state that the twin rejects ({error})") from error
    session.record = found.record
    return found
