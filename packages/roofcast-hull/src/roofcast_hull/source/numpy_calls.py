"""Functions of NumPy that give an array for arrays, element by element."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

from roofcast.core.errors import one_line
from roofcast_hull.source.builder import FUNCTIONS
from roofcast_hull.source.nest import Affine, refuse
from roofcast_hull.source.numpy_code import NAMES, Loops, Translator
from roofcast_hull.source.numpy_elements import REARRANGED, Line, Whole, clamp
from roofcast_hull.source.numpy_indexing import take_along
from roofcast_hull.source.numpy_joining import JOINING, lists_arrays, place_cross
from roofcast_hull.source.numpy_making import make_inside
from roofcast_hull.source.numpy_shapes import DTYPES, SPELLED, find_called, is_drawn_number, is_making
from roofcast_hull.source.python_syntax import is_none

CONVERSIONS = frozenset(["float", "int", "bool", "intp", "single", "double", "half", *DTYPES, *SPELLED])
UNFOLLOWED = frozenset(["where", "out", "weights", "edge_order", "period"])
"""Options that change what is computed."""
FOLLOWED = frozenset([("weights", "average"), ("weights", "bincount")])
"""Those that are followed of some calls."""
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
    if lists_arrays(node):
        return compute_array(code, name, node)
    if name in (*VIEWS, *CONVERSIONS) and arguments:
        return convert(code, name, arguments[0])
    refuse_options(node)
    return read_call_of_arrays(code, node, name, arguments)


def read_call_of_arrays(code: Translator, node: ast.Call, name: str, arguments: Sequence[ast.expr]) -> Whole:
    """A function of arrays that are there."""
    line = node.lineno
    if name == "where" and len(arguments) == 3:
        return code.map(arguments, lambda *x: code.c.TernaryOp(*x, Line(line)), line)
    if name == "cross" and len(node.args) == 2 and not node.keywords:
        return place_cross(code, node, lambda: store_before(code, name, node))
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


def store_before(code: Translator, name: str, node: ast.Call) -> Whole:
    """The same before the loops of the statement that is open."""
    outer, code.statements = code.statements, []
    held, code.inside = code.inside, Loops()
    whole = compute_array(code, name, node)
    code.inside = held
    statements, code.statements = code.statements, outer
    (code.before if code.inside.count else code.statements).extend(statements)
    return whole


def combine_outer(code: Translator, node: ast.Call, arguments: Sequence[ast.expr]) -> Whole:
    """``np.outer(a, b)``, ``np.subtract.outer(a, b)``."""
    whose = node.func.value if isinstance(node.func, ast.Attribute) else None
    function = whose.attr if isinstance(whose, ast.Attribute) else "multiply"
    left, right = (code.whole(a) for a in arguments[-2:])
    shape, rank, line = (*left.shape, *right.shape), len(left.shape), node.lineno
    if not shape:
        raise refuse(line, "an outer product of what is no array")
    size = math.prod(shape)

    def combine(at: Sequence[Any]) -> Any:
        sides = (left, at[:rank]), (right, at[rank:])
        values = [code.terms.compute_once(w, w.at(i), size) for w, i in sides]
        if function in SIGNS_OF_TWO:
            return code.c.BinaryOp(SIGNS_OF_TWO[function], *values, Line(line))
        return code.terms.call(NAMES.get(function, "hypot"), values, line)

    return Whole(shape, combine, True)


SIGNS_OF_TWO = {
    "multiply": "*", "add": "+", "subtract": "-", "divide": "/", "true_divide": "/", "greater": ">", "less": "<",
    "greater_equal": ">=", "less_equal": "<=", "equal": "==", "not_equal": "!=", "logical_and": "&&",
    "logical_or": "||",
}  # fmt: skip
"""Functions of two numbers that are signs."""


def subtract_next(code: Translator, node: ast.Call, arguments: Sequence[ast.expr]) -> Whole:
    """``np.diff(a, n=1, axis=-1)``; what is put before or behind stands for its nearest element."""
    whole = code.whole(arguments[0])
    if not whole.shape:
        raise refuse(node.lineno, "differences of what is no array")
    named = {k.arg: k.value for k in node.keywords}
    often = named.get("n", arguments[1] if len(arguments) > 1 else None)
    times = code.affine(often) if often is not None else Affine((), 1)
    chosen = code.find_axis(node, arguments, 2)
    axis = (-1 if chosen is None else chosen) % len(whole.shape)
    if times.variables or not 1 <= times.constant < min(FEW_DIFFERENCES, whole.shape[axis]):
        raise refuse(node.lineno, "differences of differences: write np.diff as often as it is meant")
    before, behind = (count_added(code, named.get(n), axis) for n in ("prepend", "append"))
    for _ in range(times.constant):
        whole = subtract_once(code, whole, axis, before, behind, node.lineno)
        before = behind = 0
    return whole


FEW_DIFFERENCES = 9
"""How often differences are taken, less one."""


def count_added(code: Translator, node: ast.expr | None, axis: int) -> int:
    """How many elements an option of ``np.diff`` puts at an end."""
    if node is None or is_none(node):
        return 0
    shape = code.whole(node).shape
    return shape[axis] if len(shape) > axis else 1


def subtract_once(code: Translator, whole: Whole, axis: int, before: int, behind: int, line: int) -> Whole:
    """Differences of neighbours along an axis. before, behind : elements more than there are at both ends."""

    def place(at: Sequence[Any], by: int) -> list[Any]:
        index = code.c.BinaryOp("+", at[axis], code.terms.number(by), Line(line)) if by > 0 else at[axis]
        if before or behind:
            index = clamp(code.terms, at[axis], by, whole.shape[axis], line)
        return [*at[:axis], index, *at[axis + 1 :]]

    def difference(at: Sequence[Any]) -> Any:
        sides = whole.at(place(at, 1 - before)), whole.at(place(at, -before))
        uses = 2 * math.prod(whole.shape)
        return code.c.BinaryOp("-", *(code.terms.compute_once(whole, s, uses) for s in sides), Line(line))

    sizes = [max(1, n - 1 + before + behind) if a == axis else n for a, n in enumerate(whole.shape)]
    return Whole(tuple(sizes), difference, True)


def weigh_along(code: Translator, node: ast.Call, arguments: Sequence[ast.expr]) -> Whole:
    """``np.average(a, axis=0, weights=w)``: sums of products over those of the weights."""
    named = {k.arg: k.value for k in node.keywords}
    weights = named.get("weights", arguments[2] if len(arguments) > 2 else None)
    chosen = code.find_axis(node, arguments, 1)
    if weights is None or chosen is None:
        raise refuse(node.lineno, "an average whose weights or axis are not known")
    rank, wide = len(code.whole(arguments[0]).shape), len(code.whole(weights).shape)
    axis = chosen % max(1, rank)
    if wide == 1 < rank:
        items: list[ast.expr] = [ast.Slice() if a == axis else ast.Constant(None) for a in range(rank)]
        spread: ast.expr = ast.Subscript(weights, ast.Tuple(items, ast.Load()), ast.Load())
    else:
        spread = weights
    along = [ast.keyword("axis", ast.Constant(axis))]
    add = ast.Attribute(ast.Name("np", ast.Load()), "sum", ast.Load())
    total = ast.Call(add, [ast.BinOp(arguments[0], ast.Mult(), spread)], along)
    whole = ast.BinOp(total, ast.Div(), ast.Call(add, [weights], [] if wide == 1 else along))
    for inner in ast.walk(whole):
        if isinstance(inner, ast.expr) and not hasattr(inner, "lineno"):
            ast.copy_location(inner, node)
    return code.whole(ast.fix_missing_locations(ast.copy_location(whole, node)))


def take_flat(code: Translator, node: ast.Call, arguments: Sequence[ast.expr]) -> Whole:
    """``np.take(a, i)``, ``a.take(i, axis=1)``: elements that an array of places chooses."""
    axis = code.find_axis(node, arguments, 2)
    base = arguments[0] if axis is not None or len(code.whole(arguments[0]).shape) == 1 else ast.Call(
        ast.Attribute(ast.Name("np", ast.Load()), "ravel", ast.Load()), [arguments[0]], []
    )  # fmt: skip
    rank = len(code.whole(arguments[0]).shape)
    items = [ast.Slice()] * ((axis or 0) % max(1, rank))
    part = ast.Subscript(base, ast.Tuple([*items, arguments[1]], ast.Load()) if items else arguments[1], ast.Load())
    for inner in ast.walk(part):
        if isinstance(inner, ast.expr) and not hasattr(inner, "lineno"):
            ast.copy_location(inner, node)
    return code.whole(ast.fix_missing_locations(ast.copy_location(part, node)))


def take_diagonal(code: Translator, node: ast.Call, arguments: Sequence[ast.expr]) -> Whole:
    """``np.diag(a)``: of a matrix its diagonal, of a row a matrix with nothing beside it."""
    whole, line = code.whole(arguments[0]), Line(node.lineno)
    named = {k.arg: k.value for k in node.keywords}
    axes = [code.affine(named[n]).constant % len(whole.shape) for n in ("axis1", "axis2") if n in named]
    if len(whole.shape) > 1 and len({*axes}) == 2 and len(named) == 2:
        return code.take_diagonal(arguments[0], axes)
    if len(whole.shape) == 2 and len(arguments) < 2 and not named:
        return code.take_diagonal(arguments[0], (0, 1))
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
        if (
            keyword.arg in UNFOLLOWED
            and not is_none(keyword.value)
            and (keyword.arg, find_called(node)) not in FOLLOWED
        ):
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
    "outer": (2, combine_outer), "take": (2, take_flat), "average": (1, weigh_along),
    "take_along_axis": (2, take_along),
    "diff": (1, subtract_next), "clip": (1, bound),
    **dict.fromkeys(("diag", "diagonal"), (1, take_diagonal)),
    **dict.fromkeys(TESTS, (1, compare_with_largest)),
}  # fmt: skip
"""Functions that are read in ways of their own, with the arguments that they take at least."""
