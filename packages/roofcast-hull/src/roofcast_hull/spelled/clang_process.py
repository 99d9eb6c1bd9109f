"""One file of CUDA or C++ written as plain C, in a process of its own: text comes in, an object of JSON goes out.

A compiler's parser may take any time and memory, or end itself, on text that somebody made for that.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

from roofcast_hull.spelled.function_context import ENTRY, Function
from roofcast_hull.spelled.parsed_file import FILE, find_launches, parse_file
from roofcast_hull.spelled.plain_writer import Writer
from roofcast_hull.spelled.type_names import NotPlainError

MOST_BYTES = 1 << 30
"""B of memory that libclang may take: templates can grow without end."""
SECONDS = 30
"""s of the processor that libclang may take."""
INSTANCES = "instances_"
"""The function that asks for templates that nothing else calls."""
LOOPING = re.compile(
    r"\b(?:for|while)\b|\bstd\s*::\s*(?:transform|accumulate|reduce|for_each|inner_product|fill|copy|partial_sum|sort"
    r"|(?:min|max|minmax|nth)_element|count|inclusive_scan|exclusive_scan|adjacent_difference|generate|iota)\w*\s*\("
)
"""What says that a function goes through elements."""
LINE = re.compile("\x01(\\d+)\x02")


def main() -> int:
    """Read a request, write the answer."""
    limit()
    request = json.load(sys.stdin)
    sys.setrecursionlimit(20_000)
    try:
        answer = write_file(request["text"], request["sizes"])
    except (NotPlainError, RecursionError) as error:
        answer = {"text": "", "why": str(error) or type(error).__name__}
    json.dump(answer, sys.stdout)
    return 0


def limit() -> None:
    """Bound memory and processor time, where the system can."""
    try:
        import resource
    except ImportError:
        return
    for kind, most in ((resource.RLIMIT_AS, MOST_BYTES), (resource.RLIMIT_CPU, SECONDS)):
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def write_file(text: str, sizes: dict[str, int]) -> dict[str, Any]:
    """A file as plain C: kernels that it launches, or that are no templates, what they call, and its host code.

    Raises
    ------
    NotPlainError : a kernel, or a launch, that libclang does not make out or that has no plain form.
    """
    parsed = parse_file(text, sizes)
    launches = re.search(r"\b__global__\b", text) is not None
    writer = Writer(parsed, launches=launches)
    if not launches and (opened := open_templates(text, writer)) != text:
        parsed = parse_file(opened, sizes)
        writer = Writer(parsed, launches=launches)
    top = list(list_functions(parsed.unit.cursor, writer))
    hosts = [f for f in top if not is_kernel(f, writer)]
    for node in sorted(hosts, key=lambda f: f.spelling not in ENTRY):
        if writer.find_space(node) == "" and writer.find_body(node) is not None:
            writer.function_name(node)
    for node in top:
        if node not in hosts and writer.find_body(node) is not None:
            writer.function_name(node)
    failed: dict[str, str] = {}
    write_waiting(writer, failed)
    writer.functions = {k: f for k, f in writer.functions.items() if f.name != INSTANCES}
    if writer.launches:
        refuse_broken(writer, failed)
    else:
        drop_broken(writer, failed)
    kernels = {
        f.name: name_kernel(f.node, writer) for f in writer.functions.values() if f.kind == "__global__" and f.text
    }
    add_templates(writer)
    looping = {f.name for f in writer.functions.values() if has_loop(f.node, writer)}
    failed = {name: why for name, why in failed.items() if name in looping}
    return {"text": lay_out(writer), "kernels": kernels, "failed": failed, "why": ""}


def write_waiting(writer: Writer, failed: dict[str, str]) -> None:
    """Write all functions that are asked for. failed : takes those that have no plain form, and why."""
    while writer.waiting:
        function = writer.waiting.pop(0)
        try:
            function.text = writer.write_function(function)
        except NotPlainError as error:
            place = "" if str(error).startswith("line ") else f"line {function.line}: "
            failed[function.name] = f"{place}{error}"


def open_templates(text: str, writer: Writer) -> str:
    """A file with its function templates that nothing calls, for the type that it names them for, or float."""
    used = {c.spelling for c in walk_calls(writer.parsed.unit.cursor, writer)}
    named: list[str] = []
    for node in list_functions(writer.parsed.unit.cursor, writer, writer.k.FUNCTION_TEMPLATE):
        kinds = [c.kind for c in node.get_children() if c.kind.name.startswith("TEMPLATE_")]
        if node.spelling in used or any(k != writer.k.TEMPLATE_TYPE_PARAMETER for k in kinds):
            continue
        stated = re.search(rf"\btemplate\s+[\w\s:*&]*\b{node.spelling}\s*<([\w\s,:]+)>", text)
        types = stated[1] if stated else ", ".join("float" for _ in kinds)
        named.append(f"auto p{len(named)}_ = &{node.spelling}<{types}>;")
    return f"{text}\nvoid {INSTANCES}() {{ {' '.join(named)} }}" if named else text


def walk_calls(node: Any, writer: Writer) -> Iterator[Any]:
    """Calls in the file."""
    for child in node.get_children():
        if child.location.file is not None and child.location.file.name != FILE:
            continue
        if child.kind == writer.k.CALL_EXPR:
            yield child
        yield from walk_calls(child, writer)


def is_kernel(node: Any, writer: Writer) -> bool:
    """Whether a function is one that hosts launch."""
    return writer.k.CUDAGLOBAL_ATTR in {c.kind for c in node.get_children()}


def refuse_broken(writer: Writer, failed: dict[str, str]) -> None:
    """Refuse errors in functions of the device and in launches; what else of the host is not read costs nothing.

    failed : functions that have no plain form, and why.

    Raises
    ------
    NotPlainError : there are some.
    """
    written = [f for f in writer.functions.values() if f.kind and not writer.is_declared(f.node)]
    spans = [(f.node.extent.start.line, f.node.extent.end.line) for f in written] + list(
        find_launches(writer.parsed.text)
    )
    for line, message in writer.parsed.errors:
        if any(a <= line <= b for a, b in spans):
            raise NotPlainError(f"line {line}: {message}")
    if lost := [f"{f.name}: {failed[f.name]}" for f in writer.functions.values() if f.kind and f.name in failed]:
        raise NotPlainError("; ".join(lost))


def has_loop(node: Any, writer: Writer) -> bool:
    """Whether a function of the file loops; of one that was not made out, the text says it."""
    if writer.is_declared(node):
        return False
    lines = writer.parsed.text.splitlines()[node.extent.start.line - 1 : node.extent.end.line]
    return LOOPING.search("\n".join(lines)) is not None


def drop_broken(writer: Writer, failed: dict[str, str]) -> None:
    """Drop functions that libclang did not make out: what was written of them is not what they do.

    failed : takes those, and why. Of ``main`` only the sizes are read that it says; what is not made out says none.
    """
    for function in writer.functions.values():
        if function.node.spelling in ENTRY:
            continue
        first, last = function.node.extent.start.line, function.node.extent.end.line
        is_of_file = not writer.is_declared(function.node)
        errors = [(line, why) for line, why in writer.parsed.errors if first <= line <= last]
        if is_of_file and errors:
            function.text = ""
            failed.setdefault(function.name, f"line {errors[0][0]}: {errors[0][1]}")


def add_templates(writer: Writer) -> None:
    """Kernels that are templates and that nothing launches: their names, so that readers say so."""
    written = {f.node.spelling for f in writer.functions.values()}
    for node in list_functions(writer.parsed.unit.cursor, writer, writer.k.FUNCTION_TEMPLATE):
        if node.spelling not in written and is_kernel(node, writer):
            line = int(node.location.line)
            text = f"\x01{line}\x02template <int open_> __global__ void {node.spelling}() {{ }}\n"
            writer.functions[node.get_usr()] = Function(node, str(node.spelling), "__global__", line, text)


def list_functions(node: Any, writer: Writer, kind: Any = None) -> Any:
    """Functions of the file that are no templates, those of name spaces too; templates where they are asked for."""
    for child in node.get_children():
        if child.location.file is None or child.location.file.name != FILE:
            continue
        if child.kind in (writer.k.NAMESPACE, writer.k.LINKAGE_SPEC, writer.k.UNEXPOSED_DECL):
            yield from list_functions(child, writer, kind)
        elif child.kind == (kind or writer.k.FUNCTION_DECL) and writer.is_function(child, kind is None):
            yield child


def name_kernel(node: Any, writer: Writer) -> str:
    """A kernel as people write it: with the arguments of its template."""
    match = re.match(r"\w+(<[^()]+>)\(", node.displayname)
    arguments = [re.sub(r"\(lambda[^)]*\)", "lambda", str(a)) for a in writer.template_of(node)]
    template = match[1] if match else f"<{', '.join(arguments)}>" if arguments else ""
    return f"{node.spelling}{template}"


def lay_out(writer: Writer) -> str:
    """Records, variables and functions as one text whose lines are those of the file."""
    pieces: list[tuple[int, int, str]] = []
    for text in writer.globals.values():
        if text:
            match = LINE.match(text)
            pieces.append((int(match[1]) if match else 0, 0, text))
    for function in writer.functions.values():
        first_line = 0 if writer.is_declared(function.node) else function.line
        text = LINE.sub("", function.text) if not first_line else function.text
        if text:
            pieces.append((first_line, 1 + (function.kind == ""), text))
    pieces.sort(key=lambda p: p[:2])
    out, line = [" ".join(writer.records.definitions) + " "], 1
    for _, _, text in pieces:
        at = 0
        for match in LINE.finditer(text):
            out.append(text[at : match.start()].replace("\n", " "))
            at = match.end()
            wanted = int(match[1])
            if wanted > line:
                out.append("\n" * (wanted - line))
                line = wanted
        out.append(text[at:].replace("\n", " "))
    return "".join([*out, "\n", *(f"#define {n} {v}\n" for n, v in writer.parsed.numbers.items())])


if __name__ == "__main__":
    sys.exit(main())
