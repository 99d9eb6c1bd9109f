"""The roofline to look around in: a self-contained page; names are only ever text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.core.markup import escape
from roofcast.core.resource import Resource
from roofcast.kit.names import clipped
from roofcast.kit.output import draw_svg, write_text
from roofcast.kit.page import (
    BASE_STYLE,
    OWN,
    Lead,
    compile_template,
    embed_json,
    read_assets,
    render_document,
    round_number,
)  # fmt: skip
from roofcast.kit.palette import RESOURCES
from roofcast.kit.table import Table
from roofcast.rooflines.captions import (
    PLACES_TITLE,
    describe_clock,
    label_roof,
    tabulate_places,
    tabulate_versions,
    write_roofline_verdict,
)
from roofcast.rooflines.drawing import COLOURS, find_extent
from roofcast.rooflines.side_panels import SidePanel
from roofcast.rooflines.view import NOT_HERE, Mark, Panel, RooflineView, Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROOM = "roofcast.rooflines"
LIMITED = {r.label: r.value for r in Resource if r.value in RESOURCES}
"""What limits a kernel, by its label -> the class of its colour on pages."""
FULL_NAME_LIMIT = 1500
"""Characters of a kernel's name in the page's data."""


def write_html(view: RooflineView, path: str | Path, command: str = "") -> None:
    """Write the page in one step."""
    write_text(path, render_html(view, command))


def render_html(view: RooflineView, command: str = "") -> str:
    """The page as text; the same view gives the same text.

    command : what makes this page again, shown at its end.
    """
    script = read_assets(ROOM, "roofline.js")
    names = [p.processor for p in view.panels]
    title = "Roofline: " + " → ".join(clipped(n, 60) for n in names[:4]) if names else "Roofline: no kernels"
    subtitle = ", ".join(view.files[:6]) + (", …" if len(view.files) > 6 else "")
    if view.model:
        subtitle = f"{subtitle}; forecast by the model {view.model}".removeprefix("; ")
    notes = [f"{p.processor}: {note}" for p in view.panels for note in p.notes]
    body = compile_template(read_assets(ROOM, "roofline.html.j2")).render(
        title=title, verdict=write_roofline_verdict(view), subtitle=subtitle, command=command,
        versions=render_trajectories(view.trajectories), sides=render_sides(view.sides),
        notes=dict.fromkeys(filter(None, (view.conditions, *notes, *view.notes))),
        data=embed_json(build_page_data(view)), script=script,
    )  # fmt: skip
    sentences = [n for n in (*notes, *view.notes) if n]
    lead = Lead(write_roofline_verdict(view), "", ". ".join(filter(None, (view.conditions, *sentences[:1]))))
    return render_document(title, body, read_assets(OWN, *BASE_STYLE), (script,), lead=lead)


def render_sides(sides: Sequence[SidePanel]) -> str:
    """Rooflines of other kinds as sections of the page; '' where none was asked for."""
    parts = []
    for n, side in enumerate(sides):
        picture = draw_svg(f"side{n}", partial(draw_side_alone, side))
        title = escape(side.title)
        parts.append(
            f'<section aria-labelledby="side{n}"><h2 id="side{n}">{title}</h2><figure class="drawing" tabindex="0" '
            f'aria-label="{title}, a picture that scrolls">{picture}</figure></section>'
        )
    return "".join(parts)


def draw_side_alone(side: SidePanel) -> Figure:
    """One of them as a figure of its own."""
    from roofcast.rooflines.figure import draw_one_side

    return draw_one_side(side)


def build_page_data(view: RooflineView) -> dict[str, Any]:
    """Everything that the page shows, in the form that its script reads."""
    extent = find_extent(view)
    marks = {m.index: m for p in reversed(view.panels) for m in p.marks}
    used = {p.level for m in marks.values() for p in m.points} | {r.resource for p in view.panels for r in p.memory}
    kernels = [marks[i] for i in range(len(marks))]
    return {
        "levels": {r.value: r.label for r in COLOURS if r in used},
        "extent": {
            "x": extent.x, "y": extent.y, "strip": extent.strip, "unit": extent.unit, "unit_name": extent.unit_name,
        },
        "kernels": [
            {"name": m.name, "full": clipped(m.full_name, FULL_NAME_LIMIT), "file": m.file, "flags": list(m.flags)}
            for m in kernels
        ],
        "order": [m.index for m in sorted(kernels, key=lambda m: (-m.time_total_s if m.time_s > 0 else 1.0, m.index))],
        "panels": [build_panel_data(p) for p in view.panels],
        "joined": [list(chain) for chain in view.joined],
    }  # fmt: skip


def build_panel_data(panel: Panel) -> dict[str, Any]:
    """One GPU."""
    return {
        "name": panel.processor,
        "role": panel.role,
        "clock": describe_clock(panel),
        "lost": panel.notes[0] if panel.clock_note == NOT_HERE and panel.notes else "",
        "roofs": [
            {
                "l": r.resource.value, "v": round_number(r.per_s), "memory": r.is_memory, "estimated": r.estimated,
                "text": label_roof(r),
            }
            for r in (*panel.memory, *panel.compute)
        ],
        "marks": [build_mark_data(m) for m in panel.marks],
    }  # fmt: skip


def build_mark_data(mark: Mark) -> dict[str, Any]:
    """One kernel on one GPU."""
    return {
        "k": mark.index, "time": round_number(mark.time_s), "low": round_number(mark.time_low_s),
        "high": round_number(mark.time_high_s), "share": round_number(mark.time_fraction),
        "rate": round_number(mark.flops_per_s), "precision": mark.precision,
        "peak": round_number(mark.flops_per_s_peak), "mix": round_number(mark.flops_per_s_mix),
        "ceiling": round_number(mark.flops_per_s_ceiling), "limit": mark.limit,
        "by": LIMITED.get(mark.limit, ""), "reason": mark.reason,
        "points": [
            {
                "l": Resource(p.level).value, "x": round_number(p.flops_per_byte), "b": round_number(p.bytes_per_s),
                "c": round_number(p.bytes_per_s_ceiling), "s": round_number(p.share_of_roof),
            }
            for p in mark.points
        ],
    }  # fmt: skip


MAX_TABLES = 40
"""Trajectories that the page lists as tables."""


def render_trajectories(trajectories: Sequence[Trajectory]) -> str:
    """One table per kernel, those with most time first; '' without trajectories."""
    if not trajectories:
        return ""
    longest = trajectories[:MAX_TABLES]
    parts = ['<section class="versions" aria-label="versions of each kernel"><h2>Versions</h2>']
    parts += [render_versions(t) for t in longest]
    if len(longest) < len(trajectories):
        parts.append(f"<p>and {len(trajectories) - len(longest)} more kernels with several versions</p>")
    return "".join([*parts, "</section>"])


def render_versions(trajectory: Trajectory) -> str:
    """One kernel, and where its warps were sampled where the reports say so."""
    title = f"{trajectory.name} on {trajectory.gpu}"
    moved = "".join(f"<p>{escape(v.label)}: {escape('; '.join(v.moved))}</p>" for v in trajectory.versions if v.moved)
    places = wrap_scrolling(PLACES_TITLE, tabulate_places(trajectory), "places") if trajectory.places else ""
    return wrap_scrolling(title, tabulate_versions(trajectory)) + moved + places


def wrap_scrolling(title: str, table: Table, kind: str = "") -> str:
    """A table that scrolls by keyboard as well where the page is narrow."""
    html = table.html(caption=title)
    return f'<div class="scrolls {kind}" tabindex="0" role="region" aria-label="{escape(title)}, scrolls">{html}</div>'
