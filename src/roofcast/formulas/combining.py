"""One forecast from several whose errors are correlated."""

from __future__ import annotations

import numpy as np

from roofcast.formulas.values import FloatArray


def kriging_weights(covariance: FloatArray) -> FloatArray:
    r"""Weights of the unbiased linear combination with least variance, without negative ones.

    .. math:: \lambda = \frac{C^{-1} 1}{1^T C^{-1} 1}

    covariance : (..., s, s) of the errors, symmetric and positive definite. Returns (..., s), each sum 1.
    Unlike the source, negative weights become 0 and the rest is scaled: several sources are weighed, never
    extrapolated. Source: G. Matheron, "Principles of geostatistics", Economic Geology 58 (1963), ordinary kriging.

    >>> kriging_weights(np.diag([1.0, 3.0])).tolist()
    [0.75, 0.25]
    >>> kriging_weights(np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]])).round(3).tolist()
    [0.256, 0.256, 0.487]
    """
    size = covariance.shape[-1]
    raw = np.linalg.solve(covariance, np.ones((*covariance.shape[:-1], 1)))[..., 0] if size > 1 else covariance[..., 0]
    kept = np.maximum(raw, 0.0)
    total = kept.sum(axis=-1, keepdims=True)
    return np.asarray(np.where(total > 0, kept / np.where(total > 0, total, 1.0), 1.0 / size))


def combined_variance(weights: FloatArray, covariance: FloatArray, widths: FloatArray) -> FloatArray:
    r"""Squared half width of a combination of forecasts.

    .. math:: h^2 = \sum_{ij} \lambda_i \lambda_j \frac{C_{ij}}{\sqrt{C_{ii} C_{jj}}} h_i h_j

    weights : (..., s). covariance : (..., s, s), of which only the correlations count. widths : (..., s) h_i >= 0.
    Source: variance of a sum.

    >>> round(float(combined_variance(np.array([0.5, 0.5]), np.eye(2), np.array([0.2, 0.2]))) ** 0.5, 6)
    0.141421
    """
    sigma = np.sqrt(np.einsum("...ii->...i", covariance))
    scaled = weights * widths / sigma
    return np.asarray(np.einsum("...i,...ij,...j->...", scaled, covariance, scaled))


def power_variogram(distance: FloatArray, variance: float, exponent: float) -> FloatArray:
    r"""Variance of the difference between two places of a random function.

    .. math:: 2 \gamma(d) = v \, d^p

    distance : (...) d >= 0. variance : v at distance 1. exponent : p in (0, 2): 1 is a random walk, near 2 a straight
    line of unknown slope. Source: J.-P. Chiles, P. Delfiner, "Geostatistics", 2nd ed. (2012), sec. 2.5.1.

    >>> power_variogram(np.array([0.0, 4.0]), 0.5, 1.5).tolist()
    [0.0, 4.0]
    """
    return np.asarray(variance * np.power(distance, exponent))
