"""Renders messages (twin.messages) for pages, in the reader's language, units and decimal separator.

webui/frontend/src/messages.ts does the same in the browser; a test checks that both give the same text.
"""

import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from django.utils import timezone
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from simcore.messages import Labels, Message, Template, ordinal, span_parts
from twin.messages import TEMPLATES
from webui.units import System, display_of
from webui.words import MESSAGE, named, with_separator

_EXACT = Context(prec=400)


def render(
    message: Message, units: System, labels: Labels | None = None, *, now_us: int | None = None
) -> str:
    """Render a message as text.

    labels: English display names of the channels. now_us: the present time; an instant of another day is
    shown with its day.
    """
    template = TEMPLATES.get(message.code)
    if template is None:  # from another version of the platform
        return message.code
    text = template.one if template.one and message.values.get("count") == 1 else template.text
    shown = _Shown(message, template, units, labels or {}, now_us)
    return pgettext(MESSAGE, text).format_map(shown)


class _Shown(dict[str, str]):
    """The values of a message as text; each is made when the template asks for it."""

    def __init__(
        self, message: Message, template: Template, units: System, labels: Labels, now_us: int | None
    ) -> None:
        super().__init__()
        self._values, self._kinds = message.values, template.kinds
        self._units, self._labels, self._now_us = units, labels, now_us

    def __missing__(self, name: str) -> str:
        if name not in self._values:
            return "–"
        value: Any = self._values[name]
        kind = self._kinds.get(name, "text")
        if kind == "reading":
            kind = str(self._values["quantity"])
        if kind == "channel":
            return self._label(value)
        if kind == "channels":
            return ", ".join(map(self._label, value))
        if kind == "causes":
            return ", ".join(map(self._cause, value))
        if kind == "instant":
            return clock_text(value, self._now_us)
        if kind in _TEXTS:
            return _TEXTS[kind](value)
        unit, factor, decimals = display_of(kind, self._units)
        return with_unit(fixed(value * factor, decimals), unit)

    def _cause(self, name: str) -> str:
        template = TEMPLATES.get(name)
        return self._label(name) if template is None else pgettext(MESSAGE, template.text)

    def _label(self, channel: str) -> str:
        return named(self._labels.get(channel, channel))


def fixed(value: float, decimals: int) -> str:
    """Format a number with fixed decimals, rounding half away from zero as browsers do; a dash for none."""
    if not math.isfinite(value):
        return "–"
    digits = Decimal(abs(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, _EXACT)
    return f"{'−' if value < 0 and digits else ''}{with_separator(f'{digits:f}')}"


def with_unit(number: str, unit: str) -> str:
    """Join number and unit; a degree sign follows the number without a space."""
    return f"{number}{unit}" if unit.startswith("°") else f"{number} {unit}"


def span_text(seconds: float) -> str:
    """Format a span of time as a whole number of s, min, h or d."""
    n, unit = span_parts(seconds)
    words = {"s": _("%(n)d s"), "min": _("%(n)d min"), "h": _("%(n)d h"), "d": _("%(n)d d")}
    return words[unit] % {"n": n}


def clock_text(us: int, now_us: int | None = None) -> str:
    """Format an instant in the current time zone, with the day if it is not today."""
    zone = timezone.get_current_timezone()
    at = datetime.fromtimestamp(us // 1_000_000, zone)
    now = timezone.localtime() if now_us is None else datetime.fromtimestamp(now_us // 1_000_000, zone)
    text = f"{at:%H:%M}" if at.date() == now.date() else f"{at:%Y-%m-%d %H:%M}"
    return f"{text} UTC" if at.utcoffset() == UTC.utcoffset(None) else text


def _compact(value: float) -> str:
    """Format a number with at most one decimal."""
    whole = fixed(value, 0)
    return whole if fixed(value, 1) == f"{whole}{with_separator('.')}0" else fixed(value, 1)


def _ordinal(n: int) -> str:
    return ordinal(n) if get_language() == "en" else f"{n}."


_TEXTS: Mapping[str, Callable[[Any], str]] = {
    "name": named,
    "text": str,
    "quantity": str,
    "count": lambda x: fixed(x, 0),
    "ordinal": _ordinal,
    "number": _compact,
    "ratio": lambda x: fixed(x, 2),
    "share": lambda x: f"{fixed(100 * x, 0)} %",
    "span": span_text,
    "seconds": lambda x: f"{_compact(x)} s",
    "step": lambda x: f"{_compact(1e3 * x)} ms",
    "time": lambda x: f"{_compact(x)} s",
}
