"""Loops and statements as people write them, in the forms that are read: nothing else is computed, in no other order.

Pointers that walk over structures are indices that walk, counters that meet are one counter, ``do`` and pointer loops
count, short loops whose counter is doubled or halved are written out, rows of pitched memory are rows of elements.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from roofcast_hull.source.c_declarations import collect_structures, name_structure
from roofcast_hull.source.c_nodes import copy_node, map_nodes
from roofcast_hull.source.c_statements import read_step
from roofcast_hull.source.c_tree import (
    are_alike,
    called,
    find_names,
    find_terms,
    has_kind,
    list_items,
    returned,
    substitute,
    uncast,
)
from roofcast_hull.source.going_on import write_starts
from roofcast_hull.source.index_of_extremes import write_extremes
from roofcast_hull.source.named_values import write_values
from roofcast_hull.source.plain_trees import (
    LOADS,
    MOST_COLOURS,
    STORES,
    THREAD,
    ends_function,
    find_lines,
    find_loaded,
    find_pointed,
    find_stored,
    find_writes,
    fold,
    has_name,
    has_step,
    read_begun,
    read_remainder,
    read_unit,
)
from roofcast_hull.source.thread_indices import find_fields
from roofcast_hull.source.unrolled import roll_up

BYTES = {"float": 4, "double": 8, "int": 4, "unsigned": 4, "short": 2, "half": 2, "__half": 2, "long": 8, "uint": 4}
"""B of the elements of pitched rows."""
MULTIPLYING = ("__mul24", "__umul24")
CONTRARY = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
MAKES_VECTOR = "construct_vector_"
"""How functions begin that make vectors of the C++ library, in files that were written as plain C."""


def plain_loops(
    body: Any, parameters: Any, functions: Mapping[str, Any], tree: Any, ast: Any, *, keeps_do: bool = False
) -> Any:
    """A body with its pointers, loops and helpers in plain forms. keeps_do : whether ``do`` loops stay."""
    body = write_extremes(body, ast)
    body = write_starts(roll_up(write_values(map_nodes(body, run_once), ast), ast), ast)
    plainer = Plainer(functions, collect_structures(tree), ast)
    plainer.keeps_do = keeps_do
    for parameter in parameters:
        plainer.learn(parameter)
    plainer.given = {n for n in plainer.pointers if not find_writes(body, n)}
    body = plainer.end_early(map_nodes(body, plainer.expression))
    body = plainer.walk_structures(body)
    plainer.whole = body
    return plainer.block(body)


def run_once(node: Any) -> Any:
    """``do { ... } while (0)``, as macros are written, as what is in it."""
    once = type(node).__name__ == "DoWhile" and str(getattr(uncast(node.cond), "value", "")) in ("0", "false")
    return node.stmt if once and not has_kind(node.stmt, "Break", "Continue") else node


class Plainer:
    """Rewrites the statements of one function."""

    def __init__(self, functions: Mapping[str, Any], structures: Mapping[str, Any], ast: Any) -> None:
        self.functions, self.structures, self.ast = functions, structures, ast
        self.given: set[str] = set()
        """Addresses that the function is given."""
        self.pointers: dict[str, str] = {}
        """Pointers, and the types that they lead to."""
        self.starts: dict[str, Any] = {}
        """What pointers are declared as that have not moved since."""
        self.ended: dict[str, Any] = {}
        """Where the last statement leaves pointers that it walked to an end."""
        self.whole: Any = None
        """The body of the function."""
        self.loaded: set[str] = set()
        """Scalars that are declared with what an array holds."""
        self.begun: dict[str, Any] = {}
        """What the whole numbers of the blocks around begin with."""
        self.made = 0
        self.keeps_do = False

    def learn(self, node: Any) -> None:
        """Remember a pointer."""
        if type(getattr(node, "type", None)).__name__ == "PtrDecl" and node.name:
            inside = node.type.type
            self.pointers[str(node.name)] = name_structure(getattr(inside, "type", None))

    def number(self, value: int, coord: Any) -> Any:
        """A whole number."""
        return self.ast.Constant("int", str(value), coord)

    def binary(self, op: str, left: Any, right: Any) -> Any:
        """An operation, without what adds nothing."""
        return self.ast.BinaryOp(op, left, right, left.coord)

    # ---- expressions ----

    def expression(self, node: Any) -> Any:
        """One node whose inside is plain already."""
        node = self.test_pointer(node) or node
        kind = type(node).__name__
        if kind == "Constant" and "int" in node.type:
            node.value = str(node.value).rstrip("uUlL")
            return node
        if called(node) in LOADS and node.args and len(node.args.exprs) == 1:
            place = uncast(node.args.exprs[0])
            addressed = type(place).__name__ == "UnaryOp" and place.op == "&"
            return place.expr if addressed else self.ast.UnaryOp("*", node.args.exprs[0], node.coord)
        if called(node) in STORES and node.args and len(node.args.exprs) == 2:
            place, value = node.args.exprs
            return self.ast.Assignment("=", self.ast.UnaryOp("*", place, node.coord), value, node.coord)
        if kind == "FuncCall" and called(node) in self.functions:
            return self.call_of_thread(node)
        if called(node) in MULTIPLYING and node.args and len(node.args.exprs) == 2:
            return self.binary("*", *node.args.exprs)
        if kind == "UnaryOp" and node.op == "*" and getattr(uncast(node.expr), "op", "") == "&":
            return uncast(node.expr).expr
        if kind == "UnaryOp" and node.op == "!" and (contrary := self.contrary(node.expr)) is not None:
            return contrary
        if kind == "UnaryOp" and node.op == "*" and (row := self.pitched(uncast(node.expr), node.expr)) is not None:
            return self.ast.UnaryOp("*", row, node.coord)
        if kind == "Cast" and (row := self.pitched(uncast(node), node)) is not None:
            return row
        return node

    def test_pointer(self, node: Any) -> Any | None:
        """``!p`` and ``p == NULL`` of an address that a function is given, which leads somewhere; None for others."""
        kind, sides, truth = type(node).__name__, list[Any](), 0
        if kind == "UnaryOp" and node.op == "!":
            sides = [node.expr]
        elif kind == "BinaryOp" and node.op in ("==", "!="):
            empty = [s for s in (node.left, node.right) if is_nothing(s)]
            sides, truth = [s for s in (node.left, node.right) if s not in empty] if empty else [], int(node.op == "!=")
        given = len(sides) == 1 and type(sides[0]).__name__ == "ID" and str(sides[0].name) in self.given
        return self.number(truth, node.coord) if given else None

    def contrary(self, node: Any) -> Any | None:
        """``i >= n`` of ``i < n``, and so on; None for what is no comparison."""
        if type(node).__name__ == "UnaryOp" and node.op == "!":
            return node.expr if type(node.expr).__name__ == "BinaryOp" else None
        if type(node).__name__ != "BinaryOp":
            return None
        if node.op in CONTRARY:
            return self.binary(CONTRARY[node.op], node.left, node.right)
        if node.op not in ("&&", "||"):
            return None
        parts = [self.contrary(p) or self.ast.UnaryOp("!", p, node.coord) for p in (node.left, node.right)]
        return self.binary("||" if node.op == "&&" else "&&", *parts)

    def call_of_thread(self, node: Any) -> Any:
        """What a function says of the index of a thread, in place of its call."""
        function = self.functions[called(node)]
        if not any(f.partition(".")[0] in THREAD for f in find_fields(function.body)):
            return node
        parameters = getattr(function.decl.type.args, "params", None) or ()
        given = list(node.args.exprs) if node.args else []
        named = [str(p.name) for p in parameters if getattr(p, "name", None)]
        result = returned(list_items(function.body), dict[str, Any](), self.ast)
        if (
            result is None
            or len(named) != len(given)
            or name_structure(function.decl.type.type.type) in self.structures
        ):
            return node
        return map_nodes(substitute(copy.deepcopy(result), dict(zip(named, given, strict=True))), self.expression)

    def pitched(self, inside: Any, outside: Any) -> Any | None:
        """``(float *)((char *)p + y * pitch)`` as ``p + y * pitch / 4``; None for other expressions."""
        if type(outside).__name__ != "Cast" or type(inside).__name__ != "BinaryOp" or inside.op != "+":
            return None
        size, step = find_pointed(outside.to_type), find_pointed(getattr(inside.left, "to_type", None))
        if step not in ("char", "unsigned char", "uint8_t", "signed char") or size not in BYTES:
            return None
        base = uncast(inside.left)
        if type(base).__name__ not in ("ID", "BinaryOp", "StructRef"):
            return None
        return self.binary("+", base, self.binary("/", inside.right, self.number(BYTES[size], inside.coord)))

    # ---- pointers to structures ----

    def walk_structures(self, body: Any) -> Any:
        """A body in which pointers to structures that walk are indices that walk, and aliases are what they name."""
        body = map_nodes(body, self.make_vectors)
        self.loaded = find_loaded(body)
        body = map_nodes(body, self.name_alias)
        for name, kind in list(self.pointers.items()):
            if kind not in self.structures or not find_writes(body, name):
                continue
            if not self.only_steps(body, name):
                continue
            place = f"{name}__at"
            declared = self.declare_whole(place, self.number(0, body.coord), body.coord)
            body = self.walk(body, name, place)
            body.block_items = [declared, *list_items(body)]
        return body

    def declare_whole(self, name: str, value: Any, coord: Any) -> Any:
        """``long name = value``."""
        kind = self.ast.TypeDecl(name, [], None, self.ast.IdentifierType(["long"]))
        return self.ast.Decl(name, [], [], [], [], kind, value, None, coord)

    def only_steps(self, node: Any, name: str) -> bool:
        """Whether a pointer is only moved by steps, and what it leads to used."""
        kind = type(node).__name__
        if (step := read_step(node, self.ast)) is not None and step[0] == name:
            return name not in find_names(step[1])
        if kind in ("StructRef", "ArrayRef") and getattr(node.name, "name", None) == name:
            return kind == "StructRef" or self.only_steps(node.subscript, name)
        if kind == "UnaryOp" and node.op == "*" and getattr(uncast(node.expr), "name", None) == name:
            return True
        if kind == "ID":
            return bool(node.name != name)
        return all(self.only_steps(child, name) for _, child in node.children())

    def walk(self, node: Any, name: str, place: str) -> Any:
        """A pointer as the array that it starts at, with an index in place of its moves."""
        kind = type(node).__name__
        at = self.ast.ID(place, getattr(node, "coord", None))
        whole = self.ast.ID(name, getattr(node, "coord", None))
        if read_step(node, self.ast) is not None and read_step(node, self.ast)[0] == name:  # type: ignore[index]
            return substitute(node, {name: at})
        if kind == "StructRef" and node.type == "->" and getattr(node.name, "name", None) == name:
            return self.ast.StructRef(self.ast.ArrayRef(whole, at, node.coord), ".", node.field, node.coord)
        if kind == "UnaryOp" and node.op == "*" and getattr(uncast(node.expr), "name", None) == name:
            return self.ast.ArrayRef(whole, at, node.coord)
        if kind == "UnaryOp" and node.op == "*" and (step := read_step(node.expr, self.ast)) and step[0] == name:
            return self.ast.ArrayRef(whole, self.walk(node.expr, name, place), node.coord)
        if kind == "ArrayRef" and getattr(node.name, "name", None) == name:
            index = self.binary("+", at, self.walk(node.subscript, name, place))
            return self.ast.ArrayRef(whole, index, node.coord)
        return copy_node(node, lambda inside: self.walk(inside, name, place), but=("type", "field"))

    def make_vectors(self, node: Any) -> Any:
        """A block in which ``vector_double y = construct_vector_double(n);`` declares y, and ``y.n_`` is n."""
        if type(node).__name__ != "Compound":
            return node
        items = list_items(node)
        for at, item in enumerate(items):
            maker = called(item.init) if type(item).__name__ == "Decl" and item.init is not None else ""
            given = item.init.args.exprs if maker and item.init.args else ()
            if not (maker.startswith(MAKES_VECTOR) and maker in self.functions and given):
                continue
            name, size = str(item.name), given[0]
            rest = self.ast.Compound(items[at + 1 :], node.coord)
            if find_stored(rest) & {f"{name}.n_"} or any(find_writes(rest, n) for n in {name, *find_names(size)}):
                continue

            def change(inside: Any, name: str = name, size: Any = size) -> Any:
                is_length = type(inside).__name__ == "StructRef" and inside.field.name == "n_"
                return size if is_length and getattr(inside.name, "name", "") == name else inside

            declared = copy.copy(item)
            declared.init = None
            rest = map_nodes(rest, change)
            return self.make_vectors(self.ast.Compound([*items[:at], declared, *list_items(rest)], node.coord))
        return node

    def name_alias(self, node: Any) -> Any:
        """A block in which ``T *b = &a[i];`` is gone, and ``b->x`` is ``a[i].x``, where neither b nor i change."""
        if type(node).__name__ != "Compound":
            return node
        items = list_items(node)
        for at, item in enumerate(items):
            if type(item).__name__ != "Decl" or type(item.type).__name__ != "PtrDecl" or item.init is None:
                continue
            self.learn(item)
            rest = self.ast.Compound(items[at + 1 :], node.coord)
            other = uncast(item.init)
            if type(other).__name__ == "ID" and not any(find_writes(rest, n) for n in (str(item.name), other.name)):
                # Another name of the same array.
                renamed = substitute(rest, {str(item.name): other})
                return self.name_alias(self.ast.Compound([*items[:at], *list_items(renamed)], node.coord))
            if self.is_row(other) and not any(find_writes(rest, n) for n in {str(item.name), *find_names(other)}):
                # An array that is a member of a structure.
                renamed = substitute(rest, {str(item.name): other})
                return self.name_alias(self.ast.Compound([*items[:at], *list_items(renamed)], node.coord))
            fixed = not any(find_writes(rest, n) for n in {str(item.name), *find_names(other)})
            fixed = fixed and not find_names(other) & find_stored(rest)
            chosen = find_names(other) & self.loaded or has_kind(other, "ArrayRef")
            if chosen and type(other).__name__ == "BinaryOp" and fixed:
                # A row that data chooses: where it begins is no number.
                renamed = substitute(rest, {str(item.name): other})
                return self.name_alias(self.ast.Compound([*items[:at], *list_items(renamed)], node.coord))
            if self.pointers.get(str(item.name)) not in self.structures:
                continue
            element = self.find_element(uncast(item.init))
            rest = self.ast.Compound(items[at + 1 :], node.coord)
            fixed = element is not None and not any(
                find_writes(rest, n) for n in {str(item.name), *find_names(element.subscript)}
            )
            if not fixed or not self.only_steps(rest, str(item.name)):
                continue
            renamed = self.follow_alias(rest, str(item.name), element)
            return self.name_alias(self.ast.Compound([*items[:at], *list_items(renamed)], node.coord))
        return node

    def is_row(self, node: Any) -> bool:
        """Whether an expression is a member that every structure with one of its name has as an array: ``a[i].m``."""
        if type(node).__name__ != "StructRef":
            return False
        alike = [m for members in self.structures.values() for m in members if m.name == node.field.name]
        return bool(alike) and all(type(m.type).__name__ == "ArrayDecl" for m in alike)

    def find_element(self, node: Any) -> Any | None:
        """``a[i]`` of ``&a[i]`` and of ``a + i``; None for others."""
        if type(node).__name__ == "UnaryOp" and node.op == "&" and type(node.expr).__name__ == "ArrayRef":
            return node.expr
        plain = type(node).__name__ == "BinaryOp" and node.op == "+" and type(uncast(node.left)).__name__ == "ID"
        return self.ast.ArrayRef(uncast(node.left), node.right, node.coord) if plain else None

    def follow_alias(self, node: Any, name: str, element: Any) -> Any:
        """Members of an alias as those of the element."""

        def change(inside: Any) -> Any:
            kind = type(inside).__name__
            if kind == "StructRef" and inside.type == "->" and getattr(inside.name, "name", None) == name:
                return self.ast.StructRef(element, ".", inside.field, inside.coord)
            if kind == "UnaryOp" and inside.op == "*" and getattr(uncast(inside.expr), "name", None) == name:
                return element
            if kind == "ArrayRef" and getattr(inside.name, "name", None) == name:
                index = self.binary("+", element.subscript, inside.subscript)
                return self.ast.ArrayRef(element.name, index, inside.coord)
            return inside

        return map_nodes(node, change)

    # ---- statements ----

    def end_early(self, node: Any) -> Any:
        """A function's block in which what comes after ``if (c) { a; return; }`` is the other branch of it."""
        items = list_items(node)
        for at, item in enumerate(items):
            if type(item).__name__ != "If":
                continue
            ends = [branch is not None and ends_function(branch) for branch in (item.iftrue, item.iffalse)]
            if at == len(items) - 1:
                # What ends here ends the function.
                branches = [b if b is None else self.end_early(b) for b in (item.iftrue, item.iffalse)]
                return self.ast.Compound([*items[:at], self.ast.If(item.cond, *branches, item.coord)], node.coord)
            if not any(ends) or (item.iffalse is None and len(list_items(item.iftrue)) == 1):
                continue
            rest = self.end_early(self.ast.Compound(items[at + 1 :], node.coord))
            branches = [
                self.ast.Compound(list_items(branch)[:-1], item.coord) if ended
                else self.ast.Compound([*list_items(branch), *list_items(rest)], item.coord)
                for branch, ended in zip((item.iftrue, item.iffalse), ends, strict=True)
            ]  # fmt: skip
            return self.ast.Compound([*items[:at], self.ast.If(item.cond, *branches, item.coord)], node.coord)
        return node

    def block(self, node: Any) -> Any:
        """A block of plain statements."""
        outer, statements = dict(self.begun), list[Any]()
        for item in list_items(node):
            statements += self.statement(item)
            if (begun := read_begun(item)) is not None:
                self.begun[begun[0]] = begun[1]
            if type(item).__name__ != "Decl":
                self.forget_moved(item)
            self.starts |= self.ended
            self.ended = {}
        self.begun = outer
        return self.ast.Compound(statements, node.coord)

    def forget_moved(self, node: Any) -> None:
        """Pointers that a statement moves do not stand any more where they were declared."""
        self.starts = {n: start for n, start in self.starts.items() if not find_writes(node, n)}

    def wrap(self, node: Any) -> Any:
        """A statement under a condition or a loop."""
        return None if node is None else self.block(node)

    def statement(self, node: Any) -> list[Any]:
        """The statements that one stands for."""
        kind = type(node).__name__
        if kind == "Compound":
            return [self.block(node)]
        if kind == "Decl":
            return self.declare(node)
        if kind not in ("For", "While", "DoWhile", "If", "Switch", "Case", "Default"):
            return [node]
        copied = copy.copy(node)
        if kind == "If" and (sure := fold(node.cond, {})) is not None:
            taken = node.iftrue if sure else node.iffalse
            return [self.block(taken)] if taken is not None else []
        if kind == "If":
            copied.iftrue, copied.iffalse = self.wrap(node.iftrue), self.wrap(node.iffalse)
            return [copied]
        if kind in ("Case", "Default"):
            copied.stmts = [s for item in node.stmts or () for s in self.statement(item)]
            return [copied]
        if kind != "For" and (counted := self.count_down(node)) is not None:
            return self.statement(counted)
        return self.loop(node)

    def loop(self, node: Any) -> list[Any]:
        """The statements that a loop stands for."""
        kind = type(node).__name__
        if kind == "For":
            for started in getattr(node.init, "decls", None) or ():
                self.learn(started)
            node = self.start_plainly(self.follow_neighbour(node))
        copied, outside = copy.copy(node), self.starts
        self.forget_moved(node)
        copied.stmt = self.wrap(node.stmt)
        self.starts = outside
        if kind == "DoWhile" and not self.keeps_do:
            # It runs once at least, as loops over arrays that hold something do.
            copied = self.ast.While(copied.cond, copied.stmt, node.coord)
        if type(copied).__name__ == "While":
            return self.walk_pointer(copied) or [copied]
        if kind == "For":
            return self.meet(copied) or self.walk_pointer(copied) or self.part_steps(copied) or [copied]
        return [copied]

    def declare(self, node: Any) -> list[Any]:
        """``T v = m[i] = e;`` as two statements; pointers are remembered."""
        self.learn(node)
        if type(node.type).__name__ == "PtrDecl" and node.init is not None:
            self.starts[str(node.name)] = uncast(node.init)
        value: Any = uncast(node.init) if node.init is not None else None
        if type(value).__name__ != "Assignment" or type(node.type).__name__ != "TypeDecl":
            return [node]
        declared = copy.copy(node)
        name = self.ast.ID(str(node.name), node.coord)
        if value.op == "=":
            declared.init = value.rvalue
            return [*self.declare(declared), self.ast.Assignment("=", value.lvalue, name, node.coord)]
        declared.init = value.lvalue
        return [value, declared]

    def meet(self, node: Any) -> list[Any] | None:
        """``for (i = a, j = b; i < j; i++, j--)`` with one counter; None for other loops."""
        declared = type(node.init).__name__ == "DeclList"
        starts = node.init.decls if declared else getattr(node.init, "exprs", None) or []
        steps = [read_step(s, self.ast) for s in getattr(node.next, "exprs", None) or []]
        compared = type(node.cond).__name__ == "BinaryOp" and node.cond.op in ("<", "<=")
        if len(starts) != 2 or len(steps) != 2 or None in steps or not compared:
            return None
        values = {
            str(s.name if declared else s.lvalue.name): s.init if declared else s.rvalue
            for s in starts if declared or type(getattr(s, "lvalue", None)).__name__ == "ID"
        }  # fmt: skip
        low, high = getattr(node.cond.left, "name", ""), getattr(node.cond.right, "name", "")
        moves = {s[0]: s[1] for s in steps if s is not None}
        units = {n: read_unit(m) for n, m in moves.items()}
        if set(values) != {low, high} or units != {low: 1, high: -1} or None in values.values():
            return None
        if any(find_writes(node.stmt, n) for n in (low, high)):
            return None
        coord = node.coord
        counter = self.ast.ID(low, coord)
        gap = self.binary("-", values[high], values[low])
        reach = self.binary("+", gap, self.number(1 if node.cond.op == "<" else 2, coord))
        ends = self.binary("+", values[low], self.binary("/", reach, self.number(2, coord)))
        met = self.binary("-", self.binary("+", values[high], values[low]), counter)
        body = self.ast.Compound([self.declare_whole(high, met, coord), *list_items(node.stmt)], coord)
        init = self.ast.DeclList([self.declare_whole(low, values[low], coord)], coord)
        cond = self.ast.BinaryOp("<", counter, ends, coord)
        return [self.ast.For(init, cond, self.ast.UnaryOp("p++", counter, coord), body, coord)]

    def part_steps(self, node: Any) -> list[Any] | None:
        """``for (k = 0, p = a; k < n; k++, p += 2)`` with one counter, the others before it and at the end of a turn.

        None for other loops.
        """
        steps = getattr(node.next, "exprs", None) if type(node.next).__name__ == "ExprList" else [node.next]
        declared = type(node.init).__name__ == "DeclList"
        starts = list(node.init.decls if declared else getattr(node.init, "exprs", None) or [node.init])
        if node.cond is None or None in starts or (len(starts) == 1 and steps == [node.next]):
            return None
        counters = [s for s in steps or () if (read_step(s, self.ast) or ("",))[0] in find_names(node.cond)]
        named = [(read_begun(s) or ("",))[0] for s in starts]
        if len(counters) != 1 or has_kind(node.stmt, "Continue"):
            return None
        name = read_step(counters[0], self.ast)[0]  # type: ignore[index]
        others = [s for s in steps or () if s is not counters[0]]
        if name not in named or "" in named or any(name in find_names(s) for s in others):
            return None
        first = starts[named.index(name)]
        copied, coord = copy.copy(node), node.coord
        copied.init = self.ast.DeclList([first], coord) if declared else first
        copied.next = counters[0]
        copied.stmt = self.ast.Compound([*list_items(node.stmt), *others], coord)
        before = [s for s in starts if s is not first]
        return [self.ast.Compound([*before, copied], coord)] if before and declared else [*before, copied]

    def count_down(self, node: Any) -> Any | None:
        """``while (n--) ...`` and ``do ... while (--n > 0)`` over what a function is given; None for other loops.

        What else the function does with the number stands before the loop.
        """
        down, runs_once = node.cond, type(node).__name__ == "DoWhile"
        wanted = "--" if runs_once else "p--"
        if type(down).__name__ == "BinaryOp" and getattr(down.right, "value", "") == "0":
            wanted = "--" if down.op == ">=" and not runs_once else wanted
            down = down.left if down.op in (">", "!=") or (down.op == ">=" and not runs_once) else down
        if type(down).__name__ != "UnaryOp" or down.op != wanted or type(down.expr).__name__ != "ID":
            return None
        name, coord = str(down.expr.name), node.coord
        if has_kind(node.stmt, "Break", "Continue") or find_writes(self.whole, name) != 1 or name in self.pointers:
            return None
        if any(line > coord.line for line in find_lines(self.whole, name) - find_lines(node, name)):
            return None
        self.made += 1
        counter = self.ast.ID(f"{name}__turn{self.made}", coord)
        # The body of `do` sees the number before it is counted down.
        last = self.number(int(runs_once), coord)
        first = down.expr if runs_once else self.binary("-", down.expr, self.number(1, coord))
        init = self.ast.DeclList([self.declare_whole(counter.name, first, coord)], coord)
        ends = self.ast.BinaryOp(">=", counter, last, coord)
        body = substitute(copy.deepcopy(node.stmt), {name: counter})
        return self.ast.For(init, ends, self.ast.UnaryOp("p--", counter, coord), body, coord)

    def follow_neighbour(self, node: Any) -> Any:
        """``for (i = 0, k = n - 1; i < n; k = i++)``, where k is the one before, without the second counter."""
        following = node.next
        stepped = type(following).__name__ == "Assignment" and following.op == "="
        step: Any = following.rvalue if stepped else None
        if type(step).__name__ != "UnaryOp" or step.op != "p++" or type(following.lvalue).__name__ != "ID":
            return node
        name, counter, coord = str(following.lvalue.name), step.expr, node.coord
        declared = type(node.init).__name__ == "DeclList"
        starts = list(node.init.decls if declared else getattr(node.init, "exprs", None) or [node.init])
        begun = {b[0]: b[1] for s in starts if (b := read_begun(s)) is not None}
        begins = begun.get(name, self.begun.get(name))
        first = begun.get(getattr(counter, "name", ""))
        if begins is None or first is None or len(begun) != len(starts) or find_writes(node.stmt, name):
            return node
        rest = [s for s in starts if (read_begun(s) or ("",))[0] != name]
        if len(rest) != 1:
            return node
        copied = copy.copy(node)
        copied.init = self.ast.DeclList(rest, coord) if declared else rest[0]
        copied.next = step
        before = self.binary("-", counter, self.number(1, coord))
        chosen = self.ast.TernaryOp(self.ast.BinaryOp("==", counter, first, coord), begins, before, coord)
        items = [self.declare_whole(f"{name}__before", chosen, coord), *list_items(node.stmt)]
        renamed = substitute(self.ast.Compound(items[1:], coord), {name: self.ast.ID(f"{name}__before", coord)})
        copied.stmt = self.ast.Compound([items[0], *list_items(renamed)], coord)
        return copied

    def start_plainly(self, node: Any) -> Any:
        """``for (x = 1 + (y + c) % 2; x < n; x += 2)`` as one over the x for which x - 1 - y - c is even."""
        declared = type(node.init).__name__ == "DeclList" and len(node.init.decls) == 1
        given = node.init.decls[0] if declared else node.init
        begun = read_begun(given)
        step = read_step(node.next, self.ast) if node.next is not None else None
        if begun is None or step is None or step[0] != begun[0] or type(node.cond).__name__ != "BinaryOp":
            return node
        start = uncast(begun[1])
        start = uncast(self.begun.get(getattr(start, "name", ""), start))
        width = fold(step[1], {})
        terms = find_terms(start, ("+",), True)
        odd = [t for t, _ in terms if read_remainder(uncast(t)) == width]
        if width is None or not 1 < width <= MOST_COLOURS or len(odd) != 1 or find_writes(node.stmt, begun[0]):
            return node
        rest = [t for t, _ in terms if t is not odd[0]]
        first = rest[0] if rest else self.number(0, node.coord)
        for term in rest[1:]:
            first = self.binary("+", first, term)
        copied, coord = copy.copy(node), node.coord
        copied.init = copy.deepcopy(node.init)
        if declared:
            copied.init.decls[0].init = first
        else:
            copied.init.rvalue = first
        counter = self.ast.ID(begun[0], coord)
        gap = self.binary("-", self.binary("-", counter, first), uncast(odd[0]).left)
        if getattr(first, "value", "") == "0":
            gap = self.binary("-", counter, uncast(odd[0]).left)
        whole = self.number(0, coord)
        even = self.ast.BinaryOp("==", self.binary("%", gap, self.number(width, coord)), whole, coord)
        copied.next = self.ast.UnaryOp("p++", counter, coord)
        copied.stmt = self.ast.Compound([self.ast.If(even, node.stmt, None, coord)], coord)
        return copied

    def walk_pointer(self, node: Any) -> list[Any] | None:
        """A loop that ends where a pointer meets another one, with a counter; None for other loops.

        The pointer moves by one element in each turn, once, whatever the data.
        """
        cond, is_for = node.cond, type(node).__name__ == "For"
        if type(cond).__name__ != "BinaryOp" or cond.op not in ("<", "!=") or has_kind(node.stmt, "Break", "Continue"):
            return None
        name = str(getattr(cond.left, "name", ""))
        if name not in self.pointers or type(cond.left).__name__ != "ID":
            return None
        measured = self.measure(node, name, cond.right)
        if measured is None:
            return None
        length, before = measured
        items = list_items(node.stmt)
        if is_for and node.next is not None:
            moved = list(getattr(node.next, "exprs", None) or [node.next])
            steps = [s for m in moved if (s := read_step(m, self.ast)) is not None and s[0] == name]
            if [read_unit(s[1]) for s in steps] != [1] or find_writes(self.ast.ExprList(moved), name) != 1:
                return None
            if find_writes(node.stmt, name):
                return None
            items = [*items, *moved]
        elif find_writes(self.ast.Compound(items, node.coord), name) != 1 or not self.steps_once(items, name):
            return None
        self.made += 1
        counter = self.ast.ID(f"{name}__turn{self.made}", node.coord)
        init = self.ast.DeclList([self.declare_whole(counter.name, self.number(0, node.coord), node.coord)], node.coord)
        ends = self.ast.BinaryOp("<", counter, length, node.coord)
        body = self.ast.Compound(items, node.coord)
        turns = self.ast.For(init, ends, self.ast.UnaryOp("p++", counter, node.coord), body, node.coord)
        if not any(type(s).__name__ == "Decl" for s in before):
            self.ended[name] = uncast(cond.right)
        return [*before, turns] if len(before) < 2 else [self.ast.Compound([*before, turns], node.coord)]

    def steps_once(self, items: list[Any], name: str) -> bool:
        """Whether one of the statements, not one under a condition, moves a name by 1."""
        for item in items:
            if type(item).__name__ in ("Compound", "If", "For", "While", "DoWhile", "Switch"):
                continue
            if has_step(item, name):
                return True
        return False

    def measure(self, node: Any, name: str, end: Any) -> tuple[Any, list[Any]] | None:
        """Elements from where a pointer starts to where it ends, and what the loop begins with; None where unknown."""
        before: list[Any] = []
        if type(node).__name__ == "For" and node.init is not None:
            declared = type(node.init).__name__ == "DeclList"
            before = list(node.init.decls if declared else getattr(node.init, "exprs", None) or [node.init])
        begun = {str(s.name): s.init for s in before if type(s).__name__ == "Decl" and s.init is not None}
        begun |= {b[0]: b[1] for s in before if (b := read_begun(s)) is not None}
        if len(begun) != len(before) or (begun and name not in begun):
            return None
        for start in before:
            self.learn(start)
        label = str(getattr(end, "name", ""))
        moved = [p for p in (node.stmt, getattr(node, "next", None)) if p is not None]
        ends = begun.get(label) if not any(find_writes(p, label) for p in moved) else None
        end = ends or self.starts.get(label, end)
        first = begun.get(name) or self.starts.get(name, self.ast.ID(name, node.coord))
        length = self.subtract(uncast(end), uncast(first))
        return None if length is None else (length, before)

    def subtract(self, end: Any, first: Any) -> Any | None:
        """``p + n`` less ``p``; None where what they have in common is no pointer."""
        ends, firsts = find_terms(end, ("+", "-"), True), find_terms(first, ("+", "-"), True)
        shared = False
        for term in list(firsts):
            match = next((t for t in ends if t[1] == term[1] and are_alike(uncast(t[0]), uncast(term[0]))), None)
            if match is not None:
                ends.remove(match)
                firsts.remove(term)
                base = uncast(term[0])
                # What a step of the pointer is told from is a pointer, whether a member or not.
                shared |= type(base).__name__ == "StructRef" or base.name in self.pointers if has_name(base) else False
        if not shared:
            return None
        rest = [*ends, *((t, not plus) for t, plus in firsts)]
        positive = [t for t, plus in rest if plus]
        if not positive:
            return None
        total = positive[0]
        for term, plus in rest:
            if term is not total:
                total = self.binary("+" if plus else "-", total, term)
        return total


def is_nothing(node: Any) -> bool:
    """Whether an expression is an address that leads nowhere."""
    node = uncast(node)
    return str(getattr(node, "value", getattr(node, "name", ""))) in ("0", "NULL", "nullptr")


# Loops whose counter is doubled or halved


# Axes along which a launch has one thread and one block
