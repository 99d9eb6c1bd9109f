"""From a routine to its classes: one per array that a loop nest writes."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.catalog.toml_files import read_whole
from roofcast.core.errors import InputError, one_line
from roofcast_hull.bounds import DEFAULT_ELEMENT, ELEMENT_TYPES, LARGEST_COMPLEXITY
from roofcast_hull.notation import AlgorithmClass, ClassTextError, Part, Pattern
from roofcast_hull.source.c_idioms import REFERENCE
from roofcast_hull.source.counted import count_kernel
from roofcast_hull.source.counting import count_iterations
from roofcast_hull.source.found_class import (
    MEAN_SIDE,
    Found,
    count_inside,
    find_mean,
    join_members,
    join_nests,
    join_stage,
    join_sum,
    join_two,
    pair_parts,
)
from roofcast_hull.source.group_class import Outcome, classify_group
from roofcast_hull.source.groups import Group, find_groups
from roofcast_hull.source.nest import Routine, SourceError, WaitingError, find_extreme, refuse
from roofcast_hull.source.normal_form import normalise
from roofcast_hull.source.numpy_staged import join_given, record_staged
from roofcast_hull.source.parallel import order_passes, plan_loops
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
from roofcast_hull.source.staged_class import classify_staged

if TYPE_CHECKING:
    from roofcast_hull.source.c_files import Reading

Verdict = tuple[str | None, str, tuple[Mapping[str, int], ...]]
"""What refutes classes, what was checked or why nothing was, and the sizes at which it ran and agreed."""
DENSEST = 8
"""Elements of 4 B in the 32 B that DRAM moves at least."""
RUNNING = (Pattern.SCAN, Pattern.FFT)
"""What takes each element once, as it is computed; what is put in order is stored."""
WARP = 32
"""Threads of a warp."""
RUNS = 3
"""Sizes at which code is run."""
LEAST_HALVED = 32
"""Smaller sizes are not halved for another shape: borders would be most of them."""
GUESSED = 0.05
"""Of a class's elements and operations, what a number may change that is assumed: borders, offsets."""
FIRST = 1e-3
"""Share of an array that its first element may be, which code reads before its loop."""
NEAR_OPERATIONS = 0.8
"""Share of the operations of a text below which those that ran are taken: threads that leave out a part of it."""
TOO_LONG = f"more than {MOST_STEPS} steps"
"""How what is said of code ends that is too long to be run even at small sizes."""
SHRINKS = 2
"""How often sizes are made smaller before code is left unchecked."""


def classify_source(path: str, sizes: Mapping[str, int] | None = None, *, counted: bool = False) -> list[Found]:
    """Classes of ``kernel.c``, ``kernel.c:function`` or ``kernel.py:function``.

    counted : whether launched kernels without a class stand there with what blocks of them, run, move and compute.

    Raises
    ------
    InputError : the file cannot be read, or is neither C nor Python.
    SourceError : code without a class, with line and reason.
    MissingExtraError : the libraries of the extra "source" are not installed.
    """
    name, _, function = path.rpartition(":") if not Path(path).is_file() and ":" in path else (path, "", "")
    try:
        text = read_whole(name).decode("utf-8").replace("\r\n", "\n")
    except OSError as error:
        raise InputError(f"{one_line(name, 120)}: {error.strerror}") from error
    except (UnicodeDecodeError, ValueError) as error:
        raise InputError(f"{one_line(name, 120)}: not a text file in UTF-8") from error
    language = {".py": "python"}.get(Path(name).suffix.lower(), "c")
    try:
        several = [] if function else list_functions(text, language, sizes or {})
        if len(several) > 1:
            classes = classify_functions(text, language, sizes, several, counted)
        else:
            classes = classify_or_count(text, language, sizes, function or next(iter(several), None), counted)
    except SourceError as error:
        raise SourceError(GIVEN_NAMES.sub("", f"{one_line(Path(name).name, 80)}: {error}")) from error
    return [name_as_written(f) for f in classes]


