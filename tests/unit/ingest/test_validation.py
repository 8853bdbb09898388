"""One judgement for every way in: what is refused, with which words, and what stays untouched by it."""

import json
from typing import Any, get_args

import msgpack
import pytest

from simcore import registry
from simcore.model import channel_table
from twin.ingest.body import BadBody, Malformed
from twin.ingest.refusal import Code
from twin.ingest.validation import Batch, Limits, validate

NOW = 1_800_000_000_000_000
CHANNELS = {
    c.name: c
    for c in channel_table(registry.get("four-bar-b").build())
    if c.name in ("hose.p", "crank.angle")
}
LIMITS = Limits(max_samples=5, max_future_us=5_000_000, max_age_us=30 * 86_400_000_000)
GOOD = {"seq": 1, "t": NOW, "channels": {"hose.p": 1.2e7}}


def judge(body: Any, form: Any = "json") -> Batch:
    data = json.dumps(body).encode() if form == "json" else msgpack.packb(body)
    return validate(data, form, CHANNELS, NOW, LIMITS)


def judge_sample(**changes: Any) -> Batch:
    return judge({"boot": "b", "samples": [GOOD | changes]})


def reason_for(**changes: Any) -> tuple[str, str]:
    batch = judge_sample(**changes)
    assert batch.samples == []
    (rejection,) = batch.rejected
    assert rejection.index == 0
    assert rejection.retry is ("in the future" in rejection.reason)
    assert rejection.code in get_args(Code)
    return rejection.field, rejection.reason


@pytest.mark.parametrize("form", ["json", "msgpack"])
def test_a_good_body_is_taken_whole(form: str) -> None:
    batch = judge({"boot": "b", "samples": [GOOD, GOOD | {"seq": 2, "channels": {"crank.angle": 1}}]}, form)
    assert batch.boot == "b"
    assert batch.samples == [(1, NOW, {"hose.p": 1.2e7}), (2, NOW, {"crank.angle": 1.0})]
    assert batch.rejected == []


@pytest.mark.parametrize("form", ["json", "msgpack"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_nan_is_refused_and_names_the_channel(form: str, value: float) -> None:
    bad = GOOD | {"channels": {"hose.p": value}}
    batch = judge({"boot": "b", "samples": [GOOD, bad, GOOD | {"seq": 3}]}, form)
    assert [sample[0] for sample in batch.samples] == [1, 3]
    (rejection,) = batch.rejected
    assert (rejection.index, rejection.field) == (1, "channels.hose.p")
    assert str(value) in rejection.reason
    assert "must be -1e+06 to 1e+08 Pa" in rejection.reason


def test_a_reading_that_no_sensor_can_mean_is_refused_with_the_range() -> None:
    assert reason_for(channels={"hose.p": 1e30}) == (
        "channels.hose.p",
        "is 1e+30 Pa; must be -1e+06 to 1e+08 Pa",
    )
    assert reason_for(channels={"crank.angle": 60.0})[1] == "is 60 rad; must be -7 to 7 rad"
    field, reason = reason_for(channels={"hose.p": 10**400})
    assert field == "channels.hose.p"
    assert "too large" in reason


def test_an_unknown_channel_is_refused_and_the_known_ones_are_named() -> None:
    field, reason = reason_for(channels={"hose.p": 1.0, "boom.angle": 1.0})
    assert field == "channels.boom.angle"
    assert reason.endswith("crank.angle, hose.p")


@pytest.mark.parametrize(
    ("value", "words"), [("7", "a string"), (None, "null"), (True, "a boolean"), ([1], "an array")]
)
def test_a_reading_of_another_type_is_refused(value: Any, words: str) -> None:
    field, reason = reason_for(channels={"hose.p": value})
    assert field == "channels.hose.p"
    assert words in reason


def test_a_sample_from_the_future_is_refused_with_its_distance() -> None:
    assert reason_for(t=NOW + 5_000_001) == ("t", "is 5 s in the future; must be at most 5 s")
    assert reason_for(t=NOW + 3_600_000_000) == ("t", "is 3600 s in the future; must be at most 5 s")
    assert judge_sample(t=NOW + 5_000_000).rejected == []


def test_a_sample_of_last_season_is_refused_with_its_age() -> None:
    assert reason_for(t=0) == ("t", "is 20833.3 days old; must be at most 30 days")
    assert judge_sample(t=NOW - LIMITS.max_age_us).rejected == []


@pytest.mark.parametrize(
    "text",
    ["2027-01-15T08:00:00.123456Z", "2027-01-15t10:00:00.123456+02:00", "2027-01-15 08:00:00.123456789z"],
)
def test_time_may_be_text_and_is_exact_to_the_microsecond(text: str) -> None:
    assert judge_sample(t=text).samples == [(1, NOW + 123_456, {"hose.p": 1.2e7})]


@pytest.mark.parametrize(
    "text", ["now", "2027-01-15", "2027-01-15T08:00:00", "2027-02-31T08:00:00Z", "2027-01-15T08:00:60Z", ""]
)
def test_other_text_is_no_time(text: str) -> None:
    field, reason = reason_for(t=text)
    assert field == "t"
    assert repr(text) in reason


@pytest.mark.parametrize("t", [1.5, None, True, {}])
def test_time_of_another_type_is_refused(t: Any) -> None:
    assert reason_for(t=t)[0] == "t"


@pytest.mark.parametrize("seq", [-1, 2**53, 1.0, "1", None, True])
def test_a_sequence_number_is_a_whole_number_from_zero(seq: Any) -> None:
    assert reason_for(seq=seq)[0] == "seq"


def test_the_largest_sequence_number_is_taken() -> None:
    assert judge_sample(seq=2**53 - 1).samples[0][0] == 2**53 - 1


def test_a_sample_without_readings_is_refused() -> None:
    assert reason_for(channels={})[0] == "channels"
    assert reason_for(channels=[])[0] == "channels"


def test_what_is_no_sample_is_refused_and_its_neighbours_are_taken() -> None:
    batch = judge({"boot": "b", "samples": [7, GOOD, {"seq": 1}]})
    assert len(batch.samples) == 1
    assert [(r.index, r.field) for r in batch.rejected] == [(0, "sample"), (2, "t")]
    assert "missing" in batch.rejected[1].reason


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ([], "body"),
        ({}, "boot"),
        ({"boot": 1, "samples": [GOOD]}, "boot"),
        ({"boot": "", "samples": [GOOD]}, "boot"),
        ({"boot": "x" * 65, "samples": [GOOD]}, "boot"),
        ({"boot": "a\nb", "samples": [GOOD]}, "boot"),
        ({"boot": "b"}, "samples"),
        ({"boot": "b", "samples": []}, "samples"),
        ({"boot": "b", "samples": {}}, "samples"),
        ({"boot": "b", "samples": [GOOD] * 6}, "samples"),
    ],
)
@pytest.mark.parametrize("form", ["json", "msgpack"])
def test_a_body_that_cannot_be_used_names_its_field(body: Any, field: str, form: str) -> None:
    with pytest.raises(BadBody) as caught:
        judge(body, form)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b"", "json"),
        (b"{", "json"),
        (b"\xff\xfe{}", "json"),
        (b"[" * 100_000, "json"),
        (b'{"boot": "\\ud800", "samples": [}', "json"),
        (b"", "msgpack"),
        (b"\xc1", "msgpack"),
        (b"\x91" * 100_000, "msgpack"),
    ],
)
def test_bytes_that_are_no_body_are_malformed(data: bytes, form: Any) -> None:
    with pytest.raises(Malformed):
        validate(data, form, CHANNELS, NOW, LIMITS)


