"""What would change a choice: prices, terms, weights and forecast errors at which another candidate is best; what one
more profile is worth; when buying or waiting pays.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.choosing.candidates import make_candidate
from roofcast.choosing.chances import sigma
from roofcast.choosing.decision import Decision, Option
from roofcast.choosing.holdings import pick_offers
from roofcast.choosing.programme import Fleet, Offers
from roofcast.choosing.ranked import count_sure, make_programme, price_arrays
from roofcast.choosing.sheet import DAYS_PER_YEAR, Sheet
from roofcast.choosing.workload_file import Program
from roofcast.core.absent import quietly
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.launch_totals import name_board
from roofcast.core.normal import share_below
from roofcast.core.records import dataclass
from roofcast.forecasting.forecast import forecast
from roofcast.kit.quantities import format_count, format_dollars, format_factor, format_percent, in_percent
from roofcast.kit.table import rank_longest
from roofcast.reports.next_measurement import Narrowing, rank_narrowings

ALIKE = 0.005
"""Part of a time by which candidates that differ less are as good."""
REACH = 10.0
"""By which factor a number is changed to either side."""
STEPS = 60
"""Values of a number that are tried before the flip is bisected."""
FAR, HALVINGS = 3.0, 3
"""By which factor demand and speeds are changed where each is a programme of its own, and how often the way to the
nearest value that flips is halved then."""
BETTER = 0.005
"""Part of the money that another answer has to save there: less is within what the draws tell."""
OFFERS_AGAIN = 8
"""Candidates, those that cost least alone, that the programme is solved again for."""
CROSSINGS, ALIKE_MONEY = 10, 1e-7
"""Fleets that are compared at most to find where a price changes the answer."""
RIVALS, RIVALS_SOLVED = 6, 2
"""Candidates below the choice whose prices and errors are changed."""
RUNS = 3
"""Candidates that a run is weighed on."""
RANKED, INNER, OUTER = 12, 1000, 60
"""Candidates that a saving is about, draws of what stays unknown, draws of what becomes known."""
Answer = frozenset[tuple[int, bool]]
"""Positions of the options that are to be had, and whether they are rented."""
PROFILES = 3
"""Programs with most of the score that a further measurement is asked for."""
WORTH_LEAST = 1e-3
"""Part of what is to be least that knowing all times is worth, below which no measurement is asked for."""
MONTHS = 12.0
"""Months in a year."""


@dataclass(frozen=True)
class Flip:
    """One number with the value at which the choice changes."""

    of: str
    """price, rent, utilisation, years, energy price, weight or forecast."""
    name: str
    """Candidate or program that it is of; '' of none."""
    now: float
    at: float
    to: str
    """Candidate that is best from there."""
    text: str
    probability: float | None = None
    """Of a forecast's error: that it is so large."""

    @property
    def short(self) -> str:
        """The headline says what has to change, and by how much: "price of L40S −8 %"."""
        what = f"{self.of} of {self.name}" if self.name else self.of.removeprefix("the ")
        what = f"speed of {self.name}" if self.of == "forecast" else what
        part = 1 / self.at - 1 if self.of == "forecast" else self.at / self.now - 1
        far = format_percent(abs(part), 0) if abs(part) >= 0.005 else "under 1 %"
        return f"{what} {'+' if part > 0 else '−'}{far}"

    @property
    def distance(self) -> float:
        """How far it is, as the logarithm of a factor."""
        return abs(math.log(self.at / self.now))


@dataclass(frozen=True)
class Knob:
    """A number that can be changed."""

    of: str
    name: str
    now: float
    apply: Callable[[float], Sheet]
    show: Callable[[float], str]
    most: float = math.inf
    signs: tuple[float, ...] = (1.0, -1.0)
    """Up, down."""
    moves_money: bool = True
    """Whether it leaves times and demand as they are."""


@dataclass(frozen=True)
class Worth:
    """What it is worth to know one thing before the choice."""

    program: str
    what: str
    how: str
    width: float
    """High over low of the longest kernels, in the middle, now."""
    width_then: float
    per_job: float
    """Of what is to be least, expected, per average job."""
    over_life: float | None
    """The same of all jobs of the years stated; None without."""


