"""A sweep as text, JSON, CSV and a page."""

from __future__ import annotations

import math
import textwrap
from typing import Any

from roofcast.core.errors import one_line
from roofcast.core.records import dataclass
from roofcast.core.resource import LABELS, Resource
from roofcast.core.results import or_none
from roofcast.core.units import format_quantity
from roofcast.kit.answer import render_answer
from roofcast.kit.names import table_names
from roofcast.kit.output import draw_svg
from roofcast.kit.page import Card, Page, Section, notes_section
from roofcast.kit.quantities import (
    ABSENT,
    count_of,
    format_factor,
    format_interval,
    format_percent,
    format_seconds,
    format_speedup,
    in_unit,
)
from roofcast.kit.returned import Statement
from roofcast.kit.table import Column, Table, folded, make_plain
from roofcast.sweeps.figures import bind_pictures
from roofcast.sweeps.reductions import Points
from roofcast.sweeps.sensitivity import Elasticity, label_of
from roofcast.sweeps.space import Axis, value_text
from roofcast.sweeps.study import Study

SHOWN, ELASTIC = 8, 10
RESOURCES = {r.value: LABELS[r] for r in Resource}


@dataclass(frozen=True, slots=True)
class Point:
    """One processor of a table."""

    number: int
    values: list[float]
    time_s: float
    low_s: float
    high_s: float
    cost: float
    drawn: tuple[float, float, float]
    """W, W of the board, and the clock that these hold; NaN where that is the design's."""


def tabulate_points(study: Study, points: Points, count: int | None = None) -> Table:
    """Processors, their values in base units; for people the axes alone that matter."""
    columns = (points.number, points.time_s, points.low_s, points.high_s, points.cost)
    rows = [
        Point(number, study.values(number).tolist(), time, low, high, cost, drawn_by(study, number))
        for number, time, low, high, cost in zip(*(c.tolist() for c in columns), strict=True)
    ][:count]

    def axis(k: int, a: Axis) -> Column:
        head = one_line(a.key, 24) if k in study.axes or not study.axes else ""
        return Column(head, lambda p: p.values[k], lambda v: value_text(a.key, v, a.unit), a.key)

    chosen = [
        Column("", lambda p: p.number, key="processor"),
        *(axis(k, a) for k, a in enumerate(study.space.axes)),
        Column("time", lambda p: p.time_s, format_seconds, "time_s"),
        Column("interval", lambda p: (p.low_s, p.high_s), lambda v: format_interval(*v)),
        Column("", lambda p: p.low_s, key="time_low_s"),
        Column("", lambda p: p.high_s, key="time_high_s"),
        Column("speed-up", lambda p: study.base_s[0] / p.time_s, format_factor, "speedup"),
        Column(study.space.cost_name, lambda p: p.cost, show_cost, "cost", optional=True),
        Column("power", lambda p: p.drawn[0], in_unit("W"), "power_w", optional=True),
        Column("", lambda p: p.drawn[1], key="board_power_w"),
        Column("board holds", lambda p: p.drawn[2], in_unit("Hz"), "clock_held_hz", optional=True),
    ]
    return Table(chosen, rows)


def drawn_by(study: Study, number: int) -> tuple[float, float, float]:
    """W that a design draws, W of its board, and the clock that these hold where it is lower."""
    if study.power is None or number not in study.drawn:
        return math.nan, math.nan, math.nan
    k, power = study.drawn[number], study.power
    held = float(power.held_hz[k]) if power.drawn_w[k] > power.board_w[k] else math.nan
    return float(power.drawn_w[k]), float(power.board_w[k]), held


def show_cost(value: float) -> str:
    """A cost in whatever unit the space gives it."""
    return ABSENT if math.isnan(value) else f"{value:,.4g}"


def state_sweep(study: Study) -> Statement:
    """What a sweep says first."""
    subject = f"{count_of(len(study.work), 'kernel')} on {one_line(study.space.base.name, 60)}"
    return Statement(subject, head_lines(study)[0], target=study.space.base.name)


