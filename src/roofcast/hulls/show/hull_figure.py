"""The boat hull graph as a static figure: SVG, PDF or PNG."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.core.units import format_quantity
from roofcast.hulls.bounds import Line
from roofcast.hulls.show.hull_data import sampled
from roofcast.hulls.show.hull_view import HullView, Panel
from roofcast.kit.figure_file import FAINT, INK, empty_figure, prepare_log_axes, write_figure_file
from roofcast.kit.names import clipped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COMPUTE, MEMORY, OTHER, POINTS = "#D55E00", "#0072B2", "#009E73", ("#111111", "#CC79A7", "#E69F00", "#56B4E9")
SHADE, MARK = "#dfe7ee", "#8E24AA"
COLOUR = {"compute": COMPUTE, "memory": MEMORY, "atomics": OTHER, "latency": "#CC79A7"}
SHAPES = "o*s^Dv"
PANEL_IN, HEIGHT_IN, COLUMNS = 4.6, 3.7, 3


def write_hull_figure(view: HullView, path: str | Path) -> None:
    """Draw the graph into a file; the suffix chooses SVG, PDF or PNG. The same view gives the same bytes.

    Raises
    ------
    RoofcastError : another suffix, or a file that cannot be written.
    """
    write_figure_file(path, lambda: draw(view))


def draw(view: HullView) -> Figure:
    """Panels side by side on the same axes, one legend below."""
    columns = min(len(view.panels), COLUMNS)
    rows = math.ceil(len(view.panels) / columns)
    legend_in = 0.75 if columns > 1 else 0.95
    figure = empty_figure(PANEL_IN * columns + 0.2, HEIGHT_IN * rows + legend_in)
    width, height = figure.get_size_inches()
    limits = time_limits(view)
    for n, panel in enumerate(view.panels):
        left, bottom = (n % columns) * PANEL_IN + 0.8, legend_in + (rows - 1 - n // columns) * HEIGHT_IN + 0.5
        place = (left / width, bottom / height, (PANEL_IN - 0.9) / width, (HEIGHT_IN - 1.05) / height)
        axes = figure.add_axes(place)
        prepare(axes, panel, view, limits)
        if n % columns == 0:
            axes.set_ylabel("execution time", color=INK)
        draw_panel(axes, panel, view)
    draw_legend(figure, view)
    return figure


def time_limits(view: HullView) -> tuple[float, float]:
    """Seconds that all panels show: every hull and floor, points and transfers."""
    low, high = view.complexity
    found = [t for p in view.panels for f in (low, high) for t in (p.bounds.low(f), p.bounds.high(f))]
    found += [p.bounds.high(high) + p.bounds.transfer_s for p in view.panels if p.transfers]
    found += [point.time_s for p in view.panels for point in p.points]
    return min(found) / 1.8, max(found) * 1.8


def prepare(axes: Axes, panel: Panel, view: HullView, limits: tuple[float, float]) -> None:
    """Logarithmic axes with units, titles."""
    prepare_log_axes(axes, view.complexity, limits, lambda v: format_quantity(v, "s", 1))
    axes.set_xlabel("complexity (operations per application)", color=INK)
    title = f"{clipped(panel.title, 44)} ({panel.bounds.form})"
    axes.text(0, 1.095, title, transform=axes.transAxes, fontsize=9.5, fontweight="bold", color=INK)
    axes.text(0, 1.025, clipped(panel.subtitle, 62), transform=axes.transAxes, fontsize=7.2, color=FAINT)


def draw_panel(axes: Axes, panel: Panel, view: HullView) -> None:
    """Shaded floors, lines, the hull, totals with transfers, the forecast's mark, measured points."""
    xs = sampled(view.complexity)
    bounds = panel.bounds
    low, high = [bounds.low(f) for f in xs], [bounds.high(f) for f in xs]
    axes.fill_between(xs, low, high, color=SHADE, linewidth=0, zorder=1)
    for line in bounds.floors:
        axes.plot(xs, [bounds.overhead_s + line.at(f) for f in xs], **style(line), linewidth=0.9, dashes=(1.2, 1.4))
    for line in bounds.hull:
        axes.plot(xs, [bounds.overhead_s + line.at(f) for f in xs], **style(line), linewidth=1.1)
    axes.plot(xs, low, color=INK, linewidth=2.0, zorder=4)
    if panel.transfers:
        moved = bounds.transfer_s
        for ends in (low, high):
            axes.plot(xs, [t + moved for t in ends], color=INK, linewidth=1.1, dashes=(5, 2.5), zorder=3)
    if panel.mark is not None:
        first, last = panel.mark
        ends_marked = bounds.low(first), bounds.high(last)
        at = math.sqrt(max(first, view.complexity[0]) * max(last, view.complexity[0]))
        axes.plot(
            [at, at], ends_marked, color=MARK, linewidth=3, marker="_", markersize=9, markeredgewidth=2.5, zorder=5
        )
    for n, label in enumerate(view.labels):
        mine = [p for p in panel.points if (p.label or "measured") == label]
        axes.plot(
            [p.complexity for p in mine], [p.time_s for p in mine], linestyle="none", marker=SHAPES[n % len(SHAPES)],
            markersize=4.2, markerfacecolor="white", markeredgecolor=POINTS[n % len(POINTS)], markeredgewidth=1.1,
            zorder=6,
        )  # fmt: skip


def style(line: Line) -> dict[str, Any]:
    """Colour by what limits."""
    return {"color": COLOUR[line.limit.value], "zorder": 2}


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
