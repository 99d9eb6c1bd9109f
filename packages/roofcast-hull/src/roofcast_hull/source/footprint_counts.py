"""How many elements of its arrays and how many operations a launch has, as classes count them, from blocks that ran."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import one_line
from roofcast_hull.emulated.kernel_text import KernelText, list_loop_turns
from roofcast_hull.emulated.launch import CodeAmounts
from roofcast_hull.emulated.origin_sets import Taken, count_unplaced, count_useful, find_used, list_outputs
from roofcast_hull.emulated.origins import Origins
from roofcast_hull.source.nest import SourceError

SAME = 0.06
"""Share by which counted elements of an array may miss a number that the file says."""
NEAR = 0.01
"""The same where another number may be meant."""
EXACT = 1e-5
"""Share by which a product of the file's numbers is met."""
LEAST_USEFUL = 0.02
"""Share of the operations that ran that results follow from: of trees that threads join values in it is a tenth."""
FEW_OPERATIONS = 0.02
"""Share of the operations that may be counted otherwise."""
MOST_BORDER = 1.3
"""Elements of an array over the units in it that take a neighbourhood: those at its border are none."""

MOST_LONG = 1 << 24
"""Elements of a row."""

Ints = NDArray[np.int64]


@dataclass(slots=True)
class Unit:
    """Results that are computed together."""

    block: int
    outputs: dict[str, Ints]
    taken: Taken = field(default_factory=Taken)


def list_literals(node: Any) -> Iterator[Any]:
    """Whole numbers in a tree."""
    if type(node).__name__ == "Constant" and node.type.endswith("int"):
        yield node
    for _, child in node.children():
        yield from list_literals(child)


