"""Functions of NumPy that give an array for arrays, element by element."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any

from roofcast.core.errors import one_line
from roofcast_hull.source.builder import FUNCTIONS
from roofcast_hull.source.nest import refuse
from roofcast_hull.source.numpy_code import NAMES, Translator
from roofcast_hull.source.numpy_elements import REARRANGED, Line, Whole
from roofcast_hull.source.numpy_indexing import take_along
from roofcast_hull.source.numpy_joining import JOINING
from roofcast_hull.source.numpy_making import make_inside
from roofcast_hull.source.numpy_shapes import find_called, is_making

CONVERSIONS = frozenset(["float", "int", "bool", "float16", "float32", "float64", "int8", "int32", "int64", "uint8"])
VIEWS = ("asarray", "ascontiguousarray", "astype", "array", "copy")
"""Calls that compute nothing."""


def read_call_of_function(code: Translator, node: ast.Call) -> Whole:
    """A function of numbers or arrays."""
    name, line, arguments = find_called(node), node.lineno, code.arguments(node)
    if is_making(node) and arguments:
        return make_inside(code, node)
    if name in (*VIEWS, *CONVERSIONS) and arguments:
        return code.whole(arguments[0])
    if name == "where" and len(arguments) == 3:
        return code.map(arguments, lambda *x: code.c.TernaryOp(*x, Line(line)), line)
    if name == "clip" and len(arguments) == 3:
        return code.map(
            arguments,
            lambda x, *ends: code.terms.call("fmin", (code.terms.call("fmax", (x, ends[0]), line), ends[1]), line),
            line,
        )
    if name in (*JOINING, "bincount", "cross") and arguments:
        return compute_array(code, name, node)
    if name in ("outer", "take_along_axis") and len(arguments) > 1:
        return (multiply_outer if name == "outer" else take_along)(code, node, arguments)
    if name in REARRANGED and arguments:
        return REARRANGED[name](code.terms, code.whole(arguments[0]), code.request(node, arguments[1:]))
    if name == "diff" and arguments and (whole := code.whole(arguments[0])).shape:
        return subtract_next(code, whole, line)
    if NAMES.get(name, name) in FUNCTIONS:
        return code.map(arguments, lambda *x: code.terms.call(NAMES.get(name, name), x, line), line)
    raise refuse(line, f"the call of '{one_line(name, 40)}' cannot be counted")


def compute_array(code: Translator, name: str, node: ast.Call) -> Whole:
    """An array that an expression makes by statements of its own."""
    code.made += 1
    label = f"{name}{code.made}"
    code.temporaries.add(label)
    code.name_value(label, node, node.lineno)
    return code.array(label, code.shapes[label], node.lineno)


def multiply_outer(code: Translator, node: ast.Call, arguments: list[ast.expr]) -> Whole:
    """``np.outer(a, b)``."""
    left, right, line = code.whole(arguments[0]), code.whole(arguments[1]), node.lineno
    shape, rank = (*left.shape, *right.shape), len(left.shape)
    size = math.prod(shape)

    def multiply(at: Sequence[Any]) -> Any:
        sides = (left, at[:rank]), (right, at[rank:])
        return code.c.BinaryOp("*", *(code.terms.compute_once(w, w.at(i), size) for w, i in sides), Line(line))

    return Whole(shape, multiply, True)


def subtract_next(code: Translator, whole: Whole, line: int) -> Whole:
    """``np.diff(a)``."""

    def difference(at: Sequence[Any]) -> Any:
        following = code.c.BinaryOp("+", at[-1], code.terms.number(1), Line(line))
        sides = whole.at([*at[:-1], following]), whole.at(at)
        uses = 2 * math.prod(whole.shape)
        return code.c.BinaryOp("-", *(code.terms.compute_once(whole, s, uses) for s in sides), Line(line))

    return Whole((*whole.shape[:-1], max(1, whole.shape[-1] - 1)), difference, True)
