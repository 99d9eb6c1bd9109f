"""Structures that a function is given, as their members: ``s->x[i]`` is an element of the array ``s.x``."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from roofcast_hull.source.c_declarations import collect_structures, name_structure
from roofcast_hull.source.c_nodes import map_nodes
from roofcast_hull.source.c_tree import uncast
from roofcast_hull.source.index_names import walk_nodes
from roofcast_hull.source.numbers_of_loops import evaluate

JOINT = "\u00b7"
"""Joins names of members to those of structures while nests are followed: a dot would be a member of an element."""
DEEPEST = 4
"""Structures inside of each other."""


def write_dimensions(tree: Any, known: Mapping[str, int], ast: Any) -> None:
    """Write lengths of arrays in structures as numbers, in place: ``float f[QK]``, where the file says what QK is."""
    numbers = dict(known)
    for item in tree.ext:
        for node in walk_nodes(item) if type(item).__name__ in ("Decl", "Typedef") else ():
            if type(node).__name__ == "EnumeratorList":
                numbers = {**count_enumerators(node, numbers), **numbers}
        constant = type(item).__name__ == "Decl" and "const" in (item.quals or ()) and item.init is not None
        if constant and (value := evaluate(item.init, numbers)) is not None:
            numbers.setdefault(str(item.name), value)
    for members in collect_structures(tree).values():
        for member in members:
            kind = member.type
            while type(kind).__name__ in ("ArrayDecl", "PtrDecl"):
                length = evaluate(kind.dim, numbers) if type(kind).__name__ == "ArrayDecl" else None
                if length is not None and type(kind.dim).__name__ != "Constant":
                    kind.dim = ast.Constant("int", str(length), member.coord)
                kind = kind.type


def count_enumerators(node: Any, known: Mapping[str, int]) -> dict[str, int]:
    """Numbers of an enumeration, up to one that is not known."""
    numbers, value = dict[str, int](), -1
    for entry in node.enumerators:
        stated = evaluate(entry.value, {**known, **numbers}) if entry.value is not None else value + 1
        if stated is None:
            return numbers
        numbers[str(entry.name)] = value = stated
    return numbers


def open_structures(tree: Any, function: Any, ast: Any) -> list[Any]:
    """Write a function, in place, with members of the structures that it is given as parameters; return these.

    A pointer whose elements are asked for leads to an array of structures and stays what it is.
    """
    structures, members_of = collect_structures(tree), list[Any]()
    parameters = [p for p in getattr(function.decl.type.args, "params", None) or () if type(p).__name__ == "Decl"]
    outside = [d for d in tree.ext if type(d).__name__ == "Decl" and type(d.type).__name__ == "TypeDecl"]
    waiting = [(p, 0) for p in [*parameters, *outside]]
    dropped = set[str]()
    while waiting:
        node, depth = waiting.pop(0)
        kind = node.type.type if type(node.type).__name__ == "PtrDecl" else node.type
        members = structures.get(name_structure(getattr(kind, "type", None)), ())
        name = str(node.name)
        if type(kind).__name__ != "TypeDecl" or not members or depth > DEEPEST:
            continue
        labels = {str(m.name) for m in members}
        uses = find_uses(function.body, name)
        if not uses or not uses <= labels or "" in uses:
            continue
        function.body = write_members(function.body, name, ast)
        dropped.add(name)
        for member in members:
            if str(member.name) in uses:
                declared = copy.copy(member)
                declared.name = f"{name}{JOINT}{member.name}"
                declared.type = rename_type(member.type, declared.name)
                declared.storage, declared.init = [], None
                members_of.append(declared)
                waiting.append((declared, depth + 1))
        members_of = [d for d in members_of if str(d.name) != name]
    if dropped and function.decl.type.args is not None:
        arguments = copy.copy(function.decl.type.args)
        arguments.params = [p for p in arguments.params if str(getattr(p, "name", "")) not in dropped]
        function.decl.type.args = arguments
    return members_of


def rename_type(kind: Any, name: str) -> Any:
    """A type with another name at its end."""
    copied = copy.copy(kind)
    if type(kind).__name__ == "TypeDecl":
        copied.declname = name
        return copied
    copied.type = rename_type(kind.type, name)
    return copied


def find_uses(node: Any, name: str) -> set[str]:
    """Members that are asked of a structure; '' among them where it is used otherwise."""
    if type(node).__name__ == "StructRef" and getattr(strip(node.name), "name", None) == name:
        return {str(node.field.name)}
    if type(node).__name__ == "ID":
        return {""} if node.name == name else set()
    if type(node).__name__ == "Decl" and node.name == name:
        return {""}
    uses = set[str]()
    for label, child in node.children():
        if not (type(node).__name__ == "StructRef" and label == "field"):
            uses |= find_uses(child, name)
    return uses


def strip(node: Any) -> Any:
    """``(*s).x`` as ``s.x``."""
    node = uncast(node)
    return uncast(node.expr) if type(node).__name__ == "UnaryOp" and node.op == "*" else node


def write_members(node: Any, name: str, ast: Any) -> Any:
    """A tree with ``s->x`` as the name ``s.x``."""

    def change(inside: Any) -> Any:
        is_member = type(inside).__name__ == "StructRef" and getattr(strip(inside.name), "name", None) == name
        return ast.ID(f"{name}{JOINT}{inside.field.name}", inside.coord) if is_member else inside

    return map_nodes(node, change)


class Places:
    """Types of what expressions of a function lead to."""

    def __init__(self, tree: Any, function: Any, members: Sequence[Any] = ()) -> None:
        """Collect what is declared. members : names that the function is given beside its parameters."""
        self.structures = collect_structures(tree)
        declared = [*members, *(d for d in tree.ext if type(d).__name__ == "Decl")]
        declared += [n for n in walk_nodes(function) if type(n).__name__ == "Decl" and n is not function.decl]
        self.types = {str(d.name): d.type for d in declared if d.name}

    def find_type(self, node: Any) -> Any | None:
        """The type of an expression, as it is declared; None where that is not known."""
        node = uncast(node)
        kind = type(node).__name__
        if kind == "ID":
            return self.types.get(str(node.name))
        if kind == "BinaryOp":
            return self.find_type(node.left)
        if kind == "ArrayRef" or (kind == "UnaryOp" and node.op == "*"):
            inside: Any = self.find_type(node.name if kind == "ArrayRef" else node.expr)
            return inside.type if type(inside).__name__ in ("PtrDecl", "ArrayDecl") else None
        return self.find_member(node) if kind == "StructRef" else None

    def find_member(self, node: Any) -> Any | None:
        """The type of a member."""
        whole = self.find_type(node.name)
        whole = whole.type if node.type == "->" and whole is not None else whole
        members = self.structures.get(name_structure(getattr(whole, "type", None)), ())
        return next((m.type for m in members if str(m.name) == str(node.field.name)), None)


def open_rows(tree: Any, function: Any, members: list[Any]) -> tuple[list[Any], dict[str, int]]:
    """Write arrays of structures that hold one array each as arrays of rows: ``a[i].f[k]`` is ``a[i][k]``.

    members : names that the function is given besides; they are returned with their types, and the rows' lengths.
    """
    structures = collect_structures(tree)
    changed, lengths = dict[str, Any](), dict[str, int]()
    for declared in list_declared(tree, function, members):
        levels = list_levels(getattr(declared, "type", None))
        held = structures.get(name_structure(getattr(levels[-1], "type", None)), ())
        single = len(held) == 1 and type(held[0].type).__name__ == "ArrayDecl"
        if len(levels) < 2 or type(levels[-1]).__name__ != "TypeDecl" or not single:
            continue
        name, member = str(declared.name), str(held[0].name)
        if is_read_by_rows(function.body, name, member, len(levels) - 1):
            function.body = write_rows(function.body, name, member)
            changed[name] = declare_rows(declared, levels, held[0].type)
            lengths[name] = count_elements(held[0].type)
    return write_declarations(tree, function, members, changed), lengths


def list_declared(tree: Any, function: Any, members: Sequence[Any]) -> list[Any]:
    """Declarations that a function reads: of its parameters, of names that it is given besides, of the file."""
    parameters = getattr(function.decl.type.args, "params", None) or []
    return [*parameters, *members, *(d for d in tree.ext if type(d).__name__ == "Decl")]


def declare_rows(declared: Any, levels: Sequence[Any], row: Any) -> Any:
    """A declaration with another type inside of its pointers and arrays. levels : as of :func:`list_levels`."""
    plain, inner = copy.copy(declared), rename_type(row, str(declared.name))
    for level in reversed(levels[:-1]):
        outer = copy.copy(level)
        outer.type, inner = inner, outer
    plain.type = inner
    return plain


def write_declarations(tree: Any, function: Any, members: Sequence[Any], changed: Mapping[str, Any]) -> list[Any]:
    """Write other declarations of names in place; return the names that a function is given besides with theirs."""
    if changed and function.decl.type.args is not None:
        arguments = copy.copy(function.decl.type.args)
        arguments.params = [changed.get(str(getattr(p, "name", "")), p) for p in arguments.params]
        function.decl.type.args = arguments
    tree.ext = [changed.get(str(d.name), d) if type(d).__name__ == "Decl" else d for d in tree.ext]
    return [changed.get(str(m.name), m) for m in members]


def count_elements(kind: Any) -> int:
    """Elements of an array whose lengths are numbers."""
    number = 1
    while type(kind).__name__ == "ArrayDecl":
        number *= evaluate(kind.dim, {}) or 1
        kind = kind.type
    return number


def list_levels(kind: Any) -> list[Any]:
    """Pointers and arrays that a type is of, outermost first, and what is in them."""
    levels = [kind]
    while type(levels[-1]).__name__ in ("PtrDecl", "ArrayDecl"):
        levels.append(levels[-1].type)
    return levels


def find_indices(node: Any) -> tuple[str, list[Any]]:
    """The array that an element is of, and its indices; '' where it is none."""
    node, indices = uncast(node), list[Any]()
    while type(node).__name__ == "ArrayRef":
        indices.append(node.subscript)
        node = uncast(node.name)
    return str(getattr(node, "name", "")) if type(node).__name__ == "ID" else "", indices


def is_read_by_rows(node: Any, name: str, member: str, levels: int) -> bool:
    """Whether all that is asked of an array of structures is one member of an element. levels : its dimensions."""
    if type(node).__name__ == "StructRef" and str(node.field.name) == member:
        root, indices = find_indices(node.name)
        if root == name and len(indices) == levels:
            return all(is_read_by_rows(i, name, member, levels) for i in indices)
    if type(node).__name__ == "ID":
        return bool(node.name != name)
    return all(is_read_by_rows(child, name, member, levels) for _, child in node.children())


def write_rows(node: Any, name: str, member: str) -> Any:
    """A tree with ``a[i].f`` as ``a[i]``."""

    def change(inside: Any) -> Any:
        is_member = type(inside).__name__ == "StructRef" and str(inside.field.name) == member
        return uncast(inside.name) if is_member and find_indices(inside.name)[0] == name else inside

    return map_nodes(node, change)
