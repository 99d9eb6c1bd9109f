"""The boat hull graph, complexity against execution time: as panels of lines, as a figure, as a page."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.catalog.toml_files import read_whole
from roofcast.core.errors import InputError, RoofcastError, one_line
from roofcast.core.units import format_quantity, parse_quantity
from roofcast.kit.names import clipped
from roofcast.kit.output import draw_svg, empty_figure, prepare_log_axes, write_figure_file
from roofcast.kit.page import Page, Section, notes_section, write_page
from roofcast.kit.palette import AMBER, BLACK, BLUE, FAINT, GREEN, INK, ORANGE, PINK, SHADE, SKY, VIOLET
from roofcast.kit.table import Column, Table, render_csv
from roofcast_hull.bounds import Bounds, Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DEFAULT_RANGE = (0.5, 1000.0)
MOST_PANELS = 24
"""Graphs in one picture."""
CURVE_POINTS = 61
"""Points of a curve, evenly spaced in the logarithm."""
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
    # What a stage computes is drawn inside of the axes, not at their edge.
    marked = [f for ends in marks if ends is not None for f in ends if f > 0]
    span = min([span[0], *(f / 2 for f in marked)]), max([span[1], *(2 * f for f in marked)])
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
    file = one_line(str(path), 120)
    try:
        text = read_whole(path).decode("utf-8-sig")
        rows = list(csv.DictReader(text.splitlines()))
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{file}: no CSV text: {error}") from error
    columns = {(name or "").strip().lower(): name for name in (rows[0] if rows else {})}
    time = next((name for name in TIMES if name in columns), None)
    if "complexity" not in columns or time is None:
        raise InputError(f"{file}: needs the columns complexity and time_s (or time_ms, time_us, time with units)")
    points = []
    for number, row in enumerate(rows, start=2):
        try:
            complexity = parse_quantity((row[columns["complexity"]] or "").strip(), "")
            cell = (row[columns[time]] or "").strip()
            seconds = parse_quantity(cell, "s" if time == "time" else "") * (TIMES[time] or 1.0)
        except RoofcastError as error:
            raise InputError(f"{file}: line {number}: {error}") from error
        if not (complexity > 0 and seconds > 0 and math.isfinite(seconds)):
            raise InputError(f"{file}: line {number}: complexity and time must be above 0")
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

COMPUTE, MEMORY, OTHER, POINTS = ORANGE, BLUE, GREEN, (BLACK, PINK, AMBER, SKY)
MARK = VIOLET
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
    # Seconds that all panels show: every hull and floor, points and transfers.
    low, high = view.complexity
    times = [t for p in view.panels for f in (low, high) for t in (p.bounds.low(f), p.bounds.high(f))]
    times += [p.bounds.high(high) + p.bounds.transfer_s for p in view.panels if p.transfers]
    times += [point.time_s for p in view.panels for point in p.points]
    limits = min(times) / 1.8, max(times) * 1.8
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
    limits = axes.get_ylim()
    # Names stand right of the axes; those of lines that end below or above all that is drawn would stand nowhere.
    for key, seconds in (n for n in name_lines(panel, xs[-1]) if limits[0] <= n[1] <= limits[1]):
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
    names: list[tuple[str, float]] = []
    for line in (*panel.bounds.hull, *panel.bounds.floors):
        seconds = panel.bounds.overhead_s + line.at(complexity)
        if seconds > 0 and not any(abs(math.log(seconds / other)) < SAME_PLACE for _, other in names):
            names.append((line.key, seconds))
    return names


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


def write_hull_html(view: HullView, path: str | Path, command: str = "") -> None:
    """Write the graph, the lines in it as a table, and the notes as a page.

    command : what makes the page again, shown at its end.
    """
    picture = Section("", picture=draw_svg("hull", lambda: draw_figure(view)))
    lines = Section("Lines at both ends of the axis", table=tabulate_lines(view))
    sections = (picture, lines, *notes_section(view.notes))
    write_page(Page("Boat hull: complexity against execution time", sections=sections), str(path), command)


def tabulate_lines(view: HullView) -> Table:
    """The lines of all panels: what a screen reader gets."""
    rows = [
        (p, kind, line, p.times(line, view.complexity))
        for p in view.panels
        for kind, lines in (("hull", p.bounds.hull), ("floor", p.bounds.floors))
        for line in lines
    ]
    columns = [
        Column("processor", lambda r: clipped(r[0].title, 90)), Column("class", lambda r: clipped(r[0].subtitle, 90)),
        Column("part", itemgetter(1)), Column("line", lambda r: r[2].key), Column("meaning", lambda r: r[2].meaning),
        Column("left end", lambda r: format_quantity(r[3][0], "s")),
        Column("right end", lambda r: format_quantity(r[3][1], "s")),
    ]  # fmt: skip
    return Table(columns, rows)
