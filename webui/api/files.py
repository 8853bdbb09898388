"""Writes time series as CSV and Parquet, piece by piece.

pyarrow, the reference implementation, writes Parquet row group by row group. It is imported when the first
file is written.
"""

import csv
import io
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, NamedTuple, Protocol

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Numbers = Sequence[float | None]


class Column(NamedTuple):
    name: str
    unit: str  # empty for a count


class HistoryFile(Protocol):
    content_type: ClassVar[str]

    def __init__(self, columns: Sequence[Column]) -> None: ...

    def begin(self) -> bytes: ...

    def rows(self, t_us: Sequence[int], columns: Sequence[Numbers]) -> bytes: ...

    def end(self) -> bytes: ...


class CsvFile:
    """Writes CSV (RFC 4180) with the unit in the header; a missing reading is an empty cell."""

    content_type: ClassVar[str] = "text/csv; charset=utf-8"

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns

    def begin(self) -> bytes:
        heads = [f"{column.name} [{column.unit}]" if column.unit else column.name for column in self._columns]
        return self._lines([["time [UTC]", *heads]])

    def rows(self, t_us: Sequence[int], columns: Sequence[Numbers]) -> bytes:
        times = [(EPOCH + timedelta(microseconds=t)).strftime("%Y-%m-%dT%H:%M:%S.%fZ") for t in t_us]
        return self._lines(zip(times, *columns, strict=True))

    def end(self) -> bytes:
        return b""

    @staticmethod
    def _lines(rows: Any) -> bytes:
        text = io.StringIO(newline="")
        csv.writer(text).writerows(rows)
        return text.getvalue().encode()


class ParquetFile:
    """Writes Parquet: a time column and one column per quantity, with the unit in its metadata."""

    content_type: ClassVar[str] = "application/vnd.apache.parquet"

    def __init__(self, columns: Sequence[Column]) -> None:
        import pyarrow as pa

        fields = [pa.field("time", pa.timestamp("us", tz="UTC"))]
        fields += [
            pa.field(column.name, pa.float64() if column.unit else pa.int64(), metadata={"unit": column.unit})
            for column in columns
        ]
        self._schema = pa.schema(fields)
        self._sink = _Sink()
        self._writer: Any = None

    def begin(self) -> bytes:
        from pyarrow.parquet import ParquetWriter

        self._writer = ParquetWriter(self._sink, self._schema)
        return self._sink.taken()

    def rows(self, t_us: Sequence[int], columns: Sequence[Numbers]) -> bytes:
        import pyarrow as pa

        if t_us:
            arrays = [
                pa.array(data, field.type) for data, field in zip([t_us, *columns], self._schema, strict=True)
            ]
            self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
        return self._sink.taken()

    def end(self) -> bytes:
        self._writer.close()
        return self._sink.taken()


class _Sink(io.RawIOBase):
    """Collects what the writer writes, until `taken` passes it on."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._length = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        part = bytes(data)
        self._parts.append(part)
        self._length += len(part)
        return len(part)

    def tell(self) -> int:
        return self._length

    def taken(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)
