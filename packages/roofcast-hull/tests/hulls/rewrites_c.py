"""C, C++ and CUDA written otherwise: each function takes a file and returns one that does the same, or None.

Places are libclang's; what is written there is text, so that what a rewrite does not touch stays as it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from roofcast_hull.spelled.parsed_file import COMMENT, FILE, parse_once
from roofcast_hull.spelled.plain_c import CPLUSPLUS, KERNELS

Rewrite = Callable[[str], str | None]
INCLUDED = re.compile(r"^[ \t]*#[ \t]*(?:include|pragma|error|warning)\b.*$", re.MULTILINE)
PLAIN = re.compile(r"[\w\s.+\-*/%()]+")
"""An expression without calls by way of templates, strings and assignments."""


@dataclass
class Code:
    """A file, its tree, and what is to be written where."""

    text: str
    unit: Any
    errors: int
    edits: list[tuple[int, int, int, str]] = field(default_factory=list)
    """Start, order among those that start there, end, text."""

    def put(self, at: int, new: str, depth: int = 0, *, closes: bool = False) -> None:
        """Insert. depth : of the node; where two end at a place, the inner one is closed first."""
        self.edits.append((at, -depth - 1000 if closes else depth, at, new))

    def swap(self, start: int, end: int, new: str) -> None:
        """Replace."""
        self.edits.append((start, 0, end, new))

    def write(self) -> str | None:
        """The text with all edits; None where there are none, or where they overlap."""
        out, at = [], 0
        for start, _, end, new in sorted(set(self.edits), key=lambda e: (e[0], e[2] > e[0], e[1])):
            if start < at:
                return None
            out += [self.text[at:start], new]
            at = end
        return "".join([*out, self.text[at:]]) if self.edits else None

    def of(self, node: Any) -> str:
        """The text of a node."""
        return self.text[node.extent.start.offset : node.extent.end.offset]

    def end(self, node: Any) -> int:
        """Where a statement ends, its semicolon with it."""
        at = int(node.extent.end.offset)
        if self.text[at - 1 : at] in ("}", ";"):
            return at
        match = re.compile(r"\s*;").match(self.text, at)
        return match.end() if match else at

    def nodes(self, *kinds: str) -> Iterator[tuple[Any, Any, int]]:
        """Nodes of the file with the node around and their depth."""
        yield from walk(self.unit.cursor, kinds, 0)

    def functions(self, *, device: bool = False) -> Iterator[Any]:
        """Definitions of functions with their bodies."""
        for node, _, _ in self.nodes("FUNCTION_DECL", "FUNCTION_TEMPLATE"):
            inside = list(node.get_children())
            if inside and inside[-1].kind.name == "COMPOUND_STMT" and (not device or self.is_kernel(node)):
                yield node, inside[-1]

    def is_kernel(self, node: Any) -> bool:
        """Whether a function is launched."""
        return "__global__" in self.text[node.extent.start.offset : node.extent.end.offset].partition("{")[0]


def walk(node: Any, kinds: tuple[str, ...], depth: int) -> Iterator[tuple[Any, Any, int]]:
    """Nodes below one that stand in the file as they are written there."""
    for child in node.get_children():
        if child.location.file is None or child.location.file.name != FILE:
            continue
        if child.kind.name in kinds:
            yield child, node, depth
        yield from walk(child, kinds, depth + 1)


def blank(match: re.Match[str]) -> str:
    """As many spaces."""
    return re.sub(r"[^\n]", " ", match[0])


def parse(text: str) -> Code:
    """A file without its comments, each replaced by spaces."""
    text = COMMENT.sub(lambda m: m[0] if m[0][0] in "\"'" else blank(m), text)
    text = re.sub(r"[^\x00-\x7f]", "?", text)
    parsed = parse_once(INCLUDED.sub(blank, text), {}, keep_numbers=False)
    return Code(text if len(parsed.text) == len(text) else parsed.text, parsed.unit, len(parsed.errors))


def find_header(code: Code, node: Any) -> tuple[int, int, list[str]] | None:
    """Where the parentheses of a ``for`` or ``if`` begin and end, and their parts between semicolons."""
    start = code.text.find("(", node.extent.start.offset)
    depth, parts, last = 0, list[str](), start + 1
    for at in range(start, node.extent.end.offset):
        sign = code.text[at]
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 1 and sign == ";":
            parts.append(code.text[last:at].strip())
            last = at + 1
        if depth == 0:
            return start, at + 1, [*parts, code.text[last:at].strip()]
    return None


def split_words(text: str) -> list[str]:
    """Identifiers."""
    return re.findall(r"[A-Za-z_]\w*", text)


def has(text: str, *words: str) -> bool:
    """Whether a text uses one of some words."""
    return not set(words).isdisjoint(split_words(text))


COUNTED = re.compile(
    r"^(?P<type>(?:const\s+)?(?:unsigned\s+|long\s+)*(?:int|long|size_t|unsigned))\s+(?P<name>\w+)\s*=\s*(?P<start>.+)$",
    re.DOTALL,
)
STEP = re.compile(r"^(?:\+\+\s*(\w+)|(\w+)\s*\+\+)$")
BELOW = re.compile(r"^(\w+)\s*<\s*([^<>=&|?]+)$", re.DOTALL)


@dataclass
class Loop:
    """``for (type name = start; name < end; ++name) body``."""

    node: Any
    body: Any
    depth: int
    start: int
    end: int
    parts: list[str]
    type: str = ""
    name: str = ""
    first: str = ""
    limit: str = ""


def list_loops(code: Code, *, counted: bool = True) -> Iterator[Loop]:
    """Loops; counted : only those with a counter of their own that goes up by one."""
    for node, _, depth in code.nodes("FOR_STMT"):
        header = find_header(code, node)
        inside = list(node.get_children())
        if header is None or len(header[2]) != 3 or not inside:
            continue
        loop = Loop(node, inside[-1], depth, header[0], header[1], header[2])
        first, below, step = COUNTED.match(loop.parts[0]), BELOW.match(loop.parts[1]), STEP.match(loop.parts[2])
        if first and below and step and below[1] == first["name"] == (step[1] or step[2]) and "," not in first["start"]:
            loop.type, loop.name, loop.first, loop.limit = first["type"], first["name"], first["start"], below[2]
        if loop.name or not counted:
            yield loop


def of_cpp(rewrite: Rewrite) -> Rewrite:
    """A rewrite that C has no words for."""
    return lambda text: rewrite(text) if KERNELS.search(text) or CPLUSPLUS.search(text) else None


# Loops


def for_to_while(text: str) -> str | None:
    """``for`` as ``while``."""
    code = parse(text)
    for loop in list_loops(code, counted=False):
        if has(code.of(loop.body), "continue") or not all(loop.parts):
            continue
        code.swap(loop.node.extent.start.offset, loop.end, f"{{ {loop.parts[0]}; while ({loop.parts[1]}) {{")
        code.put(code.end(loop.body), f" {loop.parts[2]}; }} }}", loop.depth, closes=True)
    return code.write()


def less_or_equal(text: str) -> str | None:
    """``i < n`` as ``i <= n - 1``."""
    code = parse(text)
    for loop in list_loops(code):
        code.swap(loop.start, loop.end, f"({loop.parts[0]}; {loop.name} <= ({loop.limit}) - 1; {loop.parts[2]})")
    return code.write()


def not_equal(text: str) -> str | None:
    """``i < n`` as ``i != n`` where the loop begins at 0."""
    code = parse(text)
    for loop in list_loops(code):
        if loop.first == "0":
            code.swap(loop.start, loop.end, f"({loop.parts[0]}; {loop.name} != ({loop.limit}); {loop.parts[2]})")
    return code.write()


def flipped(text: str) -> str | None:
    """``i < n`` as ``n > i``."""
    code = parse(text)
    for loop in list_loops(code):
        code.swap(loop.start, loop.end, f"({loop.parts[0]}; ({loop.limit}) > {loop.name}; {loop.parts[2]})")
    return code.write()


def count_down(text: str) -> str | None:
    """The innermost loops from the last to the first, where nothing is carried from turn to turn but a sum."""
    code = parse(text)
    for loop in list_loops(code):
        body = code.of(loop.body)
        if has(body, "for", "while", "break", "return", "continue") or "size_t" in loop.type or "unsigned" in loop.type:
            continue
        written = set(re.findall(r"(\w+)\s*(?:\[[^=;]*\])\s*[-+*/]?=[^=]", body))
        if any(len(re.findall(rf"\b{w}\b", body)) > 1 for w in written) or not re.search(r"\+=|\]\s*=", body):
            continue
        if re.search(
            r"(?<![-+*/=!<>])=(?!=)",
            re.sub(r"(?:const )?(?:auto|float|double|int)\s+\w+\s*=", "", re.sub(r"\]\s*=", "", body)),
        ):
            continue
        i = loop.name
        code.swap(loop.start, loop.end, f"(int {i} = ({loop.limit}) - 1; {i} >= ({loop.first}); --{i})")
    return code.write()


def type_of_counter(new: str) -> Rewrite:
    """Counters of another type."""

    def rewrite(text: str) -> str | None:
        code = parse(text)
        for loop in list_loops(code):
            if new in ("size_t", "unsigned") and (
                not loop.first.isdigit() or re.search(rf"[-<>]\s*{loop.name}\b|\b{loop.name}\s*-", code.of(loop.body))
            ):
                continue
            code.swap(loop.start, loop.end, f"({new} {loop.name} = {loop.first}; {loop.parts[1]}; {loop.parts[2]})")
        return code.write()

    return rewrite


def step_otherwise(new: str) -> Rewrite:
    """``i++`` as another step by one."""

    def rewrite(text: str) -> str | None:
        code = parse(text)
        for loop in list_loops(code):
            code.swap(loop.start, loop.end, f"({loop.parts[0]}; {loop.parts[1]}; {new.replace('i', loop.name)})")
        return code.write()

    return rewrite


def pragma_unroll(text: str) -> str | None:
    """A pragma before loops."""
    code = parse(text)
    for loop in list_loops(code):
        code.put(loop.node.extent.start.offset, "\n#pragma unroll 4\n", loop.depth)
    return code.write()


def unrolled(text: str) -> str | None:
    """Innermost loops by twos, with a tail."""
    code = parse(text)
    for loop in list_loops(code):
        body = code.text[loop.body.extent.start.offset : code.end(loop.body)]
        if (
            has(body, "for", "while", "break", "continue", "static", "__shared__", "lambda")
            or "#" in body
            or "__sync" in body
        ):
            continue
        i, more = loop.name, re.sub(rf"(?<![.\w>]){loop.name}\b", f"({loop.name} + 1)", body)
        code.swap(
            loop.node.extent.start.offset, code.end(loop.body),
            f"{{ {loop.type} {i} = {loop.first}; "
            f"for (; {i} + 1 < {loop.limit}; {i} += 2) {{ {{ {body} }} {{ {more} }} }} "
            f"if ({i} < {loop.limit}) {{ {body} }} }}",
        )  # fmt: skip
    return code.write()


def declared_before(text: str) -> str | None:
    """The counter declared before its loop."""
    code = parse(text)
    for loop in list_loops(code):
        code.swap(
            loop.node.extent.start.offset,
            loop.end,
            f"{{ {loop.type} {loop.name}; for ({loop.name} = {loop.first}; {loop.parts[1]}; {loop.parts[2]})",
        )
        code.put(code.end(loop.body), " }", loop.depth, closes=True)
    return code.write()


def from_one(text: str) -> str | None:
    """Counters that begin at 1 and of which 1 is taken where they are used."""
    code = parse(text)
    for loop in list_loops(code):
        body = code.text[loop.body.extent.start.offset : code.end(loop.body)]
        if (
            loop.first != "0"
            or has(body, "for", "while")
            or "#" in body
            or re.search(rf"\b{loop.name}\s*(?:\+\+|[-+*/]?=[^=])", body)
        ):
            continue
        less = re.sub(rf"(?<![.\w>]){loop.name}\b", f"({loop.name} - 1)", body)
        code.swap(
            loop.node.extent.start.offset,
            code.end(loop.body),
            f"for ({loop.type} {loop.name} = 1; {loop.name} <= {loop.limit}; ++{loop.name}) {less}",
        )
    return code.write()


# Branches


def guard_to_if(text: str) -> str | None:
    """``if (c) return; rest`` as ``if (!(c)) { rest }``."""
    code = parse(text)
    for _, body in code.functions():
        for node in body.get_children():
            inside = list(node.get_children())
            if node.kind.name != "IF_STMT" or len(inside) != 2 or (header := find_header(code, node)) is None:
                continue
            if re.fullmatch(r"\{?\s*return\s*;?\s*\}?", code.text[header[1] : code.end(node)].strip()):
                code.swap(node.extent.start.offset, code.end(node), f"if (!({header[2][0]})) {{")
                code.put(body.extent.end.offset - 1, " }", 0)
    return code.write()


def guard_to_if_negated(text: str) -> str | None:
    """``if (i >= n) return; rest`` as ``if (i < n) { rest }``."""
    code = parse(text)
    for _, body in code.functions():
        for node in body.get_children():
            inside = list(node.get_children())
            if node.kind.name != "IF_STMT" or len(inside) != 2 or (header := find_header(code, node)) is None:
                continue
            if re.fullmatch(r"\{?\s*return\s*;?\s*\}?", code.text[header[1] : code.end(node)].strip()):
                parts = [re.fullmatch(r"\s*([^<>=|&!?]+)(>=|<=|<|>)([^<>=|&!?]+)", p) for p in header[2][0].split("||")]
                if not all(parts):
                    continue
                other = {">=": "<", "<": ">=", ">": "<=", "<=": ">"}
                code.swap(
                    node.extent.start.offset,
                    code.end(node),
                    f"if ({' && '.join(f'{p[1]}{other[p[2]]}{p[3]}' for p in parts if p)}) {{",
                )
                code.put(body.extent.end.offset - 1, " }", 0)
    return code.write()


def if_to_guard(text: str) -> str | None:
    """A last ``if (c) { ... }`` as ``if (!(c)) return; ...``."""
    code = parse(text)
    for function, body in code.functions():
        inside = list(body.get_children())
        if function.result_type.spelling != "void" or not inside or inside[-1].kind.name != "IF_STMT":
            continue
        header = find_header(code, inside[-1])
        if header and len(list(inside[-1].get_children())) == 2:
            code.swap(inside[-1].extent.start.offset, header[1], f"if (!({header[2][0]})) return;")
    return code.write()


def guards_apart(text: str) -> str | None:
    """``if (a || b) return;`` as two; ``if (a && b)`` as ``if (a) if (b)``."""
    code = parse(text)
    for node, _, _ in code.nodes("IF_STMT"):
        header = find_header(code, node)
        if header is None or len(list(node.get_children())) != 2:
            continue
        condition, behind = header[2][0], code.text[header[1] : code.end(node)].strip()
        if re.fullmatch(r"[^()|&?]+(?:\|\|[^()|&?]+)+", condition) and re.fullmatch(
            r"\{?\s*(?:return|continue)\s*;?\s*\}?", behind
        ):
            code.swap(
                node.extent.start.offset,
                code.end(node),
                " ".join(f"if ({c.strip()}) {behind}" for c in condition.split("||")),
            )
        elif re.fullmatch(r"[^()|&?]+(?:&&[^()|&?]+)+", condition):
            code.swap(node.extent.start.offset, header[1], " ".join(f"if ({c.strip()})" for c in condition.split("&&")))
    return code.write()


def negated(text: str) -> str | None:
    """``i >= n`` in conditions as ``!(i < n)``."""
    code = parse(text)
    other = {">=": "<", "<": ">=", ">": "<=", "<=": ">"}
    for node, _, _ in code.nodes("IF_STMT"):
        header = find_header(code, node)
        match = header and re.fullmatch(r"([^<>=|&!?]+)(>=|<=|<|>)([^<>=|&!?]+)", header[2][0])
        if header and match:
            code.swap(header[0], header[1], f"(!({match[1]}{other[match[2]]}{match[3]}))")
    return code.write()


def turned(text: str) -> str | None:
    """``i < n`` in conditions as ``n > i``."""
    code = parse(text)
    other = {">=": "<=", "<": ">", ">": "<", "<=": ">="}
    for node, _, _ in code.nodes("IF_STMT"):
        header = find_header(code, node)
        match = header and re.fullmatch(r"([^<>=|&!?]+)(>=|<=|<|>)([^<>=|&!?]+)", header[2][0])
        if header and match:
            code.swap(header[0], header[1], f"({match[3]} {other[match[2]]} {match[1]})")
    return code.write()


def guard_in_name(text: str) -> str | None:
    """Conditions of guards as names."""
    code = parse(text)
    count = 0
    for node, around, _ in code.nodes("IF_STMT"):
        header = find_header(code, node)
        if header and around.kind.name == "COMPOUND_STMT" and not has(header[2][0], "constexpr"):
            count += 1
            code.swap(
                node.extent.start.offset, header[1], f"const bool inside{count} = {header[2][0]}; if (inside{count})"
            )
    return code.write()


def branches_swapped(text: str) -> str | None:
    """``if (c) a; else b;`` as ``if (!(c)) b; else a;``."""
    code = parse(text)
    for node, _, _ in code.nodes("IF_STMT"):
        inside = list(node.get_children())
        header = find_header(code, node)
        if len(inside) != 3 or header is None:
            continue
        yes, no = (code.text[b.extent.start.offset : code.end(b)] for b in inside[1:])
        if has(yes + no, "else"):
            continue
        code.swap(node.extent.start.offset, code.end(node), f"if (!({header[2][0]})) {{ {no} }} else {{ {yes} }}")
    return code.write()


def ternary_to_if(text: str) -> str | None:
    """``x = c ? a : b`` as branches."""
    code = parse(text)
    for node, around, _ in code.nodes("CONDITIONAL_OPERATOR"):
        start, end = node.extent.start.offset, node.extent.end.offset
        parts = [code.of(c) for c in node.get_children()]
        before = re.search(r"[;{}]\s*(?:(const\s+)?(\w+)\s+)?([\w\[\]+*\- ]+?)\s*=\s*$", code.text[:start])
        if len(parts) != 3 or not before or code.text[end : end + 1] != ";" or "?" in "".join(parts):
            continue
        if around.kind.name not in ("BINARY_OPERATOR", "VAR_DECL", "UNEXPOSED_EXPR"):
            continue
        at = before.start() + 1
        declared = f"{before[2]} {before[3]}; " if before[2] else ""
        if before[2] in ("auto", "return", "else", "do"):
            continue
        code.swap(at, end + 1, f" {declared}if ({parts[0]}) {before[3]} = {parts[1]}; else {before[3]} = {parts[2]};")
    return code.write()


def if_to_ternary(text: str) -> str | None:
    """``if (c) x = a; else x = b;`` as ``x = c ? a : b;``."""
    code = parse(text)
    for node, _, _ in code.nodes("IF_STMT"):
        inside = list(node.get_children())
        header = find_header(code, node)
        if len(inside) != 3 or header is None:
            continue
        pair = [
            re.fullmatch(r"\{?\s*([^=;{}]+?)\s*=\s*([^=;{}]+);\s*\}?", code.text[b.extent.start.offset : code.end(b)])
            for b in inside[1:]
        ]
        if pair[0] and pair[1] and pair[0][1] == pair[1][1] and pair[0][1][-1] not in "+-*/!<>":
            code.swap(
                node.extent.start.offset,
                code.end(node),
                f"{pair[0][1]} = ({header[2][0]}) ? {pair[0][2]} : {pair[1][2]};",
            )
    return code.write()


# Elements


def is_of_pointer(node: Any) -> bool:
    """Whether a subscript is of a plain pointer."""
    inside = list(node.get_children())
    base = inside[0]
    while base.kind.name in ("UNEXPOSED_EXPR", "PAREN_EXPR") and list(base.get_children()):
        base = next(iter(base.get_children()))
    return bool(base.kind.name == "DECL_REF_EXPR" and base.type.get_canonical().kind.name == "POINTER")


def list_elements(code: Code) -> Iterator[tuple[Any, Any, int, str, str]]:
    """Elements of plain pointers: node, node around, depth, pointer, index."""
    for node, around, depth in code.nodes("ARRAY_SUBSCRIPT_EXPR"):
        if is_of_pointer(node):
            base, index = list(node.get_children())
            if code.text[node.extent.end.offset - 1] == "]" and code.of(base).isidentifier():
                yield node, around, depth, code.of(base), code.of(index)


def element_as(before: str, between: str, behind: str) -> Rewrite:
    """``a[e]`` in another form."""

    def rewrite(text: str) -> str | None:
        code = parse(text)
        for node, _, depth, base, _ in list_elements(code):
            code.put(node.extent.start.offset, before, depth)
            opened = code.text.index("[", node.extent.start.offset + len(base))
            code.swap(opened, opened + 1, between)
            code.swap(node.extent.end.offset - 1, node.extent.end.offset, behind)
        return code.write()

    return rewrite


def element_by_helper(text: str) -> str | None:
    """``a[e]`` by an inlined function."""
    new = element_as("element_at(", ", (", "))")(text)
    attribute = "__host__ __device__ __forceinline__" if "__global__" in text else "inline"
    return new and after_includes(
        new, f"template <class P> {attribute} P& element_at(P* p, size_t k) {{ return p[k]; }}\n"
    )


def element_by_macro(text: str) -> str | None:
    """``a[e]`` by a macro."""
    new = element_as("ELEM_AT(", ", ", ")")(text)
    return new and after_includes(new, "#define ELEM_AT(p, k) ((p)[(k)])\n")


def after_includes(text: str, new: str) -> str:
    """A text with something behind its inclusions."""
    last = max((m.end() for m in re.finditer(r"^[ \t]*#[ \t]*include.*\n", text, re.MULTILINE)), default=0)
    return text[:last] + new + text[last:]


def is_written(code: Code, node: Any) -> bool:
    """Whether an element is assigned to, or its address taken."""
    behind = code.text[node.extent.end.offset : node.extent.end.offset + 4].lstrip()
    before = code.text[max(0, node.extent.start.offset - 3) : node.extent.start.offset].rstrip()
    return re.match(r"(?:=[^=]|[-+*/|&^]=|\+\+|--)", behind + " ") is not None or before.endswith(("&", "++", "--"))


def by_load(call: str) -> Rewrite:
    """Reads of constant pointers by a load of its own."""

    def rewrite(text: str) -> str | None:
        if "__global__" not in text:
            return None
        code = parse(text)
        for node, _, depth, _, _ in list_elements(code):
            inner = node.type.get_canonical()
            if (
                inner.is_const_qualified()
                and inner.spelling.split()[-1] in ("float", "int", "double")
                and not is_written(code, node)
            ):
                code.put(node.extent.start.offset, f"{call}(&", depth)
                code.put(node.extent.end.offset, ")", depth, closes=True)
        return code.write()

    return rewrite


def row_pointer(text: str) -> str | None:
    """``a[x * n + y]`` by a pointer to the row."""
    code = parse(text)
    count = 0
    for node, _, _ in code.nodes("COMPOUND_STMT"):
        for statement in node.get_children():
            if statement.kind.name not in ("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR", "DECL_STMT"):
                continue
            part = code.of(statement)
            for match in re.finditer(
                r"\b(\w+)\[((?:\([^()\[\]]+\)|[\w.]+)\s*\*\s*(?:\([^()\[\]]+\)|[\w.]+))\s*\+\s*((?:\([^()\[\]]+\)|\w+)(?:\s*[+-]\s*\w+)?)\]",
                part,
            ):
                count += 1
                start = statement.extent.start.offset
                code.put(start, f"auto row_{count} = {match[1]} + {match[2]}; ", 0)
                code.swap(start + match.start(), start + match.end(), f"row_{count}[{match[3]}]")
    return code.write()


def commuted(text: str) -> str | None:
    """Sums and products inside subscripts the other way round."""
    code = parse(text)
    for node, _, _ in code.nodes("ARRAY_SUBSCRIPT_EXPR"):
        index = list(node.get_children())[1]
        while index.kind.name in ("UNEXPOSED_EXPR", "PAREN_EXPR") and list(index.get_children()):
            index = next(iter(index.get_children()))
        if index.kind.name == "BINARY_OPERATOR":
            code.swap(index.extent.start.offset, index.extent.end.offset, commute(code, index))
    return code.write()


def commute(code: Code, node: Any) -> str:
    """An expression with its sums and products the other way round."""
    while node.kind.name == "UNEXPOSED_EXPR" and len(list(node.get_children())) == 1:
        node = next(iter(node.get_children()))
    inside = list(node.get_children())
    if node.kind.name == "PAREN_EXPR" and inside:
        return f"({commute(code, inside[0])})"
    if node.kind.name != "BINARY_OPERATOR" or len(inside) != 2:
        return code.of(node)
    between = code.text[inside[0].extent.end.offset : inside[1].extent.start.offset].strip()
    if between not in ("+", "*"):
        return code.of(node)
    return f"({commute(code, inside[1])} {between} {commute(code, inside[0])})"


def index_in_name(text: str) -> str | None:
    """Indices of elements as names before the statement."""
    code = parse(text)
    count = 0
    for node, _, _ in code.nodes("COMPOUND_STMT"):
        for statement in node.get_children():
            if statement.kind.name not in ("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR", "DECL_STMT"):
                continue
            part, start = code.of(statement), statement.extent.start.offset
            if "?" in part or "[&]" in part or "[=]" in part or "{" in part:
                continue
            for match in re.finditer(
                r"\b\w+\[((?:[^\[\]()=;]|\([^\[\]()=;]*\))*[-+*/%](?:[^\[\]()=;]|\([^\[\]()=;]*\))*)\]", part
            ):
                if "++" in match[1] or "--" in match[1]:
                    continue
                count += 1
                code.put(start, f"const auto at_{count} = {match[1]}; ", 0)
                code.swap(start + match.start(1), start + match.end(1), f"at_{count}")
    return code.write()


def value_in_name(text: str) -> str | None:
    """What is stored as a name before the store."""
    code = parse(text)
    count = 0
    for node, around, _ in code.nodes("BINARY_OPERATOR"):
        inside = list(node.get_children())
        if (
            len(inside) != 2
            or around.kind.name not in ("COMPOUND_STMT", "FOR_STMT", "IF_STMT")
            or inside[0].kind.name != "ARRAY_SUBSCRIPT_EXPR"
        ):
            continue
        between = code.text[inside[0].extent.end.offset : inside[1].extent.start.offset].strip()
        if between != "=" or code.text[code.end(node) - 1] != ";" or code.of(inside[1]).startswith("{"):
            continue
        count += 1
        kind = inside[0].type.get_canonical().spelling
        code.swap(
            node.extent.start.offset,
            code.end(node),
            f"{{ const {kind} value_{count} = {code.of(inside[1])}; {code.of(inside[0])} = value_{count}; }}",
        )
    return code.write()


def products_by_helper(text: str) -> str | None:
    """Products of numbers with a point by an inlined function."""
    code = parse(text)
    for node, _, depth in code.nodes("BINARY_OPERATOR"):
        inside = list(node.get_children())
        if len(inside) != 2 or node.type.get_canonical().spelling not in ("float", "double"):
            continue
        left, right = inside
        between = code.text[left.extent.end.offset : right.extent.start.offset]
        if between.strip() != "*":
            continue
        code.put(node.extent.start.offset, "times_(", depth)
        at = left.extent.end.offset + between.index("*")
        code.swap(at, at + 1, ",")
        code.put(node.extent.end.offset, ")", depth, closes=True)
    new = code.write()
    attribute = "__host__ __device__ __forceinline__" if "__global__" in text else "inline"
    return new and after_includes(
        new, f"template <class A, class B> {attribute} auto times_(A a, B b) {{ return a * b; }}\n"
    )


def sums_by_fma(text: str) -> str | None:
    """``s += a * b`` as ``s = fmaf(a, b, s)``."""
    code = parse(text)
    for node, _, _ in code.nodes("COMPOUND_ASSIGNMENT_OPERATOR"):
        inside = list(node.get_children())
        right = inside[1]
        while right.kind.name in ("UNEXPOSED_EXPR", "PAREN_EXPR") and len(list(right.get_children())) == 1:
            right = next(iter(right.get_children()))
        if node.type.get_canonical().spelling != "float" or right.kind.name != "BINARY_OPERATOR":
            continue
        if "+=" not in code.text[inside[0].extent.end.offset : inside[1].extent.start.offset]:
            continue
        a, b = right.get_children()
        if (
            code.text[a.extent.end.offset : b.extent.start.offset].strip() == "*"
            and a.type.get_canonical().spelling == b.type.get_canonical().spelling == "float"
        ):
            left = code.of(inside[0])
            code.swap(
                node.extent.start.offset, node.extent.end.offset, f"{left} = fmaf({code.of(a)}, {code.of(b)}, {left})"
            )
    return code.write()


def plain_assignment(text: str) -> str | None:
    """``x += e`` as ``x = x + (e)``."""
    code = parse(text)
    for node, _, _ in code.nodes("COMPOUND_ASSIGNMENT_OPERATOR"):
        left, right = node.get_children()
        sign = code.text[left.extent.end.offset : right.extent.start.offset].strip()
        if re.fullmatch(r"[-+*/]=", sign) and "++" not in code.of(left):
            code.swap(left.extent.end.offset, right.extent.start.offset, f" = {code.of(left)} {sign[0]} (")
            code.put(node.extent.end.offset, ")", 0, closes=True)
    return code.write()


def compound_assignment(text: str) -> str | None:
    """``x = x + e`` as ``x += e``."""
    code = parse(text)
    for node, _, _ in code.nodes("BINARY_OPERATOR"):
        match = re.fullmatch(r"(\S.*?)\s*=\s*(.*)", code.of(node), re.DOTALL)
        inside = list(node.get_children())
        if match is None or len(inside) != 2:
            continue
        left = code.of(inside[0])
        right = inside[1]
        while right.kind.name == "UNEXPOSED_EXPR" and len(list(right.get_children())) == 1:
            right = next(iter(right.get_children()))
        if (
            right.kind.name != "BINARY_OPERATOR"
            or code.text[inside[0].extent.end.offset : inside[1].extent.start.offset].strip() != "="
        ):
            continue
        a, b = right.get_children()
        sign = code.text[a.extent.end.offset : b.extent.start.offset].strip()
        if code.of(a) == left and sign in ("+", "*", "-"):
            code.swap(node.extent.start.offset, node.extent.end.offset, f"{left} {sign}= {code.of(b)}")
    return code.write()


# Threads

GLOBAL = re.compile(
    r"blockIdx\.([xyz])\s*\*\s*blockDim\.\1\s*\+\s*threadIdx\.\1"
    r"|threadIdx\.([xyz])\s*\+\s*blockIdx\.\2\s*\*\s*blockDim\.\2"
)


def global_index(written: str, before: str = "") -> Rewrite:
    """The index of a thread in the grid otherwise."""

    def rewrite(text: str) -> str | None:
        new = GLOBAL.sub(lambda m: written.replace("AXIS", m[1] or m[2]), text)
        return None if new == text else after_includes(new, before) if before else new

    return rewrite


def for_axes(line: str) -> str:
    """A line for each axis. line : with AXIS, and INDEX for the index of a thread in the grid."""
    index = "blockIdx.AXIS * blockDim.AXIS + threadIdx.AXIS"
    return "".join(line.replace("INDEX", index).replace("AXIS", a) + "\n" for a in "xyz")


def grid_stride(text: str) -> str | None:
    """A guarded thread as a loop over the grid."""
    if has(text, "__shared__", "__syncthreads", "__shfl_down_sync", "__shfl_xor_sync", "cooperative_groups"):
        return None
    code = parse(text)
    for _node, body in code.functions(device=True):
        whole = code.of(body)
        match = re.match(
            r"\{\s*(?:const\s+)?(int|unsigned int|unsigned|size_t|long long)\s+(\w+)\s*=\s*([^;]+);"
            r"\s*if\s*\(\s*\2\s*>=\s*([^;|&()]+)\)\s*\{?\s*return\s*;\s*\}?",
            whole,
        )
        if (
            match is None
            or not GLOBAL.fullmatch(match[3].strip())
            or has(whole[match.end() :], "return", "threadIdx", "blockIdx")
        ):
            continue
        start = body.extent.start.offset
        code.swap(
            start,
            start + match.end(),
            f"{{ for ({match[1]} {match[2]} = {match[3]}; {match[2]} < {match[4]}; "
            f"{match[2]} += gridDim.x * blockDim.x) {{",
        )
        code.put(body.extent.end.offset - 1, " }")
    return code.write()


# Kernels, their arguments and launches


def list_kernels(code: Code) -> Iterator[tuple[Any, Any, list[Any]]]:
    """Kernels that are no templates: function, body, parameters."""
    for node, body in code.functions(device=True):
        if node.kind.name == "FUNCTION_DECL":
            yield node, body, [c for c in node.get_children() if c.kind.name == "PARM_DECL"]


LAUNCH = r"\b{name}\s*<<<((?:[^<>]|<(?!<)|>(?!>>))*)>>>\s*\("


def find_launches(text: str, name: str) -> Iterator[tuple[int, int, str, list[str]]]:
    """Start, end, configuration and arguments of the launches of a kernel."""
    for match in re.finditer(LAUNCH.format(name=name), text):
        depth, parts, last = 1, list[str](), match.end()
        for at in range(match.end(), len(text)):
            depth += (text[at] in "([{") - (text[at] in ")]}")
            if depth == 1 and text[at] == ",":
                parts.append(text[last:at].strip())
                last = at + 1
            if depth == 0:
                parts.append(text[last:at].strip())
                yield match.start(), at + 1, match[1], parts
                break


def arguments_in_struct(text: str) -> str | None:
    """Arguments of kernels in a structure by value."""
    code = parse(text)
    for node, body, parameters in list_kernels(code):
        launches = list(find_launches(code.text, node.spelling))
        types = [p.type.spelling for p in parameters]
        if (
            not launches
            or len(parameters) < 2
            or any("[" in t or "&" in t or "(" in t for t in types)
            or "extern" in code.of(node).partition("{")[0]
        ):
            continue
        if len(list(re.finditer(rf"\b{node.spelling}\b", code.text))) != 1 + len(launches):
            continue
        names = {p.spelling for p in parameters}
        declared = {v.spelling for v, _, _ in walk(body, ("VAR_DECL", "PARM_DECL"), 0)}
        if names & declared or has(code.of(body), "asm"):
            continue
        members = " ".join(f"{spell(t, p.spelling)};" for t, p in zip(types, parameters, strict=True))
        start, end = parameters[0].extent.start.offset, parameters[-1].extent.end.offset
        code.put(node.extent.start.offset, f"struct Args_{node.spelling} {{ {members} }};\n")
        code.swap(start, end, f"Args_{node.spelling} p_")
        for used, _, _ in walk(body, ("DECL_REF_EXPR",), 0):
            if (
                used.referenced is not None
                and used.referenced.kind.name == "PARM_DECL"
                and used.spelling in names
                and code.of(used) == used.spelling
            ):
                code.put(used.extent.start.offset, "p_.")
        for first, last, where, arguments in launches:
            code.swap(first, last, f"{node.spelling}<<<{where}>>>(Args_{node.spelling}{{{', '.join(arguments)}}})")
    return code.write()


def spell(kind: str, name: str) -> str:
    """A declaration without restrictions."""
    kind = kind.replace("__restrict__", "").replace("__restrict", "").strip()
    return f"{kind} {name}"


def unused_argument(extra: str, given: str) -> Rewrite:
    """One more argument that nothing uses."""

    def rewrite(text: str) -> str | None:
        code = parse(text)
        for node, _, parameters in list_kernels(code):
            launches = list(find_launches(code.text, node.spelling))
            if (
                not parameters
                or not launches
                or len(re.findall(rf"\b{node.spelling}\b", code.text)) != 1 + len(launches)
            ):
                continue
            code.put(parameters[0].extent.start.offset, f"{extra}, ")
            for first, _, _, _ in launches:
                code.put(code.text.index("(", code.text.index(">>>", first)) + 1, f"{given}, ")
        return code.write()

    return rewrite


@dataclass
class Launch:
    """A launch in a text, to be written otherwise."""

    kernel: str
    number: int
    grid: str
    block: str
    arguments: list[str]
    parameters: list[tuple[str, str]]
    """Type and name of each."""
    text: str


def by_wrapper(launch: Launch) -> tuple[str, str]:
    """A function behind the kernel that launches it, and its call."""
    taken = ", ".join(spell(*p) for p in launch.parameters)
    given = ", ".join(n for _, n in launch.parameters)
    head = f"static void run_{launch.kernel}(dim3 grid_, dim3 block_, {taken})"
    function = f"\n{head}\n{{\n    {launch.kernel}<<<grid_, block_>>>({given});\n}}\n"
    return function, f"run_{launch.kernel}({', '.join([launch.grid, launch.block, *launch.arguments])})"


def by_template(launch: Launch) -> tuple[str, str]:
    """The same for arguments of any number and type."""
    head = f"template <class G, class B, class... A> void go_{launch.kernel}(G grid_, B block_, A... rest)"
    function = f"\n{head}\n{{\n    {launch.kernel}<<<grid_, block_>>>(rest...);\n}}\n"
    return function, f"go_{launch.kernel}({', '.join([launch.grid, launch.block, *launch.arguments])})"


def by_lambda(launch: Launch) -> tuple[str, str]:
    """A lambda that launches."""
    name = f"go_{launch.number}"
    return "", f"auto {name} = [&]() {{ {launch.text}; }}; {name}()"


def by_runtime(launch: Launch) -> tuple[str, str]:
    """``cudaLaunchKernel`` with the addresses of the arguments."""
    names = [f"g{launch.number}_{k}" for k in range(len(launch.arguments))]
    kinds = [t if t.endswith("*") else t.removeprefix("const ") for t, _ in launch.parameters]
    values = " ".join(f"{spell(t, n)} = {a};" for t, n, a in zip(kinds, names, launch.arguments, strict=True))
    places = ", ".join(f"(void*)&{n}" for n in names)
    shape = f"dim3({launch.grid}), dim3({launch.block})"
    listed = f"void* list_{launch.number}[] = {{{places}}};"
    return "", f"{values} {listed} cudaLaunchKernel((const void*){launch.kernel}, {shape}, list_{launch.number}, 0, 0)"


def launch_otherwise(write: Callable[[Launch], tuple[str, str]]) -> Rewrite:
    """Launches by way of something else. write : what comes behind the kernel, and what launches."""

    def rewrite(text: str) -> str | None:
        code = parse(text)
        count = 0
        for node, _, parameters in list_kernels(code):
            launches = list(find_launches(code.text, node.spelling))
            taken = [(p.type.spelling, p.spelling) for p in parameters]
            if len(re.findall(rf"\b{node.spelling}\b", code.text)) != 1 + len(launches):
                continue
            if any(len(a) != len(taken) or len(split_top(w)) != 2 for _, _, w, a in launches) or "&" in str(taken):
                continue
            for first, last, where, arguments in launches:
                count += 1
                grid, block = split_top(where)
                launch = Launch(node.spelling, count, grid, block, arguments, taken, code.text[first:last])
                behind, written = write(launch)
                code.put(node.extent.end.offset, behind)
                code.swap(first, last, written)
        return code.write()

    return rewrite


def split_top(text: str) -> list[str]:
    """Parts between commas outside parentheses."""
    depth, parts, last = 0, list[str](), 0
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0 and sign == ",":
            parts.append(text[last:at].strip())
            last = at + 1
    return [*parts, text[last:].strip()]


def dead_code(text: str) -> str | None:
    """Code that never runs at the head of kernels."""
    code = parse(text)
    for node, body in code.functions():
        floats = [
            p.spelling
            for p in node.get_children()
            if p.kind.name == "PARM_DECL"
            and p.type.get_canonical().spelling in ("float *", "double *", "float *__restrict", "double *__restrict")
        ]
        if floats:
            code.put(body.extent.start.offset + 1, f" if (false) {{ {floats[0]}[3] = 5 * {floats[0]}[7]; }} ")
    return code.write()


def unused_local(text: str) -> str | None:
    """A value that nothing uses at the head of functions."""
    code = parse(text)
    for node, body in code.functions():
        if node.spelling != "main":
            code.put(body.extent.start.offset + 1, " int unused_ = 3; (void)unused_; ")
    return code.write()


def host_reference(text: str) -> str | None:
    """A function of the host beside kernels, which main calls."""
    if "__global__" not in text or "int main(" not in text:
        return None
    new = after_includes(
        text,
        "void reference_cpu(const float* from, float* to, int rows, int cols)\n{\n    for (int r = 0; r < rows; ++r)\n"
        "        for (int c = 0; c < cols; ++c) to[r * cols + c] = 2.0f * from[r * cols + c];\n}\n",
    )
    return re.sub(
        r"(int main\([^)]*\)\s*\{)",
        r"\1 float from_[64], to_[64]; for (int k = 0; k < 64; ++k) from_[k] = k; reference_cpu(from_, to_, 8, 8);",
        new,
        count=1,
    )


def kernels_swapped(text: str) -> str | None:
    """Two kernels in the other order."""
    code = parse(text)
    kernels = [n for n, _ in code.functions(device=True) if n.kind.name == "FUNCTION_DECL"]
    if len(kernels) < 2:
        return None
    for a, b in zip(kernels[::2], kernels[1::2], strict=False):
        code.swap(a.extent.start.offset, a.extent.end.offset, code.of(b))
        code.swap(b.extent.start.offset, b.extent.end.offset, code.of(a))
    return code.write()


def in_namespace(text: str) -> str | None:
    """Kernels in a name space that the file uses."""
    code = parse(text)
    for node, _ in code.functions(device=True):
        if (
            node.kind.name == "FUNCTION_DECL"
            and node.semantic_parent.kind.name == "TRANSLATION_UNIT"
            and code.of(node).startswith("__global__")
        ):
            code.put(node.extent.start.offset, "namespace inner_ { ")
            code.put(node.extent.end.offset, " } using namespace inner_;", closes=True)
    return code.write()


def extern_c(text: str) -> str | None:
    """Kernels with names of C."""
    code = parse(text)
    for node, _ in code.functions(device=True):
        if (
            node.kind.name == "FUNCTION_DECL"
            and node.semantic_parent.kind.name == "TRANSLATION_UNIT"
            and code.of(node).startswith("__global__")
        ):
            code.put(node.extent.start.offset, 'extern "C" ')
    return code.write()


def body_in_device_function(text: str) -> str | None:
    """What a kernel does in a function of the device that it calls."""
    code = parse(text)
    for node, body, parameters in list_kernels(code):
        if not code.of(node).startswith("__global__ void") or not parameters:
            continue
        head = code.text[parameters[0].extent.start.offset : parameters[-1].extent.end.offset]
        code.put(
            node.extent.start.offset, f"__device__ __forceinline__ void do_{node.spelling}({head})\n{code.of(body)}\n\n"
        )
        code.swap(
            body.extent.start.offset,
            body.extent.end.offset,
            f"{{ do_{node.spelling}({', '.join(p.spelling for p in parameters)}); }}",
        )
    return code.write()


def sizes_as_template(text: str) -> str | None:
    """Kernels of any type of element, launched for theirs."""
    code = parse(text)
    for node, _body, parameters in list_kernels(code):
        launches = list(find_launches(code.text, node.spelling))
        pointers = [
            p for p in parameters if re.fullmatch(r"(?:const )?float \*(?: ?__restrict(?:__)?)?", p.type.spelling)
        ]
        if (
            not launches
            or not pointers
            or not code.of(node).startswith("__global__")
            or len(re.findall(rf"\b{node.spelling}\b", code.text)) != 1 + len(launches)
        ):
            continue
        code.put(node.extent.start.offset, "template <typename T_> ")
        for p in pointers:
            at = code.text.index("float", p.extent.start.offset)
            code.swap(at, at + 5, "T_")
        for first, _, _, _ in launches:
            code.put(first + len(node.spelling), "<float>")
    return code.write()


# Sizes

SIZE = re.compile(
    r"^(?P<before>[ \t]*)(?:(?:static\s+|constexpr\s+|const\s+)+(?:int|size_t|long|unsigned|long long)\s+"
    r"(?P<name>\w+)\s*=\s*(?P<value>\d+)\s*;|#define\s+(?P<macro>\w+)\s+\(?(?P<number>\d+)\)?[ \t]*$)",
    re.MULTILINE,
)


def size_as(form: str) -> Rewrite:
    """Sizes that are constants of the file in another form. form : with NAME, VALUE, HALF, REST."""

    def rewrite(text: str) -> str | None:
        def replace(match: re.Match[str]) -> str:
            name, value = match["name"] or match["macro"], int(match["value"] or match["number"])
            if match["macro"] and re.search(rf"^\s*#\s*(?:if|elif)[^\n]*\b{name}\b", text, re.MULTILINE):
                return match[0]
            if "{" in form and match["before"]:
                return match[0]
            half = next((d for d in (2, 3, 5, 7) if value % d == 0), 1)
            new = (
                form.replace("NAME", name)
                .replace("VALUE", str(value))
                .replace("HALF", str(half))
                .replace("REST", str(value // half))
            )
            return match["before"] + new

        new = SIZE.sub(replace, text)
        return None if new == text else new

    return rewrite


def size_from_arguments(text: str) -> str | None:
    """Sizes that only main uses from its arguments."""
    found = re.search(r"int main\((?:void|int argc, char\s*\*+\s*argv(?:\[\])?)?\)\s*\{", text)
    if found is None:
        return None
    head, body = text[: found.end()], text[found.end() :]
    out = head if "argc" in found[0] else head[: found.start()] + "int main(int argc, char** argv)\n{"
    position = 0
    for source in ("body", "head"):
        for match in list(SIZE.finditer(body if source == "body" else head)):
            name, value = match["name"] or match["macro"], match["value"] or match["number"]
            others = head.replace(match[0], "") if source == "head" else head
            if has(others, name) or re.search(rf"<[^<>;\n]*\b{name}\b[^<>;\n]*>|\[\s*{name}\s*\]", body):
                continue
            position += 1
            line = f"const int {name} = argc > {position} ? atoi(argv[{position}]) : {value};"
            if source == "body":
                body = body.replace(match[0], " " + line, 1)
            else:
                out = out.replace(match[0], "", 1) + " " + line
    return out + body if position else None


def scaled_size(text: str) -> tuple[str, int, int] | None:
    """A text with one size of its own changed, the size and the new one."""
    for match in SIZE.finditer(text):
        value = int(match["value"] or match["number"])
        if value >= 500 and len(re.findall(rf"(?<![\w.]){value}(?![\w.])", text)) == 1:
            new = value + 13 if value % 2 == 0 else value + 14
            whole = match[0].replace(str(value), str(new))
            return text.replace(match[0], whole, 1), value, new
    return None


# Names, comments and types

KEPT = {
    "if",
    "else",
    "for",
    "while",
    "do",
    "return",
    "break",
    "continue",
    "switch",
    "case",
    "default",
    "goto",
    "sizeof",
    "struct",
    "class",
    "union",
    "enum",
    "typedef",
    "using",
    "namespace",
    "template",
    "typename",
    "const",
    "constexpr",
    "static",
    "extern",
    "inline",
    "volatile",
    "auto",
    "void",
    "bool",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "signed",
    "unsigned",
    "true",
    "false",
    "nullptr",
    "NULL",
    "public",
    "private",
    "protected",
    "operator",
    "this",
    "new",
    "delete",
    "static_cast",
    "reinterpret_cast",
    "const_cast",
    "dynamic_cast",
    "main",
    "std",
    "define",
    "include",
    "ifdef",
    "ifndef",
    "endif",
    "elif",
    "defined",
    "pragma",
    "x",
    "y",
    "z",
    "w",
    "argc",
    "argv",
    "override",
    "virtual",
    "friend",
    "mutable",
    "explicit",
    "noexcept",
    "decltype",
}


def list_own_names(code: Code) -> dict[str, str]:
    """Names that the file itself declares, and of what kind they are."""
    kinds = ("VAR_DECL", "PARM_DECL", "FUNCTION_DECL", "FUNCTION_TEMPLATE")
    names: dict[str, str] = {}
    for node, _, _ in code.nodes(*kinds):
        if (
            node.spelling
            and node.spelling not in KEPT
            and node.spelling.isidentifier()
            and node.spelling in code.of(node)
        ):
            names.setdefault(node.spelling, node.kind.name)
    members = {n.spelling for n, _, _ in code.nodes("FIELD_DECL", "CXX_METHOD")} | set(
        re.findall(r"(?:\.|->)\s*(\w+)", code.text)
    )
    return {n: k for n, k in names.items() if n not in members}


def renamed(pool: str) -> Callable[[str], tuple[str, dict[str, str]] | None]:
    """All names of the file by others; which is which. pool : words to take; none for meaningless ones."""

    def rewrite(text: str) -> tuple[str, dict[str, str]] | None:
        code = parse(text)
        if "#define" in code.text.replace("#define ELEM", "") and re.search(r"#[ \t]*define[ \t]+\w+\(|##", code.text):
            return None
        own = list_own_names(code)
        taken = set(split_words(code.text))
        words = iter([w for w in pool.split() if w not in taken] + [f"q{k}_" for k in range(1000)])
        meaning = {n: next(words) for n in own}
        new = re.sub(
            r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|(?<![\w.])[A-Za-z_]\w*", lambda m: meaning.get(m[0], m[0]), code.text
        )
        return (new, meaning) if meaning else None

    return rewrite


def strip_comments(text: str) -> str | None:
    """No comment, and as little space as can be."""
    text = COMMENT.sub(lambda m: m[0] if m[0][0] in "\"'" else " ", text)
    lines = [" ".join(line.split()) for line in text.split("\n")]
    return "\n".join(line for line in lines if line)


def add_comments(text: str) -> str | None:
    """Comments that look like code, at the end of lines."""
    if "\\\n" in text or '"""' in text or 'R"' in text:
        return None
    return "\n".join(
        f"{line} // for (i = 0; i < 77; ++i) out[i] = a[i * 5];" if line.rstrip().endswith((";", "{")) else line
        for line in text.split("\n")
    )


