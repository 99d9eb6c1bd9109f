"""Arrays of a kernel whose elements decide how often its loops run: offsets and lengths of rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

LOOPS = ("For", "While", "DoWhile")


def find_deciding(function: Any, functions: Collection[Any]) -> set[str]:
    """Arrays that a kernel is given of which elements may decide how often loops run, members of structures too.

    With them those at whose elements rows begin: read at the same place as how long these are, and part of places.
    functions : of the file. What the kernel itself stores is none of them.
    """
    uses = Uses({str(f.decl.name): f for f in functions})
    for item in (function, *functions):
        uses.enter(item, "" if item is function or item.decl.name == function.decl.name else f"{item.decl.name}::")
    uses.hand_back()
    deciding = set(uses.asked)
    while more := {n for name in deciding for n in uses.given.get(name, ())} - deciding:
        deciding |= more
    if deciding := deciding & uses.read.keys():
        at = {place for name in deciding for place in uses.read[name]}
        placed = set(uses.placed)
        while more := {n for name in placed for n in uses.given.get(name, ())} - placed:
            placed |= more
        deciding |= {n for n, places in uses.read.items() if n in placed and places <= at}
    parameters = [str(p.name) for p in getattr(function.decl.type.args, "params", None) or () if p.name]
    return {n for n in deciding - uses.stored if n.partition(".")[0] in parameters}


class Uses:
    """What names of a kernel are computed from, what its loops ask for, and what it stores."""

    def __init__(self, functions: dict[str, Any]) -> None:
        from pycparser import c_generator

        self.functions = functions
        self.write = c_generator.CGenerator().visit
        self.given: dict[str, set[str]] = defaultdict(set)
        self.asked: set[str] = set()
        self.read: dict[str, set[str]] = defaultdict(set)
        """Array -> places at which its elements are read, as they are written."""
        self.placed: set[str] = set()
        """Names in sums that are places."""
        self.stored: set[str] = set()
        self.handed: list[tuple[str, set[str]]] = []
        """Parameters of functions of the file, and names in their arguments."""
        self.local: set[str] = set()
        self.prefix = ""

    def enter(self, function: Any, prefix: str) -> None:
        """Read a function. prefix : of its own names, which others may have, too."""
        parameters = getattr(function.decl.type.args, "params", None) or ()
        names = {str(p.name) for p in parameters if getattr(p, "name", None)}
        self.local, self.prefix = (names | find_declared(function.body) if prefix else set()), prefix
        self.follow(function.body)
        self.given[f"{function.decl.name}()"] |= {n for r in find_returned(function.body) for n in self.find_paths(r)}

    def find_paths(self, node: Any) -> set[str]:
        """Names in an expression, as :func:`find_paths` has them; those of a function of the file with its own."""
        names = find_paths(node)
        return {f"{self.prefix}{n}" if n.partition(".")[0] in self.local else n for n in names}

    def hand_back(self) -> None:
        """What functions read and store through their parameters is read and stored of what these are given."""
        for _ in self.functions:
            for parameter, names in self.handed:
                for name in names:
                    self.stored |= {name} if parameter in self.stored else set()
                    if parameter in self.read:
                        self.read[name] |= self.read[parameter]

    def follow(self, node: Any) -> None:
        """Read a statement, and what is inside of it."""
        kind = type(node).__name__
        if kind == "Decl" and node.name and node.init is not None:
            name = str(node.name)
            self.given[f"{self.prefix}{name}" if name in self.local else name] |= self.find_paths(node.init)
        elif kind == "Assignment":
            self.assign(node.lvalue, node.rvalue)
        elif kind == "FuncCall":
            self.call(node)
        elif kind == "ArrayRef":
            self.index(node)
        elif kind in LOOPS:
            parts = [p for p in (getattr(node, "init", None), node.cond) if p is not None]
            self.asked |= {n for p in parts for n in self.find_paths(p)}
        for _, child in node.children():
            self.follow(child)

    def assign(self, place: Any, value: Any) -> None:
        """A name, or an element, gets a value."""
        through = type(place).__name__ in ("ArrayRef", "UnaryOp")
        while type(place).__name__ in ("ArrayRef", "UnaryOp", "Cast"):
            place = place.name if type(place).__name__ == "ArrayRef" else place.expr
        names = self.find_paths(place)
        self.stored |= names if through else set()
        for name in names:
            self.given[name] |= self.find_paths(value)

    def index(self, node: Any) -> None:
        """An element is read, or stored."""
        place = node.subscript
        for name in self.find_paths(node.name):
            self.read[name].add(str(self.write(place)))
        if type(place).__name__ == "BinaryOp" and place.op == "+":
            sides = [s for s in (place.left, place.right) if type(s).__name__ == "ID"]
            self.placed |= {n for s in sides for n in self.find_paths(s)} if len(sides) == 2 else set()

    def call(self, node: Any) -> None:
        """Parameters of a function of the file get their arguments; atomics store."""
        name, arguments = str(getattr(node.name, "name", "")), node.args.exprs if node.args is not None else ()
        if name.startswith("atomic") and arguments:
            self.stored |= self.find_paths(arguments[0])
        function = self.functions.get(name)
        if function is None:
            return
        for parameter, argument in zip(getattr(function.decl.type.args, "params", None) or (), arguments, strict=False):
            label = f"{name}::{getattr(parameter, 'name', '')}"
            self.given[label] |= self.find_paths(argument)
            self.handed.append((label, self.find_paths(argument)))


def find_declared(node: Any) -> set[str]:
    """Names that statements declare."""
    names = {str(node.name)} if type(node).__name__ == "Decl" and node.name else set[str]()
    return names | {n for _, c in node.children() for n in find_declared(c)}


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
