"""C, C++ and CUDA in another style: loops, rows, sums, blocks and tiles as other people write them.

Each function takes a file and returns one that does the same, or None (:mod:`hulls.rewrites_c`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from hulls.rewrites_c import (
    Code,
    Loop,
    Rewrite,
    after_includes,
    find_header,
    find_launches,
    has,
    is_written,
    list_elements,
    list_kernels,
    list_loops,
    of_cpp,
    parse,
    split_top,
    walk,
)

NUMBERS = ("float", "double", "int", "unsigned int", "long")
LOOPS = ("for", "while", "do")
LEAVING = ("break", "return", "goto")


def text_of(code: Code, node: Any) -> str:
    """A statement with its semicolon."""
    return code.text[node.extent.start.offset : code.end(node)]


def inside_of(text: str) -> str:
    """A body without its braces."""
    text = text.strip()
    return text[1:-1].strip() if text.startswith("{") and text.endswith("}") else text


def list_outermost(code: Code) -> Iterator[Loop]:
    """Counted loops that stand in no other loop."""
    last = -1
    for loop in sorted(list_loops(code, counted=False), key=lambda x: int(x.node.extent.start.offset)):
        start = loop.node.extent.start.offset
        if start >= last:
            last = code.end(loop.body)
            if loop.name:
                yield loop


def list_innermost(code: Code, *, nested: bool = False) -> Iterator[Loop]:
    """Counted loops without loops inside. nested : only those that stand in another loop."""
    spans = [(x.node.extent.start.offset, code.end(x.body)) for x in list_loops(code, counted=False)]
    for loop in list_loops(code):
        body, start = text_of(code, loop.body), loop.node.extent.start.offset
        around = any(a < start < b for a, b in spans)
        if not has(body, *LOOPS) and "#" not in body and (around or not nested):
            yield loop


def rename(text: str, name: str, new: str) -> str:
    """A text with a name written otherwise where it is no member."""
    return re.sub(rf"(?<![.\w>]){name}\b", new, text)


def assigns(text: str, name: str) -> bool:
    """Whether a text sets a name."""
    return re.search(rf"\b{name}\s*(?:\+\+|--|[-+*/]?=[^=])|(?:\+\+|--|&)\s*{name}\b", text) is not None


# Loops


def limit_named(text: str) -> str | None:
    """``i < n - 1`` with a name for the end."""
    code = parse(text)
    for count, loop in enumerate(list_loops(code)):
        if re.fullmatch(r"\w+", loop.limit.strip()) or "(" in loop.limit:
            continue
        head = f"{{ const {loop.type.replace('const', '')} end_{count} = {loop.limit}; "
        code.swap(
            loop.node.extent.start.offset,
            loop.end,
            f"{head}for ({loop.parts[0]}; {loop.name} < end_{count}; {loop.parts[2]})",
        )
        code.put(code.end(loop.body), " }", loop.depth, closes=True)
    return code.write()


def do_while(text: str) -> str | None:
    """Innermost loops as ``if (first < limit) do ... while (++i < limit);``."""
    code = parse(text)
    for loop in list_innermost(code):
        body = text_of(code, loop.body)
        if has(body, "continue", *LEAVING):
            continue
        code.swap(
            loop.node.extent.start.offset,
            code.end(loop.body),
            f"{{ {loop.type} {loop.name} = {loop.first}; if ({loop.parts[1]}) do {{ {body} }} "
            f"while (++{loop.name} < {loop.limit}); }}",
        )
    return code.write()


def split_in_two(text: str) -> str | None:
    """Sums inside of other loops over two ranges."""
    code = parse(text)
    for loop in list_innermost(code, nested=True):
        body = text_of(code, loop.body)
        if has(body, "continue", *LEAVING, "static", "__syncthreads") or not re.search(r"(?<!\])\s*\+=", body):
            continue
        i, kind = loop.name, loop.type.replace("const", "").strip()
        half = f"({kind})(({loop.first}) + (({loop.limit}) - ({loop.first})) / 2)"
        code.swap(
            loop.node.extent.start.offset,
            code.end(loop.body),
            f"{{ {kind} half_ = {half}; for ({kind} {i} = {loop.first}; {i} < half_; {i}++) {body} "
            f"for ({kind} {i} = half_; {i} < {loop.limit}; {i}++) {body} }}",
        )
    return code.write()


def is_parallel(code: Code, loops: list[Loop]) -> bool:
    """Whether a body only sets elements of arrays that it does not read, each by all counters, and its own names."""
    body = text_of(code, loops[-1].body)
    if has(body, "continue", *LEAVING, "static") or "#" in body or "__sync" in body or "++" in body or "--" in body:
        return False
    stored = re.findall(r"(\w+)\s*((?:\[[^\]=;]*\])+)\s*([-+*/]?=)(?!=)", body)
    if not stored or any(sign != "=" for _, _, sign in stored):
        return False
    for array, index, _ in stored:
        if len(re.findall(rf"\b{array}\b", body)) > 1 or not all(has(index, x.name) for x in loops):
            return False
    own = set(re.findall(r"\b(?:float|double|int|auto|long|unsigned|size_t|bool)\s+(\w+)", body))
    rest = set(re.findall(r"(?<![\].\w>])\b([A-Za-z_]\w*)\s*[-+*/]?=(?!=)", body))
    beside = r"\b(?:atomic\w*|rand\w*|push_back|swap)\b|->\s*\w+\s*=[^=]|\.\w+\s*=[^=]"
    return rest <= own and not re.search(beside, body)


def list_pairs(code: Code) -> Iterator[tuple[Loop, Loop]]:
    """Perfect nests of two parallel loops, the inner limits of which do not follow from the outer counter."""
    loops = list(list_loops(code))
    for outer in loops:
        within = inside_of(text_of(code, outer.body))
        for inner in loops:
            if inner is outer or text_of(code, inner.node).strip() != within:
                continue
            apart = not has(inner.first + inner.limit, outer.name)
            if apart and not has(text_of(code, inner.body), *LOOPS) and is_parallel(code, [outer, inner]):
                yield outer, inner


def interchanged(text: str) -> str | None:
    """Two parallel loops the other way round."""
    code = parse(text)
    for outer, inner in list_pairs(code):
        code.swap(outer.start, outer.end, f"({'; '.join(inner.parts)})")
        code.swap(inner.start, inner.end, f"({'; '.join(outer.parts)})")
    return code.write()


def tiled(text: str) -> str | None:
    """Two parallel loops by tiles of 32 x 32."""
    code = parse(text)
    for outer, inner in list_pairs(code):
        i, j = outer.name, inner.name
        code.swap(
            outer.node.extent.start.offset,
            code.end(outer.body),
            f"for (int {i}0 = {outer.first}; {i}0 < {outer.limit}; {i}0 += 32) "
            f"for (int {j}0 = {inner.first}; {j}0 < {inner.limit}; {j}0 += 32) "
            f"for (int {i} = {i}0; {i} < ({i}0 + 32 < {outer.limit} ? {i}0 + 32 : {outer.limit}); ++{i}) "
            f"for (int {j} = {j}0; {j} < ({j}0 + 32 < {inner.limit} ? {j}0 + 32 : {inner.limit}); ++{j}) "
            f"{text_of(code, inner.body)}",
        )
    return code.write()


def collapsed(text: str) -> str | None:
    """Two parallel loops as one, of which quotient and remainder are the counters."""
    code = parse(text)
    for outer, inner in list_pairs(code):
        if outer.first != "0" or inner.first != "0":
            continue
        code.swap(
            outer.node.extent.start.offset,
            code.end(outer.body),
            f"for (int both_ = 0; both_ < ({outer.limit}) * ({inner.limit}); ++both_) "
            f"{{ const int {outer.name} = both_ / ({inner.limit}), {inner.name} = both_ % ({inner.limit}); "
            f"{text_of(code, inner.body)} }}",
        )
    return code.write()


def strip_mined(text: str) -> str | None:
    """Outermost parallel loops by chunks of 64."""
    code = parse(text)
    for loop in list_outermost(code):
        if has(text_of(code, loop.body), *LOOPS) or not is_parallel(code, [loop]):
            continue
        i = loop.name
        code.swap(
            loop.node.extent.start.offset,
            loop.end,
            f"for (int {i}0 = {loop.first}; {i}0 < {loop.limit}; {i}0 += 64) "
            f"for (int {i} = {i}0; {i} < {loop.limit} && {i} < {i}0 + 64; ++{i})",
        )
    return code.write()


def walking_pointers(text: str) -> str | None:
    """``y[i] = f(x[i])`` over a range by pointers that walk."""
    code = parse(text)
    for count, loop in enumerate(list_innermost(code)):
        body = text_of(code, loop.body)
        if loop.first != "0" or has(body, "continue", *LEAVING, "lambda") or "__" in body or assigns(body, loop.name):
            continue
        elements = re.findall(rf"(?<![.\w>\]])(\w+)\[\s*{loop.name}\s*\]", body)
        rest = re.sub(rf"(?<![.\w>\]])\w+\[\s*{loop.name}\s*\]", "", body)
        if not elements or has(rest, loop.name, *elements) or re.search(r"\bsizeof\b", body):
            continue
        types = {
            base: node.type.spelling
            for node, _, _, base, _ in list_elements(code)
            if loop.start <= node.extent.start.offset < code.end(loop.body)
        }
        arrays = sorted(set(elements))
        if not set(arrays) <= set(types):
            continue
        new = body
        for a in arrays:
            new = re.sub(rf"(?<![.\w>\]]){a}\[\s*{loop.name}\s*\]", f"(*{a}_{count})", new)
        begin = " ".join(f"{types[a]} *{a}_{count} = {a};" for a in arrays)
        code.swap(
            loop.node.extent.start.offset,
            code.end(loop.body),
            f"{{ {begin} {types[arrays[0]]} *end_{count} = {arrays[0]} + ({loop.limit}); "
            f"for (; {arrays[0]}_{count} != end_{count}; {', '.join(f'++{a}_{count}' for a in arrays)}) {new} }}",
        )
    return code.write()


def if_to_continue(text: str) -> str | None:
    """A loop whose body is ``if (c) { ... }`` as ``if (!(c)) continue; ...``."""
    code = parse(text)
    for loop in list_loops(code, counted=False):
        inside = list(loop.body.get_children()) if loop.body.kind.name == "COMPOUND_STMT" else []
        if not inside or inside[-1].kind.name != "IF_STMT" or len(list(inside[-1].get_children())) != 2:
            continue
        header = find_header(code, inside[-1])
        if header:
            code.swap(inside[-1].extent.start.offset, header[1], f"if (!({header[2][0]})) continue;")
    return code.write()


def continue_to_if(text: str) -> str | None:
    """``if (c) continue; rest`` in loops as ``if (!(c)) { rest }``."""
    code = parse(text)
    for loop in list_loops(code, counted=False):
        if loop.body.kind.name != "COMPOUND_STMT":
            continue
        for node in loop.body.get_children():
            header = find_header(code, node) if node.kind.name == "IF_STMT" else None
            if header and re.fullmatch(r"\{?\s*continue\s*;?\s*\}?", code.text[header[1] : code.end(node)].strip()):
                code.swap(node.extent.start.offset, code.end(node), f"if (!({header[2][0]})) {{")
                code.put(loop.body.extent.end.offset - 1, " }", loop.depth)
    return code.write()


def parallel_pragmas(text: str) -> str | None:
    """Directives of OpenMP before outermost loops of the host."""
    code = parse(text)
    if "__global__" in text or "#pragma" in text:
        return None
    for loop in list_outermost(code):
        if is_parallel(code, [loop]):
            code.put(loop.node.extent.start.offset, "\n#pragma omp parallel for schedule(static)\n", loop.depth)
    return code.write()


# Sums


def list_sums(code: Code) -> Iterator[tuple[Loop, str, str, str]]:
    """Innermost loops that add one number to a name: loop, name, what is added, type."""
    for loop in list_innermost(code):
        match = re.fullmatch(r"(\w+)\s*\+=\s*([^;{}]+);", inside_of(text_of(code, loop.body)))
        if match is None or has(match[2], match[1]) or assigns(match[2], loop.name):
            continue
        kinds = {
            n.type.spelling
            for n, _, _ in walk(loop.body, ("DECL_REF_EXPR",), 0)
            if n.spelling == match[1] and n.type.spelling in ("float", "double")
        }
        if len(kinds) == 1:
            yield loop, match[1], match[2], kinds.pop()


def sum_of_four(text: str) -> str | None:
    """Sums by four terms in one statement, and a tail."""
    code = parse(text)
    for loop, name, added, _ in list_sums(code):
        i = loop.name
        parts = " + ".join(f"({rename(added, i, f'({i} + {k})')})" for k in range(4))
        code.swap(
            loop.node.extent.start.offset,
            code.end(loop.body),
            f"{{ {loop.type.replace('const', '')} {i} = {loop.first}; "
            f"for (; {i} + 3 < {loop.limit}; {i} += 4) {name} += {parts}; "
            f"for (; {i} < {loop.limit}; ++{i}) {name} += {added}; }}",
        )
    return code.write()


def sum_in_array(text: str) -> str | None:
    """A number that sums add to as the only element of an array."""
    code = parse(text)
    for loop, name, _, kind in list_sums(code):
        body = next((b for _, b in code.functions() if b.extent.start.offset < loop.start < b.extent.end.offset), None)
        declared = [n for n, _, _ in walk(body, ("VAR_DECL",), 0) if n.spelling == name] if body is not None else []
        if len(declared) != 1 or not re.fullmatch(rf"{kind} {name} = [\w.]+", code.of(declared[0])):
            continue
        statement = code.text[: declared[0].extent.start.offset].rstrip()
        if not statement.endswith((";", "{", "}")) or code.text[declared[0].extent.end.offset] != ";":
            continue
        value = code.of(declared[0]).partition("=")[2]
        code.swap(
            declared[0].extent.start.offset, declared[0].extent.end.offset, f"{kind} {name}[1]; {name}[0] ={value}"
        )
        for used, _, _ in walk(body, ("DECL_REF_EXPR",), 0):
            if used.referenced == declared[0] and code.of(used) == name:
                code.swap(used.extent.start.offset, used.extent.end.offset, f"{name}[0]")
    return code.write()


# Elements and rows


def product_index(text: str) -> re.Match[str] | None:
    """Row, width and column of an index ``row * width + column``."""
    part = r"(?:\([^()\[\]]+\)|[\w.]+(?:->\w+)?)"
    return re.fullmatch(rf"\s*({part})\s*\*\s*({part})\s*\+\s*((?:\([^()\[\]]+\)|\w+)(?:\s*[+-]\s*\w+)?)\s*", text)


def index_by(before: str, write: str) -> Rewrite:
    """Indices ``row * width + column`` by a function or a macro. write : with ROW, WIDTH, COLUMN."""

    def rewrite(text: str) -> str | None:
        code = parse(text)
        for node, _, _ in code.nodes("ARRAY_SUBSCRIPT_EXPR"):
            index = list(node.get_children())[1]
            match = product_index(code.of(index))
            if match:
                new = write.replace("ROW", match[1]).replace("WIDTH", match[2]).replace("COLUMN", match[3])
                code.swap(index.extent.start.offset, index.extent.end.offset, new)
        new_text = code.write()
        attribute = "__host__ __device__ __forceinline__" if "__global__" in text else "static inline"
        return new_text and after_includes(new_text, before.replace("ATTRIBUTE", attribute))

    return rewrite


def typed_row(text: str) -> str | None:
    """``a[row * width + column]`` by a pointer to the row."""
    code = parse(text)
    for count, (node, around, _, base, index) in enumerate(list_elements(code)):
        match = product_index(index)
        if match is None or around.kind.name == "UNARY_OPERATOR":
            continue
        kind = node.type.spelling
        code.swap(
            node.extent.start.offset,
            node.extent.end.offset,
            f"(({kind} *)({base} + {match[1]} * {match[2]}))[{match[3]}]" if count % 2 else
            f"({base} + {match[1]} * {match[2]})[{match[3]}]",
        )  # fmt: skip
    return code.write()


def rows_of_arrays(text: str) -> str | None:
    """``a[row * N + column]`` of a parameter, everywhere with the same constant, as a pointer to rows of N."""
    code = parse(text)
    for node, body in code.functions():
        start, end = body.extent.start.offset, body.extent.end.offset
        for p in (c for c in node.get_children() if c.kind.name == "PARM_DECL"):
            pointed = p.type.get_pointee()
            if pointed.spelling.replace("const ", "") not in NUMBERS:
                continue
            used = [
                x for x in list_elements(code) if x[3] == p.spelling and start < x[0].extent.start.offset < end
            ]  # fmt: skip
            matches = [product_index(x[4]) for x in used]
            widths = {m[2] if m else "" for m in matches}
            if (
                len(widths) != 1
                or not (width := widths.pop())
                or not re.fullmatch(r"[A-Z][A-Z0-9_]*|\d+", width)
                or len(re.findall(rf"\b{p.spelling}\b", code.of(body))) != len(used)
            ):
                continue
            name = f"{p.spelling}_rows"
            code.put(
                start + 1,
                f" {pointed.spelling} (*{name})[{width}] = ({pointed.spelling} (*)[{width}]){p.spelling}; ",
            )
            for x, m in zip(used, matches, strict=True):
                if m:
                    code.swap(x[0].extent.start.offset, x[0].extent.end.offset, f"{name}[{m[1]}][{m[3]}]")
    return code.write()


def flattened(text: str) -> str | None:
    """``a[i][j]`` of an array of two dimensions by its first element."""
    code = parse(text)
    for node, around, _ in code.nodes("ARRAY_SUBSCRIPT_EXPR"):
        if around.kind.name == "ARRAY_SUBSCRIPT_EXPR" and code.of(around).startswith(code.of(node)):
            continue
        match = re.fullmatch(r"(\w+)\[([^\[\]]+)\]\[([^\[\]]+)\]", code.of(node))
        outer = next(iter(node.get_children()))
        while outer.kind.name == "UNEXPOSED_EXPR":
            outer = next(iter(outer.get_children()))
        if match is None or outer.type.get_canonical().kind.name != "CONSTANTARRAY" or "__shared__" in text:
            continue
        kind = node.type.spelling
        if kind.replace("const ", "") in NUMBERS:
            width = outer.type.get_canonical().element_count
            code.swap(
                node.extent.start.offset,
                node.extent.end.offset,
                f"(({kind} *){match[1]})[({match[2]}) * {width} + ({match[3]})]",
            )
    return code.write()


def loads_named(text: str) -> str | None:
    """Elements that a statement reads as names before it, where nothing decides whether it reads them."""
    code = parse(text)
    places = [
        (node.extent.start.offset, node.extent.end.offset, node.type.get_canonical().spelling, is_written(code, node))
        for node, _, _, _, _ in list_elements(code)
    ]
    count = 0
    for block, _, _ in code.nodes("COMPOUND_STMT"):
        for statement in block.get_children():
            if statement.kind.name not in ("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR", "DECL_STMT"):
                continue
            start, end = statement.extent.start.offset, statement.extent.end.offset
            part = code.text[start:end]
            if re.search(r"\?|&&|\|\||\{|\[[&=]|\+\+|--", part) or "," in re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", part):
                continue
            mine = [p for p in places if start <= p[0] and p[1] <= end]
            for first, last, kind, written in mine:
                plain = kind.removeprefix("const ")
                nested = any(a <= first and last <= b for a, b, *_ in mine if (a, b) != (first, last))
                if written or nested or plain not in NUMBERS or "[" in code.text[first:last].partition("[")[2]:
                    continue
                count += 1
                code.put(start, f"const {plain} load_{count} = {code.text[first:last]}; ")
                code.swap(first, last, f"load_{count}")
    return code.write()


def extremes(form: str) -> Rewrite:
    """``fmaxf(a, b)`` in another form. form : with A, SIGN, B."""

    def rewrite(text: str) -> str | None:
        code = parse(text)
        for node, _, _ in code.nodes("CALL_EXPR"):
            part = r"\s*([\w.]+(?:\[[^\[\]]*\])?)\s*"
            match = re.fullmatch(rf"(?:std::)?f?(max|min)f?(?:<\w+>)?\({part},{part}\)", code.of(node))
            if match and "=" not in code.of(node):
                sign = ">" if match[1] == "max" else "<"
                new = form.replace("A", f"({match[2]})").replace("SIGN", sign)
                code.swap(node.extent.start.offset, node.extent.end.offset, new.replace("B", f"({match[3]})"))
        return code.write()

    return rewrite


def choices_as_extremes(text: str) -> str | None:
    """``a > b ? a : b`` as ``fmaxf(a, b)``."""
    code = parse(text)
    for node, _, _ in code.nodes("CONDITIONAL_OPERATOR"):
        parts = [code.of(c).strip() for c in node.get_children()]
        match = re.fullmatch(r"\(?\s*([\w.\[\]]+)\s*([<>])=?\s*([\w.\[\]]+)\s*\)?", parts[0])
        kind = node.type.get_canonical().spelling
        if match is None or kind not in ("float", "double") or len(parts) != 3 or {*parts[1:]} != {match[1], match[3]}:
            continue
        most = (parts[1] == match[1]) == (match[2] == ">")
        name = f"f{'max' if most else 'min'}{'f' if kind == 'float' else ''}"
        code.swap(node.extent.start.offset, node.extent.end.offset, f"{name}({match[1]}, {match[3]})")
    return code.write()


def value_by_lambda(text: str) -> str | None:
    """What is stored by a lambda that is called at once."""
    code = parse(text)
    for node, around, _ in code.nodes("BINARY_OPERATOR"):
        inside = list(node.get_children())
        if len(inside) != 2 or around.kind.name != "COMPOUND_STMT" or inside[0].kind.name != "ARRAY_SUBSCRIPT_EXPR":
            continue
        between = code.text[inside[0].extent.end.offset : inside[1].extent.start.offset].strip()
        if between == "=" and not code.of(inside[1]).startswith("{"):
            code.put(inside[1].extent.start.offset, "[&] { return ")
            code.put(inside[1].extent.end.offset, "; }()", closes=True)
    return code.write()


def body_in_lambda(text: str) -> str | None:
    """What outermost loops do in a lambda that they call."""
    code = parse(text)
    for count, loop in enumerate(list_outermost(code)):
        body = text_of(code, loop.body)
        if has(body, *LEAVING, "__shared__", "__syncthreads", "__constant__") or "#" in body:
            continue
        if has(body, "continue"):
            if has(body, *LOOPS):
                continue
            body = re.sub(r"\bcontinue\b", "return", body)
        kind = loop.type.replace("const", "").strip()
        code.swap(
            loop.node.extent.start.offset,
            code.end(loop.body),
            f"{{ auto work_{count} = [&]({kind} {loop.name}) {{ {body} }}; "
            f"for ({'; '.join(loop.parts)}) work_{count}({loop.name}); }}",
        )
    return code.write()


def body_in_helper(text: str) -> str | None:
    """What a function of the host does in a static one that it calls."""
    code = parse(text)
    for node, body in code.functions():
        parameters = [c for c in node.get_children() if c.kind.name == "PARM_DECL"]
        head = code.text[node.extent.start.offset : body.extent.start.offset]
        if not re.match(r"\s*void\b", head) or not parameters or "__" in head or "::" in head.partition("(")[0]:
            continue
        if node.kind.name != "FUNCTION_DECL" or code.text[: node.extent.start.offset].rstrip().endswith('"C"'):
            continue
        taken = code.text[parameters[0].extent.start.offset : code.text.rindex(")", 0, body.extent.start.offset)]
        code.put(node.extent.start.offset, f"static void do_{node.spelling}({taken})\n{code.of(body)}\n\n")
        code.swap(
            body.extent.start.offset,
            body.extent.end.offset,
            f"{{ do_{node.spelling}({', '.join(p.spelling for p in parameters)}); }}",
        )
    return code.write()


def references(text: str) -> str | None:
    """``const float x = a[i]`` as a reference."""
    code = parse(text)
    for node, _, _ in code.nodes("VAR_DECL"):
        match = re.fullmatch(r"const (float|double|int) (\w+) = (\w+\[[^\[\];]+\])", code.of(node))
        if match and code.text[node.extent.end.offset] == ";":
            code.swap(
                node.extent.start.offset, node.extent.end.offset, f"const {match[1]}& {match[2]} = {match[3]}"
            )  # fmt: skip
    return code.write()


def arrays_as_vectors(text: str) -> str | None:
    """Allocations of C in C++ by vectors."""
    if has(text, "__global__", "realloc"):
        return None
    pattern = (
        r"(float|double|int)\s*\*\s*(?:__restrict__\s+)?(\w+)\s*=\s*"
        r"(?:\(\s*\1\s*\*\s*\)|static_cast<\1\s*\*>\()?\s*(?:std::)?malloc\(\s*([^;]*?)\s*\*\s*sizeof\s*\(\s*\1\s*\)\s*\)\)?;"
    )
    new = re.sub(pattern, r"std::vector<\1> \2_kept(\3); \1 *\2 = \2_kept.data();", text)
    if new == text:
        return None
    for name in re.findall(r"std::vector<\w+> (\w+)_kept", new):
        new = re.sub(rf"\bfree\(\s*{name}\s*\);", "", new)
    return new if "#include <vector>" in new else after_includes(new, "#include <vector>\n")


# Threads


def list_plain_launches(code: Code) -> Iterator[tuple[Any, Any, list[tuple[int, int, str, list[str]]]]]:
    """Kernels that are named in their launches alone, with these."""
    for node, body, _ in list_kernels(code):
        launches = list(find_launches(code.text, node.spelling))
        if launches and len(re.findall(rf"\b{node.spelling}\b", code.text)) == 1 + len(launches):
            yield node, body, launches


def swap_threads(code: Code, body: Any, place: str, new: str) -> None:
    """Write ``threadIdx.x`` and the like otherwise."""
    start = body.extent.start.offset
    for match in re.finditer(re.escape(place) + r"\b", code.of(body)):
        code.swap(start + match.start(), start + match.end(), new)


def number_of(code: Code, written: str) -> int | None:
    """The number that an expression stands for: a literal, or a constant of the file."""
    written = written.strip()
    if written.isdigit():
        return int(written)
    pattern = rf"(?:\b{re.escape(written)}\s*=\s*|#define\s+{re.escape(written)}\s+)(\d+)\b"
    match = re.search(pattern, code.text) if written.isidentifier() else None
    return int(match[1]) if match else None


def block_of_two(text: str) -> str | None:
    """Blocks of one dimension as such of two."""
    code = parse(text)
    for _, body, launches in list_plain_launches(code):
        inner = code.of(body)
        several = [split_top(where) for *_, where, _ in launches]
        if any(len(s) != 2 or (number_of(code, s[1]) or 1) % 8 for s in several):
            continue
        if re.search(r"Idx\.[yz]|Dim\.[yz]", inner):
            continue
        if has(inner, "__shfl_down_sync", "__shfl_xor_sync", "cooperative_groups", "cub"):
            continue
        swap_threads(code, body, "threadIdx.x", "(threadIdx.y * blockDim.x + threadIdx.x)")
        swap_threads(code, body, "blockDim.x", "(blockDim.x * blockDim.y)")
        for (first, last, _, arguments), (grid, block) in zip(launches, several, strict=True):
            name = code.text[first : code.text.index("<", first)]
            code.swap(first, last, f"{name}<<<{grid}, dim3(({block}) / 8, 8)>>>({', '.join(arguments)})")
    return code.write()


def grid_of_two(text: str) -> str | None:
    """Grids of one dimension as such of two, of which the second has one block."""
    code = parse(text)
    for _, body, launches in list_plain_launches(code):
        several = [split_top(where) for *_, where, _ in launches]
        inner = code.of(body)
        if any(len(s) < 2 or not re.search(r"[\d/]", s[0]) or "dim3" in s[0] for s in several):
            continue
        if re.search(r"blockIdx\.[yz]|gridDim", inner):
            continue
        swap_threads(code, body, "blockIdx.x", "(blockIdx.y * gridDim.x + blockIdx.x)")
        for (first, last, _, arguments), s in zip(launches, several, strict=True):
            name = code.text[first : code.text.index("<", first)]
            code.swap(first, last, f"{name}<<<{', '.join([f'dim3({s[0]}, 1)', *s[1:]])}>>>({', '.join(arguments)})")
    return code.write()


def block_as_template(text: str) -> str | None:
    """``blockDim.x`` as a number that a template is launched for."""
    code = parse(text)
    for node, body, launches in list_plain_launches(code):
        several = [split_top(where) for *_, where, _ in launches]
        numbers = {number_of(code, s[1]) if len(s) > 1 else None for s in several}
        if len(numbers) != 1 or None in numbers or not code.of(node).startswith("__global__"):
            continue
        if "blockDim.x" not in code.of(body):
            continue
        code.put(node.extent.start.offset, "template <int THREADS_> ")
        swap_threads(code, body, "blockDim.x", "THREADS_")
        for (first, _, _, _), s in zip(launches, several, strict=True):
            code.put(first + len(node.spelling), f"<{s[1]}>")
    return code.write()


def block_as_constant(text: str) -> str | None:
    """``blockDim.x`` as the number that the launch states."""
    code = parse(text)
    for _, body, launches in list_plain_launches(code):
        several = [split_top(where) for *_, where, _ in launches]
        numbers = {number_of(code, s[1]) if len(s) > 1 else None for s in several}
        if len(numbers) == 1 and None not in numbers:
            swap_threads(code, body, "blockDim.x", str(numbers.pop()))
    return code.write()


def threads_named(text: str) -> str | None:
    """``threadIdx.x`` as a name at the head of kernels."""
    code = parse(text)
    for _, body in code.functions(device=True):
        for axis in "xyz":
            if f"threadIdx.{axis}" in code.of(body):
                swap_threads(code, body, f"threadIdx.{axis}", f"t{axis}_")
                code.put(body.extent.start.offset + 1, f" const int t{axis}_ = threadIdx.{axis}; ")
    return code.write()


SHARED = re.compile(r"(__shared__\s+(?:float|double|int)\s+\w+\s*\[[^\[\];]+\]\s*)\[([^\[\];]+)\](\s*;)")


def padded(text: str) -> str | None:
    """Tiles in shared memory with one more column."""
    new = SHARED.sub(r"\1[(\2) + 1]\3", text)
    return None if new == text or "sizeof" in new.partition("__shared__")[2].partition("}")[0] else new


def bits_as_quotients(text: str) -> str | None:
    """``x & 31`` and ``x >> 5`` of threads as quotient and remainder."""
    new = re.sub(r"(threadIdx\.x|\btid|\bt)\s*&\s*31\b", r"\1 % 32", text)
    new = re.sub(r"(threadIdx\.x|\btid|\bt)\s*>>\s*5\b", r"\1 / 32", new)
    return None if new == text else new


def quotients_as_bits(text: str) -> str | None:
    """Quotients and remainders of 32 as bits."""
    if "__global__" not in text:
        return None
    new = re.sub(r"(threadIdx\.x|\btid)\s*%\s*(?:32|warpSize)\b", r"(\1 & 31)", text)
    new = re.sub(r"(threadIdx\.x|\btid)\s*/\s*(?:32|warpSize)\b", r"(\1 >> 5)", new)
    return None if new == text else new


def shuffles_exchanged(text: str) -> str | None:
    """Sums over a warp by exchange instead of shifts."""
    new = re.sub(r"\b__shfl_down_sync\b", "__shfl_xor_sync", text)
    return None if new == text else new


def managed(text: str) -> str | None:
    """Memory that host and device share."""
    new = re.sub(r"\bcudaMalloc\(\s*(?:\(void\s*\*\*\)\s*)?&", "cudaMallocManaged(&", text)
    return None if new == text else new


def on_stream(text: str) -> str | None:
    """Launches on a stream of their own."""
    code = parse(text)
    for _, _, launches in list_plain_launches(code):
        for first, last, where, arguments in launches:
            if len(split_top(where)) == 2:
                name = code.text[first : code.text.index("<", first)]
                code.swap(first, last, f"{name}<<<{where}, 0, stream_>>>({', '.join(arguments)})")
    new = code.write()
    main = new and re.search(r"\bint main\([^)]*\)\s*\{", new)
    if not new or not main or len(re.findall(r"<<<", new)) != len(re.findall(r", 0, stream_>>>", new)):
        return None
    return new[: main.start()] + "static cudaStream_t stream_;\n" + new[main.start() : main.end()] + (
        " cudaStreamCreate(&stream_); " + new[main.end() :]
    )  # fmt: skip


SAME: dict[str, Callable[[str], Any]] = {
    "limits named": limit_named,
    "do while": do_while,
    "split in two": split_in_two,
    "interchanged": interchanged,
    "tiled": tiled,
    "collapsed": collapsed,
    "strip-mined": strip_mined,
    "walking pointers": walking_pointers,
    "if as continue": if_to_continue,
    "continue as if": continue_to_if,
    "OpenMP": parallel_pragmas,
    "sum of four": sum_of_four,
    "sum in array": sum_in_array,
    "index by function": index_by(
        "ATTRIBUTE long cell_(long row, long column, long width) { return row * width + column; }\n",
        "cell_(ROW, COLUMN, WIDTH)",
    ),
    "index by macro of rows": index_by("#define CELL_(r, c, w) ((r) * (w) + (c))\n", "CELL_(ROW, COLUMN, WIDTH)"),
    "row by cast": typed_row,
    "rows of arrays": rows_of_arrays,
    "flattened": flattened,
    "loads named": loads_named,
    "extremes as choices": extremes("(A SIGN B ? A : B)"),
    "choices as extremes": choices_as_extremes,
    "value by lambda": of_cpp(value_by_lambda),
    "body in lambda": of_cpp(body_in_lambda),
    "body in helper": body_in_helper,
    "references": of_cpp(references),
    "malloc as vector": of_cpp(arrays_as_vectors),
    "blocks of two dimensions": block_of_two,
    "grid of two dimensions": grid_of_two,
    "block by template": block_as_template,
    "block as constant": block_as_constant,
    "threads named": threads_named,
    "tiles padded": padded,
    "lanes by quotient": bits_as_quotients,
    "lanes by bits": quotients_as_bits,
    "shuffles exchanged": shuffles_exchanged,
    "managed memory": managed,
    "on a stream": on_stream,
}  # fmt: skip
