"""Pictures of a choice: cost against time with intervals and the front, and programs x candidates as a heat map."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from roofcast.analyses.choosing.decision import Decision, Option, rate_programs
from roofcast.core.errors import one_line
from roofcast.core.units import format_quantity
from roofcast.kit.output import empty_figure
from roofcast.kit.palette import BLUE, FAINT, GREEN, GREY, GRID, INK, ORANGE
from roofcast.kit.quantities import format_dollars, format_percent, format_seconds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = 12
"""Candidates in a picture."""
NAME = 30
"""Characters of a candidate's name in a picture."""
WIDE = 20.0
"""Slowest over fastest time from which an axis is logarithmic: the fast ones would not be told apart."""
WORST = 4.0
"""Times the best of a row from which a cell of the heat map has the last colour."""


JOBS = {1.0: "job", 1e3: "thousand jobs", 1e6: "million jobs", 1e9: "billion jobs"}


def count_runs(decision: Decision) -> float:
    """For how many jobs costs are stated: so many that the least is 1 or more where possible."""
    least = min((o.cost[0] for o in decision.options if o.cost and o.cost[0] > 0), default=1.0)
    return next((n for n in JOBS if least * n >= 1.0), max(JOBS))


def trade_figure(decision: Decision) -> Figure:
    """Cost (else energy) per job against time per job, with intervals and the front; without either times alone."""
    shown = [*decision.options[:SHOWN]]
    of_cost = [o.cost for o in shown]
    of_energy = [o.energy_j for o in shown]
    if sum(v is not None for v in of_cost) > 1:
        runs = count_runs(decision)
        label = f"{decision.workload.terms.currency} per {JOBS[runs]}"
        return draw_trade(
            decision, shown, [None if v is None else tuple(x * runs for x in v) for v in of_cost], label, format_dollars
        )
    if sum(v is not None for v in of_energy) > 1:
        return draw_trade(decision, shown, list(of_energy), "energy per job", lambda v: format_quantity(v, "J"))
    return draw_times(shown, decision.first)


