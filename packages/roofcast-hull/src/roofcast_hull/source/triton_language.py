"""Functions of Triton's language on numbers that the launch decides and on tensors that follow from what was loaded."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from roofcast.core.errors import one_line
from roofcast_hull.source.nest import refuse
from roofcast_hull.source.triton_memory import Memory
from roofcast_hull.source.triton_steps import Back, Bools, Ints, Step, fill
from roofcast_hull.source.triton_values import (
    EXACT,
    LARGE,
    Kind,
    Pointer,
    Value,
    broadcast,
    compute_exact,
    find_kind,
    is_known,
    is_whole,
    measure,
    narrow,
)

RANDOM = 120
"""Operations of Philox: ten rounds of two wide products, four exclusive ors and two sums, for a number of 0 to 1."""
SAME = ("multiple_of", "max_contiguous", "constexpr", "max_constancy")
"""Calls that give their argument."""
NOTHING = ("static_assert", "static_print", "device_print", "debug_barrier", "assume", "device_assert")
ELEMENTWISE = {
    **dict.fromkeys(
        ("exp", "exp2", "log", "log2", "sqrt", "sqrt_rn", "rsqrt", "sin", "cos", "abs", "erf", "tanh", "floor", "ceil",
         "pow", "div_rn", "fdiv", "fast_expf", "fast_dividef", "tan", "atan", "asin", "acos", "sinh", "cosh", "log1p",
         "expm1", "fabs", "umulhi", "rint", "round", "llrint", "nearbyint", "trunc", "isnan", "popc", "clz", "cbrt",
         "atan2", "fmod", "lgamma", "erfinv", "copysign", "maximum", "minimum"), 1.0),
    "fma": 2.0, "clamp": 2.0, "sigmoid": 4.0,
}  # fmt: skip
"""Functions of elements, with their operations."""
SUMS = ("sum", "max", "min", "argmax", "argmin", "xor_sum")
PLAIN: dict[str, Callable[..., Any]] = {
    "min": np.minimum, "max": np.maximum, "minimum": np.minimum, "maximum": np.maximum, "abs": np.abs,
}  # fmt: skip


class Language(Memory):
    """Calls of one program. Each has the name of the language's own function behind ``do_``."""

    def apply(self, name: str, given: list[Any], named: dict[str, Any]) -> Any:
        """What a function of the language gives."""
        if name in SAME:
            return given[0]
        if name in PLAIN and all(is_known(g) for g in given) and len(given) == 2:
            whole = PLAIN[name](*given)
            return whole if whole.shape else whole.item()
        if name in ("min", "max") and len(given) == 2 and not isinstance(given[1], int):
            return self.compute(1.0, given, find_kind(given))
        if name in SUMS:
            return self.sum(name, given, named)
        if name in ELEMENTWISE:
            real = find_kind(given)
            added = name in ("maximum", "minimum")
            computed = self.compute(ELEMENTWISE[name], given[:3], real or "float32", added=added)
            return replace(computed, exact=compute_exact(EXACT[name], given)) if name in EXACT else computed
        function: Callable[..., Any] | None = getattr(self, f"do_{name}", None)
        if function is None:
            raise refuse(self.line, f"the call of '{one_line(name, 40)}' in a Triton kernel is not followed")
        return function(*given, **named)

    def sum(self, name: str, given: list[Any], named: dict[str, Any]) -> Any:
        """``tl.sum(x, axis=0)``."""
        axis = named.get("axis", given[1] if len(given) > 1 else None)
        value = given[0]
        if is_known(value):
            value = self.compute(0.0, [value], "int32") if measure(value) else value
        if not measure(value):
            return value
        begun = name == "sum" and isinstance(value, Value) and value.partial
        result = self.reduce([value], axis, 0.0 if begun else 1.0, bool(named.get("keep_dims")))
        if named.get("return_indices"):
            return result, self.compute(0.0, [result], "int32")
        dtype = "int32" if name.startswith("arg") else result.dtype
        return Value(result.shape, result.step, dtype=dtype, total=name == "sum")

    def do_program_id(self, axis: int = 0) -> int:
        """Number of this program."""
        return self.trace.program[axis]

    def do_num_programs(self, axis: int = 0) -> int:
        """Programs of the launch."""
        grid = (*(self.launch.grid or ()), 1, 1)[:3]
        return int(grid[axis])

    def do_arange(self, start: int, end: int) -> Ints:
        """Numbers one after the other."""
        self.limit((end - start,))
        return np.arange(start, end)

    def do_zeros(self, shape: Any, dtype: Any = None) -> Any:
        """A tensor of zeros."""
        return self.do_full(shape, 0.0, dtype)

    def do_full(self, shape: Any, value: Any, dtype: Any = None) -> Any:
        """A tensor of one value."""
        shape = shape if isinstance(shape, tuple) else (shape,)
        self.limit(shape)
        if isinstance(value, Value):
            return self.compute(0.0, [value], value.dtype, shape=shape)
        whole = isinstance(dtype, Kind) and dtype.name.startswith(("int", "uint", "bool"))
        return np.full(shape, value, dtype=np.int64 if whole else np.float64)

    def do_zeros_like(self, value: Any, **_: Any) -> Any:
        """A tensor of zeros, as large as another."""
        return np.zeros(measure(value))

    def do_full_like(self, value: Any, filled: Any, **_: Any) -> Any:
        """A tensor of one value, as large as another."""
        return self.do_full(measure(value), filled)

    def do_float(self, text: Any) -> Any:
        """``float("inf")``."""
        return float(text)

    def do_int(self, value: Any) -> Any:
        """``int(x)``."""
        return int(value)

    def do_len(self, value: Any) -> int:
        """``len(x)``."""
        return len(value)

    def do_cdiv(self, a: Any, b: Any) -> Any:
        """A quotient that is rounded up."""
        if is_known(a) and is_known(b):
            return -(-a // b)
        return self.compute(0.0, [a, b], "int32")

    def do_next_power_of_2(self, n: Any) -> int:
        """The power of two that holds a number."""
        return 1 << (int(n) - 1).bit_length()

    def do_to(self, value: Any, dtype: Any = None, **_: Any) -> Any:
        """A conversion."""
        kind = dtype.name if isinstance(dtype, Kind) else ""
        if isinstance(value, Value):
            if value.exact is not None and kind.startswith(("int", "uint")):
                return np.asarray(value.exact).astype(np.int64)
            return Value(value.shape, value.step, value.bound, kind or value.dtype, exact=value.exact)
        real = kind.startswith(("float", "bfloat"))
        if real and measure(value) and is_whole(value):
            return replace(self.compute(0.0, [value], kind), exact=np.asarray(value, dtype=np.float64))
        return float(value) if real and not measure(value) and is_known(value) else value

    do_cast = do_to

    def do_broadcast_to(self, value: Any, *shape: Any, **named: Any) -> Any:
        """A tensor that is repeated."""
        sizes = named.get("shape", shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape)
        if isinstance(value, Pointer):
            return Pointer(value.array, self.do_broadcast_to(value.offsets, sizes))
        if isinstance(value, Value):
            return self.compute(0.0, [value], value.dtype, shape=tuple(sizes))
        return np.broadcast_to(np.asarray(value), sizes)

    def do_broadcast(self, one: Any, other: Any) -> tuple[Any, Any]:
        """Two tensors of the same shape."""
        shape = broadcast(measure(one), measure(other))
        return self.do_broadcast_to(one, shape), self.do_broadcast_to(other, shape)

    def do_expand_dims(self, value: Any, axis: Any) -> Any:
        """A dimension of one element more."""
        shape = list(measure(value))
        for at in axis if isinstance(axis, tuple) else (axis,):
            shape.insert(at % (len(shape) + 1), 1)
        return self.reshape(value, tuple(shape))

    def do_reshape(self, value: Any, *shape: Any, **_: Any) -> Any:
        """The same lanes in another shape."""
        return self.reshape(value, tuple(shape[0]) if isinstance(shape[0], tuple) else shape)

    do_view = do_reshape

    def do_ravel(self, value: Any, **_: Any) -> Any:
        """The same lanes in a row."""
        return self.reshape(value, (math.prod(measure(value)),))

    def do_trans(self, value: Any, *order: Any) -> Any:
        """A tile turned."""
        axes = order[0] if order and isinstance(order[0], tuple) else order
        return self.permute(value, axes or range(len(measure(value)))[::-1])

    do_permute = do_trans

    def do_flip(self, value: Any, dim: int = -1) -> Any:
        """Lanes in the other order."""
        at = dim % len(measure(value))
        return self.view(value, lambda x: np.flip(x, at), lambda w: np.flip(w, at + 1))

    def do_join(self, one: Any, other: Any) -> Any:
        """Two tensors along a new last dimension."""
        shape = (*broadcast(measure(one), measure(other)), 2)
        inputs = tuple(
            (v.step, lambda w, k=k: w[..., k])
            for k, v in enumerate((one, other))
            if isinstance(v, Value) and v.step >= 0
        )
        return Value(shape, self.add(Step(shape, inputs)), dtype=find_kind([one, other]))

    def do_interleave(self, one: Any, other: Any) -> Any:
        """Lanes of two tensors in turns."""
        joined = self.do_join(one, other)
        return self.reshape(joined, (*joined.shape[:-2], joined.shape[-2] * 2))

    def do_split(self, value: Any) -> tuple[Any, Any]:
        """Both halves of a last dimension of two."""

        def half(k: int) -> Any:
            def back(wanted: Bools) -> Bools:
                both = np.zeros((*wanted.shape, 2), dtype=bool)
                both[..., k] = wanted
                return both

            return self.view(value, lambda x: x[..., k], back)

        return half(0), half(1)

    def do_where(self, test: Any, yes: Any, no: Any) -> Any:
        """``tl.where(c, a, b)``."""
        if isinstance(yes, Pointer) or isinstance(no, Pointer):
            raise refuse(self.line, "an address that a condition chooses is not followed")
        test = test.exact if isinstance(test, Value) and test.exact is not None else test
        values = (test, yes, no)
        if all(is_known(v) for v in values):
            return np.where(*values)
        shape = broadcast(*(measure(v) for v in values))
        dtype = find_kind([yes, no]) or "float32"
        if not is_known(test):
            return self.compute(0.0, values, dtype, added=True)
        met = fill(np.asarray(test, dtype=bool), shape)
        inputs, live = [], np.zeros(shape, dtype=bool)
        for v, mine in ((yes, met), (no, ~met)):
            if isinstance(v, Value) and v.step >= 0:
                there = self.trace.steps[v.step].live
                live = live | (mine if there is None else mine & there)
                inputs.append((v.step, lambda w, m=mine, s=v.shape: narrow(s)(w & m)))
        lost = ~met if isinstance(no, float) and abs(no) > LARGE and not met.all() else None
        step = Step(shape, tuple(inputs), 0.0, None if live.all() else live, lost=lost)
        return Value(shape, self.add(step), dtype=dtype)

    def do_softmax(self, value: Any, dim: Any = None, **_: Any) -> Any:
        """Exponentials over their sum."""
        at = 0 if dim is None else dim
        z = self.compute(1.0, [self.compute(1.0, [value, self.reduce([value], at, 1.0, keep=True)])], "float32")
        return self.compute(1.0, [z, self.reduce([z], at, 1.0, keep=True)], "float32")

    def do_cumsum(self, value: Any, axis: int = 0, reverse: bool = False, **_: Any) -> Any:
        """Running sums."""
        return self.scan([value], axis, 1.0, reverse=reverse)

    do_cumprod = do_cumsum

    def do_sort(self, value: Any, dim: int = -1, **_: Any) -> Any:
        """Elements in order, each compared with the logarithm of their number of others."""
        at = dim % len(measure(value))
        size = measure(value)[at]
        stages = max(1, math.ceil(math.log2(max(2, size))))

        def back(wanted: Bools) -> Bools:
            return fill(np.asarray(wanted.any(axis=at + 1, keepdims=True)), wanted.shape)

        step = Step(value.shape, ((value.step, back),), float(stages), staged="sort")
        step.count = lambda w: back(w).reshape(len(w), -1).sum(axis=1) * step.operations
        return Value(value.shape, self.add(step), dtype=value.dtype)

    def do_histogram(self, value: Any, bins: Any, mask: Any = None, **_: Any) -> Value:
        """How often each value is there."""
        self.trace.binned = True
        several = tuple(v for v in (value, mask) if isinstance(v, Value) and v.step >= 0)
        live = self.find_mask(mask, measure(value))
        valid = [live, *(self.trace.steps[v.step].live for v in several)]
        lanes = np.ones(measure(value), dtype=bool)
        for some in valid:
            lanes = lanes if some is None else lanes & some

        def back(wanted: Bools) -> Bools:
            asked = wanted.any(axis=1).reshape(-1, *(1 for _ in lanes.shape))
            return np.asarray(asked & lanes)

        step = Step((int(bins),), tuple((v.step, back) for v in several))
        step.count = lambda w: back(w).reshape(len(w), -1).sum(axis=1).astype(np.float64)
        return Value((int(bins),), self.add(step), dtype="int32", total=True)

    def do_rand(self, seed: Any, place: Any, **_: Any) -> Value:
        """Numbers by chance."""
        return Value(measure(place), self.add(Step(measure(place), (), RANDOM)), dtype="float32")

    do_randn = do_rand

    do_randint = do_rand

    def do_dot(self, left: Any, right: Any, acc: Any = None, **named: Any) -> Any:
        """A product of tiles; of nothing with anything, nothing."""
        a, b = measure(left), measure(right)
        acc = named.get("acc", acc)
        shape = (*a[:-1], b[-1])
        if acc is None and any(is_known(v) and not np.any(v) for v in (left, right)):
            return np.zeros(shape)
        lives = [self.trace.steps[v.step].live if isinstance(v, Value) and v.step >= 0 else None for v in (left, right)]
        rows = np.ones(a, dtype=bool) if lives[0] is None else fill(lives[0], a)
        columns = np.ones(b, dtype=bool) if lives[1] is None else fill(lives[1], b)
        terms = rows.astype(np.float64) @ columns.astype(np.float64)

        # Where one operand is nothing, at a border, the other one is taken as well.
        def of_left(wanted: Bools) -> Bools:
            inner = fill(np.expand_dims(columns.any(axis=-1), -2), a)
            return np.asarray(wanted.any(axis=-1, keepdims=True) & inner)

        def of_right(wanted: Bools) -> Bools:
            inner = fill(np.expand_dims(rows.any(axis=-2), -1), b)
            return np.asarray(wanted.any(axis=-2, keepdims=True) & inner)

        backs = zip((left, right), (of_left, of_right), strict=True)
        inputs: list[tuple[int, Back]] = [(v.step, b) for v, b in backs if isinstance(v, Value) and v.step >= 0]
        if isinstance(acc, Value) and acc.step >= 0:
            inputs.append((acc.step, narrow(acc.shape)))
        live = None if (terms > 0).all() or acc is not None else terms > 0
        step = Step(shape, tuple(inputs), 2.0, live, staged="product")
        step.count = lambda w: (w * (2.0 * terms)).reshape(len(w), -1).sum(axis=1)
        return Value(shape, self.add(step), dtype="float32", total=acc is None)

    def do_swizzle2d(self, i: int, j: int, size_i: int, size_j: int, size_g: int) -> tuple[int, int]:
        """Tiles in groups of rows."""
        number, group = i * size_j + j, size_g * size_j
        first = number // group * size_g
        rows = min(size_i - first, size_g)
        inside = number % group
        return first + inside % rows, inside // rows