@dataclass(frozen=True)
class Waiting:
    """An announced candidate beside the choice."""

    name: str
    available: str
    months: float
    """From the start until it can be had."""
    months_at_most: float | None
    """Until which waiting pays; infinite where it always does; None where it never does or nothing says."""
    text: str
    score: float


def find_flips(decision: Decision) -> list[Flip]:
    """Where the choice changes, the nearest first."""
    if answer_of(decision) is None:
        return []
    flips = [flip for knob in list_knobs(decision) for flip in find_changes(decision, knob)]
    return sorted(flips, key=lambda f: f.distance)


def answer_of(decision: Decision) -> Answer | None:
    """Which candidates are to be had, which of them rented; None where nothing can be."""
    if decision.programme is None:
        mixed = decision.fleet is not None and len(decision.fleet.parts) > 1
        return frozenset({(0, False)}) if math.isfinite(decision.first.score) and not mixed else None
    return None if decision.fleet is None else frozenset((p.option, p.rented) for p in decision.fleet.parts)


def solve_again(sheet: Sheet, decision: Decision) -> tuple[Answer, tuple[Offers, Fleet] | None] | None:
    """The answer once numbers of the sheet are others: the programme is solved again."""
    if decision.programme is None:
        scores = sheet.scores(decision.counts)
        return (frozenset({(int(scores.argmin()), False)}), None) if np.isfinite(scores).any() else None
    offers = pick_offers(sheet, decision.counts, OFFERS_AGAIN)
    fleet = decision.programme.solve(offers) if len(offers.kind) else None
    if fleet is None:
        return None
    used = np.flatnonzero(fleet.units).tolist()
    return frozenset((int(offers.kind[k]), bool(offers.rented[k])) for k in used), (offers, fleet)


def find_changes(decision: Decision, knob: Knob) -> Iterator[Flip]:
    """The nearest value to either side from which another answer is best."""
    for sign in knob.signs:
        most = knob.now * REACH**sign
        most = min(most, knob.most) if sign > 0 else most
        if most == knob.now:
            continue
        if decision.programme is None:
            yield from bisect(decision, knob, most)
        elif knob.moves_money:
            yield from cross(decision, knob, most)
        else:
            yield from step(decision, knob, sign)


def bisect(decision: Decision, knob: Knob, most: float) -> Iterator[Flip]:
    """Where another candidate becomes best: with it on one side, without on the other."""
    base, values = answer_of(decision), np.geomspace(knob.now, most, STEPS)
    last, solved = knob.now, None
    for value in values[1:].tolist():
        solved = solve_again(knob.apply(value), decision)
        if solved is None or solved[0] != base:
            break
        last = value
    if solved is None or solved[0] == base:
        return
    near, far, answer = last, value, solved[0]
    while abs(far / near - 1) > 1e-9:
        middle = math.sqrt(near * far)
        at = solve_again(knob.apply(middle), decision)
        if at is not None and at[0] == base:
            near = middle
        else:
            far, answer = middle, answer if at is None else at[0]
    yield tell_flip(decision, knob, far, answer)


def cross(decision: Decision, knob: Knob, most: float) -> Iterator[Flip]:
    """Where a price makes another fleet cheaper.

    The money of a fleet is a straight line in a price. From the fleet that is best at the far end, the programme is
    solved again where its line crosses that of the present answer, until nothing is cheaper there.
    """
    base, plan = answer_of(decision), decision.fleet.plan if decision.fleet is not None else None
    there = solve_again(knob.apply(most), decision)
    if there is None or there[0] == base or there[1] is None or plan is None:
        return
    answer, rival = there[0], there[1]
    for _ in range(CROSSINGS):
        gaps = [money_at(decision, knob, v, *rival) - money_at(decision, knob, v, *plan) for v in (knob.now, most)]
        if not gaps[0] > 0 > gaps[1]:
            return
        at = knob.now + (most - knob.now) * gaps[0] / (gaps[0] - gaps[1])
        solved = solve_again(knob.apply(at), decision)
        if solved is None or solved[1] is None:
            return
        if money_at(decision, knob, at, *solved[1]) >= money_at(decision, knob, at, *plan) * (1 - ALIKE_MONEY):
            # A hair beyond, where the other answer is the cheaper one.
            yield tell_flip(decision, knob, at + (most - knob.now) * 1e-6, answer)
            return
        if solved[0] == base:
            plan = solved[1]
        else:
            answer, rival = solved[0], solved[1]


