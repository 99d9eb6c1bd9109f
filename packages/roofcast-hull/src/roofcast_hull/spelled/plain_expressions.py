"""Expressions of C++ written as plain C."""

from __future__ import annotations

import re
from typing import Any

from roofcast_hull.spelled.algorithms import strip_parentheses
from roofcast_hull.spelled.c_spelling import spell_single
from roofcast_hull.spelled.function_context import CONFIGURE, DEEPEST
from roofcast_hull.spelled.type_names import NotPlainError


class Expressions:
    """Writes the expressions of the function that a writer is in."""

    def __init__(self, writer: Any) -> None:
        self.writer = writer
        self.k, self.t, self.records = writer.k, writer.t, writer.records

    def expression(self, node: Any) -> str:
        """An expression."""
        self.writer.place.depth += 1
        if self.writer.place.depth > DEEPEST:
            raise NotPlainError("expressions inside each other too deeply")
        try:
            method = getattr(self, f"expression_{node.kind.name.lower()}", None)
            if method is None:
                raise NotPlainError(f"line {node.location.line}: '{node.kind.name.lower()}'")
            return str(method(node))
        finally:
            self.writer.place.depth -= 1

    def expression_unexposed_expr(self, node: Any) -> str:
        """A conversion that nobody wrote, or what libclang has no name for."""
        parts = self.writer.parts(node)
        if len(parts) == 1:
            return self.expression(parts[0])
        if (value := self.writer.facts.evaluate(node)) is not None:
            return self.number(value, node.type)
        if not parts:
            return self.zero(node.type)
        raise NotPlainError(f"line {node.location.line}: an expression that is not followed")

    expression_pack_expansion_expr = expression_unexposed_expr
    expression_size_of_pack_expr = expression_unexposed_expr

    def zero(self, kind: Any) -> str:
        """A value that nobody gave."""
        if self.records.is_record(kind):
            return f"({self.records.record(self.records.bare(kind))}){{0}}"
        return f"({self.records.declare(kind, '').strip()})0"

    def number(self, value: float, kind: Any) -> str:
        """A literal."""
        bare = self.records.bare(kind)
        if isinstance(value, int):
            if bare.kind in (self.t.FLOAT, self.t.DOUBLE):
                return f"{value}.0{'f' if bare.kind == self.t.FLOAT else ''}"
            suffix = {
                self.t.UINT: "u",
                self.t.LONG: "l",
                self.t.ULONG: "ul",
                self.t.LONGLONG: "ll",
                self.t.ULONGLONG: "ull",
            }.get(bare.kind, "")
            text = f"{value}{suffix}"
        else:
            text = spell_single(value) + "f" if bare.kind == self.t.FLOAT else repr(value)
            if "inf" in text or "nan" in text:
                text = "3e38f"
        return f"({text})" if text.startswith("-") else text

    def expression_integer_literal(self, node: Any) -> str:
        """A number."""
        value = self.writer.facts.evaluate(node)
        if value is None:
            raise NotPlainError(f"line {node.location.line}: a number that is not read")
        return self.number(value, node.type)

    expression_floating_literal = expression_integer_literal
    expression_character_literal = expression_integer_literal
    expression_cxx_bool_literal_expr = expression_integer_literal

    def expression_string_literal(self, node: Any) -> str:
        """Text."""
        return '"' + re.sub(r"[^A-Za-z0-9 .,:%_=-]", "", node.spelling)[:60] + '"'

    def expression_cxx_null_ptr_literal_expr(self, node: Any) -> str:
        """No address."""
        return "0"

    expression_gnu_null_expr = expression_cxx_null_ptr_literal_expr

    def expression_paren_expr(self, node: Any) -> str:
        """``(x)``."""
        return f"({self.expression(self.writer.parts(node)[0])})"

    def expression_cxx_unary_expr(self, node: Any) -> str:
        """``sizeof``."""
        value = self.writer.facts.evaluate(node)
        if value is None:
            raise NotPlainError(f"line {node.location.line}: a size that is not read")
        return str(value)

    expression_type_trait_expr = expression_cxx_unary_expr

    def expression_decl_ref_expr(self, node: Any) -> str:
        """A name."""
        referenced = node.referenced
        if referenced is None:
            # What stands for a parameter of a template.
            parts = self.writer.parts(node)
            return self.expression(parts[0]) if len(parts) == 1 and not node.spelling else str(node.spelling)
        if referenced.kind == self.k.ENUM_CONSTANT_DECL:
            return str(referenced.enum_value)
        if referenced.kind in (self.k.VAR_DECL, self.k.PARM_DECL):
            return str(self.writer.variables.variable_text(referenced, node))
        part = self.writer.place.locals.get(referenced.get_usr() or f"{referenced.location.offset}")
        if referenced.kind == self.k.UNEXPOSED_DECL and part is not None:
            return str(part)
        if referenced.kind in (self.k.FUNCTION_DECL, self.k.CXX_METHOD):
            return (
                self.writer.function_name(referenced)
                if self.writer.find_body(referenced) is not None
                else str(referenced.spelling)
            )
        if (value := self.writer.facts.evaluate(node)) is not None:
            return self.number(value, node.type)
        raise NotPlainError(f"line {node.location.line}: the name '{node.spelling}'")

    def expression_member_ref_expr(self, node: Any) -> str:
        """``p.x``, ``p->x``, and ``x`` of the object itself."""
        referenced = node.referenced
        if referenced is not None and referenced.kind in (self.k.VAR_DECL,):
            return str(self.writer.variables.variable_text(referenced, node))
        if referenced is not None and referenced.kind == self.k.ENUM_CONSTANT_DECL:
            return str(referenced.enum_value)
        name = self.records.member(node.spelling)
        if (extreme := self.find_extreme(node)) is not None:
            return extreme
        base = self.base_text(node)
        if not node.spelling:
            return base
        text = f"{base}.{name}" if not base.startswith("->") else f"{base[2:]}->{name}"
        # A member that is a reference is an address.
        referred = (
            referenced is not None
            and referenced.kind == self.k.FIELD_DECL
            and self.records.is_reference(referenced.type)
        )
        return f"(*{text})" if referred else text

    def find_extreme(self, node: Any) -> str | None:
        """``p.first`` of the places of a smallest and a largest element; None for other members."""
        parts = self.writer.parts(node)
        whole = self.writer.peel(parts[0]) if parts else None
        held = whole.referenced if whole is not None and whole.kind == self.k.DECL_REF_EXPR else None
        key = f"{held.get_usr()}.{node.spelling}" if held is not None else ""
        text = self.writer.place.locals.get(key)
        return None if text is None else str(text)

    def base_text(self, node: Any) -> str:
        """What stands before the dot; ``->`` before it where it is an address."""
        parts = self.writer.parts(node)
        if not parts:
            return str(self.writer.place.this)
        peeled = self.writer.peel(parts[0])
        if peeled.kind == self.k.CXX_THIS_EXPR:
            return str(self.writer.place.this)
        text = self.expression(parts[0])
        if self.records.bare(parts[0].type).kind == self.t.POINTER:
            if text.startswith("&") or (text.startswith("(&") and text.endswith(")")):
                return strip_parentheses(text).removeprefix("&")
            return f"->{text}" if re.fullmatch(r"[\w.\[\]]+", text) else f"->({text})"
        return text

    def expression_cxx_this_expr(self, node: Any) -> str:
        """The object's address."""
        return f"(&{self.writer.place.this})"

    def expression_array_subscript_expr(self, node: Any) -> str:
        """``a[i]``."""
        base, index = self.writer.parts(node)
        text = self.expression(base)
        return f"{text if self.is_postfix(base) else f'({text})'}[{self.expression(index)}]"

    def is_postfix(self, node: Any) -> bool:
        """Whether an expression binds at least as tightly as an index."""
        while node.kind == self.k.UNEXPOSED_EXPR and len(parts := self.writer.parts(node)) == 1:
            node = parts[0]
        k = self.k
        plain = (k.DECL_REF_EXPR, k.MEMBER_REF_EXPR, k.ARRAY_SUBSCRIPT_EXPR, k.CALL_EXPR, k.PAREN_EXPR)
        return node.kind in plain

    def expression_binary_operator(self, node: Any) -> str:
        """``a + b``."""
        left, right = self.writer.parts(node)
        sign = self.writer.facts.operator(node)
        if sign == "=" and self.writer.peel(right).kind == self.k.INIT_LIST_EXPR:
            return f"{self.expression(left)} = {self.literal(self.writer.peel(right))}"
        if sign == "-" and (index := self.writer.algorithms.find_index(left)) is not None:
            return str(index)
        a = self.expression(left)
        b = self.decide(right) if sign in ("&&", "||") else self.read_or_leave(right)
        if sign == ",":
            return f"{a}, {b}"
        return f"{a} {sign} {b}"

    expression_compound_assignment_operator = expression_binary_operator

    def expression_unary_operator(self, node: Any) -> str:
        """``-x``, ``i++``."""
        inside = self.writer.parts(node)[0]
        sign = self.writer.facts.operator(node)
        if sign == "*" and self.writer.peel(inside).kind == self.k.CXX_THIS_EXPR:
            return str(self.writer.place.this)
        text = self.expression(inside)
        if sign.startswith("p"):
            return f"{text}{sign[1:]}"
        if sign == "*" and re.match(r"^\(?&", text) and re.fullmatch(r"\(?&[\w.]+\)?", text):
            return strip_parentheses(text)[1:]
        if sign in ("__real", "__imag", "__extension__"):
            return text
        return f"{sign}{text}" if not text.startswith(sign[:1]) else f"{sign}({text})"

    def expression_conditional_operator(self, node: Any) -> str:
        """``c ? a : b``."""
        condition, *arms = self.writer.parts(node)
        a, b, c = self.read_or_leave(condition), *(self.decide(p) for p in arms)
        return f"{a} ? {b} : {c}"

    def decide(self, node: Any) -> str:
        """A part that runs under a condition, or once a turn: nothing of it comes before its statement."""
        decided, self.writer.place.decided = self.writer.place.decided, True
        try:
            return self.read_or_leave(node)
        finally:
            self.writer.place.decided = decided

    def read_or_leave(self, node: Any) -> str:
        """A part of an expression; of the host's what is not followed is ``unread()``, for the others are known."""
        try:
            return self.expression(node)
        except NotPlainError:
            if not (self.writer.place.on_host or self.writer.place.lenient):
                raise
            return "unread()"

    def expression_cstyle_cast_expr(self, node: Any) -> str:
        """A conversion."""
        parts = self.writer.parts(node)
        if not parts:
            return self.zero(node.type)
        inside = self.writer.peel(parts[-1])
        if inside.kind == self.k.INIT_LIST_EXPR:
            return self.literal(inside, node.type)
        text = self.expression(parts[-1])
        if self.records.is_record(node.type) or node.type.get_canonical().kind == self.t.VOID:
            return text
        if self.records.is_reference(node.type):
            kind = self.records.declare(self.records.bare(node.type), "*").strip()
            return text if self.records.bare(node.type) == self.records.bare(parts[-1].type) else f"(*({kind})&{text})"
        kind = self.records.declare(node.type, "").strip()
        simple = re.fullmatch(r"[\w.]+|[\w.]*\([^()]*\)|[\w.]+(?:\[[^\[\]]*\])+", text)
        return f"({kind}){text if simple else f'({text})'}"

    expression_cxx_static_cast_expr = expression_cstyle_cast_expr
    expression_cxx_functional_cast_expr = expression_cstyle_cast_expr
    expression_cxx_reinterpret_cast_expr = expression_cstyle_cast_expr
    expression_cxx_const_cast_expr = expression_cstyle_cast_expr
    expression_cxx_dynamic_cast_expr = expression_cstyle_cast_expr
    expression_cxx_addrspace_cast_expr = expression_cstyle_cast_expr

    def expression_init_list_expr(self, node: Any) -> str:
        """``{a, b}`` as a value."""
        return self.literal(node)

    expression_compound_literal_expr = expression_unexposed_expr

    def literal(self, node: Any, kind: Any | None = None) -> str:
        """``(float2){a, b}``; on the host a variable of its own."""
        kind = kind if kind is not None else node.type
        items = self.writer.parts(node)
        if not self.records.is_record(kind):
            return self.expression(items[0]) if items else self.zero(kind)
        record = self.records.record(self.records.bare(kind))
        if self.writer.place.on_host:
            if record == "dim3":
                return f"dim3({', '.join(self.expression(i) for i in items)})"
            name = self.make_local(record)
            self.writer.place.before += self.writer.constructors.fill_list(name, kind, node)
            return name
        return f"({record}){self.writer.variables.list_text(node, kind)}"

    def make_local(self, record: str) -> str:
        """A variable of the host's for a value without a name."""
        self.writer.made += 1
        name = f"made_{self.writer.made}"
        self.writer.place.before.append(f"{record} {name}")
        return name

    def expression_lambda_expr(self, node: Any) -> str:
        """A lambda as a value."""
        record, variables = self.writer.closures.closure(node)
        if self.writer.place.on_host:
            name = self.make_local(record)
            self.writer.place.before += self.writer.closures.fill_closure(name, node)
            return name
        if not self.writer.place.lenient and self.writer.closures.changes_captured(node):
            raise NotPlainError(f"line {node.location.line}: a lambda that changes what it captures")
        held = ", ".join(self.writer.variables.variable_text(v) for v in variables) or "0"
        return f"({record}){{{held}}}"

    def expression_cxx_new_expr(self, node: Any) -> str:
        """Memory: of plain C that of an array, of the host of CUDA none."""
        if self.writer.place.on_host:
            return "0"
        element = node.type.get_canonical().get_pointee()
        counts = [p for p in self.writer.parts(node) if self.writer.variables.is_whole(p)]
        is_array = re.match(r"new[^;(){}]*\[", self.writer.parsed.text[self.writer.statements.offset(node) :])
        if not is_array or not counts or self.records.is_record(element) or self.writer.launches:
            raise NotPlainError(f"line {node.location.line}: 'new'")
        kind = self.records.declare(element, "").strip()
        return f"({kind} *)malloc(({self.expression(counts[0])}) * sizeof({kind}))"

    def expression_cxx_delete_expr(self, node: Any) -> str:
        """What no text of plain C needs."""
        if self.writer.place.on_host:
            return "0"
        raise NotPlainError(f"line {node.location.line}: '{node.kind.name.lower()}'")

    expression_cxx_throw_expr = expression_cxx_delete_expr
    expression_cxx_typeid_expr = expression_cxx_delete_expr

    def expression_call_expr(self, node: Any) -> str:
        """A call of whatever kind."""
        called, given = node.referenced, self.writer.calls.arguments(node)
        if (closure := self.writer.closures.find_held(node)) is not None:
            return str(self.writer.algorithms.value_of_call(closure, given[1:]))
        parts = self.writer.parts(node)
        if (
            len(parts) > 1
            and self.writer.peel(parts[1]).kind == self.k.CALL_EXPR
            and self.writer.peel(parts[1]).spelling == CONFIGURE
        ):
            return str(self.writer.host.launch(node, called, self.writer.peel(parts[1]), parts[2:]))
        if called is None:
            return str(self.writer.calls.unknown_call(node, given, parts))
        if called.kind == self.k.CONSTRUCTOR:
            return str(self.writer.constructors.constructed(node, called, given))
        if called.kind in (self.k.CXX_METHOD, self.k.CONVERSION_FUNCTION):
            return str(self.writer.calls.call_method(node, called, given, parts))
        if called.kind in (self.k.VAR_DECL, self.k.PARM_DECL, self.k.FIELD_DECL):
            return str(self.writer.calls.unknown_call(node, given, parts))
        return str(self.writer.calls.call_function(node, called, given))
