"""Equality of what holds arrays: equal cells make equal values, and a cell that nobody knows (NaN) is like another."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np


class Alike:
    """Base of dataclasses with arrays (declared with ``eq=False``): equal where all fields hold the same."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return are_alike(self, other)

    def __hash__(self) -> int:
        """Of the texts and whole numbers among the fields: arrays and mappings have no hash."""
        values = (getattr(self, f.name) for f in dataclasses.fields(self) if f.compare)  # type: ignore[arg-type]  # a dataclass
        return hash((type(self), *(v for v in values if isinstance(v, (str, int)))))


def are_alike(one: Any, other: Any) -> bool:
    """Whether two values hold the same.

    >>> are_alike({"time_s": np.array([1.0, np.nan])}, {"time_s": np.array([1.0, np.nan])})
    True
    >>> are_alike((np.zeros(2), 1), (np.zeros(3), 1))
    False
    """
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return are_equal_arrays(np.asarray(one), np.asarray(other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(are_alike(v, other[k]) for k, v in one.items())
    if isinstance(one, (list, tuple)) and type(one) is type(other):
        return len(one) == len(other) and all(map(are_alike, one, other))
    if dataclasses.is_dataclass(one) and type(one) is type(other) and not isinstance(one, type):
        names = [f.name for f in dataclasses.fields(one) if f.compare]
        return all(are_alike(getattr(one, n), getattr(other, n)) for n in names)
    return bool(one == other) or bool(one != one and other != other)  # noqa: PLR0124 - NaN alone


def are_equal_arrays(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    """Whether two arrays have the same shape and cells."""
    if one.shape != other.shape:
        return False
    if object in (one.dtype, other.dtype):
        return all(map(are_alike, one.ravel().tolist(), other.ravel().tolist()))
    return np.array_equal(one, other, equal_nan=one.dtype.kind in "fc" and other.dtype.kind in "fc")