def money_at(decision: Decision, knob: Knob, value: float, offers: Offers, fleet: Fleet) -> float:
    """Money of a fleet at another value of a price, its jobs where they were."""
    sheet = knob.apply(value)
    fixed, work, way = sheet.fixed(), sheet.work(), offers.rented.astype(int)
    used = np.flatnonzero(fleet.units)
    hours_money = fixed[way, offers.kind] * offers.unit * fleet.units
    return float(sum(hours_money[k] + (work[way[k], :, offers.kind[k]] * fleet.shares[:, k]).sum() for k in used))


def step(decision: Decision, knob: Knob, sign: float) -> Iterator[Flip]:
    """About the nearest demand or speed at which another answer costs less: each is a programme of its own to solve."""
    near, far = knob.now, min(knob.now * FAR**sign, knob.most)
    answer = beat(decision, knob.apply(far))
    for _ in range(HALVINGS if answer is not None else 0):
        middle = math.sqrt(near * far)
        better = beat(decision, knob.apply(middle))
        near, far, answer = (middle, far, answer) if better is None else (near, middle, better)
    if answer is not None:
        yield tell_flip(decision, knob, far, answer)


def beat(decision: Decision, sheet: Sheet) -> Answer | None:
    """The answer once demand or times are others, if it saves money over the best fleet of what is the answer now."""
    base, sure = answer_of(decision) or frozenset(), decision.workload.terms.probability
    programme = make_programme(sheet, decision.log_errors, sure)
    offers = pick_offers(sheet, count_sure(sheet, decision.log_errors, sure), OFFERS_AGAIN)
    lines = [k for k, o in enumerate(zip(offers.kind.tolist(), offers.rented.tolist(), strict=True)) if o in base]
    present = programme.solve(offers.select(np.array(lines, np.intp)), gap=BETTER / 4) if lines else None
    fleet = programme.solve(offers, gap=BETTER)
    if fleet is None or (present is not None and fleet.money >= present.money * (1 - BETTER)):
        return None
    used = np.flatnonzero(fleet.units).tolist()
    answer = frozenset((int(offers.kind[k]), bool(offers.rented[k])) for k in used)
    return None if answer <= base else answer


def name_answer(decision: Decision, answer: Answer) -> str:
    """An answer by the names of its GPUs."""
    both = {i for i, _ in answer}
    names = []
    for i, rented in sorted(answer):
        option = decision.options[i]
        other = decision.programme is not None and rented != option.rented
        several = other or len(both) < len(answer)
        names.append(option.name + ((" rented" if rented else " bought") if several else ""))
    return " + ".join(names)


def tell_flip(decision: Decision, knob: Knob, at: float, answer: Answer) -> Flip:
    """A flip in words."""
    base = answer_of(decision)
    first, to = name_answer(decision, base or frozenset()), name_answer(decision, answer)
    moves = "rises above" if at > knob.now else "falls below"
    beyond = f"{moves} {knob.show(at)} (now {knob.show(knob.now)})"
    probability = None
    if knob.of == "forecast":
        option = next(o for o in decision.options if o.name == knob.name)
        far = math.log(at) / option.sd if option.sd > 0 else math.copysign(math.inf, math.log(at))
        probability = share_below(-abs(far))
        slow, factor = "slower" if at > 1 else "faster", format_factor(max(at, 1 / at)).removesuffix("x")
        chance = "below 1 %" if probability < 0.01 else format_percent(probability, 0)
        who = "it" if to == knob.name else knob.name
        text = f"{to} wins if {who} is {slow} than forecast by a factor of {factor} (probability {chance})"
        if abs(math.log(at)) < ALIKE:
            text = f"{to} is as good within {format_percent(ALIKE)}"
    elif knob.name == first and knob.of != "weight":
        text = f"{first} loses to {to} if its {knob.of} {beyond}"
    elif knob.of == "weight":
        text = f"{to} wins if the weight of {knob.name} {beyond}"
    else:
        whose = f"its {knob.of}" if knob.name == to else f"the {knob.of} of {knob.name}" if knob.name else knob.of
        text = f"{to} wins if {whose} {beyond}"
    return Flip(knob.of, knob.name, knob.now, at, to, text, probability)


