"""Execution counts from other tools: NVBit's opcode histograms and Accel-Sim traces.

An opcode histogram has no addresses, so it tells FLOPs but cannot be carried over. An Accel-Sim trace names every
executed warp instruction: ``ctax ctay ctaz warp [sm warp_on_sm] [line] PC mask ndst R.. OPCODE nsrc R.. width ...``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np

from roofcast.core.errors import InputError, one_line
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.sass.cubin import INSTRUCTION_BYTES, Cubin
from roofcast.sass.executions import Executions
from roofcast.sass.instructions import CATEGORIES, FLOPS_PER_THREAD, INTEGER, TENSOR, decode

HISTOGRAM_LINE = re.compile(r"^\s*([A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*)\s*[=:,]\s*(\d{1,18})\s*$")
HISTOGRAM_KERNEL = re.compile(r"^\s*kernel\s+\d+\s+-\s+(.*?)\s+-\s+#thread-blocks\b")
WARP_LEVEL = re.compile(r"^\s*COUNT_WARP_LEVEL\s*=\s*([01])\b")
KERNEL_LINE = re.compile(r"^-kernel name\s*=\s*(.+)$")
OPCODE = re.compile(r"^[A-Z][A-Z0-9]*(\.[A-Za-z0-9_]+)*$")
REGISTER = re.compile(r"^R\d+$")
ZERO_REGISTER = "R255"
WARP_SIZE = 32
"""Lanes of a warp."""
MAX_ADDRESSES = 4_000_000
"""Program counters of a trace, each of which takes memory."""
HEAD_LINES = 400
"""Lines at the start of a file by which its tool is recognised."""
PREFIXES = (4, 6, 0, 5, 7, 1)
"""Fields before the program counter: block and warp, SM and slot, none; then the same with a source line."""
PHANTOM = "flops_phantom_fp16"


@dataclass
class TraceCounts:
    """Executions of one kernel."""

    kernel: str
    by_opcode: dict[str, float] = field(default_factory=dict)
    """Opcode with modifiers -> thread executions."""
    warps_by_opcode: dict[str, float] = field(default_factory=dict)
    """Opcode with modifiers -> warp executions; empty where only threads were counted."""
    threads: dict[int, float] = field(default_factory=dict)
    """Byte offset in the kernel -> thread executions; empty for histograms."""
    warps: dict[int, float] = field(default_factory=dict)
    opcodes: dict[int, str] = field(default_factory=dict)
    """Byte offset -> opcode."""
    constant_moves: float = 0.0
    """Thread executions of HFMA2 that only moves a constant, as far as the source tells."""
    notes: tuple[str, ...] = ()

    def flops(self) -> dict[str, float]:
        """FLOPs by precision: vector pipes by threads, tensor pipes by warps; constant moves stand apart."""
        total: dict[str, float] = {}
        for opcode, count in self.by_opcode.items():
            resource, flops = FLOPS_PER_THREAD.get(opcode.split(".")[0], (None, 0))
            if isinstance(resource, Resource):
                total[resource.value] = total.get(resource.value, 0.0) + flops * count
        for opcode, count in self.warps_by_opcode.items():
            tensor = parse_tensor_opcode(opcode)
            if tensor is not None:
                total[tensor[0].value] = total.get(tensor[0].value, 0.0) + tensor[1] * count
        if self.constant_moves:
            total[PHANTOM] = 4.0 * self.constant_moves
        return total

    def mix(self) -> dict[str, float]:
        """Class -> share of the executed thread instructions, largest first."""
        total = sum(self.by_opcode.values())
        shares: dict[str, float] = {}
        for opcode, count in self.by_opcode.items():
            name = CATEGORIES.get(opcode.split(".")[0], INTEGER)
            shares[name] = shares.get(name, 0.0) + (count / total if total else 0.0)
        return dict(sorted(shares.items(), key=lambda item: -item[1]))


def parse_tensor_opcode(opcode: str) -> tuple[Resource, int] | None:
    """Pipe and operations of one warp's tensor instruction by its text; None for others and for unnamed shapes.

    >>> parse_tensor_opcode("HMMA.16816.F32.BF16")
    (<Resource.FLOPS_TENSOR_BF16: 'flops_tensor_bf16'>, 4096)
    >>> parse_tensor_opcode("HGMMA.64x128x16.F32")[1], parse_tensor_opcode("FFMA"), parse_tensor_opcode("UTCHMMA")
    (65536, None, None)
    """
    name, *modifiers = opcode.split(".")
    shape = next((m for m in modifiers if m[0].isdigit()), "")
    if name not in TENSOR or name in ("BMMA", "BGMMA") or not shape:
        return None
    if re.fullmatch(r"\d+x\d+x\d+", shape):
        m, n, k = map(int, shape.split("x"))
    elif re.fullmatch(r"(16|8)8\d+", shape):
        m = 16 if shape.startswith("16") else 8
        n, k = 8, int(shape[len(str(m)) + 1 :])
    else:
        return None
    kind = {
        "I": Resource.OPS_TENSOR_INT8, "D": Resource.FLOPS_TENSOR_FP64, "Q": Resource.FLOPS_TENSOR_FP8,
        "O": Resource.FLOPS_TENSOR_FP4,
    }.get(name[0], Resource.FLOPS_TENSOR_FP16)  # fmt: skip
    if name[0] == "H":
        kind = Resource.FLOPS_TENSOR_TF32 if "TF32" in modifiers else kind
        kind = Resource.FLOPS_TENSOR_BF16 if "BF16" in modifiers else kind
    # A warp group shares its instruction among four warps; Volta's 8x8x4 goes in steps.
    parts = 4 if "GMMA" in name else (2 if "F32" in modifiers else 1) if shape == "884" and name[0] == "H" else 1
    volta = 2 if shape == "884" and name[0] == "H" else 1
    return kind, 2 * m * n * k * volta // parts


def read_opcode_histograms(lines: Iterable[str], kernel: str = "") -> list[TraceCounts]:
    """Counts of NVBit-style histograms: ``kernel N - NAME - #thread-blocks ...``, then ``OPCODE = count`` per line.

    kernel : name where no such line stands. Counts are of threads, unless the tool's own settings (COUNT_WARP_LEVEL)
    say that they are of warps; then all lanes are taken for active, and a note says so.
    """
    launches: list[TraceCounts] = []
    by_warp = False
    for line in lines:
        level = WARP_LEVEL.match(line)
        by_warp = level[1] == "1" if level else by_warp
        named = HISTOGRAM_KERNEL.match(line)
        if named:
            launches.append(TraceCounts(named[1]))
            continue
        match = None if level else HISTOGRAM_LINE.match(line)
        if match:
            launches = launches or [TraceCounts(kernel)]
            counts = launches[-1]
            if by_warp:
                add(counts.warps_by_opcode, match[1], float(match[2]))
            add(counts.by_opcode, match[1], float(match[2]) * (WARP_SIZE if by_warp else 1))
    launches = [counts for counts in launches if counts.by_opcode]
    if not launches:
        raise InputError("no opcode histogram: lines are to read 'OPCODE = count'")
    note = "counts of warps: every lane is taken for active" if by_warp else "counts are taken for those of threads"
    for counts in launches:
        counts.notes = (note,)
    return launches


def read_accel_sim(lines: Iterable[str]) -> TraceCounts:
    """Counts of one Accel-Sim kernel trace (``kernel-N.trace``)."""
    counts = TraceCounts("")
    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        named = KERNEL_LINE.match(line)
        if named:
            counts.kernel = named[1].strip()
        if not line or line[0] in "-#" or line.startswith(("warp", "insts", "thread block", "kernel")):
            continue
        try:
            count_line(counts, line.split())
        except (ValueError, IndexError):
            raise InputError(f"line {number} of the trace is damaged: {one_line(line, 60)}") from None
    if not counts.warps:
        raise InputError("no executed instruction in the trace")
    return counts


def count_line(found: TraceCounts, parts: list[str]) -> None:
    """Book one executed warp instruction.

    Newer traces group lines under ``thread block`` and ``warp`` headers: their lines start with the program counter.
    """
    at = find_address(parts)
    pc, mask = int(parts[at], 16), int(parts[at + 1], 16)
    active = mask.bit_count()
    behind = at + 3 + int(parts[at + 2])
    opcode = parts[behind]
    if active > WARP_SIZE or not OPCODE.match(opcode):
        raise ValueError(opcode)
    if pc not in found.warps and len(found.warps) >= MAX_ADDRESSES:
        raise ValueError("too many addresses")
    add(found.warps, pc, 1.0)
    add(found.threads, pc, float(active))
    add(found.by_opcode, opcode, float(active))
    add(found.warps_by_opcode, opcode, 1.0)
    found.opcodes[pc] = opcode
    sources = [p for p in parts[behind + 1 :] if REGISTER.match(p)]
    if opcode.startswith("HFMA2") and sources and set(sources) == {ZERO_REGISTER}:
        found.constant_moves += active


def add(totals: dict[Any, float], key: str | int, value: float) -> None:
    """Add to one entry."""
    totals[key] = totals.get(key, 0.0) + value


def find_address(parts: list[str]) -> int:
    """Where the program counter stands (see :data:`PREFIXES`)."""
    for at in PREFIXES:
        if len(parts) > at + 3 and len(parts[at + 1]) == 8:
            destinations = parts[at + 2]
            if destinations.isdigit() and len(parts) > at + 3 + int(destinations):
                opcode = parts[at + 3 + int(destinations)]
                if OPCODE.match(opcode) and not REGISTER.match(opcode):
                    return at
    raise ValueError("no program counter")


def read_counts(data: bytes, name: str) -> list[TraceCounts]:
    """Counts of a file, whichever of the two kinds it is."""
    file = one_line(name)
    if b"\0" in data[:65536]:
        raise InputError(f"{file}: no counts: give an Accel-Sim trace or an NVBit opcode histogram (both are text)")
    lines = data.decode("utf-8", "replace").splitlines()
    try:
        if is_accel_sim(lines[:HEAD_LINES]):
            return [read_accel_sim(lines)]
        return read_opcode_histograms(lines, Path(name).stem)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None


def is_accel_sim(head: Sequence[str]) -> bool:
    """Whether a text begins as an Accel-Sim trace does."""
    return any(line.startswith(("-kernel name", "#traces format", "#BEGIN_TB", "-accelsim")) for line in head)


def is_counts(data: bytes) -> bool:
    """Whether a file is text that holds counts."""
    if b"\0" in data[:65536]:
        return False
    head = data[:65536].decode("utf-8", "replace").splitlines()[:HEAD_LINES]
    return is_accel_sim(head) or any(HISTOGRAM_KERNEL.match(line) for line in head)


def find_kernel(counts: TraceCounts, cubin: Cubin) -> str | None:
    """The kernel of a binary that was counted: of the same name, or the only one whose linker name contains it."""
    names = [f.name for f in cubin.functions if f.is_kernel]
    if counts.kernel in names:
        return counts.kernel
    plain = re.sub(r"^(?:void|int|float|double)\s+", "", counts.kernel).partition("(")[0].partition("<")[0]
    plain = plain.rpartition("::")[2].strip()
    alike = [n for n in names if plain and (f"{len(plain)}{plain}" in n or n == plain)]
    if len(alike) == 1:
        return alike[0]
    return names[0] if len(names) == 1 and not counts.kernel else None


def place_counts(counts: TraceCounts, cubin: Cubin, kernel: str) -> Executions | None:
    """Counts on the instructions of a binary; None where the trace has no addresses or ran other code.

    Addresses are offsets in the kernel; the operations there must be the trace's.
    """
    function = cubin.function(kernel)
    if function is None or not counts.threads:
        return None
    code = decode(function.code, cubin.sm)
    threads, warps = np.zeros(len(code)), np.zeros(len(code))
    for pc, count in counts.threads.items():
        index = pc // INSTRUCTION_BYTES
        if index >= len(code) or not is_same_operation(counts.opcodes[pc], str(code.name[index])):
            return None
        threads[index], warps[index] = count, counts.warps[pc]
    return Executions({kernel: threads}, {kernel: warps}, is_complete=True)


def is_same_operation(text: str, name: str) -> bool:
    """Whether an opcode of a trace is an operation of the class table, whose names join a few."""
    operation = text.split(".", maxsplit=1)[0]
    return operation == name or operation[:3] == name[:3] or (operation.startswith("UTC") and name.startswith("UTC"))
