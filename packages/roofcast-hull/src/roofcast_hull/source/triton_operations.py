"""What a Triton program computes: each operation on what was loaded is a step of its trace.

What the launch decides is computed at once, as numbers or arrays of them.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast_hull.source.nest import refuse
from roofcast_hull.source.python_syntax import OPERATIONS
from roofcast_hull.source.triton_steps import Back, Bools, Step, Trace, fill
from roofcast_hull.source.triton_values import (
    Kind,
    Pointer,
    Value,
    broadcast,
    compute_exact,
    find_bound,
    find_kind,
    is_known,
    is_whole,
    measure,
    narrow,
)

MOST_STEPS = 60_000
"""Operations on tensors that one program does."""
MOST_LANES = 60_000_000
"""Elements of all tensors of one program."""
LARGEST_POWER = 1024
"""Of two: larger numbers would fill the memory."""
COMPARED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
ADDED = (ast.Add, ast.Sub)
ARITHMETIC = (*ADDED, ast.Mult, ast.Div, ast.Pow)


class Operations:
    """Operations of one program on tensors and addresses, which its trace notes."""

    def __init__(self, program: tuple[int, int, int], line: int) -> None:
        self.trace = Trace(program)
        self.lanes = 0
        """Elements of all tensors so far."""
        self.line = line
        """Of the statement that runs."""

    def combine(self, op: ast.AST, left: Any, right: Any) -> Any:
        """An operation of two values, element by element."""
        if isinstance(left, Pointer) or isinstance(right, Pointer):
            return self.move(op, left, right)
        if isinstance(left, (Kind, str, type(None))) or isinstance(right, (Kind, str, type(None))):
            return OPERATIONS[type(op)](left, right)
        if is_known(left) and is_known(right):
            if makes_real(op, left, right):
                # What a lane's place alone makes is computed for each.
                return self.compute(1.0, [left, right], "float32")
            if (
                isinstance(op, (ast.BitAnd, ast.BitOr))
                and isinstance(left, (int, bool))
                and isinstance(right, (int, bool))
            ):
                return OPERATIONS[type(op)](left, right)
            self.limit(broadcast(measure(left), measure(right)))
            if isinstance(op, (ast.Pow, ast.LShift)) and isinstance(right, int) and right > LARGEST_POWER:
                raise refuse(self.line, f"a number of the kernel is larger than 2^{LARGEST_POWER}")
            with np.errstate(all="ignore"):
                return OPERATIONS[type(op)](left, right)
        weight = 1.0
        # Lanes that begin with nothing and add up parts of a sum, whose last step then is no further work.
        partial = isinstance(op, ast.Add) and any(
            v.partial if isinstance(v, Value) else isinstance(v, np.ndarray) and v.dtype.kind == "f" and not v.any()
            for v in (left, right)
        )
        bound = None
        if isinstance(op, ast.BitAnd):
            parts = [p for v in (left, right) if (p := find_bound(v)) is not None]
            bound = parts[0] & parts[-1] if parts else None
            weight = 0.0 if any(v.dtype == "bool" for v in (left, right) if isinstance(v, Value)) else weight
        dtype = "bool" if isinstance(op, COMPARED) else find_kind([left, right])
        if isinstance(op, (ast.BitAnd, ast.BitOr)) and "bool" in [
            v.dtype for v in (left, right) if isinstance(v, Value)
        ]:
            dtype, weight = "bool", 0.0
        if isinstance(op, ast.Div) and dtype.startswith(("int", "uint")):
            dtype = "float32"
        summed = isinstance(op, (ast.Add, ast.Sub, ast.Mult))
        value = self.compute(weight, [left, right], dtype, added=isinstance(op, ADDED), summed=summed)
        return Value(
            value.shape, value.step, bound, dtype, partial, exact=compute_exact(OPERATIONS[type(op)], [left, right])
        )

    def sign(self, op: ast.unaryop, value: Any) -> Any:
        """``-x``, ``not x``, ``~x``."""
        if isinstance(value, Value):
            negated = isinstance(op, ast.USub)
            return (
                self.compute(1.0 if negated else 0.0, [value], value.dtype) if not isinstance(op, ast.UAdd) else value
            )
        match op:
            case ast.Not():
                return not value
            case ast.USub():
                return -value
            case ast.Invert():
                return not value if isinstance(value, bool) else ~value
        return value

    def move(self, op: ast.AST, left: Any, right: Any) -> Pointer:
        """Addresses further on."""
        pointer, by = (left, right) if isinstance(left, Pointer) else (right, left)
        if not isinstance(op, ADDED) or isinstance(by, Pointer):
            raise refuse(self.line, "addresses are only moved")
        # What data choose is not counted as work.
        weight = [pointer.offsets, by]
        if any(isinstance(v, Value) for v in weight):
            return Pointer(pointer.array, self.compute(0.0, weight, "int64"))
        return Pointer(pointer.array, OPERATIONS[type(op)](pointer.offsets, by))

    def compute(
        self, operations: float, values: Sequence[Any], dtype: str = "", *, added: bool = False,
        shape: tuple[int, ...] | None = None, summed: bool = False,
    ) -> Value:  # fmt: skip
        """A step of which each lane follows from the same lanes of its operands.

        added : whether what was not loaded adds nothing: the sum is as the other operand. summed : whether it is a sum.
        """
        full = broadcast(*(measure(v) for v in values)) if shape is None else shape
        inputs, lives = [], list[Bools | None]()
        lost: Any = np.zeros((), dtype=bool)
        for v in values:
            if isinstance(v, Value) and v.step >= 0:
                inputs.append((v.step, narrow(v.shape)))
                lives.append(self.trace.steps[v.step].live)
                infinite = self.trace.steps[v.step].lost
                lost = lost if infinite is None or not summed else lost | infinite
        counted = live = None
        dead = [x for x in lives if x is not None]
        if dead:
            joined = dead[0]
            for x in dead[1:]:
                joined = joined & x
            counted = fill(joined, full)
            live = counted
            if added:
                some = np.zeros((), dtype=bool) if len(dead) == len(lives) else np.ones((), dtype=bool)
                for x in dead:
                    some = some | x
                live = fill(some & ~lost, full)
        step = Step(full, tuple(inputs), operations, live, counted, fill(lost, full) if lost.any() else None)
        return Value(full, self.add(step), dtype=dtype)

    def add(self, step: Step) -> int:
        """A step more."""
        self.lanes += math.prod(step.shape)
        if len(self.trace.steps) >= MOST_STEPS or self.lanes > MOST_LANES:
            raise refuse(self.line, "its programs do too much to be followed")
        self.trace.steps.append(step)
        return len(self.trace.steps) - 1

    def limit(self, shape: tuple[int, ...]) -> None:
        """Refuse a tensor that is too large to be followed."""
        if math.prod(shape) > MOST_LANES:
            raise refuse(self.line, f"a tensor of {math.prod(shape):.3g} elements is more than a program holds")

    def view(self, value: Any, forward: Callable[[Any], Any], back: Back) -> Any:
        """Lanes in another order or shape."""
        if isinstance(value, Pointer):
            return Pointer(value.array, self.view(value.offsets, forward, back))
        if not isinstance(value, Value):
            return forward(np.asarray(value))
        shape = forward(np.empty(value.shape, dtype=bool)).shape
        if value.step < 0:
            return Value(shape, -1, dtype=value.dtype)
        live = self.trace.steps[value.step].live
        step = Step(shape, ((value.step, back),), 0.0, None if live is None else forward(live))
        bound = None if value.bound is None else forward(fill(value.bound, value.shape))
        return Value(shape, self.add(step), bound, value.dtype)

    def reshape(self, value: Any, shape: tuple[int, ...]) -> Any:
        """``x.reshape(shape)``."""
        old = measure(value)
        return self.view(value, lambda x: np.reshape(x, shape), lambda w: w.reshape(len(w), *old))

    def permute(self, value: Any, order: Sequence[int]) -> Any:
        """``tl.permute(x, order)``."""
        inverse = [0, *(int(k) + 1 for k in np.argsort(order))]
        return self.view(value, lambda x: np.transpose(x, order), lambda w: np.transpose(w, inverse))

    def scan(self, values: Sequence[Any], axis: int, work: float, *, reverse: bool = False) -> Value:
        """Running sums of one or several tensors."""
        shape = measure(values[0])
        at = axis % len(shape)

        def back(wanted: Bools) -> Bools:
            turned = wanted if reverse else np.flip(wanted, at + 1)
            summed = np.logical_or.accumulate(turned, axis=at + 1)
            return summed if reverse else np.flip(summed, at + 1)

        inputs = tuple((v.step, back) for v in values if isinstance(v, Value) and v.step >= 0)
        lives = [self.trace.steps[s].live for s, _ in inputs]
        step = Step(shape, inputs, work, lives[0] if lives else None, staged="scan")

        def count(wanted: Bools) -> NDArray[np.float64]:
            inner = back(wanted) if step.live is None else back(wanted) & step.live
            return np.asarray(inner.reshape(len(wanted), -1).sum(axis=1) * work)

        step.count = count
        return Value(shape, self.add(step), dtype=find_kind(values))

    def reduce(self, values: Sequence[Any], axis: int | None, work: float, keep: bool = False) -> Value:
        """A sum or the like over a dimension, or over all."""
        shape = broadcast(*(measure(v) for v in values))
        axes = tuple(range(len(shape))) if axis is None else (axis % len(shape),)
        left = tuple(1 if n in axes else s for n, s in enumerate(shape))

        def back(wanted: Bools) -> Bools:
            return fill(wanted.reshape(len(wanted), *left), (len(wanted), *shape))

        inputs = tuple((v.step, back) for v in values if isinstance(v, Value) and v.step >= 0)
        lives = [self.trace.steps[s].live for s, _ in inputs]
        live = None if not lives or lives[0] is None else fill(lives[0], shape)

        def count(wanted: Bools) -> NDArray[np.float64]:
            inner = back(wanted) if live is None else back(wanted) & live
            return np.asarray(inner.reshape(len(wanted), -1).sum(axis=1) * work)

        result = left if keep else tuple(s for n, s in enumerate(shape) if n not in axes)
        step = Step(result, inputs, work, None if live is None else live.any(axis=axes).reshape(result), count=count)
        return Value(result, self.add(step), dtype=find_kind(values))


def makes_real(op: ast.AST, left: Any, right: Any) -> bool:
    """Whether an operation of what is known makes real numbers that differ from lane to lane."""
    if isinstance(op, ast.Div) and is_whole(left) and is_whole(right):
        return bool(measure(left) or measure(right))
    return isinstance(op, ARITHMETIC) and any(map(varies, (left, right))) and any(map(is_real, (left, right)))


def varies(value: Any) -> bool:
    """Whether lanes of what is known have several values."""
    return isinstance(value, np.ndarray) and value.size > 1 and bool((value != value.flat[0]).any())


def is_real(value: Any) -> bool:
    """Whether what is known is a real number, or lanes of them."""
    return isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")
