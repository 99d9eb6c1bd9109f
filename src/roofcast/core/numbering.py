"""Which of few different values each of many is: of whole numbers without a sort, where they lie close together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SPAN_MOST = 4
"""1; how many times as many as the values the numbers from the least to the greatest may be to be counted off."""


def number_values(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """(k,) the different values in ascending order; (n,) which of them each is. values : (n,) without NaN.

    >>> [part.tolist() for part in number_values(np.array([7, 5, 7, 9]))]
    [[5, 7, 9], [1, 0, 1, 2]]
    """
    if len(values) and values.dtype.kind in "iu":
        least, most = int(values.min()), int(values.max())
        if most - least < SPAN_MOST * len(values):
            above = values - values.dtype.type(least)
            occurs = np.zeros(most - least + 1, np.bool_)
            occurs[above] = True
            return np.flatnonzero(occurs).astype(values.dtype) + values.dtype.type(least), (np.cumsum(occurs) - 1)[
                above
            ]
    distinct = np.unique(values)
    return distinct, np.searchsorted(distinct, values)
