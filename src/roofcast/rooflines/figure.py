"""The roofline as a static figure for papers, slides and print: its panels; drawing.py draws each and its labels."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from roofcast.core.units import format_quantity
from roofcast.kit.names import clipped
from roofcast.kit.output import empty_figure, prepare_log_axes, write_figure_file
from roofcast.kit.palette import FAINT, GRID, INK, ORANGE, RESOURCES, SKY
from roofcast.kit.quantities import format_percent
from roofcast.rooflines.captions import (
    compute_ceilings,
    describe_clock,
    list_notes,
    render_key,
    title_panel,
    wrap_lines,
)
from roofcast.rooflines.drawing import (
    CATALOG,
    COLOURS,
    DENSE,
    INTERVAL,
    LIMITS,
    SHAPES,
    SPECIFIC,
    Extent,
    Layout,
    draw_chains,
    draw_marks,
    draw_roofs,
    draw_strip,
    find_cap,
    find_extent,
    find_first_mark,
)
from roofcast.rooflines.side_panels import SidePanel, draw_side_panel
from roofcast.rooflines.view import Panel, RooflineView, Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TOP_LABELLED = 8
"""Kernels that a picture labels, the longest of them."""
WIDTH_IN, PLOT_IN, STRIP_IN, LINE_IN = 7.0, 4.3, 0.95, 0.165
LEFT_IN, RIGHT_IN, HEAD_IN, FOOT_IN = 0.75, 0.2, 0.62, 0.52


def write_figure(view: RooflineView, path: str | Path, *, top: int = TOP_LABELLED) -> None:
    """Draw a roofline into a file; the suffix chooses SVG, PDF or PNG. The same view gives the same bytes.

    top : kernels with most time that are numbered, named and given their own ceilings; the others are faint.
    """
    write_figure_file(path, lambda: draw_figure(view, top))


def draw_figure(view: RooflineView, top: int = TOP_LABELLED) -> Figure:
    """One panel per GPU, source first, all on the same axes; a key of the labelled kernels below each."""
    steps = next((t for t in view.trajectories if is_drawable(t)), None)
    cells = len(view.panels) + (steps is not None) + len(view.sides)
    columns = min(cells, 2) or 1
    rows = math.ceil(cells / columns) or 1
    layout = lay_out(view, top)
    keys = [render_key(panel, layout.rank, layout.text, layout.first) for panel in view.panels]
    key_in = LINE_IN * (max((len(k) for k in keys), default=0) + 1)
    row_in = HEAD_IN + PLOT_IN + FOOT_IN + key_in
    notes = wrap_lines(list_notes(view), 118 * columns)
    legend_in = 0.75 if columns == 1 else 0.5
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
    for n, side in enumerate(view.sides, len(view.panels) + (steps is not None)):
        bottom = height - (n // columns + 1) * row_in + key_in + FOOT_IN
        draw_side(figure, side, ((n % columns) * WIDTH_IN, bottom, width, height))
    draw_legend(figure, view, layout, (LINE_IN * (len(notes) + 0.6)) / height)
    for k, line in enumerate(notes):
        y = (LINE_IN * (len(notes) - k)) / height
        figure.text(LEFT_IN / width, y, line, fontsize=6.8, color=FAINT, va="top")
    return figure


def draw_one_side(side: SidePanel) -> Figure:
    """A roofline of another kind alone."""
    height = PLOT_IN + HEAD_IN + FOOT_IN
    figure = empty_figure(WIDTH_IN, height)
    draw_side(figure, replace(side, title=""), (0.0, FOOT_IN, WIDTH_IN, height))
    return figure


def draw_side(figure: Figure, side: SidePanel, place: tuple[float, float, float, float]) -> None:
    """A roofline of another kind, as large as the others."""
    left, bottom, width, height = place
    size = (WIDTH_IN - LEFT_IN - RIGHT_IN) / width, PLOT_IN / height
    draw_side_panel(figure.add_axes(((left + LEFT_IN) / width, bottom / height, *size)), side)
    top = (bottom + PLOT_IN + 0.34) / height
    figure.text((left + LEFT_IN) / width, top, clipped(side.title, 60), fontsize=10.5, fontweight="bold", color=INK)


def lay_out(view: RooflineView, top: int) -> Layout:
    """Common axes, numbers of the kernels with most source time, marker shapes per version."""
    sources = sorted(
        (m for p in view.panels if p.role == "source" for m in p.marks if m.points),
        key=lambda m: (-m.time_total_s, m.index),
    )
    shape = {version: SHAPES[i % len(SHAPES)] for i, version in enumerate(view.versions)}
    if not view.trajectories:
        rank = {m.index: n + 1 for n, m in enumerate(sources[:top])}
        return Layout(find_extent(view), rank, shape, view.joined)
    return lay_out_versions(view, top, [m.index for m in sources], shape)


def lay_out_versions(view: RooflineView, top: int, placed: list[int], shape: dict[str, str]) -> Layout:
    """As :func:`lay_out`, where kernels have versions: one number per kernel, and the version's label."""
    chain_of = {v.index: n for n, t in enumerate(view.trajectories) for v in t.versions}
    order = list(dict.fromkeys(chain_of.get(i, -1 - i) for i in placed))[:top]
    number = {key: n + 1 for n, key in enumerate(order)}
    rank: dict[int, int] = {}
    for i in sorted(placed, key=lambda i: (number.get(chain_of.get(i, -1 - i), top + 1), i)):
        if chain_of.get(i, -1 - i) in number:
            rank[i] = len(rank) + 1
    versions = {v.index: v.label for t in view.trajectories for v in t.versions}
    single = len(order) == 1
    text = {
        i: clipped(versions.get(i, ""), 12)
        if single
        else f"{number[chain_of.get(i, -1 - i)]} {clipped(versions.get(i, ''), 10)}".strip()
        for i in rank
    }
    last = view.trajectories[0].versions[-1].index
    return Layout(find_extent(view), rank, shape, view.joined, text, last)