def show_money(decision: Decision, unit: str) -> Callable[[float], str]:
    """What shows amounts of money."""
    return lambda value: f"{format_dollars(value)} {decision.workload.terms.currency}{unit}"


def list_knobs(decision: Decision) -> Iterator[Knob]:
    """Everything that can be changed."""
    sheet, solved = decision.sheet, decision.programme is not None
    chosen = {i for i, _ in answer_of(decision) or ()}
    rivals = [i for i in range(len(decision.options)) if i not in chosen][: RIVALS_SOLVED if solved else RIVALS]
    near = sorted([*chosen, *rivals])
    if decision.best == "cost":
        for i in near:
            yield from price_knobs(decision, i, i in chosen)
        yield from term_knobs(decision)
    if sheet.counts_money and sheet.per_day:
        total = float(sheet.weight.sum())
        yield Knob("the jobs of a day", "", total,
                   lambda v: dataclasses.replace(sheet, weight=sheet.weight * (v / total)), format_count,
                   moves_money=False)  # fmt: skip
    elif len(sheet.weight) > 1:
        for p, program in enumerate(decision.workload.programs):
            if program.weight > 0:
                yield Knob("weight", program.name, program.weight, partial(with_weight, sheet, p), "{:.3g}".format)
    boards = [name_board(o.candidate.processor) for o in decision.options]
    if solved and decision.fleet is not None:
        near = [*(p.option for p in decision.fleet.parts), *rivals]
    for i in near:
        # A forecast errs for all candidates with that board alike.
        if decision.options[i].sd > 0 and sheet.able[i] and boards.index(boards[i]) == i:
            alike = np.array([b == boards[i] for b in boards])
            change = partial(with_error, sheet, alike)
            signs = ((1.0,) if i in chosen else (-1.0,)) if solved else (1.0, -1.0)
            yield Knob(
                "forecast", decision.options[i].name, 1.0, change, "{:.3g}".format, signs=signs, moves_money=False
            )


def price_knobs(decision: Decision, i: int, chosen: bool) -> Iterator[Knob]:
    """The prices that a candidate's costs rest on; dearer matters of what is chosen, cheaper of the others."""
    candidate, solved = decision.options[i].candidate, decision.programme is not None
    price, signs = candidate.price, (1.0,) if chosen else (-1.0,)
    known = candidate.hourly is not None or solved
    parts = decision.fleet.parts if solved and decision.fleet is not None else ()
    held = {p.rented for p in parts if p.option == i} or {True, False}
    if True in held and price.rent_usd_per_hour and known and (solved or candidate.hourly == price.rent_usd_per_hour):
        yield Knob("rent", candidate.name, price.rent_usd_per_hour,
                   lambda v: with_costs(decision, i, {"rent_usd_per_hour": v}),
                   show_money(decision, "/h" if price.gpus == 1 else "/h per GPU"), signs=signs)  # fmt: skip
        if not solved:
            return
    if False in held and price.price_usd and known:
        yield Knob("price", candidate.name, price.price_usd,
                   lambda v: with_costs(decision, i, {"price_usd": v}), show_money(decision, ""),
                   signs=signs)  # fmt: skip


def term_knobs(decision: Decision) -> Iterator[Knob]:
    """Life, utilisation and the price of energy, where something is bought."""
    terms, kwh = decision.workload.terms, decision.prices.usd_per_kwh
    if terms.years is not None:
        if not decision.sheet.counts_money:
            yield Knob("utilisation", "", terms.utilisation, lambda v: with_costs(decision, terms={"utilisation": v}),
                       in_percent(0), 1.0, moves_money=False)  # fmt: skip
        yield Knob("the life in years", "", terms.years, lambda v: with_costs(decision, terms={"years": v}),
                   "{:.3g}".format)  # fmt: skip
    if kwh:
        yield Knob("the price of energy", "", kwh, lambda v: with_costs(decision, kwh=v), show_money(decision, "/kWh"))


