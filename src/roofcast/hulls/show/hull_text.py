"""Boat hull forecasts as aligned text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roofcast.core.errors import one_line
from roofcast.core.units import format_quantity
from roofcast.hulls.application import Reported
from roofcast.hulls.classes import CLASSES
from roofcast.hulls.hull import HullForecast, StageTime
from roofcast.hulls.selection import Candidate
from roofcast.hulls.source.classify import Found
from roofcast.kit.table import aligned, folded

ALIKE = 0.10
"""A range further than this from a reported figure does not reproduce it."""
EXACT = 0.02
"""The same for a time that is one division, bytes over a bandwidth."""


def span(low: float, high: float) -> str:
    """A range of seconds; one value where both ends look the same.

    >>> span(1.5e-3, 1.5e-3), span(1.5e-3, 2e-3)
    ('1.50 ms', '1.50 ms to 2.00 ms')
    """
    first, second = format_quantity(low, "s"), format_quantity(high, "s")
    return first if first == second else f"{first} to {second}"


def complexity_text(stage: StageTime) -> str:
    """Complexity of a stage, or its range."""
    low, high = stage.complexity
    return f"{low:.4g}" if low == high else f"{low:.4g}:{high:.4g}"


def render_classes_table(forecasts: Sequence[HullForecast], width: int) -> str:
    """One class on processors, one row each."""
    stage = forecasts[0].stages[0]
    rows = [
        [
            f.processor,
            span(f.stages[0].low_s, f.stages[0].high_s),
            f.stages[0].limit,
            f.stages[0].limit_high,
            format_quantity(f.transfers_s, "s") if f.transfers_s else "–",
            span(f.total_low_s, f.total_high_s),
            f.form,
        ]
        for f in forecasts
    ]
    header = ["processor", "kernel", "limit of the hull", "limit of the floors", "transfers", "total", "form"]
    right = [False, True, False, False, True, True, False]
    lines = [one_line(stage.text), f"complexity {complexity_text(stage)} operations per application", ""]
    return folded("\n".join([*lines, *aligned(header, rows, right, width), *note_lines(forecasts)]), width)


def render_application_table(
    title: str, forecasts: Sequence[HullForecast], reported: Mapping[str, Reported], width: int
) -> str:
    """Stages in rows, then totals, per processor; what a source reports beside it."""
    blocks = [one_line(title)] if title else []
    for f in forecasts:
        rows = [
            [one_line(s.name), complexity_text(s), span(s.low_s, s.high_s), s.limit, s.limit_high] for s in f.stages
        ]
        rows += [
            ["kernels", "", span(f.kernels_low_s, f.kernels_high_s), "", ""],
            ["transfers", "", format_quantity(f.transfers_s, "s"), "", ""],
            ["total", "", span(f.total_low_s, f.total_high_s), "", overlap_text(f)],
        ]
        header = [f"{f.processor} ({f.form})", "complexity", "time", "limit of the hull", "limit of the floors"]
        table = aligned(header, rows, [False, True, True, False, False], width)
        found = reported.get(f.processor)
        blocks.append("\n".join([*table, *(comparison(f, found) if found else [])]))
    return folded("\n\n".join(blocks) + "\n".join(["", *note_lines(forecasts)]), width)


def overlap_text(forecast: HullForecast) -> str:
    """What streams save."""
    saved = forecast.kernels_high_s + forecast.transfers_s - forecast.total_high_s
    return f"streams overlap {format_quantity(saved, 's')}" if saved > 1e-3 * forecast.total_high_s else ""


def comparison(forecast: HullForecast, reported: Reported) -> list[str]:
    """Reported figures beside ours; what does not reproduce says so."""
    source = one_line(reported.source, 60) or "reported"
    lines = []
    if reported.kernels is not None:
        low, high = (float(v) for v in reported.kernels)
        ends = (forecast.kernels_low_s / low - 1, forecast.kernels_high_s / high - 1)
        lines.append(f"{source}: kernels {span(low, high)}, here {ends[0]:+.1%} and {ends[1]:+.1%}{verdict(*ends)}")
    if reported.transfers is not None:
        printed = float(reported.transfers)
        off = forecast.transfers_s / printed - 1
        shown = format_quantity(printed, "s")
        lines.append(f"{source}: transfers {shown}, here {off:+.1%}{verdict(off, within=EXACT)}")
    if reported.measured is not None:
        taken = float(reported.measured)
        inside = forecast.total_low_s <= taken <= forecast.total_high_s
        lines.append(f"measured total {format_quantity(taken, 's')}: {'inside' if inside else 'outside'} the range")
    return lines


def verdict(*off: float, within: float = ALIKE) -> str:
    """Whether figures reproduce."""
    return "" if all(abs(o) <= within for o in off) else ": does not reproduce from these bandwidths"


def note_lines(forecasts: Sequence[HullForecast]) -> list[str]:
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


def render_candidates(candidates: Sequence[Candidate], budget_s: float, width: int, top: int = 20) -> str:
    """Processors against a latency budget: the first that meets it, then all."""
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
            span(c.low_s, c.high_s),
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


def render_found(found: Sequence[Found], width: int) -> str:
    """Classes of a source, in the order of its code."""
    rows = [
        [
            f"{f.line}",
            one_line(f.name, 30),
            str(f.found),
            f"{f.complexity:.3g}",
            f"{f.operations:.4g}",
            f"{f.repetitions}",
        ]
        for f in found
    ]
    header = ["line", "computes", "class", "complexity", "operations", "times"]
    notes = dict.fromkeys(note for f in found for note in f.notes)
    table = aligned(header, rows, [True, False, False, True, True, True], width, 2)
    return folded("\n".join([*table, *([""] if notes else []), *(f"· {one_line(n)}" for n in notes)]), width)


def render_registry(width: int) -> str:
    """The families of classes."""
    rows = [
        [f.title, f.primitive, str(f.row) if f.row else "–", f'"{f.example}"'] for f in CLASSES.values()
    ]  # fmt: skip
    table = aligned(["class", "example primitive", "row", "write"], rows, [False, False, True, False], width, 3)
    return folded("\n".join([*table, "", *(f"· {f.title}: {f.note}" for f in CLASSES.values() if f.note)]), width)
