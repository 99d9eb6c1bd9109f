"""Arithmetic of lanes as C does it: one number for all of them, or an array with one for each."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from roofcast_hull.emulated.value_types import Type

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": lambda a, b: a << (b & 63), ">>": lambda a, b: a >> (b & 63),
}  # fmt: skip
COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


def is_bools(v: Any) -> bool:
    """Whether lanes hold truth values."""
    return isinstance(v, np.ndarray) and v.dtype == bool


def truth(v: Any) -> Any:
    """Whether a value is not 0."""
    if isinstance(v, np.ndarray):
        return v if v.dtype == bool else v != 0
    return bool(v)


def whole(v: Any) -> Any:
    """Whole numbers of lanes, within the 64 bits of a word."""
    if isinstance(v, np.ndarray):
        return v if v.dtype == np.int64 else v.astype(np.int64)
    return hold_in_word(int(v))


def hold_in_word(v: int) -> int:
    """A whole number with as many of its bits as a signed word of 64 bits has."""
    return ((v + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63) if abs(v) >= 1 << 63 else v


def wrap(v: Any, kind: Type) -> Any:
    """A whole number within its bits."""
    if isinstance(v, np.ndarray):
        if kind.size == 4 and len(v) and (v.max() > 0x7FFFFFFF or v.min() < -0x80000000):
            v = v & 0xFFFFFFFF
            return v if not kind.signed else np.where(v > 0x7FFFFFFF, v - (1 << 32), v)
        return v
    if kind.size == 4:
        if -0x80000000 <= v <= 0x7FFFFFFF:
            return v if kind.signed or v >= 0 else v & 0xFFFFFFFF
        v &= 0xFFFFFFFF
        return v - (1 << 32) if kind.signed and v > 0x7FFFFFFF else v
    return hold_in_word(v)


def tame(v: Any) -> Any:
    """Numbers that stay numbers."""
    if isinstance(v, np.ndarray):
        return v
    return v if -1e300 < v < 1e300 else 1.0


def divide_real(x: Any, y: Any) -> Any:
    """A quotient; by 0 it is by 1."""
    if isinstance(y, np.ndarray):
        y = np.where(y == 0, 1.0, y)
    elif y == 0:
        y = 1.0
    return x / y


def divide_whole(x: Any, y: Any, op: str) -> Any:
    """Quotient or remainder, towards 0 as in C."""
    if isinstance(y, np.ndarray):
        y = np.where(y == 0, 1, y)
    elif y == 0:
        y = 1
    quotient = x // y
    rest = x - quotient * y
    # Python rounds down: one more where signs differ and something is left.
    fix = (rest != 0) & ((rest < 0) != (x < 0))
    if isinstance(fix, np.ndarray):
        if fix.any():
            quotient = quotient + fix
    elif fix:
        quotient += 1
    return quotient if op == "/" else x - quotient * y
