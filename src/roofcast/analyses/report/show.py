"""A forecast in text: every kernel, the total, what a reader must know; and why, cause by cause."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.analyses.report.next_measurement import list_narrowings
from roofcast.analyses.report.totals import group_by_gpu
from roofcast.analyses.report.verdict import list_notes, list_texts, write_verdict
from roofcast.core.errors import one_line
from roofcast.core.resource import Resource
from roofcast.core.results import Forecast
from roofcast.core.units import format_quantity
from roofcast.core.waterfall import CAUSES, Waterfall
from roofcast.forecasting.notes import NOTES_SHOWN
from roofcast.kit.names import full_name, table_names
from roofcast.kit.quantities import (
    format_change,
    format_factor,
    format_interval,
    format_percent,
    format_speedup,
    label_limit,
)
from roofcast.kit.table import GAP, cells, fitted_apart, folded, padded, rank_longest

TIME, EACH, MEASURED, INTERVAL, SPEEDUP, LIMIT_MIN, LIMIT_MAX, NOTES_MAX = 7, 10, 8, 12, 8, 11, 19, 7
NAME_MIN, NAME_ENOUGH = 14, 28
ROWS_SHOWN = 20
"""Kernels that are listed where nobody asked for another number; all of them are in files."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Grid:
    """Widths of one block of the table."""

    name: int
    source: int
    """Columns of the source GPU's name, 0 where all kernels ran on one GPU."""
    limit: int
    notes: int
    targets: tuple[int, ...]
    launches: int = 0
    """Columns of the number of launches, 0 where every row is one launch."""
    measured: int = 0
    """Columns of the measured time, 0 where it was taken under the conditions of the forecast."""

    @property
    def width(self) -> int:
        """Columns of a whole row."""
        notes = len(GAP) + self.notes if self.notes else 0
        return self.lead + len(self.targets) * (len(GAP) + self.target) + notes

    @property
    def lead(self) -> int:
        """Columns before the first target."""
        counted = 2 * len(GAP) + self.launches + EACH if self.launches else 0
        counted += len(GAP) + self.measured if self.measured else 0
        return self.name + len(GAP) + TIME + (len(GAP) + self.source if self.source else 0) + counted

    @property
    def target(self) -> int:
        """Columns of one target."""
        return TIME + INTERVAL + SPEEDUP + self.limit + 3 * len(GAP)


def render_forecast_table(
    forecast: Forecast,
    width: int = 120,
    top: int | None = None,
    full_names: bool = False,
    notes: bool = False,
) -> str:
    """The answer in one sentence; kernel, source time, and per target time, interval, speed-up and limit; notes.

    Rows are in the order of their source time. Where rows stand for several launches, all times but that of one launch
    on the source are sums over them, as the total is.

    width : columns to fill, at least 60.
    top : only the kernels with most source time (None: at most :data:`ROWS_SHOWN`); the rest is one row. The total is
        over all.
    notes : all that is to be said, not only what changes the answer most.
    """
    width = max(width, 60)
    rows = rank_longest(forecast.source_total_s, ROWS_SHOWN if top is None else top)
    names = name_rows(forecast, rows, full_names)
    every = list_notes(forecast, rows)
    shown, references = number_notes(forecast, rows, every if notes else every[:NOTES_SHOWN])
    lines = [*textwrap.wrap(write_verdict(forecast), width), ""]
    for grid in lay_out(forecast, rows, names, references, width):
        lines += [*render_block(forecast, grid, rows, names, references), ""]
    for mark, text in shown:
        lines += textwrap.wrap(text, width, initial_indent=f"{mark} ", subsequent_indent=" " * (len(mark) + 1))
    if not notes and len(every) > NOTES_SHOWN:
        lines.append(f"{len(every) - NOTES_SHOWN} more: --notes")
    return "\n".join(line.rstrip() for line in lines).rstrip()


