"""The roofline as aligned text and as CSV, and written in the form that a file name asks for."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from roofcast.analyses.rooflines.captions import (
    LEVELS,
    PLACES_TITLE,
    describe_clock,
    head_places,
    label_roof,
    render_place_cells,
    render_version_cells,
    title_panel,
)
from roofcast.analyses.rooflines.view import NOT_HERE, Mark, Panel, Point, RooflineView, Trajectory
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.kit.output import write_text
from roofcast.kit.quantities import format_number, format_percent
from roofcast.kit.table import aligned, escape_formula, render_csv

SUFFIXES = (".svg", ".png", ".pdf", ".html", ".csv", ".txt")
TRAJECTORIES = 8
"""Kernels whose versions are listed unless more are asked for."""


def render_roofline_text(view: RooflineView, width: int = 120, top: int | None = None) -> str:
    """Intensity per level, rate, share of the kernel-specific ceiling and limit of every kernel, per GPU.

    width : columns to fill, at least 60.
    top : only the kernels with most time of each GPU; the rest is summed up in one line.
    """
    width = max(width, 60)
    blocks = ["\n".join(render_panel(panel, width, top)) for panel in view.panels] or ["no kernels"]
    if view.trajectories:
        shown = TRAJECTORIES if top is None else top
        blocks.append("\n".join(["versions, in order", "", *render_trajectories(view.trajectories, width, shown)]))
    notes = [line for note in view.notes for line in textwrap.wrap(f"- {note}", width, subsequent_indent="  ")]
    told = ["\n".join(textwrap.wrap(view.conditions, width))] if view.conditions else []
    return "\n\n".join([*told, *blocks, "\n".join(notes)]).rstrip()


def render_panel(panel: Panel, width: int, top: int | None) -> Iterator[str]:
    """Title, roofs, kernels and notes of one GPU."""
    yield title_panel(panel)
    roofs = [label_roof(r) for r in (*panel.memory, *panel.compute)]
    text = f"roofs at {describe_clock(panel)}: {', '.join(roofs)}" if roofs else describe_clock(panel)
    if panel.clock_note != NOT_HERE:
        yield from textwrap.wrap(text, width)
    yield ""
    marks = panel.marks if top is None else panel.marks[:top]
    wide = width >= 100
    several = any(m.launches > 1 for m in panel.marks)
    times = ["launches", "one launch", "total"] if several else ["launches", "one launch", "time"]
    header = ["kernel", *times, "share", "GFLOP/s", *(f"FLOP/B {r.label}" for r in LEVELS), "of ceiling", "limit"]
    if not wide:
        header = ["kernel", *times, "share", "GFLOP/s", *(r.label for r in LEVELS), "ceiling", "limit"]
    left_out = {*(() if wide else ("share",)), *(() if several and wide else ("one launch",))}
    left_out |= set() if several else {"launches"}
    columns = [k for k, title in enumerate(header) if title not in left_out]
    rows = [[cells[k] for k in columns] for cells in map(render_mark, marks)]
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
    for line in render_reasons(marks, notes):
        yield from textwrap.wrap(f"- {line}", width, subsequent_indent="  ")


def render_mark(mark: Mark) -> list[str]:
    """The cells of one kernel."""
    at = {p.level: p for p in mark.points}
    reached = format_percent(mark.best_share, 0)
    share = format_percent(mark.time_fraction, 1)
    levels = [format_level(at.get(level)) for level in LEVELS]
    rate = format_number(mark.flops_per_s / 1e9)
    times = [str(mark.launches), *(format_quantity(t, "s") for t in (mark.time_s, mark.time_total_s))]
    return [mark.name, *times, share, rate, *levels, reached, mark.limit or "–"]


def format_level(point: Point | None) -> str:
    """FLOP per byte with three digits; the bandwidth of a kernel without FLOPs."""
    if point is None:
        return "–"
    if math.isfinite(point.flops_per_byte):
        return f"{point.flops_per_byte:.3g}"
    return format_quantity(point.bytes_per_s, "B/s")


def render_reasons(marks: Sequence[Mark], notes: Sequence[str]) -> list[str]:
    """Why kernels stand outside the roofline, once per reason, then the notes of the panel."""
    groups: dict[str, list[str]] = {}
    for mark in marks:
        if mark.reason:
            groups.setdefault(mark.reason, []).append(mark.name)
    lines = [f"{reason}: {', '.join(names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''}"
             for reason, names in groups.items()]  # fmt: skip
    return [*lines, *notes]


def render_trajectories(trajectories: Sequence[Trajectory], width: int, top: int | None = None) -> Iterator[str]:
    """Tables of the kernels with most time; what is left out is counted.

    width : columns to fill.
    """
    shown = trajectories if top is None else trajectories[:top]
    for n, trajectory in enumerate(shown):
        if n:
            yield ""
        yield from render_versions(trajectory, width)
        yield from render_places(trajectory, width - 2)
    if len(shown) < len(trajectories):
        rest = len(trajectories) - len(shown)
        yield f"… and {rest} more kernel{'s' * (rest != 1)} with several versions (--top {len(trajectories)})"


def render_versions(trajectory: Trajectory, width: int) -> Iterator[str]:
    """One kernel; columns that no version has are left out."""
    versions = trajectory.versions
    share = (
        f", {format_percent(trajectory.time_fraction, 1)} of the time at first" if trajectory.time_fraction > 0 else ""
    )
    yield from textwrap.wrap(f"{trajectory.name} on {trajectory.gpu}{share}", width)
    cells = [render_version_cells(v) for v in versions]
    names = [name for name in cells[0] if any(c[name] != "–" for c in cells)]
    rows = [[c[name] for name in names] for c in cells]
    lines = aligned(names, rows, [name != "version" for name in names], width, stacked=False)
    narrow = len(lines[1]) > width
    if narrow:
        short = [name.removeprefix("FLOP/B ") for name in names]
        lines = aligned(short, rows, [name != "version" for name in names], width)
    yield from lines
    if narrow and short != names:
        yield "  L1, L2, DRAM in FLOP/B"
    for version in versions:
        if version.moved:
            text = f"{version.label}: {'; '.join(version.moved)}"
            yield from textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="    ")


def render_places(trajectory: Trajectory, width: int) -> Iterator[str]:
    """A table of samples and executed warp instructions per place and version."""
    if not trajectory.places:
        return
    header = head_places(trajectory)
    rows = [render_place_cells(change) for change in trajectory.places]
    lines = aligned(header, rows, [False, *[True] * (len(header) - 2), False], width)
    yield f"  {PLACES_TITLE}"
    yield from (f"  {line}" for line in lines)


LEVEL_SUFFIXES = {Resource.BYTES_L1: "l1", Resource.BYTES_L2: "l2", Resource.BYTES_DRAM: "dram"}
PER_LEVEL = ("flops_per_byte", "bytes_per_s", "bytes_per_s_ceiling", "bytes_per_s_roof", "share_of_ceiling_fraction")
HEADER = (
    *("kernel", "row", "name", "file", "version", "role", "gpu", "clock_hz", "time_s", "time_low_s", "time_high_s"),
    *(
        "launches",
        "time_total_s",
        "time_fraction",
        "precision",
        "flops_per_s",
        "flops_per_s_peak",
        "flops_per_s_mix",
        "flops_per_s_ceiling",
    ),
    *(f"{column}_{where}" for where in LEVEL_SUFFIXES.values() for column in PER_LEVEL),
    *("limit", "reason"),
)


def render_roofline_csv(view: RooflineView) -> str:
    """All kernels of all panels, in file order within each GPU."""
    marks = ((panel, mark) for panel in view.panels for mark in sorted(panel.marks, key=lambda m: m.index))
    return render_csv(HEADER, (build_csv_row(panel, mark) for panel, mark in marks))


def build_csv_row(panel: Panel, mark: Mark) -> list[str]:
    """One row."""
    points = {p.level: p for p in mark.points}
    roofs = {r.resource: r.per_s for r in panel.memory}
    levels: list[str] = []
    for level in LEVEL_SUFFIXES:
        point = points.get(level)
        values = (point.flops_per_byte, point.bytes_per_s, point.bytes_per_s_ceiling) if point else (math.nan,) * 3
        levels += [
            *map(format_cell, values),
            format_cell(roofs.get(level, math.nan)),
            format_cell(point.share_of_roof if point else math.nan),
        ]
    numbers = (mark.flops_per_s, mark.flops_per_s_peak, mark.flops_per_s_mix, mark.flops_per_s_ceiling)
    times = (panel.clock_hz, mark.time_s, mark.time_low_s, mark.time_high_s)
    sums = (mark.time_total_s, mark.time_fraction)
    head = [
        escape_formula(mark.full_name),
        str(mark.index),
        escape_formula(mark.name),
        escape_formula(mark.file),
        escape_formula(mark.version),
        panel.role,
        escape_formula(panel.processor),
    ]
    return [
        *head,
        *map(format_cell, times),
        str(mark.launches),
        *map(format_cell, sums),
        mark.precision,
        *map(format_cell, numbers),
        *levels,
        mark.limit,
        escape_formula(mark.reason),
    ]


def format_cell(value: float) -> str:
    """A number that reads back as the same float; empty where absent."""
    return repr(float(value)) if math.isfinite(value) else ""


def check_suffix(path: str) -> str:
    """Suffix of an output, refused before any work is done where no renderer has it."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise RoofcastError(f"-o {one_line(path, 200)}: a roofline is one of {', '.join(SUFFIXES)}")
    return suffix


def write_roofline(view: RooflineView, path: str, top: int | None = None, command: str = "") -> None:
    """Write a roofline in one step; the suffix chooses the form.

    top : kernels with most time that a figure names, or that a text table lists.
    command : what makes the page again, shown at its end.

    Raises
    ------
    RoofcastError : another suffix, or a file that cannot be written.
    """
    suffix = check_suffix(path)
    if suffix == ".html":
        from roofcast.analyses.rooflines.interactive import write_html

        write_html(view, path, command)
    elif suffix == ".csv":
        write_text(path, render_roofline_csv(view))
    elif suffix == ".txt":
        write_text(path, render_roofline_text(view, 160, top) + "\n")
    else:
        from roofcast.analyses.rooflines.figure import TOP_LABELLED, write_figure

        write_figure(view, path, top=TOP_LABELLED if top is None else top)
