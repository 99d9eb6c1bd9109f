r"""The class of a Triton kernel from what its stored elements follow from, however it is written.

Some programs of the launch run (:mod:`.triton_trace`). Stored elements beside each other that share most of their work
and what they sum up are one unit of work. With B(u) the box of an input's elements that unit u follows from, in the
input's own dimensions, along each dimension B is

.. math:: [0, n) \;(whole), \qquad [e v, e v + e) \;(tile), \qquad [v - a, v + b] \cap [0, n) \;(neighbourhood)

v : a digit of the unit's number, :math:`\lfloor u / p \rfloor \bmod m`. Every unit that was looked at must agree.
"""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from roofcast.core.errors import one_line
from roofcast_hull.bounds import ELEMENT_TYPES
from roofcast_hull.classes import find_family
from roofcast_hull.notation import ClassTextError, parse_class
from roofcast_hull.source.found_class import Found, find_mean
from roofcast_hull.source.nest import SourceError, refuse
from roofcast_hull.source.numpy_values import BYTES, Tensor
from roofcast_hull.source.triton_host import Descriptor, TritonLaunch, find_launch
from roofcast_hull.source.triton_memory import name_whole
from roofcast_hull.source.triton_patterns import (
    Along,
    Digit,
    Fitted,
    fit_along,
    is_star,
    measure_part,
    render,
    unwrap,
    widen,
)
from roofcast_hull.source.triton_rows import find_row_starts
from roofcast_hull.source.triton_steps import Ints, Trace, follow, sort_distinct
from roofcast_hull.source.triton_trace import run_program

MOST_PROGRAMS = 32
"""Programs that run of a launch."""
MOST_RUN = 40_000_000
"""Elements of tensors of all programs that run."""
MOST_STEPS_RUN = 60_000
"""Operations on tensors of all programs that run."""
LEAST_PROGRAMS = 6
"""Programs that run however much they do."""
EVERY_PROGRAM = 1100
"""Programs of a launch all of which run where they add to the same elements."""
EVERY_RUN = 400_000_000
"""Elements of their tensors at most."""
FEW_RUN = 2_000_000
"""The same where programs write elements of their own."""
UNITS = 6
"""Units that are looked at in a program."""
SHARED_WORK = 0.5
"""Share of its operations that an element shares with another one of the same unit."""
NEARLY_ALL_WORK = 0.9
"""The same where they sum up different elements of some array, too: a product after a softmax."""
ALMOST_ALL = 0.98
"""Share of an array's elements that is all of it."""
MOST_MEMBERS = 16
"""Members of a structure."""
LEAST_INNER = 16
"""Units that are at no border, of which a pattern is taken for all."""
WIDEST, MANY = 4, 64
"""Units of a border, and along a dimension that has one."""
NOTHING = np.zeros(0, dtype=np.int64)
MOST = 0.85
"""The same where some of the programs tell, of which more may lie at a border."""
AT_ONCE = 40
"""Questions that are asked of a program at once."""
MOST_ASKED = 60_000_000
"""Lanes of a program's largest tensor times questions asked at once."""
BOUNDED = "data may end a loop before its bound: all turns up to there are counted"
"""Note of a class."""
ELEMENTS = {
    "float16": "fp16", "half": "fp16", "bfloat16": "bf16", "float32": "fp32", "float": "fp32", "float64": "fp64",
    "double": "fp64", "uint8": "int8", "bool": "int8", "int": "int32", "long": "int64",
}  # fmt: skip
"""Names of the notation."""


@dataclass(slots=True)
class Asked:
    """What a unit follows from."""

    number: int
    taken: Mapping[str, Ints]


def classify_programs(tree: ast.Module, kernel: str) -> Found:
    """The class of a kernel at the first of its launches.

    Raises
    ------
    SourceError : nothing launches it with sizes that the file states, or what its programs store fits no pattern.
    """
    function, launch = find_launch(tree, kernel)
    try:
        return classify_launch(function, launch)
    except SourceError:
        rows = find_row_starts(function, launch)
        with suppress(SourceError):
            if rows:
                return classify_launch(function, replace(launch, rows=rows))
        raise