def one_token_a_line(text: str) -> str | None:
    """A line for each part of a statement."""
    code = parse(text)
    new = re.sub(
        r"(?m)^(?!\s*#)(.*)$", lambda m: re.sub(r"([,+*]) ", r"\1\n", m[1]) if '"' not in m[1] else m[1], code.text
    )
    return None if new == code.text or "\\\n" in text else new


def element_type(new: str) -> Rewrite:
    """Numbers of another width."""

    def rewrite(text: str) -> str | None:
        code = parse(text)
        if (
            has(
                text,
                "double",
                "half",
                "__half",
                "float4",
                "float2",
                "float3",
                "__nv_bfloat16",
                "__int_as_float",
                "__float_as_int",
                "atomicMax",
                "complex",
                "warpSize",
                "__shared__",
            )
            or "float" not in text
        ):
            return None
        text = re.sub(r"\bfloat\b", new, code.text)
        text = re.sub(r"(?<![\w.])((?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?)[fF]\b", r"\1", text)
        return re.sub(
            r"\b(__)?(sqrt|exp|log|sin|cos|tanh|fabs|fmax|fmin|pow|floor|fma|erf|rsqrt|log1p|atan2|hypot|exp2|log2)f\b",
            r"\2",
            text,
        )

    return rewrite


