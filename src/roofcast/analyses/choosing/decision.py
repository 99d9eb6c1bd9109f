"""The choice itself: candidates ranked for a workload, with what binds each and how sure the order is."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from roofcast.analyses.choosing.candidates import Candidate, list_candidates, refuse_candidate
from roofcast.analyses.choosing.chances import correlate, draw_errors, probability_less, sigma
from roofcast.analyses.choosing.fleet import Fleet, best_fleet, single_fleets
from roofcast.analyses.choosing.program_times import (
    ProgramTimes,
    describe_missing,
    memory_of,
    read_program,
    scale_program,
    time_program,
)
from roofcast.analyses.choosing.sheet import SECONDS_PER_DAY, SLACK, Sheet
from roofcast.analyses.choosing.workload_file import Limits, Program, Terms, Workload, read_workload
from roofcast.catalog.prices import Prices, read_prices
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.launch_totals import SHARED_PROGRAMS, find_ends_of_targets, name_board
from roofcast.core.processor import Processor
from roofcast.core.results import Conditions
from roofcast.kit.quantities import count_of

SURE = 0.9
"""Probability from which one GPU counts as better than another."""
KINDS_MIXED = 12
"""Kinds of GPU that a mixed fleet is chosen from: those best per unit of the limits."""


@dataclass(frozen=True)
class ProgramOption:
    """One program on one candidate, a job on the program's GPUs; None where an input is missing."""

    program: Program
    time_s: float
    low_s: float
    high_s: float
    kernels_s: float
    cost: tuple[float, float, float] | None
    """Of a job, and at the ends of its time."""
    energy_j: tuple[float, float, float] | None
    """Of a job's GPUs, and its ends."""
    p_best: float | None
    """Probability that it takes least of what is to be least, of all candidates that can be had."""
    p_deadline: float | None
    limit: str | None
    """What takes most of the time."""


@dataclass(frozen=True)
class Option:
    """One candidate for the workload; times, costs and energies are of the average job."""

    candidate: Candidate
    count: int
    """GPUs that it is about (:meth:`roofcast.analyses.choosing.sheet.Sheet.counts`)."""
    time_s: float
    low_s: float
    high_s: float
    low_outer_s: float
    """If all kernels erred the same way."""
    high_outer_s: float
    gpu_seconds: float
    jobs_per_day: float
    """Of all ``count`` GPUs."""
    cost: tuple[float, float, float] | None
    """Per job, and at the ends of its time."""
    energy_j: tuple[float, float, float] | None
    """Per job, of its GPUs, with its ends."""
    score: float
    """What is to be least; infinite where it cannot be the choice."""
    sd: float
    """Standard deviation of the logarithm of the time."""
    group: int
    """Options of one group cannot be told apart from its first."""
    beats_next: float
    """Probability of being better than the next in the ranking; NaN for the last."""
    p_best: float | None
    p_deadline: float | None
    p_budget: float | None
    """Probability that the GPUs that are needed fit the limits."""
    binds: str | None
    needed: int | None
    """GPUs for the jobs per day and the deadlines, at the interval's upper end; None where nothing asks for any."""
    fits: int | None
    """GPUs that the limits allow; None without limits."""
    break_even_hours: float | None
    """Hours of work from which buying costs less than renting; infinite where it never does."""
    programs: tuple[ProgramOption, ...]
    assumed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As it is shown."""
        return self.candidate.name

    @property
    def per_s(self) -> float:
        """Jobs per second and GPU."""
        return 1.0 / self.gpu_seconds


@dataclass(frozen=True)
class Decision:
    """A ranking with all that it rests on."""

    options: tuple[Option, ...]
    """The choice first; those that cannot be had, are late or do not fit come last."""
    workload: Workload
    sheet: Sheet
    """Of the options, in their order."""
    log_errors: FloatArray = field(repr=False)
    """(draws, P, C) of the times."""
    prices: Prices = field(repr=False)
    coverage: float
    kernels: int
    memory_bytes: float | None
    fleet: Fleet | None
    """In units that come together."""
    fleet_kinds: tuple[int, ...]
    """Position in ``options`` of each of the fleet's kinds."""
    left_out: tuple[tuple[str, str], ...]
    """GPU and why it is not ranked."""
    notes: tuple[str, ...]
    conditions: Mapping[str, Any]
    """Of the forecasts, in words and numbers."""
    how: Mapping[str, Any] = field(repr=False)
    tables: tuple[KernelTable, ...] = field(repr=False)

    @property
    def best(self) -> str:
        """What is to be least (or most)."""
        return self.sheet.best

    @property
    def first(self) -> Option:
        """The choice."""
        return self.options[0]

    @cached_property
    def gpus_of_fleet(self) -> tuple[int, ...]:
        """GPUs of each kind of the fleet."""
        if self.fleet is None:
            return ()
        kinds = zip(self.fleet.counts, self.fleet_kinds, strict=True)
        return tuple(count * self.options[k].candidate.price.gpus for count, k in kinds)

    @property
    def fleet_high_s(self) -> float | None:
        """Seconds of one job that the fleet shares evenly, at the upper ends of the intervals."""
        if self.fleet is None:
            return None
        kinds = zip(self.gpus_of_fleet, self.fleet_kinds, strict=True)
        return 1.0 / sum(count / self.options[k].high_s for count, k in kinds if count)


