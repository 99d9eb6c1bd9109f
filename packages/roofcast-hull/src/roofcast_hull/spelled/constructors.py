"""Constructors of C++ as functions that return what they make, or that fill a place."""

from __future__ import annotations

from typing import Any

from roofcast_hull.spelled.function_context import REFERENCE, SELF, Function
from roofcast_hull.spelled.type_names import NotPlainError


class Constructors:
    """Writes what makes an object."""

    def __init__(self, writer: Any) -> None:
        self.writer = writer
        self.k, self.t, self.records = writer.k, writer.t, writer.records

    def write_maker(self, function: Function, owner: Any, taken: list[str], body: Any, head: str) -> str:
        """A constructor: on the device a function that returns what it makes, on the host one that fills it."""
        record = self.records.record(owner)
        self.writer.place.maker = True
        if self.writer.place.on_host:
            # The host's reader follows what functions do to names that they are given.
            self.writer.place.this = SELF + REFERENCE
            stores = self.initial_values(function.node, owner, self.writer.place.this)
            inside = "; ".join([*stores, ""])
            text = self.writer.statements.statement(body)
            given = ", ".join([f"{record} {self.writer.place.this}", *taken])
            return f"\x01{function.line}\x02{head}void {function.name}({given}) {{ {inside}{text} }}\n"
        stores = self.initial_values(function.node, owner, SELF)
        inside = "; ".join([*stores, ""])
        text = self.writer.statements.statement(body)
        return (
            f"\x01{function.line}\x02{head}{record} {function.name}({', '.join(taken)}) "
            f"{{ {record} {SELF}; {inside}{text} return {SELF}; }}\n"
        )

    def initial_values(self, node: Any, owner: Any, this: str) -> list[str]:
        """Assignments of what stands behind the colon of a constructor, and of what members are given otherwise."""
        assignments: list[str] = []
        children = list(node.get_children())
        given: set[str] = set()
        at = 0
        while at < len(children):
            child = children[at]
            at += 1
            if child.kind == self.k.MEMBER_REF and at < len(children):
                given.add(child.spelling)
                value = children[at]
                if value.kind.is_expression():
                    assignments += self.fill(
                        f"{this}.{self.records.member(child.spelling)}", child.referenced.type, value
                    )
                    at += 1
            elif child.kind == self.k.TYPE_REF and at < len(children) and children[at].kind == self.k.CALL_EXPR:
                # The constructor of a base.
                called = children[at].referenced
                at += 1
                if (
                    called is not None
                    and called.kind == self.k.CONSTRUCTOR
                    and self.writer.find_body(called) is not None
                ):
                    assignments.append(
                        f"/*base*/ {self.make_in(this, called, [])}" if self.writer.place.on_host else ""
                    )
        for field_node in owner.get_fields():
            value = [c for c in field_node.get_children() if c.kind.is_expression()]
            arrays = self.records.bare(field_node.type).kind == self.t.CONSTANTARRAY
            if field_node.spelling not in given and value and not arrays:
                assignments += self.fill(
                    f"{this}.{self.records.member(field_node.spelling)}", field_node.type, value[-1]
                )
        return [f for f in assignments if f]

    def make_in(self, place: str, node: Any, arguments: list[str]) -> str:
        """A call of a constructor of the host that fills a place."""
        return f"{self.writer.function_name(node)}({', '.join([place, *arguments])})"

    def fill(self, place: str, kind: Any, value: Any) -> list[str]:
        """Assignments that give a place a value, member by member where it is a list."""
        peeled = self.writer.peel(value)
        if self.records.is_reference(kind):
            return [f"{place} = &{self.writer.calls.operand_text(value)}"]
        if peeled.kind == self.k.INIT_LIST_EXPR:
            return self.fill_list(place, kind, peeled)
        if (
            peeled.kind == self.k.CALL_EXPR
            and peeled.referenced is not None
            and peeled.referenced.kind == self.k.CONSTRUCTOR
        ):
            called, given = peeled.referenced, self.writer.calls.arguments(peeled)
            if self.is_copy(called) and len(given) == 1:
                return [f"{place} = {self.writer.expressions.expression(given[0])}"]
            if self.writer.place.on_host and self.records.is_record(kind):
                return self.construct(place, called, given)
            if not given and self.writer.find_body(called) is None:
                owner = called.semantic_parent.type.get_canonical()
                return self.initial_values(called, owner, place) if self.writer.place.lenient else []
        text = self.writer.expressions.expression(value)
        return [f"{place} = {text}"]

    def fill_list(self, place: str, kind: Any, node: Any) -> list[str]:
        """``{a, {b, c}}`` as assignments."""
        items, kind = self.writer.parts(node), self.records.bare(kind)
        if kind.kind == self.t.CONSTANTARRAY:
            if len(items) == 1 and self.writer.peel(items[0]).kind == self.k.STRING_LITERAL:
                return []
            return [x for n, i in enumerate(items[:64]) for x in self.fill(f"{place}[{n}]", kind.element_type, i)]
        if not self.records.is_record(kind):
            return [f"{place} = {self.writer.expressions.expression(items[0]) if items else '0'}"]
        if not items:
            return []
        fields = self.records.fields(kind.get_declaration())
        if len(fields) == 1 and self.records.bare(fields[0][1]).kind == self.t.CONSTANTARRAY and len(items) > 1:
            # ``std::array<int, 3> n{4, 5, 6}``: the braces of the array inside are left out.
            return self.fill_list(f"{place}.{fields[0][0]}", fields[0][1], node)
        return [
            x for (name, t), item in zip(fields, items, strict=False)
            for x in self.fill(f"{place}.{name}", t, item)
        ]  # fmt: skip

    def construct(self, place: str, called: Any, given: list[Any]) -> list[str]:
        """What a constructor does to a place on the host."""
        if self.records.bare(called.semantic_parent.type).get_declaration().spelling == "dim3":
            return [f"{place} = dim3({', '.join(self.writer.expressions.expression(g) for g in given)})"]
        if self.writer.find_body(called) is None:
            owner = called.semantic_parent.type.get_canonical()
            return self.initial_values(called, owner, place) if not given else []
        return [self.make_in(place, called, [self.writer.expressions.expression(g) for g in given])]

    def is_copy(self, node: Any) -> bool:
        """Whether a constructor only copies or moves."""
        return bool(node.is_copy_constructor() or node.is_move_constructor())

    def constructed(self, node: Any, called: Any, given: list[Any]) -> str:
        """``X(a, b)``."""
        owner = called.semantic_parent.type.get_canonical()
        record = self.records.record(owner) if self.records.is_record(owner) else ""
        is_known = self.writer.is_declared(called)
        given = [a for a in given if not (a.kind == self.k.UNEXPOSED_EXPR and not self.writer.parts(a) and is_known)]
        if self.is_copy(called) and len(given) == 1:
            return str(self.writer.expressions.expression(given[0]))
        if not record:
            # A number of 16 bits.
            kind = self.records.declare(owner, "").strip()
            return f"({kind})({self.writer.expressions.expression(given[0])})" if given else f"({kind})0"
        if record == "dim3":
            return f"dim3({', '.join(self.writer.expressions.expression(g) for g in given)})"
        if record in ("__half2", "__nv_bfloat162"):
            return f"({record}){{{', '.join(self.writer.expressions.expression(g) for g in given) or '0'}}}"
        if self.writer.place.on_host:
            name = self.writer.expressions.make_local(record)
            self.writer.place.before += self.construct(name, called, given)
            return str(name)
        if self.writer.find_body(called) is None:
            if given:
                raise NotPlainError(f"line {node.location.line}: '{called.spelling}' is not made in the file")
            return f"({record}){{0}}"
        nested, self.writer.place.argument = self.writer.place.argument, True
        try:
            values = [self.writer.calls.argument_text(a, called, at) for at, a in enumerate(given)]
        finally:
            self.writer.place.argument = nested
        making = f"{self.writer.function_name(called)}({', '.join(values)})"
        if not (self.writer.place.lenient and self.writer.place.argument):
            return making
        # Sizes are read of what has a name.
        self.writer.made += 1
        name = f"made_{self.writer.made}"
        self.writer.place.before.append(f"{self.records.declare(owner, name)} = {making}")
        return name
