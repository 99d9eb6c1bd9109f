"""What stands before and between the nests of a function: whole numbers, addresses, arrays that it makes."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roofcast.core.errors import one_line
from roofcast_hull.source.c_nodes import map_nodes
from roofcast_hull.source.c_statements import read_step
from roofcast_hull.source.c_tree import called, find_names, has_kind, has_loop, list_items, substitute, uncast
from roofcast_hull.source.host_scope import HELD, LENGTH
from roofcast_hull.source.index_names import walk_nodes
from roofcast_hull.source.loop_facts import LoopFacts, find_declared
from roofcast_hull.source.nest import refuse
from roofcast_hull.source.numbers_of_loops import evaluate
from roofcast_hull.source.opened_structures import JOINT
from roofcast_hull.source.plain_loops import MAKES_VECTOR
from roofcast_hull.source.running_sums import SORTS

ASSUMED = 1024
"""Of a size that nothing states."""
MOST_CALLS = 6
"""Functions inside of each other that are written out."""
MAKING = ("malloc", "calloc", "aligned_alloc", "_mm_malloc")
"""Functions of which the result is a new array."""
REALS = frozenset(["float", "double", "half", "__half", "_Float16", "real_t", "DATA_TYPE", "scalar_t"])
"""Types of numbers with a fraction."""
WHOLE_WORDS = """int long short char unsigned signed size_t ssize_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t
    uint16_t uint32_t uint64_t uchar uint ushort ulong bool _Bool intptr_t uintptr_t"""
WHOLE = frozenset(WHOLE_WORDS.split())


@dataclass(slots=True)
class Before:
    """What stands before a nest."""

    known: dict[str, int]
    """Whole numbers."""
    statements: list[Any] = field(default_factory=list)
    """Those that say whole numbers, addresses and constant tables."""
    parameters: dict[str, Any] = field(default_factory=dict)
    """Names that a nest is given, with their declarations."""
    allocated: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    repetitions: int = 1

    def branch(self) -> Before:
        """The same inside of a block."""
        return Before(
            dict(self.known), list(self.statements), dict(self.parameters), self.allocated, self.notes,
            self.repetitions,
        )  # fmt: skip


class Statements:
    """Walks the statements of one function that are in no nest."""

    def __init__(self, tree: Any, function: Any, known: Mapping[str, int], allocated: Mapping[str, int]) -> None:
        from pycparser import c_ast

        self.ast = c_ast
        self.tree, self.function = tree, function
        self.functions = {str(f.decl.name): f for f in tree.ext if type(f).__name__ == "FuncDef"}
        self.before = Before(dict(known), allocated=dict(allocated))
        self.made = 0

    def walk_loop(self, node: Any, before: Before, depth: int) -> None:
        """A loop that stands outside of nests. depth : functions around that were written out."""
        raise NotImplementedError

    def put_in_order(self, node: Any, before: Before) -> None:
        """A call that puts an array in order."""
        raise NotImplementedError

    # What the file says

    def read_file(self) -> None:
        """Arrays and numbers outside of functions."""
        used = set[str]().union(*(find_names(f.body) for f in self.functions.values()))
        items = []
        for item in self.tree.ext:
            self.read_enumeration(item)
            if type(item).__name__ != "Decl" or type(item.type).__name__ == "FuncDecl":
                items.append(item)
            elif (plain := self.read_outside(item, str(item.name) in used)) is not None:
                items.append(plain)
        self.tree = copy.copy(self.tree)
        self.tree.ext = items

    def read_outside(self, item: Any, is_used: bool) -> Any | None:
        """An array or a number outside of functions, as it stays there; None for what a nest is given."""
        plain = copy.copy(item)
        plain.storage = [s for s in item.storage or () if s not in ("static", "extern")]
        constant, kind = "const" in (item.quals or ()) or is_constant_type(item.type), type(item.type).__name__
        if constant and kind == "TypeDecl" and item.init is not None and not is_real(item.type):
            value = evaluate(item.init, self.before.known)
            if value is not None:
                self.before.known.setdefault(str(item.name), value)
        if not is_used:
            return item
        if kind == "ArrayDecl" and not (constant and item.init is not None):
            self.give_number(plain, self.before)
            return None
        if kind == "TypeDecl" and not constant:
            self.give_number(plain, self.before)
            return None
        return plain

    def read_enumeration(self, item: Any) -> None:
        """Numbers of an enumeration."""
        for node in walk_nodes(item):
            if type(node).__name__ != "EnumeratorList":
                continue
            value = -1
            for enumerator in node.enumerators:
                stated = evaluate(enumerator.value, self.before.known) if enumerator.value is not None else value + 1
                if stated is None:
                    break
                value = stated
                self.before.known.setdefault(str(enumerator.name), value)

    def declare_parameter(self, node: Any) -> None:
        """A parameter of the function; whole numbers that nothing states are assumed.

        Raises
        ------
        SourceError : it is the length of a vector, which the file must say.
        """
        name = str(node.name)
        self.before.parameters[name] = node
        member = name.rpartition(JOINT)[2]
        if member != name and member in self.before.known:
            self.before.known.setdefault(name, self.before.known[member])
        if type(node.type).__name__ == "TypeDecl" and is_whole(node.type) and name not in self.before.known:
            if write_length(name).endswith(LENGTH):
                size = f"--size {write_length(name)}=N"
                reason = f"nothing says how many elements its vectors have: call it in the file, or give {size}"
                raise refuse(line_of(self.function), reason)
            self.before.known[name] = ASSUMED
            self.before.notes.append(f"{one_line(name, 40)} taken as {ASSUMED} (--size {one_line(name, 40)}=N)")

    def write_lengths(self, names: Sequence[str]) -> None:
        """Write whole numbers of structures, which names in expressions cannot stand for, where they are asked for."""
        assigned = LoopFacts(self.function.body, self.functions, self.ast).assigned
        meaning = {
            n: self.ast.Constant("int", str(self.before.known[n]), self.function.coord)
            for n in names
            if n in self.before.known and n not in assigned and is_whole(self.before.parameters[n].type)
        }
        if meaning:
            self.function.body = substitute(self.function.body, meaning)

    # Statements

    def walk(self, items: Sequence[Any], before: Before, depth: int) -> bool:
        """Statements of a block, one after the other. Whether they end the function."""
        return any(self.visit(item, before, depth) for item in items)

    def visit(self, item: Any, before: Before, depth: int) -> bool:
        """One statement. Whether it ends the function."""
        kind = type(item).__name__
        if kind in ("Compound", "If", "Return"):
            return self.visit_block(item, before, depth)
        if kind in ("For", "While", "DoWhile"):
            self.walk_loop(item, before, depth)
        elif kind in ("Decl", "DeclList"):
            for declared in item.decls if kind == "DeclList" else [item]:
                self.declare(declared, before)
        elif called(item) in SORTS and called(item) not in self.functions:
            self.put_in_order(item, before)
        elif called(item) in self.functions and has_loop(self.functions[called(item)].body):
            self.walk_call(item, before, depth)
        elif kind == "Assignment":
            self.assign(item, before)
        elif (step := read_step(item, self.ast)) is not None:
            self.forget({step[0]}, before)
        elif has_loop(item):
            raise refuse(line_of(item), f"a loop inside of '{kind.lower()}' is not followed")
        return False

    def visit_block(self, item: Any, before: Before, depth: int) -> bool:
        """A block, a condition or a return. Whether it ends the function."""
        kind = type(item).__name__
        if kind == "Compound":
            return self.walk(list_items(item), before, depth)
        return kind == "Return" or self.walk_if(item, before, depth)

    def declare(self, node: Any, before: Before) -> None:
        """A name of the function."""
        kind = type(node.type).__name__
        plain = copy.copy(node)
        plain.storage = [s for s in node.storage or () if s not in ("static", "register")]
        init = uncast(node.init) if node.init is not None else None
        if kind == "ArrayDecl":
            if node.init is not None and ("const" in (node.quals or ()) or is_constant_type(node.type)):
                before.statements.append(plain)
            else:
                self.give_number(plain, before)
        elif kind == "PtrDecl":
            if called(init) in MAKING:
                self.allocate(plain, init, before)
            elif init is not None:
                before.statements.append(plain)
            else:
                self.give_number(plain, before)
        elif kind == "TypeDecl" and is_whole(node.type):
            self.declare_number(plain, init, before)
        elif kind == "TypeDecl":
            self.declare_value(plain, init, before)

    def declare_value(self, plain: Any, init: Any, before: Before) -> None:
        """A number with a fraction, or a structure."""
        name = str(plain.name)
        if called(init).startswith(MAKES_VECTOR):
            lengths = [evaluate(e, before.known) for e in (init.args.exprs if init.args else ())]
            self.give_number(plain, before)
            if lengths and lengths[0] is not None:
                before.known[f"{name}{LENGTH}"] = before.allocated[f"{name}{HELD}"] = lengths[0]
        elif is_real(plain.type) or init is None:
            self.give_number(plain, before)
        else:
            before.statements.append(plain)

    def declare_number(self, plain: Any, init: Any, before: Before) -> None:
        """A whole number."""
        name = str(plain.name)
        value = evaluate(init, before.known) if init is not None else None
        if value is not None:
            before.known[name] = value
            plain.init = self.ast.Constant("int", str(value), plain.coord)
            before.statements.append(plain)
            return
        before.known.pop(name, None)
        if init is not None and not has_kind(init, "ArrayRef", "Assignment") and not self.is_given(init, before):
            before.statements.append(plain)
        else:
            self.give_number(plain, before)

    @staticmethod
    def is_given(node: Any, before: Before) -> bool:
        """Whether an expression holds a number that nothing states."""
        whole = {n for n, d in before.parameters.items() if type(d.type).__name__ == "TypeDecl" and is_whole(d.type)}
        return bool(find_names(node) & {n for n in whole if n not in before.known})

    @staticmethod
    def give_number(node: Any, before: Before) -> None:
        """A number, or an array, that a nest is given."""
        plain = copy.copy(node)
        plain.init = None
        before.parameters[str(node.name)] = plain

    def allocate(self, node: Any, call: Any, before: Before) -> None:
        """A new array."""
        name = str(node.name)
        self.give_number(node, before)
        arguments = [drop_size(e, self.ast) for e in (call.args.exprs if call.args else ())]
        numbers = [evaluate(e, before.known) for e in arguments]
        if numbers and None not in numbers:
            chosen = numbers[1:] if called(call) == "aligned_alloc" else numbers
            before.allocated[name] = math.prod(n for n in chosen if n is not None)

    def assign(self, node: Any, before: Before) -> None:
        """An assignment between nests."""
        if type(node.lvalue).__name__ != "ID":
            return
        name, declared = str(node.lvalue.name), before.parameters.get(str(node.lvalue.name))
        if called(uncast(node.rvalue)) in MAKING and declared is not None:
            self.allocate(declared, uncast(node.rvalue), before)
            return
        value = node.rvalue
        if node.op != "=":
            value = self.ast.BinaryOp(node.op[:-1], node.lvalue, node.rvalue, node.coord)
        number = evaluate(value, before.known)
        if number is None or (declared is not None and is_real(declared.type)):
            self.forget({name}, before)
            return
        before.known[name] = number
        constant = self.ast.Constant("int", str(number), node.coord)
        before.statements.append(self.ast.Assignment("=", node.lvalue, constant, node.coord))

    def forget(self, names: set[str], before: Before) -> None:
        """Numbers are no longer known: nests are given them."""
        for name in names & set(before.known):
            del before.known[name]
        for statement in list(before.statements):
            target = getattr(statement, "lvalue", None)
            label = statement.name if type(statement).__name__ == "Decl" else getattr(target, "name", "")
            if label in names and (type(statement).__name__ != "Decl" or type(statement.type).__name__ == "TypeDecl"):
                before.statements.remove(statement)
                if type(statement).__name__ == "Decl":
                    self.give_number(statement, before)

    def walk_if(self, node: Any, before: Before, depth: int) -> bool:
        """A condition outside of nests. Whether it ends the function."""
        value = evaluate(node.cond, before.known)
        if value is not None:
            taken = node.iftrue if value else node.iffalse
            return taken is not None and self.walk(list_items(taken), before, depth)
        if has_loop(node) or self.calls_loop(node):
            raise refuse(line_of(node), "what decides whether these loops run is not known")
        if not has_kind(node, "Return"):
            self.forget(set(LoopFacts(node, self.functions, self.ast).assigned), before)
        return False

    def calls_loop(self, node: Any) -> bool:
        """Whether a statement calls a function with loops."""
        return any(n in self.functions and has_loop(self.functions[n].body) for n in find_called(node))

    def walk_call(self, node: Any, before: Before, depth: int) -> None:
        """A function of the file with loops, written out."""
        function = self.functions[called(node)]
        if depth >= MOST_CALLS or function is self.function:
            raise refuse(line_of(node), "functions that call each other are not followed")
        self.made += 1
        inside = before.branch()
        parameters = [p for p in getattr(function.decl.type.args, "params", None) or () if getattr(p, "name", None)]
        names = {str(p.name) for p in parameters} | find_declared(function.body)
        renamed = {n: f"{n}_of_{self.made}" for n in names}
        for parameter, value in zip(parameters, node.args.exprs if node.args else (), strict=False):
            plain = rename_declared(copy.deepcopy(parameter), renamed)
            plain.init = value
            self.declare(plain, inside)
        body = rename_declared(copy.deepcopy(function.body), renamed)
        self.walk(list_items(body), inside, depth + 1)
        before.allocated.update(inside.allocated)

    def whole(self, name: str, value: Any) -> Any:
        """The declaration of a whole number."""
        kind = self.ast.TypeDecl(name, [], None, self.ast.IdentifierType(["long"]))
        return self.ast.Decl(name, [], [], [], [], kind, value, None, value.coord)


def write_length(name: str) -> str:
    """The name of a number in a structure, as the source has it."""
    return name.replace(JOINT, ".")


def rename_declared(node: Any, renamed: Mapping[str, str]) -> Any:
    """A tree with other names for its own, in place."""
    kind = type(node).__name__
    if kind in ("ID", "Decl") and node.name in renamed:
        node.name = renamed[node.name]
    if kind == "TypeDecl" and node.declname in renamed:
        node.declname = renamed[node.declname]
    for label, child in node.children():
        if (kind, label) not in (("StructRef", "field"), ("FuncCall", "name")):
            rename_declared(child, renamed)
    return node


def find_called(node: Any) -> set[str]:
    """Functions that a tree calls."""
    return {called(n) for n in walk_nodes(node)} - {""}


def is_whole(kind: Any) -> bool:
    """Whether a type is of whole numbers."""
    names = set(getattr(getattr(kind, "type", None), "names", ()) or ())
    return bool(names) and names <= WHOLE


def is_real(kind: Any) -> bool:
    """Whether a type is of numbers with a fraction."""
    return bool(set(getattr(getattr(kind, "type", None), "names", ()) or ()) & REALS)


def is_constant_type(kind: Any) -> bool:
    """Whether the elements of an array are constant."""
    while type(kind).__name__ == "ArrayDecl":
        kind = kind.type
    return "const" in (getattr(kind, "quals", None) or ())


def drop_size(node: Any, ast: Any) -> Any:
    """Bytes of an array as elements: ``n * sizeof(double)`` is n."""

    def change(inside: Any) -> Any:
        is_size = type(inside).__name__ == "UnaryOp" and inside.op == "sizeof"
        return ast.Constant("int", "1", inside.coord) if is_size else inside

    return map_nodes(node, change)


def line_of(node: Any) -> int:
    """The line of a node."""
    return int(getattr(node.coord, "line", 1) or 1)
