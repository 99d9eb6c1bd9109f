"""What each option is told as: costs, energy, chances, what binds it, what of it is assumed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from roofcast.catalog.prices import Prices
from roofcast.choosing.candidates import Candidate
from roofcast.choosing.decision import Option, ProgramOption
from roofcast.choosing.ranked import FLEET_DRAWS, Ranked
from roofcast.choosing.sheet import RENTED, SECONDS_PER_DAY, SLACK, Sheet
from roofcast.choosing.workload_file import SURE
from roofcast.core.kernel_table import FloatArray
from roofcast.core.launch_totals import SHARED_PROGRAMS, find_ends_of_targets
from roofcast.core.records import dataclass
from roofcast.kit.quantities import count_of, format_count, format_percent


@dataclass(frozen=True)
class Chances:
    """Probabilities from the draws."""

    best: FloatArray
    """(C,) of being the best that can be had, is in time and fits."""
    deadlines: FloatArray
    """(P, C) of each deadline."""
    deadline: FloatArray
    """(C,) of all of them together."""
    fits: FloatArray
    """(C,) that the limits allow what is needed."""
    served: FloatArray
    """(C,) that the GPUs of each option meet the demand."""
    best_of: FloatArray
    """(P, C) of taking least for one program alone, of those that can be had."""


def find_chances(found: Ranked) -> Chances:
    """What share of the draws says so."""
    drawn, scores, c = found.drawn_sheet, found.drawn, len(found.candidates)
    some = np.isfinite(scores).any(axis=1)
    best = np.bincount(scores.argmin(axis=1)[some], minlength=c) / len(scores)
    met = drawn.meets(found.count)
    least = np.where(found.sheet.able, rate_programs(drawn, found.count), np.inf)
    of_program = np.stack(
        [np.bincount(least[:, p].argmin(axis=1), minlength=c) / len(scores) for p in range(least.shape[1])]
    )
    # Of the draws that GPUs are counted by.
    served = (found.drawn_needs[:FLEET_DRAWS] <= found.count).mean(axis=0)
    fits = (found.drawn_needs <= found.sheet.fits * SLACK).mean(axis=0)
    return Chances(best, met.mean(axis=0), met.all(axis=1).mean(axis=0), fits, served, of_program)


def rate_programs(sheet: Sheet, count: FloatArray) -> FloatArray:
    """(..., P, C) what is to be least, of each program alone; infinite where unknown."""
    amounts = sheet.time_s
    if sheet.best == "cost" and not sheet.counts_money:
        amounts = sheet.costs()
    elif sheet.best == "energy":
        amounts = sheet.time_s * sheet.energy_w
    elif sheet.best == "throughput":
        amounts = sheet.time_s * sheet.gpus[:, None] / np.maximum(count, 1.0)
    return np.asarray(np.nan_to_num(amounts, nan=np.inf))


def make_options(found: Ranked) -> tuple[Option, ...]:
    """Everything said about each candidate."""
    sheet, count, chance = found.sheet, found.count, find_chances(found)
    total, seconds, cost = sheet.average(sheet.time_s), sheet.gpu_seconds(), sheet.average(sheet.costs())
    share = sheet.share[:, None]
    outer = [
        (share * np.stack([getattr(t, n) for t in found.times])).sum(axis=0) for n in ("low_outer_s", "high_outer_s")
    ]
    programs = [tell_programs(found, i, chance) for i in range(len(found.candidates))]
    money = tell_money(found, programs) if sheet.counts_money else None
    limits, expected, fits = bool(np.isfinite(sheet.deadline_s).any()), sheet.needed(), sheet.fits
    options: list[Option] = []
    group = leader = 0
    for i, c in enumerate(found.candidates):
        if i:
            known = found.compare(leader, i)
            if not np.isfinite(found.scores[i]) or math.isnan(known) or known >= SURE:
                group, leader = group + 1, i
        after = found.compare(i, i + 1) if i + 1 < len(found.candidates) else math.nan
        able = bool(sheet.able[i]) and math.isfinite(found.measures[i])
        ends = [float(v[i]) for v in found.ends]
        gpus = whole(count[i]) if math.isfinite(found.scores[i]) or not sheet.asks else None
        of_job = stretch(float(cost[i]), float(total[i]), *ends)
        spent = None if money is None else money[i]
        if money is not None:
            jobs = sheet.jobs
            of_job = None if spent is None or not jobs > 0 else (spent[0] / jobs, spent[1] / jobs, spent[2] / jobs)
        options.append(
            Option(
                candidate=c, count=gpus, time_s=float(total[i]), low_s=ends[0], high_s=ends[1],
                low_outer_s=float(outer[0][i]), high_outer_s=float(outer[1][i]), gpu_seconds=float(seconds[i]),
                jobs_per_day=None if gpus is None else
                float(SECONDS_PER_DAY * sheet.utilisation * (1 - sheet.spares) * gpus / seconds[i]),
                cost=of_job, energy_j=average_energy(programs[i], sheet.share), score=float(found.scores[i]),
                sd=found.sds[i], group=group, beats_next=after, p_best=float(chance.best[i]) if able else None,
                p_deadline=float(chance.deadline[i]) if limits else None,
                p_budget=float(chance.fits[i]) if sheet.limited else None, binds=find_binding(found, i, chance),
                needed=whole(found.sure[i]) if sheet.asks else None, fits=whole(fits[i]),
                break_even_hours=break_even(c, found.prices), programs=programs[i], assumed=tell_assumed(found, i),
                count_expected=whole(expected[i]) if sheet.asks else None, total=spent and spent[:3],
                rented=c.rented if spent is None else spent[3] == RENTED,
                p_met=float(chance.served[i]) if sheet.asks and gpus is not None else None,
                claimed=all(bool(t.claimed[i]) for t in found.times),
                why_not="" if math.isfinite(found.scores[i]) else explain(found, i, chance),
            )
        )  # fmt: skip
    return tuple(options)


def whole(value: float) -> int | None:
    """A count; None where there is none."""
    return round(value) if math.isfinite(value) else None


def tell_money(
    found: Ranked, programs: Sequence[Sequence[ProgramOption]]
) -> list[tuple[float, float, float, int] | None]:
    """Money of each candidate alone over the life, with its ends, and the way to get it; None where it cannot be."""
    totals, work = found.sheet.totals(found.count), found.sheet.work()
    way = totals.argmin(axis=0)
    amounts: list[tuple[float, float, float, int] | None] = []
    for i, w in enumerate(way.tolist()):
        money = float(totals[w, i])
        if not math.isfinite(money) or not math.isfinite(found.scores[i]):
            amounts.append(None)
            continue
        ends = np.array([[p.low_s, p.high_s] for p in programs[i]]).T / found.sheet.time_s[:, i]
        low, high = (work[w, :, i] * (ends - 1)).sum(axis=1).tolist()
        amounts.append((money, money + low, money + high, w))
    return amounts


def tell_programs(found: Ranked, i: int, chance: Chances) -> tuple[ProgramOption, ...]:
    """Each program on one candidate."""
    priced = not found.sheet.counts_money
    costs, known = found.sheet.costs(), np.isfinite(rate_programs(found.sheet, found.count)[:, i])
    rows = []
    for k, (program, times) in enumerate(zip(found.workload.programs, found.times, strict=True)):
        ends = float(times.low_s[i]), float(times.high_s[i])
        time, joules = float(times.time_s[i]), [float(v[i]) * program.gpus for v in times.energies]
        rows.append(
            ProgramOption(
                program, time, *ends, float(times.kernels_s[i]),
                stretch(float(costs[k, i]), time, *ends) if priced else None,
                (joules[0], joules[1], joules[2]) if math.isfinite(joules[0]) else None,
                float(chance.best_of[k, i]) if found.sheet.able[i] and known[k] else None,
                None if program.deadline_s is None else float(chance.deadlines[k, i]), times.limits[i],
                bool(found.sheet.holds[k, i]),
            )
        )  # fmt: skip
    return tuple(rows)


def stretch(value: float, time_s: float, low_s: float, high_s: float) -> tuple[float, float, float] | None:
    """What is proportional to a time, with its ends; None where it is not known."""
    return (value, value * low_s / time_s, value * high_s / time_s) if math.isfinite(value) else None


def average_energy(programs: Sequence[ProgramOption], share: FloatArray) -> tuple[float, float, float] | None:
    """J of the average job with its ends; None where some program's is not known."""
    known = [p.energy_j for p in programs if p.program.weight > 0]
    if any(e is None for e in known):
        return None
    values = np.array(known, float) * share[share > 0][:, None]
    joules, least, most = (v[:, None] for v in values.T)
    low, high = find_ends_of_targets(joules, least, most, shared=SHARED_PROGRAMS if len(known) > 1 else 1.0)
    return float(values[:, 0].sum()), float(low[0]), float(high[0])