GIVEN_NAMES = re.compile(rf"{REFERENCE}\b|\.data_\b")
"""What names end with while they are read: parameters by reference, elements of a container."""


def name_as_written(found: Found) -> Found:
    """A class with the names of its source, without what they are given while it is read."""
    name, *arrays = (GIVEN_NAMES.sub("", n) for n in (found.name, *found.arrays))
    notes = tuple(GIVEN_NAMES.sub("", n) for n in found.notes)
    checked = GIVEN_NAMES.sub("", found.checked)
    return replace(found, name=name, arrays=tuple(arrays), notes=notes, checked=checked)


def list_functions(text: str, language: str, sizes: Mapping[str, int]) -> list[str]:
    """Functions of a file that may have a class."""
    if language == "python":
        from roofcast_hull.source import python_code

        return python_code.list_functions(text)
    from roofcast_hull.source import c_files

    return c_files.list_functions(text, sizes)


def classify_functions(
    text: str, language: str, sizes: Mapping[str, int] | None, functions: Sequence[str], counted: bool = False
) -> list[Found]:
    """Classes of all functions of a file; those without a class are named in a note.

    Raises
    ------
    SourceError : none has a class.
    """
    all_classes: list[Found] = []
    refused: list[str] = []
    for function in functions:
        try:
            classes = classify_or_count(text, language, sizes, function, counted)
        except SourceError as error:
            refused.append(f"no class for {one_line(function, 40)}: {error}")
        else:
            all_classes += [replace(f, function=function) for f in classes]
    if not all_classes:
        raise SourceError("; ".join(refused[:3]))
    return [replace(f, notes=(*f.notes, *refused)) for f in all_classes[:1]] + all_classes[1:]


def classify_or_count(
    text: str, language: str, sizes: Mapping[str, int] | None, function: str | None, counted: bool
) -> list[Found]:
    """Classes of one function; of a kernel without a class its amounts, where that is asked for.

    What blocks of a launch, or turns of loops, were seen to do comes before what their text says: of 37 kernels that
    nobody had read before, 2 were told wrong where it leads; of 51 functions in C, by their text, 11 (docs/hull.md).
    """
    if is_of_triton(text, language, function):
        return classify_text(text, language, sizes, function)
    decided: SourceError | None = None
    waiting: WaitingError | None = None
    try:
        followed = try_footprint(text, language, sizes or {}, function)
    except WaitingError as error:
        followed, waiting = [], error
    except SourceError as error:
        followed, decided = [], error
    if followed:
        return spell_as_read(followed, text, language, sizes, function)
    try:
        classes = refuse_unchecked(classify_text(text, language, sizes, function), language)
        if waiting is not None and takes_at_once(classes, waiting.array):
            raise waiting
        return classes
    except SourceError as error:
        others = try_staged(text, language, sizes or {}, function, error) or try_blocks(text, language, sizes, function)
        if others:
            return others
        why = decided or error
        if not counted or language != "c" or function is None or "__global__" not in text:
            raise why from None
        try:
            return [count_kernel(text, function, sizes or {}, str(why).partition("no class: ")[2] or str(why))]
        except SourceError:
            raise why from None


def takes_at_once(classes: Sequence[Found], array: str) -> bool:
    """Whether units of a class take and leave an array in one pass, of which turns were seen to wait for others."""
    name = GIVEN_NAMES.sub("", array)
    return any(
        f.repetitions == 1
        and any(GIVEN_NAMES.sub("", a) == name and p.pattern is Pattern.ELEMENT for a, p, _ in outputs)
        and any(GIVEN_NAMES.sub("", a) == name for a, *_ in inputs)
        for f in classes
        for inputs, outputs in ([pair_parts(f)] if f.arrays else [])
    )  # fmt: skip


def refuse_unchecked(classes: list[Found], language: str) -> list[Found]:
    """Classes of a text in C or CUDA that was not followed, unless it is too long to be run at small sizes, too.

    Of 12 that rested on the text alone, in functions that nobody had read before, 7 were wrong.

    Raises
    ------
    SourceError : it is.
    """
    unchecked = next((f for f in classes if f.checked.endswith(TOO_LONG)), None)
    if language == "c" and unchecked is not None:
        raise refuse(unchecked.line, "no class: what its turns do is not followed, and it is too long to be checked")
    return classes


