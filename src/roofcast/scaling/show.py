"""A run on other counts of GPUs, as text, JSON, table, page and picture."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

from roofcast.core.results import or_none
from roofcast.core.units import format_quantity
from roofcast.core.version import VERSION
from roofcast.kit.names import clipped
from roofcast.kit.output import Picture, draw_svg, empty_figure
from roofcast.kit.page import Lead, Page, Section, notes_section
from roofcast.kit.palette import BLUE, GREEN, INK, ORANGE, SERIES
from roofcast.kit.quantities import ABSENT, format_interval, format_number, format_percent, format_seconds
from roofcast.kit.table import Column, Table, folded
from roofcast.scaling.measured_run import PLAN, Scaled, Scaling

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = (BLUE, ORANGE, GREEN, INK)


def record_scaling(found: Scaling) -> dict[str, Any]:
    """What JSON holds."""
    run = found.run
    conditions = {
        "gpu": run.gpu.name, "gpus": run.gpus, "step_s": run.step_s,
        "samples": or_none(run.batch), "batch": "kept" if found.keep_batch else "per GPU",
        "notes": list(found.notes),
    }  # fmt: skip
    return {
        "roofcast": VERSION,
        "verdict": write_verdict(found),
        "conditions": conditions,
        "scales": [s.record() for s in found.scales],
    }


def write_verdict(found: Scaling) -> str:
    """The first line: of each GPU the largest count asked for, and what that many are worth beside the measured run."""
    run, parts = found.run, []
    for name in dict.fromkeys(s.gpu.name for s in found.scales):
        last = max((s for s in found.scales if s.gpu.name == name), key=lambda s: s.gpus)
        took = f"{format_seconds(last.step_s)} ({format_interval(last.step_low_s, last.step_high_s)})"
        fits = ", which does not fit," if last.fits is False else ""
        plan = f" with {last.plan}{fits}" if found.planned else ""
        parts.append(f"{took} on {last.gpus:,} x {name}{plan} at {format_percent(last.efficiency, 0)} efficiency")
    work = "the same work" if math.isnan(run.batch) and not found.planned else "as many samples"
    batch = "the same batch" if found.keep_batch else f"{work} on each {'replica' if found.planned else 'GPU'}"
    measured = f"{format_seconds(run.step_s)} on {run.gpus:,} x {run.gpu.name}"
    if not math.isnan(run.step_low_s):
        ends = format_interval(run.step_low_s, run.step_high_s)
        measured = f"by forecast {format_seconds(run.step_s)} ({ends}) on {run.gpus:,} x {run.gpu.name}"
    return f"A step that takes {measured} takes, with {batch}, {', '.join(parts)}."


def show_fit(fits: bool | None) -> str:
    """Whether it fits, as people see it."""
    return ABSENT if fits is None else "yes" if fits else "no"


def show_bytes(value: float | None) -> str:
    """Bytes as people see them."""
    return ABSENT if value is None else format_quantity(value, "B")


def trained_columns(found: Scaling) -> list[Column]:
    """What failures leave, hours and dollars, where they were asked for."""
    columns = []
    if any(s.useful != 1 for s in found.scales):
        columns.append(Column("useful", lambda s: s.useful, lambda v: format_percent(v, 0), key="useful_fraction"))
    if any(not math.isnan(s.hours) for s in found.scales):
        columns += [
            Column("hours", lambda s: s.record()["hours"], format_number, key="hours", optional=True),
            Column("USD", lambda s: s.record()["cost_usd"], format_number, key="cost_usd", optional=True),
        ]
    return columns


def tabulate_scaling(found: Scaling) -> Table:
    """A row per GPU and count."""
    columns = [
        Column("GPU", lambda s: s.gpu.name, key="gpu", flexible=True),
        Column("GPUs", lambda s: s.gpus, "{:,}".format, key="gpus"),
        Column("nodes", lambda s: s.record()["nodes"], "{:,}".format, key="nodes"),
        *([Column("plan", lambda s: s.plan, key="plan", right=False)] if found.planned else []),
        Column("step", lambda s: s.step_s, format_seconds, key="step_s"),
        Column("interval", lambda s: (s.step_low_s, s.step_high_s), lambda v: format_interval(*v)),
        Column("", lambda s: s.step_low_s, key="step_low_s"),
        Column("", lambda s: s.step_high_s, key="step_high_s"),
        Column("samples/s", lambda s: s.record()["samples_per_s"], format_number, key="samples_per_s", optional=True),
        Column("efficiency", lambda s: s.efficiency, lambda v: format_percent(v, 0), key="efficiency"),
        Column(
            "exchange", lambda s: s.record()["communication_s"], format_seconds, key="communication_s", optional=True
        ),
        Column("exposed", lambda s: s.record()["exposed_s"], format_seconds, key="exposed_s", optional=True),
        Column("memory", lambda s: s.record()["memory_bytes"], show_bytes, key="memory_bytes", optional=True),
        Column("fits", lambda s: s.fits, show_fit, key="fits", optional=True),
        *trained_columns(found),
        Column("limit", lambda s: s.limit, key="limit"),
        Column("notes", lambda s: "; ".join(s.notes), key="notes", optional=True, fold=True),
    ]
    return Table(columns, list(found.scales))


def render_scaling(found: Scaling, width: int) -> str:
    """The answer as text."""
    notes = "\n".join(folded(f"note: {note}", width) for note in found.notes)
    return "\n".join(
        [*textwrap.wrap(write_verdict(found), width), "", *tabulate_scaling(found).lines(width), "", notes]
    )


def scaling_page(found: Scaling) -> Page:
    """The answer as a page."""
    table = Section("", table=tabulate_scaling(found))
    last = max(found.scales, key=lambda s: s.gpus)
    why = f"{last.gpus:,} x {last.gpu.name}: limited by {last.limit}"
    lead = Lead(write_verdict(found), why, "; ".join(found.notes[:2]))
    curve = Section("", picture=draw_svg("curve", lambda: curve_figure(found)))
    known = [s for s in found.scales if s.timeline]
    steps = [Section("One step", picture=draw_svg("step", lambda: steps_figure(known)))] if known else []
    sections = (table, curve, *steps, *notes_section(found.notes))
    return Page("A step on other counts of GPUs", intro=(lead.verdict,), sections=sections, lead=lead)


def draw_scaling(found: Scaling) -> Picture:
    """Step seconds against the count of GPUs, with intervals; a line per GPU."""
    return Picture(lambda: curve_figure(found))


def curve_figure(found: Scaling) -> Figure:
    """The figure of :func:`draw_scaling`, both axes logarithmic."""
    figure = empty_figure(7.2, 3.6)
    axes = figure.add_subplot()
    for name, colour in zip(dict.fromkeys(s.gpu.name for s in found.scales), cycle(COLOURS)):
        mine = [s for s in found.scales if s.gpu.name == name]
        ends = [[s.step_s - s.step_low_s for s in mine], [s.step_high_s - s.step_s for s in mine]]
        axes.errorbar([s.gpus for s in mine], [s.step_s for s in mine], ends, color=colour, marker="o", markersize=4,
                      linewidth=1.2, capsize=3, label=clipped(name, 60))  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    counts = sorted({s.gpus for s in found.scales})
    axes.set_xticks(counts, [f"{c:,}" for c in counts])
    axes.yaxis.set_major_formatter(lambda v, _: format_seconds(v))
    axes.set_xlabel("GPUs")
    axes.set_title("Step by count of GPUs", loc="left")
    axes.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    return figure


def steps_figure(scales: Sequence[Scaled]) -> Figure:
    """One step of each row: what a GPU computes and waits for, and below it what is exchanged meanwhile."""
    rows = list(scales)[-MOST_STEPS:]
    figure = empty_figure(7.2, 1.0 + 0.42 * len(rows))
    axes = figure.add_subplot()
    whats = list(dict.fromkeys(piece.what for s in rows for piece in s.timeline))
    colours = dict(zip(whats, cycle(SERIES)))
    for row, s in enumerate(rows):
        for piece in s.timeline:
            low = row + 0.2 if piece.lane == "exchange" else row - 0.2
            axes.barh(low, piece.time_s, 0.34, left=piece.start_s, color=colours[piece.what], edgecolor="white",
                      linewidth=0.4)  # fmt: skip
    names = [f"{s.gpus:,} x {clipped(s.gpu.name, 24)}" + (f", {s.plan}" if s.plan != PLAN else "") for s in rows]
    axes.set_yticks(range(len(rows)), names)
    axes.invert_yaxis()
    axes.xaxis.set_major_formatter(lambda v, _: format_seconds(v))
    for what in whats:
        axes.barh(0, 0, color=colours[what], label=what)
    axes.legend(frameon=False, fontsize=7, ncols=min(len(whats), 4), loc="upper center", bbox_to_anchor=(0.4, -0.12))
    axes.set_title("One step on one GPU, and below it what is exchanged beside it", loc="left")
    figure.tight_layout()
    return figure


MOST_STEPS = 12
"""Rows of that picture: those of the most GPUs."""
PICTURES = ("svg", "png", "pdf")
