"""What to get: the fleet of least money for the demand, or of most jobs within the limits."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from roofcast.choosing.decision import Decision, Holding, Part
from roofcast.choosing.programme import FLEET, OFFERS, Fleet, Offers, Programme
from roofcast.choosing.sheet import BOUGHT, RENTED, Sheet
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray
from roofcast.kit.linear_programme import LinearProgramme


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
    model = LinearProgramme(*FLEET)
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
