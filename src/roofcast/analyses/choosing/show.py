"""A choice as text, JSON, CSV, and a document of two pages that can be printed and signed."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

from roofcast.analyses.choosing.chances import DRAWS
from roofcast.analyses.choosing.decision import SURE, Decision, Option, ProgramOption
from roofcast.analyses.choosing.pictures import JOBS, bind_pictures, count_runs
from roofcast.analyses.choosing.reversals import (
    Flip,
    Waiting,
    Worth,
    find_flips,
    value_measurements,
    weigh_all,
    weigh_waiting,
)
from roofcast.catalog.prices import Price
from roofcast.core.errors import one_line
from roofcast.core.launch_totals import SHARED_BETWEEN, SHARED_PROGRAMS, Kinship
from roofcast.core.units import format_quantity
from roofcast.kit.answer import ROWS_SHOWN, render_answer
from roofcast.kit.output import draw_svg
from roofcast.kit.page import Card, Page, Section, provenance_section
from roofcast.kit.quantities import (
    ABSENT,
    count_of,
    format_count,
    format_dollars,
    format_interval,
    format_percent,
    format_seconds,
    in_percent,
    in_unit,
)
from roofcast.kit.table import Column, Table, make_plain, show_text

ON_PAPER, FLIPS_SHOWN, PROGRAM_COLUMNS = 8, 6, 5
SHORT = {1.0: "job", 1e3: "1k jobs", 1e6: "1M jobs", 1e9: "1G jobs"}
SUPERLATIVES = {
    "cost": "the cheapest per job", "time": "the fastest", "energy": "the one that needs least energy per job",
    "throughput": "the one that does most jobs within the limits",
}  # fmt: skip


@dataclass(frozen=True)
class Told:
    """A decision with what would change it, each made once however often it is shown."""

    decision: Decision

    @property
    def options(self) -> tuple[Option, ...]:
        """The candidates, the choice first."""
        return self.decision.options

    @cached_property
    def flips(self) -> list[Flip]:
        """Where the choice changes, the nearest first."""
        return find_flips(self.decision)

    @cached_property
    def waiting(self) -> list[Waiting]:
        """Announced candidates."""
        return weigh_waiting(self.decision)

    @cached_property
    def worth(self) -> list[Worth]:
        """What further measurements are worth."""
        return value_measurements(self.decision)

    @cached_property
    def runs(self) -> float:
        """For how many jobs costs are shown."""
        return count_runs(self.decision)

    @property
    def reversal(self) -> Flip | None:
        """The nearest price or rent that changes the choice, else the nearest number of any kind."""
        of_money = [f for f in self.flips if f.of in ("price", "rent")]
        return next(iter(of_money or self.flips), None)

    def money(self, value: float) -> str:
        """A cost per job, for as many jobs as costs are shown for."""
        return f"{format_dollars(value * self.runs)} {self.decision.workload.terms.currency}"

    @property
    def jobs(self) -> str:
        """What costs are shown for."""
        return JOBS[self.runs]


def rank_text(decision: Decision, i: int) -> str:
    """Rank of an option: that of its group, with a mark where it shares it.

    Ranks are those of the best option of a group, as in sports.
    """
    group = decision.options[i].group
    members = [j for j, o in enumerate(decision.options) if o.group == group]
    return f"{members[0] + 1}{'=' if len(members) > 1 else ''}"


def part(values: Sequence[float] | None, k: int) -> float | None:
    """One of a value and its ends; None where they are unknown."""
    return None if values is None else values[k]


def tabulate(told: Told, count: int | None = None) -> Table:
    """The ranking; rows are positions among the options."""
    decision = told.decision

    def of(get: Callable[[Option], Any]) -> Callable[[int], Any]:
        return lambda i: get(decision.options[i])

    def price(get: Callable[[Price], Any]) -> Callable[[int], Any]:
        return of(lambda o: get(o.candidate.price))

    def show_cost(value: float | None) -> str:
        return ABSENT if value is None else format_dollars(value * told.runs)

    def show_ends(value: Sequence[float] | None) -> str:
        return ABSENT if value is None else "–".join(show_cost(v) for v in value[1:])

    def finite(value: float | None) -> float | None:
        return value if value is not None and math.isfinite(value) else None

    def cost(k: int) -> Callable[[Option], float | None]:
        return lambda o: part(o.cost, k)

    def energy(k: int) -> Callable[[Option], float | None]:
        return lambda o: part(o.energy_j, k)

    currency = decision.workload.terms.currency
    columns = (
        Column("rank", lambda i: rank_text(decision, i), key="rank"),
        Column("GPU", of(lambda o: o.name), lambda v: one_line(v, 60), "gpu", right=False, flexible=True),
        Column("GPUs", of(lambda o: o.count), show_text, "count", right=True),
        Column("time", of(lambda o: o.time_s), format_seconds, "time_s"),
        Column("interval", of(lambda o: (o.low_s, o.high_s)), lambda v: format_interval(*v)),
        Column("", of(lambda o: o.low_s), key="time_low_s"), Column("", of(lambda o: o.high_s), key="time_high_s"),
        Column("", of(lambda o: o.low_outer_s), key="time_low_outer_s"),
        Column("", of(lambda o: o.high_outer_s), key="time_high_outer_s"),
        Column("", lambda _: decision.coverage, key="coverage"),
        Column("", of(lambda o: o.jobs_per_day), key="jobs_per_day"),
        Column(f"{currency}/{SHORT[told.runs]}", of(cost(0)), show_cost, "cost_per_job", optional=True),
        Column("interval ", of(lambda o: o.cost), show_ends, optional=True, right=True),
        Column("", of(cost(1)), key="cost_low"), Column("", of(cost(2)), key="cost_high"),
        Column("energy", of(energy(0)), in_unit("J"), "energy_per_job_j", optional=True),
        Column("", of(energy(1)), key="energy_low_j"), Column("", of(energy(2)), key="energy_high_j"),
        Column("best", of(lambda o: o.p_best), in_percent(0), "p_best"),
        Column("in time", of(lambda o: o.p_deadline), in_percent(0), "p_deadline", optional=True),
        Column("fits", of(lambda o: o.p_budget), in_percent(0), "p_budget", optional=True),
        Column("", of(lambda o: finite(o.beats_next)), key="probability_better_than_next"),
        Column("binds", of(lambda o: o.binds), show_text, "binds", optional=True),
        Column("", of(lambda o: o.needed), key="needed"), Column("", of(lambda o: o.fits), key="fits"),
        Column("", price(lambda p: p.gpus), key="gpus_at_a_time"),
        Column("", of(lambda o: o.candidate.rented), key="rented"),
        Column("", of(lambda o: o.candidate.hourly), key="cost_per_gpu_hour"),
        Column("", price(lambda p: p.price_usd), key="price_usd"),
        Column("", price(lambda p: p.rent_usd_per_hour), key="rent_usd_per_hour"),
        Column("", of(lambda o: finite(o.break_even_hours)), key="break_even_hours"),
        Column("", price(lambda p: p.host_price_usd), key="host_price_usd"),
        Column("", price(lambda p: p.power_w), key="power_w"),
        Column("", price(lambda p: p.host_power_w), key="host_power_w"),
        Column("", price(lambda p: p.rack_units), key="rack_units"),
        Column("", price(lambda p: p.source), key="price_source"),
        Column("", price(lambda p: p.date), key="price_date"),
        Column("", price(lambda p: p.available), key="available"),
        Column("", of(lambda o: list(o.assumed)), key="assumed"),
    )  # fmt: skip
    return Table(columns, range(len(decision.options))[:count], lambda i: decision.options[i].candidate.price.source)


def tabulate_programs(told: Told, count: int = PROGRAM_COLUMNS) -> Table | None:
    """Programs x candidates: cost (else time) of a job, and the probability of being best; None of one program."""
    decision = told.decision
    if len(decision.first.programs) < 2:
        return None
    shown = decision.options[:count]

    def cell(o: Option) -> Column:
        def show(k: int) -> str:
            own = o.programs[k]
            what = told.money(own.cost[0]) if decision.best == "cost" and own.cost else format_seconds(own.time_s)
            return what if own.p_best is None else f"{what} ({format_percent(own.p_best, 0)})"

        return Column(one_line(o.name, 28), show, show_text, right=True)

    def name(k: int) -> str:
        p = decision.workload.programs[k]
        on = f" on {p.gpus} GPUs" if p.gpus > 1 else ""
        return f"{one_line(p.name, 40)}{on}"

    head = "jobs/day" if decision.workload.per_day else "weight"
    columns = [
        Column("program", name, right=False),
        Column(head, lambda k: decision.workload.programs[k].weight, format_count),
        *map(cell, shown),
        Column("deadline", lambda k: decision.workload.programs[k].deadline_s, format_seconds, optional=True),
        Column("met", lambda k: decision.first.programs[k].p_deadline, in_percent(0), optional=True),
    ]  # fmt: skip
    return Table(columns, range(len(decision.first.programs)))


def verdict(told: Told) -> str:
    """One sentence: which GPU among how many, and whether that is certain."""
    decision = told.decision
    first, name, n = decision.first, one_line(decision.first.name, 60), len(decision.options)
    if not math.isfinite(first.score):
        why = first.binds or "its cost is unknown"
        return f"None of {n} GPUs can be the choice: {name}, which comes nearest, is bound by: {why}."
    if n == 1:
        return f"{name} is the only GPU left."
    tied = [o for o in decision.options if o.group == 0]
    priced = sum(o.cost is not None for o in decision.options)
    among = f"{n} GPUs, {priced} of them priced" if decision.best == "cost" and priced < n else f"{n} GPUs"
    superlative = f"{SUPERLATIVES[decision.best]} among {among}"
    amount = f": {told.money(first.cost[0])} per {told.jobs}" if decision.best == "cost" and first.cost else ""
    if len(tied) == 1 and (first.p_best or 0.0) >= SURE:
        return f"{name} is {superlative}{amount} (at least {format_percent(SURE, 0)} sure)."
    if len(tied) == 1:
        parts = [("best", first.p_best), ("in time", first.p_deadline), ("within the limits", first.p_budget)]
        said = ", ".join(f"{text} with {format_percent(p, 0)}" for text, p in parts if p is not None)
        return f"{name} is {superlative}{amount}, but not surely: {said} probability."
    names = ", ".join(one_line(o.name, 40) for o in tied[1:4])
    more = f" and {len(tied) - 4} more" if len(tied) > 4 else ""
    return f"{name} is {superlative}{amount}, but not significantly: {names}{more} cannot be told apart from it."


def recommend(told: Told) -> str:
    """What to get, and what would reverse it."""
    first = told.decision.first
    if not math.isfinite(first.score):
        return "No recommendation: loosen a limit or a deadline."
    how = "rent" if first.candidate.rented else "buy" if first.candidate.price.price_usd is not None else "take"
    on = f"{how} {first.count} x {one_line(first.name, 60)}"
    flip = told.reversal
    but = f"; {flip.text}" if flip else "; no number within a factor of 10 of today's reverses it"
    return f"recommended: {on}{but}."


def fleet_lines(decision: Decision) -> list[str]:
    """The best mix under the limits."""
    fleet, limits = decision.fleet, decision.workload.limits
    if fleet is None:
        return []
    kinds = [(c, decision.options[k]) for c, k in zip(decision.gpus_of_fleet, decision.fleet_kinds, strict=True) if c]
    mix = " + ".join(f"{c} x {one_line(o.name, 60)}" for c, o in kinds)
    lines = [f"best fleet: {mix}: {3600 * fleet.per_s:.4g} jobs per hour"]
    used = []
    units = {"budget": decision.workload.terms.currency, "power": "W", "rack": "U"}
    for name, limit in limits.named().items():
        total = sum(c * (o.candidate.uses(limits)[name] or 0.0) for c, o in kinds)
        used.append(f"{name} {total:,.0f} of {limit:,.0f} {units[name]}")
    lines.append("            " + ", ".join(used))
    deadline = decision.workload.programs[0].deadline_s if decision.workload.programs[0].divides else None
    if deadline is not None and decision.fleet_high_s is not None:
        met = "met" if decision.fleet_high_s <= deadline else "NOT met"
        lines.append(
            f"            deadline {format_quantity(deadline, 's')} {met}: this fleet takes "
            f"{format_quantity(decision.fleet_high_s, 's')} at the interval's upper end, if a job divides evenly"
        )
    if not fleet.is_optimal:
        lines.append(f"            no mix is better by more than {format_percent(fleet.bound_per_s / fleet.per_s - 1)}")
    return lines


def terms_text(decision: Decision) -> str:
    """What hours and jobs rest on."""
    t, prices, limits = decision.workload.terms, decision.prices, decision.workload.limits
    parts = [
        f"{t.years:g} years" if t.years is not None else "no life stated",
        f"{format_percent(t.utilisation, 0)} of hours worked",
    ]
    if prices.usd_per_kwh is not None:
        parts.append(f"{prices.usd_per_kwh:g} {t.currency} per kWh times {prices.power_factor:g}")
    units = {"budget": t.currency, "power": "W", "rack": "U"}
    parts += [f"{name} {value:,.0f} {units[name]}" for name, value in limits.named().items()]
    parts += [
        f"deadline of {p.name or 'a job'} {format_quantity(p.deadline_s, 's')}"
        for p in decision.workload.programs
        if p.deadline_s
    ]
    if any(o.candidate.price.available for o in decision.options):
        parts.append(f"needed from {t.begins}")
    return f"terms: {', '.join(parts)}"


def change_lines(told: Told) -> list[str]:
    """What would change the choice, what is worth measuring first, what waiting brings."""
    decision = told.decision
    lines = list(dict.fromkeys(f.text for f in told.flips[:FLIPS_SHOWN])) or loosen_lines(decision)
    if told.flips[FLIPS_SHOWN:]:
        lines.append(f"further away: {count_of(len(told.flips) - FLIPS_SHOWN, 'number')} more (JSON lists them)")
    unit = {"cost": lambda v: told.money(v) + f" per {told.jobs}", "time": format_seconds}.get(decision.best)
    best = next((w for w in told.worth if w.per_job > 0), None)
    if best is not None and unit is not None:
        currency, how = decision.workload.terms.currency, one_line(best.how, 120)
        life = "" if best.over_life is None else f", {format_dollars(best.over_life)} {currency} over the life"
        whose = f" of {best.program}" if best.program else ""
        lines.append(f"worth measuring first{whose}: {best.what} ({how}): {unit(best.per_job)}{life} expected")
    elif len(decision.options) > 1 and math.isfinite(decision.first.score):
        lines.append("no single further measurement is expected to change the choice")
    lines += [w.text for w in told.waiting]
    even = [(o, o.break_even_hours) for o in decision.options[:3] if o.break_even_hours is not None]
    lines += [
        f"{one_line(o.name, 60)}: " + ("renting never costs more than buying" if math.isinf(h) else
        f"buying costs less than renting from {h:,.0f} hours of work") for o, h in even
    ]  # fmt: skip
    return lines


def loosen_lines(decision: Decision) -> list[str]:
    """What the first candidates would need of each limit, where none can be the choice."""
    if math.isfinite(decision.first.score):
        return []
    limits = decision.workload.limits
    units = {"budget": f" {decision.workload.terms.currency}", "power": " W", "rack": " U"}
    found = []
    for o in decision.options[:3]:
        if o.needed is not None:
            own = [
                f"{name} {o.needed * use:,.0f}{units[name]}" for name, use in o.candidate.uses(limits).items() if use
            ]
            found.append(f"{one_line(o.name, 60)}: {o.needed} GPUs would do, with {', '.join(own)}" if own else "")
    return [line for line in found if line]


def sure_lines(decision: Decision) -> list[str]:
    """How sure the order is and what that rests on."""
    between = ", ".join(f"{SHARED_BETWEEN[k]:.2f} between boards of {k.value}" for k in [*Kinship][1:])
    several = f", {SHARED_PROGRAMS:.2f} between programs" if len(decision.workload.programs) > 1 else ""
    return [
        f"Ranks with = are not significant (below {format_percent(SURE, 0)}): intervals of "
        f"{format_percent(decision.coverage, 0)}; errors correlate by {between}{several}, as measured on public "
        "families that were left out. Best: the probability of being best of all that can be had, are in time and fit, "
        f"over {DRAWS:,} draws."
    ]  # fmt: skip


def notes_of(told: Told) -> list[str]:
    """What a reader must know."""
    decision = told.decision
    notes = [*decision.notes, *sure_lines(decision), *assumed_lines(decision)]
    if decision.memory_bytes is not None:
        notes.append(f"GPUs with less than {format_quantity(decision.memory_bytes, 'B')} of memory are left out.")
    return [*notes, *left_lines(decision)]


def left_lines(decision: Decision) -> list[str]:
    """What is not ranked, and why: a line per reason."""
    found = []
    for reason in dict.fromkeys(r for _, r in decision.left_out):
        names = [one_line(n, 60) for n, r in decision.left_out if r == reason]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        found.append(f"not ranked ({reason}): {', '.join(names[:3])}{more}")
    return found


def render_choice(told: Told, width: int = 120, top: int | None = None, notes: bool = False) -> str:
    """The choice as text. notes : all of them, not the first few."""
    decision = told.decision
    count = min(len(decision.options), top or ROWS_SHOWN)
    left = len(decision.options) - count
    table = tabulate(told, count).lines(width) + ([f"… and {left} more (--top)"] if left else [])
    programs = tabulate_programs(told)
    said = textwrap.wrap(str(decision.conditions["text"]), width) if decision.conditions else []
    changes = [line for line in change_lines(told) if line not in recommend(told)]
    blocks = [said, table, programs.lines(width) if programs else [], fleet_lines(decision)]
    every = [recommend(told), *changes[:1], *left_lines(decision), *changes, *decision.notes]
    every += [terms_text(decision), *notes_of(told)]
    return render_answer(verdict(told), blocks, list(dict.fromkeys(every)), width, every=notes)


def program_record(p: ProgramOption) -> dict[str, Any]:
    """One program on one candidate, for JSON."""
    return {
        "program": p.program.name, "gpus": p.program.gpus, "scaling": p.program.scaling, "time_s": p.time_s,
        "time_low_s": p.low_s, "time_high_s": p.high_s, "kernels_time_s": p.kernels_s,
        "cost_per_job": part(p.cost, 0), "cost_low": part(p.cost, 1), "cost_high": part(p.cost, 2),
        "energy_per_job_j": part(p.energy_j, 0), "energy_low_j": part(p.energy_j, 1),
        "energy_high_j": part(p.energy_j, 2), "p_best": p.p_best, "p_deadline": p.p_deadline, "limit": p.limit,
    }  # fmt: skip


def decision_record(told: Told) -> dict[str, Any]:
    """Everything for JSON."""
    decision = told.decision
    terms, limits = decision.workload.terms, decision.workload.limits
    fleet = None
    if decision.fleet is not None:
        kinds = zip(decision.gpus_of_fleet, decision.fleet_kinds, strict=True)
        fleet = {
            "counts": {decision.options[k].name: c for c, k in kinds if c},
            "jobs_per_hour": 3600 * decision.fleet.per_s, "bound_jobs_per_hour": 3600 * decision.fleet.bound_per_s,
            "is_optimal": decision.fleet.is_optimal, "time_high_s": decision.fleet_high_s,
        }  # fmt: skip
    rows = [
        {**row, "programs": [program_record(p) for p in o.programs]}
        for row, o in zip(tabulate(told).records(), decision.options, strict=True)
    ]
    content = {
        "verdict": verdict(told), "recommendation": recommend(told), "best": decision.best,
        "conditions": {
            **dict(decision.conditions), "years": terms.years, "utilisation": terms.utilisation, "start": terms.begins,
            "usd_per_kwh": decision.prices.usd_per_kwh, "power_factor": decision.prices.power_factor,
            "limits": limits.named(),
        },
        "currency": terms.currency, "kernels": decision.kernels, "memory_bytes": decision.memory_bytes,
        "programs": [
            {"program": p.name, "weight": None if decision.workload.per_day else p.weight,
             "jobs_per_day": p.weight if decision.workload.per_day else None, "gpus": p.gpus, "scaling": p.scaling,
             "deadline_s": p.deadline_s} for p in decision.workload.programs
        ],
        "candidates": rows, "fleet": fleet,
        "left_out": [{"gpu": n, "reason": r} for n, r in decision.left_out],
        "flips": [
            {"of": f.of, "name": f.name or None, "now": f.now, "at": f.at, "to": f.to, "probability": f.probability,
             "text": f.text} for f in told.flips
        ],
        "reversal": None if told.reversal is None else told.reversal.text,
        "worth_measuring": [
            {"program": w.program, "what": w.what, "how": w.how, "width": w.width, "width_then": w.width_then,
             "value_per_job": w.per_job, "value_over_life": w.over_life} for w in told.worth
        ],
        "value_of_knowing_all": weigh_all(decision),
        "waiting": [
            {"gpu": w.name, "available": w.available, "months": w.months,
             "pays_up_to_months": w.months_at_most if w.months_at_most != math.inf else None, "text": w.text}
            for w in told.waiting
        ],
        "correlation": {**{k.name.lower(): SHARED_BETWEEN[k] for k in Kinship}, "programs": SHARED_PROGRAMS},
        "notes": notes_of(told),
    }  # fmt: skip
    plain: dict[str, Any] = make_plain(content)
    return plain


def choice_json(told: Told) -> str:
    """Everything as JSON."""
    return json.dumps(decision_record(told), indent=1, ensure_ascii=False)


def choice_page(told: Told) -> Page:
    """The document: question, conditions, answer, how sure, what would change it, sources, signature."""
    decision, first = told.decision, told.decision.first
    pictures = {name: draw_svg(name, draw) for name, draw in bind_pictures(decision).items()}
    programs = tabulate_programs(told)
    asked = decision.workload.question or "Which GPU does this work best?"
    work = ", ".join(one_line(p.name, 60) for p in decision.workload.programs if p.name) or "the kernels of the files"
    conditions = [str(decision.conditions.get("text", "")), terms_text(decision)]
    answer = Card("Answer", f"{first.count} x {one_line(first.name, 40)}", SUPERLATIVES[decision.best])
    if not math.isfinite(first.score):
        answer = Card("Answer", "none", f"{one_line(first.name, 40)} comes nearest, with these figures")
    cards = [answer, Card("Time per job", format_seconds(first.time_s), format_interval(first.low_s, first.high_s))]
    if first.cost:
        ends = "–".join(format_dollars(v * told.runs) for v in first.cost[1:])
        cards.append(Card(f"Cost per {told.jobs}", told.money(first.cost[0]), ends))
    if first.p_best is not None:
        cards.append(
            Card(
                "Probability of being best",
                format_percent(first.p_best, 0),
                f"among {len(decision.options)} GPUs",
                plain=True,
            )
        )
    fleet = fleet_lines(decision)
    sources = [
        f"{names}: {source}" for source, names in (
            (key, ", ".join(one_line(o.name, 40) for o in group)) for key, group in groupby(
                sorted(decision.options, key=source_of), key=source_of))
    ]  # fmt: skip
    sections = [
        Section("Question", (asked, f"Work: {work}. Among {len(decision.options)} GPUs{count_left(decision)}.")),
        Section("Conditions", tuple(c for c in conditions if c)),
        Section("Answer", (verdict(told), recommend(told)), table=tabulate(told, ON_PAPER)),
        Section("", picture=pictures["candidates"]),
        Section("Programs", table=programs, picture=pictures["programs"]),
        Section("Fleet", tuple(line.strip() for line in fleet)),
        Section("How sure", (*sure_lines(decision), *assumed_lines(decision))),
        Section("What would change it", tuple(change_lines(told))),
        Section("Sources", (*(f"Prices of {s}" for s in sources if s), *decision.notes, *left_lines(decision))),
        provenance_section(o for t in decision.tables for o in t.provenance),
        Section("Decided", ("Date: ____________   Name: ______________________   Signature: ______________________",)),
    ]  # fmt: skip
    kept = tuple(s for s in sections if s.paragraphs or s.picture or (s.table and s.table.rows))
    return Page("Which GPU", tuple(cards), (), kept, style="paper")


def source_of(option: Option) -> str:
    """Where a price comes from, with its date."""
    price = option.candidate.price
    if price.price_usd is None and price.rent_usd_per_hour is None:
        return "none stated"
    return f"{price.source or 'stated without a source'}{f' ({price.date})' if price.date else ''}"


def count_left(decision: Decision) -> str:
    """How many were left out."""
    return f"; {len(decision.left_out)} more are not ranked" if decision.left_out else ""


def assumed_lines(decision: Decision) -> list[str]:
    """What of the numbers is assumed: a line for each kind, with its first text."""
    found: dict[str, list[tuple[str, str]]] = {}
    for o in decision.options:
        for text in o.assumed:
            found.setdefault(text.partition(":")[0], []).append((one_line(o.name, 30), text))
    lines = []
    for rows in found.values():
        names, more = ", ".join(n for n, _ in rows[:3]), f" and {len(rows) - 3} more" if len(rows) > 3 else ""
        told = list(dict.fromkeys(text for _, text in rows))
        lines.append(f"Assumed for {names}{more}: {told[0]}{' (others as theirs)' if len(told) > 1 else ''}")
    return lines
