"""The boat hull graph, complexity against execution time: as panels of lines, as a figure, as a page."""

from __future__ import annotations

import csv
import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.core.errors import InputError, RoofcastError, one_line
from roofcast.core.extras import import_extra
from roofcast.core.units import format_quantity, parse_quantity
from roofcast.hulls.bounds import Bounds, Line
from roofcast.kit.names import clipped
from roofcast.kit.output import empty_figure, prepare_log_axes, write_figure_file, write_text
from roofcast.kit.palette import AMBER, BLUE, FAINT, GREEN, INK, ORANGE, PINK, SKY, VIOLET
from roofcast.kit.table import render_csv

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DEFAULT_RANGE = (0.5, 1000.0)
MOST_PANELS = 24
CURVE_POINTS = 61
MEASURED = "measured"
"""Points without a label."""
TIMES = {"time_s": 1.0, "time_ms": 1e-3, "time_us": 1e-6, "time": 0.0}
"""Columns of a measured time, with the seconds of their unit; 0: the cells hold units."""


@dataclass(frozen=True, slots=True)
class Point:
    """A measured primitive."""

    complexity: float
    time_s: float
    label: str = ""
    """What kind of code it is; points of one label look alike."""
    processor: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One class on one processor."""

    title: str
    subtitle: str
    bounds: Bounds
    transfers: bool = False
    mark: tuple[float, float] | None = None
    """Complexity range that the forecast is for."""
    points: tuple[Point, ...] = ()

    def times(self, line: Line, complexities: Sequence[float]) -> list[float]:
        """Seconds of one line."""
        return [self.bounds.overhead_s + line.at(f) for f in complexities]

    def measured(self, label: str) -> tuple[list[float], list[float]]:
        """Complexities and seconds of the points of one label."""
        mine = [p for p in self.points if (p.label or MEASURED) == label]
        return [p.complexity for p in mine], [p.time_s for p in mine]

    def forecast(self, axis: tuple[float, float]) -> tuple[float, tuple[float, float]] | None:
        """Where on the axis the forecast is marked, and its ends."""
        if self.mark is None:
            return None
        first, last = self.mark
        at = math.sqrt(max(first, axis[0]) * max(last, axis[0]))
        return at, (self.bounds.low(first), self.bounds.high(last))


@dataclass(frozen=True, slots=True)
class HullView:
    """The whole graph."""

    panels: tuple[Panel, ...]
    complexity: tuple[float, float]
    notes: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """Kinds of measured points, in order."""
        return tuple(dict.fromkeys(p.label or MEASURED for panel in self.panels for p in panel.points))


def make_view(
    bounds: Sequence[tuple[str, Bounds]],
    complexity: tuple[float, float],
    *,
    transfers: bool = False,
    marks: Sequence[tuple[float, float] | None] = (),
    points: Iterable[Point] = (),
) -> HullView:
    """A graph from titled bounds.

    bounds : (subtitle, bounds) per panel.
    complexity : what the user asked for; one value becomes a mark on a wider axis.
    """
    if len(bounds) > MOST_PANELS:
        raise RoofcastError(f"{len(bounds)} graphs do not fit into one picture; name at most {MOST_PANELS} processors")
    measured = list(points)
    low, high = complexity
    span = (
        (low, high) if low < high and low > 0 else (min(DEFAULT_RANGE[0], low or 1.0), max(DEFAULT_RANGE[1], 10 * high))
    )
    given = list(marks) or [None if low < high else complexity] * len(bounds)
    panels = tuple(
        Panel(
            title=b.processor,
            subtitle=subtitle,
            bounds=b,
            transfers=transfers and b.transfer_s > 0,
            mark=mark,
            points=tuple(p for p in measured if belongs_to(p, b.processor)),
        )
        for (subtitle, b), mark in zip(bounds, given, strict=True)
    )
    if measured and not any(panel.points for panel in panels):
        named = ", ".join(sorted({one_line(p.processor, 40) for p in measured}))
        raise RoofcastError(f"the measured points are of {named}, which is none of the processors drawn")
    xs = [p.complexity for panel in panels for p in panel.points if p.complexity > 0]
    span = (min([span[0], *xs]), max([span[1], *xs]))
    notes = tuple(dict.fromkeys(note for _, b in bounds for note in b.notes))
    return HullView(panels, span, notes)


def belongs_to(point: Point, processor: str) -> bool:
    """Whether a point was measured on a processor; points that do not say so belong to all."""
    if not point.processor:
        return True
    if point.processor.strip().lower() == processor.lower():
        return True
    from roofcast.catalog import parse_target

    try:
        return parse_target(point.processor).processor.name == processor
    except RoofcastError:
        return False


def read_points(path: str | Path) -> list[Point]:
    """Measured points of a CSV with ``complexity``, ``time_s`` (``time_ms``, ``time_us``, or ``time`` with units).

    ``label`` and ``processor`` are optional; other columns are ignored.
    """
    shown = one_line(str(path), 120)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        rows = list(csv.DictReader(text.splitlines()))
    except OSError as error:
        raise InputError(f"{shown}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{shown}: no CSV text: {error}") from error
    columns = {(name or "").strip().lower(): name for name in (rows[0] if rows else {})}
    time = next((name for name in TIMES if name in columns), None)
    if "complexity" not in columns or time is None:
        raise InputError(f"{shown}: needs the columns complexity and time_s (or time_ms, time_us, time with units)")
    points = []
    for number, row in enumerate(rows, start=2):
        try:
            complexity = parse_quantity((row[columns["complexity"]] or "").strip(), "")
            cell = (row[columns[time]] or "").strip()
            seconds = parse_quantity(cell, "s" if time == "time" else "") * (TIMES[time] or 1.0)
        except RoofcastError as error:
            raise InputError(f"{shown}: line {number}: {error}") from error
        if not (complexity > 0 and seconds > 0 and math.isfinite(seconds)):
            raise InputError(f"{shown}: line {number}: complexity and time must be above 0")
        label, processor = (one_line((row.get(columns.get(n, "")) or "").strip(), 60) for n in ("label", "processor"))
        points.append(Point(complexity, seconds, label, processor))
    return points


def render_curves_csv(bounds: Sequence[Bounds], complexity: tuple[float, float], transfers: bool) -> str:
    """The graph as numbers: complexity against hull and highest floor, one row per processor and point."""
    rows = [
        [
            b.processor, b.form, f"{f:.6g}", b.low(f), b.high(f), b.limit(f).limit.value,
            b.transfer_s if transfers else 0.0,
        ]
        for b in bounds
        for f in sample_complexities(complexity)
    ]  # fmt: skip
    return render_csv(["processor", "form", "complexity", "low_s", "high_s", "limit", "transfers_s"], rows)


def sample_complexities(complexity: tuple[float, float], points: int = CURVE_POINTS) -> list[float]:
    """Complexities between both ends, evenly spaced on a logarithmic axis."""
    low, high = max(complexity[0], 1e-3), max(complexity[1], 1e-3)
    if high <= low:
        return [low]
    return [low * (high / low) ** (i / (points - 1)) for i in range(points)]


# As a figure

COMPUTE, MEMORY, OTHER, POINTS = ORANGE, BLUE, GREEN, ("#111111", PINK, AMBER, SKY)
SHADE, MARK = "#dfe7ee", VIOLET
COLOUR = {"compute": COMPUTE, "memory": MEMORY, "atomics": OTHER, "latency": PINK}
SHAPES = "o*s^Dv"
SAME_PLACE = 0.4
"""Lines that end closer than this (natural logarithm of their times) have one name."""
PANEL_IN, HEIGHT_IN, COLUMNS = 4.6, 3.7, 3


def write_hull_figure(view: HullView, path: str | Path) -> None:
    """Draw the graph into a file; the suffix chooses SVG, PDF or PNG. The same view gives the same bytes."""
    write_figure_file(path, lambda: draw_figure(view))


def draw_figure(view: HullView) -> Figure:
    """Panels side by side on the same axes, one legend below."""
    columns = min(len(view.panels), COLUMNS)
    rows = math.ceil(len(view.panels) / columns)
    legend_in = 0.75 if columns > 1 else 0.95
    figure = empty_figure(PANEL_IN * columns + 0.2, HEIGHT_IN * rows + legend_in)
    width, height = figure.get_size_inches()
    limits = find_time_limits(view)
    for n, panel in enumerate(view.panels):
        left, bottom = (n % columns) * PANEL_IN + 0.8, legend_in + (rows - 1 - n // columns) * HEIGHT_IN + 0.5
        place = (left / width, bottom / height, (PANEL_IN - 0.9) / width, (HEIGHT_IN - 1.05) / height)
        axes = figure.add_axes(place)
        prepare_axes(axes, panel, view, limits)
        if n % columns == 0:
            axes.set_ylabel("execution time", color=INK)
        draw_panel(axes, panel, view)
    draw_legend(figure, view)
    return figure


def find_time_limits(view: HullView) -> tuple[float, float]:
    """Seconds that all panels show: every hull and floor, points and transfers."""
    low, high = view.complexity
    found = [t for p in view.panels for f in (low, high) for t in (p.bounds.low(f), p.bounds.high(f))]
    found += [p.bounds.high(high) + p.bounds.transfer_s for p in view.panels if p.transfers]
    found += [point.time_s for p in view.panels for point in p.points]
    return min(found) / 1.8, max(found) * 1.8


def prepare_axes(axes: Axes, panel: Panel, view: HullView, limits: tuple[float, float]) -> None:
    """Logarithmic axes with units, titles."""
    prepare_log_axes(axes, view.complexity, limits, lambda v: format_quantity(v, "s", 1))
    axes.set_xlabel("complexity (operations per application)", color=INK)
    title = f"{clipped(panel.title, 44)} ({panel.bounds.form})"
    axes.text(0, 1.095, title, transform=axes.transAxes, fontsize=9.5, fontweight="bold", color=INK)
    axes.text(0, 1.025, clipped(panel.subtitle, 62), transform=axes.transAxes, fontsize=7.2, color=FAINT)


def draw_panel(axes: Axes, panel: Panel, view: HullView) -> None:
    """Shaded floors, lines, the hull, totals with transfers, the forecast's mark, measured points."""
    xs = sample_complexities(view.complexity)
    bounds = panel.bounds
    low, high = [bounds.low(f) for f in xs], [bounds.high(f) for f in xs]
    axes.fill_between(xs, low, high, color=SHADE, linewidth=0, zorder=1)
    for line in bounds.floors:
        axes.plot(xs, panel.times(line, xs), color=COLOUR[line.limit.value], zorder=2, linewidth=0.9, dashes=(1.2, 1.4))
    for line in bounds.hull:
        axes.plot(xs, panel.times(line, xs), color=COLOUR[line.limit.value], zorder=2, linewidth=1.1)
    axes.plot(xs, low, color=INK, linewidth=2.0, zorder=4)
    for key, seconds in name_lines(panel, xs[-1]):
        axes.annotate(
            key, (xs[-1], seconds), textcoords="offset points", xytext=(2, -2), fontsize=6, color=FAINT,
            annotation_clip=False,
        )  # fmt: skip
    if panel.transfers:
        moved = bounds.transfer_s
        for times in (low, high):
            axes.plot(xs, [t + moved for t in times], color=INK, linewidth=1.1, dashes=(5, 2.5), zorder=3)
    if (forecast := panel.forecast(view.complexity)) is not None:
        at, ends = forecast
        axes.plot([at, at], ends, color=MARK, linewidth=3, marker="_", markersize=9, markeredgewidth=2.5, zorder=5)
    for n, label in enumerate(view.labels):
        axes.plot(
            *panel.measured(label), linestyle="none", marker=SHAPES[n % len(SHAPES)], markersize=4.2,
            markerfacecolor="white", markeredgecolor=POINTS[n % len(POINTS)], markeredgewidth=1.1, zorder=6,
        )  # fmt: skip


