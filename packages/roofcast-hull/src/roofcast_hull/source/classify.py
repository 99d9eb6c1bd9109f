"""From a file to the classes of its functions, by whichever reading of them has the best evidence."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from roofcast.catalog.toml_files import read_whole
from roofcast.core.errors import InputError, one_line
from roofcast_hull.notation import ClassTextError, Part, Pattern
from roofcast_hull.source.c_idioms import REFERENCE
from roofcast_hull.source.c_text import expand_macros
from roofcast_hull.source.c_tree import find_recursion
from roofcast_hull.source.counted import count_kernel
from roofcast_hull.source.found_class import (
    FILLED,
    LONGER,
    MEAN_SIDE,
    Found,
    find_mean,
    join_members,
    join_nests,
    join_stage,
    pair_parts,
)
from roofcast_hull.source.nest import Routine, SourceError, WaitingError, refuse, refuse_recursion
from roofcast_hull.source.numpy_staged import join_given
from roofcast_hull.source.staged_class import classify_staged
from roofcast_hull.source.whole_files import (
    MOST_BYTES,
    Refused,
    check_sizes,
    decode_source,
    find_callers,
    list_rest,
    note_turns,
    place_kernel,
)

if TYPE_CHECKING:
    from roofcast_hull.source.c_files import Reading

from roofcast_hull.source.routine_class import classify, classify_dimensions
from roofcast_hull.source.small_runs import TOO_LONG, check_execution, read_code, run_sample

DENSEST = 8
"""Elements of 4 B in the 32 B that DRAM moves at least."""
RUNNING = (Pattern.SCAN, Pattern.FFT)
"""What takes each element once, as it is computed; what is put in order is stored."""
GUESSED = 0.05
"""Of a class's elements and operations, what a number may change that is assumed: borders, offsets."""
FIRST = 1e-3
"""Share of an array that its first element may be, which code reads before its loop."""
NEAR_OPERATIONS = 0.93
"""Share of the operations of a text below which those that ran are taken: borders are less, what a text counts that is
never run is more (of two kernels between 0.8 and this, `advance` and `moments`, those that ran were right)."""
NEAR_OF_CHOSEN = 0.8
"""The same where data choose the sum that a term goes to: what makes the next place is work that text alone counts."""
GIVEN_NAMES = re.compile(rf"{REFERENCE}\b|\.data_\b")
"""What names end with while they are read: parameters by reference, elements of a container."""
OWN = re.compile(r"\bself\.")
"""What members of a class of C++ begin with while they are read."""
UNREADABLE = "not checked: line "
"""What is said of code that cannot be read at small sizes, before its line and reason."""
NO_CLASS = ("data decide", "launches kernels itself", "call each other")
"""Words of what blocks that were followed say, where no other reader could have a class."""


@dataclass(frozen=True, slots=True)
class Classified:
    """What a file was found to be."""

    classes: list[Found]
    refused: tuple[Refused, ...] = ()
    """Functions without a class, and why."""


def classify_source(path: str, sizes: Mapping[str, int] | None = None, *, counted: bool = False) -> list[Found]:
    """Classes of ``kernel.c``, ``kernel.c:function`` or ``kernel.py:function``; see :func:`classify_file`."""
    return classify_file(path, sizes, counted=counted).classes


