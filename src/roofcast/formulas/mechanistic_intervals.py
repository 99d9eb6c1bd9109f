"""Split conformal intervals: how far off the forecasts of like kernels were.

G. Shafer, V. Vovk, "A tutorial on conformal prediction", JMLR 9 (2008); J. Lei et al., "Distribution-free predictive
inference for regression", JASA 113 (2018), for the split form.
"""

from __future__ import annotations

import numpy as np

from roofcast.formulas.values import FloatArray, Values


def conformal_quantile(scores: FloatArray, weights: FloatArray, coverage: float) -> float:
    r"""The least score that covers a share of the calibration weight, the new point counted as well.

    .. math:: q = \inf \{ s : \sum_{s_i \le s} w_i \ge c \, (1 + 1/n) \sum_i w_i \}

    scores : (n,) >= 0. weights : (n,) > 0. coverage : c in (0, 1). The largest score where n is too small for c.

    >>> conformal_quantile(np.arange(1.0, 11.0), np.ones(10), 0.8)
    9.0
    """
    if not len(scores):
        return float("nan")
    order = np.argsort(scores, kind="stable")
    reached = np.cumsum(weights[order]) / np.sum(weights)
    place = int(np.searchsorted(reached, min(coverage * (1 + 1 / len(scores)), 1.0) - 1e-12))
    return float(scores[order][min(place, len(scores) - 1)])


def widened(score: Values, *uncertainties: Values) -> FloatArray:
    r"""A score with further, independent uncertainties.

    .. math:: q' = \sqrt{q^2 + \sum_i (1.645 u_i)^2}

    score : (...) log units, at 90 %. uncertainties : (...) relative standard deviations u_i; NaN counts as 0.
    Source: sum of independent variances; 1.645 standard deviations hold 90 % of a normal distribution.

    >>> round(float(widened(0.3, 0.4 / 1.645)), 9)
    0.5
    """
    total = np.square(np.asarray(score, dtype=np.float64))
    for u in uncertainties:
        total = total + np.square(1.645 * np.nan_to_num(np.asarray(u, dtype=np.float64), nan=0.0))
    return np.sqrt(total)
