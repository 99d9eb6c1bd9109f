"""The axes of a roofline, and roofs, kernels and the bandwidth strip drawn on them by Matplotlib."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.kit.palette import FAINT, GRID, INK, RESOURCES, SKY
from roofcast.rooflines.captions import compute_ceilings, describe_ceilings, label_roof
from roofcast.rooflines.panel_roofs import Roof
from roofcast.rooflines.view import Mark, Panel, Point, RooflineView

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_DECADES = 8.0
"""Decades of an axis: points far below are drawn at its end."""


@dataclass(frozen=True)
class Extent:
    """Limits in SI units: FLOP/B, FLOP/s, and B/s for the strip of kernels without FLOPs."""

    x: tuple[float, float]
    y: tuple[float, float]
    strip: tuple[float, float]

    @property
    def decades_x(self) -> float:
        """Decades of intensity."""
        return math.log10(self.x[1] / self.x[0])

    @property
    def decades_y(self) -> float:
        """Decades of performance."""
        return math.log10(self.y[1] / self.y[0])

    @property
    def unit(self) -> float:
        """FLOP/s of one unit of the axis."""
        return 1e12 if self.y[1] > 3e13 and self.y[0] >= 1e9 else 1e9

    @property
    def unit_name(self) -> str:
        """Unit of the axis."""
        return "TFLOP/s" if self.unit == 1e12 else "GFLOP/s"

    def clip(self, x: float, y: float) -> tuple[float, float]:
        """A point, moved to the frame where it lies outside."""
        return min(max(x, self.x[0]), self.x[1]), min(max(y, self.y[0]), self.y[1])

    def clip_strip(self, y: float) -> float:
        """A bandwidth, moved to the frame where it lies outside."""
        return min(max(y, self.strip[0]), self.strip[1])

    def fraction_x(self, x: float) -> float:
        """Position on the x axis, 0 to 1."""
        return math.log10(x / self.x[0]) / self.decades_x

    def fraction_y(self, y: float) -> float:
        """Position on the y axis, 0 to 1."""
        return math.log10(y / self.y[0]) / self.decades_y


def find_extent(view: RooflineView) -> Extent:
    """Limits that hold every kernel and every ridge, at most eight decades below the highest roof."""
    marks = [m for p in view.panels for m in p.marks if m.is_placed]
    compute = keep_possible(r.per_s for p in view.panels for r in p.compute)
    ridges = keep_possible(
        max(r.per_s for r in p.compute) / m.per_s for p in view.panels if p.compute for m in p.memory
    )
    intensity = keep_possible(q.flops_per_byte for m in marks for q in m.points)
    rates = keep_possible(m.flops_per_s for m in marks)
    ceilings = keep_possible(m.flops_per_s_ceiling for m in marks)
    x_low = min([*intensity, 0.3]) / 3
    x_high = max([*(r * 4 for r in ridges), *(i * 3 for i in intensity), 30.0])
    y_high = max([*(c * 2.2 for c in compute), *(r * 2 for r in rates), 1e9])
    y_low = min([*(r / 4 for r in rates), *(c / 10 for c in ceilings), y_high / 1e3])
    if view.trajectories and rates and intensity:
        # The way of a kernel through its versions is short: the frame closes around it.
        x_low, x_high = min(intensity) / 1.6, max(intensity) * 2.5
        y_low, y_high = min(rates) / 1.5, max([*(c * 1.3 for c in compute), *(r * 1.5 for r in rates)])
    slowest = keep_possible(min(r.per_s for r in p.memory) for p in view.panels if p.memory)
    if slowest and not rates:
        y_low = min(y_low, x_low * min(slowest))
    moved = keep_possible(q.bytes_per_s for p in view.panels for m in p.marks if m.is_bandwidth_only for q in m.points)
    memory = keep_possible(r.per_s for p in view.panels for r in p.memory)
    strip_high = max([*memory, *moved, 1e9]) * 1.8
    strip_low = min([*moved, *memory, strip_high / 30]) / 2
    return Extent(
        (max(x_low, x_high / 10**MAX_DECADES), x_high),
        (max(y_low, y_high / 10**MAX_DECADES), y_high),
        (max(strip_low, strip_high / 10**MAX_DECADES), strip_high),
    )


def keep_possible(values: Iterable[float]) -> list[float]:
    """The positive values that are physically possible."""
    return [v for v in values if 1e-30 < v < 1e30]


def move_apart(values: Sequence[float], extent: Extent) -> list[float]:
    """Heights of the labels of ascending horizontal lines, moved up where two would touch."""
    heights: list[float] = []
    for value in values:
        height = value * 10 ** (0.006 * extent.decades_y)
        if heights:
            height = max(height, heights[-1] * 10 ** (0.036 * extent.decades_y))
        heights.append(height)
    return heights


COLOURS = {r: RESOURCES[r.value] for r in (
    Resource.BYTES_L1, Resource.BYTES_SHARED, Resource.BYTES_L2, Resource.BYTES_DRAM,
)}  # fmt: skip
"""Memory levels; Okabe-Ito: told apart with every common colour blindness and in grey."""
LIMITS = {r.label: RESOURCES[r.value] for r in Resource if r.value in RESOURCES}
"""Colour of what limits a kernel, by its label."""
INTERVAL = SKY
SHAPES = "osD^vPXd*<>ph"
RING = {Resource.BYTES_L1: 1.5, Resource.BYTES_SHARED: 1.2, Resource.BYTES_L2: 1.0, Resource.BYTES_DRAM: 0.6}
"""Points of the inner levels are larger, so that coinciding ones show as rings."""
FEW = 3
"""With more named kernels than this, the text on kernel 1's ceilings stands in the key alone: it would hide points."""
SIZE_OF_VERSION = 26.0
"""Area of a version's marker: shares of the time are each version's own."""
SHORTEST_ARROW = 0.02
"""Share of the frame below which a move is not worth an arrow."""
ESTIMATED, SPECIFIC = (0, (5, 2.5)), (0, (1, 1.6))
"""Dash patterns of estimated roofs and of kernel-specific ceilings."""
CATALOG = (0, (6, 1.5, 1, 1.5))
"""Of the catalog's roofs beside measured ones."""