def classify_file(
    path: str, sizes: Mapping[str, int] | None = None, *, counted: bool = False,
    progress: Callable[[str, float], None] | None = None,
) -> Classified:  # fmt: skip
    """Classes of ``kernel.c``, ``kernel.c:function`` or ``kernel.py:function``, and functions that have none.

    counted : whether launched kernels without a class stand there with what blocks of them, run, move and compute.
    progress : takes what is done, and the share of it; None where nobody looks.

    Raises
    ------
    InputError : the file cannot be read, or is neither C nor Python.
    SourceError : code without a class, with line and reason.
    MissingExtraError : the libraries of the extra "source" are not installed.
    """
    name, _, function = path.rpartition(":") if not Path(path).is_file() and ":" in path else (path, "", "")
    try:
        text = decode_source(read_whole(name, MOST_BYTES), name)
    except (OSError, ValueError) as error:
        raise InputError(f"{one_line(name, 120)}: {getattr(error, 'strerror', None) or error}") from error
    if Path(name).suffix.lower() == ".ipynb":
        raise InputError(f"{one_line(name, 120)}: a notebook: write its code to a .py file (nbconvert --to script)")
    check_sizes(text, sizes or {})
    language = {".py": "python"}.get(Path(name).suffix.lower(), "c")
    refused: list[Refused] = []
    if progress is not None:
        progress(f"reading {one_line(Path(name).name, 40)}", 0.0)
    try:
        several = [] if function else list_functions(text, language, sizes or {})
        rest = [] if function else list_rest(text, language, several)
        if len(several) + len(rest) > 1:
            classes, refused = classify_functions(text, language, sizes, several, counted, progress)
        else:
            asked = function or next(iter(several), None)
            classes = classify_or_count(text, language, sizes, asked, counted)
            turns = note_turns(text, sizes or {}).get(asked or "", ()) if language == "c" else ()
            classes = [replace(f, notes=(*f.notes, *(n for n in turns if n not in f.notes))) for f in classes]
    except SourceError as error:
        raise SourceError(GIVEN_NAMES.sub("", f"{one_line(Path(name).name, 80)}: {error}")) from error
    if language == "python":
        classes = [place_kernel(f, text, f.function or function or next(iter(several), "")) for f in classes]
    else:
        classes = [replace(f, notes=tuple(OWN.sub("", n) for n in f.notes)) for f in classes]
    return Classified([name_as_written(f) for f in classes], (*refused, *rest))


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
    text: str, language: str, sizes: Mapping[str, int] | None, functions: Sequence[str], counted: bool = False,
    progress: Callable[[str, float], None] | None = None,
) -> tuple[list[Found], list[Refused]]:  # fmt: skip
    """Classes of all functions of a file, and those without a class.

    Raises
    ------
    SourceError : none has a class.
    """
    all_classes: list[Found] = []
    refused: list[Refused] = []
    turns = note_turns(text, sizes or {}) if language == "c" else {}
    callers = find_callers(text, language, functions)
    for at, function in enumerate(functions):
        if progress is not None:
            progress(f"reading {one_line(function, 40)}", at / len(functions))
        try:
            classes = classify_or_count(text, language, sizes, function, counted)
        except SourceError as error:
            refused.append(Refused(function, str(error).replace("no class: ", "", 1)))
        else:
            also = turns.get(function, ())
            all_classes += [
                replace(f, function=function, notes=(*f.notes, *(n for n in also if n not in f.notes))) for f in classes
            ]
    if not all_classes:
        raise SourceError("; ".join(f"no class for {one_line(r.function, 40)}: {r.why}" for r in refused[:3]))
    named = {f.function for f in all_classes}
    held = {name: caller for name, caller in callers.items() if caller in named and callers.get(caller) != name}
    return [replace(f, part_of=held.get(f.function, "")) for f in all_classes], refused


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
        refuse_false_steps(classes, waiting, text, language, sizes or {}, function)
        return classes
    except SourceError as error:
        others = try_staged(text, language, sizes or {}, function, error) or try_blocks(text, language, sizes, function)
        if others:
            return others
        from roofcast_hull.source.forwarding import find_forwarded

        forwarded = find_forwarded(text, sizes or {}, function) if language == "c" else None
        if forwarded is not None:
            return classify_or_count(text, language, {**forwarded[1], **(sizes or {})}, forwarded[0], counted)
        why = name_recursion(decided or error, text, sizes or {}, function) if language == "c" else decided or error
        if not counted or language != "c" or function is None or "__global__" not in text:
            raise why from None
        try:
            return [count_kernel(text, function, sizes or {}, str(why).partition("no class: ")[2] or str(why))]
        except SourceError:
            raise why from None


def name_recursion(error: SourceError, text: str, sizes: Mapping[str, int], function: str | None) -> SourceError:
    """Why a function has no class: that it calls itself, where it does, whatever hindered the readers first."""
    line = find_recursion(expand_macros(text, sizes), function) if function else 0
    return refuse_recursion(line, function) if line and function else error


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


