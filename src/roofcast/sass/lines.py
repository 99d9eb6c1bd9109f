"""Which line of the PTX, and of the source, each instruction comes from: the tables that ``-lineinfo`` leaves.

``.nv_debug_line_sass`` counts lines of the embedded PTX text, ``.debug_line`` those of the source files.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.sass.elf import ElfFile
from roofcast.sass.line_program import DamagedTableError, Place, Row, rows_of, units_of

PTX_SECTION, SOURCE_SECTION = ".nv_debug_line_sass", ".debug_line"
INSTRUCTION_BYTES = 16
MAX_CALLS = 64
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
        found, counts = np.unique(pairs, axis=0, return_counts=True)
        file, line = found[counts.argmax()]
        return f"{self.files[file]}:{line}" if 0 <= file < len(self.files) else ""


def ptx_lines(elf: ElfFile) -> dict[str, Lines]:
    """Code section name -> (instructions,) PTX line of each instruction, 0 where unknown.

    A damaged table gives what was read before the damage: lines only help matching.
    """
    found = {}
    for section, size, rows in rows_by_section(elf, PTX_SECTION):
        found[section] = spread([(address, line) for address, line, _ in rows], size)
    return found


def source_lines(elf: ElfFile) -> dict[str, SourceLines]:
    """Code section name -> source file and line of each instruction.

    What a toolkit header's function was inlined to has the line of the call.
    """
    found = {}
    for section, size, rows in rows_by_section(elf, SOURCE_SECTION):
        files = tuple(dict.fromkeys(name for _, _, name in rows if name))
        number = {name: i for i, name in enumerate(files)}
        # Positions travel one up: 0 is what spread() leaves for unknown.
        file = spread([(address, number.get(name, -1) + 1 if line > 0 else 0) for address, line, name in rows], size)
        line = spread([(address, line) for address, line, _ in rows], size)
        found[section] = SourceLines(files, np.where(line > 0, file, 0) - 1, line)
    return found


def rows_by_section(elf: ElfFile, table: str) -> Iterator[tuple[str, int, list[tuple[int, int, str]]]]:
    """(code section, its instructions, rows as (instruction, line, file)) of a line table."""
    section = next((s for s in elf.sections if s.name == table), None)
    if section is None:
        return
    data, targets = elf.content(section), relocated_sections(elf, table)
    found: dict[int, list[tuple[int, int, str]]] = {}
    try:
        for unit in units_of(data):
            rows: list[Row] = []
            for row in rows_of(data, unit, targets):
                rows.append(row)
                file, line = (row[3], row[2]) if not row[4] else called_from(rows, row, unit.files)
                name = unit.files[file - 1] if 0 < file <= len(unit.files) else ""
                found.setdefault(row[0], []).append((row[1] // INSTRUCTION_BYTES, line, name))
    except (DamagedTableError, IndexError, ValueError, struct.error):
        pass
    for place, entries in found.items():
        if 0 <= place < len(elf.sections):
            yield elf.sections[place].name, elf.sections[place].size // INSTRUCTION_BYTES, entries


def called_from(rows: list[Row], row: Row, files: tuple[str, ...]) -> tuple[int, int]:
    """File and line of a row, or of the call where it stands in a toolkit header."""
    for _ in range(MAX_CALLS):
        name = files[row[3] - 1] if 0 < row[3] <= len(files) else ""
        if not name.startswith(TOOLKIT_HEADERS) or not 0 < row[4] <= len(rows):
            break
        row = rows[row[4] - 1]
    return row[3], row[2]


def relocated_sections(elf: ElfFile, table: str) -> dict[int, Place]:
    """Offset in a line table -> the code section whose address belongs there, and where it was loaded.

    Binaries that a profiler took from a running program name addresses instead of offsets.
    """
    found: dict[int, Place] = {}
    for section in elf.sections:
        if section.name in (f".rel{table}", f".rela{table}"):
            step = 24 if section.kind == 4 else 16
            content = elf.content(section)
            for at in range(0, len(content) // step * step, step):
                offset, info = struct.unpack_from("<QQ", content, at)
                if info >> 32 < len(elf.symbols):
                    symbol = elf.symbols[info >> 32]
                    size = elf.sections[symbol.section].size if symbol.section < len(elf.sections) else 0
                    found[offset] = symbol.section, symbol.value if symbol.value >= size > 0 else 0
    return found


def spread(entries: list[tuple[int, int]], size: int) -> Lines:
    """The value of each instruction: the one of the last row at or before it; 0 before the first and after the end."""
    lines = np.zeros(size, np.int64)
    ordered = sorted(entries, key=lambda e: e[0])
    for (first, line), (end, _) in zip(ordered, [*ordered[1:], (size, 0)], strict=True):
        if line > 0:
            lines[max(first, 0) : min(end, size)] = line
    return lines
