"""Lengths of arrays of C that code asks for by bytes: ``sizeof a / sizeof *a`` as the number that it is."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from roofcast_hull.source.c_nodes import map_nodes
from roofcast_hull.source.index_names import walk_nodes

COMPARED = frozenset(["<", "<=", ">", ">=", "==", "!=", "+", "-"])
"""Operations of which one side may be the bytes of an array."""
BYTE = frozenset(["char", "bool", "_Bool", "int8_t", "uint8_t"])
"""Types of one byte, without signs."""
Lengths = Mapping[str, tuple[list[Any], str] | None]
"""Of arrays: what says their dimensions, and the type of an element; None where that is open."""


def write_lengths(tree: Any, ast: Any) -> Any:
    """A file with numbers in place of the lengths that it asks for by ``sizeof``; in place."""
    outside = read_lengths([n for n in tree.ext if type(n).__name__ == "Decl"])
    for at, item in enumerate(tree.ext):
        if not any(type(n).__name__ == "UnaryOp" and n.op == "sizeof" for n in walk_nodes(item)):
            continue
        if type(item).__name__ == "Decl":
            tree.ext[at] = write_numbers(item, outside, ast)
        elif type(item).__name__ == "FuncDef":
            parameters = getattr(item.decl.type.args, "params", None) or ()
            # What a parameter that is written as an array holds is an address.
            given = dict.fromkeys(str(p.name) for p in parameters if getattr(p, "name", None))
            inside = read_lengths([n for n in walk_nodes(item.body) if type(n).__name__ == "Decl"])
            item.body = write_numbers(item.body, {**outside, **given, **inside}, ast)
    return tree


def read_lengths(declared: list[Any]) -> Lengths:
    """Dimensions and types of what is declared; None for names that are no arrays, or several things."""
    lengths: dict[str, tuple[list[Any], str] | None] = {}
    for node in declared:
        dimensions, kind = [], node.type
        while type(kind).__name__ == "ArrayDecl":
            dimensions.append(kind.dim)
            kind = kind.type
        if dimensions and dimensions[0] is None:
            dimensions[0] = count_items(node.init)
        known = bool(dimensions) and None not in dimensions and node.name not in lengths
        lengths[str(node.name)] = (dimensions, spell_type(kind)) if known else None
    return lengths


def count_items(node: Any) -> int | None:
    """Elements of a list in braces; None where it names places."""
    if type(node).__name__ != "InitList" or any(type(e).__name__ == "NamedInitializer" for e in node.exprs):
        return None
    return len(node.exprs)


def spell_type(kind: Any) -> str:
    """A type of elements in words; '' for others."""
    inside = getattr(kind, "type", None)
    if type(kind).__name__ != "TypeDecl":
        return ""
    names = getattr(inside, "names", None)
    return " ".join(sorted(names)) if names else f"{type(inside).__name__} {getattr(inside, 'name', '')}"


def write_numbers(node: Any, lengths: Lengths, ast: Any) -> Any:
    """Code with lengths as numbers."""

    def count(dimensions: list[Any], coord: Any) -> Any:
        product: Any = None
        for size in dimensions:
            factor = ast.Constant("int", str(size), coord) if isinstance(size, int) else copy.deepcopy(size)
            product = factor if product is None else ast.BinaryOp("*", product, factor, coord)
        return product or ast.Constant("int", "1", coord)

    def count_bytes(side: Any) -> Any:
        name, depth, _ = read_sized(side)
        dimensions, kind = lengths.get(name) or ([], "")
        is_bytes = bool(set(kind.split()) & BYTE) and depth < len(dimensions)
        return count(dimensions[depth:], side.coord) if is_bytes else side

    def change(inside: Any) -> Any:
        if type(inside).__name__ != "BinaryOp":
            return inside
        if inside.op in COMPARED:
            inside.left, inside.right = count_bytes(inside.left), count_bytes(inside.right)
        (name, depth, _), (element, below, kind) = read_sized(inside.left), read_sized(inside.right)
        known = lengths.get(name) if inside.op == "/" else None
        if known is None:
            return inside
        dimensions, of_element = known
        if kind and kind == of_element:
            below = len(dimensions)
        elif element != name:
            return inside
        return count(dimensions[depth:below], inside.coord) if depth <= below <= len(dimensions) else inside

    return map_nodes(node, change)


def read_sized(node: Any) -> tuple[str, int, str]:
    """What ``sizeof`` asks for: an array, how many indices it has there, or a type in words; all empty for others."""
    while type(node).__name__ == "Cast":
        node = node.expr
    if type(node).__name__ != "UnaryOp" or node.op != "sizeof":
        return "", 0, ""
    asked, depth = node.expr, 0
    if type(asked).__name__ == "Typename":
        return "", 0, spell_type(asked.type)
    while type(asked).__name__ == "ArrayRef" or (type(asked).__name__ == "UnaryOp" and asked.op == "*"):
        asked, depth = asked.name if type(asked).__name__ == "ArrayRef" else asked.expr, depth + 1
    return (str(asked.name), depth, "") if type(asked).__name__ == "ID" else ("", 0, "")