def head_lines(study: Study) -> list[str]:
    """What was swept and what it gives; then the base and the conditions."""
    s, space = study.summary, study.space
    what = "draws" if space.sample is not None else "processors"
    within = f", {s.feasible:,} within the constraints" if space.constraints else ""
    base = f"{format_seconds(study.base_s[0])} ({format_interval(*study.base_s[1:])})"
    best = ""
    if len(study.fastest.time_s):
        fastest = float(study.fastest.time_s[0])
        best = f"; the fastest takes {format_seconds(fastest)}, {format_speedup(study.base_s[0], fastest)} as fast"
    return [
        f"{s.processors:,} {what} around {one_line(space.base.name, 60)}{within}, for "
        f"{count_of(len(study.work), 'kernel')} that {'takes' if len(study.work) == 1 else 'take'} {base} on it{best}.",
        f"{s.feasible * len(study.work):,} forecasts by the physics, from the base's",
        *([str(study.work.conditions_told["text"])] if study.work.conditions_told else []),
    ]


def change_text(study: Study, i: int) -> str:
    """The least of one parameter that reaches the goal."""
    c = study.changes[i]
    unit = next(a.unit for a in study.space.axes if a.key == c.key)
    before = value_text(c.key, c.base, unit)
    if c.value is None:
        return f"{label_of(c.key)}: no value reaches it alone (at most {format_factor(c.speedup)})"
    return f"{label_of(c.key)}: {before} -> {value_text(c.key, c.value, unit)} ({format_factor(c.value / c.base)})"


def goal_lines(study: Study) -> list[str]:
    """What reaches the goal."""
    if study.space.goal is None:
        return []
    lines = [f"to be {study.space.goal:g}x as fast as the base, alone:"]
    lines += [f"  {change_text(study, i)}" for i in range(len(study.changes))]
    nearest = study.summary.nearest
    if nearest is None:
        return [*lines, "  no processor of the space reaches it"]
    values = zip(study.space.axes, study.values(nearest[1]), strict=True)
    mix = ", ".join(f"{a.key} {value_text(a.key, float(v), a.unit)}" for a, v in values)
    least = f"least {study.space.cost_name}" if study.space.cost is not None else "nearest"
    return [*lines, f"  {least} within the space: {mix}"]


def limit_line(study: Study) -> str:
    """What limits over the space."""
    shares = [f"{RESOURCES.get(n, n)} {format_percent(v, 0)}" for n, v in study.limits.items() if v >= 0.005]
    return "limits over the space (share of time): " + (", ".join(shares) or "none known")


def elastic_rows(study: Study) -> list[tuple[str, str]]:
    """Resource and per cent less time for 1 % more, with its interval."""
    listed = [e for e in study.elasticities[:ELASTIC] if abs(e.total) >= 5e-4]
    return [
        (e.label, f"{format_percent(e.total / 100, 3, signed=True)} ({e.low:+.2f} to {e.high:+.2f})") for e in listed
    ]


def render_sweep(study: Study, width: int = 120, notes: bool = False) -> str:
    """The sweep as text. notes : all of them, not the first few."""
    verdict, answered, *conditions = head_lines(study)
    blocks = [textwrap.wrap(text, width) for text in conditions]
    for title, table in (
        ("fastest", tabulate_points(study, study.fastest, SHOWN)),
        (f"Pareto front of time and {study.space.cost_name}", tabulate_points(study, study.summary.front, SHOWN)),
    ):
        blocks += [[title, *table.lines(width)]] if table.rows else []
    elastic = Table.of_cells(("1 % more of", "saves (90 % interval)"), elastic_rows(study), right=(1,))
    blocks += [elastic.lines(width)] if elastic.rows else [["1 % more of anything at the base saves no time"]]
    blocks.append([line for text in goal_lines(study) for line in folded(text, width).splitlines()])
    every = [*filter(None, [warn_power(study)]), limit_line(study), answered, *study.notes]
    return render_answer(verdict, blocks, every, width, every=notes)


def warn_power(study: Study) -> str:
    """Say that designs of the list exceed what their board's power allows; '' where none does."""
    listed = study.fastest.number.tolist()[:SHOWN]
    over = [n for n in listed if not math.isnan(drawn_by(study, n)[2])]
    if not over:
        return ""
    watts, board, held = drawn_by(study, over[0])
    first = "the fastest design" if over[0] == listed[0] else "one"
    draws, has = format_quantity(watts, "W"), format_quantity(board, "W")
    return (
        f"warning: {len(over)} of these {len(listed)} designs have a clock beyond what their board's power allows: "
        f"{first} would draw {draws} of {has}, which hold {format_quantity(held, 'Hz')}; state tdp or power_cap as an "
        "axis, or a constraint on clock"
    )


