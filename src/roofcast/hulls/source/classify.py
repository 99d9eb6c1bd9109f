"""From a routine to its classes: one per array that a loop nest writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from roofcast.core.errors import InputError, one_line
from roofcast.hulls.notation import AlgorithmClass
from roofcast.hulls.source.flat import unflattened
from roofcast.hulls.source.groups import Group, groups_of
from roofcast.hulls.source.nest import Routine, SourceError, extreme, refuse
from roofcast.hulls.source.parallel import plan_of
from roofcast.hulls.source.tiles import unstrided, untiled
from roofcast.hulls.source.units import class_of


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
    notes: tuple[str, ...] = ()


def classify_source(path: str, sizes: Mapping[str, int] | None = None) -> list[Found]:
    """Classes of ``kernel.c``, ``kernel.c:function`` or ``kernel.py:function``.

    Raises
    ------
    InputError : the file cannot be read, or is neither C nor Python.
    SourceError : code without a class, with line and reason.
    MissingExtraError : the libraries of the extra "source" are not installed.
    """
    name, _, function = path.rpartition(":") if not Path(path).is_file() and ":" in path else (path, "", "")
    try:
        text = Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{one_line(name, 120)}: {error.strerror}") from error
    except (UnicodeDecodeError, ValueError) as error:
        raise InputError(f"{one_line(name, 120)}: not a text file in UTF-8") from error
    language = {".py": "python"}.get(Path(name).suffix.lower(), "c")
    try:
        return classify_text(text, language, sizes, function or None)
    except SourceError as error:
        raise SourceError(f"{one_line(Path(name).name, 80)}: {error}") from error


def classify_text(
    text: str, language: str = "c", sizes: Mapping[str, int] | None = None, function: str | None = None
) -> list[Found]:
    r"""Classes of a source text; see :func:`classify_source`.

    >>> code = "for i in range(64):\n    b[i] = 2 * a[i] + 5"
    >>> [(str(f.found), f.complexity) for f in classify_text(code, "python")]
    [('64|element → 64|element', 2.0)]
    """
    try:
        return classify(read(text, language, sizes or {}, function))
    except RecursionError as error:
        raise refuse(1, "an expression is nested too deeply") from error


def read(text: str, language: str, sizes: Mapping[str, int], function: str | None) -> Routine:
    """The routine of a text, by the front end of its language."""
    if language == "python":
        from roofcast.hulls.source.python_code import read_python

        return read_python(text, sizes, function)
    from roofcast.hulls.source.c_code import read_c

    return read_c(text, sizes, function)


def classify(routine: Routine) -> list[Found]:
    """Classes of a routine in the order of its code."""
    routine = with_sizes(unflattened(unstrided(untiled(in_order(routine)))))
    if not any(s.loops for s in routine.statements):
        raise SourceError(f"{one_line(routine.name, 60)}: no loop writes anything")
    groups = groups_of(routine, plan_of(routine.statements))
    assumed = tuple(f"{one_line(n, 40)} taken as {v} (--size {one_line(n, 40)}=N)" for n, v in routine.assumed.items())
    return [found_of(routine, g, assumed) for g in groups]


def in_order(routine: Routine) -> Routine:
    """The routine with its statements numbered in the order of the code."""
    return replace(routine, statements=[replace(s, order=n) for n, s in enumerate(routine.statements)])


def found_of(routine: Routine, group: Group, assumed: tuple[str, ...]) -> Found:
    """The class of one group, with its operations."""
    outcome = class_of(routine, group)
    known = (outcome.note,) if outcome.note else ()
    return Found(
        group.array, group.main.statement.line, outcome.found, outcome.complexity, outcome.operations,
        outcome.repetitions, element_of(routine, group), (*known, *outcome.notes, *routine.notes, *assumed),
    )  # fmt: skip


def element_of(routine: Routine, group: Group) -> str | None:
    """Type of most elements that a group touches, where the source declares it."""
    arrays = [a.array for p in group.members for a in (p.statement.target, *p.statement.reads)]
    types = Counter(routine.types[a] for a in arrays if a in routine.types and routine.shapes.get(a))
    own = routine.types.get(group.array) if routine.shapes.get(group.array) else None
    return own or (types.most_common(1)[0][0] if types else None)


def with_sizes(routine: Routine) -> Routine:
    """Sizes of arrays that nothing declares, from the largest index used; unknown where an index is negative."""
    least: dict[tuple[str, int], tuple[int, int]] = {}
    ranks: dict[str, int] = {}
    for s in routine.statements:
        for access in (s.target, *s.reads):
            ranks[access.array] = max(ranks.get(access.array, 0), len(access.indices))
            for at, index in enumerate(access.indices):
                low, high = extreme(index, s.loops, False), extreme(index, s.loops, True)
                before = least.get((access.array, at), (0, 0))
                least[access.array, at] = (min(before[0], low.constant), max(before[1], high.constant))
    shapes = dict(routine.shapes)
    for array, rank in ranks.items():
        declared = shapes.get(array, ())
        if declared and not rank:
            continue
        known = declared if len(declared) == rank else (-1,) * rank
        ranges = [least.get((array, at), (0, 0)) for at in range(rank)]
        shapes[array] = tuple(
            k if k > 0 else (high + 1 if low == 0 else -1) for k, (low, high) in zip(known, ranges, strict=True)
        )
    return replace(routine, shapes=shapes)
