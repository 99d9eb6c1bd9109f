"""Expressions of C and CUDA, each evaluated for all lanes."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from roofcast_hull.emulated.accesses import Accesses
from roofcast_hull.emulated.device_memory import DATA, Address, Held, Number, Reference, Slot, Structure, write_held
from roofcast_hull.emulated.lane_arithmetic import (
    ARITHMETIC,
    COMPARED,
    divide_real,
    divide_whole,
    is_bools,
    tame,
    truth,
    whole,
    wrap,
)  # fmt: skip
from roofcast_hull.emulated.thread_state import line_of, make_lanes, name_method
from roofcast_hull.emulated.traffic import WARP
from roofcast_hull.emulated.value_types import CHAR, DOUBLE, FLOAT, INT, LONG, UINT, Type, find_common
from roofcast_hull.source.c_idioms import REFERENCE
from roofcast_hull.source.c_tree import LARGEST_LITERAL, find_names, is_constant, is_no_work, is_of_names, read_integer
from roofcast_hull.source.index_names import mixes_bits
from roofcast_hull.source.nest import refuse

LIMITS = {
    "FLT_MAX": 3.4e38, "DBL_MAX": 1.7e308, "INFINITY": 3e38, "FLT_MIN": 1e-38, "FLT_EPSILON": 1.2e-7, "NAN": 1.0,
    "DBL_EPSILON": 2.2e-16, "CUDART_INF_F": 3e38, "M_PI": np.pi, "M_PI_F": np.pi, "CUDART_PI_F": np.pi,
}  # fmt: skip
"""Names of the C library's numbers; infinity is a large one, so that differences stay numbers."""
WHOLE_LIMITS = {
    "INT_MAX": 2**31 - 1, "INT_MIN": -(2**31), "UINT_MAX": 2**32 - 1, "RAND_MAX": 2**31 - 1, "NULL": 0,
    "SIZE_MAX": 2**63 - 1, "LONG_MAX": 2**63 - 1, "LONG_MIN": -(2**63), "LLONG_MAX": 2**63 - 1,
    "LLONG_MIN": -(2**63), "ULONG_MAX": 2**63 - 1, "ULLONG_MAX": 2**63 - 1, "CHAR_BIT": 8, "UCHAR_MAX": 255,
    "SCHAR_MAX": 127, "SCHAR_MIN": -128, "SHRT_MAX": 32767, "SHRT_MIN": -32768, "USHRT_MAX": 65535,
    **{f"INT{n}_MAX": 2 ** (n - 1) - 1 for n in (8, 16, 32, 64)},
    **{f"INT{n}_MIN": -(2 ** (n - 1)) for n in (8, 16, 32, 64)},
    **{f"UINT{n}_MAX": 2 ** min(n, 63) - 1 for n in (8, 16, 32, 64)},
}  # fmt: skip
TRUTHS = {"false": 0, "true": 1}
"""What <stdbool.h> names."""


def is_mask(number: Number) -> bool:
    """Whether a number that no data enter is one less than a power of two."""
    value = number.v
    return bool(number.data < DATA and isinstance(value, (int, np.integer)) and value >= 0 and not value & (value + 1))


