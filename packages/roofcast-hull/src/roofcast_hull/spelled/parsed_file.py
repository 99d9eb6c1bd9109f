"""A CUDA or C++ file as libclang reads it, without headers of any system: our own declarations stand for them.

What the file uses and nothing declares is declared as something unknown, and the file read again, so that a missing
header costs no more than what it holds. Runs in a process of its own (:mod:`.clang_process`).
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE, DECLARATIONS = "/virtual/kernel.cu", "/virtual/cuda_declarations.h"
HEADER = "cuda_declarations.h"
ARGUMENTS = (
    "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-nocudainc", "-nocudalib", "-nostdinc", "-nostdinc++",
    "-std=c++17", "-ferror-limit=0", "-ftemplate-depth=96", "-fbracket-depth=200", "-fconstexpr-steps=200000", "-w",
    "-Wno-error", "-fno-exceptions", "-Xclang", "-fcuda-allow-variadic-functions", "-include", DECLARATIONS,
)  # fmt: skip
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)
SEPARATED = re.compile(r"\b\d{1,3}(?:'\d{3})+\b")
DROPPED = re.compile(
    r"^[ \t]*(?:#|%:)[ \t]*(?:include|include_next|import|embed|pragma(?![ \t]+pack\b)|error|warning|line|ident"
    r"|__include_macros)\b.*$",
    re.MULTILINE,
)
DEFINED = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+\(?[ \t]*(-?(?:0[xX][0-9a-fA-F]+|\d+))([uUlL]*)[ \t]*\)?[ \t]*$",
    re.MULTILINE,
)
ASKED = re.compile(r"^[ \t]*#[ \t]*(?:if|elif|ifdef|undef)\b.*$", re.MULTILINE)
UNDECLARED = re.compile(r"use of undeclared identifier '([A-Za-z_]\w*)'|unknown type name '([A-Za-z_]\w*)'")
NO_TEMPLATE = re.compile(r"no template named '([A-Za-z_]\w*)'(?: in namespace '([\w:]+)')?")
NO_MEMBER = re.compile(r"no (?:member|type) named '([A-Za-z_]\w*)' in namespace '([\w:]+)'")
INSIDE = re.compile(r"reference to __global__ function '\w+' in __(?:global|device)__ function")
LAUNCH = re.compile(r"\b\w+(?:<[^<>;]*>)?\s*<<<.*?>>>\s*\([^;]*\)", re.DOTALL)
TENSORS = re.compile(r"\b(?:torch|at|c10)\s*::")
"""What a file uses that works on tensors of PyTorch."""
TENSOR_PART = re.compile(r"^// ---- tensors of PyTorch.*?(?=^#pragma)", re.MULTILINE | re.DOTALL)
MOST_ROUNDS = 8
"""Times that a file is parsed again with what the errors of the last time miss."""
MOST_DECLARED = 200
"""Declarations that are added to a file; one that misses more is not understood."""


@dataclass
class Parsed:
    """A file and its tree."""

    unit: Any
    text: str
    numbers: Mapping[str, str]
    """Macros that are whole numbers: names of sizes, kept as such."""
    errors: tuple[tuple[int, str], ...]
    """Line and text of what libclang could not make out."""


def prepare_text(text: str, *, keep_numbers: bool) -> tuple[str, dict[str, str]]:
    """Text without comments, inclusions and pragmas, lines kept; macros that are whole numbers as constants."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ").replace("\x01", " ").replace("\x02", " ")
    joined = []
    for line in re.split(r"(?<!\\)\n", text):
        parts = line.split("\\\n")
        joined.append(" ".join(parts) + "\n" * (len(parts) - 1))
    text = COMMENT.sub(lambda m: m[0] if m[0][0] in "\"'" else " " + "\n" * m[0].count("\n"),
                       SEPARATED.sub(lambda m: m[0].replace("'", ""), "\n".join(joined)))  # fmt: skip
    text = DROPPED.sub("", text)
    numbers: dict[str, str] = {}
    if keep_numbers:
        asked = " ".join(ASKED.findall(text))
        names = [m[1] for m in DEFINED.finditer(text)]
        for match in DEFINED.finditer(text):
            name = match[1]
            if names.count(name) == 1 and not re.search(rf"\b{name}\b", asked) and abs(int(match[2], 0)) < 1 << 62:
                numbers[name] = match[2]
        text = DEFINED.sub(
            lambda m: f"constexpr auto {m[1]} = {m[2]}{m[3]};" if m[1] in numbers else m[0], text
        )  # fmt: skip
    return text, numbers


