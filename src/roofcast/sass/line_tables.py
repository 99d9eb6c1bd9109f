"""Which line of the PTX, and of the source, each instruction comes from: the tables that ``-lineinfo`` leaves.

``.nv_debug_line_sass`` counts lines of the embedded PTX text, ``.debug_line`` those of the source files. Both hold
line-number programs as NVIDIA's compilers write them (DWARF 2.0.0, section 6.2; versions 2 to 4 are read). Addresses
are offsets in the function that a relocation names. Of NVIDIA's own extended operations one matters: it says that the
rows that follow were inlined, and which row is the call. General readers pass over it, and know no relocations of GPU
code.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from roofcast.core.records import dataclass
from roofcast.sass.elf import ElfFile

SET_ADDRESS, END_SEQUENCE, INLINED_CALL = 2, 1, 0x90
COPY, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONST_ADD_PC, FIXED_ADVANCE_PC = 1, 2, 3, 4, 8, 9
MAX_ROWS = 4_000_000
"""Rows of the line tables of a file."""
MAX_FILES = 65_536
"""Source files that a line table names."""

Row = tuple[int, int, int, int, int]
"""Section index, byte offset, line (0 ends a sequence), file, row of the call that this one was inlined at (or 0)."""

Place = tuple[int, int]
"""Index of a code section, and the address that it was loaded at (0 in files that were not)."""


class DamagedTableError(Exception):
    """The line table cannot be read."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One line-number program."""

    start: int
    """First byte of its operations."""
    end: int
    step: int
    """Bytes per instruction step."""
    line_base: int
    line_range: int
    special: int
    """First special operation."""
    lengths: bytes
    """Operands of the standard operations."""
    files: tuple[str, ...]
    """Names of the files, number 1 first, without their folders."""


@dataclass
class Machine:
    """Registers of the line-number program."""

    place: int = -1
    address: int = 0
    line: int = 1
    file: int = 1
    call: int = 0
    rows: int = field(default=0)


def read_units(data: bytes) -> Iterator[Unit]:
    """The programs of a section."""
    at = 0
    while at + 10 <= len(data):
        length, version, header = struct.unpack_from("<IHI", data, at)
        end = at + 4 + length
        if end > len(data) or length == 0 or not 2 <= version <= 4:
            raise DamagedTableError
        fields = at + 10
        step = data[fields]
        fields += 2 if version >= 4 else 1
        _, line_base, line_range, special = struct.unpack_from("<BbBB", data, fields)
        names_at = fields + 4 + special - 1
        start = at + 10 + header
        if not line_range or special == 0 or start > end:
            raise DamagedTableError
        lengths = data[fields + 4 : names_at]
        yield Unit(start, end, step, line_base, line_range, special, lengths, read_file_names(data, names_at, start))
        at = end


def read_file_names(data: bytes, at: int, end: int) -> tuple[str, ...]:
    """The file table of a header, folders left out; what is damaged ends it."""
    names: list[str] = []
    while at < end and data[at]:  # folders
        at = data.index(b"\0", at) + 1
    at += 1
    while at < end and data[at] and len(names) < MAX_FILES:
        stop = data.index(b"\0", at)
        names.append(data[at:stop].decode("utf-8", "replace").replace("\\", "/").rpartition("/")[2])
        at = stop + 1
        for _ in range(3):  # folder, time, length
            _, at = read_unsigned(data, at)
    return tuple(names)


