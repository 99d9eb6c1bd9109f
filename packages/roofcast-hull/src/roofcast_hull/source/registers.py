"""Small arrays of a thread's own as the registers that compilers make of them, and tables of constants as numbers.

``float p[9]`` that unrolled loops fill and sort is nine scalars, ``ex[q]`` of a table in constant memory a number.
"""

from __future__ import annotations

import copy
import itertools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from roofcast_hull.source.c_idioms import list_declared
from roofcast_hull.source.c_nodes import copy_node
from roofcast_hull.source.c_statements import read_step
from roofcast_hull.source.c_tree import LARGEST_LITERAL, find_names, list_items, read_integer

MOST_ELEMENTS = 64
"""Elements of an array that compilers keep in registers."""
MOST_TURNS = 32
"""Turns of a loop that is unrolled."""
MOST_STATEMENTS = 4000
"""Statements that unrolling may make of a kernel."""
FOLDED: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
COMPARED: dict[str, Callable[[int, int], bool]] = {"<": operator.lt, "<=": operator.le, ">": operator.gt,
                                                   ">=": operator.ge, "!=": operator.ne}  # fmt: skip


class NotUnrolledError(Exception):
    """An element of a small array that no loop's counter names."""


def unroll_arrays(tree: Any, chosen: Any, sizes: Mapping[str, int], ast: Any) -> None:
    """Write the body of a function, in place, without small arrays of its own, where all their elements are named."""
    unroller = Unroller(sizes, ast)
    for declared in list_declared(chosen.body):
        dims = unroller.find_dims(declared)
        if dims and "static" not in (declared.storage or ()) and not hasattr(declared.init, "value"):
            unroller.arrays[str(declared.name)] = dims
    if not unroller.arrays:
        return
    for item in tree.ext:
        if type(item).__name__ == "Decl" and type(item.init).__name__ == "InitList":
            unroller.read_table(item)
    try:
        body = ast.Compound(unroller.block(list_items(chosen.body), {}), chosen.body.coord)
    except NotUnrolledError:
        return
    if not find_names(body) & set(unroller.arrays):
        chosen.body = body


