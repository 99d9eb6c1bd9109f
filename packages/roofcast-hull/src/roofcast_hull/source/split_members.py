"""Arrays of structures that hold arrays, as an array of each member: ``p[i].x[k]`` is element k of row i of ``p.x``."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from roofcast_hull.source.c_declarations import collect_structures, name_structure
from roofcast_hull.source.c_nodes import copy_node
from roofcast_hull.source.c_tree import find_calls, uncast
from roofcast_hull.source.index_names import walk_nodes
from roofcast_hull.source.opened_structures import (
    JOINT,
    count_elements,
    declare_rows,
    find_indices,
    list_declared,
    list_levels,
    rename_type,
)

MOST_FILLED = 256
"""Elements of an array in a structure that may stand as members."""


def split_members(tree: Any, function: Any, members: Sequence[Any], ast: Any) -> tuple[list[Any], dict[str, int]]:
    """Write such arrays so, in place, where nothing else is asked of them.

    members : names that the function is given beside its parameters; they are returned with those of the members, and
    how many numbers each structure has of a member.
    """
    structures, lengths = collect_structures(tree), dict[str, int]()
    added, dropped = list[Any](), set[str]()
    for declared in list_declared(tree, function, members):
        levels = list_levels(getattr(declared, "type", None))
        held = structures.get(name_structure(getattr(levels[-1], "type", None)), ())
        arrays = any(type(m.type).__name__ == "ArrayDecl" for m in held)
        plain = all(is_plain(m.type, structures) for m in held)
        name, depth = str(getattr(declared, "name", "")), len(levels) - 1
        if not name or not depth or len(held) < 2 or not arrays or not plain:
            continue
        if not is_read_by_members(function.body, name, depth):
            continue
        function.body = write_members(function.body, name, depth, ast)
        dropped.add(name)
        for member in held:
            plain_member = copy.copy(declared)
            plain_member.name = f"{name}{JOINT}{member.name}"
            plain_member.init, plain_member.storage = None, []
            plain_member.type = declare_rows(plain_member, levels, member.type).type
            added.append(plain_member)
            lengths[plain_member.name] = count_elements(member.type)
    if dropped and function.decl.type.args is not None:
        arguments = copy.copy(function.decl.type.args)
        arguments.params = [p for p in arguments.params if str(getattr(p, "name", "")) not in dropped]
        function.decl.type.args = arguments
    return [*(m for m in members if str(m.name) not in dropped), *added], lengths


def fill_unused(tree: Any, function: Any, ast: Any) -> None:
    """Write arrays in structures that a function, and what it calls, never asks for as as many plain members, in place.

    ``struct { double x; char name[8]; }`` moves as eight characters beside its number do.
    """
    functions = {str(n.decl.name): n for n in tree.ext if type(n).__name__ == "FuncDef" and n is not function}
    asked, reached, waiting = set[str](), set[str](), [function]
    while waiting:
        body = waiting.pop().body
        asked |= {str(n.field.name) for n in walk_nodes(body) if type(n).__name__ == "StructRef"}
        calls = find_calls(body) & set(functions) - reached
        reached |= calls
        waiting += [functions[name] for name in sorted(calls)]
    outside = [n for item in tree.ext if type(item).__name__ in ("Decl", "Typedef") for n in walk_nodes(item)]
    for structure in (n for n in outside if type(n).__name__ == "Struct" and n.decls):
        held = structure.decls
        # Of a structure of which nothing is asked by name all moves as one.
        if not any(str(m.name) in asked for m in held):
            continue
        filled = list[Any]()
        for member in held:
            many = count_elements(member.type) if type(member.type).__name__ == "ArrayDecl" else 0
            inner = member.type
            while type(inner).__name__ == "ArrayDecl":
                inner = inner.type
            if not 0 < many <= MOST_FILLED or str(member.name) in asked or type(inner).__name__ != "TypeDecl":
                filled.append(member)
                continue
            for k in range(many):
                plain = copy.copy(member)
                plain.name = f"{member.name}_{k}"
                plain.type = rename_type(inner, plain.name)
                filled.append(plain)
        structure.decls = filled


def is_plain(kind: Any, structures: Any) -> bool:
    """Whether a type is of numbers, or of arrays of them."""
    levels = list_levels(kind)
    pointed = any(type(x).__name__ == "PtrDecl" for x in levels)
    return not pointed and name_structure(getattr(levels[-1], "type", None)) not in structures


def find_member(node: Any, name: str, depth: int) -> list[Any] | None:
    """Indices of ``a[i].m`` of an array; None for other expressions."""
    if type(node).__name__ != "StructRef" or node.type != ".":
        return None
    root, indices = find_indices(node.name)
    inside = uncast(node.name)
    return indices if root == name and len(indices) == depth and type(inside).__name__ == "ArrayRef" else None


def is_read_by_members(node: Any, name: str, depth: int) -> bool:
    """Whether all that is asked of an array of structures is members of its elements."""
    indices = find_member(node, name, depth)
    if indices is not None:
        return all(is_read_by_members(i, name, depth) for i in indices)
    if type(node).__name__ == "ID":
        return bool(node.name != name)
    return all(is_read_by_members(child, name, depth) for _, child in node.children())


def write_members(node: Any, name: str, depth: int, ast: Any) -> Any:
    """A tree with members as elements of arrays of their own."""
    indices = find_member(node, name, depth)
    if indices is not None:
        place: Any = ast.ID(f"{name}{JOINT}{node.field.name}", node.coord)
        for index in reversed(indices):
            place = ast.ArrayRef(place, write_members(index, name, depth, ast), node.coord)
        return place
    return copy_node(node, lambda inside: write_members(inside, name, depth, ast), but=())
