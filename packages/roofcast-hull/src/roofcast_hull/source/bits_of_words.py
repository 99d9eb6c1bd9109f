"""Words of memory that code takes for another type: unions and ``memcpy`` of one number, as conversions of their bits.

``union { float f; uint32_t u; } v = {x}; v.u >> 16`` is ``float v = x; __float_as_uint(v) >> 16``: no operation, and
the same word. Of a union of larger members those that are asked for stay.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from roofcast_hull.source.c_declarations import name_structure
from roofcast_hull.source.c_nodes import copy_node
from roofcast_hull.source.host_numbers import find_type_bytes
from roofcast_hull.source.index_names import walk_nodes

AS = {
    (4, False, True): "__uint_as_float", (4, True, False): "__float_as_uint",
    (8, False, True): "__longlong_as_double", (8, True, False): "__double_as_longlong",
}  # fmt: skip
"""Bytes of a word, whether it is a real number, and whether it is taken as one -> the conversion of its bits."""
REAL = frozenset(["float", "double"])


def write_bits(tree: Any, function: str | None, ast: Any) -> Any:
    """A file without unions and without ``memcpy`` of one number, where these have a plain form; in place.

    function : the one that is read, whose members of unions are those that stay.
    """
    unions = find_unions(tree)
    functions = [n for n in tree.ext if type(n).__name__ == "FuncDef"]
    if unions:
        words = {n: m for n, m in unions.items() if len({measure(x.type)[0] for x in m} | {0}) == 2}
        for item in functions:
            UnionWords(item, words, ast).write()
        asked = {
            str(n.field.name) for f in functions if function is None or f.decl.name == function
            for n in walk_nodes(f) if type(n).__name__ == "StructRef"
        }  # fmt: skip
        tree = write_structures(tree, asked, ast)
    outside = {str(d.name): d.type for d in tree.ext if type(d).__name__ == "Decl" and d.name}
    for item in (n for n in tree.ext if type(n).__name__ == "FuncDef"):
        declared = {str(d.name): d.type for d in walk_nodes(item) if type(d).__name__ == "Decl" and d.name}
        item.body = copy_words(item.body, {**outside, **declared}, ast)
    return tree


def find_unions(tree: Any) -> dict[str, list[Any]]:
    """Members of the unions of a file, by the names that they have."""
    unions: dict[str, list[Any]] = {}
    for node in walk_nodes(tree):
        if type(node).__name__ == "Union" and node.decls and node.name:
            unions[f"union {node.name}"] = list(node.decls)
        kind: Any = getattr(getattr(node, "type", None), "type", None)
        if type(node).__name__ == "Typedef" and type(kind).__name__ == "Union":
            members = list(kind.decls or ()) or unions.get(f"union {kind.name}", [])
            unions |= {str(node.name): members} if members else {}
        if type(node).__name__ == "Decl" and type(kind).__name__ == "Union" and kind.decls and not kind.name:
            unions[f"union of {node.name}"] = list(kind.decls)
    return unions


def measure(kind: Any) -> tuple[int, bool]:
    """Bytes of a number, and whether it is real; no bytes for other types."""
    names = getattr(getattr(kind, "type", None), "names", None) if type(kind).__name__ == "TypeDecl" else None
    size = find_type_bytes(" ".join(names)) if names else None
    return (size, bool(set(names) & REAL)) if size and names else (0, False)


def convert(node: Any, held: Any, taken: Any, ast: Any) -> Any | None:
    """A number of one type as another one whose bits it holds; None where these are not as many."""
    (size, real), (wanted, as_real) = measure(held), measure(taken)
    if not size or size != wanted:
        return None
    name, given = AS.get((size, real, as_real)), ast.ExprList([node], node.coord)
    if real == as_real:
        return node
    return None if name is None else ast.FuncCall(ast.ID(name, node.coord), given, node.coord)


class UnionWords:
    """Local variables of one function that are unions of numbers of as many bytes."""

    def __init__(self, function: Any, words: Mapping[str, list[Any]], ast: Any) -> None:
        self.function, self.words, self.ast = function, words, ast
        self.held: dict[str, list[Any]] = {}
        """Variables, and the members that they have."""

    def write(self) -> None:
        """Write them as numbers of their first member's type, in place."""
        for node in walk_nodes(self.function.body):
            members = self.find_members(node) if type(node).__name__ == "Decl" else []
            if members and all(type(m.type).__name__ == "TypeDecl" for m in members):
                self.held[str(node.name)] = members
        if self.held:
            self.function.body = self.change(self.function.body)

    def find_members(self, node: Any) -> list[Any]:
        """Members of the union that a variable is; none for others."""
        kind: Any = getattr(node.type, "type", None) if type(node.type).__name__ == "TypeDecl" else None
        if type(kind).__name__ == "Union":
            return self.words.get(f"union {kind.name}" if kind.name else f"union of {node.name}", [])
        return self.words.get(name_structure(kind), []) if kind is not None else []

    def find(self, node: Any) -> tuple[str, Any] | None:
        """Name and member of what ``v.u`` takes; None for others."""
        name = str(getattr(node.name, "name", "")) if type(node).__name__ == "StructRef" and node.type == "." else ""
        member = next((m for m in self.held.get(name, ()) if m.name == node.field.name), None) if name else None
        return None if member is None else (name, member)

    def change(self, node: Any) -> Any:
        """A node with such variables as numbers."""
        kind = type(node).__name__
        if kind == "Assignment" and (word := self.find(node.lvalue)) is not None:
            return self.assign(node, *word)
        if (word := self.find(node)) is not None:
            name, member = word
            first = self.held[name][0]
            return convert(self.ast.ID(name, node.coord), first.type, member.type, self.ast) or node
        if kind == "Decl" and str(node.name) in self.held:
            return self.declare(node)
        return copy_node(node, self.change, but=("field",) if kind == "StructRef" else ())

    def assign(self, node: Any, name: str, member: Any) -> Any:
        """``v.u = e`` and ``v.u += e``."""
        first, value = self.held[name][0], self.change(node.rvalue)
        place = self.ast.ID(name, node.coord)
        if node.op != "=":
            before = convert(place, first.type, member.type, self.ast)
            value = self.ast.BinaryOp(node.op[:-1], before, value, node.coord)
        return self.ast.Assignment("=", place, convert(value, member.type, first.type, self.ast), node.coord)

    def declare(self, node: Any) -> Any:
        """``union {...} v = {x};``, ``= {.u = w}``."""
        first = self.held[str(node.name)][0]
        copied = copy.copy(node)
        copied.type = copy.copy(first.type)
        copied.type.declname = str(node.name)
        items = list(node.init.exprs) if type(node.init).__name__ == "InitList" else []
        if items and type(items[0]).__name__ == "NamedInitializer":
            label = str(items[0].name[0].name)
            member = next(m for m in self.held[str(node.name)] if m.name == label)
            copied.init = convert(self.change(items[0].expr), member.type, first.type, self.ast)
        elif items:
            copied.init = self.change(items[0])
        return copied


