"""Pictures of a choice: every candidate's time and cost with intervals, and programs x candidates as a heat map."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from roofcast.choosing.decision import Decision, Option
from roofcast.choosing.options import rate_programs
from roofcast.core.absent import quietly
from roofcast.core.errors import one_line
from roofcast.core.kernel_table import FloatArray
from roofcast.core.units import format_quantity
from roofcast.formulas.values import combine
from roofcast.kit.output import empty_figure, thin_ticks
from roofcast.kit.palette import BLUE, GREEN, GREY, GRID, INK, ORANGE
from roofcast.kit.quantities import format_dollars, format_percent, format_seconds
from roofcast.sweeps.pareto import pareto_front

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 40
"""Candidates in the picture of all."""
SHOWN = 12
"""Candidates in the heat map."""
NAMED = 5
"""Candidates of the front whose names stand in the picture of money."""
NAME = 30
"""Characters of a candidate's name in a picture."""
WIDE = 20.0
"""Slowest over fastest time from which an axis is logarithmic: the fast ones would not be told apart."""
WORST = 4.0
"""Times the best of a row from which a cell of the heat map has the last colour."""
Panel = tuple[str, Sequence[tuple[float, ...] | None], Callable[[float], str]]
"""Label, (value, low, high) of each candidate, how a value looks."""


JOBS = {1.0: "job", 1e3: "thousand jobs", 1e6: "million jobs", 1e9: "billion jobs"}


def count_runs(decision: Decision) -> float:
    """For how many jobs costs are stated: so many that the least is 1 or more where possible."""
    least = min((o.cost[0] for o in decision.options if o.cost and o.cost[0] > 0), default=1.0)
    return next((n for n in JOBS if least * n >= 1.0), max(JOBS))


def candidates_figure(decision: Decision) -> Figure:
    """All candidates in their order: time per job, and cost (else energy) per job, with intervals.

    What no candidate beats in both is on the front.
    """
    options = decision.options[:MOST]
    panels: list[Panel] = [("time per job", [(o.time_s, o.low_s, o.high_s) for o in options], format_seconds)]
    costs, energies = [o.cost for o in options], [o.energy_j for o in options]
    if sum(v is not None for v in costs) > 1:
        runs = count_runs(decision)
        label = f"{decision.workload.terms.currency} per {JOBS[runs]}"
        panels.append((label, [v and (v[0] * runs, v[1] * runs, v[2] * runs) for v in costs], format_dollars))
    elif sum(v is not None for v in energies) > 1:
        panels.append(("energy per job", energies, lambda v: format_quantity(v, "J")))
    front: set[int] = set()
    if len(panels) > 1:
        goals = [(o.time_s, v[0]) if v is not None and math.isfinite(o.score) else (math.nan, math.nan)
                 for o, v in zip(options, panels[-1][1], strict=True)]  # fmt: skip
        front = set(pareto_front(*np.array(goals).T).tolist())
    height = 1.2 + 0.17 * len(options)
    figure = empty_figure(7.4, height)
    room = 0.76 / len(panels)
    for k, panel in enumerate(panels):
        axes = figure.add_axes((0.24 + k * room, 0.5 / height, room - 0.03, 1 - 1.1 / height))
        draw_panel(axes, panel, [mark_option(o, decision.first, n in front) for n, o in enumerate(options)])
        axes.set_yticks(range(len(options)), [one_line(o.name, NAME) for o in options] if k == 0 else [], fontsize=7)
    known = {
        "the answer": ORANGE,
        "on the front of both": GREEN,
        "beaten in both": BLUE,
        "no price, or out of the limits": GREY,
    }
    marks = {mark_option(o, decision.first, n in front) for n, o in enumerate(options)}
    named = [(label, c) for label, c in known.items() if c in marks and (front or c != BLUE)]
    for k, (label, colour) in enumerate(named):
        figure.text(0.24 + 0.175 * k, 1 - 0.42 / height, f"● {label}", color=colour, fontsize=7.5)
    more = f" (the first {MOST} of {len(decision.options)})" if len(decision.options) > MOST else ""
    figure.text(0.01, 1 - 0.2 / height, f"Every candidate, best first, with intervals{more}", fontsize=9.5, color=INK)
    return figure


def main_figure(decision: Decision) -> Figure:
    """Money against time where money is known, else every candidate's time."""
    return money_figure(decision) or candidates_figure(decision)


