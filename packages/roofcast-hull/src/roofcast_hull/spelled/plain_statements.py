"""Statements of C++ written as plain C, with what must come before them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from roofcast_hull.spelled.c_spelling import join_declarations
from roofcast_hull.spelled.function_context import SELF
from roofcast_hull.spelled.machine_code import spell_machine_code
from roofcast_hull.spelled.type_names import NotPlainError


class Statements:
    """Writes the statements of the function that a writer is in."""

    def __init__(self, writer: Any) -> None:
        self.writer = writer
        self.k, self.t, self.records = writer.k, writer.t, writer.records

    def statement(self, node: Any) -> str:
        """A statement, with what must come before it."""
        outer, self.writer.place.before = self.writer.place.before, []
        decided, self.writer.place.decided = self.writer.place.decided, False
        try:
            text = self.plain_statement(node)
            before = self.writer.place.before
        finally:
            self.writer.place.before, self.writer.place.decided = outer, decided
        if before:
            inside = " ".join(f"{b};" for b in before)
            return f"\x01{int(node.location.line)}\x02{inside} {text}"
        return f"\x01{int(node.location.line)}\x02{text}"

    def plain_statement(self, node: Any) -> str:
        """A statement."""
        kind = node.kind
        if kind == self.k.COMPOUND_STMT:
            inside = " ".join(self.statement(c) for c in self.writer.parts(node))
            return f"{{ {inside} \x01{int(node.extent.end.line)}\x02}}"
        if kind == self.k.DECL_STMT:
            return " ".join(map(self.declare_one, node.get_children()))
        method = getattr(self, f"statement_{kind.name.lower()}", None)
        if method is not None:
            return str(method(node))
        if kind.is_expression():
            return f"{self.discarded(node)};"
        if kind.name == "UNEXPOSED_STMT" and len(inside_parts := self.writer.parts(node)) == 1:
            return self.plain_statement(inside_parts[0])
        if self.writer.place.on_host or self.writer.place.lenient:
            return ";"
        raise NotPlainError(f"line {node.location.line}: '{kind.name.lower()}'")

    def declare_one(self, node: Any) -> str:
        """One of the names that a statement declares, after what must come before it: that may use those before."""
        outer, self.writer.place.before = self.writer.place.before, []
        try:
            text = self.writer.variables.declaration(node)
            handed = () if self.writer.closures.is_lambda(node.type) else self.list_handed(node)
            return " ".join([*(f"{b};" for b in self.writer.place.before), text, *handed])
        finally:
            self.writer.place.before = outer

    def discarded(self, node: Any) -> str:
        """An expression whose value nobody takes."""
        if self.writer.place.on_host or self.writer.place.lenient:
            with contextlib.suppress(NotPlainError):
                text = self.call_held(node) or self.writer.expressions.expression(node)
                if text != "unread()":
                    return "; ".join([str(text), *self.list_handed(node)])
            return "; ".join([*self.calls_inside(node), *self.list_handed(node), "unread()"])
        written = self.writer.closures.write_call_with(node) or self.call_held(node)
        return written if written is not None else str(self.writer.expressions.expression(node))

    def call_held(self, node: Any) -> str | None:
        """A call of a lambda that a variable of this function holds, as its body in place; None for other calls."""
        closure = self.writer.closures.find_held(node)
        if closure is None:
            return None
        given = self.writer.calls.arguments(self.writer.peel(node))[1:]
        return str(self.writer.algorithms.call(closure, [self.writer.expressions.expression(a) for a in given]))

    def list_handed(self, node: Any) -> Iterator[str]:
        """What lambdas without arguments do that the first function hands on, once: its calls say sizes.

        ``double t = seconds([&] { rows(y.data(), x.data(), n, m); });``
        """
        if not self.writer.place.lenient or self.writer.launches:
            return
        for inside in self.writer.closures.walk(node):
            if inside.kind == self.k.LAMBDA_EXPR:
                with contextlib.suppress(NotPlainError):
                    yield str(self.writer.algorithms.call(inside, []))

    def calls_inside(self, node: Any) -> Iterator[str]:
        """Calls of the file's own functions in what is not read else, ``cout << norm(v)``: they say sizes."""
        called = node.referenced if node.kind == self.k.CALL_EXPR else None
        is_own = called is not None and called.kind == self.k.FUNCTION_DECL and not self.writer.is_declared(called)
        if is_own and self.writer.find_body(called) is not None:
            with contextlib.suppress(NotPlainError):
                yield self.writer.expressions.expression(node)
                return
        for child in self.writer.parts(node):
            yield from self.calls_inside(child)

    def statement_cxx_try_stmt(self, node: Any) -> str:
        """``try { ... } catch (...) { ... }``: what is tried."""
        return self.plain_statement(self.writer.parts(node)[0])

    def statement_null_stmt(self, node: Any) -> str:
        """``;``"""
        return ";"

    def statement_if_stmt(self, node: Any) -> str:
        """A condition; one that is a constant leaves only what is compiled."""
        parts = [
            c
            for c in node.get_children()
            if c.kind.is_expression() or c.kind.is_statement() or c.kind == self.k.VAR_DECL
        ]
        head = ""
        if parts and parts[0].kind == self.k.DECL_STMT:
            head, parts = self.plain_statement(parts[0]), parts[1:]
        if parts and parts[0].kind == self.k.VAR_DECL:
            head += self.writer.variables.declaration(parts[0])
            parts = parts[1:]
        if not parts:
            return ";"
        text = self.choose_compiled(node, parts) or self.write_branches(parts)
        return f"{{ {head} {text} }}" if head else text

    def choose_compiled(self, node: Any, parts: list[Any]) -> str:
        """What ``if constexpr`` leaves; '' for other conditions."""
        tokens = [t.spelling for _, t in zip(range(2), node.get_tokens(), strict=False)]
        if tokens[1:2] != ["constexpr"] or (value := self.writer.facts.evaluate(parts[0])) is None:
            return ""
        chosen = parts[1:2] if value else parts[2:3]
        return self.block(chosen[0]) if chosen else ";"

    def write_branches(self, parts: list[Any]) -> str:
        """``if (c) a; else b;``"""
        if len(parts) > 1 and self.throws(parts[1]):
            # What a function is given is taken to be what it asks for.
            return self.block(parts[2]) if len(parts) > 2 else ";"
        condition = self.writer.expressions.read_or_leave(parts[0])
        text = f"if ({condition}) {self.block(parts[1]) if len(parts) > 1 else ';'}"
        return f"{text} else {self.block(parts[2])}" if len(parts) > 2 else text

    def throws(self, node: Any) -> bool:
        """Whether a branch does nothing but throw."""
        parts = self.writer.parts(node) if node.kind == self.k.COMPOUND_STMT else [node]
        return len(parts) == 1 and self.writer.peel(parts[0]).kind == self.k.CXX_THROW_EXPR

    def block(self, node: Any) -> str:
        """A statement under a condition or loop; several of one are in braces."""
        text = self.statement(node)
        if node.kind == self.k.COMPOUND_STMT and text.count(";") and text.lstrip("\x01\x020123456789").startswith("{"):
            return text
        return (
            f"{{ {text} }}"
            if node.kind != self.k.COMPOUND_STMT and ("; " in text.strip() or text.count(";") > 1)
            else text
        )

    def statement_for_stmt(self, node: Any) -> str:
        """A loop with a counter."""
        parts = [
            c
            for c in node.get_children()
            if c.kind.is_expression() or c.kind.is_statement() or c.kind == self.k.VAR_DECL
        ]
        body, heads = parts[-1], parts[:-1]
        slots = self.split_header(node, heads)
        first = self.plain_statement(slots[0]).rstrip(";") if slots[0] is not None else ""
        first = join_declarations(first)
        condition = self.writer.expressions.decide(slots[1]) if slots[1] is not None else ""
        step = self.writer.expressions.decide(slots[2]) if slots[2] is not None else ""
        if "; " in first.strip() and first.count(";"):
            return f"{{ {first}; for (; {condition}; {step}) {self.block(body)} }}"
        return f"for ({first}; {condition}; {step}) {self.block(body)}"

    def split_header(self, node: Any, heads: list[Any]) -> list[Any | None]:
        """First statement, condition and step of a loop, each None where there is none."""
        if len(heads) == 3:
            return list(heads)
        text = self.writer.parsed.text
        start = text.find("(", self.offset(node))
        places, depth = list[int](), 0
        for at in range(start, min(len(text), start + 4000)):
            depth += (text[at] in "([{") - (text[at] in ")]}")
            if text[at] == ";" and depth == 1:
                places.append(at)
            if depth == 0:
                break
        slots: list[Any | None] = [None, None, None]
        if len(places) < 2:
            raise NotPlainError(f"line {node.location.line}: a loop whose header is not followed")
        for head in heads:
            at = self.offset(head)
            slots[(at > places[0]) + (at > places[1])] = head
        return slots

    def offset(self, node: Any) -> int:
        """Where a node starts, in the units of the text."""
        # libclang counts bytes.
        at = int(node.extent.start.offset)
        return (
            len(self.writer.parsed.text.encode()[:at].decode(errors="ignore"))
            if not self.writer.parsed.text.isascii()
            else at
        )

    def statement_while_stmt(self, node: Any) -> str:
        """A loop."""
        parts = self.writer.parts(node)
        return f"while ({self.writer.expressions.decide(parts[0])}) {self.block(parts[-1])}"

    def statement_do_stmt(self, node: Any) -> str:
        """A loop that runs once at least; ``do ... while (0)`` is a block."""
        parts = self.writer.parts(node)
        if self.writer.facts.evaluate(parts[1]) == 0 and not self.has_jump(parts[0]):
            return self.statement(parts[0])
        return f"do {self.block(parts[0])} while ({self.writer.expressions.decide(parts[1])});"

    def has_jump(self, node: Any) -> bool:
        """Whether a loop's body may leave it."""
        return any(
            c.kind in (self.k.BREAK_STMT, self.k.CONTINUE_STMT) or self.has_jump(c) for c in self.writer.parts(node)
        )  # fmt: skip

    def statement_cxx_for_range_stmt(self, node: Any) -> str:
        """A loop over an array."""
        children = list(node.get_children())
        several = [c for c in children if c.kind == self.k.UNEXPOSED_DECL and c.spelling.startswith("[")]
        variable = next((c for c in children if c.kind == self.k.VAR_DECL), next(iter(several), None))
        body = children[-1]
        ranged = next((c for c in children if c.kind.is_expression()), None)
        if ranged is None and variable is not None:
            ranged = next((c for c in variable.get_children() if c.kind.is_expression()), None)
        kind = self.records.bare(ranged.type) if ranged is not None else None
        if variable is not None and ranged is not None and kind is not None:
            written = self.writer.algorithms.range_loop(variable, ranged, kind, body)
            if written is not None:
                return str(written)
        if self.writer.place.on_host:
            return self.statement(body)
        raise NotPlainError(f"line {node.location.line}: a loop over what is no array")

    def statement_return_stmt(self, node: Any) -> str:
        """The end of a function."""
        parts = self.writer.parts(node)
        if not parts:
            return f"return {SELF};" if self.writer.place.maker and not self.writer.place.on_host else "return;"
        value = self.writer.peel(parts[0])
        if value.kind == self.k.INIT_LIST_EXPR:
            return f"return {self.writer.expressions.literal(value)};"
        return f"return {self.writer.expressions.expression(parts[0])};"

    def statement_break_stmt(self, node: Any) -> str:
        """``break``."""
        return "break;"

    def statement_continue_stmt(self, node: Any) -> str:
        """``continue``."""
        return "continue;"

    def statement_goto_stmt(self, node: Any) -> str:
        """``goto``."""
        return "goto elsewhere;"

    def statement_label_stmt(self, node: Any) -> str:
        """A label: what stands behind it."""
        return " ".join(self.statement(p) for p in self.writer.parts(node))

    def statement_switch_stmt(self, node: Any) -> str:
        """One of several cases."""
        parts = self.writer.parts(node)
        return f"switch ({self.writer.expressions.read_or_leave(parts[-2])}) {self.statement(parts[-1])}"

    def statement_case_stmt(self, node: Any) -> str:
        """A case."""
        parts = self.writer.parts(node)
        value = self.writer.facts.evaluate(parts[0])
        label = str(value) if value is not None else self.writer.expressions.expression(parts[0])
        return f"case {label}: {self.statement(parts[-1])}"

    def statement_default_stmt(self, node: Any) -> str:
        """What else."""
        return f"default: {self.statement(self.writer.parts(node)[-1])}"

    def statement_asm_stmt(self, node: Any) -> str:
        """Machine code: what is known of it as C, else a function that nobody knows."""
        tokens = [t.spelling for t in node.get_tokens()]
        end = next((n for n, t in enumerate(tokens) if t in (":", "::")), len(tokens))
        code = "\n".join(t[1:-1] for t in tokens[:end] if t.startswith('"')).replace("\\n", "\n").replace("\\t", " ")
        operands = [c for c in node.get_children() if c.kind != self.k.STRING_LITERAL]
        return spell_machine_code(code, [self.writer.expressions.expression(c) for c in operands])

    statement_gcc_asm_stmt = statement_asm_stmt
    statement_ms_asm_stmt = statement_asm_stmt
