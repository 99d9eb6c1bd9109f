"""Patterns of what units of work read of each array."""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import one_line
from roofcast.formulas.values import combine
from roofcast_hull.emulated.kernel_text import list_loop_turns
from roofcast_hull.emulated.origin_sets import Output, has_known_places
from roofcast_hull.emulated.value_types import VECTORS
from roofcast_hull.notation import parse_class
from roofcast_hull.source.footprint_counts import MOST_BORDER, SAME, LaunchCounts, Unit
from roofcast_hull.source.footprint_results import MOST_ALIKE, Fitted, LaunchResults
from roofcast_hull.source.footprint_rows import (
    WHOLE,
    Window,
    find_sizes,
    find_window,
    list_orders,
    measure_box,
    take_digits,
)
from roofcast_hull.source.footprint_steps import Shape, find_progressions, fit_steps, list_turns, read_turns
from roofcast_hull.source.footprint_units import MOST_OF_LOOK_UP
from roofcast_hull.source.found_class import STAGES
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.rounded_places import find_rounded

MISSED = 0.02
"""Share of the rows of an array that the count of what blocks touch may miss."""
LEAST_TAKEN = 0.7
"""Share of the units that take of an array."""
OFF_OF_ROWS = 0.1
"""Share by which the rows that few blocks touched are off."""
LEAST_OF_TABLE = 0.5
"""Share of a small array that all units take at least, where it is all of it."""
LEAST_OF_ROW = 0.5
"""Share of a row that a unit takes at least of one that others take nothing of."""

FEW_OF_ROW = 32
"""Elements of a row at most that one loop over an array of rows is not divided by: steps between taps are as small."""
Ints = NDArray[np.int64]


