"""Programs of a Triton launch that are run, what each of them stores, and what that follows from."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from roofcast.core.errors import one_line
from roofcast_hull.source.nest import SourceError, refuse
from roofcast_hull.source.numpy_values import Tensor
from roofcast_hull.source.triton_host import Descriptor, TritonLaunch
from roofcast_hull.source.triton_memory import name_whole
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
ALMOST_ALL = 0.98
"""Share of an array's elements that is all of it."""
MOST = 0.85
"""The same where some of the programs tell, of which more may lie at a border."""
NO_ELEMENTS = np.zeros(0, dtype=np.int64)
AT_ONCE = 40
"""Questions that are asked of a program at once."""
MOST_ASKED = 60_000_000
"""Lanes of a program's largest tensor times questions asked at once."""


class Programs:
    """Some or all programs of one launch. apart : arrays of which loads are told apart by their lines."""

    def __init__(
        self, function: ast.FunctionDef, launch: TritonLaunch, apart: frozenset[str] = frozenset()
    ) -> None:  # fmt: skip
        self.function, self.launch, self.apart = function, launch, apart
        self.line = function.lineno
        x, y, z = (*(launch.grid or ()), 1, 1)[:3]
        self.grid = (int(x), int(y), int(z))
        self.programs = math.prod(self.grid)
        held = {n: v.tensor if isinstance(v, Descriptor) else v for n, v in launch.arguments.items()}
        self.tensors: dict[str, Tensor] = {n: v for n, v in held.items() if isinstance(v, Tensor)}
        self.shapes: dict[str, tuple[int, ...]] = {}
        """Of arrays with a dimension in two: units take elements that lie apart."""
        self.traces: list[Trace] = []
        """Of the programs that ran."""
        self.fair = 0
        """How many of the first programs stand for all."""
        self.heavy = False
        """Whether a program does so much that few units are looked at."""
        self.located: dict[tuple[int, str], tuple[Ints, Ints, Ints]] = {}

    def refuse(self, why: str) -> SourceError:
        """A refusal."""
        return refuse(self.line, why)

    def shape(self, array: str) -> tuple[int, ...]:
        """Dimensions of an array as it lies in memory."""
        return self.shapes.get(array) or self.tensors[array].lay_out() or (1,)

    def run_programs(self) -> None:
        """Run all programs, or some that stand for all."""
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
            return NO_ELEMENTS, NO_ELEMENTS, NO_ELEMENTS
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

    def take_part(self, array: str) -> list[str]:
        """The array that is stored, or a part of it as an array of its own: of a box of it the elements in the box."""
        parts = [s.elements for t in self.traces for s in t.stores if s.array == array and len(s.elements)]
        number = sum(len(s.elements) for t in self.traces[: self.fair] for s in t.stores if s.array == array)
        shape, several = self.shape(array), number / self.fair * self.programs
        every = np.concatenate([NO_ELEMENTS, *parts])
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

    @staticmethod
    def list_touched(traces: Sequence[Trace], array: str) -> Ints:
        """Elements of an array that programs add to, in order."""
        parts = [s.elements for t in traces for s in t.stores if s.array == array]
        return sort_distinct(np.concatenate([NO_ELEMENTS, *parts]))

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
                    len(np.intersect1d(mine, self.list_touched([self.run(place_along(at, axis, k))], array))) > 0
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


def place_along(place: tuple[int, ...], axis: int, to: int) -> tuple[int, int, int]:
    """A program's place with another number along an axis."""
    x, y, z = (to if n == axis else k for n, k in enumerate(place))
    return x, y, z
