"""Which finding names which cause. Any other finding is about the twin and names no culprit."""

from __future__ import annotations

from collections.abc import Iterable

from simcore.estimate.monitor.finding import Finding
from tests.field.causes import Cause

# by beginning of the code; the first that fits counts
_NAMES = (
    ("cause.group", "group"),
    ("cause.", "cause"),
    ("clock.", "clock"),
    ("sensor.silent", "sensor"),
    ("sensor.stuck", "sensor"),
    ("sensor.biased", "sensor"),
    ("sensor.outlying", "sensor"),
    ("sensor.quantised", "sensor"),
    ("sensor.faulty", "sensor"),
)
# right codes of each cause, by beginning; a lag of the commands may be the spool's or the link's
_RIGHT = {
    "none": (),
    "load-in-air": (),
    "pump": ("cause.pump", "cause.supply"),
    "oil": ("cause.oil",),
    "dead-band": ("cause.dead_band",),
    "spool": ("cause.spool", "cause.command_late", "cause.lag"),
    "commands-late": ("cause.command_late", "cause.spool", "cause.lag"),
    "leakage": ("cause.leakage",),
    "mass": ("cause.mass",),
    "angle-bias": ("sensor.biased",),
    "pressure-bias": ("sensor.biased",),
    "stuck": ("sensor.stuck",),
    "quantised": ("sensor.quantised",),
    "outliers": ("sensor.outlying",),
    "pressures-late": ("cause.late",),
    "clock": ("clock.skew", "clock.step", "clock."),
    "behind": ("clock.behind",),
    "other-engine": ("sensor.biased", "cause."),  # its encoder, and every law of the machine
}
# codes that say that the estimates are not to be trusted, and that a payload is not
UNTRUSTED_PAYLOAD = "payload.untrusted"
UNFIT = ("health.unfit", "model.unfit", "twin.unfit", "rate.")

Name = tuple[str, str]  # code and channel (or causes of a group)


def named(findings: Iterable[Finding]) -> set[Name]:
    """Culprits that these findings name."""
    return {
        (f.code, f.channel or _parts(f))
        for f in findings
        if any(f.code.startswith(begin) for begin, _ in _NAMES)
    }


def _parts(finding: Finding) -> str:
    causes = finding.values.get("causes", finding.values.get("part", ""))
    return ",".join(map(str, causes)) if isinstance(causes, list | tuple) else str(causes)


def _in_group(one: str, right: tuple[str, ...], cause: Cause) -> bool:
    """Whether a member of a group is the cause. Masses, leaks and sensors go by the name of their part."""
    if one.startswith("cause."):
        return one.replace("cause.name.", "cause.").startswith(right)
    return bool(cause.part) and one in (cause.part, f"{cause.part} piston leakage")


def blames_sensor(name: Name) -> bool:
    """Whether a sensor alone is named."""
    return name[0].startswith("sensor.")


def is_right(name: Name, cause: Cause) -> bool:
    """Whether the culprit is the true one; of a sensor's fault the right sensor."""
    code, part = name
    right = _RIGHT[cause.name]
    if code.startswith("cause.group"):
        return any(_in_group(one, right, cause) for one in part.split(","))
    if not any(code.startswith(begin) for begin in right):
        return False
    return not (code.startswith("sensor.") and cause.part) or part == cause.part
