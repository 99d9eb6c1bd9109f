"""Element types of NumPy's expressions, as NumPy promotes them."""

from __future__ import annotations

import ast

from roofcast_hull.source.numpy_code import Translator
from roofcast_hull.source.numpy_shapes import DTYPES, MAKING, REDUCTIONS, find_called, find_element, promote

BOOLEAN = "int8"
"""What a truth value is stored in."""
FIXED = {
    **dict.fromkeys(
        ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "logical_and", "logical_or", "logical_not",
         "logical_xor", "any", "all", "isclose", "signbit", "bitwise_count"), BOOLEAN),
    **dict.fromkeys(("argmax", "argmin", "argsort", "count_nonzero", "searchsorted", "digitize", "bincount"), "int64"),
    **dict.fromkeys(
        ("linspace", "rand", "randn", "random", "uniform", "normal", "standard_normal", "eye", "identity", "zeros",
         "ones", "empty", "full"), "fp64"),
    "len": "int",
    **{n: DTYPES[n] for n in ("float32", "float64", "float16", "int8", "uint8", "int16", "int32", "int64")},
}  # fmt: skip
"""Types of what functions give, where no type is stated; of ``np.float64(x)`` its own."""
ADDING = frozenset(["sum", "prod", "cumsum", "cumprod", "nansum", "trace"])
"""Functions that compute whole numbers in 64 bits."""
REAL = frozenset(
    ["mean", "var", "std", "norm", "nanmean", "nanvar", "nanstd", "average", "exp", "exp2", "expm1", "log", "log2",
     "log10", "log1p", "sqrt", "cbrt", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh",
     "tanh", "hypot",
     "degrees", "radians", "deg2rad", "rad2deg", "logaddexp", "gradient", "interp"]
)  # fmt: skip
"""Functions whose values are real, also of whole numbers."""


def infer_element(code: Translator, node: ast.expr) -> str:
    """The type of the elements that an expression computes; real numbers of 64 bits where none is known."""
    return weigh(find_types(code, node)) or "fp64"


def weigh(kinds: set[str]) -> str:
    """The type of several; Python's own numbers, "int" and "float", change none but whole ones.

    >>> weigh({"fp32", "float"}), weigh({"int32", "float"}), weigh({"int8", "int"}), weigh({"int"})
    ('fp32', 'fp64', 'int8', 'int64')
    """
    arrays = kinds - {"int", "float"}
    if not arrays:
        return "fp64" if "float" in kinds else "int64" if kinds else ""
    plain = promote(arrays)
    return "fp64" if "float" in kinds and plain.startswith("int") else plain


def find_types(code: Translator, node: ast.expr) -> set[str]:
    """Types that an expression is computed from."""
    if isinstance(node, ast.Constant):
        return {"int"} if isinstance(node.value, int) else {"float"}
    if isinstance(node, ast.Name):
        stored = code.types.get(node.id, "")
        if code.shapes.get(node.id) or node.id in code.views:
            return {stored or "fp64"}
        return {"int" if stored.startswith("int") or node.id in code.builder.sizes else "float"}
    if isinstance(node, ast.Subscript):
        return find_types(code, node.value)
    if isinstance(node, ast.Attribute):
        asks = node.attr in ("size", "shape", "ndim")
        return find_types(code, node.value) if node.attr == "T" else {"int"} if asks else {"float"}
    if isinstance(node, ast.Call):
        return find_types_of_call(code, node)
    if isinstance(node, (ast.Compare, ast.BoolOp)):
        return {BOOLEAN}
    if isinstance(node, ast.BinOp):
        both = find_types(code, node.left) | find_types(code, node.right)
        return as_real(both) if isinstance(node.op, ast.Div) else both
    several = [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr)]
    several = [node.body, node.orelse] if isinstance(node, ast.IfExp) else several
    return set().union(*(find_types(code, n) for n in several))


def as_real(kinds: set[str]) -> set[str]:
    """Types of what is computed in real numbers."""
    whole = weigh(kinds)
    return {"fp64"} if whole.startswith("int") and kinds - {"int", "float"} else kinds | {"float"}


def find_types_of_call(code: Translator, node: ast.Call) -> set[str]:
    """Types that a call is computed from."""
    name, given = find_called(node), code.arguments(node)
    asked = [k.value for k in node.keywords if k.arg == "dtype"]
    if name in ("astype", "asarray", "array", "ascontiguousarray", *MAKING):
        asked += node.args if name == "astype" else node.args[1:]
    if like := [a.value for a in asked if isinstance(a, ast.Attribute) and a.attr == "dtype"]:
        return find_types(code, like[0])
    if stated := find_element(asked):
        return {stated}
    if name == "int":
        return {"int"}
    if name == "bincount" and (len(given) > 1 or any(k.arg == "weights" for k in node.keywords)):
        return {"fp64"}
    if name in FIXED:
        return {FIXED[name]}
    if name == "arange":
        kinds = {k for a in given for k in find_types(code, a)}
        return {"fp64" if "float" in kinds else "int64"}
    chosen = given[1:3] if name == "where" and len(given) > 2 else given
    kinds = {k for a in chosen for k in find_types(code, a)}
    if name in REAL:
        return as_real(kinds)
    if name in ADDING and weigh(kinds).startswith("int"):
        return {"int64"}
    return {weigh(kinds)} if name in REDUCTIONS and kinds else kinds
