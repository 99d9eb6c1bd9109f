"""Variables of C++ as declarations of plain C: names, first values, references, parts of records."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from typing import Any

from roofcast_hull.spelled.algorithms import strip_parentheses
from roofcast_hull.spelled.function_context import REFERENCE, SELF, Context
from roofcast_hull.spelled.type_names import NotPlainError


class Variables:
    """Writes what a function, or the file, declares."""

    def __init__(self, writer: Any) -> None:
        self.writer = writer
        self.k, self.t, self.records = writer.k, writer.t, writer.records

    def local_name(self, node: Any, wanted: str | None = None, by_reference: bool = False) -> str:
        """The name of a variable or parameter."""
        key = node.get_usr() or f"{node.location.offset}"
        if key in self.writer.place.packed:
            key = f"{key}@{node.hash}"
        local = self.writer.place.locals.get(key)
        if local is None:
            name = wanted or node.spelling
            name = f"{name}_" if name in self.writer.names.taken or name == SELF else name
            local = self.writer.place.locals[key] = name + (REFERENCE if by_reference else "")
        return str(local)

    def write_global(self, node: Any) -> str:
        """A variable outside of functions."""
        key = node.get_usr()
        if key in self.writer.globals:
            return str(self.writer.names.given[key])
        if node.spelling in self.writer.parsed.numbers:
            self.writer.globals[key] = ""
            self.writer.names.given[key] = node.spelling
            return str(node.spelling)
        name = self.writer.names.name(key, node.spelling)
        self.writer.globals[key] = ""
        outer, self.writer.place = self.writer.place, Context(on_host=True)
        try:
            kinds = {c.kind.name for c in node.get_children()}
            space = (
                "__constant__ " if "CUDACONSTANT_ATTR" in kinds else "__device__ " if "CUDADEVICE_ATTR" in kinds else ""
            )
            shared = "__shared__ " if "CUDASHARED_ATTR" in kinds else ""
            if shared and self.records.bare(node.type).kind == self.t.INCOMPLETEARRAY:
                shared = f"extern {shared}"
            text = self.variable(node, name)
            constant = "const " if node.type.get_canonical().is_const_qualified() and not space else ""
            # Behind those of its line that its value is made of.
            del self.writer.globals[key]
            self.writer.globals[key] = f"\x01{int(node.location.line)}\x02{space}{shared}{constant}{text};\n"
        except NotPlainError:
            self.writer.globals[key] = ""
        finally:
            self.writer.place = outer
        return str(name)

    def variable(self, node: Any, name: str) -> str:
        """A declaration with its first value."""
        values = [c for c in node.get_children() if c.kind.is_expression()]
        kind = self.records.bare(node.type)
        dims: list[str] = []
        while kind.kind in (self.t.CONSTANTARRAY, self.t.INCOMPLETEARRAY):
            dims.append("")
            kind = kind.element_type.get_canonical()
        sized = None
        count = len(dims)
        if count and len(values) >= count and all(self.is_whole(v) for v in values[:count]):
            # The parser has the size of the innermost dimension first.
            sized, values = [self.writer.expressions.expression(v) for v in reversed(values[:count])], values[count:]
        elif count:
            values = values[-1:] if values and not self.is_whole(values[-1]) else []
        head = self.records.declare(node.type, name, sized)
        if not values:
            return str(head)
        value = self.writer.peel(values[-1])
        if value.kind == self.k.INIT_LIST_EXPR:
            if not self.writer.parts(value) and not count and not self.records.is_record(node.type):
                return f"{head} = 0"
            return f"{head} = {self.list_text(value, node.type)}"
        called = value.referenced if value.kind == self.k.CALL_EXPR else None
        is_size = node.type.get_canonical().is_const_qualified() and self.is_whole(value) and self.calls(value)
        if is_size and (number := self.writer.facts.evaluate(value)) is not None:
            # A compiler runs constexpr functions, readers of sizes do not.
            return f"{head} = {number}"
        is_constructed = called is not None and called.kind == self.k.CONSTRUCTOR
        if is_constructed and (
            count or (not self.writer.calls.arguments(value) and self.writer.find_body(called) is None)
        ):
            return str(head)
        return f"{head} = {self.writer.expressions.expression(values[-1])}"

    def is_whole(self, node: Any) -> bool:
        """Whether an expression is of a whole type, as sizes of arrays are."""
        kind = node.type.get_canonical().kind
        return kind in (
            self.t.INT,
            self.t.UINT,
            self.t.LONG,
            self.t.ULONG,
            self.t.LONGLONG,
            self.t.ULONGLONG,
            self.t.USHORT,
            self.t.SHORT,
            self.t.ENUM,
            self.t.SCHAR,
            self.t.UCHAR,
        )

    def calls(self, node: Any) -> bool:
        """Whether an expression calls a function."""
        return node.kind == self.k.CALL_EXPR or any(map(self.calls, self.writer.parts(node)))

    def list_text(self, node: Any, kind: Any) -> str:
        """``{a, b}``."""
        items = self.writer.parts(node)
        if not items:
            return "{0}"
        peeled = [self.writer.peel(i) for i in items]
        listed = self.k.INIT_LIST_EXPR
        texts = [
            self.list_text(p, p.type) if p.kind == listed else self.writer.expressions.expression(p) for p in peeled
        ]
        return f"{{{', '.join(texts)}}}"

    def declaration(self, node: Any) -> str:
        """A declaration inside of a function."""
        given = [c for c in node.get_children() if c.kind.is_expression()]
        if given and self.writer.algorithms.hold_extremes(node, given[-1]):
            return ";"
        if node.kind == self.k.UNEXPOSED_DECL and node.spelling.startswith("["):
            return self.declare_parts(node)
        if node.kind != self.k.VAR_DECL:
            return (
                ""
                if node.kind.is_declaration() or not node.kind.is_expression()
                else f"{self.writer.expressions.expression(node)};"
            )
        kinds = {c.kind.name for c in node.get_children()}
        line = f"\x01{int(node.location.line)}\x02"
        if "CUDASHARED_ATTR" in kinds:
            array = self.records.bare(node.type)
            word = "extern __shared__" if array.kind == self.t.INCOMPLETEARRAY else "__shared__"
            return f"{line}{word} {self.variable(node, self.local_name(node))};"
        values = [c for c in node.get_children() if c.kind.is_expression()]
        if values and self.writer.closures.is_lambda(node.type):
            return str(self.writer.closures.declare_closure(node, values[-1]))
        if self.records.is_reference(node.type) and values:
            return line + self.declare_reference(node, values[-1])
        listed = self.writer.place.lenient and values and self.is_listed(self.writer.peel(values[-1]))
        if (self.writer.place.on_host or listed) and self.records.is_record(node.type):
            return line + self.declare_record(node, values)
        table = values and self.is_array(node.type) and self.writer.peel(values[-1]).kind == self.k.INIT_LIST_EXPR
        plain = not self.records.is_record(node.type) and self.records.bare(node.type).kind != self.t.POINTER
        plain = plain or table
        constant = "const " if plain and node.type.get_canonical().is_const_qualified() else ""
        name = self.local_name(node)
        try:
            return f"{line}{constant}{self.variable(node, name)};"
        except NotPlainError:
            if not (self.writer.place.on_host or self.writer.place.lenient):
                raise
            return f"{line}{self.records.declare(node.type, name)};"

    def is_array(self, kind: Any) -> bool:
        """Whether a type is a record of nothing but an array, ``std::array<float, 3>``."""
        bare = self.records.bare(kind)
        fields = self.records.fields(bare.get_declaration()) if self.records.is_record(bare) else []
        return len(fields) == 1 and self.records.bare(fields[0][1]).kind == self.t.CONSTANTARRAY

    def is_listed(self, value: Any) -> bool:
        """Whether a first value names members one by one, or leaves each what the structure says."""
        called = value.referenced if value.kind == self.k.CALL_EXPR else None
        plain = called is not None and called.kind == self.k.CONSTRUCTOR and not self.writer.calls.arguments(value)
        return value.kind == self.k.INIT_LIST_EXPR or (plain and self.writer.find_body(called) is None)

    def declare_parts(self, node: Any) -> str:
        """``auto [a, b] = f();``: a record, or an array, of which the names are parts."""
        names = [c for c in node.get_children() if c.kind == self.k.UNEXPOSED_DECL]
        values = [c for c in node.get_children() if c.kind.is_expression()]
        if not values:
            raise NotPlainError(f"line {node.location.line}: names without what they are parts of")
        whole = strip_parentheses(self.writer.expressions.expression(values[-1]))
        kind = self.records.bare(node.type)
        moves = self.records.is_record(kind) and not self.stays(node, whole)
        goes_on = moves and self.records.is_reference(node.type) and not self.writer.is_constant(node.type)
        if goes_on and "[" in whole and not re.search(r"\w\(", whole):
            raise NotPlainError(f"line {node.location.line}: names of parts of what goes on")
        if moves and self.records.is_reference(node.type):
            # A value that is read alone.
            self.writer.made += 1
            copied = f"made_{self.writer.made}"
            head = f"{self.records.declare(kind, copied)} = {whole};"
            return f"\x01{int(node.location.line)}\x02{head}{self.name_parts(node, names, copied)}"
        return f"\x01{int(node.location.line)}\x02{self.name_parts(node, names, whole)}"

    def name_parts(self, node: Any, names: Sequence[Any], whole: str) -> str:
        """Make the names of ``auto &[a, b]`` parts of a place; returned is the copy that they are parts of, if any."""
        kind, declared = self.records.bare(node.type), ""
        if not self.records.is_reference(node.type) and self.records.is_record(kind):
            self.writer.made += 1
            copied = f"made_{self.writer.made}"
            whole, declared = copied, f"{self.records.declare(kind, copied)} = {whole};"
        for name, place in zip(names, self.list_parts(node, whole), strict=False):
            self.writer.place.locals[name.get_usr() or f"{name.location.offset}"] = place
        return declared

    def list_parts(self, node: Any, whole: str) -> list[str]:
        """Parts of a record or an array, in their order. whole : how it is written."""
        kind = self.records.bare(node.type)
        if kind.kind == self.t.CONSTANTARRAY:
            return [f"{whole}[{at}]" for at in range(kind.element_count)]
        if not self.records.is_record(kind):
            raise NotPlainError(f"line {node.location.line}: parts of what is no record")
        fields = self.records.fields(kind.get_declaration())
        if len(fields) == 1 and (inner := self.records.bare(fields[0][1])).kind == self.t.CONSTANTARRAY:
            return [f"{whole}.{fields[0][0]}[{at}]" for at in range(inner.element_count)]
        return [f"{whole}.{name}" for name, _ in fields]

    def declare_record(self, node: Any, values: list[Any]) -> str:
        """A record of the host's, filled member by member."""
        name = self.local_name(node)
        parts = [self.records.declare(node.type, name)]
        if values:
            with contextlib.suppress(NotPlainError):
                parts += self.writer.constructors.fill(name, node.type, values[-1])
        if len(parts) == 2 and parts[1].startswith(f"{name} = "):
            return f"{parts[0]} = {parts[1].removeprefix(f'{name} = ')};"
        return " ".join(f"{p};" for p in parts)

    def declare_reference(self, node: Any, value: Any) -> str:
        """Another name of something; a value where it does not change and is a number."""
        peeled = self.writer.peel(value)
        simple = not self.records.is_record(node.type) and self.writer.is_constant(node.type)
        places = (self.k.DECL_REF_EXPR, self.k.MEMBER_REF_EXPR, self.k.ARRAY_SUBSCRIPT_EXPR, self.k.UNARY_OPERATOR)
        text = self.writer.expressions.expression(value)
        if simple or (peeled.kind not in places and not re.search(r"\]\)*$|\w\.\w+\)*$|^\(*\*", text)):
            return f"{self.records.declare(node.type, self.local_name(node))} = {text};"
        if self.records.bare(node.type).kind in (self.t.CONSTANTARRAY, self.t.INCOMPLETEARRAY):
            # Another name of an array is its name.
            self.writer.place.locals[node.get_usr()] = text
            return ";"
        if "__global__" not in self.writer.parsed.text and self.stays(node, text):
            self.writer.place.locals[node.get_usr()] = f"({strip_parentheses(text)})"
            return ";"
        return f"{self.records.declare(node.type, self.local_name(node, None, True))} = {strip_parentheses(text)};"

    def stays(self, node: Any, text: str) -> bool:
        """Whether an element is the same one up to the end of the block that gives it another name."""
        code = self.writer.parsed.text
        if not code.isascii() or not re.fullmatch(r"[\w.\[\]()+*/% -]+", text) or re.search(r"\w\(", text):
            return False
        start, depth, end = int(node.extent.end.offset), 0, len(code)
        for at in range(start, len(code)):
            depth += (code[at] == "{") - (code[at] == "}")
            if depth < 0:
                end = at
                break
        names = "|".join(set(re.findall(r"[A-Za-z_]\w*", " ".join(re.findall(r"\[([^\[\]]*)\]", text)))))
        moves = rf"\b(?:{names})\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))|(?:\+\+|--)\s*(?:{names})\b"
        return "[" in text and (not names or not re.search(moves, code[start:end]))

    def variable_text(self, found: Any, node: Any | None = None) -> str:
        """How a variable is named where it is used."""
        key = found.get_usr()
        if key in self.writer.place.meaning:
            return str(self.writer.place.meaning[key])
        if key in self.writer.place.captured:
            return str(self.writer.place.captured[key])
        if key in self.writer.place.locals:
            return str(self.writer.place.locals[key])
        if self.writer.is_declared(found) and found.semantic_parent.kind == self.k.TRANSLATION_UNIT:
            return str(found.spelling)
        parent = found.semantic_parent
        if parent is not None and parent.kind in (self.k.TRANSLATION_UNIT, self.k.NAMESPACE):
            return self.write_global(found)
        outside = parent is not None and parent.kind in (
            self.k.CLASS_DECL,
            self.k.STRUCT_DECL,
            self.k.CLASS_TEMPLATE,
            self.k.UNION_DECL,
        )
        if outside or found.storage_class.name == "STATIC":
            value = self.writer.facts.evaluate(node) if node is not None else None
            if value is None:
                values = [c for c in found.get_children() if c.kind.is_expression()]
                value = self.writer.facts.evaluate(values[-1]) if values else None
            if value is not None and self.records.bare(found.type).kind not in (self.t.CONSTANTARRAY, self.t.RECORD):
                return str(self.writer.expressions.number(value, found.type))
            return self.write_global(found)
        by_reference = self.records.is_reference(found.type) and not self.writer.is_constant(found.type)
        return self.local_name(found, None, by_reference)
