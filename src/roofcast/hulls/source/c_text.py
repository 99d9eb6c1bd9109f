"""C text as pycparser wants it: comments and directives gone, macros expanded, unknown types declared; lines kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roofcast.hulls.source.nest import refuse

COMMENT = re.compile(r"//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)
QUALIFIERS = re.compile(
    r"\b(?:__restrict__|__restrict|__global__|__device__|__host__|__inline__|__inline|__forceinline__|__extension__"
    r"|__attribute__\s*\(\(.*?\)\)|alignas\s*\([^)]*\)|_Pragma\s*\([^)]*\))"
)
DEFINE = re.compile(r"(?P<name>[A-Za-z_]\w*)(?P<call>\((?P<parameters>[^()]*)\))?(?P<body>.*)", re.DOTALL)
WORD = re.compile(r"[A-Za-z_]\w*")
LARGEST_TEXT = 1_000_000
MOST_EXPANSIONS = 20_000
INTEGER = re.compile(r"\(?\s*(-?(?:0[xX][0-9a-fA-F]+|\d+))[uUlL]*\s*\)?")
TYPES = tuple(
    """size_t ssize_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uchar uint ushort
    ulong DATA_TYPE real_t scalar_t half bool complex_t __half _Float16 intptr_t uintptr_t""".split()  # noqa: SIM905
)
KEYWORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool _Complex
    """.split()  # noqa: SIM905 - words
)
DECLARED = re.compile(
    r"(?:^|[;{}(,]|\bconst|\bstatic|\binline|\bextern)\s*([A-Za-z_]\w*)"
    r"(?=[\s*]+(?:restrict\s+)?[A-Za-z_]\w*\s*[\[;,=()])"
)


@dataclass(frozen=True, slots=True)
class Macro:
    """One ``#define``."""

    parameters: tuple[str, ...] | None
    body: str


BUILT_IN = {
    "POLYBENCH_1D": Macro(("v", "a", "x"), "v[a]"),
    "POLYBENCH_2D": Macro(("v", "a", "b", "x", "y"), "v[a][b]"),
    "POLYBENCH_3D": Macro(("v", "a", "b", "c", "x", "y", "z"), "v[a][b][c]"),
    "SCALAR_VAL": Macro(("x",), "x"),
    "SQRT_FUN": Macro(("x",), "sqrt(x)"),
    "EXP_FUN": Macro(("x",), "exp(x)"),
    "POW_FUN": Macro(("x", "y"), "pow(x, y)"),
}
"""Macros that widely used benchmark headers define, for files without their headers."""


def prepared(text: str, sizes: Mapping[str, int]) -> tuple[str, dict[str, int]]:
    """Text without comments and directives, macros expanded, lines kept, and the integers that were defined.

    sizes : names that the user gives a value; a ``#define`` of the same name does not count.
    """
    if len(text) > LARGEST_TEXT:
        raise refuse(1, f"a file of {len(text)} characters; at most {LARGEST_TEXT} are read")

    def blank(match: re.Match[str]) -> str:
        if match[0][0] in "\"'":
            return match[0]
        return "\n" * match[0].count("\n") + " "

    text = COMMENT.sub(blank, text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " "))
    expander = Expander(sizes)
    text = QUALIFIERS.sub(" ", "\n".join(expander.lines(text.split("\n"))))
    return re.sub(r"\b_PB_([A-Z]\w*)", r"\1", text), expander.defined


