"""Lists and dictionaries of arrays that a file hands over: a name for each array, a turn of a loop for each item."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from roofcast_hull.source.numpy_shapes import find_called
from roofcast_hull.source.numpy_spelling import replace_names
from roofcast_hull.source.numpy_values import Tensor
from roofcast_hull.source.python_syntax import put_at

MOST_TURNS = 64
"""Turns of a loop over a list that are written out."""
LISTING = ("enumerate", "zip", "reversed", "list", "tuple", "range")


def name_items(body: Sequence[ast.stmt], stated: dict[str, Any]) -> list[ast.stmt]:
    """Statements with a name for each array of a list, ``weights[0]``, and a turn of each loop over one.

    stated : what names stand for; the arrays of lists are added.
    """
    lists = {n: v for n, v in stated.items() if holds_array(v)}
    if not lists:
        return list(body)
    for name, value in lists.items():
        stated |= dict(list_leaves(name, value))
        stated.pop(name)
    return Lists(lists).block(body)


def holds_array(value: Any) -> bool:
    """Whether a value is a list or a dictionary with an array somewhere inside of it."""
    several = value if isinstance(value, tuple) else tuple(value.values()) if isinstance(value, dict) else ()
    return any(isinstance(v, Tensor) or holds_array(v) for v in several)


def list_leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Arrays and numbers of a list with their names."""
    if isinstance(value, (tuple, dict)):
        items = enumerate(value) if isinstance(value, tuple) else value.items()
        for key, item in items:
            yield from list_leaves(f"{name}[{key!r}]", item)
    elif value is not None:
        yield name, value


