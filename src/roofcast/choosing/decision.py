"""The choice itself: candidates ranked for a workload, with what binds each and how sure the order is."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.catalog.instances import find_instance
from roofcast.catalog.prices import Prices, read_prices
from roofcast.choosing.candidates import Candidate, list_candidates, refuse_candidate, tell_memory
from roofcast.choosing.chances import correlate, draw_errors, probability_less, sigma
from roofcast.choosing.program_times import (
    ProgramTimes,
    describe_missing,
    memory_of,
    read_program,
    read_record,
    scale_program,
    take_given,
    time_program,
)
from roofcast.choosing.programme import OFFERS, Fleet, Model, Offers, Programme
from roofcast.choosing.served_models import Served, serve
from roofcast.choosing.sheet import BOUGHT, RENTED, SECONDS_PER_DAY, SLACK, Sheet, Stakes
from roofcast.choosing.workload_file import SURE, Limits, Program, Terms, Workload, read_workload
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.launch_totals import SHARED_PROGRAMS, find_ends_of_targets, name_board
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.results import Conditions
from roofcast.formulas.values import combine
from roofcast.kit.quantities import count_of, format_count, format_percent
from roofcast.models.physics.link_times import NODE_GPUS

FLEET_DRAWS = 2_000
"""Draws that fleets are counted by: a probability of 90 % is known to 0.7 %."""


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
    holds: bool = True
    """Whether the memory is enough for it."""


@dataclass(frozen=True)
class Option:
    """One candidate for the workload; times, costs and energies are of the average job."""

    candidate: Candidate
    count: int | None
    """GPUs that it is about (:attr:`Ranked.count`); None where no number of them meets the demand."""
    time_s: float
    low_s: float
    high_s: float
    low_outer_s: float
    """If all kernels erred the same way."""
    high_outer_s: float
    gpu_seconds: float
    jobs_per_day: float | None
    """That all ``count`` GPUs do as forecast."""
    cost: tuple[float, float, float] | None
    """Per job, and at the ends of its time: of the total of the demand, else of a GPU that always has work."""
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
    """What decides how many there are, or why it cannot be the choice."""
    needed: int | None
    """GPUs that meet the demand with the probability asked; None where nothing asks for any, or none do."""
    fits: int | None
    """GPUs that the limits allow; None without limits."""
    break_even_hours: float | None
    """Hours of work from which buying costs less than renting; infinite where it never does."""
    programs: tuple[ProgramOption, ...]
    assumed: tuple[str, ...] = ()
    count_expected: int | None = None
    """GPUs that meet the demand if all times are as forecast."""
    total: tuple[float, float, float] | None = None
    """Money over the life for the demand, and at the ends of the times."""
    rented: bool = False
    """Which way it is counted."""
    p_met: float | None = None
    """Probability that ``count`` GPUs meet the demand."""
    why_not: str = ""
    """Why it cannot be the choice."""
    claimed: bool = True
    """Whether its interval claims the coverage that is asked for."""

    @property
    def name(self) -> str:
        """The name of the candidate in every table."""
        return self.candidate.name

    @property
    def per_s(self) -> float:
        """Jobs per second and GPU."""
        return 1.0 / self.gpu_seconds


@dataclass(frozen=True)
class Part:
    """One kind of GPU of what to get."""

    option: int
    """Position among the options."""
    rented: bool
    count: int
    count_expected: int
    """That would do if all times were as forecast."""
    cost: float | None = None
    """Money over the life; None where it is unknown."""
    low: float | None = None
    high: float | None = None
    """At the ends of the times that its energy rests on."""
    purchase: float = 0.0
    energy: float | None = None
    """Paid for by the owner: of work, idle boards and hosts."""
    shares: tuple[float, ...] = ()
    """Part of each program's jobs that is planned on it."""


