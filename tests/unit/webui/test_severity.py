"""How urgent, and why: each cause alone, and which of several counts."""

from typing import Any

import msgspec
import numpy as np
import pytest

from tests.recorded_fleet import silent, stuck
from twin.messages import TEMPLATES
from twin.runtime import frames
from webui.fleet.last_frames import NEVER, UNKNOWN, Seen, seen_in
from webui.fleet.severity import LEVELS, health_text, judge
from webui.messages import span_text

LABELS = {"hose.p": "Hose pressure", "crank.angle": "Crank angle"}
STUCK, NO_ANGLE = stuck("hose.p"), silent("crank.angle")
DIVERGED = frames.Finding("diverged", "", 7, "", "twin.restarted.again", {"times": 3, "since": 0})
JOINT = {"reason": "diverged at t = 3 s", "code": "model.joint", "values": {"part": "crank", "time": 3.0}}
BEHIND = {"reason": "catching up with 9 s", "code": "twin.catching_up", "values": {"behind": 9.0}}


def frame(**changes: Any) -> frames.Frame:
    values = np.zeros(1)
    arrays = msgspec.structs.asdict(frames.pack(values, values, values))
    told: dict[str, Any] = {
        "machine": "", "epoch": 1, "seq": 1, "t": 1, "ts": 1, "t_sample": 1, "received": 1, "reason": "",
        "status": "synced", "load": 0.05, "lag_us": 5000, "health": frames.Health(1.0, 0.8, 1.25),
    }  # fmt: skip
    return frames.Frame(**(arrays | told | changes))


def judged(status: str = "synced", age_s: float | None = 0.1, **changes: Any) -> Any:
    return judge(Seen(status, age_s, frame(**changes)))


@pytest.mark.parametrize(
    ("found", "level", "cause", "words"),
    [
        (judged(), "ok", "well", "follows the machine"),
        (judged("coasting", 3.0), "ok", "coasting", "No data for 3 s; showing prediction"),
        (judged(findings=[STUCK]), "plan", "sensor", "Hose pressure sensor stuck at "),
        (judged(findings=[STUCK, NO_ANGLE]), "act", "sensors", "Hose pressure, Crank angle"),
        (
            judged(findings=[STUCK, DIVERGED]),
            "act",
            "diverged",
            "(3rd time since 1970-01-01 00:00 UTC)",
        ),
        (
            judged(health=frames.Health(1.9, 0.8, 1.25)),
            "plan",
            "inconsistent",
            "don't match the model",
        ),
        (judged(lag_us=3_000_000), "plan", "late", "Live view delayed by 3 s"),
        (judged(load=0.95), "plan", "overload", "95 %"),
        (judged("stale", 742.0), "stale", "silent", "No data for 12 min"),
        (judged("stale", 9.0, **BEHIND), "stale", "silent", "Catching up: 9 s of telemetry"),
        (
            judged("failed", None, **JOINT),
            "act",
            "failed",
            "the motion of this part: crank (model.joint)",
        ),
        (judged("failed", None, reason="of the version before"), "act", "failed", "The twin stopped"),
        (judge(NEVER), "stale", "waiting", "No data yet"),
        (judge(UNKNOWN), "stale", "unknown", "is not responding"),
    ],
)
def test_each_cause_has_a_level_and_words(found: Any, level: str, cause: str, words: str) -> None:
    assert (found.level, found.cause) == (level, cause)
    assert words in found.text("metric", LABELS)


def test_an_honest_filter_that_leaves_its_bounds_by_chance_alarms_nobody() -> None:
    assert judged(health=frames.Health(1.3, 0.8, 1.25)).level == "ok"
    assert judged(health=None).level == "ok"


def test_a_sensor_without_a_name_for_people_is_told_by_its_channel() -> None:
    finding = frames.Finding("odd", "aux.p", 0, "Sensor 'aux.p' is odd.")  # of the version before
    assert judged(findings=[finding]).text() == "aux.p sensor faulty"


def test_what_to_do_and_since_when_come_beside_what_is_wrong() -> None:
    finding = judged(findings=[NO_ANGLE])
    assert (finding.more_text(), finding.since_us) == ("Check the sensor's cable", 0)
    assert judged(findings=[DIVERGED]).since_us == 7
    again = judged("failed", None, **JOINT, failures=3, retry_s=4)
    assert again.more_text() == "Failed 3 times in a row; next attempt after 4 s"
    assert judged("failed", None, **JOINT, failures=1, retry_s=1).more is None


def test_no_word_of_the_solver_is_shown() -> None:
    for code, template in TEMPLATES.items():
        for word in ("diverged", "covariance", "tube", "converge", "finite", "NIS", "innovation"):
            assert word not in template.text, code


def test_a_frame_that_has_grown_old_is_stale_whatever_it_says() -> None:
    data = frames.encode(frame(ts=1_000_000, received=1_000_000))
    assert judge(seen_in(data, 2_000_000)).level == "ok"
    assert judge(seen_in(data, 8_000_000)).level == "stale"


def test_act_comes_before_plan_before_what_nobody_knows() -> None:
    assert LEVELS == ("act", "plan", "stale", "ok")


def test_ages_and_health_in_words() -> None:
    assert [span_text(s) for s in (0.4, 119, 130, 7200, 3e5)] == ["0 s", "119 s", "2 min", "2 h", "3 d"]
    assert health_text(None) == "–"
    assert health_text(frame(findings=[STUCK])) == "1 sensor excluded"
    assert health_text(frame()) == "Estimates reliable"
    assert health_text(frame(health=frames.Health(2.0, 0.8, 1.25))) == "Model no longer fits"
    assert health_text(frame(health=frames.Health(0.5, 0.8, 1.25))) == "Estimates reliable"
    assert health_text(frame(health=None)) == "Too few readings to judge the estimates"
