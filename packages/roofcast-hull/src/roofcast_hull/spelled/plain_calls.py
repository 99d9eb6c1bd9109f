"""Calls of C++ as those of plain C: functions, methods, operators; small functions in place."""

from __future__ import annotations

import re
from typing import Any

from roofcast_hull.spelled.algorithms import SIDES, strip_parentheses
from roofcast_hull.spelled.function_context import SELF, UNKNOWN
from roofcast_hull.spelled.type_names import NotPlainError


class Calls:
    """Writes the calls of the function that a writer is in."""

    def __init__(self, writer: Any) -> None:
        self.writer = writer
        self.k, self.t, self.records = writer.k, writer.t, writer.records

    def arguments(self, node: Any) -> list[Any]:
        """Arguments of a call, those that nobody wrote from the declaration."""
        return [a for a in node.get_arguments() if a is not None]

    def argument_text(self, node: Any, called: Any, at: int) -> str:
        """One argument; a default is what the declaration says."""
        if node.kind == self.k.UNEXPOSED_EXPR and not self.writer.parts(node):
            given = [p for p in called.get_arguments() if p is not None] if called is not None else []
            if at < len(given):
                default = [c for c in given[at].get_children() if c.kind.is_expression()]
                if default:
                    return str(self.writer.expressions.expression(default[-1]))
        return str(self.writer.expressions.expression(node))

    def unknown_call(self, node: Any, given: list[Any], parts: list[Any]) -> str:
        """A call that the file does not say more of."""
        if not node.spelling and len(parts) == 1:
            return str(self.writer.expressions.expression(parts[0]))
        stands = self.writer.host.find_reference(parts[0], (self.k.FUNCTION_DECL,)) if parts else None
        if stands is not None:
            # A function that stands for a parameter of a template.
            return self.call_function(node, stands, given or parts[1:])
        name = re.sub(r"\W", "_", node.spelling) or "unread"
        if self.writer.place.on_host:
            return self.host_text(name, given)
        return f"{name}({', '.join(self.writer.expressions.expression(a) for a in given)})"

    def host_text(self, name: str, given: list[Any]) -> str:
        """A call of the host's: 0 stands for an argument that has no plain form."""
        texts = []
        for a in given:
            try:
                texts.append(self.writer.expressions.expression(a))
            except NotPlainError:
                texts.append("0")
        return f"{name}({', '.join(texts)})"

    def call_method(self, node: Any, called: Any, given: list[Any], parts: list[Any]) -> str:
        """``p.f(a)``, ``p[i]``, ``a + b``."""
        spelled = called.spelling
        by_sign = spelled.startswith("operator") and not spelled[8:9].isalnum() and spelled[8:9] != "_"
        first = parts[0] if parts else None
        member = self.writer.peel(first) if first is not None else None
        written_as_member = member is not None and member.kind == self.k.MEMBER_REF_EXPR and member.spelling == spelled
        if written_as_member:
            base = self.writer.expressions.base_text(member)
            arguments = given
        elif called.kind == self.k.CONVERSION_FUNCTION:
            base, arguments = self.writer.expressions.expression(given[0] if given else parts[0]), []
        elif by_sign and given:
            base, arguments = self.operand_text(given[0]), given[1:]
        elif called.is_static_method():
            base, arguments = "", given
        else:
            base, arguments = (self.writer.place.this, given)
        base = f"(*{base[2:]})" if base.startswith("->") else base
        if self.writer.is_declared(called) and self.writer.find_body(called) is None:
            return self.call_declared(called, spelled, base, arguments)
        if spelled == "operator=" and self.writer.find_body(called) is None:
            return f"{base} = {self.writer.expressions.expression(arguments[0])}"
        body = self.writer.find_body(called)
        if body is None:
            raise NotPlainError(f"line {node.location.line}: '{spelled}' has no body in the file")
        place = self.written_in_place(called, body, base, arguments)
        if place is not None:
            return place
        values = [self.argument_text(a, called, at) for at, a in enumerate(arguments)]
        owner = [] if called.is_static_method() else [strip_parentheses(base)]
        key = called.semantic_parent.get_usr() if called.semantic_parent is not None else ""
        if key in self.writer.lifted:
            owner = self.writer.closures.hand_lifted(key)
        return f"{self.writer.function_name(called)}({', '.join([*owner, *values])})"

    def operand_text(self, node: Any) -> str:
        """The object that an operator is of."""
        text = self.writer.expressions.expression(node)
        return text if re.fullmatch(r"[\w.\[\]]+|\(.*\)", text) else f"({text})"

    def call_declared(self, called: Any, spelled: str, base: str, arguments: list[Any]) -> str:
        """A method of our declarations that has no body: numbers of 16 bits, parts of the C++ library."""
        if called.kind == self.k.CONVERSION_FUNCTION:
            if called.semantic_parent.spelling == UNKNOWN:
                return base
            kind = self.records.declare(called.result_type, "").strip()
            return f"({kind})({base})" if not self.records.is_record(called.result_type) else base
        if spelled.startswith("operator") and arguments:
            sign = spelled[8:]
            if sign in ("+=", "-=", "*=", "/=", "=", "+", "-", "*", "/", "<", ">", "==", "!="):
                return f"{base} {sign} {self.writer.expressions.expression(arguments[0])}"
        if spelled in ("fill", "assign") and not self.writer.place.on_host:
            return self.fill_elements(called, base, arguments)
        if spelled == "swap" and len(arguments) == 1 and not self.writer.launches:
            return f"swap({base}, {self.writer.expressions.expression(arguments[0])})"
        if self.writer.place.on_host or self.writer.place.lenient:
            return "unread()"
        raise NotPlainError(f"'{spelled}' is not followed")

    def fill_elements(self, called: Any, base: str, arguments: list[Any]) -> str:
        """``a.fill(value)`` of an array, as the loop that it stands for."""
        members = {f.spelling: f for f in called.semantic_parent.type.get_fields()}
        held = members["data_"].type.get_canonical() if "data_" in members else None
        if held is None or held.kind != self.t.CONSTANTARRAY or len(arguments) != 1:
            raise NotPlainError(f"'{called.spelling}' is not followed")
        counter = self.writer.algorithms.counter()
        value = self.writer.expressions.expression(arguments[0])
        text = f"{base}.data_[{counter}] = {value};"
        return str(self.writer.algorithms.loop(counter, str(held.element_count), text))

    def written_in_place(self, called: Any, body: Any, base: str, arguments: list[Any]) -> str | None:
        """The expression that a small function returns, where it is called; None where it does more.

        Of functions that return places, and of methods.
        """
        statements = self.writer.parts(body)
        if len(statements) != 1 or statements[0].kind != self.k.RETURN_STMT:
            return None
        value = self.writer.parts(statements[0])
        place = self.records.is_reference(called.result_type)
        method = called.kind in (self.k.CXX_METHOD, self.k.CONVERSION_FUNCTION)
        if not value or not (place or method) or self.writer.place.depth > 40:
            return None
        parameters = [p for p in called.get_arguments() if p is not None]
        texts = [self.argument_text(a, called, at) for at, a in enumerate(arguments)]
        if any(SIDES.search(t) for t in texts):
            return None
        first = ""
        if not place:
            texts, first = self.writer.algorithms.hold(parameters, texts, arguments, statements)
        key = called.semantic_parent.get_usr() if called.semantic_parent is not None else ""
        outer = self.writer.place.meaning, self.writer.place.this, self.writer.place.captured
        meaning = {
            p.get_usr(): t if re.fullmatch(r"[\w.]+|\(.*\)", t) else f"({t})"
            for p, t in zip(parameters, texts, strict=False)
        }
        self.writer.place.meaning = {**outer[0], **meaning}
        owner = strip_parentheses(base) if base else SELF
        # What a reference leads to is one operand before a dot.
        self.writer.place.this = f"({owner})" if owner.startswith("*") else owner
        if key in self.writer.lifted:
            names = zip(self.writer.lifted[key], self.writer.closures.hand_lifted(key), strict=True)
            self.writer.place.captured = {v.get_usr(): text for (v, _), text in names}
            self.writer.place.this = SELF
        elif key in self.writer.lambdas:
            self.writer.place.captured = {
                v.get_usr(): f"{self.writer.place.this}.{self.records.member(v.spelling)}"
                for v in self.writer.lambdas[key][0]
            }
        if not re.fullmatch(r"[\w.\[\] +*()/-]+", self.writer.place.this) or (
            self.writer.place.this.count("(") and "construct_" in self.writer.place.this
        ):
            self.writer.place.meaning, self.writer.place.this, self.writer.place.captured = outer
            return None
        try:
            text = self.writer.expressions.expression(value[0])
        finally:
            self.writer.place.meaning, self.writer.place.this, self.writer.place.captured = outer
        if any(re.search(r"\w\(", t) and text.count(t) > 1 for t in [*texts, owner]):
            return None
        return text if re.fullmatch(r"[\w.]+|[\w.]+\[[^\[\]]*\]", text) else f"({first}{text})"

    def call_function(self, node: Any, called: Any, given: list[Any]) -> str:
        """``f(a)``, or an operator that the file or our declarations have."""
        spelled = called.spelling
        by_sign = spelled.startswith("operator") and not spelled[8:9].isalnum() and spelled[8:9] != "_"
        body = self.writer.find_body(called)
        if (written := self.writer.algorithms.write(spelled, node, given)) is not None:
            return str(written)
        return self.call_plainly(node, called, given, body, by_sign=by_sign)

    def call_plainly(self, node: Any, called: Any, given: list[Any], body: Any, *, by_sign: bool) -> str:
        """A call of what is no algorithm of the library."""
        spelled = called.spelling
        if body is None:
            if by_sign and self.writer.is_declared(called):
                texts = [self.operand_text(a) for a in given]
                return f"{texts[0]} {spelled[8:]} {texts[1]}" if len(texts) > 1 else f"{spelled[8:]}{texts[0]}"
            if self.writer.place.on_host:
                return str(self.writer.host.host_call(node, spelled, given))
            return f"{spelled}({', '.join(self.argument_text(a, called, at) for at, a in enumerate(given))})"
        declared = self.writer.is_declared(called)
        if spelled in ("move", "forward") and declared:
            return str(self.writer.expressions.expression(given[0]))
        if spelled in ("min", "max") and declared:
            return f"{spelled}({', '.join(self.writer.expressions.expression(a) for a in given)})"
        if self.records.is_reference(called.result_type) or (declared and self.writer.place.on_host):
            place = self.written_in_place(called, body, "", given)
            if place is not None:
                return place
            if declared and self.writer.place.on_host and len(self.writer.parts(body)) == 1 and len(given) == 1:
                returned = self.writer.parts(self.writer.parts(body)[0])
                if returned:
                    outer = self.writer.place.meaning
                    parameter = next(iter(called.get_arguments()))
                    self.writer.place.meaning = {
                        **outer,
                        parameter.get_usr(): self.writer.expressions.expression(given[0]),
                    }
                    try:
                        return str(self.writer.expressions.expression(returned[0]))
                    finally:
                        self.writer.place.meaning = outer
        nested, self.writer.place.argument = self.writer.place.argument, True
        try:
            values = [self.argument_text(a, called, at) for at, a in enumerate(given)]
        finally:
            self.writer.place.argument = nested
        return f"{self.writer.function_name(called)}({', '.join(values)})"
