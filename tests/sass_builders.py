"""ELF files made by hand, so that machine code can be tested without any compiler."""

from __future__ import annotations

import struct
from collections.abc import Callable

from roofcast.sass.cubin import Cubin

Build = Callable[..., Cubin]


def elf(
    sections: list[tuple[str, int, bytes, int, int]],
    *,
    machine: int = 190,
    flags: int = 0x500550,
    abi: int = 7,
    version: int = 0x7C,
    symbols: list[tuple[str, int, int, int, int]] | None = None,
) -> bytes:
    """An ELF-64 file. sections: (name, type, content, link, info), numbered from 1;
    symbols: (name, kind, section, value, size)."""
    rows = list(sections)
    if symbols is not None:
        names = b"\0"
        table = struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)
        for name, kind, section, value, size in symbols:
            table += struct.pack("<IBBHQQ", len(names), kind, 0, section, value, size)
            names += name.encode() + b"\0"
        rows += [(".symtab", 2, table, len(rows) + 2, 0), (".strtab", 3, names, 0, 0)]
    rows.append((".shstrtab", 3, b"", 0, 0))
    labels = b"\0"
    offsets = []
    for name, *_ in rows:
        offsets.append(len(labels))
        labels += name.encode() + b"\0"
    rows[-1] = (".shstrtab", 3, labels, 0, 0)
    body, headers = b"", struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    for (_, kind, content, link, info), label in zip(rows, offsets, strict=True):
        headers += struct.pack("<IIQQQQIIQQ", label, kind, 0, 0, 64 + len(body), len(content), link, info, 1, 0)
        body += content + b"\0" * (-len(content) % 16)
    ident = b"\x7fELF" + bytes([2, 1, 1, 0x33, abi]) + b"\0" * 7
    head = struct.pack(
        "<HHIQQQIHHHHHH", 2, machine, version, 0, 0, 64 + len(body), flags, 64, 0, 0, 64, len(rows) + 1, len(rows)
    )
    return ident + head + body + headers


def attribute(number: int, *words: int) -> bytes:
    """One record of ``.nv.info``."""
    payload = struct.pack(f"<{len(words)}I", *words)
    return struct.pack("<BBH", 4, number, len(payload)) + payload


def small_cubin(code: bytes = b"", *, stripped: bool = False, **header: int) -> bytes:
    """A cubin with one kernel ``k`` of 40 registers and a frame of 24 bytes."""
    code = code or struct.pack("<QQ", 0x000000000000794D, 0x03800000) * 8
    sections = [
        (".text.k", 1, code, 0, 40 << 24),
        (".nv.constant0.k", 1, b"\0" * 352, 0, 1),
        (".nv.info", 0x70000000, attribute(0x2F, 1, 40) + attribute(0x11, 1, 24), 0, 0),
    ]
    symbols = None if stripped else [("k", 2, 1, 0, len(code))]
    return elf(sections, symbols=symbols, **header)
