"""The roofline as aligned text and as CSV, and written in the form that a file name asks for."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path

from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.kit.answer import ROWS_SHOWN, render_answer, summarise_rest
from roofcast.kit.output import dump_json, write_text, write_with
from roofcast.kit.quantities import format_number, format_percent, format_seconds, in_percent
from roofcast.kit.returned import Statement
from roofcast.kit.table import Column, Table
from roofcast.rooflines.captions import (
    LEVELS,
    PLACES_TITLE,
    describe_clock,
    format_share,
    label_roof,
    tabulate_places,
    tabulate_versions,
    title_panel,
    write_roofline_verdict,
)
from roofcast.rooflines.view import NOT_HERE, Mark, Panel, Point, RooflineView, Trajectory

SUFFIXES = (".svg", ".png", ".pdf", ".html", ".csv", ".json", ".parquet", ".txt")
TRAJECTORIES = 8
"""Kernels whose versions are listed unless more are asked for."""


def render_roofline_text(view: RooflineView, width: int = 120, top: int | None = None, notes: bool = False) -> str:
    """Intensity per level, rate, share of the kernel-specific ceiling and limit of every kernel, per GPU.

    width : columns to fill, at least 60.
    top : only the kernels with most time of each GPU; the rest is summed up in one line.
    notes : all of them, not the first few.
    """
    width = max(width, 60)
    blocks = [list(render_panel(panel, width, top or ROWS_SHOWN)) for panel in view.panels]
    if view.trajectories:
        count = TRAJECTORIES if top is None else top
        blocks.append(["versions, in order", "", *render_trajectories(view.trajectories, width, count)])
    # The roofs already say which of them are estimated.
    reasons = [n for p in view.panels for n in render_reasons(p.marks, p.notes) if " roof estimated " not in n]
    if view.conditions:
        blocks.insert(0, textwrap.wrap(view.conditions, width))
    return render_answer(
        write_roofline_verdict(view), blocks, list(dict.fromkeys([*reasons, *view.notes])), width, every=notes
    )


def state_roofline(view: RooflineView) -> Statement:
    """What a roofline says first."""
    subject = view.panels[0].processor if view.panels else ""
    return Statement(subject, write_roofline_verdict(view))


def render_panel(panel: Panel, width: int, top: int) -> Iterator[str]:
    """Title, roofs, kernels and notes of one GPU."""
    yield title_panel(panel)
    roofs = [label_roof(r) for r in (*panel.memory, *panel.compute)]
    text = f"roofs at {describe_clock(panel)}: {', '.join(roofs)}" if roofs else describe_clock(panel)
    if panel.clock_note != NOT_HERE:
        yield from textwrap.wrap(text, width)
    yield ""
    marks = panel.marks[:top]
    wide = width >= 100
    yield from tabulate_marks(panel, marks, wide).lines(width)
    if len(marks) < len(panel.marks):
        rest = panel.marks[len(marks) :]
        yield from summarise_rest(len(rest), "row", format_share(rest))
    if not wide:
        yield "L1, L2, DRAM in FLOP/B; ceiling: share that the kernel reaches of its own"


def tabulate_marks(panel: Panel, marks: Sequence[Mark], wide: bool) -> Table:
    """Kernels of one GPU; with fewer columns and shorter headings where the width is small."""
    several = any(m.launches > 1 for m in panel.marks)

    def level(r: Resource) -> Column:
        return Column(
            f"FLOP/B {r.label}" if wide else r.label, lambda m: next((p for p in m.points if p.level is r), None),
            format_level,
        )  # fmt: skip

    columns = [
        Column("kernel", lambda m: m.name),
        Column("launches" if several else "", lambda m: m.launches, str),
        Column("one launch" if several and wide else "", lambda m: m.time_s, format_seconds),
        Column("total" if several else "time", lambda m: m.time_total_s, format_seconds),
        Column("share" if wide else "", lambda m: m.time_fraction, in_percent()),
        Column("GFLOP/s", lambda m: m.flops_per_s / 1e9, format_number),
        *map(level, LEVELS),
        Column("of ceiling" if wide else "ceiling", lambda m: m.best_share, in_percent(0)),
        Column("limit", lambda m: m.limit or None),
    ]
    return Table(columns, marks)


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
    listed = trajectories if top is None else trajectories[:top]
    for n, trajectory in enumerate(listed):
        if n:
            yield ""
        yield from render_versions(trajectory, width)
        yield from render_places(trajectory, width - 2)
    if len(listed) < len(trajectories):
        rest = len(trajectories) - len(listed)
        yield f"… and {rest} more kernel{'s' * (rest != 1)} with several versions (--top {len(trajectories)})"


def render_versions(trajectory: Trajectory, width: int) -> Iterator[str]:
    """One kernel; columns that no version has are left out."""
    versions = trajectory.versions
    share = f", {format_percent(trajectory.time_fraction)} of the time at first" if trajectory.time_fraction > 0 else ""
    yield from textwrap.wrap(f"{trajectory.name} on {trajectory.gpu}{share}", width)
    lines = tabulate_versions(trajectory).lines(width, stacked=False)
    narrow = len(lines[1]) > width
    if narrow:
        lines = tabulate_versions(trajectory, narrow=True).lines(width)
    yield from lines
    if narrow and any(v.flops_per_byte for v in versions):
        yield "  L1, L2, DRAM in FLOP/B"
    for version in versions:
        if version.moved:
            text = f"{version.label}: {'; '.join(version.moved)}"
            yield from textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="    ")


def render_places(trajectory: Trajectory, width: int) -> Iterator[str]:
    """A table of samples and executed warp instructions per place and version."""
    if not trajectory.places:
        return
    lines = tabulate_places(trajectory).lines(width)
    yield f"  {PLACES_TITLE}"
    yield from (f"  {line}" for line in lines)


LEVEL_SUFFIXES = {Resource.BYTES_L1: "l1", Resource.BYTES_L2: "l2", Resource.BYTES_DRAM: "dram"}


@dataclass(frozen=True, slots=True)
class Drawn:
    """A kernel on one GPU."""

    panel: Panel
    mark: Mark


def tabulate_roofline(view: RooflineView) -> Table:
    """For machines: all kernels of all panels, in file order within each GPU."""

    def of_mark(*keys: str) -> list[Column]:
        return [Column("", attrgetter(f"mark.{key}"), key=key) for key in keys]

    def of_level(level: Resource) -> list[Column]:
        def at(get: Callable[[Point], float]) -> Callable[[Drawn], float]:
            return lambda row: next((get(p) for p in row.mark.points if p.level is level), math.nan)

        def roof(row: Drawn) -> float:
            return next((r.per_s for r in reversed(row.panel.memory) if r.resource is level), math.nan)

        values = {
            "flops_per_byte": at(lambda p: p.flops_per_byte), "bytes_per_s": at(lambda p: p.bytes_per_s),
            "bytes_per_s_ceiling": at(lambda p: p.bytes_per_s_ceiling), "bytes_per_s_roof": roof,
            "share_of_ceiling_fraction": at(lambda p: p.share_of_roof),
        }  # fmt: skip
        return [Column("", value, key=f"{key}_{LEVEL_SUFFIXES[level]}") for key, value in values.items()]

    columns = [
        Column("", lambda row: row.mark.full_name, key="kernel"), Column("", lambda row: row.mark.index, key="row"),
        *of_mark("name", "file", "version"),
        Column("", lambda row: row.panel.role, key="role"), Column("", lambda row: row.panel.processor, key="gpu"),
        Column("", lambda row: row.panel.clock_hz, key="clock_hz"),
        *of_mark("time_s", "time_low_s", "time_high_s", "launches", "time_total_s", "time_fraction"),
        *of_mark("precision", "flops_per_s", "flops_per_s_peak", "flops_per_s_mix", "flops_per_s_ceiling"),
        *(column for level in LEVEL_SUFFIXES for column in of_level(level)), *of_mark("limit", "reason"),
    ]  # fmt: skip
    return Table(columns, [Drawn(p, m) for p in view.panels for m in sorted(p.marks, key=lambda m: m.index)])


def render_roofline_json(view: RooflineView) -> str:
    """The rows of the CSV as a list."""
    return dump_json(list(tabulate_roofline(view).records()))


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
    """
    suffix = check_suffix(path)
    if suffix == ".html":
        from roofcast.rooflines.interactive import write_html

        write_html(view, path, command)
    elif suffix == ".csv":
        write_text(path, tabulate_roofline(view).csv())
    elif suffix == ".json":
        write_text(path, render_roofline_json(view) + "\n")
    elif suffix == ".parquet":
        write_with(path, tabulate_roofline(view).write_parquet)
    elif suffix == ".txt":
        write_text(path, render_roofline_text(view, 160, top) + "\n")
    else:
        from roofcast.rooflines.figure import TOP_LABELLED, write_figure

        write_figure(view, path, top=TOP_LABELLED if top is None else top)