class PatternFitter(LaunchResults):
    """Fits patterns to what units of work take."""

    def __init__(self, counts: LaunchCounts, outputs: Sequence[Sequence[Output]]) -> None:
        super().__init__(counts, outputs)
        self.stepped: set[str] = set()
        """Arrays whose elements units take by even steps."""
        self.cut: set[int] = set()
        """Units that take less of these, at ends of loops."""
        self.window_rows: list[tuple[int, ...]] = []
        """Lengths of rows around places in which units take what lies in rows of another length than theirs."""

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
                looked_up = self.fit_looked_up(array, every[array]) if array in tried else None
                if looked_up is not None:
                    inputs += looked_up
                    continue
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

    def fit_looked_up(self, array: str, taken: Sequence[tuple[int, Ints]]) -> list[Fitted] | None:
        """What is said of an array that fits no pattern but that of a look-up, or is left out; None for others.

        taken : units with what each takes.
        """
        if self.is_small_bound(array):
            return []
        irregular = self.fit_irregular(array, taken)
        return None if irregular is None else [irregular]

    def is_small_bound(self, array: str) -> bool:
        """Whether an array only says how often loops run, and is little beside what they move."""
        if array not in self.opened.filled:
            return False
        moved = {a: n for (kind, a), n in self.amounts.moved.items() if kind == "read"}
        return moved.get(array, math.inf) <= MISSED * sum(moved.values())

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
        if self.opened.of_nest and not self.counts.mixed and not self.counts.sampled:
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
            self.divide_turns(read_turns(places, loops), loops)
            if loops
            else list_turns(places, threads, block, self.counts.list_rows())
        )
        sets, sparse = [s for _, s in taken], list[Shape]()
        at_ends = np.array([k in self.cut for k, _ in taken]) if self.cut else None
        around = self.lie_around([units[k] for k, _ in taken], sets)
        for k, (turns, numbers) in enumerate(ways):
            if k and loops and not around:
                break  # What lies behind alone is of the same row, so many elements later.
            # Where numbers alone say rows, sets that are cut tell nothing.
            tight = whole_alone or k > (0 if loops else 1)
            shape = fit_steps(turns, numbers, sets, kind.size, whole_alone=tight, joins=not loops, at_ends=at_ends)
            if shape is None or not len(shape.extents) or max(shape.extents) == 1:
                continue
            if loops and shape.overlaps and 2 * max(map(len, sets)) <= math.prod(shape.extents):
                # Most of its box is left out: elements of several rows, if numbers say how long these are.
                sparse.append(shape)
                continue
            return self.record_steps(array, shape, taken, number)
        widest = max(sets, key=len)
        if not sparse or (around and len(widest) > 2 and np.diff(widest).max() > FEW_OF_ROW):
            return None  # Rows that no number says are no window of one row.
        return self.record_steps(array, sparse[0], taken, number)

    def lie_around(self, units: Sequence[Unit], sets: Sequence[Ints]) -> bool:
        """Whether units take elements on both sides of the place that they write."""
        places = [min(int(v[0]) for v in u.outputs.values()) for u in units]
        return all(s[0] < p < s[-1] for p, s in zip(places, sets, strict=True))

    def divide_turns(self, turns: Ints, loops: Sequence[int]) -> Iterator[tuple[Ints, tuple[int, ...]]]:
        """(turns, units) turns of loops, with how many there are of each; then those of one loop by rows."""
        yield turns, tuple(loops)
        if len(loops) == 1:
            for row in [n for n in self.counts.list_rows() if FEW_OF_ROW < n <= loops[0] // 2]:
                outer = -(-loops[0] // row)
                yield take_digits(turns[0], (outer, row)), (outer, row)

    def record_steps(
        self, array: str, shape: Shape, taken: Sequence[tuple[int, Ints]], number: int
    ) -> Fitted:  # fmt: skip
        """The pattern of an array whose elements units take by even steps."""
        self.stepped.add(array)
        self.cut |= {k for k, s in taken if len(s) < max(len(t) for _, t in taken)}
        size, row = math.prod(shape.extents), math.prod(shape.sizes[1:])
        held = self.opened.allocated.get(array, 0)
        near = held < math.prod(shape.sizes) <= MOST_BORDER * held
        if shape.overlaps and row > 1 and near and held % row == 0:
            # Windows at the end reach beyond the last row, where indices are held inside.
            shape = replace(shape, sizes=(held // row, *shape.sizes[1:]))
        if "|tile" in shape.render():
            self.refuse_sharing(array, size, shape.extents, number * size / math.prod(shape.sizes))
        return Fitted(array, shape.render(), math.prod(shape.sizes), self.origins.kinds[array])

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
            base = self.origins.find_base(f.array)
            if base != f.array and base in self.origins.kinds:
                members[base].append(f.text)
        for base, texts in members.items():
            kind = self.origins.kinds[base]
            alike = len(set(texts)) == 1 and (kind.name in VECTORS or len(texts) == len(kind.members))
            if not alike and any("|tile" in t for t in texts):
                raise SourceError("a unit of work takes several structures: which of their members is not followed")

    def fit_irregular(self, array: str, taken: Sequence[tuple[int, Ints]]) -> Fitted | None:
        """The array of which turns look up a few elements at places that they round from real numbers; None for others.

        Their places lie on a curve, as where a picture is turned: no pattern but that of a look-up is like them.
        taken : units with what each takes.
        """
        count = self.opened.allocated.get(array, 0)
        usual, often = Counter(len(s) for _, s in taken).most_common(1)[0]
        written = any(o.array == array for outs in self.outputs for o in outs)
        few = LEAST_TAKEN * len(taken) <= often and max(len(s) for _, s in taken) == usual <= MOST_OF_LOOK_UP
        if not self.opened.of_nest or written or not count or not few:
            return None
        if array not in find_rounded(self.opened.function):
            return None
        text = f"{count}|gather({usual})" if usual > 1 else f"{count}|gather"
        return Fitted(array, text, count, self.origins.kinds[array])

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
            count = self.opened.allocated.get(array, self.opened.allocated.get(self.origins.find_base(array), 0))
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
            fewest = min(map(len, sets))
            if len(units) < 2 or fewest <= (1 - SAME) * len(np.union1d(sets[0], sets[-1])):
                # Two of them show that it is not so.
                return None
            every = np.unique(np.concatenate(sets))
            nearly = len(every) > MOST_OF_LOOK_UP and fewest > (1 - SAME) * len(every)
            # All of it, but for a few at its ends.
            return [Fitted(array, f"{len(every)}|full", len(every), kind)] if nearly else None
        count = len(first)
        if array in self.origins.tables:
            return [Fitted(array, f"{count}|full", count, kind)] if kind.members else []
        if count == 1 and not often == len(sets) == len(units):
            return None
        if abs(self.counts.count_moved(("read", "updated", "written"), array) / count - 1) > SAME:
            raise SourceError(f"other units take other elements of '{one_line(array, 40)}'")
        stated = self.opened.allocated.get(array, 0)
        if self.opened.of_nest and LEAST_OF_TABLE * stated <= count < stated <= MOST_OF_LOOK_UP:
            # A triangle of a small matrix moves with the rest of it.
            count = stated
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
        moved = single.all() and self.opened.of_nest and run_on(at, taken)
        if same and self.list_steps(at, taken) and (taken >= at).all() and (np.diff(taken[np.argsort(at)]) > 0).all():
            raise SourceError(f"its results leave out elements of '{name}', which move with those that they take")
        if same and (moved or often.max() >= MOST_ALIKE * len(taken) or (np.diff(taken[np.argsort(at)]) > 0).all()):
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
            return self.fit_shifted(array, at, taken, count, number)
        return Fitted(array, f"unordered {'x'.join(map(str, orders[0].sizes))}|element", count, kind)

    def fit_shifted(self, array: str, places: Ints, taken: Ints, count: int, number: int) -> Fitted:
        """A table of which each row of units takes a row from another place on: by how far apart two positions are.

        Raises
        ------
        SourceError : it is none.
        """
        plain = not self.opened.of_nest and "#" not in array and 1 < count < number and number % count
        if not plain or not overlap_in_step(places, taken):
            name = one_line(array, 40)
            raise SourceError(f"its results take elements of '{name}' in an order that is not followed")
        return Fitted(array, f"{count}|gather", count, self.origins.kinds[array])

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
            [w for *_, w in windows], count, self.counts.numbers, known, self.find_holes(), self.counts.list_rows()
        )
        sizes = self.count_rows(sizes, [w for *_, w in windows])
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

    def count_rows(self, sizes: tuple[int, ...], windows: Sequence[Window]) -> tuple[int, ...]:
        """Sizes of what turns of loops take windows of, with as many rows as turns and windows have.

        What few blocks touched, times the blocks, is some rows off.
        """
        turns = list_loop_turns(self.opened.sizes) if self.opened.of_nest else []
        boxes = [box for w in windows if (box := measure_box(w.offsets, sizes)) is not None]
        if len(turns) != len(sizes) or len(sizes) < 2 or not boxes:
            return sizes
        low, high = combine(np.minimum, (b for b, _ in boxes)), combine(np.maximum, (h for _, h in boxes))
        reached = [t + w for t, w in zip(turns, (high - low).tolist(), strict=True)]
        near = reached[1:] == list(sizes[1:]) and abs(sizes[0] / reached[0] - 1) <= OFF_OF_ROWS
        return (reached[0], *sizes[1:]) if near else sizes

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
        dimensions = self.divide(progressions, count, number)
        if dimensions is None or not begin_on_tiles(starts, dimensions):
            return self.try_parts_of_rows(array, offsets, starts, count, number)
        return self.render_tile(array, cut_rows(dimensions, count), count)

    def try_parts_of_rows(self, array: str, offsets: Ints, starts: Ints, count: int, number: int) -> Fitted | None:
        """The tiles of units that each take a run of a row, all but its ends; None for others.

        starts : first elements of units' sets. count : elements of all of them. number : units.
        """
        size, apart = len(offsets), int(np.gcd.reduce(starts - starts[0]))
        runs = size > 1 and int(offsets[-1]) == size - 1
        if not runs or not size <= apart < size / LEAST_OF_ROW or abs(count / (number * size) - 1) > SAME:
            return None
        return Fitted(array, f"{number}x{size}|tile(1x{size})", number * size, self.origins.kinds[array])

    def fit_tile(self, array: str, offsets: Ints, sets: Sequence[Ints], count: int) -> Fitted:
        """The tiles of an array that units write."""
        tile = self.try_tile(array, offsets, sets, float(count), count // len(offsets))
        if tile is None:
            raise SourceError(f"the elements of '{one_line(array, 40)}' that a unit of work writes are no tile")
        return tile

    @staticmethod
    def divide(progressions: Sequence[tuple[int, int]], count: int, number: int) -> list[tuple[int, int]] | None:
        """(size, extent) of the dimensions of an array, innermost first, in which a set is a tile; None for none.

        number : units. What is left beside as many tiles as these belongs to none.
        """
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
            if k + 1 == len(progressions):
                inner = math.prod(d // e for d, e in dimensions)
                long = min(-(-long // extent), max(1, round(number / inner))) * extent
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


def overlap_in_step(places: Ints, taken: Ints) -> bool:
    """Whether units that follow each other take elements that do, either way, from places that are less apart than
    these runs are long.
    """
    order = np.argsort(places)
    taken, follows = taken[order], np.diff(places[order]) == 1
    steps = np.diff(taken)
    step = 1 if np.mean(steps[follows] == 1) >= MOST_ALIKE else -1
    if not follows.any() or np.mean(steps[follows] == step) < MOST_ALIKE:
        return False
    runs = np.split(taken, np.flatnonzero(~follows | (steps != step)) + 1)
    apart = np.diff(np.unique([min(r[0], r[-1]) for r in runs]))
    return bool(len(apart)) and bool(apart.min() < max(map(len, runs)))


def run_on(places: Ints, taken: Ints) -> bool:
    """Whether units that follow each other take elements that do, of an array whose rows are moved or wrapped around.

    Each element is of one unit.
    """
    order = np.argsort(places)
    places, taken = places[order], taken[order]
    steps = np.diff(taken)[np.diff(places) == 1]
    differs = len(np.unique(taken)) == len(np.unique(places))
    return bool(differs and len(steps) > 1 and np.count_nonzero(steps == 1) >= MOST_ALIKE * len(steps))


def begin_on_tiles(starts: Ints, dimensions: Sequence[tuple[int, int]]) -> bool:
    """Whether tiles begin a whole number of them apart along each dimension. dimensions : innermost first."""
    strides = np.cumprod([1, *[d for d, _ in dimensions[:-1]]])
    for (long, extent), stride in zip(dimensions, strides.tolist(), strict=True):
        digits = (starts // stride) % long if long > 1 else np.zeros_like(starts)
        if extent > 1 and len(np.unique(digits % extent)) > 1:
            return False
    return True


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