@dataclass(frozen=True)
class Layout:
    """What all panels of a figure share."""

    extent: Extent
    rank: dict[int, int]
    """kernel index -> number on the picture, for the kernels that are labelled."""
    shape: dict[str, str]
    """version -> marker."""
    joined: tuple[tuple[int, ...], ...] = ()
    """Versions of the same kernel, in order."""
    text: Mapping[int, str] = field(default_factory=dict)
    """kernel index -> what to write beside its points in place of the number."""
    first: int = -1
    """Kernel whose own ceilings are drawn; -1: the one with most time."""


def draw_roofs(axes: Axes, panel: Panel, layout: Layout, slope: float) -> None:
    """Bandwidth lines up to the highest compute roof, compute roofs from the fastest memory's ridge on.

    slope : degrees on paper of a bandwidth line.
    """
    extent = layout.extent
    peak = max((r.per_s for r in panel.compute), default=extent.y[1])
    fastest = max((r.per_s for r in panel.memory), default=float("nan"))
    used: list[tuple[float, float]] = []
    for roof in sorted(panel.memory, key=lambda r: -r.per_s):
        ridge = min(peak / roof.per_s, extent.x[1])
        axes.plot([extent.x[0], ridge], [extent.x[0] * roof.per_s, ridge * roof.per_s], **style_roof(roof))
        x = find_label_start(roof.per_s, used, extent)
        used.append((roof.per_s, x))
        y = x * roof.per_s * 10 ** (0.008 * extent.decades_y)
        draw_label(axes, x, y, label_roof(roof), COLOURS[roof.resource], rotation=slope, rotation_mode="anchor")
    draw_compute(axes, panel, layout, fastest)
    draw_beside(axes, panel, extent, peak)


