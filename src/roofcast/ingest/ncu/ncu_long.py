"""One block of a long ncu CSV, a line per metric, read by Polars.

All lines of a launch name it by the same cells. So of these only the key (its number and process) is read in every
line, and the rest in the first line of each launch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roofcast.ingest.ncu.layout import Layout, are_launches

if TYPE_CHECKING:
    import polars

BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.int32]
Positions = NDArray[np.intp]


@dataclass
class LongBlock:
    """The n lines of a block that hold metrics of launches."""

    launches: list[tuple[str, ...]]
    """Identity cells of each run of lines that share their key, in the order of ``Layout.identity_columns``."""
    launch_of: IndexArray
    """(n,) position in ``launches``."""
    metrics: list[tuple[str, ...]]
    """Section, name and unit, as far as the CSV has them, in order of appearance."""
    metric_of: IndexArray
    """(n,) position in ``metrics``."""
    tokens: polars.Series
    """(n,) the values as printed."""
    skipped: bool
    """Whether there are lines that belong neither to a launch nor to a rule."""


def long_block(block: bytes, layout: Layout) -> LongBlock | None:
    """The metrics of a block of whole lines; None where its rows are not one line each."""
    key = [str(i) for i in layout.key_columns]
    parts = [str(i) for i in (layout.section, layout.metric, layout.unit) if i >= 0]
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n")) + 1
    if not block.endswith(b"\n"):
        ends = np.append(ends, len(block))
    frame = read_strings(block, layout, [int(c) for c in (*key, *parts, str(layout.value))])
    if frame is None or frame.height != len(ends):
        return None
    rows, skipped = metric_rows(frame, layout)
    while True:
        metrics = frame if len(rows) == frame.height else frame[rows]
        starts = run_starts(metrics, key)
        launches = identities(block, ends, rows[starts], layout)
        if launches is None:
            return None
        known = are_launches(launches, layout)
        launch_of = np.cumsum(starts, dtype=np.int32) - np.int32(1)
        if known.all():
            break
        # Every other line of such a run is looked at: the first one alone may be damaged.
        doubtful = np.flatnonzero(~known[launch_of])
        found = identities(block, ends, rows[doubtful], layout)
        if found is None:
            return None
        # Without the noise, lines of one launch that stood on either side of it come together.
        rows, skipped = np.delete(rows, doubtful[~are_launches(found, layout) | starts[doubtful]]), True
    cells, metric_of = distinct(metrics.select(parts))
    return LongBlock(launches, launch_of, cells, metric_of, metrics[str(layout.value)], skipped)


def metric_rows(frame: polars.DataFrame, layout: Layout) -> tuple[Positions, bool]:
    """Which lines have a metric and a value; and whether others than rules, which have no metric, have none."""
    import polars as pl

    has_value = pl.col(str(layout.value)).is_not_null()
    is_metric = has_value & (pl.col(str(layout.metric)).str.len_bytes() > 0).fill_null(value=False)
    found = frame.select(is_metric.alias("metric")).to_series()
    if found.all():
        return np.arange(frame.height), False
    anchor = str(layout.key_columns[0])
    is_rule = has_value & pl.col(anchor).str.strip_suffix(".0").cast(pl.UInt64, strict=False).is_not_null()
    others = frame.filter(~found).select(is_rule.all()).item()
    return np.flatnonzero(found.to_numpy()), not others


def run_starts(frame: polars.DataFrame, key: list[str]) -> BoolArray:
    """(n,) whether a line's key differs from that of the line before it; so does the first."""
    import polars as pl

    changes = [pl.col(c).ne_missing(pl.col(c).shift()) for c in key]
    starts: BoolArray = frame.select(pl.any_horizontal(changes)).to_series().to_numpy().copy()
    starts[:1] = True
    return starts


def identities(block: bytes, ends: Positions, lines: Positions, layout: Layout) -> list[tuple[str, ...]] | None:
    """Identity cells of some lines; None where they are no rows of a CSV."""
    begins = np.where(lines > 0, ends[lines - 1], 0)
    text = b"".join([block[a:b] for a, b in zip(begins.tolist(), ends[lines].tolist(), strict=True)])
    order = [i for _, i in layout.identity_columns]
    frame = read_strings(text, layout, order)
    if frame is None or frame.height != len(lines):
        return None
    return frame.select([str(i) for i in order]).fill_null("").rows()


def read_strings(lines: bytes, layout: Layout, columns: list[int]) -> polars.DataFrame | None:
    """Some cells of lines as strings, in columns named by position; None where the lines are no CSV."""
    import polars as pl

    wanted = sorted(set(columns))
    names = [str(i) for i in range(wanted[-1] + 1)]
    read = partial(
        pl.read_csv,
        separator=layout.delimiter,
        truncate_ragged_lines=True,
        encoding="utf8" if lines.isascii() else "utf8-lossy",
    )
    try:
        # The first line must have all columns then; Polars says so where it has not.
        return read(lines, has_header=False, schema=dict.fromkeys(names, pl.String), columns=wanted)
    except pl.exceptions.PolarsError:
        header = layout.delimiter.join(names).encode() + b"\n"
    try:
        return read(header + lines, infer_schema=False, columns=[names[i] for i in wanted])
    except pl.exceptions.PolarsError:
        return None


def distinct(frame: polars.DataFrame) -> tuple[list[tuple[str, ...]], IndexArray]:
    """Rows of strings that differ, in order of appearance, and (n,) which of them each row is."""
    import polars as pl

    codes = np.zeros(frame.height, np.intp)
    first = np.zeros(0, np.intp)
    for column in frame.fill_null("").get_columns():
        cells, _ = renumber(column.cast(pl.Categorical).to_physical().to_numpy().astype(np.intp))
        codes, first = renumber(codes * (int(cells.max(initial=0)) + 1) + cells)
    return frame[first].fill_null("").rows(), codes.astype(np.int32)


def renumber(codes: Positions) -> tuple[Positions, Positions]:
    """Any small numbers as 0, 1, ... in order of appearance, and the first row of each."""
    first = np.full(int(codes.max(initial=-1)) + 1, -1, np.intp)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    here = np.flatnonzero(first >= 0)
    here = here[np.argsort(first[here])]
    rank = np.zeros(len(first), np.intp)
    rank[here] = np.arange(len(here))
    return rank[codes], first[here]