def with_costs(
    decision: Decision, i: int = -1, price: Mapping[str, Any] = MappingProxyType({}),
    terms: Mapping[str, Any] = MappingProxyType({}), kwh: float | None = None,
) -> Sheet:  # fmt: skip
    """Other costs of GPUs' hours; what is bought may be rented then, and more or fewer fit the limits.

    price : fields of the price of candidate ``i`` that change. terms : those of the terms. kwh : price of energy.
    """
    others = dataclasses.replace(decision.workload.terms, **terms)
    prices = decision.prices if kwh is None else dataclasses.replace(decision.prices, usd_per_kwh=kwh)
    repriced = [
        make_candidate(o.name, o.candidate.processor,
                       dataclasses.replace(o.candidate.price, **(price if k == i else {})), prices, others)
        for k, o in enumerate(decision.options)
    ]  # fmt: skip
    return dataclasses.replace(decision.sheet, **price_arrays(repriced, prices, others, decision.workload.limits))


def with_weight(sheet: Sheet, p: int, value: float) -> Sheet:
    """Another weight of one program."""
    weight = sheet.weight.copy()
    weight[p] = value
    return dataclasses.replace(sheet, weight=weight)


def with_error(sheet: Sheet, alike: NDArray[np.bool_], factor: float) -> Sheet:
    """Candidates that take another time than forecast."""
    return sheet.with_times(np.where(alike, factor, 1.0))


def value_measurements(decision: Decision) -> list[Worth]:
    """What one more measurement is worth before the choice, the most first.

    Of each of the longest programs: the first of what would narrow its forecast for the choice most; with a demand also
    a run of it on each of the first candidates.
    """
    if not math.isfinite(decision.first.score) or not weigh_all(decision) > WORTH_LEAST * decision.first.score:
        return []
    spent = decision.sheet.time_s[:, 0] * decision.sheet.share
    worths = []
    for p in rank_longest(spent, PROFILES):
        program, table = decision.workload.programs[p], decision.tables[p]
        narrowing = None if table is None else find_narrowing(decision, program, table)
        if narrowing is not None:
            worths.append(weigh(decision, p, *narrowing))
        if decision.programme is not None:
            worths += [weigh_run(decision, p, i) for i in range(min(RUNS, len(decision.options)))]
    return sorted(worths, key=lambda w: -w.per_job)


def weigh_run(decision: Decision, p: int, i: int) -> Worth:
    """The expected value of running one job of program p on candidate i before the choice: its time is known then."""
    option = decision.options[i]
    row = option.programs[p]
    board = name_board(option.candidate.processor)
    part = np.zeros(decision.sheet.time_s.shape)
    part[p] = [float(name_board(o.candidate.processor) == board) for o in decision.options]
    saved = save(decision, part)
    jobs = decision.sheet.jobs
    name = decision.workload.programs[p].name
    how = f"rent one {option.candidate.processor.name} for an hour and run {name or 'a job'}"
    return Worth(name, f"its time on {option.candidate.processor.name}", how, row.high_s / row.low_s, 1.0,
                 saved / jobs if jobs > 0 else saved, saved)  # fmt: skip


