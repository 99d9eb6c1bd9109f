"""Cubins: the functions of a binary for one GPU architecture, with what the compiler says about each.

Attribute numbers of ``.nv.info`` (4-byte records: format, attribute, size or value): 0x11 frame size, 0x2f registers,
0x34 targets of indirect branches, 0x1c exits; established on real cubins and against nvdisasm's listing.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

from roofcast.core.errors import InputError
from roofcast.core.records import dataclass
from roofcast.sass.elf import MACHINE_CUDA, ElfFile, Section, Symbol, parse_elf
from roofcast.sass.line_tables import Lines, SourceLines, read_ptx_lines, read_source_lines

INSTRUCTION_BYTES = 16
"""B of an instruction since Volta."""
OLDEST_SM = 70
"""SM version of Volta, the first with instructions of 16 bytes."""
NEWEST_SM = 130
"""SM version beyond which a number of the header is damage, with room for what comes."""
ATTRIBUTE_FRAME, ATTRIBUTE_REGISTERS, ATTRIBUTE_BRANCH_TABLE, ATTRIBUTE_CAP = 0x11, 0x2F, 0x34, 0x1B
NO_CAP = 255
"""Registers that an instruction can name: a cap so high is none."""
SYMBOL_FUNCTION = 2
"""ELF's type of a symbol that is a function (STT_FUNC)."""
RELOCATION_SECTIONS = (4, 9)
MAX_CODE_BYTES = 2**28
"""B of all code of a cubin."""


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """Code of one kernel or device function, with the subroutines that share its section."""

    name: str
    """Linker symbol; ``.text.<name>``'s own name where symbols were stripped."""
    code: bytes
    is_kernel: bool
    registers: int | None = None
    frame_bytes: int | None = None
    """Local memory per thread that the compiler reserves: spills and private arrays."""
    shared_bytes: int | None = None
    """Static shared memory per block."""
    parts: tuple[tuple[int, int, str], ...] = ()
    """(first byte, end, name) of the symbols inside the section: the kernel itself and its subroutines."""
    calls: dict[int, tuple[str, int]] = field(default_factory=dict)
    """Byte offset of an instruction with a relocation -> (function, byte offset there)."""
    branch_targets: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Byte offset of an indirect branch -> byte offsets that it can reach."""
    order: int = 0
    """Position of the section in the file."""
    register_cap: int | None = None
    """The compiler's maxrregcount, where one was given."""

    @property
    def instruction_count(self) -> int:
        """Instructions, padding included."""
        return len(self.code) // INSTRUCTION_BYTES


@dataclass(frozen=True, slots=True)
class Cubin:
    """One binary for one architecture."""

    sm: int
    """Architecture as 70, 80, 90 ..."""
    toolkit: tuple[int, int] | None
    """CUDA toolkit that generated the code, where recorded."""
    functions: tuple[Function, ...]
    ptx: tuple[bytes, ...] = ()
    """Compilable PTX that the debug sections embed."""
    elf: ElfFile | None = field(default=None, repr=False, compare=False)
    memo: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """What was derived from the code, so that many launches of a kernel ask once."""

    def function(self, name: str) -> Function | None:
        """The function of that linker name."""
        if "functions" not in self.memo:
            self.memo["functions"] = {f.name: f for f in reversed(self.functions)}
        function: Function | None = self.memo["functions"].get(name)
        return function

    def ptx_lines(self, name: str) -> Lines | None:
        """(instructions,) PTX line of each instruction of a function, 0 where unknown; None without a table."""
        if "ptx lines" not in self.memo:
            self.memo["ptx lines"] = read_ptx_lines(self.elf) if self.elf is not None else {}
        lines: Lines | None = self.memo["ptx lines"].get(name_section(name))
        return lines

    def source_lines(self, name: str) -> SourceLines | None:
        """File and line of the source that each instruction of a function comes from; None without a table."""
        if "source lines" not in self.memo:
            self.memo["source lines"] = read_source_lines(self.elf) if self.elf is not None else {}
        lines: SourceLines | None = self.memo["source lines"].get(name_section(name))
        return lines


def name_section(function: str) -> str:
    """Name of the section that holds a function's code."""
    return f".text.{function}"


