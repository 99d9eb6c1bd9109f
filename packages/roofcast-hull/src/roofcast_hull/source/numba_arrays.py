"""Functions that Numba calls for each element, or each row, of arrays (``@stencil``, ``@guvectorize``) as loops."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Mapping, Sequence
from typing import Any

from roofcast_hull.source.numpy_shapes import find_called
from roofcast_hull.source.numpy_values import Tensor
from roofcast_hull.source.python_host import find_python_calls

COUNTERS = "ijklmn"
MADE = "made"
"""The array that such a function gives back."""


def write_loops(tree: ast.Module) -> None:
    """Write such functions of a file, in place, as functions of whole arrays; those that are not followed stay."""
    for at, item in enumerate(tree.body):
        if isinstance(item, ast.FunctionDef):
            tree.body[at] = write_stencil(item) or write_rows(item, tree) or item


def find_decorator(function: ast.FunctionDef, name: str) -> ast.expr | None:
    """The decorator of this name, called or not; None where there is none."""
    for item in function.decorator_list:
        plain = item.func if isinstance(item, ast.Call) else item
        if getattr(plain, "attr", getattr(plain, "id", "")) == name:
            return item
    return None


def write_stencil(function: ast.FunctionDef) -> ast.FunctionDef | None:
    """``@stencil`` with numbers as offsets: loops over the elements whose neighbours are all there; None for others."""
    decorator = find_decorator(function, "stencil")
    if decorator is None or not isinstance(function.body[-1], ast.Return) or function.body[-1].value is None:
        return None
    options = {k.arg: k.value for k in decorator.keywords} if isinstance(decorator, ast.Call) else {}
    named = {n.value for n in ast.walk(options.get("standard_indexing", ast.Tuple([], ast.Load())))
             if isinstance(n, ast.Constant)}  # fmt: skip
    arrays = {a.arg for a in function.args.args} - named
    taken = [
        n for s in function.body for n in ast.walk(s)
        if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id in arrays
    ]  # fmt: skip
    places = [n.slice.elts if isinstance(n.slice, ast.Tuple) else [n.slice] for n in taken]
    if not taken or len({len(p) for p in places}) > 1 or len(places[0]) > len(COUNTERS):
        return None
    reach = read_reach(options.get("neighborhood"), places)
    if reach is None:
        return None
    first = next(a.arg for a in function.args.args if any(n.value.id == a.arg for n in taken))  # type: ignore[attr-defined]
    counters = [f"{COUNTERS[d]} of {function.name}" for d in range(len(reach))]
    inside = [Moved(arrays, counters).visit(copy.deepcopy(s)) for s in function.body]
    place = ast.Tuple([load(c) for c in counters], ast.Load()) if len(counters) > 1 else load(counters[0])
    inside[-1] = ast.Assign([ast.Subscript(load(MADE), place, ast.Store())], inside[-1].value)
    ends = [(max(0, -low), f"{first}.shape[{d}] - {max(0, high)}") for d, (low, high) in enumerate(reach)]
    body = nest(inside, counters, ends)
    return finish(function, [make(f"np.zeros_like({first})"), *body, ast.Return(load(MADE))])


def read_reach(stated: ast.expr | None, places: Sequence[Sequence[ast.expr]]) -> list[tuple[int, int]] | None:
    """The least and the largest offset in each dimension; None where neither numbers nor a neighbourhood say them."""
    try:
        if stated is not None:
            return [(int(low), int(high)) for low, high in ast.literal_eval(stated)]
        numbers = [[int(ast.literal_eval(e)) for e in p] for p in places]
    except (ValueError, TypeError):
        return None
    return [(min(n), max(n)) for n in zip(*numbers, strict=True)]


def write_rows(function: ast.FunctionDef, tree: ast.Module) -> ast.FunctionDef | None:
    """``@guvectorize(..., "(n)->()")``: a loop over the rows of its arrays; None where it takes numbers beside them."""
    decorator = find_decorator(function, "guvectorize")
    texts = [n.value for n in ast.walk(decorator) if isinstance(n, ast.Constant)] if decorator is not None else []
    layout = next((str(t).replace(" ", "") for t in texts if "->" in str(t)), "")
    inputs, _, outputs = layout.partition("->")
    labels = [a.arg for a in function.args.args]
    dimensions = [len(d.split(",")) if d else 0 for d in re.findall(r"\(([^)]*)\)", f"{inputs},{outputs}")]
    if not layout or len(dimensions) != len(labels) or re.findall(r"\(([^)]*)\)", outputs)[1:] or not dimensions[0]:
        return None
    ranks, out = dict(zip(labels, dimensions, strict=True)), labels[-1]
    ranks = {n: r for n, r in ranks.items() if r or n == out or not is_number_given(tree, function, labels.index(n))}
    alike = find_shared_arrays(tree, function, ranks)
    ranks = {n: r for n, r in ranks.items() if n not in alike}
    rows = next((n for n in labels if n in ranks and n != out), "")
    if not rows:
        return None
    row = f"row of {function.name}"
    given = any(
        find_called(n) == function.name and len(n.args) == len(labels)
        for n in ast.walk(tree)
        if isinstance(n, ast.Call)
    )
    inside = [Rows(ranks, row, "" if given else out).visit(copy.deepcopy(s)) for s in function.body]
    body = nest(inside, [row], [(0, f"{rows}.shape[0]")])
    if given:
        return finish(function, body)
    like = next((n for n in labels[:-1] if ranks.get(n) == ranks[out]), "")
    element = find_output_type(texts)
    array = f"np.empty_like({like})" if like else f"np.empty({rows}.shape[0], dtype=np.{element})"
    if ranks[out] > 1 and not like:
        return None
    changed = finish(function, [make(array), *body, ast.Return(load(MADE))])
    changed.args.args = changed.args.args[:-1]
    return changed


def find_shared_arrays(tree: ast.Module, function: ast.FunctionDef, ranks: Mapping[str, int]) -> set[str]:
    """Arrays that the file's own call gives such a function once for all rows: of no more dimensions than it takes."""
    calls, _ = find_python_calls(tree)
    stated = calls[function.name][0][1] if calls.get(function.name) else {}
    arrays = {n: v for n, v in stated.items() if isinstance(v, Tensor) and n in ranks}
    shared = {n for n, v in arrays.items() if v.shape and len(v.shape) == ranks[n]}
    return shared if len(shared) < len(arrays) else set()


def is_number_given(tree: ast.Module, function: ast.FunctionDef, at: int) -> bool:
    """Whether calls of a function in its file give one number for all rows in some place."""
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and find_called(n) == function.name]
    numbers = {
        t.id for n in ast.walk(tree) if isinstance(n, ast.Assign) and is_number(n.value)
        for t in n.targets if isinstance(t, ast.Name)
    }  # fmt: skip
    given = [c.args[at] for c in calls if len(c.args) > at]
    return any(is_number(g) or (isinstance(g, ast.Name) and g.id in numbers) for g in given)


def is_number(node: ast.expr) -> bool:
    """Whether an expression is a number that is written."""
    parts = [n for n in ast.walk(node) if isinstance(n, ast.expr)]
    return all(isinstance(n, (ast.Constant, ast.UnaryOp, ast.BinOp)) for n in parts)


def find_output_type(texts: Sequence[Any]) -> str:
    """The type of the last argument of a signature, of real numbers in double precision where none is written."""
    types = [t for text in texts for t in re.findall(r"([a-z]+\d+)\[", str(text))]
    return types[-1] if types else "float64"


def load(name: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(name, ast.Load())


def make(text: str) -> ast.Assign:
    """``made = ...``."""
    return ast.Assign([ast.Name(MADE, ast.Store())], ast.parse(text, mode="eval").body)


def nest(inside: list[ast.stmt], counters: Sequence[str], ends: Sequence[tuple[int, str]]) -> list[ast.stmt]:
    """Statements in loops from numbers to expressions."""
    for counter, (low, high) in zip(counters[::-1], ends[::-1], strict=True):
        bounds: list[ast.expr] = [ast.Constant(low), ast.parse(high, mode="eval").body]
        call = ast.Call(load("range"), bounds, [])
        inside = [ast.For(ast.Name(counter, ast.Store()), call, inside, [])]
    return inside


def finish(function: ast.FunctionDef, body: list[ast.stmt]) -> ast.FunctionDef:
    """A function with another body, without decorators, its nodes on the lines of those around them."""
    changed = copy.copy(function)
    changed.args = copy.copy(function.args)
    changed.body, changed.decorator_list = body, []
    for item in body:
        ast.copy_location(item, function.body[0])
        ast.fix_missing_locations(item)
    for node in (n for s in body for n in ast.walk(s)):
        if isinstance(node, (ast.expr, ast.stmt)) and not hasattr(node, "lineno"):
            node.lineno = function.lineno
    return changed


class Moved(ast.NodeTransformer):
    """Adds counters to the offsets of a stencil. arrays : what is indexed by offsets."""

    def __init__(self, arrays: set[str], counters: Sequence[str]) -> None:
        self.arrays, self.counters = arrays, counters

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """``a[0, -1]``."""
        if not isinstance(node.value, ast.Name) or node.value.id not in self.arrays:
            self.generic_visit(node)
            return node
        offsets = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        sums: list[ast.expr] = [ast.BinOp(load(c), ast.Add(), o) for c, o in zip(self.counters, offsets, strict=True)]
        changed = ast.Subscript(node.value, ast.Tuple(sums, ast.Load()) if len(sums) > 1 else sums[0], node.ctx)
        return ast.copy_location(changed, node)


class Rows(ast.NodeTransformer):
    """Puts the number of a row before the indices of arrays. out : what is another array then; '' for none."""

    def __init__(self, ranks: Mapping[str, int], row: str, out: str) -> None:
        self.ranks, self.row, self.out = ranks, row, out

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """``x[i]``, ``x.shape[0]``, ``out[0]`` of a number."""
        whose = node.value
        if isinstance(whose, ast.Attribute) and whose.attr == "shape" and isinstance(node.slice, ast.Constant):
            if getattr(whose.value, "id", "") not in self.ranks:
                return node
            return ast.copy_location(ast.Subscript(whose, ast.Constant(node.slice.value + 1), node.ctx), node)  # type: ignore[operator]
        self.generic_visit(node)
        if not isinstance(whose, ast.Name) or whose.id not in self.ranks:
            return node
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if self.ranks[whose.id] == 0:
            items = []
        places = ast.Tuple([load(self.row), *items], ast.Load()) if items else load(self.row)
        name = MADE if whose.id == self.out else whose.id
        return ast.copy_location(ast.Subscript(load(name), places, node.ctx), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """``len(x)``."""
        if find_called(node) == "len" and isinstance(node.args[0], ast.Name) and node.args[0].id in self.ranks:
            shape = ast.Attribute(node.args[0], "shape", ast.Load())
            return ast.copy_location(ast.Subscript(shape, ast.Constant(1), ast.Load()), node)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A whole row: ``x.sum()``."""
        if node.id not in self.ranks:
            return node
        name = MADE if node.id == self.out else node.id
        return ast.copy_location(ast.Subscript(load(name), load(self.row), node.ctx), node)
