"""A choice as text, JSON, CSV and a page."""

from __future__ import annotations

import json
import math
from typing import Any

from roofcast.analyses.sweeps.choosing import SHARED_ANYWHERE, SHARED_VARIANCE, SURE, Choice, Option
from roofcast.core.errors import one_line
from roofcast.core.results import number
from roofcast.core.units import format_quantity
from roofcast.kit.page import Card, Page, PageRow, Section, notes_section
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import aligned, folded, render_csv

SHOWN = 25
HEADER = (
    "rank",
    "GPU",
    "time",
    "interval",
    "faster than next",
    "per USD",
    "per W",
    "per U",
    "needed",
    "fits",
    "price",
    "buy from",
)


def rank_text(choice: Choice, i: int) -> str:
    """Rank of an option: that of its group, with a mark where it shares it.

    Ranks are those of the best option of a group, as in sports.
    """
    group = choice.options[i].group
    members = [j for j, o in enumerate(choice.options) if o.group == group]
    return f"{members[0] + 1}{'=' if len(members) > 1 else ''}"


def amount(value: float | None) -> str:
    """A rate or count; an en dash where absent."""
    return "–" if value is None or math.isnan(value) else f"{value:.3g}"


def dollars(value: float | None) -> str:
    """A price."""
    return "–" if value is None else f"${value:,.0f}"


def hours(value: float | None) -> str:
    """Hours until buying pays."""
    return "–" if value is None else "never" if math.isinf(value) else f"{value:,.0f} h"


def cells(choice: Choice, i: int) -> tuple[str, ...]:
    """One row of the table."""
    o = choice.options[i]
    price = o.price
    sure = "–" if math.isnan(o.beats_next) else format_percent(o.beats_next, 0)
    return (
        rank_text(choice, i), one_line(o.processor.name, 60), format_quantity(o.time_s, "s"),
        f"{format_quantity(o.low_s, 's')} – {format_quantity(o.high_s, 's')}", sure, amount(o.per(price.price_usd)),
        amount(o.per(price.power_w)), amount(o.per(price.rack_units)),
        *("–" if count is None else str(count) for count in (o.needed, o.fits)), dollars(price.price_usd),
        hours(o.break_even_hours),
    )  # fmt: skip


def shown_columns(choice: Choice, rows: list[tuple[str, ...]]) -> list[int]:
    """Columns that hold anything."""
    always = 5
    return [k for k in range(len(HEADER)) if k < always or any(r[k] != "–" for r in rows)]


def verdict(choice: Choice) -> str:
    """One sentence: which GPU, and whether that is certain."""
    first = choice.options[0]
    tied = [o for o in choice.options if o.group == 0]
    name = one_line(first.processor.name, 60)
    if len(choice.options) == 1:
        return f"{name} is the only GPU left."
    if len(tied) == 1:
        return f"{name} is the fastest (at least {format_percent(SURE, 0)} sure)."
    names = ", ".join(one_line(o.processor.name, 40) for o in tied[1:4])
    more = f" and {len(tied) - 4} more" if len(tied) > 4 else ""
    return f"{name} is fastest by the forecast, but not significantly: {names}{more} cannot be told apart from it."


def fleet_lines(choice: Choice) -> list[str]:
    """The best mix under the limits."""
    fleet = choice.fleet
    if fleet is None:
        return []
    kinds = [(c, choice.options[k]) for c, k in zip(fleet.counts, choice.fleet_kinds, strict=True) if c]
    mix = " + ".join(f"{c} x {one_line(o.processor.name, 60)}" for c, o in kinds)
    lines = [f"best fleet: {mix}: {3600 * fleet.per_s:.4g} workloads per hour"]
    used = []
    for label, limit, name, unit in (
        ("budget", choice.limits.budget_usd, "price_usd", "USD"),
        ("power", choice.limits.power_w, "power_w", "W"),
        ("rack", choice.limits.rack_units, "rack_units", "U"),
    ):
        if limit is not None:
            total = sum(c * getattr(o.price, name) for c, o in kinds)
            used.append(f"{label} {total:,.6g} of {limit:,.6g} {unit}")
    lines.append("            " + ", ".join(used))
    if choice.limits.deadline_s is not None and choice.fleet_high_s is not None:
        met = "met" if choice.fleet_high_s <= choice.limits.deadline_s else "NOT met"
        lines.append(
            f"            deadline {format_quantity(choice.limits.deadline_s, 's')} {met}: this fleet takes "
            f"{format_quantity(choice.fleet_high_s, 's')} at the interval's upper end, if the workload divides evenly"
        )
    if not fleet.is_optimal:
        lines.append(f"            no mix is better by more than {100 * (fleet.bound_per_s / fleet.per_s - 1):.2g} %")
    return lines


def notes_of(choice: Choice) -> list[str]:
    """What a reader must know."""
    notes = [*choice.notes]
    notes.append(
        f"Ranks with = are not significant: intervals of {format_percent(choice.coverage, 0)}; errors are taken to "
        f"share {format_percent(SHARED_VARIANCE, 0)} of their variance within an architecture and "
        f"{format_percent(SHARED_ANYWHERE, 0)} across (an assumption)."
    )
    if any(o.price.source == "launch price of the catalog" for o in choice.options):
        notes.append("Prices without a source of yours are launch prices of the catalog, not today's.")
    notes.append(
        "Throughput is workloads per hour, and per USD of price, W and rack unit; fleets run them side by side."
    )
    if choice.limits.deadline_s is not None:
        notes.append("GPUs needed: the interval's upper end over the deadline, if the workload divides evenly.")
    if choice.memory_bytes is not None:
        notes.append(f"GPUs with less than {format_quantity(choice.memory_bytes, 'B')} of memory are left out.")
    for reason in dict.fromkeys(r for _, r in choice.left_out):
        names = [one_line(n, 60) for n, r in choice.left_out if r == reason]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        notes.append(f"not ranked ({reason}): {', '.join(names[:3])}{more}")
    return notes


