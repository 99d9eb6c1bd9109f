"""DWARF line-number programs as NVIDIA's compilers write them (DWARF 2.0.0, section 6.2; versions 2 to 4 read).

Addresses are offsets in the function that a relocation names. Of NVIDIA's own extended operations one matters: it says
that the rows that follow were inlined, and which row is the call.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

SET_ADDRESS, END_SEQUENCE, INLINED_CALL = 2, 1, 0x90
COPY, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONST_ADD_PC, FIXED_ADVANCE_PC = 1, 2, 3, 4, 8, 9
MAX_ROWS = 4_000_000
MAX_FILES = 65_536

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


def units_of(data: bytes) -> Iterator[Unit]:
    """The programs of a section.

    Raises
    ------
    DamagedTableError, IndexError, struct.error : lengths that lead outside, or a version that is not known.
    """
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
        yield Unit(start, end, step, line_base, line_range, special, lengths, file_names(data, names_at, start))
        at = end


def file_names(data: bytes, at: int, end: int) -> tuple[str, ...]:
    """The file table of a header, folders left out; what is damaged ends it."""
    found: list[str] = []
    while at < end and data[at]:  # folders
        at = data.index(b"\0", at) + 1
    at += 1
    while at < end and data[at] and len(found) < MAX_FILES:
        stop = data.index(b"\0", at)
        found.append(data[at:stop].decode("utf-8", "replace").replace("\\", "/").rpartition("/")[2])
        at = stop + 1
        for _ in range(3):  # folder, time, length
            _, at = unsigned(data, at)
    return tuple(found)


def rows_of(data: bytes, unit: Unit, targets: Mapping[int, Place]) -> Iterator[Row]:
    """Every row of a program.

    targets : offset in the section -> what belongs there.

    Raises
    ------
    DamagedTableError, IndexError, struct.error : an operation that leads outside, or too many rows.
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
            size, at = unsigned(data, at)
            if data[at] == END_SEQUENCE:
                yield machine.place, machine.address, 0, 0, 0
            extended(machine, data, at, size, targets)
            at += size
            continue
        elif operation != COPY:
            at = standard(machine, unit, data, at, operation)
            continue
        yield machine.place, machine.address, machine.line, machine.file, machine.call
        machine.rows += 1
        if machine.rows > MAX_ROWS:
            raise DamagedTableError


def extended(machine: Machine, data: bytes, at: int, size: int, targets: Mapping[int, Place]) -> None:
    """An operation that names its length: a function's start, the end of a sequence, a call, or one to skip."""
    if data[at] == SET_ADDRESS:
        address = int.from_bytes(data[at + 1 : at + size], "little")
        machine.place, start = targets.get(at + 1, (-1, 0))
        machine.address = address - start if address >= start else address
    elif data[at] == END_SEQUENCE:
        machine.place, machine.address, machine.line, machine.file, machine.call = -1, 0, 1, 1, 0
    elif data[at] == INLINED_CALL:
        machine.call, _ = unsigned(data, at + 1)


def standard(machine: Machine, unit: Unit, data: bytes, at: int, operation: int) -> int:
    """A standard operation; where the next one begins."""
    if operation == ADVANCE_PC:
        value, at = unsigned(data, at)
        machine.address += value * unit.step
    elif operation == ADVANCE_LINE:
        value, at = signed(data, at)
        machine.line += value
    elif operation == SET_FILE:
        machine.file, at = unsigned(data, at)
    elif operation == CONST_ADD_PC:
        machine.address += (255 - unit.special) // unit.line_range * unit.step
    elif operation == FIXED_ADVANCE_PC:
        machine.address += int.from_bytes(data[at : at + 2], "little")
        at += 2
    else:
        for _ in range(unit.lengths[operation - 1]):
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
