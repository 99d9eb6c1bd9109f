"""Lambdas of C++ as records with a function: what they capture are the members."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from roofcast_hull.spelled.function_context import REFERENCE, SELF


class Closures:
    """Writes lambdas."""

    def __init__(self, writer: Any) -> None:
        self.writer = writer
        self.k, self.t, self.records = writer.k, writer.t, writer.records

    def find_held(self, node: Any) -> Any | None:
        """The lambda that a call is of, where a variable of this function holds it."""
        node = self.writer.peel(node)
        if node.kind != self.k.CALL_EXPR or node.referenced is None or node.referenced.kind != self.k.CXX_METHOD:
            return None
        given = self.writer.calls.arguments(node)
        first = self.writer.peel(given[0]) if given else None
        variable = first.referenced if first is not None and first.kind == self.k.DECL_REF_EXPR else None
        return self.writer.held.get(variable.get_usr()) if variable is not None else None

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
        head = self.writer.parsed.text[self.writer.statements.offset(node) : self.writer.statements.offset(node) + 200]
        by_reference = bool(re.match(r"\[\s*&", head))
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
        name = self.writer.variables.local_name(node)
        if closure.kind != self.k.LAMBDA_EXPR:
            return f"{self.records.declare(node.type, name)} = {self.writer.expressions.expression(value)};"
        stores = self.fill_closure(name, closure)
        return " ".join([f"{self.records.declare(node.type, name)};", *(f"{s};" for s in stores)])
