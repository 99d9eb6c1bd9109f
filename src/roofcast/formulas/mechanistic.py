"""How the mechanistic model combines resources, floors and what neither explains.

[Fits] are the project's own cross-validated fits on public measurements (docs/accuracy.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from roofcast.formulas.values import FloatArray, Values


def overlapped_s(terms: Sequence[Values], p: float) -> FloatArray:
    r"""Seconds of resources that overlap, but not perfectly.

    .. math:: C = \Big(\sum_i \tau_i^p\Big)^{1/p}

    terms : (...) s each, tau_i; NaN counts as unused. p : 1 = one after the other, infinite = the slowest hides all.
    Source: p-norm roofline, e.g. J. Choi, R. Vuduc et al., "A roofline model of energy", IPDPS 2013, for the two ends.

    >>> round(float(overlapped_s([3.0, 4.0], 2.0)), 9)
    5.0
    """
    slowest: FloatArray = np.asarray(0.0)
    for term in terms:
        slowest = np.fmax(slowest, term)
    if len(terms) < 2:
        return slowest
    # Relative to the slowest, so that no power leaves the range of floats.
    unit = np.where(slowest > 0, slowest, 1.0)
    total: FloatArray = np.asarray(0.0)
    for term in terms:
        part = np.power(np.divide(term, unit), p)
        total = total + np.where(np.isnan(part), 0.0, part)
    return np.asarray(slowest * np.power(total, 1.0 / p))


def unexplained_s(time_s: Values, roofs_s: Values, q: float) -> FloatArray:
    r"""Seconds that must join the roofs' to give what was measured; 0 where the roofs alone need as much.

    .. math:: R = (T^q - \min(C, T)^q)^{1/q}

    time_s : (...) s. T, without the launch floor. roofs_s : (...) s. C. q : 1.
    Source: inverse of :func:`overlapped_s` for two terms.

    >>> round(float(unexplained_s(5.0, 4.0, 2.0)), 9), float(unexplained_s(5.0, 6.0, 2.0))
    (3.0, 0.0)
    """
    t = np.asarray(time_s, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.clip(np.asarray(roofs_s) / t, 0.0, 1.0)
    return np.asarray(t * np.power(1.0 - np.power(r, q), 1.0 / q))


def waves(grid_blocks: Values, sm_count: Values, blocks_per_sm: Values) -> FloatArray:
    r"""Waves of blocks that run one after the other, at least 1.

    .. math:: W = \max(1, n / (S B))

    grid_blocks : (...) 1. n. sm_count : (...) 1. S. blocks_per_sm : (...) 1. B, resident blocks. NaN gives 1.
    Source: counting (fractional: blocks start as others end).

    >>> waves(np.array([100.0, 4320.0]), 108, 10).tolist()
    [1.0, 4.0]
    """
    found = np.divide(grid_blocks, np.multiply(sm_count, blocks_per_sm))
    return np.asarray(np.where(found > 1.0, found, 1.0))


def whole_waves(fractional: Values) -> FloatArray:
    r"""Waves that start, the last one counted whole: what blocks that wait for latency take.

    .. math:: W' = \lceil W \rceil

    fractional : (...) 1. W, from :func:`waves`.
    Source: counting; a block that waits does not end earlier because its SM is half empty.

    >>> whole_waves(np.array([1.0, 1.07, 2.0])).tolist()
    [1.0, 2.0, 2.0]
    """
    # A hair below a whole number is that number: quotients of counts are not exact.
    return np.ceil(np.asarray(fractional, dtype=np.float64) - 1e-9)


def geometric_mix(a: Values, b: Values, share: Values) -> FloatArray:
    r"""Between two scalings: one cause's share of the seconds follows ``b``, the rest ``a``.

    .. math:: a^{1 - s} b^{s}

    >>> round(float(geometric_mix(1.0, 4.0, 0.5)), 9)
    2.0
    """
    s = np.asarray(share, dtype=np.float64)
    return np.power(np.asarray(a, dtype=np.float64), 1.0 - s) * np.power(np.asarray(b, dtype=np.float64), s)
