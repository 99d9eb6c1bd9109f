r"""Units of work: results that are computed from the same elements, or share most of their work."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast_hull.emulated.origin_sets import AT_ONCE, Output, Taken, find_taken, measure_sharing, sign
from roofcast_hull.source.footprint_counts import Unit
from roofcast_hull.source.footprint_results import MOST_ALIKE, LaunchResults, take_usual
from roofcast_hull.source.nest import SourceError

SHARED_WORK = 0.5
"""Operations of a unit for each element that it takes, below which units share work."""
FEW_TAKEN = 9
"""Elements that a unit may take without an operation for each."""
LEAST_NESTED, MOST_NESTED = 2, 1024
"""Arrays of results of which some are inside of others, and how many more these are; of those others in a block."""
LEAST_SHARED = 1.5
"""Operations of the results of a unit, each for itself, over those of the unit."""
VECTOR_LENGTHS = (1, 2, 4, 8, 16)
"""Elements that a thread takes at once."""
MOST_OF_LOOK_UP = 64
"""Results that one unit makes of the elements that data choose for it."""

Ints = NDArray[np.int64]


class UnitFinder(LaunchResults):
    """Finds the units of work that results belong to."""

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
        common = [a for a in read if is_one_row(np.concatenate([s[a] for s in signed.values()]))]
        telling = [a for a in read if a not in common]
        tried = set[int]()
        unsure: tuple[list[Unit], list[Unit]] | None = None
        # Of units of several turns some results would be missing.
        for dropped in range(1 if self.counts.sampled else max(1, len(telling))):
            ways = self.list_ways(telling, dropped, signed, tried)
            for units in ways:
                chosen = self.sample(units)
                result = max(1.0, take_usual(sum(map(len, u.outputs.values())) for u in chosen))
                taken = take_usual(max((len(e) for e in u.taken.elements.values()), default=0) for u in chosen)
                work = operations * result / results
                if work < taken - 1 and not dropped and taken > FEW_TAKEN and work >= SHARED_WORK * (taken - 1):
                    # Half an operation for each element: sides of a choice, or work that larger units share.
                    unsure = unsure or (chosen, units)
                elif work >= SHARED_WORK * (taken - 1) or taken <= 2 or (not dropped and taken <= FEW_TAKEN):
                    return chosen, units
            tried.update(map(mark_units, ways))
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
            if dropped:
                key = mark_units(units)
                if key in tried:
                    continue
                tried.add(key)
            if not dropped or self.measure_shared(units) >= LEAST_SHARED:
                ways.append(units)
        return sorted(ways, key=lambda w: -len(w))

    def take_pairs(self, units: Sequence[Unit]) -> bool:
        """Whether one or two results are of the same elements, and share no work: those of (a, b) and of (b, a)."""
        if len(units) == sum(len(o.elements) for k in self.ran for o in self.outputs[k]):
            return False
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
                if (o.elements[1:] >= o.elements[:-1]).all():
                    nodes.append(o.nodes[np.searchsorted(o.elements, unit.outputs[o.array])])
                    continue
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
        units = self.list_threads()
        if any(int(v[-1] - v[0]) >= len(v) for u in units for v in u.outputs.values()):
            return []
        return units if any(len(v) > 1 for u in units for v in u.outputs.values()) else []

    def list_threads(self) -> list[Unit]:
        """What each thread stores."""
        units = list[Unit]()
        for k in self.ran:
            parts: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
            for o in self.outputs[k]:
                for lane, element in zip(o.lanes.tolist(), o.elements.tolist(), strict=True):
                    parts[lane][o.array].append(element)
            units += [Unit(k, {a: np.array(sorted(v), dtype=np.int64) for a, v in p.items()}) for p in parts.values()]
        return units

    def join_threads(self) -> list[Unit]:
        """Results of each thread that share work, some with some of them: factors of a matrix; empty for others."""
        if self.origins.together or self.counts.sampled:
            return []
        units = self.list_threads()
        several = any(sum(map(len, u.outputs.values())) > 1 for u in units)
        return units if several and self.measure_shared(units) >= LEAST_SHARED else []

    def group(self, arrays: Sequence[str], signed: Mapping[int, Mapping[str, Any]]) -> list[Unit]:
        """Results of each block that are computed from the same elements of some arrays; single ones without any."""
        units = []
        for k, rows in signed.items():
            outputs = self.outputs[k]
            lengths = [len(o.elements) for o in outputs]
            if arrays:
                columns = [rows[a] for a in arrays]
                if self.by_turn:
                    # Turns of loops do not work together: what several compute from the same elements, each computes.
                    columns.append(np.concatenate([o.lanes for o in outputs])[:, None])
                which = number_rows(np.concatenate(columns, axis=1))
            else:
                # Elements of the same place in several arrays belong together.
                which = np.concatenate([np.arange(n) for n in lengths])
            elements, of_output = np.concatenate([o.elements for o in outputs]), np.repeat(range(len(outputs)), lengths)
            order = np.lexsort((elements, of_output, which))
            elements, of_output, which = elements[order], of_output[order], which[order]
            starts = np.flatnonzero((np.diff(which, prepend=-1) != 0) | (np.diff(of_output, prepend=-1) != 0))
            ends, last = [*starts[1:].tolist(), len(elements)], -1
            sides = zip(starts.tolist(), ends, which[starts].tolist(), of_output[starts].tolist(), strict=True)
            for start, end, number, output in sides:
                if number != last:
                    units.append(Unit(k, {}))
                    last = number
                units[-1].outputs[outputs[output].array] = elements[start:end]
        return units

    def sample(self, units: Sequence[Unit]) -> list[Unit]:
        """Some units of each block, neighbours among them, with the elements that they take."""
        sampled = []
        of_block: dict[int, list[Unit]] = defaultdict(list)
        for unit in units:
            of_block[unit.block].append(unit)
        for k in self.ran:
            mine = of_block[k]
            firsts = [[v.item(0) for v in u.outputs.values()] for u in mine]
            places = sorted(range(len(mine)), key=firsts.__getitem__)
            middle = len(mine) // 2
            spread = np.linspace(0, len(mine) - 1, 20).astype(int).tolist()
            ends = [*range(min(8, len(mine))), *range(max(0, len(mine) - 8), len(mine))]
            picked = list(dict.fromkeys([*ends, *spread, *range(middle, min(len(mine), middle + 30))]))[:AT_ONCE]
            chosen = [mine[places[p]] for p in picked]
            nodes = [self.list_nodes(u) for u in chosen]
            for unit, taken in zip(chosen, find_taken(self.origins.blocks[k], nodes), strict=True):
                sampled.append(Unit(k, unit.outputs, taken))
        return sampled

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
        if self.origins.together and len(inner.elements) > len(units) and runs_on(numbers[low], low, high):
            return False
        order = np.lexsort((inner.elements, numbers[low]))
        counts = np.bincount(numbers[low], minlength=len(units))
        for unit, elements in zip(units, np.split(inner.elements[order], np.cumsum(counts)[:-1]), strict=True):
            unit.outputs[inner.array] = elements
        return bool(counts.all())

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


def mark_units(units: Sequence[Unit]) -> int:
    """A number for units, equal for equal ones."""
    return hash(tuple((u.block, *(v.tobytes() for v in u.outputs.values())) for u in units))


def number_rows(rows: NDArray[Any]) -> Ints:
    """Of each row the number of its like among all that differ, in their order: ``np.unique`` takes ten times as long.

    >>> number_rows(np.array([[2, 1], [0, 5], [2, 1], [0, 3]])).tolist()
    [2, 1, 2, 0]
    """
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    which = np.zeros(len(rows), dtype=np.int64)
    which[order[1:]] = np.cumsum((ordered[1:] != ordered[:-1]).any(axis=1))
    return which


def is_one_row(rows: NDArray[Any]) -> bool:
    """Whether all rows are equal, and there are some."""
    return len(rows) > 0 and bool((rows == rows[0]).all())


def runs_on(units: Ints, low: Ints, high: Ints) -> bool:
    """Whether each result of a unit takes one element more than the one before, all from one end: running sums.

    low, high : the first and the last element that each takes.
    """
    for fixed, moving in ((low, high), (high, low)):
        order = np.lexsort((moving, units))
        same = np.diff(units[order]) == 0
        if same.any() and (np.diff(fixed[order])[same] == 0).all() and (np.diff(moving[order])[same] == 1).all():
            return True
    return False