def refuse_false_steps(
    classes: Sequence[Found], waiting: WaitingError | None, text: str, language: str, sizes: Mapping[str, int],
    function: str | None,
) -> None:  # fmt: skip
    """Refuse one pass over what turns were seen to wait for, and more steps than a function in C has turns that wait.

    Turns of other loops around sums only add up. waiting : what turns were seen to wait for; None for nothing.

    Raises
    ------
    SourceError : they are.
    """
    from roofcast_hull.source.followed_nests import list_steps

    if waiting is not None:
        in_steps = waiting.serial and any(f.repetitions > 1 for f in classes)
        if in_steps or takes_at_once(classes, waiting.array):
            raise waiting
        return
    most = max((f.repetitions for f in classes), default=1)
    if language != "c" or function is None or "__global__" in text or most == 1:
        return
    steps = list_steps(text, sizes, function)
    # Nests that are not opened may be those that wait.
    if len(steps) < len(classes) or most <= max(steps):
        return
    line = next(f.line for f in classes if f.repetitions == most)
    raise refuse(line, "no class: turns of a loop around sums add up, and what they do is not followed")


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
    launched = "launch" in followed.checked
    # Of what says which sum a term goes to, the text tells indices from work, or counts them with it.
    chosen = any(p.pattern is Pattern.SHARED and p.elements > 1 for p in followed.found.outputs)
    least = NEAR_OF_CHOSEN if chosen else NEAR_OPERATIONS
    near = not summed and least * read.operations <= followed.operations <= read.operations / least
    counted = 0 < followed.operations < read.operations and launched
    # Real numbers that say a place are work, which turns were seen to do.
    text_counts = chosen and not counted and (launched or read.operations >= followed.operations)
    # Of rows that threads add up together the text counts what joins their sums, too, where that is no known form.
    divided = count_extents(read) > count_extents(followed) > 0
    joins = divided and launched and 0 < followed.operations * (1 + FIRST) < read.operations
    counts = read if (near and not joins) or text_counts or (launched and not followed.operations) else followed
    sides = [[sorted((a, p.elements) for a, p, _ in side) for side in pair_parts(f)] for f in (read, followed)]
    equal = all(
        len(a) == len(b)
        and all(x[0] == y[0] and math.isclose(x[1], y[1], rel_tol=FIRST) for x, y in zip(a, b, strict=True))
        for a, b in zip(*sides, strict=True)
    )
    exact = all(a == b for a, b in sides)
    deeper = max(len(p.sizes) for p in (*read.found.inputs, *read.found.outputs)) > 1
    # Of a nest the text says what is read before it.
    whole = read if exact or (equal and (deeper or not launched)) else followed
    if count_deepest(read) > count_deepest(followed) > 1 and launched:
        # A row that the text takes for several (threads of its blocks) is one where its elements are neighbours.
        whole = followed
    if not launched and count_dimensions(read) > count_dimensions(followed) > 1:
        # Of rows that the text divides, loops say how long they are.
        whole = followed
    notes = (*whole.notes, *([MEAN_SIDE] if summed and MEAN_SIDE not in whole.notes else []))
    if filled := [n for n in followed.notes if n.startswith(FILLED)]:
        notes = (*(n for n in notes if LONGER not in n and n not in filled), *filled)
    joined = replace(
        whole, checked=followed.checked, checked_at=followed.checked_at, operations=counts.operations,
        complexity=counts.complexity, notes=notes,
    )  # fmt: skip
    return joined if launched else size_as_followed(joined, followed)


def size_as_followed(found: Found, followed: Found) -> Found:
    """A class whose arrays have elements as large as turns of loops were seen to move: the text says types by words."""
    known = dict(zip(followed.arrays, followed.bytes_each, strict=False))
    sizes = tuple(known.get(a, size) for a, size in zip(found.arrays, found.bytes_each, strict=False))
    if sizes == found.bytes_each:
        return found
    sized = replace(found, bytes_each=sizes)
    return replace(sized, element_bytes=find_mean(*pair_parts(sized)))


def count_deepest(found: Found) -> int:
    """Most dimensions of an array of which units take neighbours; 0 where they take none."""
    return max((len(p.sizes) for p in found.found.inputs if p.pattern is Pattern.NEIGHBOURHOOD), default=0)


def count_extents(found: Found) -> int:
    """Most dimensions along which a tile that units take is longer than one element; 0 where they take none."""
    tiles = (p.extent for p in found.found.inputs if p.pattern is Pattern.TILE)
    return max((sum(e > 1 for e in extent) for extent in tiles), default=0)


def count_dimensions(found: Found) -> int:
    """Most dimensions of what units write."""
    return max(len(p.sizes) for p in found.found.outputs)


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
    refuse_steps_unseen(plain, checked, language)
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


def refuse_steps_unseen(classes: Sequence[Found], checked: str, language: str) -> None:
    """Refuse steps of C that cannot be run: each turn may have small arrays of its own, which only a run shows.

    Raises
    ------
    SourceError : classes are told as steps, and the code cannot be read at small sizes.
    """
    if checked.startswith(UNREADABLE) and language == "c" and any(f.repetitions > 1 for f in classes):
        reason = checked.removeprefix(UNREADABLE).partition(": ")[2]
        raise refuse(classes[0].line, f"no class of its steps, which cannot be run at small sizes: {reason}")


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
