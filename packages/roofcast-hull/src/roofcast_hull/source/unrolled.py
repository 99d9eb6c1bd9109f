"""Loops that were unrolled by hand, as the loops that they were: bodies of several alike turns, and their rest."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from roofcast_hull.source.c_statements import read_step
from roofcast_hull.source.c_tree import are_alike, uncast
from roofcast_hull.source.plain_loops import list_items, map_nodes

MOST_UNROLLED = 32
"""Turns that a body may hold."""
LEFT = ("<", "<=")


def roll_up(node: Any, ast: Any) -> Any:
    """A copy of a body in which loops over groups of turns, and over what is left, are one loop over turns.

    ``for (; i + 1 < n; i += 2) { f(i); f(i + 1); } for (; i < n; i++) f(i);`` is ``for (; i < n; i++) f(i);``. Sums in
    several scalars, ``s0 += x[i]; s1 += x[i + 1];``, are sums in the first; the others stay as they begin.
    """
    return map_nodes(node, lambda inside: roll_block(inside, ast) if type(inside).__name__ == "Compound" else inside)


def roll_block(node: Any, ast: Any) -> Any:
    """The same of one block."""
    out: list[Any] = []
    last: Any = None
    for item in list_items(node):
        rolled = roll(item, ast) if type(item).__name__ == "For" else None
        if rolled is not None:
            if out and begins_where(rolled, out[-1], ast):
                # The turns before whole groups begin, as many as the remainder.
                rolled.init = out.pop().init
            elif rolled.init is None and out and (start := read_first(out[-1], rolled, ast)) is not None:
                rolled.init = start
            out.append(last := rolled)
        elif last is None or out[-1] is not last or not is_rest(item, last, ast):
            out.append(item)
    return ast.Compound(out, node.coord) if last is not None else node


def is_rest(node: Any, before: Any, ast: Any) -> bool:
    """Whether a loop does the turns that whole groups have left, ``for (; i < n; i++)``."""
    counted, rolled = (read_counter(n, ast) for n in (node, before))
    if counted is None or rolled is None or counted != rolled or node.init is not None:
        return False
    return match_turns(list_items(before.stmt), list_items(node.stmt), counted[0], 0)


def begins_where(node: Any, before: Any, ast: Any) -> bool:
    """Whether a loop goes on where one with the same turns ends: ``for (i = 0; i < m; i++)``, ``for (i = m; ...)``."""
    counted, first = (read_counter(n, ast) for n in (node, before))
    if counted is None or first is None or counted != first or type(before.cond).__name__ != "BinaryOp":
        return False
    start = read_start(node.init)
    ends = before.cond.op == "<" and start is not None and are_alike(start, before.cond.right)
    return ends and match_turns(list_items(before.stmt), list_items(node.stmt), counted[0], 0)


def read_first(node: Any, loop: Any, ast: Any) -> Any | None:
    """What the declaration before a loop without a first statement begins its counter with, as that statement."""
    counted = read_counter(loop, ast)
    if counted is None or type(node).__name__ != "Decl" or str(node.name) != counted[0] or node.init is None:
        return None
    return ast.Assignment("=", ast.ID(counted[0], node.coord), node.init, node.coord)


def read_start(node: Any) -> Any | None:
    """What a loop's counter begins with."""
    if type(node).__name__ == "DeclList" and len(node.decls) == 1:
        return node.decls[0].init
    return node.rvalue if type(node).__name__ == "Assignment" else None


def read_counter(node: Any, ast: Any) -> tuple[str, int] | None:
    """Counter and step of a loop that goes up by a number; None for others."""
    step = read_step(node.next, ast) if type(node).__name__ == "For" and node.next is not None else None
    if step is None or node.cond is None or type(step[1]).__name__ != "Constant" or not str(step[1].value).isdigit():
        return None
    return step[0], int(step[1].value)


