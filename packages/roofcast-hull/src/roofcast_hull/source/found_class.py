"""One class in a source: what it is of, and how it was checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from roofcast.core.resource import Resource
from roofcast_hull.emulated.value_types import VECTORS, Type
from roofcast_hull.notation import AlgorithmClass, ClassTextError, Part, Pattern, parse_class


@dataclass(frozen=True, slots=True)
class Found:
    """One class in a source."""

    name: str
    """Array that it computes."""
    line: int
    found: AlgorithmClass
    complexity: float
    """Operations of one application of the class's function."""
    operations: float
    """Operations of all repetitions together."""
    repetitions: int
    element: str | None = None
    """Element type that the source declares."""
    element_bytes: float | None = None
    """Bytes of an element in the mean over the arrays, where the source declares types of different size."""
    notes: tuple[str, ...] = ()
    checked: str = ""
    """What the check by execution says: at how many sizes it ran, or why it did not."""
    checked_at: tuple[Mapping[str, int], ...] = ()
    """Sizes at which it ran and agreed; of a launch, how many blocks followed from them."""
    function: str = ""
    """Function that it is of, where all of a file are listed."""
    no_class: str = ""
    """Why no class fits: :attr:`found` then stands for counted bytes and operations (:mod:`.counted`)."""
    arrays: tuple[str, ...] = ()
    """Names of the arrays of the class, inputs first; empty where they are not known."""
    bytes_each: tuple[int, ...] = ()
    """Bytes of an element of each of them."""
    apart: AlgorithmClass | None = None
    """The class with each member of structures as an array of its own, where :attr:`found` has them together."""
    windows: tuple[tuple[str, int], ...] = ()
    """Arrays of whose tiles a unit reads a border that its neighbours read too, with the elements of both."""
    pipes: tuple[tuple[Resource, float], ...] = ()
    """What does the operations, each with its share of them, where they were counted by running."""
    part_of: str = ""
    """Another function of the list that calls this one, whose classes hold it."""


SECTOR = 32
"""Bytes that memory moves at least."""
STAGES = (2, 4, 8, 16)
"""Elements of one unit of a stage of an order or a transform."""
LARGEST_STRUCTURE = 1 << 16
"""Bytes; a larger one is a table, whose members are arrays that move by themselves."""
MEAN_SIDE = "of sides between which data decide the mean is counted"
"""What is said of operations where each unit does one of several things."""
FILLED = "row lengths as the host code fills them"
"""What is said where loops run as often as the host's own numbers say."""
LONGER = "one may be longer"
"""What is said where a row is taken to be as long as rows are in the mean."""
MEMBERS = "xyzw"
"""Members of a short vector."""


def join_members(found: Found, structures: Mapping[str, Type]) -> Found:
    """A class that moves short vectors or structures, with each of them as one element.

    Where the members of one go the same way, ``out[k] = f(in[i])`` of ``float4`` is one array in and one out, and moves
    what :func:`count_moved` says.

    structures : arrays of structures, with the layout of these.
    """
    sides = found.found.inputs, found.found.outputs
    if not structures or found.no_class or len(found.arrays) != sum(map(len, sides)) or not found.bytes_each:
        return found
    named = list(zip(found.arrays, (*sides[0], *sides[1]), found.bytes_each, strict=True))
    joined: list[list[tuple[str, Part, int]]] = []
    for reads in (True, False):
        by_base: dict[tuple[str, Part], list[tuple[str, Part, int]]] = {}
        for array, part, size in named[: len(sides[0])] if reads else named[len(sides[0]) :]:
            pieces = array.split(".")
            bases = (".".join(pieces[:n]) for n in range(1, len(pieces)))
            base = next((b for b in bases if b in structures), array)
            by_base.setdefault((base, part), []).append((array, part, size))
        all_names: dict[str, set[str]] = {}
        for (base, _), members in by_base.items():
            all_names.setdefault(base, set()).update(m for m, *_ in members)
        joined.append([])
        for (base, part), members in by_base.items():
            names = {m for m, *_ in members}
            whole = any({m for m, *_ in v} == all_names[base] for (b, _), v in by_base.items() if b == base)
            alike = base not in names and (structures[base].name in VECTORS or whole)
            # Of two structures, one of a row and one of a column, each member stands there twice.
            times = max(sum(m == n for m, *_ in members) for n in names)
            if not alike or (times > 1 and len(names) == 1) or part.pattern is Pattern.SHARED:
                joined[-1] += members
                continue
            size = count_moved(structures[base], [n.removeprefix(f"{base}.") for n in sorted(names)])
            joined[-1] += [(base, part, size or sum({m: s for m, _, s in members}.values()))] * times
    if [a for side in joined for a, *_ in side] == list(found.arrays):
        return found
    inputs, outputs = (tuple(p for _, p, _ in side) for side in joined)
    both = [*joined[0], *joined[1]]
    mean = find_mean(joined[0], joined[1])
    return replace(
        found, name=", ".join(b for b, *_ in joined[1]), found=AlgorithmClass(inputs, outputs), element_bytes=mean,
        arrays=tuple(b for b, *_ in both), bytes_each=tuple(size for *_, size in both), apart=found.found,
    )  # fmt: skip


