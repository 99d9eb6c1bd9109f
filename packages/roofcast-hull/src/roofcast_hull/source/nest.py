"""What the front ends make of a source: loops, statements, affine expressions; independent of the language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from roofcast.core.errors import RoofcastError, one_line
from roofcast_hull.bounds import DEFAULT_ELEMENT, ELEMENT_TYPES
from roofcast_hull.source.library_call import LibraryCall


class SourceError(RoofcastError):
    """Code that has no class; the message names the line and the reason."""


class WaitingError(SourceError):
    """Turns of loops were seen to take what others leave in an array."""

    serial = False
    """Whether nothing inside of these turns runs side by side either."""

    def __init__(self, array: str) -> None:
        self.array = array
        super().__init__(f"a turn of its loops takes what another one leaves in '{array}'")


def refuse(line: int, reason: str) -> SourceError:
    """The error for one line."""
    return SourceError(f"line {line}: {one_line(reason, 300)}")


def refuse_recursion(line: int, name: str) -> SourceError:
    """The error for a function that calls itself."""
    reason = f"'{one_line(name, 40)}' calls itself: how often a recursion runs is no loop that can be counted"
    return refuse(line, reason)


@dataclass(frozen=True, slots=True)
class Affine:
    """A sum of loop variables with integer factors, and a constant."""

    factors: tuple[tuple[str, int], ...] = ()
    """Sorted by name, without zeros."""
    constant: int = 0

    @classmethod
    def of(cls, factors: Mapping[str, int], constant: int = 0) -> Affine:
        """An expression from a mapping of its factors."""
        return cls(tuple(sorted((n, f) for n, f in factors.items() if f)), constant)

    def __add__(self, other: Affine) -> Affine:
        factors = dict(self.factors)
        for name, factor in other.factors:
            factors[name] = factors.get(name, 0) + factor
        return Affine.of(factors, self.constant + other.constant)

    def times(self, number: int) -> Affine:
        """Multiplied by a number."""
        return Affine.of({n: f * number for n, f in self.factors}, self.constant * number)

    def __sub__(self, other: Affine) -> Affine:
        return self + other.times(-1)

    def factor(self, name: str) -> int:
        """Factor of a variable; 0 where it does not occur."""
        return dict(self.factors).get(name, 0)

    @property
    def variables(self) -> frozenset[str]:
        """Names of the variables."""
        return frozenset(n for n, _ in self.factors)

    def replaced(self, name: str, value: Affine) -> Affine:
        """Replace a variable by an expression."""
        factor = self.factor(name)
        return Affine.of({n: f for n, f in self.factors if n != name}, self.constant) + value.times(factor)

    def at(self, values: Mapping[str, float]) -> float:
        """Value for given variables."""
        return self.constant + sum(f * values[n] for n, f in self.factors)


@dataclass(frozen=True, slots=True)
class Access:
    """One array element (or scalar: no indices) that a statement reads or writes."""

    array: str
    indices: tuple[Affine, ...]
    line: int
    scattered: bool = False
    """An index comes from data."""
    row: int = 1
    """Elements of the row that data chooses, where they lie side by side and others are taken beside this one."""
    chosen: str = ""
    """The index that data chooses, as it is written."""

    @property
    def variables(self) -> frozenset[str]:
        """Counters that its indices name."""
        return frozenset(v for i in self.indices for v in i.variables)


@dataclass(frozen=True, slots=True)
class Loop:
    """A counted loop: variable from first to last, inclusive, in steps."""

    name: str
    first: tuple[Affine, ...]
    """The loop starts at the largest of these."""
    last: tuple[Affine, ...]
    """And ends at the smallest of these."""
    step: int
    """Distance between iterations, > 0, whatever the direction."""
    line: int
    descends: bool = False


Congruence = tuple[Affine, int, int, bool]
"""A condition on the remainder of an expression of counters: expression, modulus, remainder, equal (or differs)."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One assignment inside its loops, outermost first."""

    target: Access
    reads: tuple[Access, ...]
    operations: float
    updates: bool
    """Reads the element that it writes: +=, or x = x + ..."""
    loops: tuple[Loop, ...]
    line: int
    bodies: tuple[int, ...] = ()
    """Which child of each loop (and of the function) the statement belongs to, outermost first."""
    order: int = 0
    """Position in the code."""
    reduces: bool = False
    """Accumulates: x = x + e, where e does not depend on x."""
    guarded: bool = False
    """Runs only where data says so."""
    share: float = 1.0
    """Of its iterations, those in which it runs: half of them for a condition on even counters."""
    congruences: tuple[Congruence, ...] = ()


