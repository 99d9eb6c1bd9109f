"""The boat hull graph as one self-contained HTML page with values under the pointer."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from roofcast.report.files import write_with
from roofcast.report.hull_data import sampled
from roofcast.report.hull_figure import COLOUR, INK, POINTS
from roofcast.report.hull_view import HullView, Panel
from roofcast.report.names import clipped

COLUMNS = 3
SYMBOLS = ("circle-open", "star-open", "square-open", "triangle-up-open")


def write_hull_html(view: HullView, path: str | Path) -> None:
    """Write the page; it needs no network.

    Raises
    ------
    RoofcastError : the file cannot be written.
    """
    import html

    from plotly.subplots import make_subplots

    columns = min(len(view.panels), COLUMNS)
    rows = math.ceil(len(view.panels) / columns)
    titles = [html.escape(clipped(f"{p.title}: {p.subtitle}", 60)) for p in view.panels]
    figure = make_subplots(rows=rows, cols=columns, subplot_titles=titles, shared_yaxes="all")
    for n, panel in enumerate(view.panels):
        for trace in traces(panel, view, n == 0):
            figure.add_trace(trace, row=n // columns + 1, col=n % columns + 1)
    figure.update_xaxes(type="log", title_text="complexity (operations per application)")
    figure.update_yaxes(type="log", title_text="seconds", col=1)
    figure.update_layout(template="plotly_white", height=430 * rows + 90, legend={"orientation": "h", "y": -0.18})
    write_with(path, lambda p: figure.write_html(p, include_plotlyjs=True, full_html=True, div_id="boat-hull"))


def traces(panel: Panel, view: HullView, legend: bool) -> list[Any]:
    """Floors as a filled band, single lines, the hull, transfers and measured points."""
    import html

    import plotly.graph_objects as go

    xs = sampled(view.complexity)
    bounds = panel.bounds
    low, high = [bounds.low(f) for f in xs], [bounds.high(f) for f in xs]
    band = {"x": xs + xs[::-1], "y": low + high[::-1], "fill": "toself", "fillcolor": "rgba(120,150,180,0.22)"}
    found = [
        go.Scatter(**band, line={"width": 0}, hoverinfo="skip", name="between hull and floors", legendgroup="band",
                   showlegend=legend)
    ]  # fmt: skip
    for dash, lines in (("dot", bounds.floors), ("solid", bounds.hull)):
        found += [
            go.Scatter(
                x=xs, y=[bounds.overhead_s + line.at(f) for f in xs], mode="lines", showlegend=False,
                name=f"{line.key}: {line.meaning}",
                line={"color": COLOUR[line.limit.value], "width": 1, "dash": dash},
            )
            for line in lines
        ]  # fmt: skip
    found.append(
        go.Scatter(x=xs, y=low, name="hull", legendgroup="hull", showlegend=legend, line={"color": INK, "width": 3})
    )
    if panel.transfers:
        total = [t + bounds.transfer_s for t in low]
        found.append(
            go.Scatter(x=xs, y=total, name="with transfers", showlegend=legend, line={"color": INK, "dash": "dash"})
        )
    for n, label in enumerate(view.labels):
        mine = [p for p in panel.points if (p.label or "measured") == label]
        marker = {"symbol": SYMBOLS[n % len(SYMBOLS)], "color": POINTS[n % len(POINTS)], "size": 8}
        found.append(
            go.Scatter(
                x=[p.complexity for p in mine], y=[p.time_s for p in mine], mode="markers", marker=marker,
                name=html.escape(label), legendgroup=html.escape(label), showlegend=legend,
            )
        )  # fmt: skip
    return found
