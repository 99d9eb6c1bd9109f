"""What a kernel table says in words: sizes inside configurations, and access patterns by name."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray

if TYPE_CHECKING:
    from roofcast.ingest.tables.table import Reading

PATTERN_COLUMNS = ("mem_pattern", "access_pattern", "memory_pattern")
PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"strided?_?(\d+)"), "both"),
    (re.compile(r"random|gather|scatter|uncoalesced|non_?coalesced"), "load"),
    (re.compile(r"transpose_naive|naive_transpose"), "store"),
    (re.compile(r"coalesced|stencil|tiled|stream|sequential|contiguous"), ""),
)
"""Word in the name of an access pattern -> the side that uses parts of sectors; a number is the stride."""

ELEMENT_BYTES, SECTOR_BYTES = 4.0, 32.0


def configurations_from_sizes(reading: Reading, extra: Mapping[str, NDArray[Any]]) -> None:
    """Configurations that some rows lack, from the columns that the others' name (``N=1024;block=256``).

    A size that a row does not state is 0, as in those names.
    """
    named = reading.text.get("config")
    if named is None or all(named) or not any(named):
        return
    columns = sizes_of(reading, extra)
    form = next((f for text in dict.fromkeys(named) if text and (f := form_of(str(text), columns))), None)
    if form is None:
        return
    for row in np.flatnonzero(named == ""):
        known = [(key, float(np.nan_to_num(columns[key][row])), dotted) for key, dotted in form]
        if any(value > 0 for _, value, _ in known):
            named[row] = ";".join(f"{k}={v:.1f}" if dotted else f"{k}={v:.0f}" for k, v, dotted in known)


def sizes_of(reading: Reading, extra: Mapping[str, NDArray[Any]]) -> dict[str, FloatArray]:
    """Numeric columns under the names that configurations give them."""
    columns = {**reading.values, **{n: v for n, v in extra.items() if v.dtype.kind == "f"}}
    return columns | {"block": reading.column("block_threads"), "grid": reading.column("grid_blocks")}


def form_of(text: str, columns: Mapping[str, FloatArray]) -> list[tuple[str, bool]] | None:
    """Sizes that a configuration names, and whether with decimals; None unless each is a column and a number.

    >>> form_of("N=4;iters=0.0", {"N": np.zeros(1), "iters": np.zeros(1)}), form_of("fast", {})
    ([('N', False), ('iters', True)], None)
    """
    parts = [part.partition("=") for part in text.split(";")]
    if not all(mark and key in columns and is_number(value) for key, mark, value in parts):
        return None
    return [(key, "." in value) for key, _, value in parts]


def is_number(text: str) -> bool:
    """Whether a text is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def sectors_of_patterns(reading: Reading, extra: Mapping[str, NDArray[Any]]) -> None:
    """Useful bytes per sector from the name of an access pattern, for elements of four bytes."""
    named = next((extra[n] for n in PATTERN_COLUMNS if n in extra and extra[n].dtype == object), None)
    if named is None:
        return
    load, store = np.full(reading.size, np.nan), np.full(reading.size, np.nan)
    for text in set(named):
        found = useful_bytes(str(text))
        if found is not None:
            rows = named == text
            load[rows], store[rows] = found
    reading.put("bytes_per_sector_load", load, Origin.DERIVED)
    reading.put("bytes_per_sector_store", store, Origin.DERIVED)


def useful_bytes(pattern: str) -> tuple[float, float] | None:
    """Useful bytes per sector of loads and stores; None for a name that says nothing.

    >>> useful_bytes("stride_2"), useful_bytes("transpose_naive"), useful_bytes("unknown")
    ((16.0, 16.0), (32.0, 4.0), None)
    """
    for expression, side in PATTERNS:
        if (found := expression.search(pattern.lower())) is not None:
            stride = float(found.group(1)) if found.groups() else math.inf
            little = min(max(ELEMENT_BYTES, SECTOR_BYTES / max(stride, 1.0)), SECTOR_BYTES)
            load, store = side in ("both", "load"), side in ("both", "store")
            return (little if load else SECTOR_BYTES), (little if store else SECTOR_BYTES)
    return None
