"""Boat hull forecasts as aligned text, JSON and CSV; the graph is in :mod:`roofcast_hull.graph`."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from roofcast.core.errors import one_line
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.kit.names import clipped
from roofcast.kit.quantities import ABSENT, format_percent, format_seconds, in_percent, in_unit
from roofcast.kit.table import Column, Table, folded, list_fields, render_csv
from roofcast_hull.classes import CLASSES
from roofcast_hull.hull import HullForecast, StageTime

if TYPE_CHECKING:
    from roofcast_hull.application import Reported
    from roofcast_hull.profiles import Comparison
    from roofcast_hull.public_data import Row
    from roofcast_hull.selection import Candidate
    from roofcast_hull.source.classify import Classified
    from roofcast_hull.source.found_class import Found
    from roofcast_hull.this_machine import Checked

ALIKE = 0.10
"""A range further than this from a reported figure does not reproduce it."""
MOST_CANDIDATES = 20
"""Processors that the table lists."""
EXACT = 0.02
"""The same for a time that is one division, bytes over a bandwidth."""


def render_span(low: float, high: float) -> str:
    """A range of seconds; one value where both ends look the same.

    >>> render_span(1.5e-3, 1.5e-3), render_span(1.5e-3, 2e-3)
    ('1.50 ms', '1.50 ms to 2.00 ms')
    """
    first, second = format_quantity(low, "s"), format_quantity(high, "s")
    return first if first == second else f"{first} to {second}"


def render_ends(ends: tuple[float, float] | None) -> str:
    """The same of a pair, where there is one."""
    return ABSENT if ends is None else render_span(*ends)


def render_complexity(stage: StageTime) -> str:
    """Complexity of a stage, or its range."""
    low, high = stage.complexity
    return f"{low:.4g}" if low == high else f"{low:.4g}:{high:.4g}"


# Forecasts of classes and applications


def render_classes_table(forecasts: Sequence[HullForecast], width: int) -> str:
    """One class on processors, one row each."""
    stage = forecasts[0].stages[0]
    columns = (
        Column("processor", lambda f: f.processor),
        Column("kernel", lambda f: (f.stages[0].low_s, f.stages[0].high_s), render_ends),
        Column("measured code", lambda f: find_measured(f.stages[0]), render_ends),
        Column("limit of the hull", lambda f: f.stages[0].limit),
        Column("limit of the floors", lambda f: f.stages[0].limit_high),
        Column("transfers", lambda f: f.transfers_s or None, format_seconds),
        Column("total", lambda f: (f.total_low_s, f.total_high_s), render_ends), Column("form", lambda f: f.form),
    )  # fmt: skip
    lines = [one_line(stage.text), f"complexity {render_complexity(stage)} operations per application", ""]
    return folded("\n".join([*lines, *Table(columns, forecasts).lines(width), *render_notes(forecasts)]), width)


def find_measured(stage: StageTime) -> tuple[float, float] | None:
    """The interval that measured code keeps; None where no code of the kind was measured."""
    return (stage.measured_low_s, stage.measured_high_s) if stage.coverage else None


def render_application_table(
    title: str, forecasts: Sequence[HullForecast], reported: Mapping[str, Reported], width: int
) -> str:
    """Stages in rows, then totals, per processor; what a source reports beside it."""
    blocks = [one_line(title)] if title else []
    for f in forecasts:
        rows = [
            [one_line(s.name), render_complexity(s), render_span(s.low_s, s.high_s), s.limit, s.limit_high]
            for s in f.stages
        ]
        rows += [
            ["kernels", "", render_span(f.kernels_low_s, f.kernels_high_s), "", ""],
            ["transfers", "", format_quantity(f.transfers_s, "s"), "", ""],
            ["total", "", render_span(f.total_low_s, f.total_high_s), "", render_overlap(f)],
        ]
        heads = [f"{f.processor} ({f.form})", "complexity", "time", "limit of the hull", "limit of the floors"]
        table = Table.of_cells(heads, rows, right=(1, 2)).lines(width)
        source = reported.get(f.processor)
        blocks.append("\n".join([*table, *(render_reported(f, source) if source else [])]))
    return folded("\n\n".join(blocks) + "\n".join(["", *render_notes(forecasts)]), width)


show_off = in_percent(1, signed=True)
"""How far from a reported figure."""


def render_overlap(forecast: HullForecast) -> str:
    """What streams save."""
    saved = forecast.kernels_high_s + forecast.transfers_s - forecast.total_high_s
    return f"streams overlap {format_quantity(saved, 's')}" if saved > 1e-3 * forecast.total_high_s else ""


def render_reported(forecast: HullForecast, reported: Reported) -> list[str]:
    """Reported figures beside ours; what does not reproduce says so."""
    source = one_line(reported.source, 60) or "reported"
    lines = []
    if reported.kernels is not None:
        low, high = (float(v) for v in reported.kernels)
        ends = (forecast.kernels_low_s / low - 1, forecast.kernels_high_s / high - 1)
        verdict = render_verdict(*ends)
        lines.append(
            f"{source}: kernels {render_span(low, high)}, here {show_off(ends[0])} and {show_off(ends[1])}{verdict}"
        )
    if reported.transfers is not None:
        printed = float(reported.transfers)
        off = forecast.transfers_s / printed - 1
        verdict = render_verdict(off, within=EXACT)
        lines.append(f"{source}: transfers {format_quantity(printed, 's')}, here {show_off(off)}{verdict}")
    if reported.measured is not None:
        taken = float(reported.measured)
        inside = forecast.total_low_s <= taken <= forecast.total_high_s
        lines.append(f"measured total {format_quantity(taken, 's')}: {'inside' if inside else 'outside'} the range")
    return lines


def render_verdict(*off: float, within: float = ALIKE) -> str:
    """Whether figures reproduce."""
    return "" if all(abs(o) <= within for o in off) else ": does not reproduce from these bandwidths"


def render_notes(forecasts: Sequence[HullForecast]) -> list[str]:
    """Notes of all processors, each once with those that it is about."""
    about: dict[str, list[str]] = {}
    for f in forecasts:
        for note in f.notes:
            about.setdefault(note, []).append(f.processor)
    if not about:
        return []
    everywhere = len({f.processor for f in forecasts})
    lines = [
        f"· {one_line(note)}"
        if len(set(names)) == everywhere
        else f"· {', '.join(dict.fromkeys(names))}: {one_line(note)}"
        for note, names in about.items()
    ]
    return ["", *lines]


def record_forecast(forecast: HullForecast) -> dict[str, Any]:
    """One forecast with the keys of the JSON output."""
    stages = [
        {
            "name": s.name, "class": s.text, "complexity": list(s.complexity), "low_s": s.low_s, "high_s": s.high_s,
            "limit": s.limit, "measured_low_s": s.measured_low_s or None, "measured_high_s": s.measured_high_s or None,
            "coverage": s.coverage or None,
        }
        for s in forecast.stages
    ]  # fmt: skip
    return {
        "processor": forecast.processor, "form": forecast.form, "stages": stages,
        "kernels_low_s": forecast.kernels_low_s, "kernels_high_s": forecast.kernels_high_s,
        "transfers_s": forecast.transfers_s, "total_low_s": forecast.total_low_s,
        "total_high_s": forecast.total_high_s, "notes": list(forecast.notes),
    }  # fmt: skip


def record_source(
    classified: Classified, found: Sequence[Found], forecasts: Sequence[HullForecast]
) -> list[dict[str, Any]]:
    """Forecasts of the classes of a source: each stage with what its code says, and functions that are no stages.

    found : what the stages are of.
    """
    records = record_forecasts(forecasts)
    for record in records:
        for stage, f in zip(record["stages"], found, strict=True):
            stage.update(record_found(f))
            if f.no_class:
                # The stand-in is no class, and no measured code is of it.
                stage["class"] = None
                stage.update(dict.fromkeys(("measured_low_s", "measured_high_s", "coverage")))
        record["no_class"] = [{"function": r.function, "why_no_class": r.why} for r in classified.refused]
        record["part_of"] = list_parts(classified)
    return records


def record_found(f: Found) -> dict[str, Any]:
    """What code says of a class, beside the class."""
    return {
        "function": f.function or None, "computes": f.name, "line": f.line, "why_no_class": f.no_class or None,
        "operations": f.operations, "repetitions": f.repetitions, "element": f.element,
        "element_bytes": f.element_bytes, "notes": list(f.notes), **{key: find_check(key, f) for key in CHECKS},
    }  # fmt: skip


def list_parts(classified: Classified) -> dict[str, str]:
    """Functions that others hold, which stand for their times."""
    return {f.function: f.part_of for f in classified.classes if f.part_of}


def tabulate_source_stages(classified: Classified, found: Sequence[Found], forecasts: Sequence[HullForecast]) -> Table:
    """For machines: the stages of a source, totals, then functions that are no stages, with their reasons."""
    plain = tabulate_stages(forecasts)
    keys = ("class", *record_found(found[0])) if found else ()
    by_stage = {
        (t.processor, s.name): {"class": None if f.no_class else str(f.found)} | record_found(f)
        for t in forecasts for s, f in zip(t.stages, found, strict=True)
    }  # fmt: skip
    rows = [(row, by_stage.get((row[0], row[2]), {})) for row in plain.rows]
    others = {r.function: r.why for r in classified.refused}
    others |= {name: f"part of {caller}, which has its time" for name, caller in list_parts(classified).items()}
    blank = tuple(None for _ in plain.columns[3:])
    for t in forecasts:
        rows += [
            ((t.processor, t.form, name, *blank), {"function": name, "why_no_class": why})
            for name, why in others.items()
        ]

    def find_plain(column: Column, pair: tuple[Any, Mapping[str, Any]]) -> Any:
        return column.value(pair[0])

    def find_said(key: str, pair: tuple[Any, Mapping[str, Any]]) -> Any:
        return pair[1].get(key)

    columns = [Column("", partial(find_plain, c), key=c.key) for c in plain.columns]
    columns += [Column("", partial(find_said, key), key=key) for key in keys]
    return Table(columns, rows)


def record_forecasts(
    forecasts: Sequence[HullForecast], extra: Mapping[str, Mapping[str, Any]] | None = None
) -> list[dict[str, Any]]:
    """A list, one object per processor.

    extra : processor name -> further keys of its object.
    """
    return [record_forecast(f) | dict((extra or {}).get(f.processor, {})) for f in forecasts]


def tabulate_stages(forecasts: Sequence[HullForecast]) -> Table:
    """For machines: one row per processor and stage, then the totals of each processor."""
    rows: list[tuple[Any, ...]] = []
    for f in forecasts:
        for s in f.stages:
            measured = find_measured(s) or (None, None)
            rows.append((f.processor, f.form, s.name, *s.complexity, s.low_s, s.high_s, s.limit, *measured))
        rows.append((f.processor, f.form, "transfers", None, None, f.transfers_s, f.transfers_s, "", None, None))
        rows.append((f.processor, f.form, "total", None, None, f.total_low_s, f.total_high_s, "", None, None))
    keys = (
        "processor", "form", "stage", "complexity_low", "complexity_high", "low_s", "high_s", "limit", "measured_low_s",
        "measured_high_s",
    )  # fmt: skip
    return Table([Column("", itemgetter(k), key=key) for k, key in enumerate(keys)], rows)


def render_registry(width: int) -> str:
    """The families of classes."""
    columns = (
        Column("class", lambda f: f.title), Column("example primitive", lambda f: f.primitive),
        Column("row", lambda f: f.row or None, right=True),
        Column("write", lambda f: f'"{f.example}"', flexible=True),
    )  # fmt: skip
    notes = [f"· {f.title}: {f.note}" for f in CLASSES.values() if f.note]
    return folded("\n".join([*Table(columns, list(CLASSES.values())).lines(width), "", *notes]), width)


# Processors against a latency budget


def render_candidates(candidates: Sequence[Candidate], budget_s: float, width: int) -> str:
    """The first processor that meets a budget, then all."""
    met = [c for c in candidates if c.meets == "yes"]
    maybe = [c for c in candidates if c.meets == "maybe"]
    budget = format_quantity(budget_s, "s")
    if met:
        date = f" ({met[0].processor.launch_date})" if met[0].processor.launch_date else ""
        headline = f"first to meet {budget}: {met[0].processor.name}{date}"
    elif maybe:
        headline = f"none meets {budget} whatever the code; with the best code first: {maybe[0].processor.name}"
    else:
        headline = f"none meets {budget}"
    listed = (
        (met + maybe)[:MOST_CANDIDATES]
        if met or maybe
        else sorted(candidates, key=lambda c: c.high_s)[:MOST_CANDIDATES]
    )
    rest = len(met) + len(maybe) - len(listed)
    more = [f"{rest} more meet it"] if rest > 0 else []
    return folded("\n".join([headline, "", *tabulate_candidates(listed).lines(width), *more]), width)


def tabulate_candidates(candidates: Sequence[Candidate]) -> Table:
    """Processors against a budget, in the order in which they were tried."""
    columns = (
        Column("processor", lambda c: c.processor.name, key="processor"),
        Column("launch", lambda c: c.processor.launch_date or None, key="launch_date"),
        Column("time", lambda c: (c.low_s, c.high_s), render_ends),
        Column("", lambda c: c.low_s, key="low_s"), Column("", lambda c: c.high_s, key="high_s"),
        Column("meets it", lambda c: c.meets, key="meets"),
        Column("power", lambda c: c.processor.tdp_w, in_unit("W"), "tdp_w"),
        Column("launch price", lambda c: c.processor.launch_price_usd, lambda v: f"{v:.0f} USD" if v else ABSENT,
               "launch_price_usd"),
    )  # fmt: skip
    return Table(columns, candidates)


# Classes of a source


def render_source(classified: Classified, width: int) -> str:
    """Classes of a source, in the order of its code, then functions without one."""
    classes = classified.classes
    notes = dict.fromkeys(note for f in classes for note in f.notes)
    for f in classes:
        alike = {g.checked for g in classes if g.function == f.function}
        of = f.function if len(alike) == 1 else f"{f.function}: {f.name}" if f.function else f.name
        if f.checked:
            notes[f"by execution: {of}: {f.checked}" if of else f"by execution: {f.checked}"] = None
    notes |= dict.fromkeys(f"no class for {one_line(r.function, 40)}: {r.why}" for r in classified.refused)
    parts = list_parts(classified).items()
    notes |= dict.fromkeys(f"{name} is part of {caller}: no time beside it" for name, caller in parts)
    below = [*([""] if notes else []), *(f"· {one_line(n)}" for n in notes)]
    return folded("\n".join([*tabulate_classes(classes).lines(width), *below]), width)


def tabulate_source(classified: Classified) -> Table:
    """For machines: classes of a source, in the order of its code, then functions without one."""
    plain = tabulate_classes(classified.classes)
    others = [{"function": r.function, "why_no_class": r.why} for r in classified.refused]

    def find(column: Column, row: Any) -> Any:
        return row.get(column.key) if isinstance(row, dict) else column.value(row)

    columns = [Column("", partial(find, c), key=c.key) for c in plain.columns if c.key]
    return Table(columns, [*classified.classes, *others])


def tabulate_classes(found: Sequence[Found]) -> Table:
    """Classes of a source, in the order of its code."""
    columns = (
        Column("line", lambda f: f.line, str),
        Column("computes", lambda f: one_line(f"{f.function}: {f.name}" if f.function else f.name, 40)),
        Column("", lambda f: f.function or None, key="function"), Column("", lambda f: f.name, key="name"),
        Column("", lambda f: f.line, key="line"),
        Column("class", lambda f: f"none: {f.no_class}" if f.no_class else str(f.found), flexible=True),
        Column("", lambda f: None if f.no_class else str(f.found), key="class"),
        Column("", lambda f: f.no_class or None, key="why_no_class"),
        Column("complexity", lambda f: f.complexity, lambda v: f"{v:.3g}", "complexity"),
        Column("operations", lambda f: f.operations, lambda v: f"{v:.4g}", "operations"),
        Column("times", lambda f: f.repetitions, str, "repetitions"),
        Column("", lambda f: f.element, key="element"), Column("", lambda f: f.element_bytes, key="element_bytes"),
        Column("", lambda f: list(f.notes), key="notes"),
        *(Column("", partial(find_check, key), key=key) for key in CHECKS),
    )  # fmt: skip
    return Table(columns, found)


CHECKS = ("checked", "why_not_checked")


def find_check(key: str, found: Found) -> Any:
    """One of the two keys that say whether a class was checked by execution, for machines."""
    checked = bool(found.checked) and not found.checked.startswith("not checked")
    if key == "checked":
        return {"sizes": list(map(dict, found.checked_at)), "agrees": True, "how": found.checked} if checked else None
    return None if checked else found.checked.removeprefix("not checked: ")


# A class beside measurements


def render_comparison(text: str, rows: Sequence[Comparison], width: int) -> str:
    """Kernels of a profile beside their class, then both on other processors."""
    blocks = [text, "", *tabulate_comparison(rows).lines(width)]
    columns = (
        Column("kernel", lambda at: one_line(clipped(at[0].kernel, 60))), Column("on", lambda at: at[1].processor),
        Column("from the profile", lambda at: at[1].from_profile_s, format_seconds),
        Column("class", lambda at: (at[1].hull_low_s, at[1].hull_high_s), render_ends),
        Column("class's amounts, profile's model", lambda at: at[1].from_class_s, format_seconds),
    )  # fmt: skip
    elsewhere = [(r, t) for r in rows for t in r.on]
    return "\n".join([*blocks, *(["", *Table(columns, elsewhere).lines(width)] if elsewhere else [])])


def tabulate_comparison(rows: Sequence[Comparison]) -> Table:
    """One row per kernel, without the other processors."""
    from roofcast_hull.profiles import Comparison as Compared

    columns = (
        Column("kernel", lambda r: one_line(clipped(r.kernel, 60))), Column("GPU", lambda r: r.gpu),
        Column("measured", lambda r: r.measured_s, format_seconds),
        Column("class", lambda r: (r.hull_low_s, r.hull_high_s), render_ends),
        Column("times the hull", lambda r: r.times_hull, lambda v: f"{v:.2f}" if v else ABSENT),
        Column("DRAM bytes", lambda r: r.bytes_dram, in_unit("B")),
        Column("of the class", lambda r: r.bytes_class, in_unit("B")), *list_fields(Compared, "on"),
    )  # fmt: skip
    return Table(columns, rows)


def record_comparisons(rows: Sequence[Comparison]) -> list[dict[str, Any]]:
    """The same for machines."""
    return [asdict(r) for r in rows]


def render_checked(processor: Processor, checked: Sequence[Checked], width: int) -> str:
    """The CPU of the machine at hand, and model beside measurement, per kind of code and complexity."""
    head = [
        processor.name,
        f"P_memory {format_quantity(processor.rate(Resource.BYTES_DRAM), 'B/s')}, "
        f"P_compute {format_quantity(processor.rate(Resource.FLOPS_FP32), 'FLOP/s')}, "
        f"{processor.sm_count} threads, {processor.warp_size} lanes of 32 bits",
        "",
    ]
    return "\n".join([*head, *tabulate_checked(processor.name, checked).lines(width)])


def tabulate_checked(processor: str, checked: Sequence[Checked]) -> Table:
    """Model beside measurement."""
    columns = (
        Column("", lambda _: processor, key="processor"), Column("code", lambda c: f"{c.code}: {c.meaning}"),
        Column("", lambda c: c.meaning, key="code"),
        Column("complexity", lambda c: c.complexity, str, "complexity"),
        Column("model", lambda c: c.model_s, format_seconds, "model_s"),
        Column("measured", lambda c: c.measured_s, format_seconds, "measured_s"),
        Column("measured / model", lambda c: c.measured_s / c.model_s, lambda v: f"{v:.2f}"),
    )  # fmt: skip
    return Table(columns, checked)


def render_checked_csv(processor: str, checked: Sequence[Checked]) -> str:
    """Measured points as a CSV that ``--measured`` reads."""
    header = ["complexity", "time_s", "label", "processor"]
    return render_csv(header, ([c.complexity, c.measured_s, c.meaning, processor] for c in checked))


def render_public(rows: Sequence[Row], width: int) -> str:
    """Public measurements beside the model, then all primitives together."""
    return "\n".join([*tabulate_public(rows).lines(width), "", render_public_summary(rows)])


def tabulate_public(rows: Sequence[Row]) -> Table:
    """Public measurements beside the model."""
    from roofcast_hull.public_data import Row as Public

    columns = (
        Column("primitive", lambda r: r.kernel.partition(" (")[0]), Column("GPU", lambda r: r.gpu),
        Column("largest class", lambda r: r.text, flexible=True),
        Column("hull to floors", lambda r: (r.low_s, r.high_s), render_ends),
        Column("measured", lambda r: r.measured_s, format_seconds),
        Column("times the hull", lambda r: r.times_hull, lambda v: f"{v:.2f}"),
        Column("outside by", lambda r: r.error, in_percent(0)), Column("sizes", lambda r: r.sizes, str),
        *list_fields(Public),
    )  # fmt: skip
    return Table(columns, rows)


def render_public_summary(rows: Sequence[Row]) -> str:
    """All rows in one line."""
    inside = sum(r.inside * r.sizes for r in rows) / sum(r.sizes for r in rows)
    ratio = statistics.median(r.times_hull for r in rows)
    error = statistics.median(r.error for r in rows)
    measured = sum(r.sizes for r in rows)
    below = sum(r.below * r.sizes for r in rows) / measured
    return (
        f"{len(rows)} primitives on GPUs, {measured} measurements: {format_percent(inside, 0)} within 10 % of the "
        f"range; median {ratio:.2f} times the hull, {format_percent(error, 0)} outside the range, "
        f"{format_percent(below)} of the measurements below the hull"
    )
