"""C text as pycparser wants it: without comments and directives, with the types that headers would define."""

from __future__ import annotations

import re
from typing import Any

from roofcast.algorithms.source.nest import refuse

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*(?:\\\n[^\n]*)*", re.MULTILINE)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(?P<name>[A-Za-z_]\w*)[ \t]+(?P<value>[^\n]+)$", re.MULTILINE)
QUALIFIERS = re.compile(r"\b(?:__restrict__|__restrict|__global__|__inline__|__attribute__\s*\(\(.*?\)\))")
TYPES = [
    "size_t",
    "ssize_t",
    "ptrdiff_t",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uchar",
    "uint",
    "ushort",
    "DATA_TYPE",
    "real_t",
    "scalar_t",
    "half",
    "bool",
    "complex_t",
]
PRELUDE = " ".join(f"typedef int {name};" for name in TYPES) + " "


def prepared(text: str) -> tuple[str, dict[str, int]]:
    """Text without comments and directives, lines kept, and the integers that were defined."""

    def blank(match: re.Match[str]) -> str:
        return "\n" * match[0].count("\n") + " "

    text = COMMENT.sub(blank, text.replace("\r\n", "\n").replace("\r", "\n"))
    defined: dict[str, int] = {}
    replaced: dict[str, str] = {}
    for match in DEFINE.finditer(text):
        value = match["value"].strip()
        plain = re.fullmatch(r"\(?\s*(\d+)[uUlL]*\s*\)?", value)
        if plain and len(plain[1]) < 16:
            defined[match["name"]] = int(plain[1])
        elif match["name"] not in TYPES:
            replaced[match["name"]] = value
    text = QUALIFIERS.sub(" ", DIRECTIVE.sub(blank, text))
    for _ in range(3):
        for name, value in replaced.items():
            if len(text) < 1_000_000:
                text = re.sub(rf"\b{re.escape(name)}\b", lambda _, v=value: v, text)  # type: ignore[misc]  # bound now
    return text, defined


def parsed(text: str) -> Any:
    """The syntax tree of a file, or of statements without a function around them."""
    from pycparser import c_parser

    wrapped = f"{PRELUDE}void snippet(void) {{ {text}\n}}"
    first: Exception | None = None
    for candidate in (PRELUDE + text, wrapped):
        try:
            return c_parser.CParser().parse(candidate, "source")
        except (c_parser.ParseError, AssertionError, RecursionError, ValueError, AttributeError, TypeError) as error:
            first = first or error
    match = re.search(r"source:(\d+)(?::\d+)?:?\s*(.*)", str(first))
    line, why = (int(match[1]), match[2]) if match else (1, str(first))
    raise refuse(line, f"not C as pycparser reads it: {why or 'syntax error'}")