@dataclass(frozen=True)
class Holding:
    """What to get, and what it costs."""

    parts: tuple[Part, ...]
    met: float | None
    """Probability that it meets the demand."""
    bound: float | None = None
    """What no fleet is cheaper than."""
    plan: tuple[Offers, Fleet] | None = field(default=None, repr=False)
    """Of which offers it is, as the programme counts; None where no money over the life is asked."""

    @property
    def gap(self) -> float:
        """Part of the money by which some other fleet may be cheaper."""
        return max(0.0, 1 - self.bound / self.cost[0]) if self.bound is not None and self.cost is not None else 0.0

    @property
    def cost(self) -> tuple[float, float, float] | None:
        """Money of all, and its ends."""
        known = [(p.cost, p.low, p.high) for p in self.parts]
        if any(v is None for row in known for v in row):
            return None
        low, middle, high = (sum(row[k] or 0.0 for row in known) for k in (1, 0, 2))
        return middle, low, high


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
    fleet: Holding | None
    """What to get; None where nothing meets demand and limits."""
    programme: Programme | None = field(repr=False)
    """Of least money for a demand; None where none is asked."""
    left_out: tuple[tuple[str, str], ...]
    """GPU and why it is not ranked."""
    notes: tuple[str, ...]
    conditions: Mapping[str, Any]
    """Of the forecasts, in words and numbers."""
    how: Mapping[str, Any] = field(repr=False)
    tables: tuple[KernelTable | None, ...] = field(repr=False)
    """None of programs whose times are given."""

    @property
    def best(self) -> str:
        """What is to be least (or most)."""
        return self.sheet.best

    @property
    def first(self) -> Option:
        """The choice."""
        return self.options[0]

    @property
    def counts(self) -> FloatArray:
        """(C,) GPUs of each option; infinite where no number will do."""
        known = [o.needed if self.sheet.asks else o.count for o in self.options]
        return np.array([math.inf if n is None else float(n) for n in known])


def choose(
    work: Workload | KernelTable | str | Path | Sequence[str | Path],
    among: Sequence[str | Processor] | None = None,
    *,
    prices: Prices | str | Path | None = None,
    limits: Limits | None = None,
    terms: Terms | None = None,
    weights: Mapping[str, float] | None = None,
    per_day: float | None = None,
    segment: str | None = None,
    **how: Any,
) -> Decision:
    """Rank GPUs for a workload: what the command line, the page and Python call.

    work : a workload, the name of its file, or profiles and traces that are one job together.
    among : GPUs as :func:`roofcast.forecast` takes them (default: those on sale for data centres that the code runs on;
        what a candidates file names is ``prices.named``). prices : a price or candidates file, or ``public``.
    limits, terms : over those of a workload file. per_day : jobs of a day, of files that are one
        job. weights : kernel -> how often it runs.
    how : ``source``, ``model``, ``together``, ``conditions`` (an object) and ``pattern`` as of ``forecast``.
    """
    workload = find_workload(work, how.pop("pattern", None), how.pop("input_format", None), weights or {})
    if limits is not None:
        given = {f.name: v for f in dataclasses.fields(limits) if (v := getattr(limits, f.name)) is not None}
        workload = dataclasses.replace(workload, limits=dataclasses.replace(workload.limits, **given))
    if terms is not None:
        given = {f.name: v for f in dataclasses.fields(terms) if (v := getattr(terms, f.name)) != f.default}
        workload = dataclasses.replace(workload, terms=dataclasses.replace(workload.terms, **given))
    if per_day is not None:
        workload = with_demand(workload, per_day)
    given = {n: v for n in ("deadline_s", "memory_bytes") if (v := getattr(workload.limits, n)) is not None}
    workload = dataclasses.replace(workload, programs=tuple(dataclasses.replace(p, **given) for p in workload.programs))
    stated = prices if isinstance(prices, Prices) else read_prices(prices) if prices is not None else Prices()
    how.setdefault("conditions", Conditions())
    return decide(workload, among, stated, segment, how)