def tell_assumed(found: Ranked, i: int) -> tuple[str, ...]:
    """What of a candidate's numbers nobody measured or stated."""
    c, terms = found.candidates[i], found.workload.terms
    sentences = []
    if c.price.is_launch_price:
        sentences.append(f"price: launch price of {c.price.date or 'unknown date'}, not today's")
    paid = not c.rented and c.hourly is not None and found.sheet.energy_usd[i] > 0
    if not c.rented and c.hourly is not None and found.prices.usd_per_kwh is None:
        sentences.append("energy: at no cost, as no usd_per_kwh is stated")
    if paid and not np.isfinite(found.sheet.energy_w[:, i]).all():
        power, origin = c.price.power_w, "board power" if c.price.is_board_power else "stated power"
        unknown = "energy: not in the cost, its power is unknown"
        sentences.append(f"energy: {origin} of {power:g} W all the time" if power else unknown)
    if c.price.is_board_power and found.workload.limits.power_w is not None and not c.rented:
        sentences.append(f"power: board power of {c.price.power_w:g} W" if c.price.power_w else "power: unknown")
    if c.hourly is not None and c.rented and terms.utilisation < 1:
        sentences.append("rent: of the hours worked alone")
    return tuple(sentences)


def find_binding(found: Ranked, i: int, chance: Chances) -> str | None:
    """What decides how many GPUs of a kind there are, as a sentence; None where nothing does."""
    sheet, why = found.sheet, "" if math.isfinite(found.scores[i]) else explain(found, i, chance)
    if why:
        return why
    if not sheet.asks:
        return name_limit(found, i, found.count[i] + sheet.unit[i]) if sheet.limited else None
    count, sure = whole(found.sure[i]), format_percent(found.workload.terms.probability, 0)
    needs = [need.sum(axis=-2)[i] for _, need in sheet.list_needs()]
    who = sheet.list_needs()[int(np.argmax(needs))][0]
    if max(needs) <= sheet.gpus.max() and count == round(sheet.gpus.max()):
        return f"one job takes {count_of(round(sheet.gpus.max()), 'GPU')}"
    if sheet.per_day and len(who) == int((sheet.weight > 0).sum()) and not sheet.divides[list(who)].any():
        return f"{format_count(sheet.weight.sum())} jobs a day need {count} to be {sure} sure"
    return f"its deadline needs {count} to be {sure} sure"


