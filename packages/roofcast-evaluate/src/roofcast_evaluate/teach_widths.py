r"""Fit the half widths of the law without counters (:mod:`roofcast.models.physics.widths`) to errors of any families.

.. math:: \min_c \sum_i w_i \, \rho_{0.9}(\ln |e_i| - \ln h_i(c)), \qquad \rho_q(r) = r (q - [r < 0]), \quad c \ge 0

e : error in logarithms. Source: R. Koenker, G. Bassett, Econometrica 46 (1978), by reweighted least squares.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.models.physics.intervals import COVERAGES
from roofcast.models.physics.law import LawConstants, forecast_log_ratio
from roofcast.models.physics.widths import TERMS, LawWidths, law_half_widths, width_terms
from roofcast_evaluate.scores import conformal_quantile
from roofcast_evaluate.teach_law import LawPairs, join_pairs

QUANTILE = 0.9
"""1; share of the errors that the width shall hold."""
NOISE = 0.01
"""Errors below this are noise of the measurement."""
ROUNDS = 40
"""Reweighted fits, the first half of them with a coarse floor of the residual."""
MOST = {"architecture": 0.5}
"""Largest coefficients: two GPUs of one architecture are measured by as different people as any two."""
EACH_FAMILY, MOST_FAMILIES, MEAN = 0.85, 0.9, 0.93
"""Coverage of the family that keeps least, of four in five, and of all in the mean, to which h is made longer: a family
that nobody has seen is one more draw."""
LONGER = (1.35, 1.6)
"""Bounds of that factor; the lower one is by hand, as the width of machines is: what worst pairs of GPUs need."""


def fit_widths(families: Mapping[str, LawPairs], c: LawConstants) -> LawWidths:
    """The half widths that hold the errors of some families, each the same, in a second."""
    parts = {f: p.select(p.weight > 0) for f, p in families.items()}
    parts = {f: dataclasses.replace(p, weight=p.weight / p.weight.sum()) for f, p in parts.items() if len(p)}
    pairs = join_pairs(parts.values())
    error = {f: np.maximum(np.abs(p.log_ratio - forecast_log_ratio(p.inputs, c)), NOISE) for f, p in parts.items()}
    terms = np.stack([np.broadcast_to(t, len(pairs)) for t in width_terms(pairs.inputs, c)], axis=1)
    coefficients = regress_quantile(terms, np.log(np.concatenate([*error.values()])), pairs.weight)
    widths = LawWidths(**dict(zip(TERMS, coefficients.tolist(), strict=True)), longer=1.0)
    score = {f: error[f] / law_half_widths(p.inputs, c, widths) for f, p in parts.items()}

    def needed(coverage: float) -> FloatArray:
        return np.array([conformal_quantile(score[f], p.weight, coverage) for f, p in parts.items()])

    longer = max(needed(EACH_FAMILY).max(), np.quantile(needed(MOST_FAMILIES), 0.8), np.median(needed(MEAN)))
    whole = np.concatenate([*score.values()])
    shape = [conformal_quantile(whole, pairs.weight, coverage) for coverage in COVERAGES]
    at_90 = shape[COVERAGES.index(0.9)]
    return dataclasses.replace(
        widths, longer=float(np.clip(longer, *LONGER)), shape=tuple(round(float(s / at_90), 3) for s in shape)
    )


def regress_quantile(terms: FloatArray, log_error: FloatArray, weight: FloatArray) -> FloatArray:
    """Coefficients, all but the first at least 0, of a linear quantile of ``log_error``."""
    least = np.array([-np.inf] + [0.0] * (len(TERMS) - 1))
    most = np.array([MOST.get(name, np.inf) for name in TERMS])
    c = np.zeros(len(TERMS))
    c[0] = -1.0
    weight = weight / weight.sum()
    for i in range(ROUNDS):
        r = log_error - terms @ c
        w = weight * np.where(r > 0, QUANTILE, 1.0 - QUANTILE) / np.maximum(np.abs(r), 0.2 if i < ROUNDS / 2 else 0.03)
        c = 0.5 * c + 0.5 * bounded_least_squares(terms, log_error, w, (least, most))
    return c


def bounded_least_squares(
    terms: FloatArray, values: FloatArray, weight: FloatArray, bounds: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """Weighted least squares; a coefficient beyond a bound is put there and the others are solved again."""
    least, most = bounds
    weighted = terms * weight[:, None]
    normal, right = terms.T @ weighted + 1e-9 * np.eye(terms.shape[1]), weighted.T @ values
    fixed = np.full(terms.shape[1], np.nan)
    c = np.zeros(terms.shape[1])
    for _ in range(terms.shape[1]):
        free = np.isnan(fixed)
        held = np.nan_to_num(fixed)
        c = held.copy()
        c[free] = np.linalg.solve(normal[np.ix_(free, free)], right[free] - normal[np.ix_(free, ~free)] @ held[~free])
        beyond = free & ((c < least) | (c > most))
        if not beyond.any():
            break
        fixed[beyond] = np.clip(c, least, most)[beyond]
    return np.clip(c, least, most)
