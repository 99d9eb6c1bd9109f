"""Numbers that are loaded and stored several at once, ``*(float4 *)(a + i)``, as what they are: elements of an array.

An array of which all is taken so is one of vectors; of others each number is an element, ``a[i]`` to ``a[i + 3]``.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roofcast_hull.source.c_declarations import name_structure
from roofcast_hull.source.c_nodes import map_nodes
from roofcast_hull.source.c_tree import called, find_names, uncast
from roofcast_hull.source.plain_trees import LOADS, find_pointed, find_writes
from roofcast_hull.source.structures import VECTORS

WORDS = {"float": "float", "double": "double", "int": "int", "unsigned int": "uint", "unsigned": "uint",
         "char": "char", "unsigned char": "uchar", "short": "short", "unsigned short": "ushort"}  # fmt: skip
"""Types of C -> what CUDA's vectors of them are called."""


@dataclass(frozen=True)
class View:
    """A vector in an array of numbers: the array, the first of its numbers, and further vectors."""

    kind: str
    array: str
    first: Any
    """Numbers from the start of the array; None for none."""
    further: Any
    """Vectors from there; None for none."""


def read_views(chosen: Any, body: Any, ast: Any) -> tuple[Any, dict[str, int]]:
    """The body of a function without views, its parameters changed in place; numbers of each element of an array of
    vectors, by its name.
    """
    viewer = Viewer(chosen, body, ast)
    if not viewer.found:
        return body, {}
    return viewer.rewrite(body), viewer.whole


