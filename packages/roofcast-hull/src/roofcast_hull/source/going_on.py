"""Loops without a start of their own, and loops by fours with the turns that are left behind them, as plain loops.

``for (; i + 3 < n; i += 4) { f(i); f(i + 1); f(i + 2); f(i + 3); } for (; i < n; ++i) f(i);`` does what one loop does.
"""

from __future__ import annotations

from typing import Any

from roofcast_hull.source.c_idioms import list_items
from roofcast_hull.source.c_statements import read_step
from roofcast_hull.source.c_tree import copy_node, find_names, find_terms, substitute, uncast

WIDEST = 16
"""Turns of a loop that code writes out in one of another."""


def write_starts(node: Any, ast: Any) -> Any:
    """A copy of a body with such loops in plain form."""
    copied = copy_node(node, lambda inside: write_starts(inside, ast))
    if type(node).__name__ == "Compound" and any(type(i).__name__ == "For" for i in copied.block_items or ()):
        copied.block_items = follow(copied.block_items, ast)
    return copied


def follow(items: list[Any], ast: Any) -> list[Any]:
    """Statements of a block, its loops with their starts and without those that take the turns that others left."""
    held: dict[str, Any] = {}
    """Names and what they hold: expressions of names that stay as they are."""
    out: list[Any] = []
    for item in items:
        if out and (whole := join_turns(out[-1], item, ast)) is not None:
            out[-1] = whole
            continue
        step = read_step(item.next, ast) if type(item).__name__ == "For" and item.next is not None else None
        if step and item.init is None and step[0] in held:
            item.init = ast.Assignment("=", ast.ID(step[0], item.coord), held[step[0]], item.coord)
        written = find_written(item)
        begun = read_begun(item)
        held = {n: v for n, v in held.items() if not ({n} | find_names(v)) & written}
        if begun is not None and not find_names(begun[1]) & written:
            held[begun[0]] = begun[1]
        out.append(item)
    return out


def join_turns(wide: Any, rest: Any, ast: Any) -> Any | None:
    """Two loops as one where the second does one at a time what the first does by twos or more; None for others."""
    kinds = type(wide).__name__, type(rest).__name__
    if kinds not in (("For", "For"), ("For", "If")) or wide.next is None or wide.init is None:
        return None
    step = read_step(wide.next, ast)
    width = str(getattr(step[1], "value", "")) if step else ""
    if not step or not width.isdecimal() or not 1 < int(width) <= WIDEST:
        return None
    name, condition = step[0], rest.cond
    if kinds[1] == "For":
        single = read_step(rest.next, ast) if rest.next is not None else None
        fits = rest.init is None and single is not None and single[0] == name and single[1].value == "1"
        body = rest.stmt
    else:
        fits, body = width == "2" and rest.iffalse is None, rest.iftrue
    is_below = type(condition).__name__ == "BinaryOp" and condition.op == "<"
    if not fits or not is_below or str(getattr(uncast(condition.left), "name", "")) != name:
        return None
    if name in find_names(condition.right) or not repeats(wide.stmt, body, name, int(width), ast):
        return None
    return ast.For(wide.init, condition, ast.UnaryOp("p++", ast.ID(name, wide.coord), wide.coord), body, wide.coord)


def repeats(wide: Any, body: Any, name: str, times: int, ast: Any) -> bool:
    """Whether a body is another one for a counter and those after it."""
    once, several = list_items(body), list_items(wide)
    if len(several) == times != len(once) * times and len(once) != 1:
        once = [body]  # Each turn in braces of its own.
    if len(several) != len(once) * times or name in set().union(*map(find_written, once)):
        return False
    for turn in range(times):
        later = ast.BinaryOp("+", ast.ID(name, None), ast.Constant("int", str(turn), None), None)
        meaning = {name: later} if turn else {}
        mine = several[turn * len(once) : (turn + 1) * len(once)]
        if any(spell(substitute(a, meaning)) != spell(b) for a, b in zip(once, mine, strict=True)):
            return False
    return True


def spell(node: Any) -> tuple[Any, ...]:
    """A statement as a tuple that is the same for sums and products in another order."""
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
    if kind == "Compound" and len(node.block_items or ()) == 1:
        return spell(node.block_items[0])
    return (kind, *(getattr(node, n, None) for n in node.attr_names), *(spell(child) for _, child in node.children()))


def read_begun(node: Any) -> tuple[str, Any] | None:
    """The name that a statement gives a value, and the value; None for other statements."""
    if type(node).__name__ == "Decl" and node.init is not None and type(node.type).__name__ == "TypeDecl":
        return str(node.name), node.init
    plain = type(node).__name__ == "Assignment" and node.op == "=" and type(node.lvalue).__name__ == "ID"
    return (str(node.lvalue.name), node.rvalue) if plain else None


def find_written(node: Any) -> set[str]:
    """Names that a statement may give another value, those of its loops and of addresses that it takes too."""
    kind = type(node).__name__
    names = set[str]()
    if kind == "Assignment":
        names = {str(getattr(node.lvalue, "name", ""))}
    elif kind == "UnaryOp" and node.op in ("++", "p++", "--", "p--", "&"):
        names = {str(getattr(node.expr, "name", ""))}
    elif kind == "Decl":
        names = {str(node.name)}
    return names.union(*(find_written(child) for _, child in node.children()))
