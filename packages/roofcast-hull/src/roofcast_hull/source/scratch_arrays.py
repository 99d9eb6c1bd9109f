"""Arrays that a function makes once, and that each turn of a loop fills before it reads them: each turn makes one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roofcast.core.errors import one_line
from roofcast_hull.source.c_declarations import name_structure
from roofcast_hull.source.c_nodes import copy_node
from roofcast_hull.source.c_tree import are_alike, called, find_names, has_kind, list_items, substitute, uncast
from roofcast_hull.source.index_names import walk_nodes
from roofcast_hull.source.loop_facts import LoopFacts, find_changed, read_header
from roofcast_hull.source.nest import SourceError, refuse
from roofcast_hull.source.numbers_of_loops import evaluate
from roofcast_hull.source.plain_loops import MAKES_VECTOR

MAKING = ("malloc", "calloc", "aligned_alloc", "_mm_malloc")
"""Functions of which the result is a new array."""
FREEING = ("free", "_mm_free")
MADE_VECTOR = MAKES_VECTOR.removeprefix("construct_")
DATA = "data_"
"""The member of a vector that holds its elements."""
LOOPS = ("For", "While", "DoWhile")


MOST_BACK = 4
"""Turns before of which one may take an element."""
MOST_CALLS = 4
"""Functions inside of each other that are gone through."""


class UnfilledError(Exception):
    """An element is read that the turn did not set."""


class UnknownError(UnfilledError):
    """An element may be read that the turn did not set: where it goes is not followed."""


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
    functions: Mapping[str, Any]
    ast: Any
    depth: int = 0
    """Functions around that were gone through."""
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
        leaves = has_kind(node.stmt, "Break", "Continue", "Return", "Goto")
        up = header is not None and counted is not None and evaluate(header[2], self.known) == 1
        if header is not None and counted is not None and up and not leaves and len(self.lengths) <= 1:
            self.carry(node, header[0], counted, ranges)
            before = len(self.set_places)
        self.run(list_items(node.stmt), inside)
        new = self.set_places[before:]
        del self.set_places[before:]
        if header is None or counted is None or leaves:
            return
        self.set_places += [[self.widen(i, header[0], counted) for i in place] for place in new]

    def widen(self, index: Any, counter: str, counted: Range) -> Any:
        """All indices that one takes over the turns of a loop."""
        base, beside = (None, 0) if isinstance(index, Range) else split_offset(index)
        if not is_name(base, counter):
            return index
        return Range(self.add(counted.first, beside), self.add(counted.end, beside)) if beside else counted

    def add(self, node: Any, number: int) -> Any:
        """An expression and a number."""
        return self.ast.BinaryOp("+" if number >= 0 else "-", node, self.ast.Constant("int", str(abs(number))))

    def carry(self, node: Any, counter: str, counted: Range, ranges: dict[str, Range]) -> None:
        """What turns before set for one, where all before the first turn's own are set: ``t[i] = t[i - 1]``."""
        stored = [self.find_place(i.lvalue) for i in list_items(node.stmt) if type(i).__name__ == "Assignment"]
        steps = [split_offset(p[0]) for p in stored if p is not None and len(p) == 1]
        ahead = [more for base, more in steps if is_name(base, counter)]
        for back in range(1, MOST_BACK + 1) if ahead else ():
            if not self.is_set([self.add(counted.first, ahead[0] - back)], ranges):
                return
            self.set_places.append([self.add(self.ast.ID(counter), ahead[0] - back)])

    def read_range(self, node: Any, header: tuple[str, Any, Any]) -> Range | None:
        """The numbers of a counter that goes up or down by one."""
        cond = uncast(node.cond)
        step = evaluate(header[2], self.known) if type(cond).__name__ == "BinaryOp" else None
        if step == -1 and cond.op in (">=", ">") and is_name(uncast(cond.left), header[0]):
            return Range(cond.right if cond.op == ">=" else self.add(cond.right, 1), self.add(header[1], 1))
        if step != 1 or cond.op not in ("<", "<=", "!=") or not is_name(uncast(cond.left), header[0]):
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
        if self.name not in find_names(node) or self.call(node, ranges):
            return
        kind = type(node).__name__
        place = self.find_place(node)
        if place is not None:
            if not self.is_set(place, ranges):
                raise UnknownError if self.set_places else UnfilledError
            for index in place:
                self.read(index, ranges)
            return
        if kind == "ID" or (kind == "StructRef" and str(node.field.name) == DATA):
            raise UnknownError
        if kind == "StructRef" and is_name(uncast(node.name), self.name):
            return
        for _, child in node.children():
            self.read(child, ranges)

    def call(self, node: Any, ranges: dict[str, Range]) -> bool:
        """A call that may set elements: whether it is one."""
        if type(node).__name__ != "FuncCall":
            return False
        if called(node) == "memset" and is_name(uncast(node.args.exprs[0]), self.name):
            if "sizeof" in {n.op for n in walk_nodes(node.args.exprs[2]) if type(n).__name__ == "UnaryOp"}:
                self.set_places.append([Range(self.ast.Constant("int", "0"), n) for n in self.lengths])
            return True
        if self.is_handed(node):
            self.go_through(node, ranges)
            return True
        return False

    def is_handed(self, node: Any) -> bool:
        """Whether a call gives the array as it is to a function of the file."""
        given = [uncast(a) for a in (node.args.exprs if node.args else ())]
        return called(node) in self.functions and sum(map(self.is_base, given)) == 1

    def is_base(self, node: Any) -> bool:
        """Whether an expression is the array, or the elements of the vector."""
        member = type(node).__name__ == "StructRef" and str(node.field.name) == DATA
        return is_name(uncast(node.name) if member else node, self.name)

    def go_through(self, node: Any, ranges: dict[str, Range]) -> None:
        """A function that is given the array: what it sets by numbers, and by what it is given, is set."""
        function, given = self.functions[called(node)], [uncast(a) for a in node.args.exprs]
        taken = [str(p.name) for p in getattr(function.decl.type.args, "params", None) or ()]
        if self.depth > MOST_CALLS or len(taken) != len(given):
            raise UnknownError
        for argument in given:
            if not self.is_base(argument):
                self.read(argument, ranges)
        at = next(k for k, a in enumerate(given) if self.is_base(a))
        meaning = {t: a for k, (t, a) in enumerate(zip(taken, given, strict=True)) if k != at}
        inside = Filling(taken[at], self.lengths, self.known, self.functions, self.ast, self.depth + 1)
        inside.set_places = [p for p in self.set_places if not self.find_open(p, self.known)]
        changed = find_changed(function.body)
        inside.run(list_items(function.body), {})
        for place in inside.set_places:
            if not self.find_open(place, {**self.known, **dict.fromkeys(meaning, 0)}) - (set(meaning) - changed):
                self.set_places.append([self.give(i, meaning) for i in place])

    @staticmethod
    def find_open(place: list[Any], known: Mapping[str, int]) -> set[str]:
        """Names in indices whose numbers are not known."""
        parts = [e for i in place for e in ((i.first, i.end) if isinstance(i, Range) else (i,))]
        return set[str]().union(*map(find_names, parts)) - set(known)

    @staticmethod
    def give(index: Any, meaning: Mapping[str, Any]) -> Any:
        """An index of a function by what that is given."""
        if isinstance(index, Range):
            return Range(substitute(index.first, meaning), substitute(index.end, meaning))
        return substitute(index, meaning)

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
        single = {evaluate(p[at], self.known) for p in self.set_places if len(p) == 1 and not isinstance(p[at], Range)}
        while begins is not None and begins - 1 in single:
            begins -= 1
        if begins == 0 and self.is_length(known_set.end):
            return True
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

    def is_length(self, node: Any) -> bool:
        """Whether an expression is the length of the vector."""
        node = uncast(node)
        return type(node).__name__ == "StructRef" and str(node.field.name) == "n_" and is_name(node.name, self.name)

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


