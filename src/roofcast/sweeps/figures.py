"""Pictures of a sweep: heat map with iso-time lines, Pareto front, elasticity bars."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import FloatArray
from roofcast.core.units import format_quantity
from roofcast.kit.output import Picture, empty_figure
from roofcast.kit.palette import BLUE, FAINT, GREEN, GRID, INK, ORANGE
from roofcast.sweeps.reductions import heat_axes
from roofcast.sweeps.space import IntArray, value_text
from roofcast.sweeps.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAP, FRONT, POINT, MORE, LESS = "viridis_r", ORANGE, BLUE, GREEN, ORANGE
CELLS_MOST = 60
"""Rows and columns of a heat map: more cannot be told apart."""
BARS_MOST, TICKS, LEAST = 14, 6, 5e-4


def heat_figure(study: Study) -> Figure | None:
    """Least time over the first two axes (the others at their best), with lines of equal time."""
    a, b = heat_axes(study.space)
    heat = study.summary.heat_s
    if b is None or min(heat.shape) < 2 or not np.isfinite(heat).any():
        return None
    x, y = study.space.axes[b], study.space.axes[a]
    heat, rows, columns = coarsened(heat)
    levels_x, levels_y = x.levels[columns], y.levels[rows]
    figure = empty_figure(6.4, 4.6)
    axes = figure.add_axes((0.15, 0.13, 0.66, 0.76))
    grid_x, grid_y = np.arange(heat.shape[1]), np.arange(heat.shape[0])
    mesh = axes.pcolormesh(
        grid_x, grid_y, np.ma.masked_invalid(heat), cmap=MAP, shading="nearest", edgecolors="face", linewidth=0.2
    )
    low, high = float(np.nanmin(heat)), float(np.nanmax(heat))
    if high > low * 1.001:
        levels = np.geomspace(low, high, 9)[1:-1]
        lines = axes.contour(grid_x, grid_y, np.ma.masked_invalid(heat), levels=levels, colors="white", linewidths=0.8)
        axes.clabel(lines, fmt=lambda v: format_quantity(float(v), "s"), fontsize=7)
    name_ticks(axes, "x", x.key, levels_x, x.unit)
    name_ticks(axes, "y", y.key, levels_y, y.unit)
    bar = figure.colorbar(mesh, cax=figure.add_axes((0.835, 0.13, 0.025, 0.76)))
    bar.ax.yaxis.set_major_formatter(lambda v, _: format_quantity(float(v), "s"))
    # Pages show no images that are not drawn.
    if bar.solids is not None:
        bar.solids.set_rasterized(False)
        bar.solids.set_edgecolor("face")
    bar.outline.set_visible(False)
    others = len(study.space.axes) - 2
    rest = f", best over {others} other ax{'es' if others > 1 else 'is'}" if others > 0 else ""
    axes.set_title(f"Time of all kernels{rest}", loc="left", fontsize=9.5, color=INK)
    return figure


def coarsened(heat: FloatArray) -> tuple[FloatArray, IntArray, IntArray]:
    """At most :data:`CELLS_MOST` rows and columns, each the best of those it stands for, and their first positions."""
    places = []
    for axis in (0, 1):
        starts = np.arange(0, heat.shape[axis], -(-heat.shape[axis] // CELLS_MOST))
        heat = np.fmin.reduceat(heat, starts, axis=axis)
        places.append(starts)
    return heat, places[0], places[1]


def name_ticks(axes: Axes, which: str, key: str, levels: np.ndarray, unit: str) -> None:
    """A few named levels on an axis of positions."""
    at = np.arange(0, len(levels), max(1, -(-len(levels) // TICKS)))
    texts = [value_text(key, float(levels[i]), unit) for i in at]
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_ticks(at, texts, fontsize=7.5)
    axis.set_label_text(one_line(key, 40), fontsize=8.5)


def pareto_figure(study: Study) -> Figure | None:
    """Time over cost: the front with its intervals, and the fastest processors."""
    front, fastest = study.summary.front, study.summary.fastest
    if not len(front.number):
        return None
    figure = empty_figure(6.4, 4.2)
    axes = figure.add_axes((0.14, 0.13, 0.82, 0.76))
    axes.fill_between(front.cost, front.low_s, front.high_s, step="post", color=FRONT, alpha=0.13, linewidth=0)
    axes.scatter(fastest.cost, fastest.time_s, s=6, color=POINT, alpha=0.35, linewidths=0, label="fastest of all")
    axes.step(front.cost, front.time_s, where="post", color=FRONT, linewidth=1.3)
    axes.scatter(front.cost, front.time_s, s=14, color=FRONT, label="Pareto front, with interval", zorder=3)
    axes.axhline(study.base_s[0], color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.text(1.0, study.base_s[0], "base ", color=FAINT, fontsize=7.5, ha="right", va="bottom",
              transform=axes.get_yaxis_transform())  # fmt: skip
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda v, _: format_quantity(float(v), "s"))
    axes.yaxis.set_minor_formatter(lambda v, _: format_quantity(float(v), "s"))
    axes.tick_params(axis="y", which="both", labelsize=7.5)
    axes.set_xlabel(study.space.cost_name)
    axes.grid(True, color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize=7.5, loc="best")
    axes.set_title(f"Time against {study.space.cost_name}", loc="left", fontsize=9.5, color=INK)
    return figure


def elasticity_figure(study: Study) -> Figure | None:
    """Per cent less time for 1 % more of each resource: all kernels, and the range over single kernels."""
    listed = [e for e in study.elasticities if np.isfinite(e.total) and abs(e.total) >= LEAST][:BARS_MOST]
    if not listed:
        return None
    figure = empty_figure(6.4, 1.1 + 0.27 * len(listed))
    axes = figure.add_axes((0.24, 0.62 / (1.1 + 0.27 * len(listed)), 0.72, 1 - 1.0 / (1.1 + 0.27 * len(listed))))
    for y, e in enumerate(listed):
        axes.barh(y, e.total, height=0.62, color=MORE if e.total >= 0 else LESS)
        of_kernels = e.per_kernel[np.isfinite(e.per_kernel)]
        if len(of_kernels) > 1:
            axes.plot([of_kernels.min(), of_kernels.max()], [y, y], color=INK, linewidth=0.9, marker="|", markersize=6)
    axes.set_yticks(range(len(listed)), [e.label for e in listed], fontsize=8)
    axes.set_ylim(len(listed) - 0.4, -0.6)
    axes.axvline(0, color=INK, linewidth=0.7)
    axes.set_xlabel("% less time for 1 % more; the line spans the kernels", fontsize=8)
    axes.grid(True, axis="x", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_title(f"What would help at {one_line(study.space.base.name, 50)}", loc="left", fontsize=9.5, color=INK)
    return figure


PICTURES: dict[str, Callable[[Study], Figure | None]] = {
    "heat": heat_figure,
    "pareto": pareto_figure,
    "elasticity": elasticity_figure,
}


def bind_pictures(study: Study) -> dict[str, Callable[[], Figure | None]]:
    """What draws each picture of a study."""
    return {name: partial(draw, study) for name, draw in PICTURES.items()}


class SweepPicture(Picture):
    """The first picture that the sweep has."""

    def __init__(self, study: Study) -> None:
        draw = next((d for d in PICTURES.values() if d(study) is not None), None)
        if draw is None:
            raise RoofcastError("this sweep has nothing to draw: no axis has two values that a processor can have")
        super().__init__(lambda: draw(study) or empty_figure(1, 1))
