"""Types of the formulas' arguments, and how several of them become one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Values = float | FloatArray
"""A number or an array of any shape."""


Made = TypeVar("Made", bound=np.generic)
Shape = tuple[int, ...]


def combine(operation: Callable[[Any, Any], NDArray[Made]], parts: Iterable[NDArray[Any] | Values]) -> NDArray[Made]:
    """Arrays as one, cell by cell; what is the same for all kernels or GPUs is one row or column.

    operation : of two arrays, such as ``np.fmax``. parts : at least one; (...) each, which broadcast.

    >>> combine(np.fmax, [np.array([[1.0], [4.0]]), np.array([[2.0, np.nan]])]).tolist()
    [[2.0, 1.0], [4.0, 4.0]]
    """
    return np.asarray(reduce(operation, parts))


def find_middle(values: FloatArray) -> FloatArray:
    """(...) the median of the known values along the first axis; NaN where none is.

    What NumPy has for it loads masked arrays, a seventh of its own start.

    >>> find_middle(np.array([[3.0, np.nan], [1.0, np.nan], [np.nan, 2.0], [2.0, 6.0]])).tolist()
    [2.0, 4.0]
    """
    known = np.count_nonzero(~np.isnan(values), axis=0)
    if not len(values):
        return np.full(np.shape(known), np.nan)
    # NaN comes last; the middle of no values is one of them.
    ordered = np.sort(values, axis=0)
    places = np.maximum(known - 1, 0) // 2, known // 2
    low, high = (np.take_along_axis(ordered, np.asarray(i)[None], 0)[0] for i in places)
    return np.asarray(np.where(known % 2, low, 0.5 * (low + high)))


def over_cells(values: NDArray[Made], cells: Shape, what: str) -> NDArray[Made]:
    """Values as an array of all cells.

    values : of as many dimensions as ``cells``, each its length or 1; or a number. what : whose they are.

    Raises
    ------
    ValueError : they are of other kernels or machines than the cells.

    >>> over_cells(np.array([[1.0], [2.0]]), (2, 3), "a cause").tolist()
    [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
    """
    check_cells(np.shape(values), cells, what)
    return np.broadcast_to(values, cells)


def check_cells(shape: Shape, cells: Shape, what: str) -> None:
    """Check that values of a shape are of these cells: of each of them, of a row or column of them, or one for all.

    Raises
    ------
    ValueError : they are of other kernels or machines.
    """
    if shape in (cells, ()):
        return
    if len(shape) != len(cells) or any(a not in (1, b) for a, b in zip(shape, cells, strict=True)):
        raise ValueError(f"{what} has the shape {shape}, its cells have {cells}")


def or_else(values: Values, absent: float) -> FloatArray:
    """Values, another one where they are not known (NaN).

    >>> or_else(np.array([1.0, np.nan]), 3.0).tolist()
    [1.0, 3.0]
    """
    # To look costs a quarter of what another array does; np.nan_to_num takes five times as long.
    unknown = np.isnan(values)
    return np.where(unknown, absent, values) if unknown.any() else np.asarray(values)


def or_zero(values: Values) -> FloatArray:
    """Values, 0 where they are not known (NaN).

    >>> or_zero(np.array([1.0, np.nan])).tolist()
    [1.0, 0.0]
    """
    return or_else(values, 0.0)


def finite_or(values: Values, other: float) -> FloatArray:
    """Values, another one where they are not known or endless, as a quotient by 0 is.

    >>> finite_or(np.array([1.0, np.nan, np.inf]), 3.0).tolist()
    [1.0, 3.0, 3.0]
    """
    finite = np.isfinite(values)
    return np.asarray(values) if finite.all() else np.where(finite, values, other)
