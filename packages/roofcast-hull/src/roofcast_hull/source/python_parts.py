"""Parts of arrays that calls name, ``a, b = np.split(x, 2)``, as slices; strides in place of names for them."""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Iterator, Sequence

from roofcast_hull.source.numpy_shapes import find_called
from roofcast_hull.source.python_syntax import put_at

SPLITS = {"split": None, "array_split": None, "hsplit": 1, "vsplit": 0, "dsplit": 2}
"""Functions of NumPy that part arrays, with the axis that each has by its name."""


def write_parts(tree: ast.Module) -> None:
    """A file in place, without such calls and names."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                setattr(node, field, [s for item in block for s in split_array(name_places(item))])
        if isinstance(node, ast.FunctionDef):
            name_strides(node)


def name_places(item: ast.stmt) -> ast.stmt:
    """A statement, with ``np.meshgrid`` for the places that ``np.mgrid`` and ``np.indices`` give."""
    target = item.targets[0] if isinstance(item, ast.Assign) and len(item.targets) == 1 else None
    if not isinstance(item, ast.Assign) or not isinstance(target, (ast.Tuple, ast.List)):
        return item
    value, count = item.value, len(target.elts)
    axes: list[ast.expr | None] = []
    if isinstance(value, ast.Subscript) and ast.unparse(value.value) in ("np.mgrid", "numpy.mgrid"):
        ends = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
        axes = [count_places(e) for e in ends]
    elif isinstance(value, ast.Call) and ast.unparse(value.func) in ("np.indices", "numpy.indices") and value.args:
        shape = value.args[0]
        sizes = shape.elts if isinstance(shape, ast.Tuple) else [
            ast.Subscript(copy.deepcopy(shape), ast.Constant(k), ast.Load()) for k in range(count)
        ]  # fmt: skip
        axes = [call_library("arange", [size]) for size in sizes]
    if len(axes) != count or count < 2 or any(a is None for a in axes):
        return item
    order = ast.keyword("indexing", ast.Constant("ij"))
    meshed = call_library("meshgrid", [a for a in axes if a is not None])
    meshed.keywords = [order]
    return put_at(ast.Assign(item.targets, meshed), item)


def count_places(ends: ast.expr) -> ast.expr | None:
    """The numbers of ``0:n`` or ``0:1:200j``; None of other indices."""
    if not isinstance(ends, ast.Slice) or ends.upper is None:
        return None
    first = ends.lower or ast.Constant(0)
    if isinstance(ends.step, ast.Constant) and isinstance(ends.step.value, complex):
        return call_library("linspace", [first, ends.upper, ast.Constant(int(abs(ends.step.value)))])
    return call_library("arange", [first, ends.upper, *([ends.step] if ends.step else [])])


def call_library(name: str, given: Sequence[ast.expr]) -> ast.Call:
    """A call of NumPy."""
    return ast.Call(ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load()), list(given), [])


def split_array(item: ast.stmt) -> Iterator[ast.stmt]:
    """A statement, or the ones that slice what it parts."""
    value = item.value if isinstance(item, ast.Assign) else None
    target = item.targets[0] if isinstance(item, ast.Assign) and len(item.targets) == 1 else None
    if not isinstance(value, ast.Call) or not isinstance(target, (ast.Tuple, ast.List)) or len(value.args) < 2:
        yield item
        return
    name, axis = find_called(value), find_axis(value)
    library = isinstance(value.func, ast.Attribute) and ast.unparse(value.func.value) in ("np", "numpy")
    bounds = list_bounds(value, len(target.elts), axis) if library and name in SPLITS and axis is not None else None
    if bounds is None or axis is None:
        yield item
        return
    array = value.args[0]
    if not isinstance(array, ast.Name):
        label = ast.Name(f"parted in line {item.lineno}", ast.Store())
        yield put_at(ast.Assign([label], array), item)
        array = ast.Name(label.id, ast.Load())
        bounds = list_bounds(ast.Call(value.func, [array, *value.args[1:]], value.keywords), len(target.elts), axis)
    whole: list[ast.expr] = [ast.Constant(...)] if axis < 0 else [ast.Slice() for _ in range(axis)]
    behind = [ast.Slice() for _ in range(-1 - axis)] if axis < 0 else []
    parts: list[ast.expr] = []
    for lower, upper in bounds or ():
        places = [*(copy.deepcopy(w) for w in whole), ast.Slice(lower, upper), *behind]
        index = ast.Tuple(places, ast.Load()) if len(places) > 1 else places[0]
        parts.append(ast.Subscript(copy.deepcopy(array), index, ast.Load()))
    for part, inner in zip(parts, target.elts, strict=True):
        yield put_at(ast.Assign([inner], part), item)


def find_axis(call: ast.Call) -> int | None:
    """The axis that a call parts; None where that is no number."""
    fixed = SPLITS.get(find_called(call))
    if fixed is not None:
        return fixed
    named = next((k.value for k in call.keywords if k.arg == "axis"), call.args[2] if len(call.args) > 2 else None)
    try:
        value = 0 if named is None else ast.literal_eval(named)
    except ValueError:
        return None
    return value if type(value) is int else None


def list_bounds(call: ast.Call, count: int, axis: int | None) -> list[tuple[ast.expr | None, ast.expr | None]] | None:
    """First and last place of each part, of which there are so many; None where they are not known."""
    where = call.args[1]
    if isinstance(where, (ast.List, ast.Tuple)):
        ends = [None, *where.elts, None]
        return list(itertools.pairwise(ends)) if len(ends) == count + 1 else None
    if isinstance(where, ast.Constant) and where.value != count:
        return None
    size = f"{ast.unparse(call.args[0])}.shape[{axis}]" if isinstance(call.args[0], ast.Name) else "0"
    name = call.args[0].id if isinstance(call.args[0], ast.Name) else ""
    if " " in name:
        size = f"x.shape[{axis}]"
    step: ast.expr = ast.parse(f"{size} // {count}", mode="eval").body
    for node in ast.walk(step):
        if isinstance(node, ast.Name):
            node.id = name
    ends = [None, *(scale(step, k) for k in range(1, count)), None]
    return list(itertools.pairwise(ends))


def scale(step: ast.expr, times: int) -> ast.expr:
    """So many times a size."""
    return ast.BinOp(ast.Constant(times), ast.Mult(), copy.deepcopy(step)) if times > 1 else copy.deepcopy(step)


def name_strides(function: ast.FunctionDef) -> None:
    """A function in place, with ``x.strides[0]`` for the names that it gives to strides."""
    known: dict[str, ast.expr] = {}
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Tuple) and is_strides(value) and all(isinstance(t, ast.Name) for t in target.elts):
            parts = [ast.Subscript(copy.deepcopy(value), ast.Constant(k), ast.Load()) for k in range(len(target.elts))]
            known |= {t.id: p for t, p in zip(target.elts, parts, strict=True) if isinstance(t, ast.Name)}
        elif isinstance(target, ast.Name) and any(is_strides(v) for v in (value, getattr(value, "value", None))):
            known[target.id] = value
    stores = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    once = {n: v for n, v in known.items() if stores.count(n) == 1}
    if once:
        Strides(once).visit(function)


def is_strides(node: ast.AST | None) -> bool:
    """Whether an expression is the strides of an array, or the last of them."""
    return isinstance(node, ast.Attribute) and node.attr in ("strides", "itemsize")


class Strides(ast.NodeTransformer):
    """Replaces names. known : what each stands for."""

    def __init__(self, known: dict[str, ast.expr]) -> None:
        self.known = known

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A name as the stride that it is."""
        if node.id not in self.known or isinstance(node.ctx, ast.Store):
            return node
        return ast.copy_location(copy.deepcopy(self.known[node.id]), node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """The names themselves are left out."""
        targets: Sequence[ast.expr] = node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else node.targets
        if all(isinstance(t, ast.Name) and t.id in self.known for t in targets):
            return ast.copy_location(ast.Pass(), node)
        self.generic_visit(node)
        return node