def named_type(text: str) -> str | None:
    """``float`` by a name of the file."""
    if "__global__" not in text and "int main" not in text and "float" not in text:
        return None
    new = re.sub(r"(?<!unsigned )(?<!\w)float(?!\w)", "real_", text)
    return (
        None
        if new == text or re.search(r"\"[^\"\n]*real_|#define[^\n]*real_", new)
        else after_includes(new, "typedef float real_;\n")
    )


def plain_pointers(text: str) -> str | None:
    """No restrictions and constants of pointers."""
    new = re.sub(r"\b(?:__restrict__|__restrict|restrict)\b", "", text)
    return None if new == text else new


def no_const(text: str) -> str | None:
    """Pointers to what may change."""
    new = re.sub(r"\bconst (float|double|int)\s*\*", r"\1*", text)
    return None if new == text else new


def wide_indices(text: str) -> str | None:
    """Parts of indices as wider numbers."""
    code = parse(text)
    for node, _, _ in code.nodes("ARRAY_SUBSCRIPT_EXPR"):
        _base, index = list(node.get_children())
        if re.match(r"\w+\s*[*+]", code.of(index)) and is_of_pointer(node):
            code.put(index.extent.start.offset, "(size_t)" if "__global__" in code.text else "(long)")
    return code.write()