def roll(node: Any, ast: Any) -> Any | None:
    """A loop whose body holds as many alike turns as its step, with one of them; None for others."""
    counted = read_counter(node, ast)
    items = list_items(node.stmt)
    if counted is None or not 2 <= counted[1] <= MOST_UNROLLED or len(items) % counted[1] or not items:
        return None
    name, turns = counted
    size = len(items) // turns
    for groups in ([items[k * size : (k + 1) * size] for k in range(turns)], [items[k::turns] for k in range(turns)]):
        if all(match_turns(groups[0], groups[k], name, k) for k in range(1, turns)):
            loop = copy.copy(node)
            loop.cond = widen(node.cond, name, turns, ast)
            loop.next = ast.UnaryOp("p++", ast.ID(name, node.coord), node.coord)
            loop.stmt = ast.Compound(list(groups[0]), node.coord)
            return loop
    return None


def widen(cond: Any, name: str, turns: int, ast: Any) -> Any:
    """The condition of whole groups as that of turns: ``i + 3 < n`` and ``i < n - 3`` as ``i < n``."""
    if type(cond).__name__ != "BinaryOp" or cond.op not in LEFT:
        return cond
    left, right = cond.left, cond.right
    slack = str(turns - 1), str(turns)
    counts = type(left).__name__ == "BinaryOp" and left.op == "+" and getattr(left.left, "name", "") == name
    if counts and getattr(left.right, "value", "") in slack:
        return ast.BinaryOp("<", left.left, right, cond.coord)
    if type(right).__name__ == "BinaryOp" and right.op == "-" and getattr(right.right, "value", "") in slack:
        return ast.BinaryOp("<", left, right.left, cond.coord)
    return cond


def match_turns(one: Sequence[Any], other: Sequence[Any], name: str, apart: int) -> bool:
    """Whether statements are those of another turn, in which a counter is larger by a number."""
    scalars: dict[str, str] = {}
    return (
        len(one) == len(other)
        and all(match(a, b, name, apart, scalars) for a, b in zip(one, other, strict=True))
        and len(set(scalars.values())) == len(scalars)
    )


def split_place(node: Any, name: str) -> int | None:
    """What is added to a counter: 0 for ``i``, 2 for ``i + 2`` and ``2 + i``; None for other expressions."""
    node = uncast(node)
    if type(node).__name__ == "ID" and node.name == name:
        return 0
    if type(node).__name__ != "BinaryOp" or node.op != "+":
        return None
    for counter, number in ((node.left, node.right), (node.right, node.left)):
        digits = str(getattr(number, "value", "")).rstrip("uUlL")
        if getattr(uncast(counter), "name", "") == name and digits.isdigit():
            return int(digits)
    return None


def match(one: Any, other: Any, name: str, apart: int, scalars: dict[str, str]) -> bool:
    """Whether a tree is another one with a counter larger by a number; scalars may have names of their own."""
    places = split_place(one, name), split_place(other, name)
    if places[0] is not None:
        return places[1] == places[0] + apart
    if type(one) is not type(other):
        return False
    if type(one).__name__ == "ID":
        return scalars.setdefault(str(one.name), str(other.name)) == str(other.name)
    if type(one).__name__ == "ArrayRef" and type(one.name).__name__ == "ID":
        # An array is the same one in all turns.
        same = getattr(other.name, "name", None) == one.name.name
        return same and match(one.subscript, other.subscript, name, apart, scalars)
    if any(getattr(one, n, None) != getattr(other, n, None) for n in one.attr_names if type(one).__name__ != "Decl"):
        return False
    if type(one).__name__ == "Decl" and scalars.setdefault(str(one.name), str(other.name)) != other.name:
        return False
    parts = [c for _, c in one.children()], [c for _, c in other.children()]
    if type(one).__name__ == "Decl":
        parts = [one.init] if one.init is not None else [], [other.init] if other.init is not None else []
    return len(parts[0]) == len(parts[1]) and all(
        match(a, b, name, apart, scalars) for a, b in zip(*parts, strict=True)
    )
