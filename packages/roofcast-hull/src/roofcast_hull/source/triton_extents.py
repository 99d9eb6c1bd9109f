"""How many stored elements of a Triton launch are one unit of work: those beside each other that share their work."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from roofcast_hull.source.triton_programs import NO_ELEMENTS, Programs
from roofcast_hull.source.triton_steps import Ints, Trace, follow, sort_distinct

SHARED_WORK = 0.5
"""Share of its operations that an element shares with another one of the same unit."""
NEARLY_ALL_WORK = 0.9
"""The same where they sum up different elements of some array, too: a product after a softmax."""
MOST_MEMBERS = 16
"""Members of a structure."""


class Extents(Programs):
    """Finds how far units of work reach along the dimensions of what programs store."""

    def split(self, stored: str) -> None:
        """Part dimensions of arrays of which one stored element follows from elements that lie equally far apart.

        What is stored in an array of the same shape is parted alike: halves of a row that are turned together.
        """
        trace = max(self.traces, key=lambda t: len(self.locate(t, stored)[0]))
        located = self.locate(trace, stored)
        several, _, _ = self.ask(trace, located, [np.array([len(located[0]) * k // 4]) for k in (2, 1)])
        for array, elements in (pair for taken in several for pair in taken.items()):
            shape = self.shape(array)
            if elements[0] < 0 or elements[-1] >= math.prod(shape) or array in self.shapes:
                continue
            for n, coordinates in enumerate(np.unravel_index(elements, shape)):
                distinct = sort_distinct(coordinates)
                step = int(distinct[1] - distinct[0]) if len(distinct) > 1 else 1
                period = step * len(distinct)
                aligned = shape[n] % period == 0 and distinct[0] % period < step
                if step > 1 and aligned and (np.diff(distinct) == step).all():
                    periods = (shape[n] // period,) if shape[n] > period else ()
                    self.shapes[array] = (*shape[:n], *periods, len(distinct), step, *shape[n + 1 :])
                    if self.shape(stored) == shape:
                        self.shapes[stored] = self.shapes[array]

    def find_extents(self, array: str) -> tuple[int, ...]:
        """Elements of a unit along each dimension of an array that is stored."""
        shape = self.shape(array)
        sizes: list[tuple[int, ...]] = []
        full = max(len(self.locate(t, array)[0]) for t in self.traces)
        for trace in self.traces:
            located = self.locate(trace, array)
            if len(located[0]) == full and len(sizes) < 2:
                sizes.append(self.grow(trace, located, shape))
        if len(set(sizes)) > 1:
            raise self.refuse("its units of work are not equally large")
        return sizes[0]

    def find_members(self, array: str, *, apart: bool = False) -> tuple[int, ...]:
        """Elements of a unit along each dimension where each lane stores the members of a structure; () elsewhere.

        Members are what several statements store in the last dimension, whose other units are their lanes' numbers, of
        which some take of an array what others take.
        """
        trace = max(self.traces, key=lambda t: len(self.locate(t, array)[0]))
        mine = [(k, s) for k, s in enumerate(trace.stores) if s.array == array and len(s.elements)]
        first = mine[0][1]
        shape, number = self.shape(array), len(mine)
        if not 1 < number <= MOST_MEMBERS or any(len(s.elements) != len(first.elements) for _, s in mine):
            return ()
        moved = sorted(int(s.elements[0]) for _, s in mine)
        aligned = moved[0] % number == 0 and moved == list(range(moved[0], moved[0] + number))
        if not aligned or shape[-1] % number or any(
            (s.elements - s.elements[0] != first.elements - first.elements[0]).any() for _, s in mine
        ):  # fmt: skip
            return ()
        at = len(first.elements) // 2
        questions = [{k: np.array([at])} for k, _ in mine]
        taken = follow(trace, questions).taken
        if not apart and not all(
            any(meet(t, other) for m, other in enumerate(taken) if m != n) for n, t in enumerate(taken)
        ):
            return ()
        return (*(1 for _ in shape[1:]), number)

    def grow(self, trace: Trace, located: tuple[Ints, Ints, Ints], shape: tuple[int, ...]) -> tuple[int, ...]:
        """How far elements that share their work reach from one in the midst."""
        elements = located[0]
        coordinates = np.stack(np.unravel_index(elements, shape))
        base = len(elements) // 2
        extents = []
        for n in range(len(shape)):
            others = [k for k in range(len(shape)) if k != n]
            same = (coordinates[others] == coordinates[others][:, base : base + 1]).all(axis=0)
            line = np.flatnonzero(same)
            at = int(np.flatnonzero(line == base)[0])
            low, high = self.span(trace, located, line, at)
            if low + high + 1 == len(line) < shape[n]:
                # As far as the program goes: what it takes for all of them, others take as well.
                low, high = self.span(trace, located, line, at, inputs=False)
            if 1 < low + high + 1 < len(line):
                early = len(line) // 4
                before, behind = self.span(trace, located, line, early)
                apart = (at - low) - (early - before)
                if before + behind != low + high or apart % (low + high + 1):
                    # Work that is shared less and less the further elements lie apart: a recurrence.
                    low, high = at, len(line) - 1 - at
            if 2 * (low + high + 1) > len(line):
                # No two of them: what the first ones share is little beside what is their own.
                low, high = at, len(line) - 1 - at
            along = coordinates[n][line[at - low : at + high + 1]]
            if along[-1] - along[0] + 1 != len(along):
                raise self.refuse("elements of a unit of work lie apart")
            extents.append(len(along))
        return tuple(extents)

    def span(
        self, trace: Trace, located: tuple[Ints, Ints, Ints], line: Ints, at: int, *, inputs: bool = True
    ) -> tuple[int, int]:  # fmt: skip
        """How many elements of a line before and behind one are of its unit. inputs : or take the same elements."""
        before, behind = (self.reach(trace, located, side, inputs) for side in (line[: at + 1][::-1], line[at:]))
        return before, behind

    def reach(self, trace: Trace, located: tuple[Ints, Ints, Ints], line: Ints, inputs: bool = True) -> int:
        """How many elements that follow the first of a line share its work, or that of one between them.

        inputs : or take the same elements.
        """
        reached = 0
        while further := self.reach_from_first(trace, located, line[reached:], inputs):
            reached += further
        return reached

    def reach_from_first(self, trace: Trace, located: tuple[Ints, Ints, Ints], line: Ints, inputs: bool) -> int:
        """How many elements that follow the first of a line share its own work. inputs : or take the same elements."""
        low, high = 0, len(line)
        if high == 1:
            return 0
        tries = [1, high - 1]
        while True:
            for k, holds in zip(tries, self.shares(trace, located, line, tries, inputs), strict=True):
                if not holds:
                    high = k
                    break
                low = k
            if high - low <= 1:
                break
            tries = sorted({low + max(1, (high - low) * k // 4) for k in (1, 2, 3)})
        return low

    def shares(
        self, trace: Trace, located: tuple[Ints, Ints, Ints], line: Ints, tries: Sequence[int], inputs: bool
    ) -> list[bool]:  # fmt: skip
        """Whether elements share the work of the first of a line, and what it adds up."""
        groups = [line[:1], *(line[[k]] for k in tries), *(line[[0, k]] for k in tries)]
        taken, chosen, operations = self.ask(trace, located, groups)
        results, number = [], len(tries)
        for k in range(1, number + 1):
            both = operations[0] + operations[k] - operations[k + number]
            sums = [
                2 * len(np.intersect1d(first, other, assume_unique=True)) >= min(len(first), len(other))
                for a, first in taken[0].items()
                if len(other := taken[k].get(a, first[:0])) > 1 or len(first) > 1
            ]
            share = SHARED_WORK if all(sums) else NEARLY_ALL_WORK
            # Constants are written by whoever is nearest.
            nothing = not operations[k] and not taken[k] and not chosen[k]
            works = nothing or (any(sums) and both > 0 and both >= share * min(operations[0], operations[k]))
            results.append(works or (inputs and self.take_same(taken[0], taken[k])))
        return results

    def take_same(self, one: Mapping[str, Ints], other: Mapping[str, Ints]) -> bool:
        """Whether two elements follow from the same parts of arrays, wherever they follow from several elements."""
        pairs = {a: (one.get(a, NO_ELEMENTS), other.get(a, NO_ELEMENTS)) for a in {*one, *other}}
        several = [p for a, p in pairs.items() if max(map(len, p)) > 1 and len(p[0]) < self.tensors[a].elements]
        return bool(several) and all(np.array_equal(first, second) for first, second in several)

    def scale_units(self, extents: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        """Extents of what a place of a smaller input becomes: an image that is enlarged; none for others."""
        if len(extents) > 1:
            return {}
        (array,) = extents
        shape = self.shape(array)
        for other in self.tensors:
            smaller = self.shape(other)
            if len(smaller) == len(shape) and smaller != shape and not any(
                a % b for a, b in zip(shape, smaller, strict=True)
            ):  # fmt: skip
                return {array: tuple(a // b for a, b in zip(shape, smaller, strict=True))}
        return {}

    def take_programs(self, extents: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        """Extents with which a program is a unit; none where what it stores is no box of each array's dimensions."""
        joined: dict[str, tuple[int, ...]] = {}
        for array in extents:
            elements = max((self.locate(t, array)[0] for t in self.traces), key=len)
            at = np.stack(np.unravel_index(elements, self.shape(array)))
            joined[array] = tuple((at.max(axis=1) - at.min(axis=1) + 1).tolist())
            if math.prod(joined[array]) != len(elements):
                return {}
        return joined

    def join_units(self, extents: Mapping[str, tuple[int, ...]]) -> list[dict[str, tuple[int, ...]]]:
        """Extents with which a unit writes of each array what belongs to its part of the smallest one.

        A product of a row with all columns and the sum of that row are a unit's: the last dimensions are joined first.
        Where that is not so, one dimension that is longer than the smallest array's, or any other, is.
        """
        units = {a: self.count_units(a, e) for a, e in extents.items()}
        least = min(units.values(), key=math.prod)
        candidates = list[dict[str, tuple[int, ...]]]()
        for order in itertools.chain([None], range(max(map(len, units.values())))):
            joined: dict[str, tuple[int, ...]] = {}
            for array, extent in extents.items():
                more, wide = math.prod(units[array]) / math.prod(least), list(extent)
                more = int(more) if more.is_integer() else 1
                axes = [*reversed(range(len(extent)))]
                if order is not None:
                    longer = [n for n in axes if units[array][n : n + 1] != least[n : n + 1]]
                    axes = [*longer, *(n for n in axes if n not in longer)][order : order + 1]
                for n in axes:
                    several = math.gcd(more, self.shape(array)[n] // extent[n])
                    wide[n] *= several
                    more //= several
                joined[array] = tuple(wide)
            counts = {math.prod(self.count_units(a, e)) for a, e in joined.items()}
            if joined not in candidates and (order is None or len(counts) == 1):
                candidates.append(joined)
        return candidates

    def count_units(self, array: str, extent: tuple[int, ...]) -> tuple[int, ...]:
        """Units along each dimension of an array."""
        return tuple(s // n for s, n in zip(self.shape(array), extent, strict=True))


def meet(one: Mapping[str, Ints], other: Mapping[str, Ints]) -> bool:
    """Whether what two elements follow from has an element of an array in common."""
    return any(len(np.intersect1d(one[a], other[a])) for a in {*one} & {*other})
