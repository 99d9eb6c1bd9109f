"""Loops that were unrolled by hand, as the loops that they were: bodies of several alike turns, and their rest."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from roofcast_hull.source.c_nodes import map_nodes
from roofcast_hull.source.c_statements import read_step
from roofcast_hull.source.c_tree import are_alike, called, find_terms, list_items, substitute, uncast

MOST_UNROLLED = 32
"""Turns that a body may hold."""
LEFT = ("<", "<=")
EXTREMES = ("fmax", "fmin", "fmaxf", "fminf", "max", "min")


def roll_up(node: Any, ast: Any) -> Any:
    """A copy of a body in which loops over groups of turns, and over what is left, are one loop over turns.

    ``for (; i + 1 < n; i += 2) { f(i); f(i + 1); } for (; i < n; i++) f(i);`` is ``for (; i < n; i++) f(i);``. Sums in
    several scalars, ``s0 += x[i]; s1 += x[i + 1];``, that all go into one value later are sums in the first; the others
    stay as they begin.
    """
    return map_nodes(node, lambda i: roll_block(i, node, ast) if type(i).__name__ == "Compound" else i)


def roll_block(node: Any, whole: Any, ast: Any) -> Any:
    """The same of one block of a body."""
    out: list[Any] = []
    last: Any = None
    for item in list_items(node):
        rolled = roll(item, whole, ast) if type(item).__name__ == "For" else None
        if rolled is not None:
            if out and begins_where(rolled, before := unguard(out[-1]), ast):
                # The turns before whole groups begin, as many as the remainder.
                rolled.init = before.init
                out.pop()
            elif rolled.init is None and out and (start := read_first(out[-1], rolled, ast)) is not None:
                rolled.init = start
            out.append(last := rolled)
        elif last is None or out[-1] is not last or not is_rest(item, last, ast):
            out.append(item)
    return ast.Compound(out, node.coord) if last is not None else node


def unguard(node: Any) -> Any:
    """The loop in ``if (m != 0) for (i = 0; i < m; i++)``, which runs as often without; others as they are."""
    inside = list_items(node.iftrue) if type(node).__name__ == "If" and node.iffalse is None else []
    loop: Any = inside[0] if len(inside) == 1 else None
    bounded = type(loop).__name__ == "For" and type(loop.cond).__name__ == "BinaryOp" and loop.cond.op == "<"
    asked = type(getattr(node, "cond", None)).__name__ == "BinaryOp" and node.cond.op in ("!=", ">")
    if not bounded or not asked or str(getattr(node.cond.right, "value", "")) != "0":
        return node
    return loop if are_alike(node.cond.left, loop.cond.right) else node


def is_rest(node: Any, before: Any, ast: Any) -> bool:
    """Whether code does the turns that whole groups have left, ``for (; i < n; i++)``; of pairs, ``if (i < n)``."""
    rolled = read_counter(before, ast)
    if rolled is None:
        return False
    if type(node).__name__ == "If":
        is_below = type(node.cond).__name__ == "BinaryOp" and node.cond.op in LEFT and node.iffalse is None
        if not is_below or getattr(uncast(node.cond.left), "name", "") != rolled[0]:
            return False
        return match_turns(list_items(before.stmt), list_items(node.iftrue), Turn(rolled[0], 0, ast)) is not None
    if read_counter(node, ast) != rolled or node.init is not None:
        return False
    return match_turns(list_items(before.stmt), list_items(node.stmt), Turn(rolled[0], 0, ast)) is not None


def begins_where(node: Any, before: Any, ast: Any) -> bool:
    """Whether a loop goes on where one with the same turns ends: ``for (i = 0; i < m; i++)``, ``for (i = m; ...)``."""
    counted, first = read_counter(node, ast), read_counter(before, ast)
    if counted is None or first is None or counted != first or type(before.cond).__name__ != "BinaryOp":
        return False
    start = read_start(node.init)
    ends = before.cond.op == "<" and start is not None and are_alike(start, before.cond.right)
    return ends and match_turns(list_items(before.stmt), list_items(node.stmt), Turn(counted[0], 0, ast)) is not None


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


def roll(node: Any, whole: Any, ast: Any) -> Any | None:
    """A loop whose body holds as many alike turns as its step, with one of them; None for others."""
    counted = read_counter(node, ast)
    if counted is None or not 2 <= counted[1] <= MOST_UNROLLED:
        return None
    name, turns = counted
    items = [part for item in list_items(node.stmt) for part in part_sum(item, turns, ast)]
    if len(items) % turns or not items:
        return None
    size = len(items) // turns
    for groups in ([items[k * size : (k + 1) * size] for k in range(turns)], [items[k::turns] for k in range(turns)]):
        turned = [match_turns(groups[0], groups[k], Turn(name, k, ast)) for k in range(1, turns)]
        if all(scalars is not None and are_one_sum(whole, node, scalars.items()) for scalars in turned):
            loop = copy.copy(node)
            loop.cond = widen(node.cond, name, turns, ast)
            loop.next = ast.UnaryOp("p++", ast.ID(name, node.coord), node.coord)
            loop.stmt = ast.Compound(list(groups[0]), node.coord)
            return loop
    return None


def part_sum(node: Any, turns: int, ast: Any) -> list[Any]:
    """``s += f(i) + f(i + 1)``, the terms of as many turns in one statement, as a statement for each of them."""
    if type(node).__name__ != "Assignment" or node.op not in ("=", "+="):
        return [node]
    terms = find_terms(node.rvalue, ("+",), True)
    if node.op == "=":
        # s = s + f(i) + f(i + 1)
        if not are_alike(terms[0][0], node.lvalue):
            return [node]
        terms = terms[1:]
    if len(terms) < turns or len(terms) % turns:
        return [node]
    size, parts = len(terms) // turns, []
    for k in range(turns):
        mine = [term for term, _ in terms[k * size : (k + 1) * size]]
        value = reduce(
            lambda a, b: ast.BinaryOp("+", a, b, node.coord), [node.lvalue, *mine] if node.op == "=" else mine
        )
        parts.append(ast.Assignment(node.op, node.lvalue, value, node.coord))
    return parts


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


# ---- whether turns are alike ----


@dataclass(frozen=True)
class Turn:
    """A turn of a loop beside its first one."""

    name: str
    """Counter of the loop."""
    apart: int
    """How much larger it is in this turn."""
    ast: Any


def match_turns(one: Sequence[Any], other: Sequence[Any], turn: Turn) -> dict[str, str] | None:
    """Scalars of statements, and what another turn has in their place, where they differ; None for other statements."""
    scalars: dict[str, str] = {}
    alike = len(one) == len(other) and all(match(a, b, turn, scalars) for a, b in zip(one, other, strict=True))
    if not alike or len(set(scalars.values())) < len(scalars):
        return None
    inside, beside = ({str(n.name) for n in turn_items if type(n).__name__ == "Decl"} for turn_items in (one, other))
    if set(scalars) & beside - inside:
        # A turn that asks for what another one has is no turn by itself.
        return None
    return {a: b for a, b in scalars.items() if a != b and a not in inside}


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


def match(one: Any, other: Any, turn: Turn, scalars: dict[str, str]) -> bool:
    """Whether a tree is another one with a counter larger by a number; scalars may have names of their own."""
    places = split_place(one, turn.name), split_place(other, turn.name)
    if places[0] is not None:
        return places[1] == places[0] + turn.apart
    kind = type(one).__name__
    bare = [items[0] if len(items := list_items(n)) == 1 else n for n in (one, other)]
    if bare[0] is not one or bare[1] is not other:
        return match(bare[0], bare[1], turn, scalars)
    tried = dict(scalars)
    if match_parts(one, other, turn, tried):
        scalars.update(tried)
        return True
    if kind != "BinaryOp":
        return False
    later = turn.ast.BinaryOp("+", turn.ast.ID(turn.name), turn.ast.Constant("int", str(turn.apart)))
    return spell(substitute(one, {turn.name: later} if turn.apart else {})) == spell(other)


def match_parts(one: Any, other: Any, turn: Turn, scalars: dict[str, str]) -> bool:
    """The same part by part."""
    if type(one) is not type(other):
        return False
    kind = type(one).__name__
    if kind == "ID":
        return scalars.setdefault(str(one.name), str(other.name)) == str(other.name)
    if kind == "ArrayRef" and type(one.name).__name__ == "ID":
        # An array is the same one in all turns.
        same = getattr(other.name, "name", None) == one.name.name
        return same and match(one.subscript, other.subscript, turn, scalars)
    if any(getattr(one, n, None) != getattr(other, n, None) for n in one.attr_names if kind != "Decl"):
        return False
    if kind == "Decl" and scalars.setdefault(str(one.name), str(other.name)) != other.name:
        return False
    parts = [c for _, c in one.children()], [c for _, c in other.children()]
    if kind == "Decl":
        parts = [one.init] if one.init is not None else [], [other.init] if other.init is not None else []
    return len(parts[0]) == len(parts[1]) and all(match(a, b, turn, scalars) for a, b in zip(*parts, strict=True))


def spell(node: Any) -> tuple[Any, ...]:
    """An expression as a tuple that is the same for sums and products in another order."""
    node = uncast(node)
    kind = type(node).__name__
    if kind == "BinaryOp" and node.op in ("+", "-"):
        constant, terms = 0, []
        for term, plus in find_terms(node, ("+", "-"), True):
            value = str(getattr(uncast(term), "value", ""))
            if value.isdecimal():
                constant += int(value) if plus else -int(value)
            else:
                terms.append((plus, spell(term)))
        return ("sum", constant, *sorted(terms, key=repr))
    if kind == "BinaryOp" and node.op == "*":
        return ("product", *sorted((spell(t) for t, _ in find_terms(node, ("*",), True)), key=repr))
    return (kind, *(getattr(node, n, None) for n in node.attr_names), *(spell(child) for _, child in node.children()))


# ---- whether scalars of turns go into one value ----


def are_one_sum(whole: Any, loop: Any, pairs: Iterable[tuple[str, str]]) -> bool:
    """Whether scalars that turns of a loop have of their own are read only where they all go into one value."""
    return all(Joining({a: {a}, b: {b}}, {a, b}, loop.coord).follow(whole) for a, b in pairs)


@dataclass
class Joining:
    """Walks a body in its order: which of some scalars each name holds."""

    held: dict[str, set[str]]
    every: set[str]
    """The scalars."""
    coord: Any
    """Place of the loop that computes them."""

    def follow(self, node: Any) -> bool:
        """Whether a statement, and those inside, read none of the scalars without the others."""
        kind = type(node).__name__
        if kind == "For" and node.coord is self.coord:
            return True
        if kind == "Decl":
            return node.init is None or self.give(str(node.name), "=", node.init)
        if kind == "Assignment":
            plain = type(node.lvalue).__name__ == "ID"
            return self.give(str(node.lvalue.name) if plain else "", node.op, node.rvalue)
        if kind in ("Compound", "For", "If", "While", "DoWhile", "Switch", "Case", "Default", "DeclList", "ExprList"):
            return all(self.follow(child) for _, child in node.children())
        return self.reads(node)

    def give(self, name: str, op: str, value: Any) -> bool:
        """The same of what gives a name a value; '' for elements of arrays."""
        terms = [str(getattr(t, "name", "")) for t in list_joined(value)]
        if not name or any(t not in self.held for t in terms):
            return self.reads(value)
        before = set() if op == "=" else self.held.get(name, set())
        self.held[name] = before.union(*(self.held[t] for t in terms))
        return True

    def reads(self, node: Any) -> bool:
        """Whether an expression reads none of the scalars without the others."""
        terms = list_joined(node)
        names = [t.name for t in terms if type(t).__name__ == "ID" and t.name in self.held]
        if names and not self.every <= set().union(*(self.held[n] for n in names)):
            return False
        inside = [t for t in terms if type(t).__name__ != "ID"]
        parts = [c for _, c in node.children()] if inside == [node] else inside
        return all(self.reads(p) for p in parts)


def list_joined(node: Any) -> list[Any]:
    """Terms of a sum or product, or of what the largest or smallest is of; another expression itself."""
    node = uncast(node)
    if type(node).__name__ == "BinaryOp" and node.op in ("+", "*"):
        return [uncast(t) for t, _ in find_terms(node, (node.op,), True)]
    if called(node) in EXTREMES and node.args:
        of_same = [list_joined(a) if called(uncast(a)) == called(node) else [uncast(a)] for a in node.args.exprs]
        return [t for terms in of_same for t in terms]
    return [node]
