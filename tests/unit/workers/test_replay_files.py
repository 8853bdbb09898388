"""Recordings: what is read from each format, and where an error is found."""

import math
from pathlib import Path

import cantools
import pytest

from simcore import registry
from simcore.model import channel_table
from workers.replay.can_log import CanLog
from workers.replay.recording import BadRecording, Recorded
from workers.replay.sending import Pace, shift_to_now
from workers.replay.tables import read_csv, read_json_lines

T = 1_763_251_200_123_456
CHANNELS = {channel.name: channel for channel in channel_table(registry.get("four-bar-b").build())}

DBC = """VERSION ""
BS_:
BU_: RIG
BO_ 256 Pressures: 8 RIG
 SG_ hose_p : 0|16@1+ (0.01,0) [0|655] "bar" RIG
 SG_ cylinder_p_B : 16|16@1+ (0.001,0) [0|65] "MPa" RIG
BO_ 2566844928 Crank: 8 RIG
 SG_ crank_angle : 0|16@1- (0.01,0) [-180|180] "deg" RIG
 SG_ counter : 16|8@1+ (1,0) [0|255] "" RIG
"""


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_a_table_of_values(tmp_path: Path) -> None:
    path = written(tmp_path, "r.csv", f"t, hose.p ,crank.angle\n{T},1e7,0.5\n\n{T + 20_000},,0.6\n")
    assert list(read_csv(path)) == [
        Recorded(2, 0, T, {"hose.p": 1e7, "crank.angle": 0.5}),
        Recorded(4, 2, T + 20_000, {"crank.angle": 0.6}),
    ]


@pytest.mark.parametrize(
    ("header", "cell", "t_us"),
    [
        ("t", "2025-11-16T00:00:00.123456Z", T),
        ("time_s", "1763251200.5", 1_763_251_200_500_000),
        ("t", str(T), T),
    ],
)
def test_times_in_every_form(tmp_path: Path, header: str, cell: str, t_us: int) -> None:
    (sample,) = read_csv(written(tmp_path, "r.csv", f"{header},seq,hose.p\n{cell},17,1\n"))
    assert (sample.t_us, sample.seq) == (t_us, 17)


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("seq,hose.p\n1,2\n", 1, "t", "must contain exactly one of"),
        ("t,hose.p,hose.p\n", 1, "3", "twice"),
        (f"t,hose.p\n{T},1\n{T},high\n", 3, "hose.p", "is 'high'; must be a number"),
        (f"t,hose.p\n{T},nan\n", 2, "hose.p", "must be a number"),
        ("t,hose.p\nyesterday,1\n", 2, "t", "RFC 3339"),
        (f"t,hose.p\n{T}\n", 2, "1", "must be 2"),
        (f"t,seq,hose.p\n{T},-1,1\n", 2, "seq", "must be an integer"),
        (f"t,hose.p\n{T},\n", 2, "2", "no reading"),
    ],
)
def test_an_error_in_a_table_names_file_line_and_column(
    tmp_path: Path, text: str, line: int, column: str, words: str
) -> None:
    path = written(tmp_path, "r.csv", text)
    with pytest.raises(BadRecording) as error:
        list(read_csv(path))
    assert str(error.value).startswith(f"{path}:{line}: column {column}: ")
    assert words in str(error.value)


def test_json_lines(tmp_path: Path) -> None:
    text = (
        f'{{"t": {T}, "channels": {{"hose.p": 1e7}}}}\n{{"seq": 9, "t": {T}, "channels": {{"hose.p": 2}}}}\n'
    )
    assert list(read_json_lines(written(tmp_path, "r.jsonl", text))) == [
        Recorded(1, 0, T, {"hose.p": 1e7}),
        Recorded(2, 9, T, {"hose.p": 2.0}),
    ]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ('{"t": 1, }', "10"),
        ("[]", "channels"),
        ('{"t": true, "channels": {"a": 1}}', "t"),
        ('{"t": 1, "channels": {"a": null}}', "a"),
        ('{"t": 1, "seq": 1.5, "channels": {"a": 1}}', "seq"),
    ],
)
def test_an_error_in_json_lines_names_line_and_column(tmp_path: Path, text: str, column: str) -> None:
    path = written(tmp_path, "r.jsonl", f'{{"t": 1, "channels": {{"a": 1}}}}\n{text}\n')
    with pytest.raises(BadRecording) as error:
        list(read_json_lines(path))
    assert str(error.value).startswith(f"{path}:2: column {column}: ")


def test_a_can_log_through_its_description(tmp_path: Path) -> None:
    dbc = written(tmp_path, "rig.dbc", DBC)
    bus = cantools.database.load_file(dbc)
    pressures = bus.encode_message("Pressures", {"hose_p": 123.45, "cylinder_p_B": 2.5}).hex()
    crank = bus.encode_message("Crank", {"crank_angle": -45.5, "counter": 3}).hex().upper()
    log = written(
        tmp_path,
        "rig.log",
        f"(1763251200.123456) can0 100#{pressures}\n(1763251200.2) can0 7FF#00\n"
        f"(1763251200.25) can0 18FEF200#{crank}\n",
    )
    read = CanLog(dbc, CHANNELS)
    first, second = read(log)
    assert (first.line, first.seq, first.t_us) == (1, 0, T)
    assert first.channels == pytest.approx({"hose.p": 123.45e5, "cylinder.p_B": 2.5e6})
    assert (second.line, second.seq, second.t_us) == (3, 1, 1_763_251_200_250_000)
    assert second.channels == pytest.approx({"crank.angle": math.radians(-45.5)})
    assert read.skipped == 1


def test_errors_of_a_can_log_say_where(tmp_path: Path) -> None:
    read = CanLog(written(tmp_path, "rig.dbc", DBC), CHANNELS)
    for text, place in (("nonsense", "1: column 1: "), ("(1.0) can0 100#00", "1: column 16: Pressures")):
        log = written(tmp_path, "rig.log", text + "\n")
        with pytest.raises(BadRecording) as error:
            list(read(log))
        assert str(error.value).startswith(f"{log}:{place}")
    with pytest.raises(ValueError, match=r"Pressures.hose_p: the unit furlong cannot be converted to Pa"):
        CanLog(written(tmp_path, "other.dbc", DBC.replace('"bar"', '"furlong"')), CHANNELS)
    with pytest.raises(ValueError, match="no signal belongs to a channel of the machine"):
        CanLog(
            written(
                tmp_path, "none.dbc", DBC.replace("hose_p", "x").replace("_p_B", "y").replace("crank_", "z")
            ),
            CHANNELS,
        )


@pytest.mark.parametrize("speed", [0.5, 1.0, 4.0, math.inf])
def test_shifted_samples_are_never_ahead_of_the_clock_and_end_at_now(speed: float) -> None:
    now, first, last = 10_000_000_000, 1_000, 60_001_000  # a minute
    shift = shift_to_now(now, first, last, speed)
    pace = Pace(speed, first, shift)
    for t in range(first, last + 1, 1_000_000):
        assert t + shift <= now + 1e6 * pace.due_s(t) + 1
    if speed >= 1:
        assert last + shift == pytest.approx(now + 1e6 * pace.due_s(last), abs=2)
