"""A choice as a document that is signed: question, answer, conditions, how sure, sources."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from roofcast.catalog.instances import find_instance
from roofcast.choosing.decision import Decision, Option
from roofcast.choosing.pictures import bind_pictures
from roofcast.choosing.show import (
    SUPERLATIVES,
    Told,
    age_lines,
    assumed_lines,
    change_lines,
    demand_text,
    fleet_lines,
    fleet_table,
    format_total,
    left_lines,
    name_machines,
    recommend,
    sure_lines,
    tabulate,
    tabulate_programs,
    terms_text,
    verdict,
)
from roofcast.core.errors import one_line
from roofcast.kit.output import draw_svg
from roofcast.kit.page import Card, Lead, Page, Section, provenance_section
from roofcast.kit.quantities import (
    count_of,
    format_dollars,
    format_forecast,
    format_interval,
    format_percent,
)

ON_PAPER = 8
"""Candidates in a table on paper at most."""


def choice_page(told: Told) -> Page:
    """The document: question, conditions, answer, how sure, what would change it, sources, signature."""
    decision = told.decision
    pictures = {name: draw_svg(name, draw) for name, draw in bind_pictures(decision).items()}
    programs = tabulate_programs(told)
    asked = decision.workload.question or "Which GPU does this work best?"
    work = ", ".join(one_line(p.name, 60) for p in decision.workload.programs if p.name) or "the kernels of the files"
    conditions = [str(decision.conditions.get("text", "")), terms_text(decision)]
    cards, among = answer_cards(told), count_of(len(decision.options), "GPU")
    sources = [
        f"{names}: {source}" for source, names in (
            (key, ", ".join(one_line(o.name, 40) for o in group)) for key, group in groupby(
                sorted(decision.options, key=source_of), key=source_of))
    ]  # fmt: skip
    sections = [
        Section("Answer", (verdict(told), recommend(told), *fleet_lines(told)), table=fleet_table(told)),
        Section("", picture=pictures["money"]),
        Section("What would change it", tuple(change_lines(told))),
        Section("Question", (asked, f"Work: {work}. Among {among}{count_left(decision)}.")),
        Section("Conditions", tuple(c for c in conditions if c)),
        Section("Each candidate alone", table=tabulate(told, ON_PAPER)),
        Section("", picture=pictures["candidates"]),
        Section("Programs", table=programs, picture=pictures["programs"]),
        Section("How sure", (*sure_lines(decision), *age_lines(decision), *assumed_lines(decision))),
        Section("Sources", (*(f"Prices of {s}" for s in sources if s), *decision.notes, *left_lines(decision))),
        provenance_section(o for t in decision.tables if t is not None for o in t.provenance),
        Section("Decided", ("Date: ____________   Name: ______________________   Signature: ______________________",)),
    ]  # fmt: skip
    filled = tuple(s for s in sections if s.paragraphs or s.picture or (s.table and s.table.rows))
    lead = Lead(verdict(told), " ".join(change_lines(told)[:2]), " ".join(sure_lines(decision)), list_market(decision))
    return Page("Which GPU", tuple(cards), (), filled, style="paper", lead=lead)


def list_market(decision: Decision) -> tuple[dict[str, Any], ...]:
    """GPUs by themselves with the prices that count, as ``--prices`` takes them; None where not known.

    Instances and nodes are left out: their prices are of a whole, which their list or file says.
    """
    rows = []
    for o in sorted(decision.options, key=lambda o: o.name):
        price = o.candidate.price
        if price.gpus == 1 and find_instance(o.name.partition(" (")[0]) is None:
            rows.append({"gpu": o.name, "buy": price.price_usd, "rent": price.rent_usd_per_hour,
                          "power": price.power_w})  # fmt: skip
    return (*rows, {"gpu": ENERGY_ROW, "buy": decision.prices.usd_per_kwh})


ENERGY_ROW = "kWh"
"""What a row of the market and ``--prices`` call the price of energy."""


def answer_cards(told: Told) -> list[Card]:
    """What, how much, how sure, what would change it: the first screen."""
    decision, first = told.decision, told.decision.first
    fleet, cost = decision.fleet, told.cost
    if fleet is None:
        comes = f"{one_line(first.name, 40)} comes nearest: {first.why_not}" if first.why_not else "nothing fits"
        return [Card("Answer", "none", comes)]
    kinds = " + ".join(name_machines(decision.options[p.option], p.count, 40) for p in fleet.parts)
    several = {p.rented for p in fleet.parts} == {True, False}
    ways = told.list_parts() if several else "rent" if fleet.parts[0].rented else "buy"
    in_all = f"{ways}: {count_of(sum(p.count for p in fleet.parts), 'GPU')} in all for {demand_text(decision)}"
    cards = [Card("Answer", kinds, in_all if decision.programme is not None else SUPERLATIVES[decision.best])]
    if cost is not None and decision.programme is not None:
        cards.append(Card(f"Total over {decision.sheet.years:g} years", told.whole_money(cost[0]),
                          f"{format_total(cost[1])}–{format_total(cost[2])} if all times are at the ends of their "
                          "intervals"))  # fmt: skip
        expected = " + ".join(f"{p.count_expected:,}" for p in fleet.parts)
        asked = format_percent(decision.workload.terms.probability, 0)
        counts = f"probability that it serves the demand ({asked} asked); as forecast {expected} would do"
        cards.append(Card("How sure", format_percent(fleet.met or 0.0, 0), counts, plain=True))
    else:
        took = format_forecast(first.time_s, first.low_s, first.high_s)
        cards.append(Card("Time per job", took, format_interval(first.low_s, first.high_s)))
        if first.cost:
            ends = "–".join(format_dollars(v * told.runs) for v in first.cost[1:])
            cards.append(Card(f"Cost per {told.jobs}", told.money(first.cost[0]), ends))
        if first.p_best is not None:
            among = f"among {len(decision.options)} GPUs"
            cards.append(Card("Probability of being best", format_percent(first.p_best, 0), among, plain=True))
    if told.reversal is not None:
        cards.append(Card("What would change it", told.reversal.short, told.reversal.text, plain=True))
    return cards


def source_of(option: Option) -> str:
    """Where a price comes from, with its date."""
    price = option.candidate.price
    if price.price_usd is None and price.rent_usd_per_hour is None:
        return "none stated"
    return f"{price.source or 'stated without a source'}{f' ({price.date})' if price.date else ''}"


def count_left(decision: Decision) -> str:
    """How many were left out."""
    return f"; {len(decision.left_out)} more are not ranked" if decision.left_out else ""
