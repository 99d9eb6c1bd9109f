r"""Which fleet costs least: one integer programme over all GPUs that can be bought or rented, solved by HiGHS.

.. math:: \min_{n, x} \sum_k F_k n_k + \sum_{pk} E_{pk} x_{pk} \quad\text{s.t.}\quad
    \sum_k x_{pk} = 1, \quad \sum_p a_{pk} x_{pk} \le u_k n_k, \quad
    P\left[\theta(n) \ge 1\right] \ge q, \quad \sum_k U_{lk} n_k \le L_l

n : units of an offer k (a GPU, a server, an instance). x : share of a program's jobs that an offer does. F : money of a
unit over the life, E : of all of a program's jobs (energy). u : GPUs of a unit. a : GPUs that all jobs of a program
need. theta : the part of the demand that the fleet can serve, of which it has to serve all with probability q over the
drawn times, and at the forecast. U, L : what a unit takes of a limit.

.. math:: \theta(n) = \min_{\mu \ge 0} \frac{\sum_k \mu_k u_k n_k}{\sum_p \min_k \mu_k a_{pk}}

is the dual of the best dispatch at known times: jobs go where they fit best. Its minimum lies where a spanning tree
ties the kinds by programs that run equally well on two of them, so all such trees give it exactly. theta grows with n
in proportion, so that a mixture of kinds just serves the demand at 1 / Q_{1-q}[theta] times its GPUs.

A fleet is of a few offers S. For any prices mu, what serves the demand with probability q satisfies

.. math:: \sum_{k \in S} \mu_k u_k n_k \ge Q_q\left[\sum_p \min_{k \in S} \mu_k a_{pk}\right]

Q : the q-quantile over the draws (no less than at the forecast). With mu_k = F_k / u_k that is what a fleet of S costs
at least. Sets of offers are searched one after the other, those first whose mixtures cost least, until no other can be
cheaper or the effort is spent; then the least of what the others cost at least says how far the answer may be from the
best.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError
from roofcast.core.extras import import_extra
from roofcast.core.kernel_table import FloatArray
from roofcast.formulas.values import combine

KINDS = 3
"""Offers that a fleet mixes at most: each has its own contract, spare parts, drivers and images."""
OFFERS = 24
"""Offers that the programme is about: those whose GPU costs least alone."""
EFFORT, AGAIN = 3e8, 12
"""Fleets times draws times prices that are looked at before the best fleet is given with its distance from the bound;
sets of offers where only other money is asked about."""
BEAM, BEAM_AGAIN = 160, 48
"""Sets of offers whose mixtures are weighed: those that cost least at least."""
PARTS = {1: 1, 2: 8, 3: 7}
"""Parts that mixtures of so many kinds are made of."""
THIN, THIN_AGAIN = 4, 8
"""Of so many draws one is used to weigh mixtures; and to bound sets where only other money is asked about."""
KEPT = 64
"""Sets of kinds whose duals are remembered."""
GRID = 4096
"""Fleets of a set that are looked at in one go: of more first every n-th, then all around the best."""
BATCH = 2_000_000
"""Draws times fleets in one array."""
LATE = 1e9
"""GPUs that a program needs where it is late: no fleet has them."""
SLACK = 1e-9
GAP = 1e-5
"""Part of the money by which the answer may miss the least."""
SETTINGS = {
    "output_flag": False, "threads": 1, "mip_rel_gap": GAP, "mip_abs_gap": 1e-12,
}  # fmt: skip
"""Of the solver."""


@dataclass(frozen=True)
class Demand:
    """What GPUs have to serve side by side: all programs' jobs of a day, or one deadline."""

    programs: tuple[int, ...]
    need: FloatArray
    """(D, P, C) GPUs that all jobs of each program need, at the drawn times; infinite where they would be late."""
    expected: FloatArray
    """(P, C) the same at the forecast."""