def run_program(data: bytes, unit: Unit, targets: Mapping[int, Place]) -> Iterator[Row]:
    """Every row of a program.

    targets : offset in the section -> what belongs there.
    """
    machine = Machine()
    at, special, line_range, step = unit.start, unit.special, unit.line_range, unit.step
    while at < unit.end:
        operation = data[at]
        at += 1
        if operation >= special:
            machine.address += (operation - special) // line_range * step
            machine.line += unit.line_base + (operation - special) % line_range
        elif operation == 0:
            size, at = read_unsigned(data, at)
            if data[at] == END_SEQUENCE:
                yield machine.place, machine.address, 0, 0, 0
            # An operation that names its length: a function's start, the end of a sequence, a call, or one to skip.
            if data[at] == SET_ADDRESS:
                address = int.from_bytes(data[at + 1 : at + size], "little")
                machine.place, start = targets.get(at + 1, (-1, 0))
                machine.address = address - start if address >= start else address
            elif data[at] == END_SEQUENCE:
                machine.place, machine.address, machine.line, machine.file, machine.call = -1, 0, 1, 1, 0
            elif data[at] == INLINED_CALL:
                machine.call, _ = read_unsigned(data, at + 1)
            at += size
            continue
        elif operation != COPY:
            at = run_standard(machine, unit, data, at, operation)
            continue
        yield machine.place, machine.address, machine.line, machine.file, machine.call
        machine.rows += 1
        if machine.rows > MAX_ROWS:
            raise DamagedTableError


def run_standard(machine: Machine, unit: Unit, data: bytes, at: int, operation: int) -> int:
    """A standard operation; where the next one begins."""
    if operation == ADVANCE_PC:
        value, at = read_unsigned(data, at)
        machine.address += value * unit.step
    elif operation == ADVANCE_LINE:
        value, at = read_signed(data, at)
        machine.line += value
    elif operation == SET_FILE:
        machine.file, at = read_unsigned(data, at)
    elif operation == CONST_ADD_PC:
        machine.address += (255 - unit.special) // unit.line_range * unit.step
    elif operation == FIXED_ADVANCE_PC:
        machine.address += int.from_bytes(data[at : at + 2], "little")
        at += 2
    else:
        for _ in range(unit.lengths[operation - 1]):
            _, at = read_unsigned(data, at)
    return at


def read_unsigned(data: bytes, at: int) -> tuple[int, int]:
    """A variable-length number and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128 or shift > 63:
            return value, at


def read_signed(data: bytes, at: int) -> tuple[int, int]:
    """A variable-length number with sign and where it ends."""
    start = at
    value, at = read_unsigned(data, at)
    bits = 7 * (at - start)
    return value - (1 << bits) if value >> (bits - 1) & 1 else value, at


PTX_SECTION, SOURCE_SECTION = ".nv_debug_line_sass", ".debug_line"
INSTRUCTION_BYTES = 16
"""B of an instruction since Volta."""
MAX_CALLS = 64
"""Inlined calls that are followed out of the toolkit's headers; a ring of calls is damage."""
TOOLKIT_HEADERS = (
    *("device_functions.", "math_functions.", "device_atomic_functions.", "device_double_functions.", "sm_"),
    *(
        "cuda_fp16.",
        "cuda_bf16.",
        "cuda_fp8.",
        "mma.",
        "texture_",
        "surface_",
        "vector_functions.",
        "common_functions.",
    ),
)
"""Files whose lines say less than the line that calls them."""
Lines = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SourceLines:
    """Source of each instruction of a function."""

    files: tuple[str, ...]
    """Names without folders."""
    file: Lines
    """(instructions,) position in ``files``, -1 where unknown."""
    line: Lines
    """(instructions,) line, 0 where unknown."""

    def at(self, first: int, end: int) -> str:
        """``name.cu:12`` for the most frequent line of the instructions from ``first`` to before ``end``."""
        return self.of(np.arange(first, end))

    def of(self, instructions: Lines) -> str:
        """``name.cu:12`` for the most frequent line of some instructions; '' where it is unknown."""
        inside = instructions[instructions < len(self.line)]
        known = inside[self.line[inside] > 0]
        if not len(known):
            return ""
        pairs = np.stack([self.file[known], self.line[known]], axis=1)
        places, counts = np.unique(pairs, axis=0, return_counts=True)
        file, line = places[counts.argmax()]
        return f"{self.files[file]}:{line}" if 0 <= file < len(self.files) else ""