def sink_scratch(
    body: Any, known: Mapping[str, int], functions: Mapping[str, Any], ast: Any, *, strict: bool = False
) -> Any:  # fmt: skip
    """A function's body in which loops, whose turns then do not wait, make the arrays that each turn fills anew.

    strict : whether arrays of which that is not told are refused.

    Raises
    ------
    SourceError : turns wait for such an array alone.
    """
    names = [n for n in walk_nodes(body) if type(n).__name__ == "Decl" and is_scratch(n)]
    if not names:
        return body
    try:
        return sink_inside(body, known, functions, ast)
    except SourceError:
        if strict:
            raise
        return body


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
        scratch = [i for i in items if type(i).__name__ == "Decl" and is_scratch(i)]
        items = sink_arrays(scratch, items, known, functions, ast) or items
        node = copy_node(node, lambda inside: inside)
        node.block_items = items
    return copy_node(node, lambda inside: sink_inside(inside, known, functions, ast))


def sink_arrays(
    scratch: Sequence[Any], items: list[Any], known: Mapping[str, int], functions: Mapping[str, Any], ast: Any
) -> list[Any] | None:  # fmt: skip
    """Statements of a block in which the loops that use some arrays make them; None where none may.

    Raises
    ------
    SourceError : turns wait for such an array alone, and whether they fill it is not told.
    """
    users = {str(d.name): find_users(d, items) for d in scratch}
    several = [d for d in scratch if users[str(d.name)]]
    written, sunk = dict[int, Any](), set[str]()
    for loop in dict.fromkeys(u for d in several for u in users[str(d.name)] or ()):
        mine = [d for d in several if loop in (users[str(d.name)] or ())]
        if LoopFacts(loop, functions, ast).judge() != "waits":
            continue
        if LoopFacts(make_inside(loop, mine, ast), functions, ast).judge() == "waits":
            continue
        filled = [d for d in mine if is_filled(d, loop, known, functions, ast)]
        if len(filled) == len(mine):
            written[id(loop)] = make_inside(loop, mine, ast)
            sunk |= {str(d.name) for d in mine}
    whole = {n for n in sunk if all(id(u) in written for u in users[n] or ())}
    if whole < sunk or not sunk:
        return None
    freed = [i for i in items if called(i) in FREEING and i.args is not None and whole & find_names(i.args)]
    moved = [d for d in scratch if str(d.name) in whole]
    return [written.get(id(i), i) for i in items if i not in moved and i not in freed]


