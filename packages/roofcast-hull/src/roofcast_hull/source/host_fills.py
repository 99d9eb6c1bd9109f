"""Whole numbers that host code fills arrays with, where these follow from no data: loops, copies, sets of bytes.

A loop of the host becomes a function of Python (:mod:`.host_writer`). What it computes from a number that nobody knows
(``rand()``, a file, the command line) is not known either, nor is what stands behind a loop that is not understood or
takes too long.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from roofcast_hull.source.c_text import split_arguments
from roofcast_hull.source.c_tree import parse
from roofcast_hull.source.filling_steps import Steps
from roofcast_hull.source.host_numbers import find_type_bytes
from roofcast_hull.source.host_writer import Names, UnknownError, Writer, find_changed
from roofcast_hull.source.nest import SourceError

MOST_TURNS = 2_000_000
"""Turns of all loops of a host that are run."""
MOST_TAINTS = 12
"""Times that a statement is written anew without what is not known."""
COPIES = re.compile(r"\b(?:(?:cuda|hip)Memcpy\w*|memcpy)\s*(?=\()")
SETS = re.compile(r"\b(?:(?:cuda|hip)Memset\w*|memset)\s*(?=\()")


def divide(a: Any, b: Any) -> Any:
    """Quotient of whole numbers, towards zero."""
    return a // b if (a >= 0) == (b > 0) or not a % b else -(-a // b)


def remain(a: Any, b: Any) -> Any:
    """What a division towards zero leaves."""
    return a - b * divide(a, b)


def wrap(a: Any, bits: int, signed: bool) -> Any:
    """A whole number as so many bits hold it."""
    a = int(a) & ((1 << bits) - 1)
    return a - (1 << bits) if signed and a >> (bits - 1) else a


@dataclass
class Limits:
    """Turns of loops that are left."""

    turns: int = MOST_TURNS

    def take(self, turns: int) -> None:
        """Use some of them.

        Raises
        ------
        UnknownError : there are not so many.
        """
        self.turns -= max(1, turns)
        if self.turns < 0:
            raise UnknownError


@lru_cache(maxsize=256)
def parse_statement(text: str) -> Any:
    """The tree of one statement; None where it is no C."""
    try:
        tree = parse(f"void run(void) {{ {text} }}", "run", ())
    except SourceError:
        return None
    bodies = [f.body for f in tree.ext if type(f).__name__ == "FuncDef" and f.decl.name == "run"]
    return bodies[0] if bodies else None


def run_statement(text: str, names: Names, limits: Limits) -> None:
    """Do what a statement of a host does to arrays of whole numbers, and to numbers."""
    body = parse_statement(text)
    if body is None:
        for name in [n for n in names.arrays if re.search(rf"(?<![\w.]){re.escape(n)}\b", text)]:
            names.arrays[name].forget()
        return
    changed = find_changed(body)
    unknown = frozenset[str]()
    for _ in range(MOST_TAINTS):
        writer = Writer(names, unknown)
        try:
            lines = writer.statement(body, " ")
            execute(writer, lines, names, limits)
            break
        except UnknownError as error:
            if not error.names or error.names <= unknown:
                unknown = frozenset(changed)
                break
            unknown |= error.names
        except (ArithmeticError, LookupError, TypeError, ValueError, SyntaxError, RecursionError, MemoryError):
            # Elements that nobody knows, or that are not there.
            unknown = frozenset(changed)
            break
    else:
        unknown = frozenset(changed)
    for name in unknown:
        names.values.pop(name, None)
        if name in names.arrays:
            names.arrays[name].forget()


def execute(writer: Writer, lines: list[str], names: Names, limits: Limits) -> None:
    """Run what was written."""
    if not writer.arrays and not writer.scalars:
        return
    heads = [f" {label} = given[{n!r}]" for n, label in writer.scalars.items() if n in names.values]
    heads += [f" {label} = arrays[{n!r}]" for n, label in writer.arrays.items()]
    ends = [f" result[{n!r}] = {label}" for n, label in writer.scalars.items() if n in writer.changed]
    text = "\n".join([*writer.needed.values(), "def run(given, arrays, result):", *heads, *lines, *ends, " return"])
    library: dict[str, Callable[..., Any]] = {"divide": divide, "remain": remain, "wrap": wrap, "take": limits.take}
    steps = Steps(text, library, lambda: limits.turns)
    result: dict[str, Any] = {}
    lists = {n: list(names.arrays[n].read()) for n in writer.arrays}
    sizes = {n: len(v) for n, v in lists.items()}
    steps.functions["run"]({n: v for n, v in names.values.items() if n in writer.scalars}, lists, result)
    for name, values in lists.items():
        if len(values) == sizes[name]:
            names.arrays[name].values = values
    names.values.update(result)


def copy_bytes(text: str, names: Names, number: Callable[[str], float | None]) -> bool:
    """Follow a copy or a set of bytes; whether a statement is one. number : the value of an expression."""
    if match := COPIES.search(text):
        call = split_arguments(text[match.end() :])
        if call is None or len(call[0]) < 3:
            return True
        places = [find_place(a, names) for a in call[0][:2]]
        if "Symbol" in match[0]:
            places = [None, None]
        target, source = (names.arrays.get(p) if p else None for p in places)
        if target is not None:
            size, many = find_type_bytes(names.types.get(places[0] or "", "int")) or 4, number(call[0][2])
            values = source.values if source is not None else None
            if values is None or many is None or "2D" in match[0] or int(many) // size > len(values):
                target.forget()
            else:
                count = int(many) // size
                target.elements = max(target.elements, count)
                target.read()[:count] = values[:count]
        return True
    if match := SETS.search(text):
        call = split_arguments(text[match.end() :])
        place = find_place(call[0][0], names) if call and len(call[0]) >= 3 else None
        array = names.arrays.get(place) if place else None
        if array is not None and call is not None:
            byte, many = number(call[0][1]), number(call[0][2])
            size = find_type_bytes(names.types.get(place or "", "int")) or 4
            if byte not in (0, 255, -1) or many is None or int(many) // size > max(array.elements, 1):
                array.forget()
            else:
                array.read()[: int(many) // size] = [0 if byte == 0 else -1] * (int(many) // size)
        return True
    return False


def find_place(argument: str, names: Names) -> str | None:
    """The array that an argument is the start of; None for others."""
    bare = re.sub(r"^\s*(?:\(\s*(?:const\s+)?\w[\w\s]*\*\s*\)\s*)?&?|\[0\]\s*$", "", argument).strip("() ")
    bare = bare.replace("->", ".")
    if bare not in names.arrays and re.fullmatch(r"[\w.]+", bare) and (created := names.make(bare)) is not None:
        names.arrays[bare] = created
    return bare if bare in names.arrays else None
