"""Counters of one profile given to the kernels of a timeline: the same name and geometry is the same kernel."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import ALL_NUMERIC, Origin
from roofcast.core.kernel_table import FloatArray, KernelTable, OriginArray, concatenate

KEPT = frozenset({
    *("launch", "launches", "time_s", "time_std_s", "time_total_s", "clock_hz", "clock_hz_dram", "clock_hz_l2"),
    *("sm_count", "capacity_bytes_dram", "grid_blocks", "block_threads", "power_w"),
})  # fmt: skip
"""What the timeline says of a launch itself stays as it is; everything else is the counters'."""

CAST = re.compile(r"\([A-Za-z_][\w:]*(?: [A-Za-z_][\w:]*){0,3}\)(?=-?\d|true\b|false\b)")
"""nsys and ncu write template arguments with their types, other tools without."""
NAMELESS = re.compile(r"\(anonymous namespace\)|\(unnamed namespace\)|<unnamed>|\{anonymous\}")
SUFFIX = re.compile(r"(?<=\d)(?:ull|ul|u|ll|l)\b", re.I)
LAMBDA = re.compile(r"\[lambda(\([^()]*\)) \(instance (\d+)\)\]")
CLONE = re.compile(r"\s*\[clone [^\]]*\]|\.kd$")


def joined_counters(
    table: KernelTable, counters: Sequence[KernelTable]
) -> tuple[KernelTable, NDArray[np.bool_], tuple[str, ...]]:
    """The table with the counters of equal kernels, (n,) which rows got some, and what to say about it."""
    n = len(table)
    if not counters:
        return table, np.zeros(n, np.bool_), ()
    source = concatenate(list(counters))
    position = matches(table, source)
    hit = position >= 0
    columns: dict[str, tuple[FloatArray, OriginArray]] = {}
    for name in source.numeric:
        if name in KEPT or name not in ALL_NUMERIC:
            continue
        given = np.where(hit, source.column(name)[position], np.nan)
        use = ~np.isnan(given)
        if use.any():
            # Work that was counted replaces work that was worked out from shapes, as a whole.
            old = np.where(hit, np.nan, table.column(name))
            origin = np.where(use, source.origin_of(name)[position], table.origin_of(name)).astype(np.uint8)
            columns[name] = (np.where(use, given, old), origin)
    for name in table.numeric:
        if name not in columns and name not in KEPT and (table.origin_of(name) == Origin.DERIVED).any():
            columns[name] = (np.where(hit, np.nan, table.column(name)), table.origin_of(name))
    share = float(table.column("time_total_s")[hit].sum() / max(table.column("time_total_s").sum(), 1e-30))
    note = f"counters found for {int(hit.sum())} of {n} distinct kernels, {100 * share:.0f} % of the kernels' time"
    return table.with_columns(**columns), hit, (note,)


def matches(table: KernelTable, source: KernelTable) -> NDArray[np.intp]:
    """(n,) row of the counters for each kernel; -1 where there is none.

    The same name, grid and block first; then the same name and block where the counters hold one grid only.
    """
    exact: dict[tuple[str, str, str], int] = {}
    by_block: dict[tuple[str, str], set[str]] = {}
    for i, key in enumerate(keys(source)):
        exact.setdefault(key, i)
        by_block.setdefault((key[0], key[2]), set()).add(key[1])
    result = []
    for name, grid, block in keys(table):
        found = exact.get((name, grid, block), -1)
        grids = by_block.get((name, block), set())
        if found < 0 and len(grids) == 1 and not (grid and next(iter(grids))):
            found = exact[name, next(iter(grids)), block]
        result.append(found)
    return np.array(result, np.intp)


def keys(table: KernelTable) -> list[tuple[str, str, str]]:
    """Name, grid and block of each row, spelled alike whichever profiler printed them."""
    columns = (table.strings("kernel"), table.strings("grid"), table.strings("block"))
    return [(plain_name(str(k)), shape(str(g)), shape(str(b))) for k, g, b in zip(*columns, strict=True)]


def plain_name(name: str) -> str:
    """A kernel's name without arguments and return type, so that short and full names agree.

    >>> plain_name("void scale<(int)4, (bool)1>(T2 *, int)") == plain_name("scale<4, true>")
    True
    >>> plain_name("void a::<unnamed>::f<T>(int)") == plain_name("void a::(anonymous namespace)::f<T>(int)")
    True
    """
    text = CLONE.sub("", CAST.sub("", NAMELESS.sub("@", name))).strip()
    text = SUFFIX.sub("", LAMBDA.sub(r"{lambda\1#\2}", text))
    text = re.sub(r"\btrue\b", "1", re.sub(r"\bfalse\b", "0", text))
    depth = 0
    for i, character in enumerate(text):
        depth += (character == "<") - (character == ">" and text[i - 1 : i] != "-")
        if character == "(" and depth == 0 and i > 0:
            text = text[:i]
            break
    return re.sub(r"\s+", "", text.removeprefix("void "))


def shape(text: str) -> str:
    """The numbers of a shape; '' where it has none."""
    return "x".join(re.findall(r"\d+", text))
