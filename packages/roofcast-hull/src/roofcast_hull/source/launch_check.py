"""The check of a kernel's classes at its own launch: what some of its blocks do must be what its classes say.

The blocks run side by side on NumPy (:mod:`roofcast_hull.emulated`), from the text as it was written, not from what the
reader made of it. Compared are distinct bytes of each array, what a block reads beside what its units of work read, and
operations. A launch refutes; it does not confirm: chains of operations are only seen where all of a code runs.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from roofcast.core.errors import one_line
from roofcast_hull.emulated.kernel_text import KernelText, open_kernel
from roofcast_hull.emulated.launch import CodeAmounts, emulate
from roofcast_hull.notation import Part, Pattern
from roofcast_hull.source.found_class import Found, count_inside, join_nests
from roofcast_hull.source.nest import SourceError, refuse

FEWER, MORE = 0.95, 1.3
"""Bytes of an array over those of its class. More are also what blocks that did not run are taken not to share."""
MORE_LEFT_OUT = 2.2
"""The same where turns of loops were left out: two loops over one array may have run other turns of it."""
PADDED = 1.02
"""Bytes of whole tiles over those that the file allocates."""
TABLE = 0.5
"""Of the bytes of a class, those of an array that it need not have: what all units read is part of the function."""
OUTPUT = 0.05
"""The same of an array that a class writes and does not read, or the other way round."""
SMALL = 0.02
"""Of all bytes, those of an array that need not agree: tables of coefficients, results of blocks."""
LEAST_OF_UNIT, MOST_OF_UNITS = 0.4, 1.25
"""Elements that a block reads over those of one of its units (of a triangle it is half), and over those of all of them
(borders that several blocks write)."""
MOST_OF_ALL = 4
"""Elements that all blocks read over those of an array of which each is a term of a sum: borders, and columns that
several blocks look at."""
OPERATIONS, OPERATIONS_TOGETHER, OPERATIONS_CHOSEN = (0.93, 1.07), (0.93, 8.0), (0.4, 8.0)
"""Operations over those of the classes: also where threads add up in trees, which are no part of a class (shuffles of a
value of each thread are five for the one that it computed), and where data decide between branches or elements."""
CHOSEN = (Pattern.GATHER, Pattern.SHARED)
"""Patterns whose elements data choose, or that all units share: a launch may touch fewer of them."""


def check_launch(
    text: str, language: str, function: str, sizes: Mapping[str, int], found: Sequence[Found], dense: float = 1.0
) -> tuple[list[Found], bool]:
    """Classes of a launch, with operations as they were executed where those alone differ, and whether all agreed.

    dense : share of the elements that it touches of the sectors that it moves.

    Raises
    ------
    SourceError : the launch does otherwise than they say.
    """
    try:
        amounts = run_launch(text, language, function, sizes)
    except SourceError:
        return list(found), False
    wrong = compare_names(amounts, found) or compare_bytes(amounts, found, dense) or compare_blocks(amounts, found)
    wrong = wrong or compare_operations(amounts, found, chosen=bool(amounts.decided))
    if not wrong:
        return list(found), not amounts.decided and compares_all(amounts, found)
    # What threads add up in trees comes on top of a class: fewer operations than it has are all there are.
    fewer = amounts.operations < sum(f.operations for f in found)
    plain = not amounts.decided and (fewer or not amounts.together)
    # Keys and random numbers that no data enter are part of a class, indices are not: which are which is not told here.
    plain = plain and (not fewer or amounts.operations_from_none <= (OPERATIONS[1] - 1) * amounts.operations)
    joined = join_nests(found) if wrong.startswith("does") and plain else ()
    if len(joined) == 1 and joined[0].operations:
        # No data decide what threads do: what ran is what every run does.
        operations = float(round(amounts.operations))
        more = operations / joined[0].operations
        note = f"operations as some blocks of the launch did them, which {wrong}"
        return [
            replace(joined[0], complexity=joined[0].complexity * more, operations=operations,
                    notes=(*joined[0].notes, note))
        ], False  # fmt: skip
    raise refuse(found[0].line, f"no class: of its launch some blocks were run, which {wrong}")


def compares_all(amounts: CodeAmounts, found: Sequence[Found]) -> bool:
    """Whether each array of the classes was seen to be read or written."""
    moved = {(kind, name_base(array)) for kind, array in amounts.moved}
    wanted = {
        ("read" if at < len(f.found.inputs) else "written", name_base(array))
        for f in found for at, array in enumerate(f.arrays)
    }  # fmt: skip
    # An update reads and writes, and is seen as neither.
    return bool(wanted) and wanted <= moved and all(f.arrays and f.repetitions == 1 for f in found)


def run_launch(text: str, language: str, function: str, sizes: Mapping[str, int]) -> CodeAmounts:
    """What a launch moves, element by element.

    Raises
    ------
    SourceError : the file does not say the launch, or the kernel does what is not followed.
    """
    if language == "python":
        from roofcast_hull.source.python_code import parse
        from roofcast_hull.source.python_kernels import write_kernel

        text = write_kernel(parse(text), function, 0)
    return open_launch(text, function, tuple(sorted(sizes.items())))[1]


@lru_cache(maxsize=4)
def open_launch(text: str, function: str, sizes: tuple[tuple[str, int], ...]) -> tuple[KernelText, CodeAmounts]:
    """A kernel that a file launches, and what the launch moves, element by element: several readers ask for both.

    Raises
    ------
    SourceError : the file does not say the launch, or the kernel does what is not followed.
    """
    opened = open_kernel(text, function, dict(sizes), None)
    if not opened.is_launched:
        raise SourceError("the file does not say its launch")
    return opened, emulate(
        opened.tree,
        opened.function,
        opened.sizes,
        opened.allocated,
        templates=opened.templates,
        of_elements=True,
        filled=opened.filled,
    )


def compare_bytes(amounts: CodeAmounts, found: Sequence[Found], dense: float = 1.0) -> str | None:
    """An array of which the launch moves other bytes than its classes say; None where there is none.

    dense : share of the elements that it touches of the sectors that it moves.
    """
    if not all(f.arrays and f.repetitions == 1 for f in found):
        return None
    loose = {*map(name_base, amounts.scattered), *(name_base(a) for kind, a in amounts.moved if kind == "updated")}
    loose |= {name_base(a) for f in found for a, p in pair_arrays(f) if p.pattern in CHOSEN}
    inside = min(count_inside(f.found) for f in found)
    members = {name_base(a) for f in found for a in f.arrays if "." in a}
    padded = {name_base(a) for f in found for a, p in pair_arrays(f) if p.pattern is Pattern.TILE}
    most = MORE if amounts.is_exact else MORE_LEFT_OUT
    whole = sum(sum(sum_claims(found, reads).values()) for reads in (True, False))
    for kind, verb in (("read", "reads"), ("written", "writes")):
        claimed, moved = sum_claims(found, kind == "read"), defaultdict[str, float](float)
        for (key, array), amount in amounts.moved.items():
            if key == kind:
                moved[name_base(array)] += amount
        for array, amount in claimed.items():
            if array in loose or array not in moved or max(amount, moved[array]) < SMALL * whole:
                continue
            # No more is counted than the file allocates, nor a border that a neighbourhood has no room for; of vectors
            # all members are moved, used or not.
            low, high = FEWER * dense * inside * min(amount, amounts.extents.get(array, math.inf)), most * amount
            if array in padded and PADDED < amount / amounts.extents.get(array, math.inf) <= MORE:
                name, held = one_line(array, 40), amounts.extents[array]
                return f"{verb} at most the {held:.4g} B that there are of '{name}' where its class has {amount:.4g}"
            if moved[array] < low or (moved[array] > high and array not in members):
                name = one_line(array, 40)
                return f"{verb} {moved[array]:.4g} B of '{name}' where its class has {amount:.4g}"
        if more := find_more(moved, claimed, {name_base(a) for f in found for a in f.arrays}, loose):
            return f"{verb} {moved[more]:.4g} B of '{one_line(more, 40)}', of which its class has none"
    return None


def compare_names(amounts: CodeAmounts, found: Sequence[Found]) -> str | None:
    """An array that classes write and the launch does not touch, a variable of a thread in truth; None for none."""
    touched = {name_base(a) for _, a in amounts.moved}
    written = [a for f in found if f.arrays for a, _ in pair_arrays(f)[len(f.found.inputs) :]]
    local = next((a for a in written if name_base(a) not in touched), None) if touched else None
    return None if local is None else f"touches nothing of '{one_line(local, 40)}'"


def find_more(
    moved: Mapping[str, float], claimed: Mapping[str, float], named: Collection[str], loose: Collection[str]
) -> str | None:  # fmt: skip
    """An array that is none of the class's and no table of coefficients, or one that it only writes; None for none."""
    shares = {a: OUTPUT if a in named else TABLE for a in moved if a not in claimed and a not in loose}
    large = [a for a, share in shares.items() if moved[a] > share * sum(claimed.values())]
    return next(iter(large), None)


