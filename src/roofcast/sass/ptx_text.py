"""Parts of a PTX text: only the kernels that ran need to be compiled."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

ENTRY = re.compile(rb"^[ \t]*(?:\.(?:visible|weak|extern|common)[ \t]+)*\.entry[ \t\n]+([\w$]+)", re.MULTILINE)
# What may hold braces that open and close nothing: comments and quoted texts.
TOKEN = re.compile(rb'//[^\n]*|/\*.*?\*/|"[^"\n]*"|[{}]', re.DOTALL)


def kernels_of_ptx(ptx: bytes) -> tuple[str, ...]:
    """Names of the kernels in a PTX text."""
    return tuple(dict.fromkeys(m[1].decode("ascii", "replace") for m in ENTRY.finditer(ptx)))


def only_kernels(ptx: bytes, wanted: Collection[str]) -> bytes:
    """The text without the bodies of other kernels; lines keep their numbers.

    The text itself where it holds no wanted kernel, or where its structure is not understood.
    """
    entries = list(entry_ranges(ptx))
    kept = [name for name, _, _ in entries if name in wanted]
    if not kept or len(kept) == len(entries) or any(end < 0 for _, _, end in entries):
        return ptx
    parts, at = [], 0
    for name, start, end in entries:
        if name not in wanted:
            parts += [ptx[at:start], b"\n" * ptx.count(b"\n", start, end)]
            at = end
    return b"".join([*parts, ptx[at:]])


def entry_ranges(ptx: bytes) -> Iterator[tuple[str, int, int]]:
    """(name, first byte, end) of every kernel's definition; end -1 where its braces do not close."""
    at = 0
    while found := ENTRY.search(ptx, at):
        end = body_end(ptx, found.end())
        yield found[1].decode("ascii", "replace"), found.start(), end
        if end < 0:
            return
        at = end


def body_end(ptx: bytes, start: int) -> int:
    """Where the next braces that open after ``start`` close; -1 where they do not."""
    depth = 0
    for token in TOKEN.finditer(ptx, start):
        if token[0] == b"{":
            depth += 1
        elif token[0] == b"}":
            depth -= 1
            if depth == 0:
                return token.end()
            if depth < 0:
                return -1
    return -1
