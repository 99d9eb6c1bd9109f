"""Expressions over NumPy arrays and numbers, element by element."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any

from roofcast.core.errors import one_line
from roofcast_hull.source.builder import SHARED_WORK
from roofcast_hull.source.c_tree import find_names
from roofcast_hull.source.nest import refuse
from roofcast_hull.source.numpy_calls import read_call_of_function
from roofcast_hull.source.numpy_code import Translator, UsedByManyError
from roofcast_hull.source.numpy_complex import read_pair
from roofcast_hull.source.numpy_elements import Line, Whole, transpose
from roofcast_hull.source.numpy_indexing import take_part
from roofcast_hull.source.numpy_shapes import fold_integer, list_literal
from roofcast_hull.source.numpy_staged import find_staged_call, stage
from roofcast_hull.source.numpy_sums import defer, find_reduction, is_sum
from roofcast_hull.source.numpy_types import infer_element
from roofcast_hull.source.numpy_values import CONSTANTS
from roofcast_hull.source.python_names import target_name
from roofcast_hull.source.python_syntax import C_SIGNS

LARGEST = 1e300
"""What stands for infinity."""


def read_expression(code: Translator, node: ast.expr) -> Whole:
    """An expression over numbers and arrays; products and sums inside it are computed first."""
    line = node.lineno
    if (asked := code.size_asked(node)) is not None:
        return Whole((), lambda _: asked)
    if (pairs := read_pair(code, node)) is not None:
        return pairs
    if called := find_staged_call(node, code.own):
        code.made += 1
        name = f"{called}{code.made}"
        stage(code, name, node)  # type: ignore[arg-type]
        return code.array(name, code.shapes[name], line)
    if (reduction := find_reduction(code, node)) is not None:
        code.made += 1
        name = f"{'product' if reduction.name == 'sum' and not is_sum(node) else reduction.name}{code.made}"
        return defer(code, name, reduction, line, infer_element(code, node))
    if isinstance(node, ast.Name):
        return read_name(code, node.id, line)
    if isinstance(node, ast.Subscript):
        return take_part(code, node)
    if isinstance(node, ast.Call):
        return read_call_of_function(code, node)
    if isinstance(node, ast.Attribute) and node.attr == "T":
        return transpose(code.whole(node.value))
    return read_constant(code, node) or read_operation(code, node)


def read_name(code: Translator, name: str, line: int) -> Whole:
    """What a name stands for."""
    if name in code.passing:
        return pass_on(code, name)
    if name in code.complex.repeated:
        node, times = code.complex.repeated[name]
        whole = code.whole(node)
        share = code.c.Constant("double", repr(float(times)), Line(line))
        return Whole(whole.shape, lambda at: code.terms.call(SHARED_WORK, (share, whole.at(at)), line), whole.computes)
    if name in code.fixed and not code.shapes.get(name) and name not in code.views:
        # What sizes alone make is computed once.
        return Whole((), lambda _: code.terms.number(code.fixed[name]))
    known = code.views.get(name)
    if known is not None and code.bases.get(name) in code.old:
        return known.rearrange(known.shape, lambda at: code.prime(known.at(at)))
    return known or code.array(name, code.shapes.get(name, ()), line)


def read_constant(code: Translator, node: ast.expr) -> Whole | None:
    """A number, a list of them, or ``np.pi``; None for others."""
    line = node.lineno
    if isinstance(node, ast.BinOp) and (folded := fold_integer(node, code.fixed)) is not None and folded >= 0:
        return Whole((), lambda _: code.terms.number(folded))
    if isinstance(node, ast.Constant) and isinstance(node.value, complex):
        raise refuse(line, "operations on complex numbers of NumPy are not followed")
    if isinstance(node, ast.Constant):
        value = node.value if isinstance(node.value, (int, float)) and math.isfinite(node.value) else 0.0
        kind = "int" if type(value) is int else "double"
        return Whole((), lambda _: code.c.Constant(kind, repr(value), Line(line)))
    if isinstance(node, ast.Attribute) and node.attr in CONSTANTS and target_name(node) not in code.shapes:
        value = CONSTANTS[node.attr] if math.isfinite(CONSTANTS[node.attr]) else LARGEST
        return Whole((), lambda _: code.c.Constant("double", repr(value), Line(line)))
    if not isinstance(node, (ast.List, ast.Tuple)) or not (shape := list_literal(node)):
        return None
    code.made += 1
    label = f"numbers{code.made}"
    code.remember(label, shape)
    return code.array(label, shape, line)


def pass_on(code: Translator, name: str) -> Whole:
    """An array that one statement alone uses, as the expression that it is."""
    passing = code.passing[name]
    if code.old not in passing.known:
        code.passing.pop(name)
        passing.known[code.old] = code.whole(passing.node)
        code.passing[name] = passing
    whole, uses = passing.known[code.old], passing.uses
    size = uses * math.prod(whole.shape)

    def element(at: Sequence[Any]) -> Any:
        many = code.inside.turns > math.prod(whole.shape) or not code.inside.units <= set().union(*map(find_names, at))
        taken = isinstance(passing.node, ast.Subscript)
        if (whole.computes or taken) and code.inside.count and many:
            raise UsedByManyError(name)
        return code.terms.compute_once(whole, whole.at(at), size)

    return Whole(whole.shape, element, whole.computes)


def read_operation(code: Translator, node: ast.expr) -> Whole:
    """Operators, element by element."""
    line, place = node.lineno, Line(node.lineno)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and code.whole(node.operand).shape:
        # The array with changed signs is a result like others.
        zero = code.c.Constant("int", "0", place)
        return code.map([node.operand], lambda x: code.c.BinaryOp("-", zero, x, place), line)
    if isinstance(node, ast.UnaryOp):
        return code.map([node.operand], lambda x: code.c.UnaryOp(C_SIGNS[type(node.op)], x, place), line)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return code.map([node.left, node.right], lambda x, y: code.terms.call("pow", (x, y), line), line)
    if isinstance(node, ast.BinOp) and type(node.op) in C_SIGNS:
        sign = C_SIGNS[type(node.op)]
        return code.map([node.left, node.right], lambda x, y: code.c.BinaryOp(sign, x, y, place), line)
    if isinstance(node, ast.BoolOp):
        return code.map(node.values, lambda *all_: code.terms.chain(C_SIGNS[type(node.op)], all_, line), line)
    if isinstance(node, ast.Compare) and all(type(op) in C_SIGNS for op in node.ops):
        signs = [C_SIGNS[type(op)] for op in node.ops]

        def compare(*values: Any) -> Any:
            pairs = zip(signs, values, values[1:], strict=False)
            return code.terms.chain("&&", [code.c.BinaryOp(s, x, y, place) for s, x, y in pairs], line)

        return code.map([node.left, *node.comparators], compare, line)
    if isinstance(node, ast.IfExp):
        return code.map([node.test, node.body, node.orelse], lambda *x: code.c.TernaryOp(*x, place), line)
    if isinstance(node, (ast.List, ast.Set, ast.Dict)):
        raise refuse(line, f"the list '{one_line(ast.unparse(node), 60)}' is no array of numbers: write it as one")
    raise refuse(line, f"'{one_line(ast.unparse(node), 60)}' cannot be counted")
