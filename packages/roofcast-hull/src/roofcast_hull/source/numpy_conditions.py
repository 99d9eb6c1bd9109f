"""Conditions on NumPy arrays, and elementwise work on what one of them chooses."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from roofcast_hull.source.numpy_shapes import find_called
from roofcast_hull.source.numpy_values import CONDITIONS, ELEMENTWISE

MODULES = ("np", "numpy")
TIMES = "times"
"""Attribute of what a condition chooses: how often that is written there, and so computed."""


def is_condition(node: ast.expr, masks: Collection[str]) -> bool:
    """Whether an expression is of conditions. masks : names that are."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        return is_condition(node.operand, masks)
    if isinstance(node, (ast.Compare, ast.BoolOp)):
        return True
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor)):
        return is_condition(node.left, masks)
    if isinstance(node, ast.Call):
        called = find_called(node)
        stated = [*(k.value for k in node.keywords if k.arg == "dtype"), *(node.args if called == "astype" else [])]
        return called in CONDITIONS or any(ast.unparse(s) in ("bool", "np.bool_") for s in stated)
    return isinstance(node, ast.Name) and node.id in masks


def choose_last(body: Sequence[ast.stmt], masks: Collection[str]) -> list[ast.stmt]:
    """Statements with ``(a * b)[m]`` for ``a[m] * b[m]``, which is the same.

    masks : conditions that a function is given.
    """
    known, stored = {*masks}, Counter(
        n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )  # fmt: skip
    for node in (n for s in body for n in ast.walk(s) if isinstance(n, ast.Assign) and len(n.targets) == 1):
        target = node.targets[0]
        if isinstance(target, ast.Name) and stored[target.id] == 1 and is_condition(node.value, known):
            known.add(target.id)
    return [Lifts(known).visit(copy.deepcopy(s)) if chooses(s, known) else s for s in body]


def chooses(item: ast.stmt, masks: Collection[str]) -> bool:
    """Whether conditions choose elements in a statement."""
    return any(find_choice(n, masks) for n in ast.walk(item))


def find_choice(node: ast.AST, masks: Collection[str]) -> ast.expr | None:
    """The condition by which elements are chosen; None of other nodes."""
    plain = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and is_condition(node.slice, masks)
    return node.slice if plain and isinstance(node, ast.Subscript) else None


def count_choices(node: ast.expr, masks: Collection[str]) -> int:
    """How often a condition is computed for what it chooses; 0 of other expressions."""
    return int(getattr(node, TIMES, 1)) if find_choice(node, masks) is not None else 0


class Lifts(ast.NodeTransformer):
    """Puts a condition that chooses operands behind the operation. masks : names of conditions."""

    def __init__(self, masks: Collection[str]) -> None:
        self.masks = masks

    def lift(self, node: Any, *fields: str) -> ast.AST:
        """An operation on operands, which are in fields."""
        self.generic_visit(node)
        lists = [(f, v if isinstance(v := getattr(node, f), list) else [v]) for f in fields]
        choices = {ast.dump(c): c for _, items in lists for i in items if (c := find_choice(i, self.masks)) is not None}
        if len(choices) != 1:
            return node  # type: ignore[no-any-return]
        times = sum(count_choices(i, self.masks) for _, items in lists for i in items)
        for field, items in lists:
            plain = [i.value if find_choice(i, self.masks) is not None else i for i in items]
            setattr(node, field, plain if isinstance(getattr(node, field), list) else plain[0])
        chosen = ast.copy_location(ast.Subscript(node, next(iter(choices.values())), ast.Load()), node)
        setattr(chosen, TIMES, times)
        return chosen

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Products of matrices choose before."""
        if isinstance(node.op, ast.MatMult):
            return self.generic_visit(node)
        return self.lift(node, "left", "right")

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """A sign."""
        return self.lift(node, "operand")

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """A comparison."""
        return self.lift(node, "left", "comparators")

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A function of elements, or a change of their type."""
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if isinstance(owner, ast.Name) and owner.id in MODULES and find_called(node) in ELEMENTWISE:
            return self.lift(node, "args") if not node.keywords else self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "abs":
            return self.lift(node, "args")
        self.generic_visit(node)
        if find_called(node) == "astype" and isinstance(node.func, ast.Attribute):
            choice, times = find_choice(node.func.value, self.masks), count_choices(node.func.value, self.masks)
            if choice is not None and isinstance(node.func.value, ast.Subscript):
                node.func.value = node.func.value.value
                chosen = ast.copy_location(ast.Subscript(node, choice, ast.Load()), node)
                setattr(chosen, TIMES, times)
                return chosen
        return node
