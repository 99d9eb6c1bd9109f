"""Carry the execution counts of a launch over to the code of another binary, and recount the work there.

Unlike Van Lanker et al. 2024, section 4.2, which transfers active threads only for blocks with special functions, every
matched block is transferred: that costs nothing and also sees spills and changed loops. What a matched block does is
scaled instruction class by instruction class, so that equal code gives exactly equal work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR, Resource
from roofcast.sass.blocks import Graph, build_graph
from roofcast.sass.cubin import Cubin
from roofcast.sass.matching import MAX_CELLS, describe, match_blocks
from roofcast.sass.opcodes import Code, decode
from roofcast.sass.reports import Executions
from roofcast.sass.special import operation_of_subroutine, stable_name

Floats = NDArray[np.float64]
LEAST_COVERAGE = 0.95
BYTES_LOCAL = "bytes_local"
BYTES_GLOBAL = "bytes_global"
BYTES_SHARED = "bytes_shared_useful"
PHANTOM = "flops_phantom_fp16"
FLOPS = tuple(r.value for r in (*FLOPS_VECTOR, *FLOPS_TENSOR))
MAX_BLOCKS = 50_000


@dataclass(frozen=True, slots=True)
class Part:
    """One kernel or subroutine: consecutive blocks of a graph."""

    graph: Graph
    blocks: list[int]
    symbol: str


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


def executed_amounts(cubin: Cubin, executions: Executions) -> dict[str, float]:
    """Work of a launch: counts times what each instruction does. Phantom moves count, as in the hardware's counters."""
    total: dict[str, float] = {}
    for name, threads in executions.threads.items():
        function = cubin.function(name)
        if function is None:
            continue
        per_thread, per_warp = amounts_per_execution(decode(function.code, cubin.sm))
        if np.all(np.isnan(executions.warps[name])):
            per_warp = {}
        for values, counts in ((per_thread, threads), (per_warp, executions.warps[name])):
            for amount, each in values.items():
                if each.any():
                    total[amount] = total.get(amount, 0.0) + float(np.nansum(each * counts))
    return total


def reached_parts(cubin: Cubin, kernel: str, touched: frozenset[str] = frozenset()) -> dict[str, list[Part]]:
    """The kernel ('') and the subroutines that it can reach, by stable name, in layout order."""
    found: dict[str, list[Part]] = {}
    seen: set[str] = set()
    front = [kernel, *sorted(touched - {kernel})]
    while front:
        name = front.pop(0)
        function = cubin.function(name)
        if function is None or name in seen:
            continue
        seen.add(name)
        graph = build_graph(function, cubin.sm)
        groups: dict[str, list[int]] = {}
        for number, block in enumerate(graph.blocks):
            groups.setdefault(block.part, []).append(number)
            front += [c for c in block.calls if c != "?"]
        front += [target for target, _ in function.calls.values()]
        for symbol, blocks in groups.items():
            key = "" if symbol == kernel else stable_name(symbol)
            found.setdefault(key, []).append(Part(graph, blocks, symbol))
    return found


def static_amounts(parts: list[Part]) -> dict[str, float]:
    """Work of one pass through the code."""
    total: dict[str, float] = {}
    for part in parts:
        per_thread, per_warp = cached_amounts(part.graph)
        for amount, each in (*per_thread.items(), *per_warp.items()):
            value = sum(float(each[part.graph.blocks[b].first : part.graph.blocks[b].end].sum()) for b in part.blocks)
            if value:
                total[amount] = total.get(amount, 0.0) + value
    return total


def counterpart(cubin: Cubin, kernel: str) -> str | None:
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


