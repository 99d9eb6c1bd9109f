"""C text as a parser wants it: comments and directives gone, macros expanded; lines kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from roofcast_hull.source.nest import SourceError, refuse
from roofcast_hull.spelled.c_spelling import PACKED

COMMENT = re.compile(r"//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)
QUALIFIERS = re.compile(
    r"\b(?:__restrict__|__restrict|__global__|__device__|__host__|__inline__|__inline|__forceinline__|__extension__"
    r"|__noinline__|__grid_constant__|__(?:launch_bounds|align|maxnreg|cluster_dims)__\s*\([^)]*\)|extern\s*\"C\"|template\s*<[^<>]*>|__attribute__\s*\(\(.*?\)\)|alignas\s*\([^)]*\)|_Pragma\s*\([^)]*\))"
)
PACKING = re.compile(
    r"^[ \t]*#[ \t]*pragma[ \t]+pack[ \t]*\((?P<state>[^)\n]*)\)|\bstruct\b(?P<head>[^;{}=]*)\{", re.MULTILINE
)
"""What says how structures are packed, and where one begins."""
DEFINE = re.compile(r"(?P<name>[A-Za-z_]\w*)(?P<call>\((?P<parameters>[^()]*)\))?(?P<body>.*)", re.DOTALL)
SEPARATED = re.compile(r"\b\d{1,3}(?:'\d{3})+\b")
"""C++ writes large numbers as 1'000'000."""
WORD = re.compile(r"[A-Za-z_]\w*")
LARGEST_TEXT = 1_000_000
"""Characters of a file without its comments, before and after its macros."""
MOST_EXPANSIONS = 20_000
"""Macros that are expanded in a file: a few lines can ask for millions."""
MOST_LINES = 200
"""Of one call of a macro."""
INTEGER = re.compile(r"\(?\s*(-?(?:0[xX][0-9a-fA-F]+|\d+))[uUlL]*\s*\)?")


@dataclass(frozen=True, slots=True)
class Macro:
    """One ``#define``."""

    parameters: tuple[str, ...] | None
    body: str

    @property
    def takes_more(self) -> bool:
        """Whether its last parameter stands for all further arguments."""
        return bool(self.parameters) and self.parameters[-1] == "..."  # type: ignore[index]


WIDTHS = {"8": "", "16": "", "32": "", "64": "LL", "MAX": "LL"}
"""Widths of whole numbers of <stdint.h>, and how a literal of one ends."""
BUILT_IN = {
    **{f"INT{w}_C": Macro(("x",), f"x##{end}") for w, end in WIDTHS.items()},
    **{f"UINT{w}_C": Macro(("x",), f"x##{'U' if w in ('32', '64', 'MAX') else ''}{end}") for w, end in WIDTHS.items()},
    "complex": Macro(None, "_Complex"),
    "POLYBENCH_1D": Macro(("v", "a", "x"), "v[a]"),
    "POLYBENCH_2D": Macro(("v", "a", "b", "x", "y"), "v[a][b]"),
    "POLYBENCH_3D": Macro(("v", "a", "b", "c", "x", "y", "z"), "v[a][b][c]"),
    "SCALAR_VAL": Macro(("x",), "x"),
    "SQRT_FUN": Macro(("x",), "sqrt(x)"),
    "EXP_FUN": Macro(("x",), "exp(x)"),
    "POW_FUN": Macro(("x", "y"), "pow(x, y)"),
    "__builtin_expect": Macro(("x", "y"), "(x)"),
    "__builtin_assume_aligned": Macro(("x", "y"), "(x)"),
}
"""Macros that widely used benchmark headers define, for files without their headers, and hints to compilers."""
BIT_COUNTS = {
    "__popc": "__builtin_popcount __builtin_parity _mm_popcnt_u32 popcount popcount32 std_popcount",
    "__popcll": "__builtin_popcountl __builtin_popcountll __builtin_parityll _mm_popcnt_u64 popcount64",
    "__clz": "__builtin_clz countl_zero std_countl_zero", "__clzll": "__builtin_clzl __builtin_clzll _lzcnt_u64",
    "__ffs": "__builtin_ctz __builtin_ffs countr_zero std_countr_zero",
    "__ffsll": "__builtin_ctzl __builtin_ctzll __builtin_ffsll _tzcnt_u64",
}  # fmt: skip
"""Functions of bits of a word, as CUDA calls them, and their names elsewhere: one instruction each."""
BITS_AS_HERE = {name: kind for kind, names in BIT_COUNTS.items() for name in names.split()}
BIT_CALL = re.compile(rf"\b({'|'.join(BITS_AS_HERE)})(?=\s*\()")