def spell_as_read(
    followed: list[Found], text: str, language: str, sizes: Mapping[str, int] | None, function: str | None
) -> list[Found]:
    """Classes that were followed, with dimensions and notes as the text has them, where its reader says the same."""
    try:
        reading = read_code(text, language, sizes or {}, function)
        classes = join_nests(classify(reading.routine))
    except (SourceError, RecursionError):
        return followed
    read = [join_stage(join_members(f, reading.routine.structures)) for f in classes]
    if len(read) != len(followed) or not all(map(are_same, read, followed)):
        return followed
    return [join_evidence(r, f) for r, f in zip(read, followed, strict=True)]


def join_evidence(read: Found, followed: Found) -> Found:
    """A class that its text and blocks of its launch agree upon.

    Operations are those of the text, which blocks at borders do not shift, unless what ran differs much or data decide
    between sides, which the text's are the sum of; dimensions are, too, where there are as many elements.
    """
    summed = MEAN_SIDE in followed.notes
    near = not summed and NEAR_OPERATIONS * read.operations <= followed.operations <= read.operations / NEAR_OPERATIONS
    # Of what says which sum a term goes to, the text tells indices from work, or counts them with it.
    chosen = any(p.pattern is Pattern.SHARED and p.elements > 1 for p in followed.found.outputs)
    counted = 0 < followed.operations < read.operations and "launch" in followed.checked
    counts = read if near or not followed.operations or (chosen and not counted) else followed
    sides = [[sorted((a, p.elements) for a, p, _ in side) for side in pair_parts(f)] for f in (read, followed)]
    equal = all(
        len(a) == len(b)
        and all(x[0] == y[0] and math.isclose(x[1], y[1], rel_tol=FIRST) for x, y in zip(a, b, strict=True))
        for a, b in zip(*sides, strict=True)
    )
    exact = all(a == b for a, b in sides)
    deeper = max(len(p.sizes) for p in (*read.found.inputs, *read.found.outputs)) > 1
    whole = read if exact or (equal and deeper) else followed
    notes = (*whole.notes, *([MEAN_SIDE] if summed and MEAN_SIDE not in whole.notes else []))
    return replace(
        whole, checked=followed.checked, checked_at=followed.checked_at, operations=counts.operations,
        complexity=counts.complexity, notes=notes,
    )  # fmt: skip


def are_same(one: Found, other: Found) -> bool:
    """Whether two classes say the same of their arrays, dimensions and borders aside."""
    if not all(len(f.arrays) == len(f.bytes_each) == len(f.found.inputs) + len(f.found.outputs) for f in (one, other)):
        return False
    if one.repetitions != other.repetitions:
        return False
    for mine, theirs in zip(pair_parts(one), pair_parts(other), strict=True):
        first, second = ([(*sign_part(a, p), p.elements) for a, p, _ in side] for side in (mine, theirs))
        if len(first) != len(second):
            return False
        for (*mark, elements), (*other_mark, others) in zip(sorted(first), sorted(second), strict=True):
            if mark != other_mark or not math.isclose(elements, others, rel_tol=GUESSED):
                return False
    return True


def sign_part(array: str, part: Part) -> tuple[str, str, int, bool]:
    """What is said of an array, its size and dimensions aside."""
    return array, str(part.pattern), math.prod(part.extent), part.unordered


def is_of_triton(text: str, language: str, function: str | None) -> bool:
    """Whether programs of a kernel work on tensors."""
    if language != "python" or function is None:
        return False
    from roofcast_hull.source.python_code import parse
    from roofcast_hull.source.python_kernels import is_triton

    return is_triton(parse(text), function)


