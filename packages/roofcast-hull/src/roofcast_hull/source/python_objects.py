"""Functions and objects of a Python file, written where a function uses them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from typing import Any

from roofcast_hull.source.host_objects import Instance
from roofcast_hull.source.numpy_spelling import simplify
from roofcast_hull.source.numpy_values import Tensor
from roofcast_hull.source.own_functions import list_names, split_result, write_out
from roofcast_hull.source.python_lists import name_items

DEEPEST_MEMBER = 3
"""Objects that are members of others."""


def write_body(tree: ast.Module, chosen: ast.FunctionDef | None, stated: dict[str, Any]) -> list[ast.stmt]:
    """Statements of a function, or of the file, with those of the file's functions that they call.

    stated : what the file calls the function with; members of objects among it are added as ``name.member``.
    """
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    objects = list_objects(stated)
    for name, instance in objects.items():
        functions |= {f"{name}.{n.name}": n for n in instance.kind.body if isinstance(n, ast.FunctionDef)}
        stated |= {f"{name}.{n}": v for n, v in instance.fields.items()}
    statements = chosen.body if chosen else tree.body
    outcome = split_result(chosen) if chosen else None
    if outcome is not None and isinstance(outcome[1], ast.IfExp):
        # Branches that each end in a value are a choice between them.
        statements = [*outcome[0], ast.copy_location(ast.Return(outcome[1]), outcome[1])]
    functions |= list_inner(statements)
    body = simplify(write_out(statements, functions, chosen.name if chosen else ""))
    members = Members(frozenset(objects))
    return name_items([members.visit(copy.deepcopy(s)) for s in body] if objects else body, stated)


def list_inner(statements: Sequence[ast.stmt]) -> dict[str, ast.FunctionDef]:
    """Functions that stand among statements, those without a name by what they are called: ``f = lambda x: x * x``."""
    functions = {s.name: s for s in statements if isinstance(s, ast.FunctionDef)}
    for item in statements:
        target = item.targets[0] if isinstance(item, ast.Assign) else None
        if isinstance(target, ast.Name) and isinstance(item, ast.Assign) and isinstance(item.value, ast.Lambda):
            body: list[ast.stmt] = [ast.copy_location(ast.Return(item.value.body), item)]
            function = ast.FunctionDef(target.id, item.value.args, body, [], None)
            functions[target.id] = ast.copy_location(function, item)
    return functions


def list_objects(stated: Mapping[str, Any]) -> dict[str, Instance]:
    """Objects among values by their names, those that are members of others too: ``self.grid``."""
    objects = {n: v for n, v in stated.items() if isinstance(v, Instance)}
    for _ in range(DEEPEST_MEMBER):
        inside = {f"{n}.{m}": v for n, o in objects.items() for m, v in o.fields.items() if isinstance(v, Instance)}
        objects |= inside
    return objects


def find_used(function: ast.FunctionDef, outside: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays, lists and whole numbers of the file that a function uses. outside : what its names stand for."""
    read = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    inside = {a.arg for a in ast.walk(function) if isinstance(a, ast.arg)} | list_names(function.body)
    kinds = (Tensor, Instance, int, tuple, dict)
    return {n: outside[n] for n in sorted(read - inside) if isinstance(outside.get(n), kinds)}


class Members(ast.NodeTransformer):
    """Gives members of objects a name each. objects : their names."""

    def __init__(self, objects: frozenset[str]) -> None:
        self.objects = objects
        self.aliases: dict[str, str] = {}
        """Other names of objects: ``s = self.state``."""

    def find_object(self, node: ast.expr) -> str:
        """The name of an object; '' for other expressions."""
        if isinstance(node, ast.Name):
            name = self.aliases.get(node.id, node.id)
        elif isinstance(node, ast.Attribute) and (owner := self.find_object(node.value)):
            name = f"{owner}.{node.attr}"
        else:
            return ""
        return name if name in self.objects else ""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """``cfg.n``, ``self.grid.n``."""
        if owner := self.find_object(node.value):
            return ast.copy_location(ast.Name(f"{owner}.{node.attr}", node.ctx), node)
        self.generic_visit(node)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """A name for an object is no array of its own."""
        target = node.targets[0]
        if isinstance(target, ast.Name) and (name := self.find_object(node.value)):
            self.aliases[target.id] = name
            return ast.copy_location(ast.Pass(), node)
        self.generic_visit(node)
        return node
