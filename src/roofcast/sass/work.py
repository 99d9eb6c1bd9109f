"""What instructions and basic blocks do: amounts of one execution, computed once per function of a binary."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from roofcast.core.records import dataclass
from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR, Resource
from roofcast.sass.blocks import Graph, build_graph
from roofcast.sass.cubin import Cubin, Function
from roofcast.sass.instructions import MEMORY_SPACES, NAMES, TENSOR, Code, decode

Floats = NDArray[np.float64]
BYTES_LOCAL = "bytes_local"
BYTES_GLOBAL = "bytes_global"
BYTES_SHARED = "bytes_shared_useful"
PHANTOM = "flops_phantom_fp16"
FLOPS = tuple(r.value for r in (*FLOPS_VECTOR, *FLOPS_TENSOR))
ALWAYS = 7
"""Guard of an instruction without predicate."""

NEUTRAL = {
    **{n: n for n in ("DADD", "DMUL", "DFMA", "FADD", "FMUL", "FFMA", "HADD2", "HMUL2", "HFMA2", "DSETP", "FSETP")},
    "FADD2": "FADD",
    "FMUL2": "FMUL",
    "FFMA2": "FFMA",
    **dict.fromkeys(TENSOR, "tensor"),
    **{
        name: f"{'store' if name.startswith('ST') else 'load'} {space}"
        for name, space in MEMORY_SPACES.items()
        if space != "constant"
    },
    **dict.fromkeys(("ATOM", "ATOMG", "RED"), "atomic"), "ATOMS": "atomic shared",
    "MUFU": "special", "BAR": "barrier", "SHFL": "shuffle", "EXIT": "exit", "RET": "return", "CALL": "call",
    **dict.fromkeys(("F2F", "F2I", "I2F", "I2FP", "F2FP", "FRND", "UI2F"), "conversion"),
    **dict.fromkeys(("FSEL", "FMNMX", "FSET"), "select"),
    **dict.fromkeys(("VOTE", "VOTEU", "MATCH", "REDUX"), "warp exchange"),
}  # fmt: skip
"""Operation -> what any architecture calls it: not moves and integer arithmetic, which differ."""
WEIGHTS = {"conversion": 0.5, "select": 0.25, "FSETP": 0.5, "DSETP": 0.5, "load local": 0.1, "store local": 0.1}
FEATURES = sorted({*NEUTRAL.values()})


@dataclass(frozen=True, slots=True)
class InstructionWork:
    """Amounts of one execution of each of n instructions; kinds that none has are left out."""

    names: tuple[str, ...]
    by_warp: NDArray[np.bool_]
    """(amounts,) whether an amount is a warp's, not a thread's."""
    each: Floats
    """(amounts, n)"""

    def executed(self, threads: Floats, warps: Floats) -> Floats:
        """(amounts, n) amounts of a launch. threads, warps : (n,) executions, 0 where not counted."""
        return self.each * np.where(self.by_warp[:, None], warps, threads)


@dataclass(frozen=True, slots=True)
class BlockWork:
    """What the basic blocks of one function do."""

    graph: Graph
    of_instructions: InstructionWork
    first: NDArray[np.intp]
    """(blocks,) first instruction."""
    size: NDArray[np.intp]
    static: Floats
    """(amounts, blocks) amounts of one pass."""
    neutral: Floats
    """(blocks,) operations that any architecture has."""
    is_padding: NDArray[np.bool_]
    """(blocks,) the branch to itself behind the last exit, and no-operations."""
    is_free: NDArray[np.bool_]
    """(n,) instructions without guard."""

    def executed(self, threads: Floats, warps: Floats) -> Floats:
        """(amounts, blocks) amounts of a launch."""
        return np.asarray(np.add.reduceat(self.of_instructions.executed(threads, warps), self.first, axis=1))

    def entered(self, counts: Floats) -> Floats:
        """(blocks,) how often each block ran: its instructions without guard say so, else the most executed one."""
        free = np.maximum.reduceat(np.where(self.is_free, counts, -1.0), self.first)
        return np.where(free >= 0, free, np.maximum.reduceat(counts, self.first))

    def under_guard(self, counts: Floats, entered: Floats) -> Floats:
        """(blocks,) mean executions of the instructions with a guard; those of the block where it has none."""
        many = np.add.reduceat((~self.is_free).astype(np.float64), self.first)
        total = np.add.reduceat(np.where(self.is_free, 0.0, counts), self.first)
        return np.where(many > 0, total / np.maximum(many, 1.0), entered)

    def amount(self, name: str, values: Floats) -> Floats:
        """(blocks,) row of an amount in an (amounts, blocks) array; zeros where no instruction has it."""
        names = self.of_instructions.names
        return values[names.index(name)] if name in names else np.zeros(len(self.first))


def amounts_per_execution(code: Code) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Work of one execution of each instruction: by one thread, and by one warp."""
    per_thread = {r.value: v for r, v in code.flops_per_thread().items()}
    per_thread[PHANTOM] = np.where(code.is_phantom, 4.0, 0.0)
    width = code.width_bytes
    per_thread[BYTES_LOCAL] = np.where(code.is_one_of("LDL", "STL"), width, 0.0)
    per_thread[BYTES_GLOBAL] = np.where(code.is_one_of("LDG", "STG", "LDGSTS", "ATOMG", "RED", "LD", "ST"), width, 0.0)
    per_thread[BYTES_SHARED] = np.where(code.is_one_of("LDS", "STS", "LDSM", "ATOMS"), width, 0.0)
    per_thread[Resource.INSTS_SPECIAL.value] = code.is_one_of("MUFU").astype(np.float64)
    per_thread["insts_thread"] = np.ones(len(code))
    per_warp = {r.value: v for r, v in code.tensor_ops_per_warp().items()}
    per_warp["insts_executed"] = np.ones(len(code))
    dead = code.is_dead
    for values in (*per_thread.values(), *per_warp.values()):
        values[dead] = 0.0
    return per_thread, per_warp


