"""Which line of the PTX each instruction comes from: the table that ``-lineinfo`` leaves in ``.nv_debug_line_sass``.

A DWARF 2 line-number program (DWARF 2.0.0, section 6.2) whose file is the PTX text; addresses are offsets in the
function that a relocation names. NVIDIA's own extended operations are skipped by their length.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.sass.elf import ElfFile

SECTION = ".nv_debug_line_sass"
INSTRUCTION_BYTES = 16
SET_ADDRESS, END_SEQUENCE = 2, 1
COPY, ADVANCE_PC, ADVANCE_LINE, CONST_ADD_PC, FIXED_ADVANCE_PC = 1, 2, 3, 8, 9
MAX_ROWS = 4_000_000
Lines = NDArray[np.int64]


class DamagedTableError(Exception):
    """The line table cannot be read."""


def ptx_lines(elf: ElfFile) -> dict[str, Lines]:
    """Code section name -> (instructions,) PTX line of each instruction, 0 where unknown.

    A damaged table gives what was read before the damage: lines only help matching.
    """
    section = next((s for s in elf.sections if s.name == SECTION), None)
    if section is None:
        return {}
    targets = relocated_sections(elf)
    rows: dict[int, list[tuple[int, int]]] = {}
    try:
        for place, address, line in line_rows(elf.content(section), targets):
            rows.setdefault(place, []).append((address // INSTRUCTION_BYTES, line))
    except (DamagedTableError, IndexError, struct.error):
        pass
    found = {}
    for place, entries in rows.items():
        if 0 <= place < len(elf.sections):
            found[elf.sections[place].name] = spread(entries, elf.sections[place].size // INSTRUCTION_BYTES)
    return found


def relocated_sections(elf: ElfFile) -> dict[int, int]:
    """Offset in the line table -> index of the code section whose address belongs there."""
    found: dict[int, int] = {}
    for table in elf.sections:
        if table.name in (f".rel{SECTION}", f".rela{SECTION}"):
            size = 24 if table.kind == 4 else 16
            content = elf.content(table)
            for at in range(0, len(content) // size * size, size):
                offset, info = struct.unpack_from("<QQ", content, at)
                if info >> 32 < len(elf.symbols):
                    found[offset] = elf.symbols[info >> 32].section
    return found


def spread(entries: list[tuple[int, int]], size: int) -> Lines:
    """The line of each instruction: the one of the last row at or before it."""
    lines = np.zeros(size, np.int64)
    ordered = sorted(entries, key=lambda e: e[0])
    for (first, line), (end, _) in zip(ordered, [*ordered[1:], (size, 0)], strict=True):
        if line > 0:
            lines[max(first, 0) : min(end, size)] = line
    return lines


def line_rows(data: bytes, targets: dict[int, int]) -> Iterator[tuple[int, int, int]]:
    """(section index, byte offset, line) of every row of every unit; line 0 ends a sequence.

    Raises
    ------
    DamagedTableError : lengths that lead outside.
    """
    at = 0
    while at + 10 <= len(data):
        length, _, header = struct.unpack_from("<IHI", data, at)
        end = at + 4 + length
        if end > len(data) or length == 0:
            raise DamagedTableError
        base = struct.unpack_from("<BBbBB", data, at + 10)
        yield from run_program(data[:end], at + 10 + header, base, data[at + 15 : at + 14 + base[4]], targets)
        at = end


@dataclass
class Machine:
    """Registers of the line-number program."""

    step: int
    line_base: int
    line_range: int
    special: int
    """First special operation."""
    lengths: bytes
    """Operands of the standard operations."""
    place: int = -1
    address: int = 0
    line: int = 1


def run_program(
    data: bytes, at: int, head: tuple[int, ...], lengths: bytes, targets: dict[int, int]
) -> Iterator[tuple[int, int, int]]:
    """Rows of one unit. head : minimum length, default_is_stmt, line base, line range, first special operation."""
    machine = Machine(head[0], head[2], head[3], head[4], lengths)
    if not machine.line_range:
        raise DamagedTableError
    rows = 0
    while at < len(data):
        operation = data[at]
        at += 1
        if operation >= machine.special:
            machine.address += (operation - machine.special) // machine.line_range * machine.step
            machine.line += machine.line_base + (operation - machine.special) % machine.line_range
            yield machine.place, machine.address, machine.line
        elif operation == 0:
            size, at = unsigned(data, at)
            if data[at] == END_SEQUENCE:
                yield machine.place, machine.address, 0
            extended(machine, data, at, size, targets)
            at += size
        else:
            if operation == COPY:
                yield machine.place, machine.address, machine.line
            at = standard(machine, data, at, operation)
        rows += 1
        if rows > MAX_ROWS:
            raise DamagedTableError


def extended(machine: Machine, data: bytes, at: int, size: int, targets: dict[int, int]) -> None:
    """An operation that names its length: the start of a function, the end of a sequence, or one to skip."""
    if data[at] == SET_ADDRESS:
        machine.address = int.from_bytes(data[at + 1 : at + size], "little")
        machine.place = targets.get(at + 1, -1)
    elif data[at] == END_SEQUENCE:
        machine.place, machine.address, machine.line = -1, 0, 1


def standard(machine: Machine, data: bytes, at: int, operation: int) -> int:
    """A standard operation; where the next one begins."""
    if operation == ADVANCE_PC:
        value, at = unsigned(data, at)
        machine.address += value * machine.step
    elif operation == ADVANCE_LINE:
        value, at = signed(data, at)
        machine.line += value
    elif operation == CONST_ADD_PC:
        machine.address += (255 - machine.special) // machine.line_range * machine.step
    elif operation == FIXED_ADVANCE_PC:
        machine.address += int.from_bytes(data[at : at + 2], "little")
        at += 2
    else:
        for _ in range(machine.lengths[operation - 1]):
            _, at = unsigned(data, at)
    return at


def unsigned(data: bytes, at: int) -> tuple[int, int]:
    """A variable-length number and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128 or shift > 63:
            return value, at


def signed(data: bytes, at: int) -> tuple[int, int]:
    """A variable-length number with sign and where it ends."""
    start = at
    value, at = unsigned(data, at)
    bits = 7 * (at - start)
    return value - (1 << bits) if value >> (bits - 1) & 1 else value, at