def try_staged(
    text: str, language: str, sizes: Mapping[str, int], function: str | None, refusal: SourceError
) -> list[Found]:
    """The class of code that computes in stages, kernels of Python as the CUDA that does the same; empty for others."""
    try:
        if language == "python" and function is not None:
            from roofcast_hull.source.python_code import write_python_kernel

            return classify_staged(write_python_kernel(text, function), sizes, function, refusal)
        return [] if function is None else classify_staged(text, sizes, function, refusal)
    except SourceError:
        return []


def try_blocks(text: str, language: str, sizes: Mapping[str, int] | None, function: str | None) -> list[Found]:
    """Classes of a kernel of which a block is a unit of work; empty for others."""
    try:
        if function is None:
            return []
        return refuse_unchecked(classify_text(text, language, sizes, function, of_blocks=True), language)
    except SourceError:
        return []


def try_footprint(text: str, language: str, sizes: Mapping[str, int], function: str | None) -> list[Found]:
    """Classes of a launched kernel (of ``numba.cuda``, too), or of the nests of a function in C, from what results are
    computed from.

    Empty where they are not followed.

    Raises
    ------
    SourceError : blocks that were followed say why there is no class, whatever hindered the readers of its text.
    """
    if language == "python" and function is not None:
        text = write_threads(text, function)
    if (language != "c" and not text) or function is None:
        return []
    from roofcast_hull.source.followed_nests import classify_nests
    from roofcast_hull.source.footprint_class import classify_footprint

    launched = "__global__" in text
    try:
        return [classify_footprint(text, sizes, function)] if launched else classify_nests(text, sizes, function)
    except (ClassTextError, RecursionError):
        return []
    except SourceError as error:
        if isinstance(error, WaitingError) or (launched and any(words in str(error) for words in NO_CLASS)):
            raise
        return []


def write_threads(text: str, function: str) -> str:
    """A kernel of ``numba.cuda`` and its launch in the CUDA that they stand for; empty for other functions."""
    from roofcast_hull.source.numba_code import find_numba
    from roofcast_hull.source.python_code import parse, write_python_kernel

    try:
        return write_python_kernel(text, function) if function in find_numba(parse(text)) else ""
    except SourceError:
        return ""


NO_CLASS = ("data decide", "launches kernels itself", "call each other")
"""Words of what blocks that were followed say, where no other reader could have a class."""


def classify_text(
    text: str, language: str = "c", sizes: Mapping[str, int] | None = None, function: str | None = None, *,
    of_blocks: bool = False,
) -> list[Found]:  # fmt: skip
    r"""Classes of a source text; see :func:`classify_source`.

    >>> code = "for i in range(64):\n    b[i] = 2 * a[i] + 5"
    >>> [(str(f.found), f.complexity) for f in classify_text(code, "python")]
    [('64|element → 64|element', 2.0)]
    """
    if is_of_triton(text, language, function):
        from roofcast_hull.source.python_code import parse
        from roofcast_hull.source.triton_units import classify_programs

        return [classify_programs(parse(text), function or "")]
    try:
        reading = read_code(text, language, sizes or {}, function, of_blocks=of_blocks)
        classes = classify(reading.routine)
        refuse_guesses(text, language, reading, function, classes)
        plain = [f for f in classes if not f.checked]
        wrong, checked, ran = (
            check_execution(text, language, reading, function, plain, sizes or {})
            if plain
            else (None, "", tuple[Mapping[str, int], ...]())
        )
    except RecursionError as error:
        raise refuse(1, "an expression is nested too deeply") from error
    from roofcast_hull.source.launch_check import check_launch

    agrees, dense = False, find_dense(reading.routine)
    if reading.routine.launch is not None:
        classes, agrees = check_launch(text, language, reading.routine.name, sizes or {}, classes, dense)
    small = wrong is not None and wrong.startswith(("writes", "reads", "does", "takes")) and "in a thread" not in wrong
    refuted = wrong is not None and not (agrees and small)
    if refuted and (others := classify_dimensions(reading.routine)) and run_sample(reading, others) is None:
        if reading.routine.launch is not None:
            others, _ = check_launch(text, language, reading.routine.name, sizes or {}, others, dense)
        others = [replace(f, checked="not checked: at small sizes it has another class") for f in others]
        return [join_members(f, reading.routine.structures) for f in others]
    if refuted:
        raise refuse(classes[0].line, f"no class: run at small sizes, the code {wrong}")
    if wrong:
        # Of small sizes a block may be most: at its own the launch moves and computes what the class says.
        checked = f"not checked: at small sizes the code {wrong}, but its launch agrees in bytes and operations"
    if agrees and checked.endswith(TOO_LONG):
        checked += ", but its launch agrees in bytes and operations"
    classes = [f if f.checked else replace(f, checked=checked, checked_at=ran) for f in classes]
    if reading.routine.launch is not None:
        classes = join_nests(classes)
    classes = join_calls(reading.routine, classes)
    return [join_stage(join_members(f, reading.routine.structures)) for f in classes]


