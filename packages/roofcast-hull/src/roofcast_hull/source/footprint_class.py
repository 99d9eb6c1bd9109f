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
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from roofcast.core.errors import one_line
from roofcast_hull.bounds import ELEMENT_TYPES
from roofcast_hull.classes import count_all_applications
from roofcast_hull.emulated.kernel_text import KernelText, list_loop_turns
from roofcast_hull.emulated.launch import CodeAmounts, emulate, pick_blocks
from roofcast_hull.emulated.origin_sets import (
    Output,
)  # fmt: skip
from roofcast_hull.emulated.origins import Origins, follow_origins
from roofcast_hull.emulated.thread_state import ENDED
from roofcast_hull.notation import ClassTextError, Pattern, parse_class
from roofcast_hull.source.footprint_counts import MOST_BORDER, NEAR, SAME, LaunchCounts, Unit
from roofcast_hull.source.footprint_results import MOST_ALIKE, Fitted, LaunchResults
from roofcast_hull.source.footprint_roles import find_roles
from roofcast_hull.source.footprint_rows import (
    WHOLE,
)
from roofcast_hull.source.footprint_sums import SumFitter
from roofcast_hull.source.footprint_units import UnitFinder
from roofcast_hull.source.found_class import MEAN_SIDE, MEMBERS, STAGES, Found, find_mean, join_members, pair_parts
from roofcast_hull.source.group_class import is_coefficients
from roofcast_hull.source.launch_check import compare_blocks, compare_bytes, name_base, open_launch
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.staged_class import name_element

BLOCKS = 6
"""Blocks that run, beside the first and the last."""
MOST_ENDS = 4
"""Lengths of rows for which a block runs in which one ends."""
MOST_OF_NEST = 60_000
"""Statements of the blocks that count what turns of a nest move and compute."""
MOST_RESULTS = 600_000
"""Elements that the blocks that run write."""
LEAST_TOUCHED = 0.9
"""Share of the bytes of a structure with arrays that are read or stored: the rest is what fills it up."""
THIN = 0.03
"""Share of an array that borders are, of which it does not matter whether they have results."""

ROLE = re.compile(r"#\d+")
"""What the names of arrays hold beside them where places of the code load them in several roles."""

Outputs = Sequence[Sequence[Output]]
"""What each block that ran stores."""


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
    amounts = emulate(*launch, of_elements=True, templates=opened.templates, most=MOST_OF_NEST, filled=opened.filled)
    return classify_opened(opened, amounts, check, blocks)


def classify_opened(
    opened: KernelText, amounts: CodeAmounts, check: Callable[[Origins], None] | None = None, blocks: int | None = None
) -> Found:
    """The class of a launch whose amounts are known."""
    for note in amounts.notes:
        if ENDED in note or "equally long" in note:
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
    return follow_origins(
        *launch, blocks, templates=opened.templates, roles=roles, watches=watches, filled=opened.filled
    )


def fit_roles(opened: KernelText, roles: Mapping[int, str]) -> Found:
    """The class with arrays in parts, by the roles of what loads them.

    Raises
    ------
    SourceError : no array has several roles, or no pattern fits these.
    """
    if not roles:
        raise SourceError("what it loads of each array is of one role")
    launch = opened.tree, opened.function, opened.sizes, opened.allocated
    amounts = emulate(*launch, of_elements=True, templates=opened.templates, roles=roles, filled=opened.filled)
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
    counted = amounts if amounts.is_exact else leave_out_read_back(amounts, result_found)
    wrong = compare_bytes(counted, [result_found]) or compare_blocks(counted, [result_found])
    if wrong:
        raise SourceError(f"no class: of its launch some blocks were run, which {wrong}")
    kinds = {a: t for a, t in origins.kinds.items() if t.members}
    joined = join_members(result_found, kinds)
    return replace(joined, arrays=tuple(ROLE.sub("", a) for a in joined.arrays))