def render_choice(choice: Choice, width: int = 120, top: int | None = None) -> str:
    """The ranking as text."""
    count = min(len(choice.options), top or SHOWN)
    rows = [cells(choice, i) for i in range(count)]
    columns = shown_columns(choice, rows)
    lines = [verdict(choice), ""]
    lines += aligned(
        [HEADER[k] for k in columns], [[r[k] for k in columns] for r in rows], [k != 1 for k in columns], width,
        flexible=1,
    )  # fmt: skip
    if count < len(choice.options):
        lines.append(f"... {len(choice.options) - count} more (--top)")
    fleet = fleet_lines(choice)
    return folded("\n".join([*lines, *([""] if fleet else []), *fleet, "", *notes_of(choice)]), width)


def records(choice: Choice) -> list[dict[str, Any]]:
    """One dict per GPU."""
    return [record(choice, i, o) for i, o in enumerate(choice.options)]


def record(choice: Choice, i: int, o: Option) -> dict[str, Any]:
    """One GPU in base units."""
    return {
        "rank": rank_text(choice, i), "gpu": o.processor.name, "time_s": o.time_s, "time_low_s": number(o.low_s),
        "time_high_s": number(o.high_s), "coverage": number(choice.coverage),
        "probability_faster_than_next": number(o.beats_next), "price_usd": o.price.price_usd,
        "price_source": o.price.source, "price_date": o.price.date, "power_w": o.price.power_w,
        "rack_units": o.price.rack_units, "rent_usd_per_hour": o.price.rent_usd_per_hour,
        "workloads_per_hour": 3600 * o.per_s, "workloads_per_hour_per_usd": o.per(o.price.price_usd),
        "workloads_per_hour_per_w": o.per(o.price.power_w),
        "workloads_per_hour_per_rack_unit": o.per(o.price.rack_units),
        "fits": o.fits, "needed": o.needed,
        "break_even_hours": None if o.break_even_hours is None else number(o.break_even_hours),
    }  # fmt: skip


def choice_json(choice: Choice) -> str:
    """Everything as JSON."""
    fleet = None
    if choice.fleet is not None:
        counts = {
            choice.options[k].processor.name: c
            for c, k in zip(choice.fleet.counts, choice.fleet_kinds, strict=True)
            if c
        }
        fleet = {
            "counts": counts, "workloads_per_hour": 3600 * choice.fleet.per_s,
            "bound_workloads_per_hour": 3600 * choice.fleet.bound_per_s, "is_optimal": choice.fleet.is_optimal,
            "time_high_s": choice.fleet_high_s,
        }  # fmt: skip
    content = {
        "verdict": verdict(choice), "kernels": choice.kernels, "memory_bytes": choice.memory_bytes,
        "options": records(choice), "fleet": fleet,
        "left_out": [{"gpu": n, "reason": r} for n, r in choice.left_out], "notes": notes_of(choice),
    }  # fmt: skip
    return json.dumps(content, indent=1, ensure_ascii=False)


def choice_csv(choice: Choice) -> str:
    """One line per GPU."""
    rows = records(choice)
    return render_csv(rows[0], (row.values() for row in rows))


def choice_page(choice: Choice) -> Page:
    """Verdict, ranking, fleet and assumptions."""
    first = choice.options[0]
    rows = [cells(choice, i) for i in range(len(choice.options))]
    columns = shown_columns(choice, rows)
    table = Section(
        "Ranking",
        header=tuple(HEADER[k] for k in columns),
        right=tuple(k != 1 for k in columns),
        rows=tuple(
            PageRow(tuple(row[k] for k in columns), tuple(keys[k] for k in columns), o.price.source)
            for row, keys, o in zip(rows, (sort_keys(choice, i) for i in range(len(rows))), choice.options, strict=True)
        ),
    )
    fleet = fleet_lines(choice)
    sections = (table, *((Section("Fleet", paragraphs=tuple(fleet)),) if fleet else ()))
    interval = f"{format_quantity(first.low_s, 's')} – {format_quantity(first.high_s, 's')}"
    cards = (
        Card(one_line(first.processor.name, 60), format_quantity(first.time_s, "s"), interval),
        Card("GPUs ranked", str(len(choice.options)), f"{choice.kernels} kernels", plain=True),
    )
    return Page("Which GPU", cards, (verdict(choice),), (*sections, *notes_section(notes_of(choice))))


def sort_keys(choice: Choice, i: int) -> tuple[float | None, ...]:
    """What each cell sorts by."""
    o = choice.options[i]
    price = o.price
    return (
        float(i), None, o.time_s, o.low_s, None if o.beats_next != o.beats_next else o.beats_next,
        o.per(price.price_usd), o.per(price.power_w), o.per(price.rack_units),
        *(None if count is None else float(count) for count in (o.needed, o.fits)), price.price_usd,
        o.break_even_hours,
    )  # fmt: skip