def name_lines(panel: Panel, complexity: float) -> list[tuple[str, float]]:
    """Names of the lines (c0, c1, m0 ...) and where each ends; of lines that end on one place the first."""
    found: list[tuple[str, float]] = []
    for line in (*panel.bounds.hull, *panel.bounds.floors):
        seconds = panel.bounds.overhead_s + line.at(complexity)
        if seconds > 0 and not any(abs(math.log(seconds / other)) < SAME_PLACE for _, other in found):
            found.append((line.key, seconds))
    return found


def draw_legend(figure: Figure, view: HullView) -> None:
    """What the marks mean, below all panels."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    limits = dict.fromkeys(line.limit.value for p in view.panels for line in (*p.bounds.hull, *p.bounds.floors))
    handles: list[Any] = [Line2D([], [], color=INK, linewidth=2.0, label="hull")]
    handles += [Line2D([], [], color=COLOUR[name], linewidth=1.1, label=name) for name in limits]
    handles.append(Line2D([], [], color=FAINT, linewidth=0.9, dashes=(1.2, 1.4), label="floor"))
    handles.append(Patch(color=SHADE, label="between hull and floors"))
    if any(p.transfers for p in view.panels):
        handles.append(Line2D([], [], color=INK, linewidth=1.1, dashes=(5, 2.5), label="with transfers"))
    if any(p.mark for p in view.panels):
        handles.append(Line2D([], [], color=MARK, linewidth=3, label="forecast"))
    for n, label in enumerate(view.labels):
        handles.append(
            Line2D([], [], linestyle="none", marker=SHAPES[n % len(SHAPES)], markerfacecolor="white",
                   markeredgecolor=POINTS[n % len(POINTS)], label=clipped(label, 30))
        )  # fmt: skip
    columns = {1: 3, 2: 5}.get(len(view.panels), 7)
    figure.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(0.02, 0.01), ncols=columns, fontsize=7.2, frameon=False,
        labelcolor=INK, handlelength=2.2, columnspacing=1.3,
    )  # fmt: skip


# As a page

DECADES = [10.0**k for k in range(-9, 6)]
DIV = "boat-hull"
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Boat hull</title>
<style>
:root {{ --paper: #ffffff; --ink: #222222; --faint: #667; --line: #d8dde3; }}
@media (prefers-color-scheme: dark) {{ \
:root {{ --paper: #14181d; --ink: #e8eaed; --faint: #9aa4af; --line: #333b45; }} }}
@media print {{
  :root {{ --paper: #ffffff; --ink: #000000; --faint: #444444; --line: #bbbbbb; }}
  .modebar {{ display: none !important; }}
  details > * {{ display: block; }}
  tr {{ break-inside: avoid; }}
}}
body {{ margin: 1.2rem; background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }}
h1 {{ font-size: 1.3rem; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: left; padding: 0.2rem 0.7rem; border-bottom: 1px solid var(--line); }}
p, li, summary {{ color: var(--faint); }}
.scroll {{ overflow-x: auto; }}
.plot {{ min-width: 760px; }}
@media print {{ .plot {{ min-width: 0; }} }}
</style>
</head>
<body>
<h1>Boat hull: complexity against execution time</h1>
<div class="scroll"><div class="plot" role="img"
  aria-label="Hull and floors of each class and processor; the table below has
their ends">{plot}</div></div>
<details open><summary>Lines at both ends of the axis</summary><div class="scroll"><table>
<thead><tr><th>processor</th><th>class</th><th>part</th><th></th><th>meaning</th>\
<th>left end</th><th>right end</th></tr></thead>
<tbody>{rows}</tbody></table></div></details>
<ul>{notes}</ul>
{command}
<script>
(function () {{
  var plot = document.getElementById("{div}"), dark = matchMedia("(prefers-color-scheme: dark)");
  function paint(isDark) {{
    var ink = isDark ? "#e8eaed" : "{ink}", grid = isDark ? "#333b45" : "#e6e6e6", change = {{"font.color": ink}};
    Object.keys(plot.layout).forEach(function (name) {{
      if (/^[xy]axis/.test(name)) {{ change[name + ".gridcolor"] = grid; change[name + ".linecolor"] = grid; }}
    }});
    Plotly.relayout(plot, change);
    plot.data.forEach(function (trace, at) {{
      if (trace.meta === "ink") {{
        Plotly.restyle(plot, trace.mode === "markers" ? {{"marker.color": ink}} : {{"line.color": ink}}, [at]);
      }}
    }});
  }}
  paint(dark.matches);
  dark.addEventListener("change", function (event) {{ paint(event.matches); }});
  addEventListener("beforeprint", function () {{ paint(false); }});
  addEventListener("afterprint", function () {{ paint(dark.matches); }});
}})();
</script>
</body>
</html>
"""
SYMBOLS = ("circle-open", "star-open", "square-open", "triangle-up-open")


