"""`manage.py replay`: files through real HTTP into the stream."""

import json
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from twin import keys
from twin.ingest import entries

pytestmark = pytest.mark.system

# several runs in one process, because starting one takes seconds; prints what each of them said
SCRIPT = """
import io, json, os
from django.core.management import CommandError, call_command
said = []
for arguments, token in json.loads({runs!r}):
    os.environ["HYDRATWIN_DEVICE_TOKEN"] = token
    out = io.StringIO()
    try:
        call_command("replay", *arguments, stdout=out, stderr=out)
    except CommandError as error:
        out.write(str(error))
    said.append(out.getvalue().splitlines())
print(json.dumps(said))
"""


def replay(web_server: Any, *runs: tuple[list[str], str]) -> list[list[str]]:
    place = ["--machine", web_server.machine, "--url", web_server.url]
    script = SCRIPT.format(runs=json.dumps([([*arguments, *place], token) for arguments, token in runs]))
    return json.loads(web_server.manage("shell", "--no-imports", "--command", script))


def recording(path: Path, first_us: int, count: int) -> str:
    rows = "".join(f"{first_us + 20_000 * k},{1e7 + k},{0.001 * k}\n" for k in range(count))
    path.write_text("t,hose.p,crank.angle\n" + rows)
    return str(path)


def test_recordings_enter_the_stream_as_they_are_or_shifted_to_now(
    valkey: Any, web_server: Any, tmp_path: Path
) -> None:
    hour_ago = time.time_ns() // 1000 - 3_600_000_000
    kept = recording(tmp_path / "hour-ago.csv", hour_ago, 1200)
    old = recording(tmp_path / "old.csv", 1_700_000_000_000_000, 100)  # 2 s
    bad = recording(tmp_path / "bad.csv", hour_ago, 10)
    Path(bad).write_text(Path(bad).read_text() + "now,1,2\n")
    said = replay(
        web_server,
        ([kept, "--speed", "max"], web_server.token),
        ([kept, "--speed", "max"], web_server.token),
        ([bad, "--speed", "max"], web_server.token),
        ([old, "--speed", "max"], web_server.token),
        ([old, "--shift", "--speed", "1"], ""),  # without a token: it gets a device of its own
    )
    assert said[0] == ["1200 samples: 1200 accepted, 0 sent before, 0 rejected"]
    assert said[1] == ["1200 samples: 0 accepted, 1200 sent before, 0 rejected"]
    (error,) = said[2]
    assert error.startswith(f"{bad}:12: column t: is 'now'; must be")  # and nothing of it was sent
    assert said[3][0].startswith(f"{old}: line 2: t is ")  # too old to be telemetry, named by its line
    assert said[3][-1] == "100 of 100 samples were rejected"
    assert said[4] == ["100 samples: 100 accepted, 0 sent before, 0 rejected"]

    with valkey.client() as client:
        rows = client.xrange(keys.stream(web_server.machine))
    found: list[Any] = [(row, entries.decode(fields[entries.FIELD])) for row, fields in rows]
    ours = [each for _, entry in found if entry.device == web_server.device for each in entry.samples]
    assert ours == [
        (k, hour_ago + 20_000 * k, {"hose.p": 1e7 + k, "crank.angle": 0.001 * k}) for k in range(1200)
    ]
    shifted = [(row, entry) for row, entry in found if entry.device != web_server.device]
    times = [t for _, entry in shifted for _, t, _ in entry.samples]
    assert [later - earlier for earlier, later in pairwise(times)] == [20_000] * 99
    arrived_ms = [int(row.split(b"-")[0]) for row, _ in shifted]
    assert arrived_ms[-1] - arrived_ms[0] > 1000  # of 2000 ms: paced, not all at once
    assert times[-1] <= shifted[-1][1].received