def choose(
    work: Workload | KernelTable | str | Path | Sequence[str | Path],
    among: Sequence[str | Processor] | None = None,
    *,
    prices: Prices | str | Path | None = None,
    limits: Limits | None = None,
    terms: Terms | None = None,
    weights: Mapping[str, float] | None = None,
    segment: str | None = None,
    **how: Any,
) -> Decision:
    """Rank GPUs for a workload: what the command line, the page and Python call.

    work : a workload, the name of its file, or profiles and traces that are one job together.
    among : GPUs as :func:`roofcast.forecast` takes them (default: those on sale for data centres that the code runs on;
        what a candidates file names is ``prices.named``). prices : a price or candidates file, or ``public``.
    limits, terms : over those of a workload file. weights : kernel -> how often it runs.
    how : ``source``, ``model``, ``together``, ``conditions`` (an object) and ``pattern`` as of ``forecast``.
    """
    workload = find_workload(work, how.pop("pattern", None), how.pop("input_format", None), weights or {})
    if limits is not None:
        given = {f.name: v for f in dataclasses.fields(limits) if (v := getattr(limits, f.name)) is not None}
        workload = dataclasses.replace(workload, limits=dataclasses.replace(workload.limits, **given))
    if terms is not None:
        given = {f.name: v for f in dataclasses.fields(terms) if (v := getattr(terms, f.name)) != f.default}
        workload = dataclasses.replace(workload, terms=dataclasses.replace(workload.terms, **given))
    given = {n: v for n in ("deadline_s", "memory_bytes") if (v := getattr(workload.limits, n)) is not None}
    workload = dataclasses.replace(workload, programs=tuple(dataclasses.replace(p, **given) for p in workload.programs))
    stated = prices if isinstance(prices, Prices) else read_prices(prices) if prices is not None else Prices()
    how.setdefault("conditions", Conditions())
    return decide(workload, among, stated, segment, how)


def find_workload(
    work: Workload | KernelTable | str | Path | Sequence[str | Path], pattern: str | None, form: str | None,
    weights: Mapping[str, float],
) -> Workload:  # fmt: skip
    """The workload that is meant."""
    if isinstance(work, Workload):
        return work
    if isinstance(work, KernelTable):
        return Workload((Program("", kernels=work, scaling="evenly", counts=weights, pattern=pattern),))
    files = [work] if isinstance(work, (str, Path)) else list(work)
    own = [f for f in files if str(f).lower().endswith(".toml")]
    if own and (len(files) > 1 or weights or pattern):
        raise RoofcastError(
            f"{one_line(str(own[0]), 80)} names all that runs: give it alone, without --weights, --kernel"
        )
    if own:
        return read_workload(own[0])
    return Workload((
        Program("", tuple(map(str, files)), scaling="evenly", counts=weights, pattern=pattern, input_format=form),
    ))  # fmt: skip


