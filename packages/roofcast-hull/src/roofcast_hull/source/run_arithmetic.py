"""Arithmetic of code that is run: numbers, addresses and made-up results of functions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from roofcast_hull.source.exchanges import JOINED
from roofcast_hull.source.run_check import Machine, StopError, Value
from roofcast_hull.source.run_frames import Expression, Frame, Pointer, Slot

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "==": operator.eq, "!=": operator.ne, "&": operator.and_, "|": operator.or_,
    "^": operator.xor,
}  # fmt: skip


def move_pointer(base: Slot, by: Slot) -> Pointer:
    """``a[i]``: a row, or an element."""
    if isinstance(by, Pointer):
        base, by = by, base
    if not isinstance(base, Pointer) or isinstance(by, Pointer):
        raise StopError("a number is indexed")
    dims = base.dims
    if not dims:
        return Pointer(base.array, base.at + int(by.number))
    if any(d < 0 for d in dims):
        raise StopError("an array of unknown width is indexed")
    return Pointer(base.array, base.at + int(by.number) * math.prod(dims), dims)


def find_number(held: Slot) -> Value:
    """What must be a number."""
    if isinstance(held, Pointer):
        raise StopError("an address is used as a number")
    return held


def read_number(held: Slot) -> Value:
    """A number; an address counts as one that is not 0."""
    return Value(1) if isinstance(held, Pointer) else held


def add(machine: Machine, left: Slot, right: Slot, op: str = "+") -> Slot:
    """``a + b`` of numbers, or an address further on."""
    if isinstance(right, Pointer) and op == "+":
        left, right = right, left
    if isinstance(left, Pointer):
        if isinstance(right, Pointer):
            return Value(left.at - right.at)
        by = int(right.number) * max(1, math.prod(left.dims))
        return Pointer(left.array, left.at + (by if op == "+" else -by), left.dims)
    if isinstance(right, Pointer):
        raise StopError("an address is used as a number")
    a, b = left.number, right.number
    return machine.combine(tame(a + b if op == "+" else a - b), left, right)


def operate(op: str) -> Callable[[Machine, Value, Value], Value]:
    """An operation of two numbers."""
    compute = DIVISIONS.get(op) or ARITHMETIC.get(op)

    def apply(machine: Machine, left: Value, right: Value) -> Value:
        if compute is None:
            raise StopError(f"{op} is not run")
        return machine.combine(tame(compute(left.number, right.number)), left, right)

    return apply


def divide(a: float, b: float) -> float:
    """``a / b``, towards 0 where both are whole; by 0 as by 1."""
    quotient = a / (b or 1)
    return int(quotient) if isinstance(a, int) and isinstance(b, int) else quotient


def find_remainder(a: float, b: float) -> float:
    """``a % b``, of the sign of a."""
    b = b or 1
    return a - b * int(a / b) if isinstance(a, int) and isinstance(b, int) else math.fmod(a, b)


def find_shift(by: float) -> int:
    """Bits of a shift, as many as a number has at most."""
    return min(max(int(by), 0), 62)


DIVISIONS: dict[str, Callable[[Any, Any], Any]] = {
    "/": divide, "%": find_remainder,
    "<<": lambda a, b: int(a) << find_shift(b), ">>": lambda a, b: int(a) >> find_shift(b),
    "&": lambda a, b: int(a) & int(b), "|": lambda a, b: int(a) | int(b), "^": lambda a, b: int(a) ^ int(b),
}  # fmt: skip
"""Operations of whole numbers, and those that 0 has no place in."""


def share_work(uses: float, argument: Expression) -> Expression:
    """A value whose operations several uses share."""

    def compute(frame: Frame) -> Slot:
        before = frame.machine.operations
        value = argument(frame)
        frame.machine.operations = before + (frame.machine.operations - before) / uses
        return value

    return compute


def convert_by(name: str, argument: Expression) -> Expression:
    """A number of another type: the same, whole or not."""
    to = name.rpartition("_as_")[2] if "_as_" in name else name.partition("2")[2].partition("_")[0]
    real = to in ("half", "bfloat16", "float", "double")

    def run(frame: Frame) -> Slot:
        value = find_number(argument(frame))
        return Value(float(value.number) if real else int(value.number), value.depth, value.data, value.sources)

    return run


def tame(number: float) -> float:
    """A number that stays small: only which way branches go depends on it."""
    if isinstance(number, bool):
        return int(number)
    if isinstance(number, int):
        return number if abs(number) < 1 << 62 else 1
    return number if math.isfinite(number) and abs(number) < 1e30 else 1.0


def call_library(name: str, values: Sequence[float]) -> float:
    """A function of the math library; one that is not known gives a number near its argument."""
    if name in JOINED:
        if name.endswith("less"):
            return float(values[0] < values[1])
        return sum(values) if name.endswith("sum") else max(values) if name.endswith("max") else min(values)
    plain = name.rstrip("f") if name not in ("erf",) else name
    if plain in ("max", "fmax", "min", "fmin"):
        return max(values) if "max" in plain else min(values)
    function: Callable[..., float] | None = getattr(math, plain, None)
    try:
        return tame(float(function(*values))) if function is not None else float(values[0] if values else 1.0)
    except (ValueError, TypeError, OverflowError, ZeroDivisionError):
        return 1.0
