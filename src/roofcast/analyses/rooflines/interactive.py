"""The roofline to look around in: a self-contained page, and a Plotly figure; names are only ever text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.analyses.rooflines.captions import (
    PLACES_TITLE,
    describe_clock,
    format_launches,
    label_roof,
    tabulate_places,
    tabulate_versions,
    title_panel,
)
from roofcast.analyses.rooflines.drawing import COLOURS, Extent, find_extent
from roofcast.analyses.rooflines.view import NOT_HERE, Mark, Panel, Point, RooflineView, Trajectory
from roofcast.core.extras import import_extra
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.kit.names import clipped
from roofcast.kit.output import write_text
from roofcast.kit.page import BASE_STYLE, OWN, compile_template, embed_json, read_assets, render_document, round_number
from roofcast.kit.palette import INK, RESOURCES
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import Table

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

ROOM = "roofcast.analyses.rooflines"
LIMITED = {r.label: r.value for r in Resource if r.value in RESOURCES}
"""What limits a kernel, by its label -> the class of its colour on pages."""
FULL_NAME_LIMIT = 1500


def write_html(view: RooflineView, path: str | Path, command: str = "") -> None:
    """Write the page in one step."""
    write_text(path, render_html(view, command))


def render_html(view: RooflineView, command: str = "") -> str:
    """The page as text; the same view gives the same text.

    command : what makes this page again, shown at its end.
    """
    script = read_assets(ROOM, "roofline.js")
    names = [p.processor for p in view.panels]
    title = "Roofline: " + " → ".join(clipped(n, 60) for n in names[:4]) if names else "Roofline: no kernels"
    subtitle = ", ".join(view.files[:6]) + (", …" if len(view.files) > 6 else "")
    if view.model:
        subtitle = f"{subtitle}; forecast by the model {view.model}".removeprefix("; ")
    notes = [f"{p.processor}: {note}" for p in view.panels for note in p.notes]
    body = compile_template(read_assets(ROOM, "roofline.html.j2")).render(
        title=title, subtitle=subtitle, versions=render_trajectories(view.trajectories), command=command,
        notes=dict.fromkeys(filter(None, (view.conditions, *notes, *view.notes))),
        data=embed_json(build_page_data(view)), script=script,
    )  # fmt: skip
    return render_document(title, body, read_assets(OWN, *BASE_STYLE), (script,))


def build_page_data(view: RooflineView) -> dict[str, Any]:
    """Everything that the page shows, in the form that its script reads."""
    extent = find_extent(view)
    marks = {m.index: m for p in reversed(view.panels) for m in p.marks}
    used = {p.level for m in marks.values() for p in m.points} | {r.resource for p in view.panels for r in p.memory}
    kernels = [marks[i] for i in range(len(marks))]
    return {
        "levels": {r.value: r.label for r in COLOURS if r in used},
        "extent": {
            "x": extent.x, "y": extent.y, "strip": extent.strip, "unit": extent.unit, "unit_name": extent.unit_name,
        },
        "kernels": [
            {"name": m.name, "full": clipped(m.full_name, FULL_NAME_LIMIT), "file": m.file, "flags": list(m.flags)}
            for m in kernels
        ],
        "order": [m.index for m in sorted(kernels, key=lambda m: (-m.time_total_s if m.time_s > 0 else 1.0, m.index))],
        "panels": [build_panel_data(p) for p in view.panels],
        "joined": [list(chain) for chain in view.joined],
    }  # fmt: skip


def build_panel_data(panel: Panel) -> dict[str, Any]:
    """One GPU."""
    return {
        "name": panel.processor,
        "role": panel.role,
        "clock": describe_clock(panel),
        "lost": panel.notes[0] if panel.clock_note == NOT_HERE and panel.notes else "",
        "roofs": [
            {
                "l": r.resource.value, "v": round_number(r.per_s), "memory": r.is_memory, "estimated": r.estimated,
                "text": label_roof(r),
            }
            for r in (*panel.memory, *panel.compute)
        ],
        "marks": [build_mark_data(m) for m in panel.marks],
    }  # fmt: skip


def build_mark_data(mark: Mark) -> dict[str, Any]:
    """One kernel on one GPU."""
    return {
        "k": mark.index, "time": round_number(mark.time_s), "low": round_number(mark.time_low_s),
        "high": round_number(mark.time_high_s), "share": round_number(mark.time_fraction),
        "rate": round_number(mark.flops_per_s), "precision": mark.precision,
        "peak": round_number(mark.flops_per_s_peak), "mix": round_number(mark.flops_per_s_mix),
        "ceiling": round_number(mark.flops_per_s_ceiling), "limit": mark.limit,
        "by": LIMITED.get(mark.limit, ""), "reason": mark.reason,
        "points": [
            {
                "l": Resource(p.level).value, "x": round_number(p.flops_per_byte), "b": round_number(p.bytes_per_s),
                "c": round_number(p.bytes_per_s_ceiling), "s": round_number(p.share_of_roof),
            }
            for p in mark.points
        ],
    }  # fmt: skip


MAX_TABLES = 40


def render_trajectories(trajectories: Sequence[Trajectory]) -> str:
    """One table per kernel, those with most time first; '' without trajectories."""
    if not trajectories:
        return ""
    shown = trajectories[:MAX_TABLES]
    parts = ['<section class="versions" aria-label="versions of each kernel"><h2>Versions</h2>']
    parts += [render_versions(t) for t in shown]
    if len(shown) < len(trajectories):
        parts.append(f"<p>and {len(trajectories) - len(shown)} more kernels with several versions</p>")
    return "".join([*parts, "</section>"])


def render_versions(trajectory: Trajectory) -> str:
    """One kernel, and where its warps were sampled where the reports say so."""
    title = f"{trajectory.name} on {trajectory.gpu}"
    moved = "".join(f"<p>{escape(v.label)}: {escape('; '.join(v.moved))}</p>" for v in trajectory.versions if v.moved)
    places = wrap_scrolling(PLACES_TITLE, tabulate_places(trajectory), "places") if trajectory.places else ""
    return wrap_scrolling(title, tabulate_versions(trajectory)) + moved + places


def wrap_scrolling(title: str, table: Table, kind: str = "") -> str:
    """A table that scrolls by keyboard as well where the page is narrow."""
    shown = table.html(caption=title)
    return f'<div class="scrolls {kind}" tabindex="0" role="region" aria-label="{escape(title)}, scrolls">{shown}</div>'


PANEL_HEIGHT, WIDTH = 480, 1000


def draw_plotly(view: RooflineView) -> Figure:
    """One panel per GPU on shared axes; a point per kernel and level, with its interval on targets."""
    make_subplots = import_extra("plotly.subplots", "plotly", "the Plotly figure").make_subplots

    titles = [escape(title_panel(p)) for p in view.panels]
    count = max(len(view.panels), 1)
    figure = make_subplots(rows=count, cols=1, subplot_titles=titles, vertical_spacing=0.16 / count)
    extent = find_extent(view)
    for n, panel in enumerate(view.panels, 1):
        add_roofs(figure, panel, extent, n)
        for level in COLOURS:
            add_points(figure, panel, level, n)
        figure.update_xaxes(
            type="log", title="Operational intensity (FLOP/B)", row=n, col=1, range=take_decades(extent.x)
        )
        figure.update_yaxes(type="log", title="Performance (FLOP/s)", row=n, col=1, range=take_decades(extent.y))
    figure.update_layout(template="plotly_white", height=PANEL_HEIGHT * count, width=WIDTH, hovermode="closest")
    return figure


def take_decades(limits: tuple[float, float]) -> list[float]:
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
        name = label_roof(roof)
        line: dict[str, Any] = {
            "color": RESOURCES.get(roof.resource.value, INK),
            "dash": "dash" if roof.estimated else "solid",
        }
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
            error_y=bars, text=[describe_point(m, p) for m, p in found], hoverinfo="text", showlegend=row == 1,
        ), row, 1,
    )  # fmt: skip


def describe_point(mark: Mark, point: Point) -> str:
    """What a point says; names are only ever text."""
    lines = [
        escape(mark.name),
        f"{format_launches(mark)} ({format_percent(mark.time_fraction, 1)} of the time)",
        f"{format_quantity(mark.flops_per_s, 'FLOP/s')} at {point.flops_per_byte:.3g} FLOP/B ({point.level.label})",
        f"{format_quantity(point.bytes_per_s, 'B/s')}",
    ]
    if math.isfinite(point.share_of_roof):
        lines.append(f"{format_percent(point.share_of_roof, 0)} of its ceiling")
    return "<br>".join([*lines, *([f"limit: {mark.limit}"] if mark.limit else [])])