def write_structures(tree: Any, asked: set[str], ast: Any) -> Any:
    """A file with unions as structures of their members that are asked for, where that is one of each."""

    def change(node: Any) -> Any:
        copied = copy_node(node, change, but=())
        if type(copied).__name__ != "Union":
            return copied
        members = [m for m in copied.decls or () if m.name in asked]
        return ast.Struct(copied.name, members, copied.coord) if len(members) == 1 or not copied.decls else copied

    return change(tree)


def copy_words(node: Any, declared: Mapping[str, Any], ast: Any) -> Any:
    """A statement with ``memcpy(&u, &x, 4)`` of one number as an assignment of its bits."""
    if type(node).__name__ == "FuncCall" and str(getattr(node.name, "name", "")) == "memcpy" and node.args:
        places = [find_place(a, declared) for a in node.args.exprs[:2]]
        if len(node.args.exprs) == 3 and None not in places:
            (place, held), (source, taken) = [p for p in places if p is not None]
            value = convert(source, taken, held, ast) if counts_word(node.args.exprs[2], measure(held)[0]) else None
            if value is not None:
                return ast.Assignment("=", place, value, node.coord)
    copied = copy.copy(node)
    for part in ("block_items", "stmt", "iftrue", "iffalse", "stmts"):
        value = getattr(node, part, None)
        if isinstance(value, list):
            setattr(copied, part, [copy_words(v, declared, ast) for v in value])
        elif hasattr(value, "children"):
            setattr(copied, part, copy_words(value, declared, ast))
    return copied


def find_place(node: Any, declared: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """The number that ``&x``, ``&a[i]`` lead to, and its type; None for others."""
    while type(node).__name__ == "Cast":
        node = node.expr
    inside: Any = node.expr if type(node).__name__ == "UnaryOp" and node.op == "&" else None
    name, depth = inside, 0
    while type(name).__name__ == "ArrayRef":
        name, depth = name.name, depth + 1
    kind: Any = declared.get(str(name.name)) if type(name).__name__ == "ID" else None
    for _ in range(depth):
        kind = kind.type if type(kind).__name__ in ("PtrDecl", "ArrayDecl") else None
    return (inside, kind) if kind is not None and measure(kind)[0] else None


def counts_word(node: Any, size: int) -> bool:
    """Whether a number of bytes is that of a word: ``4``, ``sizeof u``."""
    if type(node).__name__ == "UnaryOp" and node.op == "sizeof":
        return True
    return type(node).__name__ == "Constant" and str(node.value).rstrip("uUlL") == str(size)
