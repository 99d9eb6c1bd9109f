"""What units of work of a Triton launch take of each array, along its dimensions."""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roofcast.core.errors import one_line
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.triton_extents import Extents
from roofcast_hull.source.triton_host import TritonLaunch
from roofcast_hull.source.triton_memory import name_whole
from roofcast_hull.source.triton_patterns import (
    Along,
    Digit,
    Fitted,
    fit_along,
    is_star,
    render,
    unwrap,
)
from roofcast_hull.source.triton_programs import ALMOST_ALL, MOST, MOST_STEPS_RUN, NO_ELEMENTS
from roofcast_hull.source.triton_steps import Ints, Trace, follow, sort_distinct

UNITS = 6
"""Units that are looked at in a program."""
LEAST_INNER = 16
"""Units that are at no border, of which a pattern is taken for all."""
WIDEST = 4
"""Units of a border."""
MANY = 64
"""Units along a dimension that has a border."""


@dataclass(slots=True)
class Asked:
    """What a unit follows from."""

    number: int
    taken: Mapping[str, Ints]


class UnitPatterns(Extents):
    """Fits patterns to what units take, and to what programs take of which all add to some sums."""

    def __init__(
        self, function: ast.FunctionDef, launch: TritonLaunch, apart: frozenset[str] = frozenset()
    ) -> None:  # fmt: skip
        super().__init__(function, launch, apart)
        self.looked: dict[str, list[Asked]] = {}
        """Units that were looked at of each array that is stored."""
        self.gathered: dict[str, int] = {}
        """Arrays of which data choose elements, with how many a unit takes."""
        self.unfitted: set[str] = set()
        """Arrays of which units take what fits no pattern."""

    def look(self, array: str, extents: tuple[int, ...]) -> list[Asked]:
        """Units of the programs that ran with what they follow from."""
        shape = self.shape(array)
        counts = tuple(-(-s // e) for s, e in zip(shape, extents, strict=True))
        asked = list[Asked]()
        for trace in self.traces:
            located = self.locate(trace, array)
            elements = located[0]
            if not len(elements):
                continue
            at = np.stack(np.unravel_index(elements, shape)) // np.array(extents)[:, None]
            numbers = np.ravel_multi_index(tuple(at), counts)
            distinct, often = np.unique(numbers, return_counts=True)
            # Of units that several programs write, none tells what all of it follows from.
            distinct = distinct[often == math.prod(extents)]
            near = [0, 1, len(distinct) // 3, len(distinct) // 2, len(distinct) - 1]
            near = near[1:4:2] if len(trace.steps) * len(self.traces) > MOST_STEPS_RUN or self.heavy else near
            picked = distinct[sorted({k for k in near if 0 <= k < len(distinct)})][:UNITS]
            groups = [np.flatnonzero(numbers == u) for u in picked]
            if not groups:
                continue
            taken, chosen, _ = self.ask(trace, located, groups)
            for plain, others in zip(taken, chosen, strict=True):
                for name, number in others.items():
                    # Few of those that data choose beside a whole row are of that row.
                    beside = number >= len(plain.get(name, NO_ELEMENTS))
                    if beside and self.gathered.setdefault(name, number) != number:
                        raise self.refuse(
                            f"data decide which elements of '{one_line(name, 40)}' it takes, and how many"
                        )
            asked += [Asked(int(u), t) for u, t in zip(picked, taken, strict=True)]
        if not asked:
            raise self.refuse(f"several programs write a unit of work of '{one_line(array, 40)}'")
        return asked

    def join_asked(self, extents: Mapping[str, tuple[int, ...]], every: Mapping[str, Sequence[Asked]]) -> list[Asked]:
        """What units follow from for all arrays that they write.

        Raises
        ------
        SourceError : there are not as many units of each array.
        """
        counts = {math.prod(self.count_units(a, e)) for a, e in extents.items()}
        by_number = [{u.number: u.taken for u in asked} for asked in every.values()]
        common = sorted(set.intersection(*map(set, by_number)))
        if len(counts) > 1 or not common:
            raise self.refuse("its results have not as many units of work")
        return [
            Asked(n, {
                a: sort_distinct(np.concatenate([t[n][a] for t in by_number if a in t[n]]))
                for a in sorted({a for t in by_number for a in t[n]})
            }) for n in common
        ]  # fmt: skip

    def ask_sums(self, array: str) -> list[Asked]:
        """What some elements that programs add to follow from, of all programs that add to them.

        Raises
        ------
        SourceError : it adds to a part of the array alone, or which programs add to an element is not known.
        """
        every = len(self.traces) == self.programs
        groups = [self.traces] if every else self.run_groups(array)
        asked, chosen = list[Asked](), list[dict[str, int]]()
        for traces in groups:
            touched = self.list_touched(traces if every else traces[:1], array)
            if every and len(touched) < ALMOST_ALL * self.tensors[array].elements:
                raise self.refuse(f"it adds to a part of '{one_line(array, 40)}' alone")
            number = len(touched)
            near = {0, 1, number // 3, number // 2, number // 2 + 1, number - 2, number - 1}
            drawn = np.random.default_rng(0).integers(0, max(1, number), 2 * UNITS).tolist()
            picked = touched[sorted({k for k in (*near, *drawn) if 0 <= k < number})]
            taken: list[dict[str, list[Ints]]] = [{} for _ in picked]
            numbers: list[dict[str, int]] = [{} for _ in picked]
            for trace in traces:
                self.gather_terms(trace, array, picked, taken, numbers)
            chosen += numbers
            joined = [{a: sort_distinct(np.concatenate(p)) for a, p in t.items()} for t in taken]
            asked += [Asked(int(u), t) for u, t in zip(picked, joined, strict=True)]
        for name in sorted({a for c in chosen for a in c}):
            if len({c.get(name, 0) for c in chosen}) > 1 or any(name in u.taken for u in asked):
                raise self.refuse(f"data decide which elements of '{one_line(name, 40)}' it takes, and how many")
            self.gathered[name] = chosen[0][name]
        return asked

    @staticmethod
    def gather_terms(
        trace: Trace,
        array: str,
        picked: Ints,
        taken: Sequence[dict[str, list[Ints]]],
        numbers: Sequence[dict[str, int]],
    ) -> None:
        """Add what a program's terms of some sums of an array follow from to what others' do.

        numbers : of arrays of which data choose elements, how many.
        """
        for n, element in enumerate(picked):
            mine = ((k, s) for k, s in enumerate(trace.stores) if s.array == array)
            places = {k: np.flatnonzero(s.elements == element) for k, s in mine}
            places = {k: p for k, p in places.items() if len(p)}
            if not places:
                continue
            answer = follow(trace, [places])
            for name, number in answer.chosen[0].items():
                numbers[n][name] = numbers[n].get(name, 0) + number
            for name, elements in answer.taken[0].items():
                taken[n].setdefault(name, []).append(elements)

    def fit(self, array: str, asked: Sequence[Asked], counts: tuple[int, ...]) -> list[Along]:
        """What units take of an array along each of its dimensions.

        counts : units along each dimension of what they store.
        """
        shape = self.shape(array)
        name = one_line(array, 40)
        low, high, forms = [], [], list[Ints]()
        for unit in asked:
            elements = unit.taken[array]
            if elements[0] < 0 or elements[-1] >= math.prod(shape):
                raise self.refuse(f"it loads outside of '{name}'")
            at = unwrap(np.stack(np.unravel_index(elements, shape)), shape)
            low.append(at.min(axis=1))
            high.append(at.max(axis=1))
            if math.prod((high[-1] - low[-1] + 1).tolist()) != len(elements):
                forms.append(at - low[-1][:, None])
        no_box = f"what a unit of work takes of '{name}' is no box of its dimensions"
        if forms and not is_star(forms, shape):
            raise self.note_unfitted(array, no_box)
        numbers = np.array([u.number for u in asked], dtype=np.int64)
        lows, highs = np.stack(low), np.stack(high)
        fitted = []
        inner = np.array([not is_at_border(u.number, counts) for u in asked])
        every = np.ones(len(asked), dtype=bool)
        # At a border a unit may do something else.
        tries = [every, inner] if LEAST_INNER <= inner.sum() < len(asked) else [every]
        for n, size in enumerate(shape):
            several = (fit_along(numbers[k], lows[k, n], highs[k, n], size, counts) for k in tries)
            along = next((x for x in several if x is not None), None)
            if along is None and self.is_permuted(array, asked, counts):
                return [Along(size, 1, Digit(math.prod(shape[:n]), size)) for n, size in enumerate(shape)]
            if along is None:
                raise self.note_unfitted(
                    array, f"which elements of '{name}' a unit of work takes is not told by its number"
                )
            fitted.append(along)
        if forms and not any(a.overlaps for a in fitted):
            raise self.note_unfitted(array, no_box)
        digits = [a.digit for a in fitted if a.digit is not None and a.digit.size > 1]
        if len(set(digits)) != len(digits):
            raise self.refuse(f"units take a diagonal of '{name}'")
        return fitted

    def note_unfitted(self, array: str, why: str) -> SourceError:
        """A refusal, since what units take of an array fits no pattern."""
        self.unfitted.add(array)
        return self.refuse(why)

    def is_permuted(self, array: str, asked: Sequence[Asked], counts: tuple[int, ...]) -> bool:
        """Whether each unit takes one element of an array of as many, and no two the same."""
        if any(len(u.taken[array]) != 1 for u in asked) or math.prod(counts) != math.prod(self.shape(array)):
            return False
        pairs = {(u.number, int(u.taken[array][0])) for u in asked}
        units, places = ({p[k] for p in pairs} for k in (0, 1))
        return LEAST_INNER <= len(pairs) == len(units) == len(places)

    def fit_programs(self, taken: Sequence[Mapping[str, Ints]]) -> dict[str, list[Along]]:
        """What the elements of some arrays are of which each program takes its own, or all take the same.

        Raises
        ------
        SourceError : several programs take the same elements of an array, and not all do.
        """
        inputs = {}
        for name in sorted({a for t in taken for a in t}):
            shape = self.shape(name)
            parts = [t[name] for t in taken if name in t]
            together = sort_distinct(np.concatenate(parts))
            if together[0] < 0 or together[-1] >= math.prod(shape):
                raise self.refuse(f"it loads outside of '{one_line(name, 40)}'")
            if len(taken) > 1 and all(np.array_equal(p, parts[0]) for p in parts):
                inputs[name] = [Along(n, n, None) for n in shape]
                continue
            covered = sum(map(len, parts)) / len(self.traces) * self.programs
            if len(together) < sum(map(len, parts)) or abs(covered - math.prod(shape)) > (1 - MOST) * math.prod(shape):
                raise self.refuse(f"which elements of '{one_line(name, 40)}' a program adds up is not told")
            inputs[name] = [Along(n, 1, Digit(1, n)) for n in shape]
        return inputs

    def fit_terms(self, array: str, known: Collection[str]) -> dict[str, list[Along]]:
        """What programs take of further arrays for what they add to one beside others that they store."""
        taken = list[Mapping[str, Ints]]()
        for trace in self.traces:
            mine = {k: np.arange(len(s.lanes)) for k, s in enumerate(trace.stores) if s.array == array and len(s.lanes)}
            if mine:
                answer = follow(trace, [mine])
                if others := {*answer.chosen[0]} - {*known}:
                    raise self.refuse(f"data decide which elements of '{one_line(min(others), 40)}' it takes")
                taken.append({a: e for a, e in answer.taken[0].items() if a not in known})
        return self.fit_programs(taken)

    def list_apart(self, inputs: Mapping[str, Sequence[Along]]) -> list[Fitted]:
        """Arrays whose loads are told apart, those once that take the same elements.

        Raises
        ------
        SourceError : loads take other elements of one array in the same way: no pattern says which.
        """
        listed: dict[tuple[Any, ...], Fitted] = {}
        for array, along in inputs.items():
            part = render(array, along)
            way = name_whole(array), part.text, tuple(x.digit for x in along)
            if way in listed and not self.takes_as(array, listed[way].array):
                raise self.refuse(f"by which places it takes elements of '{one_line(way[0], 40)}' is not told")
            listed.setdefault(way, part)
        return list(listed.values())

    def takes_as(self, array: str, other: str) -> bool:
        """Whether units take the same elements of an array by one of its loads as by another."""
        pairs = [(u.taken.get(array), u.taken.get(other)) for asked in self.looked.values() for u in asked]
        pairs = [(a, b) for a, b in pairs if a is not None or b is not None]
        same = (a is not None and b is not None and np.array_equal(a, b) for a, b in pairs)
        return name_whole(array) == name_whole(other) and bool(pairs) and all(same)


def is_at_border(number: int, counts: tuple[int, ...]) -> bool:
    """Whether a unit is one of the first or last along a dimension that has many."""
    at = np.unravel_index(number, counts)
    return any(n > MANY and not WIDEST <= k < n - WIDEST for k, n in zip(at, counts, strict=True))
