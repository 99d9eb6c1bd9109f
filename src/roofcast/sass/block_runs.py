r"""How often each basic block of a kernel runs, where nobody counted it: from what the lines of its source do.

.. math:: \min_{w, x} \; \sum_l |r_l| + \epsilon \sum_b n_b w_b \quad\text{s.t.}\quad
    \sum_{e \to b} x_e = w_b = \sum_{b \to e} x_e, \quad \sum_b a_{lb} w_b = A_l + r_l, \quad
    w_h \le k_h \sum_{e \to h} x_e

w : runs of a block b, with n instructions. x : of an edge between blocks; the entry runs once. A : what line l of the
source stores, else computes in floating point, else loads; a : what one pass of the block does of that. r : what
remains. k : turns of the loop with head h for each time that it is entered. All are of a warp.

Reason: compilers write several turns of a loop out, split loops and leave loads out, so that no count of turns belongs
to a block; what they store and compute in all stays. Of ways that do the same work, the one with fewest instructions
runs: several turns at a time, and no way round for rare operands. A loop of t turns for each entry takes
:math:`\lfloor t / u \rfloor` passes of the copy with most turns (u), and what is left of the next. Where lanes of a
warp take both sides of a branch both run, and where none takes a guarded instruction it does no work: flows may end and
begin at branches and joins at a price, and guarded work may be less.

Worked example: a loop of 100 turns with one store each, of which the code writes four out in one block and one in
another: :math:`4 w_1 + w_2 = 100` with fewest instructions is 25 passes of the first and none of the second.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np

from roofcast.core.records import dataclass
from roofcast.kit.linear_programme import LinearProgramme
from roofcast.sass.blocks import Block, Graph, dominates, find_dominators, find_loops, reverse_postorder
from roofcast.sass.cubin import Cubin, Function
from roofcast.sass.instructions import FLOPS_PER_THREAD
from roofcast.sass.work import ALWAYS, Floats, graph_of

SOLVER = ("sass", "runs of the blocks of machine code")
"""The extra that the solver comes with, and what needs it."""
TELLING = ("store global", "store shared", "flops_fp64", "flops_fp32", "load global", "load shared")
"""What tells how often a line runs, the surest first: compilers leave loads out, and work whose result stays."""
MEMORY = {
    "STG": "store global", "ST": "store global", "STS": "store shared", "LDG": "load global", "LD": "load global",
    "LDS": "load shared",
}  # fmt: skip
RUNS, DONE, CALLS = "runs", "done", "calls"
"""Kinds of work of a line: runs of the statement on it that runs most often, and of the one that computes or stores and
runs least often; functions that were called and are computed in several operations."""
ROUND_ABOUT, CALLED = 0.3, 60.0
"""Price of a run that begins or ends at a join or a branch, in instructions that a line lacks; instructions of a
subroutine of the toolkit (slow paths of divisions and roots)."""
UNSEEN = 0.3
"""The same of a run that a line without telling work lacks."""
INSTRUCTION = 1e-3
"""The same of an instruction: it decides between ways that do the same work, and nothing else."""
MOST_BLOCKS = 3000
"""Blocks of a kernel whose runs are asked for: the programme of so many takes seconds."""
SEVERAL = 1.01
"""Turns of a source loop in a pass of a block beyond which they are several."""
WHOLE = 1e-3
"""By how far turns may miss a whole number."""

Key = tuple[int, str]
"""Line of a statement, and kind of work."""
Place = tuple[int, int]
"""Line and column of a loop."""


@dataclass(frozen=True)
class SourceWork:
    """What the source of a launch does, for each of its warps."""

    statements: tuple[int, ...]
    """Lines on which statements begin, in order."""
    amounts: Mapping[Key, float]
    """B or FLOP of a thread, runs and calls, each times the warps that do them."""
    loops: Mapping[Place, Mapping[float, float]]
    """Of each loop, turns after it was entered -> how often it was entered for so many."""
    around: Mapping[int, tuple[Place, ...]]
    """Loops around the statements of each line, outermost first."""
    lanes: Mapping[int, float]
    """Lanes of a warp that run what stands on each line, in the mean."""

    def line_of(self, line: int) -> int:
        """The line of the statement that a line belongs to; 0 where there is none."""
        at = bisect_right(self.statements, line)
        return self.statements[at - 1] if at else 0

    def turns(self, place: Place) -> float:
        """Turns of a loop for each time that it is entered."""
        entered = self.loops.get(place, {})
        return sum(t * n for t, n in entered.items()) / max(sum(entered.values()), 1e-12)

    def each(self, key: Key) -> float:
        """What a statement does of some work each time that it runs."""
        return self.amounts[key] / max(self.amounts.get((key[0], DONE), 0.0), 1e-12)


@dataclass(frozen=True)
class BlockRuns:
    """How often blocks run."""

    runs: Floats
    """(blocks,) of a warp; 0 for those that are not reached from the entry."""
    called: Mapping[str, float]
    """Function that stands elsewhere in the binary -> how often it is called."""
    lines: tuple[int, ...]
    """(instructions,) line of the statement of each; 0 where unknown."""
    missed: float
    """1; share of the instructions that do what lines tell, of which no runs of blocks make that amount."""
    loose: float
    """1; share of all executed instructions in loops of which no line tells how many turns a pass does."""


@dataclass
class Anatomy:
    """A kernel's blocks, and what they do of the work of each line."""

    graph: Graph
    lines: tuple[int, ...]
    reached: tuple[int, ...]
    before: Mapping[int, Sequence[int]]
    loops: Mapping[int, set[int]]
    """Head -> blocks."""
    inside: Mapping[int, set[int]]
    """Head -> blocks that are in no loop inside it."""
    parents: dict[int, int]
    """Immediate dominators."""
    free: Mapping[Key, Mapping[int, float]]
    """Amount of one pass of each block, by instructions without guard."""
    guarded: Mapping[Key, Mapping[int, float]]
    units: Mapping[Key, float]
    """Amount of an instruction, in the mean."""
    calling: frozenset[int] = frozenset()
    """Lines that call functions which are computed in several operations."""
    telling: dict[int, Key] = field(default_factory=dict)
    """Line -> what tells how often it runs."""
    bounded: set[int] = field(default_factory=set)
    """Heads of loops of which the passes are bounded."""

    def block(self, number: int) -> Block:
        """A block."""
        return self.graph.blocks[number]

    def size(self, number: int) -> int:
        """Instructions of a block."""
        return self.block(number).end - self.block(number).first

    def depth(self, head: int) -> int:
        """Loops around a loop, itself counted."""
        return sum(head in blocks for blocks in self.loops.values())

    def amount(self, key: Key, blocks: set[int] | Sequence[int]) -> float:
        """What one pass of some blocks does."""
        return sum(of.get(key, {}).get(b, 0.0) for of in (self.free, self.guarded) for b in blocks)