def declared_first(text: str) -> str | None:
    """``int i = e;`` as ``int i; i = e;``."""
    code = parse(text)
    for node, around, _ in code.nodes("DECL_STMT"):
        match = re.fullmatch(
            r"(?:const\s+)?((?:unsigned |long )*(?:int|float|double|size_t|long|unsigned))\s+(\w+)\s*=\s*([^;{}]+);",
            code.of(node),
        )
        if (
            match
            and around.kind.name == "COMPOUND_STMT"
            and "," not in re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", match[3])
        ):
            used = [
                n for n, _, _ in walk(around, ("VAR_DECL",), 0) if re.search(rf"\[[^\]]*\b{match[2]}\b", code.of(n))
            ]
            if not used:
                code.swap(
                    node.extent.start.offset, node.extent.end.offset, f"{match[1]} {match[2]}; {match[2]} = {match[3]};"
                )
    return code.write()


def auto_declared(text: str) -> str | None:
    """``const int i = e`` as ``auto i = e``, where the type of ``e`` is that."""
    code = parse(text)
    for node, around, _ in code.nodes("DECL_STMT"):
        match = re.fullmatch(r"(const\s+)?(int|float|double)\s+(\w+)\s*=\s*([^;{},]+);", code.of(node))
        inside = list(node.get_children())
        if match is None or around.kind.name != "COMPOUND_STMT" or len(inside) != 1:
            continue
        values = list(inside[0].get_children())
        if values and values[-1].kind.name != "UNEXPOSED_EXPR" and values[-1].type.get_canonical().spelling == match[2]:
            code.swap(
                node.extent.start.offset,
                node.extent.end.offset,
                f"const auto {match[3]} = {match[4]};" if match[1] else f"auto {match[3]} = {match[4]};",
            )
    return code.write()


