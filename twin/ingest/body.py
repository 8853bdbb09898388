"""Parses a telemetry body, in JSON or msgpack, into samples.

A correct body is decoded in one step. A body with errors is read sample by sample, to accept the correct
samples and to report what is wrong with the others.
"""

import json
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from twin.ingest.refusal import BadBody, Flaw, Malformed

Form = Literal["json", "msgpack"]

MAX_BOOT = 64  # characters
MAX_DIGITS = 400  # of an integer; every field refuses a longer one as too large anyway


class RawSample(msgspec.Struct, frozen=True):
    """A sample with the right types; its values are not validated yet."""

    seq: int
    t: int | str
    channels: dict[str, float]


class RawBody(msgspec.Struct, frozen=True):
    boot: str
    samples: list[RawSample]


@dataclass(frozen=True)
class Body:
    boot: str
    samples: list[RawSample | Flaw]


_decoders: dict[Form, Any] = {
    "json": msgspec.json.Decoder(RawBody),
    "msgpack": msgspec.msgpack.Decoder(RawBody),
}


def parse_body(data: bytes, form: Form, max_samples: int) -> Body:
    """Return samples and flaws in the order sent. Raises Malformed or BadBody if no sample can be used."""
    try:
        raw = _decoders[form].decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _parse_piecewise(_decode(data, form), max_samples)
    _check_body(raw.boot, len(raw.samples), max_samples)
    return Body(raw.boot, raw.samples)


def _check_body(boot: str, count: int, max_samples: int) -> None:
    if not 1 <= len(boot) <= MAX_BOOT or not boot.isprintable():
        raise BadBody("boot", "boot.length", f"must be 1 to {MAX_BOOT} printable characters")
    if not 1 <= count <= max_samples:
        raise BadBody("samples", "samples.count", f"has {count} samples; must have 1 to {max_samples}")


def _decode(data: bytes, form: Form) -> Any:
    """Decode the body into plain objects.

    Python's JSON parser also accepts NaN, so that validation can report it.
    """
    try:
        if form == "json":
            return json.loads(data.decode("utf-8"), parse_int=_integer)
        return msgspec.msgpack.decode(data)
    except RecursionError:
        raise Malformed("body.nested", "is nested too deeply") from None
    except ValueError as error:
        raise Malformed("body.syntax", f"is not {form}: {error}") from None


def _integer(digits: str) -> int:
    """Parse an integer, shortened: Python would refuse one of thousands of digits, and the body with it."""
    return int(digits[:MAX_DIGITS])


def _parse_piecewise(raw: Any, max_samples: int) -> Body:
    if not isinstance(raw, dict):
        raise BadBody("body", "body.type", f"must be an object with boot and samples, not {_kind(raw)}")
    boot, samples = raw.get("boot"), raw.get("samples")
    if not isinstance(boot, str):
        raise BadBody("boot", "boot.type", f"must be a string, {_but(raw, 'boot')}")
    if not isinstance(samples, list):
        raise BadBody("samples", "samples.type", f"must be an array, {_but(raw, 'samples')}")
    _check_body(boot, len(samples), max_samples)
    return Body(boot, [_parse_sample(sample) for sample in samples])


def _parse_sample(raw: Any) -> RawSample | Flaw:
    if not isinstance(raw, dict):
        return Flaw("sample", "sample.type", f"must be an object with seq, t and channels, not {_kind(raw)}")
    seq: Any = raw.get("seq")
    t: Any = raw.get("t")
    channels: Any = raw.get("channels")
    if not isinstance(seq, int) or isinstance(seq, bool):
        return Flaw("seq", "seq.type", f"must be an integer, {_but(raw, 'seq')}")
    flaw = _flaw_beside_seq(raw, t, channels)
    if flaw is not None:
        return flaw._replace(seq=seq)
    return RawSample(seq, t, {name: float(value) for name, value in channels.items()})


def _flaw_beside_seq(raw: dict[Any, Any], t: Any, channels: Any) -> Flaw | None:
    if not isinstance(t, int | str) or isinstance(t, bool):
        return Flaw("t", "t.type", f"must be integer microseconds or RFC 3339 text, {_but(raw, 't')}")
    if not isinstance(channels, dict):
        return Flaw(
            "channels",
            "channels.type",
            f"must be an object of channel names and readings, {_but(raw, 'channels')}",
        )
    for name, value in channels.items():
        if not isinstance(name, str):
            return Flaw(
                "channels", "channel.name", f"has a channel name that is {_kind(name)}; it must be a string"
            )
        if not isinstance(value, int | float) or isinstance(value, bool):
            return Flaw(f"channels.{name}", "channel.type", f"must be a number, not {_kind(value)}")
        try:
            float(value)
        except OverflowError:
            return Flaw(f"channels.{name}", "channel.size", "is too large for a floating-point number")
    return None


def _but(raw: dict[Any, Any], key: str) -> str:
    return f"not {_kind(raw[key])}" if key in raw else "but is missing"


def _kind(value: Any) -> str:
    kinds = {bool: "a boolean", int: "an integer", float: "a number with a fraction", str: "a string"}
    kinds |= {list: "an array", dict: "an object", type(None): "null"}
    return kinds.get(type(value), f"a {type(value).__name__}")
