"""Errors of forecasts by group, and the table of intervals that follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines
from roofcast.core.results import Conditions
from roofcast.evaluation.cases import Cases
from roofcast.evaluation.fitting import pair_weights
from roofcast.forecasting.forecast import slice_rows
from roofcast.formulas.mechanistic_intervals import conformal_quantile
from roofcast.models.physics.intervals import COVERAGES, GROUP_LEAST, GROUPS, Intervals, doubt_of, groups_of
from roofcast.models.physics.mechanistic import Mechanistic
from roofcast.models.supplies import column


@dataclass(frozen=True)
class Errors:
    """|log(T / T_hat)| of p pairs with group and weight; arrays are (p,)."""

    score: FloatArray
    weight: FloatArray
    group: NDArray[np.intp]

    def select(self, chosen: NDArray[np.bool_]) -> Errors:
        """The pairs of a mask."""
        return Errors(self.score[chosen], self.weight[chosen], self.group[chosen])


def errors_of(cases: Cases, model: Mechanistic) -> Errors:
    """Errors of a model on pairs."""
    scores, groups = [], []
    for rows, conditions in cases.groups():
        score, group = errors_of_run(cases, rows, conditions, model)
        scores.append(score)
        groups.append(group)
    return Errors(np.concatenate(scores), pair_weights(cases), np.concatenate(groups))


def errors_of_run(
    cases: Cases, rows: slice, conditions: Conditions, model: Mechanistic
) -> tuple[FloatArray, NDArray[np.intp]]:
    """Errors and groups of consecutive pairs with the same conditions."""
    sources = Machines(cases.sources.processors, cases.sources.index[rows], cases.sources.clock_hz[rows])
    targets = Machines(cases.targets.processors, cases.targets.index[rows], cases.targets.clock_hz[rows])
    parts = model.parts(slice_rows(cases.kernels, rows), sources, targets, conditions)
    doubt = doubt_of(parts.unexplained_s / parts.execution_s, parts.scale, parts.roof_ratio)
    group = groups_of(parts.kernels, column(sources), targets, doubt)[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.abs(np.log(parts.time_s[:, 0] / cases.time_s_measured[rows]))
    return np.where(np.isfinite(score), score, np.log(2.0)), group


def table_of(errors: Errors, provenance: Mapping[str, object] | None = None) -> Intervals:
    """Quantiles of every group that has pairs enough, and of the wider groups."""
    names = np.array(GROUPS)[errors.group]
    quantiles: dict[str, tuple[float, ...]] = {}
    wider = [names, np.array([n.rsplit("/", 1)[0] for n in names]), np.array([n.split("/")[0] for n in names])]
    for level in (*wider, np.full(len(names), "all")):
        for name in np.unique(level):
            rows = level == name
            if rows.sum() >= GROUP_LEAST:
                found = [conformal_quantile(errors.score[rows], errors.weight[rows], c) for c in COVERAGES]
                quantiles[str(name)] = tuple(round(q, 4) for q in found)
    return Intervals(quantiles, dict(provenance or {}))
