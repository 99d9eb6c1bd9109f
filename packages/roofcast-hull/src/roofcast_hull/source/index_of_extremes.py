"""Loops that keep the index of a largest element alone, with that element beside it: ``if (a[k] > a[at]) at = k;``.

The element at the index is the largest one so far: who reads it from memory again asks for no other one.
"""

from __future__ import annotations

import copy
from typing import Any

from roofcast_hull.source.c_nodes import map_nodes
from roofcast_hull.source.c_tree import are_alike, find_assigned, find_names, has_kind, list_items, substitute, uncast
from roofcast_hull.source.index_names import walk_nodes

LARGEST = "largest_at_"
"""How names of such elements begin."""
COMPARED = ("<", "<=", ">", ">=")


def write_extremes(node: Any, ast: Any) -> Any:
    """A statement in which such loops hold the element, too."""
    if type(node).__name__ != "Compound":
        copied = copy.copy(node)
        for part in ("stmt", "iftrue", "iffalse"):
            value = getattr(node, part, None)
            if value is not None:
                setattr(copied, part, write_extremes(value, ast))
        return copied
    items, rest = list[Any](), list_items(node)
    while rest:
        inner = write_extremes(rest.pop(0), ast)
        written = hold_element(inner, ast) if type(inner).__name__ == "For" else None
        items += written or [inner]
        if written is not None:
            rest = take_held(rest, written[0], ast)
    return ast.Compound(items, node.coord)


def take_held(items: list[Any], held: Any, ast: Any) -> list[Any]:
    """Statements after a loop with the element that it holds in place of its place, where that stays what it is."""
    element, place = held.init, ast.ID(str(held.name), held.coord)
    names, whole = find_names(element), ast.Compound(items, held.coord)
    stored = {
        name for n in walk_nodes(whole) if type(n).__name__ == "Assignment" and type(n.lvalue).__name__ != "ID"
        for name in find_names(n.lvalue)
    }  # fmt: skip
    roots = {str(n.name) for n in walk_nodes(element) if type(n).__name__ == "ID"}
    if (find_assigned(whole) & names) or (roots & stored and not roots & stored <= find_indices(element)):
        return items
    return [map_nodes(i, lambda node: place if are_alike(node, element) else node) for i in items]


def find_indices(node: Any) -> set[str]:
    """Names in the indices of an element."""
    return {name for n in walk_nodes(node) if type(n).__name__ == "ArrayRef" for name in find_names(n.subscript)}


def hold_element(loop: Any, ast: Any) -> list[Any] | None:
    """A declaration of the element before a loop, and the loop; None for other loops."""
    items = list_items(loop.stmt)
    for k, item in enumerate(items):
        choice = read_choice(item, ast)
        element = None if choice is None else find_element(*choice, loop)
        if choice is None or element is None:
            continue
        cond, name, index = choice
        held = ast.ID(f"{LARGEST}{name}", loop.coord)
        kind = ast.TypeDecl(held.name, [], None, ast.IdentifierType(["double"]))
        first = substitute(element, {str(index.name): ast.ID(name, loop.coord)})
        declared = ast.Decl(held.name, [], [], [], [], kind, first, None, loop.coord)
        sides = [s if are_alike(uncast(s), element) else held for s in (cond.left, cond.right)]
        name_place = ast.ID(name, item.coord)
        stores = [ast.Assignment("=", *pair, item.coord) for pair in ((held, element), (name_place, index))]
        taken = ast.Compound(stores, item.coord)
        guarded = ast.If(ast.BinaryOp(cond.op, *sides, item.coord), taken, None, item.coord)
        copied = copy.copy(loop)
        copied.stmt = ast.Compound([*items[:k], guarded, *items[k + 1 :]], loop.coord)
        return [declared, copied]
    return None


def read_choice(node: Any, ast: Any) -> tuple[Any, str, Any] | None:
    """(condition, name, index) of ``if (c) at = k;`` and ``at = c ? k : at;``; None for other statements."""
    if type(node).__name__ == "If" and node.iffalse is None and len(items := list_items(node.iftrue)) == 1:
        cond, inner = uncast(node.cond), items[0]
        if type(inner).__name__ == "Assignment" and inner.op == "=":
            return name_choice(cond, inner.lvalue, uncast(inner.rvalue))
    value = uncast(node.rvalue) if type(node).__name__ == "Assignment" and node.op == "=" else None
    if type(value).__name__ != "TernaryOp" or value is None:
        return None
    cond = uncast(value.cond)
    if are_alike(uncast(value.iffalse), node.lvalue):
        return name_choice(cond, node.lvalue, uncast(value.iftrue))
    opposite = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}.get(getattr(cond, "op", ""))
    if opposite and are_alike(uncast(value.iftrue), node.lvalue):
        return name_choice(
            ast.BinaryOp(opposite, cond.left, cond.right, cond.coord), node.lvalue, uncast(value.iffalse)
        )
    return None


def name_choice(cond: Any, place: Any, index: Any) -> tuple[Any, str, Any] | None:
    """The same of its parts, where one name is given another one's value."""
    plain = type(place).__name__ == type(index).__name__ == "ID" and type(cond).__name__ == "BinaryOp"
    return (cond, str(place.name), index) if plain and cond.op in COMPARED else None


def find_element(cond: Any, name: str, index: Any, loop: Any) -> Any | None:
    """The element at the index that a condition compares with the one at the name; None for other conditions.

    Nothing of it changes in the loop but these.
    """
    sides = uncast(cond.left), uncast(cond.right)
    for element, other in (sides, sides[::-1]):
        if name in find_names(element) or str(index.name) not in find_names(element):
            continue
        if not has_kind(element, "ArrayRef") or has_kind(element, "FuncCall", "Assignment"):
            continue
        renamed = substitute(element, {str(index.name): type(index)(name, index.coord)})
        changed = find_assigned(loop.stmt) - {name}
        names = find_names(element) - {str(index.name)}
        if are_alike(renamed, other) and not names & changed and counts_writes(loop.stmt, name) == 1:
            return element
    return None


def counts_writes(node: Any, name: str) -> int:
    """How often a statement gives a name a value."""
    return sum(
        type(n).__name__ == "Assignment" and getattr(n.lvalue, "name", None) == name and type(n.lvalue).__name__ == "ID"
        for n in walk_nodes(node)
    )  # fmt: skip