class Expander:
    """Directives and macros of one file."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self.sizes = sizes
        self.macros: dict[str, Macro] = dict(BUILT_IN)
        self.defined: dict[str, int] = {}
        self.active: list[bool] = []
        self.expansions = 0

    def lines(self, lines: list[str]) -> list[str]:
        """Lines with macros expanded; directives and what conditions leave out become empty lines."""
        found: list[str] = []
        at = 0
        pending = ""
        empty = 0
        while at < len(lines):
            line = lines[at]
            if line.lstrip().startswith("#") and not pending:
                taken = 1
                while line.rstrip().endswith("\\") and at + taken < len(lines):
                    line = line.rstrip()[:-1] + " " + lines[at + taken]
                    taken += 1
                self.directive(line.strip()[1:].strip())
                found += [""] * taken
                at += taken
                continue
            at += 1
            if not all(self.active):
                found.append("")
                continue
            # A macro's arguments may go over several lines: those are read as one.
            pending = f"{pending} {line}" if pending else line
            if self.open_call(pending) and at < len(lines) and empty < 200 and not lines[at].lstrip().startswith("#"):
                empty += 1
                continue
            found += [self.expanded(pending, frozenset()), *[""] * empty]
            pending, empty = "", 0
        return found

    def open_call(self, text: str) -> bool:
        """Whether a macro's argument list is not closed yet."""
        for match in WORD.finditer(text):
            macro = self.macros.get(match[0])
            if macro is not None and macro.parameters is not None:
                rest = text[match.end() :].lstrip()
                if rest.startswith("(") and arguments_of(rest) is None:
                    return True
        return False

    def directive(self, text: str) -> None:
        """One line that starts with #."""
        word, _, rest = text.partition(" ")
        word, rest = (word, rest.strip()) if word else (rest, "")
        if word in ("if", "ifdef", "ifndef"):
            self.active.append(self.holds(word, rest))
        elif word in ("else", "elif") and self.active:
            self.active[-1] = not self.active[-1] and (word == "else" or self.holds("if", rest))
        elif word == "endif" and self.active:
            self.active.pop()
        elif word == "define" and all(self.active):
            self.define(rest)
        elif word == "undef":
            self.macros.pop(rest, None)
            self.defined.pop(rest, None)

    def holds(self, word: str, rest: str) -> bool:
        """Whether a condition is met: names, ``defined`` and plain numbers; what is more than that is taken as met."""
        known = rest.split(maxsplit=1)[0] in {*self.macros, *self.defined, *self.sizes} if rest else False
        if word != "if":
            return known == (word == "ifdef")
        if match := re.fullmatch(r"(!?)\s*defined\s*\(?\s*(\w+)\s*\)?", rest):
            return (match[2] in {*self.macros, *self.defined, *self.sizes}) != bool(match[1])
        value = INTEGER.fullmatch(rest)
        return int(value[1], 0) != 0 if value and len(value[1]) < 18 and not re.match(r"0\d", value[1]) else True

    def define(self, text: str) -> None:
        """One macro."""
        match = DEFINE.match(text)
        if match is None or match["name"] in self.sizes:
            return
        name, body = match["name"], match["body"].strip()
        plain = INTEGER.fullmatch(body)
        if match["call"] is None and plain and len(plain[1]) < 16 and not re.match(r"-?0\d", plain[1]):
            self.defined[name] = int(plain[1], 0)
            self.macros.pop(name, None)
            return
        parameters = None
        if match["call"] is not None:
            parameters = tuple(p.strip() for p in match["parameters"].split(",")) if match["parameters"].strip() else ()
        self.macros[name] = Macro(parameters, body)

    def expanded(self, text: str, busy: frozenset[str]) -> str:
        """Text with macros replaced, those inside as well."""
        out: list[str] = []
        at = 0
        while match := WORD.search(text, at):
            name = match[0]
            macro = self.macros.get(name)
            out.append(text[at : match.start()])
            at = match.end()
            if macro is None or name in busy or (match.start() and text[match.start() - 1].isdigit()):
                out.append(name)
                continue
            self.expansions += 1
            if self.expansions > MOST_EXPANSIONS:
                raise refuse(1, f"macros expand more than {MOST_EXPANSIONS} times")
            body = macro.body
            if macro.parameters is not None:
                gap = len(text[at:]) - len(text[at:].lstrip())
                found = arguments_of(text[at + gap :])
                if found is None or len(found[0]) < len(macro.parameters):
                    out.append(name)
                    continue
                at += gap + found[1]
                values = [self.expanded(a.strip(), busy) for a in found[0]]
                body = bound(body, dict(zip(macro.parameters, values, strict=False)))
            out.append(self.expanded(body, busy | {name}))
            if sum(map(len, out[-2:])) > LARGEST_TEXT:
                raise refuse(1, "macros expand to more text than can be read")
        return "".join([*out, text[at:]])


def bound(body: str, values: Mapping[str, str]) -> str:
    """A macro's body with its parameters replaced."""
    return WORD.sub(lambda m: values.get(m[0], m[0]), body)


def arguments_of(text: str) -> tuple[list[str], int] | None:
    """Arguments of a call that a text starts with, and where it ends; None where it does not end."""
    if not text.startswith("("):
        return None
    depth, start, found = 0, 1, []
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if (sign == "," and depth == 1) or depth == 0:
            found.append(text[start:at])
            start = at + 1
        if depth == 0:
            return found, at + 1
    return None


FUNCTION = re.compile(r"(?:^|[;}\n])[^;{}=\n]*?\b(?P<name>[A-Za-z_]\w*)\s*\([^;{}]*\)\s*\{")


def without(text: str, wanted: str | None) -> str:
    """Text with the bodies of all functions but one empty; without a name, only that of ``main``."""
    at, found = 0, []
    while match := FUNCTION.search(text, at):
        start = match.end() - 1
        end, depth = start, 0
        for end in range(start, len(text)):
            depth += (text[end] == "{") - (text[end] == "}")
            if depth == 0:
                break
        drop = match["name"] == "main" if wanted is None else match["name"] != wanted
        inside = text[start + 1 : end]
        found += [text[at : start + 1], "\n" * inside.count("\n") if drop else inside]
        at = end
    return "".join([*found, text[at:]])


def parsed(text: str, function: str | None = None) -> Any:
    """The syntax tree of a file, or of statements without a function around them.

    function : the one that is wanted; what the others are is not read where it is no plain C.
    """
    from pycparser import c_parser

    unknown = {m[1] for m in DECLARED.finditer(text)} - KEYWORDS - set(TYPES)
    known = set(re.findall(r"\btypedef\b[^;]*?(\w+)\s*;", text))
    names = [n for n in (*TYPES, *sorted(unknown)) if n not in known][:500]
    prelude = " ".join(f"typedef int {name};" for name in names) + " "
    plain = " ".join(f"typedef int {name};" for name in TYPES if name not in known) + " "
    first: Exception | None = None
    for candidate in (
        prelude + text, plain + text, f"{prelude}void snippet(void) {{ {text}\n}}",
        f"{plain}void snippet(void) {{ {text}\n}}", prelude + without(text, None), prelude + without(text, function),
    ):  # fmt: skip
        try:
            return c_parser.CParser().parse(candidate, "source")
        except (c_parser.ParseError, AssertionError, RecursionError, ValueError, AttributeError, TypeError) as error:
            first = first or error
        except IndexError as error:
            first = first or error
    match = re.search(r"source:(\d+)(?::\d+)?:?\s*(.*)", str(first))
    line, why = (int(match[1]), match[2]) if match else (1, str(first))
    raise refuse(line, f"not C as pycparser reads it: {why or 'syntax error'}")