def draw_steps_panel(figure: Figure, trajectory: Trajectory, place: tuple[float, float, float, float]) -> None:
    """The versions of the kernel with most time, beside the roofline."""
    left, bottom, width, height = place
    size = (WIDTH_IN - LEFT_IN - RIGHT_IN) / width, PLOT_IN / height
    draw_steps(figure.add_axes(((left + LEFT_IN) / width, bottom / height, *size)), trajectory)
    top = (bottom + PLOT_IN + 0.34) / height
    x = (left + LEFT_IN) / width
    figure.text(x, top, clipped(f"versions of {trajectory.name}", 60), fontsize=10.5, fontweight="bold", color=INK)
    figure.text(x, top - 0.17 / height, clipped(describe_steps(trajectory), 120), fontsize=7.4, color=FAINT)


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
    top = (bottom + PLOT_IN + 0.34) / height
    figure.text((left + LEFT_IN) / width, top, title_panel(panel), fontsize=10.5, fontweight="bold", color=INK)
    figure.text(
        (left + LEFT_IN) / width,
        top - 0.17 / height,
        clipped(f"roofs at {describe_clock(panel)}" if panel.clock_hz > 0 else "", 110),
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
            0.5, 0.5, "\n".join(wrap_lines(panel.notes[:1] or ["no roofs are known"], 64)), transform=axes.transAxes,
            ha="center", va="center", color=FAINT,
        )  # fmt: skip


def draw_legend(figure: Figure, view: RooflineView, layout: Layout, y: float) -> None:
    """What the marks mean, outside the plots."""
    from matplotlib.lines import Line2D

    levels = [r for r in COLOURS if any(p.level is r for panel in view.panels for m in panel.marks for p in m.points)]
    handles = [Line2D([], [], color=COLOURS[r], marker="o", linewidth=1.5, markersize=5, label=r.label) for r in levels]
    drawn = [r for p in view.panels for r in p.compute]
    for resource in dict.fromkeys(r.resource for r in drawn):
        colour = RESOURCES.get(resource.value, INK)
        handles.append(Line2D([], [], color=colour, linewidth=1.5, label=resource.label))
    labelled = [m for p in view.panels for m in p.marks if m.index in layout.rank and m.points]
    firsts = [m for p in view.panels if (m := find_first_mark(p, layout)) is not None]
    if any(compute_ceilings(m) or any(math.isfinite(q.bytes_per_s_ceiling) for q in m.points) for m in firsts):
        whose = layout.text.get(layout.first, "kernel 1")
        handles.append(Line2D([], [], color=INK, linewidth=0.9, linestyle=SPECIFIC, label=f"ceiling of {whose}"))
    if any(find_cap(m, q, layout) > 0 for m in labelled if m.is_placed for q in m.points):
        label = "its ceiling at a kernel's intensity"
        handles.append(Line2D([], [], color=INK, linewidth=0, marker="_", markersize=7, label=label))
    limits = dict.fromkeys(m.limit for m in labelled if m.limit in LIMITS)
    handles += [
        Line2D([], [], color=LIMITS[x], linewidth=0, marker="s", markersize=4, label=f"number: limit {x}")
        for x in limits
    ]
    faint = max((sum(m.is_placed and m.index not in layout.rank for m in p.marks) for p in view.panels), default=0)
    if faint:
        label = f"density of {faint} more kernels" if faint > DENSE else "more kernels"
        marker = "s" if faint > DENSE else "o"
        handles.append(Line2D([], [], color=FAINT, alpha=0.4, linewidth=0, marker=marker, label=label))
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


