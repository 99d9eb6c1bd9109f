"""Kernels by a regular expression of their names: the same in every command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from roofcast.core.errors import RoofcastError, one_line

NAMED = 6
NAME_LIMIT = 60


def rows_matching(names: Sequence[str], pattern: str, of: str = "", also: Sequence[str] = ()) -> list[int]:
    """Rows whose name, or other name, matches.

    of : what the kernels are of, for the message, e.g. `` of a.csv``. also : other names of the same rows.

    Raises
    ------
    RoofcastError : the expression is not valid, or matches no kernel; the message then names some that are there.
    """
    shown = f"--kernel {one_line(pattern, 60)!r}"
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise RoofcastError(f"{shown} is not a regular expression: {error}") from error
    others = also or names
    rows = [i for i, name in enumerate(names) if expression.search(name) or expression.search(others[i])]
    if not rows and len(names):
        count = f"none of the {len(names)} kernels" if len(names) > 1 else "not the only kernel"
        raise RoofcastError(f"{shown} matches {count}{of}: {some_of(names)}")
    return rows


def some_of(names: Iterable[str], most: int = NAMED) -> str:
    """The first distinct names, and how many more there are.

    >>> some_of(["a", "b", "a", "c"], 2)
    'a, b and 1 more'
    """
    distinct = list(dict.fromkeys(names))
    listed = ", ".join(one_line(name, NAME_LIMIT) or "(without a name)" for name in distinct[:most])
    return listed + (f" and {len(distinct) - most} more" if len(distinct) > most else "")
