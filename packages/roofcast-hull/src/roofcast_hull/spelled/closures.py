"""Lambdas of C++ as records with a function: what they capture are the members."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from roofcast_hull.spelled.function_context import REFERENCE, SELF

EQUAL = ("==", "!=", "<=", ">=")
"""Signs that end in one of assignments and compare."""


class Closures:
    """Writes lambdas."""

    def __init__(self, writer: Any) -> None:
        self.writer = writer
        self.k, self.t, self.records = writer.k, writer.t, writer.records

    def find_held(self, node: Any) -> Any | None:
        """The lambda that a call is of, where a variable of this function holds it, or it is called at once."""
        node = self.writer.peel(node)
        if node.kind != self.k.CALL_EXPR or node.referenced is None or node.referenced.kind != self.k.CXX_METHOD:
            return None
        given = self.writer.calls.arguments(node)
        first = self.writer.peel(given[0]) if given else None
        if first is not None and first.kind == self.k.LAMBDA_EXPR and not self.writer.launches:
            return first if self.is_value(first) or self.changes_captured(first) else None
        variable = first.referenced if first is not None and first.kind == self.k.DECL_REF_EXPR else None
        return self.writer.held.get(variable.get_usr()) if variable is not None else None

    def is_value(self, closure: Any) -> bool:
        """Whether all that a lambda does is to return a value."""
        bodies = [c for c in closure.get_children() if c.kind == self.k.COMPOUND_STMT]
        statements = self.writer.parts(bodies[-1]) if bodies else []
        return len(statements) == 1 and statements[0].kind == self.k.RETURN_STMT

    def changes_captured(self, closure: Any) -> bool:
        """Whether a lambda changes variables of the function around it, which copies of them do not show."""
        captured = {v.get_usr() for v in self.find_captures(closure, closure)}
        return self.captures_by_reference(closure) and not captured.isdisjoint(self.find_changed(closure))

    def captures_by_reference(self, closure: Any) -> bool:
        """Whether what a lambda captures is what the function around it has."""
        start = self.writer.statements.offset(closure)
        return bool(re.match(r"\[\s*&", self.writer.parsed.text[start : start + 200]))

    def write_call_with(self, node: Any) -> str | None:
        """A call of a function of the file that is given lambdas, as its body in place; None for other calls.

        ``each_pixel(h, w, [&](int y, int x) { ... });``
        """
        node, writer = self.writer.peel(node), self.writer
        called: Any = node.referenced if node.kind == self.k.CALL_EXPR else None
        body = writer.find_body(called) if called is not None and called.kind == self.k.FUNCTION_DECL else None
        if body is None or writer.launches or writer.place.on_host or writer.place.lenient:
            return None
        given, parameters = writer.calls.arguments(node), [p for p in called.get_arguments() if p is not None]
        closures = {k: c for k, a in enumerate(given) if (c := writer.algorithms.find_lambda(a)) is not None}
        plain = called.result_type.kind == self.t.VOID and not any(map(writer.algorithms.returns, writer.parts(body)))
        if not closures or not plain or writer.is_declared(called) or len(given) != len(parameters):
            return None
        if any(not self.is_called_alone(parameters[k], body) for k in closures):
            return None
        head, meaning = list[str](), dict[str, str]()
        for k, (parameter, argument) in enumerate(zip(parameters, given, strict=True)):
            if k in closures:
                writer.held[parameter.get_usr()] = closures[k]
                continue
            text = writer.expressions.expression(argument)
            if re.fullmatch(r"[\w.]+", text):
                meaning[parameter.get_usr()] = text
                continue
            writer.made += 1
            meaning[parameter.get_usr()] = name = f"{parameter.spelling}_{writer.made}"
            head.append(f"{self.records.declare(parameter.type, name)} = {text};")
        for inside in self.walk(body):
            if inside.kind == self.k.VAR_DECL:
                writer.made += 1
                writer.place.locals[inside.get_usr()] = f"{inside.spelling}_{writer.made}"
        outer, writer.place.meaning = writer.place.meaning, {**writer.place.meaning, **meaning}
        try:
            return f"{{ {' '.join([*head, writer.statements.statement(body)])} }}"
        finally:
            writer.place.meaning = outer

    def is_called_alone(self, parameter: Any, body: Any) -> bool:
        """Whether a function only calls what a parameter is, and never changes that."""
        uses = [n for n in self.walk(body) if self.names(n, parameter)]
        calls = [n for n in self.walk(body) if n.kind == self.k.CALL_EXPR and self.is_call_of(n, parameter)]
        return len(uses) == len(calls) > 0

    def is_lambda(self, kind: Any) -> bool:
        """Whether a type is that of a lambda."""
        return "(lambda at" in kind.get_canonical().spelling

    def find_captures(self, node: Any, inside: Any) -> Iterator[Any]:
        """Variables that a lambda's body uses and does not declare."""
        for child in node.get_children():
            if child.kind in (self.k.DECL_REF_EXPR, self.k.VARIABLE_REF):
                variable = child.referenced
                if variable is not None and variable.kind in (self.k.VAR_DECL, self.k.PARM_DECL):
                    parent = variable.semantic_parent
                    at = int(variable.location.offset)
                    outside = not (inside.extent.start.offset <= at < inside.extent.end.offset)
                    local = parent is not None and parent.kind not in (self.k.TRANSLATION_UNIT, self.k.NAMESPACE)
                    if (
                        outside
                        and local
                        and not self.writer.is_declared(variable)
                        and "CUDASHARED_ATTR" not in {c.kind.name for c in variable.get_children()}
                    ):
                        yield variable
            yield from self.find_captures(child, inside)

    def closure(self, node: Any) -> tuple[str, list[Any]]:
        """The record of a lambda, and what it captures."""
        record = node.type.get_canonical().get_declaration()
        key = record.get_usr()
        distinct = {v.get_usr(): v for v in self.find_captures(node, node)}
        by_reference = self.captures_by_reference(node)
        self.records.closures[key] = [(v.spelling, v.type, False) for v in distinct.values()]
        self.writer.lambdas[key] = (list(distinct.values()), by_reference)
        return self.records.record(node.type.get_canonical()), list(distinct.values())

    def capture_names(self, key: str) -> dict[str, str]:
        """How the body of a lambda names what it captures."""
        variables, _ = self.writer.lambdas.get(key, ([], False))
        return {v.get_usr(): f"{SELF}{REFERENCE}.{self.records.member(v.spelling)}" for v in variables}

    def fill_closure(self, name: str, node: Any) -> list[str]:
        """Assignments of what a lambda captures."""
        _, variables = self.closure(node)
        return [
            f"{name}.{self.records.member(v.spelling)} = {self.writer.variables.variable_text(v)}" for v in variables
        ]

    def declare_closure(self, node: Any, value: Any) -> str:
        """A variable that holds a lambda."""
        closure = self.writer.peel(value)
        while closure.kind == self.k.CALL_EXPR and len(self.writer.parts(closure)) == 1:
            closure = self.writer.peel(self.writer.parts(closure)[0])
        if closure.kind == self.k.LAMBDA_EXPR and not self.writer.launches:
            self.writer.held[node.get_usr()] = closure
            return ";"
        if closure.kind == self.k.LAMBDA_EXPR and self.is_only_called(node, closure):
            _, variables = self.closure(closure)
            changed = set(self.find_changed(closure))
            key = closure.type.get_canonical().get_declaration().get_usr()
            self.writer.lifted[key] = [(v, v.get_usr() in changed) for v in variables]
            return ";"
        name = self.writer.variables.local_name(node)
        if closure.kind != self.k.LAMBDA_EXPR:
            return f"{self.records.declare(node.type, name)} = {self.writer.expressions.expression(value)};"
        stores = self.fill_closure(name, closure)
        return " ".join([f"{self.records.declare(node.type, name)};", *(f"{s};" for s in stores)])

    # ---- lambdas that are only called: what they capture is handed to them ----

    def is_only_called(self, variable: Any, closure: Any) -> bool:
        """Whether a variable's lambda is called alone, never copied or handed on, and changes no copies of its own."""
        captured = {v.get_usr(): v for v in self.find_captures(closure, closure)}
        body = self.writer.find_body(variable.semantic_parent) if variable.semantic_parent is not None else None
        if body is None or any(self.is_lambda(v.type) for v in captured.values()):
            return False
        changes = any(u in captured for u in self.find_changed(closure))
        if changes and self.writer.parsed.text[self.writer.statements.offset(closure) :][:2] != "[&":
            return False  # It changes copies of its own.
        uses = [n for n in self.walk(body) if self.names(n, variable)]
        calls = [n for n in self.walk(body) if n.kind == self.k.CALL_EXPR and self.is_call_of(n, variable)]
        return len(uses) == len(calls) > 0

    def walk(self, node: Any) -> Iterator[Any]:
        """A node and all inside of it."""
        yield node
        for child in node.get_children():
            yield from self.walk(child)

    def is_call_of(self, node: Any, variable: Any) -> bool:
        """Whether a call is of the lambda that a variable holds."""
        if node.referenced is None or node.referenced.kind != self.k.CXX_METHOD:
            return False
        given = self.writer.calls.arguments(node)
        first = self.writer.peel(given[0]) if given else None
        return first is not None and self.names(first, variable)

    def names(self, node: Any, variable: Any) -> bool:
        """Whether an expression is the name of a variable."""
        return node.kind == self.k.DECL_REF_EXPR and node.referenced is not None and bool(node.referenced == variable)

    def find_changed(self, node: Any) -> Iterator[str]:
        """USR of variables that code assigns, steps, or takes the address of, and of objects that it may change."""
        for inside in self.walk(node):
            if inside.kind == self.k.CALL_EXPR:
                yield from self.find_handed(inside)
                continue
            binary = inside.kind in (self.k.BINARY_OPERATOR, self.k.COMPOUND_ASSIGNMENT_OPERATOR)
            if not binary and inside.kind != self.k.UNARY_OPERATOR:
                continue
            sign = self.writer.facts.operator(inside)
            changes = sign.strip("p") in ("++", "--", "&") if not binary else sign[-1:] == "=" and sign not in EQUAL
            operand = self.writer.peel(self.writer.parts(inside)[0]) if changes else None
            if operand is not None and operand.kind == self.k.DECL_REF_EXPR and operand.referenced is not None:
                yield str(operand.referenced.get_usr())

    def find_handed(self, node: Any) -> Iterator[str]:
        """USR of variables that a call of the file's own may change: an object of its method, or what it refers to."""
        called = node.referenced
        if called is None or self.writer.is_declared(called):
            return
        changed = list[Any]()
        method = called.kind == self.k.CXX_METHOD and not called.is_static_method() and not called.is_const_method()
        if method and (parts := self.writer.parts(node)) and (objects := self.writer.parts(parts[0])):
            changed.append(objects[0])
        given = self.writer.calls.arguments(node)
        for parameter, argument in zip([p for p in called.get_arguments() if p is not None], given, strict=False):
            if self.records.is_reference(parameter.type) and not parameter.type.get_pointee().is_const_qualified():
                changed.append(argument)
        for part in map(self.writer.peel, changed):
            if part.kind == self.k.DECL_REF_EXPR and part.referenced is not None:
                yield str(part.referenced.get_usr())

    def name_lifted(self, key: str) -> list[str]:
        """What a lambda that is only called is handed, as declarations of its function's parameters."""
        declared = []
        for variable, changes in self.writer.lifted[key]:
            name = self.writer.variables.local_name(variable, None, changes)
            self.writer.place.captured[variable.get_usr()] = name
            declared.append(self.records.declare(variable.type, name))
        return declared

    def hand_lifted(self, key: str) -> list[str]:
        """The same at a call."""
        return [self.writer.variables.variable_text(v) for v, _ in self.writer.lifted[key]]
