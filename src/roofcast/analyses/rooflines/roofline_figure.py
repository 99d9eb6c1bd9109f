"""The roofline as a static figure: SVG, PDF or PNG for papers, slides and print."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from roofcast.analyses.rooflines.captions import clock_text, key_lines, note_lines, wrapped
from roofcast.analyses.rooflines.drawing import (
    CATALOG,
    COLOURS,
    INTERVAL,
    SHAPES,
    Layout,
    draw_chains,
    draw_marks,
    draw_roofs,
    draw_strip,
)
from roofcast.analyses.rooflines.roofline_extent import Extent, extent_of
from roofcast.analyses.rooflines.trajectory import Trajectory
from roofcast.analyses.rooflines.trajectory_drawing import draw_steps, is_drawable, steps_caption
from roofcast.analyses.rooflines.view import Panel, RooflineView
from roofcast.kit.names import clipped
from roofcast.kit.output import FAINT, INK, empty_figure, prepare_log_axes, write_figure_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TOP_LABELLED = 8
WIDTH_IN, PLOT_IN, STRIP_IN, LINE_IN = 7.0, 4.3, 0.95, 0.165
LEFT_IN, RIGHT_IN, HEAD_IN, FOOT_IN = 0.75, 0.2, 0.62, 0.52


def write_figure(view: RooflineView, path: str | Path, *, top: int = TOP_LABELLED) -> None:
    """Draw a roofline into a file; the suffix chooses SVG, PDF or PNG. The same view gives the same bytes.

    top : kernels with most time that are numbered, named and given their own ceilings; the others are faint.

    Raises
    ------
    RoofcastError : another suffix, or a file that cannot be written.
    """
    write_figure_file(path, lambda: draw_figure(view, top))


def draw_figure(view: RooflineView, top: int = TOP_LABELLED) -> Figure:
    """One panel per GPU, source first, all on the same axes; a key of the labelled kernels below each."""
    steps = next((t for t in view.trajectories if is_drawable(t)), None)
    cells = len(view.panels) + (steps is not None)
    columns = min(cells, 2) or 1
    rows = math.ceil(cells / columns) or 1
    layout = layout_of(view, top)
    keys = [key_lines(panel, layout.rank, layout.text, layout.first) for panel in view.panels]
    key_in = LINE_IN * (max((len(k) for k in keys), default=0) + 1)
    row_in = HEAD_IN + PLOT_IN + FOOT_IN + key_in
    notes = wrapped(note_lines(view), 118 * columns)
    legend_in = 0.5 if columns == 1 else 0.3
    foot_in = legend_in + LINE_IN * (len(notes) + 1)
    figure = empty_figure(WIDTH_IN * columns, row_in * rows + foot_in)
    width, height = figure.get_size_inches()
    for n, panel in enumerate(view.panels):
        left = (n % columns) * WIDTH_IN
        bottom = height - (n // columns + 1) * row_in + key_in + FOOT_IN
        draw_panel(figure, panel, layout, (left, bottom, width, height))
        for k, line in enumerate(keys[n]):
            y = (bottom - FOOT_IN - LINE_IN * (k + 0.4)) / height
            figure.text((left + LEFT_IN) / width, y, line, fontsize=7.2, color=INK, va="top")
    if steps is not None:
        n = len(view.panels)
        bottom = height - (n // columns + 1) * row_in + key_in + FOOT_IN
        draw_steps_panel(figure, steps, ((n % columns) * WIDTH_IN, bottom, width, height))
    draw_legend(figure, view, layout, (LINE_IN * (len(notes) + 0.6)) / height)
    for k, line in enumerate(notes):
        y = (LINE_IN * (len(notes) - k)) / height
        figure.text(LEFT_IN / width, y, line, fontsize=6.8, color=FAINT, va="top")
    return figure


def layout_of(view: RooflineView, top: int) -> Layout:
    """Common axes, numbers of the kernels with most source time, marker shapes per version."""
    sources = sorted(
        (m for p in view.panels if p.role == "source" for m in p.marks if m.points),
        key=lambda m: (-m.time_s, m.index),
    )
    shape = {version: SHAPES[i % len(SHAPES)] for i, version in enumerate(view.versions)}
    if not view.trajectories:
        rank = {m.index: n + 1 for n, m in enumerate(sources[:top])}
        return Layout(extent_of(view), rank, shape, view.joined)
    return trajectory_layout(view, top, [m.index for m in sources], shape)


def trajectory_layout(view: RooflineView, top: int, placed: list[int], shape: dict[str, str]) -> Layout:
    """As :func:`layout_of`, where kernels have versions: one number per kernel, and the version's label."""
    chain_of = {v.index: n for n, t in enumerate(view.trajectories) for v in t.versions}
    order = list(dict.fromkeys(chain_of.get(i, -1 - i) for i in placed))[:top]
    number = {key: n + 1 for n, key in enumerate(order)}
    rank: dict[int, int] = {}
    for i in sorted(placed, key=lambda i: (number.get(chain_of.get(i, -1 - i), top + 1), i)):
        if chain_of.get(i, -1 - i) in number:
            rank[i] = len(rank) + 1
    versions = {v.index: v.label for t in view.trajectories for v in t.versions}
    alone = len(order) == 1
    text = {
        i: clipped(versions.get(i, ""), 12)
        if alone
        else f"{number[chain_of.get(i, -1 - i)]} {clipped(versions.get(i, ''), 10)}".strip()
        for i in rank
    }
    last = view.trajectories[0].versions[-1].index
    return Layout(extent_of(view), rank, shape, view.joined, text, last)