def parse_file(text: str, sizes: Mapping[str, int]) -> Parsed:
    """The tree of a file.

    sizes : values of names that the file may use without saying them.
    """
    parsed = parse_once(text, sizes, keep_numbers=True)
    if parsed.errors:
        # A macro that is a number may stand where no declaration can.
        other = parse_once(text, sizes, keep_numbers=False)
        if len(other.errors) < len(parsed.errors):
            return other
    return parsed


def parse_once(text: str, sizes: Mapping[str, int], *, keep_numbers: bool) -> Parsed:
    """The tree of a file after what it lacks was declared."""
    from clang import cindex

    plain, numbers = prepare_text(text, keep_numbers=keep_numbers)
    header = Path(__file__).with_name(HEADER).read_text(encoding="utf-8")
    if not TENSORS.search(plain):
        # Else their name spaces would take names from the file.
        header = TENSOR_PART.sub("", header)
    index = cindex.Index.create()
    stated = {n for n in sizes if re.search(rf"\b(?:define\s+|[\w>&*]\s+){re.escape(n)}\s*(?:=|\(|\[|,|\)|\d)", plain)}
    given = "".join(f"constexpr long {n} = {v};\n" for n, v in sizes.items() if n.isidentifier() and n not in stated)
    added: dict[str, None] = {}
    for _ in range(MOST_ROUNDS):
        files = [(FILE, plain), (DECLARATIONS, header + given + "\n".join(added))]
        unit = index.parse(FILE, args=list(ARGUMENTS), unsaved_files=files, options=0)
        errors = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        inside = [e for e in errors if INSIDE.match(e.spelling)]
        if inside:
            plain = drop_launches(plain, [int(e.location.line) for e in inside])
            continue
        new = [d for e in errors for d in declare_missing(e.spelling, plain, e.location.offset) if d not in added]
        if not new or len(added) > MOST_DECLARED:
            break
        added.update(dict.fromkeys(new))
    places = tuple(
        (int(e.location.line) if e.location.file and e.location.file.name == FILE else 0, str(e.spelling))
        for e in errors
    )
    return Parsed(unit, plain, numbers, places)


def drop_launches(text: str, lines: Sequence[int]) -> str:
    """A text without the launches that kernels do, which begin on some lines: calls of what nobody follows."""
    starts = [m.start() for m in re.finditer(r"^", text, re.MULTILINE)]
    for line in sorted(lines, reverse=True):
        match = LAUNCH.search(text, starts[line - 1])
        if match is not None:
            lost = match[0].count("\n")
            text = f"{text[: match.start()]}launch_inside_a_kernel(){chr(10) * lost}{text[match.end() :]}"
    return text


def declare_missing(said: str, text: str, offset: int) -> Iterator[str]:
    """Declarations of what an error says is missing."""
    if match := NO_MEMBER.match(said):
        yield f"namespace {match[2]} {{ {declare_unknown(match[1], text, offset)} }}"
    elif match := NO_TEMPLATE.match(said):
        template = (
            f"template <class... A> struct {match[1]} {{ template <class... B> {match[1]}(B&&...); Unknown_ x; }};"
        )
        yield f"namespace {match[2]} {{ {template} }}" if match[2] else template
    elif match := UNDECLARED.match(said):
        if match[2]:
            members = f"template <class... B> {match[2]}(B&&...); template <class T> operator T() const;"
            yield f"struct {match[2]} {{ {members} }};"
        else:
            yield declare_unknown(match[1], text, offset)