class LaunchCounts:
    """Counts of one launch.

    amounts : of blocks spread over the grid. origins : what a few blocks did, value by value. blocks : of the grid.
    whole : whether results count of turns of which one ran for many.
    """

    def __init__(
        self, opened: KernelText, amounts: CodeAmounts, origins: Origins, blocks: int, *, whole: bool = True
    ) -> None:
        self.opened, self.amounts, self.origins, self.blocks = opened, amounts, origins, blocks
        self.every = [list_outputs(b) for b in origins.blocks]
        self.outputs = self.every if whole else [list_outputs(b, whole=False) for b in origins.blocks]
        hidden = any(s.hidden and not s.updated for b in origins.blocks for s in b.stored)
        self.sampled, self.mixed = hidden and not whole, hidden and whole
        """Whether results of turns of which one ran for many are left out, or as if each took what all of them do."""
        self.ran = [k for k, outs in enumerate(self.outputs) if any(len(o.elements) for o in outs)]
        self.of_block: dict[int, float] = {}
        """Operations that count of blocks that ran, when they were last counted."""
        self.unplaced: dict[int, float] = {}
        self.followed: dict[int, NDArray[np.bool_]] = {}
        """Of them what is the same for all units: operations less those on indices, and what results follow from."""
        self.numbers = sorted({v for n, v in opened.sizes.items() if v > 1 and "Dim." not in n})

    def list_rows(self) -> list[int]:
        """Numbers that may be lengths of rows: those of the file, of the kernel's own text, and of the launch."""
        stated = {*self.numbers, *(v for n, v in self.opened.sizes.items() if "Dim." in n)}
        for item in (*self.opened.tree.ext, self.opened.function):
            if type(item).__name__ == "Decl" or item is self.opened.function:
                stated |= {int(c.value.rstrip("uUlL"), 0) for c in list_literals(item)}
        return sorted(n for n in stated if 1 < n < MOST_LONG)

    def count_operations(self, units: Sequence[Unit] = (), threads_of: Mapping[int, Ints] | None = None) -> float:
        """Operations of the launch, as classes count them.

        units : all of the blocks that ran, where they are known. threads_of : block -> the unit that each thread is of.

        Raises
        ------
        SourceError : threads that work on one unit compute the same numbers.
        """
        useful = counted = placed = 0.0
        threads = math.prod(self.opened.sizes.get(f"blockDim.{a}", 1) for a in "xyz")
        number = Counter(u.block for u in units)
        for k in self.ran:
            block = self.origins.blocks[k]
            counted += block.operations
            if not (self.amounts.together or self.origins.together):
                if k not in self.unplaced:
                    self.unplaced[k] = count_unplaced(block, self.every[k])
                self.of_block[k] = self.unplaced[k]
                useful += self.of_block[k]
                placed += block.operations - self.of_block[k]
                continue
            few = 0 < number[k] < threads / 2
            unit_of = self.find_unit_of([u for u in units if u.block == k], k) if few else None
            if threads_of and k in threads_of:
                unit_of = threads_of[k]
            if k not in self.followed:
                self.followed[k] = find_used(block, self.every[k])
            of_data = count_useful(block, self.every[k], number[k] or math.inf, unit_of, self.followed[k])
            if few and block.uniform > FEW_OPERATIONS * of_data:
                raise SourceError("threads that work on one unit compute the same numbers")
            self.of_block[k] = block.uniform + of_data
            useful += self.of_block[k]
        # Keys, counters and random numbers that results are computed from are none of the nodes.
        keys = self.amounts.operations_of_keys
        if useful + placed < LEAST_USEFUL * counted:
            # Counts of a block, which their results follow from only where data happen to lead.
            raise SourceError("hardly any of what its blocks compute is seen to lead to their results")
        if self.takes_own:
            return useful / len(self.ran) * self.blocks + keys
        return self.amounts.operations * (useful / counted if counted else 1.0) + keys

    @property
    def takes_own(self) -> bool:
        """Whether operations are those of the blocks that were followed: all alike, where others left out turns, or
        where some of what they do counts.
        """
        operations = {self.origins.blocks[k].operations for k in self.ran}
        alike = len(operations) == 1 and len(self.ran) == len(self.origins.blocks)
        exact = self.amounts.is_exact and not self.origins.together
        return alike and not exact and not self.opened.of_nest

    def count_of_results(self, array: str, elements: int) -> float | None:
        """Operations of the launch where each result takes as many in all blocks that ran; None where it does not.

        array : what results are elements of. elements : of them all. Other blocks, of which some are cut, are no guess
        then.
        """
        if self.sampled or self.mixed or self.amounts.operations_of_keys or self.opened.of_nest:
            return None
        shares = []
        for k in self.ran:
            results = sum(len(o.elements) for o in self.every[k] if o.array == array)
            shares.append(self.of_block[k] / results if results else math.nan)
        alike = len(shares) > 1 and max(shares) <= min(shares) * (1 + EXACT)
        return shares[0] * elements if alike else None

    def find_unit_of(self, units: Sequence[Unit], k: int) -> Ints | None:
        """The unit that each thread of a block stores results of; None where one stores those of several."""
        numbers = np.full(self.origins.blocks[k].lanes, -1, dtype=np.int64)
        for o in self.outputs[k]:
            number = {int(e): n for n, u in enumerate(units) for e in u.outputs.get(o.array, ())}
            elements, lanes = (o.elements, o.lanes) if o.parts is None else o.parts
            for lane, element in zip(lanes.tolist(), elements.tolist(), strict=True):
                if numbers[lane] not in (-1, number[element]):
                    return None
                numbers[lane] = number[element]
        return numbers

    def count_moved(self, kinds: Sequence[str], array: str) -> float:
        """Elements of an array that the launch touches."""
        base = self.origins.find_base(array)
        if base not in self.origins.kinds or any((k, array) in self.amounts.moved for k in kinds):
            base = array
        kind = self.origins.kinds[base]
        bytes_each = self.origins.touched.get(base, kind.size)
        most = max((self.amounts.moved.get((k, base), 0.0) for k in kinds), default=0.0)
        if "updated" in kinds:
            most = max(most, self.amounts.moved.get(("updated", base), 0.0) * kind.size)
        if kind.members and base != array:
            # Of structures and short vectors single members are touched where they are read, or written, one by one.
            return max((self.count_member(k, base, array) for k in kinds), default=0.0)
        return most / max(1, bytes_each)

    def count_member(self, kind: str, base: str, array: str) -> float:
        """Elements of one member of structures that are touched in one way; 0 where others alone are."""
        loaded = {c.array for b in self.origins.blocks for c in b.chunks if c.left is None}
        stored = {(o.array, o.updated) for outs in self.outputs for o in outs}
        of_kind = loaded if kind == "read" else {a for a, updated in stored if updated == (kind == "updated")}
        members = {a for a in of_kind if a.startswith(f"{base}.")}
        whole = sum(self.origins.kinds[m].size for m in members)
        return self.amounts.moved.get((kind, base), 0.0) / whole if array in members else 0.0

    def round_count(self, count: float, array: str, others: Sequence[float] = ()) -> int:
        """Elements of an array: as many as the file allocates, or another number that it says, where that is near."""
        base = self.origins.find_base(array).partition("#")[0]
        allocated = self.opened.allocated.get(array, self.opened.allocated.get(base, 0))
        products = [math.prod(c) for n in (1, 2, 3) for c in combinations(self.numbers[:24], n)]
        for share, stated in (
            (EXACT, products), (NEAR, [allocated]), (NEAR, others),
            (SAME, [allocated]), (SAME, others), (NEAR, products),
        ):  # fmt: skip
            near = [x for x in stated if x and abs(count / x - 1) <= share]
            if near:
                return round(min(near, key=lambda x: abs(count / x - 1)))
        return max(1, round(count))

    def count_written(self, array: str, kinds: Sequence[str] = ("written",)) -> int:
        """Elements of an array that the launch writes. kinds : of accesses."""
        written = {
            self.origins.blocks[k].at: len(o.elements) for k in self.ran for o in self.every[k] if o.array == array
        }
        count = self.count_moved(kinds, array)
        turns = math.prod(list_loop_turns(self.opened.sizes))
        if self.opened.of_nest and abs(count / turns - 1) <= SAME:
            # Each turn writes one.
            return turns
        most = max(written.values(), default=0)
        full = most * self.blocks
        if self.opened.of_nest and full and not any(s.hidden for b in self.origins.blocks for s in b.stored):
            # No two turns write one element: what several loops of a turn write again is not more.
            count = min(count, float(full))
        if full - most < count < full and count == int(count):
            # The last block is cut.
            full = int(count)
        return self.round_count(count, array, [full] if not self.opened.allocated.get(array) else [])

    def count_elements(self, array: str, number: int) -> int:
        """Elements of an array that the launch reads."""
        if array in self.origins.tables:
            return self.origins.tables[array]
        touched = self.count_moved(("read", "updated", "written"), array)
        if touched <= 0:
            raise SourceError(f"how much it reads of '{one_line(array, 40)}' is not counted")
        return self.round_count(touched, array, [number])

    def weigh_results(self, array: str, elements: int) -> float:
        """Results of the launch, so many elements of an array, over those of the mean block that ran times all blocks.

        Blocks that are cut at the end of the grid, and those at borders, are more of those that ran than of all.
        """
        base = array if ("written", array) in self.amounts.of_block else self.origins.find_base(array)
        size = self.origins.kinds[base].size
        if base != array:
            stored = {o.array for outs in self.outputs for o in outs}
            size = sum(self.origins.kinds[a].size for a in stored if a.startswith(f"{base}."))
        every = self.amounts.of_block.get(("written", base), ())
        written = sum(v / size * t for v, t in zip(every, self.amounts.stands_for, strict=False))
        if self.takes_own:
            mine = [len(o.elements) for k in self.ran for o in self.every[k] if o.array == array]
            written = sum(mine) * self.blocks / max(1, len(mine))
        if not written:
            return 1.0
        share = elements / written
        return share if 1 / MOST_BORDER <= share <= MOST_BORDER else 1.0
