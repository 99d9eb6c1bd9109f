"""What blocks that were followed together computed: running sums, sorted runs, transforms, sums of rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast_hull.emulated.device_memory import DATA
from roofcast_hull.emulated.numbers_run import Array, NumbersRun, refuse_unknown
from roofcast_hull.source.nest import SourceError

LEAST_RUN = 8
"""Elements of the shortest run: of fewer, several functions agree."""
STAGE = (2, 4, 8, 16)
"""Elements that a thread of a stage takes: one is a class of elements, other numbers are no butterfly or exchange."""
COVERED = 0.3
"""Share by which the elements of a stage, from blocks that ran, may miss those that the file allocates."""
CHANGED = (1e7, -1e7)
"""What an element is instead, to see what follows from it: beyond all made-up numbers."""
CLOSE = 2e-4
"""Relative difference of numbers that are the same: code adds in another order, with constants of seven digits."""
OPERATIONS: dict[str, tuple[np.ufunc, float | None]] = {
    "sum": (np.add, 0.0), "product": (np.multiply, 1.0), "largest": (np.maximum, None), "smallest": (np.minimum, None),
}  # fmt: skip
"""Operations of a scan, and what an exclusive one starts with; None for any number."""


Values = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Result:
    """What one array is of others."""

    pattern: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    run: int
    word: str = ""
    """How it is called in a note."""


@dataclass(frozen=True, slots=True)
class RowSums:
    """What each written element is of a row that is read, or of all that is."""

    output: str
    inputs: tuple[str, ...]
    word: str
    run: int
    """Elements of a row."""
    rows: int
    """Of a block; 0 where all blocks add to one element."""
    contiguous: bool
    vector: bool = False
    """Whether the second input is as long as a row, and the same for all."""


ROWS: dict[str, Callable[[Values], Any]] = {
    "sums": lambda rows: rows.sum(axis=1), "largest elements": lambda rows: rows.max(axis=1),
    "smallest elements": lambda rows: rows.min(axis=1), "sums of squares": lambda rows: (rows * rows).sum(axis=1),
    "sums of magnitudes": lambda rows: np.abs(rows).sum(axis=1), "means": lambda rows: rows.mean(axis=1),
    "roots of sums": lambda rows: np.sqrt(np.abs(rows.sum(axis=1))),
    "norms": lambda rows: np.sqrt((rows * rows).sum(axis=1)),
}  # fmt: skip
"""What is known of one row."""


def find_row_sums(run: NumbersRun) -> RowSums | None:
    """Sums of rows or of all elements of one array, or of its products with another; None for everything else."""
    written = [n for n, a in run.arrays.items() if any(a.list_touched(b, stores=True).size for b in range(run.blocks))]
    reads = {
        n: [a.list_touched(b, stores=False) for b in range(run.blocks)]
        for n, a in run.arrays.items() if n not in written and any(not k[1] for k in a.touched)
    }  # fmt: skip
    if len(written) != 1 or not 1 <= len(reads) <= 2 or run.arrays[written[0]].memory.data >= DATA:
        return None
    output = written[0]
    places = [run.arrays[output].list_touched(b, stores=True) for b in range(run.blocks)]
    together = run.blocks > 1 and all(len(p) == 1 and p[0] == places[0][0] for p in places)
    if len({len(p) for p in places}) != 1 or any(run.arrays[n].chosen for n in (output, *reads)):
        return None
    rows = len(places[0])
    if not together and rows > 1 and any(np.ptp(np.diff(p)) for p in places if len(p) > 2):
        return None
    for first in sorted(reads, key=lambda n: -len(reads[n][0])):
        sums = match_rows(run, output, places, first, reads, 0 if together else rows)
        if sums is not None:
            return sums
    return None


def match_rows(
    run: NumbersRun, output: str, places: Sequence[Values], first: str, reads: Mapping[str, Sequence[Values]], rows: int
) -> RowSums | None:  # fmt: skip
    """The same of one array as the first input."""
    sizes = {len(t) for t in reads[first]}
    size = sizes.pop()
    if sizes or size % max(1, rows) or size // max(1, rows) < LEAST_RUN:
        return None
    length = size // max(1, rows)
    distinct = len(np.unique(np.concatenate(reads[first]))) == size * run.blocks
    straight = all(not np.ptp(np.diff(t)) for t in reads[first])
    if not distinct or (rows > 1 and not straight):
        return None
    others = [n for n in reads if n != first]
    array = run.arrays[output]
    results = [array.after[p] for p in places]
    given = [run.arrays[first].before[t].reshape(max(1, rows), length) for t in reads[first]]
    if not others:
        wanted = {word: [function(g) for g in given] for word, function in ROWS.items()}
    else:
        second = [run.arrays[others[0]].before[t] for t in reads[others[0]]]
        vector = all(len(s) == length for s in second) and rows > 0 and (rows > 1 or same_places(reads[others[0]]))
        if not vector and any(len(s) != size for s in second):
            return None
        products = [
            g * (s[None, :] if vector else s.reshape(g.shape)) for g, s in zip(given, second, strict=True)
        ]  # fmt: skip
        wanted = {"products": [p.sum(axis=1) for p in products]}
    if rows == 0:
        wanted = {
            word: [array.before[places[0]] + sum(parts)]
            for word, parts in wanted.items()
            if word.startswith("sums") or word == "products"
        }
        results = results[:1]
    for word, parts in wanted.items():
        if all(are_close(m, w).all() for m, w in zip(results, parts, strict=True)):
            inputs = (first, *others)
            return RowSums(output, inputs, word, length, rows, straight, bool(others) and vector)
    return None


def same_places(reads: Sequence[Values]) -> bool:
    """Whether all blocks read the same elements."""
    return all(np.array_equal(t, reads[0]) for t in reads)


def find_result(run: NumbersRun) -> Result | None:
    """What all written arrays of a run are together; None where that is nothing known."""
    written = [n for n, a in run.arrays.items() if any(a.list_touched(b, stores=True).size for b in range(run.blocks))]
    try:
        refuse_unknown(run, written)
    except SourceError:
        return None
    if not written:
        return None
    for find in (find_scan, find_sort, find_fft):
        result = find(run, written)
        if result is not None and result.run >= LEAST_RUN:
            rest = set(written) - set(result.outputs) - set(find_sums(run, result))
            return None if rest else result
    return None


def list_runs(run: NumbersRun, name: str, *, stores: bool) -> list[Values] | None:
    """Scalars of an array that each block touches, in evenly spaced places; None where some block's are not."""
    touched = [run.arrays[name].list_touched(b, stores=stores) for b in range(run.blocks)]
    same = len({len(t) for t in touched}) == 1 and len(touched[0]) >= LEAST_RUN
    if not same or any(np.ptp(np.diff(t)) for t in touched):
        return None
    return touched