@dataclass(frozen=True)
class Offers:
    """What can be had: K offers of C kinds of GPU."""

    kind: NDArray[np.intp]
    """(K,) which GPU."""
    rented: NDArray[np.bool_]
    """(K,)"""
    unit: FloatArray
    """(K,) GPUs that come together."""
    fixed: FloatArray
    """(K,) money of a unit over the life, whatever it does."""
    work: FloatArray
    """(P, K) money of all jobs of a program over the life, beside that."""
    use: FloatArray
    """(L, K) what a unit takes of each limit."""
    limits: FloatArray
    """(L,)"""

    def select(self, kept: NDArray[np.intp]) -> Offers:
        """Some of them."""
        return Offers(
            self.kind[kept], self.rented[kept], self.unit[kept], self.fixed[kept], self.work[:, kept],
            self.use[:, kept], self.limits,
        )  # fmt: skip


@dataclass(frozen=True)
class Fleet:
    """What to get; arrays are over the offers."""

    units: NDArray[np.intp]
    shares: FloatArray
    """(P, K) part of each program's jobs that an offer does, as planned at the forecast."""
    money: float
    bound: float
    """What no fleet is cheaper than."""
    met: float
    """Probability that it serves the demand."""

    @property
    def is_optimal(self) -> bool:
        """Whether the search ended."""
        return self.money <= self.bound + 4 * GAP * abs(self.money)


def import_highs() -> Any:
    """The solver."""
    return import_extra("highspy", "fleet", "a fleet of least cost")


