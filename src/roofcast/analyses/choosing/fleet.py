"""How many of which GPU: the mix with most throughput under limits of money, power and rack space."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from roofcast.core.kernel_table import FloatArray

NODES = 200_000
"""Partial mixes that are looked at; beyond that the best found is given with its distance from the bound."""


@dataclass(frozen=True)
class Fleet:
    """A mix of GPUs."""

    counts: tuple[int, ...]
    per_s: float
    """Workloads per second of all together."""
    bound_per_s: float
    """What no mix exceeds."""

    @property
    def is_optimal(self) -> bool:
        """Whether the search ended: no mix is better."""
        return self.bound_per_s <= self.per_s * (1 + 1e-9)


def single_fleets(per_s: FloatArray, use: FloatArray, limits: FloatArray) -> FloatArray:
    """(m,) how many GPUs of one kind fit.

    per_s : (m,) workloads per second. use : (limits, m) what one takes of each limit. limits : (limits,).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        fits = np.floor(limits[:, None] / use * (1 + 1e-12))
    return np.asarray(np.where(per_s > 0, np.where(np.isnan(fits), 0.0, fits).min(axis=0), 0.0))


def best_fleet(per_s: FloatArray, use: FloatArray, limits: FloatArray) -> Fleet:
    """The mix with most throughput: an integer programme by branch and bound on its linear relaxation.

    per_s, use, limits : as :func:`single_fleets`; at least one limit, all uses above 0.

    >>> best_fleet(np.array([6.0, 3.5]), np.array([[4.0, 3.0]]), np.array([10.0])).counts
    (1, 2)
    """
    m = len(per_s)
    weights = multipliers(per_s, use, limits)
    ratio = per_s / (weights @ use)
    order = np.argsort(-ratio, kind="stable")
    value, cost = per_s[order], use[:, order]
    start = np.zeros(m, dtype=int)
    best, best_counts = 0.0, start.copy()
    alone = single_fleets(value, cost, limits)
    for i in range(m):
        if alone[i] * value[i] > best:
            best, best_counts = float(alone[i] * value[i]), np.eye(m, dtype=int)[i] * int(alone[i])
    # (minus bound, tie, next kind, counts, what is left, value)
    queue: list[tuple[float, int, int, tuple[int, ...], FloatArray, float]] = []
    tie = 0
    heapq.heappush(queue, (-bound(value, cost, limits, weights, 0), tie, 0, (), limits.astype(float), 0.0))
    while queue and tie < NODES:
        minus, _, i, counts, left, done = heapq.heappop(queue)
        if -minus <= best * (1 + 1e-12):
            queue = []
            break
        most = int(single_fleets(value[i : i + 1], cost[:, i : i + 1], left)[0])
        for count in range(most, -1, -1):
            rest = left - count * cost[:, i]
            now = done + count * value[i]
            if now > best:
                best, best_counts = now, np.array([*counts, count, *[0] * (m - i - 1)])
            if i + 1 < m:
                limit = now + bound(value, cost, rest, weights, i + 1)
                if limit > best * (1 + 1e-12):
                    tie += 1
                    heapq.heappush(queue, (-limit, tie, i + 1, (*counts, count), rest, now))
                elif count < most and limit <= best:
                    # Fewer of the better kind only lower the bound.
                    break
    found = np.zeros(m, dtype=int)
    found[order] = best_counts
    top = max([best, *(-n[0] for n in queue)])
    return Fleet(tuple(int(c) for c in found), float(best), float(top))


def multipliers(per_s: FloatArray, use: FloatArray, limits: FloatArray) -> FloatArray:
    """Worth of a unit of each limit: those of the linear relaxation, on a grid of ratios between them."""
    share = 1.0 / limits
    if len(limits) == 1:
        return share
    draws = np.array([w for w in np.ndindex(*(9,) * len(limits)) if sum(w) == 8], dtype=float) / 8.0
    # The relaxation's bound for a mix of limits is the best throughput per unit of that mix.
    bounds = [float((per_s / ((w * share) @ use)).max()) if w.any() else np.inf for w in draws]
    return np.asarray(draws[int(np.argmin(bounds))] * share)


def bound(value: FloatArray, cost: FloatArray, left: FloatArray, weights: FloatArray, first: int) -> float:
    """What kinds from ``first`` on can add at most: fractions of the best per unit of limits, or of each limit."""
    if first >= len(value):
        return 0.0
    v, c = value[first:], cost[:, first:]
    mixed = float((weights @ left) * (v / (weights @ c)).max())
    each = [float(left[r] * (v / c[r]).max()) for r in range(len(left))]
    return max(0.0, min(mixed, *each))
