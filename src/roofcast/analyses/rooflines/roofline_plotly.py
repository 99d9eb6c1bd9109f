"""The roofline as an interactive Plotly figure, for notebooks."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

from roofcast.analyses.rooflines.drawing import COLOURS, roof_label
from roofcast.analyses.rooflines.roofline_extent import Extent, extent_of
from roofcast.analyses.rooflines.view import Mark, Panel, Point, RooflineView
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

INK = "#555555"
PANEL_HEIGHT, WIDTH = 480, 1000


def plotly_figure(view: RooflineView) -> Figure:
    """One panel per GPU on shared axes; a point per kernel and level, with its interval on targets."""
    from plotly.subplots import make_subplots

    titles = [escape(f"{'measured on' if p.role == 'source' else 'forecast for'} {p.processor}") for p in view.panels]
    count = max(len(view.panels), 1)
    figure = make_subplots(rows=count, cols=1, subplot_titles=titles, vertical_spacing=0.16 / count)
    extent = extent_of(view)
    for n, panel in enumerate(view.panels, 1):
        add_roofs(figure, panel, extent, n)
        for level in COLOURS:
            add_points(figure, panel, level, n)
        figure.update_xaxes(type="log", title="Operational intensity (FLOP/B)", row=n, col=1, range=decades(extent.x))
        figure.update_yaxes(type="log", title="Performance (FLOP/s)", row=n, col=1, range=decades(extent.y))
    figure.update_layout(template="plotly_white", height=PANEL_HEIGHT * count, width=WIDTH, hovermode="closest")
    return figure


def decades(limits: tuple[float, float]) -> list[float]:
    """Limits of a logarithmic axis as Plotly takes them."""
    return [math.log10(v) for v in limits]


def add_roofs(figure: Figure, panel: Panel, extent: Extent, row: int) -> None:
    """Bandwidth lines up to the highest compute roof, compute roofs from the fastest memory on."""
    import plotly.graph_objects as go

    peak = max((r.per_s for r in panel.compute), default=extent.y[1])
    fastest = max((r.per_s for r in panel.memory), default=math.nan)
    for roof in (*panel.memory, *panel.compute, *panel.beside):
        if roof.is_memory:
            x = [extent.x[0], min(peak / roof.per_s, extent.x[1])]
            y = [v * roof.per_s for v in x]
        else:
            x = [max(extent.x[0], roof.per_s / fastest) if fastest > 0 else extent.x[0], extent.x[1]]
            y = [roof.per_s] * 2
        name = roof_label(roof, "B/s" if roof.is_memory else "FLOP/s")
        line: dict[str, Any] = {"color": COLOURS.get(roof.resource, INK), "dash": "dash" if roof.estimated else "solid"}
        if roof in panel.beside:
            name, line = f"catalog: {name}", {**line, "dash": "dashdot", "width": 1}
        figure.add_trace(
            go.Scatter(x=x, y=y, mode="lines", name=name, line=line, hoverinfo="name", showlegend=row == 1), row, 1
        )


def add_points(figure: Figure, panel: Panel, level: Resource, row: int) -> None:
    """All kernels at one level."""
    import plotly.graph_objects as go

    found = [(m, p) for m in panel.marks if m.is_placed for p in m.points if p.level is level]
    if not found:
        return
    sizes = [8 + 22 * (m.time_fraction if m.time_fraction > 0 else 0.0) for m, _ in found]
    bars = None
    if panel.role == "target":
        flops = [m.flops_per_s * m.time_s for m, _ in found]
        up = [f / m.time_low_s - m.flops_per_s for f, (m, _) in zip(flops, found, strict=True)]
        down = [m.flops_per_s - f / m.time_high_s for f, (m, _) in zip(flops, found, strict=True)]
        bars = {"type": "data", "symmetric": False, "array": up, "arrayminus": down, "thickness": 1}
    figure.add_trace(
        go.Scatter(
            x=[p.flops_per_byte for _, p in found], y=[m.flops_per_s for m, _ in found], mode="markers",
            name=f"kernels at {level.label}", marker={"color": COLOURS[level], "size": sizes, "opacity": 0.75},
            error_y=bars, text=[hover(m, p) for m, p in found], hoverinfo="text", showlegend=row == 1,
        ), row, 1,
    )  # fmt: skip


def hover(mark: Mark, point: Point) -> str:
    """What a point says; names are only ever text."""
    lines = [
        escape(mark.name),
        f"{format_quantity(mark.time_s, 's')} ({100 * mark.time_fraction:.1f} % of the time)",
        f"{format_quantity(mark.flops_per_s, 'FLOP/s')} at {point.flops_per_byte:.3g} FLOP/B ({point.level.label})",
        f"{format_quantity(point.bytes_per_s, 'B/s')}",
    ]
    if math.isfinite(point.share_of_roof):
        lines.append(f"{100 * point.share_of_roof:.0f} % of its ceiling")
    return "<br>".join([*lines, *([f"limit: {mark.limit}"] if mark.limit else [])])