def find_runs(cubin: Cubin, function: Function, work: SourceWork) -> BlockRuns | None:
    """Runs of a kernel's blocks; None where none agree with its branches, no line is known, or there are too many.

    Raises
    ------
    MissingExtraError : the solver is not installed.
    """
    anatomy = dissect(cubin, function, work)
    if not any(anatomy.lines) or len(anatomy.reached) > MOST_BLOCKS:
        return None
    copies = find_copies(anatomy, work)
    passes, bounds = share_turns(anatomy, work, copies)
    anatomy.bounded.update(passes)
    programme = Flows(anatomy)
    for head, most in passes.items():
        programme.bound_loop(head, most)
    for blocks, most in bounds:
        programme.bound_copies(blocks, most)
    for key in anatomy.telling.values():
        programme.ask_work(key, work.amounts[key])
    for line, holders in blocks_of_lines(anatomy).items():
        if line not in anatomy.telling and work.amounts.get((line, RUNS), 0.0) > 0:
            turns = {b: count_turns(anatomy, work, copies, line, b) for b in holders}
            programme.ask_runs(turns, work.amounts[line, RUNS])
    runs = programme.solve()
    if runs is None:
        return None
    called = run_called(anatomy.graph, runs)
    sizes = np.array([b.end - b.first for b in anatomy.graph.blocks], np.float64)
    working = {b for key in anatomy.telling.values() for of in (anatomy.free, anatomy.guarded) for b in of.get(key, {})}
    loose = {b for inside in anatomy.inside.values() if not inside & working for b in inside}
    every = float(sizes @ runs)
    return BlockRuns(
        runs, called, anatomy.lines, programme.missed, float(sum(sizes[b] * runs[b] for b in loose)) / max(every, 1.0)
    )


