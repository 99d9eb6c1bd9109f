"""Candidates in their order: the sheet of what each can do, times drawn from intervals, and what both say."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.catalog.prices import Prices
from roofcast.choosing.candidates import Candidate
from roofcast.choosing.chances import correlate, probability_less, sigma
from roofcast.choosing.program_times import (
    ProgramTimes,
)
from roofcast.choosing.programme import Programme
from roofcast.choosing.sheet import Sheet, Stakes
from roofcast.choosing.workload_file import Limits, Terms, Workload
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray
from roofcast.core.launch_totals import SHARED_PROGRAMS, find_ends_of_targets
from roofcast.core.records import dataclass

FLEET_DRAWS = 2_000
"""Draws that fleets are counted by: a probability of 90 % is known to 0.7 %."""


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


def count_sure(sheet: Sheet, errors: FloatArray, sure: float) -> FloatArray:
    """(C,) GPUs of one kind that meet the demand with a probability over the draws, and at the forecast."""
    needed = sheet.with_times(np.exp(errors[:FLEET_DRAWS])).needed()
    rank = math.ceil(sure * len(needed) - 1e-9) - 1
    return np.asarray(np.maximum(np.partition(needed, rank, axis=0)[rank], sheet.needed()))


def make_programme(sheet: Sheet, errors: FloatArray, sure: float) -> Programme:
    """The demand of a sheet at the drawn times, of fleets."""
    return Programme(sheet.list_demands(np.exp(errors[:FLEET_DRAWS])), sheet.gpus, sure)