@pytest.mark.parametrize("field", ["t", "seq"])
@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("digits", [20, 400, 5000])
def test_an_integer_of_many_digits_costs_its_own_sample_only(field: str, sign: str, digits: int) -> None:
    good = json.dumps(GOOD)
    bad = json.dumps(GOOD | {field: 1}).replace(f'"{field}": 1', f'"{field}": {sign}{"9" * digits}')
    batch = validate(f'{{"boot": "b", "samples": [{good}, {bad}]}}'.encode(), "json", CHANNELS, NOW, LIMITS)
    assert len(batch.samples) == 1
    (rejection,) = batch.rejected
    assert (rejection.index, rejection.field, rejection.retry) == (1, field, False)
    assert len(rejection.reason) < 120


@pytest.mark.parametrize("form", ["json", "msgpack"])
def test_the_name_of_a_channel_is_shown_escaped_and_shortened(form: str) -> None:
    names = ["\x1b[31m\nERROR\0", "x" * 10_000, "\u202e" * 200, "druck ölpumpe"]
    samples = [GOOD | {"channels": {name: 1.0}} for name in names]
    samples.append(GOOD | {"channels": {"\x1b" * 100: "high"}})
    fields = [rejection.field for rejection in judge({"boot": "b", "samples": samples}, form).rejected]
    assert fields[0] == r"channels.\x1b[31m\nERROR\x00"
    assert fields[3] == "channels.druck ölpumpe"
    assert all(len(field) <= 80 and field.isprintable() for field in fields)


def test_a_lone_surrogate_in_the_boot_name_is_refused() -> None:
    with pytest.raises(BadBody):
        validate(b'{"boot": "\\ud800", "samples": [1]}', "json", CHANNELS, NOW, LIMITS)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"seq": "1"}, "seq.type"),
        ({"seq": -1}, "seq.range"),
        ({"t": 1.5}, "t.type"),
        ({"t": "yesterday"}, "t.format"),
        ({"t": 10**18}, "t.range"),
        ({"t": NOW + 10**9}, "t.future"),
        ({"t": 0}, "t.old"),
        ({"channels": []}, "channels.type"),
        ({"channels": {}}, "channels.empty"),
        ({"channels": {"hose.p": "high"}}, "channel.type"),
        ({"channels": {"hose.p": 10**400}}, "channel.size"),
        ({"channels": {"boom.angle": 1.0}}, "channel.unknown"),
        ({"channels": {"hose.p": 1e9}}, "channel.range"),
    ],
)
def test_a_rejection_has_a_code_that_programs_can_compare(changes: dict[str, Any], code: str) -> None:
    (rejection,) = judge_sample(**changes).rejected
    assert rejection.code == code


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ([], "body.type"),
        ({"samples": [GOOD]}, "boot.type"),
        ({"boot": "", "samples": [GOOD]}, "boot.length"),
        ({"boot": "b", "samples": 3}, "samples.type"),
        ({"boot": "b", "samples": []}, "samples.count"),
    ],
)
def test_a_body_that_cannot_be_used_has_a_code(body: Any, code: str) -> None:
    with pytest.raises(BadBody) as caught:
        judge(body)
    assert caught.value.code == code
