"""A choice as text and as tables."""

from __future__ import annotations

import dataclasses
import math
import textwrap
from collections.abc import Callable, Sequence
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np

from roofcast.catalog.instances import find_instance
from roofcast.catalog.prices import MONTH, Price
from roofcast.choosing.chances import DRAWS
from roofcast.choosing.decision import Decision, Option, Part
from roofcast.choosing.holdings import find_free
from roofcast.choosing.pictures import JOBS, count_runs
from roofcast.choosing.programme import KINDS
from roofcast.choosing.reversals import (
    Flip,
    Waiting,
    Worth,
    find_flips,
    value_measurements,
    weigh_waiting,
)
from roofcast.choosing.workload_file import SURE
from roofcast.core.errors import one_line
from roofcast.core.launch_totals import SHARED_BETWEEN, SHARED_PROGRAMS, Kinship
from roofcast.core.records import dataclass
from roofcast.core.undecided import UNDECIDED, is_undecided, tell_undecided
from roofcast.core.units import format_quantity
from roofcast.kit.answer import ROWS_SHOWN, render_answer
from roofcast.kit.quantities import (
    ABSENT,
    count_of,
    format_count,
    format_dollars,
    format_forecast,
    format_interval,
    format_percent,
    format_seconds,
    in_percent,
    in_unit,
)
from roofcast.kit.returned import Statement
from roofcast.kit.table import Column, Table, show_text

PROVED = 1e-3
"""Part of the money within which the answer is the cheapest one."""
OLD_DAYS = 90
"""Age from which a price is said to be old."""
FLIPS_SHOWN, PROGRAM_COLUMNS = 6, 5
SHORT = {1.0: "job", 1e3: "1k jobs", 1e6: "1M jobs", 1e9: "1G jobs"}
SUPERLATIVES = {
    "cost": "the cheapest per job", "time": "the fastest", "energy": "the one that needs least energy per job",
    "throughput": "the one that does most jobs within the limits",
}  # fmt: skip


def name_machines(option: Option, gpus: int, limit: int = 60) -> str:
    """So many GPUs of an offer as it is sold: whole machines where it is of machines.

    A machine without a name of its own ("8 x L40S") stands for itself.
    """
    sold, name = find_instance(option.name.partition(" (")[0]), one_line(option.name, limit)
    gpus_each = sold.count if sold is not None else 1
    if gpus_each == 1 or gpus % gpus_each:
        return f"{gpus:,} x {name}"
    machines = gpus // gpus_each
    if name.startswith(f"{gpus_each} x "):
        return name if machines == 1 else f"{machines:,} nodes of {name}"
    return f"{machines:,} x {name}"


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

    @property
    def cost(self) -> tuple[float, float, float] | None:
        """What there is to get costs over the life, with its ends; None where that is unknown."""
        fleet = self.decision.fleet
        return None if fleet is None else fleet.cost

    @property
    def per_job(self) -> float | None:
        """The same of a job of the demand."""
        jobs = self.decision.sheet.jobs
        return self.cost[0] / jobs if self.cost is not None and jobs > 0 else None

    def whole_money(self, value: float) -> str:
        """A total."""
        return f"{format_total(value)} {self.decision.workload.terms.currency}"

    def list_parts(self, *, expected: bool = False) -> str:
        """What to get, in words: "buy 10 x L40S and rent 8 x H100"."""
        fleet = self.decision.fleet
        texts = []
        for p in fleet.parts if fleet is not None else ():
            n = p.count_expected if expected else p.count
            option = self.decision.options[p.option]
            priced = option.candidate.price
            how = "rent" if p.rented else "buy" if priced.capital_usd is not None else "take"
            texts.append((how, name_machines(option, n)))
        ways = [f"{how} " + " + ".join(t for h, t in texts if h == how) for how in dict.fromkeys(h for h, _ in texts)]
        return " and ".join(ways)


