"""Instructions of a launch by kind: those of the kernel's machine code, as often as the lines they come from ran."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from roofcast.core.errors import MissingExtraError, RoofcastError, one_line
from roofcast.ingest.ncu.opcodes import thread_amounts, warp_amounts
from roofcast.kit.quantities import format_percent
from roofcast.sass.block_runs import SourceWork, find_runs
from roofcast.sass.instructions import decode
from roofcast.sass.work import graph_of
from roofcast_hull.source.compiled_kernels import CompiledKernel

MOST_MISSED = 0.15
"""Share of what lines store, compute and load that no runs of the blocks explain; beyond it they are not known. Of 252
launches that were counted on an H100 and an H200 the 249 below are 1.07 off, the others 2.2."""
MOST_LOOSE = 0.3
"""Share of the instructions in loops of which nothing tells how many turns a pass does."""
OF_WARPS = ("insts_special",)
OF_THREADS = tuple(f"insts_{p}_{k}" for p in ("fp64", "fp32") for k in ("add", "mul", "fma"))
"""Columns that machine code tells: what else it could, the source says (bytes, operations)."""
ISSUED = "insts_executed"
"""The column that only rows with known machine code have."""


def find_instructions(
    code: CompiledKernel, work: SourceWork, warps: float, lanes: float
) -> tuple[dict[str, float], str]:
    """Columns of a launch; none, and why.

    warps : of the launch. lanes : of a warp that exist, in the mean.
    """
    try:
        blocks = find_runs(code.cubin, code.function, work)
    except MissingExtraError:
        return {}, "HiGHS (extra sass) is not installed"
    except RoofcastError as error:
        return {}, one_line(str(error), 120)
    if blocks is None:
        return {}, "no runs of its blocks agree with its source"
    if blocks.missed > MOST_MISSED:
        return {}, f"runs of its blocks miss {format_percent(blocks.missed)} of what its source does"
    if blocks.loose > MOST_LOOSE:
        return {}, "nothing tells how many turns its compiler wrote out"
    graph = graph_of(code.cubin, code.function)
    by_warp: dict[str, float] = defaultdict(float)
    by_thread: dict[str, float] = defaultdict(float)
    for number, runs in enumerate(blocks.runs.tolist()):
        block = graph.blocks[number]
        for i in range(block.first, block.end) if runs > 0 else ():
            name = str(graph.code.name[i])
            by_warp[name] += runs * warps
            by_thread[name] += runs * warps * work.lanes.get(blocks.lines[i], lanes)
    for callee, runs in blocks.called.items():
        function = code.cubin.function(callee)
        for name in decode(function.code, code.cubin.sm).name.tolist() if function is not None else ():
            by_warp[name] += runs * warps * (name != "NOP")
            by_thread[name] += runs * warps * lanes * (name != "NOP")
    executed, threads = sum(by_warp.values()), sum(by_thread.values())
    special, arithmetic = warp_amounts(by_warp), thread_amounts(by_thread)
    return {
        "insts_issued": executed, ISSUED: executed, "insts_thread": threads,
        "threads_per_inst": threads / executed if executed > 0 else np.nan,
        **{n: special[n] for n in OF_WARPS}, **{n: arithmetic[n] for n in OF_THREADS},
    }, ""  # fmt: skip
