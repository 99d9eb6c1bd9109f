"""What would change a choice: prices, terms, weights and forecast errors at which another candidate is best; what one
more profile is worth; when buying or waiting pays.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.analyses.choosing.candidates import Candidate, make_candidate
from roofcast.analyses.choosing.chances import sigma
from roofcast.analyses.choosing.decision import Decision, Option, fits_of
from roofcast.analyses.choosing.sheet import Sheet
from roofcast.analyses.choosing.workload_file import Program
from roofcast.analyses.report.next_measurement import Narrowing, rank_narrowings
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.launch_totals import name_board
from roofcast.forecasting.forecast import forecast
from roofcast.kit.quantities import format_dollars, format_factor, format_percent, in_percent

ALIKE = 0.005
"""Part of a time by which candidates that differ less are as good."""
REACH = 10.0
"""By which factor a number is changed to either side."""
STEPS = 60
"""Values of a number that are tried before the flip is bisected."""
RIVALS = 6
"""Candidates below the choice whose prices and errors are changed."""
PROFILES = 3
"""Programs with most of the score that a further measurement is asked for."""
WORTH_LEAST = 1e-3
"""Part of what is to be least that knowing all times is worth, below which no measurement is asked for."""
DAYS_PER_YEAR, MONTHS = 365.25, 12.0


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
    if not math.isfinite(decision.first.score):
        return []
    found = [flip for knob in list_knobs(decision) for flip in bisect(decision, knob)]
    return sorted(found, key=lambda f: f.distance)


def best_of(sheet: Sheet, decision: Decision) -> int:
    """Position of the best candidate; that of the choice where nothing can be had any more."""
    count = counts_of(decision)
    scores = sheet.scores(count)
    return int(scores.argmin()) if np.isfinite(scores).any() else -1


def counts_of(decision: Decision) -> FloatArray:
    """(C,) GPUs of each option."""
    return np.array([float(o.count) for o in decision.options])


def bisect(decision: Decision, knob: Knob) -> Iterator[Flip]:
    """The nearest value to either side from which another candidate is best."""
    for sign in (1.0, -1.0):
        most = knob.now * REACH**sign
        if sign > 0:
            most = min(most, knob.most)
        if most == knob.now:
            continue
        values = np.geomspace(knob.now, most, STEPS)
        last = knob.now
        for value in values[1:].tolist():
            now = best_of(knob.apply(value), decision)
            if now != 0:
                break
            last = value
        else:
            continue
        if now < 0:
            continue
        near, far = last, value
        while abs(far / near - 1) > 1e-9:
            middle = math.sqrt(near * far)
            at = best_of(knob.apply(middle), decision)
            near, far, now = (middle, far, now) if at == 0 else (near, middle, at)
        if now > 0:
            yield tell_flip(decision, knob, far, decision.options[now])


def tell_flip(decision: Decision, knob: Knob, at: float, to: Option) -> Flip:
    """A flip in words."""
    first, moves = decision.first, "rises above" if at > knob.now else "falls below"
    beyond = f"{moves} {knob.show(at)} (now {knob.show(knob.now)})"
    probability = None
    if knob.of == "forecast":
        option = next(o for o in decision.options if o.name == knob.name)
        far = math.log(at) / option.sd if option.sd > 0 else math.copysign(math.inf, math.log(at))
        probability = NormalDist().cdf(-abs(far))
        slow, factor = "slower" if at > 1 else "faster", format_factor(max(at, 1 / at)).removesuffix("x")
        chance = "below 1 %" if probability < 0.01 else format_percent(probability, 0)
        who = "it" if to.name == knob.name else knob.name
        text = f"{to.name} wins if {who} is {slow} than forecast by a factor of {factor} (probability {chance})"
        if abs(math.log(at)) < ALIKE:
            text = f"{to.name} is as good within {format_percent(ALIKE)}"
    elif knob.name and knob.name != to.name and knob.of != "weight":
        text = f"{first.name} loses to {to.name} if its {knob.of} {beyond}"
    elif knob.of == "weight":
        text = f"{to.name} wins if the weight of {knob.name} {beyond}"
    else:
        whose = f"its {knob.of}" if knob.name else knob.of
        text = f"{to.name} wins if {whose} {beyond}"
    return Flip(knob.of, knob.name, knob.now, at, to.name, text, probability)


def show_money(decision: Decision, unit: str) -> Callable[[float], str]:
    """What shows amounts of money."""
    return lambda value: f"{format_dollars(value)} {decision.workload.terms.currency}{unit}"


def list_knobs(decision: Decision) -> Iterator[Knob]:
    """Everything that can be changed."""
    sheet = decision.sheet
    near = decision.options[: RIVALS + 1]
    if decision.best == "cost":
        for i, option in enumerate(near):
            yield from price_knobs(decision, i, option.candidate)
        yield from term_knobs(decision)
    if len(sheet.weight) > 1:
        for p, program in enumerate(decision.workload.programs):
            if program.weight > 0:
                yield Knob("weight", program.name, program.weight, partial(with_weight, sheet, p), "{:.3g}".format)
    boards = [name_board(o.candidate.processor) for o in decision.options]
    for i, option in enumerate(near):
        # A forecast errs for all candidates with that board alike.
        if option.sd > 0 and sheet.able[i] and boards.index(boards[i]) == i:
            alike = np.array([b == boards[i] for b in boards])
            change = partial(with_error, sheet, alike)
            yield Knob("forecast", option.name, 1.0, change, "{:.3g}".format)


def price_knobs(decision: Decision, i: int, candidate: Candidate) -> Iterator[Knob]:
    """The price or the rent that an hour of a candidate rests on."""
    price = candidate.price
    if candidate.hourly is not None and candidate.hourly == price.rent_usd_per_hour:
        yield Knob("rent", candidate.name, price.rent_usd_per_hour,
                   lambda v: with_costs(decision, i, {"rent_usd_per_hour": v}), show_money(decision, "/h"))  # fmt: skip
    elif price.price_usd and candidate.hourly is not None:
        yield Knob("price", candidate.name, price.price_usd,
                   lambda v: with_costs(decision, i, {"price_usd": v}), show_money(decision, ""))  # fmt: skip


def term_knobs(decision: Decision) -> Iterator[Knob]:
    """Life, utilisation and the price of energy, where something is bought."""
    terms, kwh = decision.workload.terms, decision.prices.usd_per_kwh
    if terms.years is not None:
        yield Knob("utilisation", "", terms.utilisation, lambda v: with_costs(decision, terms={"utilisation": v}),
                   in_percent(0), 1.0)  # fmt: skip
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
    made = [
        make_candidate(o.name, o.candidate.processor,
                       dataclasses.replace(o.candidate.price, **(price if k == i else {})), prices, others)
        for k, o in enumerate(decision.options)
    ]  # fmt: skip
    energy_usd = (prices.usd_per_kwh or 0.0) * prices.power_factor
    return dataclasses.replace(
        decision.sheet, hourly=np.array([math.nan if c.hourly is None else c.hourly for c in made]),
        energy_usd=np.array([0.0 if c.rented else energy_usd for c in made]), utilisation=others.utilisation,
        fits=np.array([fits_of(c, decision.workload.limits) for c in made]),
    )  # fmt: skip


def with_weight(sheet: Sheet, p: int, value: float) -> Sheet:
    """Another weight of one program."""
    weight = sheet.weight.copy()
    weight[p] = value
    return dataclasses.replace(sheet, weight=weight)


def with_error(sheet: Sheet, alike: NDArray[np.bool_], factor: float) -> Sheet:
    """Candidates that take another time than forecast."""
    return sheet.with_times(np.where(alike, factor, 1.0))


def value_measurements(decision: Decision) -> list[Worth]:
    """What one more measurement of each of the longest programs is worth before the choice, the most first.

    Of each program that is asked about: the first of what would narrow its forecast for the choice most.
    """
    if not weigh_all(decision) > WORTH_LEAST * decision.first.score:
        return []
    spent = decision.sheet.time_s[:, 0] * decision.sheet.share
    found = []
    for p in np.argsort(-spent, kind="stable")[:PROFILES].tolist():
        narrowing = find_narrowing(decision, decision.workload.programs[p], decision.tables[p])
        if narrowing is not None:
            found.append(weigh(decision, p, *narrowing))
    return sorted(found, key=lambda w: -w.per_job)


def find_narrowing(decision: Decision, program: Program, table: KernelTable) -> tuple[Narrowing, float] | None:
    """What would narrow a program's forecast for the choice most, with the width that it has now."""
    how = {**decision.how, "source": program.source}
    try:
        whole = forecast(table, [decision.first.candidate.processor], **how)
        ranked = rank_narrowings(whole)
    except RoofcastError:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        width = float(np.nanmedian(whole.estimate.time_high_s / whole.estimate.time_low_s))
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
    expected = resolve(decision, p, math.sqrt(max(1.0 - left**2, 0.0)) * share_of_kernels(decision, p, width))
    terms = decision.workload.terms
    jobs = float(decision.sheet.weight.sum()) if decision.workload.per_day else decision.first.jobs_per_day
    life = None if terms.years is None else expected * jobs * DAYS_PER_YEAR * terms.years
    name = decision.workload.programs[p].name
    return Worth(name, narrowing.what, narrowing.how, width, then, expected, life if decision.best == "cost" else None)