def join_calls(routine: Routine, classes: list[Found]) -> list[Found]:
    """Classes with what a library's call alone takes computed by its units."""
    if any(library.given for library in routine.library):
        classes = [join_members(f, routine.structures) for f in classes]
    for library in routine.library:
        call = next((f for f in classes if (f.name, f.line) == (library.array, library.line)), None)
        given = next((f for f in classes if library.given and f.name == library.given), None)
        if call is None or given is None or library.call.pattern not in RUNNING:
            continue
        if (joined := join_given(call, library.call, given)) is not None:
            classes = [joined if f is call else f for f in classes if f is not given]
    return classes


def refuse_guesses(
    text: str, language: str, reading: Reading, function: str | None, found: Sequence[Found]
) -> None:  # fmt: skip
    """Refuse classes of a launch that the file states which hang on a size that is only assumed.

    What is assumed where nothing is known would not be what is launched. Numbers that only data meet
    (parities, coefficients) change no class.

    Raises
    ------
    SourceError : with another value of the size the code has another class.
    """
    for name in reading.routine.unstated:
        # Blocks that follow from the size follow from the other one, too.
        stated = {n: v for n, v in reading.sizes.items() if not n.startswith("gridDim.")}
        other = {**stated, name: 2 * reading.sizes.get(name, 0)}
        try:
            moved = classify(read_code(text, language, other, function, of_blocks=reading.of_blocks).routine)
        except SourceError:
            moved = []
        amounts = [[(f.operations, f.found.elements_in, f.found.elements_out) for f in c] for c in (found, moved)]
        pairs = zip(*map(sum_up, amounts), strict=True)
        if len(moved) != len(found) or any(not math.isclose(a, b, rel_tol=GUESSED, abs_tol=1) for a, b in pairs):
            what = one_line(name, 40)
            reason = f"the file states its launch, and nothing that is followed says '{what}'"
            raise refuse(found[0].line, f"{reason}: give --size {what}=N")


def sum_up(amounts: Sequence[Sequence[float]]) -> list[float]:
    """Columns of a table added up."""
    return [sum(column) for column in zip(*amounts, strict=True)] or [0.0, 0.0, 0.0]


def find_dense(routine: Routine) -> float:
    """Share of the elements of a sector that a kernel touches where a remainder of counters leaves out the others.

    Every second element of a row moves with its neighbours; every second row does not move.
    """
    shares = [1.0]
    for s in routine.statements:
        along = {v for a in (s.target, *s.reads) if a.indices for v, f in a.indices[-1].factors if abs(f) == 1}
        shares += [1 / m for value, m, _, equal in s.congruences if equal and value.variables & along and m <= DENSEST]
    return min(shares)


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
    return None, f"checked at {len(agreed)} size{'s' if len(agreed) > 1 else ''}", tuple(agreed)


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


def classify(routine: Routine) -> list[Found]:
    """Classes of a routine in the order of its code."""
    try:
        return classify_normal(normalise(routine))
    except SourceError:
        if others := classify_dimensions(routine):
            return others
        raise


