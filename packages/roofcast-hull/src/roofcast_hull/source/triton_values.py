"""Values of a Triton program: numbers that its launch decides, tensors that follow from what was loaded, addresses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roofcast_hull.source.numpy_values import BYTES
from roofcast_hull.source.triton_steps import Back, Bools

EXACT: dict[str, Callable[..., Any]] = {
    "floor": np.floor, "ceil": np.ceil, "rint": np.rint, "round": np.rint, "trunc": np.trunc, "abs": np.abs,
    "maximum": np.maximum, "minimum": np.minimum, "sqrt": np.sqrt,
}  # fmt: skip
"""Functions that places are computed by."""


LARGE = 1e20
"""What stands for infinity."""


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A tensor, or a number, that follows from what was loaded."""

    shape: tuple[int, ...]
    step: int = -1
    bound: Bools | None = None
    """Of conditions: where they may be met."""
    dtype: str = ""
    partial: bool = False
    """Whether its lanes add up parts of a sum."""
    total: bool = False
    """Whether it is a sum, of which the first term is added to what was there."""
    exact: Any = None
    """Real numbers that the launch decides: work like others, of which places may be computed."""


@dataclass(frozen=True, slots=True, eq=False)
class Pointer:
    """Addresses in an array, by elements."""

    array: str
    offsets: Any = 0

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the tensor of addresses."""
        return measure(self.offsets)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A block pointer, or a descriptor of a tensor."""

    base: Pointer
    sizes: tuple[Any, ...]
    strides: tuple[Any, ...]
    starts: tuple[Any, ...]
    shape: tuple[int, ...]
    whole: bool = False
    """Whether all of its dimensions are checked."""


@dataclass(frozen=True, slots=True)
class Kind:
    """An element type."""

    name: str


def measure(value: Any) -> tuple[int, ...]:
    """The shape of a value."""
    if isinstance(value, (Value, Pointer, Block)):
        return value.shape
    return value.shape if isinstance(value, np.ndarray) else ()


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of tensors beside each other."""
    return tuple(np.broadcast_shapes(*shapes))


def narrow(shape: tuple[int, ...]) -> Back:
    """Wanted lanes of a result -> those of an operand that is as large, or is repeated."""

    def back(wanted: Bools) -> Bools:
        extra = wanted.ndim - 1 - len(shape)
        if extra > 0:
            wanted = np.asarray(wanted.any(axis=tuple(range(1, 1 + extra))))
        repeated = tuple(1 + n for n, size in enumerate(shape) if size == 1 and wanted.shape[1 + n] > 1)
        return np.asarray(wanted.any(axis=repeated, keepdims=True)) if repeated else wanted

    return back


def is_known(value: Any) -> bool:
    """Whether a value is a number, or an array of numbers."""
    return isinstance(value, (int, float, bool, np.ndarray, np.generic))


def compute_exact(function: Callable[..., Any], values: Sequence[Any]) -> Any:
    """What a function gives of numbers that the launch decides; None where data enter."""
    numbers = [v.exact if isinstance(v, Value) else v for v in values]
    if not all(n is not None and is_known(n) for n in numbers):
        return None
    with np.errstate(all="ignore"):
        return function(*numbers)


def is_data(value: Any) -> bool:
    """Whether a number follows from what was loaded."""
    return isinstance(value, Value) and value.step >= 0 and not value.shape


def is_whole(value: Any) -> bool:
    """Whether a known value is of whole numbers or conditions."""
    return not isinstance(value, float) and (
        not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind in "iub"
    )


def find_bound(value: Any) -> Bools | None:
    """Where a condition may be met; None for everywhere."""
    if isinstance(value, Value):
        return value.bound
    return np.asarray(value, dtype=bool) if isinstance(value, np.ndarray) and value.dtype.kind == "b" else None


def find_kind(values: Sequence[Any]) -> str:
    """The type of what is computed from some values: the widest real one of them."""
    kinds = [v.dtype for v in values if isinstance(v, Value) and v.dtype]
    real = [k for k in kinds if not k.startswith(("int", "uint", "bool"))]
    return max(real or kinds, key=lambda k: BYTES.get(k, 0), default="")