def find_scan(run: NumbersRun, written: Sequence[str]) -> Result | None:
    """Running sums of an array, all of each block or several of equal length."""
    for output in written:
        places = list_runs(run, output, stores=True)
        for source, array in run.arrays.items():
            taken = list_runs(run, source, stores=False)
            if places is None or taken is None:
                continue
            for word, (function, start) in OPERATIONS.items():
                length = match_scan(run, output, places, array, taken, function, start)
                if length:
                    return Result("scan", (source,), (output,), length, f"running {word} of {source}")
    return None


def match_scan(
    run: NumbersRun, output: str, places: Sequence[Values], array: Array, taken: Sequence[Values],
    function: np.ufunc, start: float | None,
) -> int:  # fmt: skip
    """Elements of each run of a scan; 0 where it is none. An element in place may start what is left as it was."""
    lengths = set()
    last_unread = 0
    for at, of in zip(places, taken, strict=True):
        results, given = run.arrays[output].after[at], array.before[of]
        if len(of) == len(at) + 1 and (at == of[1:]).all():
            results = np.concatenate((run.arrays[output].after[of[:1]], results))
        elif len(at) == len(of) + 1 and start is not None:
            # Ends of runs: where the first one begins stands before them. Where the next block's results follow, it is
            # the first of this one's, and an exclusive sum reads the last element of no block.
            results = results[1:] if are_close(results[:1], start).all() else results
            last_unread = int(len(places) > 1 and len(results) == len(of))
        if len(results) != len(given):
            return 0
        length = measure_runs(results, given, function, start)
        if not length:
            return 0
        lengths.add(length + last_unread * (length == len(of)))
    return lengths.pop() if len(lengths) == 1 else 0


