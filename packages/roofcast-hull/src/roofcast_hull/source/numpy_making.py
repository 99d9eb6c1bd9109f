"""NumPy arrays that calls make: ``zeros``, ``arange``, random numbers."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from roofcast.core.errors import one_line
from roofcast_hull.source.host_objects import PLACES, WHOLE
from roofcast_hull.source.nest import refuse
from roofcast_hull.source.numpy_code import Translator
from roofcast_hull.source.numpy_elements import Line, Whole
from roofcast_hull.source.numpy_shapes import find_called, find_cast, find_element, list_literal
from roofcast_hull.source.numpy_staged import find_complex
from roofcast_hull.source.numpy_types import infer_element

CONSTANT = frozenset(["zeros", "ones", "full", "empty", "zeros_like", "ones_like", "full_like", "empty_like"])
"""Calls that make arrays of one number."""


def make_array(code: Translator, name: str, node: ast.expr) -> None:
    """``name = np.zeros((n, m))``."""
    assert isinstance(node, ast.Call)
    element, dtypes = find_element([k.value for k in node.keywords if k.arg == "dtype"]), list[ast.expr]()
    code.filled |= {name} if find_called(node) not in CONSTANT else set()
    if (inside := find_cast(node)) is not None:
        dtypes = [*node.args, *(k.value for k in node.keywords)]
        element, node = find_element(dtypes), inside
    function = find_called(node)
    code.complex.pop(name, None)
    if wide := find_complex([*(k.value for k in node.keywords if k.arg == "dtype"), *dtypes]):
        code.complex[name] = wide
    shape = list_literal(node) or (find_mesh(code, node) if function == "meshgrid" else ())
    if shape:
        code.remember(name, shape, element or find_literal_type(node))
        return
    given = list_given(code, node)
    size = given[0]
    if function.endswith("_like") or (isinstance(size, ast.Attribute) and size.attr == "shape"):
        like = size.value if isinstance(size, ast.Attribute) else size
        held = [n.id for n in ast.walk(like) if isinstance(n, ast.Name) and n.id in code.complex]
        if held and function.endswith("_like") and not element:
            code.complex[name], code.shapes[name] = code.complex[held[0]], code.shapes[held[0]]
            return
        if function.endswith("_like") and not element:
            element = infer_element(code, like)
        shape = code.shapes[held[0]] if held and isinstance(like, ast.Name) else code.whole(like).shape
        code.remember(name, shape, element or find_same_type(code, node))
        return
    sizes = tuple(code.size(s) for s in list_made(code, function, given))
    usual = "int64" if function in WHOLE else find_same_type(code, node)
    code.remember(name, (len(sizes), *sizes) if function == "indices" else sizes, element or usual)


def list_given(code: Translator, node: ast.Call) -> list[ast.expr]:
    """What a call that makes an array is given, its shape first."""
    function = find_called(node)
    stated = [k.value for k in node.keywords if k.arg in ("shape", "size")]
    given = [*stated, *code.spread(node.args)] if stated else list(code.spread(node.args))
    if function in PLACES and function != "permutation":
        given = stated or given[PLACES[function] :] or [ast.Constant(1)]
    if not given:
        raise refuse(node.lineno, f"'{one_line(ast.unparse(node), 60)}' has no shape")
    return given


def list_made(code: Translator, function: str, given: list[ast.expr]) -> list[ast.expr]:
    """Dimensions of the array that a call makes."""
    if function == "arange":
        return [count_steps(code, given)]
    if function in ("eye", "identity"):
        return [given[0], given[1] if len(given) > 1 else given[0]]
    return given if function in ("rand", "randn") else code.list_sizes(given[0])


def find_mesh(code: Translator, node: ast.Call) -> tuple[int, ...]:
    """The shape of each array of ``np.meshgrid(x, y)``."""
    named = {k.arg: k.value for k in node.keywords}
    sizes = [math.prod(code.whole(a).shape) for a in node.args]
    order = named.get("indexing")
    if len(sizes) > 1 and not (isinstance(order, ast.Constant) and order.value == "ij"):
        sizes[:2] = sizes[1::-1]
    return tuple(sizes)


MOST_STEPS = 1 << 40
"""Elements of a range."""
SIGNS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}  # fmt: skip


def fold_number(node: ast.expr, sizes: Mapping[str, int]) -> float | None:
    """A number that is written, with sizes by their names: ``n + 1.0``; None of others."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, (int, float)) else None
    if isinstance(node, ast.Name):
        return sizes.get(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = fold_number(node.operand, sizes)
        return None if inner is None else -inner
    if isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
        left, right = fold_number(node.left, sizes), fold_number(node.right, sizes)
        if left is None or right is None or (isinstance(node.op, (ast.Div, ast.FloorDiv)) and not right):
            return None
        return SIGNS[type(node.op)](left, right)
    return None


def count_steps(code: Translator, given: Sequence[ast.expr]) -> ast.expr:
    """How many elements ``np.arange(first, end, step)`` has."""
    ends = [e.operand if isinstance(e, ast.UnaryOp) else e for e in given[:3]]
    if len(given) == 1:
        return given[0]
    if all(isinstance(e, ast.Constant) for e in ends):
        first, end, step = (ast.literal_eval(e) for e in [*given[:3], ast.Constant(1)][:3])
        return ast.copy_location(ast.Constant(math.ceil((end - first) / step)), given[0])
    numbers = [fold_number(e, code.builder.sizes) for e in given[:3]]
    if None not in numbers and any(isinstance(n, float) for n in numbers):
        # Ends that are real numbers.
        first, end, step = (float(n or 0) for n in [*numbers, 1][:3])
        if not step or not 0 < (count := math.ceil((end - first) / step)) < MOST_STEPS:
            raise refuse(given[0].lineno, "a range of no elements, or of too many")
        return ast.copy_location(ast.Constant(count), given[0])
    first, end = (code.affine(e).constant for e in given[:2])
    step = code.affine(given[2]).constant if len(given) > 2 else 1
    if not step:
        raise refuse(given[0].lineno, "the step of a range must be a number")
    return ast.copy_location(ast.Constant(-(-(end - first) // step)), given[0])


def find_same_type(code: Translator, node: ast.Call) -> str:
    """``np.zeros(n, x.dtype)``, ``np.zeros(n, np.float32)``: the type that an argument behind the shape names."""
    stated = [*(k.value for k in node.keywords if k.arg == "dtype"), *node.args[1:]]
    same = [a.value for a in stated if isinstance(a, ast.Attribute) and a.attr == "dtype"]
    if find_called(node) not in CONSTANT:
        return ""
    return infer_element(code, same[0]) if same else find_element(stated)


def make_inside(code: Translator, node: ast.Call) -> Whole:
    """An array that is label where it is used."""
    name, line = find_called(node), node.lineno
    code.made += 1
    label = f"{name}{code.made}"
    make_array(code, label, node)
    real = any(isinstance(n, ast.Constant) and isinstance(n.value, float) for n in ast.walk(node))
    if name == "arange" and code.types.get(label, "int64") == "int64" and not real:
        first, step = find_steps(code, node)
        return Whole(code.shapes[label], lambda at: code.terms.move(first, step, at[0], line))
    if name in (*CONSTANT, "eye", "identity"):
        # Numbers that places alone say are no array that is read.
        return Whole(code.shapes[label], lambda _: code.c.Constant("double", "1.0", Line(line)))
    return code.array(label, code.shapes[label], line)


def find_steps(code: Translator, node: ast.Call) -> tuple[Any, int]:
    """First number and step of ``np.arange``."""
    given = list(code.spread(node.args))
    step = code.affine(given[2]).constant if len(given) > 2 else 1
    return (code.scalar(given[0]) if len(given) > 1 else code.terms.number(0)), step


def find_literal_type(node: ast.Call) -> str:
    """The type of ``np.array([1, 2])``: whole numbers only where all are."""
    if find_called(node) == "meshgrid":
        return ""
    numbers = [n.value for n in ast.walk(node.args[0]) if isinstance(n, ast.Constant)]
    return find_element(node.args[1:]) or ("int64" if all(type(n) is int for n in numbers) else "")
