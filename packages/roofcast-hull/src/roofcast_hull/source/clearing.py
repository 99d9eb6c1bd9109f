"""``memset``, ``memcpy`` and copies of whole vectors as the loops that they stand for."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from roofcast_hull.source.c_declarations import collect_structures, name_structure
from roofcast_hull.source.c_idioms import list_declared
from roofcast_hull.source.c_tree import called, list_items, uncast
from roofcast_hull.source.host_numbers import find_type_bytes

CLEARING = {"memset": 2, "bzero": 1}
"""Calls that set bytes, and which argument says how many."""
COPYING = ("memcpy", "memmove")
"""Calls that copy bytes: to where, from where, how many."""
VECTOR = "vector_"
"""What names of structures begin with that stand for vectors, whose members are these."""
DATA, LENGTH = "data_", "n_"


def write_clearing(function: Any, tree: Any, ast: Any) -> Any:
    """The body of a function with loops over elements in place of ``memset(a, 0, n * sizeof(float))``.

    So are ``memcpy(a, b, n * sizeof(float))`` and, of vectors, ``a = b`` loops. Calls whose bytes are no product with
    the size of an element stay as they are.
    """
    parameters = getattr(function.decl.type.args, "params", None) or ()
    outside = [item for item in tree.ext if type(item).__name__ == "Decl"]
    declared = {
        str(d.name): d.type for d in (*outside, *parameters, *list_declared(function.body)) if hasattr(d, "type")
    }
    members = {n: {str(m.name): m.type for m in d} for n, d in collect_structures(tree).items()}
    for name, kind in list(declared.items()):
        if is_vector(kind):
            declared[f"{name}.{DATA}"] = members.get(name_structure(kind.type), {}).get(DATA)
    return clear(function.body, declared, ast)


def is_vector(kind: Any) -> bool:
    """Whether a type is that of a vector."""
    return type(kind).__name__ == "TypeDecl" and name_structure(kind.type).startswith(VECTOR)


def clear(node: Any, declared: Mapping[str, Any], ast: Any) -> Any:
    """A statement with the calls inside it replaced."""
    if type(node).__name__ == "Compound":
        return ast.Compound([c for s in list_items(node) for c in clear_item(s, declared, ast)], node.coord)
    if called(node) in CLEARING:
        return write_loop(node, declared, ast) or node
    if called(node) in COPYING or type(node).__name__ == "Assignment":
        return write_copy(node, declared, ast) or node
    copied = copy.copy(node)
    for name in ("stmt", "iftrue", "iffalse"):
        if getattr(node, name, None) is not None:
            setattr(copied, name, clear(getattr(node, name), declared, ast))
    return copied


def clear_item(node: Any, declared: Mapping[str, Any], ast: Any) -> list[Any]:
    """The same of a statement of a block: a vector that begins as another one is one as long, and copied."""
    begun: Any = node.init if type(node).__name__ == "Decl" and is_vector(node.type) else None
    if type(begun).__name__ != "ID" or not is_vector(declared.get(str(begun.name))):
        return [clear(node, declared, ast)]
    long = ast.StructRef(begun, ".", ast.ID(LENGTH, node.coord), node.coord)
    maker = ast.ID(f"construct_{name_structure(node.type.type)}", node.coord)
    first = copy.copy(node)
    first.init = ast.FuncCall(maker, ast.ExprList([long], node.coord), node.coord)
    copied = write_copy(ast.Assignment("=", ast.ID(node.name, node.coord), begun, node.coord), declared, ast)
    return [first, copied] if copied is not None else [node]


def write_copy(node: Any, declared: Mapping[str, Any], ast: Any) -> Any | None:
    """The loop of a call that copies elements, or of a vector that is given to another one; None for others."""
    if type(node).__name__ == "Assignment":
        sides = [node.lvalue, node.rvalue]
        whole = all(type(e).__name__ == "ID" and is_vector(declared.get(str(e.name))) for e in sides)
        if not whole or node.op != "=":
            return None
        to, source = (ast.StructRef(e, ".", ast.ID(DATA, node.coord), node.coord) for e in sides)
        count: Any = ast.StructRef(node.rvalue, ".", ast.ID(LENGTH, node.coord), node.coord)
        first: tuple[Any, ...] = (to, None), (source, None)
    else:
        arguments = list(node.args.exprs) if node.args else []
        if len(arguments) != 3:
            return None
        first = tuple(find_first(uncast(a)) for a in arguments[:2])
        sizes = {find_element_bytes(base, declared) for base, _ in first}
        size = sizes.pop() if len(sizes) == 1 else 0
        count = divide(uncast(arguments[2]), size, ast) if size else None
        if count is None:
            return None
    counter = ast.ID("copied__0", node.coord)
    places = [
        ast.ArrayRef(b, counter if at is None else ast.BinaryOp("+", at, counter, node.coord), node.coord)
        for b, at in first
    ]
    return write_turns(counter, count, ast.Assignment("=", *places, node.coord), ast)


def find_first(node: Any) -> tuple[Any, Any]:
    """(array, index) of the element that an address is of: ``a + n``, ``&a[n]``; None for the first."""
    if type(node).__name__ == "UnaryOp" and node.op == "&" and type(uncast(node.expr)).__name__ == "ArrayRef":
        element = uncast(node.expr)
        return uncast(element.name), element.subscript
    if type(node).__name__ == "BinaryOp" and node.op == "+":
        base, at = find_first(uncast(node.left))
        return base, node.right if at is None else type(node)("+", at, node.right, node.coord)
    return node, None


def find_element_bytes(base: Any, declared: Mapping[str, Any]) -> int:
    """Bytes of an element of an array of one dimension; 0 where that is not told."""
    member = type(base).__name__ == "StructRef" and type(base.name).__name__ == "ID"
    name = f"{base.name.name}.{base.field.name}" if member else str(getattr(base, "name", ""))
    kind: Any = declared.get(name) if member or type(base).__name__ == "ID" else None
    if type(kind).__name__ not in ("ArrayDecl", "PtrDecl") or type(kind.type).__name__ != "TypeDecl":
        return 0
    return find_type_bytes(" ".join(getattr(kind.type.type, "names", None) or ())) or 0


def write_turns(counter: Any, count: Any, body: Any, ast: Any) -> Any:
    """A loop with so many turns."""
    zero = ast.Constant("int", "0", counter.coord)
    whole = ast.TypeDecl(counter.name, [], None, ast.IdentifierType(["int"]))
    start = ast.DeclList([ast.Decl(counter.name, [], [], [], [], whole, zero, None, counter.coord)], counter.coord)
    return ast.For(
        start, ast.BinaryOp("<", counter, count, counter.coord), ast.UnaryOp("p++", counter, counter.coord), body,
        counter.coord,
    )  # fmt: skip


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
        loop = write_turns(ast.ID(f"cleared__{depth}", call.coord), counts[depth], loop, ast)
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
        factor = type(plain).__name__ == "Constant" and str(plain.value).isdigit() and int(plain.value) % size == 0
        inside = divide(plain, size, ast) if type(plain).__name__ == "BinaryOp" or factor else None
        if inside is not None:
            return ast.BinaryOp("*", inside, other, node.coord)
    return node if size == 1 else None