def dissect(cubin: Cubin, function: Function, work: SourceWork) -> Anatomy:
    """Blocks of a kernel with the lines of its instructions."""
    graph = graph_of(cubin, function)
    table = cubin.source_lines(function.name)
    known = [] if table is None else [int(n) for n in table.line[: len(graph.code)]]
    lines = tuple(work.line_of(n) if n else 0 for n in [*known, *[0] * (len(graph.code) - len(known))])
    edges = [b.successors for b in graph.blocks]
    reached = find_reached(edges)
    edges = [e if b in reached else () for b, e in enumerate(edges)]
    before: dict[int, list[int]] = {b: [] for b in range(len(edges))}
    for block, following in enumerate(edges):
        for target in following:
            before[target].append(block)
    order = reverse_postorder(edges)
    parents = find_dominators(order, {b: i for i, b in enumerate(order)}, list(before.values()))
    loops = {head: blocks for head, blocks in find_loops(edges).items() if head in reached}
    inside = {
        head: blocks.difference(*(other for other in loops.values() if other < blocks))
        for head, blocks in loops.items()
    }
    free, guarded, units = count_work(graph, lines, reached, work)
    calling = frozenset(line for (line, kind), times in work.amounts.items() if kind == CALLS and times > 0)
    anatomy = Anatomy(
        graph, lines, tuple(sorted(reached)), before, loops, inside, parents, free, guarded, units, calling
    )
    for line in {line for line, _ in units}:
        keys = [(line, kind) for kind in TELLING if (line, kind) in units and work.amounts.get((line, kind), 0.0) > 0]
        if keys:
            anatomy.telling[line] = keys[0]
    return anatomy


def run_called(graph: Graph, runs: Floats) -> dict[str, float]:
    """Runs of the functions that a kernel calls; blocks of those inside of it run as often, whatever their branches."""
    called: dict[str, float] = defaultdict(float)
    for caller in [b for b, block in enumerate(graph.blocks) if block.calls and runs[b] > 0]:
        for name in graph.blocks[caller].calls:
            inside = [b for b, block in enumerate(graph.blocks) if block.part == name != graph.blocks[0].part]
            runs[inside] += runs[caller]
            called[name] += 0.0 if inside else float(runs[caller])
    return called


def find_reached(edges: Sequence[Sequence[int]]) -> set[int]:
    """Blocks that the entry leads to."""
    reached, waiting = {0}, [0]
    while waiting:
        for target in edges[waiting.pop()]:
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    return reached