TYPED_ENUMERATION = re.compile(
    r"(?P<typedef>\btypedef\s+)?\benum\s*(?P<name>\w*)\s*:\s*(?P<type>\w+(?:\s+\w+)*)\s*"
    r"(?P<names>\{[^{}]*\})\s*(?P<rest>;|\w)"
)
"""An enumeration that says the type of its numbers."""


def preprocess(text: str, sizes: Mapping[str, int]) -> tuple[str, dict[str, int]]:
    """Text without comments and directives, macros expanded, lines kept, and the integers that were defined.

    sizes : names that the user gives a value; a ``#define`` of the same name does not count.
    """

    def blank(match: re.Match[str]) -> str:
        if match[0][0] in "\"'":
            return match[0]
        return "\n" * match[0].count("\n") + " "

    text = SEPARATED.sub(join_digits, text)
    text = COMMENT.sub(blank, text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " "))
    if len(text) > LARGEST_TEXT:
        raise SourceError(f"{len(text)} characters of code without comments; at most {LARGEST_TEXT} are read")
    text = mark_packed(text)
    expander = Expander(sizes)
    text = text.replace("extern __shared__", "__shared__").replace("__shared__", "static")
    text = QUALIFIERS.sub(" ", "\n".join(expander.lines(text.split("\n"))))
    text = spell_enumerations(rename_bit_calls(text))
    return re.sub(r"\b_PB_([A-Z]\w*)", r"\1", text), expander.defined


def mark_packed(text: str) -> str:
    """Text in which packed structures end with a member that says to how many bytes.

    >>> mark_packed("struct __attribute__((packed)) S { char a; int b; };")
    'struct __attribute__((packed)) S { char a; int b; char packed__1;};'
    """
    if "pack" not in text:
        return text
    stack, width, marks = list[int](), 0, list[tuple[int, int]]()
    for match in PACKING.finditer(text):
        if match["state"] is not None:
            words = re.findall(r"\w+", match["state"])
            numbers = [int(w) for w in words if w.isdigit()]
            if "push" in words:
                stack.append(width)
            width = numbers[-1] if numbers else stack.pop() if "pop" in words and stack else 0
            width = width if numbers or "pop" in words or "push" in words else 0
            continue
        depth, end = 0, match.end() - 1
        for end in range(match.end() - 1, len(text)):
            depth += (text[end] == "{") - (text[end] == "}")
            if not depth:
                break
        attributed = "packed" in match["head"] or re.match(r"\}\s*__attribute__\s*\(\([^()]*packed", text[end:])
        if attributed or width:
            marks.append((end, 1 if attributed else width))
    for end, bytes_packed in sorted(marks, reverse=True):
        text = f"{text[:end]}char {PACKED}{bytes_packed};{text[end:]}"
    return text


def spell_enumerations(text: str) -> str:
    """Text whose enumerations with a type of their own (C23) are that type, and their names plain numbers.

    >>> spell_enumerations("typedef enum : unsigned char { A, B } kind_t; enum mood : short { C }; enum mood m[9];")
    'enum { A, B }; typedef unsigned char kind_t; enum { C }; short m[9];'
    """
    types = dict[str, str]()

    def spell(match: re.Match[str]) -> str:
        if match["name"]:
            types[match["name"]] = match["type"]
        if match["rest"] == ";":
            return f"enum {match['names']};"
        return f"enum {match['names']}; {match['typedef'] or ''}{match['type']} {match['rest']}"

    text = TYPED_ENUMERATION.sub(spell, text)
    return re.sub(r"\benum\s+(\w+)\b(?!\s*\{)", lambda m: types.get(m[1], m[0]), text)


def rename_bit_calls(text: str) -> str:
    """Text with functions of bits as CUDA calls them, but those that it defines itself."""
    defined = {n for n in set(BIT_CALL.findall(text)) if re.search(rf"\b{n}\s*\([^()]*\)\s*\{{", text)}
    return BIT_CALL.sub(lambda m: m[0] if m[1] in defined else BITS_AS_HERE[m[1]], text)