def leave_out_read_back(amounts: CodeAmounts, found: Found) -> CodeAmounts:
    """Amounts without reads of what a class only writes: threads were followed to what they stored themselves.

    Where a few turns ran for many, what the turns left out would have stored is counted as read when it is taken again.
    """
    taken = {name_base(a) for a in found.arrays[: len(found.found.inputs)]}
    only_written = {name_base(a) for a in found.arrays} - taken
    moved = {(k, a): v for (k, a), v in amounts.moved.items() if k != "read" or name_base(a) not in only_written}
    return replace(amounts, moved=moved)


def fit_results(opened: KernelText, amounts: CodeAmounts, origins: Origins, blocks: int) -> Found:
    """The class, where results of turns of which one ran for many are units with others; else from the other turns.

    Of nests that have none so, all results of a turn are one unit.

    Raises
    ------
    SourceError : no pattern fits.
    """
    hidden, refusal = any(s.hidden for b in origins.blocks for s in b.stored), SourceError("no pattern fits")
    for whole, joins in ((True, False), (False, False), (True, True)):
        if (not whole and not hidden) or (joins and not opened.of_nest):
            continue
        try:
            return Fitter(LaunchCounts(opened, amounts, origins, blocks, whole=whole), joins=joins).fit()
        except SourceError as error:
            refusal = error if whole and not joins else refusal
    raise refusal


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
    """Fits the class to what blocks of a launch did."""

    def __init__(self, counts: LaunchCounts, *, joins: bool = False) -> None:
        """Take what blocks did. joins : whether all results of a turn of a nest may be one unit."""
        self.counts, self.joins = counts, joins or not counts.opened.of_nest
        self.opened, self.amounts, self.origins, self.blocks = (
            counts.opened, counts.amounts, counts.origins, counts.blocks
        )  # fmt: skip

    def fit(self) -> Found:
        """The class.

        Raises
        ------
        SourceError : no pattern fits.
        """
        ran = self.counts.ran
        if not ran:
            raise SourceError("blocks that ran write nothing")
        if sum(len(o.elements) for k in ran for o in self.counts.outputs[k]) > MOST_RESULTS:
            raise SourceError("its blocks write too much to be followed")
        everything = [o for outs in self.counts.outputs for o in outs]
        updated = {o.array for o in everything if o.updated}
        plain = {o.array for o in everything if not o.updated}
        if any(o.chosen for o in everything if not o.updated):
            raise SourceError("data decide where it writes")
        if updated & plain:
            raise SourceError("it adds to what it also writes")
        if not plain:
            return self.record_sums(updated)
        # Elements of the units' own, beside sums that all of them add to.
        outputs, added = self.take(plain), self.take(updated)
        results = LaunchResults(self.counts, outputs)
        total = results.count_padded({a: self.counts.count_written(a) for a in sorted(plain)})
        if not updated and UnitFinder(self.counts, outputs).is_few(total):
            return self.record_sums(plain, few=True)
        try:
            return self.fit_units(outputs, added, total)
        except SourceError as error:
            try:
                return self.fit_together(outputs, added, total)
            except SourceError:
                raise error from None

    def take(self, arrays: Collection[str]) -> Outputs:
        """Results in some arrays, of each block."""
        return [[o for o in outs if o.array in arrays] for outs in self.counts.outputs]

    def fit_together(self, outputs: Outputs, added: Outputs, total: Mapping[str, int]) -> Found:
        """The class of units that write an element of one array and several of others, or with sums of blocks."""
        sums = set() if any(added) else self.find_block_sums(outputs, total)
        if sums:
            try:
                elements = {a: n for a, n in total.items() if a not in sums}
                return self.fit_units(self.take(elements), self.take(sums), elements, of_blocks=True)
            except SourceError:
                pass
        finder = UnitFinder(self.counts, outputs, by_turn=self.opened.of_nest)
        if not (every := finder.nest_units(total) or (finder.join_threads() if self.joins else [])):
            raise SourceError("its results share work, and belong to no unit of others")
        return self.record_units(finder.sample(every), outputs, added, total, self.counts.count_operations(every))

    def fit_units(
        self, outputs: Outputs, added: Outputs, total: Mapping[str, int], *, of_blocks: bool = False
    ) -> Found:  # fmt: skip
        """The class of units that write elements of their own.

        total : arrays that they write, with their elements. of_blocks : whether sums beside them are one of each block.

        Raises
        ------
        SourceError : no pattern fits.
        """
        # Of several turns that each compute something of an element, which no other input has for itself, units are
        # what computes from the same elements.
        for by_turn in (True, False) if self.opened.of_nest else (False,):
            finder = UnitFinder(self.counts, outputs, by_turn=by_turn)
            units, every = finder.find_units(sorted(total), total, self.counts.count_operations())
            try:
                operations = self.counts.count_operations(every)
                return self.record_units(units, outputs, added, total, operations, of_blocks=of_blocks)
            except SourceError:
                if not by_turn:
                    raise
        raise AssertionError("one of the ways returns or raises")

    def find_block_sums(self, outputs: Outputs, total: Mapping[str, int]) -> set[str]:
        """Arrays of which each block writes a sum, beside others of which threads write an element; none for others.

        Blocks of one element for each thread are parts of a whole; other sums may be of rows.
        """
        threads = math.prod(self.opened.sizes.get(f"blockDim.{a}", 1) for a in "xyz")
        sizes = {a: [len(o.elements) + o.left_out for outs in outputs for o in outs if o.array == a] for a in total}
        sums = {a for a, n in sizes.items() if set(n) == {1} and abs(total[a] / self.blocks - 1) <= SAME}
        elements = total.keys() - sums
        runs = all(max(sizes[a]) == threads and total[a] <= threads * self.blocks for a in elements)
        return sums if elements and runs else set()

    # The class

    def record_units(
        self, units: Sequence[Unit], outputs: Outputs, added: Outputs, total: Mapping[str, int], operations: float, *,
        of_blocks: bool = False,
    ) -> Found:  # fmt: skip
        """The class of units that write elements of their own. of_blocks : see :meth:`fit_units`."""
        fitter = SumFitter(self.counts, outputs)
        shapes = Counter(describe(u) for u in units)
        shape, often = shapes.most_common(1)[0]
        if often < (MOST_ALIKE if self.counts.mixed else WHOLE) * len(units) or {a for a, _ in shape} != set(total):
            raise SourceError("its units of work write different numbers of elements")
        written = []
        usual = [
            u for u in units if tuple((a, tuple((v - v[0]).tolist())) for a, v in sorted(u.outputs.items())) == shape
        ]
        for array, offsets in shape:
            sets = [u.outputs[array] for u in usual]
            count = self.count_stored(total[array], len(offsets))
            if len(offsets) == 1:
                written.append(Fitted(array, f"{count}|element", count, self.origins.kinds[array]))
            else:
                written.append(fitter.fit_tile(array, np.array(offsets), sets, count))
        many = {o.elements // len(v) for o, (_, v) in zip(written, shape, strict=True)}
        if len(many) > 1 and max(many) > min(many) * (1 + SAME):
            raise SourceError("its units write several arrays of different sizes")
        number = written[0].elements // len(shape[0][1])
        inputs = fitter.fit_inputs(usual, number, fitter.find_places(usual, written))
        stored = written[0].elements
        placed = [
            f for f in inputs if "|neighbourhood" in f.text and (self.opened.of_nest or f.array not in fitter.stepped)
        ]
        inputs, placed = drop_last_end(inputs, placed, number)
        windows = {f.text.partition("|")[0]: f.elements for f in placed}
        near = [p for p in windows.values() if 1 / MOST_BORDER <= number / p <= MOST_BORDER]
        if len(windows) == len(near) == 1 and all(o.text.endswith("|element") for o in written):
            # Results are as many as places, though none is written at a border; of turns of loops as many as these.
            ((rows, places),) = windows.items()
            within = measure_inside(placed, number)
            rows, places = within or (rows, places)
            turns = list_loop_turns(self.opened.sizes)
            if math.prod(turns) == number and self.opened.of_nest:
                rows, places = "x".join(map(str, turns)), number
            if not self.opened.of_nest or places == number:
                number = places
                stored = places if within else stored
                inputs, written = ([f.resize(number, rows) for f in side] for side in (inputs, written))
        self.refuse_orders(inputs, written, [v for _, v in shape], number)
        written = [fitter.spell_rows(o) for o in written]
        if self.opened.of_nest and written[0].text.endswith("|element"):
            flat = f"{written[0].elements}|element"
            inputs = [replace(i, text=written[0].text) if i.text == flat else i for i in inputs]
        if any(added):
            known = {i.array for i in inputs}
            more, sums = fitter.fit_sums(added, number, known, few=of_blocks)
            inputs, written = inputs + more, written + sums
        weighed = operations * self.counts.weigh_results(written[0].array, stored)
        exact = self.counts.count_of_results(written[0].array, stored)
        close = exact is not None and weighed / MOST_BORDER <= exact <= weighed * MOST_BORDER
        return self.record(inputs, written, exact if exact is not None and close else weighed)

    def count_stored(self, count: int, long: int) -> int:
        """Elements of an array that units write: of a nest each turn has a tile, what is left is the array's border.

        long : of a tile.
        """
        tiles = math.prod(list_loop_turns(self.opened.sizes)) * long
        near = self.opened.of_nest and 1 / MOST_BORDER <= count / tiles <= MOST_BORDER
        return tiles if near and count % long else count

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

    def computes(self) -> bool:
        """Whether the blocks do more with data than to compare and choose them."""
        return any(c.each and not c.orders for k in self.counts.ran for c in self.origins.blocks[k].chunks)

    def compares(self) -> bool:
        """Whether they compare data otherwise than to take the larger or the smaller of two."""
        return any(c.each and c.orders and not c.word for k in self.counts.ran for c in self.origins.blocks[k].chunks)

    def record_sums(self, arrays: Collection[str], *, few: bool = False) -> Found:
        """The class of what all units add to. few : whether blocks leave a sum each."""
        added, fitter = self.take(arrays), SumFitter(self.counts, self.counts.outputs)
        try:
            inputs, outputs = fitter.fit_sums(added, few=few)
        except SourceError:
            if not few or self.blocks > 1 or max(len(o.elements) for o in added[0]) > 1:
                raise
            inputs, outputs = fitter.fit_whole(added[0])
        return self.record(inputs, outputs, self.counts.count_operations(threads_of=fitter.unit_of))

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
        parts, every = [*algorithm.inputs, *algorithm.outputs], [*inputs, *outputs]
        operations = float(round(operations))
        sides = [(ROLE.sub("", f.array), part, f.kind.size) for part, f in zip(parts, every, strict=True)]
        mean = find_mean(sides[: len(inputs)], sides[len(inputs) :])
        element = name_element(every[-1].kind)
        plain = mean == ELEMENT_TYPES.get(element, (0,))[0]
        ran = len(self.origins.blocks)
        return Found(
            ", ".join(f.array for f in outputs), int(self.opened.function.coord.line), algorithm,
            operations / count_all_applications(algorithm), operations, 1,
            element if element in ELEMENT_TYPES else None, None if plain else mean,
            (*self.opened.notes, *([MEAN_SIDE] if self.amounts.averaged else [])),
            f"checked at 1 size: {ran} blocks of the launch were followed from what they store to what they load",
            checked_at=({n: v for n, v in self.opened.sizes.items() if n.isidentifier()},),
            arrays=tuple(f.array for f in every), bytes_each=tuple(f.kind.size for f in every),
        )  # fmt: skip


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


def drop_last_end(inputs: list[Fitted], placed: list[Fitted], number: int) -> tuple[list[Fitted], list[Fitted]]:
    """Inputs, and those with places of their own, where rows start and end in one element more than there are rows.

    number : units.
    """
    ends = [f for f in placed if f.text == f"{number + 1}|neighbourhood(2)"]
    if not ends or not any("|tile" in f.text for f in inputs):
        return inputs, placed
    of_rows = [replace(f, text=f"{number}|neighbourhood(2)", elements=number) if f in ends else f for f in inputs]
    return of_rows, [f for f in placed if f not in ends]


def rank_member(part: Fitted) -> tuple[str, int]:
    """What puts members of short vectors in their order."""
    base, _, member = part.array.rpartition(".")
    return (base, MEMBERS.index(member)) if base and len(member) == 1 and member in MEMBERS else (part.array, 0)


def describe(unit: Unit) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """What a unit writes, wherever it lies."""
    return tuple((a, tuple((v - v[0]).tolist())) for a, v in sorted(unit.outputs.items()))
