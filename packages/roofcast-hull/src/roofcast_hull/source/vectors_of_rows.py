"""Vectors of vectors of the C++ library whose rows are equally long, as arrays of rows: ``v[i][j]`` is one element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from roofcast_hull.source.c_declarations import collect_structures, name_structure
from roofcast_hull.source.c_nodes import map_nodes
from roofcast_hull.source.c_tree import uncast
from roofcast_hull.source.host_scope import HELD, LENGTH
from roofcast_hull.source.opened_structures import (
    JOINT,
    declare_rows,
    list_declared,
    list_levels,
    write_declarations,
)

ROWS = "row_n_"
"""The member of a vector of vectors, as :mod:`roofcast_hull.spelled` declares it, that says how long its rows are."""
PLACE, COUNT = HELD[1:], LENGTH[1:]


def open_vectors(
    tree: Any, function: Any, members: Sequence[Any], known: Mapping[str, int], ast: Any
) -> tuple[list[Any], dict[str, int]]:  # fmt: skip
    """Write vectors of vectors as arrays of rows, in place, where it is known how long rows are.

    members : names that the function is given beside its parameters; they are returned with their types, and how many
    numbers each element of what they led to is. known : whole numbers, ``v.row_n_`` among them.
    """
    structures = collect_structures(tree)
    changed, lengths = dict[str, Any](), dict[str, int]()
    for declared in list_declared(tree, function, members):
        levels = list_levels(getattr(declared, "type", None))
        if len(levels) < 2 or not getattr(declared, "name", None):
            continue
        long, element = find_rows(str(declared.name), levels[-1], structures, known)
        if long:
            row = ast.ArrayDecl(element, ast.Constant("int", str(long), declared.coord), [], declared.coord)
            changed[declared.name], lengths[declared.name] = declare_rows(declared, levels, row), long
    if not changed:
        return list(members), {}
    before = {n: len(list_levels(d.type)) - 2 for n, d in changed.items()}
    function.body = write_rows(function.body, before, lengths, ast)
    return write_declarations(tree, function, members, changed), lengths


def find_rows(name: str, kind: Any, structures: Mapping[str, Any], known: Mapping[str, int]) -> tuple[int, Any]:
    """How long the rows are that the elements of an array are, and what they hold; 0 where that is not known.

    kind : the type of an element. Vectors of vectors of vectors do not say how long the innermost are.
    """
    element = find_held(kind, structures)
    if element is None or find_held(element, structures) is not None:
        return 0, kind
    whole = name.removesuffix(f"{JOINT}{PLACE}")
    if whole != name and (length := known.get(f"{whole}{JOINT}{ROWS}")):
        return length, element
    # Of an array of vectors those say their lengths that the file knows.
    several = {v for n, v in known.items() if n.startswith(f"{name}[") and n.endswith(f"]{JOINT}{COUNT}")}
    return several.pop() if len(several) == 1 else 0, element


def find_held(kind: Any, structures: Mapping[str, Any]) -> Any | None:
    """The type of the elements of a vector; None for other types."""
    members = {str(m.name): m.type for m in structures.get(name_structure(getattr(kind, "type", None)), ())}
    pointer: Any = members.get(PLACE) if COUNT in members and type(kind).__name__ == "TypeDecl" else None
    return pointer.type if type(pointer).__name__ == "PtrDecl" else None


def write_rows(node: Any, before: Mapping[str, int], lengths: Mapping[str, int], ast: Any) -> Any:
    """A tree with ``v[i].data_[j]`` as ``v[i][j]``, and lengths of rows as numbers.

    before : indices that lead to a row, of each array. lengths : of its rows.
    """

    def change(inside: Any) -> Any:
        if type(inside).__name__ != "StructRef":
            return inside
        node, depth = uncast(inside.name), 0
        while type(node).__name__ == "ArrayRef":
            node, depth = uncast(node.name), depth + 1
        name = str(getattr(node, "name", "")) if type(node).__name__ == "ID" else ""
        if depth != before.get(name, depth + 1):
            return inside
        if str(inside.field.name) == PLACE:
            return uncast(inside.name)
        counts = str(inside.field.name) == COUNT
        return ast.Constant("int", str(lengths[name]), inside.coord) if counts else inside

    return map_nodes(node, change)