class Lists:
    """Writes out what statements do with lists. lists : their names and items."""

    def __init__(self, lists: Mapping[str, Any]) -> None:
        self.lists = lists

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Statements one after the other."""
        return [s for item in body for s in self.statement(item)]

    def statement(self, item: ast.stmt) -> list[ast.stmt]:
        """One statement."""
        if isinstance(item, ast.For) and (turns := self.list_turns(item)) is not None:
            return [s for turn in turns for s in self.block(turn)]
        changed = copy.copy(item)
        for name, value in ast.iter_fields(item):
            if isinstance(value, ast.expr):
                setattr(changed, name, self.write(value))
            elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(changed, name, self.block(value))
        if isinstance(changed, ast.Assign) and self.is_list(changed.value):
            return [s for t in changed.targets for s in self.take_apart(t, changed.value, item)]
        return [changed]

    def take_apart(self, target: ast.expr, value: ast.expr, item: ast.stmt) -> list[ast.stmt]:
        """``w, b = params[-1]``: a value for each name; a name for a list stands for it."""
        values = self.list_items(value)
        if isinstance(target, ast.Name):
            self.lists = {**self.lists, target.id: self.find(value)}
            return []
        if isinstance(target, (ast.Tuple, ast.List)) and values is not None and len(values) == len(target.elts):
            pairs = [ast.Assign([t], self.write(v)) for t, v in zip(target.elts, values, strict=True)]
            return [put_at(p, item) for p in pairs]
        return [item]

    def is_list(self, node: ast.expr) -> bool:
        """Whether an expression is (part of) a list of arrays."""
        return holds_array(self.find(node))

    def list_turns(self, loop: ast.For) -> list[list[ast.stmt]] | None:
        """The statements of each turn of a loop over lists of arrays, or that asks for one of theirs by its number."""
        items = self.list_items(loop.iter)
        names = {n.id for n in ast.walk(loop) if isinstance(n, ast.Name)}
        if items is None or len(items) > MOST_TURNS or loop.orelse or not names & set(self.lists):
            return None
        if isinstance(loop.iter, ast.Call) and find_called(loop.iter) == "range" and not self.asks(loop):
            return None
        turns = []
        for item in items:
            values = bind_items(loop.target, item)
            if values is None:
                return None
            turns.append([replace_in(s, values) for s in loop.body])
        return turns

    def asks(self, loop: ast.For) -> bool:
        """Whether a loop over numbers takes items of a list by them."""
        counter = getattr(loop.target, "id", "")
        taken = (n for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Subscript))
        return any(
            isinstance(n.value, ast.Name) and n.value.id in self.lists
            and any(isinstance(i, ast.Name) and i.id == counter for i in ast.walk(n.slice))
            for n in taken
        )  # fmt: skip

    def list_items(self, node: ast.expr) -> list[ast.expr] | None:
        """Expressions of the items of a list, of several side by side, or of a range; None for others."""
        if isinstance(node, ast.Call) and find_called(node) in LISTING and node.args and not node.keywords:
            return self.list_called(node)
        if isinstance(node, (ast.Tuple, ast.List)):
            return list(node.elts) if any(self.is_list(e) for e in node.elts) else None
        if isinstance(node, ast.Call) and find_called(node) in ("items", "values") and not node.args:
            whose = node.func.value if isinstance(node.func, ast.Attribute) else node
            held = self.find(whose)
            if not isinstance(held, dict):
                return None
            parts = [ast.Subscript(whose, ast.Constant(k), ast.Load()) for k in held]
            pairs = [ast.Tuple([ast.Constant(k), p], ast.Load()) for k, p in zip(held, parts, strict=True)]
            return place_all(pairs if find_called(node) == "items" else parts, node)
        value = self.find(node)
        if not isinstance(value, tuple) or not holds_array(value):
            return None
        base, keys = node, range(len(value))
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            base, keys = node.value, keys_of_slice(node.slice, self.find(node.value))
        return place_all([ast.Subscript(base, ast.Constant(k), ast.Load()) for k in keys], node)

    def list_called(self, node: ast.Call) -> list[ast.expr] | None:
        """Items of ``zip(a, b)``, ``enumerate(a)``, ``range(len(a))``, ``reversed(a)``."""
        name = find_called(node)
        if name == "range":
            ends = [self.find(a) for a in node.args]
            if not all(type(e) is int for e in ends):
                return None
            return place_all([ast.Constant(n) for n in range(*ends)[: MOST_TURNS + 1]], node)
        parts = [self.list_items(a) for a in node.args]
        if not all(parts):
            return None
        whole = [p for p in parts if p is not None]
        if name in ("list", "tuple"):
            return whole[0]
        if name == "reversed":
            return whole[0][::-1]
        if name == "enumerate":
            return place_all([ast.Tuple([ast.Constant(n), e], ast.Load()) for n, e in enumerate(whole[0])], node)
        return place_all([ast.Tuple(list(several), ast.Load()) for several in zip(*whole, strict=False)], node)

    def find(self, node: ast.expr) -> Any:
        """What an expression of lists and numbers stands for; None for others."""
        if isinstance(node, ast.Name):
            return self.lists.get(node.id)
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.find(node.operand)
            return -inner if isinstance(inner, int) else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            left, right = self.find(node.left), self.find(node.right)
            whole = type(left) is int and type(right) is int
            return (left + right if isinstance(node.op, ast.Add) else left - right) if whole else None
        if isinstance(node, ast.Call) and find_called(node) == "len" and len(node.args) == 1:
            held = self.find(node.args[0])
            return len(held) if isinstance(held, (tuple, dict)) else None
        if isinstance(node, ast.Subscript):
            held = self.find(node.value)
            if isinstance(held, tuple) and isinstance(node.slice, ast.Slice):
                return tuple(held[k] for k in keys_of_slice(node.slice, held))
            key = self.find(node.slice)
            if isinstance(held, tuple) and type(key) is int and -len(held) <= key < len(held):
                return held[key]
            return held.get(key) if isinstance(held, dict) and isinstance(key, (str, int)) else None
        return None

    def write(self, node: ast.expr) -> ast.expr:
        """An expression with a name for each array of a list."""
        return Items(self).visit(copy.deepcopy(node))  # type: ignore[no-any-return]

    def label(self, node: ast.expr) -> str:
        """The name of an array of a list."""
        if isinstance(node, ast.Name):
            return node.id if node.id in self.lists else ""
        if not isinstance(node, ast.Subscript) or not (whose := self.label(node.value)):
            return ""
        held, key = self.find(node.value), self.find(node.slice)
        if isinstance(held, tuple) and type(key) is int:
            key %= len(held)
        return f"{whose}[{key!r}]" if key is not None else ""


class Items(ast.NodeTransformer):
    """Writes names of arrays in place of what takes them out of a list."""

    def __init__(self, lists: Lists) -> None:
        self.lists = lists

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """``params["W1"]``, ``weights[-1]``."""
        value = self.lists.find(node)
        if value is not None and not isinstance(value, (tuple, dict)) and (label := self.lists.label(node)):
            return ast.copy_location(ast.Name(label, node.ctx), node)
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """``len(weights)``."""
        if find_called(node) == "len" and (length := self.lists.find(node)) is not None:
            return ast.copy_location(ast.Constant(length), node)
        self.generic_visit(node)
        return node


def keys_of_slice(part: ast.Slice, held: Any) -> range:
    """Places of the items of a slice of a list; none where its ends are no numbers."""
    ends = []
    for end in (part.lower, part.upper, part.step):
        try:
            ends.append(None if end is None else ast.literal_eval(end))
        except ValueError:
            return range(0)
    return range(*slice(*ends).indices(len(held))) if isinstance(held, tuple) else range(0)


def bind_items(target: ast.expr, item: ast.expr) -> dict[str, ast.expr] | None:
    """What a turn of a loop gives its names; None where an item has other parts than they are."""
    if isinstance(target, ast.Name):
        return {target.id: item}
    if not isinstance(target, (ast.Tuple, ast.List)):
        return None
    parts = (
        list(item.elts) if isinstance(item, (ast.Tuple, ast.List))
        else place_all([ast.Subscript(item, ast.Constant(n), ast.Load()) for n in range(len(target.elts))], item)
    )  # fmt: skip
    if len(parts) != len(target.elts):
        return None
    values: dict[str, ast.expr] = {}
    for inner, part in zip(target.elts, parts, strict=True):
        bound = bind_items(inner, part)
        if bound is None:
            return None
        values |= bound
    return values


def replace_in(item: ast.stmt, values: Mapping[str, ast.expr]) -> ast.stmt:
    """A statement with values in place of names."""
    return replace_names(item, values)  # type: ignore[arg-type,return-value]


def place_all(nodes: Sequence[ast.expr], at: ast.expr) -> list[ast.expr]:
    """Expressions that stand in the line of another one."""
    return [put_at(n, at) for n in nodes]
