"""Functions of NumPy that give an array for arrays, element by element."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

from roofcast.core.errors import one_line
from roofcast_hull.source.builder import FUNCTIONS
from roofcast_hull.source.nest import Affine, refuse
from roofcast_hull.source.numpy_code import NAMES, Translator
from roofcast_hull.source.numpy_elements import REARRANGED, Line, Whole
from roofcast_hull.source.numpy_indexing import take_along
from roofcast_hull.source.numpy_joining import JOINING
from roofcast_hull.source.numpy_making import make_inside
from roofcast_hull.source.numpy_shapes import DTYPES, SPELLED, find_called, is_drawn_number, is_making
from roofcast_hull.source.python_syntax import is_none

CONVERSIONS = frozenset(["float", "int", "bool", "intp", "single", "double", "half", *DTYPES, *SPELLED])
UNFOLLOWED = frozenset(["where", "prepend", "append", "out", "weights", "edge_order", "period"])
"""Options that change what is computed."""
OF_TWO = frozenset(["fmax", "fmin", "pow", "atan2", "hypot", "fmod", "copysign", "mod", "maximum", "minimum"])
"""Functions of two numbers."""
SOLVED = "'{}' is a solver of a library: what it does is not in the file"
CHOSEN = "how many elements '{}' gives comes from data"
SEARCHED = "'{}' searches or counts as data choose: write the loop that does it"
ORDERED = "'{}' orders its elements in part: no pattern of the notation, write np.sort"
REASONS = {
    **dict.fromkeys(
        ("solve", "inv", "det", "svd", "eig", "eigh", "eigvals", "eigvalsh", "qr", "cholesky", "lstsq", "pinv",
         "slogdet", "matrix_rank", "matrix_power", "polyfit", "cov", "corrcoef"), SOLVED),
    **dict.fromkeys(("where", "nonzero", "flatnonzero", "argwhere", "unique", "extract", "compress"), CHOSEN),
    **dict.fromkeys(("searchsorted", "digitize", "interp", "histogram", "histogram2d"), SEARCHED),
    **dict.fromkeys(("median", "percentile", "quantile", "partition", "argpartition", "lexsort"), ORDERED),
}  # fmt: skip
"""Why calls are refused, by their names."""
VIEWS = ("asarray", "ascontiguousarray", "astype", "array", "copy")
"""Calls that compute nothing."""


def read_call_of_function(code: Translator, node: ast.Call) -> Whole:
    """A function of numbers or arrays."""
    name, line, arguments = find_called(node), node.lineno, code.arguments(node)
    if is_drawn_number(node):
        # A number of its own, by one function.
        return Whole((), lambda _: code.terms.call("fabs", [code.c.Constant("double", "0.5", Line(line))], line))
    if is_making(node) and arguments:
        return make_inside(code, node)
    if name in (*VIEWS, *CONVERSIONS) and arguments:
        return convert(code, name, arguments[0])
    refuse_options(node)
    if name == "where" and len(arguments) == 3:
        return code.map(arguments, lambda *x: code.c.TernaryOp(*x, Line(line)), line)
    if name in (*JOINING, "bincount", "cross") and arguments:
        return compute_array(code, name, node)
    if name in OWN_WAYS and len(arguments) >= OWN_WAYS[name][0]:
        return OWN_WAYS[name][1](code, node, arguments)
    if name in REARRANGED and arguments:
        return REARRANGED[name](code.terms, code.whole(arguments[0]), code.request(node, arguments[1:]))
    refuse_function(node, name, len(arguments))
    if NAMES.get(name, name) in FUNCTIONS:
        return code.map(arguments, lambda *x: code.terms.call(NAMES.get(name, name), x, line), line)
    raise refuse(line, f"the call of '{one_line(name, 40)}' cannot be counted")


TESTS = {"isnan": ">", "isinf": ">", "isposinf": ">", "isneginf": "<", "isfinite": "<", "signbit": "<"}
"""Functions that compare each element with a number, and how."""


def compare_with_largest(code: Translator, node: ast.Call, arguments: Sequence[ast.expr]) -> Whole:
    """``np.isnan(x)`` and its kin: one comparison, with a number that no element is beyond."""
    sign, line = TESTS[find_called(node)], Line(node.lineno)
    return code.map(
        arguments[:1], lambda x: code.c.BinaryOp(sign, x, code.c.Constant("double", "1e300", line), line), node.lineno
    )


def convert(code: Translator, name: str, node: ast.expr) -> Whole:
    """What a conversion gives: the number or the array, without its fraction where Python's own ``int`` is called."""
    whole = code.whole(node)
    if name != "int" or whole.shape:
        return whole
    return Whole((), lambda _: code.terms.whole_number(whole.at([]), node.lineno))


def compute_array(code: Translator, name: str, node: ast.Call) -> Whole:
    """An array that an expression makes by statements of its own."""
    code.made += 1
    label = f"{name}{code.made}"
    code.temporaries.add(label)
    code.name_value(label, node, node.lineno)
    return code.array(label, code.shapes[label], node.lineno)


