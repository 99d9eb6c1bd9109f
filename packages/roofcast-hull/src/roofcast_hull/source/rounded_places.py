"""Arrays that are looked up at places which a function rounds from real numbers: ``in[(int)at]``."""

from __future__ import annotations

from typing import Any

from roofcast_hull.source.c_tree import called, find_names, uncast
from roofcast_hull.source.index_names import walk_nodes
from roofcast_hull.source.loop_facts import is_real_number, read_assigned

ROUNDING_WORDS = "floor floorf ceil ceilf round roundf rint rintf lround lroundf lrint lrintf llround trunc truncf"
ROUNDING = frozenset(ROUNDING_WORDS.split())
"""Functions that make a whole number of a real one."""
MOST_PASSES = 6
"""Assignments of names from each other that are followed."""


def find_rounded(function: Any) -> set[str]:
    """Names of the arrays that a function looks up so."""
    declared = {str(n.name): n for n in walk_nodes(function) if type(n).__name__ == "Decl" and n.name}
    real = {n for n, d in declared.items() if is_real_number(d)}
    rounded, led = set[str](), dict[str, str]()
    for _ in range(MOST_PASSES):
        before = len(rounded) + len(led)
        for node in walk_nodes(function):
            name, value = read_assigned(node)
            if not name or value is None:
                continue
            if type(getattr(declared.get(name), "type", None)).__name__ == "PtrDecl":
                if find_names(value) & rounded or rounds(value, real):
                    led[name] = find_array(value)
            elif name not in real and (find_names(value) & (rounded | real) or rounds(value, real)):
                rounded.add(name)
        if len(rounded) + len(led) == before:
            break
    arrays = set(led.values())
    for node in walk_nodes(function):
        kind = type(node).__name__
        place = node.subscript if kind == "ArrayRef" else node.expr if kind == "UnaryOp" and node.op == "*" else None
        if place is not None and (find_names(place) & rounded or rounds(place, real)):
            arrays.add(find_array(node.name if kind == "ArrayRef" else place))
    return {led.get(a, a) for a in arrays} - {""}


def rounds(node: Any, real: set[str]) -> bool:
    """Whether an expression makes a whole number of a real one."""
    for inside in walk_nodes(node):
        if called(inside) in ROUNDING:
            return True
        kind = getattr(getattr(inside, "to_type", None), "type", None)
        if type(inside).__name__ == "Cast" and not is_real_number(inside.to_type) and type(kind).__name__ == "TypeDecl":
            words = [n.type for n in walk_nodes(inside.expr) if type(n).__name__ == "Constant"]
            further = bool({"float", "double"} & set(words)) or any(called(n) for n in walk_nodes(inside.expr))
            if further or find_names(inside.expr) & real:
                return True
    return False


def find_array(node: Any) -> str:
    """The name at the start of an element or an address; '' for none."""
    node = uncast(node)
    while type(node).__name__ in ("ArrayRef", "BinaryOp", "StructRef", "UnaryOp"):
        node = uncast(getattr(node, "left", None) or getattr(node, "expr", None) or node.name)
    return str(node.name) if type(node).__name__ == "ID" else ""