def with_demand(workload: Workload, per_day: float) -> Workload:
    """So many jobs a day of the only program."""
    if len(workload.programs) > 1 or workload.file:
        raise RoofcastError("--jobs-per-day is of one job: write jobs_per_day into the workload file")
    program = workload.programs[0]
    scaling = "measured" if program.divides and program.deadline_s is None else program.scaling
    return dataclasses.replace(
        workload, programs=(dataclasses.replace(program, weight=per_day, scaling=scaling),), per_day=True
    )


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
    workload_files = [f for f in files if str(f).lower().endswith(".toml")]
    if workload_files and (len(files) > 1 or weights or pattern):
        raise RoofcastError(
            f"{one_line(str(workload_files[0]), 80)} names all that runs: give it alone, without --weights, --kernel"
        )
    if workload_files:
        return read_workload(workload_files[0])
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
        among,
        prices,
        workload.terms,
        [(t, p.source) for t, p in zip(tables, programs, strict=True) if t is not None and read_record(p) is None],
        segment,
    )
    needs = [memory_of(t, p, how) for t, p in zip(tables, programs, strict=True)]
    memory = max((m for m in needs if m is not None), default=None)
    limits = workload.limits
    mixes = workload.terms.best in (None, "cost") and workload.terms.years is not None and (
        workload.per_day or any(p.deadline_s for p in programs))  # fmt: skip
    memory_needs = [(m, p.name) for m, p in zip(needs, programs, strict=True)]
    refusals = {c.name: why for c in candidates if (why := refuse_candidate(c, memory_needs, limits, mixes=mixes))}
    able = [c for c in candidates if c.name not in refusals]
    if not able:
        raise none_left(list(refusals.values()), list(refusals))
    times, served = time_programs(programs, tables, able, workload, how)
    good = combine(np.logical_and, [t.time_s > 0 for t in times])
    refusals |= tell_untimed(able, programs, served, good)
    able = [in_replicas(c, [s.replicas[j] for s in served]) for j, c in enumerate(able)]
    sentences = {c.name: [s.told[j] for s in served if s.told[j]] for j, c in enumerate(able)}
    if not good.any():
        raise none_left(list(refusals.values()), list(refusals))
    able = [c for c, g in zip(able, good.tolist(), strict=True) if g]
    times = [select_targets(t, np.flatnonzero(good)) for t in times]
    holds = np.array([[not tell_memory(c.processor, *need) for c in able] for need in memory_needs])
    decision = rank(dataclasses.replace(workload, programs=tuple(programs)), able, times, prices, holds)
    notes = [*tell_served(decision, sentences), *tell_times(programs, times), *([prices.note] if prices.note else [])]
    if memory is None and not all(p.served for p in programs):
        notes.append("Memory is not compared: nothing says how much is needed (state it: --memory 40GB).")
    return dataclasses.replace(
        decision, memory_bytes=memory, left_out=(*refusals.items(),), how=how, tables=tuple(tables),
        notes=(*dict.fromkeys(notes), *([aside] if aside else [])),
    )  # fmt: skip


def time_programs(
    programs: Sequence[Program], tables: Sequence[KernelTable | None], kept: Sequence[Candidate], workload: Workload,
    how: Mapping[str, Any],
) -> tuple[list[ProgramTimes], list[Served]]:  # fmt: skip
    """A job of each program on each candidate, and what is known beside of language models."""
    # An instance and its board are one GPU: it is forecast once.
    boards = {name_board(c.processor): c.processor for c in kept}
    place = np.array([list(boards).index(name_board(c.processor)) for c in kept], np.intp)
    targets = [c.processor for c in kept]
    times: list[ProgramTimes] = []
    served: list[Served] = []
    for program, table in zip(programs, tables, strict=True):
        try:
            if program.served is not None:
                nodes = [node_of(c) for c in kept]
                served.append(serve(program, targets, nodes, workload.terms, asked=workload.per_day))
                program_times = served[-1].times
            elif table is None:
                program_times = take_given(program, targets, [c.name for c in kept], how["conditions"].coverage)
            else:
                program_times = select_targets(time_program(program, table, list(boards.values()), how), place)
        except RoofcastError as error:
            raise named_error(program, error) from error
        times.append(scale_program(program, program_times, targets, [c.price for c in kept]))
    return times, served