def count_moved(kind: Type, members: Sequence[str]) -> int:
    """Bytes that move for each structure of an array of which some members are read or written, rounded.

    Memory moves sectors: members that nothing names move along where they share a sector with one that is named, in
    the same structure or in the next one. 0 where a member is not one of the layout, or that is a whole table.

    >>> from roofcast_hull.emulated.value_types import DOUBLE, FLOAT, VECTORS
    >>> count_moved(VECTORS["float4"], ["x"])  # Half a sector each.
    16
    >>> count_moved(Type("record", 64, members=(("key", DOUBLE, 0, ()), ("rest", DOUBLE, 8, (7,)))), ["key"])
    32
    """
    leaves = kind.leaves
    if kind.size > LARGEST_STRUCTURE or not all(m in leaves for m in members):
        return 0
    period = SECTOR // math.gcd(SECTOR, kind.size)
    ends = [
        (k * kind.size + at, k * kind.size + at + size - 1)
        for k in range(period)
        for at, size in (leaves[m] for m in members)
    ]
    sectors = {s for first, last in ends for s in range(first // SECTOR, last // SECTOR + 1)}
    return round(min(kind.size, len(sectors) * SECTOR / period))


def join_stage(found: Found) -> Found:
    """A stage of an order or a transform: units that mix 2 to 16 elements, a power of two apart, as ``N|tile(2)``."""
    parts = (*found.found.inputs, *found.found.outputs)
    part = parts[0]
    apart = (
        part.pattern is Pattern.TILE
        and len(part.sizes) == len(part.extent) == 2
        and part.extent[1] == 1 < part.sizes[1]
    )
    if not apart or any(p != part for p in parts) or part.extent[0] not in STAGES or part.sizes[0] <= part.extent[0]:
        return found
    if any(s & (s - 1) for s in part.sizes):
        return found
    flat = Part((part.elements,), Pattern.TILE, (part.extent[0],))
    joined = AlgorithmClass(tuple(flat for _ in found.found.inputs), tuple(flat for _ in found.found.outputs))
    return replace(found, found=joined)


Named = Sequence[tuple[str, Part, int]]
"""Arrays of one side of a class, their parts, and bytes of an element of each."""


def find_mean(inputs: Named, outputs: Named) -> float:
    """Bytes of an element in the mean over the arrays of a class; what a unit reads in two patterns moves once."""
    moved = 0
    for side in (inputs, outputs):
        most: dict[str, int] = {}
        for array, part, size in side:
            most[array] = max(most.get(array, 0), part.elements * size)
        moved += sum(most.values())
    return moved / sum(p.elements for _, p, _ in (*inputs, *outputs))


def join_nests(classes: Sequence[Found]) -> list[Found]:
    """Classes of the loops of one kernel, as one class where their units are the same threads.

    What a unit has written itself is no input of it; what two loops read of an array in one pattern is read once.
    """
    joined = [classes[0]]
    for other in classes[1:]:
        whole = join_two(joined[-1], other)
        joined[-1:] = [whole] if whole is not None else [joined[-1], other]
    return joined


def join_two(one: Found, other: Found) -> Found | None:
    """Two classes of one kernel as one; None where units differ, or one takes what other units of the other make."""
    known = all(len(f.arrays) == len(f.bytes_each) == len(f.found.inputs) + len(f.found.outputs) for f in (one, other))
    if not known or one.repetitions != other.repetitions:
        return None
    if count_units(one.found) != count_units(other.found):
        wide = widen_units(one, other), widen_units(other, one)
        return join_two(*wide) if len({count_units(f.found) for f in wide}) == 1 else None
    first, second = pair_parts(one), pair_parts(other)
    written = {array: part for array, part, _ in first[1]}
    inputs = list(first[0])
    for array, part, size in second[0]:
        if array in written and part != written[array]:
            return None
        if array not in written and (array, part, size) not in inputs:
            inputs.append((array, part, size))
    outputs = first[1] + [o for o in second[1] if o not in first[1]]
    try:
        algorithm = parse_class(str(AlgorithmClass(tuple(p for _, p, _ in inputs), tuple(p for _, p, _ in outputs))))
    except ClassTextError:
        return None
    parts = [*inputs, *outputs]
    operations = one.operations + other.operations
    complexity = one.complexity * operations / one.operations if one.operations else other.complexity
    return replace(
        one, name=", ".join(a for a, *_ in outputs), found=algorithm, complexity=complexity, operations=operations,
        element_bytes=find_mean(inputs, outputs),
        notes=(*one.notes, *(n for n in other.notes if n not in one.notes)),
        arrays=tuple(a for a, *_ in parts), bytes_each=tuple(size for *_, size in parts),
        windows=(*one.windows, *other.windows),
    )  # fmt: skip


def join_sum(found: Found, total: Found) -> Found | None:
    """A class with a sum over what its units take anyway; None where the sum takes more, or what they write."""
    known = all(
        len(f.arrays) == len(f.bytes_each) == len(f.found.inputs) + len(f.found.outputs) for f in (found, total)
    )
    if not known or found.repetitions != total.repetitions:
        return None
    (inputs, outputs), (added, sums) = pair_parts(found), pair_parts(total)
    taken, written = ({a for a, *_ in side} for side in (inputs, outputs))
    if not {a for a, *_ in added} <= taken or {a for a, *_ in sums} & (taken | written):
        return None
    parts = [*inputs, *outputs, *sums]
    operations = found.operations + total.operations
    return replace(
        found, name=", ".join(a for a, *_ in (*outputs, *sums)), operations=operations,
        found=AlgorithmClass(found.found.inputs, (*found.found.outputs, *total.found.outputs)),
        complexity=found.complexity * operations / found.operations if found.operations else total.complexity,
        element_bytes=find_mean(inputs, [*outputs, *sums]),
        notes=(*found.notes, *(n for n in total.notes if n not in found.notes)),
        arrays=tuple(a for a, *_ in parts), bytes_each=tuple(size for *_, size in parts),
    )  # fmt: skip


def widen_units(found: Found, by: Found) -> Found:
    """A class with the rows of another one's units as its own, where these take nothing else: as it is else.

    A kernel that writes rows, and one number of each row by its first thread, has rows as units.
    """
    rows = by.found.outputs[0].sizes
    plain = all(p == Part(rows, Pattern.ELEMENT) for p in by.found.outputs) and all(
        is_of_rows(p, rows) for p in by.found.inputs
    )
    taken, given = ({a for a, *_ in side} for side in (pair_parts(by)[0], pair_parts(found)[0]))
    if not plain or not taken or not taken <= given or count_units(by.found) >= count_units(found.found):
        return found
    sides = [[widen_part(p, rows) for p in side] for side in (found.found.inputs, found.found.outputs)]
    if any(p is None for side in sides for p in side):
        return found
    inputs, outputs = (tuple(p for p in side if p is not None) for side in sides)
    return replace(found, found=AlgorithmClass(inputs, outputs))


def is_of_rows(part: Part, rows: tuple[int, ...]) -> bool:
    """Whether what units take of an array is one element of each row, its whole row, or all of it."""
    whole = part.pattern is Pattern.TILE and part.extent == (*(1 for _ in rows), *part.sizes[len(rows) :])
    return (
        part.pattern is Pattern.FULL
        or part == Part(rows, Pattern.ELEMENT)
        or (whole and part.sizes[: len(rows)] == rows)
    )


def widen_part(part: Part, rows: tuple[int, ...]) -> Part | None:
    """What a unit takes of an array where it is a row; None where rows are no tiles of it."""
    lead = len(rows)
    if part.pattern is Pattern.FULL or part == Part(rows, Pattern.ELEMENT):
        return part
    plain = part.pattern is Pattern.ELEMENT or (part.pattern is Pattern.TILE and set(part.extent[:lead]) == {1})
    if not plain or part.unordered or part.sizes[:lead] != rows or len(part.sizes) == lead:
        return None
    return Part(part.sizes, Pattern.TILE, (1,) * lead + part.sizes[lead:])


def count_units(found: AlgorithmClass) -> int:
    """Units of work that a class is dealt out to."""
    return max(p.units for p in [p for p in found.outputs if p.pattern is not Pattern.SHARED] or found.inputs)


def pair_parts(found: Found) -> list[list[tuple[str, Part, int]]]:
    """Arrays, parts and bytes of an element of the inputs, and of the outputs, of a class."""
    named = list(zip(found.arrays, (*found.found.inputs, *found.found.outputs), found.bytes_each, strict=True))
    return [named[: len(found.found.inputs)], named[len(found.found.inputs) :]]


def count_inside(found: AlgorithmClass) -> float:
    """Share of the elements whose neighbourhoods lie inside of their arrays."""
    shares = [
        math.prod(max(0, s - e + 1) / s for s, e in zip(p.sizes[::-1], p.extent[::-1], strict=False))
        for p in found.inputs if p.pattern is Pattern.NEIGHBOURHOOD
    ]  # fmt: skip
    return min(shares, default=1.0)