def save(decision: Decision, part: FloatArray) -> float:
    r"""Expected saving of choosing once parts of the standard deviations of the errors are known, of one kind of GPU.

    .. math:: V = \min_c M_c(N_c) - E_x\left[\min_c M_c(N_c(x))\right]

    M : money over the life of N GPUs. N(x) : GPUs that meet the demand with the probability asked, once the part x of
    the errors is known: fewer are bought for safety, or others. part : (P, C) of the standard deviations, 0 to 1.
    """
    sure, z = decision.workload.terms.probability, decision.log_errors
    ranked = np.flatnonzero(np.isfinite(decision.counts))[:RANKED]
    sheet, z, part = decision.sheet.select(ranked), z[:, :, ranked], part[:, ranked]
    # The rest of the errors is drawn apart from what becomes known; the same draws without knowledge to compare.
    left = np.exp(np.sqrt(1 - part**2) * z[:INNER])

    def least(known: FloatArray, rest: FloatArray) -> float:
        needed = sheet.with_times(known * rest).needed()
        rank = math.ceil(sure * len(rest) - 1e-9) - 1
        return float(sheet.totals(np.partition(needed, rank, axis=0)[rank]).min())

    now = least(np.ones(part.shape), np.exp(z[:INNER]))
    then = [least(np.exp(part * x), left) for x in z[INNER : INNER + OUTER]]
    sound = [v for v in then if math.isfinite(v)]
    return max(0.0, now - float(np.mean(sound))) if sound and math.isfinite(now) else 0.0


def find_narrowing(decision: Decision, program: Program, table: KernelTable) -> tuple[Narrowing, float] | None:
    """What would narrow a program's forecast for the choice most, with the width that it has now."""
    how = {**decision.how, "source": program.source}
    try:
        whole = forecast(table, [decision.first.candidate.processor], **how)
        ranked = rank_narrowings(whole)
    except RoofcastError:
        return None
    with quietly():
        widths = whole.estimate.time_high_s / whole.estimate.time_low_s
    known = widths[np.isfinite(widths)]
    width = float(np.median(known)) if known.size else math.nan
    return (ranked[0], width) if ranked and width > 1 else None


def weigh(decision: Decision, p: int, narrowing: Narrowing, width: float) -> Worth:
    r"""The expected value of one measurement of program p before the choice.

    .. math:: V = C_0 - E\left[\min_c C_c(x)\right], \quad x \sim N(0, s^2 - s'^2)

    C : what is to be least, with the part x of the errors that the measurement takes away known. C_0 : the same
    expectation of the candidate that would be chosen without it. s, s' : standard deviations now and then, whose ratio
    is that of the widths' logarithms.
    """
    then = min(float(np.nanmedian(narrowing.width)), width)
    left = math.log(max(then, 1.0)) / math.log(width)
    known = math.sqrt(max(1.0 - left**2, 0.0)) * share_of_kernels(decision, p, width)
    terms, name = decision.workload.terms, decision.workload.programs[p].name
    if decision.programme is not None:
        part = np.zeros(decision.sheet.time_s.shape)
        part[p] = known
        saved, jobs = save(decision, part), decision.sheet.jobs
        per_job = saved / jobs if jobs > 0 else saved
        return Worth(name, narrowing.what, narrowing.how, width, then, per_job, saved)
    expected = resolve(decision, p, known)
    jobs = float(decision.sheet.weight.sum()) if decision.workload.per_day else decision.first.jobs_per_day or 0.0
    life = None if terms.years is None else expected * jobs * DAYS_PER_YEAR * terms.years
    return Worth(name, narrowing.what, narrowing.how, width, then, expected, life if decision.best == "cost" else None)


def share_of_kernels(decision: Decision, p: int, width: float) -> float:
    """Part of the standard deviation of a program's errors that its kernels' forecasts make: the host has its own."""
    row = decision.first.programs[p]
    if row.limit == "host":
        # What the host bounds no profile of kernels narrows.
        return 0.0
    spread = sigma(row.low_s, row.high_s, decision.coverage)
    if row.kernels_s >= row.time_s or not spread > 0:
        return 1.0
    return min(1.0, row.kernels_s / row.time_s * sigma(1.0, width, decision.coverage) / spread)


def resolve(decision: Decision, p: int | None, part: float) -> float:
    """Expected gain of choosing once a part of the standard deviation of program p's errors (None: of all) is known."""
    z = decision.log_errors if p is None else np.zeros_like(decision.log_errors)
    if p is not None:
        z[:, p] = decision.log_errors[:, p]
    known = decision.sheet.with_times(np.exp(part * z))
    scores = known.scores(decision.counts)
    first = scores[:, 0]
    sound = np.isfinite(first)
    return float((first[sound] - scores[sound].min(axis=1)).mean()) if sound.any() else 0.0


