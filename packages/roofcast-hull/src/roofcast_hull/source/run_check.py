"""The check by execution: code is run at small sizes, and what it does must be what its class says.

Nothing is compiled and nothing of the user's runs: an interpreter walks the parsed tree, a bounded number of steps,
over memory of its own. It counts what the class claims: elements read and written, operations, and how long the longest
chain of values is that depend on each other. Accumulations may be done in any order, so a sum is a chain of one.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

MOST_STEPS = 150_000
"""Evaluated expressions; code that needs more is not checked."""
SLACK = 8
"""Operations that a chain may be longer than those of one unit: starts, borders, conditions."""
BORDER = 0.35
"""Share of the elements of a small array that its border may be."""
FEW_COMMON = 3
"""Elements that all results may take besides."""
LEAST_TAKEN, NEAR = 0.5, 16
"""Of the elements that a unit reads, those that its result takes at least; of as few as these, which a sector or two
hold, it may take any."""
OPERATIONS, OPERATIONS_GUARDED = (0.9, 1.1), (0.2, 1.5)
"""Executed operations over counted ones. Where data decides between branches both are counted and one runs, and what
a condition and its branches have in common is counted once."""


Key = tuple[str, int]
NONE: frozenset[Key] = frozenset()
PLACE = re.compile(r"@\d+")
"""Which structure of an array a pointer is in: what it points to is run as memory of its own."""
MOST_SOURCES = 5_000
"""Elements that a value is followed back to; whoever is computed from more is computed from all."""


class StopError(Exception):
    """Execution ends without a result: too many steps, or something that the interpreter does not know."""


class TooLongError(StopError):
    """Code that takes too many steps."""


@dataclass(slots=True)
class Value:
    """A number, how many operations in a row it needed, and whether it is data (not a counter or a size).

    Never changed once it is made; not frozen, which would take as long as all else of an operation.
    """

    number: float
    depth: int = 0
    data: bool = False
    sources: frozenset[Key] = NONE
    """Elements of arrays that it was computed from."""


def join_sources(one: frozenset[Key], two: frozenset[Key]) -> frozenset[Key]:
    """What a value is computed from that is computed from two others; of many, one of them stands for both."""
    return one | two if one and len(one) < MOST_SOURCES else two


@lru_cache(maxsize=4096)
def name_base(array: str) -> str:
    """The array that memory belongs to: without its function, and the place of the structure that points to it.

    >>> name_base("sums#3"), name_base("table.rows@7.data")
    ('sums', 'table.rows.data')
    """
    return PLACE.sub("", array.partition("#")[0])


@dataclass(slots=True)
class Cell:
    """One element of memory; what was accumulated into it since it was last read waits in ``pending``."""

    value: Value
    pending: int | None = None
    added: set[Key] = field(default_factory=set)
    """What the accumulated terms were computed from."""

    def read(self) -> Value:
        """Its value, accumulations finished."""
        if self.pending is not None:
            sources = self.value.sources.union(self.added)
            self.value = Value(self.value.number, max(self.value.depth, self.pending) + 1, True, sources)
            self.pending = None
            self.added.clear()
        return self.value


@dataclass
class Machine:
    """Memory and counters of one execution."""

    cells: dict[Key, Cell] = field(default_factory=dict)
    inputs: set[Key] = field(default_factory=set)
    """Elements that were read before they were written."""
    written: set[Key] = field(default_factory=set)
    private: set[str] = field(default_factory=set)
    """Arrays that live inside a function or a block of threads."""
    whole: set[str] = field(default_factory=set)
    """Arrays of whole numbers."""
    operations: float = 0
    guarded: bool = False
    """Whether data decided which branch ran."""
    apart: int = 0
    """How often two counters were compared that must differ, ``i != j``."""
    alike: int = 0
    """How often of those they did not: a diagonal, which is little of any size but a small one."""
    meets_guards: bool = False
    """Whether what stands under a condition on data, with no other branch, runs: classes count it each time."""
    steps: int = 0
    touched: set[Key] | None = None
    """What the thread that runs has written of memory that is not private; None where no kernel runs."""
    most_of_thread: int = 0
    """Elements that one thread writes, of those that never wait for others; 0 where threads wait or none ran."""
    made: int = 0
    """Names that were made up."""
    named: frozenset[str] = frozenset()
    """Arrays of classes: what is computed from them is followed back to them and no further."""
    through: bool = False
    """Whether values are followed back through what is written into those arrays, to what they held at first."""
    held: dict[str, str] = field(default_factory=dict)
    """Arrays that hold what others held before a statement."""
    followed: dict[str, bool] = field(default_factory=dict)
    """Whether arrays are such, of those asked so far."""
    footprints: dict[Key, set[Key]] = field(default_factory=dict)
    """Of each element of those that is written: the elements that it was computed from."""

    def make_private(self, name: str) -> str:
        """A name for memory that lives inside a function or a block of threads."""
        self.made += 1
        unique = f"{name}#{self.made}"
        self.private.add(unique)
        return unique

    def count(self, steps: int) -> None:
        """So many more evaluated expressions."""
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise TooLongError(f"more than {MOST_STEPS} steps")

    def cell(self, array: str, index: int) -> Cell:
        """An element; one that nobody wrote has a value made up from its place."""
        key = (array, index)
        cell = self.cells.get(key)
        if cell is None:
            origin = self.held.get(array, array)
            noise = zlib.crc32(f"{origin}:{index}".encode()) % 1000
            number = noise % 8 if array in self.whole else 0.5 + noise / 1000
            begins = frozenset(((origin, index),)) if self.through and self.is_followed(origin) else NONE
            cell = self.cells[key] = Cell(Value(number, 0, True, begins))
            self.inputs.add(key)
        return cell

    def is_followed(self, array: str) -> bool:
        """Whether an array is one of a class, not memory that a unit has for itself."""
        known = self.followed.get(array)
        if known is None:
            known = self.followed[array] = name_base(array) in self.named
        return known

    def read(self, array: str, index: int) -> Value:
        """The value of an element."""
        value = self.cell(array, index).read()
        if self.is_followed(array) and not self.through:
            return Value(value.number, value.depth, value.data, frozenset(((array, index),)))
        return value

    def write(self, array: str, index: int, value: Value) -> None:
        """Give an element a value."""
        key = (array, index)
        self.cells[key] = Cell(Value(value.number, value.depth, True, value.sources))
        if self.is_followed(array):
            before = self.footprints.get(key)
            if before is None or key not in value.sources:
                self.footprints[key] = set(value.sources)
            else:
                before |= value.sources
        self.note(key)

    def accumulate(self, array: str, index: int, value: Value) -> None:
        """Give an element what it is after one more term: in any order, so that no term waits for another."""
        cell = self.cell(array, index)
        cell.pending = max(cell.pending or 0, value.depth)
        cell.value = Value(value.number, cell.value.depth, True, cell.value.sources)
        if len(cell.added) < MOST_SOURCES:
            cell.added |= value.sources
        if self.is_followed(array):
            taken = self.footprints.setdefault((array, index), set())
            if len(taken) < MOST_SOURCES:
                taken |= value.sources
        self.note((array, index))

    def note(self, key: Key) -> None:
        """An element is written."""
        self.written.add(key)
        if self.touched is not None and key[0] not in self.private:
            self.touched.add(key)

    def compute(self, number: float, *operands: Value, operations: int = 1) -> Value:
        """The result of an operation; it counts where one of its operands is data."""
        data, depth, sources = isinstance(number, float), 0, NONE
        for v in operands:
            data = data or v.data
            depth = max(depth, v.depth)
            if v.sources and sources is not v.sources:
                sources = join_sources(sources, v.sources)
        if data:
            self.operations += operations
        return Value(number, depth + (1 if data else 0), data, sources)

    def combine(self, number: float, left: Value, right: Value) -> Value:
        """The same of an operation of two numbers."""
        if not (left.data or right.data or isinstance(number, float)):
            return Value(number, max(left.depth, right.depth))
        self.operations += 1
        sources = left.sources
        if right.sources and sources is not right.sources:
            sources = join_sources(sources, right.sources)
        return Value(number, max(left.depth, right.depth) + 1, True, sources)

    def longest(self) -> int:
        """Operations of the longest chain."""
        return max((c.read().depth for c in self.cells.values()), default=0)


@dataclass(frozen=True, slots=True)
class Claim:
    """What one class says at the sizes that were run."""

    arrays: tuple[str, ...]
    """Arrays that it computes."""
    elements_out: tuple[int, ...]
    elements_in: int
    elements_in_least: int
    """An element of each tile: indices may step over the others."""
    operations: float
    repetitions: int
    units: int
    gathers: bool
    varies: bool
    """Whether its sizes are those of an average step."""
    shared: bool
    share_inside: float = 1.0
    """Share of the outputs whose neighbourhoods lie inside of the arrays: a border is not written."""
    of_unit: int = 0
    """Elements that one unit of work writes; 0 where units share what they write."""
    fixed: bool = False
    """Whether its arrays keep the sizes that the code declares, however small the loops are that run."""
    takes: Mapping[str, int] = field(default_factory=dict)
    """Elements of each array that a unit of work reads at most."""
    whole: Mapping[str, int] = field(default_factory=dict)
    """Of arrays of which it reads a tile or all: those elements."""


def compare_claims(machine: Machine, claims: Sequence[Claim]) -> str | None:
    """What the code did otherwise than its classes say; None where they agree.

    A claim is only refuted by what no border, coefficient or branch explains: small sizes have wide borders.
    """
    counted = sum(c.operations for c in claims)
    ratio = machine.operations / counted if counted else 1.0
    least, most_operations = OPERATIONS_GUARDED if machine.guarded else OPERATIONS
    # Small arrays have a border for their size, where a neighbourhood is not whole.
    least *= min((c.share_inside for c in claims), default=1.0)
    least *= 1 - machine.alike / max(1, machine.apart)
    # What is done once beside the loops is little of any size but a small one.
    ratio = min(ratio, max(1.0, (machine.operations - SLACK) / counted)) if counted else ratio
    if counted > SLACK and not least <= ratio <= most_operations:
        return f"does {machine.operations} operations where its class has {counted:.0f}"
    if wrong := compare_outputs(machine, claims):
        return wrong
    if wrong := compare_units(machine, claims):
        return wrong
    if wrong := compare_footprints(machine, claims):
        return wrong
    read = sum(1 for a, _ in machine.inputs if a not in machine.private)
    most = sum(c.elements_in for c in claims)
    steps = max((c.repetitions for c in claims), default=1)
    if read > 2 * most * steps + SLACK * SLACK:
        return f"reads {read} elements where its class has {most}"
    plain = len(claims) == 1 and not (claims[0].gathers or claims[0].varies or claims[0].fixed)
    if plain and read < BORDER * claims[0].elements_in_least - SLACK:
        return f"reads {read} elements where its class has {most}"
    chain = sum(c.repetitions * (c.operations / max(1, c.repetitions * c.units) + SLACK) for c in claims)
    longest = machine.longest()
    if longest > chain + SLACK:
        return f"has a chain of {longest} operations that wait for each other where its class has {chain:.0f}"
    return None


def compare_units(machine: Machine, claims: Sequence[Claim]) -> str | None:
    """How much less a thread writes than a unit of work; None where it is as much.

    Threads that do not wait for each other run in parallel: a unit that is several of them is too large.
    """
    most, of_unit = machine.most_of_thread, max((c.of_unit for c in claims), default=0)
    if most and of_unit > 2 * most:
        return f"writes {most} elements in a thread where a unit of its class writes {of_unit}"
    return None


def compare_footprints(machine: Machine, claims: Sequence[Claim]) -> str | None:
    """An array of which an element of the results takes more or less than its class says; None where there is none.

    Of units that compute several elements each element may take what its unit reads, or a part of it.
    """
    computed = Counter(a for c in claims for a in c.arrays)
    for claim in claims:
        if claim.shared or claim.varies or claim.repetitions > 1 or any(computed[a] > 1 for a in claim.arrays):
            continue
        most: Counter[str] = Counter()
        mine = [s for (a, _), s in machine.footprints.items() if name_base(a) in claim.arrays and len(s) < MOST_SOURCES]
        # Single numbers that all results take stand beside what each takes: the first and the last of a table.
        common = set.intersection(*mine) if len(mine) > NEAR else set[Key]()
        common = common if len(common) <= FEW_COMMON else set()
        for sources in mine:
            for name, count in Counter(name_base(a) for a, _ in sources - common).items():
                most[name] = max(most[name], count)
        for name, count in most.items():
            if name in claim.takes and count > claim.takes[name]:
                return f"takes {count} elements of '{name}' for a result where its class has {claim.takes[name]}"
        for name, count in claim.whole.items():
            if 0 < most[name] < LEAST_TAKEN * count and count > NEAR and claim.of_unit == 1 and not machine.guarded:
                return f"takes {most[name]} elements of '{name}' for a result where its class has {count}"
    return None


def compare_outputs(machine: Machine, claims: Sequence[Claim]) -> str | None:
    """An array of which the code writes more or fewer elements than its classes say; None where there is none."""
    private = [c for c in claims if not c.shared]
    for array in dict.fromkeys(a for c in private for a in c.arrays):
        # A step may write a column of its own, and several classes parts of one array.
        sizes = [
            (e, c.repetitions, c.share_inside) for c in private for a, e in zip(c.arrays, c.elements_out, strict=False)
            if a == array
        ]  # fmt: skip
        most, least = sum(e * times for e, times, _ in sizes), max((e * share for e, _, share in sizes), default=0)
        least = 0 if any(c.fixed for c in private) else least
        wrote = sum(1 for a, _ in machine.written if a == array or ("@" in a and name_base(a) == array))
        if wrote and (wrote > most * (1 + BORDER) + SLACK or wrote < least * BORDER - SLACK):
            return f"writes {wrote} elements of '{array}' where its class has {least:.0f}"
    return None


def shrink_size(value: int) -> int:
    """A size that is small enough to run: a power of two near its root, so that what divides it divides still.

    >>> [shrink_size(n) for n in (5, 16, 500, 1024, 65536)]
    [5, 16, 32, 32, 256]
    """
    return value if value <= 16 else 1 << -(-(value - 1).bit_length() // 2)
