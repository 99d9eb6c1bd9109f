"""Pareto fronts of two goals that are both to be small."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray

SORTED_WHOLE, TINY = 2000, 1e-300


def pareto_front(first: FloatArray, second: FloatArray) -> NDArray[np.intp]:
    """Positions that no other beats in both goals, by ascending ``second``; NaN never is on the front.

    first, second : (n,). Of equal points the first in the array stands for all.

    >>> pareto_front(np.array([3.0, 2.0, 2.5, 1.0]), np.array([1.0, 2.0, 2.0, 4.0])).tolist()
    [0, 1, 3]
    """
    usable = np.flatnonzero(np.isfinite(first) & np.isfinite(second))
    if len(usable) > SORTED_WHOLE:
        # Most points are beaten by one of a few good ones: drop them before anything is sorted.
        for weight in (0.1, 0.3, 1.0, 3.0, 10.0):
            logs = np.log(np.maximum(first[usable], TINY)) * weight + np.log(np.maximum(second[usable], TINY))
            best = usable[np.argmin(logs)]
            beaten = (first[usable] >= first[best]) & (second[usable] >= second[best]) & (usable != best)
            # Of equal points the first of the array stays, whichever was picked.
            equal = (first[usable] == first[best]) & (second[usable] == second[best])
            usable = usable[~beaten | equal]
    order = usable[np.lexsort((first[usable], second[usable]))]
    values = first[order]
    before = np.concatenate([[np.inf], np.minimum.accumulate(values)[:-1]]) if len(values) else values
    return np.asarray(order[values < before])