def carry(source: Cubin, executions: Executions, kernel: str, target: Cubin) -> Carried | None:
    """Recount a launch for another binary; None where that binary has no such kernel.

    source : binary that ran. executions : its counts. kernel : linker name. target : the other binary.
    """
    other = counterpart(target, kernel)
    if other is None:
        return None
    here = reached_parts(source, kernel, frozenset(executions.threads))
    there = reached_parts(target, other)
    if any(len(p.graph.blocks) > MAX_BLOCKS for parts in (*here.values(), *there.values()) for p in parts):
        return None
    is_same_ptx = bool(source.ptx) and source.ptx == target.ptx
    book = Book({}, {}, {}, {}, Executions({}, {}, is_complete=False))
    matched: list[tuple[str, int, str, int]] = []
    lost: list[str] = []
    for part, partner in pair_parts(here, there):
        threads = executions.threads.get(part.graph.function.name)
        warps = executions.warps.get(part.graph.function.name)
        if threads is None or warps is None or not np.nansum(threads):
            continue
        if partner is None:
            lost.append(part.symbol)
            book.add_source(part, part.blocks, threads, warps, is_matched=False)
            continue
        common = common_lines(part, partner) if is_same_ptx else None
        pairs = match_blocks(part.graph, part.blocks, partner.graph, partner.blocks, common).pairs
        book.add_pairs(part, partner, pairs, threads, warps)
        matched += [(part.symbol, i, partner.symbol, j) for i, j in pairs]
    blocks = sum(len(p.blocks) for parts in here.values() for p in parts)
    return Carried(book.source, book.target, book.coverage(), tuple(matched), blocks, tuple(lost), book.executions)


def common_lines(part: Part, partner: Part) -> Floats | None:
    """(blocks, blocks) PTX lines that two blocks share, over the lines that either has; NaN where one has none."""
    here, there = part.graph.function.ptx_lines, partner.graph.function.ptx_lines
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
    weight_matched: float = 0.0

    def add_source(self, part: Part, blocks: list[int], threads: Floats, warps: Floats, *, is_matched: bool) -> None:
        """Book work of source blocks that stays where it is."""
        per_thread, per_warp = cached_amounts(part.graph)
        for number in blocks:
            block = part.graph.blocks[number]
            for values, counts in ((per_thread, threads), (per_warp, warps)):
                for amount, each in values.items():
                    done = float(np.nansum(each[block.first : block.end] * counts[block.first : block.end]))
                    if done:
                        add(self.source, amount, done)
                        if is_matched:
                            add(self.matched, amount, done)
                        else:  # its counterpart is unknown: the best guess is the same work
                            add(self.target, amount, done)
                            add(self.inferred, amount, done)
        self.book_weight(part, blocks, threads, is_matched=is_matched)

    def book_weight(self, part: Part, blocks: list[int], threads: Floats, *, is_matched: bool) -> None:
        """Executed work of any kind, for kernels without floating-point operations."""
        described = describe(part.graph, blocks).sum(axis=1)
        for number, each in zip(blocks, described, strict=True):
            done = float(each) * executions_of_block(part.graph, number, threads)
            self.weight += done
            self.weight_matched += done if is_matched else 0.0

    def add_pairs(
        self, part: Part, partner: Part, pairs: tuple[tuple[int, int], ...], threads: Floats, warps: Floats
    ) -> None:
        """Book matched blocks, and what stands in blocks without a counterpart on either side."""
        with_pair = {i for i, _ in pairs}
        alone = [i for i in part.blocks if i not in with_pair]
        self.add_source(part, [i for i, _ in pairs], threads, warps, is_matched=True)
        executed: dict[int, tuple[float, float]] = {}
        for i, j in pairs:
            self.scale(part, partner, (i, j), (threads, warps))
            executed[j] = executions_of_block(part.graph, i, threads), executions_of_block(part.graph, i, warps)
            self.spread(part, partner, (i, j), (threads, warps))
        self.add_unmatched_source(part, alone, threads, warps)
        self.add_unmatched_target(partner, executed)

    def scale(self, part: Part, partner: Part, pair: tuple[int, int], counts: tuple[Floats, Floats]) -> None:
        """Work of a source block, times what its counterpart does over what it does, amount by amount."""
        a, b = part.graph.blocks[pair[0]], partner.graph.blocks[pair[1]]
        here, there = cached_amounts(part.graph), cached_amounts(partner.graph)
        for kind in (0, 1):
            for amount in here[kind].keys() | there[kind].keys():
                mine, theirs = here[kind].get(amount), there[kind].get(amount)
                static = float(mine[a.first : a.end].sum()) if mine is not None else 0.0
                wanted = float(theirs[b.first : b.end].sum()) if theirs is not None else 0.0
                if static and mine is not None:
                    done = float(np.nansum(mine[a.first : a.end] * counts[kind][a.first : a.end]))
                    add(self.target, amount, done if static == wanted else done * wanted / static)
                elif wanted:
                    add(self.target, amount, wanted * executions_of_block(part.graph, pair[0], counts[kind]))

    def spread(self, part: Part, partner: Part, pair: tuple[int, int], counts: tuple[Floats, Floats]) -> None:
        """Write the executions of a source block onto the instructions of its counterpart."""
        block, other = part.graph.blocks[pair[0]], partner.graph.blocks[pair[1]]
        function = partner.graph.function
        always = partner.graph.code.predicate[other.first : other.end] == 7
        guarded = part.graph.code.predicate[block.first : block.end] != 7
        for columns, values in ((self.executions.threads, counts[0]), (self.executions.warps, counts[1])):
            column = columns.setdefault(function.name, np.zeros(function.instruction_count))
            entered = executions_of_block(part.graph, pair[0], values)
            inside = values[block.first : block.end][guarded]
            under_guard = float(np.nanmean(inside)) if len(inside) and not np.all(np.isnan(inside)) else entered
            # Several copies of a subroutine may meet in one.
            column[other.first : other.end] += np.where(always, entered, under_guard)

    def add_unmatched_source(self, part: Part, blocks: list[int], threads: Floats, warps: Floats) -> None:
        """Book source blocks without a counterpart: their work may have moved into a neighbour."""
        per_thread, per_warp = cached_amounts(part.graph)
        for number in blocks:
            block = part.graph.blocks[number]
            for values, counts in ((per_thread, threads), (per_warp, warps)):
                for amount, each in values.items():
                    done = float(np.nansum(each[block.first : block.end] * counts[block.first : block.end]))
                    if done:
                        add(self.source, amount, done)
        self.book_weight(part, blocks, threads, is_matched=False)

    def add_unmatched_target(self, partner: Part, executed: dict[int, tuple[float, float]]) -> None:
        """Book target blocks without a counterpart, as often executed as the matched block before them."""
        amounts = cached_amounts(partner.graph)
        last: dict[int, tuple[float, float]] = {}
        for number in partner.blocks:
            block = partner.graph.blocks[number]
            if number in executed:
                last[block.depth] = executed[number]
                continue
            often = last.get(block.depth)
            if often is None or is_padding(partner.graph, number):
                continue
            for columns, entered in ((self.executions.threads, often[0]), (self.executions.warps, often[1])):
                column = columns.setdefault(partner.graph.function.name, np.zeros(len(partner.graph.code)))
                column[block.first : block.end] += entered
            for kind in (0, 1):
                for amount, each in amounts[kind].items():
                    work = float(each[block.first : block.end].sum()) * often[kind]
                    if work:
                        add(self.target, amount, work)
                        add(self.inferred, amount, work)

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


