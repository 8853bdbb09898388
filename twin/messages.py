"""Defines the platform's messages about twins, and renders these and simcore's messages in English."""

from datetime import UTC, datetime
from typing import Any

from simcore import messages
from simcore.errors import Diverged, SimcoreError
from simcore.messages import Labels, Message, Template

TEMPLATES: dict[str, Template] = messages.TEMPLATES | {
    # why a twin shows nothing now
    "twin.catching_up": Template("Catching up: {behind} of telemetry still to process", {"behind": "span"}),
    "twin.retry": Template(
        "Failed {count} times in a row; next attempt after {retry}",
        {"count": "count", "retry": "span"},
        detail="failed {count} times in a row; next attempt after {retry}",
    ),
    "twin.not_built": Template(
        "The twin cannot be built: the machine's parameters are not valid",
        {"error": "text"},
        detail="{error}",
    ),
    "twin.internal_error": Template(
        "The twin stopped because of an internal error", {"error": "text"}, detail="{error}"
    ),
    "twin.stopped": Template("The twin stopped", {"error": "text"}, detail="{error}"),
    # the sender's clock
    "clock.behind": Template(
        "Telemetry arrives {behind} s after its time stamp: the sender is behind, or its clock is slow",
        {"behind": "number"},
    ),
    "clock.ahead": Template(
        "The sender's clock is {ahead} s ahead of the server's clock", {"ahead": "number"}
    ),
    "clock.set.forward": Template("The sender's clock was set forward by {step} s", {"step": "number"}),
    "clock.set.back": Template("The sender's clock was set back by {step} s", {"step": "number"}),
    "clock.skew.fast": Template("The sender's clock gains {rate} s per hour", {"rate": "number"}),
    "clock.skew.slow": Template("The sender's clock loses {rate} s per hour", {"rate": "number"}),
    # what to do
    "advice.check_sensor": Template("Check the sensor", {}),
    "advice.check_both": Template("Check the sensor, then the machine", {}),
    "advice.check_cable": Template("Check the sensor's cable", {}),
    "advice.inspect": Template("Inspect the machine, or correct its description", {}),
    "advice.calibrate": Template("Calibrate the sensor", {}),
    # how a machine is
    "status.well": Template("The twin follows the machine", {}),
    "status.excluded": Template(
        "Running on estimates: {count} sensors excluded",
        {"count": "count"},
        one="Running on estimates: {count} sensor excluded",
    ),
    "status.predicting": Template("No data for {age}; showing prediction", {"age": "span"}),
    "status.waiting": Template("No data yet: the device has not sent a sample", {}),
    "status.silent": Template("No data for {age}: check the device and its connection", {"age": "span"}),
    "status.unknown": Template("The telemetry server is not responding", {}),
    "status.few_sensors": Template(
        "{count} sensors excluded: {names}. Without them, the estimates are less reliable",
        {"count": "count", "names": "channels"},
    ),
    "status.unfit": Template("Readings don't match the model: inspect the machine", {}),
    "status.late": Template("Live view delayed by {age}: the platform cannot keep up", {"age": "span"}),
    "status.overload": Template(
        "The twin needs {share} of its available computing time and may soon fall behind", {"share": "share"}
    ),
}


def failure(error: Exception, *, building: bool = False) -> Message:
    """Return a message that says why a twin stopped or could not be built."""
    if isinstance(error, Diverged):
        return error.message
    text = str(error) or type(error).__name__
    if building and isinstance(error, SimcoreError):
        return Message("twin.not_built", {"error": text})
    return Message("twin.internal_error", {"error": text})


def english(message: Message, labels: Labels | None = None) -> str:
    """Render a message in English, for people who read the output of programs; instants are in UTC."""
    return messages.english(message, labels, templates=TEMPLATES, instant=_utc)


def detail(message: Message) -> str:
    """Render a message for logs and programs, with the technical reason if there is one."""
    return messages.english(message, templates=TEMPLATES, instant=_utc, detail=True)


def _utc(us: Any) -> str:
    return datetime.fromtimestamp(us / 1e6, UTC).strftime("%Y-%m-%d %H:%M UTC")