def number_notes(
    forecast: Forecast, rows: Sequence[int], notes: Sequence[tuple[str, bool]]
) -> tuple[list[tuple[str, str]], dict[int, str]]:
    """(mark, text) of notes, those of some kernels with a letter, and the letters that each row refers to."""
    own = [text for text, of_some in notes if of_some]
    letters = dict(zip(own, LETTERS, strict=False))
    references = {}
    for i in rows:
        wanted = [t for t in list_texts(forecast, i) if t in own]
        known = "".join(sorted(letters[t] for t in wanted if t in letters))
        full = len(known) == len(wanted) and len(known) <= NOTES_MAX
        references[i] = known if full else f"{known[: NOTES_MAX - 1]}+"
    told = [(f"[{letters[text]}]" if text in letters else "-", text) for text, of_some in notes
            if not of_some or text in letters]  # fmt: skip
    left = len(own) - len(letters)
    return ([*told, ("+", f"{left} more notes: --format json holds all of them")] if left else told), references


def name_rows(forecast: Forecast, rows: Sequence[int], full_names: bool) -> dict[int, str]:
    """Name of each listed kernel."""
    kernels = forecast.kernels
    if not full_names:
        short = table_names(kernels)
        return {i: short[i] for i in rows}
    mangled = kernels.strings("kernel_mangled")
    return {i: full_name(str(kernels.strings("kernel")[i]), str(mangled[i])) for i in rows}


