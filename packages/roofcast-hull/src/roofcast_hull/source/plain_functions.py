"""Functions of Python itself that host code calls: of numbers, lists and arrays of which shapes alone are known."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from roofcast_hull.source.numpy_values import BYTES, SPELLED, Tensor, UnknownError, combine

MOST_ITEMS = 1000
"""Of a list that is made by loops."""
PLAIN: dict[str, Callable[..., Any]] = {
    "min": min, "max": max, "int": int, "len": lambda x: x.shape[0] if isinstance(x, Tensor) else len(x), "abs": abs,
    "constexpr": lambda value: value,
    "cdiv": lambda a, b: -(-a // b), "ceil_div": lambda a, b: -(-a // b),
    "range": lambda *ends: tuple(range(*ends)[: MOST_ITEMS + 1]), "tuple": tuple, "list": tuple,
    "float": float, "ceil": math.ceil, "floor": math.floor, "sqrt": math.sqrt, "prod": math.prod, "log2": math.log2,
    "zip": lambda *several: tuple(zip(*several, strict=False)), "enumerate": lambda values: tuple(enumerate(values)),
    "reversed": lambda values: tuple(values)[::-1],
    "divmod": divmod, "sum": sum, "sorted": lambda values: tuple(sorted(values)),
    "next_power_of_2": lambda n: 1 << (int(n) - 1).bit_length(),
}  # fmt: skip
"""Functions of the host that are computed."""
OF_NUMBERS = ("min", "max", "abs", "ceil", "floor", "sqrt", "log2")
"""Those of numbers, which give one of numbers that data say, too."""
OF_ITEMS = ("list", "tuple", "sorted", "reversed")
"""Those that give as many items as they are given."""
OF_DATA = {"int": "int64", "round": "int64", "float": "float64", "bool": "bool", "item": ""}
"""Those that make a number of an array of one element, and its type."""


def compute_plain(name: str, owner: Any, given: Sequence[Any]) -> Any:
    """What such a function gives; of numbers that data say only that it is one. owner : what it is a method of.

    Raises
    ------
    UnknownError : it is none of them.
    """
    several = bool(given) and isinstance(given[0], Tensor)
    if owner is None and name in OF_ITEMS and len(given) == 1 and several and given[0].shape:
        return given[0]
    if owner is None and name in OF_NUMBERS and any(isinstance(g, Tensor) for g in given):
        number = combine(given)
        if not number.shape:
            return Tensor((), "int64" if name in ("ceil", "floor") else number.dtype)
    if name in PLAIN and not isinstance(owner, Tensor) and (not several or name == "len"):
        return PLAIN[name](*given)
    kind = SPELLED.get(name, name)
    if kind in BYTES and name not in PLAIN and len(given) == 1:
        # A number, or an array, of another type.
        return Tensor(given[0].shape, kind) if several else (int if "int" in name else float)(given[0])
    number = given[0] if given else owner
    if name in OF_DATA and isinstance(number, Tensor) and (not number.shape or name == "item"):
        return Tensor((), OF_DATA[name] or number.dtype)
    raise UnknownError


def find_function(node: ast.Call) -> str:
    """Of ``np.add.reduce(a)`` the function whose method is called; '' of other calls."""
    whose = node.func.value if isinstance(node.func, ast.Attribute) else None
    module = whose.value if isinstance(whose, ast.Attribute) else None
    named = isinstance(module, ast.Name) and module.id in ("np", "numpy") and isinstance(whose, ast.Attribute)
    return whose.attr if named and isinstance(getattr(np, whose.attr, None), np.ufunc) else ""  # type: ignore[union-attr]
