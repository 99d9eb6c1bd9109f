"""How sets of the store are named among files."""

from __future__ import annotations

from pathlib import Path

from roofcast.core.errors import InputError, one_line

PREFIX = "store:"


def is_stored(path: str | Path) -> bool:
    """Whether an input names a set of the store."""
    return str(path).startswith(PREFIX)


def checked_name(name: str) -> str:
    """A name of a set, without its prefix."""
    plain = name.removeprefix(PREFIX).strip()
    if not plain or len(plain) > 200 or not plain.isprintable():
        raise InputError(f"{one_line(name, 80)!r} is no name for a set: use up to 200 printable characters")
    return plain