def measure_runs(made: Values, given: Values, function: np.ufunc, start: float | None) -> int:
    """Length of the runs of which every element follows from the one before; 0 where one does not, or they differ."""
    for made_way, given_way in ((made, given), (made[::-1], given[::-1])):
        for exclusive in (False, True):
            term = given_way[:-1] if exclusive else given_way[1:]
            follows = are_close(made_way[1:], function(made_way[:-1], term))
            first = are_close(made_way, start if exclusive and start is not None else given_way)
            if exclusive and start is None:
                continue
            starts = np.flatnonzero(np.concatenate(([True], ~follows)))
            gaps = {*np.diff(starts).tolist(), len(made_way) - int(starts[-1])}
            if len(gaps) == 1 and first[starts].all():
                return int(gaps.pop())
    return 0


def are_close(one: Values, other: Any) -> Values:
    """Whether numbers are the same but for rounding."""
    close: Values = np.abs(one - other) <= CLOSE * np.maximum(np.abs(one), 1e-3)
    return close


def find_sums(run: NumbersRun, result: Result) -> tuple[str, ...]:
    """Arrays that get the sum of each run beside a scan."""
    if result.pattern != "scan":
        return ()
    function = OPERATIONS[result.word.split()[1]][0]
    names = []
    for name, array in run.arrays.items():
        places = [array.list_touched(b, stores=True) for b in range(run.blocks)]
        taken = list_runs(run, result.inputs[0], stores=False)
        if name in result.outputs or taken is None or not all(len(p) for p in places):
            continue
        fitting = all(
            len(p) * result.run == len(t)
            and are_close(
                array.after[p], function.reduce(run.arrays[result.inputs[0]].before[t].reshape(len(p), -1), axis=1)
            ).all()
            for p, t in zip(places, taken, strict=True)
        )
        names += [name] if fitting else []
    return tuple(names)


def find_sort(run: NumbersRun, written: Sequence[str]) -> Result | None:
    """An array in order, with values that go with it."""
    keys: tuple[str, str, int] | None = None
    for output in written:
        places = list_runs(run, output, stores=True)
        for source in run.arrays:
            taken = list_runs(run, source, stores=False)
            if keys is None and places is not None and taken is not None:
                length = match_sort(run, output, places, source, taken)
                keys = (source, output, length) if length else None
    if keys is None:
        return None
    source, output, length = keys
    inputs, outputs = [source], [output]
    for other in (n for n in written if n != output):
        places, taken = list_runs(run, other, stores=True), list_runs(run, source, stores=False)
        if places is None or taken is None:
            return None
        before = run.arrays[source].before
        if match_sort(run, other, places, source, taken) == length:
            # A second place for the keys, while they go to and fro.
            outputs.append(other)
            continue
        after, values = run.arrays[other].after, run.arrays[other].before
        rows = [
            (after[p].reshape(-1, length), values[p].reshape(-1, length), before[t].reshape(-1, length))
            for p, t in zip(places, taken, strict=True)
        ]  # fmt: skip
        if not all(follows_keys(*row) for block in rows for row in zip(*block, strict=True)):
            return None
        inputs.append(other)
        outputs.append(other)
    return Result("sort", tuple(inputs), tuple(outputs), length, f"{source} in order")


def follows_keys(after: Values, before: Values, keys: Values) -> bool:
    """Whether values went where their keys go, in one of both orders."""
    places = np.argsort(keys, kind="stable")
    return any(np.array_equal(after, before[way]) for way in (places, places[::-1]))


