"""The choice itself: candidates ranked for a workload, with what binds each and how sure the order is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np

from roofcast.catalog.prices import Prices
from roofcast.choosing.candidates import Candidate
from roofcast.choosing.programme import Fleet, Offers, Programme
from roofcast.choosing.sheet import Sheet
from roofcast.choosing.workload_file import Program, Workload
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.records import dataclass


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
