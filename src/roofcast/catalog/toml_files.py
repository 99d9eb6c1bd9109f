"""Files that users write for sweeps and choices: read whole, or refused in one line that names the file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from roofcast.core.errors import RoofcastError, one_line

LONGEST = 10_000_000
"""Bytes of a file; what is longer was not written by hand."""

T = TypeVar("T")


def read_toml(path: str | Path, parse: Callable[[Mapping[str, Any]], T]) -> T:
    """What a parser makes of a TOML file."""
    shown = one_line(str(path), 120)
    try:
        with Path(path).open("rb") as file:
            raw = file.read(LONGEST + 1)
        if len(raw) > LONGEST:
            raise RoofcastError(f"{shown} is no TOML file: longer than {LONGEST:,} bytes")
        content = tomllib.loads(raw.decode("utf-8-sig"))
    except OSError as error:
        raise RoofcastError(f"cannot read {shown}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise RoofcastError(f"{shown} is no TOML file: {one_line(str(error), 120)}") from error
    try:
        return parse(content)
    except RoofcastError as error:
        raise type(error)(f"{shown}: {error}") from error