def name_limit(found: Ranked, i: int, wanted: float) -> str:
    """Which limit does not allow so many GPUs of a candidate, as a sentence."""
    sheet, currency = found.sheet, found.workload.terms.currency
    known = np.isfinite(sheet.use_of()[:, :, i]).all(axis=0)
    way = int(np.where(known, sheet.fits_of()[:, i], -1.0).argmax())
    named = (("budget", currency), ("power", "W"), ("rack", "U"))
    for (name, unit), use, limit in zip(named, sheet.use_of()[:, way, i], sheet.stakes.limits, strict=True):
        if np.isfinite(limit) and wanted * use > limit * SLACK:
            return f"the {name} of {limit:,.0f} {unit} allows {int(sheet.unit[i] * (limit / use // sheet.unit[i]))}"
    return "the limits together allow no more"


def explain(found: Ranked, i: int, chance: Chances) -> str:
    """Why a candidate cannot be the choice."""
    c, sheet, sure = found.candidates[i], found.sheet, found.workload.terms.probability
    if not sheet.able[i]:
        return f"available from {c.price.available}"
    if not sheet.holds[:, i].all():
        small = [p.name for p, fits in zip(found.workload.programs, sheet.holds[:, i], strict=True) if not fits]
        return f"has too little memory for {' and '.join(small)}"
    if sheet.asks and not math.isfinite(found.sure[i]):
        late = int(chance.deadlines[:, i].argmin())
        name, met = found.workload.programs[late].name or "a job", format_percent(chance.deadlines[late, i], 0)
        least = format_percent(sure, 0)
        return f"deadline of {name} met with {met} probability, less than the {least} asked"
    if sheet.best == "cost" and c.price.capital_usd is None and c.price.rent_usd_per_hour is None:
        return "no price: state one with --prices or --candidates"
    if not math.isfinite(found.measures[i]) and not sheet.limited:
        return f"its {sheet.best} is unknown"
    if math.isfinite(found.count[i]) and found.count[i] > sheet.fits[i]:
        return f"{name_limit(found, i, found.count[i])} of {round(found.count[i])} needed"
    return "the deadline is missed"


def break_even(candidate: Candidate, prices: Prices) -> float | None:
    """Hours of work from which buying costs less than renting; infinite where renting never costs more."""
    price = candidate.price
    if price.capital_usd is None or price.rent_usd_per_hour is None:
        return None
    running = (price.drawn_w or 0.0) / 1000.0 * prices.power_factor * (prices.usd_per_kwh or 0.0)
    saved = price.rent_usd_per_hour - running
    return price.capital_usd / saved if saved > 0 else math.inf
