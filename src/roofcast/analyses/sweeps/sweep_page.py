"""A sweep as a self-contained page."""

from __future__ import annotations

from roofcast.analyses.sweeps.show import (
    elastic_rows,
    goal_lines,
    head_lines,
    index_rows,
    limit_line,
    point_header,
    point_rows,
)
from roofcast.analyses.sweeps.study import Study
from roofcast.analyses.sweeps.summary import Points
from roofcast.analyses.sweeps.sweep_figures import PICTURES, svg_of
from roofcast.core.errors import one_line
from roofcast.core.units import format_quantity
from roofcast.kit.names import table_names
from roofcast.kit.page import Card, Page, PageRow, Section, notes_section

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