def tell_untimed(
    kept: Sequence[Candidate], programs: Sequence[Program], served: Sequence[Served], good: NDArray[np.bool_]
) -> dict[str, str]:
    """Why candidates have no time of some program."""
    missing = "has no given time" if any(p.times for p in programs) else "lacks a supply that some kernel needs"
    return {
        kept[j].name: next((s.why_not[j] for s in served if s.why_not[j]), missing)
        for j in np.flatnonzero(~good).tolist()
    }


def tell_served(found: Decision, told: Mapping[str, Sequence[str]]) -> list[str]:
    """What replicas of language models are, on the GPUs to get."""
    names = [found.options[p.option].name for p in found.fleet.parts] if found.fleet else [found.first.name]
    return [f"{name}: {line}" for name in dict.fromkeys(names) for line in told[name]]


def tell_times(programs: Sequence[Program], times: Sequence[ProgramTimes]) -> list[str]:
    """What must be known of the times."""
    notes = [n for p, t in zip(programs, times, strict=True) for n in (*t.notes, *describe_missing(p.name, t))]
    runs = dict.fromkeys({"run": "the run"}.get(t.run, t.run) for t in times if t.run)
    traced = f"a job of a trace is {' or '.join(runs)}, with its host and gaps, as `roofcast app` forecasts it"
    return notes + [traced] * bool(runs)


def node_of(candidate: Candidate) -> tuple[int, int]:
    """GPUs that come together, and those that share links: an instance or a server, else as many as a model wants."""
    together = candidate.price.gpus
    bound = together > 1 or find_instance(candidate.name.partition(" (")[0]) is not None
    return together, together if bound else NODE_GPUS


def in_replicas(candidate: Candidate, gpus: Sequence[int]) -> Candidate:
    """The candidate in as many GPUs as replicas of its models, and its own servers, need together."""
    together = math.lcm(candidate.price.gpus, *gpus)
    return dataclasses.replace(candidate, price=dataclasses.replace(candidate.price, gpus=together))


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
    workload: Workload, candidates: Sequence[Candidate], times: Sequence[ProgramTimes], prices: Prices,
    holds: NDArray[np.bool_],
) -> Sheet:  # fmt: skip
    """The numbers of a choice, whose goal is decided by what is known."""
    time = np.stack([t.time_s for t in times])
    limits, terms = workload.limits, workload.terms
    gpus = np.array([p.gpus for p in workload.programs], float)
    hourly = np.array([math.nan if c.hourly is None else c.hourly for c in candidates])
    energy = np.stack([t.energy_j for t in times]) * gpus[:, None] / time
    asked = workload.per_day or any(p.deadline_s for p in workload.programs)
    priced = np.isfinite(hourly).sum() > (0 if asked else 1) and (asked or not limits.named())
    best = terms.best or ("cost" if priced else "throughput" if limits.named() and not asked else "time")
    if best == "cost" and not np.isfinite(hourly).any():
        raise RoofcastError(
            "no candidate has a cost per job: state rents, or prices with the years that they serve (--prices, --years)"
        )
    if best == "throughput" and not limits.named():
        raise RoofcastError("most throughput of what? state a budget, a power or rack units")
    if best == "energy" and not np.isfinite(energy).all(axis=0).any():
        raise RoofcastError("no candidate has an energy per job: the forecast knows none for these kernels")
    stated = np.array([c.price.power_w or 0.0 for c in candidates]) * gpus[:, None]
    return Sheet(
        time_s=time, energy_w=energy, paid_w=np.where(np.isfinite(energy), energy, stated), gpus=gpus,
        divides=np.array([p.divides for p in workload.programs]),
        weight=np.array([p.weight for p in workload.programs]),
        deadline_s=np.array([p.deadline_s or math.inf for p in workload.programs]),
        unit=np.array([float(c.price.gpus) for c in candidates]),
        holds=holds, able=np.array([not c.price.available or c.price.available <= terms.begins for c in candidates]),
        spares=terms.spares, per_day=workload.per_day, best=best, **price_arrays(candidates, prices, terms, limits),
    )  # fmt: skip