COLLIDING = """size shape n index out row count lane warp tid blocks grid block tile first last value sum total out_ in_
    a b c data input output step stride offset width height state key mask BLOCK N M K result buffer temp scale element
    threads length depth batch weights bias gain left right begin end i0 j0 k0"""

SAME: dict[str, Callable[[str], Any]] = {
    "meaningless names": renamed(""),
    "colliding names": renamed(COLLIDING),
    "for as while": for_to_while,
    "i <= n - 1": less_or_equal,
    "i != n": not_equal,
    "n > i": flipped,
    "counting down": count_down,
    "counters size_t": type_of_counter("size_t"),
    "counters unsigned": type_of_counter("unsigned"),
    "counters long long": type_of_counter("long long"),
    "counters auto": of_cpp(type_of_counter("auto")),
    "i += 1": step_otherwise("i += 1"),
    "i = i + 1": step_otherwise("i = i + 1"),
    "pragma unroll": pragma_unroll,
    "unrolled by two": unrolled,
    "counter declared before": declared_before,
    "counter from one": from_one,
    "guard as if": guard_to_if,
    "guard as if, negated": guard_to_if_negated,
    "if as guard": if_to_guard,
    "guards apart": guards_apart,
    "!(i < n)": negated,
    "conditions turned": turned,
    "conditions named": of_cpp(guard_in_name),
    "branches swapped": branches_swapped,
    "ternary as if": ternary_to_if,
    "if as ternary": if_to_ternary,
    "*(a + e)": element_as("(*(", " + (", ")))"),
    "*&a[e]": element_as("(*(&", "[", "]))"),
    "element by helper": of_cpp(element_by_helper),
    "element by macro": element_by_macro,
    "__ldg": by_load("__ldg"),
    "__ldcs": by_load("__ldcs"),
    "row pointer": of_cpp(row_pointer),
    "index commuted": commuted,
    "index named": of_cpp(index_in_name),
    "value named": value_in_name,
    "products by helper": of_cpp(products_by_helper),
    "fmaf": sums_by_fma,
    "x = x + e": plain_assignment,
    "x += e": compound_assignment,
    "thread + block": global_index("(threadIdx.AXIS + blockDim.AXIS * blockIdx.AXIS)"),
    "index by helper": global_index(
        "global_AXIS()", for_axes("__device__ __forceinline__ int global_AXIS() { return INDEX; }")
    ),
    "index by macro": global_index("GLOBAL_AXIS", for_axes("#define GLOBAL_AXIS (INDEX)")),
    "index by umad": global_index("(int)(__umul24(blockIdx.AXIS, blockDim.AXIS) + threadIdx.AXIS)"),
    "index cast": global_index("(int)((long long)blockIdx.AXIS * blockDim.AXIS + threadIdx.AXIS)"),
    "grid stride": grid_stride,
    "arguments in struct": arguments_in_struct,
    "unused number": unused_argument("int unused_", "7"),
    "unused pointer": unused_argument("const float* unused_", "nullptr"),
    "launch by wrapper": launch_otherwise(by_wrapper),
    "launch by template": launch_otherwise(by_template),
    "launch by lambda": launch_otherwise(by_lambda),
    "cudaLaunchKernel": launch_otherwise(by_runtime),
    "dead code": dead_code,
    "unused local": unused_local,
    "host reference": host_reference,
    "kernels swapped": kernels_swapped,
    "namespace": in_namespace,
    'extern "C"': extern_c,
    "body in device function": body_in_device_function,
    "element type as template": sizes_as_template,
    "sizes #define": size_as("\n#define NAME VALUE\n"),
    "sizes enum": size_as("enum { NAME = VALUE };"),
    "sizes constexpr product": of_cpp(size_as("static constexpr int NAME = HALF * REST;")),
    "sizes plain const": size_as("const int NAME = VALUE;"),
    "sizes static variable": size_as("static int NAME = VALUE;"),
    "sizes by constexpr function": of_cpp(
        size_as("constexpr int get_NAME() { return HALF * REST; } constexpr int NAME = get_NAME();")
    ),
    "sizes in struct": of_cpp(
        size_as("struct Sizes_NAME { static constexpr int value = VALUE; }; constexpr int NAME = Sizes_NAME::value;")
    ),
    "sizes from arguments": size_from_arguments,
    "no comments": strip_comments,
    "misleading comments": add_comments,
    "many lines": one_token_a_line,
    "float by name": named_type,
    "no restrict": plain_pointers,
    "no const": no_const,
    "indices cast": wide_indices,
    "declared first": declared_first,
    "declared auto": of_cpp(auto_declared),
}  # fmt: skip
SCALED: dict[str, tuple[Callable[[str], Any], float]] = {"double": (element_type("double"), 2)}
