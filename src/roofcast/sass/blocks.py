"""Basic blocks, control-flow graph, loops: from the bits of the branch instructions alone.

Branch offsets count from the next instruction. Up to sm_89 they stand in bits 34 ff. in units of 4 bytes; from sm_90 on
plain branches and calls keep their low 8 bits in bits 16 to 23. ``BSSY`` names the point where a divergent
region joins again; indirect branches reach what ``.nv.info`` lists for them.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from roofcast.core.records import dataclass
from roofcast.sass.cubin import INSTRUCTION_BYTES, Function
from roofcast.sass.instructions import Code, decode

ENDS_BLOCK = ("BRA", "BRX", "EXIT", "RET", "CALL", "BSYNC", "BREAK")
NEVER_CONTINUES = ("BRA", "BRX", "EXIT", "RET")
UNIFORM_BRANCH_FORM = 2
"""Operand form (bits 9 to 11) of a branch on a uniform predicate, since sm_100."""
OFFSET_LOW_BITS_APART = 90
"""First architecture whose plain branches keep their low offset bits apart."""


@dataclass(frozen=True, slots=True)
class Block:
    """Instructions ``first`` to ``end`` (exclusive) of a function."""

    first: int
    end: int
    successors: tuple[int, ...]
    calls: tuple[str, ...]
    """Functions called at the end of the block."""
    depth: int
    """Loops around the block."""
    part: str
    """Symbol that the block belongs to: the kernel or one of the subroutines in its section."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Basic blocks of one function in layout order."""

    function: Function
    code: Code
    blocks: tuple[Block, ...]


def decode_offsets(code: Code) -> NDArray[np.int64]:
    """(n,) byte offset, from the next instruction, that a relative branch adds; meaningless for other instructions."""
    plain = ((code.low >> np.uint64(34)) & np.uint64(2**30 - 1)).astype(np.int64)
    plain = np.where(plain >= 2**29, plain - 2**30, plain)
    if code.sm >= OFFSET_LOW_BITS_APART:
        joined = (plain << 8) | ((code.low >> np.uint64(16)) & np.uint64(0xFF)).astype(np.int64)
        plain = np.where(code.is_one_of("BSSY"), plain, joined)
    return plain * 4