def price_arrays(candidates: Sequence[Candidate], prices: Prices, terms: Terms, limits: Limits) -> dict[str, Any]:
    """The fields of a sheet that rest on prices and terms alone."""

    def known(name: str, missing: float = math.nan) -> FloatArray:
        return np.array([missing if (v := getattr(c.price, name)) is None else float(v) for c in candidates])

    kwh = (prices.usd_per_kwh or 0.0) * prices.power_factor
    stakes = Stakes(
        known("capital_usd"), known("rent_usd_per_hour"), known("host_power_w", 0.0), known("idle_power_w", 0.0),
        known("drawn_w"), known("rack_units"), kwh,
        np.array([limits.named().get(n, math.inf) for n in ("budget", "power", "rack")]),
    )  # fmt: skip
    return {
        "hourly": np.array([math.nan if c.hourly is None else c.hourly for c in candidates]),
        "energy_usd": np.array([0.0 if c.rented else kwh for c in candidates]), "stakes": stakes,
        "utilisation": terms.utilisation, "years": math.nan if terms.years is None else terms.years,
    }  # fmt: skip


@dataclass(frozen=True)
class Ranked:
    """Candidates in their order, with the arrays that options are read from."""

    workload: Workload
    candidates: tuple[Candidate, ...]
    times: tuple[ProgramTimes, ...]
    prices: Prices
    sheet: Sheet
    errors: FloatArray
    """(draws, P, C) of the logarithms of times."""
    coverage: float

    @cached_property
    def sure(self) -> FloatArray:
        """(C,) GPUs that meet the demand alone with the stated probability; infinite if none do."""
        return count_sure(self.sheet, self.errors, self.workload.terms.probability)

    @cached_property
    def count(self) -> FloatArray:
        """(C,) GPUs that each option is about: those of the demand, else those that the limits allow, else a job's."""
        return self.sure if self.sheet.asks or not self.sheet.limited else self.sheet.fits

    @cached_property
    def scores(self) -> FloatArray:
        """(C,) what is to be least; infinite of what cannot be the choice."""
        return self.sheet.scores(self.count)

    @cached_property
    def measures(self) -> FloatArray:
        """(C,) the same, whatever can be had."""
        return self.sheet.measure(self.count)

    @cached_property
    def drawn_sheet(self) -> Sheet:
        """The sheet at all drawn times."""
        return self.sheet.with_times(np.exp(self.errors))

    @cached_property
    def drawn_needs(self) -> FloatArray:
        """(draws, C) GPUs that meet the demand at the drawn times."""
        return self.drawn_sheet.needed()

    @cached_property
    def drawn(self) -> FloatArray:
        """(draws, C) what is to be least if times were as drawn and known; infinite of what cannot be the choice."""
        return self.drawn_sheet.scores(self.drawn_needs if self.sheet.asks else self.count)

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

    def compare(self, i: int, j: int) -> float:
        """Probability that option i is better than option j, whatever can be had; NaN where either is unknown."""
        if not (self.measures[i] > 0 and self.measures[j] > 0 and np.isfinite(self.measures[[i, j]]).all()):
            return math.nan
        if self.sheet.counts_money:
            # Whole GPUs: no closed form.
            here, there = self.drawn[:, i], self.drawn[:, j]
            return float((here < there).mean() + 0.5 * (here == there).mean())
        a, b = ((float(self.measures[k]), self.sds[k]) for k in (i, j))
        return probability_less(a, b, correlate(self.candidates[i].processor, self.candidates[j].processor))

    def reorder(self, order: Sequence[int]) -> Ranked:
        """In another order."""
        at = np.asarray(order, np.intp)
        return Ranked(
            self.workload, tuple(self.candidates[j] for j in order), tuple(select_targets(t, at) for t in self.times),
            self.prices, self.sheet.select(at), self.errors[:, :, at], self.coverage,
        )  # fmt: skip