def classify_dimensions(routine: Routine) -> list[Found]:
    """Classes where positions inside tiles are dimensions of their own, as in arrays whose dimensions are exchanged.

    Empty where there are no such positions, or no classes.
    """
    every = normalise(routine, every_dimension=True)
    if every.shapes == normalise(routine).shapes:
        return []
    try:
        return classify_normal(every)
    except SourceError:
        return []


def classify_normal(routine: Routine) -> list[Found]:
    """Classes of a routine in its normal form."""
    named = [
        record_staged(c.call, c.array, c.line, c.repetitions, render_assumed(routine)) for c in routine.library
    ]  # fmt: skip
    if not any(s.loops for s in routine.statements):
        if named:
            return named
        raise SourceError(f"{one_line(routine.name, 60)}: no loop writes anything")
    plan = plan_loops(routine.statements)
    if routine.of_passes:
        order_passes(routine.statements, plan)
    groups = find_groups(routine, plan)
    computed = {p.statement.target.array for g in groups for p in g.members}
    for p in (p for g in groups for p in g.extra):
        target = p.statement.target
        if target.array not in computed and p.statement.guarded and (target.indices or target.scattered):
            order = f"which elements of {one_line(target.array, 40)} are written depends on the iterations before"
            raise refuse(p.statement.line, f"serial: {order}")
    assumed = render_assumed(routine)
    groups = sorted(groups, key=partial(find_line, routine))
    groups = follow_data(groups) if routine.of_passes else groups
    classes = [record_class(routine, g, assumed) for g in groups]
    if routine.launch is None and not routine.of_passes:
        classes = join_rows(classes, groups)
    behind = len(classes)
    for call in reversed(named):
        # Before what uses its array in the same line, which is of the same statement, and before later calls.
        users = (n for n, f in enumerate(classes) if f.line > call.line or takes(f, call.name))
        behind = min(behind, next(users, len(classes)))
        classes.insert(behind, call)
    return classes


def follow_data(groups: Sequence[Group]) -> list[Group]:
    """Passes with each behind those before it whose arrays it takes, wherever what it computes itself begins."""
    ordered: list[Group] = []
    waiting = list(groups)
    while waiting:
        ready = (g for g in waiting if not any(h is not g and feeds(h, g) for h in waiting))
        ordered.append(next(ready, waiting[0]))
        waiting.remove(ordered[-1])
    return ordered


def feeds(group: Group, user: Group) -> bool:
    """Whether a group, before the main statement of another one, writes an array that that one reads."""
    if group.main.statement.order >= user.main.statement.order:
        return False
    return bool({p.statement.target.array for p in group.writes} & {
        a.array for p in user.members for a in p.statement.reads
    })  # fmt: skip


def join_rows(classes: Sequence[Found], groups: Sequence[Group]) -> list[Found]:
    """Classes of loops inside of one loop, as one class where a turn of that loop is a unit of all of them.

    Of ``for i: { s = sum(a[i]); mean[i] = s; for j: b[i][j] = a[i][j] - mean[i]; }`` rows are the units.
    """
    joined, last = [classes[0]], groups[0]
    for other, group in zip(classes[1:], groups[1:], strict=True):
        whole = join_two(joined[-1], other) if share_turns(last, group) else None
        if whole is None and adds_beside(last, group):
            whole = join_sum(joined[-1], other)
        elif whole is None and adds_beside(group, last):
            whole = join_sum(other, joined[-1])
        joined[-1:] = [whole] if whole is not None else [joined[-1], other]
        last = group
    return joined


def adds_beside(one: Group, other: Group) -> bool:
    """Whether a group adds up in all turns of the loops that deal out the units of another one."""
    first, second = one.main, other.main
    units = {x.name for x in first.units}
    return bool(units) and not second.units and units <= {x.name for x in second.reductions}


def share_turns(one: Group, other: Group) -> bool:
    """Whether the units of two groups are dealt out by the same loops around both."""
    pairs = zip(one.main.statement.loops, other.main.statement.loops, strict=False)
    common = {a.name for a, b in itertools.takewhile(lambda p: p[0] == p[1], pairs)}
    first, second = ({x.name for x in g.main.units} & common for g in (one, other))
    return bool(first) and first == second


