"""Carry the execution counts of a launch over to the code of another binary, and recount the work there.

Unlike Van Lanker et al. 2024, section 4.2, which transfers active threads only for blocks with special functions, every
matched block is transferred: that costs nothing and also sees spills and changed loops. What a matched block does is
scaled instruction class by instruction class, so that equal code gives exactly equal work.

Blocks match by what they do, their order in the layout, loop depth and number of successors; subroutines by their
stable names. Blocks that come from the same PTX lines match first where both sides know their lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.records import dataclass
from roofcast.sass.blocks import Graph
from roofcast.sass.cubin import Cubin
from roofcast.sass.executions import Executions
from roofcast.sass.special_functions import operation_of_subroutine, stable_name
from roofcast.sass.work import (
    FLOPS,
    PHANTOM,
    BlockWork,
    Floats,
    block_work,
    describe_blocks,
    graph_of,
    instruction_work,
)

MAX_CELLS = 16_000_000
"""Largest similarity matrix (64 MB); larger pairs of parts are not aligned."""
WORTHLESS = 0.34
"""1; likeness up to which two blocks have next to nothing in common and stay without a partner."""


def match_blocks(
    source: Graph, source_blocks: list[int], target: Graph, target_blocks: list[int], bonus: Floats | None = None
) -> tuple[tuple[int, int], ...]:
    """Pairs of block numbers (source, target) of the same part of two binaries, in the order of the layout.

    bonus : (source blocks, target blocks) share of common PTX lines, NaN where unknown.
    """
    if not source_blocks or not target_blocks or len(source_blocks) * len(target_blocks) > MAX_CELLS:
        return ()
    score = score_blocks(source, source_blocks, target, target_blocks)
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
    return tuple((source_blocks[i], target_blocks[j]) for i, j in pairs)


def score_blocks(source: Graph, source_blocks: list[int], target: Graph, target_blocks: list[int]) -> Floats:
    """(source, target) likeness in [0, 1]: overlap of what blocks do, less for another depth or out-degree."""
    a, b = describe_blocks(source, source_blocks), describe_blocks(target, target_blocks)
    overlap = np.zeros((len(a), len(b)))
    total = a.sum(axis=1)[:, None] + b.sum(axis=1)[None, :]
    for feature in range(a.shape[1]):
        if a[:, feature].any() and b[:, feature].any():
            overlap += np.minimum(a[:, feature][:, None], b[:, feature][None, :])
    with quietly():
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


LEAST_COVERAGE = 0.95
"""1; share of the source's work that matched blocks must hold for the match to be used."""
MAX_BLOCKS = 50_000
"""Blocks of a part of a kernel; larger ones are not matched."""


@dataclass(frozen=True, slots=True)
class Part:
    """One kernel or subroutine: consecutive blocks of a graph."""

    cubin: Cubin
    graph: Graph
    blocks: list[int]
    symbol: str

    @property
    def work(self) -> BlockWork:
        """What the blocks of its function do."""
        return block_work(self.cubin, self.graph.function)


@dataclass(frozen=True)
class Carried:
    """Work of one launch in its own code and in the other code."""

    source: Mapping[str, float]
    """Amount name -> executed on the source."""
    target: Mapping[str, float]
    coverage: float
    """Share of the executed floating-point work (or of all work, where there is none) in matched blocks."""
    pairs: tuple[tuple[str, int, str, int], ...] = field(default=())
    """Matched blocks: part and block on the source, part and block on the target."""
    blocks_source: int = 0
    unmatched: tuple[str, ...] = ()
    """Subroutines without a counterpart."""
    executions: Executions | None = None
    """The counts as the other code would have them."""

    @property
    def is_applied(self) -> bool:
        """Whether the match covers enough of the work to be used."""
        return self.coverage >= LEAST_COVERAGE

    def ratio(self, amount: str) -> float:
        """Work there over work here; 1 where there is none here and none there, NaN where it appears from nothing."""
        here, there = self.source.get(amount, 0.0), self.target.get(amount, 0.0)
        if here == there:
            return 1.0
        return there / here if here else float("nan")

    def ratio_of_work(self, amount: str) -> float:
        """The ratio without phantom moves; 1 where there is no work on either side, infinite where it is new."""
        phantom = PHANTOM if amount == "flops_fp16" else ""
        here = self.source.get(amount, 0.0) - self.source.get(phantom, 0.0)
        there = self.target.get(amount, 0.0) - self.target.get(phantom, 0.0)
        if here == there:
            return 1.0
        return there / here if here else float("inf")