def decide(
    workload: Workload, among: Sequence[str | Processor] | None, prices: Prices, segment: str | None,
    how: Mapping[str, Any],
) -> Decision:  # fmt: skip
    """Read, forecast and rank."""
    programs, tables = [], []
    for program in workload.programs:
        try:
            tables.append(read_program(program))
        except RoofcastError as error:
            raise named_error(program, error) from error
        programs.append(dataclasses.replace(program, source=program.source or how.get("source")))
    candidates, aside = list_candidates(
        among, prices, workload.terms, [(t, p.source) for t, p in zip(tables, programs, strict=True)], segment
    )
    needs = [memory_of(t, p, how) for t, p in zip(tables, programs, strict=True)]
    known = [(m, p.name) for m, p in zip(needs, programs, strict=True) if m is not None]
    memory, whose = max(known, default=(None, ""))
    limits = workload.limits
    refusals = {c.name: why for c in candidates if (why := refuse_candidate(c, memory, whose, limits))}
    kept = [c for c in candidates if c.name not in refusals]
    if not kept:
        raise none_left(list(refusals.values()), list(refusals))
    # An instance and its board are one GPU: it is forecast once.
    boards = {name_board(c.processor): c.processor for c in kept}
    place = np.array([list(boards).index(name_board(c.processor)) for c in kept], np.intp)
    targets, times = [c.processor for c in kept], []
    for program, table in zip(programs, tables, strict=True):
        try:
            one = select_targets(time_program(program, table, list(boards.values()), how), place)
        except RoofcastError as error:
            raise named_error(program, error) from error
        times.append(scale_program(program, one, targets, [c.price for c in kept]))
    good = np.all([t.time_s > 0 for t in times], axis=0)
    lost = [kept[j].name for j in np.flatnonzero(~good).tolist()]
    refusals |= dict.fromkeys(lost, "lacks a supply that some kernel needs")
    if not good.any():
        raise none_left(list(refusals.values()), list(refusals))
    kept = [c for c, g in zip(kept, good.tolist(), strict=True) if g]
    times = [select_targets(t, np.flatnonzero(good)) for t in times]
    found = rank(dataclasses.replace(workload, programs=tuple(programs)), kept, times, prices)
    notes = [n for p, t in zip(programs, times, strict=True) for n in (*t.notes, *describe_missing(p.name, t))]
    notes += [f"the time of {count_of(sum(t.host for t in times), 'trace')} is that of the recorded run with its host "
              "and gaps, as `roofcast app` forecasts it"] * any(t.host for t in times)  # fmt: skip
    notes += [prices.note] * bool(prices.note)
    if memory is None:
        notes.append("Memory is not compared: the profile names no working set (state one with --memory 40GB).")
    return dataclasses.replace(
        found, memory_bytes=memory, left_out=(*refusals.items(),), how=how, tables=tuple(tables),
        notes=(*dict.fromkeys(notes), *([aside] if aside else [])),
    )  # fmt: skip


def named_error(program: Program, error: RoofcastError) -> RoofcastError:
    """An error that says whose it is."""
    return error if not program.name else type(error)(f"program {program.name}: {error}")


def none_left(reasons: Sequence[str], names: Sequence[str]) -> RoofcastError:
    """What to say where no GPU is ranked: the commonest reason, with an example."""
    reason, count = Counter(reasons).most_common(1)[0]
    name = one_line(names[list(reasons).index(reason)], 60)
    others = "" if len(reasons) == 1 else f" (as {count} of {len(reasons)})"
    return RoofcastError(
        f"no GPU is left to choose from: {name} {reason}{others}; loosen the limit, or name others with --among"
    )


def select_targets(times: ProgramTimes, kept: np.ndarray) -> ProgramTimes:
    """The times on some of the targets."""
    arrays = {f.name: v[kept] for f in dataclasses.fields(times) if isinstance(v := getattr(times, f.name), np.ndarray)}
    return dataclasses.replace(times, **arrays, limits=tuple(times.limits[j] for j in kept.tolist()))


def make_sheet(
    workload: Workload, candidates: Sequence[Candidate], times: Sequence[ProgramTimes], prices: Prices
) -> Sheet:
    """The numbers of a choice, whose goal is decided by what is known."""
    time = np.stack([t.time_s for t in times])
    limits, terms = workload.limits, workload.terms
    gpus = np.array([p.gpus for p in workload.programs], float)
    hourly = np.array([math.nan if c.hourly is None else c.hourly for c in candidates])
    energy = np.stack([t.energy_j for t in times]) * gpus[:, None] / time
    best = terms.best or ("cost" if np.isfinite(hourly).sum() > 1 else "throughput" if limits.named() else "time")
    if best == "cost" and not np.isfinite(hourly).any():
        raise RoofcastError(
            "no candidate has a cost per job: state rents, or prices with the years that they serve (--prices, --years)"
        )
    if best == "throughput" and not limits.named():
        raise RoofcastError("most throughput of what? state a budget, a power or rack units")
    if best == "energy" and not np.isfinite(energy).all(axis=0).any():
        raise RoofcastError("no candidate has an energy per job: the forecast knows none for these kernels")
    stated = np.array([c.price.power_w or 0.0 for c in candidates]) * gpus[:, None]
    kwh = prices.usd_per_kwh or 0.0
    return Sheet(
        time_s=time, energy_w=energy, paid_w=np.where(np.isfinite(energy), energy, stated), gpus=gpus,
        divides=np.array([p.divides for p in workload.programs]),
        weight=np.array([p.weight for p in workload.programs]),
        deadline_s=np.array([p.deadline_s or math.inf for p in workload.programs]), hourly=hourly,
        energy_usd=np.array([0.0 if c.rented else kwh * prices.power_factor for c in candidates]),
        unit=np.array([float(c.price.gpus) for c in candidates]),
        fits=np.array([fits_of(c, limits) for c in candidates]),
        able=np.array([not c.price.available or c.price.available <= terms.begins for c in candidates]),
        utilisation=terms.utilisation, per_day=workload.per_day, limited=bool(limits.named()), best=best,
    )  # fmt: skip


