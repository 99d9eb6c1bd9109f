"""Execution counts from other tools: NVBit's opcode histograms and Accel-Sim traces.

An opcode histogram has no addresses, so it tells FLOPs but cannot be carried over. An Accel-Sim trace names every
executed warp instruction: ``ctax ctay ctaz warp [sm warp_on_sm] PC mask ndst R.. OPCODE nsrc R.. width ...``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from roofcast.core.resource import Resource
from roofcast.errors import InputError, one_line
from roofcast.sass.opcodes import FLOPS_PER_THREAD

HISTOGRAM_LINE = re.compile(r"^\s*([A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*)\s*[=:,]\s*(\d+)\s*$")
KERNEL_LINE = re.compile(r"^-kernel name\s*=\s*(.+)$")
OPCODE = re.compile(r"^[A-Z][A-Z0-9]*(\.[A-Za-z0-9_]+)*$")
MAX_ADDRESSES = 4_000_000


@dataclass
class TraceCounts:
    """Executions of one kernel."""

    kernel: str
    by_opcode: dict[str, float] = field(default_factory=dict)
    """Opcode with modifiers -> thread executions (warp executions in a histogram of warps)."""
    threads: dict[int, float] = field(default_factory=dict)
    """Byte offset in the kernel -> thread executions; empty for histograms."""
    warps: dict[int, float] = field(default_factory=dict)

    def flops(self) -> dict[str, float]:
        """FLOPs of the vector pipes, phantom moves included where the histogram does not tell them apart."""
        total: dict[str, float] = {}
        for opcode, count in self.by_opcode.items():
            resource, each = FLOPS_PER_THREAD.get(opcode.split(".")[0], (None, 0))
            if isinstance(resource, Resource):
                total[resource.value] = total.get(resource.value, 0.0) + each * count
        return total


def read_opcode_histogram(lines: Iterable[str], kernel: str = "") -> TraceCounts:
    """Counts of an NVBit-style histogram: one ``OPCODE = count`` per line, everything else ignored.

    Raises
    ------
    InputError : no such line.
    """
    found = TraceCounts(kernel)
    for line in lines:
        match = HISTOGRAM_LINE.match(line)
        if match:
            found.by_opcode[match[1]] = found.by_opcode.get(match[1], 0.0) + float(match[2])
    if not found.by_opcode:
        raise InputError("no opcode histogram: lines are to read 'OPCODE = count'")
    return found


def read_accel_sim(lines: Iterable[str]) -> TraceCounts:
    """Counts of one Accel-Sim kernel trace (``kernel-N.trace``).

    Raises
    ------
    InputError : no instruction in it, or a damaged line; the message says which.
    """
    found = TraceCounts("")
    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        named = KERNEL_LINE.match(line)
        if named:
            found.kernel = named[1].strip()
        if not line or line[0] in "-#" or line.startswith(("warp", "insts", "thread block", "kernel")):
            continue
        try:
            count_line(found, line.split())
        except (ValueError, IndexError):
            raise InputError(f"line {number} of the trace is damaged: {one_line(line, 60)}") from None
    if not found.warps:
        raise InputError("no executed instruction in the trace")
    return found


def count_line(found: TraceCounts, parts: list[str]) -> None:
    """Book one executed warp instruction.

    Newer traces group lines under ``thread block`` and ``warp`` headers: their lines start with the program counter.
    """
    at = address_at(parts)
    pc, mask = int(parts[at], 16), int(parts[at + 1], 16)
    active = mask.bit_count()
    destinations = int(parts[at + 2])
    opcode = parts[at + 3 + destinations]
    if active > 32 or not OPCODE.match(opcode):
        raise ValueError(opcode)
    if pc not in found.warps and len(found.warps) >= MAX_ADDRESSES:
        raise ValueError("too many addresses")
    found.warps[pc] = found.warps.get(pc, 0.0) + 1
    found.threads[pc] = found.threads.get(pc, 0.0) + active
    found.by_opcode[opcode] = found.by_opcode.get(opcode, 0.0) + active


def address_at(parts: list[str]) -> int:
    """Where the program counter stands: behind block and warp, and behind SM and warp slot where these are there."""
    for at in (4, 6, 0):
        if len(parts) > at + 3 and len(parts[at + 1]) == 8:
            destinations = parts[at + 2]
            if destinations.isdigit() and len(parts) > at + 3 + int(destinations):
                opcode = parts[at + 3 + int(destinations)]
                if OPCODE.match(opcode) and not re.match(r"^R\d+$", opcode):
                    return at
    raise ValueError("no program counter")
