"""Quantiles of errors that calibrate the intervals of kernels with counters.

The errors are those of the shipped constants, which lean on the same data so little that refitting them without a
program or a GPU changes the mean error by less than a point (docs/accuracy.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import column
from roofcast.core.results import Conditions
from roofcast.formulas.values import combine
from roofcast.models.physics.intervals import (
    COVERAGES,
    DISTANCES,
    DOUBT_EDGES,
    EVIDENCE,
    GROUP_LEAST,
    Intervals,
    doubt_between,
    evidence_of,
    groups_of,
)
from roofcast.models.physics.model import Mechanistic
from roofcast.models.physics.unexplained import stated_share
from roofcast_evaluate.cases import Cases
from roofcast_evaluate.scores import conformal_quantile


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
    with quietly():
        score = np.abs(np.log(parts.time_s[:, 0] / cases.time_s_measured[rows]))
    return np.where(np.isfinite(score), score, np.log(2.0)), group


WIDER_GPUS = 2.0
"""Pairs of GPUs that the wider group counts as in a group's widths."""

Key = tuple[int, int, int]
"""Positions of evidence and distance, and the doubt; -1 is whatever doubt."""


def table_of(errors: Errors) -> Intervals:
    r"""Quantiles of every group, and of every evidence and distance whatever the doubt.

    .. math:: \ln q = \max\left(\ln q_g, \frac{n \ln q_g + 2 \ln q_w}{n + 2}\right)

    q_g : quantile of the group's own errors. q_w : of the wider group: whatever doubt, then whatever carries as far or
    further, then whatever evidence. n : pairs of GPUs, two directions as one, that the group's errors come from.
    Reason: the pair of GPUs is a random effect that all kernels share; what one pair shows of it (A10 and RTX 3080 were
    all that had stall reasons within an architecture) says little of the next.

    More doubt, or less that was counted, is never narrower. A group that nobody measured is as wide as the narrowest of
    those that know no more, carry no less far and have no less doubt.
    """
    evidence, rest = np.divmod(errors.group, len(DISTANCES) * DOUBTS)
    distance, doubt = np.divmod(rest, DOUBTS)
    measured: dict[Key, FloatArray] = {}
    for d in range(len(DISTANCES)):
        as_far = quantiles_of(errors, distance >= d, None)
        for e in range(len(EVIDENCE)):
            wide = quantiles_of(errors, (evidence == e) & (distance >= d), as_far)
            rows = (evidence == e) & (distance == d)
            any_doubt = quantiles_of(errors, rows, wide)
            by_doubt = [any_doubt, *(quantiles_of(errors, rows & (doubt == b), any_doubt) for b in range(DOUBTS))]
            measured |= {(e, d, b): q for b, q in enumerate(by_doubt, -1) if q is not None}
    measured = {
        k: combine(np.fmax, [q for key, q in measured.items() if is_below(key, k, as_far=True)]) for k in measured
    }
    # What no pair at all teaches is as wide as the widest.
    widest = combine(np.fmax, measured.values()) if measured else np.full(len(COVERAGES), np.log(2.0))
    rounded = {}
    for key in np.ndindex(len(EVIDENCE), len(DISTANCES), DOUBTS + 1):
        k = key[0], key[1], key[2] - 1
        above = [q for other, q in measured.items() if is_below(k, other)]
        below = [q for other, q in measured.items() if is_below(other, k, as_far=True)]
        q = measured.get(k, combine(np.fmax, [combine(np.fmin, above) if above else widest, *below]))
        name = f"{EVIDENCE[k[0]]}/{DISTANCES[k[1]]}" + (f"/{k[2]}" if k[2] >= 0 else "")
        rounded[name] = tuple(np.exp(q).round(4).tolist())
    return Intervals(rounded, {})


DOUBTS = len(DOUBT_EDGES) + 1


def is_below(key: Key, other: Key, *, as_far: bool = False) -> bool:
    """Whether a group knows no less than another, has no more doubt and carries no further, or just as far."""
    (e, d, b), (f, g, c) = key, other
    return e <= f and (d == g if as_far else d <= g) and b <= c and (b < 0) == (c < 0)


def quantiles_of(errors: Errors, rows: NDArray[np.bool_], wider: FloatArray | None) -> FloatArray | None:
    """Ln q of the equation above at :data:`COVERAGES`, None of too few pairs. wider : ln q_w, if there is one."""
    if rows.sum() < GROUP_LEAST:
        return None
    logs = np.log([conformal_quantile(errors.score[rows], errors.weight[rows], c) for c in COVERAGES])
    n = len(np.unique(errors.gpus[rows]))
    return logs if wider is None else np.maximum(logs, (n * logs + WIDER_GPUS * wider) / (n + WIDER_GPUS))


SETS = ("hecbench_ncu", "nca_nvprof", "dvfs_hkbu", "hopper_ncu")
"""Sets with counters."""


def join_errors(parts: list[Errors]) -> Errors:
    """Errors of several data sets; each data set weighs the same."""
    return Errors(
        np.concatenate([p.score for p in parts]),
        np.concatenate([p.weight / max(p.weight.sum(), 1e-300) for p in parts]),
        np.concatenate([p.group for p in parts]),
        np.concatenate([p.gpus for p in parts]),
    )