def draw_trade(
    decision: Decision, shown: list[Option], values: list[tuple[float, ...] | None], label: str,
    show: Callable[[float], str],
) -> Figure:  # fmt: skip
    """Points with bars both ways; what nothing beats in both stands on the front."""
    figure = empty_figure(6.4, 4.2)
    axes = figure.add_axes((0.13, 0.13, 0.84, 0.76))
    known = [(o, v) for o, v in zip(shown, values, strict=True) if v is not None]
    points = []
    for o, (value, low, high) in known:
        can = math.isfinite(o.score)
        colour = ORANGE if o is decision.first else BLUE if can else GREY
        axes.plot([o.low_s, o.high_s], [value, value], color=colour, linewidth=1.1, alpha=0.7)
        axes.plot([o.time_s, o.time_s], [low, high], color=colour, linewidth=1.1, alpha=0.7)
        axes.plot(o.time_s, value, marker="o" if can else "D", color=colour, markersize=6 if can else 5,
                  fillstyle="full" if can else "none")  # fmt: skip
        points.append((o.time_s, value, o))
    front: list[tuple[float, float]] = []
    for x, y, _ in sorted((p for p in points if math.isfinite(p[2].score)), key=lambda p: (p[0], p[1])):
        if not front or y < front[-1][1]:
            front.append((x, y))
    if len(front) > 1:
        axes.step(*zip(*front, strict=True), where="post", color=GREEN, linewidth=1.2, zorder=1, label="Pareto front")
        axes.legend(frameon=False, fontsize=7.5, loc="upper right")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(lambda v, _: format_seconds(float(v)))
    axes.yaxis.set_major_formatter(lambda v, _: show(float(v)))
    axes.tick_params(which="both", labelsize=7)
    thin_ticks(axes)
    axes.grid(True, color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel("time per job", fontsize=8.5)
    axes.set_ylabel(label, fontsize=8.5)
    name_points(axes, points)
    axes.set_title("What a job costs and how long it takes", loc="left", fontsize=9.5, color=INK)
    return figure


def thin_ticks(axes: Axes) -> None:
    """A handful of ticks on logarithmic axes, however little they span."""
    from matplotlib.ticker import FixedLocator, NullLocator

    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        steps = [m * 10.0**d for d in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
                 for m in (1, 1.5, 2, 3, 4, 5, 6, 8)]  # fmt: skip
        inside = [s for s in steps if low <= s <= high]
        while len(inside) > 7:
            inside = inside[::2]
        axis.set_major_locator(FixedLocator(inside))
        axis.set_minor_locator(NullLocator())


def name_points(axes: Axes, points: list[tuple[float, float, Option]]) -> None:
    """Names beside the points, moved apart where they would meet."""
    low, high = (math.log(v) for v in axes.get_ylim())
    left, right = (math.log(v) for v in axes.get_xlim())
    least, taken = 0.042 * (high - low), list[tuple[float, float]]()
    for x, y, option in sorted(points, key=lambda p: p[1]):
        name = one_line(option.name, NAME)
        far = (math.log(x) - left) / (right - left) > 0.6
        place = math.log(y)
        while any(abs(place - other) < least and abs(math.log(x) - at) < 0.45 * (right - left) for at, other in taken):
            place += least / 2
        taken.append((math.log(x), place))
        line = {"arrowstyle": "-", "color": FAINT, "linewidth": 0.5} if place - math.log(y) > least else None
        axes.annotate(
            f"{name}  " if far else f"  {name}", (x, y), (x, math.exp(place)), fontsize=7, color=INK,
            ha="right" if far else "left", va="bottom", xycoords="data", textcoords="data", arrowprops=line,
        )  # fmt: skip


def draw_times(shown: list[Option], first: Option) -> Figure:
    """Times with their intervals, one below the other."""
    figure = empty_figure(6.4, 1.0 + 0.26 * len(shown))
    axes = figure.add_axes((0.34, 0.55 / (1.0 + 0.26 * len(shown)), 0.62, 1 - 0.95 / (1.0 + 0.26 * len(shown))))
    for y, o in enumerate(shown):
        axes.plot([o.low_s, o.high_s], [y, y], color=BLUE, linewidth=2.2, alpha=0.45, solid_capstyle="butt")
        axes.plot(o.time_s, y, marker="o", color=ORANGE if o is first else BLUE, markersize=5)
    axes.set_yticks(range(len(shown)), [one_line(o.name, 36) for o in shown], fontsize=7.5)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    if max(o.high_s for o in shown) > WIDE * min(o.low_s for o in shown):
        axes.set_xscale("log")
    else:
        axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(lambda v, _: format_seconds(float(v)))
    axes.tick_params(axis="x", labelsize=7)
    axes.grid(True, axis="x", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_title("Time per job, with intervals", loc="left", fontsize=9.5, color=INK)
    return figure


def heat_figure(decision: Decision) -> Figure | None:
    """Programs x candidates: what is to be least over the best of each row, and the probability of being best."""
    shown = decision.options[:SHOWN]
    rows = [p.program.name or "workload" for p in decision.first.programs]
    count = np.array([float(o.count) for o in shown])
    values = rate_programs(decision.sheet.select(np.arange(len(shown))), count)
    if len(shown) < 2 or not np.isfinite(values).any():
        return None
    whole = decision.sheet.average(values)
    grid = np.vstack([values, whole]) if len(rows) > 1 else values
    best = np.where(np.isfinite(grid), grid, np.inf).min(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        over = np.where(np.isfinite(grid), grid / best, np.nan)
    chances = [[o.programs[k].p_best for o in shown] for k in range(len(rows))]
    chances += [[o.p_best for o in shown]] if len(rows) > 1 else []
    rows = [*rows, "all programs"] if len(rows) > 1 else rows
    height = 1.75 + 0.42 * len(rows)
    figure = empty_figure(max(6.4, 1.9 + 0.62 * len(shown)), height)
    axes = figure.add_axes((0.2, 1.2 / height, 0.78, 1 - 1.6 / height))
    axes.pcolormesh(np.log(np.ma.masked_invalid(over)), cmap="YlGnBu", vmin=0.0, vmax=math.log(WORST),
                    edgecolors="white", linewidth=1.2)  # fmt: skip
    for i in range(len(rows)):
        for j in range(len(shown)):
            dark = np.isfinite(over[i, j]) and over[i, j] > math.sqrt(WORST)
            chance = chances[i][j]
            text = (
                "–"
                if not np.isfinite(over[i, j])
                else f"{over[i, j]:.2f}x"
                if over[i, j] < 100
                else f"{over[i, j]:.2g}x"
            )
            text += "" if chance is None else f"\n{format_percent(chance, 0)}"
            axes.text(j + 0.5, i + 0.5, text, ha="center", va="center", fontsize=6.8, color="white" if dark else INK)
    axes.set_yticks(np.arange(len(rows)) + 0.5, [one_line(r, 22) for r in rows], fontsize=7.5)
    axes.set_xticks(
        np.arange(len(shown)) + 0.5, [one_line(o.name, NAME) for o in shown], rotation=30, ha="right", fontsize=7
    )
    axes.invert_yaxis()
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    of = {"cost": "Cost", "time": "Time", "energy": "Energy", "throughput": "GPU time per GPU"}[decision.best]
    axes.set_title(f"{of} of a job over the best of its row; below it the probability of being best", loc="left",
                   fontsize=9, color=INK)  # fmt: skip
    return figure


def bind_pictures(decision: Decision) -> dict[str, Callable[[], Figure | None]]:
    """What draws each picture of a choice."""
    return {
        "trade": partial(trade_figure, decision), "programs": partial(heat_figure, decision),
        "times": lambda: draw_times(sorted(decision.options, key=lambda o: o.time_s), decision.first),
    }  # fmt: skip