def classify_launch(function: ast.FunctionDef, launch: TritonLaunch) -> Found:
    """The class of one launch.

    Raises
    ------
    SourceError : what its programs store fits no pattern.
    """
    try:
        units = Units(function, launch)
        try:
            return units.classify()
        except SourceError:
            if not units.unfitted:
                raise
            with suppress(SourceError):
                return Units(function, launch, apart=frozenset(units.unfitted)).classify()
            raise
    except (ArithmeticError, LookupError, ValueError, TypeError, AttributeError, MemoryError) as error:
        if isinstance(error, SourceError):
            raise
        raise refuse(function.lineno, f"what its programs do is not followed ({type(error).__name__})") from error


def change(place: tuple[int, ...], axis: int, to: int) -> tuple[int, int, int]:
    """A program's place with another number along an axis."""
    x, y, z = (to if n == axis else k for n, k in enumerate(place))
    return x, y, z


def meet(one: Mapping[str, Ints], other: Mapping[str, Ints]) -> bool:
    """Whether what two elements follow from has an element of an array in common."""
    return any(len(np.intersect1d(one[a], other[a])) for a in {*one} & {*other})


def name_element(dtype: str) -> str:
    """The notation's name of an element type."""
    return "fp8" if dtype.startswith("float8") else ELEMENTS.get(dtype, dtype)


def is_at_border(number: int, counts: tuple[int, ...]) -> bool:
    """Whether a unit is one of the first or last along a dimension that has many."""
    at = np.unravel_index(number, counts)
    return any(n > MANY and not WIDEST <= k < n - WIDEST for k, n in zip(at, counts, strict=True))