def money_figure(decision: Decision) -> Figure | None:
    """Money against time: a mark with intervals for every candidate, the front, and the demand as a line.

    With a demand time is what the GPUs of each take for it over what it allows: below the line they serve it. None of
    fewer than two candidates with money.
    """
    asks, runs = decision.sheet.counts_money, count_runs(decision)
    rows = [(i, m) for i, o in enumerate(decision.options) if (m := o.total if asks else o.cost) and o.count]
    if len(rows) < 2:
        return None
    lead = [i for i, _ in rows]
    money = np.array([m for _, m in rows]) * (1.0 if asks else runs)
    options = [decision.options[i] for i in lead]
    time = weigh_demand(decision)[lead] if asks else np.array([[o.time_s, o.low_s, o.high_s] for o in options])
    names = [one_line(f"{o.count} x {o.name}" if asks else o.name, NAME) for o in options]
    marks = [mark_option(o, decision.first, False) for o in options]
    if asks and decision.fleet is not None and decision.fleet.cost is not None and len(decision.fleet.parts) > 1:
        money, time = np.vstack([money, decision.fleet.cost]), np.vstack([time, weigh_fleet(decision)])
        names, marks = [*names, "the answer"], [*(BLUE if m == ORANGE else m for m in marks), ORANGE]
    front = sorted(pareto_front(time[:, 0], money[:, 0]).tolist(), key=lambda i: money[i, 0])
    figure = empty_figure(7.4, 3.9)
    axes = figure.add_axes((0.11, 0.13, 0.86, 0.75))
    for i, colour in enumerate(marks):
        shade = GREEN if i in front and colour == BLUE else colour
        axes.plot([money[i, 0]] * 2, time[i, 1:], color=shade, linewidth=1.6, alpha=0.45)
        axes.plot(money[i, 1:], [time[i, 0]] * 2, color=shade, linewidth=1.6, alpha=0.45)
        axes.plot(money[i, 0], time[i, 0], marker="o", color=shade, markersize=6 if colour == ORANGE else 4)
    axes.step(money[front, 0], time[front, 0], where="post", color=GREEN, linewidth=1, alpha=0.8)
    named = [*front[:NAMED], *(i for i, c in enumerate(marks) if c == ORANGE and i not in front[:NAMED])]
    for n, i in enumerate(named):
        above = n % 2 == 0
        axes.annotate(names[i], (money[i, 0], time[i, 0]), xytext=(5, 5 if above else -11), textcoords="offset points",
                      fontsize=7, color=INK)  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        thin_ticks(axes, axis)
    axes.xaxis.set_major_formatter(lambda v, _: format_dollars(float(v)))
    axes.yaxis.set_major_formatter(lambda v, _: f"{v:g}" if asks else format_seconds(float(v)))
    if asks:
        axes.axhline(1.0, color=INK, linewidth=1.2, linestyle="--")
        axes.annotate("the demand", (1.0, 1.0), xycoords=("axes fraction", "data"), xytext=(-4, 3),
                      textcoords="offset points", ha="right", fontsize=7.5, color=INK)  # fmt: skip
    axes.tick_params(labelsize=7)
    axes.grid(True, color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    currency, years = decision.workload.terms.currency, decision.sheet.years
    what = f"{currency} over {years:g} years" if asks else f"{currency} per {JOBS[runs]}"
    axes.set_xlabel(what, fontsize=8)
    axes.set_ylabel("time for the demand, of the time there is" if asks else "time per job", fontsize=8)
    known = {"the answer": ORANGE, "front: no other costs and takes less": GREEN, "beaten in both": BLUE}
    for k, (label, colour) in enumerate(known.items()):
        figure.text(0.11 + 0.2 * k + 0.1 * (k > 1), 0.9, f"● {label}", color=colour, fontsize=7.5)
    figure.text(0.01, 0.955, "Money against time, with intervals", fontsize=9.5, color=INK)
    return figure


def weigh_demand(decision: Decision) -> FloatArray:
    """(C, 3) what the GPUs of each candidate take for the demand over what it allows, with ends; NaN where late."""
    sheet = decision.sheet
    times = np.array([[[p.time_s, p.low_s, p.high_s] for p in o.programs] for o in decision.options])
    stretched = sheet.with_times(np.moveaxis(times / times[..., :1], (0, 1, 2), (2, 1, 0)))
    needs = combine(np.maximum, [need.sum(axis=-2) for _, need in stretched.list_needs()])
    count = np.array([math.nan if o.count is None else float(o.count) for o in decision.options])
    shares = (needs / count).T
    return np.asarray(np.where(np.isfinite(shares), shares, np.nan))


def weigh_fleet(decision: Decision) -> FloatArray:
    """(3,) the same of the fleet, its ends over the draws."""
    fleet, programme = decision.fleet, decision.programme
    if fleet is None or fleet.plan is None or programme is None:
        return np.full(3, np.nan)
    offers, solved = fleet.plan
    used = np.flatnonzero(solved.units)
    kinds, gpus = tuple(offers.kind[used].tolist()), (offers.unit * solved.units)[used]
    part = 1 / programme.serve_parts(kinds, gpus)
    return np.array([part[0], *np.quantile(part[1:], [(1 - decision.coverage) / 2, (1 + decision.coverage) / 2])])


def mark_option(option: Option, first: Option, on_front: bool) -> str:
    """The colour of a candidate."""
    if not math.isfinite(option.score):
        return GREY
    return ORANGE if option is first else GREEN if on_front else BLUE


def draw_panel(axes: Axes, panel: Panel, colours: Sequence[str]) -> None:
    """One measure of all candidates, one below the other."""
    from matplotlib.ticker import MaxNLocator

    label, values, show = panel
    known = [v for v in values if v is not None]
    for y, (value, colour) in enumerate(zip(values, colours, strict=True)):
        if value is not None:
            axes.plot(value[1:], [y, y], color=colour, linewidth=2.2, alpha=0.45, solid_capstyle="butt")
            axes.plot(value[0], y, marker="o", color=colour, markersize=4.5)
    axes.set_ylim(len(values) - 0.4, -0.6)
    if max(v[2] for v in known) > WIDE * min(v[1] for v in known):
        axes.set_xscale("log")
        thin_ticks(axes)
    else:
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(lambda v, _: show(float(v)) if v else "0")
    axes.tick_params(axis="x", labelsize=7)
    axes.tick_params(axis="y", length=0)
    axes.grid(True, axis="x", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(label, fontsize=8)


def heat_figure(decision: Decision) -> Figure | None:
    """Programs x candidates: what is to be least over the best of each row, and the probability of being best."""
    options = decision.options[:SHOWN]
    rows = [p.program.name or "workload" for p in decision.first.programs]
    count = np.array([float(o.count or 1) for o in options])
    values = rate_programs(decision.sheet.select(np.arange(len(options))), count)
    if len(options) < 2 or not np.isfinite(values).any():
        return None
    whole = decision.sheet.average(values)
    grid = np.vstack([values, whole]) if len(rows) > 1 else values
    best = np.where(np.isfinite(grid), grid, np.inf).min(axis=1, keepdims=True)
    with quietly():
        over = np.where(np.isfinite(grid), grid / best, np.nan)
    chances = [[o.programs[k].p_best for o in options] for k in range(len(rows))]
    chances += [[o.p_best for o in options]] if len(rows) > 1 else []
    rows = [*rows, "all programs"] if len(rows) > 1 else rows
    height = 1.75 + 0.42 * len(rows)
    figure = empty_figure(max(6.4, 1.9 + 0.62 * len(options)), height)
    axes = figure.add_axes((0.2, 1.2 / height, 0.78, 1 - 1.6 / height))
    axes.pcolormesh(np.log(np.ma.masked_invalid(over)), cmap="YlGnBu", vmin=0.0, vmax=math.log(WORST),
                    edgecolors="white", linewidth=1.2)  # fmt: skip
    for i in range(len(rows)):
        for j in range(len(options)):
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
        np.arange(len(options)) + 0.5, [one_line(o.name, NAME) for o in options], rotation=30, ha="right", fontsize=7
    )
    axes.invert_yaxis()
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    of = {"cost": "Cost", "time": "Time", "energy": "Energy", "throughput": "GPU time per GPU"}[decision.best]
    of = "Time" if decision.sheet.counts_money else of
    axes.set_title(f"{of} of a job over the best of its row; below it the probability of being best", loc="left",
                   fontsize=9, color=INK)  # fmt: skip
    return figure


def bind_pictures(decision: Decision) -> dict[str, Callable[[], Figure | None]]:
    """What draws each picture of a choice."""
    return {
        "money": partial(money_figure, decision), "candidates": partial(candidates_figure, decision),
        "programs": partial(heat_figure, decision),
    }  # fmt: skip
