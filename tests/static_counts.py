"""What machine code says of a kernel's work: each basic block times the trip counts of the loops around it.

The trip counts are those of the header; the code is compiled with rolled loops, so that its loops are the text's, in
its order. This checks the closed forms without a GPU: what they claim is what the instructions do.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roofcast.core.errors import InputError
from roofcast.sass.blocks import Graph, build_graph, find_loops
from roofcast.sass.cubin import parse_cubin
from roofcast.sass.work import BYTES_GLOBAL, BYTES_SHARED, amounts_per_execution
from roofcast_measure.closed_forms import evaluate
from roofcast_measure.compiling import compile_to_cubin
from roofcast_measure.programs import Kernel, Program, Sizes

COUNTED = {
    "flops_fp32": "flops_fp32", "flops_fp64": "flops_fp64", "bytes_l1": BYTES_GLOBAL,
    "bytes_shared_useful": BYTES_SHARED,
}  # fmt: skip
"""Column of the header -> amount of the machine code."""
INSTRUCTIONS = {
    f"insts_{precision}_{kind}": opcode
    for precision, letter in (("fp32", "F"), ("fp64", "D"))
    for kind, opcode in (("add", f"{letter}ADD"), ("mul", f"{letter}MUL"), ("fma", f"{letter}FMA"))
}
"""Column of the header -> operation of the machine code."""

LOOP = re.compile(r"^(?P<indent> *)for \(", re.MULTILINE)


def with_rolled_loops(source: str) -> str:
    r"""The source with every loop kept a loop (``#pragma unroll 1``) that does not ask to be unrolled.

    One loop of the text is then one loop of the machine code, whose trip count the header knows.

    >>> with_rolled_loops("  for (int k = 0; k < n; k++) x();")
    '#pragma unroll 1\n  for (int k = 0; k < n; k++) x();'
    """
    lines = source.split("\n")
    result: list[str] = []
    for at, line in enumerate(lines):
        if LOOP.match(line) and not (at and lines[at - 1].startswith("#pragma unroll")):
            result.append("#pragma unroll 1")
        result.append(line)
    return "\n".join(result)


@dataclass(frozen=True, slots=True)
class StaticCounts:
    """Work of one kernel by its machine code."""

    loops: int
    """Natural loops of the kernel's code, without the one that ends every function."""
    per_launch: dict[str, float]
    """Column -> amount of a launch: threads x blocks x trip counts."""
    registers: int | None
    shared_bytes: int | None
    frame_bytes: int | None


def loop_bodies(graph: Graph) -> list[set[int]]:
    """Blocks of each natural loop, in layout order of their heads; the branch to itself behind the code is none."""
    reached = reachable([b.successors for b in graph.blocks])
    bodies = find_loops([b.successors if i in reached else () for i, b in enumerate(graph.blocks)])
    return [bodies[head] for head in sorted(bodies)]


def reachable(edges: Sequence[Sequence[int]]) -> set[int]:
    """Blocks that control flow reaches from the first."""
    seen, front = {0}, [0]
    while front:
        for target in edges[front.pop()]:
            if target not in seen:
                seen.add(target)
                front.append(target)
    return seen


def count(program: Program, kernel: Kernel, sm: int, sizes: Sizes) -> StaticCounts:
    """Amounts of one launch by the machine code of an architecture.

    sizes : as :meth:`Program.sizes` returns them.

    Raises
    ------
    InputError : the code has another number of loops than the header states.
    """
    cubin = parse_cubin(compile_to_cubin(with_rolled_loops(program.text), program.name, sm))
    function = cubin.function(kernel.name)
    if function is None:
        raise InputError(f"{kernel.name}: not in the machine code")
    graph = build_graph(function, cubin.sm)
    bodies = loop_bodies(graph)
    if kernel.static == "exact" and len(bodies) != len(kernel.loops):
        raise InputError(
            f"{kernel.name}: {len(bodies)} loops in the code of sm_{sm}, {len(kernel.loops)} in the header"
        )
    trips = [float(evaluate(form, sizes)) for form in kernel.loops] + [1.0] * len(bodies)
    per_thread, _ = amounts_per_execution(graph.code)
    threads = float(evaluate(kernel.threads, sizes))
    reached = reachable([b.successors for b in graph.blocks])
    each = {column: per_thread[amount] for column, amount in COUNTED.items()}
    each |= {column: graph.code.is_one_of(opcode).astype(np.float64) for column, opcode in INSTRUCTIONS.items()}
    total = dict.fromkeys(each, 0.0)
    for number, block in enumerate(graph.blocks):
        if block.part != kernel.name or number not in reached:
            continue
        weight = threads * math.prod(trips[i] for i, body in enumerate(bodies) if number in body)
        for column, values in each.items():
            total[column] += weight * float(values[block.first : block.end].sum())
    return StaticCounts(len(bodies), total, function.registers, function.shared_bytes, function.frame_bytes)


def static_sizes(program: Program) -> dict[str, float | int]:
    """Sizes at which blocks are full and no edge differs: the smallest configuration."""
    return program.sizes(program.configurations[0])
