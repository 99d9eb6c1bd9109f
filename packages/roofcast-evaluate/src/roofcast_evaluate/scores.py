"""How far forecasts are from measurements.

Within a directed pair of GPUs each kernel weighs the same, however many configurations it was measured in; the
summary is the mean over the directed pairs. A missing forecast counts as an error of 100 %.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray, TextArray

MISSING = 1.0
"""Absolute percentage error of a missing forecast, as a fraction."""


@dataclass(frozen=True)
class Score:
    """Metrics of one directed pair of GPUs, or their mean; shares are fractions."""

    source_gpu: str | None
    target_gpu: str | None
    pairs: int
    mape: float
    median_ape: float
    within_10: float
    within_25: float
    within_50: float
    median_ratio: float
    coverage: float
    """Share of measured times inside the interval; NaN where the model claims none."""


@dataclass(frozen=True)
class Outcome:
    """Forecasts of p pairs beside what was measured; arrays are (p,)."""

    kernel: TextArray
    source_gpu: TextArray
    target_gpu: TextArray
    time_s_measured: FloatArray
    time_s: FloatArray
    time_low_s: FloatArray
    time_high_s: FloatArray
    time_s_source: FloatArray | None = None
    limit: TextArray | None = None
    """The resource that needs most seconds on the target, '' where none is known."""

    def __len__(self) -> int:
        return len(self.time_s)

    def select(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Outcome:
        """The pairs of a mask, or the given ones in the given order."""
        present = {name: v for name in self.__dataclass_fields__ if (v := getattr(self, name)) is not None}
        return dataclasses.replace(self, **{name: v[chosen] for name, v in present.items()})

    def fill(
        self, rows: slice | NDArray[np.bool_], time_s: FloatArray, low_s: FloatArray, high_s: FloatArray,
        limit: TextArray,
    ) -> None:  # fmt: skip
        """Put the forecasts of some pairs in."""
        assert self.limit is not None
        self.time_s[rows], self.time_low_s[rows], self.time_high_s[rows] = time_s, low_s, high_s
        self.limit[rows] = limit

    def errors(self) -> FloatArray:
        """(p,) |T_hat - T| / T; 1 where there is no forecast."""
        error = np.abs(self.time_s / self.time_s_measured - 1.0)
        return np.where(np.isfinite(error), error, MISSING)


def kernel_weights(kernel: TextArray) -> FloatArray:
    """(p,) weights that give every distinct kernel the same sum; they add up to 1."""
    if not len(kernel):
        return np.zeros(0)
    _, which, count = np.unique(kernel.astype(str), return_inverse=True, return_counts=True)
    return 1.0 / count[which] / len(count)


def pair_weights(kernel: TextArray, source: TextArray, target: TextArray) -> FloatArray:
    """(p,) the same for every directed pair of GPUs, and for every kernel in it; they add up to 1."""
    _, pair = np.unique((source + "\x00" + target).astype(str), return_inverse=True)
    _, name = np.unique(kernel.astype(str), return_inverse=True)
    names = name.max(initial=0) + 1
    cell, which, count = np.unique(pair * names + name, return_inverse=True, return_counts=True)
    kernels = np.bincount(cell // names)
    return np.asarray(1.0 / count[which] / kernels[pair] / len(kernels))


def weighted_quantile(values: FloatArray, weights: FloatArray, share: float = 0.5) -> float:
    """The least value with that share of the weight at or below it; NaN without values.

    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.array([0.2, 0.2, 0.6]))
    2.0
    """
    if not len(values):
        return float("nan")
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    place = np.searchsorted(reached, share * reached[-1] * (1 - 1e-12))
    return float(values[order][min(int(place), len(values) - 1)])


def conformal_quantile(scores: FloatArray, weights: FloatArray, coverage: float) -> float:
    r"""The least score that covers a share of the calibration weight, the new point counted as well.

    .. math:: q = \inf \{ s : \sum_{s_i \le s} w_i \ge c \, (1 + 1/n) \sum_i w_i \}

    scores : (n,) >= 0. weights : (n,) > 0. coverage : c in (0, 1). The largest score where n is too small for c.

    >>> conformal_quantile(np.arange(1.0, 11.0), np.ones(10), 0.8)
    9.0
    """
    return weighted_quantile(scores, weights, min(coverage * (1 + 1 / max(len(scores), 1)), 1.0))


def score_pair(outcome: Outcome) -> Score:
    """Metrics of pairs that share source and target GPU."""
    error, weight = outcome.errors(), kernel_weights(outcome.kernel)
    ratio = outcome.time_s / outcome.time_s_measured
    known = np.isfinite(ratio)
    inside = (outcome.time_low_s <= outcome.time_s_measured) & (outcome.time_s_measured <= outcome.time_high_s)
    claimed = np.isfinite(outcome.time_low_s) & np.isfinite(outcome.time_high_s)
    claims = claimed.any()
    return Score(
        source_gpu=str(outcome.source_gpu[0]),
        target_gpu=str(outcome.target_gpu[0]),
        pairs=len(outcome),
        mape=float(np.sum(weight * error)),
        median_ape=weighted_quantile(error, weight),
        **{f"within_{limit}": float(np.sum(weight * (error <= limit / 100))) for limit in (10, 25, 50)},
        median_ratio=weighted_quantile(ratio[known], weight[known]),
        coverage=float(np.sum(weight * inside) / np.sum(weight * claimed)) if claims else float("nan"),
    )


def scores_of(outcome: Outcome) -> list[Score]:
    """One score per directed pair of GPUs, in the order of their names."""
    return [score_pair(part) for part in by_gpu_pair(outcome)]


def by_gpu_pair(outcome: Outcome) -> Iterator[Outcome]:
    """The parts of an outcome that share source and target GPU."""
    key = outcome.source_gpu + "\x00" + outcome.target_gpu
    names, which = np.unique(key.astype(str), return_inverse=True)
    for i in range(len(names)):
        yield outcome.select(which == i)


def summary(scores: list[Score]) -> Score:
    """Mean of every metric over directed pairs of GPUs; ``pairs`` is their sum."""

    def mean(name: str) -> float:
        values = np.array([getattr(s, name) for s in scores], dtype=np.float64)
        return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")

    names = ("mape", "median_ape", "within_10", "within_25", "within_50", "median_ratio", "coverage")
    return Score(None, None, sum(s.pairs for s in scores), **{name: mean(name) for name in names})


RANKED_LEAST = 8
"""GPUs that a ranking needs to say anything."""


def ranks(values: FloatArray) -> FloatArray:
    """(n,) ranks from 1; equal values share the mean of theirs.

    >>> ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, which, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2.0)[which])


