"""Boat hull forecasts as aligned text, JSON and CSV; the graph is in :mod:`roofcast.hulls.graph`."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from roofcast.core.errors import one_line
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.hulls.classes import CLASSES
from roofcast.hulls.hull import HullForecast, StageTime
from roofcast.kit.names import clipped
from roofcast.kit.table import aligned, folded, render_csv

if TYPE_CHECKING:
    from roofcast.hulls.application import Reported
    from roofcast.hulls.profiles import Comparison
    from roofcast.hulls.public_data import Row
    from roofcast.hulls.selection import Candidate
    from roofcast.hulls.source.classify import Found
    from roofcast.hulls.this_machine import Checked

ALIKE = 0.10
"""A range further than this from a reported figure does not reproduce it."""
EXACT = 0.02
"""The same for a time that is one division, bytes over a bandwidth."""


def render_json(records: Sequence[Mapping[str, Any]], *, ascii_only: bool = False) -> str:
    """A list of objects."""
    return json.dumps(records, indent=2, ensure_ascii=ascii_only)


def render_records_csv(records: Sequence[Mapping[str, Any]]) -> str:
    """Records of the same keys as a table for machines."""
    return render_csv(records[0], (record.values() for record in records))


def render_span(low: float, high: float) -> str:
    """A range of seconds; one value where both ends look the same.

    >>> render_span(1.5e-3, 1.5e-3), render_span(1.5e-3, 2e-3)
    ('1.50 ms', '1.50 ms to 2.00 ms')
    """
    first, second = format_quantity(low, "s"), format_quantity(high, "s")
    return first if first == second else f"{first} to {second}"


def render_complexity(stage: StageTime) -> str:
    """Complexity of a stage, or its range."""
    low, high = stage.complexity
    return f"{low:.4g}" if low == high else f"{low:.4g}:{high:.4g}"


# Forecasts of classes and applications


def render_classes_table(forecasts: Sequence[HullForecast], width: int) -> str:
    """One class on processors, one row each."""
    stage = forecasts[0].stages[0]
    rows = [
        [
            f.processor,
            render_span(f.stages[0].low_s, f.stages[0].high_s),
            f.stages[0].limit,
            f.stages[0].limit_high,
            format_quantity(f.transfers_s, "s") if f.transfers_s else "–",
            render_span(f.total_low_s, f.total_high_s),
            f.form,
        ]
        for f in forecasts
    ]
    header = ["processor", "kernel", "limit of the hull", "limit of the floors", "transfers", "total", "form"]
    right = [False, True, False, False, True, True, False]
    lines = [one_line(stage.text), f"complexity {render_complexity(stage)} operations per application", ""]
    return folded("\n".join([*lines, *aligned(header, rows, right, width), *render_notes(forecasts)]), width)


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
        header = [f"{f.processor} ({f.form})", "complexity", "time", "limit of the hull", "limit of the floors"]
        table = aligned(header, rows, [False, True, True, False, False], width)
        source = reported.get(f.processor)
        blocks.append("\n".join([*table, *(render_reported(f, source) if source else [])]))
    return folded("\n\n".join(blocks) + "\n".join(["", *render_notes(forecasts)]), width)


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
        lines.append(f"{source}: kernels {render_span(low, high)}, here {ends[0]:+.1%} and {ends[1]:+.1%}{verdict}")
    if reported.transfers is not None:
        printed = float(reported.transfers)
        off = forecast.transfers_s / printed - 1
        verdict = render_verdict(off, within=EXACT)
        lines.append(f"{source}: transfers {format_quantity(printed, 's')}, here {off:+.1%}{verdict}")
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
    return {
        "processor": forecast.processor,
        "form": forecast.form,
        "stages": [
            {
                "name": s.name,
                "class": s.text,
                "complexity": list(s.complexity),
                "low_s": s.low_s,
                "high_s": s.high_s,
                "limit": s.limit,
            }
            for s in forecast.stages
        ],
        "kernels_low_s": forecast.kernels_low_s,
        "kernels_high_s": forecast.kernels_high_s,
        "transfers_s": forecast.transfers_s,
        "total_low_s": forecast.total_low_s,
        "total_high_s": forecast.total_high_s,
        "notes": list(forecast.notes),
    }


def render_hull_json(forecasts: Sequence[HullForecast], extra: Mapping[str, Mapping[str, Any]] | None = None) -> str:
    """A list, one object per processor.

    extra : processor name -> further keys of its object.
    """
    return render_json([record_forecast(f) | dict((extra or {}).get(f.processor, {})) for f in forecasts])


def render_hull_csv(forecasts: Sequence[HullForecast]) -> str:
    """One row per processor and stage, then the totals of each processor."""
    rows: list[list[Any]] = []
    for f in forecasts:
        rows += [[f.processor, f.form, s.name, *s.complexity, s.low_s, s.high_s, s.limit] for s in f.stages]
        rows.append([f.processor, f.form, "transfers", "", "", f.transfers_s, f.transfers_s, ""])
        rows.append([f.processor, f.form, "total", "", "", f.total_low_s, f.total_high_s, ""])
    header = ["processor", "form", "stage", "complexity_low", "complexity_high", "low_s", "high_s", "limit"]
    return render_csv(header, rows)


def render_registry(width: int) -> str:
    """The families of classes."""
    rows = [[f.title, f.primitive, str(f.row) if f.row else "–", f'"{f.example}"'] for f in CLASSES.values()]
    table = aligned(["class", "example primitive", "row", "write"], rows, [False, False, True, False], width, 3)
    return folded("\n".join([*table, "", *(f"· {f.title}: {f.note}" for f in CLASSES.values() if f.note)]), width)


# Processors against a latency budget


def render_candidates(candidates: Sequence[Candidate], budget_s: float, width: int, top: int = 20) -> str:
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
    shown = (met + maybe)[:top] if met or maybe else sorted(candidates, key=lambda c: c.high_s)[:top]
    rows = [
        [
            c.processor.name,
            c.processor.launch_date or "–",
            render_span(c.low_s, c.high_s),
            c.meets,
            format_quantity(c.processor.tdp_w, "W") if c.processor.tdp_w else "–",
            f"{c.processor.launch_price_usd:.0f} USD" if c.processor.launch_price_usd else "–",
        ]
        for c in shown
    ]
    header = ["processor", "launch", "time", "meets it", "power", "launch price"]
    rest = len(met) + len(maybe) - len(shown)
    more = [f"{rest} more meet it"] if rest > 0 else []
    table = aligned(header, rows, [False, False, True, False, True, True], width)
    return folded("\n".join([headline, "", *table, *more]), width)


def record_candidates(candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    """Processors against a budget, in the order in which they were tried."""
    return [
        {
            "processor": c.processor.name,
            "launch_date": c.processor.launch_date or None,
            "low_s": c.low_s,
            "high_s": c.high_s,
            "meets": c.meets,
            "tdp_w": c.processor.tdp_w,
            "launch_price_usd": c.processor.launch_price_usd,
        }
        for c in candidates
    ]


# Classes of a source


def render_source(found: Sequence[Found], width: int) -> str:
    """Classes of a source, in the order of its code."""
    rows = [
        [
            f"{f.line}", one_line(f"{f.function}: {f.name}" if f.function else f.name, 40), str(f.found),
            f"{f.complexity:.3g}", f"{f.operations:.4g}", f"{f.repetitions}",
        ]
        for f in found
    ]  # fmt: skip
    header = ["line", "computes", "class", "complexity", "operations", "times"]
    notes = dict.fromkeys(note for f in found for note in f.notes)
    table = aligned(header, rows, [True, False, False, True, True, True], width, 2)
    return folded("\n".join([*table, *([""] if notes else []), *(f"· {one_line(n)}" for n in notes)]), width)


def record_source(found: Sequence[Found]) -> list[dict[str, Any]]:
    """Classes of a source for machines."""
    return [
        {
            "function": f.function or None,
            "name": f.name,
            "line": f.line,
            "class": str(f.found),
            "complexity": f.complexity,
            "operations": f.operations,
            "repetitions": f.repetitions,
            "element": f.element,
            "notes": list(f.notes),
        }
        for f in found
    ]


def render_source_csv(found: Sequence[Found]) -> str:
    """Classes of a source as a table for machines."""
    return render_records_csv([row | {"notes": "; ".join(row["notes"])} for row in record_source(found)])


# A class beside measurements


def render_comparison(text: str, rows: Sequence[Comparison], width: int) -> str:
    """Kernels of a profile beside their class, then both on other processors."""
    lines = [
        [
            one_line(clipped(r.kernel, 60)),
            r.gpu,
            format_quantity(r.measured_s, "s"),
            render_span(r.hull_low_s, r.hull_high_s),
            f"{r.times_hull:.2f}" if r.times_hull else "–",
            format_quantity(r.bytes_dram, "B"),
            format_quantity(r.bytes_class, "B"),
        ]
        for r in rows
    ]
    header = ["kernel", "GPU", "measured", "class", "times the hull", "DRAM bytes", "of the class"]
    blocks = [text, "", *aligned(header, lines, [False, False, *[True] * 5], width)]
    targets = [
        [
            one_line(clipped(r.kernel, 60)),
            t.processor,
            format_quantity(t.from_profile_s, "s"),
            render_span(t.hull_low_s, t.hull_high_s),
            format_quantity(t.from_class_s, "s"),
        ]
        for r in rows
        for t in r.on
    ]
    if targets:
        head = ["kernel", "on", "from the profile", "class", "class's amounts, profile's model"]
        blocks += ["", *aligned(head, targets, [False, False, True, True, True], width)]
    return "\n".join(blocks)


def render_comparison_json(rows: Sequence[Comparison]) -> str:
    """The same for machines."""
    return render_json([asdict(r) for r in rows])


def render_comparison_csv(rows: Sequence[Comparison]) -> str:
    """One row per kernel, without the other processors."""
    return render_records_csv([{k: v for k, v in asdict(r).items() if k != "on"} for r in rows])


def render_checked(processor: Processor, checked: Sequence[Checked], width: int) -> str:
    """The CPU of the machine at hand, and model beside measurement, per kind of code and complexity."""
    rows = [
        [
            f"{c.code}: {c.meaning}", str(c.complexity), format_quantity(c.model_s, "s"),
            format_quantity(c.measured_s, "s"), f"{c.measured_s / c.model_s:.2f}",
        ]
        for c in checked
    ]  # fmt: skip
    head = [
        processor.name,
        f"P_memory {format_quantity(processor.rate(Resource.BYTES_DRAM), 'B/s')}, "
        f"P_compute {format_quantity(processor.rate(Resource.FLOPS_FP32), 'FLOP/s')}, "
        f"{processor.sm_count} threads, {processor.warp_size} lanes of 32 bits",
        "",
    ]
    header = ["code", "complexity", "model", "measured", "measured / model"]
    return "\n".join([*head, *aligned(header, rows, [False, True, True, True, True], width)])


def render_checked_json(processor: str, checked: Sequence[Checked]) -> str:
    """The same for machines."""
    return render_json(
        [
            {
                "processor": processor,
                "code": c.meaning,
                "complexity": c.complexity,
                "model_s": c.model_s,
                "measured_s": c.measured_s,
            }
            for c in checked
        ],
        ascii_only=True,
    )


def render_checked_csv(processor: str, checked: Sequence[Checked]) -> str:
    """Measured points as a CSV that ``--measured`` reads."""
    header = ["complexity", "time_s", "label", "processor"]
    return render_csv(header, ([c.complexity, c.measured_s, c.meaning, processor] for c in checked))


def render_public(rows: Sequence[Row], width: int) -> str:
    """Public measurements beside the model, then all primitives together."""
    header = [
        "primitive", "GPU", "largest class", "hull to floors", "measured", "times the hull", "outside by", "sizes",
    ]  # fmt: skip
    lines = [
        [
            r.kernel.partition(" (")[0], r.gpu, r.text, render_span(r.low_s, r.high_s),
            format_quantity(r.measured_s, "s"), f"{r.times_hull:.2f}", f"{r.error:.0%}", str(r.sizes),
        ]
        for r in rows
    ]  # fmt: skip
    table = aligned(header, lines, [False, False, False, True, True, True, True, True], width, 2)
    return "\n".join([*table, "", render_public_summary(rows)])


def render_public_summary(rows: Sequence[Row]) -> str:
    """All rows in one line."""
    inside = sum(r.inside * r.sizes for r in rows) / sum(r.sizes for r in rows)
    ratio = statistics.median(r.times_hull for r in rows)
    error = statistics.median(r.error for r in rows)
    return (
        f"{len(rows)} primitives on GPUs, {sum(r.sizes for r in rows)} measurements: {inside:.0%} within 10 % of the "
        f"range; median {ratio:.2f} times the hull, {error:.0%} outside the range"
    )
