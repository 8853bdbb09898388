"""Reads recordings in text form: CSV and JSON lines.

CSV: a header, then one row per sample. The machine time is in the column `t` (integer microseconds or RFC
3339) or in the column `time_s` (seconds since 1970). The column `seq` is optional. All other columns are
channels in SI units; their cells may be empty.
JSON lines: one sample per line, as in a telemetry body: {"t": ..., "channels": {...}}; `seq` is optional.
"""

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from twin.ingest.validation import microseconds
from workers.replay.recording import BadRecording, Recorded

TIMES = ("t", "time_s")


def read_csv(path: Path) -> Iterator[Recorded]:
    with path.open(newline="", encoding="utf-8-sig", errors="replace") as file:
        rows = csv.reader(file)
        header = [name.strip() for name in next(rows, [])]
        _check_header(path, header)
        for number, row in enumerate(rows):
            if any(cell.strip() for cell in row):
                yield _csv_sample(path, rows.line_num, number, header, row)


def read_json_lines(path: Path) -> Iterator[Recorded]:
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file):
            if line.strip():
                yield _json_sample(path, number + 1, number, line)


def _check_header(path: Path, header: list[str]) -> None:
    if sum(name in TIMES for name in header) != 1:
        raise BadRecording(
            path, 1, "t", f"the header is {header}; must contain exactly one of: {', '.join(TIMES)}"
        )
    for index, name in enumerate(header):
        if not name or name in header[:index]:
            raise BadRecording(path, 1, index + 1, f"{name!r} occurs twice" if name else "has no name")


def _csv_sample(path: Path, line: int, number: int, header: list[str], row: list[str]) -> Recorded:
    if len(row) != len(header):
        raise BadRecording(
            path,
            line,
            len(row),
            f"the number of cells is {len(row)}; must be {len(header)}, as in the header",
        )
    cells = {name: cell.strip() for name, cell in zip(header, row, strict=True) if cell.strip()}
    time_name = next(name for name in TIMES if name in header)
    if time_name not in cells:
        raise BadRecording(path, line, time_name, "is empty")
    t_us = _time(path, line, time_name, cells.pop(time_name))
    seq = _integer(path, line, "seq", cells.pop("seq")) if "seq" in cells else number
    channels = {name: _number(path, line, name, cell) for name, cell in cells.items()}
    if not channels:
        raise BadRecording(path, line, len(header), "the row has no reading")
    return Recorded(line, seq, t_us, channels)


def _json_sample(path: Path, line: int, number: int, text: str) -> Recorded:
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadRecording(path, line, error.colno, error.msg) from None
    channels = raw.get("channels") if isinstance(raw, dict) else None
    if not isinstance(channels, dict) or not channels:
        raise BadRecording(path, line, "channels", "must be an object of channel names and readings")
    t_us = _time(path, line, "t", raw.get("t"))
    seq = _integer(path, line, "seq", raw.get("seq", number))
    return Recorded(line, seq, t_us, {name: _number(path, line, name, v) for name, v in channels.items()})


def _time(path: Path, line: int, name: str, value: Any) -> int:
    if name == "time_s":
        return round(1e6 * _number(path, line, name, value))
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = str(value)
    t_us = int(text) if text.lstrip("-").isdecimal() and len(text) < 20 else microseconds(text)
    if t_us is None:
        raise BadRecording(
            path, line, name, f"is {text[:40]!r}; must be integer microseconds or RFC 3339 text"
        )
    return t_us


def _integer(path: Path, line: int, name: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.isdecimal() and len(value) < 20:
        return int(value)
    raise BadRecording(path, line, name, f"is {str(value)[:40]!r}; must be an integer of at least 0")


def _number(path: Path, line: int, name: str, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, bool) or value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise BadRecording(path, line, name, f"is {str(value)[:40]!r}; must be a number")
    return number
