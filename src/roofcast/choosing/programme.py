r"""Which fleet costs least: one integer programme over all GPUs that can be bought or rented.

.. math:: \min_{n, x} \sum_k F_k n_k + \sum_{pk} E_{pk} x_{pk} \quad\text{s.t.}\quad
    \sum_k x_{pk} = 1, \quad \sum_p a_{pk} x_{pk} \le u_k n_k, \quad
    P\left[\theta(n) \ge 1\right] \ge q, \quad \sum_k U_{lk} n_k \le L_l

n : units of an offer k (a GPU, a server, an instance). x : share of a program's jobs that an offer does. F : money of a
unit over the life, E : of all of a program's jobs (energy). u : GPUs of a unit. a : GPUs that all jobs of a program
need. theta : the part of the demand that the fleet can serve, of which it has to serve all with probability q over the
drawn times, and at the forecast. U, L : what a unit takes of a limit.

.. math:: \theta(n) = \min_{\mu \ge 0} \frac{\sum_k \mu_k u_k n_k}{\sum_p \min_k \mu_k a_{pk}}

is the dual of the best dispatch at known times: jobs go where they fit best. Its minimum lies where a spanning tree
ties the kinds by programs that run equally well on two of them, so all such trees give it exactly.

A fleet is of a few offers S. For any prices mu, what serves the demand with probability q satisfies

.. math:: \sum_{k \in S} \mu_k u_k n_k \ge Q_q\left[\sum_p \min_{k \in S} \mu_k a_{pk}\right]

Q : the q-quantile over the draws (no less than at the forecast). With mu_k = F_k / u_k that is what a fleet of S costs
at least. Sets of offers are searched one after the other, those first that cost least at least, until no other can be
cheaper (:meth:`Programme.search`); what was not looked at within the effort says how far the answer may be from the
best. HiGHS places the jobs and fills limits. The probability is no matter for it: with a yes or no for each draw it
takes 4 s for 100 draws of six GPUs and three programs, 20 s for 200 and 49 s for 400, and 2,000 are needed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import field, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass
from roofcast.formulas.values import combine
from roofcast.kit.linear_programme import GAP, LinearProgramme

FLEET = ("fleet", "a fleet of least cost")
"""The extra that the solver comes with, and what needs it."""
KINDS = 3
"""Offers that a fleet mixes at most: each has its own contract, spare parts, drivers and images."""
OFFERS = 24
"""Offers that the programme is about: those whose GPU costs least alone."""
EFFORT = 2e9
"""Boxes of fleets times draws times duals that are looked at before the best fleet is given with its distance from the
bound: some seconds."""
SETUP = 1e6
"""Effort that each look at boxes takes beside."""
KEPT = 128
"""Sets of kinds whose duals are remembered."""
FINE = 5e-4
"""Part of the money within which fleets are not told apart."""
BATCH = 2_000_000
"""Draws times fleets in one array."""
LATE = 1e9
"""GPUs that a program needs where it is late: no fleet has them."""
FEW = 64
"""Boxes below which each is cut in four at once: a round over few costs as much as one over many."""
SLACK, SINGLE = 1e-9, 3e-6
"""Part of an amount that rounding takes, in double and single precision."""


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


@cache
def list_trees(kinds: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """All spanning trees of so many nodes, edges in an order that reaches them from node 0."""
    pairs = list(itertools.combinations(range(kinds), 2))
    trees = []
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
            trees.append(tuple(ordered))
    return tuple(trees)


@cache
def list_ties(kinds: int, programs: int) -> tuple[tuple[tuple[int, int, int], ...], ...]:
    """All ties of kinds by programs: edges of a tree, each with its program.

    A program that ties several kinds does so by edges from the first of them: each tie stands there once.
    """
    ties = []
    for tree in list_trees(kinds):
        for tied in itertools.product(range(programs), repeat=kinds - 1):
            tie = [(a, b, program) for (a, b), program in zip(tree, tied, strict=True)]
            shared = [
                ({*first[:2]} & {*other[:2]}, min(*first[:2], *other[:2]))
                for first, other in itertools.combinations(tie, 2) if first[2] == other[2]
            ]  # fmt: skip
            if all(least in common for common, least in shared if common):
                ties.append(tuple(tie))
    return tuple(ties)


def list_duals(need: FloatArray) -> FloatArray:
    """(k, T, ...) of ties of kinds by programs: the worth of a GPU of each kind, for which all jobs are worth 1.

    need : (..., p, k) GPUs that all jobs of a program need. Reason: what is worth most for given GPUs is one of the
    worths at which all kinds are tied by programs that are cheapest on those they tie. Of three kinds and programs 27
    ties can be written and six at most are such; the rest is left out.

    >>> list_duals(np.array([[1.0, 2.0], [2.0, 1.0]])).round(3).tolist()
    [[0.667, 0.333], [0.333, 0.667]]
    """
    p, k = need.shape[-2:]
    draws = need.shape[:-2]
    needs = np.ascontiguousarray(np.moveaxis(need, (-1, -2), (0, 1)))
    ties = list_ties(k, p)
    worths = np.ones((k, len(ties), *draws))
    holds = np.ones((len(ties), *draws), np.bool_)
    for t, tie in enumerate(ties):
        for a, b, program in tie:
            worths[b, t] = worths[a, t] * needs[a, program] / needs[b, program]
        least = combine(np.minimum, [w * worth for w, worth in zip(worths[:, t], needs, strict=True)])
        for _, b, program in tie:
            holds[t] &= worths[b, t] * needs[b, program] <= least[program] * (1 + SLACK)
        worths[:, t] /= least.sum(axis=0)
    place = holds.cumsum(axis=0) - 1
    most = int(place[-1].max()) + 1
    if most == len(ties):
        return worths
    # Draws with fewer keep what stands first: all are bounds.
    chosen = worths[:, :most].copy()
    which = holds.nonzero()
    for part, all_ in zip(chosen, worths, strict=True):
        part[(place[which], *which[1:])] = all_[which]
    return chosen


def product(rows: NDArray[np.floating], stack: NDArray[np.floating]) -> NDArray[np.floating]:
    """(B, T, D) of (B, k) and (k, T, D)."""
    return (rows @ stack.reshape(len(stack), -1)).reshape(len(rows), *stack.shape[1:])


def serve(gpus: FloatArray, need: FloatArray) -> FloatArray:
    """(...,) part of the demand that GPUs can serve.

    gpus : (k,) of each kind. need : (..., p, k) GPUs that all jobs of a program need.

    >>> float(serve(np.array([1.0, 1.0]), np.array([[1.0, 2.0], [2.0, 1.0]])))
    1.0
    """
    return np.asarray(np.tensordot(gpus, list_duals(need), 1).min(axis=0))


def halve(low: FloatArray, high: FloatArray, side: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
    """Boxes of whole numbers with (B, m) ends, cut in two along one side each.

    >>> halve(np.array([[1.0, 1.0]]), np.array([[4.0, 2.0]]), np.array([0]))[0].tolist()
    [[1.0, 1.0], [3.0, 1.0]]
    """
    rows = np.arange(len(low))
    middle = np.floor((low[rows, side] + high[rows, side]) / 2)
    below, above = high.copy(), low.copy()
    below[rows, side], above[rows, side] = middle, middle + 1
    # One fleet has no halves.
    some = middle < high[rows, side]
    return np.concatenate([low, above[some]]), np.concatenate([below, high[some]])


@dataclass
class Programme:
    """The programme, with what it knows of sets of kinds by now: none of it depends on money."""

    demands: Sequence[Demand]
    job_gpus: FloatArray
    """(P,) GPUs of one job, which are of one kind."""
    sure: float
    good: dict[tuple[tuple[int, bool, int], ...], None] = field(default_factory=dict)
    """Fleets that serve the demand: kind, rented and units of each of their offers."""
    needs: dict[int, FloatArray] = field(default_factory=dict)
    duals: dict[tuple[Any, ...], FloatArray] = field(default_factory=dict)

    def need(self, d: int) -> FloatArray:
        """(1 + D, p, C) GPUs that the programs of a demand need: at the forecast, and at the drawn times."""
        if d not in self.needs:
            demand = self.demands[d]
            self.needs[d] = np.minimum(np.concatenate([demand.expected[None], demand.need]), LATE)
        return self.needs[d]

    def find_duals(self, d: int, kinds: tuple[int, ...], holds: NDArray[np.bool_]) -> FloatArray:
        """(k, T, 1 + D) of kinds that hold a job of each program or do not, (p, k)."""
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
                fleets = np.flatnonzero(which.ravel() == s)
                part = np.full((len(served), len(fleets)), np.inf)
                for dual in self.find_duals(d, kinds, shape.reshape(holds.shape[1:])).swapaxes(0, 1):
                    np.minimum(part, dual.T @ gpus[fleets].T, out=part)
                served[:, fleets] &= part >= 1 - SLACK
        met = served[1:].mean(axis=0) if len(served) > 1 else np.ones(len(gpus))
        return np.where(served[0], met, 0.0)

    def serve_parts(self, kinds: tuple[int, ...], gpus: FloatArray) -> FloatArray:
        """(1 + D,) part of the demand that a fleet, (k,) GPUs of kinds, serves at the forecast and the drawn times."""
        holds = [np.ones((len(d.programs), len(kinds)), np.bool_) for d in self.demands]
        return combine(
            np.minimum, [np.tensordot(gpus, self.find_duals(d, kinds, h), 1).min(axis=0) for d, h in enumerate(holds)]
        )

    def probability(self, gpus: FloatArray) -> float:
        """Probability that so many GPUs of each kind, (C,), serve the demand; 0 where they do not at the forecast."""
        kinds = np.flatnonzero(gpus > 0)
        return float(self.serve_all(tuple(kinds.tolist()), gpus[None, kinds])[0]) if kinds.size else 0.0

    def often(self, good: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(B,) of (1 + D, B): what is so at the forecast and at the draws with the probability asked."""
        return np.asarray(good[0] & (good[1:].sum(axis=0) >= self.sure * (len(good) - 1) * (1 - SLACK)))

    def quantile(self, drawn: FloatArray) -> FloatArray:
        """(...) of (1 + D, ...) amounts, at the forecast and at the draws: what suffices with the probability asked."""
        if len(drawn) == 1:
            return np.asarray(drawn[0])
        rank = max(0, math.ceil(self.sure * (len(drawn) - 1) - 1e-9) - 1)
        return np.asarray(np.maximum(drawn[0], np.partition(drawn[1:], rank, axis=0)[rank]))

    def bound(self, offers: Offers) -> tuple[list[NDArray[np.intp]], FloatArray]:
        """All sets of few offers, and (S,) money that a fleet of each costs at least; infinite where it is late."""
        price, sets, least = offers.fixed / offers.unit, [], []
        daily = offers.work[list(self.demands[self.daily].programs)]
        # (K, p, draws) of each demand: what is looked at together lies together.
        jobs = [
            np.ascontiguousarray(np.moveaxis(self.need(d)[:, :, offers.kind] * price, 0, -1).swapaxes(0, 1))
            for d in range(len(self.demands))
        ]
        for size in range(1, min(KINDS, len(price)) + 1):
            for lines in itertools.combinations(range(len(price)), size):
                money = max(float(self.quantile(combine(np.minimum, [j[k] for k in lines]).sum(axis=0))) for j in jobs)
                work = float(daily[:, lines].min(axis=1).sum())
                least.append(money + work if money < LATE * price.min() else math.inf)
                sets.append(np.array(lines, np.intp))
        return sets, np.array(least)

    def solve(self, offers: Offers, most: FloatArray | None = None, gap: float = GAP) -> Fleet | None:
        """The fleet of least money; None where the limits allow none.

        most : (K,) units of each offer. gap : part of the money by which the answer may miss the least.
        """
        most = self.limit(offers, most)
        sets, least = self.bound(offers)
        best, effort = self.recall(offers, most), EFFORT
        left = np.isfinite(least)
        for s in np.argsort(least, kind="stable").tolist():
            left &= least < (math.inf if best is None else best.money * (1 - gap))
            if effort <= 0 or not left[s]:
                break
            money = math.inf if best is None else best.money
            fleet, bound, effort = self.search(offers, sets[s], most, money, effort, gap)
            best, least[s] = fleet or best, max(least[s], bound)
            left[s] = math.isfinite(least[s])
        if best is None:
            return None
        used = np.flatnonzero(best.units).tolist()
        self.good[tuple((int(offers.kind[k]), bool(offers.rented[k]), int(best.units[k])) for k in used)] = None
        met = self.probability(np.bincount(offers.kind, offers.unit * best.units, self.need(0).shape[-1]).astype(float))
        return replace(best, bound=float(min(least[left].min(initial=math.inf), best.money)), met=met)

    def limit(self, offers: Offers, most: FloatArray | None) -> FloatArray:
        """(K,) units of which more are of no use: they serve all that they can in the worst draw, or the limits end."""
        units = np.full(len(offers.kind), 0.0)
        for d in range(len(self.demands)):
            need = self.need(d)[:, :, offers.kind]
            units = np.maximum(units, np.where(need < LATE, need, 0.0).sum(axis=1).max(axis=0))
        units = np.ceil(np.maximum(units, self.job_gpus.max()) / offers.unit)
        for use, limit in zip(offers.use, offers.limits, strict=True):
            with quietly():
                units = np.fmin(units, np.floor(limit * (1 + SLACK) / use))
        return np.asarray(units if most is None else np.minimum(units, most))

    def recall(self, offers: Offers, most: FloatArray) -> Fleet | None:
        """The cheapest of the fleets that are known to serve, at the money of the offers."""
        place = {(int(k), bool(r)): j for j, (k, r) in enumerate(zip(offers.kind, offers.rented, strict=True))}
        best: Fleet | None = None
        for known in self.good:
            units = np.zeros(len(offers.kind), np.intp)
            for kind, rented, count in known:
                units[place.get((kind, rented), 0)] += count if (kind, rented) in place else LATE
            if (units <= most).all() and (offers.use @ units <= offers.limits * (1 + SLACK)).all():
                fleet = self.dispatch(offers, units, self.sure)
                best = fleet if fleet is not None and (best is None or fleet.money < best.money) else best
        return best

    def search(
        self, offers: Offers, lines: NDArray[np.intp], most: FloatArray, money: float, effort: float, gap: float
    ) -> tuple[Fleet | None, float, float]:
        """The best fleet of a set of offers, some of each, that costs less than an amount; what no other of the set is
        cheaper than, infinite where all were looked at; the effort that is left.

        Boxes of fleets are halved, and left where :meth:`weigh_boxes` says that none of theirs costs less.
        """
        top = np.minimum(most, np.floor(money * (1 + SLACK) / offers.fixed))
        # The offer with most units is solved for; the others' units make the boxes.
        lines = lines[np.argsort(top[lines], kind="stable")]
        chosen, top = offers.select(lines), top[lines]
        low, high = np.ones((1, len(lines) - 1)), top[None, :-1]
        # What the jobs cost beside the units: an amount, less what a GPU of each offer saves at most.
        cuts = [(float(chosen.work.min(axis=1).sum()), np.zeros(len(lines)))]
        best: Fleet | None = None
        bound, least = math.inf, np.zeros(len(low))
        sides = self.list_sides(chosen) if (top >= 1).all() else []
        while len(low) and sides and effort > 0:
            last, least, spent = self.weigh_boxes(chosen, sides, low, high, top[-1], money, cuts)
            effort -= spent
            open_boxes = (least < money * (1 - gap)) & (last <= top[-1])
            fewest = np.column_stack([low, np.where(open_boxes, last, 0.0)])
            open_boxes &= (fewest @ chosen.use.T <= chosen.limits * (1 + SLACK)).all(axis=1)
            low, high, last, least = low[open_boxes], high[open_boxes], last[open_boxes], least[open_boxes]
            wide = (high - low) * chosen.fixed[:-1]
            done = wide.sum(axis=1) <= (FINE * money if math.isfinite(money) else 0.0)
            if len(low):
                # The dearest corners are fleets themselves; of the boxes still wide the cheapest one is weighed.
                corners = np.column_stack([high, last])
                weighed = done | (np.arange(len(low)) == int((corners @ chosen.fixed).argmin()))
                fleet = self.place(chosen, corners[weighed], top[-1], money, cuts)
                if fleet is not None:
                    best, money = fleet, fleet.money
            bound = min(bound, least[done & (high > low).any(axis=1)].min(initial=math.inf))
            low, high, wide, least = low[~done], high[~done], wide[~done], least[~done]
            if len(low):
                low, high = halve(low, high, wide.argmax(axis=1))
            if 0 < len(low) < FEW:
                low, high = halve(low, high, ((high - low) * chosen.fixed[:-1]).argmax(axis=1))
        bound = min(bound, least.min(initial=math.inf)) if len(low) and effort <= 0 else bound
        if best is None:
            return None, bound, effort
        units, shares = np.zeros(len(offers.kind), np.intp), np.zeros(offers.work.shape)
        units[lines], shares[:, lines] = best.units, best.shares
        return replace(best, units=units, shares=shares), bound, effort

    def list_sides(self, own: Offers) -> list[tuple[FloatArray, FloatArray]]:
        """Of each demand, in single precision and as a matrix that corners of boxes are multiplied with: (k, T, 1 + D)
        GPUs of the last offer's kind that do all by each dual, less how many of them one of another kind does for; and
        (2 k - 1, T, 1 + D) the same with the price of that one added, and less its size for half the width of a box.
        """
        price, sides = own.fixed / own.unit, []
        for d, demand in enumerate(self.demands):
            # As many as do where each kind holds a job of each program.
            duals = self.find_duals(d, tuple(own.kind.tolist()), np.ones((len(demand.programs), len(price)), np.bool_))
            needed: FloatArray = np.empty(duals.shape, np.float32)
            np.divide(1, duals[-1], out=needed[0], casting="same_kind")
            np.divide(duals[:-1], -duals[-1], out=needed[1:], casting="same_kind")
            tilt = needed[1:] + (price[:-1] / price[-1]).astype(np.float32)[:, None, None]
            sides.append((needed, np.concatenate([needed[:1], tilt, -np.abs(tilt)])))
        return sides

    def weigh_boxes(
        self, own: Offers, sides: Sequence[tuple[FloatArray, FloatArray]], low: FloatArray, high: FloatArray,
        most: float, money: float, cuts: Sequence[tuple[float, FloatArray]],
    ) -> tuple[FloatArray, FloatArray, float]:  # fmt: skip
        r"""Of boxes, (B, k - 1) ends of the units of all offers but the last: (B,) units of the last that serve beside
        the most of them at least, infinite where more than ``most`` do; (B,) what no fleet of theirs is cheaper than;
        and the effort.

        .. math:: \min_n \left( F_l N + \sum_k F_k n_k \right) \ge F_l Q_q\left[\max_\mu \min_n \left(
            \frac{1 - \sum_k \mu_k n_k}{\mu_l} + \sum_k \frac{F_k}{F_l} n_k \right)\right]

        N : of the last offer l that the others n need. mu : duals of a draw. Q : the q-quantile over the draws. Reason:
        with the units that suit each draw best it costs no more than with the same for all of them. The bound is exact
        where the box is one fleet, and misses by how far a draw's worth of a GPU is from its price times the width.
        """
        price, size = own.fixed / own.unit, max(1, BATCH // max(n[0].size for n, _ in sides))
        ends, effort = np.array([low, high]) * own.unit[:-1], SETUP
        last: list[FloatArray] = []
        fixed: list[FloatArray] = []
        for i in range(0, len(low), size):
            top, mean = ends[1, i : i + size], ends[:, i : i + size].mean(axis=0)
            ones = np.ones((len(top), 1))
            corner, middle = (
                np.concatenate(v, axis=1, dtype=np.float32) for v in ((ones, top), (ones, mean, top - mean))
            )
            # One product of matrices for all duals and draws: (B, T, 1 + D), then the worst dual of each draw.
            costs = combine(np.maximum, [product(middle, c).max(axis=1) for _, c in sides]).T * (1 - SINGLE)
            cheap = np.flatnonzero(self.often(costs < money / price[-1]))
            needed = combine(np.maximum, [product(corner[cheap], n).max(axis=1) for n, _ in sides]).T * (1 - SINGLE)
            effort += sum(n[0].size for n, _ in sides) * len(top)
            # Counting is a tenth of the work of sorting.
            enough = self.often(needed <= most * own.unit[-1])
            places = cheap[enough]
            for bounds, amounts in ((last, needed[:, enough]), (fixed, costs[:, places])):
                bounds.append(np.full(len(top), np.inf))
                bounds[-1][places] = self.quantile(amounts)
        units = np.maximum(np.ceil(np.concatenate(last) / own.unit[-1] * (1 - SLACK)), 1.0)
        below, above = np.column_stack([low, units]), np.column_stack([high, np.full(len(low), most)])
        with quietly():
            least = [price[-1] * np.concatenate(fixed) + max(c - (s * own.unit) @ above.max(axis=0) for c, s in cuts)]
            for c, saves in cuts:
                slope = own.fixed - saves * own.unit
                least.append(c + np.minimum(below * slope, above * slope).sum(axis=1))
        return units, combine(np.maximum, least), effort

    def place(
        self, own: Offers, units: FloatArray, most: float, money: float, cuts: list[tuple[float, FloatArray]]
    ) -> Fleet | None:
        """The cheapest fleet below an amount of money of some with (G, k) units or more of the last offer."""
        kinds = tuple(own.kind.tolist())
        with quietly():
            left = (own.limits * (1 + SLACK) - units[:, :-1] @ own.use[:, :-1].T) / own.use[:, -1]
            left = np.where(own.use[:, -1] > 0, np.floor(left), np.where(left >= 0, np.inf, -1.0))
        high = np.minimum(most, left.min(axis=1, initial=math.inf))
        least = units @ own.fixed + combine(np.fmax, [c - units @ (v * own.unit) for c, v in cuts])
        cheap = (least < money * (1 - SLACK)) & (units[:, -1] <= high)
        units, high = units[cheap], high[cheap]
        # Fewer GPUs of a kind than a job takes hold none: then more of the last are needed.
        raised = self.raise_last(kinds, own.unit, units[:, :-1], units[:, -1], high)
        units = np.column_stack([units[:, :-1], raised])[raised <= high]
        high = high[raised <= high]
        best: Fleet | None = None
        while units.size:
            bound = units @ own.fixed + combine(np.fmax, [c - units @ (v * own.unit) for c, v in cuts])
            cheap = bound < money * (1 - SLACK)
            units, high, bound = units[cheap], high[cheap], bound[cheap]
            if not units.size:
                break
            j = int(bound.argmin())
            planned = self.plan(own, units[j])
            if planned is not None:
                if float(units[j] @ own.fixed) + planned[1] < money:
                    money = float(units[j] @ own.fixed) + planned[1]
                    best = Fleet(units[j].astype(np.intp), planned[0], money, 0.0, self.sure)
                cuts.append(planned[2])
            # More of the last saves energy at best.
            units[j, -1] += 1
            if units[j, -1] > high[j]:
                units, high = np.delete(units, j, axis=0), np.delete(high, j)
        return best

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
            model = LinearProgramme(*FLEET)
            x = model.add(need.size, work.ravel(), np.zeros(need.size), (need < LATE).astype(float).ravel())
            x = x.reshape(need.shape)
            for row in x:
                model.row(row, np.ones(k), 1.0, 1.0)
            for j in range(k):
                model.row(x[:, j], np.where(need[:, j] < LATE, need[:, j], 0.0), -math.inf,
                          offers.unit[j] * units[j] * (1 + SLACK))  # fmt: skip
            solution = model.solve()
            if solution is None:
                return None
            shares[programs] = solution.value[x]
            if d == daily:
                money = solution.cost
                saves = np.maximum(-solution.prices[len(x) :], 0.0)
                least = np.minimum(self.need(d)[0][:, offers.kind], LATE)
                bound = float((work + saves * least).min(axis=1).sum()), saves
        return shares, money, bound

    @property
    def daily(self) -> int:
        """Which demand is that of all jobs."""
        return max(range(len(self.demands)), key=lambda d: len(self.demands[d].programs))

    def dispatch(self, offers: Offers, units: NDArray[np.intp], met: float) -> Fleet | None:
        """A given fleet with its cheapest shares."""
        planned = self.plan(offers, units.astype(float))
        if planned is None:
            return None
        return Fleet(units, planned[0], float(offers.fixed @ units) + planned[1], 0.0, met)