@cache
def list_trees(kinds: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """All spanning trees of so many nodes, edges in an order that reaches them from node 0."""
    pairs = list(itertools.combinations(range(kinds), 2))
    found = []
    for edges in itertools.combinations(pairs, kinds - 1):
        known, ordered, left = {0}, [], list(edges)
        while left:
            edge = next((e for e in left if (e[0] in known) != (e[1] in known)), None)
            if edge is None:
                break
            left.remove(edge)
            ordered.append(edge if edge[0] in known else edge[::-1])
            known |= set(edge)
        if not left:
            found.append(tuple(ordered))
    return tuple(found)


def list_prices(need: FloatArray) -> Iterator[FloatArray]:
    """(..., k) of each tie of kinds by programs: the worth of a GPU of each kind.

    need : (..., p, k).
    """
    p, k = need.shape[-2:]
    # One program ties all kinds alike.
    for tree in list_trees(k)[: 1 if p == 1 else None]:
        for tied in itertools.product(range(p), repeat=k - 1):
            worth = np.ones((*need.shape[:-2], k))
            for (a, b), program in zip(tree, tied, strict=True):
                worth[..., b] = worth[..., a] * need[..., program, a] / need[..., program, b]
            yield worth


def list_duals(need: FloatArray) -> FloatArray:
    """(T, ..., k) the same worths, for which all jobs are worth 1."""
    found = []
    for worth in list_prices(need):
        jobs = worth[..., None, 0] * need[..., 0]
        for k in range(1, need.shape[-1]):
            jobs = np.minimum(jobs, worth[..., None, k] * need[..., k])
        found.append(worth / jobs.sum(axis=-1)[..., None])
    return np.stack(found)


def serve(gpus: FloatArray, need: FloatArray) -> FloatArray:
    """(...,) part of the demand that GPUs can serve.

    gpus : (k,) of each kind. need : (..., p, k) GPUs that all jobs of a program need.

    >>> float(serve(np.array([1.0, 1.0]), np.array([[1.0, 2.0], [2.0, 1.0]])))
    1.0
    """
    return np.asarray((list_duals(need) @ gpus).min(axis=0))


@dataclass
class Programme:
    """The programme, with what it knows of sets of kinds by now: none of it depends on money."""

    demands: Sequence[Demand]
    job_gpus: FloatArray
    """(P,) GPUs of one job, which are of one kind."""
    sure: float
    good: dict[tuple[tuple[int, bool, int], ...], None] = field(default_factory=dict)
    """Fleets that serve the demand: kind, rented and units of each of their offers."""
    mixes: dict[tuple[int, ...], FloatArray] = field(default_factory=dict)
    """Of kinds: (M, k) GPUs of mixtures that just serve the demand."""
    needs: dict[int, FloatArray] = field(default_factory=dict)
    duals: dict[tuple[Any, ...], FloatArray] = field(default_factory=dict)

    def need(self, d: int) -> FloatArray:
        """(1 + D, p, C) GPUs that the programs of a demand need: at the forecast, and at the drawn times."""
        if d not in self.needs:
            demand = self.demands[d]
            self.needs[d] = np.minimum(np.concatenate([demand.expected[None], demand.need]), LATE)
        return self.needs[d]

    def find_duals(self, d: int, kinds: tuple[int, ...], holds: NDArray[np.bool_]) -> FloatArray:
        """(T, 1 + D, k) of kinds that hold a job of each program or do not, (p, k)."""
        key = (d, kinds, holds.tobytes())
        if key not in self.duals:
            if len(self.duals) >= KEPT:
                # Those of all sets of kinds would fill the memory.
                self.duals.clear()
            self.duals[key] = list_duals(np.where(holds, self.need(d)[:, :, list(kinds)], LATE))
        return self.duals[key]

    def serve_all(self, kinds: tuple[int, ...], gpus: FloatArray) -> FloatArray:
        """(G,) probability that fleets, (G, k) GPUs of kinds, serve the demand; 0 where they do not at the forecast."""
        if len(gpus) > (most := max(1, BATCH // len(self.need(0)))):
            halves = (self.serve_all(kinds, gpus[k : k + most]) for k in range(0, len(gpus), most))
            return np.concatenate(list(halves))
        served = np.ones((len(self.need(0)), len(gpus)), np.bool_)
        for d, demand in enumerate(self.demands):
            size = self.job_gpus[list(demand.programs), None]
            # A kind of which there is nothing serves nothing, whatever it would hold.
            holds = (gpus[:, None, :] >= size * (1 - SLACK)) | (gpus[:, None, :] == 0)
            shapes, which = np.unique(holds.reshape(len(gpus), -1), axis=0, return_inverse=True)
            for s, shape in enumerate(shapes):
                own = np.flatnonzero(which.ravel() == s)
                part = np.full((len(served), len(own)), np.inf)
                for dual in self.find_duals(d, kinds, shape.reshape(holds.shape[1:])):
                    np.minimum(part, dual @ gpus[own].T, out=part)
                served[:, own] &= part >= 1 - SLACK
        met = served[1:].mean(axis=0) if len(served) > 1 else np.ones(len(gpus))
        return np.where(served[0], met, 0.0)

    def serve_parts(self, kinds: tuple[int, ...], gpus: FloatArray) -> FloatArray:
        """(1 + D,) part of the demand that a fleet, (k,) GPUs of kinds, serves at the forecast and the drawn times."""
        holds = [np.ones((len(d.programs), len(kinds)), np.bool_) for d in self.demands]
        return combine(np.minimum, [(self.find_duals(d, kinds, h) @ gpus).min(axis=0) for d, h in enumerate(holds)])

    def probability(self, gpus: FloatArray) -> float:
        """That so many GPUs of each kind, (C,), serve the demand; 0 where they do not at the forecast."""
        kinds = np.flatnonzero(gpus > 0)
        return float(self.serve_all(tuple(kinds.tolist()), gpus[None, kinds])[0]) if kinds.size else 0.0

    def quantile(self, drawn: FloatArray) -> FloatArray:
        """(...) of (1 + D, ...) amounts, at the forecast and at the draws: what suffices with the probability asked."""
        if len(drawn) == 1:
            return np.asarray(drawn[0])
        rank = max(0, math.ceil(self.sure * (len(drawn) - 1) - 1e-9) - 1)
        return np.asarray(np.maximum(drawn[0], np.partition(drawn[1:], rank, axis=0)[rank]))

    def bound(self, offers: Offers, thin: int = 1) -> tuple[list[NDArray[np.intp]], FloatArray]:
        """All sets of few offers, and (S,) money that a fleet of each costs at least; infinite where it is late.

        thin : of so many draws one is used.
        """
        price, found, least = offers.fixed / offers.unit, [], []
        daily = offers.work[list(self.demands[self.daily].programs)]
        jobs = [self.need(d)[::thin][:, :, offers.kind] * price for d in range(len(self.demands))]
        for size in range(1, min(KINDS, len(price)) + 1):
            sets = np.array(list(itertools.combinations(range(len(price)), size)), np.intp)
            cheapest = [combine(np.minimum, [own[:, :, of] for of in sets.T]).sum(axis=1) for own in jobs]
            money = combine(np.maximum, [self.quantile(own) for own in cheapest])
            work = combine(np.minimum, [daily[:, of] for of in sets.T]).sum(axis=0)
            least.append(np.where(money < LATE * price.min(), money + work, np.inf))
            found += list(sets)
        return found, np.concatenate(least)

    def mix(self, kinds: tuple[int, ...]) -> FloatArray:
        """(M, k) GPUs of mixtures of kinds that just serve the demand, in whole GPUs or not."""
        if kinds not in self.mixes:
            parts = PARTS[len(kinds)]
            shares = [s for s in itertools.product(range(1, parts + 1), repeat=len(kinds)) if sum(s) == parts]
            needs = [self.need(d)[::THIN][:, :, list(kinds)] for d in range(len(self.demands))]
            alone = combine(np.maximum, [np.where(n < LATE, n, 0.0)[0].sum(axis=0) for n in needs])
            gpus = np.array(shares) / parts * alone
            part = np.full((len(needs[0]), len(gpus)), np.inf)
            for dual in itertools.chain.from_iterable(map(list_duals, needs)):
                np.minimum(part, dual @ gpus.T, out=part)
            with np.errstate(divide="ignore"):
                self.mixes[kinds] = gpus * self.quantile(1 / part)[:, None]
        return self.mixes[kinds]

    def weigh(self, offers: Offers, lines: NDArray[np.intp], most: FloatArray) -> tuple[float, FloatArray]:
        """What the cheapest mixture of a set of offers costs about, infinite beyond the limits, and its units."""
        units = self.mix(tuple(offers.kind[lines].tolist())) / offers.unit[lines]
        money = units @ offers.fixed[lines]
        taken = offers.use[:, lines] @ units.T
        money[(units > most[lines]).any(axis=1) | (taken > offers.limits[:, None]).any(axis=0)] = np.inf
        best = int(money.argmin())
        return float(money[best] + offers.work[:, lines].min(axis=1).sum()), units[best]

    def solve(self, offers: Offers, most: FloatArray | None = None, *, prove: bool = True) -> Fleet | None:
        """The fleet of least money; None where the limits allow none.

        most : (K,) units of each offer. prove : look on until no fleet can be cheaper; else a little.
        """
        most = self.limit(offers, most)
        sets, least = self.bound(offers, 1 if prove else THIN_AGAIN)
        best, effort = self.recall(offers, most), EFFORT
        order = np.argsort(least, kind="stable")[: BEAM if prove else BEAM_AGAIN].tolist()
        mixed = {s: self.weigh(offers, sets[s], most) for s in order if least[s] < math.inf}
        left = np.isfinite(least)
        ranked = sorted(np.flatnonzero(left), key=lambda s: (mixed[s][0] if s in mixed else math.inf, least[s]))
        for s in ranked if prove else ranked[:AGAIN]:
            left &= least < (math.inf if best is None else best.money * (1 - GAP))
            if effort <= 0 or not left.any():
                break
            if left[s]:
                best = self.round_up(offers, sets[s], mixed[s][1], most, best) if s in mixed else best
                found, whole, spent = self.search(offers, sets[s], most, math.inf if best is None else best.money)
                best, effort, left[s] = found or best, effort - spent, not whole
        if best is None:
            return None
        used = np.flatnonzero(best.units).tolist()
        self.good[tuple((int(offers.kind[k]), bool(offers.rented[k]), int(best.units[k])) for k in used)] = None
        met = self.probability(np.bincount(offers.kind, offers.unit * best.units, self.need(0).shape[-1]).astype(float))
        return replace(best, bound=float(min(least[left].min(initial=math.inf), best.money)), met=met)

    def round_up(
        self, offers: Offers, lines: NDArray[np.intp], mixture: FloatArray, most: FloatArray, best: Fleet | None
    ) -> Fleet | None:
        """A mixture in whole units where that is allowed, serves and is cheaper; else the best."""
        units = np.zeros(len(offers.kind), np.intp)
        units[lines] = np.ceil(np.minimum(mixture, LATE) * (1 - SLACK))
        cheaper = best is None or offers.fixed @ units + offers.work.min(axis=1).sum() < best.money
        if not cheaper or (units > most).any() or (offers.use @ units > offers.limits * (1 + SLACK)).any():
            return best
        gpus = (offers.unit * units)[lines]
        if self.serve_all(tuple(offers.kind[lines].tolist()), gpus[None])[0] < self.sure:
            return best
        made = self.dispatch(offers, units, self.sure)
        return made if made is not None and (best is None or made.money < best.money) else best

    def limit(self, offers: Offers, most: FloatArray | None) -> FloatArray:
        """(K,) units of which more are of no use: they serve all that they can in the worst draw, or the limits end."""
        found = np.full(len(offers.kind), 0.0)
        for d in range(len(self.demands)):
            need = self.need(d)[:, :, offers.kind]
            found = np.maximum(found, np.where(need < LATE, need, 0.0).sum(axis=1).max(axis=0))
        found = np.ceil(np.maximum(found, self.job_gpus.max()) / offers.unit)
        for use, limit in zip(offers.use, offers.limits, strict=True):
            with np.errstate(divide="ignore", invalid="ignore"):
                found = np.fmin(found, np.floor(limit * (1 + SLACK) / use))
        return np.asarray(found if most is None else np.minimum(found, most))

    def recall(self, offers: Offers, most: FloatArray) -> Fleet | None:
        """The cheapest of the fleets that are known, at the money of the offers."""
        place = {(int(k), bool(r)): j for j, (k, r) in enumerate(zip(offers.kind, offers.rented, strict=True))}
        best: Fleet | None = None
        for known in self.good:
            if all((kind, rented) in place for kind, rented, _ in known):
                lines = np.array([place[kind, rented] for kind, rented, _ in known], np.intp)
                best = self.round_up(offers, lines, np.array([float(n) for *_, n in known]), most, best)
        return best

    def search(
        self, offers: Offers, lines: NDArray[np.intp], most: FloatArray, money: float
    ) -> tuple[Fleet | None, bool, float]:
        """The best fleet of a set of offers, some of each, that costs less than an amount; whether all were looked at;
        the effort.
        """
        # The offer with most units is solved for; the others' units are listed.
        top = np.minimum(most, np.floor(money * (1 + SLACK) / offers.fixed))
        lines = lines[np.argsort(top[lines], kind="stable")]
        own, top = offers.select(lines), top[lines]
        low, high, best, whole, effort = np.ones(len(lines)), top, None, True, 0.0
        while (low <= high).all():
            counts = (high - low + 1)[:-1]
            coarse = counts.prod() > GRID
            step = np.ceil(counts / (GRID ** (1 / len(counts)) / 4)) if coarse else np.ones(len(counts))
            axes = [np.arange(a, b + 1, s) for a, b, s in zip(low[:-1], high[:-1], step, strict=True)]
            grid = np.array(list(itertools.product(*axes)), float).reshape(math.prod(map(len, axes)), len(axes))
            made, spent = self.search_grid(own, grid, top[-1], money)
            effort, whole = effort + spent, whole and not coarse
            if made is not None:
                best, money = made, made.money
            if not coarse or best is None:
                break
            reach = np.append(step, 0.0)
            low, high = np.maximum(best.units - reach, 1.0), np.minimum(best.units + reach, top)
        if best is None:
            return None, whole, effort
        units, shares = np.zeros(len(offers.kind), np.intp), np.zeros(offers.work.shape)
        units[lines], shares[:, lines] = best.units, best.shares
        return replace(best, units=units, shares=shares), whole, effort

    def complete(self, kinds: tuple[int, ...], gpus: FloatArray, most: FloatArray) -> tuple[FloatArray, float]:
        """(G,) GPUs of the last kind that serve the demand beside (G, k - 1) of the others, at least, infinite where
        more than (G,) would have to; and the effort. As many as do where each kind holds a job of each program.
        """
        needed, effort = np.full((len(self.need(0)), len(gpus)), -np.inf), 0.0
        for d, demand in enumerate(self.demands):
            for dual in self.find_duals(d, kinds, np.ones((len(demand.programs), len(kinds)), np.bool_)):
                np.maximum(needed, (1 - SLACK - dual[:, :-1] @ gpus.T) / dual[:, -1:], out=needed)
                effort += needed.size
        # Counting is a tenth of the work of sorting.
        found, good = np.full(len(gpus), np.inf), needed <= most
        kept = np.flatnonzero(good[0] & (good[1:].sum(axis=0) >= self.sure * (len(good) - 1) * (1 - SLACK)))
        found[kept] = self.quantile(needed[:, kept])
        return found, effort

    def search_grid(self, own: Offers, grid: FloatArray, last: float, money: float) -> tuple[Fleet | None, float]:
        """The best fleet with listed units of all offers but the last, below an amount of money; and the effort."""
        kinds, k = tuple(own.kind.tolist()), len(own.kind)
        first = grid @ own.fixed[:-1] + float(own.work.min(axis=1).sum())
        high = np.minimum(last, np.floor((money - first) / own.fixed[-1]))
        for use, limit in zip(own.use, own.limits, strict=True):
            left = limit * (1 + SLACK) - grid @ use[:-1]
            high = np.minimum(high, np.floor(left / use[-1]) if use[-1] > 0 else np.where(left >= 0, high, -1.0))
        grid, high = grid[high >= 1], high[high >= 1]
        if not len(grid):
            return None, 0.0
        most = max(1, BATCH // len(self.need(0)))
        parts = [
            self.complete(kinds, grid[i : i + most] * own.unit[:-1], high[i : i + most] * own.unit[-1])
            for i in range(0, len(grid), most)
        ]
        low = np.maximum(np.ceil(np.concatenate([p[0] for p in parts]) / own.unit[-1] * (1 - SLACK)), 1.0)
        effort = sum(p[1] for p in parts)
        kept = low <= high
        grid, low, high = grid[kept], low[kept], high[kept]
        # Fewer GPUs of a kind than a job takes hold none: then more of the last are needed.
        low = self.raise_last(kinds, own.unit, grid, low, high)
        kept = low <= high
        units, high = np.column_stack([grid[kept], low[kept]]), high[kept]
        best: Fleet | None = None
        cuts = [(float(own.work.min(axis=1).sum()), np.zeros(k))]
        while units.size:
            bound = units @ own.fixed + combine(np.fmax, [c - units @ (v * own.unit) for c, v in cuts])
            units, high = units[bound < money * (1 - SLACK)], high[bound < money * (1 - SLACK)]
            bound = bound[bound < money * (1 - SLACK)]
            if not units.size:
                break
            j = int(bound.argmin())
            found = self.plan(own, units[j])
            if found is not None:
                if float(units[j] @ own.fixed) + found[1] < money:
                    money = float(units[j] @ own.fixed) + found[1]
                    best = Fleet(units[j].astype(np.intp), found[0], money, 0.0, self.sure)
                cuts.append(found[2])
            # More of the last saves energy at best.
            units[j, -1] += 1
            if units[j, -1] > high[j]:
                units, high = np.delete(units, j, axis=0), np.delete(high, j)
        return best, effort

    def raise_last(
        self, kinds: tuple[int, ...], unit: FloatArray, grid: FloatArray, low: FloatArray, high: FloatArray
    ) -> FloatArray:
        """(G,) the least units of the last offer that serve, from a bound below them; above ``high`` where none do."""
        low, end = low.copy(), high + 1
        middle = low.copy()
        while (open_ := np.flatnonzero(low < end)).size:
            gpus = np.column_stack([grid[open_], middle[open_]]) * unit
            good = self.serve_all(kinds, gpus) >= self.sure
            end[open_[good]], low[open_[~good]] = middle[open_][good], middle[open_][~good] + 1
            middle = np.floor((low + end) / 2)
        return end

    def plan(self, offers: Offers, units: FloatArray) -> tuple[FloatArray, float, tuple[float, FloatArray]] | None:
        """(P, K) cheapest shares of a fleet at the forecast, their money, and a bound for others; None if it is late.

        The bound is an amount and (K,) what a GPU of each offer saves at most.
        """
        k = len(offers.kind)
        shares, money = np.zeros((len(self.job_gpus), k)), 0.0
        bound = 0.0, np.zeros(k)
        daily = self.daily
        for d in sorted(range(len(self.demands)), key=lambda d: d == daily):
            demand = self.demands[d]
            programs = list(demand.programs)
            holds = offers.unit * units >= self.job_gpus[programs, None] * (1 - SLACK)
            need = np.where(holds, self.need(d)[0][:, offers.kind], LATE)
            work = offers.work[programs] if d == daily else np.zeros_like(need)
            model = Model()
            x = model.add(need.size, work.ravel(), np.zeros(need.size), (need < LATE).astype(float).ravel())
            x = x.reshape(need.shape)
            for row in x:
                model.row(row, np.ones(k), 1.0, 1.0)
            for j in range(k):
                model.row(x[:, j], np.where(need[:, j] < LATE, need[:, j], 0.0), -math.inf,
                          offers.unit[j] * units[j] * (1 + SLACK))  # fmt: skip
            found = model.solve()
            if found is None:
                return None
            shares[programs] = found.value[x]
            if d == daily:
                money = found.cost
                saves = np.maximum(-found.prices[len(x) :], 0.0)
                least = np.minimum(self.need(d)[0][:, offers.kind], LATE)
                bound = float((work + saves * least).min(axis=1).sum()), saves
        return shares, money, bound

    @property
    def daily(self) -> int:
        """Which demand is that of all jobs."""
        return max(range(len(self.demands)), key=lambda d: len(self.demands[d].programs))

    def dispatch(self, offers: Offers, units: NDArray[np.intp], met: float) -> Fleet | None:
        """A given fleet with its cheapest shares."""
        found = self.plan(offers, units.astype(float))
        if found is None:
            return None
        return Fleet(units, found[0], float(offers.fixed @ units) + found[1], 0.0, met)


@dataclass(frozen=True)
class Solution:
    """Values of all variables."""

    value: FloatArray
    cost: float
    bound: float
    """What no values cost less than."""
    prices: FloatArray
    """Of the rows; where all variables are continuous."""


class Model:
    """Columns and rows for HiGHS."""

    def __init__(self) -> None:
        self.cost: list[float] = []
        self.low: list[float] = []
        self.high: list[float] = []
        self.whole: list[bool] = []
        self.rows: list[tuple[list[int], list[float], float, float]] = []

    def add(
        self, count: int, cost: FloatArray, low: FloatArray, high: FloatArray, *, whole: bool = False
    ) -> NDArray[np.intp]:
        """Variables; their positions."""
        first = len(self.cost)
        self.cost += cost.tolist()
        self.low += low.tolist()
        self.high += high.tolist()
        self.whole += [whole] * count
        return np.arange(first, first + count)

    def row(self, columns: Any, values: Any, low: float, high: float) -> None:
        """One condition."""
        self.rows.append(([int(c) for c in columns], [float(v) for v in values], float(low), float(high)))

    def solve(self) -> Solution | None:
        """The least cost; None where nothing meets the rows."""
        highspy = import_highs()
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = len(self.cost), len(self.rows)
        # Money in units of the dearest column: the solver's tolerances are absolute.
        scale = max(map(abs, self.cost), default=1.0) or 1.0
        lp.col_cost_ = np.array(self.cost) / scale
        lp.col_lower_, lp.col_upper_ = np.array(self.low), np.array(self.high)
        lp.row_lower_ = np.array([r[2] for r in self.rows])
        lp.row_upper_ = np.array([r[3] for r in self.rows])
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.cumsum([0, *(len(r[0]) for r in self.rows)])
        lp.a_matrix_.index_ = np.array([c for r in self.rows for c in r[0]], np.int32)
        lp.a_matrix_.value_ = np.array([v for r in self.rows for v in r[1]])
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        lp.integrality_ = [kinds[w] for w in self.whole]
        solver = highspy.Highs()
        for name, value in SETTINGS.items():
            solver.setOptionValue(name, value)
        solver.passModel(lp)
        solver.run()
        status = solver.getModelStatus()
        if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
            return None
        if status != highspy.HighsModelStatus.kOptimal:
            raise RoofcastError(f"the fleet's programme was not solved: {solver.modelStatusToString(status)}")
        found, info = solver.getSolution(), solver.getInfo()
        least = info.mip_dual_bound if any(self.whole) else info.objective_function_value
        return Solution(
            np.array(found.col_value), float(info.objective_function_value) * scale, float(least) * scale,
            np.array(found.row_dual) * scale,
        )  # fmt: skip