def share_of_kernels(decision: Decision, p: int, width: float) -> float:
    """Part of the standard deviation of a program's errors that its kernels' forecasts make: the host has its own."""
    own = decision.first.programs[p]
    if own.limit == "host":
        # What the host bounds no profile of kernels narrows.
        return 0.0
    spread = sigma(own.low_s, own.high_s, decision.coverage)
    if own.kernels_s >= own.time_s or not spread > 0:
        return 1.0
    return min(1.0, own.kernels_s / own.time_s * sigma(1.0, width, decision.coverage) / spread)


def resolve(decision: Decision, p: int | None, part: float) -> float:
    """Expected gain of choosing once a part of the standard deviation of program p's errors (None: of all) is known."""
    z = decision.log_errors if p is None else np.zeros_like(decision.log_errors)
    if p is not None:
        z[:, p] = decision.log_errors[:, p]
    known = decision.sheet.with_times(np.exp(part * z))
    scores = known.scores(counts_of(decision))
    first = scores[:, 0]
    sound = np.isfinite(first)
    return float((first[sound] - scores[sound].min(axis=1)).mean()) if sound.any() else 0.0


def weigh_all(decision: Decision) -> float:
    """Expected gain of choosing with all times known: the most that any measurement is worth."""
    known = math.isfinite(decision.first.score) and len(decision.options) > 1
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
    count = counts_of(decision)
    scores = dataclasses.replace(sheet, able=np.ones(len(count), np.bool_)).scores(count)
    bridge = find_bridge(decision, count)
    found = []
    for i in later:
        option = decision.options[i]
        months = months_between(terms.begins, option.candidate.price.available)
        own, first = float(scores[i]), float(scores[0])
        found.append(tell_waiting(decision, option, months, own, first, bridge))
    return found


def find_bridge(decision: Decision, count: FloatArray) -> float | None:
    """What is to be least of the best GPU that can be rented now; the budget of all years is no matter of a bridge."""
    rents = [o.candidate.price.rent_usd_per_hour or math.nan for o in decision.options]
    sheet = dataclasses.replace(decision.sheet, hourly=np.array(rents), energy_usd=np.zeros(len(rents)))
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
