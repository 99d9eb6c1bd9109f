"""Basic blocks of the same source on two architectures, matched.

Signals: what a block does (floating-point operations, memory accesses, special functions, calls: architecture-neutral,
so not moves and integer arithmetic), the order in the layout, the loop depth and the number of successors; subroutines
match by their stable names. Blocks that come from the same PTX lines match first where both sides know their lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from roofcast.sass.blocks import Graph
from roofcast.sass.opcodes import MEMORY_SPACES, NAMES, TENSOR, Code

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
WEIGHTS = {"conversion": 0.5, "select": 0.25, "FSETP": 0.5, "DSETP": 0.5, "load local": 0.1, "store local": 0.1}
FEATURES = sorted({*NEUTRAL.values()})
MAX_CELLS = 16_000_000
"""Largest similarity matrix (64 MB); larger pairs of parts are not aligned."""
WORTHLESS = 0.34
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Matching:
    """Pairs of block numbers (source, target) of one part, best first by layout."""

    pairs: tuple[tuple[int, int], ...]
    similarity: tuple[float, ...]


@lru_cache(maxsize=1)
def feature_table() -> Floats:
    """(512, features) weight of each operation number in the description of a block."""
    table = np.zeros((512, len(FEATURES)))
    for number, name in NAMES.items():
        feature = NEUTRAL.get(name)
        if feature:
            table[number, FEATURES.index(feature)] = WEIGHTS.get(feature, 1.0)
    return table


def describe(graph: Graph, numbers: list[int]) -> Floats:
    """(blocks, features) what each block does; phantom moves and dead instructions left out."""
    per_instruction = operations(graph.code)
    sums = np.concatenate([np.zeros((1, per_instruction.shape[1])), np.cumsum(per_instruction, axis=0)])
    first = [graph.blocks[i].first for i in numbers]
    end = [graph.blocks[i].end for i in numbers]
    return np.asarray(sums[end] - sums[first])


def operations(code: Code) -> Floats:
    """(n, features) description of single instructions."""
    found = feature_table()[code.number]
    if code.sm < 80:
        found[code.number == 0x36, FEATURES.index("tensor")] = 1.0
    if code.sm >= 100:
        found[code.number == 0x35] = 0.0
    found[code.is_dead | code.is_phantom] = 0.0
    return np.asarray(found)


def match_blocks(
    source: Graph, source_blocks: list[int], target: Graph, target_blocks: list[int], bonus: Floats | None = None
) -> Matching:
    """Match the blocks of one part of the source with those of the same part of the target.

    bonus : (source blocks, target blocks) share of common PTX lines, NaN where unknown.
    """
    if not source_blocks or not target_blocks or len(source_blocks) * len(target_blocks) > MAX_CELLS:
        return Matching((), ())
    score = similarity(source, source_blocks, target, target_blocks)
    if bonus is not None:
        score = np.where(np.isnan(bonus), score, 0.4 * score + 0.6 * bonus)
    pairs = align(score)
    taken_s, taken_t = {i for i, _ in pairs}, {j for _, j in pairs}
    for i in (i for i in range(len(source_blocks)) if i not in taken_s):
        row = np.where(np.isin(np.arange(score.shape[1]), list(taken_t)), 0.0, score[i])
        j = int(row.argmax())
        if row[j] > 0.8:  # moved in the layout
            pairs.append((i, j))
            taken_t.add(j)
    pairs.sort()
    return Matching(
        tuple((source_blocks[i], target_blocks[j]) for i, j in pairs), tuple(float(score[i, j]) for i, j in pairs)
    )


def similarity(source: Graph, source_blocks: list[int], target: Graph, target_blocks: list[int]) -> Floats:
    """(source, target) likeness in [0, 1]: overlap of what blocks do, less for another depth or out-degree."""
    a, b = describe(source, source_blocks), describe(target, target_blocks)
    overlap = np.zeros((len(a), len(b)))
    total = a.sum(axis=1)[:, None] + b.sum(axis=1)[None, :]
    for feature in range(a.shape[1]):
        if a[:, feature].any() and b[:, feature].any():
            overlap += np.minimum(a[:, feature][:, None], b[:, feature][None, :])
    with np.errstate(invalid="ignore", divide="ignore"):
        work = np.where(total > 0, 2 * overlap / total, 0.6)
    depth_s = np.array([source.blocks[i].depth for i in source_blocks])[:, None]
    depth_t = np.array([target.blocks[i].depth for i in target_blocks])[None, :]
    out_s = np.array([len(source.blocks[i].successors) for i in source_blocks])[:, None]
    out_t = np.array([len(target.blocks[i].successors) for i in target_blocks])[None, :]
    size_s = np.array([source.blocks[i].end - source.blocks[i].first for i in source_blocks])[:, None]
    size_t = np.array([target.blocks[i].end - target.blocks[i].first for i in target_blocks])[None, :]
    shape = 0.6 * (depth_s == depth_t) + 0.2 * (out_s == out_t) + 0.2 * np.minimum(size_s / size_t, size_t / size_s)
    return np.asarray(work * (0.75 + 0.25 * shape))


def align(score: Floats) -> list[tuple[int, int]]:
    """Pairs in layout order with the largest sum of scores; pairs that have next to nothing in common are left out.

    best[i, j] = max(best[i-1, j], best[i, j-1], best[i-1, j-1] + score[i, j])
    """
    rows, columns = score.shape
    useful = np.where(score > WORTHLESS, score, 0.0)
    best = np.zeros((rows + 1, columns + 1))
    for i in range(rows):
        best[i + 1, 1:] = np.maximum.accumulate(np.maximum(best[i, 1:], best[i, :-1] + useful[i]))
    pairs = []
    i, j = rows, columns
    while i > 0 and j > 0:
        if best[i, j] == best[i - 1, j]:
            i -= 1
        elif best[i, j] == best[i, j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]