def record_sweep(study: Study) -> Any:
    """What JSON holds: everything."""
    s, names = study.summary, table_names(study.work.kernels)
    content = {
        **state_sweep(study).record(), "base": study.space.base.name, "conditions": dict(study.work.conditions_told),
        "base_time_s": study.base_s[0], "base_time_low_s": study.base_s[1],
        "base_time_high_s": study.base_s[2], "kernels": len(study.work), "processors": s.processors,
        "feasible": s.feasible, "fastest": list(tabulate_points(study, s.fastest).records()),
        "pareto": list(tabulate_points(study, s.front).records()),
        "axes_that_matter": [study.space.axes[k].key for k in study.axes],
        "least_designs": list(tabulate_points(study, study.fastest).records()), "warning": warn_power(study) or None,
        "elasticities": {e.key: e.total for e in study.elasticities},
        "elasticity_intervals": {e.key: [e.low, e.high] for e in study.elasticities},
        "elasticities_by_kernel": [
            {"kernel": names[i]} | {e.key: float(e.per_kernel[i]) for e in study.elasticities}
            for i in range(len(names))
        ],
        "best_by_kernel": [
            {"kernel": names[i], "time_s": float(s.best_s[i]), "processor": int(s.best_number[i])}
            for i in range(len(names))
        ],
        "limits": study.limits,
        "goal": study.space.goal,
        "smallest_changes": [
            {"parameter": c.key, "base": c.base, "value": c.value, "speedup": c.speedup} for c in study.changes
        ],
        "nearest": None if s.nearest is None else {"distance": s.nearest[0], "processor": s.nearest[1]},
        "notes": list(study.notes),
    }  # fmt: skip
    return make_plain(content)


def tabulate_sets(study: Study) -> Table:
    """The fastest processors and the front, for machines."""
    sets = {"fastest": study.summary.fastest, "pareto": study.summary.front}
    rows = [{"set": name} | r for name, points in sets.items() for r in tabulate_points(study, points).records()]
    return Table.of_records(rows)


TITLES = {"heat": "Time over two axes", "pareto": "Time against cost", "elasticity": "What would help"}
KERNELS_SHOWN = 200
"""Kernels in the table of a page."""


def sweep_page(study: Study) -> Page:
    """Headline, pictures, tables."""
    fastest = study.summary.fastest
    best = float(fastest.time_s[0]) if len(fastest.time_s) else float("nan")
    cards = (
        Card(f"base: {one_line(study.space.base.name, 50)}", format_seconds(study.base_s[0]), plain=True),
        Card("fastest of the space", format_seconds(best), format_factor(study.base_s[0] / best)),
        Card("forecasts", f"{study.summary.feasible * len(study.work):,}", plain=True),
    )
    pictures = [(name, draw_svg(name, draw)) for name, draw in bind_pictures(study).items()]
    sections = [Section(TITLES[name], picture=svg) for name, svg in pictures if svg]
    sections += [
        Section("Fastest processors", tuple(filter(None, [warn_power(study)])), tabulate_points(study, study.fastest)),
        Section(f"Pareto front of time and {study.space.cost_name}", table=tabulate_points(study, study.summary.front)),
        kernels_section(study),
    ]
    goal = goal_lines(study)
    if goal:
        sections.append(Section("Goal", paragraphs=tuple(goal)))
    intro = (*head_lines(study), limit_line(study))
    filled = tuple(s for s in sections if (s.table and s.table.rows) or s.picture or s.paragraphs)
    return Page("Design space", cards, intro, (*filled, *notes_section(study.notes)))


def show_change(value: float | None) -> str:
    """Per cent less time for 1 % more; of kernels without a forecast there is none.

    >>> show_change(0.5), show_change(None)
    ('+0.50', '–')
    """
    return "–" if value is None else f"{value:+.2f}"


def kernels_section(study: Study) -> Section:
    """Elasticities per kernel."""
    wanted = [e for e in study.elasticities if abs(e.total) >= 5e-4][:8]
    names = table_names(study.work.kernels)[:KERNELS_SHOWN]

    def resource(e: Elasticity) -> Column:
        return Column(e.label, lambda i: or_none(e.per_kernel[i]), show_change)

    columns = [Column("kernel", lambda i: names[i]), *map(resource, wanted)]
    sentence = ", ".join(f"{name}: {value}" for name, value in elastic_rows(study))
    return Section("% less time for 1 % more, per kernel", (sentence,), Table(columns, range(len(names))))