def expand_macros(text: str, sizes: Mapping[str, int]) -> str:
    """Text as a compiler sees it behind its preprocessor: no comments, directives, macros; lines kept.

    sizes : names that stay, for the user gives them a value.
    """
    text = COMMENT.sub(lambda m: m[0] if m[0][0] in "\"'" else "\n" * m[0].count("\n") + " ", text.replace("\0", " "))
    return "\n".join(Expander(sizes, names_stay=False).lines(SEPARATED.sub(join_digits, text).split("\n")))


def join_digits(match: re.Match[str]) -> str:
    """1'000 as 1000."""
    return match[0].replace("'", "")


class Expander:
    """Directives and macros of one file."""

    def __init__(self, sizes: Mapping[str, int], *, names_stay: bool = True) -> None:
        self.sizes = sizes
        self.names_stay = names_stay
        """Whether macros that are whole numbers are names of sizes."""
        self.macros: dict[str, Macro] = dict(BUILT_IN)
        self.defined: dict[str, int] = {}
        self.active: list[bool] = []
        self.met: list[bool] = []
        """Of the conditions around, whether one of their branches was taken."""
        self.expansions = 0

    def lines(self, lines: list[str]) -> list[str]:
        """Lines with macros expanded; directives and what conditions leave out become empty lines."""
        expanded: list[str] = []
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
                expanded += [""] * taken
                at += taken
                continue
            at += 1
            if not all(self.active):
                expanded.append("")
                continue
            # A macro's arguments may go over several lines: those are read as one.
            pending = f"{pending} {line}" if pending else line
            if (
                self.has_open_call(pending)
                and at < len(lines)
                and empty < MOST_LINES
                and not lines[at].lstrip().startswith("#")
            ):
                empty += 1
                continue
            expanded += [self.expand(pending, frozenset()), *[""] * empty]
            pending, empty = "", 0
        return expanded

    def has_open_call(self, text: str) -> bool:
        """Whether a macro's argument list is not closed yet."""
        for match in WORD.finditer(text):
            macro = self.macros.get(match[0])
            if macro is not None and macro.parameters is not None:
                rest = text[match.end() :].lstrip()
                if rest.startswith("(") and split_arguments(rest) is None:
                    return True
        return False

    def directive(self, text: str) -> None:
        """One line that starts with #."""
        word, _, rest = text.partition(" ")
        word, rest = (word, rest.strip()) if word else (rest, "")
        if word in ("if", "ifdef", "ifndef"):
            self.active.append(self.holds(word, rest))
            self.met.append(self.active[-1])
        elif word in ("else", "elif") and self.active:
            self.active[-1] = not self.met[-1] and (word == "else" or self.holds("if", rest))
            self.met[-1] |= self.active[-1]
        elif word == "endif" and self.active:
            self.active.pop()
            self.met.pop()
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
        whole = plain and len(plain[1]) < 16 and not re.match(r"-?0\d", plain[1])
        if self.names_stay and match["call"] is None and plain and whole:
            self.defined[name] = int(plain[1], 0)
            self.macros.pop(name, None)
            return
        parameters = None
        if match["call"] is not None:
            parameters = tuple(p.strip() for p in match["parameters"].split(",")) if match["parameters"].strip() else ()
        self.macros[name] = Macro(parameters, body)

    def expand(self, text: str, busy: frozenset[str]) -> str:
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
                call = split_arguments(text[at + gap :])
                if call is None or len(call[0]) < len(macro.parameters) - macro.takes_more:
                    out.append(name)
                    continue
                at += gap + call[1]
                values = [self.expand(a.strip(), busy) for a in call[0]]
                named = len(macro.parameters) - macro.takes_more
                further = {"__VA_ARGS__": ", ".join(values[named:])}
                body = replace_parameters(body, dict(zip(macro.parameters, values, strict=False)) | further)
            out.append(self.expand(body, busy | {name}))
            if sum(map(len, out[-2:])) > LARGEST_TEXT:
                raise refuse(1, "macros expand to more text than can be read")
        return "".join([*out, text[at:]])


def replace_parameters(body: str, values: Mapping[str, str]) -> str:
    """A macro's body with its parameters replaced."""
    return re.sub(r"\s*##\s*", "", WORD.sub(lambda m: values.get(m[0], m[0]), body))


def split_arguments(text: str) -> tuple[list[str], int] | None:
    """Arguments of a call that a text starts with, and where it ends; None where it does not end."""
    if not text.startswith("("):
        return None
    depth, start, arguments = 0, 1, []
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if (sign == "," and depth == 1) or depth == 0:
            arguments.append(text[start:at])
            start = at + 1
        if depth == 0:
            return arguments, at + 1
    return None