def count_work(
    graph: Graph, lines: Sequence[int], reached: set[int], work: SourceWork
) -> tuple[dict[Key, dict[int, float]], dict[Key, dict[int, float]], dict[Key, float]]:
    """What a pass of each block does of the work of each line, without guard and with; and the mean instruction.

    Operations of lines that call functions or divide tell nothing: compilers make several of one.
    """
    code = graph.code
    names, widths, dead, phantom = code.name, code.width_bytes, code.is_dead, code.is_phantom
    free: dict[Key, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    guarded: dict[Key, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    amounts: dict[Key, list[float]] = defaultdict(list)
    for number in reached:
        block = graph.blocks[number]
        for i in range(block.first, block.end):
            name, line = str(names[i]), lines[i]
            if name in MEMORY:
                key, amount = (line, MEMORY[name]), float(widths[i])
            elif name in FLOPS_PER_THREAD and not phantom[i] and not work.amounts.get((line, CALLS)):
                resource, flops = FLOPS_PER_THREAD[name]
                key, amount = (line, resource.value), float(flops)
            else:
                continue
            if not dead[i]:
                (free if code.predicate[i] == ALWAYS else guarded)[key][number] += amount
                amounts[key].append(amount)
    return free, guarded, {key: sum(values) / len(values) for key, values in amounts.items()}


def blocks_of_lines(anatomy: Anatomy) -> dict[int, set[int]]:
    """Line -> blocks with instructions of it."""
    blocks: dict[int, set[int]] = defaultdict(set)
    for number in anatomy.reached:
        for i in range(anatomy.block(number).first, anatomy.block(number).end):
            blocks[anatomy.lines[i]].add(number)
    return blocks


Copies = dict[int, tuple[Place, float]]
"""Head -> the source loop that a loop is, and turns of it in each pass; NaN where no line tells."""


def find_copies(anatomy: Anatomy, work: SourceWork) -> Copies:
    """Which source loops the loops of the machine code are."""
    copies = {head: find_copy(anatomy, work, head) for head in anatomy.loops}
    return {head: copy for head, copy in copies.items() if copy is not None}


def find_copy(anatomy: Anatomy, work: SourceWork, head: int) -> tuple[Place, float] | None:
    """The source loop of a loop, and turns of it in one pass; those of blocks that each pass runs, if any has work."""
    inside, depth = anatomy.inside[head], anatomy.depth(head)
    latches = [b for b in anatomy.before[head] if b in anatomy.loops[head]]
    candidates: list[tuple[bool, float, Place]] = []
    for line, key in anatomy.telling.items():
        around = list(work.around.get(line, ()))
        blocks = [b for b in inside if anatomy.amount(key, (b,)) > 0]
        if not around or not blocks:
            continue
        several = anatomy.amount(key, blocks) / work.each(key)
        # Loops that were written out whole are no loops any more.
        while len(around) > max(1, depth) and several >= (1 - WHOLE) * work.turns(around[-1]):
            several /= max(1.0, work.turns(around.pop()))
        free = [b for b in blocks if b in anatomy.free.get(key, {})]
        always = any(all(dominates(b, latch, anatomy.parents) for latch in latches) for b in free)
        candidates.append((not always, several, around[-1]))
    if candidates:
        _, several, place = min(candidates)
        return place, max(1.0, several)
    lines = Counter(anatomy.lines[i] for b in inside for i in range(anatomy.block(b).first, anatomy.block(b).end))
    known = next((work.around[line] for line, _ in lines.most_common() if work.around.get(line)), ())
    return (known[min(depth, len(known)) - 1], math.nan) if known else None


Size = tuple[float, bool]
"""Turns of a source loop in a pass of its copy, and whether that is a loop."""


def share_turns(
    anatomy: Anatomy, work: SourceWork, copies: Copies
) -> tuple[dict[int, float], list[tuple[list[int], float]]]:
    """Passes of each loop for each time that it is entered; blocks that are copies of one size, and runs of them all.

    The copy with most turns takes as many as it can, the next one those that are left.
    """
    passes: dict[int, float] = {}
    bounds: list[tuple[list[int], float]] = []
    for place in {place for place, _ in copies.values()}:
        heads = [h for h, (p, _) in copies.items() if p == place]
        sizes: dict[Size, list[int]] = defaultdict(list)
        for head in heads:
            sizes[1.0 if math.isnan(copies[head][1]) else round(copies[head][1], 3), True].append(head)
        if max(sizes)[0] > SEVERAL:
            for block, several in find_plain_copies(anatomy, work, place, min(map(anatomy.depth, heads))):
                if several < max(work.loops[place]):
                    sizes[round(several, 3), False].append(block)
        for size, (taken, entered) in split_turns(work.loops[place], sorted(sizes, reverse=True)).items():
            passes |= {h: taken / entered if entered > 0 else 0.0 for h in sizes[size] if size[1]}
            bounds += [(sizes[size], taken)] if len(sizes) > 1 else []
    return passes, bounds


def split_turns(loop: Mapping[float, float], sizes: Sequence[Size]) -> dict[Size, tuple[float, float]]:
    """Passes of the copies of each size in all, and how often they are entered.

    loop : turns of a loop -> how often it is entered for so many. sizes : the largest first.

    >>> split_turns({9.0: 2.0}, [(4.0, True), (2.0, False), (1.0, True)])
    {(4.0, True): (4.0, 2.0), (2.0, False): (0.0, 0.0), (1.0, True): (2.0, 2.0)}
    """
    shares = dict.fromkeys(sizes, (0.0, 0.0))
    for turns, entered in loop.items():
        left = turns
        for several, is_loop in sizes:
            # Where lanes or warps turn differently often, half of a pass is left over in the mean.
            whole = abs(turns - round(turns)) < WHOLE
            most = math.floor(left / several + WHOLE) if whole else max(0.0, (left - (several - 1) / 2) / several)
            most = most if is_loop else min(1.0, most)
            most = most if whole or several > SEVERAL else left
            left -= most * several
            taken, times = shares[several, is_loop]
            shares[several, is_loop] = taken + most * entered, times + min(1.0, most) * entered
    return shares


def find_plain_copies(anatomy: Anatomy, work: SourceWork, place: Place, depth: int) -> list[tuple[int, float]]:
    """Blocks outside of a source loop's own loops with turns of it, and how many. depth : of those loops."""
    keys = [k for line, k in anatomy.telling.items() if (work.around.get(line) or (None,))[-1] == place]
    deep = set().union(*(blocks for head, blocks in anatomy.loops.items() if anatomy.depth(head) >= depth))
    plain: list[tuple[int, float]] = []
    for block in set(anatomy.reached) - deep:
        several = [s for k in keys if (s := anatomy.amount(k, (block,)) / work.each(k)) > 0]
        plain += [(block, min(several))] if several else []
    return plain


def count_turns(anatomy: Anatomy, work: SourceWork, copies: Copies, line: int, block: int) -> float:
    """How often a line without telling work runs in a pass of a block, by the loops that were written out there.

    Of a loop that the machine code has, what stands outside of it prepares it, and runs none of its turns.
    """
    heads = [h for h, inside in anatomy.inside.items() if block in inside]
    around, depth, several = work.around.get(line, ()), 0, 1.0
    if heads and heads[0] in copies:
        depth, of_pass = anatomy.depth(heads[0]), copies[heads[0]][1]
        several = 1.0 if math.isnan(of_pass) else of_pass
    if {place for place, _ in copies.values()} & set(around[depth:]):
        return 0.0
    return several * math.prod(max(1.0, work.turns(place)) for place in around[depth:])


def price_block(anatomy: Anatomy, number: int) -> float:
    """What a run of a block costs, in instructions.

    Where a function of the toolkit was written out, the way that computes is the usual one, not the short one of zeros
    and infinities.
    """
    block = anatomy.block(number)
    if block.calls:
        return anatomy.size(number) + CALLED * len(block.calls)
    if any(number in blocks for blocks in anatomy.loops.values() if not blocks & anatomy.bounded):
        return float(anatomy.size(number))
    names = anatomy.graph.code.name
    computing = [
        i for i in range(block.first, block.end)
        if str(names[i]) in FLOPS_PER_THREAD and anatomy.lines[i] in anatomy.calling
    ]  # fmt: skip
    return float(-len(computing) or anatomy.size(number))


class Flows:
    """Runs of blocks and edges as a linear programme."""

    def __init__(self, anatomy: Anatomy) -> None:
        self.anatomy, self.programme = anatomy, LinearProgramme(*SOLVER)
        self.asked: list[tuple[int, int, float]] = []
        self.missed = 0.0
        self.runs = {b: self.add(INSTRUCTION * price_block(anatomy, b)) for b in anatomy.reached}
        self.edges = {(b, t): self.add() for b in anatomy.reached for t in anatomy.block(b).successors}
        for block in anatomy.reached:
            self.keep_flow(block)

    def add(self, price: float = 0.0) -> int:
        """A variable from 0 on."""
        (at,) = self.programme.add(1, np.array([price]), np.zeros(1), np.full(1, np.inf)).tolist()
        return int(at)

    def row(self, values: Mapping[int, float], low: float, high: float) -> None:
        """A condition."""
        self.programme.row(list(values), list(values.values()), low, high)

    def keep_flow(self, block: int) -> None:
        """What enters a block runs it and leaves it; at branches lanes may part, at joins they meet."""
        before, following = self.anatomy.before[block], self.anatomy.block(block).successors
        entering = {self.edges[b, block]: 1.0 for b in before} | {self.runs[block]: -1.0}
        if len(before) > 1:
            entering[self.add(ROUND_ABOUT)] = -1.0
        start = -1.0 if block == 0 else 0.0
        self.row(entering, start, start)
        leaving = {self.edges[block, t]: 1.0 for t in following} | {self.runs[block]: -1.0}
        if len(following) > 1:
            leaving[self.add(ROUND_ABOUT)] = -1.0
        last = str(self.anatomy.graph.code.name[self.anatomy.block(block).end - 1])
        if last in ("EXIT", "RET") or not following:
            leaving[self.add()] = 1.0
        self.row(leaving, 0.0, 0.0)

    def bound_loop(self, head: int, most: float) -> None:
        """A loop's passes for each time that it is entered; one that asks before its first turn asks once more."""
        inside = self.anatomy.loops[head]
        latches = [b for b in self.anatomy.before[head] if b in inside]
        asks_first = head not in latches and any(t not in inside for t in self.anatomy.block(head).successors)
        passes = most + asks_first
        outside = {self.edges[b, head]: -passes for b in self.anatomy.before[head] if b not in inside}
        self.row({self.runs[head]: 1.0, **outside}, -np.inf, passes if head == 0 else 0.0)

    def bound_copies(self, blocks: Sequence[int], most: float) -> None:
        """Runs of some blocks together; more of them are priced as work that is missed."""
        self.row({**{self.runs[b]: 1.0 for b in blocks}, self.add(1.0): -1.0}, -np.inf, most)

    def ask_work(self, key: Key, amount: float) -> None:
        """What a line does in all; what its instructions with guards do may be less than they could."""
        unit, over, under = self.anatomy.units[key], self.add(1.0), self.add(1.0)
        free = {self.runs[b]: v / unit for b, v in self.anatomy.free.get(key, {}).items()}
        every = dict(free)
        for block, value in self.anatomy.guarded.get(key, {}).items():
            every[self.runs[block]] = every.get(self.runs[block], 0.0) + value / unit
        self.row({**free, over: -1.0}, -np.inf, amount / unit)
        self.row({**every, under: 1.0}, amount / unit, np.inf)
        self.asked.append((over, under, amount / unit))

    def ask_runs(self, turns: Mapping[int, float], runs: float) -> None:
        """How often a line without telling work runs at least. turns : of it in a pass of each block."""
        self.row({**{self.runs[b]: t for b, t in turns.items()}, self.add(UNSEEN): 1.0}, runs, np.inf)

    def solve(self) -> Floats | None:
        """(blocks,) runs; None where no flow is possible."""
        solution = self.programme.solve()
        if solution is None:
            return None
        missed = sum(float(solution.value[over] + solution.value[under]) for over, under, _ in self.asked)
        self.missed = missed / max(sum(amount for *_, amount in self.asked), 1e-9)
        runs = np.zeros(len(self.anatomy.graph.blocks))
        for block, at in self.runs.items():
            runs[block] = max(0.0, float(solution.value[at]))
        return runs
