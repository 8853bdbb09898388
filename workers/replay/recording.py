"""Defines a recording: samples in order, each with its line number in the file."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol


class Recorded(NamedTuple):
    line: int
    seq: int
    t_us: int  # machine time, microseconds since 1970
    channels: dict[str, float]


class Reader(Protocol):
    def __call__(self, path: Path) -> Iterator[Recorded]: ...


class BadRecording(ValueError):
    """Says where a recording is wrong, and why."""

    def __init__(self, path: Path, line: int, column: str | int, reason: str) -> None:
        super().__init__(f"{path}:{line}: column {column}: {reason}")