def spearman(first: FloatArray, second: FloatArray) -> float:
    """Rank correlation of two columns; NaN where one of them is constant.

    >>> round(spearman(np.array([1.0, 2.0, 3.0, 4.0]), np.array([10.0, 30.0, 20.0, 40.0])), 3)
    0.8
    """
    a, b = (r - r.mean() for r in (ranks(first), ranks(second)))
    scale = float(np.sqrt(np.sum(a * a) * np.sum(b * b)))
    return float(np.sum(a * b)) / scale if scale > 0 else float("nan")


@dataclass(frozen=True)
class Ranking:
    """How well forecasts rank the GPUs that ran a kernel."""

    kernel: str
    gpus: int
    spearman: float
    """Of measured times and forecasts, each GPU's being the median of those from all others."""
    spearman_single: float
    """Mean of the correlations of the rankings that single sources make."""


def rankings(outcome: Outcome) -> list[Ranking]:
    """How well forecasts rank GPUs, of each kernel with one configuration that was measured on at least 8."""
    known = outcome.select(np.isfinite(outcome.time_s))
    ranked = []
    for kernel in dict.fromkeys(known.kernel):
        part = known.select(known.kernel == kernel)
        forecasts: dict[str, list[float]] = {}
        measured: dict[str, float] = {}
        for gpu, time_s, time_s_measured in zip(part.target_gpu, part.time_s, part.time_s_measured, strict=True):
            forecasts.setdefault(str(gpu), []).append(float(time_s))
            measured[str(gpu)] = float(time_s_measured)
        several = len(part) > len(measured) * (len(measured) - 1)
        if len(measured) < RANKED_LEAST or several:
            continue
        middle = np.array([np.median(forecasts[gpu]) for gpu in measured])
        single = [spearman(p.time_s, p.time_s_measured) for p in by_gpu_source(part)]
        together = spearman(middle, np.array(list(measured.values())))
        ranked.append(Ranking(str(kernel), len(measured), together, float(np.nanmean(single))))
    return ranked


def by_gpu_source(outcome: Outcome) -> Iterator[Outcome]:
    """The parts of an outcome that share the source GPU."""
    for gpu in dict.fromkeys(outcome.source_gpu):
        yield outcome.select(outcome.source_gpu == gpu)