def weigh_all(decision: Decision) -> float:
    """Expected gain of choosing with all times known: the most that any measurement is worth."""
    known = math.isfinite(decision.first.score) and len(decision.options) > 1
    if decision.programme is not None:
        if not np.isfinite(decision.counts).any():
            return 0.0
        return save(decision, np.ones(decision.sheet.time_s.shape))
    return resolve(decision, None, 1.0) if known else 0.0


def months_between(start: str, end: str) -> float:
    """Months from one date to another, whose missing parts are their first.

    >>> months_between("2026-12-01", "2027-06"), months_between("2027", "2026")
    (6.0, -12.0)
    """

    def number(text: str) -> float:
        year, month, day = ([int(p) for p in text.split("-")] + [1, 1])[:3]
        return MONTHS * year + month + (day - 1) / 30.4375

    return number(end) - number(start)


def weigh_waiting(decision: Decision) -> list[Waiting]:
    r"""Whether waiting for an announced candidate pays.

    .. math:: m^* = h \frac{C_1 - C_a}{C_r - C_a}

    m* : months of waiting from which it does not pay. h : months of the years stated. C_1, C_a : what is to be least,
    of the choice and of the announced candidate. C_r : the same of the best rented candidate that bridges the wait;
    where the choice is rented itself, waiting costs nothing and pays if the announced one is better.
    """
    sheet, terms = decision.sheet, decision.workload.terms
    later = [i for i, able in enumerate(sheet.able.tolist()) if not able]
    if not later or not math.isfinite(decision.first.score):
        return []
    count = decision.counts
    scores = dataclasses.replace(sheet, able=np.ones(len(count), np.bool_)).scores(count)
    bridge = find_bridge(decision, count)
    waitings = []
    for i in later:
        option = decision.options[i]
        months = months_between(terms.begins, option.candidate.price.available)
        score, first = float(scores[i]), float(scores[0])
        waitings.append(tell_waiting(decision, option, months, score, first, bridge))
    return waitings


def find_bridge(decision: Decision, count: FloatArray) -> float | None:
    """What is to be least of the best GPU that can be rented now; the budget of all years is no matter of a bridge."""
    rents = [o.candidate.price.rent_usd_per_hour or math.nan for o in decision.options]
    stakes = dataclasses.replace(decision.sheet.stakes, capital=np.full(len(rents), math.nan),
                                 limits=np.full(3, math.inf))  # fmt: skip
    sheet = dataclasses.replace(decision.sheet, hourly=np.array(rents), energy_usd=np.zeros(len(rents)), stakes=stakes)
    can = sheet.able & sheet.meets(count).all(axis=0) & np.isfinite(rents)
    return float(sheet.measure(count)[can].min()) if can.any() else None


def tell_waiting(
    decision: Decision, option: Option, months: float, own: float, first: float, bridge: float | None
) -> Waiting:
    """What waiting for one announced candidate brings, in words."""
    years, name, when = decision.workload.terms.years, option.name, option.candidate.price.available
    if not own < first:
        why = "would not be better" if math.isfinite(own) else f"could not be the choice ({decision.best} or limits)"
        return Waiting(name, when, months, None, f"waiting for {name} ({when}) does not pay: it {why}", own)
    gain = format_percent(1 - own / first, 0)
    if decision.best != "cost" or years is None:
        text = f"{name} ({when}) would be better by {gain}; state years and costs to weigh the wait"
        return Waiting(name, when, months, None, text, own)
    if decision.first.candidate.rented:
        text = (
            f"waiting for {name} ({when}) pays: {decision.first.name} is rented until then, and it is cheaper by {gain}"
        )
        return Waiting(name, when, months, math.inf, text, own)
    if bridge is None:
        text = f"{name} ({when}) would be cheaper by {gain}, but nothing is rented that bridges {months:.1f} months"
        return Waiting(name, when, months, None, text, own)
    most = MONTHS * years * (first - own) / (bridge - own)
    verdict = "pays" if months <= most else "does not pay"
    wait = f"waiting for {name} ({when}, {months:.1f} months)"
    text = f"{wait} {verdict}: with a rented bridge it pays up to {most:.1f} months"
    return Waiting(name, when, months, most, text, own)