def fits_of(candidate: Candidate, limits: Limits) -> float:
    """How many GPUs the limits allow, in whole units; infinite where none of them counts."""
    unit, most = candidate.price.gpus, limits.named()
    found = [unit * math.floor(most[name] / own / unit * SLACK) for name, own in candidate.uses(limits).items() if own]
    return float(min(found, default=math.inf))


@dataclass(frozen=True)
class Ranked:
    """Candidates in their order, with the arrays that options are read from."""

    workload: Workload
    candidates: tuple[Candidate, ...]
    times: tuple[ProgramTimes, ...]
    prices: Prices
    sheet: Sheet
    upper: Sheet
    """At the upper ends of all times."""
    errors: FloatArray
    """(draws, P, C) of the logarithms of times."""
    coverage: float

    @cached_property
    def count(self) -> FloatArray:
        """(C,) GPUs that each option is about."""
        found = self.upper.counts()
        return np.where(np.isfinite(found), found, self.upper.needed())

    @cached_property
    def scores(self) -> FloatArray:
        """(C,) what is to be least; infinite of what cannot be the choice."""
        return self.sheet.scores(self.count)

    @cached_property
    def measures(self) -> FloatArray:
        """(C,) the same, whatever can be had."""
        return self.sheet.measure(self.count)

    @cached_property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """(C,) ends of the average job's time: one program's are its own, errors of several are shared in part."""
        low, high = (np.stack([getattr(t, n) for t in self.times]) for n in ("low_s", "high_s"))
        if len(self.times) == 1:
            return low[0], high[0]
        share = self.sheet.share[:, None]
        return find_ends_of_targets(share * self.sheet.time_s, share * low, share * high, shared=SHARED_PROGRAMS)

    @cached_property
    def sds(self) -> list[float]:
        """(C,) standard deviations of the logarithms of the average job's time."""
        return [sigma(float(a), float(b), self.coverage) for a, b in zip(*self.ends, strict=True)]

    @cached_property
    def asks(self) -> bool:
        """Whether work or a deadline says how many GPUs are needed."""
        return self.sheet.per_day or bool((self.sheet.divides & np.isfinite(self.sheet.deadline_s)).any())

    def compare(self, i: int, j: int) -> float:
        """Probability that option i is better than option j, whatever can be had; NaN where either is unknown."""
        if not (self.measures[i] > 0 and self.measures[j] > 0 and np.isfinite(self.measures[[i, j]]).all()):
            return math.nan
        a, b = ((float(self.measures[k]), self.sds[k]) for k in (i, j))
        return probability_less(a, b, correlate(self.candidates[i].processor, self.candidates[j].processor))

    def reorder(self, order: Sequence[int]) -> Ranked:
        """In another order."""
        kept = np.asarray(order, np.intp)
        return Ranked(
            self.workload, tuple(self.candidates[j] for j in order), tuple(select_targets(t, kept) for t in self.times),
            self.prices, self.sheet.select(kept), self.upper.select(kept), self.errors[:, :, kept], self.coverage,
        )  # fmt: skip