def compare_blocks(amounts: CodeAmounts, found: Sequence[Found]) -> str | None:
    """An array of which a block reads more or less than the units of work in it; None where there is none."""
    if len(found) != 1 or not found[0].arrays or found[0].repetitions != 1:
        return None
    inputs = pair_arrays(found[0])[: len(found[0].found.inputs)]
    names = [a for a, _ in inputs]
    if all(p.pattern is Pattern.SHARED for p in found[0].found.outputs):
        return compare_terms(amounts, found[0])
    for (array, part), size in zip(inputs, found[0].bytes_each, strict=False):
        blocks = amounts.of_block.get(("read", array), ())
        if names.count(array) > 1 or array in amounts.scattered or part.pattern is Pattern.GATHER:
            continue
        for units, moved in zip(count_units(amounts, found[0]), blocks, strict=False):
            of_unit = part.elements if part.pattern is Pattern.FULL else math.prod(part.extent)
            least = of_unit if part.pattern in (Pattern.FULL, Pattern.TILE) and units >= 1 else 0
            # Of a unit that a block cuts it reads what the whole one does.
            most = min(part.elements, math.ceil(units) * of_unit)
            # Blocks of a triangle differ: some read nothing, others all.
            if units and sum(blocks) / size < LEAST_OF_UNIT * least * sum(b > 0 for b in blocks):
                of_class = f"a unit of its class reads {least}"
            elif units and amounts.is_exact and moved / size > MOST_OF_UNITS * most:
                of_class = f"{units:.0f} units of its class read {most:.0f}"
            else:
                continue
            return f"reads {moved / size:.0f} elements of '{one_line(array, 40)}' in a block where {of_class}"
    return None


