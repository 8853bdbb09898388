"""Plots the curves of a twin experiment on one self-contained HTML page."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from simcore.cli.estimate import Experiment
from simcore.cli.estimate_output import table
from simcore.estimate.biases import PAYLOAD
from simcore.model.case import Case
from simcore.run.report import FONT, INK, INK_2, LINE

_REAL, _TWIN, _OPEN_LOOP = "#2a78d6", "#c2410c", "#898781"
_BAND = "rgba(194, 65, 12, 0.18)"
_MOST = 2000  # most points of a curve
_ROW = 190  # px


def page(case: Case, done: Experiment) -> str:
    """Page with real machine, twin and its 95 % bounds, open-loop model, estimated biases and innovations."""
    drawn = _figure(done)
    options: dict[str, Any] = {"displaylogo": False, "responsive": True, "displayModeBar": False}
    body = drawn.to_html(full_html=False, include_plotlyjs=True, include_mathjax=False, config=options)
    title = f"{case.name}: a twin and its machine"
    return _PAGE.format(title=html.escape(title), body=body, summary=html.escape(table(case, done)))


def _figure(done: Experiment) -> Any:
    from plotly.subplots import make_subplots

    every = max(1, len(done.truth.t) // _MOST)
    t = done.truth.t[1::every]
    heard = [k for k in range(done.found.innovations.shape[1]) if _any(done.found.innovations[:, k])]
    rows = len(done.names) + len(done.learned) + len(heard)
    drawn = make_subplots(rows=rows, cols=1, shared_xaxes=True, vertical_spacing=0.25 / rows)
    for k, name in enumerate(done.names):
        _state(drawn, k, t, done, every)
        drawn.update_yaxes(title_text=name, row=k + 1, col=1)
    for k in range(len(done.learned)):
        _bias(drawn, len(done.names) + 1 + k, t, done, k, every)
    for row, k in enumerate(heard, start=len(done.names) + len(done.learned) + 1):
        _innovation(drawn, row, done, k)
    drawn.update_xaxes(title_text="time, s", row=rows, col=1)
    drawn.update_layout(
        template="none", height=_ROW * rows + 60, font={"family": FONT, "size": 12, "color": INK_2},
        margin={"l": 70, "r": 16, "t": 40, "b": 48}, legend={"orientation": "h", "y": 1.02},
        hovermode="x unified", paper_bgcolor="#ffffff", plot_bgcolor="#ffffff",
    )  # fmt: skip
    drawn.update_yaxes(gridcolor="#eeeeee", title_font_size=11, nticks=5)
    return drawn


def _any(values: Any) -> bool:
    return bool(np.any(np.isfinite(values)))


def _band(drawn: Any, row: int, t: Any, mean: Any, spread: Any) -> None:
    """95 % bounds, drawn below the curves."""
    edge = {"width": 0}
    drawn.add_scatter(
        x=np.concatenate([t, t[::-1]]), y=np.concatenate([mean + spread, (mean - spread)[::-1]]),
        fill="toself", fillcolor=_BAND, line=edge, hoverinfo="skip", name="twin, 95 % bounds",
        showlegend=row == 1, row=row, col=1,
    )  # fmt: skip


def _bias(drawn: Any, row: int, t: Any, done: Experiment, k: int, every: int) -> None:
    """An estimated bias over time, with a line for the true value where it is known."""
    one, mean = done.learned[k], done.found.biases[::every, k]
    _band(drawn, row, t, mean, 1.96 * done.found.bias_sigmas[::every, k])
    drawn.add_scatter(
        x=t, y=mean, mode="lines", line={"color": _TWIN, "width": 1.5, "dash": "dash"}, name="twin",
        legendgroup="twin", showlegend=False, row=row, col=1,
    )  # fmt: skip
    if np.isfinite(one.real):
        begin = done.event.pick_up.at if done.event.pick_up and one.kind == PAYLOAD else t[0]
        drawn.add_scatter(
            x=[begin, t[-1]], y=[one.real, one.real], mode="lines", line={"color": _REAL, "width": 1.5},
            name="real machine", legendgroup="real machine", showlegend=False, row=row, col=1,
        )  # fmt: skip
    drawn.update_yaxes(title_text=one.name, row=row, col=1)


def _state(drawn: Any, k: int, t: Any, done: Experiment, every: int) -> None:
    first = k == 0
    mean = done.found.states[::every, k]
    _band(drawn, k + 1, t, mean, 1.96 * np.sqrt(done.found.covariances[::every, k, k]))
    curves = (
        ("real machine", done.truth.states[1::every, k], _REAL, "solid"),
        ("open-loop model", done.uncorrected.states[1::every, k], _OPEN_LOOP, "dot"),
        ("twin", mean, _TWIN, "dash"),
    )
    for name, values, colour, dash in curves:
        drawn.add_scatter(
            x=t, y=values, mode="lines", line={"color": colour, "width": 1.5, "dash": dash}, name=name,
            legendgroup=name, showlegend=first, row=k + 1, col=1,
        )  # fmt: skip


def _innovation(drawn: Any, row: int, done: Experiment, k: int) -> None:
    """Innovations of a channel divided by their standard deviations, with lines at the 95 % bounds."""
    values = done.found.innovations[:, k]
    at = np.flatnonzero(np.isfinite(values))
    at = at[:: max(1, len(at) // _MOST)]
    drawn.add_scatter(
        x=done.truth.t[1:][at], y=values[at], mode="markers", marker={"size": 2, "color": INK_2},
        name="innovation over its standard deviation", showlegend=False, row=row, col=1,
    )  # fmt: skip
    for bound in (-1.96, 1.96):
        drawn.add_hline(y=bound, line={"color": LINE, "width": 1}, row=row, col=1)
    drawn.update_yaxes(title_text=f"{done.channels[k]}<br>innovation / σ", row=row, col=1)


_PAGE = (
    """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<style>body {{ margin: 0 auto; max-width: 1200px; padding: 24px 16px; color: """
    + INK
    + """; font: 400 14px/1.45 """
    + FONT
    + """; }}
h1 {{ font-size: 20px; font-weight: 600; margin: 0 0 8px; }}
pre {{ font-size: 12px; overflow-x: auto; }}</style>
</head><body><h1>{title}</h1><pre>{summary}</pre>
{body}
</body></html>
"""
)