def sum_executed(cubin: Cubin, executions: Executions) -> dict[str, float]:
    """Work of a launch: counts times what each instruction does. Phantom moves count, as in the hardware's counters."""
    total: dict[str, float] = {}
    for name, threads in executions.threads.items():
        function = cubin.function(name)
        if function is None or not function.instruction_count:
            continue
        work, warps = instruction_work(cubin, function), executions.warps[name]
        sums = work.executed(np.nan_to_num(threads), np.nan_to_num(warps)).sum(axis=1)
        without_warps = bool(np.isnan(warps).all())
        for amount, by_warp, amounts, done in zip(work.names, work.by_warp, work.each, sums, strict=True):
            if amounts.any() and not (by_warp and without_warps):
                total[amount] = total.get(amount, 0.0) + float(done)
    return total


def find_reached_parts(cubin: Cubin, kernel: str, touched: frozenset[str] = frozenset()) -> dict[str, list[Part]]:
    """The kernel ('') and the subroutines that it can reach, by stable name, in layout order."""
    key = "parts", kernel, touched
    if key in cubin.memo:
        known: dict[str, list[Part]] = cubin.memo[key]
        return known
    parts: dict[str, list[Part]] = {}
    seen: set[str] = set()
    front = [kernel, *sorted(touched - {kernel})]
    while front:
        name = front.pop(0)
        function = cubin.function(name)
        if function is None or name in seen or not function.instruction_count:
            continue
        seen.add(name)
        graph = graph_of(cubin, function)
        groups: dict[str, list[int]] = {}
        for number, block in enumerate(graph.blocks):
            groups.setdefault(block.part, []).append(number)
            front += [c for c in block.calls if c != "?"]
        front += [target for target, _ in function.calls.values()]
        for symbol, blocks in groups.items():
            part = "" if symbol == kernel else stable_name(symbol)
            parts.setdefault(part, []).append(Part(cubin, graph, blocks, symbol))
    cubin.memo[key] = parts
    return parts


def sum_static(parts: list[Part]) -> dict[str, float]:
    """Work of one pass through the code."""
    total: dict[str, float] = {}
    for part in parts:
        work = part.work
        for amount, value in zip(work.of_instructions.names, work.static[:, part.blocks].sum(axis=1), strict=True):
            add(total, amount, float(value))
    return total


def find_counterpart(cubin: Cubin, kernel: str) -> str | None:
    """The kernel of that name in another binary; the only kernel where no name is left there."""
    if cubin.function(kernel) is not None:
        return kernel
    kernels = [f.name for f in cubin.functions if f.is_kernel]
    return kernels[0] if len(kernels) == 1 and kernels[0].startswith("function_") else None


def pair_parts(source: Mapping[str, list[Part]], target: Mapping[str, list[Part]]) -> list[tuple[Part, Part | None]]:
    """Each part of the source with its counterpart: by stable name, else by the special function it belongs to."""
    left = {key: list(parts) for key, parts in target.items()}
    pairs: list[tuple[Part, Part | None]] = []
    for key, parts in source.items():
        for part in parts:
            same = left.get(key)
            if not same:
                operation = operation_of_subroutine(part.symbol)
                other = next(
                    (k for k in left if left[k] and k not in source and operation_of_subroutine(k) == operation), None
                )
                same = left.get(other) if operation and other else None
            # A subroutine that the other compiler keeps once may stand here several times.
            pairs.append((part, (same.pop(0) if len(same) > 1 else same[0]) if same else None))
    return pairs


@dataclass
class Plan:
    """How the parts and blocks of a kernel in two binaries belong together; blocks are matched when they are needed."""

    target: Cubin
    parts: list[tuple[Part, Part | None]]
    blocks_source: int
    is_same_ptx: bool
    matched: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)

    def pairs(self, number: int) -> tuple[tuple[int, int], ...]:
        """Matched blocks of a part that has a counterpart."""
        part, partner = self.parts[number]
        if number not in self.matched and partner is not None:
            common = compare_lines(part, partner) if self.is_same_ptx else None
            self.matched[number] = match_blocks(part.graph, part.blocks, partner.graph, partner.blocks, common)
        return self.matched.get(number, ())