def compare_terms(amounts: CodeAmounts, found: Found) -> str | None:
    """An array of which each element is a term of a sum, though blocks share them; None where there is none."""
    claimed, single = defaultdict[str, float](float), dict[str, bool]()
    # What many terms share (a number of each row) several blocks may read.
    most = max((p.elements for p in found.found.inputs), default=0)
    for (array, part), size in list(zip(pair_arrays(found), found.bytes_each, strict=False))[: len(found.found.inputs)]:
        base = name_base(array)
        claimed[base] += part.elements * size
        of_terms = part.pattern is Pattern.ELEMENT and part.elements == most and base not in amounts.scattered
        single[base] = single.get(base, True) and of_terms
    members = {name_base(a) for a in found.arrays if "." in a}
    for base, bytes_claimed in claimed.items():
        blocks = zip(amounts.of_block.get(("read", base), ()), amounts.stands_for, strict=False)
        moved = sum(read * times for read, times in blocks)
        # A structure that is copied is read whole.
        of_copies = amounts.extents.get(base, 0.0) if base in members else 0.0
        if single[base] and moved > MOST_OF_ALL * max(bytes_claimed, of_copies):
            return (
                f"reads {moved:.4g} B of '{one_line(base, 40)}' in all blocks where its class has {bytes_claimed:.4g}"
            )
    return None


def count_units(amounts: CodeAmounts, found: Found) -> list[float]:
    """Units of work that each block computes, by what it writes; empty where units share what they write."""
    inputs = len(found.found.inputs)
    for (array, part), size in zip(pair_arrays(found)[inputs:], found.bytes_each[inputs:], strict=True):
        blocks = amounts.of_block.get(("written", array))
        if part.pattern is not Pattern.SHARED and blocks is not None and array not in amounts.scattered:
            return [moved / size / math.prod(part.extent) for moved in blocks]
    return []


def compare_operations(amounts: CodeAmounts, found: Sequence[Found], *, chosen: bool) -> str | None:
    """Operations of the launch where they are not those of its classes; None where they are.

    chosen : whether other operations may run than a class counts: as data decide, or as programs of Triton are spelled.
    """
    counted = sum(f.operations for f in found)
    least, most = OPERATIONS_CHOSEN if chosen else OPERATIONS_TOGETHER if amounts.together else OPERATIONS
    # A row that is shorter than the warp that adds it up costs more in the tree than in its terms.
    most = max(most * counted, OPERATIONS[1] * counted + amounts.operations_of_tree if amounts.together else 0.0)
    if least * counted <= amounts.operations + amounts.operations_from_none and amounts.operations <= most:
        return None
    return f"does {amounts.operations:.4g} operations where its class has {counted:.4g}"


def pair_arrays(found: Found) -> list[tuple[str, Part]]:
    """Arrays of a class with their parts, inputs first."""
    return list(zip(found.arrays, (*found.found.inputs, *found.found.outputs), strict=True))


def sum_claims(found: Sequence[Found], reads: bool) -> dict[str, float]:
    """Bytes of each array that classes read or write; patterns of one array in a class move it once."""
    claimed = defaultdict[str, float](float)
    for f in found:
        inputs = len(f.found.inputs)
        largest: dict[str, float] = {}
        for at, ((array, part), size) in enumerate(zip(pair_arrays(f), f.bytes_each, strict=True)):
            if (at < inputs) is reads:
                largest[array] = max(largest.get(array, 0.0), float(part.elements * size))
        for array, amount in largest.items():
            claimed[name_base(array)] += amount
    return claimed


def name_base(array: str) -> str:
    """The array that a member of its elements belongs to.

    >>> name_base("point.x")
    'point'
    """
    return array.partition(".")[0].partition("#")[0]
