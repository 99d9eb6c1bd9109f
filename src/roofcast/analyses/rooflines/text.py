"""The roofline as aligned text: one table per GPU."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence

from roofcast.analyses.rooflines.captions import clock_text
from roofcast.analyses.rooflines.drawing import roof_label
from roofcast.analyses.rooflines.trajectory_text import trajectory_lines
from roofcast.analyses.rooflines.view import NOT_HERE, Mark, Panel, Point, RooflineView
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import aligned

TRAJECTORIES = 8
"""Kernels whose versions are listed unless more are asked for."""
LEVELS = (Resource.BYTES_L1, Resource.BYTES_L2, Resource.BYTES_DRAM)


def render_roofline_text(view: RooflineView, width: int = 120, top: int | None = None) -> str:
    """Intensity per level, rate, share of the kernel-specific ceiling and limit of every kernel, per GPU.

    width : columns to fill, at least 60.
    top : only the kernels with most time of each GPU; the rest is summed up in one line.
    """
    width = max(width, 60)
    blocks = ["\n".join(panel_lines(panel, width, top)) for panel in view.panels] or ["no kernels"]
    if view.trajectories:
        shown = TRAJECTORIES if top is None else top
        blocks.append("\n".join(["versions, in order", "", *trajectory_lines(view.trajectories, width, shown)]))
    notes = [line for note in view.notes for line in textwrap.wrap(f"- {note}", width, subsequent_indent="  ")]
    return "\n\n".join([*blocks, "\n".join(notes)]).rstrip()


def panel_lines(panel: Panel, width: int, top: int | None) -> Iterator[str]:
    """Title, roofs, kernels and notes of one GPU."""
    yield f"{'measured on' if panel.role == 'source' else 'forecast for'} {panel.processor}"
    roofs = [roof_label(r, "B/s" if r.is_memory else "FLOP/s") for r in (*panel.memory, *panel.compute)]
    text = f"roofs at {clock_text(panel)}: {', '.join(roofs)}" if roofs else clock_text(panel)
    if panel.clock_note != NOT_HERE:
        yield from textwrap.wrap(text, width)
    yield ""
    marks = panel.marks if top is None else panel.marks[:top]
    wide = width >= 100
    header = ["kernel", "time", "share", "GFLOP/s", *(f"FLOP/B {r.label}" for r in LEVELS), "of ceiling", "limit"]
    if not wide:
        header = ["kernel", "time", "share", "GFLOP/s", *(r.label for r in LEVELS), "ceiling", "limit"]
    columns = [k for k, title in enumerate(header) if wide or title != "share"]
    rows = [[cells[k] for k in columns] for cells in map(row_of, marks)]
    right = [k not in (0, len(header) - 1) for k in columns]
    yield from aligned([header[k] for k in columns], rows, right, width)
    if len(marks) < len(panel.marks):
        rest = panel.marks[len(marks) :]
        share = sum(m.time_fraction for m in rest if m.time_fraction > 0)
        yield f"… and {len(rest)} more kernel{'s' * (len(rest) != 1)} ({format_percent(share)} of the time)"
    if not wide:
        yield "L1, L2, DRAM in FLOP/B; ceiling: share that the kernel reaches of its own"
    # The roofs above already say which of them are estimated.
    notes = [note for note in panel.notes if " roof estimated " not in note]
    for line in reason_lines(marks, notes):
        yield from textwrap.wrap(f"- {line}", width, subsequent_indent="  ")


def row_of(mark: Mark) -> list[str]:
    """The cells of one kernel."""
    at = {p.level: p for p in mark.points}
    reached = f"{100 * mark.best_share:.0f} %" if math.isfinite(mark.best_share) else "–"
    share = f"{100 * mark.time_fraction:.1f} %" if math.isfinite(mark.time_fraction) else "–"
    levels = [level_text(at.get(level)) for level in LEVELS]
    rate = gigaflops(mark.flops_per_s)
    return [mark.name, format_quantity(mark.time_s, "s"), share, rate, *levels, reached, mark.limit or "–"]


def gigaflops(flops_per_s: float) -> str:
    """GFLOP/s with at least three digits.

    >>> gigaflops(3.683e12), gigaflops(5.36e10), gigaflops(float("nan"))
    ('3683', '53.6', '–')
    """
    value = flops_per_s / 1e9
    return "–" if not math.isfinite(value) else f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def level_text(point: Point | None) -> str:
    """FLOP per byte with three digits; the bandwidth of a kernel without FLOPs."""
    if point is None:
        return "–"
    if math.isfinite(point.flops_per_byte):
        return f"{point.flops_per_byte:.3g}"
    return format_quantity(point.bytes_per_s, "B/s")


def reason_lines(marks: Sequence[Mark], notes: Sequence[str]) -> list[str]:
    """Why kernels stand outside the roofline, once per reason, then the notes of the panel."""
    groups: dict[str, list[str]] = {}
    for mark in marks:
        if mark.reason:
            groups.setdefault(mark.reason, []).append(mark.name)
    lines = [f"{reason}: {', '.join(names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''}"
             for reason, names in groups.items()]  # fmt: skip
    return [*lines, *notes]