@dataclass
class Routine:
    """A function: its statements, and what is known of sizes."""

    name: str
    statements: list[Statement] = field(default_factory=list)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Declared sizes of arrays; -1 where a dimension is open."""
    types: dict[str, str] = field(default_factory=dict)
    """Element types of arrays, as the settings name them."""
    allocated: dict[str, int] = field(default_factory=dict)
    """Elements that a file allocates for an array, more perhaps than the function uses."""
    library: list[LibraryCall] = field(default_factory=list)
    """Calls of libraries that compute whole arrays in stages."""
    given: frozenset[str] = frozenset()
    """Names of what a function is given; not of a kernel, whose sums of threads are spelled as updates."""
    exchanged: set[tuple[str, str]] = field(default_factory=set)
    """Arrays that change places with others in each turn of a loop, with the loop's name."""
    of_passes: bool = False
    """Its statements are of whole arrays: each is a pass that begins where the first thing it computes stands."""
    temporaries: frozenset[str] = frozenset()
    """Whole arrays that a function makes and does not give back: the best code keeps of them what a unit uses."""
    unchecked: str = ""
    """Why running the code at small sizes would say nothing of its class; empty where it would."""
    assumed: dict[str, int] = field(default_factory=dict)
    """Sizes that nothing states, with the value taken."""
    notes: tuple[str, ...] = ()
    launch: dict[str, int] | None = None
    """gridDim and blockDim along each axis, of a kernel."""
    divisors: tuple[int, ...] = ()
    """What a kernel divides one index by, the smallest first: sizes of the last dimension, of the last two, ..."""
    of_launch: frozenset[str] = frozenset()
    """Arrays that come with the launch of a kernel: inside of structures that it is given by value, and first values of
    arrays of its own."""
    structures: dict[str, Any] = field(default_factory=dict)
    """Arrays of structures, with the layout of these (:class:`roofcast_hull.emulated.value_types.Type`)."""
    loose: bool = False
    """Whether conditions leave out turns of loops that no bound says: at small sizes they may be most of them."""
    unstated: tuple[str, ...] = ()
    """Sizes of a kernel that are assumed although the file states its launch."""
    of_blocks: bool = False
    """Whether a unit of work is a block of threads: what is inside of it has loops of its own."""
    strips: frozenset[int] = frozenset()
    """Threads of a block along the axes of a kernel: how wide the strips are that its indices are made of."""

    def count_allocated(self, array: str) -> int:
        """Elements that a file allocates for an array; 0 where it does not say them.

        Of a pointer in a structure it says bytes: its type is the structure's.
        """
        held = self.allocated.get(array, 0)
        size = ELEMENT_TYPES[self.types.get(array) or DEFAULT_ELEMENT][0] if "." in array else 1
        return max(1, int(held / size)) if held else 0


def find_extreme(value: Affine, loops: tuple[Loop, ...], largest: bool, keep: frozenset[str] = frozenset()) -> Affine:
    """Bound of an expression over its loops, innermost variables replaced first.

    keep : variables that stay in the result.
    """
    for loop in reversed(loops):
        factor = value.factor(loop.name)
        if factor == 0 or loop.name in keep:
            continue
        up = (factor > 0) == largest
        bounds = loop.last if up else loop.first
        options = [value.replaced(loop.name, b) for b in bounds]
        whole = value
        value = options[0]
        for other in options[1:]:
            # Of several bounds take the one that is tighter where that can be told.
            difference = other - value
            if not difference.variables and (difference.constant < 0) == largest:
                value = other
            elif difference.variables and not keep and is_folded(loop):
                exact = find_exact(whole, loops, largest)
                if exact is not None:
                    return exact
    return value


def is_folded(loop: Loop) -> bool:
    """Whether bounds of a loop run against each other along a counter: ``2 - dy`` and ``2 + dy``."""
    return any(
        a.factor(v) * b.factor(v) < 0
        for bounds in (loop.first, loop.last) for a in bounds for b in bounds for v in a.variables
    )  # fmt: skip


@lru_cache(maxsize=1024)
def find_exact(value: Affine, loops: tuple[Loop, ...], largest: bool) -> Affine | None:
    """Bound of an expression over its loops as integers have it; None where it names what they do not."""
    import islpy as isl

    names = {loop.name: f"v{n}" for n, loop in enumerate(loops)}

    def spell(affine: Affine) -> str:
        return " + ".join([*(f"{f} {names[n]}" for n, f in affine.factors), str(affine.constant)])

    bounds = [b for loop in loops for b in (*loop.first, *loop.last)]
    if any(n not in names for a in (value, *bounds) for n in a.variables):
        return None
    conditions = [f"{spell(b)} <= {names[x.name]}" for x in loops for b in x.first]
    conditions += [f"{names[x.name]} <= {spell(b)}" for x in loops for b in x.last]
    domain = isl.Set(f"{{ [{', '.join(names.values())}] : {' and '.join(conditions)} }}")
    if domain.is_empty():
        return None
    image = domain.apply(isl.Map(f"{{ [{', '.join(names.values())}] -> [{spell(value)}] }}"))
    end = image.dim_max_val(0) if largest else image.dim_min_val(0)
    return Affine((), int(end.to_python())) if end.is_int() else None


def count_values(value: Affine, loops: tuple[Loop, ...]) -> int:
    """Number of values that an expression takes at most over its loops."""
    high, low = find_extreme(value, loops, True), find_extreme(value, loops, False)
    return max(1, high.constant - low.constant + 1)