def multiply_outer(code: Translator, node: ast.Call, arguments: Sequence[ast.expr]) -> Whole:
    """``np.outer(a, b)``."""
    left, right, line = code.whole(arguments[0]), code.whole(arguments[1]), node.lineno
    shape, rank = (*left.shape, *right.shape), len(left.shape)
    size = math.prod(shape)

    def multiply(at: Sequence[Any]) -> Any:
        sides = (left, at[:rank]), (right, at[rank:])
        return code.c.BinaryOp("*", *(code.terms.compute_once(w, w.at(i), size) for w, i in sides), Line(line))

    return Whole(shape, multiply, True)


def subtract_next(code: Translator, node: ast.Call, arguments: Sequence[ast.expr]) -> Whole:
    """``np.diff(a, n=1, axis=-1)``."""
    whole = code.whole(arguments[0])
    if not whole.shape:
        raise refuse(node.lineno, "differences of what is no array")
    line, named = node.lineno, {k.arg: k.value for k in node.keywords}
    often = named.get("n", arguments[1] if len(arguments) > 1 else None)
    if often is not None and code.affine(often) != Affine((), 1):
        raise refuse(line, "differences of differences: write np.diff as often as it is meant")
    chosen = code.find_axis(node, arguments, 2)
    axis = (-1 if chosen is None else chosen) % len(whole.shape)

    def difference(at: Sequence[Any]) -> Any:
        following = code.c.BinaryOp("+", at[axis], code.terms.number(1), Line(line))
        sides = whole.at([*at[:axis], following, *at[axis + 1 :]]), whole.at(at)
        uses = 2 * math.prod(whole.shape)
        return code.c.BinaryOp("-", *(code.terms.compute_once(whole, s, uses) for s in sides), Line(line))

    sizes = [max(1, n - 1) if a == axis else n for a, n in enumerate(whole.shape)]
    return Whole(tuple(sizes), difference, True)


def take_diagonal(code: Translator, node: ast.Call, arguments: Sequence[ast.expr]) -> Whole:
    """``np.diag(a)``: of a matrix its diagonal, of a row a matrix with nothing beside it."""
    whole, line = code.whole(arguments[0]), Line(node.lineno)
    if len(whole.shape) == 2 and len(node.args) < 2:
        return whole.rearrange((min(whole.shape),), lambda at: whole.at([at[0], at[0]]))
    if len(whole.shape) != 1 or len(node.args) > 1 or node.keywords:
        raise refuse(node.lineno, "diagonals beside the first one are not followed")

    def element(at: Sequence[Any]) -> Any:
        return code.c.TernaryOp(
            code.c.BinaryOp("==", at[0], at[1], line), whole.at([at[0]]), code.terms.number(0), line
        )

    return whole.rearrange((*whole.shape, *whole.shape), element)


def bound(code: Translator, node: ast.Call, arguments: Sequence[ast.expr]) -> Whole:
    """``np.clip(x, low, high)``: one operation for each bound that there is."""
    named = {k.arg: k.value for k in node.keywords}
    low = named.get("a_min", named.get("min", arguments[1] if len(arguments) > 1 else None))
    high = named.get("a_max", named.get("max", arguments[2] if len(arguments) > 2 else None))
    ends = [(f, e) for f, e in (("fmax", low), ("fmin", high)) if e is not None and not is_none(e)]

    def limit(element: Any, *values: Any) -> Any:
        for (function, _), value in zip(ends, values, strict=True):
            element = code.terms.call(function, (element, value), node.lineno)
        return element

    return code.map([arguments[0], *(e for _, e in ends)], limit, node.lineno)


def refuse_options(node: ast.Call) -> None:
    """Refuse arguments of a call that change what it computes and that are not followed.

    Raises
    ------
    SourceError : there is one.
    """
    for keyword in node.keywords:
        if keyword.arg in UNFOLLOWED and not is_none(keyword.value):
            raise refuse(
                node.lineno, f"'{keyword.arg}=' of '{one_line(find_called(node), 40)}' is not followed: write it out"
            )


def refuse_function(node: ast.Call, name: str, given: int) -> None:
    """Refuse functions that no pattern of the notation is for, and those of two numbers that are given others.

    Raises
    ------
    SourceError : it is one of them.
    """
    if name in REASONS:
        raise refuse(node.lineno, REASONS[name].format(name))
    if NAMES.get(name, name) in OF_TWO and given != 2:
        raise refuse(node.lineno, f"the call of '{one_line(name, 40)}' with {given} arguments cannot be counted")


OWN_WAYS: dict[str, tuple[int, Callable[[Translator, ast.Call, Sequence[ast.expr]], Whole]]] = {
    "outer": (2, multiply_outer), "take_along_axis": (2, take_along), "diff": (1, subtract_next), "clip": (1, bound),
    **dict.fromkeys(("diag", "diagonal"), (1, take_diagonal)),
    **dict.fromkeys(TESTS, (1, compare_with_largest)),
}  # fmt: skip
"""Functions that are read in ways of their own, with the arguments that they take at least."""