def format_total(value: float) -> str:
    """Money in total, to the unit.

    >>> format_total(86191.2), format_total(912.3), format_total(12345678.0)
    ('86,191', '912', '12,345,678')
    """
    return f"{value:,.0f}" if value >= 100 else format_dollars(value)


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


def tell_limit(option: Option) -> str | None:
    """Which limit allows no more of a candidate; what a demand needs, and what cannot serve it, other lines say."""
    return option.binds if option.total is None and not option.why_not else None


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

    def show_total(value: float | None) -> str:
        return ABSENT if value is None else format_total(value)

    def finite(value: float | None) -> float | None:
        return value if value is not None and math.isfinite(value) else None

    def cost(k: int) -> Callable[[Option], float | None]:
        return lambda o: part(o.cost, k)

    def ends(option: Option) -> Sequence[float] | None:
        # What is bought costs the same however long its jobs take, where energy has no price.
        return option.cost if option.cost is not None and option.cost[1] < option.cost[2] else None

    def energy(k: int) -> Callable[[Option], float | None]:
        return lambda o: part(o.energy_j, k)

    currency, left = decision.workload.terms.currency, dict(list_left(decision))
    columns = (
        Column("rank", lambda i: rank_text(decision, i), key="rank"),
        Column("GPU", of(lambda o: o.name), lambda v: one_line(v, 60), "gpu", right=False, flexible=True),
        Column("GPUs", of(lambda o: o.count), show_text, "count", right=True),
        Column(f"total, {currency}", of(lambda o: part(o.total, 0)), show_total, "total_cost", optional=True),
        Column("expected", of(lambda o: o.count_expected), show_text, "count_expected", right=True, optional=True),
        Column("", of(lambda o: part(o.total, 1)), key="total_cost_low"),
        Column("", of(lambda o: part(o.total, 2)), key="total_cost_high"),
        Column("", of(lambda o: None if o.total is None else "rent" if o.rented else "buy"), key="how"),
        Column("", of(lambda o: o.p_met), key="p_met"),
        Column("", of(lambda o: o.claimed), key="claimed"),
        Column("", lambda i: left.get(decision.options[i].name), key="left_out"),
        Column("time", of(lambda o: (o.time_s, o.low_s, o.high_s)), lambda v: format_forecast(*v), right=True),
        Column("", of(lambda o: o.time_s), key="time_s"),
        Column("interval", of(lambda o: (o.low_s, o.high_s)), lambda v: format_interval(*v)),
        Column("", of(lambda o: o.low_s), key="time_low_s"), Column("", of(lambda o: o.high_s), key="time_high_s"),
        Column("", of(lambda o: o.low_outer_s), key="time_low_outer_s"),
        Column("", of(lambda o: o.high_outer_s), key="time_high_outer_s"),
        Column("", of(lambda o: decision.coverage if o.claimed else None), key="coverage"),
        Column("", of(lambda o: o.jobs_per_day), key="jobs_per_day"),
        Column(f"{currency}/{SHORT[told.runs]}", of(cost(0)), show_cost, "cost_per_job", optional=True),
        Column("interval ", of(ends), show_ends, optional=True, right=True),
        Column("", of(cost(1)), key="cost_low"), Column("", of(cost(2)), key="cost_high"),
        Column("energy", of(energy(0)), in_unit("J"), "energy_per_job_j", optional=True),
        Column("", of(energy(1)), key="energy_low_j"), Column("", of(energy(2)), key="energy_high_j"),
        Column("best", of(lambda o: o.p_best), in_percent(0), "p_best"),
        Column("in time", of(lambda o: o.p_deadline), in_percent(0), "p_deadline", optional=True),
        Column("fits", of(lambda o: o.p_budget), in_percent(0), "p_budget", optional=True),
        Column("", of(lambda o: finite(o.beats_next)), key="probability_better_than_next"),
        Column("binds", of(tell_limit), show_text, optional=True),
        Column("", of(lambda o: o.binds), key="binds"),
        Column("", of(lambda o: o.needed), key="needed"), Column("", of(lambda o: o.fits), key="fits"),
        Column("", price(lambda p: p.gpus), key="gpus_at_a_time"),
        Column("", of(lambda o: o.rented), key="rented"),
        Column("", of(lambda o: o.candidate.hourly), key="cost_per_gpu_hour"),
        Column("", price(lambda p: p.price_usd), key="price_usd"),
        Column("", price(lambda p: p.rent_usd_per_hour), key="rent_usd_per_hour"),
        Column("", of(lambda o: finite(o.break_even_hours)), key="break_even_hours"),
        Column("", price(lambda p: p.host_price_usd), key="host_price_usd"),
        Column("", price(lambda p: p.network_price_usd), key="network_price_usd"),
        Column("", price(lambda p: p.power_w), key="power_w"),
        Column("", price(lambda p: p.idle_power_w), key="idle_power_w"),
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
    options = decision.options[:count]

    def cell(o: Option) -> Column:
        def show(k: int) -> str:
            row = o.programs[k]
            if not row.holds:
                return "too little memory"
            if is_undecided(row.low_s, row.high_s):
                return UNDECIDED
            what = told.money(row.cost[0]) if decision.best == "cost" and row.cost else format_seconds(row.time_s)
            return what if row.p_best is None else f"{what} ({format_percent(row.p_best, 0)})"

        return Column(one_line(o.name, 28), show, show_text, right=True)

    def name(k: int) -> str:
        p = decision.workload.programs[k]
        on = f" on {p.gpus} GPUs" if p.gpus > 1 else ""
        return f"{one_line(p.name, 40)}{on}"

    head = "jobs/day" if decision.workload.per_day else "weight"
    columns = [
        Column("program", name, right=False),
        Column(head, lambda k: decision.workload.programs[k].weight, format_count),
        *map(cell, options),
        Column("deadline", lambda k: decision.workload.programs[k].deadline_s, format_seconds, optional=True),
        Column("met", lambda k: decision.first.programs[k].p_deadline, in_percent(0), optional=True),
    ]  # fmt: skip
    return Table(columns, range(len(decision.first.programs)))


def verdict(told: Told) -> str:
    """The answer: what to get, what it costs in all, how many would do, how sure it is, and what speaks against it."""
    return answer_text(told) + doubt_text(told.decision)


def doubt_text(decision: Decision) -> str:
    """Say that the answer rests on intervals that decide or claim nothing; '' where they do."""
    parts = () if decision.fleet is None else decision.fleet.parts
    held = [decision.options[i] for i in dict.fromkeys(p.option for p in parts)] or [decision.first]
    wide = max(held, key=lambda o: o.high_s / o.low_s if o.low_s > 0 else math.inf)
    if is_undecided(wide.low_s, wide.high_s):
        return f" But the time on {one_line(wide.name, 60)} is {tell_undecided(wide.low_s, wide.high_s)}."
    vain = [one_line(o.name, 60) for o in held if not o.claimed]
    if vain:
        return f" The intervals of {', '.join(vain)} claim nothing: read each probability as the model's word alone."
    return ""


def answer_text(told: Told) -> str:
    """What to get, what it costs in all, how many would do, how sure it is."""
    decision = told.decision
    first, name, n = decision.first, one_line(decision.first.name, 60), len(decision.options)
    if decision.programme is not None:
        return total_text(told) if decision.fleet is not None else impossible_text(decision)
    if not math.isfinite(first.score):
        why = first.why_not or "its cost is unknown"
        return f"None of {n} GPUs can be the choice: {name}, which comes nearest: {why}."
    if n == 1:
        return f"{name} is the only GPU left{always_text(told)}."
    tied = [o for o in decision.options if o.group == 0]
    priced = sum(o.cost is not None for o in decision.options)
    among = f"{n} GPUs, {priced} of them priced" if decision.best == "cost" and priced < n else f"{n} GPUs"
    superlative = f"{SUPERLATIVES[decision.best]} among {among}{always_text(told)}"
    if len(tied) == 1 and (first.p_best or 0.0) >= SURE:
        return f"{name} is {superlative} (at least {format_percent(SURE, 0)} sure)."
    if len(tied) == 1:
        parts = [("best", first.p_best), ("in time", first.p_deadline), ("within the limits", first.p_budget)]
        chances = ", ".join(f"{text} with {format_percent(p, 0)}" for text, p in parts if p is not None)
        return f"{name} is {superlative}, but not surely: {chances} probability."
    names = ", ".join(one_line(o.name, 40) for o in tied[1:4])
    more = f" and {len(tied) - 4} more" if len(tied) > 4 else ""
    return f"{name} is {superlative}, but not significantly: {names}{more} cannot be distinguished from it."


def always_text(told: Told) -> str:
    """What a job costs on a GPU that always has work; '' where that is not asked."""
    cost = told.decision.first.cost
    if told.decision.best != "cost" or told.decision.programme is not None or cost is None:
        return ""
    return f": {told.money(cost[0])} per {told.jobs} on a GPU that always has work"


def demand_text(decision: Decision) -> str:
    """What has to be served."""
    sheet = decision.sheet
    if sheet.per_day:
        late = " in time" if bool((sheet.deadline_s < math.inf).any()) else ""
        return f"{format_count(float(sheet.weight.sum()))} jobs a day{late}"
    return "every job in time"


def total_text(told: Told) -> str:
    """What the fleet costs, is, and how sure it is."""
    decision, cost = told.decision, told.cost
    fleet, years = decision.fleet, decision.sheet.years
    if fleet is None or cost is None:
        return ""
    counts = [f"{p.count_expected:,}" for p in fleet.parts]
    fewer = any(p.count_expected != p.count for p in fleet.parts)
    asked = format_percent(decision.workload.terms.probability, 0)
    safety = f"expected {' + '.join(counts)}, for {asked} sure {' + '.join(f'{p.count:,}' for p in fleet.parts)}"
    sure = f" ({safety})" if fewer else f" (as many as expected; {asked} sure asked)"
    per_job = "" if told.per_job is None else f"; {told.money(told.per_job)} per {told.jobs}"
    met = format_percent(fleet.met or 0.0, 0)
    life = f"{years:g} year{'' if years == 1 else 's'}"
    if any(p.energy is None for p in fleet.parts):
        life += " without energy, whose price is not stated"
    return (
        f"{told.whole_money(cost[0])} over {life}: {told.list_parts()}{sure}. It serves {demand_text(decision)} with "
        f"{met} probability{per_job}."
        + (f" Some other fleet may be cheaper, by {format_percent(fleet.gap)} at most." if fleet.gap > PROVED else "")
    )


def impossible_text(decision: Decision) -> str:
    """Say that no fleet serves the demand, and what would."""
    sure = format_percent(decision.workload.terms.probability, 0)
    within = " within the limits" if decision.sheet.limited else ""
    could = "; ".join(possible_lines(decision))
    return f"No fleet serves {demand_text(decision)}{within} with {sure} probability{f': {could}' if could else ''}."


def state_choice(told: Told) -> Statement:
    """What a choice says first."""
    decision = told.decision
    return Statement(count_of(len(decision.options), "GPU"), verdict(told), target=decision.first.name)


def recommend(told: Told) -> str:
    """What to get, and what would reverse it."""
    decision = told.decision
    if decision.fleet is None:
        return "No recommendation: loosen a limit or a deadline."
    flip = told.reversal
    but = f"; {flip.text}" if flip else "; no number within a factor of 10 of today's reverses it"
    return f"recommended: {told.list_parts()}{but}."


def fleet_table(told: Told) -> Table | None:
    """What to get, to paste into an order: a row per kind, and the sum."""
    decision, fleet = told.decision, told.decision.fleet
    if fleet is None or fleet.cost is None:
        return None
    rows: list[Part | None] = [*fleet.parts, *([None] if len(fleet.parts) > 1 else [])]

    def of(get: Callable[[Part], Any]) -> Callable[[Part | None], Any]:
        return lambda p: None if p is None else get(p)

    def money(get: Callable[[Part], float | None]) -> Callable[[Part | None], float | None]:
        def total() -> float | None:
            amounts = [get(q) for q in fleet.parts]
            return None if None in amounts else sum(a or 0.0 for a in amounts)

        return lambda p: total() if p is None else get(p)

    def rent(p: Part) -> float:
        return (p.cost or 0.0) if p.rented else 0.0

    def show(value: float | None) -> str:
        return ABSENT if value is None else format_total(value)

    currency = decision.workload.terms.currency
    columns = (
        Column("get", lambda p: "in all" if p is None else one_line(decision.options[p.option].name, 60), right=False),
        Column("how", of(lambda p: "rent" if p.rented else "buy"), show_text, optional=True),
        Column("GPUs", of(lambda p: p.count), show_text, right=True),
        Column(f"total, {currency}", money(lambda p: p.cost), show),
        Column(f"purchase, {currency}", money(lambda p: p.purchase), show),
        Column("rent", money(rent), show), Column("energy", money(lambda p: p.energy), show),
        Column("expected", of(lambda p: p.count_expected), show_text, right=True),
    )  # fmt: skip
    return Table(columns, rows)


def list_uses(decision: Decision) -> list[str]:
    """What the fleet takes of each limit, in words."""
    parts, sentences = () if decision.fleet is None else decision.fleet.parts, []
    named = (("budget", decision.workload.terms.currency), ("power", "W"), ("rack", "U"))
    for (name, unit), uses, limit in zip(named, decision.sheet.use_of(), decision.sheet.stakes.limits, strict=True):
        if math.isfinite(limit):
            total = sum(p.count * float(uses[int(p.rented), p.option]) for p in parts)
            sentences.append(f"{name} {total:,.0f} of {limit:,.0f} {unit}")
    return sentences


def fleet_lines(told: Told) -> list[str]:
    """How far the fleet uses up the limits, and how far it is from the best."""
    decision, fleet, sheet = told.decision, told.decision.fleet, told.decision.sheet
    if fleet is None:
        return []
    lines, used = [], list_uses(decision)
    if decision.programme is None and sheet.limited and not sheet.asks:
        rate = sum(p.count * decision.options[p.option].per_s for p in fleet.parts)
        lines.append(f"most jobs within the limits: {told.list_parts()}: {3600 * rate:.4g} jobs per hour")
    option = min(
        (o for o in decision.options if o.total is not None), key=lambda o: part(o.total, 0) or 0.0, default=None
    )
    if len(fleet.parts) > 1 and option is not None and option.total is not None and told.cost is not None:
        more = format_percent(option.total[0] / told.cost[0] - 1, 0)
        how = "rent" if option.rented else "buy"
        name = name_machines(option, option.count or 0)
        lines.append(f"of one kind alone: {how} {name} for {told.whole_money(option.total[0])}, {more} more")
    if decision.programme is not None:
        kinds = f"no fleet of up to {KINDS} offers is cheaper"
        lines.append(kinds if fleet.gap <= PROVED else f"{kinds} by more than {format_percent(fleet.gap)}")
    return [*lines, *([f"it takes {', '.join(used)}"] if used else [])]


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
    if t.spares:
        parts.append(f"{format_percent(t.spares, 0)} of GPUs out of service")
    if any(o.candidate.price.available for o in decision.options):
        parts.append(f"needed from {t.begins}")
    return f"terms: {', '.join(parts)}"


def change_lines(told: Told) -> list[str]:
    """What would change the choice, what is worth measuring first, what waiting brings."""
    decision = told.decision
    lines = list(dict.fromkeys(f.text for f in told.flips[:FLIPS_SHOWN])) or loosen_lines(decision)
    if told.flips[FLIPS_SHOWN:]:
        lines.append(f"further away: {count_of(len(told.flips) - FLIPS_SHOWN, 'number')} more (JSON lists them)")
    best = next((w for w in told.worth if w.per_job > 0), None)
    if best is not None and decision.best in ("cost", "time"):
        how = one_line(best.how, 120)
        of_life = best.over_life is not None and decision.programme is not None
        per_job = (
            told.money(best.per_job) + f" per {told.jobs}" if decision.best == "cost" else format_seconds(best.per_job)
        )
        gain = told.whole_money(best.over_life or 0.0) + " over the life" if of_life else per_job
        if not of_life and best.over_life is not None:
            gain += f", {told.whole_money(best.over_life)} over the life"
        whose = f" of {best.program}" if best.program else ""
        lines.append(f"worth measuring first{whose}: {best.what} ({how}): {gain} expected saving")
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
    """What would make the choice possible where none is."""
    if decision.fleet is not None:
        return []
    if decision.programme is not None:
        return possible_lines(decision)
    limits = decision.workload.limits
    units = {"budget": f" {decision.workload.terms.currency}", "power": " W", "rack": " U"}
    lines = []
    for o in decision.options[:3]:
        if o.needed is not None:
            looser = [
                f"{name} {o.needed * use:,.0f}{units[name]}" for name, use in o.candidate.uses(limits).items() if use
            ]
            lines.append(
                f"{one_line(o.name, 60)}: {o.needed} GPUs would do, with {', '.join(looser)}" if looser else ""
            )
    return [line for line in lines if line]


def possible_lines(decision: Decision) -> list[str]:
    """The fleet of least money without the limits; where none serves at all, by when the jobs end that are late."""
    held, sheet, terms = find_free(decision), decision.sheet, decision.workload.terms
    if held is not None and held.cost is not None:
        names = " + ".join(name_machines(decision.options[p.option], p.count) for p in held.parts)
        takes = ", ".join(list_uses(dataclasses.replace(decision, fleet=held)))
        return [f"{names} would do, for {format_total(held.cost[0])} {terms.currency} in all: it takes {takes}"]
    sure, lines = format_percent(terms.probability, 0), []
    for p, program in enumerate(decision.workload.programs):
        if program.deadline_s is not None and not sheet.divides[p]:
            drawn = sheet.time_s[p] * np.exp(decision.log_errors[:, p])
            ends = np.where(sheet.able, np.quantile(drawn, terms.probability, axis=0), np.inf)
            first = int(ends.argmin())
            if ends[first] > program.deadline_s:
                who = one_line(decision.options[first].name, 60)
                end = format_seconds(float(ends[first]))
                lines.append(f"{who} meets a deadline of {end} for {program.name or 'a job'} with {sure} probability")
    return lines


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
    notes = [*decision.notes, *undecided_lines(decision), *age_lines(decision), *sure_lines(decision)]
    notes += assumed_lines(decision)
    if decision.memory_bytes is not None:
        size = format_quantity(decision.memory_bytes, "B")
        notes.append(f"GPUs with less than {size} of memory do not run all programs: none does alone.")
    return [*notes, *left_lines(decision)]


def undecided_lines(decision: Decision) -> list[str]:
    """Options whose time nobody knows well enough to choose by, and what to do."""
    wide = [o for o in decision.options if is_undecided(o.low_s, o.high_s)]
    if not wide:
        return []
    names = ", ".join(one_line(o.name, 40) for o in wide[:3]) + (f" and {len(wide) - 3} more" if len(wide) > 3 else "")
    widest = max(wide, key=lambda o: o.high_s / o.low_s if o.low_s > 0 else math.inf)
    return [f"{names}: {tell_undecided(widest.low_s, widest.high_s)}"]


def list_left(decision: Decision) -> list[tuple[str, str]]:
    """GPUs that are not to be had, each with its reason; one that cannot serve alone may still be of the fleet."""
    used = {p.option for p in decision.fleet.parts} if decision.fleet is not None else set()
    late = [(o.name, o.why_not) for i, o in enumerate(decision.options) if o.why_not and i not in used]
    return [*decision.left_out, *late]


def age_lines(decision: Decision) -> list[str]:
    """Which prices are older than is good for a purchase, or have no date."""
    by_reason: dict[str, list[str]] = {}
    for o in decision.options:
        price = o.candidate.price
        if price.price_usd is None and price.rent_usd_per_hour is None:
            continue
        days = count_days(price.date)
        if days is None:
            by_reason.setdefault("have no date" if not price.date else "have no exact date", []).append(o.name)
        elif days > OLD_DAYS:
            by_reason.setdefault(f"are older than {OLD_DAYS} days", []).append(o.name)
    lines = []
    for why, names in by_reason.items():
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        lines.append(f"prices {why}: {', '.join(one_line(n, 40) for n in names[:3])}{more}: ask again before you sign")
    return lines


def count_days(text: str) -> int | None:
    """Days since a year, month or day; None where the text is none of them.

    >>> count_days("last week") is None
    True
    """
    if not MONTH.fullmatch(text):
        return None
    year, month, day = ([int(p) for p in text.split("-")] + [1, 1])[:3]
    try:
        return (date.today() - date(year, month, day)).days
    except ValueError:
        return None


def left_lines(decision: Decision) -> list[str]:
    """What is not ranked, and what cannot serve alone, with the reason: a line per reason."""
    lines = []
    late = [(o.name, o.why_not) for o in decision.options if o.why_not]
    pairs = [*((pair, True) for pair in decision.left_out), *((pair, False) for pair in late)]
    for left in dict.fromkeys((reason, out) for (_, reason), out in pairs):
        names = [one_line(n, 60) for (n, reason), out in pairs if (reason, out) == left]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        fate = "not ranked" if left[1] or decision.programme is None else "cannot serve alone"
        lines.append(f"{fate} ({left[0]}): {', '.join(names[:3])}{more}")
    return lines


def assumed_lines(decision: Decision) -> list[str]:
    """What of the numbers is assumed: a line for each kind, with its first text."""
    by_kind: dict[str, list[tuple[str, str]]] = {}
    for o in decision.options:
        for text in o.assumed:
            by_kind.setdefault(text.partition(":")[0], []).append((one_line(o.name, 30), text))
    lines = []
    for rows in by_kind.values():
        names, more = ", ".join(n for n, _ in rows[:3]), f" and {len(rows) - 3} more" if len(rows) > 3 else ""
        texts = list(dict.fromkeys(text for _, text in rows))
        lines.append(f"Assumed for {names}{more}: {texts[0]}{' (others as theirs)' if len(texts) > 1 else ''}")
    return lines


def render_choice(told: Told, width: int = 120, top: int | None = None, notes: bool = False) -> str:
    """The choice as text. notes : all of them, not the first few."""
    decision = told.decision
    count = min(len(decision.options), top or ROWS_SHOWN)
    left = len(decision.options) - count
    table = tabulate(told, count).lines(width) + ([f"… and {left} more (--top)"] if left else [])
    programs = tabulate_programs(told)
    conditions = textwrap.wrap(str(decision.conditions["text"]), width) if decision.conditions else []
    changes = [line for line in change_lines(told) if line not in recommend(told)]
    order = fleet_table(told)
    blocks = [order.lines(width) if order else [], conditions, table, programs.lines(width) if programs else []]
    # Whoever is missed in the ranking is looked for at once.
    missed = left_lines(decision)
    every = [recommend(told), *missed[:1], *changes[:1], *fleet_lines(told), *missed, *changes, *decision.notes]
    every += [terms_text(decision), *notes_of(told)]
    return render_answer(verdict(told), blocks, list(dict.fromkeys(every)), width, every=notes)
