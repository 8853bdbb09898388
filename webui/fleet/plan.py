"""Draws an organisation's site plan: a grid in metres, its sites, and the machines at each."""

import math
from collections.abc import Sequence
from typing import Any

from twin.sites.models import Site
from webui.words import with_separator

WIDTH, HEIGHT, MARGIN = 1000.0, 620.0, 110.0  # of the drawing, px
LEAST_SPAN_M = 200.0  # so that a single site does not fill the plan
DOTS_IN_ROW, DOT_PITCH, DOTS_BELOW = 6, 26.0, 64.0
GRID_LINES = 6  # approximately


def plan(sites: Sequence[Site], rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return what the template draws; x grows to the right, y downwards."""
    east = [site.east_m for site in sites]
    north = [site.north_m for site in sites]
    mid_east, mid_north = (min(east) + max(east)) / 2, (min(north) + max(north)) / 2
    span_east = max(max(east) - min(east), LEAST_SPAN_M)
    span_north = max(max(north) - min(north), LEAST_SPAN_M)
    scale = min((WIDTH - 2 * MARGIN) / span_east, (HEIGHT - 2 * MARGIN) / span_north)  # per metre

    def x(east_m: float) -> float:
        return round(WIDTH / 2 + (east_m - mid_east) * scale, 1)

    def y(north_m: float) -> float:
        return round(HEIGHT / 2 - (north_m - mid_north) * scale - 20, 1)

    step = _nice(WIDTH / scale / GRID_LINES)
    half_east, half_north = WIDTH / 2 / scale, HEIGHT / 2 / scale
    return {
        "view_box": f"0 0 {WIDTH:.0f} {HEIGHT:.0f}",
        "columns": [x(e) for e in _multiples(mid_east - half_east, mid_east + half_east, step)],
        "lines": [y(n) for n in _multiples(mid_north - half_north, mid_north + half_north, step)],
        "bar": {"length": round(step * scale, 1), "text": _distance(step)},
        "sites": [_drawn(site, x(site.east_m), y(site.north_m), rows) for site in sites],
    }


def _drawn(site: Site, x: float, y: float, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    here = [row for row in rows if row["filter"]["site"] == str(site.pk)]
    width = min(len(here), DOTS_IN_ROW) - 1
    dots = [
        {
            "row": row,
            "x": round(x + (i % DOTS_IN_ROW - width / 2) * DOT_PITCH, 1),
            "y": round(y + DOTS_BELOW + i // DOTS_IN_ROW * DOT_PITCH, 1),
        }
        for i, row in enumerate(here)
    ]
    return {"site": site, "x": x, "y": y, "dots": dots}


def _nice(step: float) -> float:
    """Return the largest number of the form 1, 2 or 5 times a power of ten that is not above the step."""
    power = 10.0 ** math.floor(math.log10(step))
    return max(factor for factor in (1, 2, 5) if factor * power <= step) * power


def _multiples(low: float, high: float, step: float) -> list[float]:
    return [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _distance(metres: float) -> str:
    number, unit = (metres / 1000, "km") if metres >= 1000 else (metres, "m")
    return f"{with_separator(f'{number:g}')} {unit}"
