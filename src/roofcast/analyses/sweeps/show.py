"""A sweep as text, JSON, CSV and a page."""

from __future__ import annotations

import json
import math
from typing import Any

from roofcast.analyses.sweeps.figures import PICTURES, svg_of
from roofcast.analyses.sweeps.reductions import Points
from roofcast.analyses.sweeps.sensitivity import label_of
from roofcast.analyses.sweeps.space import value_text
from roofcast.analyses.sweeps.study import Study
from roofcast.core.errors import one_line
from roofcast.core.resource import LABELS, Resource
from roofcast.core.units import format_quantity
from roofcast.kit.names import table_names
from roofcast.kit.page import Card, Page, PageRow, Section, notes_section
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import aligned, folded, render_csv

SHOWN, ELASTIC = 8, 10
RESOURCES = {r.value: LABELS[r] for r in Resource}


def point_rows(study: Study, points: Points, count: int) -> list[tuple[str, ...]]:
    """Processors as rows of a table."""
    rows = []
    for i in range(min(count, len(points.number))):
        values = study.values(int(points.number[i]))
        shown = [value_text(a.key, float(v), a.unit) for a, v in zip(study.space.axes, values, strict=True)]
        time = float(points.time_s[i])
        interval = f"{format_quantity(points.low_s[i], 's')} – {format_quantity(points.high_s[i], 's')}"
        cost = float(points.cost[i])
        rows.append(
            (
                *shown, format_quantity(time, "s"), interval, f"{study.base_s[0] / time:.2f}x",
                "–" if math.isnan(cost) else f"{cost:,.4g}",
            )
        )  # fmt: skip
    return rows


def point_header(study: Study) -> tuple[str, ...]:
    """Names of the columns of :func:`point_rows`."""
    return (*(one_line(a.key, 24) for a in study.space.axes), "time", "interval", "speed-up", study.space.cost_name)


def head_lines(study: Study) -> list[str]:
    """What was swept."""
    s, space = study.summary, study.space
    what = "draws" if space.sample is not None else "processors"
    kept = f", {s.feasible:,} within the constraints" if space.constraints else ""
    low, high = (format_quantity(v, "s") for v in study.base_s[1:])
    return [
        f"{s.processors:,} {what} around {one_line(space.base.name, 60)}{kept}; {len(study.work):,} kernels, "
        f"{s.feasible * len(study.work):,} forecasts by the physics, from the base's",
        f"base: {format_quantity(study.base_s[0], 's')} ({low} – {high})",
    ]


def change_text(study: Study, i: int) -> str:
    """The least of one parameter that reaches the goal."""
    c = study.changes[i]
    unit = next(a.unit for a in study.space.axes if a.key == c.key)
    own = value_text(c.key, c.base, unit)
    if c.value is None:
        return f"{label_of(c.key)}: no value reaches it alone (at most {c.speedup:.2f}x)"
    return f"{label_of(c.key)}: {own} -> {value_text(c.key, c.value, unit)} (x{c.value / c.base:.2f})"


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


def share_text(value: float) -> str:
    """A share."""
    return format_percent(value, 0)


def limit_line(study: Study) -> str:
    """What limits over the space."""
    shown = [f"{RESOURCES.get(n, n)} {share_text(v)}" for n, v in study.limits.items() if v >= 0.005]
    return "limits over the space (share of time): " + (", ".join(shown) or "none known")


def elastic_rows(study: Study) -> list[tuple[str, str]]:
    """Resource and per cent less time for 1 % more."""
    return [(e.label, f"{e.total:+.3f} %") for e in study.elasticities[:ELASTIC] if abs(e.total) >= 5e-4]


def index_rows(study: Study) -> list[tuple[str, str, str]]:
    """Axis, first and total Sobol index."""
    found = study.indices
    if found is None:
        return []
    return [
        (label_of(k), f"{a:.3f} ± {b:.3f}", f"{c:.3f} ± {d:.3f}")
        for k, a, b, c, d in zip(
            found.keys, found.first, found.first_confidence, found.total, found.total_confidence, strict=True
        )
    ]


def render_sweep(study: Study, width: int = 120) -> str:
    """The sweep as text."""
    header = point_header(study)
    right = [True] * len(header)
    lines = head_lines(study)

    def table(title: str, rows: list[tuple[str, ...]]) -> None:
        if rows:
            has_cost = any(r[-1] != "–" for r in rows)
            cut = None if has_cost else -1
            lines.extend(["", title, *aligned(header[:cut], [r[:cut] for r in rows], right[:cut], width)])

    table("fastest", point_rows(study, study.summary.fastest, SHOWN))
    table(f"Pareto front of time and {study.space.cost_name}", point_rows(study, study.summary.front, 2 * SHOWN))
    lines += ["", "1 % more of ... at the base saves:"]
    lines += [f"  {name:<22} {value}" for name, value in elastic_rows(study)] or ["  nothing saves time"]
    lines += ["", limit_line(study)]
    goal = goal_lines(study)
    lines += ["", *goal] if goal else []
    if study.indices is not None:
        lines += ["", f"Sobol indices of the time ({study.indices.evaluations:,} processors), first and total:"]
        lines += [f"  {name:<22} {first}   {total}" for name, first, total in index_rows(study)]
    return folded("\n".join([*lines, *([""] if study.notes else []), *study.notes]), width)


