"""Whole numbers that data give and that only say where something is: what makes them is no work on data.

``int column = row + offsets[d]; if (column >= 0 && column < n) sum += x[column];`` adds and multiplies once for each
element that it takes. A code that data make from each other (``4 * code + base``) is work. All that read or run a tree
ask :func:`is_of_index`, so that they count alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

WHOLE_WORDS = """char short int long unsigned signed int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
    size_t ptrdiff_t ssize_t uint ulong ushort uchar"""
WHOLE = frozenset(WHOLE_WORDS.split())
"""Words of types of whole numbers."""
INDEX, CONDITION, ELSE = "an index", "a condition", "else"
"""Where a name is used."""
COMPARED = frozenset(["<", "<=", ">", ">=", "==", "!="])
MIXING = frozenset(["<<", ">>", "^", "|"])
"""Operations on bits that make keys: a mask alone takes the remainder of a place, ``(int)x & (n - 1)``."""
LARGE = 1 << 16
"""Literals from here on are those of keys: hardly a place is moved by as much."""
GIVEN = frozenset(["threadIdx", "blockIdx", "blockDim", "gridDim"])


@cache
def make_marked(kind: str, meaning: str) -> type:
    """The class of nodes of a kind that are marked: of the same name, with the same parts. meaning : of the mark."""
    from pycparser import c_ast

    plain = getattr(c_ast, kind)
    marked = type(kind, (plain,), {"__slots__": ()})
    # Who copies a node asks its class for the parts that it has.
    marked.__slots__ = plain.__slots__  # type: ignore[attr-defined]
    return marked


def is_of_index(node: Any) -> bool:
    """Whether an operation only says where something is."""
    return type(node).__name__ == "BinaryOp" and type(node) is make_marked("BinaryOp", INDEX)


def mark_indices(tree: Any) -> Any:
    """A file in which operations on such numbers are marked."""
    outside = {str(n.name): n.type for n in tree.ext if type(n).__name__ == "Decl"}
    for function in (n for n in tree.ext if type(n).__name__ == "FuncDef"):
        names = Names(function, outside)
        for index in names.find_indices():
            for value in names.values[index]:
                names.mark(value)
                names.mark_remainders(value)
        for index in names.subscripts:
            if names.takes_data(index, names.derived):
                names.mark(index)
        for index in (*names.subscripts, *names.written):
            names.mark_remainders(index)
        for condition in names.conditions:
            if any(str(n.name) in names.found for n in walk_nodes(condition) if type(n).__name__ == "ID"):
                names.mark(condition)
    return tree


def walk_nodes(node: Any) -> Iterator[Any]:
    """A node and all inside of it."""
    yield node
    for _, child in node.children():
        yield from walk_nodes(child)


def mixes_bits(node: Any) -> bool:
    """Whether an expression makes a key of bits: of shifts, of masks of such or of products with large numbers."""
    if node.op != "&":
        return node.op in MIXING
    inside = [n for n in walk_nodes(node) if n is not node]
    literals = [str(n.value).rstrip("uUlL") for n in inside if type(n).__name__ == "Constant" and "int" in n.type]
    mixed = any(type(n).__name__ in ("BinaryOp", "UnaryOp") and n.op in (*MIXING, "~") for n in inside)
    return mixed or any(v.isdigit() and int(v) >= LARGE for v in literals)


class Names:
    """What the names of one function are, and where they are used."""

    def __init__(self, function: Any, outside: Mapping[str, Any]) -> None:
        self.types = dict(outside)
        self.values: dict[str, list[Any]] = defaultdict(list)
        """What a local number is given."""
        self.uses: dict[str, list[str]] = defaultdict(list)
        """Where it is used: one of the words above, or the name of a number that it is given to."""
        self.conditions: list[Any] = []
        self.subscripts: list[Any] = []
        """Of elements that are read: the next place that is written is work, as ``rho[c + 1] += w``."""
        self.written: list[Any] = []
        """Of elements that are written."""
        self.changed: set[str] = set()
        self.found: set[str] = set()
        """Those that are indices from data."""
        self.derived: set[str] = set()
        """Those that follow from data."""
        for node in walk_nodes(function.decl):
            if type(node).__name__ == "Decl":
                self.types[str(node.name)] = node.type
        self.locals: set[str] = set()
        self.visit(function.body, ELSE)

    def visit(self, node: Any, place: str) -> None:
        """Note the uses of names inside of a node."""
        kind = type(node).__name__.lower()
        handler = getattr(self, f"visit_{kind}", None)
        if handler is not None:
            handler(node, place)
            return
        for _, child in node.children():
            self.visit(child, place if kind == "binaryop" else ELSE)

    def visit_id(self, node: Any, place: str) -> None:
        """A name."""
        self.uses[str(node.name)].append(place)

    def visit_decl(self, node: Any, place: str) -> None:
        """A declaration, with its first value."""
        name = str(node.name)
        self.types[name] = node.type
        if type(node.type).__name__ == "TypeDecl":
            self.locals.add(name)
        if node.init is not None:
            self.values[name].append(node.init)
            self.visit(node.init, name)

    def visit_assignment(self, node: Any, place: str) -> None:
        """A new value of a name, or of something else."""
        if type(node.lvalue).__name__ != "ID":
            reads = len(self.subscripts)
            self.visit(node.lvalue, ELSE)
            self.written += self.subscripts[reads:]
            del self.subscripts[reads:]
            self.visit(node.rvalue, ELSE)
            return
        name = str(node.lvalue.name)
        self.values[name].append(node.rvalue)
        if node.op != "=":
            self.changed.add(name)
        self.visit(node.rvalue, name)

    def visit_arrayref(self, node: Any, place: str) -> None:
        """An element."""
        self.subscripts.append(node.subscript)
        self.visit(node.name, ELSE)
        self.visit(node.subscript, INDEX)

    def visit_unaryop(self, node: Any, place: str) -> None:
        """A sign, a step, an address."""
        if node.op in ("++", "--", "p++", "p--", "&") and type(node.expr).__name__ == "ID":
            self.changed.add(str(node.expr.name))
        reads = len(self.subscripts)
        self.visit(node.expr, place if node.op in ("-", "+", "!") else ELSE)
        if node.op == "&":
            self.written += self.subscripts[reads:]
            del self.subscripts[reads:]

    def visit_if(self, node: Any, place: str) -> None:
        """A condition with its branches."""
        self.visit_choice(node, ELSE)

    def visit_ternaryop(self, node: Any, place: str) -> None:
        """One of two values."""
        self.visit_choice(node, place)

    def visit_choice(self, node: Any, place: str) -> None:
        """A condition, and what follows where it holds or not."""
        self.conditions.append(node.cond)
        self.visit(node.cond, CONDITION)
        for branch in (node.iftrue, node.iffalse):
            if branch is not None:
                self.visit(branch, place)

    def find_indices(self) -> set[str]:
        """Local whole numbers that follow from data, and that only indices and conditions use."""
        indices = {n for n in self.locals - self.changed if self.is_whole(n) and len(self.values[n]) == 1}
        before: set[str] = set()
        while before != indices:
            before = indices
            indices = {n for n in indices if all(u in (INDEX, CONDITION) or u in indices for u in self.uses[n])}
            indices = {n for n in indices if any(u == INDEX or u in indices for u in self.uses[n])}
        # Of data are numbers with a fraction, too, ``int bin = (int)floorf(t);``.
        derived: set[str] = set()
        for _ in self.locals:
            more = {n for n in self.locals if any(self.takes_data(v, derived) for v in self.values[n])}
            if more <= derived:
                break
            derived |= more
        self.derived, self.found = derived, derived & indices
        return self.found

    def takes_data(self, value: Any, derived: set[str]) -> bool:
        """Whether a value follows from elements of arrays, or from a real number that is given."""
        kinds = {type(n).__name__ for n in walk_nodes(value)}
        names = {str(n.name) for n in walk_nodes(value) if type(n).__name__ == "ID"}
        given = names - self.locals
        return "ArrayRef" in kinds or bool(names & derived) or any(self.is_real(n) for n in given)

    def is_real(self, name: str) -> bool:
        """Whether a name is declared as one real number."""
        words = getattr(getattr(self.types.get(name), "type", None), "names", ())
        return bool({"float", "double"} & set(words))

    def is_whole(self, name: str) -> bool:
        """Whether a name, or what it points to, is declared as a whole number."""
        kind = self.types.get(name)
        while kind is not None and type(kind).__name__ in ("PtrDecl", "ArrayDecl", "TypeDecl"):
            kind = kind.type
        words = set(getattr(kind, "names", ()))
        return bool(words) and words <= WHOLE

    def is_of_whole(self, node: Any) -> bool:
        """Whether an expression is made of whole numbers alone."""
        kind = type(node).__name__
        if kind == "Constant":
            return "int" in node.type
        if kind == "ID":
            return self.is_whole(str(node.name)) or str(node.name) not in self.types
        if kind == "ArrayRef":
            base = node.name
            while type(base).__name__ == "ArrayRef":
                base = base.name
            return type(base).__name__ == "ID" and self.is_whole(str(base.name))
        if kind == "StructRef":
            return getattr(node.name, "name", "") in GIVEN
        if kind in ("BinaryOp", "UnaryOp"):
            return all(self.is_of_whole(child) for _, child in node.children())
        return False

    def moves(self, node: Any) -> bool:
        """Whether an operation moves a place that data say by a counter or a size, or compares it."""
        data = [self.takes_data(side, self.derived) for side in (node.left, node.right)]
        if node.op in ("&&", "||"):
            return True
        if all(data):
            return False
        if node.op in COMPARED:
            return True
        sides = [side for side, of_data in zip((node.left, node.right), data, strict=True) if not of_data]
        if node.op in "+-" and len(sides) == 1 and type(sides[0]).__name__ == "Constant":
            return True  # The next place.
        return node.op in "+-*" and all(any(type(n).__name__ == "ID" for n in walk_nodes(side)) for side in sides)

    def mark_remainders(self, node: Any) -> None:
        """Mark what keeps a place inside of its array: ``x % n``, ``(int)x & (n - 1)``."""
        if type(node).__name__ != "BinaryOp":
            return
        fixed = not (self.takes_data(node.left, self.derived) and self.takes_data(node.right, self.derived))
        if fixed and (node.op == "%" or (node.op == "&" and not mixes_bits(node))):
            node.__class__ = make_marked("BinaryOp", INDEX)
        for _, child in node.children():
            self.mark_remainders(child)

    def mark(self, node: Any) -> None:
        """Mark an expression's operations of whole numbers."""
        if type(node).__name__ not in ("BinaryOp", "UnaryOp"):
            return
        if type(node).__name__ == "BinaryOp" and self.moves(node) and self.is_of_whole(node):
            node.__class__ = make_marked("BinaryOp", INDEX)
        for _, child in node.children():
            self.mark(child)
