"""The eight steps in machine code: what each version's hot loop holds on an architecture; needs no GPU.

Counts are those of one pass through the loop that does the FP64 work, over the terms (band, igp, ig) of a pass: v6 to
v8 hold a tile of bands. Slow paths of divisions and roots are subroutines and left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from roofcast.catalog import library
from roofcast.formulas.occupancy import SmLimits, residency
from roofcast.sass.blocks import Graph, build_graph, find_loops
from roofcast.sass.cubin import parse_cubin
from roofcast.sass.special_functions import find_fast_paths, operation_of_subroutine
from roofcast.sass.work import ALWAYS, BYTES_GLOBAL, amounts_per_execution
from roofcast_measure.compiling import compile_to_cubin
from roofcast_measure.gpp import BLOCKED, VERSIONS, eight_steps

ARCHITECTURES = (70, 80, 90)
TILE = 12
"""Bands of a pass in the blocked versions, as ``suite/gpp.cu`` has it."""
FP64 = ("DADD", "DMUL", "DFMA")
INTEGER = ("IMAD", "IADD3", "LEA", "ISETP", "SHF", "SEL", "IMNMX", "VIMNMX")
MOST_OF_WORK = 0.8
"""Share of the FP64 instructions that the hot loop holds at least; what is around it only sets it up."""


@dataclass(frozen=True, slots=True)
class VersionCode:
    """One version on one architecture; counts per term (band, igp, ig)."""

    sm: int
    version: str
    registers: int
    warps_per_sm: int
    spilled_bytes: int
    """Local memory per thread."""
    divides: float
    reciprocals: float
    roots: float
    branches: float
    """Conditional branches and guarded calls, those of special functions' slow paths left out."""
    fma_fraction: float
    """FMA / (ADD + MUL + FMA), as the paper counts it."""
    loaded_bytes: float
    """Global bytes that a thread asks for."""
    index_instructions: int
    """Integer instructions around the hot loop: where the arrays' layout shows (v7)."""


def read_code(architectures: Iterable[int] = ARCHITECTURES, *, plain: bool = False) -> list[VersionCode]:
    """Every version on some architectures."""
    program = eight_steps(plain=plain)
    versions = []
    for sm in architectures:
        cubin = parse_cubin(compile_to_cubin(program.text, program.name, sm))
        for version in VERSIONS:
            kernel = program.kernel(f"gpp_{version}")
            function = cubin.function(kernel.name)
            if function is not None:
                terms = TILE if kernel.name in BLOCKED and not plain else 1
                versions.append(count(build_graph(function, cubin.sm), version, kernel.block[0], terms))
    return versions


def describe_compiler(architectures: Iterable[int] = ARCHITECTURES) -> list[str]:
    """What the compiler makes of the steps where nothing holds it: one line per architecture."""
    lines = [
        "per term (band, igp, ig) of the hot loop: divisions, reciprocals, roots, branches, FMA share, bytes loaded; "
        "warps per SM; index: integer instructions around the loop"
    ]
    for sm in architectures:
        held, plain = ({c.version: c for c in read_code([sm], plain=p)} for p in (False, True))
        loops = {replace(plain[v], version="", index_instructions=0) for v in ("v1", "v2")}
        same = "has the hot loop of v2" if len(loops) == 1 else "is other code than v2"
        lines.append(
            f"sm_{sm}, left to the compiler (--plain): v1 {same}; v7 needs {plain['v7'].registers} registers "
            f"({plain['v7'].warps_per_sm} warps/SM) and v8 {plain['v8'].registers} ({plain['v8'].warps_per_sm}): no "
            f"cap binds. Here a call keeps v1's third arm, and a tile of {TILE} bands in registers makes v7 need "
            f"{held['v7'].registers} ({held['v7'].warps_per_sm})"
        )
    return lines


def count(graph: Graph, version: str, block_threads: int, terms: int) -> VersionCode:
    """One version's hot loop: the innermost one with most FP64 instructions."""
    code, function = graph.code, graph.function
    body = find_hot_loop(graph)
    inside = np.zeros(len(code), np.bool_)
    for b in body:
        inside[graph.blocks[b].first : graph.blocks[b].end] = True
    special = Counter(find_fast_paths(graph, body).values())
    add, mul, fma = (int((code.is_one_of(name) & inside).sum()) for name in FP64)
    # A special function tests for its hard cases once and then calls: neither is the program's own branch.
    conditional = code.is_one_of("BRA") & inside & (code.predicate != ALWAYS) & ~code.is_dead
    # The third arm of v0 and v1 is reached by a guarded call.
    calls = [c for b in body for c in graph.blocks[b].calls if c != function.name and not operation_of_subroutine(c)]
    outside = np.isin(code.name, INTEGER) & ~inside & ~code.is_dead
    for block in graph.blocks:
        outside[block.first : block.end] &= block.part == function.name
    per_thread, _ = amounts_per_execution(code)
    return VersionCode(
        code.sm, version, function.registers or 0, warps_per_sm(code.sm, block_threads, function.registers or 0),
        function.frame_bytes or 0, special["div.f64"] / terms, special["rcp.f64"] / terms, special["sqrt.f64"] / terms,
        (int(conditional.sum()) - sum(special.values()) + len(calls)) / terms, fma / max(add + mul + fma, 1),
        float(per_thread[BYTES_GLOBAL][inside].sum()) / terms,
        int(outside.sum()),
    )  # fmt: skip


def find_hot_loop(graph: Graph) -> list[int]:
    """Blocks of the smallest loop that holds nearly all of the FP64 work."""
    work = graph.code.is_one_of(*FP64)
    weight = [int(work[b.first : b.end].sum()) for b in graph.blocks]
    loops = list(find_loops([b.successors for b in graph.blocks]).values())
    held = [sum(weight[i] for i in body) for body in loops]
    return min((sorted(b) for b, total in zip(loops, held, strict=True) if total >= MOST_OF_WORK * max(held)), key=len)


def warps_per_sm(sm: int, block_threads: int, registers: int) -> int:
    """Warps that an SM of an architecture holds; shared memory does not limit these kernels."""
    limits = library.architecture(f"sm_{sm}")["limits"]
    resident = residency(block_threads, registers, 0, SmLimits(
        limits["max_blocks_per_sm"], limits["max_warps_per_sm"], limits["regs_per_sm"], np.inf,
        reg_granularity=limits["reg_alloc_granularity"], subpartitions=limits["subpartitions_per_sm"],
    ))  # fmt: skip
    return int(resident.warps)
