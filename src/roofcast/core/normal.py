"""The normal distribution: how many standard deviations hold a share of it, and what lies below so many."""

from __future__ import annotations

NINE_OF_TEN = 1.645
"""1; standard deviations to either side of the mean that hold nine of ten."""


def deviations_below(share: float) -> float:
    """Standard deviations above the mean below which a share lies.

    >>> round(deviations_below(0.95), 3), deviations_below(0.5)
    (1.645, 0.0)
    """
    # It brings fractions and decimals along, which most runs never need.
    from statistics import NormalDist

    return NormalDist().inv_cdf(share)


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
    from statistics import NormalDist

    return NormalDist().cdf(deviations)