def draw_beside(axes: Axes, panel: Panel, extent: Extent, peak: float) -> None:
    """The catalog's roofs, faint, where the drawn ones were measured on the GPU of the profile."""
    for roof in panel.beside:
        colour = colour_of(roof)
        ridge = min(peak / roof.per_s, extent.x[1])
        x = [extent.x[0], ridge] if roof.is_memory else [min(peak / find_fastest(panel), extent.x[1]), extent.x[1]]
        y = [v * roof.per_s for v in x] if roof.is_memory else [roof.per_s] * 2
        axes.plot(x, y, color=colour, linewidth=0.8, linestyle=CATALOG, alpha=0.6, zorder=1)


def find_fastest(panel: Panel) -> float:
    """B/s of the fastest memory that is drawn; 1 where there is none."""
    return max((r.per_s for r in panel.memory), default=1.0)


def find_label_start(per_s: float, used: Sequence[tuple[float, float]], extent: Extent) -> float:
    """Intensity at which a roof's label begins: near the frame, but behind the labels of roofs that nearly coincide.

    used : (B/s, intensity) of the labels so far.
    """
    x = max(extent.x[0], extent.y[0] / per_s) * 10 ** (0.04 * extent.decades_x)
    near = [start for rate, start in used if abs(math.log10(rate / per_s)) < 0.06 * extent.decades_y]
    return max([x, *(start * 10 ** (0.36 * extent.decades_x) for start in near)])


def draw_compute(axes: Axes, panel: Panel, layout: Layout, fastest: float) -> None:
    """Compute roofs, and the FMA mix and idle lanes of kernel 1, with labels that do not touch."""
    extent = layout.extent

    def line(value: float, **style: Any) -> None:
        start = max(extent.x[0], value / fastest) if fastest > 0 else extent.x[0]
        axes.plot([start, extent.x[1]], [value, value], **style)

    roofs = sorted(panel.compute, key=lambda r: r.per_s)
    for roof, y in zip(roofs, move_apart([r.per_s for r in roofs], extent), strict=True):
        line(roof.per_s, **style_roof(roof))
        draw_label(axes, extent.x[1], y, label_roof(roof) + " ", colour_of(roof), ha="right")
    first = find_first_mark(panel, layout)
    ceilings = compute_ceilings(first) if first else {}
    for value in ceilings.values():
        line(value, color=INK, linewidth=0.9, linestyle=SPECIFIC, zorder=2)
    if ceilings and len(layout.rank) <= FEW:
        below = min(ceilings.values()) * 10 ** (-0.038 * extent.decades_y)
        draw_label(axes, extent.x[1], below, describe_ceilings(ceilings) + " ", INK, ha="right")


def find_first_mark(panel: Panel, layout: Layout) -> Mark | None:
    """The labelled kernel with most time that has a place in the FLOP roofline."""
    placed = [m for m in panel.marks if m.is_placed and m.index in layout.rank]
    chosen = [m for m in placed if m.index == layout.first]
    return chosen[0] if chosen else min(placed, key=lambda m: layout.rank[m.index], default=None)


def draw_label(axes: Axes, x: float, y: float, text: str, colour: str, **options: Any) -> None:
    """Small text with white edges that keep it readable on lines and points."""
    edges = make_white_edges()
    axes.text(
        x, y, text, color=colour, fontsize=7.2, va="bottom", clip_on=True, zorder=6, path_effects=edges, **options
    )


def make_white_edges() -> list[Any]:
    """Path effects of text that lies on lines."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=2.4, foreground="white", alpha=0.9)]


def style_roof(roof: Roof) -> dict[str, Any]:
    """Solid where measured or specified, dashed where estimated."""
    dashes = ESTIMATED if roof.estimated else "-"
    return {"color": colour_of(roof), "linewidth": 1.5, "linestyle": dashes, "zorder": 2}


def colour_of(roof: Roof) -> str:
    """The colour of a roof's resource."""
    return RESOURCES.get(roof.resource.value, INK)


DENSE, CELLS = 200, (64, 40)
"""Unlabelled kernels from which their density is drawn (points would lie on each other), and its cells."""
VECTORS_MOST = 1000
"""Faint kernels that are drawn as vectors; more of them become an image."""