def cached_amounts(graph: Graph) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Work per execution of a graph's instructions, computed once per graph (a few graphs are kept)."""
    key = id(graph)
    found = AMOUNTS.get(key)
    if found is None or found[0] is not graph:
        if len(AMOUNTS) >= 64:
            AMOUNTS.pop(next(iter(AMOUNTS)))
        per_thread, per_warp = amounts_per_execution(graph.code)
        found = graph, ({k: v for k, v in per_thread.items() if v.any()}, per_warp)
        AMOUNTS[key] = found
    return found[1]


AMOUNTS: dict[int, tuple[Graph, tuple[dict[str, Floats], dict[str, Floats]]]] = {}


def executions_of_block(graph: Graph, number: int, counts: Floats) -> float:
    """How often a block was entered: its instructions without guard say so, else the most executed one."""
    block = graph.blocks[number]
    inside = counts[block.first : block.end]
    free = inside[graph.code.predicate[block.first : block.end] == 7]
    usable = free if len(free) else inside
    return float(np.nanmax(usable)) if len(usable) and not np.all(np.isnan(usable)) else 0.0


def is_padding(graph: Graph, number: int) -> bool:
    """Whether a block only fills up: the branch to itself behind the last exit, and no-operations."""
    block = graph.blocks[number]
    return graph.blocks[number].successors == (number,) or bool(
        np.all(graph.code.is_one_of("NOP")[block.first : block.end])
    )