def make_plan(source: Cubin, kernel: str, touched: frozenset[str], target: Cubin) -> Plan | None:
    """The plan for a kernel, made once for all of its launches; None where the target does not hold it.

    touched : functions that the launch executed.
    """
    key = "plan", kernel, touched, id(target)
    plan: Plan | None = source.memo.get(key)
    if plan is not None and plan.target is target:
        return plan
    other = find_counterpart(target, kernel)
    if other is None:
        return None
    here, there = find_reached_parts(source, kernel, touched), find_reached_parts(target, other)
    if any(len(p.graph.blocks) > MAX_BLOCKS for parts in (*here.values(), *there.values()) for p in parts):
        return None
    blocks = sum(len(p.blocks) for parts in here.values() for p in parts)
    is_same_ptx = bool(source.ptx) and source.ptx == target.ptx
    plan = source.memo[key] = Plan(target, pair_parts(here, there), blocks, is_same_ptx)
    return plan


def carry(source: Cubin, executions: Executions, kernel: str, target: Cubin) -> Carried | None:
    """Recount a launch for another binary; None where that binary has no such kernel.

    source : binary that ran. executions : its counts. kernel : linker name. target : the other binary.
    """
    plan = make_plan(source, kernel, frozenset(executions.threads), target)
    if plan is None:
        return None
    book = Book({}, {}, {}, {}, Executions({}, {}, is_complete=False))
    matched: list[tuple[str, int, str, int]] = []
    lost: list[str] = []
    for number, (part, partner) in enumerate(plan.parts):
        threads = executions.threads.get(part.graph.function.name)
        warps = executions.warps.get(part.graph.function.name)
        if threads is None or warps is None or not np.nansum(threads):
            continue
        side = Counted.of(part, np.nan_to_num(threads), np.nan_to_num(warps))
        if partner is None:
            lost.append(part.symbol)
            book.add_lost(side)
            continue
        pairs = plan.pairs(number)
        book.add_pairs(side, partner, pairs)
        matched += [(part.symbol, i, partner.symbol, j) for i, j in pairs]
    return Carried(
        book.source, book.target, book.coverage(), tuple(matched), plan.blocks_source, tuple(lost), book.executions
    )


def compare_lines(part: Part, partner: Part) -> Floats | None:
    """(blocks, blocks) PTX lines that two blocks share, over the lines that either has; NaN where one has none."""
    here = part.cubin.ptx_lines(part.graph.function.name)
    there = partner.cubin.ptx_lines(partner.graph.function.name)
    if here is None or there is None or len(part.blocks) * len(partner.blocks) > MAX_CELLS:
        return None
    universe = np.unique(np.concatenate([here, there]))
    if len(universe) * max(len(part.blocks), len(partner.blocks)) > MAX_CELLS:
        return None

    def table(side: Part, lines: NDArray[np.int64]) -> NDArray[np.float32]:
        rows = np.zeros((len(side.blocks), len(universe)), np.float32)
        for row, number in enumerate(side.blocks):
            block = side.graph.blocks[number]
            inside = lines[block.first : block.end]
            rows[row, np.searchsorted(universe, inside[inside > 0])] = 1.0
        return rows

    a, b = table(part, here), table(partner, there)
    shared = a @ b.T
    either = a.sum(axis=1)[:, None] + b.sum(axis=1)[None, :] - shared
    is_known = (a.sum(axis=1) > 0)[:, None] & (b.sum(axis=1) > 0)[None, :]
    return np.where(is_known, shared / np.maximum(either, 1.0), np.nan).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Counted:
    """One part with the counts of a launch."""

    part: Part
    threads: Floats
    """(n,) executions of its function's instructions, 0 where not counted."""
    warps: Floats
    done: Floats
    """(amounts, blocks) work of each block of the function."""
    entered: tuple[Floats, Floats]
    """(blocks,) how often each block ran: threads, warps."""

    @classmethod
    def of(cls, part: Part, threads: Floats, warps: Floats) -> Counted:
        """Sums per block."""
        work = part.work
        return cls(part, threads, warps, work.executed(threads, warps), (work.entered(threads), work.entered(warps)))


