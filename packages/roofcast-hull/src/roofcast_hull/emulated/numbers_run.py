"""Blocks of a launch, or a function of C, run on numbers: what arrays hold before and after, and who touched what.

The interpreter is that of :mod:`.threads`, all threads side by side; arrays hold made-up numbers instead of none, so
that conditions on data are decided and results can be looked at. Operations on data are counted as they are written.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast_hull.emulated.device_memory import DATA, EVEN, Address, Held, Number, Reference, Slot
from roofcast_hull.emulated.lane_arithmetic import COMPARED
from roofcast_hull.emulated.launch import declare_file
from roofcast_hull.emulated.thread_state import Variable
from roofcast_hull.emulated.threads import Threads
from roofcast_hull.emulated.traffic import Traffic
from roofcast_hull.emulated.value_types import DYNAMIC, INT, Type, Types, find_common
from roofcast_hull.source.nest import SourceError, refuse

MOST_UNITS, WRAPPED_UNITS = 1 << 22, 3_999_971
"""Scalars of an array; a larger one begins anew after a prime number of them, so that strides, mostly
powers of two, do not meet."""
MOST_STATEMENTS = 40_000
"""Of all blocks, or of a function of C."""
LARGEST_VALUE = 1 << 20
"""Whole numbers are made up below it: all differ, and sums of thousands of them keep within 32 bits."""

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]


@dataclass
class Array:
    """One array that was given."""

    kind: Type
    before: Reals
    memory: Held
    touched: dict[tuple[int, bool], list[tuple[Ints, Ints]]] = field(default_factory=lambda: defaultdict(list))
    """(block, whether it is stored) -> scalars, and the lanes that touched them."""
    chosen: bool = False
    """Whether data said which element is touched."""

    @property
    def scalars(self) -> int:
        """Scalars of an element."""
        return max(1, self.kind.size // self.kind.unit)

    @property
    def after(self) -> Reals:
        """What it holds at the end."""
        return self.memory.values

    def list_touched(self, block: int, *, stores: bool) -> Ints:
        """Scalars that a block reads or stores, in their order, each once."""
        parts = [at for at, _ in self.touched.get((block, stores), ())]
        return np.unique(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.int64)


@dataclass
class NumbersRun:
    """What a run did."""

    arrays: dict[str, Array]
    blocks: int
    operations: float
    """On data: arithmetic, comparisons of two of them, functions."""


class NumberThreads(Threads):
    """Threads whose arrays hold numbers."""

    exact, most_statements = True, MOST_STATEMENTS
    arrays: dict[str, Array]
    block_number = 0

    def touch_given(self, place: Address | Reference, *, stores: bool) -> None:
        """Note which lane touches which scalar."""
        if not isinstance(place, Address) or place.dims or place.t.members or place.t.points is not None:
            return
        array = self.arrays.get(place.memory.name)
        if array is None or place.memory is not array.memory or self.silent or not self.on.count:
            return
        index = place.at // array.memory.unit % len(array.memory.values)
        many = index if isinstance(index, np.ndarray) else np.full(self.lanes, int(index), dtype=np.int64)
        array.touched[self.block_number, stores].append((many[self.on.mask], self.own[self.on.mask]))
        array.chosen |= place.data >= EVEN

    def load(self, place: Address | Reference, node: Any) -> Slot:
        """What is stored somewhere."""
        self.touch_given(place, stores=False)
        return super().load(place, node)

    def store(self, place: Address | Reference, value: Slot, node: Any) -> Slot:
        """Store a value somewhere."""
        self.touch_given(place, stores=True)
        return super().store(place, value, node)

    def apply(self, op: str, left: Slot, right: Slot, node: Any) -> Slot:
        """An operation of two values; comparisons of data and whole numbers of data count too."""
        if isinstance(left, Number) and isinstance(right, Number):
            kind = find_common(left.t, right.t)
            if op in COMPARED:
                if min(left.data, right.data) >= EVEN:
                    self.count_operations(kind, 1.0)
            elif not kind.real and max(left.data, right.data) == EVEN:
                self.count_operations(kind, 1.0)
        return super().apply(op, left, right, node)

    def compute(self, name: str, values: list[Slot], node: Any) -> Slot:
        """A function of mathematics."""
        numbers = [v for v in values if isinstance(v, Number)]
        if numbers and not any(n.t.real for n in numbers) and max(n.data for n in numbers) == EVEN:
            self.count_operations(INT, 1.0)
        return super().compute(name, values, node)

    def update(self, name: str, nodes: list[Any], node: Any) -> Slot:
        """An atomic sum is done; what it gives back depends on the order of threads, and is not known."""
        place = self.dereference(self.evaluate(nodes[0]), node)
        summed = name in ("atomicAdd", "atomicAdd_block") and len(nodes) == 2
        if (
            not summed
            or not isinstance(place, Address)
            or not isinstance(place.memory, Held)
            or not place.memory.shared
        ):
            return super().update(name, nodes, node)
        value = self.convert(self.number(nodes[1]), place.t)
        self.touch_given(place, stores=True)
        if not self.silent and self.on.count:
            self.count_operations(place.t, 1.0)
            index = place.at // place.memory.unit % len(place.memory.values)
            many, terms = (np.broadcast_to(np.asarray(v), (self.lanes,))[self.on.mask] for v in (index, value.v))
            np.add.at(place.memory.values, many, terms)
            place.memory.data = max(place.memory.data, value.data)
        return Number(0.0 if place.t.real else 0, place.t, DATA)

    def count_call(self, name: str, kind: Type) -> None:
        """A function is one operation here, whatever it takes."""


def run_on_numbers(
    tree: Any, function: Any, sizes: Mapping[str, int], allocated: Mapping[str, int],
    blocks: Iterable[Sequence[int]], *, templates: Mapping[str, Sequence[str]] | None = None, reverse: bool = False,
    changes: Mapping[str, tuple[Ints, float]] | None = None,
) -> NumbersRun:  # fmt: skip
    """Run blocks one after the other.

    sizes : gridDim and blockDim (1 where they lack), and the numbers that the function is given. allocated : elements
    of its arrays. blocks : indices of each. reverse : whether the made-up numbers are in the opposite order.
    changes : of some arrays scalars that hold another number instead.

    Raises
    ------
    SourceError : the code does what is not followed, or what it makes is not known.
    """
    with quietly(overflow=True):
        try:
            return run_all(tree, function, sizes, allocated, blocks, templates or {}, changes or {}, reverse=reverse)
        except (
            ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RecursionError, TypeError,
            ValueError,
        ) as error:  # fmt: skip
            # Whatever a tree holds that these pages do not know.
            raise SourceError(f"{type(error).__name__} while it ran on numbers") from error


def run_all(
    tree: Any, function: Any, sizes: Mapping[str, int], allocated: Mapping[str, int],
    blocks: Iterable[Sequence[int]], templates: Mapping[str, Sequence[str]],
    changes: Mapping[str, tuple[Ints, float]], *, reverse: bool,
) -> NumbersRun:  # fmt: skip
    """The same; what a tree holds that is not known here may raise any error."""
    functions: dict[str, list[Any]] = defaultdict(list)
    for item in tree.ext:
        if type(item).__name__ == "FuncDef" and item is not function:
            functions[str(item.decl.name)].append(item)
    block, grid = ([sizes.get(f"{kind}.{a}", 1) for a in "xyz"] for kind in ("blockDim", "gridDim"))
    threads = NumberThreads(Types(tree), functions, Traffic(), block, grid)
    threads.templates, threads.arrays = templates, {}
    for name, value in sizes.items():
        if "." not in name:
            kind = INT if abs(value) < 1 << 31 else Type("long", 8)
            threads.file[name] = Variable(Number(value, kind), DYNAMIC, threads.all)
    declare_file(threads, tree, {})
    arguments = {}
    for parameter in getattr(function.decl.type.args, "params", None) or ():
        if type(parameter).__name__ == "Decl" and parameter.name:
            name = str(parameter.name)
            arguments[name] = give(threads, parameter, name, sizes, allocated.get(name, 0), reverse=reverse)
    for name, (places, number_given) in changes.items():
        threads.arrays[name].memory.values[places] = number_given
    number, operations = 0, 0.0
    for number, at in enumerate(blocks, 1):
        threads.block_number = number - 1
        counts = threads.traffic.begin()
        threads.run_block(at, function, arguments)
        operations += sum(counts.flops.values())
    return NumbersRun(threads.arrays, number, operations)


def give(
    threads: NumberThreads, parameter: Any, name: str, sizes: Mapping[str, int], elements: int, *, reverse: bool
) -> Slot:
    """One argument."""
    kind, dims, pointed = threads.read_type(parameter.type)
    if pointed or dims:
        units = (elements or MOST_UNITS) * max(1, kind.size // kind.unit)
        held = units if units <= MOST_UNITS else WRAPPED_UNITS
        values = make_numbers(name, held, is_real(kind), reverse=reverse)
        memory = Held(name, kind.unit, values, True, data=EVEN)
        threads.arrays[name] = Array(kind, values.copy(), memory)
        return Address(memory, 0, kind, tuple(dims if type(parameter.type).__name__ == "PtrDecl" else dims[1:]))
    if kind.members:
        raise refuse(int(parameter.coord.line), "a structure that is given by value is not run on numbers")
    return Number(0.75, kind) if kind.real else Number(sizes.get(name), INT if kind is DYNAMIC else kind)


def is_real(kind: Type) -> bool:
    """Whether the scalars of a type have fractions."""
    return all(is_real(t) for _, t, _, _ in kind.members) if kind.members else kind.real


def make_numbers(name: str, units: int, real: bool, *, reverse: bool) -> Reals:
    """Numbers that all differ, in no order."""
    size = 1 << max(4, math.ceil(math.log2(max(2, units))))
    # Odd multipliers reorder the numbers below a power of two; the shift between breaks the pattern of one. All of it
    # in place, and remainders of powers of two by their bits: these arrays have millions of elements.
    mixed = np.arange(units, dtype=np.int64)
    mixed *= 0x9E3779B1
    mixed += len(name)
    mixed &= size - 1
    mixed ^= mixed >> (size.bit_length() // 2)
    mixed *= 0x85EBCA6B
    mixed += sum(map(ord, name))
    mixed &= size - 1
    if reverse:
        np.subtract(size - 1, mixed, out=mixed)
    if not real:
        mixed &= LARGEST_VALUE - 1
    values = mixed.astype(np.float64)
    if real:
        values += 1.0
        values /= size
    return values


def refuse_unknown(run: NumbersRun, names: Iterable[str]) -> None:
    """Refuse a run in which what some arrays hold is not known: atomic updates are counted, not done."""
    unknown = [n for n in names if run.arrays[n].memory.data >= DATA]
    if unknown:
        raise SourceError(f"what '{unknown[0]}' holds in the end depends on atomic updates")
