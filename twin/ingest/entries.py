"""Encodes and decodes the entries of a machine's telemetry stream (field `e`, a msgpack map).

samples   new samples of a device
tick      lets machine time pass while the machine is silent; written by the runner
"""

from collections.abc import Sequence

import msgspec

FIELD = b"e"

Sample = tuple[int, int, dict[str, float]]
"""Sequence number, machine time in microseconds since 1970, readings by channel (SI units)."""


class Samples(msgspec.Struct, tag="samples", tag_field="kind", frozen=True):
    device: str
    boot: str
    received: int  # our clock, microseconds since 1970
    samples: list[Sample]


class Tick(msgspec.Struct, tag="tick", tag_field="kind", frozen=True):
    t: int  # machine time to coast to, microseconds since 1970
    received: int


Entry = Samples | Tick

_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[Entry] = msgspec.msgpack.Decoder(Entry)


def encode(entry: Entry) -> bytes:
    return _encoder.encode(entry)


def decode(data: bytes) -> Entry:
    """Decode an entry.

    Raises msgspec.DecodeError (or its subclass ValidationError) if the bytes are not an entry.
    """
    return _decoder.decode(data)


def data_of(fields: Sequence[bytes]) -> bytes:
    """Return an entry's bytes from the server's list of names and values.

    Raises ValueError if there are none.
    """
    at = fields.index(FIELD) + 1 if FIELD in fields else len(fields)
    if at >= len(fields):
        raise ValueError("the stream entry has no telemetry data")
    return fields[at]


def encode_sample(sample: Sample) -> bytes:
    return _encoder.encode(sample)


def encode_head(device: str, boot: str, received: int) -> bytes:
    """Encode a samples entry up to its list of samples; the append script adds the list of new samples."""
    empty_list = b"\x90"
    return encode(Samples(device, boot, received, [])).removesuffix(empty_list)
