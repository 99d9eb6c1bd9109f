"""Arrays that a function makes once, and that each turn of a loop fills before it reads them: each turn makes one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roofcast_hull.source.c_declarations import name_structure
from roofcast_hull.source.c_nodes import copy_node
from roofcast_hull.source.c_tree import are_alike, called, find_names, has_kind, list_items, uncast
from roofcast_hull.source.index_names import walk_nodes
from roofcast_hull.source.loop_facts import LoopFacts, find_changed, read_header
from roofcast_hull.source.numbers_of_loops import evaluate
from roofcast_hull.source.plain_loops import MAKES_VECTOR

MAKING = ("malloc", "calloc", "aligned_alloc", "_mm_malloc")
"""Functions of which the result is a new array."""
FREEING = ("free", "_mm_free")
MADE_VECTOR = MAKES_VECTOR.removeprefix("construct_")
DATA = "data_"
"""The member of a vector that holds its elements."""
LOOPS = ("For", "While", "DoWhile")


class UnfilledError(Exception):
    """An element may be read that the turn did not set."""


@dataclass(frozen=True, slots=True)
class Range:
    """Whole numbers from one to below another."""

    first: Any
    end: Any


@dataclass(slots=True)
class Filling:
    """Which elements of one array a turn has set so far."""

    name: str
    lengths: list[Any]
    """Expressions, outermost first; none where nobody says them."""
    known: Mapping[str, int]
    ast: Any
    set_places: list[list[Any]] = field(default_factory=list)
    """Indices, or ranges of them."""

    def run(self, items: Sequence[Any], ranges: dict[str, Range]) -> None:
        """Go through statements in their order. ranges : of counters of loops around.

        Raises
        ------
        UnfilledError : one reads what was not set.
        """
        for item in items:
            kind = type(item).__name__
            if kind == "Compound":
                self.run(list_items(item), ranges)
            elif kind in LOOPS:
                self.run_loop(item, ranges)
            elif kind == "If":
                self.run_branches(item, ranges)
            elif kind == "Assignment" and item.op == "=" and (place := self.find_place(item.lvalue)) is not None:
                for part in [item.rvalue, *place]:
                    self.read(part, ranges)
                self.set_places.append(place)
            else:
                self.read(item, ranges)
            changed = find_changed(item)
            self.set_places = [
                p for p in self.set_places
                if not changed & {n for i in p if not isinstance(i, Range) for n in find_names(i)}
            ]  # fmt: skip

    def run_loop(self, node: Any, ranges: dict[str, Range]) -> None:
        """A loop: what it sets in each turn it sets over the range of its counter."""
        header = read_header(node, self.ast) if type(node).__name__ == "For" else None
        for part in (getattr(node, "init", None), node.cond, getattr(node, "next", None)):
            if part is not None:
                self.read(part, ranges)
        before = len(self.set_places)
        counted = self.read_range(node, header) if header is not None else None
        inside = {**ranges, header[0]: counted} if header is not None and counted is not None else ranges
        self.run(list_items(node.stmt), inside)
        new = self.set_places[before:]
        del self.set_places[before:]
        if header is None or counted is None or has_kind(node.stmt, "Break", "Continue", "Return", "Goto"):
            return
        for place in new:
            wide = [counted if not isinstance(i, Range) and is_name(i, header[0]) else i for i in place]
            self.set_places.append(wide)

    def read_range(self, node: Any, header: tuple[str, Any, Any]) -> Range | None:
        """The numbers of a counter that goes up by one."""
        cond = uncast(node.cond)
        up = evaluate(header[2], self.known) == 1 and type(cond).__name__ == "BinaryOp"
        if not up or cond.op not in ("<", "<=", "!=") or not is_name(uncast(cond.left), header[0]):
            return None
        end = cond.right
        if cond.op == "<=":
            end = self.ast.BinaryOp("+", end, self.ast.Constant("int", "1"))
        return Range(header[1], end)

    def run_branches(self, node: Any, ranges: dict[str, Range]) -> None:
        """A condition: only what both sides set is set."""
        self.read(node.cond, ranges)
        before, results = list(self.set_places), list[list[list[Any]]]()
        for side in (node.iftrue, node.iffalse):
            self.set_places = list(before)
            self.run(list_items(side), ranges)
            results.append(self.set_places)
        self.set_places = [p for p in results[0] if any(self.are_equal(p, q) for q in results[1])]

    def are_equal(self, place: list[Any], other: list[Any]) -> bool:
        """Whether two places are written alike."""
        return len(place) == len(other) and all(
            a is b or (not isinstance(a, Range) and not isinstance(b, Range) and are_alike(a, b))
            for a, b in zip(place, other, strict=True)
        )  # fmt: skip

    def find_place(self, node: Any) -> list[Any] | None:
        """Indices of an element of the array; None for another place."""
        node, place = uncast(node), list[Any]()
        while type(node).__name__ == "ArrayRef":
            place.insert(0, uncast(node.subscript))
            node = uncast(node.name)
        member = type(node).__name__ == "StructRef" and str(node.field.name) == DATA
        base = uncast(node.name) if member else node
        whole = not self.lengths or len(place) == len(self.lengths)
        return place if place and whole and is_name(base, self.name) else None

    def read(self, node: Any, ranges: dict[str, Range]) -> None:
        """An expression: each element in it must have been set."""
        if self.name not in find_names(node):
            return
        kind = type(node).__name__
        if kind == "FuncCall" and called(node) == "memset" and is_name(uncast(node.args.exprs[0]), self.name):
            if "sizeof" in {n.op for n in walk_nodes(node.args.exprs[2]) if type(n).__name__ == "UnaryOp"}:
                zero = self.ast.Constant("int", "0")
                self.set_places.append([Range(zero, n) for n in self.lengths])
            return
        place = self.find_place(node)
        if place is not None:
            if not self.is_set(place, ranges):
                raise UnfilledError
            for index in place:
                self.read(index, ranges)
            return
        if kind == "ID" or (kind == "StructRef" and str(node.field.name) == DATA):
            raise UnfilledError
        if kind == "StructRef" and is_name(uncast(node.name), self.name):
            return
        for _, child in node.children():
            self.read(child, ranges)

    def is_set(self, place: list[Any], ranges: dict[str, Range]) -> bool:
        """Whether an element was set in the same turn."""
        if len(self.lengths) == 1 and (long := evaluate(self.lengths[0], self.known)) is not None:
            single = {evaluate(p[0], self.known) for p in self.set_places if not isinstance(p[0], Range)}
            if single >= set(range(long)):
                return True
        return any(
            all(self.holds(s, i, at, ranges) for at, (s, i) in enumerate(zip(p, place, strict=True)))
            for p in self.set_places if len(p) == len(place)
        )  # fmt: skip

    def holds(self, known_set: Any, index: Any, at: int, ranges: dict[str, Range]) -> bool:
        """Whether an index is the one that was set, or in the range of those."""
        if not isinstance(known_set, Range):
            same = evaluate(known_set, self.known)
            return are_alike(known_set, index) or (same is not None and same == evaluate(index, self.known))
        begins = evaluate(known_set.first, self.known)
        if begins == 0 and at < len(self.lengths) and self.is_at_least(known_set.end, self.lengths[at], 0):
            return True
        base, beside = split_offset(index)
        if is_constant_index := evaluate(index, self.known) is not None:
            base, beside = None, evaluate(index, self.known) or 0
        asked = ranges.get(str(base.name)) if type(base).__name__ == "ID" else None
        if asked is None and not is_constant_index:
            return False
        if asked is None:
            end = evaluate(known_set.end, self.known)
            return begins is not None and end is not None and begins <= beside < end
        first = evaluate(asked.first, self.known)
        low = begins is not None and first is not None and first + beside >= begins
        return low and self.is_at_least(known_set.end, asked.end, beside)

    def is_at_least(self, end: Any, other: Any, beside: int) -> bool:
        """Whether an end is at least another one and a number."""
        numbers = evaluate(end, self.known), evaluate(other, self.known)
        if numbers[0] is not None and numbers[1] is not None:
            return numbers[0] >= numbers[1] + beside
        (base, more), (asked, further) = split_offset(end), split_offset(other)
        return are_alike(base, asked) and more >= further + beside


def is_name(node: Any, name: str) -> bool:
    """Whether an expression is a name."""
    return type(node).__name__ == "ID" and str(node.name) == name


def split_offset(node: Any) -> tuple[Any, int]:
    """An expression as another one and a number that is added to it."""
    node = uncast(node)
    if type(node).__name__ == "BinaryOp" and node.op in ("+", "-") and type(uncast(node.right)).__name__ == "Constant":
        number = evaluate(node.right, {})
        if number is not None:
            base, more = split_offset(node.left)
            return base, more + (number if node.op == "+" else -number)
    return node, 0


def sink_scratch(body: Any, known: Mapping[str, int], functions: Mapping[str, Any], ast: Any) -> Any:
    """A function's body in which loops, whose turns then do not wait, make the arrays that each turn fills anew."""
    names = [n for n in walk_nodes(body) if type(n).__name__ == "Decl" and is_scratch(n)]
    return sink_inside(body, known, functions, ast) if names else body


