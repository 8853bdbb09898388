"""History as a file, compared with what was stored and read by another reader than the one that wrote it."""

import csv
import io
from pathlib import Path
from typing import Any

import duckdb
import pytest
from django.test import AsyncClient

from twin.audit.models import Action, Entry
from twin.history.columns import Taken
from twin.history.writing import Batch, store
from webui.api import export

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]
COUNT, STEP_US, BEGIN_US = 500, 20_000, 1_800_000_000_000_000


@pytest.fixture
def recorded(story: Any, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, float, float | None]]:
    """Ten seconds of two channels, one of them with gaps; exported in many small pages."""
    monkeypatch.setattr(export, "PAGE", 70)
    rows = [(BEGIN_US + k * STEP_US, 1e6 + k, None if k % 3 else -0.5 * k) for k in range(COUNT)]
    samples = []
    for k, (t, pressure, rate) in enumerate(rows):
        readings = {"hose.p": pressure} | ({} if rate is None else {"crank.rate": rate})
        samples.append((k, t, readings))
    store([Batch(story.machine.pk, "0-0", "1-0", [Taken(story.device.pk, "boot", samples)])])
    return rows


async def exported(story: Any, **query: Any) -> Any:
    client = AsyncClient()
    await client.aforce_login(story.alice)
    ask = {"channels": "hose.p,crank.rate", "from": BEGIN_US, "to": BEGIN_US + COUNT * STEP_US} | query
    return await client.get(f"/api/v1/machines/{story.machine.pk}/history/export", ask)


async def content(response: Any) -> bytes:
    return b"".join([part async for part in response.streaming_content])


async def test_csv_holds_every_sample_as_it_was_sent(story: Any, recorded: Any) -> None:
    response = await exported(story, resolution="raw")
    assert response["Content-Disposition"] == 'attachment; filename="northern-rig-1800000000.csv"'
    head, *lines = csv.reader(io.StringIO((await content(response)).decode(), newline=""))
    assert head == ["time [UTC]", "hose.p [Pa]", "crank.rate [rad/s]"]
    assert lines[1][0] == "2027-01-15T08:00:00.020000Z"
    found = [(float(pressure), float(rate) if rate else None) for _, pressure, rate in lines]
    assert found == [(pressure, rate) for _, pressure, rate in recorded]
    assert await Entry.objects.for_runtime().filter(action=Action.EXPORTED).acount() == 1


async def test_parquet_holds_the_same_for_another_reader(story: Any, recorded: Any, tmp_path: Path) -> None:
    file = tmp_path / "history.parquet"
    file.write_bytes(await content(await exported(story, resolution="raw", format="parquet")))
    query = f"""SELECT epoch_us(time), "hose.p", "crank.rate" FROM '{file}' ORDER BY time"""  # noqa: S608
    assert duckdb.sql(query).fetchall() == recorded
    kept = duckdb.sql(f"SELECT num_row_groups FROM parquet_file_metadata('{file}')").fetchall()  # noqa: S608
    assert kept == [(8,)]  # pages of 70 rows: sent as they were read


async def test_summaries_are_exported_too(story: Any, recorded: Any) -> None:
    head, *lines = (await content(await exported(story, resolution="5"))).decode().split("\r\n")
    assert head.split(",")[1:5] == ["hose.p.count", "hose.p.min [Pa]", "hose.p.mean [Pa]", "hose.p.max [Pa]"]
    values = [value for _, value, _ in recorded[:250]]
    count, least, mean, most = (float(cell) for cell in lines[0].split(",")[1:5])
    assert (count, least, most) == (250, min(values), max(values))
    assert mean == pytest.approx(sum(values) / 250)


async def test_nothing_stored_is_a_file_without_rows(story: Any) -> None:
    for kind in ("csv", "parquet"):
        assert await content(await exported(story, resolution="raw", format=kind))


async def test_too_much_for_one_file_is_refused_with_a_way_out(
    story: Any, recorded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "MOST", 100)
    response = await exported(story, resolution="raw")
    assert response.status_code == 422
    (error,) = response.json()["errors"]
    assert error["field"] == "query.from"
    assert "500 samples" in error["reason"]
    assert (await exported(story, resolution="1")).status_code == 200
