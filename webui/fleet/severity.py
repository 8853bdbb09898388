"""Decides how urgently a machine needs attention, and why.

act     look now: the twin has stopped or lost its machine, or several sensors are out
plan    it works, but needs attention soon: a sensor, a model that no longer fits, a twin that is late
stale   unknown: no data
ok      the twin follows its machine

The texts are made here, in the reader's language.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from twin.runtime.frames import Finding, Frame, Health
from webui.fleet.last_frames import Seen
from webui.words import local, named, sentence

Level = Literal["act", "plan", "stale", "ok"]
LEVELS: tuple[Level, ...] = ("act", "plan", "stale", "ok")  # most urgent first

MANY_SENSORS = 2  # out at once: the twin has too few readings left
NOT_HONEST = 1.5  # times the bound that a consistent filter exceeds 2.5 % of the time: avoids chance alarms
LATE_US = 1_000_000  # from the arrival of a sample to the frame that holds it
OVERLOAD = 0.9  # processor time per machine time; at 1 the twin cannot keep up


class Severity(NamedTuple):
    level: Level
    cause: str  # for programs: a fixed word per cause
    text: str  # for people: what is wrong and what to do


def judge(seen: Seen, labels: Mapping[str, str]) -> Severity:
    """`labels`: display names by channel."""
    frame = seen.frame
    if seen.status == "unknown":
        return Severity("stale", "unknown", _("The telemetry server does not answer."))
    if frame is None or (seen.age_s is None and seen.status != "failed"):
        return Severity("stale", "waiting", _("No data yet: its device has not sent a sample."))
    if seen.status == "failed":
        reason = (sentence(frame.reason) or _("no reason was given")).rstrip(".")
        return Severity("act", "failed", _("The twin has stopped: %(reason)s.") % {"reason": reason})
    if seen.status == "stale":
        return Severity("stale", "silent", _silent(frame, seen.age_s or 0.0))
    return _followed(frame, labels) or _coasting_or_well(seen)


def _followed(frame: Frame, labels: Mapping[str, str]) -> Severity | None:
    """The fault of a machine that sends data; None if there is none."""
    twin = next((finding for finding in frame.findings if not finding.channel), None)
    if twin is not None:
        return Severity("act", "diverged", sentence(twin.text))
    if len(frame.findings) >= MANY_SENSORS:
        return Severity("act", "sensors", _sensors(frame.findings, labels))
    if frame.findings:
        return Severity("plan", "sensor", _sensor(frame.findings[0], labels))
    if frame.health is not None and frame.health.nis > NOT_HONEST * frame.health.high:
        return Severity("plan", "inconsistent", _inconsistent(frame.health))
    if frame.lag_us > LATE_US:
        text = _("The twin is %(age)s behind: the platform cannot keep up.")
        return Severity("plan", "late", text % {"age": age_text(frame.lag_us / 1e6)})
    if frame.load > OVERLOAD:
        text = _("The twin needs %(percent)d %% of real time: it will soon fall behind.")
        return Severity("plan", "overload", text % {"percent": round(100 * frame.load)})
    return None


def _coasting_or_well(seen: Seen) -> Severity:
    if seen.status == "coasting":
        return Severity("ok", "coasting", _("A pause in the data: the model runs on alone."))
    return Severity("ok", "well", _("The twin follows the machine."))


def _silent(frame: Frame, age_s: float) -> str:
    if frame.reason:
        return _("The twin is %(reason)s.") % {"reason": sentence(frame.reason.rstrip("."))}
    return _("No data for %(age)s: check the device and its connection.") % {"age": age_text(age_s)}


def _sensor(finding: Finding, labels: Mapping[str, str]) -> str:
    name = named(labels.get(finding.channel, finding.channel))
    words = {
        "stuck": _("%(sensor)s: the sensor is stuck. Check it; the twin goes on without it."),
        "silent": _("%(sensor)s: the sensor is silent. Check its cable; the twin goes on without it."),
        "biased": _("%(sensor)s: the sensor reads wrong by a constant. Calibrate it."),
        "outlying": _("%(sensor)s: the sensor shows impossible values. Check it."),
    }
    return words.get(finding.kind, "%(sensor)s: " + sentence(finding.text)) % {"sensor": name}


def _sensors(findings: Sequence[Finding], labels: Mapping[str, str]) -> str:
    names = [named(labels.get(finding.channel, finding.channel)) for finding in findings]
    text = _("%(count)d sensors are out: %(names)s. The twin rests on few readings.")
    return text % {"count": len(names), "names": ", ".join(names)}


def _inconsistent(health: Health) -> str:
    text = _("Readings differ from the twin more than it allows (NIS %(nis).1f, honest to %(high).1f).")
    return local(text % {"nis": health.nis, "high": health.high})


def age_text(seconds: float) -> str:
    """An age in whole units, as the browser formats it too."""
    if seconds < 119.5:
        return _("%(n)d s") % {"n": round(seconds)}
    if seconds < 119.5 * 60:
        return _("%(n)d min") % {"n": round(seconds / 60)}
    if seconds < 47.5 * 3600:
        return _("%(n)d h") % {"n": round(seconds / 3600)}
    return _("%(n)d d") % {"n": round(seconds / 86400)}


def health_text(frame: Frame | None) -> str:
    """Filter and sensors in a few words, for a table column."""
    if frame is None:
        return "–"
    out = sum(bool(finding.channel) for finding in frame.findings)
    if out:
        return ngettext("%(n)d sensor out", "%(n)d sensors out", out) % {"n": out}
    if frame.health is None:
        return _("too few readings")
    if frame.health.nis > frame.health.high:
        text = _("too sure, NIS %(nis).2f")
    elif frame.health.nis < frame.health.low:
        text = _("cautious, NIS %(nis).2f")
    else:
        text = _("honest, NIS %(nis).2f")
    return local(text % {"nis": frame.health.nis})
