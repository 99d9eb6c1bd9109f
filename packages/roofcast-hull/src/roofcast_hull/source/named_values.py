"""Conditions that have a name, ``bool inside = x < w && y < h; if (inside)``, where they are asked; values that have a
name on their way into an array, ``float v = x[i]; s[t] = v;``, where they go.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from roofcast_hull.source.c_nodes import copy_node
from roofcast_hull.source.c_tree import find_assigned, find_names, substitute, uncast

COMPARING = ("<", ">", "<=", ">=", "==", "!=", "&&", "||")
ASKING = ("If", "TernaryOp", "While", "For")


def write_values(node: Any, ast: Any) -> Any:
    """A copy of a body without bare braces, with conditions in place of names that are declared as such and only
    asked, and with values in place of names that the next statement alone stores.

    What a condition compares must be the same where it is asked; one that reads elements or calls a function is put
    in place where one statement alone asks it.
    """
    copied = copy_node(node, lambda inside: write_values(inside, ast))
    if type(node).__name__ == "Compound" and copied.block_items:
        copied.block_items = list(put_in_place(open_braces(copied.block_items), ast))
    return copied


def open_braces(items: list[Any]) -> list[Any]:
    """Statements of a block with those inside of bare braces, ``{ s[t] = x; }``, where no name would be another's."""
    out: list[Any] = []
    for at, item in enumerate(items):
        inside = list(item.block_items or ()) if type(item).__name__ == "Compound" else []
        declared = {str(s.name) for s in inside if type(s).__name__ == "Decl"}
        others = [*items[:at], *items[at + 1 :]] if declared else []
        if not inside or any(declared & (find_names(s) | set(find_declared(s))) for s in others):
            out.append(item)
        else:
            out += inside
    return out


def put_in_place(items: list[Any], ast: Any) -> Iterator[Any]:
    """Statements of a block, with each such name replaced in those behind its declaration."""
    rest = list(items)
    while rest:
        item, *rest = rest
        if rest and is_stored(item, rest):
            rest[0] = copy.copy(rest[0])
            rest[0].rvalue = item.init
            continue
        if type(item).__name__ != "Decl" or not is_condition(item.init):
            yield item
            continue
        whole = ast.Compound(rest, item.coord)
        name, condition = str(item.name), item.init
        asked, used = count_asked(whole, name, False)
        changed = find_assigned(whole) | set(find_declared(whole))
        once = has_work(condition)
        if not used or asked != used or (once and used > 1) or changed & (find_names(condition) | {name}):
            yield item
            continue
        rest = list(substitute(whole, {name: condition}).block_items or ())


def is_stored(item: Any, rest: list[Any]) -> bool:
    """Whether a statement declares a number that the next one stores, and that nothing else uses."""
    plain = type(item).__name__ == "Decl" and type(item.type).__name__ == "TypeDecl" and item.init is not None
    if not plain or type(item.init).__name__ == "InitList" or type(rest[0]).__name__ != "Assignment":
        return False
    stored, name = uncast(rest[0].rvalue), str(item.name)
    return str(getattr(stored, "name", "")) == name and sum(count_asked(s, name, False)[1] for s in rest) == 1


def is_condition(node: Any) -> bool:
    """Whether a value is a comparison, or made of some."""
    node = uncast(node)
    kind = type(node).__name__
    return (kind == "BinaryOp" and node.op in COMPARING) or (kind == "UnaryOp" and node.op == "!")


def has_work(node: Any) -> bool:
    """Whether an expression reads elements, calls a function or has numbers with a point."""
    kind = type(node).__name__
    if kind in ("ArrayRef", "FuncCall") or (kind == "UnaryOp" and node.op == "*"):
        return True
    return (kind == "Constant" and "int" not in str(node.type)) or any(has_work(c) for _, c in node.children())


def count_asked(node: Any, name: str, asks: bool) -> tuple[int, int]:
    """How often conditions ask a name, and how often it is used at all. asks : whether the node is in a condition."""
    kind = type(node).__name__
    if kind == "ID":
        mine = str(node.name) == name
        return mine and asks, int(mine)
    asked = used = 0
    for part, child in node.children():
        inside = (part == "cond" and kind in ASKING) or (
            asks and ((kind == "BinaryOp" and node.op in ("&&", "||")) or (kind == "UnaryOp" and node.op == "!"))
        )
        a, u = count_asked(child, name, inside)
        asked, used = asked + a, used + u
    return asked, used


def find_declared(node: Any) -> Iterator[str]:
    """Names that a statement declares."""
    if type(node).__name__ == "Decl":
        yield str(node.name)
    for _, child in node.children():
        yield from find_declared(child)
