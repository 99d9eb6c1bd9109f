"""Parts of NumPy arrays: slices, elements, and what arrays of indices or conditions choose."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from roofcast_hull.source.nest import Affine, SourceError, refuse
from roofcast_hull.source.numpy_code import Translator
from roofcast_hull.source.numpy_conditions import is_condition
from roofcast_hull.source.numpy_elements import Line, Whole, spread_shapes
from roofcast_hull.source.numpy_shapes import find_called


def take_along(code: Translator, node: ast.Call, arguments: Sequence[ast.expr]) -> Whole:
    """``np.take_along_axis(a, i, axis=1)``: elements that data chooses along one axis."""
    base, chosen = code.whole(arguments[0]), code.whole(arguments[1])
    axis = code.find_axis(node, arguments, 2)
    if axis is None or len(base.shape) != len(chosen.shape):
        raise refuse(node.lineno, "elements that are taken along no axis")
    axis %= len(base.shape)

    def at(indices: Sequence[Any]) -> Any:
        place = chosen.at(code.terms.narrow(indices, chosen.shape))
        return base.at(code.terms.narrow([*indices[:axis], place, *indices[axis + 1 :]], base.shape))

    sizes = [b if a != axis else 1 for a, b in enumerate(base.shape)]
    shape = spread_shapes([tuple(sizes), chosen.shape], node.lineno)
    return base.rearrange(shape, at)


def take_part(code: Translator, node: ast.Subscript) -> Whole:
    """``a[i][j]``, ``a[1:-1, ::2, k, None]``."""
    items = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if (parts := split_array(code, node.value)) is not None and len(items) == 1:
        return code.whole(parts[code.affine(items[0]).constant])
    line, base = node.lineno, code.whole(node.value)
    if not base.shape:
        return take_element(code, base.at([]), items, line)
    taken = sum(1 for i in items if not is_new(i) and not is_rest(i))
    if taken > len(base.shape):
        raise refuse(line, f"{taken} indices of an array of {len(base.shape)} dimensions")
    if any(is_mask(code, i) for i in items if not isinstance(i, ast.Slice) and not is_new(i) and not is_rest(i)):
        raise refuse(line, "how many elements a condition chooses comes from data")
    rest = next((n for n, i in enumerate(items) if is_rest(i)), len(items))
    items[rest : rest + 1] = [ast.Slice()] * (len(base.shape) - taken)
    sizes = iter(base.shape)
    if chosen := find_chosen(code, items):
        return gather(code, base, items, chosen, line)
    positions = [None if is_new(item) else read_position(code, item, next(sizes), line) for item in items]
    shape = tuple(1 if p is None else p[2] for p in positions if p is None or p[2])

    def at(indices: Sequence[Any]) -> Any:
        left = iter(indices)
        chosen = [(p, next(left) if p is None or p[2] else None) for p in positions]
        return base.at([code.terms.move(p[0], p[1], i, line) for p, i in chosen if p is not None])

    return base.rearrange(shape, at)


SPLITTING = {"split": 0, "array_split": 0, "hsplit": 1, "vsplit": 0, "dsplit": 2}
"""Calls that cut an array into parts, and the axis that they cut."""
MOST_PARTS = 64
"""Parts that an array is cut into."""


def split_array(code: Translator, node: ast.expr) -> list[ast.expr] | None:
    """Parts of ``np.split(x, 3, axis=1)``, ``np.split(x, [4, 8])``, as slices; None of other expressions."""
    if not isinstance(node, ast.Call) or find_called(node) not in SPLITTING or len(node.args) < 2:
        return None
    shape = code.whole(node.args[0]).shape
    chosen = code.find_axis(node, node.args, 2)
    axis = SPLITTING[find_called(node)] if chosen is None else chosen
    if not -len(shape) <= axis < len(shape):
        return None
    axis %= len(shape)
    size, given = shape[axis], node.args[1]
    if isinstance(given, (ast.List, ast.Tuple)):
        ends = [0, *(min(size, code.affine(e).constant % (size + 1)) for e in given.elts), size]
    else:
        count = code.affine(given).constant
        if not 1 <= count <= MOST_PARTS:
            return None
        ends = [k * (size // count) + min(k, size % count) for k in range(count + 1)]
    parts = []
    for first, last in itertools.pairwise(ends):
        items: list[ast.expr] = [*[ast.Slice()] * axis, ast.Slice(ast.Constant(first), ast.Constant(last))]
        part = ast.Subscript(node.args[0], ast.Tuple(items, ast.Load()), ast.Load())
        for inner in ast.walk(part):
            if isinstance(inner, ast.expr) and not hasattr(inner, "lineno"):
                ast.copy_location(inner, node)
        parts.append(ast.fix_missing_locations(part))
    return list(parts)


def find_chosen(code: Translator, items: Sequence[ast.expr]) -> dict[int, Whole]:
    """Indices that are arrays of whole numbers, by their places."""
    chosen: dict[int, Whole] = {}
    for at, item in enumerate(items):
        if isinstance(item, ast.Slice) or is_new(item) or is_rest(item) or is_mask(code, item):
            continue
        whole = code.whole(item)
        if whole.shape:
            chosen[at] = whole
    return chosen


def is_mask(code: Translator, node: ast.expr) -> bool:
    """Whether an index is an array of conditions."""
    compares = isinstance(node, (ast.Compare, ast.BoolOp))
    return is_condition(node, code.masks) and (not compares or bool(code.whole(node).shape))


def gather(code: Translator, base: Whole, items: Sequence[ast.expr], chosen: Mapping[int, Whole], line: int) -> Whole:
    """``a[i]``, ``a[i, j]`` where i and j are arrays: elements, or rows, that data chooses."""
    at, end = min(chosen), max(chosen) + 1
    apart = any(not isinstance(i, ast.Slice) for n, i in enumerate(items) if n not in chosen)
    if any(is_new(i) for i in items) or apart or end - at != len(chosen):
        raise refuse(line, "several indices of an array at once, one of them from data")
    outer = [read_position(code, i, n, line) for n, i in zip(base.shape[:at], items[:at], strict=True)]
    inner = [read_position(code, i, n, line) for n, i in zip(base.shape[end:], items[end:], strict=True)]
    shape = spread_shapes([w.shape for w in chosen.values()], line)
    rank, wholes = len(shape), [chosen[n] for n in range(at, end)]

    def element(indices: Sequence[Any]) -> Any:
        middle = list(indices[at : at + rank])
        before = [code.terms.move(p[0], p[1], i, line) for p, i in zip(outer, indices[:at], strict=True)]
        behind = [code.terms.move(p[0], p[1], i, line) for p, i in zip(inner, indices[at + rank :], strict=True)]
        return base.at([*before, *(choose_place(code, w, middle, line) for w in wholes), *behind])

    return base.rearrange((*(p[2] for p in outer), *shape, *(p[2] for p in inner)), element)


def choose_place(code: Translator, whole: Whole, at: Sequence[Any], line: int) -> Any:
    """An element of an array of indices; of one that is computed there each operation is one of NumPy's, no address."""
    value = whole.at(code.terms.narrow(at, whole.shape))
    return code.terms.call("__double2ll_rz", (value,), line) if whole.computes else value