def match_sort(
    run: NumbersRun, output: str, places: Sequence[Values], source: str, taken: Sequence[Values]
) -> int:  # fmt: skip
    """Elements of each run that is in order; 0 where none is."""
    array = run.arrays[output]
    if any(len(p) != len(t) for p, t in zip(places, taken, strict=True)):
        return 0
    turns = [np.diff(array.after[p]) for p in places]
    lengths = set[int]()
    for step, at, of in zip(turns, places, taken, strict=True):
        # A run ends where the direction changes; whole blocks are one run.
        given = run.arrays[source].before[of]
        results = array.after[at]
        if not np.array_equal(np.sort(results), np.sort(given)) or np.array_equal(results, given):
            return 0
        length = len(results)
        if not ((step >= 0).all() or (step <= 0).all()):
            sizes = (len(results) >> k for k in range(1, 12))
            whole = (n for n in sizes if n >= LEAST_RUN and len(results) % n == 0)
            length = next((n for n in whole if are_ordered(results.reshape(-1, n), given.reshape(-1, n))), 0)
        lengths.add(length)
    return lengths.pop() if len(lengths) == 1 else 0


def are_ordered(made: Values, given: Values) -> bool:
    """Whether each row is the other's in one of both orders."""
    steps = np.diff(made, axis=1)
    plain = ((steps >= 0).all(axis=1) | (steps <= 0).all(axis=1)).all()
    return bool(plain) and np.array_equal(np.sort(made, axis=1), np.sort(given, axis=1))


def find_fft(run: NumbersRun, written: Sequence[str]) -> Result | None:
    """Transforms of complex numbers, side by side or in two arrays."""
    pairs = [(n,) for n in written] if len(written) == 1 else [tuple(written), tuple(written[::-1])]
    sources = [n for n in run.arrays if list_runs(run, n, stores=False) is not None]
    for outputs in (p for p in pairs if len(p) <= 2):
        transformed = [list_complex(run, outputs, b, stores=True) for b in range(run.blocks)]
        candidates = [(n,) for n in sources] if len(outputs) == 1 else [outputs]
        candidates += [tuple(sources)] if len(outputs) == len(sources) == 2 else []
        for inputs in candidates:
            given = [list_complex(run, inputs, b, stores=False) for b in range(run.blocks)]
            length = match_fft(transformed, given)
            if length:
                return Result("fft", tuple(inputs), tuple(outputs), length, f"Fourier transforms of {length} elements")
    return None


def list_complex(run: NumbersRun, names: Sequence[str], block: int, *, stores: bool) -> Values | None:
    """Complex numbers of a block: what it reads as it was, or what it stores as it is then."""
    parts = []
    for name in names:
        array = run.arrays[name]
        at = array.list_touched(block, stores=stores)
        parts.append((array.after if stores else array.before)[at])
    if len(parts) == 1:
        parts = [parts[0][::2], parts[0][1::2]]
    if len(parts[0]) != len(parts[1]) or len(parts[0]) < LEAST_RUN:
        return None
    return parts[0] + 1j * parts[1]


def match_fft(made: Sequence[Values | None], given: Sequence[Values | None]) -> int:
    """Elements of each transform, in one of both directions, with any scale; 0 where it is none."""
    lengths = set[int]()
    for after, before in zip(made, given, strict=True):
        if after is None or before is None or len(after) != len(before):
            return 0
        sizes = [len(after) >> k for k in range(8) if len(after) % (1 << k) == 0 and len(after) >> k >= LEAST_RUN]
        lengths.add(next((n for n in sizes if is_transform(after.reshape(-1, n), before.reshape(-1, n))), 0))
    return lengths.pop() if len(lengths) == 1 else 0


def is_transform(after: Values, before: Values) -> bool:
    """Whether each row is the transform of the other's."""
    for transform in (np.fft.fft, np.fft.ifft):
        wanted = transform(before, axis=1)
        scale = np.vdot(wanted, after) / np.vdot(wanted, wanted)
        if abs(scale) > 0 and np.abs(after - scale * wanted).max() <= 10 * CLOSE * np.abs(after).max():
            return True
    return False


def count_usual(result: Result, elements: int) -> float:
    """Operations of a class at a size, one of each element in each stage."""
    return elements * (1.0 if result.pattern == "scan" else math.log2(elements))
