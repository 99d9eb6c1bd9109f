"""Functions, statements and structures of host code, as pieces of its text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from roofcast_hull.source.c_idioms import REFERENCE
from roofcast_hull.source.c_text import split_arguments
from roofcast_hull.source.host_numbers import UnknownNumberError, evaluate_number, find_type_bytes

FUNCTION = re.compile(r"(?P<before>[A-Za-z_][\w\s*&:<>,]{0,240}?[\s*&])(?P<name>[A-Za-z_]\w*)\s*(?=\()")
DECLARATION = re.compile(
    r"(?P<type>(?:(?:const|static|constexpr|unsigned|signed|long|struct|volatile)\s+)*[A-Za-z_][\w:]*(?:\s*<[^<>]*>)?"
    r"(?:\s+(?:const|long|int))*)(?P<rest>[\s*&]+(?:const\s+|__restrict__\s+)?[A-Za-z_].*)",
    re.DOTALL,
)
HEADER = re.compile(
    r"(?:else\s+)?(if|for|while|switch)\b\s*(?:constexpr\s*)?|(else|do)\b"
    r"|(?:extern\s*\"C\"|namespace\s*\w*)\s*(?=\{)"
)
LONGEST = 6_000
"""Characters of a function whose result is computed."""
LAUNCHES = re.compile("<<<|alloc", re.IGNORECASE)
"""What makes a function worth following."""
CALLED = re.compile(r"(?<![\w.>:])([A-Za-z_]\w*)\s*(?:<[^<>;(){}]*>\s*)?(?=\()")
STRUCTURE = re.compile(
    r"\b(?:typedef\s+)?struct\s*(?P<tag>[A-Za-z_]\w*)?\s*\{(?P<members>[^{}]*)\}\s*(?P<name>[A-Za-z_]\w*)?"
)


@dataclass(frozen=True, slots=True)
class Function:
    """A function with a body."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    """Type and name of each."""
    body: str
    line: int
    before: str
    start: int
    end: int
    """Where the whole stands in the text."""


def find_functions(text: str) -> Iterator[Function]:
    """Functions of a file, in the order of the text; those of classes and name spaces too."""
    at = 0
    while match := FUNCTION.search(text, at):
        at = match.end()
        call = split_arguments(text[match.end() :])
        if call is None:
            return
        opens = re.match(r"\s*(?:const|noexcept)?\s*\{", text[match.end() + call[1] :])
        if opens is None or match["name"] in ("if", "for", "while", "switch"):
            continue
        start = match.end() + call[1] + opens.end()
        end = find_end(text, start)
        parameters = tuple(split_parameter(a) for a in call[0] if a.strip() not in ("", "void"))
        before = match["before"]
        yield Function(
            match["name"], parameters, text[start : end - 1], text.count("\n", 0, start) + 1, before,
            match.start() + len(before) - len(before.lstrip()), end,
        )  # fmt: skip
        at = end


def find_end(text: str, start: int) -> int:
    """Where the block ends whose inside starts here, behind its brace."""
    depth = 1
    for match in re.finditer(r"[{}]", text[start:]):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return start + match.end()
    return len(text)


def split_parameter(text: str) -> tuple[str, str]:
    """Type and name of a parameter: ``const float *x`` is ``const float *`` and ``x``, ``float (*y)[3]`` an address."""
    plain = re.sub(r"\b(?:__restrict__|__restrict|restrict)\b", " ", text.partition("=")[0])
    rows = re.match(r"([^()]*?)\(\s*\*\s*(?:const\s+)?([A-Za-z_]\w*)\s*\)\s*(?:\[[^\]]*\]\s*)+$", plain.strip())
    if rows is not None:
        return f"{rows[1].strip()} *", rows[2]
    match = re.match(r"(.*?[\s*&])([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)$", plain.strip(), re.DOTALL)
    if match is None:
        return plain.strip(), ""
    return f"{match[1].strip()}{' *' if match[3] else ''}", match[2]


def find_structures(text: str) -> dict[str, dict[str, str]]:
    """Structures of a file that hold numbers and addresses: name and type of each member, in order."""
    structures: dict[str, dict[str, str]] = {}
    for match in STRUCTURE.finditer(text):
        members: dict[str, str] = {}
        for line in match["members"].split(";"):
            declared = DECLARATION.fullmatch(line.strip())
            for item in split_items(declared["rest"]) if declared else ():
                name = re.sub(r"^[\s*]*|\[.*$", "", item).strip()
                stars = "*" * (item.count("*") + item.count("["))
                members[name] = f"{declared['type']} {stars}".strip() if declared else ""
        structures |= {n: members for n in (match["tag"], match["name"]) if n and members}
    return structures


def measure_structures(text: str, known: Mapping[str, float]) -> dict[str, int]:
    """Bytes of structures of a file whose members are numbers, addresses, other structures, and arrays of them.

    known : numbers that say how many elements arrays have.

    >>> measure_structures("struct V { char k; double x[N]; }; typedef struct { struct V v; int *p; } W;", {"N": 3})
    {'V': 32, 'W': 40}
    """
    measured, aligned = dict[str, int](), dict[str, int]()
    for match in STRUCTURE.finditer(text):
        total, widest = 0, 1
        for line in (m.strip() for m in match["members"].split(";") if m.strip()):
            declared = DECLARATION.fullmatch(line)
            for item in split_items(declared["rest"]) if declared else [""]:
                size = 8 if "*" in item else find_type_bytes(declared["type"], measured) if declared else None
                try:
                    dims = [evaluate_number(d, known) for d in re.findall(r"\[([^\[\]]*)\]", item)]
                except UnknownNumberError:
                    size = None
                if not size or ":" in item:
                    break
                wide = find_type_bytes(declared["type"], aligned) if declared and "*" not in item else 8
                wide = min(wide or 8, 8)
                total = -(-total // wide) * wide + size * int(math.prod(dims))
                widest = max(widest, wide)
            else:
                continue
            break
        else:
            names = [n for n in (match["tag"], match["name"]) if n and total]
            measured |= dict.fromkeys(names, -(-total // widest) * widest)
            aligned |= dict.fromkeys(names, widest)
    return measured


def writes_back(function: Function) -> bool:
    """Whether a function gives its arguments or names of the file other values: by reference or behind addresses."""
    taken = any(n.endswith(REFERENCE) or "*" in t for t, n in function.parameters)
    return len(function.body) < LONGEST and (not function.parameters or taken or "argc" in function.body)


def list_labels(body: str) -> list[tuple[int, str]]:
    """Where labels of a switch stand behind their colons, and what they say; '' for the default."""
    marks, depth = [], 0
    for match in re.finditer(r"[{}]|\bcase\b([^:;{}]*):|\bdefault\s*:", body):
        depth += (match[0] == "{") - (match[0] == "}")
        if depth == 0 and match[0] not in "{}":
            marks.append((match.end(), (match[1] or "").strip()))
    return marks


def find_break(body: str, start: int) -> int:
    """Where the statements of a case end."""
    depth = 0
    for match in re.finditer(r"[{}]|\bbreak\s*;|\breturn\b[^;]*;", body[start:]):
        depth += (match[0] == "{") - (match[0] == "}")
        if match[0] not in "{}" and depth <= (1 if body[start:].lstrip().startswith("{") else 0):
            return start + (match.end() if match[0].startswith("return") else match.start())
    return len(body)


def find_launching(functions: Mapping[str, Function]) -> set[str]:
    """Functions that launch or allocate, themselves or by way of others."""
    launching = {n for n, f in functions.items() if LAUNCHES.search(f.body)}
    calls = {n: set(CALLED.findall(f.body)) for n, f in functions.items()}
    while more := {n for n, called in calls.items() if n not in launching and called & launching}:
        launching |= more
    return launching


def split_items(text: str) -> list[str]:
    """Items between the commas that stand in no brackets."""
    call = split_arguments(f"({text})")
    return call[0] if call and text.strip() else []


def split_statement(text: str, start: int) -> tuple[int, str, str | None]:
    """Where a statement ends, its text or header, and the block behind the header where there is one."""
    if text[start] == "}":
        return start + 1, "", None
    if text[start] == "{":
        end = find_end(text, start + 1)
        return end, "", text[start + 1 : end - 1]
    if word := HEADER.match(text, start):
        return split_headed(text, start, word)
    depth = 0
    for at in range(start, len(text)):
        sign = text[at]
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0 or (sign == ";" and depth == 0):
            return at + 1, text[start:at], None
    return len(text), text[start:], None


def split_headed(text: str, start: int, word: re.Match[str]) -> tuple[int, str, str | None]:
    """A loop, a condition or a named block."""
    at = word.end()
    if word[1]:
        call = split_arguments(text[at:])
        if call is None:
            return len(text), "", None
        at += call[1]
    header = text[start:at].removeprefix("else").strip() if word[1] else text[start:at]
    rest = at + len(text[at:]) - len(text[at:].lstrip())
    if text[rest : rest + 1] == "{":
        end = find_end(text, rest + 1)
        return end, header, text[rest + 1 : end - 1]
    if rest >= len(text):
        return len(text), header, ""
    end, _, _ = split_statement(text, rest)
    return end, header, text[rest:end]
