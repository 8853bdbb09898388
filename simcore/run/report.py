"""Presents a run as a pandas table, a plotly figure or a self-contained HTML page.

Curves have the same colours as on the web pages: Okabe and Ito's order, fixed per quantity. Simulated curves
are dashed, inputs are solid.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from simcore.model.elements import Machine, Pump
from simcore.model.geometry import coordinates
from simcore.model.netlist import spools
from simcore.model.plan import PRISMATIC
from simcore.model.workspace import Array

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame
    from plotly.graph_objects import Figure as Figure

    from simcore.run.recording import Run

INK, INK_2, _GRID, LINE = "#18212b", "#485563", "#e8ecf1", "#dce2e9"
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
_CHAMBER_A, _CHAMBER_B = "#0069b4", "#ad4a86"
_OTHERS = ("#007a5a", "#a05a00", "#1b7f9e", "#c04a00", "#4f5b8c", "#7d7000")
_ENERGIES = {
    "kinetic": ("kinetic", "#c04a00"),
    "potential": ("potential rise", "#007a5a"),
    "elastic": ("springs", "#ad4a86"),
    "work": ("cylinder work", "#0069b4"),
    "links": ("forces minus dampers", "#7d7000"),
    "shafts": ("energy taken by pumps", "#1b7f9e"),
}
_DRIFT = "#4f5b8c"
_DASHES = ("7px,1.5px", "2.5px,1.5px", "9px,1.5px,2px,1.5px", "5px,4px")  # the first, second, ... of a kind
_PANEL, _LOW_PANEL, _GAP, _LEGEND = 190, 110, 86, 42  # px
_HEADING, _TOP, _BOTTOM = 88, 70, 56  # px


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a panel; an input is drawn solid."""

    name: str
    values: Array
    colour: str
    dash: str = _DASHES[0]


@dataclass(frozen=True, slots=True)
class Panel:
    """Curves that share axes."""

    title: str
    axis: str  # quantity and unit
    curves: list[Curve] = field(default_factory=list)
    height: int = _PANEL


def to_frame(run: Run) -> DataFrame:
    """DataFrame with the index t in s and a column per channel in SI units; attrs["units"] has the units."""
    import pandas

    frame = pandas.DataFrame({name: run[name] for name in run.units}, index=pandas.Index(run.t, name="t"))
    frame.attrs["units"] = {"t": "s"} | run.units
    return frame


def panels(run: Run) -> list[Panel]:
    """The panels of a run, without empty ones."""
    turns, slides = _joints(run)
    energies = [
        Curve(label, run.energies[name] - run.energies[name][0], colour)
        for name, (label, colour) in _ENERGIES.items()
        if np.any(run.energies[name] != run.energies[name][0])
    ]
    kinetic = run.energies["kinetic"]
    energies = [Curve(c.name, kinetic, c.colour) if c.name == "kinetic" else c for c in energies]
    drift = Curve("drift", run.energies["drift"], _DRIFT)
    found = [
        Panel("Joint angles", "angle, deg", turns),
        Panel("Displacements", "displacement, m", slides),
        Panel("Pressures", "pressure, MPa", _pressures(run)),
        Panel("Cylinder forces", "force, kN", _forces(run)),
        Panel("Valve commands and spools", "signal, V", _spools(run, pumps=False)),
        Panel("Pump displacements", "share of full, –", _spools(run, pumps=True)),
        Panel("Energy", "energy, J", energies),
        Panel("Energy drift", "drift, J", [drift], _LOW_PANEL),
    ]
    return [panel for panel in found if panel.curves]


def _colour(k: int) -> str:
    return _OTHERS[k % len(_OTHERS)]


def _dash(k: int) -> str:
    return _DASHES[k % len(_DASHES)]


