r"""The class of a kernel from what its results are computed from, however it is written.

Some blocks of a launch run (:mod:`roofcast_hull.emulated.origins`). Results that are computed from the same elements,
or share most of their work, are one unit of work; with S_x(u), the elements of array x that unit u takes, and p(u), the
place of the element that it writes,

.. math:: S_x(u) = S_x(v) \ \forall u, v \;(full), \qquad |S_x(u)| = 1 \;(element), \qquad
   S_x(u) \cap S_x(v) \in \{\emptyset, S_x(u)\} \;(tile), \qquad S_x(u) - p(u) \subseteq O_x \;(neighbourhood)

O_x : the offsets that many units take, a box in rows that :mod:`.footprint_rows` finds. Single elements are those of
the places, or follow from digits of them (rows and columns exchanged, one for each channel). Terms of sums that all
units add to are the units themselves. What fits none of these, fits several, or depends on data is refused: a class
that is spelled wrongly is worse than none, for bytes and operations are counted all the same (:mod:`.counted`).

Operations are those that ran; where threads work together those alone that some result follows from, what several
threads of a unit compute alike once, and those of trees that join sums never.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import one_line
from roofcast_hull.bounds import ELEMENT_TYPES
from roofcast_hull.classes import find_family
from roofcast_hull.emulated.kernel_text import KernelText, list_loop_turns
from roofcast_hull.emulated.launch import CodeAmounts, emulate, pick_blocks
from roofcast_hull.emulated.origin_sets import (
    AT_ONCE,
    Output,
    Taken,
    find_taken,
    find_terms,
    has_known_places,
    measure_sharing,
    sign,
)  # fmt: skip
from roofcast_hull.emulated.origins import Origins, follow_origins
from roofcast_hull.emulated.value_types import VECTORS, Type
from roofcast_hull.notation import ClassTextError, Pattern, parse_class
from roofcast_hull.source.footprint_counts import MOST_BORDER, NEAR, SAME, LaunchCounts, Unit
from roofcast_hull.source.footprint_roles import find_roles
from roofcast_hull.source.footprint_rows import (
    WHOLE,
    Window,
    find_sizes,
    find_window,
    list_orders,
    measure_box,
    take_digits,
)
from roofcast_hull.source.footprint_steps import find_progressions, fit_steps, list_turns, read_turns
from roofcast_hull.source.found_class import MEAN_SIDE, MEMBERS, STAGES, Found, join_members, pair_parts
from roofcast_hull.source.group_class import is_coefficients
from roofcast_hull.source.launch_check import compare_blocks, compare_bytes, open_launch
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.staged_class import name_element

BLOCKS = 6
"""Blocks that run, beside the first and the last."""
MOST_ENDS = 4
"""Lengths of rows for which a block runs in which one ends."""
MOST_OF_NEST = 60_000
"""Statements of the blocks that count what turns of a nest move and compute."""
MOST_RESULTS = 300_000
"""Elements that the blocks that run write."""
SHARED_WORK = 0.5
"""Operations of a unit for each element that it takes, below which units share work."""
FEW_TAKEN = 9
"""Elements that a unit may take without an operation for each."""
LEAST_NESTED, MOST_NESTED = 2, 1024
"""Arrays of results of which some are inside of others, and how many more these are; of those others in a block."""
LEAST_TOUCHED = 0.9
"""Share of the bytes of a structure with arrays that are read or stored: the rest is what fills it up."""
LEAST_SHARED = 1.5
"""Operations of the results of a unit, each for itself, over those of the unit."""
VECTOR_LENGTHS = (1, 2, 4, 8, 16)
"""Elements that a thread takes at once."""
MISSED = 0.02
"""Share of the rows of an array that the count of what blocks touch may miss."""
NEIGHBOURING = 30
"""Terms of a sum that follow each other, of those that are followed back."""
LEAST_TAKEN = 0.7
"""Share of the units that take of an array."""
THIN = 0.03
"""Share of an array that borders are, of which it does not matter whether they have results."""
MOST_OF_LOOK_UP = 64
"""Results that one unit makes of the elements that data choose for it."""
BY_CHANCE = 0.15
"""Share of the elements that data choose for a unit which may be the same as others."""
MOST_ALIKE = 0.9
"""Share of the units that take alike, where no borders are."""

ROLE = re.compile(r"#\d+")
"""What the names of arrays hold beside them where places of the code load them in several roles."""
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fitted:
    """One array of a class, as text, with bytes of an element."""

    array: str
    text: str
    elements: int
    kind: Type

    def resize(self, number: int, rows: str) -> Fitted:
        """Of as many elements as there are places, but for a border, as many, in the rows of these."""
        near = self.text == f"{self.elements}|element" and 1 / MOST_BORDER <= self.elements / number <= 1 + SAME
        return replace(self, text=f"{rows}|element", elements=number) if near else self


def classify_footprint(text: str, sizes: Mapping[str, int], function: str) -> Found:
    """The class of a launched kernel.

    Raises
    ------
    SourceError : what its results are computed from fits no pattern, or what runs depends on data; with the reason.
    """
    return classify_opened(*open_launch(text, function, tuple(sorted(sizes.items()))))


def classify_nest(opened: KernelText, check: Callable[[Origins], None], blocks: int | None = None) -> Found:
    """The class of a nest of loops. check : what refuses it for what its turns did. blocks : how many run at most.

    Raises
    ------
    SourceError : as above, or turns wait for each other.
    """
    launch = opened.tree, opened.function, opened.sizes, opened.allocated
    amounts = emulate(*launch, of_elements=True, templates=opened.templates, most=MOST_OF_NEST)
    return classify_opened(opened, amounts, check, blocks)


def classify_opened(
    opened: KernelText, amounts: CodeAmounts, check: Callable[[Origins], None] | None = None, blocks: int | None = None
) -> Found:
    """The class of a launch whose amounts are known."""
    for note in amounts.notes:
        if "ends where data decide" in note or "equally long" in note:
            raise SourceError(f"no class: {note}")
    origins = follow_launch(opened, {}, blocks, watches=check is not None)
    if check is not None:
        check(origins)
    if any(n < LEAST_TOUCHED * origins.kinds[a].size for a, n in origins.touched.items()):
        raise SourceError("of structures with arrays it leaves out parts, which move with the others")
    try:
        return fit_launch(opened, amounts, origins)
    except SourceError as error:
        try:
            return weigh_parts(fit_roles(opened, find_roles(origins)), amounts)
        except SourceError:
            raise error from None


def follow_launch(
    opened: KernelText, roles: Mapping[int, str], most: int | None = None, *, watches: bool = False
) -> Origins:
    """What some blocks of a launch do. most : blocks. roles, watches : see :func:`.origins.follow_origins`."""
    blocks = choose_blocks(opened, [opened.sizes.get(f"gridDim.{a}", 1) for a in "xyz"])[:most]
    launch = opened.tree, opened.function, opened.sizes, opened.allocated
    return follow_origins(*launch, blocks, templates=opened.templates, roles=roles, watches=watches)


def fit_roles(opened: KernelText, roles: Mapping[int, str]) -> Found:
    """The class with arrays in parts, by the roles of what loads them.

    Raises
    ------
    SourceError : no array has several roles, or no pattern fits these.
    """
    if not roles:
        raise SourceError("what it loads of each array is of one role")
    launch = opened.tree, opened.function, opened.sizes, opened.allocated
    amounts = emulate(*launch, of_elements=True, templates=opened.templates, roles=roles)
    result_found = fit_launch(opened, amounts, follow_launch(opened, roles))
    inputs = pair_parts(result_found)[0]
    most = max((p.elements for _, p, _ in inputs), default=0)
    single = Counter(a for a, p, _ in inputs if p.pattern is Pattern.ELEMENT and p.elements == most)
    if max(single.values(), default=0) > 1:
        raise SourceError("units take several elements of an array, which are neighbours")
    return result_found


def weigh_parts(found: Found, amounts: CodeAmounts) -> Found:
    """A class with the bytes of an element such that parts of an array move what the launch touches of all of them.

    A row inside of a matrix moves with that; one beside it moves for itself.
    """
    parts, inputs = (*found.found.inputs, *found.found.outputs), len(found.found.inputs)
    moved = 0.0
    for side in (range(inputs), range(inputs, len(parts))):
        for array in {found.arrays[k] for k in side}:
            sizes = [parts[k].elements * found.bytes_each[k] for k in side if found.arrays[k] == array]
            touched = amounts.moved.get(("read", array), 0.0)
            near = [n for n in (max(sizes), sum(sizes)) if touched and abs(touched / n - 1) <= NEAR]
            moved += near[0] if near else min(max(*sizes, touched), sum(sizes))
    mean = moved / sum(p.elements for p in parts)
    plain = mean == ELEMENT_TYPES.get(found.element or "", (0,))[0]
    return replace(found, element_bytes=None if plain else mean)


def fit_launch(opened: KernelText, amounts: CodeAmounts, origins: Origins) -> Found:
    """The class that fits what was followed, and what the launch moves.

    Raises
    ------
    SourceError : none does.
    """
    blocks = math.prod(opened.sizes.get(f"gridDim.{a}", 1) for a in "xyz")
    try:
        result_found = fit_results(opened, amounts, origins, blocks)
    except (ArithmeticError, LookupError, MemoryError, ValueError) as error:
        # Whatever blocks do that no pattern is like.
        raise SourceError(f"{type(error).__name__} while patterns were fitted") from error
    wrong = compare_bytes(amounts, [result_found]) or compare_blocks(amounts, [result_found])
    if wrong:
        raise SourceError(f"no class: of its launch some blocks were run, which {wrong}")
    kinds = {a: t for a, t in origins.kinds.items() if t.members}
    joined = join_members(result_found, kinds)
    return replace(joined, arrays=tuple(ROLE.sub("", a) for a in joined.arrays))


def fit_results(opened: KernelText, amounts: CodeAmounts, origins: Origins, blocks: int) -> Found:
    """The class, where results of turns of which one ran for many are units with others; else from the other turns.

    Raises
    ------
    SourceError : no pattern fits.
    """
    try:
        return Fitter(opened, amounts, origins, blocks).fit()
    except SourceError as error:
        if not any(s.hidden for b in origins.blocks for s in b.stored):
            raise
        try:
            return Fitter(opened, amounts, origins, blocks, whole=False).fit()
        except SourceError:
            raise error from None


def choose_blocks(opened: KernelText, grid: Sequence[int]) -> list[tuple[int, int, int]]:
    """The first and the last block, some in between, a neighbour of one of them, and some in which rows may end."""
    picked = pick_blocks(grid, BLOCKS)
    x, y, z = picked[0]
    ends = list[tuple[int, int, int]]()
    if grid[1] == grid[2] == opened.sizes.get("blockDim.y", 1) == opened.sizes.get("blockDim.z", 1) == 1:
        threads = opened.sizes.get("blockDim.x", 1)
        numbers = sorted({v for n, v in opened.sizes.items() if "Dim." not in n and 2 < v < grid[0] * threads})
        lengths = sorted({*numbers, *(a * b for a, b in combinations(numbers, 2))}, reverse=True)
        # The end of a row of so many elements, in the middle of the grid, in the middle of a block where one is.
        for long in [n for n in lengths if threads < n <= grid[0] * threads // 2][:MOST_ENDS]:
            middle = grid[0] * threads // 2 // long
            near = [k * long for k in range(max(1, middle - 8), middle + 8) if k * long < grid[0] * threads]
            best = min(near, key=lambda e: abs(2 * (e % threads) - threads), default=0)
            ends.append((best // threads, 0, 0))
    near_ones = [((x + 1) % grid[0], y, z), (0, 0, 0), (grid[0] - 1, grid[1] - 1, grid[2] - 1), *ends]
    return list(dict.fromkeys([picked[0], *near_ones, *picked]))


class Fitter:
    """Fits patterns to what blocks of a launch did."""

    def __init__(
        self, opened: KernelText, amounts: CodeAmounts, origins: Origins, blocks: int, *, whole: bool = True
    ) -> None:
        self.counts = LaunchCounts(opened, amounts, origins, blocks, whole=whole)
        self.opened, self.amounts, self.origins, self.blocks = opened, amounts, origins, blocks
        self.outputs, self.ran, self.numbers = self.counts.outputs, self.counts.ran, self.counts.numbers
        self.added: list[list[Output]] = []
        self.sums_of_blocks = False
        self.stepped: set[str] = set()
        """Arrays whose elements units take by even steps."""
        self.cut: set[int] = set()
        """Units that take less of these, at ends of loops."""
        self.window_rows: list[tuple[int, ...]] = []
        """Lengths of rows around places in which units take what lies in rows of another length than theirs."""
        hidden = any(s.hidden and not s.updated for b in origins.blocks for s in b.stored)
        self.by_turn = opened.of_nest
        """Whether results of several threads are never one unit."""
        self.sampled, self.mixed = hidden and not whole, hidden and whole
        """Whether results of turns of which one ran for many are left out, or as if each took what all of them do."""

    def fit(self) -> Found:
        """The class.

        Raises
        ------
        SourceError : no pattern fits.
        """
        if not self.ran:
            raise SourceError("blocks that ran write nothing")
        if sum(len(o.elements) for k in self.ran for o in self.outputs[k]) > MOST_RESULTS:
            raise SourceError("its blocks write too much to be followed")
        everything = [o for outs in self.outputs for o in outs]
        updated = {o.array for o in everything if o.updated}
        plain = {o.array for o in everything if not o.updated}
        if any(o.chosen for o in everything if not o.updated):
            raise SourceError("data decide where it writes")
        if updated & plain:
            raise SourceError("it adds to what it also writes")
        if not plain:
            return self.record_sums(sorted(updated), self.counts.count_operations())
        # Elements of the units' own, beside sums that all of them add to.
        self.added = [[o for o in outs if o.array in updated] for outs in self.outputs]
        self.outputs = [[o for o in outs if o.array in plain] for outs in self.outputs]
        self.ran = [k for k, outs in enumerate(self.outputs) if any(len(o.elements) for o in outs)]
        total = self.count_padded({a: self.counts.count_written(a) for a in sorted(plain)})
        if not updated and self.is_few(total):
            return self.record_sums(sorted(plain), self.counts.count_operations(), few=True)
        try:
            return self.fit_units(total)
        except SourceError as error:
            try:
                return self.fit_together(total)
            except SourceError:
                raise error from None

    def fit_together(self, total: Mapping[str, int]) -> Found:
        """The class of units that write an element of one array and several of others, or with sums of blocks."""
        outputs, added = self.outputs, self.added
        if left_in := self.set_block_sums_aside(total):
            try:
                return self.fit_units(left_in)
            except SourceError:
                self.outputs, self.added, self.sums_of_blocks = outputs, added, False
        if not (every := self.nest_units(total)):
            raise SourceError("its results share work, and belong to no unit of others")
        return self.record_units(self.sample(every), total, self.counts.count_operations(every))

    def fit_units(self, total: Mapping[str, int]) -> Found:
        """The class of units that write elements of their own. total : arrays that they write, with their elements."""
        units, every = self.find_units(sorted(total), total, self.counts.count_operations())
        try:
            return self.record_units(units, total, self.counts.count_operations(every))
        except SourceError:
            if not self.by_turn:
                raise
            # Several turns that each compute something of an element, which no other input has for itself.
            self.by_turn = False
            return self.fit_units(total)

    def nest_units(self, total: Mapping[str, int]) -> list[Unit]:
        """Results of one array with all that are computed from parts of what these are; empty where there are none.

        A mean of four pixels beside each of them, a sum of a row beside its elements. total : see :meth:`fit_units`.
        """
        fewest = min(total, key=lambda a: total[a])
        if len(total) < LEAST_NESTED or max(total.values()) < LEAST_NESTED * total[fewest]:
            return []
        units = list[Unit]()
        for k in self.ran:
            outer = next((o for o in self.outputs[k] if o.array == fewest), None)
            if outer is None or len(outer.elements) > MOST_NESTED:
                return []
            nested = self.nest_block(k, outer)
            if not nested:
                return []
            units += nested
        return units

    def nest_block(self, k: int, outer: Output) -> list[Unit]:
        """The same of one block. outer : results that others are inside of."""
        block, sets = self.origins.blocks[k], list[Taken]()
        for at in range(0, len(outer.nodes), AT_ONCE):
            sets += find_taken(block, list(outer.nodes[at : at + AT_ONCE].reshape(-1, 1)))
        for array in sorted(set.intersection(*(set(t.elements) for t in sets)) if sets else ()):
            every = np.concatenate([t.elements[array] for t in sets])
            order = np.argsort(every)
            numbers = np.repeat(np.arange(len(sets)), [len(t.elements[array]) for t in sets])[order]
            every = every[order]
            if len(every) < LEAST_NESTED * len(sets) or (every[1:] == every[:-1]).any():
                continue
            units = [Unit(k, {outer.array: outer.elements[n : n + 1]}) for n in range(len(sets))]
            if all(self.put_inside(units, o, array, (every, numbers)) for o in self.outputs[k] if o is not outer):
                return units
        return []

    def put_inside(self, units: Sequence[Unit], inner: Output, array: str, parts: tuple[Ints, Ints]) -> bool:
        """Give units the results that are computed from parts of what they take; whether each belongs to one.

        parts : elements of an array, in their order, and the unit that takes each.
        """
        every, numbers = parts
        ends = sign(self.origins.blocks[units[0].block], inner.nodes, [array])[array]
        first, last = ends[:, 0].astype(np.int64), np.iinfo(np.int32).max - 1 - ends[:, 1].astype(np.int64)
        places = [np.minimum(np.searchsorted(every, e), len(every) - 1) for e in (first, last)]
        low, high = places
        if (every[low] != first).any() or (every[high] != last).any() or (numbers[low] != numbers[high]).any():
            return False
        order = np.lexsort((inner.elements, numbers[low]))
        counts = np.bincount(numbers[low], minlength=len(units))
        for unit, elements in zip(units, np.split(inner.elements[order], np.cumsum(counts)[:-1]), strict=True):
            unit.outputs[inner.array] = elements
        return bool(counts.all())

    def set_block_sums_aside(self, total: Mapping[str, int]) -> dict[str, int]:
        """Arrays that threads write elements of, without those of which each block writes a sum; empty for others.

        Blocks of one element for each thread are parts of a whole; other sums may be of rows.
        """
        threads = math.prod(self.opened.sizes.get(f"blockDim.{a}", 1) for a in "xyz")
        sizes = {
            a: [len(o.elements) + o.left_out for k in self.ran for o in self.outputs[k] if o.array == a] for a in total
        }
        sums = {a for a, n in sizes.items() if set(n) == {1} and abs(total[a] / self.blocks - 1) <= SAME}
        elements = {a: n for a, n in total.items() if a not in sums}
        runs = all(max(sizes[a]) == threads and total[a] <= threads * self.blocks for a in elements)
        if any(self.added) or not sums or not elements or not runs:
            return {}
        self.added = [[o for o in outs if o.array in sums] for outs in self.outputs]
        self.outputs = [[o for o in outs if o.array in elements] for outs in self.outputs]
        self.sums_of_blocks = True
        return elements

    def is_few(self, total: Mapping[str, int]) -> bool:
        """Whether blocks leave a result or two of elements that lie anywhere: sums of everything."""
        if max(total.values()) == 1:
            return True
        few = all(len(o.elements) + o.left_out <= 1 for k in self.ran for o in self.outputs[k])
        if not few or max(total.values()) > self.blocks:
            return False
        for k in self.ran[:3]:
            nodes = [o.nodes for o in self.outputs[k]]
            for taken in find_taken(self.origins.blocks[k], nodes[:AT_ONCE]):
                for elements in taken.elements.values():
                    # Threads of the whole grid go on by as many elements as there are of them.
                    inside = np.diff(elements) == 1
                    run = int(np.flatnonzero(~inside)[0]) + 1 if not inside.all() else len(elements)
                    gaps = np.unique(np.diff(elements)[~inside])
                    many = run / math.prod(self.opened.sizes.get(f"blockDim.{a}", 1) for a in "xyz")
                    if len(gaps) == 1 and int(gaps[0]) + run - 1 == self.blocks * run and many in VECTOR_LENGTHS:
                        return True
        return False

    # Units

    def find_units(
        self, arrays: Sequence[str], total: Mapping[str, int], operations: float
    ) -> tuple[list[Unit], list[Unit]]:
        """Units of work of the blocks that ran: some of each with what they take, and all.

        The finest of those that are computed from the same elements of some arrays, and do as much work as they take
        elements: results that share a sum over a row are one unit.
        """
        read = sorted({c.array for k in self.ran for c in self.origins.blocks[k].chunks if c.left is None})
        signed = {}
        for k in self.ran:
            nodes = np.concatenate([o.nodes for o in self.outputs[k]])
            rows = sign(self.origins.blocks[k], nodes, read)
            first = self.outputs[k][0].elements
            if len(self.outputs[k]) > 1 and all(np.array_equal(o.elements, first) for o in self.outputs[k]):
                # What is stored at one place of several arrays is made together.
                both = {a: r.reshape(len(self.outputs[k]), len(first), -1).min(axis=0) for a, r in rows.items()}
                rows = {a: np.tile(r, (len(self.outputs[k]), 1)) for a, r in both.items()}
            signed[k] = rows
        read = [a for a in read if any((s[a][:, 0] != np.iinfo(np.int32).max).any() for s in signed.values())]
        if not read:
            units = self.group((), signed)
            return self.sample(units), units
        if units := self.group_alike(read, signed, operations, len(total)):
            return self.sample(units), units
        results = sum(total.values())
        # What all results of all blocks take tells none apart.
        common = [a for a in read if len(np.unique(np.concatenate([s[a] for s in signed.values()]), axis=0)) == 1]
        telling = [a for a in read if a not in common]
        tried = set[int]()
        unsure: tuple[list[Unit], list[Unit]] | None = None
        # Of units of several turns some results would be missing.
        for dropped in range(1 if self.sampled else max(1, len(telling))):
            for units in self.list_ways(telling, dropped, signed, tried):
                chosen = self.sample(units)
                result = max(1.0, self.usual(sum(map(len, u.outputs.values())) for u in chosen))
                taken = self.usual(max((len(e) for e in u.taken.elements.values()), default=0) for u in chosen)
                work = operations * result / results
                if work < taken - 1 and not dropped and taken > FEW_TAKEN and work >= SHARED_WORK * (taken - 1):
                    # Half an operation for each element: sides of a choice, or work that larger units share.
                    unsure = unsure or (chosen, units)
                elif work >= SHARED_WORK * (taken - 1) or taken <= 2 or (not dropped and taken <= FEW_TAKEN):
                    return chosen, units
        if unsure is not None:
            return unsure
        raise SourceError("its results share work that no unit of them has for itself")

    def list_ways(
        self, telling: Sequence[str], dropped: int, signed: Mapping[int, Mapping[str, Any]], tried: set[int]
    ) -> list[list[Unit]]:
        """Units by what results take of all arrays but so many, the finest first. tried : what was listed before."""
        ways = []
        for left_out in combinations(telling, dropped):
            left_in = tuple(a for a in telling if a not in left_out)
            if dropped and not left_in:
                continue
            units = self.group(left_in, signed)
            if not dropped and self.take_pairs(units):
                units = self.group((), signed)
            key = hash(tuple((u.block, *(v.tobytes() for v in u.outputs.values())) for u in units))
            if left_in and key in tried:
                continue
            tried.add(key)
            if not dropped or self.measure_shared(units) >= LEAST_SHARED:
                ways.append(units)
        return sorted(ways, key=lambda w: -len(w))

    def take_pairs(self, units: Sequence[Unit]) -> bool:
        """Whether one or two results are of the same elements, and share no work: those of (a, b) and of (b, a)."""
        several = {max(map(len, u.outputs.values())) for u in units}
        return several == {1, 2} and self.measure_shared(units) < LEAST_SHARED

    def measure_shared(self, units: Sequence[Unit]) -> float:
        """Operations of some results of a unit, each for itself, over those of all of them together."""
        unit = max(units, key=lambda u: sum(map(len, u.outputs.values())))
        nodes = self.list_nodes(unit)
        picked = np.unique(np.linspace(0, len(nodes) - 1, AT_ONCE).astype(int))
        return measure_sharing(self.origins.blocks[unit.block], list(nodes[picked].reshape(-1, 1)))

    def list_nodes(self, unit: Unit) -> Ints:
        """The nodes that the results of a unit are."""
        nodes = [np.zeros(0, dtype=np.int64)]
        for o in self.outputs[unit.block]:
            if o.array in unit.outputs:
                order = np.argsort(o.elements)
                nodes.append(o.nodes[order[np.searchsorted(o.elements[order], unit.outputs[o.array])]])
        return np.concatenate(nodes)

    def group_alike(
        self, read: Sequence[str], signed: Mapping[int, Mapping[str, Any]], operations: float, arrays: int
    ) -> list[Unit]:  # fmt: skip
        """Results that share keys, or elements that data choose and that are looked up once; none for others."""
        if self.amounts.operations_of_keys > operations / 2 and (units := self.group_threads()):
            return units
        chosen = tuple(sorted({c.array for k in self.ran for c in self.origins.blocks[k].chunks if c.chosen}))
        if not chosen or not set(chosen) <= set(read):
            return []
        units = self.group(chosen, signed)
        # Places in small tables are equal by chance, too, of different numbers of results.
        [(several, often)] = Counter(sum(map(len, u.outputs.values())) for u in units).most_common(1)
        alike = often >= MOST_ALIKE * len(units)
        if alike and self.measure_shared(units) < LEAST_SHARED and len(self.group(read, signed)) > len(units):
            # Each takes other elements of other arrays as well.
            return []
        return units if alike and arrays < several <= MOST_OF_LOOK_UP else []

    def group_threads(self) -> list[Unit]:
        """Results of each thread, which share keys that no array enters; none where they lie apart."""
        units = list[Unit]()
        for k in self.ran:
            parts: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
            for o in self.outputs[k]:
                for lane, element in zip(o.lanes.tolist(), o.elements.tolist(), strict=True):
                    parts[lane][o.array].append(element)
            mine = [Unit(k, {a: np.array(sorted(v), dtype=np.int64) for a, v in p.items()}) for p in parts.values()]
            if any(int(v[-1] - v[0]) >= len(v) for u in mine for v in u.outputs.values()):
                return []
            units += mine
        return units if any(len(v) > 1 for u in units for v in u.outputs.values()) else []

    @staticmethod
    def usual(counts: Any) -> float:
        """The most common of some numbers."""
        return float(Counter(counts).most_common(1)[0][0])

    def group(self, arrays: Sequence[str], signed: Mapping[int, Mapping[str, Any]]) -> list[Unit]:
        """Results of each block that are computed from the same elements of some arrays; single ones without any."""
        units = []
        for k, rows in signed.items():
            places = [(o.array, e) for o in self.outputs[k] for e in o.elements.tolist()]
            if arrays:
                columns = [rows[a] for a in arrays]
                if self.by_turn:
                    # Turns of loops do not work together: what several compute from the same elements, each computes.
                    columns.append(np.concatenate([o.lanes for o in self.outputs[k]])[:, None])
                joined = np.concatenate(columns, axis=1)
                _, which = np.unique(joined, axis=0, return_inverse=True)
                which = np.asarray(which).reshape(-1)
            else:
                # Elements of the same place in several arrays belong together.
                offsets = np.concatenate([np.arange(len(o.elements)) for o in self.outputs[k]])
                which = offsets
            order = np.argsort(which, kind="stable")
            ends = np.flatnonzero(np.diff(which[order])) + 1
            for members in np.split(order, ends):
                parts: dict[str, list[int]] = defaultdict(list)
                for m in members.tolist():
                    parts[places[m][0]].append(places[m][1])
                units.append(Unit(k, {a: np.array(sorted(v), dtype=np.int64) for a, v in parts.items()}))
        return units

    def sample(self, units: Sequence[Unit]) -> list[Unit]:
        """Some units of each block, neighbours among them, with the elements that they take."""
        sampled = []
        for k in self.ran:
            mine = sorted((u for u in units if u.block == k), key=lambda u: [int(v[0]) for v in u.outputs.values()])
            middle = len(mine) // 2
            spread = np.linspace(0, len(mine) - 1, 20).astype(int).tolist()
            ends = [*range(min(8, len(mine))), *range(max(0, len(mine) - 8), len(mine))]
            picked = list(dict.fromkeys([*ends, *spread, *range(middle, min(len(mine), middle + 30))]))[:AT_ONCE]
            nodes = [self.list_nodes(mine[p]) for p in picked]
            for p, taken in zip(picked, find_taken(self.origins.blocks[k], nodes), strict=True):
                sampled.append(Unit(k, mine[p].outputs, taken))
        return sampled

    # Patterns

    def record_units(self, units: Sequence[Unit], total: Mapping[str, int], operations: float) -> Found:
        """The class of units that write elements of their own."""
        shapes = Counter(describe(u) for u in units)
        shape, often = shapes.most_common(1)[0]
        if often < (MOST_ALIKE if self.mixed else WHOLE) * len(units) or {a for a, _ in shape} != set(total):
            raise SourceError("its units of work write different numbers of elements")
        outputs = []
        usual = [
            u for u in units if tuple((a, tuple((v - v[0]).tolist())) for a, v in sorted(u.outputs.items())) == shape
        ]
        for array, offsets in shape:
            sets = [u.outputs[array] for u in usual]
            count = total[array]
            if len(offsets) == 1:
                outputs.append(Fitted(array, f"{count}|element", count, self.origins.kinds[array]))
            else:
                outputs.append(self.fit_tile(array, np.array(offsets), sets, count))
        many = {o.elements // len(v) for o, (_, v) in zip(outputs, shape, strict=True)}
        if len(many) > 1 and max(many) > min(many) * (1 + SAME):
            raise SourceError("its units write several arrays of different sizes")
        number = outputs[0].elements // len(shape[0][1])
        inputs = self.fit_inputs(usual, number, self.find_places(usual, outputs))
        stored = outputs[0].elements
        placed = [
            f for f in inputs if "|neighbourhood" in f.text and (self.opened.of_nest or f.array not in self.stepped)
        ]
        windows = {f.text.partition("|")[0]: f.elements for f in placed}
        near = [p for p in windows.values() if 1 / MOST_BORDER <= number / p <= MOST_BORDER]
        if len(windows) == len(near) == 1 and all(o.text.endswith("|element") for o in outputs):
            # Results are as many as places, though none is written at a border; of turns of loops as many as these.
            ((rows, places),) = windows.items()
            rows, places = measure_inside(placed, number) or (rows, places)
            turns = list_loop_turns(self.opened.sizes)
            if math.prod(turns) == number and self.opened.of_nest:
                rows, places = "x".join(map(str, turns)), number
            if not self.opened.of_nest or places == number:
                number = places
                inputs, outputs = ([f.resize(number, rows) for f in side] for side in (inputs, outputs))
        self.refuse_orders(inputs, outputs, [v for _, v in shape], number)
        outputs = [self.spell_rows(o) for o in outputs]
        if self.opened.of_nest and outputs[0].text.endswith("|element"):
            flat = f"{outputs[0].elements}|element"
            inputs = [replace(i, text=outputs[0].text) if i.text == flat else i for i in inputs]
        if any(self.added):
            known = {i.array for i in inputs}
            more, sums = self.fit_sums(self.added, number, known, few=self.sums_of_blocks)
            inputs, outputs = inputs + more, outputs + sums
        return self.record(inputs, outputs, operations * self.counts.weigh_results(outputs[0].array, stored))

    def refuse_orders(
        self, inputs: Sequence[Fitted], outputs: Sequence[Fitted], offsets: Sequence[tuple[int, ...]], number: int
    ) -> None:  # fmt: skip
        """Refuse what sorts or transforms tiles, or a stage of that. offsets : of what a unit writes. number : units.

        Raises
        ------
        SourceError : it is one.
        """
        tiles = [f for f in inputs if "|tile" in f.text]
        ordered = any("|tile" in o.text for o in outputs)
        if self.origins.together and tiles and ordered and self.compares() and not self.computes():
            raise SourceError("threads compare elements of tiles with each other")
        if len(tiles) < len(inputs) or not any("|tile" in o.text for o in outputs):
            return
        if not self.computes():
            raise SourceError("it puts the elements of tiles in another order, which data decide")
        apart = len(offsets[0]) in STAGES and offsets[0][-1] >= len(offsets[0])
        dealt = all("|tile" in o.text and o.elements == number * len(v) for o, v in zip(outputs, offsets, strict=True))
        if apart and dealt and not self.origins.together:
            raise SourceError("it computes a stage of something")

    def spell_rows(self, part: Fitted) -> Fitted:
        """Single elements in the rows that threads along several axes say."""
        for rows in self.find_launch_rows() if part.text == f"{part.elements}|element" else ():
            long = part.elements // math.prod(rows)
            if long > 1 and long * math.prod(rows) == part.elements:
                return replace(part, text=f"{'x'.join(map(str, (long, *rows)))}|element")
        return part

    def computes(self) -> bool:
        """Whether the blocks do more with data than to compare and choose them."""
        return any(c.each and not c.orders for k in self.ran for c in self.origins.blocks[k].chunks)

    def compares(self) -> bool:
        """Whether they compare data otherwise than to take the larger or the smaller of two."""
        return any(c.each and c.orders and not c.word for k in self.ran for c in self.origins.blocks[k].chunks)

    @staticmethod
    def find_places(units: Sequence[Unit], outputs: Sequence[Fitted]) -> Ints | None:
        """Where each unit is: the element that it writes, or its place among equal tiles; None for others."""
        several = []
        for f in outputs:
            firsts = np.array([u.outputs[f.array][0] for u in units], dtype=np.int64)
            part = parse_class(f"void -> {f.text}").outputs[0]
            if part.pattern is Pattern.TILE:
                digits = take_digits(firsts, part.sizes)
                several.append(np.zeros_like(firsts))
                for digit, size, extent in zip(digits, part.sizes, part.extent, strict=True):
                    several[-1] = several[-1] * (size // extent) + digit // extent
            else:
                several.append(firsts)
        return several[0] if all((p == several[0]).all() for p in several) else None

    def find_strides(self) -> tuple[Ints, Ints]:
        """(3, results) places of threads along all axes that store the first array, and how far apart elements lie.

        Empty where a thread stores several, or elements do not lie strides apart.
        """
        block = [self.opened.sizes.get(f"blockDim.{a}", 1) for a in "xyz"]
        places, elements = list[Ints](), list[Ints]()
        nothing = np.zeros((3, 0), dtype=np.int64), np.zeros(3, dtype=np.int64)
        for k in self.ran:
            for o in self.outputs[k][:1]:
                if len(np.unique(o.lanes)) < len(o.lanes) or not len(o.elements):
                    return nothing
                places.append(self.place(o.lanes, k, block))
                elements.append(o.elements)
        every, written = np.concatenate(places, axis=1), np.concatenate(elements)
        matrix = np.concatenate([every, np.ones((1, every.shape[1]))]).T
        solved = np.linalg.lstsq(matrix.astype(np.float64), written.astype(np.float64), rcond=None)[0]
        strides = np.rint(solved[:3]).astype(np.int64)
        base = written - strides @ every
        return (every, strides) if (base == base[0]).all() else nothing

    def find_launch_rows(self) -> list[tuple[int, ...]]:
        """Sizes of all dimensions but the first of what is written, where threads along several axes say them."""
        every, strides = self.find_strides()
        used = sorted(s for s, p in zip(strides.tolist(), every, strict=True) if s > 0 and len(np.unique(p)) > 1)
        if len(used) < 2 or used[0] != 1 or any(b % a for a, b in pairwise(used)):
            return []
        return [tuple(b // a for a, b in reversed(list(pairwise(used))))]

    def find_holes(self) -> Ints:
        """Elements between others that no thread of a line of blocks stores: they lie at ends of rows."""
        along = [self.opened.sizes.get(f"{kind}.{a}", 1) for kind in ("gridDim", "blockDim") for a in "yz"]
        if max(along) > 1:
            return np.zeros(0, dtype=np.int64)
        threads, holes = self.opened.sizes.get("blockDim.x", 1), [np.zeros(0, dtype=np.int64)]
        for k in self.ran:
            for o in self.outputs[k][:1]:
                stored = np.unique(o.elements)
                if o.left_out:
                    continue
                # As many as a block has threads are elements of other blocks.
                starts = np.flatnonzero((np.diff(stored) > 1) & (np.diff(stored) <= threads))
                holes += [np.arange(stored[at] + 1, stored[at + 1]) for at in starts.tolist()]
        return np.concatenate(holes)

    def count_padded(self, total: Mapping[str, int]) -> dict[str, int]:
        """Elements that each array has, less those behind the ends of its rows, which no thread of a row stores."""
        every, _ = self.find_strides()
        grid = [self.opened.sizes.get(f"gridDim.{a}", 1) for a in "xyz"]
        ends = {(0, 0, 0), tuple(g - 1 for g in grid)}
        if not every.shape[1] or not ends <= {self.origins.blocks[k].at for k in self.ran} or every.min(axis=1).any():
            return dict(total)
        stored = math.prod((every.max(axis=1) + 1).tolist())
        return {a: stored if 1 - SAME < stored / n < 1 - NEAR else n for a, n in total.items()}

    def fit_inputs(
        self, units: Sequence[Unit], number: int, places: Ints | None, *, around: bool = True
    ) -> list[Fitted]:  # fmt: skip
        """Patterns of what is read.

        units : of one form. number : units of the launch. places : of the units. around : whether they may be in the
        middle of what they take.
        """
        inputs: list[Fitted] = []
        windows: list[tuple[int, str, int, Window]] = []
        every = self.list_taken(units)
        waiting, tried = deque(every), set[str]()
        self.cut = set()
        while waiting:
            array = waiting.popleft()
            try:
                middles = places if around else None
                fitted, window = self.fit_array(array, units, every[array], number, middles, places)
            except SourceError:
                if array in tried:
                    raise
                # What units lack at ends of loops, other arrays may tell.
                tried.add(array)
                waiting.append(array)
                continue
            if window is not None:
                windows.append((len(inputs), array, fitted[0].elements, window))
            inputs += fitted
        if windows:
            try:
                self.fit_neighbourhoods(inputs, windows, number)
            except SourceError:
                for at, array, *_ in windows:
                    stepped = self.step_through(array, units, every[array], number)
                    if stepped is None:
                        raise
                    inputs[at] = stepped
        self.refuse_parts(inputs)
        # What a unit reads all of holds the elements that data choose of it.
        whole = {f.array for f in inputs if "|tile" in f.text or "|full" in f.text}
        return inputs + [f for f in self.fit_gathers(units) if f.array not in whole]

    def fit_array(
        self, array: str, units: Sequence[Unit], taken: Sequence[tuple[int, Ints]], number: int, middles: Ints | None,
        places: Ints | None,
    ) -> tuple[list[Fitted], Window | None]:  # fmt: skip
        """The pattern of one array, or the elements around their places that units take of it.

        taken : units with what each takes. middles : places that units may take elements around.

        Raises
        ------
        SourceError : no pattern fits.
        """
        sets = [s for _, s in taken]
        where = None if places is None else places[[k for k, _ in taken]]
        fitted = self.fit_full(array, units, sets)
        if fitted is not None:
            return fitted, None
        chosen = any(array in u.taken.chosen for u in units)
        known = self.opened.allocated.get(array, 0) if chosen else 0
        count = known or self.counts.count_elements(array, number)
        if self.opened.of_nest and not self.mixed and not self.sampled:
            # What several loops of a turn take again is no more elements.
            count = min(count, number * max(map(len, sets)))
        if Counter(map(len, sets)).most_common(1)[0][0] == 1:
            fitted = [self.fit_elements(array, where, sets, count, number)]
            if count < number and round(number / count) == self.count_of_thread() > 1:
                raise SourceError(f"several results of a thread take one element of '{one_line(array, 40)}'")
            return fitted, None
        if tile := self.try_tiles(array, sets, count, number, units):
            return [tile], None
        around = where is not None and middles is not None and 1 - SAME <= count / number <= MOST_BORDER
        if (self.opened.of_nest or not around) and (
            stepped := self.step_through(array, units, taken, number, whole_alone=around)
        ):
            return [stepped], None
        if where is None or middles is None or not around:
            raise SourceError(f"what its results take of '{one_line(array, 40)}' fits no pattern")
        # Units that take none say where the others' sets are cut.
        none = [k for k, u in enumerate(units) if array not in u.taken.elements | u.taken.chosen]
        every = [*sets, *[np.zeros(0, dtype=np.int64)] * len(none)]
        window = self.find_window_of(np.concatenate([where, middles[none]]), every)
        return [Fitted(array, "", count, self.origins.kinds[array])], window

    def step_through(
        self, array: str, units: Sequence[Unit], taken: Sequence[tuple[int, Ints]], number: int, *,
        whole_alone: bool = False,
    ) -> Fitted | None:  # fmt: skip
        """The pattern of an array whose elements units take by even steps of their turns; None where they do not.

        number : units of the launch. whole_alone : see :func:`.footprint_steps.fit_steps`.

        Raises
        ------
        SourceError : units share tiles, and whether they are one is not told.
        """
        kind = self.origins.kinds[array]
        if array in {o.array for outs in self.outputs for o in outs} or any(array in u.taken.chosen for u in units):
            return None
        located = self.locate([units[k] for k, _ in taken])
        if located is None:
            return None
        places, threads = located
        loops = list_loop_turns(self.opened.sizes)
        block = [self.opened.sizes.get(f"blockDim.{a}", 1) for a in "xyz"]
        ways = (
            [(read_turns(places, loops), tuple(loops))]
            if loops
            else list_turns(places, threads, block, self.counts.list_rows())
        )
        for k, (turns, numbers) in enumerate(ways):
            # Where numbers alone say rows, sets that are cut tell nothing.
            tight = whole_alone or k > 1
            sets = [s for _, s in taken]
            at_ends = np.array([k in self.cut for k, _ in taken]) if self.cut else None
            shape = fit_steps(turns, numbers, sets, kind.size, whole_alone=tight, joins=not loops, at_ends=at_ends)
            if shape is not None and len(shape.extents) and max(shape.extents) > 1:
                self.stepped.add(array)
                self.cut |= {k for k, s in taken if len(s) < max(map(len, sets))}
                size = math.prod(shape.extents)
                if "|tile" in shape.render():
                    self.refuse_sharing(array, size, shape.extents, number * size / math.prod(shape.sizes))
                return Fitted(array, shape.render(), math.prod(shape.sizes), kind)
        return None

    def locate(self, units: Sequence[Unit]) -> tuple[Ints, list[int]] | None:
        """(3, units) places of the first threads that store results of units, and of how many along each axis.

        None where the last block did not run.
        """
        block = [self.opened.sizes.get(f"blockDim.{a}", 1) for a in "xyz"]
        grid = [self.opened.sizes.get(f"gridDim.{a}", 1) for a in "xyz"]
        if tuple(g - 1 for g in grid) not in {self.origins.blocks[k].at for k in self.ran}:
            return None
        lanes: dict[tuple[int, str], tuple[Ints, Ints]] = {}
        most = [0, 0, 0]
        for k in self.ran:
            for o in self.outputs[k]:
                order = np.argsort(o.elements)
                lanes[k, o.array] = o.elements[order], o.lanes[order]
                where = self.place(o.lanes, k, block)
                most = [max(m, int(w.max()) + 1) if len(w) else m for m, w in zip(most, where, strict=True)]
        places = []
        for u in units:
            mine = []
            for array, elements in u.outputs.items():
                stored, by = lanes[u.block, array]
                mine.append(by[np.searchsorted(stored, elements)])
            places.append(self.place(np.concatenate(mine), u.block, block).min(axis=1))
        return np.stack(places, axis=1), most

    def place(self, lanes: Ints, k: int, block: Sequence[int]) -> Ints:
        """(3, threads) places of the threads of a block that ran in the whole grid."""
        inside = lanes % block[0], lanes // block[0] % block[1], lanes // (block[0] * block[1])
        at = self.origins.blocks[k].at
        return np.stack([t + b * at[a] for a, (t, b) in enumerate(zip(inside, block, strict=True))])

    def find_window_of(self, places: Ints, sets: Sequence[Ints]) -> Window:
        """What units take around their places, or around those that follow from them in rows of another length.

        Raises
        ------
        SourceError : it differs from one to the next.
        """
        try:
            return find_window(places, sets)
        except SourceError:
            usual = Counter(map(len, sets)).most_common(1)[0][0]
            whole = np.array([len(s) == usual for s in sets])
            middles = np.array([s[len(s) // 2] for s in sets], dtype=np.int64)
            for rows in self.find_launch_rows():
                digits = take_digits(places, (1 << 40, *rows))
                matrix = np.concatenate([digits, np.ones((1, len(places)))]).T.astype(np.float64)
                solved = np.linalg.lstsq(matrix[whole], middles[whole].astype(np.float64), rcond=None)[0]
                strides = np.rint(solved[:-1]).astype(np.int64)
                base = middles - strides @ digits
                if (base[whole] == base[whole][0]).all() and strides[-1] == 1:
                    lengths = [int(b // a) for a, b in pairwise(reversed(strides.tolist()))]
                    self.window_rows.append(tuple(reversed(lengths)))
                    return find_window(strides @ digits + base[whole][0], sets)
            raise

    def refuse_parts(self, inputs: Sequence[Fitted]) -> None:
        """Refuse tiles of structures of which a unit takes members in several ways, or some alone.

        Raises
        ------
        SourceError : it does.
        """
        members: dict[str, list[str]] = defaultdict(list)
        for f in inputs:
            base = f.array.partition(".")[0]
            if base != f.array and base in self.origins.kinds:
                members[base].append(f.text)
        for base, texts in members.items():
            kind = self.origins.kinds[base]
            alike = len(set(texts)) == 1 and (kind.name in VECTORS or len(texts) == len(kind.members))
            if not alike and any("|tile" in t for t in texts):
                raise SourceError("a unit of work takes several structures: which of their members is not followed")

    def fit_gathers(self, units: Sequence[Unit]) -> list[Fitted]:
        """Arrays of which data say the elements that units take.

        Raises
        ------
        SourceError : units take different numbers of them, or the code says the places, and data choose one.
        """
        gathers = []
        for array in sorted({a for u in units for a in u.taken.chosen}):
            name = one_line(array, 40)
            numbers = [u.taken.chosen.get(array, 0) for u in units]
            usual, often = Counter(numbers).most_common(1)[0]
            near = sum(n >= (1 - BY_CHANCE) * max(numbers) for n in numbers)
            if self.opened.of_nest and near >= WHOLE * len(units) and max(numbers) * BY_CHANCE >= 1:
                # Some of the places that stand for what data choose are equal by chance.
                usual, often = max(numbers), near
            count = self.opened.allocated.get(array, self.opened.allocated.get(array.partition(".")[0], 0))
            count = self.origins.looked_up.get(array, count)
            if often < WHOLE * len(units) or max(numbers) > usual:
                raise SourceError(f"data decide which elements of '{name}' are read")
            if any(o.array == array for outs in self.outputs for o in outs):
                raise SourceError(f"data decide which elements of '{name}' are read, which it writes")
            if not count:
                raise SourceError(f"data decide which elements of '{name}' are read, and nothing says how many it has")
            if any(has_known_places(self.origins.blocks[k], array) for k in self.ran):
                raise SourceError(f"data decide between elements of '{name}' that the code says")
            text = f"{count}|gather({usual})" if usual > 1 else f"{count}|gather"
            gathers.append(Fitted(array, text, count, self.origins.kinds[array]))
        return gathers

    def list_taken(self, units: Sequence[Unit]) -> dict[str, list[tuple[int, Ints]]]:
        """Array -> (unit, elements that it takes), of the units that take some.

        Raises
        ------
        SourceError : data decide which, few units take some, or elements are pairs.
        """
        taken = {}
        for array in sorted({a for u in units for a in (*u.taken.elements, *u.taken.chosen)}):
            name = one_line(array, 40)
            mine = [(k, u.taken.elements[array]) for k, u in enumerate(units) if array in u.taken.elements]
            some = sum(array in u.taken.elements or array in u.taken.chosen for u in units)
            if some < LEAST_TAKEN * len(units) or 0 < len(mine) < LEAST_TAKEN * len(units):
                raise SourceError(f"few results follow from '{name}'")
            room = (1 + SAME) * self.opened.allocated.get(array, math.inf)
            if mine and max(int(s[-1]) for _, s in mine) >= room:
                raise SourceError(f"it reads behind the end of what the file allocates for '{name}'")
            if mine:
                taken[array] = mine
        return taken

    def fit_full(self, array: str, units: Sequence[Unit], sets: Sequence[Ints]) -> list[Fitted] | None:
        """An array of which all units take the same; None where they do not.

        A number that all use is a part of what they compute, and so are tables of numbers in constant memory.
        """
        kind = self.origins.kinds[array]
        whole, often = Counter(s.tobytes() for s in sets).most_common(1)[0]
        first = next(s for s in sets if s.tobytes() == whole)
        if len(units) < 2 or often < WHOLE * len(sets) or not all(np.isin(s, first).all() for s in sets):
            every = np.unique(np.concatenate(sets))
            nearly = len(units) > 1 and len(every) > MOST_OF_LOOK_UP and min(map(len, sets)) > (1 - SAME) * len(every)
            # All of it, but for a few at its ends.
            return [Fitted(array, f"{len(every)}|full", len(every), kind)] if nearly else None
        count = len(first)
        if array in self.origins.tables:
            return [Fitted(array, f"{count}|full", count, kind)] if kind.members else []
        if count == 1 and not often == len(sets) == len(units):
            return None
        if abs(self.counts.count_moved(("read", "updated", "written"), array) / count - 1) > SAME:
            raise SourceError(f"other units take other elements of '{one_line(array, 40)}'")
        fitted = [Fitted(array, f"{count}|full", count, kind)]
        mine_only = [u.taken.own.get(array, frozenset()) for u in units]
        if all(len(o) == 1 for o in mine_only) and len(frozenset().union(*mine_only)) > 1:
            fitted.insert(0, Fitted(array, f"{count}|element", count, kind))
        return fitted

    def fit_elements(self, array: str, places: Ints | None, sets: Sequence[Ints], count: int, number: int) -> Fitted:
        """An array of which each unit takes an element: its own, one that some share, or in another order."""
        kind, name = self.origins.kinds[array], one_line(array, 40)
        if places is None:
            raise SourceError(f"the order in which its results take elements of '{name}' is not followed")
        single = np.array([len(s) == 1 for s in sets])
        if np.count_nonzero(single) < MOST_ALIKE * len(sets):
            raise SourceError(f"what its results take of '{name}' differs from one to the next")
        taken, at = np.array([s[0] for s in sets])[single], places[single]
        taken = number_part(taken, count) if "#" in array else taken
        _, often = np.unique(taken - at, return_counts=True)
        same = abs(count / number - 1) <= SAME
        if same and self.list_steps(at, taken) and (taken >= at).all() and (np.diff(taken[np.argsort(at)]) > 0).all():
            raise SourceError(f"its results leave out elements of '{name}', which move with those that they take")
        if same and (often.max() >= MOST_ALIKE * len(taken) or (np.diff(taken[np.argsort(at)]) > 0).all()):
            return Fitted(array, f"{count}|element", count, kind)
        if not single.all():
            raise SourceError(f"what its results take of '{name}' differs from one to the next")
        allocated = self.opened.allocated.get(array, count)
        dealt = next((n for n in (count, allocated) if is_dealt(at, taken, number, n)), 0)
        if dealt:
            return Fitted(array, f"{dealt}|element", dealt, kind)
        # Rows of what is taken are as long as the step between units that follow each other, where they are exchanged.
        rows = [(count // s, s)[::-1] for s in self.list_steps(at, taken) if same and count % s == 0]
        orders = list_orders(at, taken, count, count if same else number, self.counts.list_rows(), rows)
        if not orders and not same and allocated < number:
            # Of a small array the blocks that ran may have read a part.
            count, orders = allocated, list_orders(at, taken, allocated, number, self.counts.list_rows(), rows)
        if orders and all(o.keeps for o in orders):
            return Fitted(array, f"{count}|element", count, kind)
        if not same or len(orders) != 1 or "#" in array:
            raise SourceError(f"its results take elements of '{name}' in an order that is not followed")
        return Fitted(array, f"unordered {'x'.join(map(str, orders[0].sizes))}|element", count, kind)

    def count_of_thread(self) -> int:
        """Results of a thread, in one array."""
        lanes = [np.unique(o.lanes, return_counts=True)[1] for k in self.ran for o in self.outputs[k][:1]]
        return int(self.usual(np.concatenate(lanes).tolist()))

    @staticmethod
    def list_steps(places: Ints, taken: Ints) -> list[int]:
        """The most usual step from one unit to the next."""
        order = np.argsort(places)
        steps, times = np.unique(np.diff(taken[order])[np.diff(places[order]) == 1], return_counts=True)
        return [int(steps[np.argmax(times)])] if len(steps) and steps[np.argmax(times)] > 1 else []

    def try_tiles(
        self, array: str, sets: Sequence[Ints], count: int, number: int, units: Sequence[Unit]
    ) -> Fitted | None:  # fmt: skip
        """The array in tiles, each of one unit or of several; None where sets overlap.

        Raises
        ------
        SourceError : they are tiles, but which is not told.
        """
        size = Counter(map(len, sets)).most_common(1)[0][0]
        whole = [s for s in sets if len(s) == size]
        form = Counter((s - s[0]).tobytes() for s in whole).most_common(1)[0][0]
        whole = [s for s in whole if (s - s[0]).tobytes() == form]
        offsets = whole[0] - whole[0][0]
        if len(whole) < WHOLE * len(sets):
            return None
        tile = self.try_tile(array, offsets, whole, float(count), number)
        if tile is None or tile.elements == size:
            return None
        if len(whole) < MOST_ALIKE * len(sets) and not all(is_part_of_tile(s, tile) for s in sets):
            return None
        sharing = number * size / tile.elements
        if sharing > 1 + SAME:
            if any(o.array == array for outs in self.outputs for o in outs):
                raise SourceError(f"several units take the same elements of '{one_line(array, 40)}', which they write")
            if not tells_apart(array, units):
                self.refuse_sharing(array, size, parse_class(f"{tile.text} -> 1|shared").inputs[0].extent, sharing)
        return tile

    def refuse_sharing(self, array: str, size: int, extents: Sequence[int], sharing: float) -> None:
        """Refuse units that share a tile of an array, as many as it has elements. sharing : units of each tile.

        Raises
        ------
        SourceError : they may be one, that writes them together.
        """
        boxes = self.opened.of_nest and sum(e > 1 for e in extents) > 1
        if round(sharing) == size and (size in STAGES or boxes):
            name = one_line(array, 40)
            raise SourceError(f"whether units that take the same elements of '{name}' are one is not told")

    def fit_neighbourhoods(
        self, inputs: list[Fitted], windows: Sequence[tuple[int, str, int, Window]], number: int
    ) -> None:
        """Fill in the arrays of which units take overlapping sets around their places. number : units."""
        counts = {c for _, _, c, _ in windows}
        if len(counts) > 1:
            raise SourceError("its units take overlapping sets of arrays of different sizes")
        count = counts.pop()
        if any(a in {o.array for outs in self.outputs for o in outs} for _, a, _, _ in windows):
            raise SourceError("its units write what others read")
        inner = [*self.window_rows, *(self.origins.inner[a] for _, a, _, _ in windows if a in self.origins.inner)]
        inner += self.find_launch_rows()
        touched = max(self.counts.count_moved(("read",), a) for _, a, _, _ in windows)
        rows = [(math.prod(d), d) for d in inner if math.prod(d)]
        stated = {
            *self.counts.list_rows(),
            *(self.opened.sizes.get(f"gridDim.{a}", 1) * self.opened.sizes.get(f"blockDim.{a}", 1) for a in "xyz"),
        }
        # Turns of loops touch whole rows, and no blocks of threads beyond them.
        stated = set() if self.opened.of_nest and self.window_rows else stated
        known = [(snap((touched if count % p else count) / p, stated), *d) for p, d in rows]
        sizes = find_sizes(
            [w for *_, w in windows], count, self.numbers, known, self.find_holes(), self.counts.list_rows()
        )
        inside = list(sizes)
        for at, array, _, window in windows:
            low, high = measure_box(window.offsets, sizes) or (window.offsets, window.offsets)
            inside = [min(i, s - h + b) for i, s, b, h in zip(inside, sizes, low.tolist(), high.tolist(), strict=True)]
            widths = (high - low + 1).tolist()
            while len(widths) > 1 and widths[0] == 1:
                # A window along rows alone.
                widths.pop(0)
            extents = "x".join(map(str, widths))
            text = f"{'x'.join(map(str, sizes))}|neighbourhood({extents})"
            inputs[at] = Fitted(array, text, math.prod(sizes), self.origins.kinds[array])

        if number < (1 - SAME) * math.prod(inside):
            raise SourceError("its units are fewer than the places that their sets are around")

    def try_tile(
        self, array: str, offsets: Ints, sets: Sequence[Ints], touched: float, number: int
    ) -> Fitted | None:  # fmt: skip
        """The array in tiles; None where units' sets overlap."""
        progressions = find_progressions(offsets)
        if progressions is None:
            return None
        size = len(offsets)
        count = self.counts.round_count(touched, array, [number * size])
        starts = np.array([s[0] for s in sets], dtype=np.int64)
        # Tiles begin a whole number of them apart along each of their dimensions.
        dimensions = self.lay_out(progressions, count)
        if dimensions is None:
            return None
        strides = np.cumprod([1, *[d for d, _ in dimensions[:-1]]])
        for (long, extent), stride in zip(reversed(dimensions), reversed(strides.tolist()), strict=True):
            digits = (starts // stride) % long if long > 1 else np.zeros_like(starts)
            if extent > 1 and len(np.unique(digits % extent)) > 1:
                return None
        return self.render_tile(array, cut_rows(dimensions, count), count)

    def fit_tile(self, array: str, offsets: Ints, sets: Sequence[Ints], count: int) -> Fitted:
        """The tiles of an array that units write."""
        tile = self.try_tile(array, offsets, sets, float(count), count // len(offsets))
        if tile is None:
            raise SourceError(f"the elements of '{one_line(array, 40)}' that a unit of work writes are no tile")
        return tile

    @staticmethod
    def lay_out(progressions: Sequence[tuple[int, int]], count: int) -> list[tuple[int, int]] | None:
        """(size, extent) of the dimensions of an array, innermost first, in which a set is a tile; None for none."""
        dimensions = list[tuple[int, int]]()
        if progressions[0][1] > 1:
            dimensions.append((progressions[0][1], 1))
        reached = 1
        for d, _ in dimensions:
            reached *= d
        for k, (extent, stride) in enumerate(progressions):
            if stride != reached:
                return None
            following = progressions[k + 1][1] if k + 1 < len(progressions) else -(-count // stride)
            long = following // stride if k + 1 < len(progressions) else following
            if k + 1 < len(progressions) and following % stride:
                return None
            long = -(-long // extent) * extent if k + 1 == len(progressions) else long
            if long % extent:
                return None
            dimensions.append((long, extent))
            reached *= long
        return dimensions

    def render_tile(self, array: str, dimensions: Sequence[tuple[int, int]], count: int) -> Fitted:
        """A tile as text."""
        outermost = list(reversed(dimensions))
        sizes, extents = ("x".join(str(d[k]) for d in outermost) for k in (0, 1))
        return Fitted(array, f"{sizes}|tile({extents})", math.prod(d for d, _ in dimensions), self.origins.kinds[array])

    # Sums

    def record_sums(self, arrays: Sequence[str], operations: float, *, few: bool = False) -> Found:
        """The class of what all units add to. few : whether blocks leave a sum each."""
        added = [[o for o in outs if o.array in arrays] for outs in self.outputs]
        try:
            inputs, outputs = self.fit_sums(added, few=few)
        except SourceError:
            if not few or self.blocks > 1 or max(len(o.elements) for o in added[0]) > 1:
                raise
            inputs, outputs = self.fit_whole(added[0])
        return self.record(inputs, outputs, operations)

    def fit_whole(self, outputs: Sequence[Output]) -> tuple[list[Fitted], list[Fitted]]:
        """What a single block makes one number of each of: everything that it reads.

        Raises
        ------
        SourceError : data decide what that is.
        """
        [taken] = find_taken(self.origins.blocks[0], [np.concatenate([o.nodes for o in outputs])])
        if taken.chosen:
            raise SourceError("data decide which elements its result follows from")
        inputs = [
            Fitted(a, f"{len(e)}|full", len(e), self.origins.kinds[a])
            for a, e in taken.elements.items() if a not in self.origins.tables
        ]  # fmt: skip
        return inputs, [Fitted(o.array, "1|element", 1, self.origins.kinds[o.array]) for o in outputs]

    def fit_sums(
        self, added: Sequence[Sequence[Output]], number: int = 0, known: Collection[str] = (), *, few: bool = False
    ) -> tuple[list[Fitted], list[Fitted]]:  # fmt: skip
        """What terms of sums take, and the sums.

        number : terms, where other results say it. known : arrays that those take. few : see above.
        """
        groups: dict[frozenset[str], list[Unit]] = defaultdict(list)
        place = {"": np.zeros(1, dtype=np.int64)}
        for k in self.counts.ran:
            nodes = np.concatenate([np.zeros(0, dtype=np.int64), *(o.nodes for o in added[k])])
            terms = find_terms(self.origins.blocks[k], nodes)
            if not len(terms):
                continue
            middle = np.arange(len(terms) // 2, min(len(terms), len(terms) // 2 + NEIGHBOURING))
            picked = np.linspace(0, len(terms) - 1, AT_ONCE - NEIGHBOURING).astype(int)
            picked = np.unique(np.concatenate([middle, picked]))
            for taken in find_taken(self.origins.blocks[k], list(terms[picked])):
                if taken.elements or taken.chosen:
                    groups[frozenset([*taken.elements, *taken.chosen])].append(Unit(k, place, taken))
        if not groups and any(kind == "read" for kind, _ in self.amounts.moved):
            raise SourceError("what it adds follows from no array")
        further = [self.fit_terms(units) for names, units in groups.items() if not names <= set(known)]
        number = number or min((n for n, _ in further), default=1)
        placed = any(o.chosen for outs in added for o in outs)
        if placed and any(abs(n / number - 1) > SAME for n, _ in further):
            raise SourceError("data decide where its sums are, and these have different numbers of terms")
        inputs: dict[str, Fitted] = {}
        for several, fitted in further:
            for f in fitted:
                if f.array not in known and inputs.setdefault(f.array, (g := deal(f, several, number))).text != g.text:
                    raise SourceError(f"its sums take elements of '{one_line(f.array, 40)}' in several ways")
        return list(inputs.values()), [
            self.fit_sum(a, added, few=few) for a in sorted({o.array for outs in added for o in outs})
        ]

    def fit_sum(self, array: str, added: Sequence[Sequence[Output]], *, few: bool) -> Fitted:
        """An array of sums."""
        mine = [o for outs in added for o in outs if o.array == array]
        if any(o.chosen for o in mine):
            moved = round(self.counts.count_moved(("updated", "written"), array))
            if self.opened.of_nest and array not in self.opened.allocated:
                name = one_line(array, 40)
                raise SourceError(
                    f"data choose the element of '{name}', whose size nothing states: give --size {name}=N"
                )
            count = self.opened.allocated.get(array, 0) or moved
        else:
            stored = [np.unique(o.elements) for o in mine]
            count = len(stored[0])
            if len({p.tobytes() for p in stored}) > 1:
                count = self.counts.count_written(array, ("written", "updated"))
                if not few and sum(len(o.elements) for o in mine) * self.blocks < MOST_BORDER * count * len(mine):
                    raise SourceError("its blocks add to different elements")
        return Fitted(array, f"{max(1, count)}|shared", max(1, count), self.origins.kinds[array])

    def fit_terms(self, units: Sequence[Unit]) -> tuple[int, list[Fitted]]:
        """How many terms sums have, and patterns of what each takes. units : some of the terms, of the same arrays."""
        number, places = 0, None
        for array in sorted({a for u in units for a in u.taken.elements}):
            sets = [u.taken.elements[array] for u in units]
            size = Counter(map(len, sets)).most_common(1)[0][0]
            several = round(self.counts.count_elements(array, 1) / size)
            runs = all(len(s) == size and s[-1] - s[0] == size - 1 and s[0] % size == 0 for s in sets)
            if several > number and runs:
                number, places = several, np.array([s[0] // size for s in sets], dtype=np.int64)
        if places is None:
            raise SourceError("terms of a sum take several elements each")
        if number == self.blocks:
            raise SourceError("whether each block is a term of its sum is not told")
        if len(np.unique(places)) < MOST_ALIKE * len(places):
            raise SourceError("several terms of a sum take one element")
        return number, self.fit_inputs(units, number, places, around=False)

    # The class

    def record(self, inputs: Sequence[Fitted], outputs: Sequence[Fitted], operations: float) -> Found:
        """The class of some arrays.

        Raises
        ------
        SourceError : they make no class.
        """
        if not inputs and any(kind == "read" for kind, _ in self.amounts.moved):
            raise SourceError("its results follow from no array")
        if not inputs and self.origins.searches:
            raise SourceError("numbers that it computes decide what its loops do")
        inputs, outputs = (sorted(side, key=rank_member) for side in (inputs, outputs))
        try:
            parts = [parse_class(f"{f.text} -> 1|shared").inputs[0] for f in inputs]
            if len(inputs) > 1 and not all(p.pattern is Pattern.FULL for p in parts):
                # A single number in memory is an array, not a filter.
                named = zip(inputs, parts, strict=True)
                inputs = [f for f, p in named if p.elements == 1 or not is_coefficients(p, parts)]
            taken = " & ".join(f.text for f in inputs) or "void"
            algorithm = parse_class(f"{taken} -> {' & '.join(f.text for f in outputs)}")
        except ClassTextError as error:
            raise SourceError(f"its footprints make no class: {one_line(str(error), 120)}") from error
        variables = find_family(algorithm).variables(algorithm)
        parts, every = [*algorithm.inputs, *algorithm.outputs], [*inputs, *outputs]
        operations = float(round(operations))
        moved = dict[tuple[bool, str], int]()
        for k, (part, f) in enumerate(zip(parts, every, strict=True)):
            key = (k < len(inputs), ROLE.sub("", f.array))
            moved[key] = max(moved.get(key, 0), part.elements * f.kind.size)
        mean = sum(moved.values()) / sum(p.elements for p in parts)
        element = name_element(every[-1].kind)
        plain = mean == ELEMENT_TYPES.get(element, (0,))[0]
        ran = len(self.origins.blocks)
        return Found(
            ", ".join(f.array for f in outputs), int(self.opened.function.coord.line), algorithm,
            operations / (variables.work_units * variables.applications_per_unit), operations, 1,
            element if element in ELEMENT_TYPES else None, None if plain else mean,
            (*self.opened.notes, *([MEAN_SIDE] if self.amounts.averaged else [])),
            f"checked at 1 size: {ran} blocks of the launch were followed from what they store to what they load",
            checked_at=({n: v for n, v in self.opened.sizes.items() if n.isidentifier()},),
            arrays=tuple(f.array for f in every), bytes_each=tuple(f.kind.size for f in every),
        )  # fmt: skip


def tells_apart(array: str, units: Sequence[Unit]) -> bool:
    """Whether units that take the same elements of an array take others of another one, as in products."""
    seen: dict[tuple[int, bytes], dict[str, bytes]] = {}
    differs = False
    for unit in units:
        taken = {a: e.tobytes() for a, e in unit.taken.elements.items()}
        before = seen.setdefault((unit.block, taken.pop(array, b"")), taken)
        if before is not taken:
            if before == taken or before.keys() != taken.keys():
                return False
            differs = True
    return differs


def is_part_of_tile(elements: Ints, tile: Fitted) -> bool:
    """Whether elements, of a unit at a border, are some of those of one tile."""
    part = parse_class(f"{tile.text} -> 1|shared").inputs[0]
    digits = take_digits(elements, part.sizes)
    return all(len(np.unique(d // e)) == 1 for d, e in zip(digits, part.extent, strict=True))


def measure_inside(windowed: Sequence[Fitted], number: int) -> tuple[str, int] | None:
    """Sizes and number of the places whose whole windows lie inside of their array, where results are as many.

    None where borders are thin, or have results.
    """
    part = parse_class(f"{windowed[0].text} -> 1|shared").inputs[0]
    extents = (1,) * (len(part.sizes) - len(part.extent)) + part.extent
    inside = [s - e + 1 for s, e in zip(part.sizes, extents, strict=True)]
    alike = len({f.text for f in windowed}) == 1 and abs(number / math.prod(inside) - 1) <= SAME
    thin = number >= (1 - THIN) * part.elements
    return ("x".join(map(str, inside)), math.prod(inside)) if alike and not thin else None


def deal(part: Fitted, several: int, number: int) -> Fitted:
    """What terms of a sum take, where each unit has several of them.

    Raises
    ------
    SourceError : units have no equal number of terms.
    """
    many = round(several / number)
    if abs(several / number / max(1, many) - 1) > SAME:
        raise SourceError("its sums have different numbers of terms")
    if many == 1 or part.elements == number or part.text.endswith("|full"):
        return part
    if part.text != f"{part.elements}|element" or part.elements != several:
        raise SourceError("its sums have different numbers of terms")
    return replace(part, text=f"{part.elements}|tile({many})")


def is_dealt(places: Ints, taken: Ints, number: int, count: int) -> bool:
    """Whether each element is of as many units that follow each other, or all are dealt out again and again."""
    return number % count == 0 and bool((taken == places // (number // count)).all() or (taken == places % count).all())


def number_part(taken: Ints, count: int) -> Ints:
    """Elements of a part of an array, a row or a column of a matrix, as places in that part. count : of the part."""
    first = int(taken.min())
    step = int(np.gcd.reduce(taken - first)) or 1
    return (taken - first) // step if (int(taken.max()) - first) // step < count else taken


def cut_rows(dimensions: Sequence[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """(size, extent) of dimensions, innermost first, of which rows are as long as the part of them that is touched."""
    (long, extent), *others = dimensions
    rest = math.prod(d for d, _ in others)
    whole = extent == 1 and count % rest == 0 and count // rest < (1 - SAME) * long
    return [(count // rest, 1), *others] if whole else list(dimensions)


def snap(number: float, stated: Collection[int]) -> int:
    """A length, or the nearest one that the file says, where that is near."""
    nearest = min(stated, key=lambda n: abs(n - number), default=0)
    return nearest if abs(nearest - number) <= MISSED * number else round(number)


def rank_member(part: Fitted) -> tuple[str, int]:
    """What puts members of short vectors in their order."""
    base, _, member = part.array.rpartition(".")
    return (base, MEMBERS.index(member)) if base and len(member) == 1 and member in MEMBERS else (part.array, 0)


def describe(unit: Unit) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """What a unit writes, wherever it lies."""
    return tuple((a, tuple((v - v[0]).tolist())) for a, v in sorted(unit.outputs.items()))
