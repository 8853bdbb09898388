"""What machines and twins say, in the reader's language.

Descriptions of machines, findings of the watch and reasons of a failure come in English from simcore, and
programs read them so. Only pages translate them, here and (what arrives in frames) in the browser, whose
script gets the same patterns from tools/translations.
"""

import re
from collections.abc import Iterable
from functools import cache

from django.utils.formats import get_format
from django.utils.translation import pgettext

MACHINE = "machine"  # context in the catalogue of what a description names
SENTENCE = "sentence"  # and of what a twin says

# sentences of the sensor monitor, simcore.errors and twin.runtime; a test makes them there and looks here
_SENSOR = "Sensor '{sensor}' ({kind}, {channel})"
SENTENCES = (
    "The twin has not followed its machine: most sensors contradict it"
    " (squared innovations {times} times as large as they should be).",
    _SENSOR + " has sent nothing; it should send at least {rate} readings per second.",
    _SENSOR + " has shown the same {reading}, while it should have changed by {change}.",
    _SENSOR + " has shown the same {reading}, which contradicts what the others say.",
    _SENSOR + " has shown the same {reading}, although the machine moves and noise alone makes {noise}.",
    _SENSOR + " has read too high, by {shift} or more against what the others say.",
    _SENSOR + " has read too low, by {shift} or more against what the others say.",
    _SENSOR + " has sent wild readings: {share} % of the last ones cannot be.",
    "catching up with {seconds} s of telemetry",
    "diverged at t = {time} s: {quantity}; the last good state is kept"
    " (failed {count} times in a row, tries again after {again} s)",
    "diverged at t = {time} s: {quantity}; the last good state is kept",
    # what stands in these in turn
    "covariance or state is no longer finite",
    "a correction led to a position or a covariance that cannot be",
    "the first sample places a piston outside its tube",
    "the balance of forces places a piston outside its tube",
    "a loop cannot be closed at this position",
    "joint of '{part}'",
    "pressure of '{part}'",
    "friction state of '{part}'",
    "torque of '{part}'",
    "fill of '{part}'",
    "piston of '{part}' left its tube",
    "joint encoder",
    "gyro",
    "inclinometer",
    "cylinder length",
    "draw wire",
    "chamber pressure",
    "pump pressure",
    "wheel speed",
    "tachometer",
    "load cell",
)
# how a figure of the quality scale was measured (simcore.machines.quality)
MEASURED = (
    "share of its {count} parameters that are printed, completed or in a standard; not weighted",
    "start pressures from virtual work, accelerations from the equations of motion, in {count} poses:"
    " change of force that would stop all motion, of the largest force",
    "start pressures from virtual work, accelerations from the equations of motion, in 1 pose:"
    " change of force that would stop all motion, of the largest force",
    "{work}, {time} s in steps of 1 ms: what the books of all elements leave over, of what was given",
    "{work}, {time} s with the same levers in steps of 1 ms and of half: change of the end, of each range",
    "{work}, {time} s: highest pressure of all volumes over relief + 20 %;"
    " 2 where one fell to vapour pressure",
    "values beyond each end of each range, unknown choices, cylinders too short for a pose",
    "values beyond each end of each range, unknown choices",
    "{count} machines of {time} s drawn from what the filter assumes, {states} states, own sensors:"
    " normalised square of its errors, one expected, between the 95 % bounds of an honest filter",
)
_NUMBER = re.compile(r"(?<![\d.])(\d+)\.(\d+)(?![\d.])")


def named(text: str) -> str:
    """A part, a channel, a parameter or a kind of machine."""
    return pgettext(MACHINE, text) if text else text


def sentence(text: str, patterns: Iterable[str] = SENTENCES, context: str = SENTENCE) -> str:
    """A sentence with numbers, names and further sentences in it; what nobody knows stays as it is."""
    pattern = pattern_of(text, patterns)
    if pattern is None:
        return local(named(text))
    found = re.fullmatch(expression(pattern), text)
    parts = {name: sentence(part) for name, part in found.groupdict().items()} if found else {}
    return pgettext(context, pattern).format(**parts)


def pattern_of(text: str, patterns: Iterable[str]) -> str | None:
    """The pattern that a text is made of."""
    return next((pattern for pattern in patterns if re.fullmatch(expression(pattern), text)), None)


def measured(text: str) -> str:
    """How a figure was measured."""
    return sentence(text, MEASURED, MACHINE)


def local(text: str) -> str:
    """Numbers in a text with the decimal separator of the reader's language; names such as hose.p stay."""
    return _NUMBER.sub(rf"\1{get_format('DECIMAL_SEPARATOR')}\2", text)


@cache
def expression(pattern: str, group: str = "(?P<{}>.+?)") -> str:
    """A regular expression for what a pattern can be filled to."""
    parts = re.split(r"\{(\w+)\}", pattern)
    return "".join(group.format(part) if i % 2 else re.escape(part) for i, part in enumerate(parts))