def draw_marks(axes: Axes, panel: Panel, layout: Layout) -> None:
    """All kernels of a panel, those with least time first so that they lie below."""
    placed = [m for m in panel.marks if m.is_placed]
    labelled = [m for m in placed if m.index in layout.rank]
    draw_rest(axes, [m for m in placed if m.index not in layout.rank], layout)
    for mark in reversed(labelled):
        if panel.role == "target":
            draw_interval(axes, mark, layout)
        draw_labelled(axes, mark, layout)
    first = find_first_mark(panel, layout)
    if first:
        draw_kernel_ceilings(axes, first, layout.extent)
    draw_numbers(axes, labelled, layout)


def draw_rest(axes: Axes, marks: Sequence[Mark], layout: Layout) -> None:
    """Kernels that are not labelled: faint points, of very many their density at the outermost level."""
    spans = [[layout.extent.clip(p.flops_per_byte, m.flops_per_s) for p in m.points] for m in marks]
    if len(marks) <= DENSE:
        draw_faint(axes, marks, spans)
        return
    extent = layout.extent
    edges = [np.geomspace(*limits, n + 1) for limits, n in zip((extent.x, extent.y), CELLS, strict=True)]
    at = np.array([span[-1] for span in spans])
    count, *_ = np.histogram2d(at[:, 0], at[:, 1], bins=edges)
    # Twice as many kernels are one shade darker: a few stay visible beside hundreds.
    shade = np.ma.masked_equal(np.log2(1 + count.T), 0)
    axes.pcolormesh(*edges, shade, cmap="Greys", vmin=-1, vmax=1.3 * shade.max(), zorder=1.5, rasterized=True)


def draw_faint(axes: Axes, marks: Sequence[Mark], spans: Sequence[Sequence[tuple[float, float]]]) -> None:
    """Many kernels as few paths: an artist per kernel would take seconds for a thousand of them.

    spans : per kernel, the place of each of its points.
    """
    # A vector each would make the file of ten thousand kernels as large as a film.
    style: dict[str, Any] = {"rasterized": len(marks) > VECTORS_MOST, "zorder": 3}
    gap = (math.nan, math.nan)
    joins = [at for span in spans if len(span) > 1 for at in (*span, gap)]
    if joins:
        axes.plot(*zip(*joins, strict=True), color=FAINT, linewidth=0.3, alpha=0.35, **style)
    groups: dict[tuple[Resource, float], list[tuple[float, float]]] = {}
    for mark, span in zip(marks, spans, strict=True):
        for point, at in zip(mark.points, span, strict=True):
            groups.setdefault((point.level, round(size_marker(mark, point.level))), []).append(at)
    for level, colour in COLOURS.items():
        for (_, area), places in ((k, v) for k, v in groups.items() if k[0] is level):
            x, y = zip(*places, strict=True)
            axes.scatter(x, y, s=0.7 * area, color=colour, alpha=0.3, linewidths=0, **style)


def draw_interval(axes: Axes, mark: Mark, layout: Layout) -> None:
    """Area and bars from the slowest to the fastest performance that the forecast allows."""
    if not (mark.time_low_s > 0 and mark.time_high_s > 0):
        return
    flops = mark.flops_per_s * mark.time_s
    low, high = flops / mark.time_high_s, flops / mark.time_low_s
    at = [layout.extent.clip(p.flops_per_byte, mark.flops_per_s)[0] for p in mark.points]
    axes.fill_between([min(at) / 1.08, max(at) * 1.08], low, high, color=INTERVAL, alpha=0.25, linewidth=0, zorder=3)
    for x in at:
        axes.plot([x, x], [low, high], color=INK, linewidth=0.8, zorder=4)