def points_json(study: Study, points: Points) -> list[dict[str, Any]]:
    """Processors in base units."""
    found = []
    for i, number in enumerate(points.number.tolist()):
        values = study.values(number)
        cost = float(points.cost[i])
        found.append(
            {"processor": number}
            | {a.key: float(v) for a, v in zip(study.space.axes, values, strict=True)}
            | {"time_s": float(points.time_s[i]), "time_low_s": float(points.low_s[i]),
               "time_high_s": float(points.high_s[i]), "speedup": study.base_s[0] / float(points.time_s[i]),
               "cost": None if math.isnan(cost) else cost}
        )  # fmt: skip
    return found


def finite(value: float) -> float | None:
    """A JSON number."""
    return float(value) if math.isfinite(value) else None


def sweep_json(study: Study) -> str:
    """Everything as JSON."""
    s, names = study.summary, table_names(study.work.kernels)
    indices = study.indices
    content = {
        "base": study.space.base.name, "base_time_s": study.base_s[0], "base_time_low_s": study.base_s[1],
        "base_time_high_s": study.base_s[2], "kernels": len(study.work), "processors": s.processors,
        "feasible": s.feasible, "fastest": points_json(study, s.fastest), "pareto": points_json(study, s.front),
        "elasticities": {e.key: finite(e.total) for e in study.elasticities},
        "elasticities_by_kernel": [
            {"kernel": names[i]} | {e.key: finite(float(e.per_kernel[i])) for e in study.elasticities}
            for i in range(len(names))
        ],
        "best_by_kernel": [
            {"kernel": names[i], "time_s": finite(float(s.best_s[i])), "processor": int(s.best_number[i])}
            for i in range(len(names))
        ],
        "limits": study.limits,
        "goal": study.space.goal,
        "smallest_changes": [
            {"parameter": c.key, "base": c.base, "value": c.value, "speedup": c.speedup} for c in study.changes
        ],
        "nearest": None if s.nearest is None else {"distance": s.nearest[0], "processor": s.nearest[1]},
        "sobol": None if indices is None else {
            k: {"first": finite(float(a)), "total": finite(float(b))}
            for k, a, b in zip(indices.keys, indices.first, indices.total, strict=True)
        },
        "notes": list(study.notes),
    }  # fmt: skip
    return json.dumps(content, indent=1, ensure_ascii=False)


def sweep_csv(study: Study) -> str:
    """The fastest processors and the front, one line each."""
    rows = [{"set": "fastest"} | r for r in points_json(study, study.summary.fastest)]
    rows += [{"set": "pareto"} | r for r in points_json(study, study.summary.front)]
    return render_csv(rows[0] if rows else ["set"], (row.values() for row in rows))


TITLES = {
    "heat": "Time over two axes",
    "parallel": "The fastest processors",
    "pareto": "Time against cost",
    "elasticity": "What would help",
}
KERNELS_SHOWN = 200


def sweep_page(study: Study) -> Page:
    """Headline, pictures, tables."""
    fastest = study.summary.fastest
    best = float(fastest.time_s[0]) if len(fastest.time_s) else float("nan")
    cards = (
        Card(f"base: {one_line(study.space.base.name, 50)}", format_quantity(study.base_s[0], "s"), plain=True),
        Card("fastest of the space", format_quantity(best, "s"), f"{study.base_s[0] / best:.2f}x"),
        Card("forecasts", f"{study.summary.feasible * len(study.work):,}", plain=True),
    )
    pictures = [(name, svg_of(study, name)) for name in PICTURES]
    sections = [Section(TITLES[name], picture=svg) for name, svg in pictures if svg]
    sections += [
        points_section(study, "Fastest processors", study.summary.fastest),
        points_section(study, f"Pareto front of time and {study.space.cost_name}", study.summary.front),
        kernels_section(study),
    ]
    goal = goal_lines(study)
    if goal:
        sections.append(Section("Goal", paragraphs=tuple(goal)))
    if study.indices is not None:
        sections.append(
            Section(
                "Sobol indices of the time",
                header=("axis", "first", "total"),
                right=(False, True, True),
                rows=tuple(PageRow(r) for r in index_rows(study)),
            )
        )
    intro = (*head_lines(study), limit_line(study))
    kept = tuple(s for s in sections if s.rows or s.picture or s.paragraphs)
    return Page("Design space", cards, intro, (*kept, *notes_section(study.notes)))


def points_section(study: Study, title: str, points: Points) -> Section:
    """Processors as a sortable table."""
    rows = point_rows(study, points, len(points.number))
    header = point_header(study)
    keys = [
        (*(float(v) for v in study.values(int(n))), float(t), float(low), study.base_s[0] / float(t))
        for n, t, low in zip(points.number, points.time_s, points.low_s, strict=True)
    ]
    return Section(
        title, header=header, right=(True,) * len(header),
        rows=tuple(PageRow(r, k) for r, k in zip(rows, keys, strict=True)),
    )  # fmt: skip


def kernels_section(study: Study) -> Section:
    """Elasticities per kernel."""
    wanted = [e for e in study.elasticities if abs(e.total) >= 5e-4][:8]
    names = table_names(study.work.kernels)[:KERNELS_SHOWN]
    rows = tuple(
        PageRow(
            (names[i], *(f"{e.per_kernel[i]:+.2f}" for e in wanted)),
            (None, *(float(e.per_kernel[i]) if e.per_kernel[i] == e.per_kernel[i] else None for e in wanted)),
        )
        for i in range(len(names))
    )
    said = tuple(f"{name}: {value}" for name, value in elastic_rows(study))
    return Section(
        "% less time for 1 % more, per kernel", (", ".join(said),), ("kernel", *(e.label for e in wanted)),
        (False, *(True,) * len(wanted)), rows,
    )  # fmt: skip