class Expressions(Accesses):
    """Evaluates expressions; calls follow in a further class."""

    @abstractmethod
    def call(self, name: str, arguments: Sequence[Slot], node: Any, template: Sequence[Any] = ()) -> Slot:
        """Run a function of the file."""

    def read_name(self, node: Any) -> Slot:
        """The value of a name."""
        name = str(node.name)
        held = self.find(name)
        if held is None:
            if name in self.types.enumerated:
                return Number(self.types.enumerated[name])
            if name == "warpSize":
                return Number(WARP)
            if name in LIMITS:
                return Number(LIMITS[name], DOUBLE if name.startswith(("DBL", "M_PI")) else FLOAT)
            if name in WHOLE_LIMITS:
                return Number(WHOLE_LIMITS[name], LONG)
            if name in TRUTHS:
                return Number(TRUTHS[name])
            raise refuse(line_of(node), f"the file does not say '{name}'")
        value = held.value
        if isinstance(value, Reference):
            return self.follow(value).value
        if isinstance(value, Address) and held.t.name == REFERENCE:
            return self.load(value, node)
        return self.say(value, name)

    def evaluate(self, node: Any) -> Slot:
        """The value of an expression."""
        method = getattr(self, name_method("evaluate", type(node).__name__), None)
        if method is None:
            raise refuse(line_of(node), f"'{type(node).__name__}' is not followed")
        return method(node)  # type: ignore[no-any-return]

    def evaluate_constant(self, node: Any) -> Slot:
        """A literal, which is read once."""
        _, value = self.texts.literals.get(id(node)) or self.keep_literal(node)
        return Number(value.v, value.t)

    def keep_literal(self, node: Any) -> tuple[Any, Number]:
        """A literal and its number, for the next turn."""
        return self.texts.literals.setdefault(id(node), (node, self.read_literal(node)))

    def read_literal(self, node: Any) -> Number:
        """A literal as it is written."""
        text, kind = str(node.value), str(node.type)
        if kind in ("float", "double", "long double"):
            return Number(float(text.rstrip("fFlL")), FLOAT if text[-1] in "fF" else DOUBLE)
        if kind == "char":
            return Number(ord(text[1]) if len(text) == 3 else 0, INT)
        if kind == "string":
            return Number(0)
        # Keys and constants of hashes have 64 bits.
        value = wrap(read_integer(text, line_of(node), LARGEST_LITERAL), LONG)
        return Number(
            value, LONG if abs(value) >= 1 << 31 or "l" in text.lower() else UINT if "u" in text.lower() else INT
        )

    def evaluate_id(self, node: Any) -> Slot:
        """A name."""
        return self.read_name(node)

    def evaluate_cast(self, node: Any) -> Slot:
        """A conversion."""
        value = self.evaluate(node.expr)
        kind, dims, pointed = self.read_type(node.to_type.type)
        if pointed:
            if isinstance(value, Address) and kind.name != "void":
                return Address(value.memory, value.at, kind, dims[1:] if dims else (), value.data, value.origin)
            return value
        if isinstance(value, Structure) or kind.members:
            return value
        if isinstance(value, Address) and not kind.real and kind.size >= INT.size:
            # An address as a whole number counts bytes.
            return Address(value.memory, value.at, CHAR, (), value.data, value.origin)
        if kind.name == "void":
            return Number(0)
        return self.convert(self.as_number(value, node), kind)

    def evaluate_typename(self, node: Any) -> Slot:
        """A type, as an argument."""
        return Number(self.read_type(node.type)[0].size, LONG)

    def evaluate_exprlist(self, node: Any) -> Slot:
        """Several expressions: the last counts."""
        last: Slot = Number(0)
        for item in node.exprs:
            last = self.evaluate(item)
        return last

    def evaluate_binaryop(self, node: Any) -> Slot:
        """``a + b``."""
        op = node.op
        if op in ("&&", "||"):
            return self.join(node)
        if self.updating and self.placing and mixes_bits(node):
            # Of what an update counts, bits of data are data, and what they are taken of.
            placing, self.placing = self.placing, 0
            try:
                return self.evaluate_binaryop(node)
            finally:
                self.placing = placing
        left = self.evaluate(node.left)
        right = self.evaluate_index(node.right) if isinstance(left, Address) else self.evaluate(node.right)
        before = self.traffic.counts.operations
        result = self.apply(op, left, right, node)
        _, no_work, constant, names = self.texts.operations.get(id(node)) or self.keep_operation(node)
        if no_work or (names is not None and self.are_of_file(names)):
            self.traffic.counts.operations = before
        if constant and isinstance(result, Number):
            # Of literals alone: compilers compute it.
            result = Number(result.v, result.t, result.data)
        return result

    def keep_operation(self, node: Any) -> tuple[Any, bool, bool, set[str] | None]:
        """What an operation is in whichever turn (:class:`.thread_state.NodeFacts`)."""
        names = find_names(node) if is_of_names(node) else None
        return self.texts.operations.setdefault(id(node), (node, is_no_work(node), is_constant(node), names))

    def are_of_file(self, names: set[str]) -> bool:
        """Whether names are those of the file's own whole numbers: compilers compute what is made of them alone."""
        held = [None if n in self.frame.names else self.file.get(n) for n in names]
        return all(h is not None and isinstance(h.value, Number) and not h.value.t.real for h in held)

    def apply(self, op: str, left: Slot, right: Slot, node: Any) -> Slot:
        """An operation of two values."""
        if isinstance(left, Address) or isinstance(right, Address):
            return self.shift(op, left, right, node)
        if isinstance(left, Structure) or isinstance(right, Structure):
            return self.apply_members(op, left, right, node)
        a, b = self.as_number(left, node), self.as_number(right, node)
        kind, data = find_common(a.t, b.t), max(a.data, b.data)
        if op in COMPARED:
            if kind.real or data >= DATA:
                self.count_comparison()
            return Number(COMPARED[op](a.v, b.v), INT, data)
        if kind.real:
            x, y = a.v, b.v
            self.count_operations(kind, 1.0)
            self.use_whole(a, b)
            if op == "/":
                self.count_call("div", kind)
                return Number(divide_real(x, y), kind, data)
            if op in "+-*":
                return Number(tame(ARITHMETIC[op](x, y)), kind, data)
            raise refuse(line_of(node), f"'{op}' of numbers with a fraction")
        return self.apply_whole(op, a, b, node)

    def apply_whole(self, op: str, a: Number, b: Number, node: Any) -> Number:
        """An operation of whole numbers."""
        kind, data = find_common(a.t, b.t), max(a.data, b.data)
        x, y, step = whole(a.v), whole(b.v), -1
        if data >= DATA:
            self.count_operations(kind, 1.0)
            self.use_whole(a, b)
        if op in ("/", "%"):
            self.count_division(node, x, kind)
            result = divide_whole(x, y, op)
        else:
            result = ARITHMETIC[op](x, y)
        if data < DATA:
            step = self.note_whole(a, b, result, op)
        return Number(result if op in ("/", "%") else wrap(result, kind), kind, data, step)

    def apply_members(self, op: str, left: Slot, right: Slot, node: Any) -> Slot:
        """Short vectors, member by member; structures of the file by their operator."""
        names = {"+": "operator_plus", "-": "operator_minus", "*": "operator_times", "/": "operator_over"}
        if names.get(op) in self.functions:
            return self.call(names[op], [left, right], node)
        whole_type = left.t if isinstance(left, Structure) else right.t  # type: ignore[union-attr]
        fields = {}
        for name, *_ in whole_type.members:
            a = left.fields[name] if isinstance(left, Structure) else left
            b = right.fields[name] if isinstance(right, Structure) else right
            fields[name] = self.apply(op, a, b, node)
        return Structure(whole_type, fields)

    def shift(self, op: str, left: Slot, right: Slot, node: Any) -> Slot:
        """An address and a number."""
        if isinstance(left, Address) and isinstance(right, Address):
            if op in COMPARED:
                return Number(COMPARED[op](left.at, right.at), INT, max(left.data, right.data))
            return Number((left.at - right.at) // max(1, left.t.size), LONG, max(left.data, right.data))
        place, by = (left, right) if isinstance(left, Address) else (right, left)
        assert isinstance(place, Address)
        moved = self.as_number(by, node)
        if op in COMPARED:
            return Number(1 if op == "!=" else 0)
        if op not in "+-":
            raise refuse(line_of(node), "arithmetic of addresses that is not followed")
        return self.step(place, moved, -1 if op == "-" else 1)

    def join(self, node: Any, left: Number | None = None) -> Number:
        """``a && b``: the second is only asked where the first leaves it open. left : the first, where it is known."""
        left = self.number(node.left) if left is None else left
        a = truth(left.v)
        wanted = node.op == "&&"
        # What data decide may be either way: where elements are counted, the second is asked, too.
        asks = left.data >= DATA and self.traffic.of_elements
        if not isinstance(a, np.ndarray):
            if bool(a) != wanted and not asks:
                return Number(int(not wanted), INT, left.data)
            right = self.number(node.right)
            return Number(truth(right.v), INT, max(left.data, right.data))
        before = self.on
        open_lanes = before.mask & (a if wanted else ~a)
        if not open_lanes.any() and not asks:
            return Number(int(not wanted) if (a[before.mask] != wanted).all() else a, INT, left.data)
        if left.data < DATA and not (open_lanes == before.mask).all():
            self.on = make_lanes(open_lanes)
        right = self.number(node.right)
        self.on = before
        b = truth(right.v)
        return Number(a & b if wanted else a | b, INT, max(left.data, right.data))

    def evaluate_unaryop(self, node: Any) -> Slot:
        """``-x``, ``*p``, ``&a[i]``, ``i++``, ``sizeof``."""
        op = node.op
        if op == "sizeof":
            if type(node.expr).__name__ == "Typename":
                kind, _, pointed = self.read_type(node.expr.type)
                return Number(8 if pointed else kind.size, LONG)
            held = self.find(str(getattr(node.expr, "name", "")))
            return Number(held.t.size if held is not None else 4, LONG)
        if op == "&":
            return self.refer(node.expr)
        if op in ("++", "--", "p++", "p--"):
            before = self.evaluate(node.expr)
            after = self.apply("+" if "+" in op else "-", before, Number(1), node)
            self.assign_to(node.expr, after)
            return before if op[0] == "p" else after
        if op == "*":
            return self.load(self.point_at(node.expr), node)
        return self.negate(op, self.evaluate(node.expr), node)

    def negate(self, op: str, value: Slot, node: Any) -> Slot:
        """``-x``, ``+x``, ``~x``, ``!x``."""
        if isinstance(value, Structure):
            return Structure(value.t, {n: self.apply("-", Number(0), v, node) for n, v in value.fields.items()})
        held = self.as_number(value, node)
        if op == "-":
            return Number(-(whole(held.v) if is_bools(held.v) else held.v), held.t, held.data)
        if op == "~":
            kind = find_common(held.t, INT)
            if held.data >= DATA:
                self.count_operations(kind, 1.0)
                self.use_whole(held)
            return Number(wrap(~whole(held.v), kind), kind, held.data, held.step)
        if op == "!":
            a = truth(held.v)
            return Number(~a if isinstance(a, np.ndarray) else int(not a), INT, held.data)
        return held

    def refer(self, node: Any) -> Slot:
        """The address of something."""
        place = self.place(node)
        if isinstance(place, Address):
            return place
        return place

    def evaluate_ternaryop(self, node: Any) -> Slot:
        """``c ? a : b``."""
        asked = self.number(node.cond)
        a = truth(asked.v)
        if not isinstance(a, np.ndarray) and asked.data < DATA:
            return self.evaluate(node.iftrue if a else node.iffalse)
        before = self.on
        yes_lanes, no_lanes = (
            (before, before) if asked.data == DATA else (make_lanes(before.mask & a), make_lanes(before.mask & ~a))
        )
        if not no_lanes.count or not yes_lanes.count:
            return self.evaluate(node.iftrue if yes_lanes.count else node.iffalse)
        counted = list[tuple[Any, Any, int]]()
        self.on = yes_lanes
        yes = self.evaluate_side(node.iftrue, counted)
        self.on = no_lanes
        no = self.evaluate_side(node.iffalse, counted)
        self.on = before
        self.last_sides = self.average_work(counted if asked.data == DATA else ())
        return self.choose(a, yes, no, asked.data, node)

    def evaluate_side(self, branch: Any, counted: list[tuple[Any, Any, int]]) -> Slot:
        """A side of ``c ? a : b``; ``counted`` gets what it computes (:meth:`average_work`)."""
        mark, self.last_sides = self.mark_work(), 1
        held = self.evaluate(branch)
        counted.append((mark, self.mark_work(), self.last_sides if type(branch).__name__ == "TernaryOp" else 1))
        return held

    def evaluate_assignment(self, node: Any) -> Slot:
        """``x = e``, ``x += e``."""
        op = str(node.op)[:-1]
        value = self.evaluate(node.rvalue)
        if op:
            value = self.apply(op, self.evaluate(node.lvalue), value, node)
        return self.assign_to(node.lvalue, value)

    def evaluate_arrayref(self, node: Any) -> Slot:
        """``a[i]``."""
        place = self.place(node)
        return self.load(place, node)

    def evaluate_structref(self, node: Any) -> Slot:
        """``p.x``, ``threadIdx.x``."""
        name = str(getattr(node.name, "name", "")) if type(node.name).__name__ == "ID" else ""
        if name in self.places and name not in self.frame.names:
            return Number(self.places[name][str(node.field.name)], UINT)
        place = self.place(node)
        return self.load(place, node)

    def evaluate_compoundliteral(self, node: Any) -> Slot:
        """``(float3){x, y, z}``."""
        kind, _, _ = self.read_type(node.type.type)
        return self.fill(kind, node.init)

    def evaluate_initlist(self, node: Any) -> Slot:
        """``{x, y}`` without a type."""
        items = [self.evaluate(e) for e in node.exprs or ()]
        return items[0] if items else Number(0)

    def fill(self, kind: Type, node: Any) -> Slot:
        """A structure from a list."""
        items = list(getattr(node, "exprs", None) or ())
        if not kind.members:
            return self.convert(self.number(items[0]), kind) if items else Number(0, kind)
        return self.fill_members(kind, items)

    def fill_members(self, kind: Type, items: list[Any]) -> Structure:
        """A structure from the first of some items, which are taken from their list: braces inside may lack."""
        fields: dict[str, Any] = {}
        named = {str(i.name[0].name): i.expr for i in items if type(i).__name__ == "NamedInitializer"}
        for name, t, _, dims in kind.members:
            fields[name] = self.empty(t, dims)
            mine = ([named[name]] if name in named else []) if named else items
            if not mine:
                continue
            listed = type(mine[0]).__name__ == "InitList"
            if dims:
                inside = list(mine.pop(0).exprs or ()) if listed else mine
                if isinstance(fields[name], Address) and isinstance(fields[name].memory, Held):
                    self.put_list(fields[name].memory, 0, t, dims, inside)
            elif listed:
                fields[name] = self.fill(t, mine.pop(0))
            else:
                value = self.take_item(t, mine)
                fields[name] = value if isinstance(value, Structure) and t.members else self.coerce(value, t)
        return Structure(kind, fields)

    def take_item(self, kind: Type, items: list[Any]) -> Slot:
        """The value of the next item of a list; of several where they are members of a structure."""
        value = items[0] if isinstance(items[0], (Number, Structure, Address)) else self.evaluate(items[0])
        if kind.members and isinstance(value, Number):
            items[0] = value
            return self.fill_members(kind, items)
        items.pop(0)
        return value

    def put_list(self, held: Held, at: int, kind: Type, dims: tuple[int, ...], items: list[Any]) -> None:
        """Store the items of a list, as many as there is room for, in an array of a thread. at : bytes."""
        if dims:
            step = math.prod(dims[1:]) * kind.size
            for k in range(dims[0]):
                if items and type(items[0]).__name__ == "InitList":
                    self.put_list(held, at + k * step, kind, dims[1:], list(items.pop(0).exprs or ()))
                elif items:
                    self.put_list(held, at + k * step, kind, dims[1:], items)
            return
        if not items:
            return
        value = self.fill_members(kind, items) if kind.members and has_lists(items) else self.take_item(kind, items)
        self.put_value(held, at, kind, value)

    def put_value(self, held: Held, at: int, kind: Type, value: Slot) -> None:
        """Store a value in an array of a thread, whatever lanes run: what is declared holds it."""
        if isinstance(value, Structure):
            self.store_members(Address(held, at, kind), value, None)
            return
        write_held(held, at, self.convert(self.as_number(value, None), kind), self.all.mask, self.own)


def has_lists(items: Sequence[Any]) -> bool:
    """Whether a list begins with a list of its own, or with a member by its name."""
    return type(items[0]).__name__ in ("InitList", "NamedInitializer")