def rank(
    workload: Workload, candidates: Sequence[Candidate], times: Sequence[ProgramTimes], prices: Prices
) -> Decision:
    """The ranking of candidates whose times are known."""
    sheet = make_sheet(workload, candidates, times, prices)
    coverage = next((t.coverage for t in times if t.coverage), None) or 0.9
    sds = np.array(
        [[sigma(*ends, coverage) for ends in zip(t.low_s.tolist(), t.high_s.tolist(), strict=True)] for t in times]
    )
    errors = sds * draw_errors([c.processor for c in candidates], len(times))
    upper = dataclasses.replace(sheet, time_s=np.stack([t.high_s for t in times]))
    found = Ranked(workload, tuple(candidates), tuple(times), prices, sheet, upper, errors, coverage)
    score, measure, time = found.scores, np.nan_to_num(found.measures, nan=math.inf), sheet.average(sheet.time_s)
    order = sorted(range(len(candidates)), key=lambda j: (score[j], measure[j], time[j], candidates[j].name))
    found = found.reorder(order)
    options = make_options(found)
    fleet, kinds = fleet_of(options, workload.limits)
    return Decision(
        options, workload, found.sheet, found.errors, prices, coverage, sum(t.kernels for t in times), None, fleet,
        kinds, (), (), times[0].told, {}, (),
    )  # fmt: skip


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
    best_of: FloatArray
    """(P, C) of taking least for one program alone, of those that can be had."""


def find_chances(found: Ranked) -> Chances:
    """What share of the draws says so."""
    drawn = found.sheet.with_times(np.exp(found.errors))
    scores = drawn.scores(found.count)
    some = np.isfinite(scores).any(axis=1)
    c, draws = len(found.candidates), len(scores)
    best = np.bincount(scores.argmin(axis=1)[some], minlength=c) / draws
    met = drawn.meets(found.count)
    alone = np.where(found.sheet.able, rate_programs(drawn, found.count), np.inf)
    of_program = np.stack([np.bincount(alone[:, p].argmin(axis=1), minlength=c) / draws for p in range(alone.shape[1])])
    return Chances(best, met.mean(axis=0), met.all(axis=1).mean(axis=0), drawn.affordable().mean(axis=0), of_program)


def rate_programs(sheet: Sheet, count: FloatArray) -> FloatArray:
    """(..., P, C) what is to be least, of each program alone; infinite where unknown."""
    found = sheet.time_s
    if sheet.best == "cost":
        found = sheet.costs()
    elif sheet.best == "energy":
        found = sheet.time_s * sheet.energy_w
    elif sheet.best == "throughput":
        found = sheet.time_s * sheet.gpus[:, None] / np.maximum(count, 1.0)
    return np.asarray(np.nan_to_num(found, nan=np.inf))


def make_options(found: Ranked) -> tuple[Option, ...]:
    """Everything said about each candidate."""
    sheet, count, chance = found.sheet, found.count, find_chances(found)
    total, seconds, cost = sheet.average(sheet.time_s), sheet.gpu_seconds(), sheet.average(sheet.costs())
    share = sheet.share[:, None]
    outer = [
        (share * np.stack([getattr(t, n) for t in found.times])).sum(axis=0) for n in ("low_outer_s", "high_outer_s")
    ]
    needed = found.upper.needed()
    programs = [tell_programs(found, i, chance) for i in range(len(found.candidates))]
    limits = bool(np.isfinite(sheet.deadline_s).any())
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
        options.append(
            Option(
                candidate=c, count=round(count[i]), time_s=float(total[i]), low_s=ends[0], high_s=ends[1],
                low_outer_s=float(outer[0][i]), high_outer_s=float(outer[1][i]), gpu_seconds=float(seconds[i]),
                jobs_per_day=float(SECONDS_PER_DAY * sheet.utilisation * count[i] / seconds[i]),
                cost=stretch(float(cost[i]), float(total[i]), *ends),
                energy_j=average_energy(programs[i], sheet.share), score=float(found.scores[i]), sd=found.sds[i],
                group=group, beats_next=after, p_best=float(chance.best[i]) if able else None,
                p_deadline=float(chance.deadline[i]) if limits else None,
                p_budget=float(chance.fits[i]) if sheet.limited else None, binds=find_binding(found, i, needed[i]),
                needed=round(needed[i]) if found.asks else None,
                fits=round(sheet.fits[i]) if math.isfinite(sheet.fits[i]) else None,
                break_even_hours=break_even(c, found.prices), programs=programs[i], assumed=tell_assumed(found, i),
            )
        )  # fmt: skip
    return tuple(options)


