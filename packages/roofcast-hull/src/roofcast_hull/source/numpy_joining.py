"""NumPy arrays that are put beside each other: ``concatenate``, ``stack``, ``cross``."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

from roofcast_hull.source.nest import refuse
from roofcast_hull.source.numpy_code import Translator
from roofcast_hull.source.numpy_elements import Whole, spread_shapes
from roofcast_hull.source.numpy_shapes import find_called, list_literal, promote
from roofcast_hull.source.numpy_types import infer_element

JOINING = frozenset(["stack", "concatenate", "vstack", "hstack", "column_stack", "append"])
"""Calls that put arrays beside each other."""


LISTING = frozenset(["array", "asarray"])
"""Those that take a list of arrays, or of numbers, as the rows of one."""


def lists_arrays(node: ast.expr) -> bool:
    """Whether a call makes an array of a list of arrays, or of numbers that are computed."""
    called = isinstance(node, ast.Call) and find_called(node) in LISTING
    given = node.args[0] if called and isinstance(node, ast.Call) and node.args else None
    return isinstance(given, (ast.List, ast.Tuple)) and bool(given.elts) and not list_literal(given)


def join_arrays(code: Translator, name: str, node: ast.Call) -> None:
    """``c = np.stack([a, b], axis=1)``: each array into its part."""
    line, called = node.lineno, find_called(node)
    given = node.args if called == "append" else code.list_sizes(node.args[0])
    parts = [code.whole(e) for e in given]
    if called == "column_stack" and len({len(p.shape) for p in parts}) > 1:
        # A row beside matrices is a column.
        parts = [p.rearrange((*p.shape, 1), lambda at, p=p: p.at(at[:1])) if len(p.shape) == 1 else p for p in parts]  # type: ignore[misc]
    if called in LISTING and parts and not any(p.shape for p in parts):
        # Numbers of their own, one behind the other.
        code.remember(name, (len(parts),), promote(infer_element(code, e) for e in given))
        for n, part in enumerate(parts):
            code.assign(code.terms.name(name, [code.terms.number(n)], line), "=", part.at([]), line)
        return
    if not parts or any(len(p.shape) != len(parts[0].shape) or not p.shape for p in parts):
        raise refuse(line, f"'{called}' of what is no list of arrays")
    rank, element = len(parts[0].shape), promote(infer_element(code, e) for e in given)
    chosen = code.find_axis(node, node.args, 1) if called in ("stack", "concatenate") else None
    called = "stack" if called in LISTING else called
    if called == "stack" or (called in ("vstack", "column_stack") and rank == 1):
        stack_arrays(code, name, parts, {"stack": chosen or 0, "vstack": 0}.get(called, 1) % (rank + 1), element, line)
        return
    axis = ({"hstack": min(1, rank - 1), "column_stack": 1}.get(called, 0) if chosen is None else chosen) % rank
    sizes = [p.shape[axis] for p in parts]
    code.remember(name, (*parts[0].shape[:axis], sum(sizes), *parts[0].shape[axis + 1 :]), element)
    code.apart |= id(node) not in code.joined
    for n, part in enumerate(parts):
        # Each part is an array of its own: no unit of one touches another.
        label = f"{name}, part {n + 1}"
        code.remember(label, part.shape, element)
        code.write(code.array(label, part.shape, line), part, line)


def stack_arrays(code: Translator, name: str, parts: Sequence[Whole], axis: int, element: str, line: int) -> None:
    """Arrays of one shape side by side along a new axis: a unit writes an element of each."""
    shape = parts[0].shape
    if any(p.shape != shape for p in parts):
        raise refuse(line, "a stack of arrays of several shapes")
    code.remember(name, (*shape[:axis], len(parts), *shape[axis:]), element)
    with code.counters(shape, line) as at:
        for n, part in enumerate(parts):
            place = code.terms.name(name, [*at[:axis], code.terms.number(n), *at[axis:]], line)
            code.assign(place, "=", part.at(at), line)


def cross_vectors(code: Translator, name: str, node: ast.Call) -> None:
    """``c = np.cross(a, b)`` of vectors with three elements: a unit computes all of one."""
    line, whole = node.lineno, multiply_across(code, node)
    parts = [
        Whole(whole.shape[:-1], lambda at, k=k: whole.at([*at, code.terms.number(k)]), True)  # type: ignore[misc]
        for k in range(3)
    ]
    kind = promote(infer_element(code, a) for a in node.args[:2])
    stack_arrays(code, name, parts, len(whole.shape) - 1, kind, line)


def multiply_across(code: Translator, node: ast.Call) -> Whole:
    """Elements of ``np.cross(a, b)``, each a difference of two products."""
    line = node.lineno
    left, right = (code.whole(a) for a in node.args[:2])
    shape = spread_shapes([left.shape, right.shape], line)
    if not shape or left.shape[-1] != 3 or right.shape[-1] != 3:
        raise refuse(line, "a cross product of other than vectors of three elements")

    def take(whole: Whole, at: Sequence[Any], by: int) -> Any:
        last = at[-1]
        if type(last).__name__ == "Constant":
            place = code.terms.number((int(last.value) + by) % 3)
        else:
            moved = code.terms.combine("+", last, code.terms.number(by), line)
            place = code.terms.combine("%", moved, code.terms.number(3), line)
        element = whole.at(code.terms.narrow([*at[:-1], place], whole.shape))
        return code.terms.compute_once(whole, element, 2 * math.prod(shape))

    def gap(at: Sequence[Any]) -> Any:
        sides = [code.terms.combine("*", take(left, at, k), take(right, at, 3 - k), line) for k in (1, 2)]
        return code.terms.combine("-", sides[0], sides[1], line)

    return Whole(shape, gap, True)


def place_cross(code: Translator, node: ast.Call, store: Callable[[], Whole]) -> Whole:
    """A cross product inside of an expression: what a sum over its elements takes, its unit computes.

    store : has it stored before the statement's loops.
    """
    whole, stored = multiply_across(code, node), list[Whole]()

    def at(indices: Sequence[Any]) -> Any:
        last = getattr(indices[-1], "name", "")
        if last and last not in code.inside.units and code.inside.sums:
            return whole.at(indices)
        if not stored:
            stored.append(store())
        return stored[0].at(indices)

    return Whole(whole.shape, at, True)