BAR, CUSTOM = SKY, ORANGE
ONE_LINE = 5
"""Versions up to which time and share fit side by side above a bar."""
MAX_LABELS = 16
"""Versions from which the bars are too narrow for times."""


def is_drawable(trajectory: Trajectory) -> bool:
    """Whether at least two versions have a rate."""
    return sum(v.flops_per_s > 0 for v in trajectory.versions) >= 2


def draw_steps(axes: Axes, trajectory: Trajectory) -> None:
    """Bars of FLOP/s, the kernel's own peak per version, the peak of its precision, warps and registers below."""
    versions = [v for v in trajectory.versions if v.flops_per_s > 0]
    unit = 1e12 if max(v.flops_per_s for v in versions) >= 1e12 else 1e9
    own_peaks = [v.flops_per_s_mix / unit for v in versions]
    peaks = [v.flops_per_s_peak / unit for v in versions if v.flops_per_s_peak > 0]
    axes.bar(range(len(versions)), [v.flops_per_s / unit for v in versions], width=0.6, color=BAR, zorder=2)
    for n, (version, peak) in enumerate(zip(versions, own_peaks, strict=True)):
        if math.isfinite(peak):
            axes.plot([n - 0.38, n + 0.38], [peak, peak], color=CUSTOM, linewidth=1.6, zorder=3)
        share = [format_percent(version.share_of_mix, 0)] if math.isfinite(version.share_of_mix) else []
        between = ", " if len(versions) <= ONE_LINE else "\n"
        labels = [format_quantity(version.time_s, "s"), *share] if len(versions) < MAX_LABELS else share
        text = between.join(labels)
        axes.text(n, version.flops_per_s / unit, text, ha="center", va="bottom", fontsize=7.2, color=INK, zorder=4)
    if peaks:
        axes.axhline(max(peaks), color=INK, linewidth=1.2, linestyle=(0, (5, 2.5)), zorder=1)
    highest = [*peaks, *(p for p in own_peaks if math.isfinite(p)), *(v.flops_per_s / unit for v in versions)]
    axes.set_ylim(0, 1.12 * max(highest))
    axes.set_xlim(-0.7, len(versions) - 0.3)
    axes.set_xticks(range(len(versions)), [label_tick(v.label, v.warps_per_sm, v.regs_per_thread) for v in versions])
    axes.tick_params(axis="x", labelsize=6.8, length=0)
    axes.set_ylabel(f"Performance ({'TFLOP/s' if unit == 1e12 else 'GFLOP/s'})", color=INK)
    axes.grid(True, axis="y", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)


def label_tick(label: str, warps: float, registers: float) -> str:
    """Version, warps per SM and registers per thread, one below the other."""
    lines = [label[:14]]
    if math.isfinite(warps):
        lines.append(f"{warps:.3g} warps")
    if math.isfinite(registers):
        lines.append(f"{registers:.0f} regs")
    return "\n".join(lines)


def describe_steps(trajectory: Trajectory) -> str:
    """What the marks of the picture are."""
    text = "orange: the version's own peak by its instruction mix (Eq. 2), and the share of it"
    if any(v.flops_per_s_peak > 0 for v in trajectory.versions):
        text += "; dashed: peak of its precision"
    return text