def tell_programs(found: Ranked, i: int, chance: Chances) -> tuple[ProgramOption, ...]:
    """Each program on one candidate."""
    costs, known = found.sheet.costs(), np.isfinite(rate_programs(found.sheet, found.count)[:, i])
    told = []
    for k, (program, times) in enumerate(zip(found.workload.programs, found.times, strict=True)):
        ends = float(times.low_s[i]), float(times.high_s[i])
        time, joules = float(times.time_s[i]), [float(v[i]) * program.gpus for v in times.energies]
        told.append(
            ProgramOption(
                program, time, *ends, float(times.kernels_s[i]), stretch(float(costs[k, i]), time, *ends),
                (joules[0], joules[1], joules[2]) if math.isfinite(joules[0]) else None,
                float(chance.best_of[k, i]) if found.sheet.able[i] and known[k] else None,
                None if program.deadline_s is None else float(chance.deadlines[k, i]), times.limits[i],
            )
        )  # fmt: skip
    return tuple(told)


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
    told = []
    if c.price.is_launch_price:
        told.append(f"price: launch price of {c.price.date or 'unknown date'}, not today's")
    paid = not c.rented and c.hourly is not None and found.sheet.energy_usd[i] > 0
    if not c.rented and c.hourly is not None and found.prices.usd_per_kwh is None:
        told.append("energy: at no cost, as no usd_per_kwh is stated")
    if paid and not np.isfinite(found.sheet.energy_w[:, i]).all():
        power, own = c.price.power_w, "board power" if c.price.is_board_power else "stated power"
        unknown = "energy: not in the cost, its power is unknown"
        told.append(f"energy: {own} of {power:g} W all the time" if power else unknown)
    if c.price.is_board_power and found.workload.limits.power_w is not None and not c.rented:
        told.append(f"power: board power of {c.price.power_w:g} W" if c.price.power_w else "power: unknown")
    if c.hourly is not None and c.rented and terms.utilisation < 1:
        told.append("rent: of the hours worked alone")
    return tuple(told)


def find_binding(found: Ranked, i: int, needed: float) -> str | None:
    """What decides how many GPUs of a kind there are, or why it is not the choice."""
    c, sheet, limits = found.candidates[i], found.sheet, found.workload.limits
    if not sheet.able[i]:
        return f"available from {c.price.available}"
    tight = [
        (math.floor(limits.named()[name] / own / c.price.gpus * SLACK), name)
        for name, own in c.uses(limits).items() if own
    ]  # fmt: skip
    late = np.flatnonzero(~sheet.meets(found.count)[:, i]).tolist()
    if late and not sheet.divides[late[0]]:
        return f"deadline of {found.workload.programs[late[0]].name}"
    if tight and (needed > sheet.fits[i] * SLACK or found.count[i] >= sheet.fits[i]):
        return min(tight)[1]
    if late:
        return "deadline"
    if not found.asks:
        return None
    dividing = dataclasses.replace(found.upper.select(np.array([i])), per_day=False)
    if sheet.per_day and dividing.needed()[0] < needed:
        return "jobs per day"
    return "deadline" if (sheet.divides & np.isfinite(sheet.deadline_s)).any() else "GPUs of a job"


def break_even(candidate: Candidate, prices: Prices) -> float | None:
    """Hours of work from which buying costs less than renting; infinite where renting never costs more."""
    price = candidate.price
    if price.capital_usd is None or price.rent_usd_per_hour is None:
        return None
    running = (price.drawn_w or 0.0) / 1000.0 * prices.power_factor * (prices.usd_per_kwh or 0.0)
    saved = price.rent_usd_per_hour - running
    return price.capital_usd / saved if saved > 0 else math.inf


def fleet_of(options: Sequence[Option], limits: Limits) -> tuple[Fleet | None, tuple[int, ...]]:
    """The best mix under the limits, and which options its kinds are; of those alone that the limits count."""
    if not limits.named():
        return None, ()
    able = [k for k, o in enumerate(options) if o.binds is None or not o.binds.startswith("available")]
    able = [k for k in able if all(options[k].candidate.uses(limits).values())]
    if not any(options[k].fits for k in able):
        if any(o.fits is None or o.fits for o in options):
            return None, ()
        raise RoofcastError("the limits do not allow a single GPU: raise the budget, the power or the rack units")
    unit = np.array([float(options[k].candidate.price.gpus) for k in able])
    per_s = np.array([options[k].per_s for k in able]) * unit
    use = np.array([list(options[k].candidate.uses(limits).values()) for k in able], float).T * unit
    most = np.array(list(limits.named().values()))
    count = single_fleets(per_s, use, most)
    possible = np.flatnonzero(count > 0)
    keys = [per_s / use[r] for r in range(len(most))] + [per_s * count]
    wanted = {int(i) for key in keys for i in possible[np.argsort(-key[possible], kind="stable")][:KINDS_MIXED]}
    chosen = sorted(wanted)
    return best_fleet(per_s[chosen], use[:, chosen], most), tuple(able[i] for i in chosen)
