"""Files that users write by hand: read whole, or refused in one line that names the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from roofcast.core.errors import InputError, RoofcastError, one_line

LONGEST = 10_000_000
"""Bytes of a file; what is longer was not written by hand."""

T = TypeVar("T")


def read_whole(path: str | Path, most: int = LONGEST) -> bytes:
    """All bytes of a file that somebody wrote by hand, which a device without end is not.

    Raises
    ------
    InputError : it is longer than ``most`` bytes.
    """
    with Path(path).open("rb") as file:
        raw = file.read(most + 1)
    if len(raw) > most:
        raise InputError(f"{one_line(str(path), 120)}: longer than {most:,} bytes")
    return raw


def parse_toml(text: str) -> dict[str, Any]:
    """What a text in TOML says; a ValueError where it is none."""
    # Most runs read what was made of the catalog's files, and none.
    import tomllib

    return tomllib.loads(text)


def read_toml(path: str | Path, parse: Callable[[Mapping[str, Any]], T]) -> T:
    """Return what a parser makes of a TOML file."""
    name = one_line(str(path), 120)
    try:
        content = parse_toml(read_whole(path).decode("utf-8-sig"))
    except OSError as error:
        raise RoofcastError(f"cannot read {name}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise RoofcastError(f"{name} is no TOML file: {one_line(str(error), 120)}") from error
    try:
        return parse(content)
    except RoofcastError as error:
        raise type(error)(f"{name}: {error}") from error
