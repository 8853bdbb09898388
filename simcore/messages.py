"""Represents messages as data: a code with values, and an English template for every code.

Numbers are in SI units and times in microseconds. Each value has a kind, which decides how it is written: a
quantity (pressure, angle ...), a name, a count, a span of time, an instant. Three functions fill a template:
`english` for the command line, logs and programs; webui/messages.py for pages and
webui/frontend/src/messages.ts for the browser, both in the reader's language and units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Value = str | int | float | list[str]
Labels = Mapping[str, str]  # channel -> what people call it

# quantity -> SI to metric, unit; the same as webui/units.json
QUANTITIES: dict[str, tuple[float, str]] = {
    "pressure": (1e-5, "bar"),
    "angle": (57.29577951308232, "°"),
    "rate": (57.29577951308232, "°/s"),
    "length": (1.0, "m"),
    "height": (1.0, "m"),
    "speed": (3.6, "km/h"),
    "tool_speed": (1.0, "m/s"),
    "mass": (1e-3, "t"),
    "force": (1e-3, "kN"),
    "flow": (6e4, "L/min"),
    "power": (1e-3, "kW"),
    "energy": (2.777777777777778e-7, "kWh"),
    "duration": (2.777777777777778e-4, "h"),
    "revolutions": (9.549296585513721, "rpm"),
    "torque": (1.0, "N m"),
    "fuel": (3600.0, "kg/h"),
    "fuel_mass": (1.0, "kg"),
    "volume": (1.0, "m³"),
    "voltage": (1.0, "V"),
}
# kinds of values that are not quantities
KINDS = {
    "channel": "name of a channel; people read its label",
    "channels": "names of several channels",
    "causes": "several causes: codes of messages without values, names of channels and of parts",
    "name": "name of a part or a work cycle in the machine's description",
    "text": "unchanged text, such as an error message",
    "quantity": "quantity of the values of kind reading; not shown itself",
    "reading": "number in SI units of the quantity that the value `quantity` names",
    "count": "whole number",
    "ordinal": "whole number, as 3rd",
    "number": "number without a unit, at most one decimal",
    "ratio": "number without a unit, two decimals",
    "share": "0 to 1, shown in per cent",
    "span": "s, shown as a whole number of s, min, h or d",
    "seconds": "s, one decimal",
    "step": "s, shown in ms",
    "time": "s since the start of a run; in details only",
    "instant": "microseconds, since the start of a run in simcore and since 1970 on the platform",
}


@dataclass(frozen=True)
class Message:
    """A message as data: a code and its values."""

    code: str
    values: dict[str, Value] = field(default_factory=dict)


class Template(NamedTuple):
    """The English template of a message code.

    text: for people; pages translate it. one: the text if the value `count` is 1, where it differs.
    detail: for logs and programs, never on a page; its part `quantity` says which quantity failed.
    """

    text: str
    kinds: Mapping[str, str]  # of the values, by name
    one: str = ""
    detail: str = ""
    quantity: str = ""


def _solver(text: str, quantity: str, **kinds: str) -> Template:
    detail = f"diverged at t = {{time}}: {quantity}; the last good state is kept"
    return Template(text, {"time": "time", **kinds}, detail=detail, quantity=quantity)


_READING = {"sensor": "channel", "quantity": "quantity"}
_CYCLE = {"cycle": "name", "seconds": "seconds"}

_PART_SHARE = {"part": "name", "share": "share"}
_SPEED = {"speed": "revolutions"}

TEMPLATES: dict[str, Template] = {
    # sensors
    "sensor.silent": Template(
        "{sensor} sensor silent (expected: at least {rate} readings per second)",
        {"sensor": "channel", "rate": "number"},
    ),
    "sensor.stuck.model": Template(
        "{sensor} sensor stuck at {reading} (expected change {change})",
        {**_READING, "reading": "reading", "change": "reading"},
    ),
    "sensor.stuck.others": Template(
        "{sensor} sensor stuck at {reading} (contradicts the other sensors)",
        {**_READING, "reading": "reading"},
    ),
    "sensor.stuck.noise": Template(
        "{sensor} sensor stuck at {reading} while the machine moves (even its usual noise of {noise} is"
        " missing)",
        {**_READING, "reading": "reading", "noise": "reading"},
    ),
    "sensor.biased.high": Template(
        "{sensor} sensor reads {shift} too high", {**_READING, "shift": "reading"}
    ),
    "sensor.biased.low": Template("{sensor} sensor reads {shift} too low", {**_READING, "shift": "reading"}),
    "sensor.disagrees.high": Template(
        "{sensor} sensor reads {shift} more than the model expects: one of them is wrong",
        {**_READING, "shift": "reading"},
    ),
    "sensor.disagrees.low": Template(
        "{sensor} sensor reads {shift} less than the model expects: one of them is wrong",
        {**_READING, "shift": "reading"},
    ),
    "sensor.outlying": Template(
        "{sensor} sensor sends impossible values ({share} of its recent readings)",
        {"sensor": "channel", "share": "share"},
    ),
    "sensor.quantised": Template(
        "{sensor} sensor reads in steps of {step} (its noise is described as {noise})",
        {**_READING, "step": "reading", "noise": "reading"},
    ),
    "sensor.faulty": Template("{sensor} sensor faulty", {"sensor": "channel"}),
    # what differs between a machine and its description
    "cause.pump.low": Template("{part} delivers {share} less than described", _PART_SHARE),
    "cause.pump.high": Template("{part} delivers {share} more than described", _PART_SHARE),
    "cause.valve.low": Template("{part} lets {share} less oil through than described", _PART_SHARE),
    "cause.valve.high": Template("{part} lets {share} more oil through than described", _PART_SHARE),
    "cause.oil.low": Template("Oil is {share} softer than described: warm, or with air", {"share": "share"}),
    "cause.oil.high": Template("Oil is {share} stiffer than described", {"share": "share"}),
    "cause.mass.low": Template("{part} is {mass} lighter than described", {"part": "name", "mass": "mass"}),
    "cause.mass.high": Template("{part} is {mass} heavier than described", {"part": "name", "mass": "mass"}),
    "cause.governor.low": Template("The engine runs {speed} slower than described", _SPEED),
    "cause.governor.high": Template("The engine runs {speed} faster than described", _SPEED),
    "cause.dead_band": Template(
        "Valves open only after {share} of their travel (dead band)", {"share": "share"}
    ),
    "cause.leakage": Template(
        "{part}: {flow} more than described at 200 bar", {"part": "name", "flow": "flow"}
    ),
    "cause.command_late": Template(
        "Valves act {delay} later than described: slow spools or late commands", {"delay": "step"}
    ),
    "cause.command_early": Template("Valves act {delay} earlier than described", {"delay": "step"}),
    "cause.late": Template("Pressures are stamped {delay} late", {"delay": "step"}),
    "cause.early": Template("Pressures are stamped {delay} early", {"delay": "step"}),
    "cause.group": Template(
        "The machine differs from its description; the cause is one of: {causes}", {"causes": "causes"}
    ),
    "cause.name.pump": Template("pump delivery", {}),
    "cause.name.oil": Template("stiffness of the oil", {}),
    "cause.name.dead_band": Template("dead band of the valves", {}),
    "cause.name.command_late": Template("late commands or slow spools", {}),
    "cause.name.late": Template("time stamps of the pressures", {}),
    "cause.name.governor": Template("engine speed setting", {}),
    # the twin as a whole
    "twin.lost": Template("The twin no longer follows the machine", {}),
    "twin.contradicted": Template(
        "The twin no longer follows the machine: most sensors contradict the twin",
        {"times": "number"},
        detail="most sensors contradict the twin: squared innovations are {times} times the expected size",
    ),
    "twin.restarted": Template("The twin lost track of the machine and restarted from the sensors", {}),
    "twin.restarted.again": Template(
        "The twin lost track of the machine and restarted from the sensors ({times} time since {since})",
        {"times": "ordinal", "since": "instant"},
    ),
    # the telemetry as a whole
    "telemetry.slow": Template(
        "Samples arrive too rarely: {rate} per second, and the twin needs {needed}."
        " Pressures and speeds are less certain",
        {"rate": "number", "needed": "number"},
    ),
    "telemetry.sparse": Template(
        "Samples arrive only {rate} times per second: the twin shows positions and load,"
        " but no pressures or speeds without a sensor",
        {"rate": "number"},
    ),
    # do readings and model agree?
    "health.unknown": Template("Too few readings to judge the estimates", {}),
    "health.reliable": Template(
        "Estimates reliable", {}, detail="mean squared innovation within its 95 % bounds"
    ),
    "health.cautious": Template(
        "Estimates reliable", {}, detail="mean squared innovation below its 95 % bounds"
    ),
    "health.unfit": Template(
        "Model no longer fits", {}, detail="mean squared innovation above its 95 % bounds"
    ),
    "health.excluded": Template(
        "{count} sensors excluded", {"count": "count"}, one="{count} sensor excluded"
    ),
    # why a payload cannot be trusted now
    "payload.untrusted.started": Template("Not yet weighed: the twin has just started", {}),
    "payload.untrusted.gap": Template("Not yet weighed: readings have just come back after a gap", {}),
    "payload.untrusted.soil": Template("Not weighed while the bucket digs or is open", {}),
    "payload.untrusted.settling": Template("The load has just changed and is still settling", {}),
    "payload.untrusted.sensor": Template(
        "Not trustworthy: the {sensor} sensor is excluded", {"sensor": "channel"}
    ),
    "payload.untrusted.unfit": Template("Not trustworthy: the model does not fit the readings", {}),
    "payload.untrusted.end_stop": Template(
        "Not weighed: the cylinder that lifts the load is at its end stop", {}
    ),
    "payload.untrusted.leverage": Template(
        "Not weighed: in this position the load hardly changes the pressures", {}
    ),
    "payload.untrusted.light": Template("Loads below {least} are too light to weigh", {"least": "mass"}),
    # a run whose result may not be accurate
    "run.drift": Template(
        "Energy that no element explains: {share} of the energy moved; use a shorter step",
        {"share": "share"},
    ),
    "run.gap": Template(
        "Loops of the linkage opened by up to {gap} µm; use a shorter step", {"gap": "number"}
    ),
    "run.divided": Template(
        "{count} of {steps} steps had to be divided; use a shorter step",
        {"count": "number", "steps": "number"},
    ),
    "run.stiff": Template(
        "Pressure settles within {time} µs, which is much faster than the step, in this volume: {part}. Use"
        " the damped rule or leave the volume out",
        {"part": "name", "time": "number"},
    ),
    # a model or a filter that cannot go on
    "model.joint": _solver(
        "The twin stopped: it could not calculate the motion of this part: {part}",
        "joint of '{part}'",
        part="name",
    ),
    "model.pressure": _solver(
        "The twin stopped: it could not calculate the pressure in this part: {part}",
        "pressure of '{part}'",
        part="name",
    ),
    "model.friction": _solver(
        "The twin stopped: it could not calculate the friction of this part: {part}",
        "friction state of '{part}'",
        part="name",
    ),
    "model.torque": _solver(
        "The twin stopped: it could not calculate the torque of this part: {part}",
        "torque of '{part}'",
        part="name",
    ),
    "model.fill": _solver(
        "The twin stopped: it could not calculate the amount of soil at this part: {part}",
        "fill of '{part}'",
        part="name",
    ),
    "model.stroke": _solver(
        "The twin stopped: its model moved this cylinder beyond the end of the stroke: {part}",
        "piston of '{part}' left its tube",
        part="name",
    ),
    "model.singular": _solver(
        "The twin stopped: the linkage is in a position from which it can move in several ways: {part}",
        "the loops '{part}' are in a singular position, where their motion is not determined",
        part="name",
    ),
    "model.linkage": _solver(
        "The twin stopped: the parts of the linkage do not fit together in the measured position",
        "a loop cannot be closed at this position",
    ),
    "filter.not_finite": _solver(
        "The twin stopped: its estimates became unusable", "covariance or state is no longer finite"
    ),
    "filter.refused": _solver(
        "The twin ignored a sample that would have led to an impossible state",
        "a correction led to an impossible position or covariance",
    ),
    "start.stroke": Template(
        "The twin cannot start: {sensor} reads a position far beyond a cylinder's stroke."
        " Check unit, sign and zero point of the sensor",
        {"sensor": "channel", "time": "time"},
        detail="no twin: {sensor} reads a position far beyond a cylinder's stroke",
        quantity="a position far beyond a cylinder's stroke",
    ),
    # how figures of the quality scale are measured
    "quality.sources": Template(
        "Share of the {count} parameters whose values are published, derived from a publication or taken"
        " from a standard; all parameters count equally",
        {"count": "count"},
    ),
    "quality.forces": Template(
        "The cylinder forces that hold the machine still are calculated from virtual work, in {count}"
        " poses. Result: largest correction of these forces that the equations of motion require, relative to"
        " the largest force",
        {"count": "count"},
        one="The cylinder forces that hold the machine still are calculated from virtual work, in {count}"
        " pose. Result: largest correction of these forces that the equations of motion require, relative to"
        " the largest force",
    ),
    "quality.energy": Template(
        "{cycle}, simulated for {seconds} with a time step of {step}. Result: largest error of the energy"
        " balance, relative to the supplied energy",
        {**_CYCLE, "step": "step"},
    ),
    "quality.steps": Template(
        "{cycle}, simulated for {seconds} with a time step of {step}, then again with half that step and the"
        " same lever positions. Result: largest difference between the two final states, relative to the"
        " range of each quantity",
        {**_CYCLE, "step": "step"},
    ),
    "quality.pressures": Template(
        "{cycle}, simulated for {seconds}. Result: highest pressure in the circuit, divided by 1.2 times the"
        " relief pressure; the result is 2 if any pressure fell to vapour pressure",
        _CYCLE,
    ),
    "quality.refusals": Template(
        "Tested with values below and above every allowed range, and with choices that do not exist", {}
    ),
    "quality.refusals.cylinders": Template(
        "Tested with values below and above every allowed range, with choices that do not exist, and with"
        " cylinders that are too short to reach a pose",
        {},
    ),
    "quality.estimator": Template(
        "A twin follows {count} simulated machines for {seconds} each. These machines deviate from the model"
        " at random, as much as the twin assumes. Result: mean squared error of the {states} estimated"
        " quantities, relative to the uncertainty that the twin reports. The expected result is 1; the target"
        " is the 95 % range around 1",
        {"count": "count", "seconds": "seconds", "states": "count"},
    ),
}


def since_start(us: Any) -> str:
    """Formats a time since the start of a run."""
    return f"{us / 1e6:.1f} s"


def english(
    message: Message,
    labels: Labels | None = None,
    *,
    templates: Mapping[str, Template] = TEMPLATES,
    instant: Callable[[Any], str] = since_start,
    detail: bool = False,
) -> str:
    """The message in English and metric units. detail: prefer the template for logs and programs.

    A code that this version does not know is shown with its raw values.
    """
    template = templates.get(message.code)
    if template is None:
        return " ".join([message.code, *(f"{name}={value}" for name, value in message.values.items())])
    text = template.one if template.one and message.values.get("count") == 1 else template.text
    return fill(template.detail if detail and template.detail else text, message, template, labels, instant)


def quantity_text(message: Message) -> str:
    """The quantity that failed in a solver, for example "joint of 'crank'"."""
    template = TEMPLATES[message.code]
    return fill(template.quantity or template.text, message, template)


def fill(
    text: str,
    message: Message,
    template: Template,
    labels: Labels | None = None,
    instant: Callable[[Any], str] = since_start,
) -> str:
    shown: dict[str, str] = {}
    for name, value in message.values.items():
        kind = template.kinds.get(name, "text")
        if kind == "reading":
            kind = str(message.values["quantity"])
        shown[name] = instant(value) if kind == "instant" else _shown(value, kind, labels or {})
    return text.format_map(_Missing(shown))


class _Missing(dict[str, str]):
    """Shows a dash for a value that another version did not send."""

    def __missing__(self, key: str) -> str:
        return "–"


def _shown(value: Any, kind: str, labels: Labels) -> str:
    if isinstance(value, list):
        known = {name: TEMPLATES[name].text for name in value if name in TEMPLATES}
        return ", ".join(known.get(name, labels.get(name, name)) for name in value)
    if isinstance(value, str):
        return labels.get(value, value) if kind == "channel" else value
    if kind in QUANTITIES:
        factor, unit = QUANTITIES[kind]
        return f"{three_digits(value * factor)}{'' if unit.startswith('°') else ' '}{unit}"
    return _FORMATS.get(kind, str)(value)


def three_digits(value: float) -> str:
    """The number with three digits, or with all digits before the decimal point if there are more."""
    return f"{value:.3g}" if abs(value) < 999.5 else f"{value:.0f}"


def ordinal(n: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th."""
    ending = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def span_parts(seconds: float) -> tuple[int, str]:
    """A span of time as a whole number and its unit: s, min, h or d."""
    for unit, length, most in (("s", 1.0, 119.5), ("min", 60.0, 119.5), ("h", 3600.0, 47.5)):
        if seconds / length < most:
            return math.floor(seconds / length + 0.5), unit
    return math.floor(seconds / 86400.0 + 0.5), "d"


def _span(seconds: float) -> str:
    number, unit = span_parts(seconds)
    return f"{number} {unit}"


_FORMATS: dict[str, Callable[[Any], str]] = {
    "count": lambda x: f"{x:.0f}",
    "ordinal": lambda x: ordinal(int(x)),
    "number": lambda x: f"{x:.1f}".removesuffix(".0"),
    "ratio": lambda x: f"{x:.2f}",
    "share": lambda x: f"{100 * x:.0f} %",
    "span": _span,
    "seconds": lambda x: f"{x:.1f}".removesuffix(".0") + " s",
    "step": lambda x: f"{1e3 * x:.3g} ms",
    "time": lambda x: f"{x:.6g} s",
}
