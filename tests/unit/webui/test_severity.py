"""How urgent, and why: each cause alone, and which of several counts."""

from typing import Any

import msgspec
import numpy as np
import pytest

from twin.runtime import frames
from webui.fleet.last_frames import NEVER, UNKNOWN, Seen, seen_in
from webui.fleet.severity import LEVELS, age_text, health_text, judge

LABELS = {"hose.p": "Hose pressure", "crank.angle": "Crank angle"}
STUCK = frames.Finding("stuck", "hose.p", 0, "Sensor 'hose.p' has shown the same for 3 s.")
NO_ANGLE = frames.Finding("silent", "crank.angle", 0, "Sensor 'crank.angle' is silent.")
DIVERGED = frames.Finding("diverged", "", 0, "The twin has lost its machine.")


def frame(**changes: Any) -> frames.Frame:
    values = np.zeros(1)
    arrays = msgspec.structs.asdict(frames.pack(values, values, values))
    told: dict[str, Any] = {
        "machine": "", "epoch": 1, "seq": 1, "t": 1, "ts": 1, "t_sample": 1, "received": 1, "reason": "",
        "status": "synced", "load": 0.05, "lag_us": 5000, "health": frames.Health(1.0, 0.8, 1.25),
    }  # fmt: skip
    return frames.Frame(**(arrays | told | changes))


def judged(status: str = "synced", age_s: float | None = 0.1, **changes: Any) -> Any:
    return judge(Seen(status, age_s, frame(**changes)), LABELS)


@pytest.mark.parametrize(
    ("found", "level", "cause", "words"),
    [
        (judged(), "ok", "well", "follows the machine"),
        (judged("coasting"), "ok", "coasting", "runs on alone"),
        (judged(findings=[STUCK]), "plan", "sensor", "Hose pressure: the sensor is stuck"),
        (judged(findings=[STUCK, NO_ANGLE]), "act", "sensors", "Hose pressure, Crank angle"),
        (judged(findings=[STUCK, DIVERGED]), "act", "diverged", "lost its machine"),
        (judged(health=frames.Health(1.9, 0.8, 1.25)), "plan", "inconsistent", "NIS 1.9, honest to 1.2"),
        (judged(lag_us=3_000_000), "plan", "late", "3 s behind"),
        (judged(load=0.95), "plan", "overload", "95 %"),
        (judged("stale", 742.0), "stale", "silent", "No data for 12 min"),
        (judged("stale", 9.0, reason="catching up with 9 s of telemetry"), "stale", "silent", "catching up"),
        (judged("failed", None, reason="No convergence."), "act", "failed", "stopped: No convergence."),
        (judge(NEVER, LABELS), "stale", "waiting", "No data yet"),
        (judge(UNKNOWN, LABELS), "stale", "unknown", "does not answer"),
    ],
)
def test_each_cause_has_a_level_and_words(found: Any, level: str, cause: str, words: str) -> None:
    assert (found.level, found.cause) == (level, cause)
    assert words in found.text


def test_an_honest_filter_that_leaves_its_bounds_by_chance_alarms_nobody() -> None:
    assert judged(health=frames.Health(1.3, 0.8, 1.25)).level == "ok"
    assert judged(health=None).level == "ok"


def test_a_sensor_without_a_name_for_people_is_told_by_its_channel() -> None:
    finding = frames.Finding("odd", "aux.p", 0, "Sensor 'aux.p' is odd.")
    assert judged(findings=[finding]).text == "aux.p: Sensor 'aux.p' is odd."


def test_a_frame_that_has_grown_old_is_stale_whatever_it_says() -> None:
    data = frames.encode(frame(ts=1_000_000, received=1_000_000))
    assert judge(seen_in(data, 2_000_000), LABELS).level == "ok"
    assert judge(seen_in(data, 8_000_000), LABELS).level == "stale"


def test_act_comes_before_plan_before_what_nobody_knows() -> None:
    assert LEVELS == ("act", "plan", "stale", "ok")


def test_ages_and_health_in_words() -> None:
    assert [age_text(s) for s in (0.4, 119, 130, 7200, 3e5)] == ["0 s", "119 s", "2 min", "2 h", "3 d"]
    assert health_text(None) == "–"
    assert health_text(frame(findings=[STUCK])) == "1 sensor out"
    assert health_text(frame()) == "honest, NIS 1.00"
    assert health_text(frame(health=frames.Health(2.0, 0.8, 1.25))) == "too sure, NIS 2.00"
    assert health_text(frame(health=frames.Health(0.5, 0.8, 1.25))) == "cautious, NIS 0.50"
    assert health_text(frame(health=None)) == "too few readings"
