"""Forecasts of one GPU from all other measured ones together, beside those from each of them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.errors import DatasetError
from roofcast.forecasting.several_sources import combine, works_of
from roofcast.kit.quantities import format_percent
from roofcast_evaluate.cases import Cases
from roofcast_evaluate.scores import Outcome, scores_of

ALL_OTHERS = "all others"
"""Name of the source in the scores."""


@dataclass(frozen=True)
class AllSources:
    """One row per work and target GPU with at least two sources."""

    whole: Outcome
    """All of them together."""
    narrowest: Outcome
    """The one whose interval is narrowest."""
    first: NDArray[np.intp]
    """(r,) a pair of each row."""


def combined_outcome(cases: Cases, outcome: Outcome) -> AllSources:
    """Forecasts of each GPU from all others."""
    target = cases.targets.index[:, 0]
    if (cases.source_gpu == cases.target_gpu).any():
        raise DatasetError("the pairs are settings of one GPU: there are no several sources to use together")
    work = works_of(cases.kernels, np.arange(len(cases)), together=True, by_precision=False)
    cell = work * (target.max(initial=0) + 1) + target
    order = np.lexsort((cases.sources.index, cell))
    starts = np.flatnonzero(np.r_[True, cell[order][1:] != cell[order][:-1]])
    sizes = np.diff(np.r_[starts, len(order)])
    chosen = starts[sizes > 1]
    if not len(chosen):
        raise DatasetError("no kernel and configuration was measured on three GPUs: nothing to use together")
    time, low, high = np.full((3, len(cases)), np.nan)
    best = np.zeros(len(cases), np.intp)
    for size in np.unique(sizes[sizes > 1]).tolist():
        pairs = order[starts[sizes == size][:, None] + np.arange(size)]
        gpus = np.column_stack([cases.sources.index[pairs], target[pairs[:, 0]]])
        for kind in np.unique(gpus, axis=0).tolist():
            rows = pairs[(gpus == kind).all(axis=1)]
            members = [cases.sources.processors[i] for i in kind]
            with quietly():
                log_time = np.log(outcome.time_s[rows])
                half = 0.5 * np.log(outcome.time_high_s[rows] / outcome.time_low_s[rows])
            result, width = (v[:, 0] for v in combine(log_time[:, None], half[:, None], members[:-1], members[-1:]))
            first = rows[:, 0]
            best[first] = rows[np.arange(len(rows)), np.where(np.isfinite(half), half, np.inf).argmin(axis=1)]
            time[first], low[first], high[first] = np.exp([result, result - width, result + width])
    first = np.sort(order[chosen])
    sources = np.full(len(outcome), ALL_OTHERS, dtype=np.object_)
    whole = dataclasses.replace(outcome, source_gpu=sources, time_s=time, time_low_s=low, time_high_s=high)
    narrowest = dataclasses.replace(outcome, source_gpu=sources)
    return AllSources(whole.select(first), narrowest.select(best[first]), first)


def beside_single_sources(single: Outcome, whole: Outcome, narrowest: Outcome) -> str:
    """What one source alone reaches on the same targets: on average, by its interval, and chosen with hindsight."""
    targets = set(whole.target_gpu)
    by_target: dict[str, list[float]] = {}
    for score in scores_of(single):
        if score.target_gpu in targets:
            by_target.setdefault(str(score.target_gpu), []).append(score.mape)
    typical = np.mean([np.mean(v) for v in by_target.values()])
    best = np.mean([min(v) for v in by_target.values()])
    chosen = np.mean([score.mape for score in scores_of(narrowest)])
    return (
        f"one source alone: {format_percent(float(typical), 2)} on average, {format_percent(float(chosen), 2)} from "
        f"the one with the narrowest interval, {format_percent(float(best), 2)} from the one that turned out best for "
        "each target"
    )
