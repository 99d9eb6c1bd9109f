"""The roofline as one self-contained interactive page: no request leaves it, and names in it are only ever text."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from roofcast.analyses.rooflines.captions import clock_text
from roofcast.analyses.rooflines.drawing import COLOURS, roof_label
from roofcast.analyses.rooflines.roofline_extent import extent_of
from roofcast.analyses.rooflines.trajectory_html import trajectory_tables
from roofcast.analyses.rooflines.view import NOT_HERE, Mark, Panel, RooflineView
from roofcast.core.resource import Resource
from roofcast.kit.names import clipped
from roofcast.kit.output import write_text
from roofcast.kit.page import BASE_STYLE, OWN, compile_template, embed_json, read_assets, render_document

ROOM = "roofcast.analyses.rooflines"
FULL_NAME_LIMIT = 1500
DIGITS = 6


def write_html(view: RooflineView, path: str | Path, command: str = "") -> None:
    """Write the page in one step.

    Raises
    ------
    RoofcastError : the file cannot be written.
    """
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
        title=title, subtitle=subtitle, versions=trajectory_tables(view.trajectories), command=command,
        notes=dict.fromkeys([*notes, *view.notes]), data=embed_json(page_data(view)), script=script,
    )  # fmt: skip
    return render_document(title, body, read_assets(OWN, *BASE_STYLE), (script,))


def page_data(view: RooflineView) -> dict[str, Any]:
    """Everything that the page shows, in the form that its script reads."""
    extent = extent_of(view)
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
        "order": [m.index for m in sorted(kernels, key=lambda m: (-m.time_s if m.time_s > 0 else 1.0, m.index))],
        "panels": [panel_data(p) for p in view.panels],
        "joined": [list(chain) for chain in view.joined],
    }  # fmt: skip


def panel_data(panel: Panel) -> dict[str, Any]:
    """One GPU."""
    return {
        "name": panel.processor,
        "role": panel.role,
        "clock": clock_text(panel),
        "lost": panel.notes[0] if panel.clock_note == NOT_HERE and panel.notes else "",
        "roofs": [
            {
                "l": r.resource.value, "v": number(r.per_s), "memory": r.is_memory, "estimated": r.estimated,
                "text": roof_label(r, "B/s" if r.is_memory else "FLOP/s"),
            }
            for r in (*panel.memory, *panel.compute)
        ],
        "marks": [mark_data(m) for m in panel.marks],
    }  # fmt: skip


def mark_data(mark: Mark) -> dict[str, Any]:
    """One kernel on one GPU."""
    return {
        "k": mark.index, "time": number(mark.time_s), "low": number(mark.time_low_s), "high": number(mark.time_high_s),
        "share": number(mark.time_fraction), "rate": number(mark.flops_per_s), "precision": mark.precision,
        "peak": number(mark.flops_per_s_peak), "mix": number(mark.flops_per_s_mix),
        "ceiling": number(mark.flops_per_s_ceiling), "limit": mark.limit, "reason": mark.reason,
        "points": [
            {
                "l": Resource(p.level).value, "x": number(p.flops_per_byte), "b": number(p.bytes_per_s),
                "c": number(p.bytes_per_s_ceiling), "s": number(p.share_of_roof),
            }
            for p in mark.points
        ],
    }  # fmt: skip


def number(value: float) -> float | None:
    """A rounded JSON number; None where absent."""
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
