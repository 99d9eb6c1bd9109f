"""The normal distribution: how many standard deviations hold a share of it, and what lies below so many."""

from __future__ import annotations

import math

NINE_OF_TEN = 1.645
"""1; standard deviations to either side of the mean that hold nine of ten."""
CONVERGED = 1e-14
"""1; a step of so few standard deviations is the last."""


def deviations_below(share: float) -> float:
    """Standard deviations above the mean below which a share in (0, 1) lies.

    Newton's steps from the mean: what lies above is convex there, so that no step goes too far. The standard library's
    own module brings decimals, fractions and random numbers along, half a megabyte of each run.

    >>> round(deviations_below(0.95), 3), deviations_below(0.5)
    (1.645, 0.0)
    """
    above = min(share, 1.0 - share)
    deviations, step = 0.0, math.inf
    while step > CONVERGED:
        density = math.exp(-0.5 * deviations**2) / math.sqrt(2.0 * math.pi)
        step = (share_below(-deviations) - above) / density
        deviations += step
    return math.copysign(deviations, share - 0.5)


def deviations_around(share: float) -> float:
    """Standard deviations to either side of the mean that hold a share.

    >>> round(deviations_around(0.9), 3)
    1.645
    """
    return deviations_below(0.5 + share / 2)


def share_below(deviations: float) -> float:
    """Share that lies below so many standard deviations above the mean.

    >>> share_below(0.0), round(share_below(NINE_OF_TEN), 2)
    (0.5, 0.95)
    """
    return 0.5 * math.erfc(-deviations / math.sqrt(2.0))