def declare_unknown(name: str, text: str, offset: int) -> str:
    """A name as what follows it makes of it: a name space, a function, a number."""
    behind = re.compile(rf"\b{name}\s*(::|[(<,)])?").search(text, max(0, offset - 1))
    sign = behind[1] if behind else None
    before = text[: behind.start()].rstrip()[-1:] if behind else ""
    if sign == "::":
        return f"namespace {name} {{}}"
    if sign in ("(", "<"):
        return f"template <class... A> Unknown_ {name}(A&&...);"
    return f"extern {'Unknown_' if sign and sign in ',)' and before in '(,' else 'const int'} {name};"


def find_launches(text: str) -> Iterator[tuple[int, int]]:
    """First and last line of each launch."""
    for match in re.finditer(r"<<<", text):
        end = text.find(";", match.end())
        yield text.count("\n", 0, match.start()) + 1, text.count("\n", 0, end if end > 0 else len(text)) + 1


class Facts:
    """What libclang's C interface says of a node and its Python bindings do not."""

    def __init__(self) -> None:
        from clang import cindex

        library = cindex.conf.lib
        cursor, text = cindex.Cursor, cindex._CXString
        self.library, self.kinds = library, cindex.CursorKind
        for name, taken, result in (
            ("clang_getCursorBinaryOperatorKind", [cursor], ctypes.c_int),
            ("clang_getCursorUnaryOperatorKind", [cursor], ctypes.c_int),
            ("clang_getBinaryOperatorKindSpelling", [ctypes.c_int], text),
            ("clang_getUnaryOperatorKindSpelling", [ctypes.c_int], text),
            ("clang_Cursor_Evaluate", [cursor], ctypes.c_void_p),
            ("clang_EvalResult_getKind", [ctypes.c_void_p], ctypes.c_int),
            ("clang_EvalResult_getAsLongLong", [ctypes.c_void_p], ctypes.c_longlong),
            ("clang_EvalResult_isUnsignedInt", [ctypes.c_void_p], ctypes.c_uint),
            ("clang_EvalResult_getAsUnsigned", [ctypes.c_void_p], ctypes.c_ulonglong),
            ("clang_EvalResult_getAsDouble", [ctypes.c_void_p], ctypes.c_double),
            ("clang_EvalResult_dispose", [ctypes.c_void_p], None),
        ):
            function = getattr(library, name)
            function.argtypes, function.restype = taken, result
            if result is text:
                function.errcheck = cindex._CXString.from_result

    def operator(self, node: Any) -> str:
        """The sign of an operation; ``p++`` and ``p--`` behind their operand."""
        unary = node.kind == self.kinds.UNARY_OPERATOR
        kind = getattr(self.library, f"clang_getCursor{'Unary' if unary else 'Binary'}OperatorKind")(node)
        spell = getattr(self.library, f"clang_get{'Unary' if unary else 'Binary'}OperatorKindSpelling")
        sign = str(spell(kind) or "")
        # Of unary operations the first two stand behind (CXUnaryOperator_PostInc, PostDec).
        return f"p{sign}" if unary and kind in (1, 2) else sign

    def evaluate(self, node: Any) -> float | None:
        """The number that an expression is to a compiler; None for what it is not."""
        result = self.library.clang_Cursor_Evaluate(node)
        if not result:
            return None
        try:
            kind = self.library.clang_EvalResult_getKind(result)
            if kind == 1:
                if self.library.clang_EvalResult_isUnsignedInt(result):
                    return int(self.library.clang_EvalResult_getAsUnsigned(result))
                return int(self.library.clang_EvalResult_getAsLongLong(result))
            return float(self.library.clang_EvalResult_getAsDouble(result)) if kind == 2 else None
        finally:
            self.library.clang_EvalResult_dispose(result)