class Units:
    """Units of work of one launch."""

    def __init__(
        self, function: ast.FunctionDef, launch: TritonLaunch, apart: frozenset[str] = frozenset()
    ) -> None:  # fmt: skip
        self.function, self.launch, self.apart = function, launch, apart
        self.unfitted: set[str] = set()
        """Arrays of which units take what fits no pattern."""
        x, y, z = (*(launch.grid or ()), 1, 1)[:3]
        self.grid = (int(x), int(y), int(z))
        self.programs = math.prod(self.grid)
        held = {n: v.tensor if isinstance(v, Descriptor) else v for n, v in launch.arguments.items()}
        self.tensors: dict[str, Tensor] = {n: v for n, v in held.items() if isinstance(v, Tensor)}
        self.traces: list[Trace] = []
        self.located: dict[tuple[int, str], tuple[Ints, Ints, Ints]] = {}
        self.gathered: dict[str, int] = {}
        """Arrays of which data choose elements, with how many a unit takes."""
        self.looked: dict[str, list[Asked]] = {}
        """Units that were looked at of each array that is stored."""
        self.shapes: dict[str, tuple[int, ...]] = {}
        """Of arrays with a dimension in two: units take elements that lie apart."""
        self.line = function.lineno
        self.fair = 0
        """How many of the first programs stand for all."""
        self.added: list[str] = []
        """Arrays that programs add to beside others that they store."""
        self.heavy = False
        """Whether a program does so much that few units are looked at."""

    def refuse(self, why: str) -> SourceError:
        """A refusal."""
        return refuse(self.line, why)

    def shape(self, array: str) -> tuple[int, ...]:
        """Dimensions of an array as it lies in memory."""
        return self.shapes.get(array) or self.tensors[array].lay_out() or (1,)

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

    def classify(self) -> Found:
        """The class.

        Raises
        ------
        SourceError : no pattern fits.
        """
        first = self.run((0, 0, 0))
        lanes = max(1, sum(math.prod(s.shape) for s in first.steps))
        adds = any(s.added for s in first.stores)
        most = max(LEAST_PROGRAMS, min(MOST_PROGRAMS, MOST_RUN // lanes, MOST_STEPS_RUN // max(1, len(first.steps))))
        self.heavy = lanes > MOST_RUN // LEAST_PROGRAMS
        many = EVERY_RUN if adds else FEW_RUN
        every = lanes * self.programs < many and len(first.steps) * self.programs < many // 100
        numbers, self.fair = self.pick(most, every)
        for number in numbers:
            x, y, _ = self.grid
            self.traces.append(self.run((number % x, number // x % y, number // x // y)))
        stored = dict.fromkeys(s.array for t in self.traces for s in t.stores)
        added = {s.array for t in self.traces for s in t.stores if s.added}
        if not stored:
            raise self.refuse("its programs store nothing")
        if any(s.array in added and not s.added for t in self.traces for s in t.stores):
            raise self.refuse("it stores to an array and adds to it")
        if not added:
            stored = dict.fromkeys(part for a in stored for part in self.take_part(a))
        arrays = sorted(stored, key=lambda a: -self.tensors[a].elements)
        self.added = [a for a in arrays if a in added] if added != set(stored) else []
        plain = [a for a in arrays if a not in self.added]
        return self.classify_added(arrays) if added and not self.added else self.classify_stored(plain)

    def take_part(self, array: str) -> list[str]:
        """The array that is stored, or a part of it as an array of its own: of a box of it the elements in the box."""
        parts = [s.elements for t in self.traces for s in t.stores if s.array == array and len(s.elements)]
        number = sum(len(s.elements) for t in self.traces[: self.fair] for s in t.stores if s.array == array)
        shape, several = self.shape(array), number / self.fair * self.programs
        every = np.concatenate([NOTHING, *parts])
        whole = several >= MOST * math.prod(shape) or not len(every)
        if whole or every.min() < 0 or every.max() >= math.prod(shape):
            return [array]
        at = np.stack(np.unravel_index(every, shape))
        low, high = at.min(axis=1), at.max(axis=1)
        box = tuple((high - low + 1).tolist())
        if not ALMOST_ALL <= several / math.prod(box) <= 1 / ALMOST_ALL:
            return [array]
        label = f"{array}#part"
        self.tensors[label] = Tensor(box, self.tensors[array].dtype)
        for store in (s for t in self.traces for s in t.stores if s.array == array):
            places = np.stack(np.unravel_index(store.elements, shape)) - low[:, None]
            store.array, store.elements = label, np.ravel_multi_index(tuple(places), box).astype(np.int64)
        return [label]

    def run(self, program: tuple[int, int, int]) -> Trace:
        """What one program does."""
        trace = run_program(self.function, self.launch, program, self.apart)
        for step in trace.steps:
            if step.array not in self.tensors and step.array:
                self.tensors[step.array] = self.tensors[name_whole(step.array)]
        return trace

    def pick(self, most: int, every: bool) -> tuple[list[int], int]:
        """Numbers of the programs that run, and how many of the first of them stand for all.

        Those are spread evenly along each axis of the grid; corners and their neighbours follow.
        """
        if self.programs <= most or (every and self.programs <= EVERY_PROGRAM):
            return list(range(self.programs)), self.programs
        x, y, _ = self.grid
        number, drawn = max(LEAST_PROGRAMS // 2, most // 2), np.random.default_rng(0)
        axes = [((drawn.permutation(number) + 0.5) * n / number).astype(int) for n in self.grid]
        fair = list(dict.fromkeys((axes[0] + axes[1] * x + axes[2] * x * y).tolist()))
        ends = [sorted({0, 1, n // 2, n - 1} & set(range(n))) for n in self.grid]
        corners = [a + b * x + c * x * y for a, b, c in itertools.product(*ends)]
        numbers = list(dict.fromkeys([*fair, 0, self.programs - 1, 1, *corners]))
        return numbers[: max(most, len(fair) + 3)], len(fair)

    # ---- units ----

    def locate(self, trace: Trace, array: str) -> tuple[Ints, Ints, Ints]:
        """Elements of an array that a program stores, in order, with their statement and place there."""
        key = id(trace), array
        if key not in self.located:
            self.located[key] = self.sort_stored(trace, array)
        return self.located[key]

    def sort_stored(self, trace: Trace, array: str) -> tuple[Ints, Ints, Ints]:
        """Elements of an array that a program stores, in order, with their statement and place there."""
        parts = [(k, s) for k, s in enumerate(trace.stores) if s.array == array and len(s.elements)]
        if not parts:
            empty = np.zeros(0, dtype=np.int64)
            return empty, empty, empty
        elements = np.concatenate([s.elements for _, s in parts])
        stores = np.concatenate([np.full(len(s.elements), k) for k, s in parts])
        places = np.concatenate([np.arange(len(s.elements)) for _, s in parts])
        unique, at = np.unique(elements, return_index=True)
        if len(unique) != len(elements):
            raise self.refuse(f"a program stores elements of '{one_line(array, 40)}' twice")
        if unique[0] < 0 or unique[-1] >= self.tensors[array].elements:
            raise self.refuse(f"it stores outside of '{one_line(array, 40)}'")
        return unique, stores[at], places[at]

    @staticmethod
    def ask(trace: Trace, located: tuple[Ints, Ints, Ints], groups: Sequence[Ints]) -> Any:
        """What groups of stored elements, by their places in an order, follow from."""
        _, stores, places = located
        questions = [{int(k): places[g[stores[g] == k]] for k in np.unique(stores[g])} for g in groups]
        largest = max(math.prod(s.shape) for s in trace.steps)
        at_once = int(max(1, min(AT_ONCE, MOST_ASKED // max(1, largest))))
        answers = [follow(trace, questions[k : k + at_once]) for k in range(0, len(questions), at_once)]
        return (
            [t for a in answers for t in a.taken],
            [c for a in answers for c in a.chosen],
            np.concatenate([a.operations for a in answers]),
        )

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
        pairs = {a: (one.get(a, NOTHING), other.get(a, NOTHING)) for a in {*one, *other}}
        several = [p for a, p in pairs.items() if max(map(len, p)) > 1 and len(p[0]) < self.tensors[a].elements]
        return bool(several) and all(np.array_equal(first, second) for first, second in several)

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
                    beside = number >= len(plain.get(name, NOTHING))
                    if beside and self.gathered.setdefault(name, number) != number:
                        raise self.refuse(
                            f"data decide which elements of '{one_line(name, 40)}' it takes, and how many"
                        )
            asked += [Asked(int(u), t) for u, t in zip(picked, taken, strict=True)]
        if not asked:
            raise self.refuse(f"several programs write a unit of work of '{one_line(array, 40)}'")
        return asked

    def count_operations(self, arrays: Sequence[str], *, of_programs: bool = False) -> float:
        """Operations of all programs; where some of them run, as many for each stored element of the first array.

        of_programs : as many for each program instead.
        """
        operations = elements = 0.0
        for trace in self.traces[: self.fair]:
            asked = {k: np.arange(len(s.lanes)) for k, s in enumerate(trace.stores) if len(s.lanes)}
            if asked:
                operations += float(follow(trace, [asked]).operations[0])
                elements += 0 if of_programs else len(self.locate(trace, arrays[0])[0])
        if self.fair == self.programs or of_programs:
            return operations / self.fair * self.programs
        return operations / max(1.0, elements) * self.tensors[arrays[0]].elements

    # ---- patterns ----

    def classify_stored(self, arrays: Sequence[str]) -> Found:
        """The class of arrays that programs store."""
        extents: dict[str, tuple[int, ...]] = {}
        for array in arrays:
            mean = sum(len(self.locate(t, array)[0]) for t in self.traces[: self.fair]) / self.fair
            least = ALMOST_ALL if self.fair == self.programs else MOST
            if mean * self.programs < least * self.tensors[array].elements:
                raise self.refuse(f"it stores a part of '{one_line(array, 40)}' alone")
            extents[array] = self.find_members(array)
            if not extents[array]:
                self.split(array)
                extents[array] = self.find_extents(array)
            if any(s % e for s, e in zip(self.shape(array), extents[array], strict=True)):
                raise self.refuse(f"units of work do not divide '{one_line(array, 40)}'")
        try:
            return self.fit_stored(extents)
        except SourceError:
            members = {a: self.find_members(a, apart=True) or e for a, e in extents.items()}
            for joined in (
                extents, members, *self.join_units(extents), self.take_programs(extents), self.scale_units(extents)
            ):  # fmt: skip
                with suppress(SourceError):
                    if joined and joined != extents:
                        return self.fit_stored(joined)
                with suppress(SourceError):
                    if joined and len(extents) > 1:
                        return self.fit_stored(joined, together=True)
            raise

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

    def fit_stored(self, extents: Mapping[str, tuple[int, ...]], *, together: bool = False) -> Found:
        """The class of arrays of which units write so many elements along each dimension.

        together : a unit of one number follows from what it follows from for each of the arrays.
        """
        inputs: dict[str, list[Along]] = {}
        outputs: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = []
        self.gathered = {}
        every = self.looked = {a: self.look(a, e) for a, e in extents.items()}
        if together:
            every = dict.fromkeys(extents, self.join_asked(extents, every))
        for array, extent in extents.items():
            shape = self.shape(array)
            counts = tuple(s // e for s, e in zip(shape, extent, strict=True))
            asked = every[array]
            for name in sorted({a for u in asked for a in u.taken}):
                taking = [u for u in asked if name in u.taken]
                fitted = self.fit(name, taking, counts)
                if name in inputs and list(map(measure_part, inputs[name])) != list(map(measure_part, fitted)):
                    raise self.refuse(f"its results follow from different parts of '{one_line(name, 40)}'")
                left = [u for u in asked if name not in u.taken]
                many = len(taking) < ALMOST_ALL * len(asked) and not all(is_at_border(u.number, counts) for u in left)
                if many and not any(a.overlaps for a in fitted):
                    raise self.refuse(f"some units take nothing of '{one_line(name, 40)}'")
                inputs.setdefault(name, fitted)
            outputs.append((array, shape, extent))
        for array in self.added:
            inputs |= self.fit_terms(array, {*inputs, *self.gathered})
            outputs.append((array, self.shape(array), ()))
        return self.record(inputs, outputs, self.count_operations([*extents]))

    def join_asked(self, extents: Mapping[str, tuple[int, ...]], every: Mapping[str, Sequence[Asked]]) -> list[Asked]:
        """What units follow from for all arrays that they write.

        Raises
        ------
        SourceError : there are not as many units of each array.
        """
        counts = {math.prod(s // n for s, n in zip(self.shape(a), e, strict=True)) for a, e in extents.items()}
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

    def classify_added(self, arrays: Sequence[str]) -> Found:
        """The class of arrays that programs add to: elements that follow from tiles, or sums that all add to.

        Raises
        ------
        SourceError : what they add is followed from no pattern, or it is not known which programs add to one element.
        """
        chosen = any(t.binned or any(s.chosen for s in t.stores) for t in self.traces)
        if chosen or (len(self.traces) < self.programs and all(map(self.is_shared, arrays))):
            return self.classify_shared(arrays)
        inputs: dict[str, list[Along]] = {}
        outputs: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = []
        for array in arrays:
            shape = self.shape(array)
            asked = self.ask_sums(array)
            names = sorted({a for u in asked for a in u.taken})
            fitted = {a: self.fit(a, [u for u in asked if a in u.taken], shape) for a in names}
            dealt = all(
                math.prod(x.extent for x in along) * math.prod(shape) == math.prod(x.size for x in along)
                for along in fitted.values()
            )
            if dealt:
                # Each term is of one sum.
                fitted = {a: [Along(x.size, 1, Digit(1, x.size)) for x in along] for a, along in fitted.items()}
            outputs.append((array, shape, () if dealt else (1,) * len(shape)))
            if any(inputs.get(a, along) != along for a, along in fitted.items()):
                raise self.refuse("it adds to several arrays from different parts of others")
            inputs |= fitted
        if len({bool(e) for *_, e in outputs}) > 1:
            raise self.refuse("it adds up all of some arrays, and parts of others")
        return self.record(inputs, outputs, self.count_operations(arrays, of_programs=True))

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
    def list_touched(traces: Sequence[Trace], array: str) -> Ints:
        """Elements of an array that programs add to, in order."""
        parts = [s.elements for t in traces for s in t.stores if s.array == array]
        return sort_distinct(np.concatenate([NOTHING, *parts]))

    def is_shared(self, array: str) -> bool:
        """Whether each program adds to all elements of an array."""
        return all(len(self.list_touched([t], array)) == self.tensors[array].elements for t in self.traces)

    def run_groups(self, array: str) -> list[list[Trace]]:
        """Programs that add to the same elements of an array, of some: all along the axes of the grid that do.

        Raises
        ------
        SourceError : they are too many to be run, or are told by no axis.
        """
        groups = []
        many = f"its programs add to '{one_line(array, 40)}', and are too many to be run"
        for at in dict.fromkeys(tuple(int(f * (n - 1)) for n in self.grid) for f in (0.0, 0.4, 0.7)):
            base = self.run((at[0], at[1], at[2]))
            mine = self.list_touched([base], array)
            axes = []
            for axis, size in enumerate(self.grid):
                others = {(at[axis] + 1) % size, (at[axis] + max(1, size // 2)) % size} - {at[axis]}
                meets = {
                    len(np.intersect1d(mine, self.list_touched([self.run(change(at, axis, k))], array))) > 0
                    for k in others
                }
                if len(meets) > 1:
                    raise self.refuse(many)
                axes += [axis] if True in meets else []
            number = math.prod(self.grid[a] for a in axes)
            if number > EVERY_PROGRAM or number * sum(math.prod(s.shape) for s in base.steps) > EVERY_RUN:
                raise self.refuse(many)
            places = itertools.product(*(range(n) if a in axes else (at[a],) for a, n in enumerate(self.grid)))
            groups.append([base, *(self.run((x, y, z)) for x, y, z in places if (x, y, z) != at)])
        return groups

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

    def classify_shared(self, arrays: Sequence[str]) -> Found:
        """The class of sums that every program adds to, or of which data choose one for each element.

        Each program's terms follow from elements of its own, which are units then, or from all.

        Raises
        ------
        SourceError : several programs take the same elements of an array, and not all do.
        """
        taken: list[dict[str, Ints]] = []
        chosen: list[dict[str, int]] = []
        for trace in self.traces:
            asked = {k: np.arange(len(s.lanes)) for k, s in enumerate(trace.stores) if len(s.lanes)}
            if asked:
                answer = follow(trace, [asked])
                taken.append(answer.taken[0])
                chosen.append(answer.chosen[0])
        inputs = self.fit_programs(taken)
        units = max((sum(len(t[a]) for t in taken if a in t) for a, x in inputs.items() if x[0].digit), default=0)
        for name in sorted({a for c in chosen for a in c}):
            number, rest = divmod(sum(c.get(name, 0) for c in chosen), max(1, units))
            if name in inputs or rest or not number:
                raise self.refuse(f"data decide which elements of '{one_line(name, 40)}' it takes, and how many")
            self.gathered[name] = number
        outputs = [(a, self.shape(a), ()) for a in arrays]
        return self.record(inputs, outputs, self.count_operations(arrays, of_programs=True))

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

    def record(
        self, inputs: Mapping[str, Sequence[Along]], outputs: Sequence[tuple[str, tuple[int, ...], tuple[int, ...]]],
        operations: float,
    ) -> Found:  # fmt: skip
        """The class of some arrays."""
        if not inputs and not self.gathered and not operations:
            raise self.refuse("its results follow from no array")
        if [math.prod(s) for _, s, _ in outputs] == [1] and all(
            x.digit is None for along in inputs.values() for x in along
        ):
            # One sum: its terms are the units.
            inputs = {a: [Along(x.size, 1, Digit(1, x.size)) for x in along] for a, along in inputs.items()}
            outputs = [(a, s, ()) for a, s, _ in outputs]
        fitted = self.list_apart(inputs) if self.apart else [render(a, along) for a, along in inputs.items()]
        for name in self.launch.rows:
            rows = self.tensors[name].elements - 1
            fitted.append(Fitted(name, f"{rows}|neighbourhood(2)", rows))
        for name in self.gathered:
            number, whole = self.gathered[name], "x".join(map(str, self.shape(name)))
            text = f"{whole}|gather({number})" if number > 1 else f"{whole}|gather"
            fitted.append(Fitted(name, text, self.tensors[name].elements))
        written = list(outputs)
        if len(fitted) == 1 and inputs and all(e for *_, e in outputs):
            written = [(a, s, widen(next(iter(inputs.values())), s, e)) for a, s, e in outputs]
        texts = []
        for array, shape, extents in written:
            whole = "x".join(map(str, shape))
            single = all(e == 1 for e in extents)
            text = (
                f"{whole}|shared"
                if not extents
                else f"{whole}|element"
                if single
                else f"{whole}|tile({'x'.join(map(str, extents))})"
            )
            texts.append(Fitted(array, text, math.prod(shape)))
        if staged := self.name_stage(fitted, texts):
            texts = [staged]
        try:
            algorithm = parse_class(
                f"{' & '.join(f.text for f in fitted) or 'void'} -> {' & '.join(f.text for f in texts)}"
            )
        except ClassTextError as error:
            raise self.refuse(f"its footprints make no class: {one_line(str(error), 120)}") from error
        variables = find_family(algorithm).variables(algorithm)
        every = [*fitted, *texts]
        widths = [BYTES[self.tensors[f.array].dtype] for f in every]
        names = [name_whole(f.array) for f in every]
        sides = list(zip(names, (*algorithm.inputs, *algorithm.outputs), widths, strict=True))
        mean = find_mean(sides[: len(fitted)], sides[len(fitted) :])
        element = name_element(self.tensors[outputs[0][0]].dtype)
        plain = mean == ELEMENT_TYPES.get(element, (0,))[0]
        grid = " x ".join(str(n) for n in self.grid if n > 1) or "1"
        notes = [f"launch of {grid} program{'s' if self.programs > 1 else ''}", *self.launch.notes]
        if any(t.chosen for t in self.traces):
            notes.append("data decide a part of what is loaded or stored: all of it is counted")
        notes += [f"rows that '{one_line(n, 40)}' bounds are taken as {k} long" for n, k in self.launch.rows.items()]
        notes += [BOUNDED] if any(t.bounded for t in self.traces) else []
        operations = float(round(operations))
        return Found(
            ", ".join(name_whole(t.array) for t in texts), self.line, algorithm,
            operations / (variables.work_units * variables.applications_per_unit), operations, 1,
            element if element in ELEMENT_TYPES else None, None if plain else mean, tuple(notes),
            f"checked at 1 size: {len(self.traces)} programs of the launch were followed from what they store",
            arrays=tuple(names), bytes_each=tuple(widths),
        )  # fmt: skip

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

    def name_stage(self, inputs: Sequence[Fitted], outputs: Sequence[Fitted]) -> Fitted | None:
        """The result of a kernel that adds up or orders tiles of its input, and does nothing else to them."""
        ordered = {o for t in self.traces for o in t.ordered}
        if len(ordered) != 1 or len(inputs) != 1 or len(outputs) != 1:
            return None
        (word, _), output = ordered.pop(), outputs[0]
        tile = re.search(r"\|tile(\(.*\))$", output.text)
        if not inputs[0].text.endswith(output.text) or tile is None:
            return None
        along = [int(n) for n in re.findall(r"\d+", tile[1]) if n != "1"]
        if len(along) != 1:
            return None
        return Fitted(output.array, output.text.replace("|tile", f"|{word}"), output.elements)
