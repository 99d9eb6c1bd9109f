"""Quantiles of errors that calibrate the intervals of kernels with counters.

The errors are those of the shipped constants, which lean on the same data so little that refitting them without a
program or a GPU changes the mean error by less than a point (docs/accuracy.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import column
from roofcast.core.results import Conditions
from roofcast.evaluation.cases import Cases
from roofcast.models.physics.intervals import (
    COVERAGES,
    GROUP_LEAST,
    GROUPS,
    Intervals,
    conformal_quantile,
    doubt_between,
    evidence_of,
    groups_of,
)
from roofcast.models.physics.model import Mechanistic
from roofcast.models.physics.unexplained import stated_share


@dataclass(frozen=True)
class Errors:
    """|log(T / T_hat)| of p pairs with group and weight; arrays are (p,)."""

    score: FloatArray
    weight: FloatArray
    group: NDArray[np.intp]
    gpus: NDArray[np.str_]
    """The two GPUs, whichever of them is the source."""


def errors_of(cases: Cases, model: Mechanistic) -> Errors:
    """Errors of a model on pairs."""
    scores, groups = [], []
    for rows, conditions in cases.groups():
        score, group = errors_of_run(cases, rows, conditions, model)
        scores.append(score)
        groups.append(group)
    gpus = np.array([" | ".join(sorted(p)) for p in zip(cases.source_gpu, cases.target_gpu, strict=True)])
    return Errors(np.concatenate(scores), cases.weights, np.concatenate(groups), gpus)


def errors_of_run(
    cases: Cases, rows: slice, conditions: Conditions, model: Mechanistic
) -> tuple[FloatArray, NDArray[np.intp]]:
    """Errors and groups of consecutive pairs with the same conditions."""
    kernels, sources, targets, _ = cases.part(rows)
    parts = model.parts(kernels, sources, targets, conditions)
    doubt = doubt_between(stated_share(parts.pair), column(sources), targets)
    group = groups_of(evidence_of(parts.kernels), column(sources), targets, doubt)[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.abs(np.log(parts.time_s[:, 0] / cases.time_s_measured[rows]))
    return np.where(np.isfinite(score), score, np.log(2.0)), group


WIDER_GPUS = 2.0
"""Pairs of GPUs that the wider group counts as in a group's widths."""


def table_of(errors: Errors) -> Intervals:
    r"""Quantiles of every group that has pairs enough, and of the wider groups.

    .. math:: \ln q = \max\left(\ln q_g, \frac{n \ln q_g + 2 \ln q_w}{n + 2}\right)

    q_g : quantile of the group's own errors. q_w : of the wider group. n : pairs of GPUs, two directions as one, that
    the group's errors come from. Reason: the pair of GPUs is a random effect that all kernels share; what one pair
    (A10 and RTX 3080 were all that had counters within an architecture) shows of it says little of the next.
    """
    names = np.array(GROUPS)[errors.group]
    places = [n.rsplit("/", 1)[0] for n in names]
    wider = np.array([["all", p.split("/")[0], p, n] for p, n in zip(places, names, strict=True)]).T
    found: dict[str, FloatArray] = {}
    for k, level in enumerate(wider):
        for name in np.unique(level):
            rows = level == name
            if rows.sum() >= GROUP_LEAST:
                own = np.log([conformal_quantile(errors.score[rows], errors.weight[rows], c) for c in COVERAGES])
                n = len(np.unique(errors.gpus[rows]))
                above = found.get(str(wider[k - 1][rows][0])) if k else None
                shared = own if above is None else (n * own + WIDER_GPUS * above) / (n + WIDER_GPUS)
                found[str(name)] = np.maximum(own, shared)
    quantiles = {name: tuple(np.exp(q).round(4).tolist()) for name, q in found.items()}
    return Intervals(quantiles, {})


SETS = ("hecbench_ncu", "nca_nvprof")
"""Sets with counters."""


def join_errors(parts: list[Errors]) -> Errors:
    """Errors of several data sets; each data set weighs the same."""
    return Errors(
        np.concatenate([p.score for p in parts]),
        np.concatenate([p.weight / max(p.weight.sum(), 1e-300) for p in parts]),
        np.concatenate([p.group for p in parts]),
        np.concatenate([p.gpus for p in parts]),
    )
