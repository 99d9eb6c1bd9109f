"""Whether code does at small sizes what its classes say, run by an interpreter."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from roofcast.core.errors import one_line
from roofcast_hull.notation import Pattern
from roofcast_hull.source.counting import count_iterations
from roofcast_hull.source.found_class import (
    Found,
    count_inside,
)
from roofcast_hull.source.nest import Routine, SourceError, find_extreme
from roofcast_hull.source.routine_class import classify
from roofcast_hull.source.run_check import (
    MOST_STEPS,
    Claim,
    Machine,
    StopError,
    TooLongError,
    compare_claims,
    compare_units,
    shrink_size,
)
from roofcast_hull.source.small_text import shrink_texts

if TYPE_CHECKING:
    from roofcast_hull.source.c_files import Reading

Verdict = tuple[str | None, str, tuple[Mapping[str, int], ...]]
"""What refutes classes, what was checked or why nothing was, and the sizes at which it ran and agreed."""
WARP = 32
"""Threads of a warp."""
RUNS = 3
"""Sizes at which code is run."""
LEAST_HALVED = 32
"""Smaller sizes are not halved for another shape: borders would be most of them."""
TOO_LONG = f"more than {MOST_STEPS} steps"
"""How what is said of code ends that is too long to be run even at small sizes."""
SHRINKS = 2
"""How often sizes are made smaller before code is left unchecked."""


def read_code(
    text: str, language: str, sizes: Mapping[str, int], function: str | None, *, of_blocks: bool = False
) -> Reading:
    """A text, by the front end of its language. of_blocks : whether blocks of a kernel are units of work."""
    if language == "python":
        from roofcast_hull.source.python_code import read_python

        return read_python(text, sizes, function, of_blocks=of_blocks)
    from roofcast_hull.source.c_files import read_c

    return read_c(text, sizes, function, of_blocks=of_blocks)


def check_execution(
    text: str, language: str, reading: Reading, function: str | None, found: Sequence[Found], given: Mapping[str, int]
) -> Verdict:
    """What the code does otherwise than its classes say, at sizes small enough to run it, what was checked, and where.

    given : sizes beside the text.

    The first is None where they agree: one size that differs refutes a class. Code that cannot be run is not checked:
    too many steps even then, or loops to numbers that arrays of named sizes, which are smaller now, have no room for.
    """
    if reading.routine.unchecked:
        return None, f"not checked: {reading.routine.unchecked}", ()

    def run(**how: Any) -> Verdict:
        tries = ((text, s, s) for s in list_small_sizes(reading.sizes, **how))
        return run_small(tries, language, reading, function, found)

    opened = run()
    if opened[0] and any(n.startswith("blockDim.") for n in reading.sizes):
        # Constants of the code may say its block (tiles, rows that a thread takes): it runs with its own then.
        opened = run(own_block=True)
        if opened[0]:
            return run(own_block=True, fixed=WARP)
    if not opened[2] and not opened[0] and language == "python":
        # Parts of a row (`z[:, n:2 * n]`) are as many as they were.
        halved = ((text, s, s) for s in list_divided_sizes(reading.sizes))
        divided = run_small(halved, language, reading, function, found)
        opened = divided if divided[0] or divided[2] else opened
    for axes in ("yz", "xyz"):
        # Where no size says how many blocks run, the launch did.
        settled = opened[0] or opened[2] or opened[1].endswith(TOO_LONG)
        if settled or not any(reading.sizes.get(f"gridDim.{a}", 0) > 1 for a in axes):
            continue
        opened = run(grid=axes)
    if not opened[0] and not opened[2]:
        # Sizes that no name stands for.
        smaller = run_small(shrink_texts(text, given), language, reading, function, found)
        opened = smaller if smaller[0] or smaller[2] else opened
    if not opened[0] and not opened[2] and reading.routine.launch is not None:
        return run_sample(reading, found), *opened[1:]
    return opened


def run_sample(reading: Reading, found: Sequence[Found]) -> str | None:
    """What a few threads of the launch itself do otherwise than the units of the classes; None where they agree.

    For code that has no class at small sizes. The run may refute a class; it is too little to call one checked.
    """
    try:
        return compare_units(reading.run(sampled=True), [make_claim(f) for f in found])
    except (SourceError, StopError, MemoryError):
        return None


def run_small(
    tries: Iterable[tuple[str, dict[str, int], dict[str, int]]], language: str, reading: Reading, function: str | None,
    found: Sequence[Found],
) -> Verdict:  # fmt: skip
    """The same of some texts, each with its sizes and what to call them."""
    why, agreed = "", list[Mapping[str, int]]()
    of_unit = max((make_claim(f).of_unit for f in found), default=0)
    tried: list[tuple[str, Mapping[str, int]]] = []
    too_long = 0
    for text, sizes, named_sizes in tries:
        if (text, sizes) in tried or len(agreed) == RUNS or too_long == RUNS:
            continue
        tried.append((text, sizes))
        try:
            small = read_code(text, language, sizes, function, of_blocks=reading.of_blocks)
            if leaves_arrays(small.routine):
                why = "at small sizes it leaves its arrays"
                continue
            expect_few_steps(small.routine)
            # Its classes take longer than its run, which may not come to an end.
            machine = small.run(named=name_arrays(found))
            shrunk = [f for f in classify(small.routine) if not f.checked]
            same = {str(f.found) for f in found} if sizes != reading.sizes else set()
            claims = [replace(make_claim(f), fixed=str(f.found) in same) for f in shrunk]
            # Where small sizes are equal by accident, a class may be another one there, of larger units.
            claims = [replace(c, of_unit=min(c.of_unit, of_unit)) for c in claims]
            if list_patterns(shrunk) != list_patterns(found):
                claims = [replace(c, takes={}, whole={}) for c in claims]
            machine = follow_arrays(small, machine, name_arrays(shrunk))
            if not any(a not in machine.private for a, _ in machine.inputs) and any(
                f.arrays and f.found.inputs for f in shrunk
            ):
                why = "at small sizes it reads nothing"
                continue
            refuted = compare_run(small, machine, claims)
            misread = small.refute(small) if small.refute is not None else None
        except (SourceError, StopError) as error:
            why = one_line(str(error), 120)
            too_long += isinstance(error, TooLongError)
            continue
        except MemoryError:
            why = "at small sizes it takes too much memory"
            continue
        if misread or (refuted and not small.routine.loose and have_same_patterns(found, shrunk)):
            # Of what is misread not the classes are wrong, but what they are classes of.
            return misread or refuted, "", ()
        # What else is refuted there is not this class.
        why = "at small sizes it has another class" if refuted else why
        agreed += [] if refuted else [{n: v for n, v in named_sizes.items() if v}]
    if not agreed:
        return None, f"not checked: {why or 'nothing could be run'}", ()
    fewer = f" (no more: {why or 'there are no other small sizes'})" if len(agreed) < RUNS else ""
    return None, f"checked at {len(agreed)} size{'s' if len(agreed) > 1 else ''}{fewer}", tuple(agreed)


def name_arrays(classes: Sequence[Found]) -> frozenset[str]:
    """Arrays of classes, as what runs follows values back to them."""
    return frozenset(a.partition("#")[0] for f in classes for a in f.arrays)


def follow_arrays(reading: Reading, machine: Machine, named: frozenset[str]) -> Machine:
    """A run that followed values back to some arrays: the one that there is, or another one where that had others."""
    return machine if machine.named == named else reading.run(named=named)


def compare_run(reading: Reading, machine: Machine, claims: Sequence[Claim]) -> str | None:
    """What a run did otherwise than its classes say; None where they agree.

    Of the numbers that were made up, few may meet a condition, whose work classes count each time: then it runs again
    with all such conditions met.

    Raises
    ------
    StopError : the second run cannot be finished.
    """
    refuted = compare_claims(machine, claims)
    if refuted and refuted.startswith("does") and machine.guarded:
        return compare_claims(reading.run(named=machine.named, meets_guards=True), claims)
    return refuted


def list_patterns(classes: Sequence[Found]) -> set[tuple[str, Pattern]]:
    """Patterns of the arrays of classes."""
    return {
        (array, part.pattern)
        for f in classes for array, part in zip(f.arrays, (*f.found.inputs, *f.found.outputs), strict=False)
    }  # fmt: skip


def have_same_patterns(found: Sequence[Found], shrunk: Sequence[Found]) -> bool:
    """Whether the classes of code at small sizes are those that it has, their sizes aside."""

    def list_patterns(classes: Sequence[Found]) -> list[list[tuple[str, bool]]]:
        every = [(*f.found.inputs, *f.found.outputs) for f in classes]
        return [sorted((str(p.pattern), p.unordered) for p in parts) for parts in every]

    return list_patterns(found) == list_patterns(shrunk)


def list_small_sizes(
    sizes: Mapping[str, int], *, own_block: bool = False, fixed: int = 0, grid: str = ""
) -> Iterator[dict[str, int]]:
    """Sizes to run code at: small ones, of other shapes, and smaller ones; equal sizes stay equal.

    A launch is opened (0): the grid follows the sizes. Blocks along z are layers, of which two are enough.
    own_block : blocks stay as they are launched. fixed : and so do numbers up to this one: warps of a block, its tile.
    grid : axes along which blocks are sizes like others.
    """
    launch = {
        n: 0 for n in sizes if n.startswith(("gridDim.", "blockDim.")) and n not in [f"gridDim.{a}" for a in grid]
    }
    if own_block:
        launch |= {n: v for n, v in sizes.items() if n.startswith("blockDim.")}
    if "z" not in grid and sizes.get("gridDim.z", 1) > 1 and sizes.get("blockDim.z", 1) == 1:
        launch |= {"gridDim.z": 2, "blockDim.z": 1}
    launch |= {n: v for n, v in sizes.items() if n not in launch and 0 < v <= fixed}
    plain = {n: v for n, v in sizes.items() if n not in launch}
    for _ in range(SHRINKS):
        plain = {n: shrink_size(v) for n, v in plain.items()}
        yield {**plain, **launch}
        largest = max(plain.values(), default=0)
        for turned in (True, False):
            # Powers of two, so that what divides a size still does.
            halved = {n: v // 2 if v >= LEAST_HALVED and (v == largest) is turned else v for n, v in plain.items()}
            if halved != plain:
                yield {**halved, **launch}


def list_divided_sizes(sizes: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Sizes all divided by one power of two, so that what is a multiple of another one still is."""
    large = [v for v in sizes.values() if v > LEAST_HALVED]
    common = math.gcd(*large) & -math.gcd(*large) if large else 1
    for most in (2 * LEAST_HALVED, LEAST_HALVED):
        by = next((1 << k for k in range(common.bit_length()) if max(large, default=0) >> k <= most), 0)
        if by > 1:
            yield {n: v // by if v > LEAST_HALVED else v for n, v in sizes.items()}


def expect_few_steps(routine: Routine) -> None:
    """Find out beforehand that a run would be too long: what always runs evaluates what it writes and reads.

    Raises
    ------
    TooLongError : it would.
    """
    always = (s for s in routine.statements if not (s.guarded or s.congruences or routine.loose) and s.share == 1)
    if sum(count_iterations(s.loops) * (1 + len(s.reads)) for s in always) > MOST_STEPS:
        raise TooLongError(TOO_LONG)


def leaves_arrays(routine: Routine) -> bool:
    """Whether a statement writes behind the end of a declared array."""
    ends = [
        (find_extreme(index, s.loops, True), size)
        for s in routine.statements
        for index, size in zip(s.target.indices, routine.shapes.get(s.target.array, ()), strict=False)
    ]
    return any(0 < size <= end.constant for end, size in ends if not end.variables)


def make_claim(found: Found) -> Claim:
    """What a class says of an execution."""
    dealt = [p for p in found.found.outputs if p.pattern is not Pattern.SHARED]
    shared = len(dealt) < len(found.found.outputs)
    return Claim(
        arrays=tuple(found.name.split(", ")),
        elements_out=tuple(p.elements for p in found.found.outputs),
        elements_in=found.found.elements_in,
        elements_in_least=sum(
            p.elements // (math.prod(p.extent) if p.pattern is Pattern.TILE else 1) for p in found.found.inputs
        ),
        operations=found.operations,
        repetitions=found.repetitions,
        units=max(p.units for p in (dealt or found.found.inputs)),
        gathers=any(p.pattern is Pattern.GATHER for p in found.found.inputs),
        varies=any("average" in note for note in found.notes),
        shared=shared,
        share_inside=count_inside(found.found),
        of_unit=0 if shared or spreads(found.found) else sum(math.prod(p.extent) for p in dealt),
        takes=count_taken(found) | dict(found.windows),
        whole=count_taken(found, (Pattern.TILE, Pattern.FULL)),
    )


def count_taken(found: Found, patterns: Sequence[Pattern] = tuple(Pattern)) -> dict[str, int]:
    """Elements of each array that a unit of work reads, of those that it reads in some patterns alone."""
    taken: Counter[str] = Counter()
    mixed = set()
    for array, part in zip(found.arrays, found.found.inputs, strict=False):
        taken[array] += part.elements if part.pattern is Pattern.FULL else math.prod(part.extent)
        if part.pattern not in patterns:
            mixed.add(array)
    return {a: n for a, n in taken.items() if a not in mixed}


def spreads(found: Any) -> bool:
    """Whether a unit writes several elements for one of each input: which thread writes which does not matter."""
    return all(p.pattern is Pattern.ELEMENT for p in found.inputs)