class Unroller:
    """Copies statements with counters, elements and tables replaced."""

    def __init__(self, sizes: Mapping[str, int], ast: Any) -> None:
        self.sizes, self.ast = sizes, ast
        self.arrays: dict[str, tuple[int, ...]] = {}
        """Sizes of the arrays that become scalars."""
        self.tables: dict[str, list[Any]] = {}
        """Elements of tables of constants, one list after the other."""
        self.widths: dict[str, tuple[int, ...]] = {}
        self.made = 0

    def find_dims(self, node: Any) -> tuple[int, ...]:
        """Sizes of a small array; empty for other declarations."""
        dims, kind = [], node.type
        while type(kind).__name__ == "ArrayDecl":
            size = self.number(kind.dim, {}) if kind.dim is not None else None
            dims.append(size or 0)
            kind = kind.type
        small = dims and all(dims) and math.prod(dims) <= MOST_ELEMENTS and type(kind).__name__ == "TypeDecl"
        return tuple(dims) if small else ()

    def read_table(self, node: Any) -> None:
        """Remember a table whose elements are numbers."""
        dims = self.find_dims(node)
        values = list(flatten_list(node.init))
        if dims and len(values) == math.prod(dims):
            self.tables[str(node.name)], self.widths[str(node.name)] = values, dims

    def number(self, node: Any, known: Mapping[str, int]) -> int | None:
        """A whole number that an expression is; None for others."""
        kind = type(node).__name__
        if kind == "Constant" and "int" in node.type:
            return read_integer(str(node.value), 1, LARGEST_LITERAL)
        if kind == "ID":
            return known.get(str(node.name), self.sizes.get(str(node.name)))
        if kind == "UnaryOp" and node.op == "-":
            inside = self.number(node.expr, known)
            return None if inside is None else -inside
        if kind != "BinaryOp" or node.op not in FOLDED:
            return None
        left, right = self.number(node.left, known), self.number(node.right, known)
        return None if left is None or right is None else FOLDED[node.op](left, right)

    def block(self, items: Sequence[Any], known: dict[str, int]) -> list[Any]:
        """Statements in place of others."""
        self.made += len(items)
        if self.made > MOST_STATEMENTS:
            raise NotUnrolledError
        return [s for item in items for s in self.statement(item, known)]

    def statement(self, node: Any, known: dict[str, int]) -> list[Any]:
        """The statements that one stands for."""
        kind = type(node).__name__
        if kind == "Decl" and str(node.name) in self.arrays:
            return self.declare(node, known)
        if kind == "For" and (turns := self.find_turns(node, known)) is not None:
            name, values = turns
            return [
                self.ast.Compound(self.block(list_items(node.stmt), {**known, name: v}), node.coord) for v in values
            ]
        if kind == "Compound":
            return [self.ast.Compound(self.block(list_items(node), known), node.coord)]
        copied = copy.copy(node)
        for part in node.__slots__:
            value = getattr(node, part, None)
            if part in ("stmt", "iftrue", "iffalse") and value is not None:
                setattr(copied, part, self.ast.Compound(self.block(list_items(value), known), node.coord))
            elif hasattr(value, "children") and part not in ("type", "coord"):
                setattr(copied, part, self.expression(value, known))
            elif isinstance(value, list):
                setattr(copied, part, [self.expression(v, known) if hasattr(v, "children") else v for v in value])
        return [copied]

    def declare(self, node: Any, known: dict[str, int]) -> list[Any]:
        """A scalar for each element of an array."""
        dims, kind = self.arrays[str(node.name)], node.type
        while type(kind).__name__ == "ArrayDecl":
            kind = kind.type
        values = list(flatten_list(node.init)) if type(node.init).__name__ == "InitList" else []
        scalars = []
        for at, place in enumerate(itertools.product(*map(range, dims))):
            scalar, scalar_type = copy.copy(node), copy.copy(kind)
            scalar_type.declname = scalar.name = name_element(str(node.name), place)
            zero = self.ast.Constant("int", "0", node.coord) if node.init is not None else None
            scalar.type, scalar.init = scalar_type, self.expression(values[at], known) if at < len(values) else zero
            scalars.append(scalar)
        return scalars

    def find_turns(self, node: Any, known: Mapping[str, int]) -> tuple[str, list[int]] | None:
        """Counter and values of a short loop that names elements of a small array; None for others."""
        declared = type(node.init).__name__ == "DeclList" and len(node.init.decls) == 1
        name = str(node.init.decls[0].name if declared else getattr(getattr(node.init, "lvalue", None), "name", ""))
        start = node.init.decls[0].init if declared else getattr(node.init, "rvalue", None)
        step = read_step(node.next, self.ast) if node.next is not None else None
        if not name or step is None or step[0] != name or type(node.cond).__name__ != "BinaryOp":
            return None
        if getattr(node.cond.left, "name", "") != name or name not in self.find_indices(node.stmt):
            return None
        first, last, by = self.number(start, known), self.number(node.cond.right, known), self.number(step[1], known)
        if first is None or last is None or not by or node.cond.op not in COMPARED:
            return None
        values: list[int] = []
        while COMPARED[node.cond.op](first, last):
            values.append(first)
            first += by
            if len(values) > MOST_TURNS:
                return None
        return name, values

    def find_indices(self, node: Any) -> set[str]:
        """Names in the indices of small arrays."""
        indices = set[str]()
        if type(node).__name__ == "ArrayRef":
            base, names = node, set[str]()
            while type(base).__name__ == "ArrayRef":
                names |= find_names(base.subscript)
                base = base.name
            indices = names if getattr(base, "name", "") in self.arrays else indices
        return indices.union(*(self.find_indices(child) for _, child in node.children()))

    def expression(self, node: Any, known: Mapping[str, int]) -> Any:
        """An expression with elements and counters replaced."""
        kind = type(node).__name__
        if kind == "ID" and str(node.name) in known:
            return self.constant(known[str(node.name)], node)
        if kind == "ArrayRef" and (element := self.element(node, known)) is not None:
            return element
        return copy_node(node, lambda inside: self.expression(inside, known), but=("type", "field", "to_type"))

    def constant(self, value: int, node: Any) -> Any:
        """A whole number."""
        number = self.ast.Constant("int", str(abs(value)), node.coord)
        return number if value >= 0 else self.ast.UnaryOp("-", number, node.coord)

    def element(self, node: Any, known: Mapping[str, int]) -> Any | None:
        """What an element of a small array, or of a table, stands for; None for elements of other arrays."""
        places: list[Any] = []
        base = node
        while type(base).__name__ == "ArrayRef":
            places.insert(0, self.number(base.subscript, known))
            base = base.name
        name = str(getattr(base, "name", ""))
        dims = self.arrays.get(name) or self.widths.get(name)
        if dims is None:
            return None
        if None in places or len(places) != len(dims) or any(not 0 <= p < d for p, d in zip(places, dims, strict=True)):
            if name in self.arrays:
                raise NotUnrolledError
            return None
        if name in self.arrays:
            return self.ast.ID(name_element(name, places), node.coord)
        at = 0
        for place, width in zip(places, dims, strict=True):
            at = at * width + place
        return self.tables[name][at]


def name_element(name: str, place: Sequence[int]) -> str:
    """The scalar that an element becomes."""
    return "_".join((f"{name}_", *map(str, place)))


def flatten_list(node: Any) -> Any:
    """Items of lists inside lists, in their order."""
    for item in node.exprs:
        if type(item).__name__ == "InitList":
            yield from flatten_list(item)
        else:
            yield item