def _joints(run: Run) -> tuple[list[Curve], list[Curve]]:
    """Angles in degrees and displacements in metres; several coordinates of a joint share its colour."""
    turns: list[Curve] = []
    slides: list[Curve] = []
    palette = (_OTHERS[1], _CHAMBER_A, _OTHERS[0], _CHAMBER_B, *_OTHERS[2:])
    for k, (name, place) in enumerate(coordinates(run.machine).items()):
        for i, j in enumerate(range(place.start, place.stop)):
            label = name if place.stop - place.start == 1 else f"{name} {i + 1}"
            slides_here = run.plan.bodies["kind"][j + 1] == PRISMATIC
            values = run.coordinates[:, j] if slides_here else np.degrees(run.coordinates[:, j])
            curve = Curve(label, values, palette[k % len(palette)], _dash(i + k // len(palette)))
            (slides if slides_here else turns).append(curve)
    return turns, slides


def _pressures(run: Run) -> list[Curve]:
    """Pressure curves: chambers A and B have their own colours everywhere; cylinders differ in dashes."""
    looks = {c.chamber_a: (_CHAMBER_A, _dash(k)) for k, c in enumerate(run.machine.cylinders)}
    looks |= {c.chamber_b: (_CHAMBER_B, _dash(k)) for k, c in enumerate(run.machine.cylinders)}
    others = [v.name for v in run.machine.volumes if v.name not in looks]
    looks |= {name: (_colour(k), _dash(0)) for k, name in enumerate(others)}
    return [
        Curve(volume.label, run.pressures[:, k] * 1e-6, *looks[volume.name])
        for k, volume in enumerate(run.machine.volumes)
    ]


def _forces(run: Run) -> list[Curve]:
    return [
        Curve(cylinder.name, run.pushes[:, k] * 1e-3, _OTHERS[3], _dash(k))
        for k, cylinder in enumerate(run.machine.cylinders)
    ]


def _spools(run: Run, pumps: bool) -> list[Curve]:
    pump_names = _pump_names(run.machine)
    found = []
    for k, spool in enumerate(spools(run.machine)):
        if (spool.name in pump_names) == pumps:
            found.append(Curve(f"{spool.name} command", run.commands[:, k], _colour(k + 4), "solid"))
            found.append(Curve(f"{spool.name} spool", run.spools[:, k], _CHAMBER_A, _dash(k)))
    return found


def _pump_names(machine: Machine) -> set[str]:
    return {element.name for element in machine.elements if isinstance(element, Pump)}


def figure(run: Run, title: str, caption: str = "") -> Figure:
    """Stacked panels over one time axis, each with its own legend."""
    from plotly.graph_objects import Scatter
    from plotly.subplots import make_subplots

    shown = panels(run)
    heights = [panel.height for panel in shown]
    inside = sum(heights) + _GAP * (len(shown) - 1)
    drawn = make_subplots(
        rows=len(shown),
        shared_xaxes=True,
        row_heights=heights,
        vertical_spacing=_GAP / inside if len(shown) > 1 else 0.0,
    )
    t = run.t.astype(np.float32)
    for row, panel in enumerate(shown, start=1):
        legend = "legend" if row == 1 else f"legend{row}"
        for curve in panel.curves:
            line = {"color": curve.colour, "width": 1.6, "dash": curve.dash}
            if curve.dash == "solid":
                line |= {"width": 1.2, "shape": "hv"}
            drawn.add_trace(
                Scatter(
                    x=t,
                    y=curve.values.astype(np.float32),
                    name=curve.name,
                    line=line,
                    legend=legend,
                    showlegend=True,
                    hovertemplate="%{y:.4g}",
                ),
                row=row,
                col=1,
            )
        drawn.update_yaxes(title_text=panel.axis, row=row, col=1)
    _dress(drawn, shown, inside)
    heading = {
        "text": f"<b>{html.escape(title)}</b>",
        "subtitle": {"text": html.escape(caption)},
        "x": 0.0,
        "xref": "paper",
        "xanchor": "left",
        "y": 1.0,
        "yref": "container",
        "yanchor": "top",
        "pad": {"t": 16},
        "font": {"size": 20, "color": INK},
    }
    top = _TOP + _HEADING
    drawn.update_layout(title=heading, margin={"t": top}, height=inside + top + _BOTTOM)
    return drawn


def _dress(drawn: Figure, shown: Sequence[Panel], inside: int) -> None:
    """Add titles, legends, axes and fonts; a legend has room for two rows, which a phone needs."""
    legends = {}
    for row, panel in enumerate(shown, start=1):
        top = drawn.layout["yaxis" if row == 1 else f"yaxis{row}"].domain[1]
        legends["legend" if row == 1 else f"legend{row}"] = {
            "orientation": "h",
            "x": 0.0,
            "xanchor": "left",
            "y": top + _LEGEND / inside,
            "yanchor": "top",
            "font": {"size": 12, "color": INK_2},
            "bgcolor": "rgba(0,0,0,0)",
            "itemwidth": 30,
        }
        drawn.add_annotation(
            text=f"<b>{panel.title}</b>",
            x=0.0,
            xref="paper",
            xanchor="left",
            y=top,
            yref="paper",
            yanchor="bottom",
            yshift=_LEGEND,
            showarrow=False,
            font={"size": 14, "color": INK},
        )
    line = {"gridcolor": _GRID, "linecolor": LINE, "zeroline": False, "ticks": "outside", "tickcolor": LINE}
    drawn.update_xaxes(
        **line,
        unifiedhovertitle_text="%{x:.3f} s",
        showspikes=True,
        spikemode="across",
        spikethickness=1,
        spikedash="solid",
        spikecolor=INK_2,
    )
    drawn.update_yaxes(**line, showline=True, title_standoff=6, title_font_size=12, nticks=6)
    drawn.update_xaxes(title_text="time, s", row=len(shown), col=1)
    drawn.update_layout(
        **legends,
        template="none",
        font={"family": FONT, "size": 12, "color": INK_2},
        paper_bgcolor="#ffffff",
        plot_bgcolor="#ffffff",
        hovermode="x unified",
        hoversubplots="axis",
        margin={"l": 64, "r": 16, "b": _BOTTOM},
    )


def page(run: Run, title: str, caption: str, inputs: Iterable[Sequence[str]]) -> str:
    """A complete HTML page with plotly inside: it loads nothing else.

    inputs: rows of name, value, unit, origin and note.
    """
    drawn = figure(run, title, caption)
    drawn.update_layout(title=None, margin={"t": _TOP}, height=drawn.layout.height - _HEADING, autosize=True)
    options: dict[str, Any] = {"displaylogo": False, "responsive": True, "displayModeBar": False}
    body = drawn.to_html(full_html=False, include_plotlyjs=True, include_mathjax=False, config=options)
    rows = "\n".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in inputs)
    table = (
        f"<details><summary>Inputs and where they come from</summary><table>{_HEAD}{rows}</table></details>"
    )
    return _PAGE.format(
        title=html.escape(title), caption=html.escape(caption), style=_STYLE, body=body, table=table
    )


_HEAD = "<tr><th>input</th><th>value</th><th>unit</th><th>origin</th><th>note</th></tr>"
_STYLE = f"""
body {{ margin: 0 auto; max-width: 1200px; padding: 24px 16px; color: {INK}; background: #fff;
  font: 400 14px/1.45 {FONT}; font-variant-numeric: tabular-nums; }}
h1 {{ font-size: 20px; font-weight: 600; margin: 0 0 4px; }}
p {{ margin: 0 0 8px; color: {INK_2}; }}
summary {{ cursor: pointer; min-height: 32px; }}
details {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-size: 13px; }}
th, td {{ text-align: left; padding: 4px 12px 4px 0; border-bottom: 1px solid {LINE}; vertical-align: top; }}
th {{ font-weight: 600; }}
"""
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<style>{style}</style></head>
<body><h1>{title}</h1><p>{caption}</p>
<p>Dashed lines are simulated, solid lines are inputs. Cylinder forces are positive when they extend; drift is
mechanical energy that nothing in the energy ledger explains. Drag to zoom, double-click to reset.</p>
{body}
{table}
</body></html>
"""
