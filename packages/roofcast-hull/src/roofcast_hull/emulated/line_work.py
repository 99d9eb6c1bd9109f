"""What each line of a kernel does while blocks of it run: accesses, operations, statements, turns of loops.

Machine code says what instructions a line became, and not how often they run; these counts do
(:mod:`roofcast.sass.block_runs`). All are times the warps that do them and the weight of the turn they are done in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roofcast.sass.block_runs import CALLS, DONE, RUNS, Place, SourceWork
from roofcast_hull.emulated.device_library import SUMS, find_name
from roofcast_hull.emulated.device_memory import Address, Slot
from roofcast_hull.emulated.thread_state import line_of
from roofcast_hull.emulated.threads import Threads
from roofcast_hull.emulated.traffic import Counts, LineCounts
from roofcast_hull.emulated.value_types import Type

LOOPS = ("For", "While", "DoWhile")
ONLY_LEAD = (*LOOPS, "Compound", "If", "Switch", "Case", "Default", "Break", "Continue", "EmptyStatement")
"""Statements that do nothing beside those inside of them and their conditions."""
DIGITS = 3
"""Of the turns of a loop, which are those of its warps in the mean."""


@dataclass
class Turning:
    """A loop that runs."""

    place: Place
    body: int
    """Identity of the statement that each turn runs."""
    turns: float = 0.0


class LineThreads(Threads):
    """A block that notes what each line does."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.line = 0
        self.noted = LineCounts()
        self.turning: list[Turning] = []
        self.plain: set[Place] = set()
        """Statements that compute or store."""
        self.around: dict[int, tuple[Place, ...]] = {}
        """Line -> loops around its statements; none where it runs in several places."""
        self.begin: list[int] = []
        """Lines on which statements begin, in order."""
        self.starts = set[int]()
        """Identities of what loops with a counter begin with."""
        self.counting = True
        """Whether operations are those that a compiler makes of the text."""

    def run_block(self, at: Sequence[int], function: Any, arguments: Mapping[str, Slot]) -> None:
        """Run a kernel on one block."""
        self.noted = self.traffic.counts.lines = LineCounts()
        super().run_block(at, function, arguments)

    def note(self, kind: str, amount: float) -> None:
        """Note what the statement that runs does."""
        if not self.silent:
            self.noted.amounts[self.line, kind] += amount * self.weight

    def run(self, node: Any) -> None:
        """Run a statement in the lanes that are on."""
        if node is None or not self.on.count:
            return
        line, label = self.line, type(node).__name__
        if self.turning and id(node) == self.turning[-1].body:
            self.turning[-1].turns += self.on.warps * self.weight
        if label != "Compound" and not self.silent and id(node) not in self.starts:
            self.line = line_of(node)
            place = place_of(node)
            self.noted.runs[place] += self.on.warps * self.weight
            self.noted.lanes[place] += self.on.count * self.weight
            if label not in ONLY_LEAD:
                self.plain.add(place)
            self.place_line()
        try:
            if label in LOOPS:
                self.run_turns(node)
            else:
                super().run(node)
        finally:
            self.line = line

    def place_line(self) -> None:
        """Note the loops around the statement that runs."""
        loops = tuple(t.place for t in self.turning)
        known = self.around.setdefault(self.line, loops)
        if known != loops:
            # A line with a loop and what is in it; else one that is called in several places.
            longer, shorter = (known, loops) if len(known) > len(loops) else (loops, known)
            self.around[self.line] = longer if longer[: len(shorter)] == shorter else ()

    def run_turns(self, node: Any) -> None:
        """Run a loop."""
        loop, entered, weight = Turning(place_of(node), id(node.stmt)), self.on.warps, self.weight
        self.starts.add(id(getattr(node, "init", None)))
        self.turning.append(loop)
        try:
            super().run(node)
        finally:
            self.turning.pop()
        if weight > 0 and not self.silent:
            turns = round(loop.turns / (entered * weight), DIGITS)
            self.noted.entered[loop.place, turns] += entered * weight

    def touch(self, place: Address, node: Any, *, stores: bool) -> Any:
        """Count an access to memory; returns where it goes."""
        before = self.traffic.counts.accesses
        at = super().touch(place, node, stores=stores)
        added = self.traffic.counts.accesses - before
        if added and not self.silent:
            self.noted.amounts[self.line, "store global" if stores else "load global"] += added * max(1, place.t.size)
        return at

    def touch_shared(self, place: Address, vector: Sequence[Any] = ()) -> None:
        """Count an access to shared memory; one with a vector loads."""
        self.note("load shared" if vector else "store shared", self.on.warps * place.t.size)
        super().touch_shared(place, vector)

    def count_operations(self, kind: Type, each: float) -> None:
        """Operations of all lanes that run."""
        if kind.real and self.counting:
            self.note(kind.computes.value, each * self.on.warps)
        super().count_operations(kind, each)

    def count_call(self, name: str, kind: Type) -> None:
        """What a function takes beyond one operation."""
        self.note(CALLS, self.on.warps)
        super().count_call(name, kind)

    def compute(self, name: str, values: list[Slot], node: Any) -> Slot:
        """A function of mathematics, or a conversion; only sums and products are instructions that count operations."""
        before, self.counting = self.counting, find_name(name) in SUMS
        try:
            return super().compute(name, values, node)
        finally:
            self.counting = before

    def sum_lines(self, blocks: Sequence[Counts], totals: Sequence[float]) -> SourceWork:
        """What lines do in a warp of the launch. totals : blocks that each stands for."""
        every = LineCounts()
        warps = sum(totals) * self.all.warps
        for counts, total in zip(blocks, totals, strict=True):
            if counts.lines is not None:
                every.add(counts.lines, total / max(1.0, warps))
        amounts = dict(every.amounts)
        lanes: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for place, runs in every.runs.items():
            line = place[0]
            amounts[line, RUNS] = max(amounts.get((line, RUNS), 0.0), runs)
            if place in self.plain:
                amounts[line, DONE] = min(amounts.get((line, DONE), runs), runs)
            lanes[line][0] += every.lanes[place]
            lanes[line][1] += runs
        loops: dict[Place, dict[float, float]] = defaultdict(dict)
        for (place, turns), times in every.entered.items():
            loops[place][turns] = times
        active = {line: on / runs for line, (on, runs) in lanes.items() if runs > 0}
        around = {line: tuple(p for p in places if p in loops) for line, places in self.around.items()}
        return SourceWork(tuple(self.begin), amounts, loops, around, active)


def place_of(node: Any) -> Place:
    """Line and column of a statement."""
    return line_of(node), int(getattr(getattr(node, "coord", None), "column", 0) or 0)


def list_statements(tree: Any) -> list[int]:
    """Lines on which statements of a file's functions begin, in order."""
    lines = set[int]()

    def walk(node: Any) -> None:
        inside = list(getattr(node, "block_items", None) or getattr(node, "stmts", None) or ())
        inside += [getattr(node, label, None) for label in ("iftrue", "iffalse", "stmt")]
        lines.update(line_of(n) for n in inside if n is not None and type(n).__name__ != "Compound")
        for _, child in node.children():
            walk(child)

    for item in tree.ext:
        if type(item).__name__ == "FuncDef":
            walk(item.body)
    return sorted(lines)