def find_line(routine: Routine, group: Group) -> int:
    """The line where a group begins; of whole arrays, where the first of what it computes stands."""
    return min(p.statement.line for p in (group.members if routine.of_passes else [group.main]))


def takes(found: Found, array: str) -> bool:
    """Whether a class reads an array, or a part of its complex numbers."""
    return any(a == array or a.startswith(f"{array}.") for a in reads_of(found))


def reads_of(found: Found) -> tuple[str, ...]:
    """Arrays that a class takes."""
    return found.arrays[: len(found.found.inputs)]


def render_assumed(routine: Routine) -> tuple[str, ...]:
    """Sizes that nothing states, as notes."""
    return tuple(f"{one_line(n, 40)} taken as {v} (--size {one_line(n, 40)}=N)" for n, v in routine.assumed.items())


def record_class(routine: Routine, group: Group, assumed: tuple[str, ...]) -> Found:
    """The class of one group, with its operations."""
    outcome = classify_group(routine, group)
    if outcome.complexity > LARGEST_COMPLEXITY:
        line = group.main.statement.line
        raise refuse(line, f"{outcome.complexity:.3g} operations for each unit: more than any machine does")
    known = (outcome.note,) if outcome.note else ()
    element = find_element(routine, group)
    element_bytes = find_bytes(routine, outcome, element)
    return Found(
        group.array, group.main.statement.line, spell_single(outcome.found), outcome.complexity, outcome.operations,
        outcome.repetitions, element, find_mean_bytes(outcome, element, element_bytes),
        (*known, *outcome.notes, *routine.notes, *assumed),
        arrays=outcome.arrays if element_bytes else (), bytes_each=element_bytes, windows=outcome.windows,
    )  # fmt: skip


def spell_single(algorithm: AlgorithmClass) -> AlgorithmClass:
    """A class whose tiles of one element are elements: a sum that keeps its axis is one for each row."""

    def spell(part: Part) -> Part:
        single = part.pattern is Pattern.TILE and math.prod(part.extent) == 1
        return replace(part, pattern=Pattern.ELEMENT, extent=()) if single else part

    return AlgorithmClass(tuple(map(spell, algorithm.inputs)), tuple(map(spell, algorithm.outputs)))


def find_bytes(routine: Routine, outcome: Outcome, element: str | None) -> tuple[int, ...]:
    """Bytes of an element of each array of a class; empty where the arrays are not known."""
    if len(outcome.found.inputs) + len(outcome.found.outputs) != len(outcome.arrays):
        return ()
    usual = ELEMENT_TYPES[element or DEFAULT_ELEMENT][0]
    types = [routine.types.get(a.partition("#")[0], "") for a in outcome.arrays]
    return tuple(ELEMENT_TYPES[t][0] if t in ELEMENT_TYPES else usual for t in types)


def find_mean_bytes(outcome: Outcome, element: str | None, element_bytes: Sequence[int]) -> float | None:
    """Bytes of an element in the mean over the arrays of a class; None where all are of its element type.

    An array that a unit reads in two patterns (its own element, and every other one) moves once.
    """
    if not element_bytes:
        return None
    usual = ELEMENT_TYPES[element or DEFAULT_ELEMENT][0]
    named = list(zip(outcome.arrays, (*outcome.found.inputs, *outcome.found.outputs), element_bytes, strict=True))
    sides = named[: len(outcome.found.inputs)], named[len(outcome.found.inputs) :]
    once = all(len({a for a, *_ in side}) == len(side) for side in sides)
    return None if set(element_bytes) <= {usual} and once else find_mean(*sides)


def find_element(routine: Routine, group: Group) -> str | None:
    """Type of most elements that a group touches, where the source declares it."""
    arrays = [a.array for p in group.members for a in (p.statement.target, *p.statement.reads)]
    types = Counter(routine.types[a] for a in arrays if a in routine.types and routine.shapes.get(a))
    stated = routine.types.get(group.array) if routine.shapes.get(group.array) else None
    return stated or (types.most_common(1)[0][0] if types else None)
