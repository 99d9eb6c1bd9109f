"""Statements that read other rows of an array than they write: ``h[t] = a * h[t - 1] + x[t]``.

NumPy computes all of a right side before it writes any of it. Where what it reads of the array is a part that the
statement does not write, that makes no difference, and iterations before it have written what it reads.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from roofcast_hull.source.nest import SourceError

if TYPE_CHECKING:
    from roofcast_hull.source.numpy_code import Translator


def find_overwritten(code: Translator, target: ast.expr, nodes: Sequence[ast.expr]) -> frozenset[str]:
    """Names of the arrays of which values see what was there before the statement; none where they read other rows."""
    names = code.list_overwritten(target)
    if not names & frozenset().union(*map(code.list_names, nodes)):
        return names
    place = find_rows(code, target)
    if place is None or any(n in code.passing for node in nodes for n in code.list_names(node)):
        return names
    apart, parts = False, names | {n for n, base in code.bases.items() if base in names}
    for node in nodes:
        for part in find_parts(node, parts):
            rows = find_rows(code, part)
            if rows is None or rows[0] != place[0]:
                return names
            same = ast.dump(rows[1][0].slice) == ast.dump(place[1][0].slice) and len(rows[1]) == len(place[1]) == 1
            if not same and not are_apart(code, place[1], rows[1]):
                return names
            apart = apart or not same
    return frozenset() if apart else names


def find_parts(node: ast.AST, names: frozenset[str]) -> Iterator[ast.expr]:
    """The largest parts of some arrays that an expression reads: names with all indices behind them."""
    inner: ast.AST = node
    while isinstance(inner, ast.Subscript):
        inner = inner.value
    if isinstance(inner, ast.Name) and isinstance(node, ast.expr):
        if inner.id in names:
            yield node
        while isinstance(node, ast.Subscript):
            yield from find_parts(node.slice, names)
            node = node.value
        return
    for child in ast.iter_child_nodes(node):
        yield from find_parts(child, names)


def find_rows(code: Translator, node: ast.expr) -> tuple[str, list[ast.Subscript]] | None:
    """An array by its name, and the indices that a part of it has, from within; None of whole arrays and calls.

    Of a name for a part, ``before = h[t - 1]``, its indices are those of the part.
    """
    parts: list[ast.Subscript] = []
    while True:
        if isinstance(node, ast.Subscript):
            parts.insert(0, node)
            node = node.value
        elif isinstance(node, ast.Name) and node.id in code.views:
            view = code.parts.get(node.id)
            if view is None:
                return None
            node = view
        else:
            return (node.id, parts) if isinstance(node, ast.Name) and parts else None


def are_apart(code: Translator, place: Sequence[ast.Subscript], other: Sequence[ast.Subscript]) -> bool:
    """Whether two parts of an array have no element in common, as one of their indices tells."""
    first, second = (list(list_leading(p[0].slice)) for p in (place, other))
    for here, there in zip(first, second, strict=False):
        if isinstance(here, ast.Slice) or isinstance(there, ast.Slice):
            continue
        known = dict(code.builder.routine.assumed), dict(code.builder.sizes)
        try:
            gap = code.affine(here) - code.affine(there)
        except SourceError:
            code.builder.routine.assumed, code.builder.sizes = known
            continue
        if not gap.variables and gap.constant:
            return True
    return False


def list_leading(node: ast.expr) -> Iterator[ast.expr]:
    """Indices, up to where an ellipsis or a new axis moves what follows."""
    for item in node.elts if isinstance(node, ast.Tuple) else [node]:
        if isinstance(item, ast.Constant) and not isinstance(item.value, int):
            return
        yield item
