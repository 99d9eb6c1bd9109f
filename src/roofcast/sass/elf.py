"""ELF files: sections and symbols, read without trusting a single offset.

Layout: System V ABI, "Object Files" (ELF-32 and ELF-64, little endian only: no NVIDIA GPU is big endian).

Unlike most readers of ELF files this one is our own. pyelftools 0.33 was tried: its sections expand compressed content
and read hash tables as large as a damaged file says that they are, so only its layouts could be used, and the checks of
every offset made this file longer than it is; it read a binary of 711 sections in 20 ms instead of 2, and took 60 ms to
load. Its line programs pass over NVIDIA's operation for inlined calls (see :mod:`roofcast.sass.line_tables`).
"""

from __future__ import annotations

import struct

from roofcast.core.errors import InputError
from roofcast.core.records import dataclass

MAGIC = b"\x7fELF"
MACHINE_CUDA = 190
"""ELF's number of CUDA code (EM_CUDA)."""
NO_BITS = 8
"""ELF's type of a section without content in the file (SHT_NOBITS)."""
SYMBOL_TABLE = 2
"""ELF's type of a symbol table (SHT_SYMTAB)."""
MAX_SECTIONS = 65_536
"""Sections of a file; cubins have a few per kernel."""
MAX_SYMBOLS = 1_000_000
"""Symbols of a file."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section; ``offset`` and ``size`` lie inside the file."""

    name: str
    kind: int
    offset: int
    size: int
    link: int
    info: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """One symbol: ``value`` is an offset in section number ``section``."""

    name: str
    value: int
    size: int
    kind: int
    section: int


@dataclass(frozen=True, slots=True)
class ElfFile:
    """Header fields, sections and symbols of one ELF file."""

    data: bytes
    machine: int
    abi_version: int
    version: int
    flags: int
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]
    """Of GPU code only: those of an executable are not read."""

    def content(self, section: Section) -> bytes:
        """The bytes of a section; empty for sections without content in the file."""
        return b"" if section.kind == NO_BITS else self.data[section.offset : section.offset + section.size]


@dataclass(frozen=True, slots=True)
class Layout:
    """Offsets that differ between ELF-32 and ELF-64."""

    header: struct.Struct
    section: struct.Struct
    symbol: struct.Struct
    is_wide: bool


NARROW = Layout(struct.Struct("<HHIIIIIHHHHHH"), struct.Struct("<10I"), struct.Struct("<IIIBBH"), is_wide=False)
WIDE = Layout(struct.Struct("<HHIQQQIHHHHHH"), struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ"), is_wide=True)


def parse_elf(data: bytes) -> ElfFile:
    """Read the headers of an ELF file that starts at the first byte.

    data : the file, or more than the file: what follows its last section is ignored.
    """
    if len(data) < 20 or data[:4] != MAGIC:
        raise InputError("not an ELF file")
    if data[5] != 1:
        raise InputError("big-endian ELF file: no GPU code for roofcast in it")
    layout = {1: NARROW, 2: WIDE}.get(data[4])
    if layout is None or len(data) < 16 + layout.header.size:
        raise InputError("ELF file with a damaged header")
    head = layout.header.unpack_from(data, 16)
    machine, version, flags = head[1], head[2], head[6]
    sections = read_sections(data, layout, head)
    symbols = read_symbols(data, layout, sections) if machine == MACHINE_CUDA else ()
    return ElfFile(data, machine, data[8], version, flags, sections, symbols)


def read_sections(data: bytes, layout: Layout, head: tuple[int, ...]) -> tuple[Section, ...]:
    """The section headers with their names."""
    at, entry_size, count, names_index = head[5], head[10], head[11], head[12]
    if at == 0:
        return ()
    if entry_size != layout.section.size:
        raise InputError("ELF file with a damaged section table")
    if at + entry_size > len(data):
        raise InputError("truncated ELF file: its section table lies beyond the end")
    if count == 0 or names_index == 0xFFFF:  # more than 65,279 sections: the counts stand in the first header
        first = layout.section.unpack_from(data, at)
        count = count or first[5]
        names_index = first[6] if names_index == 0xFFFF else names_index
    if count > MAX_SECTIONS:
        raise InputError("ELF file with an impossible number of sections")
    if at + entry_size * count > len(data):
        raise InputError("truncated ELF file: its section table lies beyond the end")
    # Name, type, flags, address, offset, size, link, info, alignment, entry size.
    raw = [layout.section.unpack_from(data, at + i * entry_size) for i in range(count)]
    for fields in raw:
        if fields[1] not in (0, NO_BITS) and fields[4] + fields[5] > len(data):
            raise InputError("truncated ELF file: a section lies beyond the end")
    names = b""
    if names_index < count and raw[names_index][1] != NO_BITS:
        names = data[raw[names_index][4] : raw[names_index][4] + raw[names_index][5]]
    return tuple(Section(text_at(names, f[0]), f[1], f[4] if f[1] else 0, f[5] if f[1] else 0, f[6], f[7]) for f in raw)


def read_symbols(data: bytes, layout: Layout, sections: tuple[Section, ...]) -> tuple[Symbol, ...]:
    """All symbols of the first symbol table; none in a stripped file."""
    table = next((s for s in sections if s.kind == SYMBOL_TABLE), None)
    if table is None:
        return ()
    strings = sections[table.link] if table.link < len(sections) else None
    names = data[strings.offset : strings.offset + strings.size] if strings and strings.kind != NO_BITS else b""
    size = layout.symbol.size
    count = table.size // size
    if count > MAX_SYMBOLS:
        raise InputError("ELF file with an impossible number of symbols")
    symbols = []
    for fields in layout.symbol.iter_unpack(data[table.offset : table.offset + count * size]):
        if layout.is_wide:
            name, info, _, section, value, length = fields
        else:
            name, value, length, info, _, section = fields
        symbols.append(Symbol(text_at(names, name), value, length, info & 15, section))
    return tuple(symbols)


def text_at(names: bytes, offset: int) -> str:
    """The NUL-terminated name at an offset of a string table; '' where it lies outside."""
    if offset >= len(names):
        return ""
    end = names.find(b"\0", offset)
    return names[offset : end if end >= 0 else len(names)].decode("utf-8", "replace")