def build_graph(function: Function, sm: int) -> Graph:
    """Blocks and edges of one function.

    function : its code; instructions that never execute (``@!PT``) lead nowhere. sm : architecture.
    """
    code = decode(function.code, sm)
    size = len(code)
    targets = decode_targets(code)
    names = code.name
    ends = code.is_one_of(*ENDS_BLOCK) & ~code.is_dead
    starts = np.zeros(size + 1, np.bool_)
    starts[0] = True
    starts[1:][ends] = True
    joins = code.is_one_of("BSSY") | (code.is_one_of("BRA") & ~code.is_dead)
    local = targets[joins & (targets >= 0) & (targets < size)]
    starts[local] = True
    for at, reached in function.branch_targets.items():
        if at // INSTRUCTION_BYTES < size:
            starts[[t // INSTRUCTION_BYTES for t in reached if t // INSTRUCTION_BYTES < size]] = True
    for low, _, _ in function.parts:
        if low // INSTRUCTION_BYTES < size:
            starts[low // INSTRUCTION_BYTES] = True
    first = np.flatnonzero(starts[:size])
    last = np.append(first[1:], size)
    number = np.cumsum(starts[:size]) - 1
    edges: list[tuple[int, ...]] = []
    calls: list[tuple[str, ...]] = []
    for block, end in enumerate(last):
        at = int(end) - 1
        edges.append(find_successors(code, function, at, block, len(first), targets, number))
        calls.append(find_callee(function, str(names[at]), at, targets, bool(code.is_dead[at])))
    depth = Counter(chain.from_iterable(find_loops(edges).values()))
    part = name_parts(function, first)
    blocks = tuple(Block(int(first[i]), int(last[i]), edges[i], calls[i], depth[i], part[i]) for i in range(len(first)))
    return Graph(function, code, blocks)


def decode_targets(code: Code) -> NDArray[np.int64]:
    """(n,) instruction that a direct branch, call or ``BSSY`` names; -1 for other instructions."""
    index = np.arange(len(code), dtype=np.int64)
    target = (index + 1) + decode_offsets(code) // INSTRUCTION_BYTES
    direct = code.is_one_of("BRA", "BSSY") | (code.number == 0x144)
    return np.where(direct, target, -1)


def find_successors(
    code: Code, function: Function, at: int, block: int, count: int, targets: NDArray[np.int64],
    number: NDArray[np.intp],
) -> tuple[int, ...]:  # fmt: skip
    """Blocks that can follow the one whose last instruction is ``at``."""
    name = str(code.name[at])
    following = (block + 1,) if block + 1 < count else ()
    if code.is_dead[at] or name not in ENDS_BLOCK:
        return following
    blocks: list[int] = []
    if name == "BRA" and 0 <= targets[at] < len(code):
        blocks.append(int(number[targets[at]]))
    elif name == "BRX":
        reached = function.branch_targets.get(at * INSTRUCTION_BYTES, ())
        blocks += [int(number[t // INSTRUCTION_BYTES]) for t in reached if t // INSTRUCTION_BYTES < len(code)]
    is_guarded = code.predicate[at] != 7 or (name == "BRA" and may_fall_through(code, at))
    if is_guarded or name not in NEVER_CONTINUES:
        blocks += following
    return tuple(dict.fromkeys(blocks))


def may_fall_through(code: Code, at: int) -> bool:
    """Whether a branch without guard depends on a second predicate.

    ``BRA P0``, ``BRA.DIV``: bits 87 to 90. ``BRA.U UP0`` (operand form 2, since sm_100): bits 24 to 27.
    """
    if (int(code.low[at]) >> 9) & 7 == UNIFORM_BRANCH_FORM:
        return (int(code.low[at]) >> 24) & 15 != 7
    return (int(code.high[at]) >> 23) & 15 != 7


def find_callee(function: Function, name: str, at: int, targets: NDArray[np.int64], is_dead: bool) -> tuple[str, ...]:
    """The function that a call at the end of a block enters; ``?`` through a pointer."""
    if name != "CALL" or is_dead:
        return ()
    relocated = function.calls.get(at * INSTRUCTION_BYTES)
    if relocated is not None:
        return (relocated[0],)
    inside = int(targets[at]) * INSTRUCTION_BYTES
    around = [(high - low, label) for low, high, label in function.parts if low <= inside < high and targets[at] >= 0]
    # The kernel's own symbol may span its subroutines: the innermost one is meant.
    return (min(around, default=(0, "?"))[1],)


def name_parts(function: Function, first: NDArray[np.intp]) -> list[str]:
    """The innermost symbol around each block: subroutines are symbols inside the kernel's own."""
    names = [function.name] * len(first)
    for low, high, label in sorted(function.parts, key=lambda p: p[0] - p[1]):
        for i in np.flatnonzero((first * INSTRUCTION_BYTES >= low) & (first * INSTRUCTION_BYTES < high)):
            names[i] = label
    return names


def find_loops(edges: list[tuple[int, ...]]) -> dict[int, set[int]]:
    """Head -> blocks of each natural loop (an edge back to a dominator closes one)."""
    order = reverse_postorder(edges)
    position = {block: i for i, block in enumerate(order)}
    before: list[list[int]] = [[] for _ in edges]
    for block, following in enumerate(edges):
        for target in following:
            before[target].append(block)
    parent = find_dominators(order, position, before)
    bodies: dict[int, set[int]] = {}
    for block in order:
        for head in edges[block]:
            if dominates(head, block, parent):
                bodies.setdefault(head, {head}).update(find_loop_body(head, block, before, position))
    return bodies


def reverse_postorder(edges: list[tuple[int, ...]]) -> list[int]:
    """Blocks reachable from the entry and from blocks that nothing else reaches (subroutines)."""
    seen = [False] * len(edges)
    result: list[int] = []
    reached = {t for following in edges for t in following}
    for entry in [b for b in range(len(edges)) if b == 0 or b not in reached]:
        if seen[entry]:
            continue
        seen[entry] = True
        finished: list[int] = []
        stack = [(entry, iter(edges[entry]))]
        while stack:
            block, following = stack[-1]
            target = next((t for t in following if not seen[t]), None)
            if target is None:
                finished.append(block)
                stack.pop()
            else:
                seen[target] = True
                stack.append((target, iter(edges[target])))
        result += finished[::-1]
    return result


def find_dominators(order: list[int], position: dict[int, int], before: list[list[int]]) -> dict[int, int]:
    """Immediate dominators (Cooper, Harvey, Kennedy 2001); an entry is its own."""
    parent: dict[int, int] = {}
    changed = True
    while changed:
        changed = False
        for block in order:
            new: int | None = None
            for other in before[block]:
                if other in parent:
                    new = other if new is None else find_common_dominator(other, new, parent, position)
            new = block if new is None else new
            if parent.get(block) != new:
                parent[block] = new
                changed = True
    return parent


def find_common_dominator(a: int, b: int, parent: dict[int, int], position: dict[int, int]) -> int:
    """The closest dominator of two blocks; the earlier of two entries where they share none."""
    while a != b:
        while position[a] > position[b]:
            if parent[a] == a:
                return b
            a = parent[a]
        while position[b] > position[a]:
            if parent[b] == b:
                return a
            b = parent[b]
        if a != b and parent[a] == a and parent[b] == b:
            return min(a, b)
    return a


def dominates(head: int, block: int, parent: dict[int, int]) -> bool:
    """Whether every way to a block leads through another."""
    while block in parent:
        if block == head:
            return True
        if parent[block] == block:
            return False
        block = parent[block]
    return False


def find_loop_body(head: int, tail: int, before: list[list[int]], position: dict[int, int]) -> set[int]:
    """Blocks from which the closing edge can be reached without passing the head."""
    body = {head, tail}
    stack = [tail] if tail != head else []
    while stack:
        for block in before[stack.pop()]:
            if block not in body and block in position:
                body.add(block)
                stack.append(block)
    return body