def parse_cubin(data: bytes) -> Cubin:
    """Read a cubin."""
    elf = parse_elf(data)
    if elf.machine != MACHINE_CUDA:
        raise InputError("an ELF file for another machine than an NVIDIA GPU")
    # The SM version of a cubin's flags (low byte up to ABI 7, second byte from ABI 8 on).
    sm = (elf.flags >> 8) & 0xFF if elf.abi_version >= 8 else elf.flags & 0xFF
    if 0 < sm < OLDEST_SM:
        raise InputError(f"code for sm_{sm}: roofcast reads the 16-byte instructions of Volta (sm_70) and newer")
    if not OLDEST_SM <= sm <= NEWEST_SM:
        raise InputError("a cubin that names no known architecture")
    texts = [(i, s) for i, s in enumerate(elf.sections) if s.name.startswith(".text") and s.kind == 1]
    if sum(s.size for _, s in texts) > MAX_CODE_BYTES:
        raise InputError("a cubin with more than 256 MiB of code")
    info = read_attributes(elf)
    facts = Index.of(elf)
    functions = tuple(read_function(elf, index, section, info, facts) for index, section in texts)
    return Cubin(
        sm=sm,
        toolkit=read_toolkit(elf),
        functions=functions,
        ptx=read_embedded_ptx(elf),
        elf=elf,
    )


@dataclass(frozen=True, slots=True)
class Index:
    """Where things are, so that binaries with thousands of functions take time linear in their number."""

    by_name: dict[str, Section]
    relocations: dict[int, list[Section]]
    """Code section -> tables about it."""
    symbols: dict[int, list[tuple[int, Symbol]]]
    """Code section -> (number, function symbol)."""

    @classmethod
    def of(cls, elf: ElfFile) -> Index:
        """One pass over sections and symbols."""
        index = cls({}, {}, {})
        for section in elf.sections:
            index.by_name.setdefault(section.name, section)
            if section.kind in RELOCATION_SECTIONS:
                index.relocations.setdefault(section.info, []).append(section)
        for number, symbol in enumerate(elf.symbols):
            if symbol.kind == SYMBOL_FUNCTION:
                index.symbols.setdefault(symbol.section, []).append((number, symbol))
        return index


def read_toolkit(elf: ElfFile) -> tuple[int, int] | None:
    """Toolkit version: what the note of newer compilers says, else the ELF version field (122 is 12.2)."""
    for section in elf.sections:
        if section.name == ".note.nv.tkinfo":
            text = elf.content(section)
            at = text.find(b"release ")
            version = text[at + 8 : at + 16].split(b",")[0].split(b".") if at >= 0 else []
            if len(version) == 2 and all(part.isdigit() for part in version):
                return int(version[0]), int(version[1])
    return divmod(elf.version, 10) if 70 <= elf.version <= 200 else None


def read_embedded_ptx(elf: ElfFile) -> tuple[bytes, ...]:
    """PTX of the debug sections, where lines end in NUL."""
    texts = []
    for section in elf.sections:
        if section.name.startswith(".nv_debug_ptx_txt"):
            # Nothing is taken away at the front: line tables count from the first byte.
            text = elf.content(section).replace(b"\0", b"\n")
            if b".version" in text:
                texts.append(text)
    return tuple(texts)


def read_records(content: bytes) -> Iterator[tuple[int, bytes]]:
    """(attribute, payload) of an ``.nv.info`` section; stops at the first damaged record."""
    at = 0
    while at + 4 <= len(content):
        kind, attribute, value = content[at], content[at + 1], content[at + 2 : at + 4]
        at += 4
        if kind == 4:
            size = int.from_bytes(value, "little")
            if at + size > len(content):
                return
            yield attribute, content[at : at + size]
            at += size
        elif kind in (1, 2, 3):
            yield attribute, value
        else:
            return


def read_attributes(elf: ElfFile) -> dict[str, dict[int, int]]:
    """``registers`` and ``frame`` by symbol index, from the section that describes the whole file."""
    values: dict[str, dict[int, int]] = {"registers": {}, "frame": {}}
    whole = next((s for s in elf.sections if s.name == ".nv.info"), None)
    for attribute, payload in read_records(elf.content(whole)) if whole else ():
        key = {ATTRIBUTE_REGISTERS: "registers", ATTRIBUTE_FRAME: "frame"}.get(attribute)
        if key and len(payload) >= 8:
            symbol, value = struct.unpack_from("<II", payload)
            values[key][symbol] = value
    return values