def draw_steps_panel(figure: Figure, trajectory: Trajectory, place: tuple[float, float, float, float]) -> None:
    """The versions of the kernel with most time, beside the roofline."""
    left, bottom, width, height = place
    size = (WIDTH_IN - LEFT_IN - RIGHT_IN) / width, PLOT_IN / height
    draw_steps(figure.add_axes(((left + LEFT_IN) / width, bottom / height, *size)), trajectory)
    top = (bottom + PLOT_IN + 0.34) / height
    x = (left + LEFT_IN) / width
    figure.text(x, top, clipped(f"versions of {trajectory.name}", 60), fontsize=10.5, fontweight="bold", color=INK)
    figure.text(x, top - 0.17 / height, clipped(steps_caption(trajectory), 120), fontsize=7.4, color=FAINT)


def draw_panel(figure: Figure, panel: Panel, layout: Layout, place: tuple[float, float, float, float]) -> None:
    """Roofs, kernels and, where kernels without FLOPs exist, the bandwidth strip."""
    left, bottom, width, height = place
    strip = any(m.is_bandwidth_only for m in panel.marks)
    plot_in = WIDTH_IN - LEFT_IN - RIGHT_IN - (STRIP_IN + 0.62 if strip else 0.0)
    axes = figure.add_axes((
        (left + LEFT_IN) / width, bottom / height, plot_in / width, PLOT_IN / height,
    ))  # fmt: skip
    extent = layout.extent
    slope = math.degrees(math.atan2(PLOT_IN / extent.decades_y, plot_in / extent.decades_x))
    prepare_axes(axes, panel, extent)
    draw_roofs(axes, panel, layout, slope)
    draw_marks(axes, panel, layout)
    draw_chains(axes, panel, layout)
    if strip:
        x = left + LEFT_IN + plot_in + 0.62
        draw_strip(figure.add_axes((x / width, bottom / height, STRIP_IN / width, PLOT_IN / height)), panel, layout)
    title = f"{'measured on' if panel.role == 'source' else 'forecast for'} {panel.processor}"
    top = (bottom + PLOT_IN + 0.34) / height
    figure.text((left + LEFT_IN) / width, top, title, fontsize=10.5, fontweight="bold", color=INK)
    figure.text(
        (left + LEFT_IN) / width,
        top - 0.17 / height,
        clipped(f"roofs at {clock_text(panel)}" if panel.clock_hz > 0 else "", 110),
        fontsize=7.4,
        color=FAINT,
    )


def prepare_axes(axes: Axes, panel: Panel, extent: Extent) -> None:
    """Log-log axes with units; the same limits in every panel."""
    prepare_log_axes(axes, extent.x, extent.y, lambda v: f"{v / extent.unit:g}")
    axes.set_xlabel("Operational intensity (FLOP/B)", color=INK)
    axes.set_ylabel(f"Performance ({extent.unit_name})", color=INK)
    if not panel.memory and not panel.compute:
        axes.set_axis_off()
        axes.text(
            0.5, 0.5, "\n".join(wrapped(panel.notes[:1] or ["no roofs are known"], 64)), transform=axes.transAxes,
            ha="center", va="center", color=FAINT,
        )  # fmt: skip


def draw_legend(figure: Figure, view: RooflineView, layout: Layout, y: float) -> None:
    """What the marks mean, outside the plots."""
    from matplotlib.lines import Line2D

    levels = [r for r in COLOURS if any(p.level is r for panel in view.panels for m in panel.marks for p in m.points)]
    handles = [Line2D([], [], color=COLOURS[r], marker="o", linewidth=1.5, markersize=5, label=r.label) for r in levels]
    handles.append(Line2D([], [], color=INK, linewidth=1.5, label="compute"))
    whose = layout.text.get(layout.first, "kernel 1")
    handles.append(Line2D([], [], color=INK, linewidth=0.9, linestyle=(0, (1, 1.6)), label=f"ceiling of {whose}"))
    handles.append(
        Line2D([], [], color=INK, linewidth=0, marker="_", markersize=7, label="its ceiling at a kernel's intensity")
    )
    if any(r.estimated for p in view.panels for r in (*p.memory, *p.compute)):
        handles.append(Line2D([], [], color=INK, linewidth=1.5, linestyle=(0, (5, 2.5)), label="estimated roof"))
    if any(p.beside for p in view.panels):
        handles.append(Line2D([], [], color=INK, linewidth=0.8, linestyle=CATALOG, alpha=0.6, label="catalog's roof"))
    if any(p.role == "target" for p in view.panels):
        handles.append(Line2D([], [], color=INTERVAL, linewidth=6, alpha=0.4, label="forecast interval"))
    if len(view.versions) > 1:
        handles += [
            Line2D([], [], color=FAINT, marker=s, linewidth=0, label=clipped(f, 28)) for f, s in layout.shape.items()
        ]
    columns = 4 if len(view.panels) == 1 and not view.trajectories else 8
    place = (LEFT_IN / figure.get_size_inches()[0] - 0.005, y)
    figure.legend(
        handles=handles, loc="lower left", bbox_to_anchor=place, ncols=columns, fontsize=7.2, frameon=False,
        handlelength=2.2, columnspacing=1.2, labelcolor=INK,
    )  # fmt: skip
