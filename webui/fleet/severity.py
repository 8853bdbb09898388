"""Decides how urgently a machine needs attention, and why.

act     check now: the twin has stopped or no longer follows its machine, or several sensors are excluded
plan    check soon: a sensor is excluded, the model no longer fits, or the twin is late or overloaded
stale   the state is unknown, because there is no current data
ok      the twin follows its machine, or predicts during a short pause in the data
"""

from typing import Literal, NamedTuple

from simcore.estimate.monitor.finding import Finding, health_code
from simcore.messages import Labels, Message
from twin.runtime.frames import Frame
from webui.fleet.last_frames import Seen
from webui.messages import render
from webui.units import System

Level = Literal["act", "plan", "stale", "ok"]
LEVELS: tuple[Level, ...] = ("act", "plan", "stale", "ok")  # most urgent first

MANY_SENSORS = 2  # out at once: the twin has too few readings left
UNFIT_FACTOR = 1.5  # times the bound that a consistent filter exceeds 2.5 % of the time: avoids chance alarms
LATE_US = 1_000_000  # from the arrival of a sample to the frame that holds it
OVERLOAD = 0.9  # processor time per machine time; at 1 the twin cannot keep up

_ADVICE = {
    "stuck": "advice.check_sensor",
    "silent": "advice.check_cable",
    "biased": "advice.calibrate",
    "disagrees": "advice.check_both",
    "outlying": "advice.check_sensor",
}


class Severity(NamedTuple):
    level: Level
    cause: str  # for programs: a fixed word per cause
    message: Message  # what is wrong
    more: Message | None = None  # what to do, or what follows
    since_us: int = 0  # machine time; 0: not known

    def text(self, units: System = "metric", labels: Labels | None = None) -> str:
        """Return the text for people, without the advice.

        For a failure it includes the code, which leads to the details.
        """
        text = render(self.message, units, labels)
        return f"{text} ({self.message.code})" if self.cause == "failed" else text

    def more_text(self, units: System = "metric", labels: Labels | None = None) -> str:
        return render(self.more, units, labels) if self.more else ""


def judge(seen: Seen) -> Severity:
    frame = seen.frame
    if seen.status == "unknown":
        return Severity("stale", "unknown", Message("status.unknown"))
    if frame is None or (seen.age_s is None and seen.status != "failed"):
        return Severity("stale", "waiting", Message("status.waiting"))
    if seen.status == "failed":
        return Severity("act", "failed", frame.cause or Message("twin.stopped"), _retry(frame))
    if seen.status == "stale":
        silent = Message("status.silent", {"age": seen.age_s or 0.0})
        return Severity("stale", "silent", frame.cause or silent)
    return _followed(frame) or _coasting_or_well(seen)


def _followed(frame: Frame) -> Severity | None:
    """Return the fault of a machine that sends data; None if there is none."""
    faults = [finding for finding in frame.findings if not finding.is_note]
    twin = next((finding for finding in faults if not finding.channel), None)
    if twin is not None and twin.kind == "slow":
        return Severity("plan", "telemetry", _found(twin), since_us=twin.since)
    if twin is not None:
        return Severity("act", "diverged", _found(twin), since_us=twin.since)
    if len(faults) >= MANY_SENSORS:
        names = [finding.channel for finding in faults]
        few = Message("status.few_sensors", {"count": len(names), "names": names})
        return Severity("act", "sensors", few, since_us=min(finding.since for finding in faults))
    if faults:
        sensor = faults[0]
        advice = Message(_ADVICE.get(sensor.kind, "advice.check_sensor"))
        return Severity("plan", "sensor", _found(sensor), advice, sensor.since)
    cause = next((finding for finding in frame.findings if finding.kind in ("cause", "offset")), None)
    if cause is not None:
        advice = Message("advice.calibrate" if cause.channel else "advice.inspect")
        return Severity("plan", "cause", _found(cause), advice, cause.since)
    if frame.health is not None and frame.health.nis > UNFIT_FACTOR * frame.health.high:
        return Severity("plan", "inconsistent", Message("status.unfit"))
    if frame.lag_us > LATE_US:
        return Severity("plan", "late", Message("status.late", {"age": frame.lag_us / 1e6}))
    if frame.load > OVERLOAD:
        return Severity("plan", "overload", Message("status.overload", {"share": frame.load}))
    return None


def _coasting_or_well(seen: Seen) -> Severity:
    if seen.status == "coasting":
        return Severity("ok", "coasting", Message("status.predicting", {"age": seen.age_s or 0.0}))
    return Severity("ok", "well", Message("status.well"))


def _found(finding: Finding) -> Message:
    """Return the message of a finding; without a code, it depends only on the finding's kind."""
    if finding.code:
        return finding.message
    return Message("sensor.faulty", {"sensor": finding.channel}) if finding.channel else Message("twin.lost")


def _retry(frame: Frame) -> Message | None:
    if frame.failures < 2:
        return None
    return Message("twin.retry", {"count": frame.failures, "retry": frame.retry_s})


def health_text(frame: Frame | None, units: System = "metric") -> str:
    """Describe the estimates and the sensors in a few words, for a table column."""
    if frame is None:
        return "–"
    out = sum(bool(finding.channel) and not finding.is_note for finding in frame.findings)
    excluded = Message("health.excluded", {"count": out})
    return render(excluded if out else Message(health_code(frame.health)), units)