def read_function(
    elf: ElfFile, index: int, section: Section, info: dict[str, dict[int, int]], facts: Index
) -> Function:
    """The function of one ``.text`` section."""
    symbol_name = section.name.removeprefix(".text.") if section.name != ".text" else ""
    inside = facts.symbols.get(index, [])
    main = next((i for i, s in inside if s.name == symbol_name), next((i for i, s in inside if s.value == 0), None))
    name = symbol_name or (elf.symbols[main].name if main is not None else f"function_{index}")
    # Binaries that were taken from a running program name addresses instead of offsets.
    start = elf.symbols[main].value if main is not None and elf.symbols[main].value >= section.size > 0 else 0
    registers = info["registers"].get(main) if main is not None else None
    if registers is None and section.info >> 24:  # the top byte of the section's info field says the same
        registers = section.info >> 24
    code = elf.content(section)
    shared = facts.by_name.get(f".nv.shared.{name}")
    own_info = facts.by_name.get(f".nv.info.{name}")
    attributes = list(read_records(elf.content(own_info))) if own_info is not None else []
    return Function(
        name=name,
        code=code[: len(code) // INSTRUCTION_BYTES * INSTRUCTION_BYTES],
        is_kernel=f".nv.constant0.{name}" in facts.by_name or not elf.symbols,
        registers=registers,
        frame_bytes=info["frame"].get(main) if main is not None else None,
        shared_bytes=None if shared is None else shared.size,
        parts=find_parts(inside, start, len(code)),
        calls=read_relocations(elf, facts.relocations.get(index, ())),
        branch_targets=read_branch_tables(attributes),
        order=section.offset,
        register_cap=read_register_cap(attributes),
    )


def find_parts(inside: Sequence[tuple[int, Symbol]], start: int, size: int) -> tuple[tuple[int, int, str], ...]:
    """(first byte, end, name) of the function symbols of a section; those that lie outside are left out.

    start : address that the section was loaded at; 0 where symbols name offsets.
    """
    parts = []
    for _, symbol in inside:
        first = symbol.value - start if symbol.value >= start else symbol.value
        if symbol.size and first < size:
            parts.append((first, first + symbol.size, symbol.name))
    return tuple(sorted(parts))


def read_register_cap(attributes: Sequence[tuple[int, bytes]]) -> int | None:
    """The register cap that a kernel was compiled with; None where there was none."""
    for attribute, payload in attributes:
        if attribute == ATTRIBUTE_CAP:
            cap = int.from_bytes(payload[:2], "little")
            return cap if 0 < cap < NO_CAP else None
    return None


def read_relocations(elf: ElfFile, tables: Sequence[Section]) -> dict[int, tuple[str, int]]:
    """Byte offset -> (function, offset in it) for the relocations of one code section that name a function."""
    functions: dict[int, tuple[str, int]] = {}
    for table in tables:
        size, layout = (24, "<QQq") if table.kind == 4 else (16, "<QQ")
        content = elf.content(table)
        for fields in struct.iter_unpack(layout, content[: len(content) // size * size]):
            number = fields[1] >> 32
            if number < len(elf.symbols):
                symbol = elf.symbols[number]
                if symbol.kind == SYMBOL_FUNCTION:
                    functions[fields[0] // 16 * 16] = (symbol.name, fields[2] if len(fields) > 2 else 0)
    return functions


def read_branch_tables(attributes: Sequence[tuple[int, bytes]]) -> dict[int, tuple[int, ...]]:
    """Where the indirect branches of a function can go: (offset, 0, count, targets ...) records."""
    branches: dict[int, tuple[int, ...]] = {}
    for attribute, payload in attributes:
        if attribute != ATTRIBUTE_BRANCH_TABLE:
            continue
        words = struct.unpack_from(f"<{len(payload) // 4}I", payload)
        at = 0
        while at + 3 <= len(words):
            count = words[at + 2]
            if at + 3 + count > len(words):
                break
            branches[words[at]] = words[at + 3 : at + 3 + count]
            at += 3 + count
    return branches