def rank(
    workload: Workload, candidates: Sequence[Candidate], times: Sequence[ProgramTimes], prices: Prices,
    holds: NDArray[np.bool_],
) -> Decision:  # fmt: skip
    """The ranking of candidates whose times are known, and the fleet. holds : (P, C) which have memory enough."""
    sheet = make_sheet(workload, candidates, times, prices, holds)
    coverage = next((t.coverage for t in times if t.coverage), None) or 0.9
    sds = np.array(
        [[sigma(*ends, coverage) for ends in zip(t.low_s.tolist(), t.high_s.tolist(), strict=True)] for t in times]
    )
    errors = sds * draw_errors([c.processor for c in candidates], len(times))
    ranked = Ranked(workload, tuple(candidates), tuple(times), prices, sheet, errors, coverage)
    score, measure, time = ranked.scores, np.nan_to_num(ranked.measures, nan=math.inf), sheet.average(sheet.time_s)
    order = sorted(range(len(candidates)), key=lambda j: (score[j], measure[j], time[j], candidates[j].name))
    ranked = ranked.reorder(order)
    options = make_options(ranked)
    programme = make_programme(ranked.sheet, ranked.errors, workload.terms.probability) if sheet.counts_money else None
    decision = Decision(
        options, workload, ranked.sheet, ranked.errors, prices, coverage, sum(t.kernels for t in times), None, None,
        programme, (), (), times[0].told, {}, (),
    )  # fmt: skip
    return dataclasses.replace(decision, fleet=find_fleet(decision))


def count_sure(sheet: Sheet, errors: FloatArray, sure: float) -> FloatArray:
    """(C,) GPUs of one kind that meet the demand with a probability over the draws, and at the forecast."""
    needed = sheet.with_times(np.exp(errors[:FLEET_DRAWS])).needed()
    rank = math.ceil(sure * len(needed) - 1e-9) - 1
    return np.asarray(np.maximum(np.partition(needed, rank, axis=0)[rank], sheet.needed()))


def make_programme(sheet: Sheet, errors: FloatArray, sure: float) -> Programme:
    """The demand of a sheet at the drawn times, of fleets."""
    return Programme(sheet.list_demands(np.exp(errors[:FLEET_DRAWS])), sheet.gpus, sure)


def pick_offers(sheet: Sheet, count: FloatArray, most: int = OFFERS) -> Offers:
    """What the programme chooses from: so many candidates that cost least alone, both ways."""
    money = sheet.totals(np.where(np.isfinite(count), count, sheet.gpus.max())).min(axis=0)
    order = np.argsort(money, kind="stable")
    late = np.isinf(count[order]) | np.isinf(money[order])
    # Those that cannot serve alone may still do so beside others.
    return sheet.offers(np.concatenate([order[~late], order[late]])[:most].astype(np.intp))


def find_fleet(decision: Decision) -> Holding | None:
    """What to get: least money for the demand, most jobs within the limits, else the first; None: nothing."""
    sheet, programme = decision.sheet, decision.programme
    if programme is not None:
        offers = pick_offers(sheet, decision.counts)
        fleet = programme.solve(offers) if len(offers.kind) else None
        return None if fleet is None else tell_holding(decision, offers, fleet)
    if sheet.limited and not sheet.asks:
        return fill_limits(decision)
    first = decision.first
    if not math.isfinite(first.score) or first.count is None:
        return None
    return Holding((Part(0, first.candidate.rented, first.count, first.count_expected or first.count),), None)


def find_free(decision: Decision) -> Holding | None:
    """What would be got without limits."""
    stakes = dataclasses.replace(decision.sheet.stakes, limits=np.full(3, math.inf))
    return find_fleet(dataclasses.replace(decision, sheet=dataclasses.replace(decision.sheet, stakes=stakes)))


