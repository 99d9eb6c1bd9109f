"""Arrays of a kernel whose elements decide how often its loops run: offsets and lengths of rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

LOOPS = ("For", "While", "DoWhile")


def find_deciding(function: Any, functions: Collection[Any]) -> set[str]:
    """Arrays that a kernel is given of which elements may decide how often loops run, members of structures too.

    functions : of the file. What the kernel itself stores is none of them.
    """
    uses = Uses({str(f.decl.name): f for f in functions})
    for item in (function, *functions):
        uses.follow(item.body)
    deciding = set(uses.asked)
    while more := {n for name in deciding for n in uses.given.get(name, ())} - deciding:
        deciding |= more
    parameters = [str(p.name) for p in getattr(function.decl.type.args, "params", None) or () if p.name]
    return {n for n in deciding - uses.stored if n.partition(".")[0] in parameters}


class Uses:
    """What names of a kernel are computed from, what its loops ask for, and what it stores."""

    def __init__(self, functions: dict[str, Any]) -> None:
        self.functions = functions
        self.given: dict[str, set[str]] = defaultdict(set)
        self.asked: set[str] = set()
        self.stored: set[str] = set()

    def follow(self, node: Any) -> None:
        """Read a statement, and what is inside of it."""
        kind = type(node).__name__
        if kind == "Decl" and node.name and node.init is not None:
            self.given[str(node.name)] |= find_paths(node.init)
        elif kind == "Assignment":
            self.assign(node.lvalue, node.rvalue)
        elif kind == "FuncCall":
            self.call(node)
        elif kind in LOOPS:
            parts = [p for p in (getattr(node, "init", None), node.cond) if p is not None]
            self.asked |= {n for p in parts for n in find_paths(p)}
        for _, child in node.children():
            self.follow(child)

    def assign(self, place: Any, value: Any) -> None:
        """A name, or an element, gets a value."""
        through = type(place).__name__ in ("ArrayRef", "UnaryOp")
        while type(place).__name__ in ("ArrayRef", "UnaryOp", "Cast"):
            place = place.name if type(place).__name__ == "ArrayRef" else place.expr
        names = find_paths(place)
        self.stored |= names if through else set()
        for name in names:
            self.given[name] |= find_paths(value)

    def call(self, node: Any) -> None:
        """Parameters of a function of the file get their arguments; atomics store."""
        name, arguments = str(getattr(node.name, "name", "")), node.args.exprs if node.args is not None else ()
        if name.startswith("atomic") and arguments:
            self.stored |= find_paths(arguments[0])
        function = self.functions.get(name)
        if function is None:
            return
        for parameter, argument in zip(getattr(function.decl.type.args, "params", None) or (), arguments, strict=False):
            self.given[str(getattr(parameter, "name", ""))] |= find_paths(argument)
        self.given[f"{name}()"] |= {n for r in find_returned(function.body) for n in find_paths(r)}


def find_returned(node: Any) -> list[Any]:
    """What a function returns."""
    if type(node).__name__ == "Return":
        return [node.expr] if node.expr is not None else []
    return [r for _, c in node.children() for r in find_returned(c)]


def find_paths(node: Any) -> set[str]:
    """Names in an expression, members of structures with all that leads to them, functions with their parentheses."""
    kind = type(node).__name__
    if kind == "ID":
        return {str(node.name)}
    if kind == "StructRef":
        inner = find_paths(node.name)
        return inner | {f"{n}.{node.field.name}" for n in inner}
    if kind == "FuncCall":
        name = str(getattr(node.name, "name", ""))
        return {f"{name}()"} | (find_paths(node.args) if node.args is not None else set())
    return {n for _, c in node.children() for n in find_paths(c)}