def is_scratch(declared: Any) -> bool:
    """Whether a declaration makes an array that holds nothing yet."""
    kind, init = type(declared.type).__name__, declared.init
    if kind == "ArrayDecl":
        return init is None and "const" not in (declared.quals or ()) and "extern" not in (declared.storage or ())
    maker = called(uncast(init)) if init is not None else ""
    if kind == "PtrDecl":
        return maker in MAKING
    vector = kind == "TypeDecl" and name_structure(declared.type.type).startswith(MADE_VECTOR)
    return vector and (init is None or maker.startswith(MAKES_VECTOR))


def sink_inside(node: Any, known: Mapping[str, int], functions: Mapping[str, Any], ast: Any) -> Any:
    """The same for a block and those inside of it."""
    if type(node).__name__ == "Compound":
        items = list(node.block_items or ())
        for declared in [i for i in items if type(i).__name__ == "Decl" and is_scratch(i)]:
            items = sink_array(declared, items, known, functions, ast) or items
        node = copy_node(node, lambda inside: inside)
        node.block_items = items
    return copy_node(node, lambda inside: sink_inside(inside, known, functions, ast))


def sink_array(
    declared: Any, items: list[Any], known: Mapping[str, int], functions: Mapping[str, Any], ast: Any
) -> list[Any] | None:  # fmt: skip
    """Statements of a block in which the loops that use an array make it; None where one may need it as it was."""
    name, at = str(declared.name), items.index(declared)
    freed = [i for i in items if called(i) in FREEING and i.args is not None and name in find_names(i.args)]
    users = [i for i in items[at + 1 :] if name in find_names(i) and i not in freed]
    moved = find_names(declared.init) if declared.init is not None else set[str]()
    if not users or any(type(i).__name__ != "For" for i in users) or moved & set().union(*map(find_changed, users)):
        return None
    if any(name in find_names(p) for u in users for p in (u.init, u.cond, u.next) if p is not None):
        return None
    written = dict[int, Any]()
    for loop in users:
        filling = Filling(name, list_lengths(declared), known, ast)
        try:
            filling.run(list_items(loop.stmt), {})
        except UnfilledError:
            return None
        fresh = copy_node(declared, lambda inside: inside)
        fresh.storage = [s for s in declared.storage or () if s != "static"]
        filled = copy_node(loop, lambda inside: inside)
        filled.stmt = ast.Compound([fresh, *list_items(loop.stmt)], loop.coord)
        if LoopFacts(filled, functions, ast).judge() == "waits" or LoopFacts(loop, functions, ast).judge() != "waits":
            return None
        written[id(loop)] = filled
    return [written.get(id(i), i) for i in items if i is not declared and i not in freed]


def list_lengths(declared: Any) -> list[Any]:
    """How long an array is along each of its dimensions, as far as its declaration says."""
    lengths, kind = list[Any](), declared.type
    while type(kind).__name__ == "ArrayDecl":
        lengths.append(kind.dim)
        kind = kind.type
    maker = uncast(declared.init) if declared.init is not None else None
    if maker is not None and called(maker).startswith(MAKES_VECTOR) and maker.args is not None:
        lengths = [maker.args.exprs[0]]
    return lengths if all(n is not None for n in lengths) else []