def instruction_work(cubin: Cubin, function: Function) -> InstructionWork:
    """Amounts per execution of a function's instructions."""
    key = "instructions", function.name
    work: InstructionWork | None = cubin.memo.get(key)
    if work is None:
        per_thread, per_warp = amounts_per_execution(decode(function.code, cubin.sm))
        rows = [(n, False, v) for n, v in per_thread.items() if v.any()] + [(n, True, v) for n, v in per_warp.items()]
        amounts = np.stack([v for _, _, v in rows])
        work = InstructionWork(tuple(n for n, _, _ in rows), np.array([w for _, w, _ in rows]), amounts)
        cubin.memo[key] = work
    return work


def graph_of(cubin: Cubin, function: Function) -> Graph:
    """Blocks and edges of a function."""
    key = "graph", function.name
    graph: Graph | None = cubin.memo.get(key)
    if graph is None:
        graph = cubin.memo[key] = build_graph(function, cubin.sm)
    return graph


def block_work(cubin: Cubin, function: Function) -> BlockWork:
    """What a function's blocks do."""
    key = "blocks", function.name
    whole: BlockWork | None = cubin.memo.get(key)
    if whole is None:
        graph, work = graph_of(cubin, function), instruction_work(cubin, function)
        first = np.array([b.first for b in graph.blocks], np.intp)
        size = np.array([b.end - b.first for b in graph.blocks], np.intp)
        idle = np.logical_and.reduceat(graph.code.is_one_of("NOP"), first)
        endless = np.array([b.successors == (i,) for i, b in enumerate(graph.blocks)])
        whole = cubin.memo[key] = BlockWork(
            graph=graph,
            of_instructions=work,
            first=first,
            size=size,
            static=np.add.reduceat(work.each, first, axis=1),
            neutral=describe_blocks(graph, list(range(len(graph.blocks)))).sum(axis=1),
            is_padding=endless | idle,
            is_free=graph.code.predicate == ALWAYS,
        )
    return whole


@lru_cache(maxsize=1)
def feature_table() -> Floats:
    """(512, features) weight of each operation number in the description of a block."""
    table = np.zeros((512, len(FEATURES)))
    for number, name in NAMES.items():
        feature = NEUTRAL.get(name)
        if feature:
            table[number, FEATURES.index(feature)] = WEIGHTS.get(feature, 1.0)
    return table


def describe_blocks(graph: Graph, numbers: list[int]) -> Floats:
    """(blocks, features) what each block does; phantom moves and dead instructions left out."""
    features = feature_table()[graph.code.number]
    if graph.code.sm < 80:
        features[graph.code.number == 0x36, FEATURES.index("tensor")] = 1.0
    if graph.code.sm >= 100:
        features[graph.code.number == 0x35] = 0.0
    features[graph.code.is_dead | graph.code.is_phantom] = 0.0
    sums = np.concatenate([np.zeros((1, features.shape[1])), np.cumsum(features, axis=0)])
    first = [graph.blocks[i].first for i in numbers]
    end = [graph.blocks[i].end for i in numbers]
    return np.asarray(sums[end] - sums[first])