def read_ptx_lines(elf: ElfFile) -> dict[str, Lines]:
    """Code section name -> (instructions,) PTX line of each instruction, 0 where unknown.

    A damaged table gives what was read before the damage: lines only help matching.
    """
    lines = {}
    for section, size, rows in read_rows(elf, PTX_SECTION):
        lines[section] = spread_lines([(address, line) for address, line, _ in rows], size)
    return lines


def read_source_lines(elf: ElfFile) -> dict[str, SourceLines]:
    """Code section name -> source file and line of each instruction.

    What a toolkit header's function was inlined to has the line of the call.
    """
    lines = {}
    for section, size, rows in read_rows(elf, SOURCE_SECTION):
        files = tuple(dict.fromkeys(name for _, _, name in rows if name))
        number = {name: i for i, name in enumerate(files)}
        # Positions travel one up: 0 is what spread_lines() leaves for unknown.
        file = spread_lines(
            [(address, number.get(name, -1) + 1 if line > 0 else 0) for address, line, name in rows], size
        )
        line = spread_lines([(address, line) for address, line, _ in rows], size)
        lines[section] = SourceLines(files, np.where(line > 0, file, 0) - 1, line)
    return lines


def read_rows(elf: ElfFile, table: str) -> Iterator[tuple[str, int, list[tuple[int, int, str]]]]:
    """(code section, its instructions, rows as (instruction, line, file)) of a line table."""
    section = next((s for s in elf.sections if s.name == table), None)
    if section is None:
        return
    data, targets = elf.content(section), read_code_sections(elf, table)
    by_section: dict[int, list[tuple[int, int, str]]] = {}
    try:
        for unit in read_units(data):
            rows: list[Row] = []
            for row in run_program(data, unit, targets):
                rows.append(row)
                file, line = (row[3], row[2]) if not row[4] else find_call(rows, row, unit.files)
                name = unit.files[file - 1] if 0 < file <= len(unit.files) else ""
                by_section.setdefault(row[0], []).append((row[1] // INSTRUCTION_BYTES, line, name))
    except (DamagedTableError, IndexError, ValueError, struct.error):
        pass
    for place, entries in by_section.items():
        if 0 <= place < len(elf.sections):
            yield elf.sections[place].name, elf.sections[place].size // INSTRUCTION_BYTES, entries


def find_call(rows: list[Row], row: Row, files: tuple[str, ...]) -> tuple[int, int]:
    """File and line of a row, or of the call where it stands in a toolkit header."""
    for _ in range(MAX_CALLS):
        name = files[row[3] - 1] if 0 < row[3] <= len(files) else ""
        if not name.startswith(TOOLKIT_HEADERS) or not 0 < row[4] <= len(rows):
            break
        row = rows[row[4] - 1]
    return row[3], row[2]


def read_code_sections(elf: ElfFile, table: str) -> dict[int, Place]:
    """Offset in a line table -> the code section whose address belongs there, and where it was loaded.

    Binaries that a profiler took from a running program name addresses instead of offsets.
    """
    places: dict[int, Place] = {}
    for section in elf.sections:
        if section.name in (f".rel{table}", f".rela{table}"):
            step = 24 if section.kind == 4 else 16
            content = elf.content(section)
            for at in range(0, len(content) // step * step, step):
                offset, info = struct.unpack_from("<QQ", content, at)
                if info >> 32 < len(elf.symbols):
                    symbol = elf.symbols[info >> 32]
                    size = elf.sections[symbol.section].size if symbol.section < len(elf.sections) else 0
                    places[offset] = symbol.section, symbol.value if symbol.value >= size > 0 else 0
    return places


def spread_lines(entries: list[tuple[int, int]], size: int) -> Lines:
    """The value of each instruction: the one of the last row at or before it; 0 before the first and after the end."""
    lines = np.zeros(size, np.int64)
    ordered = sorted(entries, key=lambda e: e[0])
    for (first, line), (end, _) in zip(ordered, [*ordered[1:], (size, 0)], strict=True):
        if line > 0:
            lines[max(first, 0) : min(end, size)] = line
    return lines
