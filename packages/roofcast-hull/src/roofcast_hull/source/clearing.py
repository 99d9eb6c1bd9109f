"""``memset`` as the loops that it stands for."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from roofcast_hull.source.c_idioms import list_declared
from roofcast_hull.source.c_tree import called, list_items, uncast
from roofcast_hull.source.host_numbers import find_type_bytes

CLEARING = {"memset": 2, "bzero": 1}
"""Calls that set bytes, and which argument says how many."""


def write_clearing(function: Any, tree: Any, ast: Any) -> Any:
    """The body of a function with loops over elements in place of ``memset(a, 0, n * sizeof(float))``.

    Calls whose bytes are no product with the size of an element stay as they are.
    """
    parameters = getattr(function.decl.type.args, "params", None) or ()
    outside = [item for item in tree.ext if type(item).__name__ == "Decl"]
    declared = {
        str(d.name): d.type for d in (*outside, *parameters, *list_declared(function.body)) if hasattr(d, "type")
    }
    return clear(function.body, declared, ast)


def clear(node: Any, declared: Mapping[str, Any], ast: Any) -> Any:
    """A statement with the calls inside it replaced."""
    if type(node).__name__ == "Compound":
        return ast.Compound([clear(s, declared, ast) for s in list_items(node)], node.coord)
    if called(node) in CLEARING:
        return write_loop(node, declared, ast) or node
    copied = copy.copy(node)
    for name in ("stmt", "iftrue", "iffalse"):
        if getattr(node, name, None) is not None:
            setattr(copied, name, clear(getattr(node, name), declared, ast))
    return copied


def write_loop(call: Any, declared: Mapping[str, Any], ast: Any) -> Any | None:
    """The loops of one call; None where the array or the bytes are not told."""
    at = CLEARING[str(called(call))]
    arguments = list(call.args.exprs) if call.args else []
    array = uncast(arguments[0]) if len(arguments) == at + 1 else None
    kind: Any = declared.get(str(getattr(array, "name", ""))) if type(array).__name__ == "ID" else None
    dimensions: list[Any] = []
    while type(kind).__name__ in ("ArrayDecl", "PtrDecl"):
        dimensions.append(getattr(kind, "dim", None))
        kind = kind.type
    size = find_type_bytes(" ".join(getattr(getattr(kind, "type", None), "names", None) or ()))
    if not dimensions or not size:
        return None
    if len(dimensions) > 1 or type(uncast(arguments[at])).__name__ == "UnaryOp":
        # The whole array, as it is declared.
        if None in dimensions:
            return None
        counts = dimensions
    else:
        count = divide(uncast(arguments[at]), size, ast)
        if count is None:
            return None
        counts = [count]
    element = array
    for depth in range(len(counts)):
        element = ast.ArrayRef(element, ast.ID(f"cleared__{depth}", call.coord), call.coord)
    zero = ast.Constant("int", "0", call.coord)
    loop: Any = ast.Assignment("=", element, zero, call.coord)
    for depth in reversed(range(len(counts))):
        counter = ast.ID(f"cleared__{depth}", call.coord)
        whole = ast.TypeDecl(counter.name, [], None, ast.IdentifierType(["int"]))
        start = ast.DeclList([ast.Decl(counter.name, [], [], [], [], whole, zero, None, call.coord)], call.coord)
        loop = ast.For(
            start, ast.BinaryOp("<", counter, counts[depth], call.coord), ast.UnaryOp("p++", counter, call.coord), loop,
            call.coord,
        )  # fmt: skip
    return loop


def divide(node: Any, size: int, ast: Any) -> Any | None:
    """Elements in a number of bytes: the product without ``sizeof``; None where neither is known."""
    node = uncast(node)
    if type(node).__name__ == "Constant" and str(node.value).isdigit() and int(node.value) % size == 0:
        return ast.Constant("int", str(int(node.value) // size), node.coord)
    if type(node).__name__ != "BinaryOp" or node.op != "*":
        return node if size == 1 and type(node).__name__ in ("ID", "BinaryOp") else None
    for this, other in ((node.left, node.right), (node.right, node.left)):
        plain = uncast(this)
        if type(plain).__name__ == "UnaryOp" and plain.op == "sizeof":
            return other
        inside = divide(plain, size, ast) if type(plain).__name__ == "BinaryOp" else None
        if inside is not None:
            return ast.BinaryOp("*", inside, other, node.coord)
    return node if size == 1 else None
