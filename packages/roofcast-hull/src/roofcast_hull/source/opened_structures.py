"""Structures that a function is given, as their members: ``s->x[i]`` is an element of the array ``s.x``."""

from __future__ import annotations

import copy
from typing import Any

from roofcast_hull.source.c_declarations import collect_structures, name_structure
from roofcast_hull.source.c_tree import uncast

JOINT = "\u00b7"
"""Joins names of members to those of structures while nests are followed: a dot would be a member of an element."""
DEEPEST = 4
"""Structures inside of each other."""


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
    if type(node).__name__ == "StructRef" and getattr(strip(node.name), "name", None) == name:
        return ast.ID(f"{name}{JOINT}{node.field.name}", node.coord)
    copied = copy.copy(node)
    for label in node.__slots__:
        value = getattr(node, label, None)
        if label in ("coord", "__weakref__"):
            continue
        if hasattr(value, "children"):
            setattr(copied, label, write_members(value, name, ast))
        elif isinstance(value, list):
            setattr(copied, label, [write_members(v, name, ast) if hasattr(v, "children") else v for v in value])
    return copied
