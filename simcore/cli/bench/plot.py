"""Draws the cost of a step against the number of bodies, as two log-log panels.

The SVG is written directly, because plotly would need a browser to write pictures.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from simcore.cli.bench.timing import Timing

_COLOURS = ("#0b5cad", "#c2410c", "#15803d", "#7e22ce", "#a16207")  # dark enough on white, ours first
# shapes of the marks: series differ not only in colour
_MARKS: tuple[tuple[tuple[int, int], ...], ...] = (
    ((-4, -2), (-2, -4), (2, -4), (4, -2), (4, 2), (2, 4), (-2, 4), (-4, 2)),
    ((-4, -4), (4, -4), (4, 4), (-4, 4)),
    ((0, -5), (5, 4), (-5, 4)),
    ((0, -5), (5, 0), (0, 5), (-5, 0)),
    ((-5, -2), (5, -2), (5, 2), (-5, 2)),
)
_PANEL_W, _PANEL_H = 380, 330
_LEFT, _TOP, _GAP = 70, 60, 70
_INK, _GRID = "#1f2937", "#d1d5db"


@dataclass(frozen=True)
class _Axis:
    """A logarithmic axis that maps the values low to high to two pixel positions."""

    low: float
    high: float
    begin: float
    end: float

    def at(self, value: float) -> float:
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.begin + share * (self.end - self.begin)


def cost_against_size(timings: Iterable[Timing]) -> str:
    """SVG with a panel for each benchmark that was timed for several machine sizes."""
    sized = [t for t in timings if t.bodies is not None]
    panels = list(dict.fromkeys(t.what for t in sized))
    engines = list(dict.fromkeys(t.engine for t in sized))
    width = _LEFT + len(panels) * (_PANEL_W + _GAP)
    height = _TOP + _PANEL_H + 65 + 20 * math.ceil(len(engines) / 3)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="system-ui, sans-serif" font-size="13" fill="{_INK}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        _text(_LEFT, 24, "CPU time of a step of 1 ms against the number of bodies", size=16),
    ]
    for k, what in enumerate(panels):
        left = _LEFT + k * (_PANEL_W + _GAP)
        rows = [t for t in sized if t.what == what]
        parts += _panel(what, left, rows, engines, _range((t.best_us for t in sized), 1.6))
    parts += _legend(engines, _TOP + _PANEL_H + 70)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _range(values: Iterable[float], margin: float) -> tuple[float, float]:
    """Ends of an axis around all values."""
    found = list(values)
    return min(found) / margin, max(found) * margin


def _panel(
    what: str, left: float, rows: Sequence[Timing], engines: Sequence[str], times: tuple[float, float]
) -> list[str]:
    sizes = sorted({t.bodies for t in rows if t.bodies is not None})
    x = _Axis(*_range(sizes, 1.2), left, left + _PANEL_W)
    y = _Axis(*times, _TOP + _PANEL_H, _TOP)
    parts = [_text(left + _PANEL_W / 2, _TOP - 12, what, "middle", 14), *_frame(x, y, sizes)]
    for k, engine in enumerate(engines):
        points = sorted((t.bodies or 0, t.best_us) for t in rows if t.engine == engine)
        places = [(x.at(n), y.at(time)) for n, time in points]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in places)
        width = 2.5 if k == 0 else 1.6
        parts.append(f'<polyline points="{path}" fill="none" stroke="{_colour(k)}" stroke-width="{width}"/>')
        parts += [_mark(k, *place) for place in places]
    return parts


def _frame(x: _Axis, y: _Axis, sizes: Sequence[int]) -> list[str]:
    """Grid, ticks and titles of the axes."""
    parts = []
    for size in sizes:
        at = x.at(size)
        parts += [_line(at, y.begin, at, y.end), _text(at, y.begin + 18, f"{size}", "middle")]
    for power in range(math.floor(math.log10(y.low)), math.ceil(math.log10(y.high))):
        for k in range(1, 10):
            if y.low < (value := k * 10.0**power) < y.high:
                end = x.end if k == 1 else x.begin + 6
                parts.append(_line(x.begin, y.at(value), end, y.at(value)))
                if k == 1:
                    parts.append(_text(x.begin - 8, y.at(value) + 4, f"{value:g}", "end"))
    parts.append(
        f'<rect x="{x.begin}" y="{y.end}" width="{x.end - x.begin}" height="{y.begin - y.end}" fill="none" '
        f'stroke="{_INK}"/>'
    )
    middle = (y.begin + y.end) / 2
    side = x.begin - 46
    parts.append(_text((x.begin + x.end) / 2, y.begin + 40, "bodies", "middle"))
    parts.append(
        f'<text x="{side}" y="{middle}" text-anchor="middle" transform="rotate(-90 {side} {middle})">'
        "best of 7, us per step</text>"
    )
    return parts


def _legend(engines: Sequence[str], top: float) -> list[str]:
    parts = []
    for k, engine in enumerate(engines):
        left, y = _LEFT + 260 * (k % 3), top + 20 * (k // 3)
        parts.append(
            f'<line x1="{left}" y1="{y}" x2="{left + 28}" y2="{y}" stroke="{_colour(k)}" stroke-width="2"/>'
        )
        parts += [_mark(k, left + 14, y), _text(left + 36, y + 4, engine)]
    return parts


def _colour(k: int) -> str:
    return _COLOURS[k % len(_COLOURS)]


def _mark(k: int, x: float, y: float) -> str:
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in _MARKS[k % len(_MARKS)])
    return f'<polygon points="{points}" fill="{_colour(k)}"/>'


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{_GRID}"/>'


def _text(x: float, y: float, words: str, anchor: str = "start", size: int = 13) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{words}</text>'