class Viewer:
    """Finds and replaces the views of one function."""

    def __init__(self, chosen: Any, body: Any, ast: Any) -> None:
        self.ast = ast
        self.numbers: dict[str, str] = {}
        """Arrays of numbers, and how vectors of them are called."""
        self.parameters = {
            str(p.name): p
            for p in getattr(chosen.decl.type.args, "params", None) or ()
            if type(getattr(p, "type", None)).__name__ == "PtrDecl"
        }
        self.starts: dict[str, Any] = {}
        """What pointers that never move start at."""
        for p in self.parameters.values():
            self.learn(p)
        self.walk_declared(body, body)
        self.found: list[View] = []
        self.others: set[str] = set()
        """Arrays that are used otherwise too."""
        self.look(body)
        self.whole: dict[str, int] = {}
        """Arrays of which every use is a view of one kind."""
        for name in {v.array for v in self.found}:
            kinds = {v.kind for v in self.found if v.array == name}
            if len(kinds) == 1 and name in self.parameters and name not in self.others:
                self.whole[name] = len(VECTORS[next(iter(kinds))][1])
                self.retype(self.parameters[name], next(iter(kinds)))

    def learn(self, node: Any) -> None:
        """Remember an array of numbers."""
        kind = node.type
        while type(kind).__name__ in ("PtrDecl", "ArrayDecl"):
            kind = kind.type
        words = " ".join(getattr(getattr(kind, "type", None), "names", None) or ())
        if words in WORDS and kind is not node.type:
            self.numbers[str(node.name)] = WORDS[words]

    def walk_declared(self, node: Any, body: Any) -> None:
        """Remember the arrays and pointers that a body declares."""
        if type(node).__name__ == "Decl" and type(node.type).__name__ in ("PtrDecl", "ArrayDecl"):
            self.learn(node)
            name = str(node.name)
            if type(node.type).__name__ == "PtrDecl" and node.init is not None and find_writes(body, name) == 1:
                self.starts[name] = node.init
        for _, child in node.children():
            self.walk_declared(child, body)

    def retype(self, parameter: Any, kind: str) -> None:
        """Let a parameter lead to vectors."""
        parameter.type = copy.deepcopy(parameter.type)
        parameter.type.type.type = self.ast.IdentifierType([kind])

    def place(self, node: Any) -> tuple[str, Any] | None:
        """Array and number in it that a pointer to numbers leads to; None for others."""
        node, kind = uncast(node), type(uncast(node)).__name__
        if kind == "ID" and str(node.name) in self.starts:
            return self.place(self.starts[str(node.name)])
        if kind == "ID":
            return (str(node.name), None) if str(node.name) in self.numbers else None
        if kind == "UnaryOp" and node.op == "&" and type(node.expr).__name__ == "ArrayRef":
            inside = self.place(node.expr.name)
            return None if inside is None else (inside[0], self.add(inside[1], node.expr.subscript))
        if kind == "BinaryOp" and node.op == "+":
            for base, by in ((node.left, node.right), (node.right, node.left)):
                if (inside := self.place(base)) is not None:
                    return inside[0], self.add(inside[1], by)
        return None

    def add(self, first: Any, by: Any) -> Any:
        """A sum of which one side may be nothing."""
        if first is None or by is None:
            return by if first is None else first
        return self.ast.BinaryOp("+", first, by, by.coord)

    def read(self, node: Any) -> View | None:
        """The view that a node is; None for others."""
        kind, further = type(node).__name__, None
        if kind == "ArrayRef":
            pointer, further = node.name, node.subscript
        elif (kind == "UnaryOp" and node.op == "*") or (called(node) in LOADS and node.args):
            pointer = node.expr if kind == "UnaryOp" else node.args.exprs[0]
            if type(pointer).__name__ == "BinaryOp" and pointer.op == "+":
                pointer, further = pointer.left, pointer.right
        else:
            return None
        if type(pointer).__name__ == "ID" and str(pointer.name) in self.starts:
            start = self.starts[str(pointer.name)]
            if type(start).__name__ == "BinaryOp" and start.op == "+":
                start, further = start.left, self.add(start.right, further)
            pointer = start
        vector = find_pointed(getattr(pointer, "to_type", None)) if type(pointer).__name__ == "Cast" else ""
        place = self.place(pointer) if vector in VECTORS else None
        if place is None or self.numbers[place[0]] != vector[:-1]:
            return None
        further = None if getattr(further, "value", "") == "0" else further
        return View(vector, place[0], place[1], further)

    def look(self, node: Any) -> None:
        """Note the views inside a node, and which arrays are used otherwise."""
        if (view := self.read(node)) is not None:
            self.found.append(view)
            for inside in (view.first, view.further):
                if inside is not None:
                    self.look(inside)
            return
        if type(node).__name__ == "Decl" and type(node.type).__name__ == "PtrDecl" and str(node.name) in self.starts:
            return  # Whoever uses the pointer is asked.
        if type(node).__name__ == "ID":
            place = self.place(node)
            self.others |= {str(node.name)} if place is None else {place[0]}
        for part, child in node.children():
            if (type(node).__name__, part) != ("StructRef", "field"):
                self.look(child)

    def rewrite(self, node: Any) -> Any:
        """A body in which views are elements."""

        def change(inside: Any) -> Any:
            view = self.read(inside)
            if view is None:
                return inside
            coord, width = inside.coord, len(VECTORS[view.kind][1])
            array, by = self.ast.ID(view.array, coord), self.ast.Constant("int", str(width), coord)
            if view.array in self.whole:
                first = None if view.first is None else self.ast.BinaryOp("/", view.first, by, coord)
                place = self.add(first, view.further)
                return self.ast.ArrayRef(array, place or self.ast.Constant("int", "0", coord), coord)
            further = None if view.further is None else self.ast.BinaryOp("*", view.further, by, coord)
            return Numbers(self.ast, array, self.add(view.first, further), view.kind).vector(coord)

        return self.drop_pointers(self.store(map_nodes(node, change)))

    def drop_pointers(self, node: Any) -> Any:
        """A body without the declarations of pointers to vectors that nothing uses any more."""

        def change(inside: Any) -> Any:
            if type(inside).__name__ != "Compound":
                return inside
            items = [
                i for n, i in enumerate(inside.block_items or ())
                if not (
                    type(i).__name__ == "Decl" and str(i.name) in self.starts
                    and not any(str(i.name) in find_names(s) for s in inside.block_items[n + 1 :])
                )
            ]  # fmt: skip
            return self.ast.Compound(items, inside.coord)

        return map_nodes(node, change)

    def store(self, node: Any) -> Any:
        """A body in which a vector that is stored number by number is: ``(float4){a[i], ...} = v`` a store of each."""

        def change(inside: Any) -> Any:
            kind = type(inside).__name__
            if kind == "StructRef" and type(inside.name).__name__ == "CompoundLiteral" and inside.type == ".":
                return inside.name.init.exprs["xyzw".index(str(inside.field.name))]
            if kind != "Compound":
                return inside
            items: list[Any] = []
            for item in inside.block_items or ():
                stored = type(item).__name__ == "Assignment" and type(item.lvalue).__name__ == "CompoundLiteral"
                if not stored or item.op != "=":
                    items.append(item)
                    continue
                numbers = item.lvalue.init.exprs
                vector_name = f"stored__{item.coord.line}_{len(items)}"
                items.append(
                    declare_vector(vector_name, name_structure(item.lvalue.type.type.type), item.rvalue, self.ast)
                )
                for number, label in zip(numbers, "xyzw", strict=False):
                    member = self.ast.StructRef(self.ast.ID(vector_name), ".", self.ast.ID(label), item.coord)
                    items.append(self.ast.Assignment("=", number, member, item.coord))
            return self.ast.Compound(items, inside.coord)

        return map_nodes(node, change)


@dataclass(frozen=True)
class Numbers:
    """Numbers of an array side by side, from one on."""

    ast: Any
    array: Any
    first: Any
    kind: str

    def vector(self, coord: Any) -> Any:
        """``(float4){a[i], a[i + 1], a[i + 2], a[i + 3]}``."""
        elements = []
        for n in range(len(VECTORS[self.kind][1])):
            at = self.ast.Constant("int", str(n), coord)
            place = at if self.first is None else self.ast.BinaryOp("+", self.first, at, coord) if n else self.first
            elements.append(self.ast.ArrayRef(self.array, place, coord))
        named = self.ast.TypeDecl(None, [], None, self.ast.IdentifierType([self.kind]))
        return self.ast.CompoundLiteral(self.ast.Typename(None, [], None, named), self.ast.InitList(elements), coord)


def declare_vector(name: str, kind: str, value: Any, ast: Any) -> Any:
    """``float4 v = e;``."""
    return ast.Decl(
        name, [], [], [], [], ast.TypeDecl(name, [], None, ast.IdentifierType([kind])), value, None, value.coord
    )


def shrink_allocated(allocated: Mapping[str, int], whole: Mapping[str, int]) -> dict[str, int]:
    """Elements of arrays, those that are read as vectors counted in vectors."""
    return {n: max(1, v // whole[n]) if n in whole else v for n, v in allocated.items()}
