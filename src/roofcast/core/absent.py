"""Arithmetic with values that are absent: a cell of an array that nothing is known of is NaN, and passes through."""

from __future__ import annotations

import numpy as np


def quietly(*, overflow: bool = False) -> np.errstate:
    """NumPy says nothing where a cell is absent (NaN), or divides by 0: what comes of it is NaN or infinite.

    overflow : nor where a product leaves the range of floats, as amounts and times beyond all reason do.

    >>> with quietly():
    ...     (np.array([1.0, 0.0, np.nan]) / 0.0).tolist()
    [inf, nan, nan]
    """
    return np.errstate(divide="ignore", invalid="ignore", over="ignore" if overflow else None)