def draw_labelled(axes: Axes, mark: Mark, layout: Layout) -> None:
    """One kernel in full: its points joined, and its ceilings at their intensities."""
    at = [layout.extent.clip(p.flops_per_byte, mark.flops_per_s) for p in mark.points]
    axes.plot([x for x, _ in at], [y for _, y in at], color=INK, linewidth=0.7, zorder=4)
    shape = layout.shape.get(mark.version, "o")
    for (x, y), point in zip(at, mark.points, strict=True):
        colour = COLOURS[point.level]
        cap = find_cap(mark, point, layout)
        if cap > 0:
            axes.plot([x / 1.12, x * 1.12], [cap, cap], color=colour, linewidth=1.0, zorder=4)
            axes.plot([x, x], [y, cap], color=colour, linewidth=0.5, linestyle=":", zorder=3)
        size = SIZE_OF_VERSION if layout.joined else size_marker(mark, point.level)
        axes.scatter([x], [y], s=size, color=colour, edgecolors="white", linewidths=0.7, marker=shape, zorder=5)


def find_cap(mark: Mark, point: Point, layout: Layout) -> float:
    """The kernel's own ceiling at the intensity of a point; 0 where none is drawn.

    Of versions of a kernel only the last shows it: the others' would hide its way.
    """
    if layout.joined and mark.index != layout.first:
        return 0.0
    ceilings = [point.bytes_per_s_ceiling * point.flops_per_byte, mark.flops_per_s_ceiling]
    return min(keep_possible(ceilings), default=0.0)


def draw_kernel_ceilings(axes: Axes, mark: Mark, extent: Extent) -> None:
    """The bandwidth ceilings of one kernel over the whole width (Eq. 6-8), up to its compute ceiling (Eq. 3)."""
    top = min(keep_possible([mark.flops_per_s_ceiling]), default=extent.y[1])
    for point in mark.points:
        if math.isfinite(point.bytes_per_s_ceiling):
            x = [extent.x[0], min(top / point.bytes_per_s_ceiling, extent.x[1])]
            y = [v * point.bytes_per_s_ceiling for v in x]
            axes.plot(x, y, color=COLOURS[point.level], linewidth=0.9, linestyle=SPECIFIC, zorder=2)


def draw_numbers(axes: Axes, marks: Sequence[Mark], layout: Layout) -> None:
    """The number of each labelled kernel beside its rightmost point, moved apart where they would touch."""
    extent = layout.extent
    taken: list[tuple[float, float]] = []
    for mark in sorted(marks, key=lambda m: layout.rank[m.index]):
        x, y = max(extent.clip(p.flops_per_byte, mark.flops_per_s) for p in mark.points)
        place = find_free_place(extent.fraction_x(x), extent.fraction_y(y), taken)
        taken.append(place)
        axes.annotate(
            label_mark(mark, layout), (x, y), place, textcoords="axes fraction", fontsize=7.4, fontweight="bold",
            color=LIMITS.get(mark.limit, INK), va="center", ha="left", zorder=7,
            bbox={"boxstyle": "round,pad=0.12", "fc": "white", "ec": "none", "alpha": 0.75},
            arrowprops={"arrowstyle": "-", "lw": 0.4, "color": FAINT, "shrinkA": 0, "shrinkB": 3},
        )  # fmt: skip


def label_mark(mark: Mark, layout: Layout) -> str:
    """What stands beside a labelled kernel."""
    return layout.text.get(mark.index, str(layout.rank[mark.index]))