@dataclass
class Book:
    """Sums of the work on both sides, and how much of it stands in matched blocks."""

    source: dict[str, float]
    target: dict[str, float]
    matched: dict[str, float]
    inferred: dict[str, float]
    """Target work in blocks without a counterpart, by the executions of the block before."""
    executions: Executions
    weight: float = 0.0
    """Executed work of any kind, for kernels without floating-point operations."""
    weight_matched: float = 0.0

    def add_lost(self, side: Counted) -> None:
        """Book a part without counterpart: the best guess is the same work."""
        work = side.part.work
        for amount, values in zip(work.of_instructions.names, side.done, strict=True):
            done = float(values[side.part.blocks].sum())
            for totals in (self.source, self.target, self.inferred):
                add(totals, amount, done)
        self.weight += float((work.neutral * side.entered[0])[side.part.blocks].sum())

    def add_pairs(self, side: Counted, partner: Part, pairs: tuple[tuple[int, int], ...]) -> None:
        """Book matched blocks, and what stands in blocks without a counterpart on either side."""
        here = np.array([i for i, _ in pairs], np.intp)
        there = np.array([j for _, j in pairs], np.intp)
        mine, theirs = side.part.work, partner.work
        by_warp = dict(zip(mine.of_instructions.names, mine.of_instructions.by_warp, strict=True))
        by_warp |= dict(zip(theirs.of_instructions.names, theirs.of_instructions.by_warp, strict=True))
        for amount in sorted(by_warp):
            done = mine.amount(amount, side.done)
            # Blocks without a counterpart count here only: their work may have moved into a neighbour.
            add(self.source, amount, float(done[side.part.blocks].sum()))
            add(self.matched, amount, float(done[here].sum()))
            static, wanted = mine.amount(amount, mine.static)[here], theirs.amount(amount, theirs.static)[there]
            fresh = wanted * side.entered[int(by_warp[amount])][here]
            scaled = done[here] * wanted / np.where(static > 0, static, 1.0)
            moved = np.where(static > 0, np.where(static == wanted, done[here], scaled), fresh)
            add(self.target, amount, float(moved.sum()))
        weights = mine.neutral * side.entered[0]
        self.weight += float(weights[side.part.blocks].sum())
        self.weight_matched += float(weights[here].sum())
        self.spread(side, partner, here, there)
        self.add_unmatched_target(side, partner, dict(zip(there.tolist(), here.tolist(), strict=True)))

    def spread(self, side: Counted, partner: Part, here: NDArray[np.intp], there: NDArray[np.intp]) -> None:
        """Write the executions of the source's blocks onto the instructions of their counterparts."""
        mine, theirs = side.part.work, partner.work
        name = partner.graph.function.name
        counts = ((self.executions.threads, side.threads, side.entered[0]),
                  (self.executions.warps, side.warps, side.entered[1]))  # fmt: skip
        for columns, executed, entered in counts:
            always, guarded = np.zeros(len(theirs.first)), np.zeros(len(theirs.first))
            always[there] = entered[here]
            guarded[there] = mine.under_guard(executed, entered)[here]
            column = columns.setdefault(name, np.zeros(len(theirs.is_free)))
            # Several copies of a subroutine may meet in one.
            column += np.where(theirs.is_free, np.repeat(always, theirs.size), np.repeat(guarded, theirs.size))

    def add_unmatched_target(self, side: Counted, partner: Part, source_of: dict[int, int]) -> None:
        """Book target blocks without a counterpart, as often executed as the matched block before them."""
        work, graph = partner.work, partner.graph
        name = graph.function.name
        last: dict[int, int] = {}
        for number in partner.blocks:
            block = graph.blocks[number]
            if number in source_of:
                last[block.depth] = source_of[number]
                continue
            like = last.get(block.depth)
            if like is None or work.is_padding[number]:
                continue
            often = side.entered[0][like], side.entered[1][like]
            self.executions.threads[name][block.first : block.end] += often[0]
            self.executions.warps[name][block.first : block.end] += often[1]
            amounts = work.of_instructions
            for amount, is_by_warp, static in zip(amounts.names, amounts.by_warp, work.static[:, number], strict=True):
                for totals in (self.target, self.inferred):
                    add(totals, amount, float(static * often[int(is_by_warp)]))

    def coverage(self) -> float:
        """Share of the executed floating-point work in matched blocks, on the side where it is smaller."""
        flops = sum(self.source.get(a, 0.0) for a in FLOPS) - self.source.get(PHANTOM, 0.0)
        if flops <= 0:
            return self.weight_matched / self.weight if self.weight else 1.0
        matched = sum(self.matched.get(a, 0.0) for a in FLOPS) - self.matched.get(PHANTOM, 0.0)
        there = sum(self.target.get(a, 0.0) for a in FLOPS) - self.target.get(PHANTOM, 0.0)
        guessed = sum(self.inferred.get(a, 0.0) for a in FLOPS) - self.inferred.get(PHANTOM, 0.0)
        return max(0.0, min(matched / flops, 1 - guessed / there if there > 0 else 1.0))


def add(totals: dict[str, float], amount: str, value: float) -> None:
    """Add to one entry; work that was never executed leaves no entry."""
    if value:
        totals[amount] = totals.get(amount, 0.0) + value
