"""Structures that a function makes for itself, ``View v = {a, rows, cols};``, as a name for each of their members."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from roofcast_hull.source.c_declarations import collect_structures, name_structure
from roofcast_hull.source.c_tree import called, list_items, substitute, uncast
from roofcast_hull.source.opened_structures import JOINT, find_uses, rename_type, write_members

MOST_OPENED = 32
"""Structures of a function, those inside of each other too."""


def open_locals(tree: Any, function: Any, ast: Any) -> None:
    """Write a function so, in place, where all that is asked of such a structure is its members."""
    structures = collect_structures(tree)
    functions = {str(n.decl.name): n for n in tree.ext if type(n).__name__ == "FuncDef"}
    for _ in range(MOST_OPENED):
        items = list_items(function.body)
        for at, item in enumerate(items):
            members = structures.get(name_structure(getattr(getattr(item, "type", None), "type", None)), ())
            if type(item).__name__ != "Decl" or type(item.type).__name__ != "TypeDecl" or not members:
                continue
            name, labels = str(item.name), {str(m.name) for m in members}
            rest = ast.Compound([*items[:at], *items[at + 1 :]], function.body.coord)
            values = list_values(item.init, members, functions)
            uses = find_uses(rest, name)
            if values is None or "" in uses or not uses <= labels:
                continue
            if any(type(m.type).__name__ == "PtrDecl" and str(m.name) in uses - set(values) for m in members):
                # A vector, whose array has the structure's name.
                continue
            declared = [declare_member(m, name, values.get(str(m.name))) for m in members if str(m.name) in uses]
            before, after = (write_members(ast.Compound(part), name, ast) for part in (items[:at], items[at + 1 :]))
            function.body = ast.Compound([*list_items(before), *declared, *list_items(after)], function.body.coord)
            break
        else:
            return


def list_values(init: Any, members: Sequence[Any], functions: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a structure's members hold at first, by their names; None where that is not a list of values."""
    if init is None:
        return {}
    init = uncast(init)
    if type(init).__name__ == "CompoundLiteral":
        init = init.init
    if type(init).__name__ == "InitList":
        values, at = dict[str, Any](), 0
        names = [str(m.name) for m in members]
        for entry in init.exprs or ():
            named = type(entry).__name__ == "NamedInitializer"
            if named:
                label = str(getattr(entry.name[0], "name", "")) if len(entry.name) == 1 else ""
                at = names.index(label) if label in names else len(names)
            if at >= len(names):
                return None
            values[names[at]], at = entry.expr if named else entry, at + 1
        return values
    maker = functions.get(called(init))
    return list_made(maker, init) if maker is not None else None


def list_made(maker: Any, call: Any) -> dict[str, Any] | None:
    """What a function gives the members of the structure that it makes and returns; None where it does more."""
    parameters = [str(p.name) for p in getattr(maker.decl.type.args, "params", None) or ()]
    given = list(call.args.exprs) if call.args is not None else []
    if len(parameters) != len(given):
        return None
    meaning, values, label = dict(zip(parameters, given, strict=True)), dict[str, Any](), ""
    for item in list_items(maker.body):
        kind = type(item).__name__
        if kind == "Decl" and not label and item.init is None:
            label = str(item.name)
        elif kind == "Assignment" and item.op == "=" and type(item.lvalue).__name__ == "StructRef":
            if getattr(item.lvalue.name, "name", None) != label or find_uses(item.rvalue, label):
                return None
            values[str(item.lvalue.field.name)] = substitute(item.rvalue, meaning)
        elif kind == "Return" and getattr(item.expr, "name", None) == label:
            return values
        elif kind != "EmptyStatement" and not (kind == "Compound" and not list_items(item)):
            return None
    return None


def declare_member(member: Any, name: str, value: Any | None) -> Any:
    """A member as a name of its own."""
    declared = copy.copy(member)
    declared.name = f"{name}{JOINT}{member.name}"
    declared.type = rename_type(member.type, declared.name)
    declared.storage, declared.init = [], value
    return declared