def write_hull_html(view: HullView, path: str | Path, command: str = "") -> None:
    """Write the page; it needs no network.

    command : what makes the page again, shown at its end.
    """
    make_subplots = import_extra("plotly.subplots", "plotly", "the interactive graph").make_subplots

    columns = min(len(view.panels), COLUMNS)
    rows = math.ceil(len(view.panels) / columns)
    heads = [(html.escape(clipped(p.title, 40)), html.escape(clipped(p.subtitle, 56))) for p in view.panels]
    titles = [
        f"<b>{head}</b> ({p.bounds.form})<br><sub>{below}</sub>"
        for p, (head, below) in zip(view.panels, heads, strict=True)
    ]
    figure = make_subplots(rows=rows, cols=columns, subplot_titles=titles, shared_yaxes="all")
    for n, panel in enumerate(view.panels):
        for trace in make_traces(panel, view, n == 0):
            figure.add_trace(trace, row=n // columns + 1, col=n % columns + 1)
    figure.update_xaxes(type="log", dtick=1, title_text="complexity (operations per application)")
    figure.update_yaxes(type="log", tickvals=DECADES, ticktext=[format_quantity(t, "s", 1) for t in DECADES])
    figure.update_yaxes(title_text="execution time", col=1)
    figure.update_layout(template="plotly_white", height=430 * rows + 90, legend={"orientation": "h", "y": -0.18})
    figure.update_layout(paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", margin={"t": 70, "l": 80})
    plot = figure.to_html(include_plotlyjs=True, full_html=False, div_id=DIV, config={"displaylogo": False})
    made_by = f"<p>Made by <code>{html.escape(command)}</code></p>" if command else ""
    page = PAGE.format(
        plot=plot, rows=render_page_rows(view), notes=render_page_notes(view), command=made_by, ink=INK, div=DIV
    )
    write_text(path, page)


def render_page_rows(view: HullView) -> str:
    """The lines of all panels as rows of a table: what a screen reader and a printer get."""
    found = []
    for panel in view.panels:
        for kind, lines in (("hull", panel.bounds.hull), ("floor", panel.bounds.floors)):
            for line in lines:
                times = [format_quantity(t, "s") for t in panel.times(line, view.complexity)]
                cells = [panel.title, panel.subtitle, kind, line.key, line.meaning, *times]
                found.append("<tr>" + "".join(f"<td>{html.escape(clipped(c, 90))}</td>" for c in cells) + "</tr>")
    return "".join(found)


def render_page_notes(view: HullView) -> str:
    """Notes as list items."""
    return "".join(f"<li>{html.escape(one_line(n))}</li>" for n in view.notes)


def make_traces(panel: Panel, view: HullView, legend: bool) -> list[Any]:
    """Floors as a filled band, single lines, the hull, transfers and measured points."""
    import plotly.graph_objects as go

    xs = sample_complexities(view.complexity)
    bounds = panel.bounds
    low, high = [bounds.low(f) for f in xs], [bounds.high(f) for f in xs]
    band = {"x": xs + xs[::-1], "y": low + high[::-1], "fill": "toself", "fillcolor": "rgba(120,150,180,0.22)"}
    drawn = [
        go.Scatter(**band, line={"width": 0}, hoverinfo="skip", name="between hull and floors", legendgroup="band",
                   showlegend=legend)
    ]  # fmt: skip
    for dash, lines in (("dot", bounds.floors), ("solid", bounds.hull)):
        drawn += [
            go.Scatter(
                x=xs, y=panel.times(line, xs), mode="lines", showlegend=False,
                name=f"{line.key}: {line.meaning}",
                line={"color": COLOUR[line.limit.value], "width": 1, "dash": dash},
            )
            for line in lines
        ]  # fmt: skip
    drawn.append(
        go.Scatter(
            x=xs, y=low, name="hull", legendgroup="hull", showlegend=legend, line={"color": INK, "width": 3}, meta="ink"
        )
    )
    if panel.transfers:
        total = [t + bounds.transfer_s for t in low]
        drawn.append(
            go.Scatter(
                x=xs, y=total, name="with transfers", showlegend=legend, line={"color": INK, "dash": "dash"}, meta="ink"
            )
        )
    if (forecast := panel.forecast(view.complexity)) is not None:
        at, ends = forecast
        drawn.append(
            go.Scatter(x=[at, at], y=list(ends), mode="lines+markers", name="forecast", legendgroup="mark",
                       showlegend=legend, line={"color": MARK, "width": 4},
                       marker={"symbol": "line-ew-open", "size": 12})
        )  # fmt: skip
    for n, label in enumerate(view.labels):
        complexities, times = panel.measured(label)
        marker = {"symbol": SYMBOLS[n % len(SYMBOLS)], "color": POINTS[n % len(POINTS)], "size": 8}
        drawn.append(
            go.Scatter(
                x=complexities, y=times, mode="markers", marker=marker,
                meta="ink" if POINTS[n % len(POINTS)] == POINTS[0] else "",
                name=html.escape(label), legendgroup=html.escape(label), showlegend=legend,
            )
        )  # fmt: skip
    return drawn
