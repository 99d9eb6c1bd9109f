"""Saved forecasts (``roofcast forecast ... --format json -o f.json``), read back row by row."""

from __future__ import annotations

import gzip
import json
import math
import zlib
from pathlib import Path
from typing import Any

from roofcast.core.errors import InputError, one_line
from roofcast.ingest.text.files import read_at_most

MAX_BYTES = 500_000_000
"""B of a file of forecasts, all of which the memory has to hold."""
HEAD = 4096
"""B at the start of a file in which the key of forecasts is looked for."""


def is_saved_forecast(path: str | Path) -> bool:
    """Whether a file begins as a saved forecast does. Never raises."""
    try:
        if str(path) == "-" or not Path(path).is_file():
            return False
        with open_plain(path) as stream:
            head = stream.read(HEAD)
    except (OSError, EOFError, zlib.error):
        return False
    return head.lstrip().startswith(b"{") and b'"forecasts"' in head and b'"roofcast"' in head


def open_plain(path: str | Path) -> Any:
    """The file, decompressed on the way."""
    with Path(path).open("rb") as raw:
        zipped = raw.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if zipped else Path(path).open("rb")


def load_rows(path: str | Path) -> tuple[list[dict[str, Any]], str]:
    """The forecasts of a saved file, row by row, and the version of roofcast that made them.

    Raises
    ------
    InputError : damaged, too large, or without forecasts.
    """
    name = one_line(Path(path).name, 120)
    try:
        with open_plain(path) as stream:
            content = read_at_most(stream, MAX_BYTES)
        if len(content) > MAX_BYTES:
            raise InputError(f"{name}: too large for a saved forecast")
        return list_forecasts(content, name)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{name}: cannot be read as a saved forecast: {one_line(str(error), 120)}") from error


def list_forecasts(content: str | bytes, name: str) -> tuple[list[dict[str, Any]], str]:
    """The same of the JSON itself."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: cannot be read as a saved forecast: {one_line(str(error), 120)}") from error
    rows = data.get("forecasts") if isinstance(data, dict) else None
    if not isinstance(rows, list) or not rows or not all(isinstance(r, dict) for r in rows):
        raise InputError(f"{name}: holds no forecasts; make it with `roofcast forecast ... --format json -o FILE`")
    return rows, str(data.get("roofcast", ""))


def read_text(row: dict[str, Any], key: str) -> str:
    """A text of a row; '' where absent."""
    value = row.get(key)
    return value if isinstance(value, str) else ""


def read_number(row: dict[str, Any], key: str) -> float:
    """A number of a row; NaN where absent."""
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan
