"""Arrays that NumPy code makes turn by turn: lists of values in a loop, functions along an axis."""

from __future__ import annotations

import ast
import copy
from contextlib import suppress
from typing import TYPE_CHECKING

from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.numpy_shapes import find_called
from roofcast_hull.source.numpy_spelling import replace_names, unroll
from roofcast_hull.source.numpy_staged import find_staged_call

if TYPE_CHECKING:
    from roofcast_hull.source.numpy_code import Translator

STACKING = ("array", "asarray", "stack", "vstack")
"""Calls that put what a list holds one behind the other."""


def list_turns(code: Translator, name: str, node: ast.expr) -> ast.For | None:
    """``np.array([f(k) for k in range(n)])`` as the loop that fills an array; None for others."""
    if isinstance(node, ast.Call) and find_called(node) in STACKING and len(node.args) == 1 and not node.keywords:
        node = node.args[0]
    if not isinstance(node, ast.ListComp) or len(node.generators) != 1 or node.generators[0].ifs:
        return None
    turn = node.generators[0]
    if (
        not isinstance(turn.target, ast.Name)
        or not isinstance(turn.iter, ast.Call)
        or find_called(turn.iter) != "range"
    ):
        return None
    with suppress(SourceError):
        ends = [code.affine(a).constant for a in turn.iter.args]
        turns = range(*ends)
        return fill(code, name, node.elt, turn.target.id, turns)
    return None


def write_turns(code: Translator, node: ast.Call) -> ast.Call:
    """``np.stack([x ** k for k in range(6)], axis=1)`` with a list of few turns written out; others as they are."""
    listed = node.args[0] if node.args else None
    if not isinstance(listed, (ast.ListComp, ast.GeneratorExp)):
        return node
    written = copy.deepcopy(listed)
    for turn in written.generators:
        if isinstance(turn.iter, ast.Call) and find_called(turn.iter) == "range":
            turn.iter.args = [ast.Constant(code.affine(a).constant) for a in turn.iter.args]
    items = unroll(written)
    if items is None:
        return node
    changed = copy.copy(node)
    changed.args = [items, *node.args[1:]]
    fix(changed, node)
    return changed


def apply_along(code: Translator, name: str, node: ast.expr) -> ast.For | None:
    """``np.apply_along_axis(lambda v: v.max() - v.min(), 1, x)`` as the loop over rows that it is; None for others."""
    if not isinstance(node, ast.Call) or find_called(node) != "apply_along_axis" or len(node.args) != 3:
        return None
    function, axis, array = node.args
    if not isinstance(array, ast.Name) or len(code.shapes.get(array.id, ())) != 2:
        return None
    along = code.affine(axis).constant % 2
    turns, counter = range(code.shapes[array.id][1 - along]), f"turn of line {node.lineno}"
    place = ast.Name(counter, ast.Load())
    items: list[ast.expr] = [place, ast.Slice()] if along else [ast.Slice(), place]
    row = ast.Subscript(array, ast.Tuple(items, ast.Load()), ast.Load())
    if isinstance(function, ast.Lambda) and len(function.args.args) == 1:
        body = replace_names(function.body, {function.args.args[0].arg: row})
    elif isinstance(function, ast.Attribute):
        body = ast.Call(function, [row], [])
    else:
        return None
    return fill(code, name, body, counter, turns)


def fill(code: Translator, name: str, element: ast.expr, counter: str, turns: range) -> ast.For | None:
    """The loop that fills an array with an element, or a row, of each turn; None where that is not known."""
    line = getattr(element, "lineno", 1)
    first = replace_names(element, {counter: ast.Constant(turns.start)})
    if len(turns) < 1 or turns.step != 1 or any(find_staged_call(n, code.own) for n in ast.walk(element)):  # type: ignore[arg-type]
        return None
    fix(first, element)
    shape = code.whole(first).shape
    code.remember(name, (len(turns), *shape))
    code.temporaries.add(name)
    index: ast.expr = ast.Name(counter, ast.Load())
    if turns.start:
        index = ast.BinOp(index, ast.Sub(), ast.Constant(turns.start))
    target = ast.Subscript(ast.Name(name, ast.Load()), index, ast.Store())
    ends: list[ast.expr] = [ast.Constant(turns.start), ast.Constant(turns.stop)]
    loop = ast.For(
        ast.Name(counter, ast.Store()), ast.Call(ast.Name("range", ast.Load()), ends, []),
        [ast.Assign([target], element, lineno=line)], [], lineno=line,
    )  # fmt: skip
    fix(loop, element)
    return loop


def fix(node: ast.AST, at: ast.AST) -> None:
    """Put a node into the line of another one."""
    for inner in ast.walk(node):
        if isinstance(inner, (ast.expr, ast.stmt)) and not hasattr(inner, "lineno"):
            ast.copy_location(inner, at)
    ast.fix_missing_locations(node)