def lay_out(
    forecast: Forecast, rows: Sequence[int], names: dict[int, str], references: dict[int, str], width: int
) -> Iterator[Grid]:
    """As many targets side by side as fit; further ones follow in blocks of their own."""
    most = "… 100 more (99.9 %)" if len(rows) < len(forecast.kernels) else ""
    wanted = max([cells(n) for n in names.values()] + [cells(label_total(forecast)), cells(most), 6])
    distinct = {s.name for s in (forecast.sources[i] for i in rows) if s}
    source = min(20, max(cells(n) for n in distinct)) if len(distinct) > 1 else 0
    references_width = max((cells(r) for r in references.values()), default=0)
    note = max(references_width, 5) if references_width else 0
    every = tuple(range(len(forecast.targets)))
    counts = forecast.kernels.launches
    launches = max(len("launches"), len(f"{counts.sum():.0f}")) if (counts > 1).any() else 0
    measured = 0 if forecast.on_source is None else MEASURED
    bare = Grid(0, source, measure_limits(forecast, rows, every), note, (), launches, measured)
    fitting = max(1, (width - bare.width - min(wanted, NAME_ENOUGH)) // (bare.target + len(GAP)))
    for start in range(0, max(len(every), 1), fitting):
        targets = every[start : start + fitting]
        limit = measure_limits(forecast, rows, targets)
        room = width - Grid(0, source, limit, note, targets, launches, measured).width
        if targets and room < min(wanted, NAME_ENOUGH):  # names tell more than where the limit was
            spare = -(-(min(wanted, NAME_ENOUGH) - room) // len(targets))
            limit = max(min(limit, LIMIT_MIN), limit - spare)
            room = width - Grid(0, source, limit, note, targets, launches, measured).width
        yield Grid(min(wanted, max(room, NAME_MIN)), source, limit, note, targets, launches, measured)


def measure_limits(forecast: Forecast, rows: Sequence[int], targets: Sequence[int]) -> int:
    """Columns that the limits of some targets want; where there is no forecast, its reason stands there."""
    if (forecast.estimate.reasons[np.ix_(rows, targets)] != "").any():
        return LIMIT_MAX
    there, here = forecast.limits_source(), forecast.limits_target()
    texts = {format_limits(there[i], here[i, j]) for i in rows for j in targets}
    return min(LIMIT_MAX, max([7, *map(cells, texts)]))


def format_limits(source: str | None, target: str | None, width: int = LIMIT_MAX) -> str:
    """Limit on the source and on the target, once where it is the same; only the target's where both do not fit.

    >>> format_limits("bytes_l1", "bytes_dram"), format_limits("bytes_l1", "bytes_dram", 6)
    ('L1 → DRAM', '→ DRAM')
    """
    there, here = label_limit(source), label_limit(target)
    if there == here:
        return here
    return next((t for t in (f"{there} → {here}", f"{there}→{here}") if cells(t) <= width), f"→ {here}")


def render_block(
    forecast: Forecast, grid: Grid, rows: Sequence[int], names: dict[int, str], references: dict[int, str]
) -> Iterator[str]:
    """Header, rows, what was left out, and the total of one block."""
    over = "".join(GAP + padded(forecast.targets[j].name, grid.target) for j in grid.targets)
    yield " " * grid.lead + over
    columns = padded("total" if grid.launches else "time", TIME, True) + GAP + padded("interval", INTERVAL) + GAP
    columns += padded("speed-up", SPEEDUP, True) + GAP + padded("limit", grid.limit)
    head = padded("kernel", grid.name) + (GAP + padded("source", grid.source) if grid.source else "")
    if grid.launches:
        head += GAP + padded("launches", grid.launches, True) + GAP + padded("one launch", EACH, True)
    head += GAP + padded("measured", grid.measured, True) if grid.measured else ""
    own = "source" if grid.measured else "total" if grid.launches else "time"
    head += GAP + padded(own, TIME, True) + (GAP + columns) * len(grid.targets)
    yield head + (GAP + "notes" if grid.notes else "")
    yield "─" * grid.width
    limits = forecast.limits_source(), forecast.limits_target()
    shown = dict(zip(rows, fitted_apart([names[i] for i in rows], grid.name), strict=True))
    for i in rows:
        yield render_row(forecast, grid, i, shown[i], references.get(i, ""), limits)
    if len(rows) < len(forecast.kernels):
        rest = sorted(set(range(len(forecast.kernels))).difference(rows))
        yield render_total(forecast.select(rest), grid, label=label_rest(forecast, rest))
    if len(forecast.kernels) > 1:
        yield "─" * grid.width
        for name, of in group_by_gpu(forecast):
            yield render_total(forecast if len(of) == len(forecast.kernels) else forecast.select(of), grid, name)


def render_row(
    forecast: Forecast,
    grid: Grid,
    i: int,
    name: str,
    reference: str,
    limits: tuple[list[str | None], NDArray[np.object_]],
) -> str:
    """One kernel."""
    source = forecast.sources[i]
    line = padded(name, grid.name) + (GAP + padded(source.name if source else "–", grid.source) if grid.source else "")
    each, count = float(forecast.source_time_s[i]), float(forecast.kernels.launches[i])
    if grid.launches:
        line += GAP + padded(f"{count:.0f}", grid.launches, True) + GAP + padded(format_quantity(each, "s"), EACH, True)
    if grid.measured:
        taken = float(forecast.measured_time_s[i]) * count
        line += GAP + padded(format_quantity(taken, "s"), grid.measured, True)
    line += GAP + padded(format_quantity(each * count, "s"), TIME, True)
    estimate = forecast.estimate
    for j in grid.targets:
        time = float(estimate.time_s[i, j]) * count
        if not time > 0:
            reason = one_line(str(estimate.reasons[i, j]) or "no forecast")
            room = grid.target - TIME - len(GAP)
            # What is said below the table in full is not cut here, but said in short.
            line += GAP + padded("–", TIME, True) + GAP
            line += padded(reason if cells(reason) <= room else reason.partition(":")[0], room)
            continue
        interval = format_interval(*(count * float(v[i, j]) for v in (estimate.time_low_s, estimate.time_high_s)))
        limit = format_limits(limits[0][i], limits[1][i, j], grid.limit)
        line += render_target(
            grid,
            format_quantity(time, "s"),
            interval,
            format_speedup(each * count if estimate.pages is None else math.nan, time),
            limit,
        )
    return line + (GAP + padded(reference, grid.notes) if grid.notes else "")


def render_target(grid: Grid, time: str, interval: str, speedup: str, limit: str) -> str:
    """The four cells of one target."""
    texts = (
        padded(time, TIME, True),
        padded(interval, INTERVAL),
        padded(speedup, SPEEDUP, True),
        padded(limit, grid.limit),
    )
    return "".join(GAP + text for text in texts)


def label_total(forecast: Forecast) -> str:
    """Name of the total's row."""
    return f"total ({len(forecast.kernels)})"


def label_rest(forecast: Forecast, rest: Sequence[int]) -> str:
    """How many kernels are not listed, and how much of the time they are."""
    total = float(np.nansum(forecast.source_total_s))
    share = float(np.nansum(forecast.source_total_s[list(rest)])) / total if total > 0 else math.nan
    return f"… {len(rest)} more" + (f" ({format_percent(share)})" if total > 0 else "")


def render_total(forecast: Forecast, grid: Grid, name: str = "", label: str = "") -> str:
    """Sums over the kernels that have a time and a forecast on each target. name : GPU that all of them ran on."""
    source = forecast.source_total_s
    line = padded(label or label_total(forecast), grid.name) + (GAP + padded(name, grid.source) if grid.source else "")
    if grid.launches:
        line += GAP + padded(f"{forecast.kernels.launches.sum():.0f}", grid.launches, True) + GAP + padded("", EACH)
    if grid.measured:
        taken = forecast.measured_time_s * forecast.kernels.launches
        line += GAP + padded(format_quantity(float(np.nansum(taken)), "s"), grid.measured, True)
    whole = float(np.nansum(source)) if np.isfinite(source).any() else math.nan
    line += GAP + padded(format_quantity(whole, "s"), TIME, True)
    totals = forecast.totals
    for j in grid.targets:
        total = totals[j]
        if not total.kernels:
            line += render_target(grid, "–", "–", "–", "")
            continue
        missing = f"{total.kernels} of {total.kernels + total.kernels_left_out}" if total.kernels_left_out else ""
        interval = format_interval(total.time_low_s, total.time_high_s)
        speedup = format_factor(total.speedup) if math.isfinite(total.speedup) else "–"
        line += render_target(grid, format_quantity(total.time_s, "s"), interval, speedup, missing)
    return line


def render_explanation(forecast: Forecast, width: int = 120) -> str:
    """One block per kernel and target: seconds that each resource alone would need, and what follows from them.

    width : columns to fill.
    """
    chains = forecast.explain()
    cells = ((i, j) for i in range(len(forecast.kernels)) for j in range(len(forecast.targets)))
    text = "\n\n".join("\n".join(explain_one(forecast, i, j, chains, width)) for i, j in cells)
    return folded(text, width)


def explain_one(forecast: Forecast, i: int, j: int, chains: Waterfall, width: int) -> Iterator[str]:
    """Lines of one kernel on one target. chains : waterfalls of all kernels."""
    estimate, target = forecast.estimate, forecast.targets[j]
    source = forecast.sources[i]
    name = one_line(str(forecast.kernels.strings("kernel")[i]), 100)
    yield f"{name}: {source.name if source else 'unknown GPU'} -> {target.name} ({forecast.model})"
    reason = estimate.reasons[i, j]
    if reason:
        yield f"  no forecast: {reason}"
        return
    yield f"  {'resource':18} {'amount':>12} {'source':>10} {'share':>7} {'target':>10} {'source/target':>14}"
    measured, source_s = forecast.measured_time_s[i], forecast.source_time_s[i]
    for resource, there, here in list_resources(forecast, i, j):
        amount = format_quantity(float(forecast.kernels.column(resource.value)[i]), resource.unit)
        ratio = f"{there / here:.2f}x" if here > 0 else "–"
        share = format_percent(there / source_s, 0)
        yield (
            f"  {resource.label:18} {amount:>12} {format_quantity(there, 's'):>10} {share:>7} "
            f"{format_quantity(here, 's'):>10} {ratio:>14}"
        )
    time, low, high = (float(a[i, j]) for a in (estimate.time_s, estimate.time_low_s, estimate.time_high_s))
    moved = forecast.on_source is not None
    told = f", {format_quantity(source_s, 's')} under the conditions of the forecast" if moved else ""
    yield (
        f"  measured {format_quantity(measured, 's')}{told} -> forecast {format_quantity(time, 's')} "
        f"[{format_quantity(low, 's')} .. {format_quantity(high, 's')}]"
        + (f", speed-up {source_s / time:.2f}x" if estimate.pages is None else "")
    )
    joules = [float(a[i, j]) for a in (forecast.energy.energy_j, forecast.energy.low_j, forecast.energy.high_j)]
    if joules[0] > 0:
        energy, least, most = (format_quantity(v, "J") for v in joules)
        yield f"  energy {energy} [{least} .. {most}] a launch, {format_quantity(joules[0] / time, 'W')} on average"
    yield from render_waterfall(chains, i, j, width)
    for text in (*(estimate.assumed[i] if estimate.assumed else ()), *forecast.notes(i, j)):
        yield f"  - {text}"
    for text in list_narrowings(forecast, i, j):
        yield f"  {text}"


def list_resources(forecast: Forecast, i: int, j: int) -> Iterator[tuple[Resource, float, float]]:
    """Resources that take any time, the slowest on the source first, with seconds on source and target."""
    estimate = forecast.estimate
    rows = []
    for resource, seconds in estimate.time_s_by_resource_source.items():
        target = estimate.time_s_by_resource_target.get(resource)
        there = float(seconds[i])
        here = float(np.broadcast_to(target, estimate.time_s.shape)[i, j]) if target is not None else float("nan")
        if there > 0:
            rows.append((resource, there, here))
    yield from sorted(rows, key=lambda row: -row[1])


BAR = 36
BEFORE_BAR = 56
STEP_LEAST = 5e-4
"""Steps below this share of the longer end are not listed; their sum is."""
CAUSES_NAMED = 4
"""Causes of the model that are named below a step, those first that change the forecast most."""


def render_waterfall(chains: Waterfall, i: int, j: int, width: int) -> Iterator[str]:
    """From the source's seconds to the target's, one line per group of properties that moves them; the steps add up.

    Below each, the causes of the model behind it: forecast over the one without that cause.
    """
    levels, steps = chains.levels_s[i, j], chains.steps_s[i, j]
    if not np.isfinite(levels).all() or not (levels[-1] > 0):
        return
    ends = max(levels[0], levels[-1])
    shown = np.abs(steps) >= STEP_LEAST * ends
    longest, room = float(levels.max()), max(8, min(BAR, width - BEFORE_BAR))
    yield "  from source to target, cause by cause:"
    first, last = (format_quantity(float(levels[k]), "s") for k in (0, -1))
    yield f"    {'measured':26}{'':>12} {first:>10}  {draw_bar(0.0, levels[0], longest, room)}"
    named = False
    for k in np.flatnonzero(shown):
        change = format_change(float(steps[k]))
        after = format_quantity(float(levels[k + 1]), "s")
        drawn = draw_bar(float(levels[k]), float(levels[k + 1]), longest, room)
        yield f"    {CAUSES[k].label:26}{change:>12} {after:>10}  {drawn}".rstrip()
        behind = list(chains.causes_behind(CAUSES[k], i, j).items())[:CAUSES_NAMED]
        if behind:
            yield f"      by {', '.join(f'{name} (x {factor:.2f})' for name, factor in behind)}"
        named = named or bool(behind)
    rest = float(steps[~shown].sum())
    if rest:
        yield f"    {'all others together':26}{format_change(rest):>12}"
    yield f"    {'forecast':26}{'':>12} {last:>10}  {draw_bar(0.0, levels[-1], longest, room)}"
    if named:
        yield "    by ...: causes behind a step (roofcast explain CAUSE), with the forecast over the forecast without"


def draw_bar(start: float, end: float, longest: float, room: int = BAR) -> str:
    """A bar from one level to another; a saving is drawn lighter."""
    low, high = (round(room * v / longest) for v in sorted((start, end)))
    return " " * low + ("░" if end < start else "█") * max(high - low, 1)
