"""`python -m simcore capacity`: prints the lift-capacity chart of a machine or writes it as a page."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from simcore import registry
from simcore.errors import SimcoreError
from simcore.machines.analyses import CapacityPoint
from simcore.machines.model import MachineModel
from simcore.model.case import Case, Value
from simcore.run.report import FONT, INK, INK_2, LINE

_COLOURS = ("#0069b4", "#ad4a86", "#007a5a", "#a05a00", "#c04a00")


def capacity(case: Case, overrides: Mapping[str, Value], points: int) -> list[CapacityPoint]:
    """The lift-capacity chart of a machine; refuses a machine without one."""
    if not isinstance(case, MachineModel) or case.capacity_chart is None:
        known = ", ".join(model.name for model in registry.MACHINES if model.capacity_chart is not None)
        raise SimcoreError(f"{case.name} has no lift-capacity chart; machines that have one: {known}")
    if not 2 <= points <= 100:
        raise SimcoreError(f"--points {points}: must be 2 to 100")
    return case.capacity_chart(overrides, points)


def as_json(case: Case, overrides: Mapping[str, Value], found: Sequence[CapacityPoint]) -> dict[str, Any]:
    return {"case": case.name, "set": dict(overrides), "points": [asdict(point) for point in found]}


def table(case: Case, found: Sequence[CapacityPoint]) -> str:
    lines = [f"{case.name}: largest load at each reach", ""]
    lines.append(f"{'reach, m':>9} {'tip, m':>8} {'load, kg':>9}  {'limited by':16} limits, kg")
    for p in found:
        others = ", ".join(f"{name} {load:.0f}" for name, load in p.limits.items())
        lines.append(f"{p.reach:9.2f} {p.height:8.2f} {p.load:9.0f}  {p.limit:16} {others}")
    return "\n".join(lines)


def page(case: Case, found: Sequence[CapacityPoint]) -> str:
    """The chart as one self-contained HTML page."""
    from plotly.graph_objects import Figure, Scatter

    drawn = Figure()
    reaches = [p.reach for p in found]
    for k, name in enumerate(dict.fromkeys(name for p in found for name in p.limits)):
        loads = [p.limits.get(name) for p in found]
        drawn.add_trace(
            Scatter(x=reaches, y=loads, name=name, mode="lines",
                    line={"color": _COLOURS[k % len(_COLOURS)], "width": 1.4, "dash": "dot"})
        )  # fmt: skip
    drawn.add_trace(
        Scatter(x=reaches, y=[p.load for p in found], name="largest load", mode="lines+markers",
                line={"color": INK, "width": 2.4}, text=[p.limit for p in found],
                hovertemplate="%{y:.0f} kg, limited by: %{text}")
    )  # fmt: skip
    most = 1.6 * max(p.load for p in found)
    drawn.update_xaxes(title_text="reach from the slewing axis, m", gridcolor=LINE, zeroline=False)
    drawn.update_yaxes(title_text="load on the hook, kg", gridcolor=LINE, range=[0, most], zeroline=False)
    drawn.update_layout(
        template="none", height=560, font={"family": FONT, "size": 13, "color": INK_2}, hovermode="x unified",
        margin={"l": 70, "r": 16, "t": 24, "b": 56}, legend={"orientation": "h", "y": 1.08},
    )  # fmt: skip
    options = {"displaylogo": False, "responsive": True, "displayModeBar": False}
    body = drawn.to_html(full_html=False, include_plotlyjs=True, include_mathjax=False, config=options)
    title = f"{case.name}: lift capacity"
    rows = "".join(
        f"<tr><td>{p.reach:.2f}</td><td>{p.load:.0f}</td><td>{html.escape(p.limit)}</td></tr>" for p in found
    )
    return _PAGE.format(title=html.escape(title), body=body, rows=rows, font=FONT, ink=INK, line=LINE)


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<style>body {{ margin: 0 auto; max-width: 1000px; padding: 24px 16px; color: {ink};
  font: 400 14px/1.45 {font}; font-variant-numeric: tabular-nums; }}
h1 {{ font-size: 20px; font-weight: 600; margin: 0 0 8px; }}
table {{ border-collapse: collapse; }}
th, td {{ text-align: left; padding: 4px 16px 4px 0; border-bottom: 1px solid {line}; }}</style>
</head><body><h1>{title}</h1>
<p>Black: the largest load. Dotted: each limit by itself. Cylinders are simulated at full lever; the truck
must stand in every direction with the overload; no beam may exceed its permitted bending stress.</p>
{body}
<table><tr><th>reach, m</th><th>load, kg</th><th>limited by</th></tr>{rows}</table>
</body></html>
"""
