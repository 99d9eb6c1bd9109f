"""Waterfalls as a static figure: from the source's seconds to the target's, cause by cause.

Kernels that ran nowhere have no source: a bar for each resource of the target stands above their forecast.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray
from roofcast.core.properties import PROPERTIES
from roofcast.core.units import format_quantity
from roofcast.forecasting.forecasts import Forecast
from roofcast.kit.names import clipped, table_names
from roofcast.kit.output import Picture
from roofcast.kit.palette import BLUE, FAINT, GREEN, GREY, GRID, INK, ORANGE
from roofcast.kit.table import rank_longest
from roofcast.reports.show import name_origin, rank_on_target

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_PANELS = 24
"""Kernels x targets that one figure shows; the kernels with most time come first."""
COLUMNS_MOST = 3
"""Waterfalls side by side; more stand below."""
STEP_LEAST = 0.004
"""Steps below this share of the longer end are drawn together."""
ENDS, SAVES, COSTS, INTERVAL = GREY, GREEN, ORANGE, BLUE


def write_waterfalls(forecast: Forecast, path: str | Path) -> None:
    """Draw a waterfall per kernel and target into a .svg, .pdf or .png file; the same forecast gives the same bytes."""
    Waterfalls(forecast).save(str(path))


class Waterfalls(Picture):
    """Per kernel and target, how the source's seconds become the target's, or what each resource would need."""

    def __init__(self, forecast: Forecast) -> None:
        cells = pick_cells(forecast)

        def draw() -> Figure:
            if not cells:
                raise RoofcastError("nothing to draw: no kernel could be forecast (the table says why)")
            return draw_figure(forecast, cells)

        super().__init__(draw)


def pick_cells(forecast: Forecast) -> list[tuple[int, int]]:
    """(kernel, target) pairs with a forecast: the kernels with most time, in file order."""
    order = rank_longest(forecast.source_time_s)
    most = max(1, MAX_PANELS // max(len(forecast.targets), 1))
    kernels = [i for i in order if np.isfinite(forecast.estimate.time_s[i]).any()][:most]
    pairs = [(i, j) for i in sorted(kernels) for j in range(len(forecast.targets))]
    return [(i, j) for i, j in pairs if np.isfinite(forecast.estimate.time_s[i, j])][:MAX_PANELS]


def draw_figure(forecast: Forecast, cells: list[tuple[int, int]]) -> Figure:
    """One panel per kernel and target, on axes of their own."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = sorted({i for i, _ in cells})
    chains = forecast.explain(rows)
    levels = [chains.levels_s[rows.index(i), j] for i, j in cells]
    panels = [
        list_steps(n) if np.isfinite(n[0]) else list_resources(forecast, i, j)
        for n, (i, j) in zip(levels, cells, strict=True)
    ]
    columns = min(len(cells), len(forecast.targets) if len(forecast.targets) <= COLUMNS_MOST else COLUMNS_MOST)
    lines = math.ceil(len(cells) / columns)
    deepest = max(len(p) for p in panels)
    figure = Figure(figsize=(5.4 * columns, (0.24 * (deepest + 2) + 0.95) * lines), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(lines, columns, squeeze=False)
    names = table_names(forecast.kernels)
    for axis in axes.ravel()[len(cells) :]:
        axis.set_axis_off()
    for axis, (i, j), steps in zip(axes.ravel(), cells, panels, strict=False):
        estimate = forecast.estimate
        draw_steps(axis, steps, (float(estimate.time_low_s[i, j]), float(estimate.time_high_s[i, j])))
        gpus = f"{clipped(name_origin(forecast, i), 34)} → {clipped(forecast.targets[j].name, 34)}"
        axis.set_title(f"{clipped(names[i], 60)}\n{gpus}", fontsize=8, loc="left", color=INK)
    return figure


def list_steps(levels: FloatArray) -> list[tuple[str, float, float]]:
    """(label, from, to) of what one waterfall shows: the source, each step worth drawing, the forecast."""
    least = STEP_LEAST * max(levels[0], levels[-1])
    steps = [("measured", 0.0, float(levels[0]))]
    at = float(levels[0])
    for k, cause in enumerate(PROPERTIES):
        step = float(levels[k + 1] - levels[k])
        if abs(step) >= least:
            steps.append((cause.label, at, at + step))
            at += step
    rest = float(levels[-1]) - at
    if abs(rest) >= least / 4:
        steps.append(("all others", at, at + rest))
    return [*steps, ("forecast", 0.0, float(levels[-1]))]


def list_resources(forecast: Forecast, i: int, j: int) -> list[tuple[str, float, float]]:
    """(label, 0, seconds) of each resource of a target alone, the slowest first, then of the forecast."""
    bars = [(resource.label, 0.0, seconds) for resource, _, seconds in rank_on_target(forecast, i, j)]
    return [*bars, ("forecast", 0.0, float(forecast.estimate.time_s[i, j]))]


def draw_steps(axis: Axes, steps: list[tuple[str, float, float]], interval: tuple[float, float]) -> None:
    """Bars from level to level, with their seconds; a whisker is the forecast's interval."""
    longest = max(max(a, b) for _, a, b in steps)
    # A wide interval is cut, and labels stand within the cut: outside they would leave the bars no room.
    reach = min(max(longest, interval[1] if np.isfinite(interval[1]) else 0.0), 2.5 * longest)
    for y, (label, a, b) in enumerate(steps):
        # A step begins where the one before it ended; what begins at 0 is seconds of its own.
        end = a == 0.0
        colour = ENDS if end else SAVES if b < a else COSTS
        axis.barh(y, b - a, left=a, height=0.66, color=colour)
        text = format_quantity(b, "s") if end else f"{'+' if b > a else '−'}{format_quantity(abs(b - a), 's')}"
        beyond = max(a, b, interval[1] if label == "forecast" and np.isfinite(interval[1]) else 0.0)
        axis.text(min(beyond, reach) + 0.012 * longest, y, text, va="center", fontsize=7, color=INK)
        if y + 1 < len(steps) and not end:
            axis.plot([b, b], [y + 0.33, y + 0.67], color=FAINT, linewidth=0.6)
    if all(np.isfinite(v) for v in interval):
        axis.plot(interval, [len(steps) - 1] * 2, color=INTERVAL, linewidth=1.4, marker="|", markersize=7)
    axis.set_xlim(0.0, 1.22 * reach)
    axis.set_ylim(len(steps) - 0.4, -0.6)
    axis.set_yticks(range(len(steps)), [label for label, _, _ in steps], fontsize=7.5)
    ticks = axis.get_xticks()
    axis.set_xticks(ticks[ticks <= axis.get_xlim()[1]])
    axis.set_xticklabels([format_quantity(float(v), "s") if v else "0" for v in axis.get_xticks()], fontsize=7)
    axis.grid(visible=True, axis="x", color=GRID, linewidth=0.6)
    axis.set_axisbelow(True)
