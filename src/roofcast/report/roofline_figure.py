"""The roofline as a static figure: SVG, PDF or PNG for papers, slides and print."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.core.resource import Resource
from roofcast.errors import RoofcastError, one_line
from roofcast.report.files import write_with
from roofcast.report.names import clipped
from roofcast.report.roofline_captions import clock_text, key_lines, note_lines, wrapped
from roofcast.report.roofline_extent import Extent, extent_of, spread_out
from roofcast.report.roofline_roofs import Roof
from roofcast.report.roofline_view import Mark, Panel, RooflineView
from roofcast.units import format_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {
    Resource.BYTES_L1: "#D55E00",
    Resource.BYTES_SHARED: "#CC79A7",
    Resource.BYTES_L2: "#009E73",
    Resource.BYTES_DRAM: "#0072B2",
}
"""Okabe-Ito: told apart with every common colour blindness and in grey."""
INK, FAINT, INTERVAL = "#222222", "#8a8a8a", "#56B4E9"
SHAPES = "osD^vPXd"
TOP_LABELLED = 8
FORMATS = ("svg", "pdf", "png")
WIDTH_IN, PLOT_IN, STRIP_IN, LINE_IN = 7.0, 4.3, 0.95, 0.165
LEFT_IN, RIGHT_IN, HEAD_IN, FOOT_IN = 0.75, 0.2, 0.62, 0.52
STYLE: Any = {
    "svg.hashsalt": "roofcast", "svg.fonttype": "path", "pdf.fonttype": 42, "font.size": 8.5, "axes.linewidth": 0.7,
    "font.family": "DejaVu Sans", "text.parse_math": False, "axes.spines.top": False, "axes.spines.right": False,
    "path.simplify": False,
}  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """What all panels of a figure share."""

    extent: Extent
    rank: dict[int, int]
    """kernel index -> number on the picture, for the kernels that are labelled."""
    shape: dict[str, str]
    """file -> marker."""
    top: int


def write_figure(view: RooflineView, path: str | Path, *, top: int = TOP_LABELLED) -> None:
    """Draw a roofline into a file; the suffix chooses SVG, PDF or PNG. The same view gives the same bytes.

    top : kernels with most time that are numbered, named and given their own ceilings; the others are faint.

    Raises
    ------
    RoofcastError : another suffix, or a file that cannot be written.
    """
    form = Path(path).suffix.lower().lstrip(".")
    if form not in FORMATS:
        raise RoofcastError(f"{one_line(str(path))}: a figure is .svg, .pdf or .png")
    import matplotlib as mpl

    with mpl.rc_context(STYLE), warnings.catch_warnings():
        # A name may hold characters that the font lacks: a box is right, a warning is not.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = draw_figure(view, top)
        dates: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}[form]
        write_with(path, lambda p: figure.savefig(p, format=form, dpi=150, metadata=dates, facecolor="white"))


def draw_figure(view: RooflineView, top: int = TOP_LABELLED) -> Figure:
    """One panel per GPU, source first, all on the same axes; a key of the labelled kernels below each."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(len(view.panels), 2) or 1
    rows = math.ceil(len(view.panels) / columns) or 1
    layout = layout_of(view, top)
    keys = [key_lines(panel, layout.rank) for panel in view.panels]
    key_in = LINE_IN * (max((len(k) for k in keys), default=0) + 1)
    row_in = HEAD_IN + PLOT_IN + FOOT_IN + key_in
    notes = wrapped(note_lines(view), 118 * columns)
    foot_in = 0.45 + LINE_IN * len(notes)
    figure = Figure(figsize=(WIDTH_IN * columns, row_in * rows + foot_in))
    FigureCanvasAgg(figure)
    width, height = figure.get_size_inches()
    for n, panel in enumerate(view.panels):
        left = (n % columns) * WIDTH_IN
        bottom = height - (n // columns + 1) * row_in + key_in + FOOT_IN
        draw_panel(figure, panel, layout, (left, bottom, width, height))
        for k, line in enumerate(keys[n]):
            y = (bottom - FOOT_IN - LINE_IN * (k + 0.4)) / height
            figure.text((left + LEFT_IN) / width, y, line, fontsize=7.2, color=INK, va="top")
    draw_legend(figure, view, layout, (0.32 + LINE_IN * len(notes)) / height)
    for k, line in enumerate(notes):
        y = (LINE_IN * (len(notes) - k)) / height
        figure.text(LEFT_IN / width, y, line, fontsize=6.8, color=FAINT, va="top")
    return figure


def layout_of(view: RooflineView, top: int) -> Layout:
    """Common axes, numbers of the kernels with most source time, marker shapes per file."""
    sources = sorted(
        (m for p in view.panels if p.role == "source" for m in p.marks if m.points),
        key=lambda m: (-m.time_s, m.index),
    )
    shape = {file: SHAPES[i % len(SHAPES)] for i, file in enumerate(view.files)}
    return Layout(extent_of(view), {m.index: n + 1 for n, m in enumerate(sources[:top])}, shape, top)


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
    draw_roofs(axes, panel, extent, slope)
    draw_marks(axes, panel, layout)
    if strip:
        x = left + LEFT_IN + plot_in + 0.62
        draw_strip(figure.add_axes((x / width, bottom / height, STRIP_IN / width, PLOT_IN / height)), panel, layout)
    title = f"{'measured on' if panel.role == 'source' else 'forecast for'} {panel.processor}"
    top = (bottom + PLOT_IN + 0.34) / height
    figure.text((left + LEFT_IN) / width, top, title, fontsize=10.5, fontweight="bold", color=INK)
    figure.text(
        (left + LEFT_IN) / width,
        top - 0.17 / height,
        clipped(f"roofs at {clock_text(panel)}", 110),
        fontsize=7.4,
        color=FAINT,
    )


def prepare_axes(axes: Axes, panel: Panel, extent: Extent) -> None:
    """Log-log axes with units; the same limits in every panel."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(extent.x)
    axes.set_ylim(extent.y)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v / extent.unit:g}"))
    axes.grid(True, which="major", color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel("Operational intensity (FLOP/B)", color=INK)
    axes.set_ylabel(f"Performance ({extent.unit_name})", color=INK)
    if not panel.memory and not panel.compute:
        axes.text(
            0.5, 0.5, "no roofs: this GPU is not in the catalog", transform=axes.transAxes, ha="center", color=FAINT
        )


def draw_roofs(axes: Axes, panel: Panel, extent: Extent, slope: float) -> None:
    """Bandwidth lines up to the highest compute roof, compute roofs from the fastest memory's ridge on."""
    peak = max((r.per_s for r in panel.compute), default=extent.y[1])
    fastest = max((r.per_s for r in panel.memory), default=float("nan"))
    used: list[float] = []
    for roof in sorted(panel.memory, key=lambda r: -r.per_s):
        ridge = min(peak / roof.per_s, extent.x[1])
        axes.plot([extent.x[0], ridge], [extent.x[0] * roof.per_s, ridge * roof.per_s], **roof_style(roof))
        low = max(extent.x[0], extent.y[0] / roof.per_s)
        x = low * 10 ** (0.04 * extent.decades_x)
        while any(abs(math.log10(x * roof.per_s / y)) < 0.02 * extent.decades_y for y in used):
            x *= 1.25
        used.append(x * roof.per_s)
        axes.text(x, x * roof.per_s * 10 ** (0.008 * extent.decades_y), roof_label(roof, "B/s"), color=COLOURS[roof.resource],
                  rotation=slope, rotation_mode="anchor", fontsize=7.4, va="bottom", clip_on=True)  # fmt: skip
    for y, roof in spread_out(panel.compute, extent):
        start = max(extent.x[0], roof.per_s / fastest) if fastest > 0 else extent.x[0]
        axes.plot([start, extent.x[1]], [roof.per_s, roof.per_s], **roof_style(roof))
        axes.text(extent.x[1], y, roof_label(roof, "FLOP/s") + " ", color=INK, fontsize=7.4, ha="right", va="bottom")


def roof_style(roof: Roof) -> dict[str, Any]:
    """Solid where measured or specified, dashed where estimated."""
    colour = COLOURS.get(roof.resource, INK)
    dashes = (0, (5, 2.5)) if roof.estimated else "-"
    return {"color": colour, "linewidth": 1.5, "linestyle": dashes, "zorder": 2, "solid_capstyle": "butt"}


def roof_label(roof: Roof, unit: str) -> str:
    """Name, rate and, where estimated, how uncertain."""
    doubt = f" (estimated ± {100 * roof.relative_uncertainty:.0f} %)" if roof.estimated else ""
    return f"{roof.label} {format_quantity(roof.per_s, unit)}{doubt}"


def draw_marks(axes: Axes, panel: Panel, layout: Layout) -> None:
    """All kernels of a panel, those with least time first so that they lie below."""
    placed = [m for m in panel.marks if m.is_placed]
    labelled = [m for m in placed if m.index in layout.rank]
    rest = [m for m in placed if m.index not in layout.rank]
    draw_rest(axes, rest, layout)
    for mark in reversed(labelled):
        draw_labelled(axes, mark, layout, panel.role)
    if labelled and panel.role == "source":
        draw_kernel_ceilings(axes, labelled[0], layout)
    draw_numbers(axes, labelled, layout)


def draw_rest(axes: Axes, marks: Sequence[Mark], layout: Layout) -> None:
    """Kernels that are not labelled, as faint points."""
    from matplotlib.collections import LineCollection

    spans = [[layout.extent.clip(p.flops_per_byte, m.flops_per_s) for p in m.points] for m in marks]
    axes.add_collection(
        LineCollection([s for s in spans if len(s) > 1], colors=FAINT, linewidths=0.3, alpha=0.35, zorder=3)
    )
    for level, colour in COLOURS.items():
        points = [
            (xy, m)
            for s, m in zip(spans, marks, strict=True)
            for xy, p in zip(s, m.points, strict=True)
            if p.level is level
        ]
        if points:
            axes.scatter([p[0][0] for p in points], [p[0][1] for p in points], s=[marker_size(m) * 0.7 for _, m in points],
                         color=colour, alpha=0.3, linewidths=0, zorder=3)  # fmt: skip


def draw_labelled(axes: Axes, mark: Mark, layout: Layout, role: str) -> None:
    """One kernel in full: joined points, its ceilings at their intensities, its interval on a target."""
    extent = layout.extent
    at = [extent.clip(p.flops_per_byte, mark.flops_per_s) for p in mark.points]
    axes.plot([x for x, _ in at], [y for _, y in at], color=INK, linewidth=0.7, zorder=4)
    if role == "target" and mark.time_low_s > 0 and mark.time_high_s > 0:
        flops = mark.flops_per_s * mark.time_s
        low, high = flops / mark.time_high_s, flops / mark.time_low_s
        axes.fill_between(
            [min(x for x, _ in at) / 1.08, max(x for x, _ in at) * 1.08],
            low,
            high,
            color=INTERVAL,
            alpha=0.25,
            linewidth=0,
            zorder=3,
        )
        for x, _ in at:
            axes.plot([x, x], [low, high], color=INK, linewidth=0.8, zorder=4)
    for (x, y), point in zip(at, mark.points, strict=True):
        cap = min_known(point.bytes_per_s_ceiling * point.flops_per_byte, mark.flops_per_s_ceiling)
        if role == "source" and math.isfinite(cap):
            axes.plot([x / 1.12, x * 1.12], [cap, cap], color=COLOURS[point.level], linewidth=1.0, zorder=4)
            axes.plot([x, x], [y, cap], color=COLOURS[point.level], linewidth=0.5, linestyle=":", zorder=3)
        axes.scatter([x], [y], s=marker_size(mark), color=COLOURS[point.level], edgecolors="white", linewidths=0.7,
                     marker=layout.shape.get(mark.file, "o"), zorder=5)  # fmt: skip


def draw_kernel_ceilings(axes: Axes, mark: Mark, layout: Layout) -> None:
    """The full ceilings of the first kernel: bandwidths (Eq. 6-8), FMA mix (Eq. 2) and idle lanes (Eq. 3)."""
    extent, number = layout.extent, layout.rank[mark.index]
    top = mark.flops_per_s_ceiling if math.isfinite(mark.flops_per_s_ceiling) else extent.y[1]
    for point in mark.points:
        if math.isfinite(point.bytes_per_s_ceiling):
            ridge = min(top / point.bytes_per_s_ceiling, extent.x[1])
            axes.plot([extent.x[0], ridge], [extent.x[0] * point.bytes_per_s_ceiling, ridge * point.bytes_per_s_ceiling],
                      color=COLOURS[point.level], linewidth=0.9, linestyle=(0, (1, 1.6)), zorder=2)  # fmt: skip
    widest = max(
        (p.bytes_per_s_ceiling for p in mark.points if math.isfinite(p.bytes_per_s_ceiling)), default=float("nan")
    )
    lines = [(mark.flops_per_s_mix, f"FMA mix of {number}")]
    if mark.flops_per_s_ceiling < 0.98 * mark.flops_per_s_mix:
        lines.append((mark.flops_per_s_ceiling, f"FMA mix and idle lanes of {number}"))
    for value, text in lines:
        if math.isfinite(value) and value < 0.985 * mark.flops_per_s_peak:
            start = max(extent.x[0], value / widest) if widest > 0 else extent.x[0]
            axes.plot([start, extent.x[1]], [value, value], color=INK, linewidth=0.9, linestyle=(0, (1, 1.6)), zorder=2)
            axes.text(
                extent.x[1],
                value,
                f"{text}: {format_quantity(value, 'FLOP/s')} ",
                fontsize=6.6,
                color=INK,
                ha="right",
                va="top",
            )


def draw_numbers(axes: Axes, marks: Sequence[Mark], layout: Layout) -> None:
    """The number of each labelled kernel beside its rightmost point, moved apart where they would touch."""
    extent, taken = layout.extent, []  # type: tuple[Extent, list[tuple[float, float]]]
    for mark in sorted(marks, key=lambda m: layout.rank[m.index]):
        x, y = max(extent.clip(p.flops_per_byte, mark.flops_per_s) for p in mark.points)
        for step in (0, 1, -1, 2, -2, 3, -3, 4, -4, 5):
            fx = extent.fraction_x(x) + 0.022 + 0.012 * (abs(step) > 0)
            fy = extent.fraction_y(y) + 0.034 * step
            if all(abs(fx - a) > 0.035 or abs(fy - b) > 0.033 for a, b in taken):
                break
        taken.append((fx, fy))
        axes.annotate(str(layout.rank[mark.index]), (x, y), (min(fx, 0.985), min(max(fy, 0.012), 0.985)), textcoords="axes fraction",
                      fontsize=7.4, fontweight="bold", color=INK, va="center", ha="left", zorder=7,
                      bbox={"boxstyle": "circle,pad=0.12", "fc": "white", "ec": "none", "alpha": 0.75},
                      arrowprops={"arrowstyle": "-", "lw": 0.4, "color": FAINT, "shrinkA": 0, "shrinkB": 3})  # fmt: skip


def draw_strip(axes: Axes, panel: Panel, layout: Layout) -> None:
    """Kernels without FLOPs, by their bandwidth at each level, beside the roofs of those levels."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    marks = [m for m in panel.marks if m.is_bandwidth_only]
    axes.set_yscale("log")
    axes.set_ylim(layout.extent.strip)
    axes.set_xlim(-0.5, max(len(marks), 3) - 0.5)
    axes.set_xticks([])
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v / 1e9:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("no FLOPs", color=INK)
    axes.set_ylabel("Bandwidth (GB/s)", color=INK, labelpad=1)
    axes.grid(True, axis="y", which="major", color="#e6e6e6", linewidth=0.6)
    for roof in panel.memory:
        axes.axhline(roof.per_s, **roof_style(roof))
    for n, mark in enumerate(marks):
        strong = mark.index in layout.rank
        rates = [layout.extent.clip_strip(p.bytes_per_s) for p in mark.points]
        axes.plot([n] * len(rates), rates, color=INK if strong else FAINT, linewidth=0.7 if strong else 0.3, zorder=3)
        for point, y in zip(mark.points, rates, strict=True):
            axes.scatter([n], [y], s=marker_size(mark), color=COLOURS[point.level], alpha=1 if strong else 0.3,
                         edgecolors="white" if strong else "none", linewidths=0.6, zorder=4)  # fmt: skip
        if strong and len(marks) <= 12:
            axes.annotate(str(layout.rank[mark.index]), (n, max(rates)), (0, 6), textcoords="offset points", fontsize=7.4,
                          fontweight="bold", ha="center", color=INK, zorder=6)  # fmt: skip


def marker_size(mark: Mark) -> float:
    """Area in points squared, growing with the share of the time."""
    return 14.0 + 190.0 * (mark.time_fraction if mark.time_fraction > 0 else 0.0)


def min_known(*values: float) -> float:
    """The least of the finite values, NaN where there is none."""
    return min((v for v in values if math.isfinite(v)), default=float("nan"))


def draw_legend(figure: Figure, view: RooflineView, layout: Layout, y: float) -> None:
    """What the marks mean, outside the plots."""
    from matplotlib.lines import Line2D

    levels = [r for r in COLOURS if any(p.level is r for panel in view.panels for m in panel.marks for p in m.points)]
    handles = [Line2D([], [], color=COLOURS[r], marker="o", linewidth=1.5, markersize=5, label=r.label) for r in levels]
    handles.append(Line2D([], [], color=INK, linewidth=1.5, label="compute"))
    handles.append(Line2D([], [], color=INK, linewidth=0.9, linestyle=(0, (1, 1.6)), label="ceiling of kernel 1"))
    handles.append(
        Line2D([], [], color=INK, linewidth=0, marker="_", markersize=7, label="its ceiling at a kernel's intensity")
    )
    if any(r.estimated for p in view.panels for r in (*p.memory, *p.compute)):
        handles.append(Line2D([], [], color=INK, linewidth=1.5, linestyle=(0, (5, 2.5)), label="estimated roof"))
    if any(p.role == "target" for p in view.panels):
        handles.append(Line2D([], [], color=INTERVAL, linewidth=6, alpha=0.4, label="forecast interval"))
    if len(view.files) > 1:
        handles += [
            Line2D([], [], color=FAINT, marker=s, linewidth=0, label=clipped(f, 28)) for f, s in layout.shape.items()
        ]
    columns = 4 if len(view.panels) == 1 else 8
    figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(LEFT_IN / figure.get_size_inches()[0] - 0.005, y - 0.01),
                  ncols=columns, fontsize=7.2, frameon=False, handlelength=2.2, columnspacing=1.2, labelcolor=INK)  # fmt: skip
