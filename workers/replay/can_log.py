"""Reads recordings of a CAN bus: a log of `candump -l`, decoded with a DBC file.

A line looks like `(1763251200.123456) can0 1F334455#1122334455667788`. A signal belongs to the channel with
the same name. In signal names, `_` replaces characters that DBC does not allow: the signal hose_p belongs to
the channel hose.p. Units are converted.
"""

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import cantools
from cantools.database import Database, Message
from cantools.database.errors import Error as CanError

from simcore.model import Channel
from workers.replay.recording import BadRecording, Recorded

_LINE = re.compile(r"\((\d+)\.(\d{1,6})\)\s+(\S+)\s+([0-9A-Fa-f]{3}|[0-9A-Fa-f]{8})#([0-9A-Fa-f]*)\s*[RT]?")
_EXTENDED = 8  # digits of an extended identifier

# (unit on the bus, unit of the channel) -> factor
_FACTORS = {
    ("bar", "Pa"): 1e5, ("kPa", "Pa"): 1e3, ("MPa", "Pa"): 1e6,
    ("deg", "rad"): math.pi / 180, ("°", "rad"): math.pi / 180,
    ("deg/s", "rad/s"): math.pi / 180, ("rpm", "rad/s"): math.pi / 30,
    ("mm", "m"): 1e-3, ("cm", "m"): 1e-2, ("mV", "V"): 1e-3, ("kN", "N"): 1e3,
}  # fmt: skip


class _Signal(NamedTuple):
    channel: str
    factor: float


class CanLog:
    """Reads logs of one bus."""

    def __init__(self, dbc: Path, channels: Mapping[str, Channel]) -> None:
        self.skipped = 0  # frames that are not in the DBC file or contain no channel
        try:
            loaded = cantools.database.load_file(dbc)
        except (CanError, OSError, UnicodeDecodeError) as error:
            raise ValueError(f"{dbc}: {error}") from None
        if not isinstance(loaded, Database):
            raise ValueError(f"{dbc}: does not describe a CAN bus")
        self._messages = {
            (message.frame_id, message.is_extended_frame): message for message in loaded.messages
        }
        self._signals = _signals(dbc, loaded, {_identifier(name): each for name, each in channels.items()})

    def __call__(self, path: Path) -> Iterator[Recorded]:
        seq = self.skipped = 0
        with path.open(encoding="ascii", errors="replace") as file:
            for number, text in enumerate(file):
                if not text.strip():
                    continue
                t_us, readings = self._decode(path, number + 1, text)
                if readings:
                    yield Recorded(number + 1, seq, t_us, readings)
                    seq += 1
                else:
                    self.skipped += 1

    def _decode(self, path: Path, line: int, text: str) -> tuple[int, dict[str, float]]:
        found = _LINE.fullmatch(text.strip())
        if found is None:
            raise BadRecording(
                path, line, 1, "the line is not from candump -l; must be: (seconds) bus identifier#data"
            )
        seconds, fraction, _, identifier, data = found.groups()
        t_us = int(seconds) * 1_000_000 + int(fraction.ljust(6, "0"))
        message = self._messages.get((int(identifier, 16), len(identifier) == _EXTENDED))
        if message is None:
            return t_us, {}
        try:
            values = message.decode(bytes.fromhex(data), decode_choices=False, allow_truncated=False)
        except (CanError, ValueError) as error:
            column = found.start(5) + 1
            raise BadRecording(path, line, column, f"{message.name}: {error}") from None
        return t_us, {
            signal.channel: float(values[name]) * signal.factor  # type: ignore[arg-type, call-overload]
            for name in message.signal_tree
            if isinstance(name, str) and (signal := self._signals.get((message.name, name)))
        }


def _signals(
    dbc: Path, database: Database, channels: Mapping[str, Channel]
) -> dict[tuple[str, str], _Signal]:
    found: dict[tuple[str, str], _Signal] = {}
    for message in database.messages:
        for signal in message.signals:
            channel = channels.get(signal.name)
            if channel is not None:
                factor = _factor(dbc, message, signal.name, signal.unit or channel.unit, channel.unit)
                found[message.name, signal.name] = _Signal(channel.name, factor)
    if not found:
        known = ", ".join(sorted(channels))
        raise ValueError(
            f"{dbc}: no signal belongs to a channel of the machine; must contain at least one of: {known}"
        )
    return found


def _factor(dbc: Path, message: Message, name: str, unit: str, wanted: str) -> float:
    if unit == wanted:
        return 1.0
    factor = _FACTORS.get((unit, wanted))
    if factor is None:
        raise ValueError(f"{dbc}: {message.name}.{name}: the unit {unit} cannot be converted to {wanted}")
    return factor


def _identifier(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", name)