def gathers(code: Translator, node: ast.expr) -> bool:
    """Whether an expression takes elements that an array chooses."""
    if not isinstance(node, ast.Subscript):
        return False
    items = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    return bool(find_chosen(code, items))


def take_element(code: Translator, base: Any, items: Sequence[ast.expr], line: int) -> Whole:
    """An element of an array whose shape is not known."""
    if any(isinstance(i, ast.Slice) for i in items):
        raise refuse(line, "this is no array element with affine indices")
    for item in items:
        base = code.c.ArrayRef(base, code.scalar(item), Line(line))
    name, rank = base, 0
    while isinstance(name, code.c.ArrayRef):
        name, rank = name.name, rank + 1
    if not isinstance(name, code.c.ID):
        raise refuse(line, "this is no array element with affine indices")
    if name.name not in code.shapes:
        code.open[name.name] = max(rank, code.open.get(name.name, 0))
    return Whole((), lambda _: base)


def read_position(code: Translator, item: ast.expr, size: int, line: int) -> tuple[Any, int, int]:
    """First element, step and count of one index (0 of a single element)."""
    if not isinstance(item, ast.Slice):
        if code.whole(item).shape:
            raise refuse(line, "an index from data is not affine")
        return read_index(code, item, size)[0], 1, 0
    step = code.affine(item.step) if item.step is not None else Affine((), 1)
    if step.variables or not step.constant:
        raise refuse(line, "the step of a slice must be a number")
    if step.constant < 0:
        if item.lower is not None or item.upper is not None:
            raise refuse(line, "a slice that goes backwards must be of the whole array, a[::-1]")
        return code.terms.number(size - 1), step.constant, -(-size // -step.constant)
    first, low = read_index(code, item.lower, size) if item.lower is not None else (code.terms.number(0), Affine())
    high = read_index(code, item.upper, size)[1] if item.upper is not None else Affine((), size)
    length = high - low if low is not None and high is not None else Affine.of({"open": 1})
    if length.variables:
        raise refuse(line, "a slice whose length differs from iteration to iteration: write it as a loop")
    count = -(-min(length.constant, size) // step.constant)
    if count < 1:
        raise refuse(line, "a slice without elements")
    return first, step.constant, count


def read_index(code: Translator, node: ast.expr, size: int) -> tuple[Any, Affine | None]:
    """An index of a dimension, those from its end counted from its start; None where data chooses."""
    scalar = code.scalar(node)
    known = dict(code.builder.routine.assumed), dict(code.builder.sizes)
    try:
        affine = code.reader.affine(scalar)
    except SourceError:
        code.builder.routine.assumed, code.builder.sizes = known
        return scalar, None
    if not affine.variables and affine.constant < 0:
        return code.terms.number(affine.constant + size), affine + Affine((), size)
    return scalar, affine


def is_new(node: ast.expr) -> bool:
    """``None`` or ``np.newaxis`` in an index."""
    empty = isinstance(node, ast.Constant) and node.value is None
    return empty or (isinstance(node, ast.Attribute) and node.attr == "newaxis")


def is_rest(node: ast.expr) -> bool:
    """``...`` in an index."""
    return isinstance(node, ast.Constant) and node.value is Ellipsis
