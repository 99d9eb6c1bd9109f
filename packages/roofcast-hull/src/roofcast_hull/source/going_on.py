"""Loops without a start of their own, ``int i = 0; for (; i < n; i++)``, as loops with one."""

from __future__ import annotations

from typing import Any

from roofcast_hull.source.c_nodes import copy_node
from roofcast_hull.source.c_statements import read_step
from roofcast_hull.source.c_tree import find_names
from roofcast_hull.source.plain_trees import read_begun


def write_starts(node: Any, ast: Any) -> Any:
    """A copy of a body with such loops in plain form."""
    copied = copy_node(node, lambda inside: write_starts(inside, ast))
    if type(node).__name__ == "Compound" and any(type(i).__name__ == "For" for i in copied.block_items or ()):
        copied.block_items = follow(copied.block_items, ast)
    return copied


def follow(items: list[Any], ast: Any) -> list[Any]:
    """Statements of a block, its loops with their starts."""
    held: dict[str, Any] = {}
    """Names and what they hold: expressions of names that stay as they are."""
    out: list[Any] = []
    for item in items:
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
