"""A choice as text, JSON, CSV and a page."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from roofcast.analyses.sweeps.choosing import SHARED_ANYWHERE, SHARED_VARIANCE, SURE, Choice, Option
from roofcast.catalog.prices import Price
from roofcast.core.errors import one_line
from roofcast.core.units import format_quantity
from roofcast.kit.page import Card, Page, Section, notes_section
from roofcast.kit.quantities import ABSENT, format_number, format_percent, format_seconds, in_percent
from roofcast.kit.table import Column, Table, folded, show_text

SHOWN = 25


def rank_text(choice: Choice, i: int) -> str:
    """Rank of an option: that of its group, with a mark where it shares it.

    Ranks are those of the best option of a group, as in sports.
    """
    group = choice.options[i].group
    members = [j for j, o in enumerate(choice.options) if o.group == group]
    return f"{members[0] + 1}{'=' if len(members) > 1 else ''}"


def show_dollars(value: float | None) -> str:
    """A price."""
    return ABSENT if value is None else f"${value:,.0f}"


def show_rent(value: float | None) -> str:
    """A price per hour."""
    return ABSENT if value is None else f"{value:.2f}"


def show_hours(value: float | None) -> str:
    """Hours until buying pays."""
    return ABSENT if value is None else "never" if math.isinf(value) else f"{value:,.0f} h"


def tabulate(choice: Choice, count: int | None = None) -> Table:
    """The ranking; rows are positions among the options."""

    def of(get: Callable[[Option], Any]) -> Callable[[int], Any]:
        return lambda i: get(choice.options[i])

    def price(get: Callable[[Price], Any]) -> Callable[[int], Any]:
        return lambda i: get(choice.options[i].price)

    def per(get: Callable[[Price], float | None]) -> Callable[[int], Any]:
        return lambda i: choice.options[i].per(get(choice.options[i].price))

    columns = (
        Column("rank", lambda i: i, lambda i: rank_text(choice, i)),
        Column("", lambda i: rank_text(choice, i), key="rank"),
        Column("GPU", of(lambda o: o.processor.name), lambda v: one_line(v, 60), "gpu", right=False, flexible=True),
        Column("time", of(lambda o: o.time_s), format_seconds, "time_s"),
        Column("interval", of(lambda o: (o.low_s, o.high_s)), lambda v: " – ".join(map(format_seconds, v))),
        Column("", of(lambda o: o.low_s), key="time_low_s"), Column("", of(lambda o: o.high_s), key="time_high_s"),
        Column("", of(lambda o: o.low_outer_s), key="time_low_outer_s"),
        Column("", of(lambda o: o.high_outer_s), key="time_high_outer_s"),
        Column("", lambda _: choice.coverage, key="coverage"),
        Column("faster than next", of(lambda o: o.beats_next), in_percent(0), "probability_faster_than_next"),
        Column("", price(lambda p: p.price_usd), key="price_usd"),
        Column("", price(lambda p: p.source), key="price_source"),
        Column("", price(lambda p: p.date), key="price_date"), Column("", price(lambda p: p.power_w), key="power_w"),
        Column("", price(lambda p: p.rack_units), key="rack_units"),
        Column("", price(lambda p: p.rent_usd_per_hour), key="rent_usd_per_hour"),
        Column("USD/h", price(lambda p: p.rent_usd_per_hour), show_rent, optional=True),
        Column("", of(lambda o: 3600 * o.per_s), key="workloads_per_hour"),
        Column("per USD", per(lambda p: p.price_usd), format_number, "workloads_per_hour_per_usd", optional=True),
        Column("per W", per(lambda p: p.power_w), format_number, "workloads_per_hour_per_w", optional=True),
        Column("per U", per(lambda p: p.rack_units), format_number, "workloads_per_hour_per_rack_unit", optional=True),
        Column("", of(lambda o: o.fits), key="fits"),
        Column("", price(lambda p: p.gpus), key="count"),
        Column("at a time", price(lambda p: p.gpus if p.gpus > 1 else None), show_text, right=True, optional=True),
        Column("needed", of(lambda o: o.needed), show_text, "needed", right=True, optional=True),
        Column("fits", of(lambda o: o.fits), show_text, right=True, optional=True),
        Column("price", price(lambda p: p.price_usd), show_dollars, optional=True),
        Column("buy from", of(lambda o: o.break_even_hours), show_hours, "break_even_hours", optional=True),
    )  # fmt: skip
    return Table(columns, range(len(choice.options))[:count], lambda i: choice.options[i].price.source)


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
        lines.append(f"            no mix is better by more than {format_percent(fleet.bound_per_s / fleet.per_s - 1)}")
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
    told = [str(choice.conditions["text"])] if choice.conditions else []
    lines = [verdict(choice), *told, "", *tabulate(choice, count).lines(width)]
    if count < len(choice.options):
        lines.append(f"... {len(choice.options) - count} more (--top)")
    fleet = fleet_lines(choice)
    return folded("\n".join([*lines, *([""] if fleet else []), *fleet, "", *notes_of(choice)]), width)


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
        "verdict": verdict(choice), "conditions": dict(choice.conditions),
        "kernels": choice.kernels, "memory_bytes": choice.memory_bytes,
        "options": list(tabulate(choice).records()), "fleet": fleet,
        "left_out": [{"gpu": n, "reason": r} for n, r in choice.left_out], "notes": notes_of(choice),
    }  # fmt: skip
    return json.dumps(content, indent=1, ensure_ascii=False)


def choice_page(choice: Choice) -> Page:
    """Verdict, ranking, fleet and assumptions."""
    first = choice.options[0]
    table = Section("Ranking", table=tabulate(choice))
    fleet = fleet_lines(choice)
    sections = (table, *((Section("Fleet", paragraphs=tuple(fleet)),) if fleet else ()))
    interval = f"{format_quantity(first.low_s, 's')} – {format_quantity(first.high_s, 's')}"
    cards = (
        Card(one_line(first.processor.name, 60), format_quantity(first.time_s, "s"), interval),
        Card("GPUs ranked", str(len(choice.options)), f"{choice.kernels} kernels", plain=True),
    )
    return Page("Which GPU", cards, (verdict(choice),), (*sections, *notes_section(notes_of(choice))))