def tell_holding(decision: Decision, offers: Offers, fleet: Fleet) -> Holding:
    """A fleet with its money in parts, and how many of its GPUs would do if all times were as forecast."""
    sheet, programme = decision.sheet, decision.programme
    used = np.flatnonzero(fleet.units)
    chosen = offers.select(used)
    calm = None
    if programme is not None:
        calm = Programme([dataclasses.replace(d, need=d.need[:0]) for d in programme.demands], programme.job_gpus, 1.0)
    expected = calm.solve(chosen, fleet.units[used].astype(float)) if calm else None
    parts = []
    for j, k in enumerate(used.tolist()):
        i, n = int(offers.kind[k]), int(fleet.units[k])
        way = RENTED if offers.rented[k] else BOUGHT
        shares = fleet.shares[:, k]
        stretch = np.array([[p.low_s, p.high_s] for p in decision.options[i].programs]).T / sheet.time_s[:, i]
        work = offers.work[:, k] * shares
        paid = float(sheet.stakes.capital[i] * n * offers.unit[k]) if way == BOUGHT else 0.0
        cost = n * offers.fixed[k] + float(work.sum())
        # Without a price of energy that of what is bought is unknown.
        energy = float(cost - paid) if decision.prices.usd_per_kwh is not None else None
        swing = (work[None] * (stretch - 1)).sum(axis=1)
        parts.append(
            Part(
                i, way == RENTED, round(n * offers.unit[k]),
                round((n if expected is None else int(expected.units[j])) * offers.unit[k]),
                float(cost), float(cost + swing[0]), float(cost + swing[1]), paid,
                energy if way == BOUGHT else 0.0, tuple(float(s) for s in shares),
            )
        )  # fmt: skip
    parts.sort(key=lambda p: -(p.cost or 0.0))
    return Holding(tuple(parts), fleet.met, fleet.bound, (offers, fleet))


def fill_limits(decision: Decision) -> Holding | None:
    """The mix with most jobs within the limits, by the same programme without a demand."""
    sheet = decision.sheet
    fits, use = sheet.fits_of(), sheet.use_of()
    limits = np.flatnonzero(np.isfinite(sheet.stakes.limits))
    rate = np.where(sheet.able & np.isfinite(sheet.gpu_seconds()), sheet.unit / sheet.gpu_seconds(), 0.0)
    way, kind = np.nonzero((fits > 0) & np.isfinite(fits) & (rate > 0))
    if not len(kind):
        if not np.isinf(fits).any():
            raise RoofcastError("the limits do not allow a single GPU: raise the budget, the power or the rack units")
        return None
    model = Model()
    units = model.add(len(kind), -rate[kind], np.zeros(len(kind)), (fits[way, kind] / sheet.unit[kind]), whole=True)
    for limit in limits.tolist():
        model.row(units, use[limit, way, kind] * sheet.unit[kind], -math.inf, sheet.stakes.limits[limit])
    solution = model.solve()
    if solution is None:
        return None
    counts = np.round(solution.value[units]) * sheet.unit[kind]
    fixed = (
        sheet.fixed()
        if np.isfinite(sheet.years)
        else np.stack([sheet.stakes.capital, np.full(len(sheet.unit), math.nan)])
    )
    parts = []
    for c, w, k in zip(counts.tolist(), way.tolist(), kind.tolist(), strict=True):
        if c > 0:
            cost = None if math.isnan(fixed[w, k]) else float(fixed[w, k] * c)
            paid = float(sheet.stakes.capital[k] * c) if w == BOUGHT and cost is not None else 0.0
            known = cost is not None and decision.prices.usd_per_kwh is not None
            energy = (cost - paid if cost is not None and known else None) if w == BOUGHT else 0.0
            parts.append(Part(int(k), w == RENTED, round(c), round(c), cost, cost, cost, paid, energy))
    return Holding(tuple(sorted(parts, key=lambda p: -p.count)), None)


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