def find_free_place(x: float, y: float, taken: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Where a number fits beside a point, in fractions of the axes."""
    place = x, y
    for column in range(4):
        for step in (0, 1, -1, 2, -2, 3, -3):
            place = min(x + 0.022 + 0.036 * column + 0.008 * abs(step), 0.975), min(max(y + 0.034 * step, 0.015), 0.98)
            if all(abs(place[0] - a) > 0.03 or abs(place[1] - b) > 0.03 for a, b in taken):
                return place
    return place


def draw_chains(axes: Axes, panel: Panel, layout: Layout) -> None:
    """Arrows from each version of a kernel to the next, one per memory level that both have."""
    marks = {m.index: m for m in panel.marks if m.is_placed}
    for chain in layout.joined:
        for before, after in pairwise(i for i in chain if i in marks):
            if before in layout.rank or after in layout.rank:
                draw_arrows(axes, marks[before], marks[after], layout)


def draw_arrows(axes: Axes, before: Mark, after: Mark, layout: Layout) -> None:
    """One step of one kernel; moves too short to see get no arrow."""
    there = {p.level: p for p in after.points}
    for point in before.points:
        if point.level not in there:
            continue
        start = layout.extent.clip(point.flops_per_byte, before.flops_per_s)
        end = layout.extent.clip(there[point.level].flops_per_byte, after.flops_per_s)
        x, y = (
            (layout.extent.fraction_x(v[0]) for v in (start, end)),
            (layout.extent.fraction_y(v[1]) for v in (start, end)),
        )
        if math.dist((next(x), next(y)), (next(x), next(y))) < SHORTEST_ARROW:
            continue
        arrow = {"arrowstyle": "-|>", "color": COLOURS[point.level], "lw": 1.0, "shrinkA": 4, "shrinkB": 4}
        axes.annotate("", end, start, arrowprops=arrow, zorder=6)


def draw_strip(axes: Axes, panel: Panel, layout: Layout) -> None:
    """Kernels without FLOPs, by their bandwidth at each level, beside the roofs of those levels."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    marks = [m for m in panel.marks if m.is_bandwidth_only]
    axes.set_yscale("log")
    axes.set_ylim(layout.extent.strip)
    axes.set_xlim(-0.7, max(len(marks), 3) - 0.3)
    axes.set_xticks([])
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v / 1e9:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("no FLOPs", color=INK)
    axes.set_ylabel("Bandwidth (GB/s)", color=INK, labelpad=1)
    axes.grid(True, axis="y", which="major", color=GRID, linewidth=0.6)
    for roof in panel.memory:
        axes.axhline(roof.per_s, **style_roof(roof))
    strong = [(n, mark) for n, mark in enumerate(marks) if mark.index in layout.rank]
    weak = [(n, mark) for n, mark in enumerate(marks) if mark.index not in layout.rank]
    draw_faint(axes, [m for _, m in weak], [place_bandwidths(n, m, layout) for n, m in weak])
    for n, mark in strong:
        draw_bandwidth(axes, n, mark, layout)


def place_bandwidths(n: int, mark: Mark, layout: Layout) -> list[tuple[float, float]]:
    """Where the points of one kernel of the strip stand."""
    return [(n, layout.extent.clip_strip(p.bytes_per_s)) for p in mark.points]


def draw_bandwidth(axes: Axes, n: int, mark: Mark, layout: Layout) -> None:
    """One named kernel of the strip, with its number, and its interval where it is a forecast."""
    rates = [rate for _, rate in place_bandwidths(n, mark, layout)]
    if mark.time_low_s > 0 and mark.time_high_s > 0:
        slow, fast = mark.time_s / mark.time_high_s, mark.time_s / mark.time_low_s
        axes.fill_between([n - 0.3, n + 0.3], min(rates) * slow, max(rates) * fast, color=INTERVAL, alpha=0.25,
                          linewidth=0, zorder=2.5)  # fmt: skip
        for rate in rates:
            axes.plot([n, n], [rate * slow, rate * fast], color=INK, linewidth=0.8, zorder=3)
    axes.plot([n] * len(rates), rates, color=INK, linewidth=0.7, zorder=3)
    sizes = [size_marker(mark, p.level) for p in mark.points]
    colours = [COLOURS[p.level] for p in mark.points]
    axes.scatter([n] * len(rates), rates, s=sizes, c=colours, edgecolors="white", zorder=4)
    axes.annotate(
        label_mark(mark, layout), (n, max(rates)), (0, 6), textcoords="offset points", fontsize=7.4, fontweight="bold",
        ha="center", color=LIMITS.get(mark.limit, INK), zorder=6, path_effects=make_white_edges(),
    )  # fmt: skip


def size_marker(mark: Mark, level: Resource) -> float:
    """Area in points squared, growing with the share of the time."""
    return RING[level] * (14.0 + 170.0 * (mark.time_fraction if mark.time_fraction > 0 else 0.0))