def find_users(declared: Any, items: list[Any]) -> list[Any] | None:
    """Loops of a block that use an array; None where something else does, or they change what says its size."""
    name, at = str(declared.name), items.index(declared)
    users = [
        i for i in items[at + 1 :] if name in find_names(i) and not (called(i) in FREEING and i.args is not None)
    ]  # fmt: skip
    asked = find_names(declared.init) if declared.init is not None else set[str]()
    if not users or any(type(i).__name__ != "For" for i in users) or asked & set().union(*map(find_changed, users)):
        return None
    heads = [p for u in users for p in (u.init, u.cond, u.next) if p is not None]
    return None if any(name in find_names(p) for p in heads) else users


def is_filled(
    declared: Any, loop: Any, known: Mapping[str, int], functions: Mapping[str, Any], ast: Any
) -> bool:  # fmt: skip
    """Whether each turn of a loop sets the elements of an array that it reads.

    Raises
    ------
    SourceError : that is not told.
    """
    try:
        Filling(str(declared.name), list_lengths(declared), known, functions, ast).run(list_items(loop.stmt), {})
    except UnknownError:
        why = f"whether each turn sets what it reads of '{one_line(str(declared.name), 40)}' is not told"
        raise refuse(int(loop.coord.line), why) from None
    except UnfilledError:
        return False
    return True


def make_inside(loop: Any, scratch: Sequence[Any], ast: Any) -> Any:
    """A loop whose turns make some arrays."""
    arrays = list[Any]()
    for declared in scratch:
        fresh = copy_node(declared, lambda inside: inside)
        fresh.storage = [s for s in declared.storage or () if s != "static"]
        arrays.append(fresh)
    filled = copy_node(loop, lambda inside: inside)
    filled.stmt = ast.Compound([*arrays, *list_items(loop.stmt)], loop.coord)
    return filled


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
