"""Whole numbers that expressions of C are, and how often loops run, for known values of names."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from operator import and_, invert, neg, or_, pos, xor
from typing import Any

from roofcast_hull.source.c_tree import called, find_names, spell_path, uncast
from roofcast_hull.source.plain_trees import apply, fold

MOST_TURNS = 1 << 40
"""Turns of a loop beyond which its end is not looked for."""
CHOICES: dict[str, Callable[[int, int], int]] = {
    "min": min, "max": max, "MIN": min, "MAX": max, "fmin": min, "fmax": max, "std_min": min, "std_max": max,
}  # fmt: skip
"""Functions that choose one of two numbers."""
SIGNS: dict[str, Callable[[int], int]] = {"-": neg, "+": pos, "!": lambda v: int(not v), "~": invert}
BITS: dict[str, Callable[[int, int], int]] = {"&": and_, "|": or_, "^": xor}


def evaluate(node: Any, known: Mapping[str, int]) -> int | None:
    """A whole number that an expression is; None where names that it holds are not known."""
    if node is None:
        return None
    node = uncast(node)
    reader = READERS.get(type(node).__name__)
    if reader is not None:
        return reader(node, known)
    try:
        return fold(node, known)
    except (AttributeError, ValueError):
        return None


def evaluate_choice(node: Any, known: Mapping[str, int]) -> int | None:
    """``c ? a : b``."""
    asked = evaluate(node.cond, known)
    return None if asked is None else evaluate(node.iftrue if asked else node.iffalse, known)


def evaluate_sign(node: Any, known: Mapping[str, int]) -> int | None:
    """``-a``, ``!a``, ``~a``."""
    inside = evaluate(node.expr, known) if node.op in SIGNS else None
    return None if inside is None else SIGNS[node.op](inside)


def evaluate_call(node: Any, known: Mapping[str, int]) -> int | None:
    """``min(a, b)``."""
    if called(node) not in CHOICES or not node.args or len(node.args.exprs) != 2:
        return None
    left, right = (evaluate(e, known) for e in node.args.exprs)
    return None if left is None or right is None else CHOICES[called(node)](left, right)


def evaluate_pair(node: Any, known: Mapping[str, int]) -> int | None:
    """``a + b``."""
    left, right = evaluate(node.left, known), evaluate(node.right, known)
    if node.op == "&&" and 0 in (left, right):
        return 0
    if left is None or right is None:
        return None
    return BITS[node.op](left, right) if node.op in BITS else apply(node.op, left, right)


READERS: dict[str, Callable[[Any, Mapping[str, int]], int | None]] = {
    "ID": lambda node, known: known.get(str(node.name)),
    "StructRef": lambda node, known: known.get(spell_path(node)),
    "TernaryOp": evaluate_choice, "UnaryOp": evaluate_sign, "FuncCall": evaluate_call, "BinaryOp": evaluate_pair,
}  # fmt: skip


def count_turns(cond: Any, name: str, first: Any, step: Any, known: Mapping[str, int]) -> int | None:
    """How often a loop runs whose condition holds up to some turn; None where that is not known."""
    low, by = evaluate(first, known), evaluate(step, known)
    if low is None or not by:
        return None
    if type(cond).__name__ == "BinaryOp" and cond.op == "!=":
        # It comes to its end from one side.
        cond = copy.copy(cond)
        cond.op = "<" if (by > 0) == (name in find_names(cond.left)) else ">"

    def holds(turn: int) -> bool | None:
        value = evaluate(cond, {**known, name: low + by * turn})
        return None if value is None else bool(value)

    if holds(0) is None:
        return None
    if not holds(0):
        return 0
    reached = 1
    while holds(reached):
        reached *= 2
        if reached > MOST_TURNS:
            return None
    least = reached // 2
    while reached - least > 1:
        middle = (reached + least) // 2
        if holds(middle):
            least = middle
        else:
            reached = middle
    return reached
