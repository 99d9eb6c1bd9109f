"""One block of an ncu CSV as arrays, on three paths that agree: compiled, fast and forgiving.

The compiled path takes what Nsight Compute prints undisturbed. The fast path (Polars) wants every physical line to be
one row. Where a kernel name holds a line end, where noise holds a lone quote or where the counts differ for any other
reason, the block goes the forgiving way, line by line.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roofcast.ingest.ncu.layout import COUNT, Layout, are_launches
from roofcast.ingest.ncu.ncu_compiled import long_cells, wide_cells
from roofcast.ingest.ncu.ncu_long import long_block, read_strings
from roofcast.ingest.ncu.ncu_wide import wide_block
from roofcast.ingest.ncu.quoted_numbers import points_only
from roofcast.ingest.text.csv_blocks import plain
from roofcast.ingest.text.csv_rows import read_cells
from roofcast.ingest.text.numbers import FloatArray, Kind, KindArray, parse_numbers, parse_series, settle_block

if TYPE_CHECKING:
    import polars

IndexArray = NDArray[np.int32]
Metric = tuple[str, str, str]
"""Section, name, unit."""

TEXT_METRIC = "device__attribute_display_name"
"""The metric whose value is a text that roofcast keeps."""
FAST_FROM_BYTES = 2**20
"""Blocks below this size are not worth loading Polars for."""
FAST_ONCE_LOADED = 2**16
"""The same where it is loaded."""


@dataclass
class Rows:
    """Values of one block, each with the launch and the metric that it belongs to."""

    launches: list[tuple[str, ...]]
    """Identity cells of each run of rows that share them, in the order of ``Layout.identity_columns``."""
    metrics: list[Metric]
    values: FloatArray
    """(n,) one per row of a long CSV; (metrics, launches) of a wide one. NaN where absent."""
    kinds: KindArray
    launch_of: IndexArray | None = None
    """(n,) position in ``launches`` of each value of a long CSV."""
    metric_of: IndexArray | None = None
    texts: list[tuple[int, str, str]] = field(default_factory=list)
    """Position in ``launches``, metric name, text."""
    skipped: bool = True
    """Whether lines of the block may be no rows (noise, or the header of a further CSV)."""


def parse_block(block: bytes, layout: Layout, known: dict[str, tuple[float, Kind]]) -> Rows:
    """All rows of a block; noise lines are skipped."""
    rows = parse_compiled(block, layout, known)
    if rows is not None:
        return rows
    block = plain(block)
    if len(block) >= (FAST_ONCE_LOADED if "polars" in sys.modules else FAST_FROM_BYTES):
        found = parse_fast(block, layout, known)
        if found is not None:
            return found
    return parse_slowly(block.decode("utf-8", "replace"), layout, known)


def parse_compiled(block: bytes, layout: Layout, known: dict[str, tuple[float, Kind]]) -> Rows | None:
    """The quickest path; None where a line is not plain, or nothing was compiled."""
    if layout.is_long:
        found = long_cells(block, layout, TEXT_METRIC, known)
        if found is None or found.launch_of is None:
            return None
        metrics = [metric_of_parts(cells, layout) for cells in found.metrics]
        texts = [(int(found.launch_of[i]), TEXT_METRIC, text) for i, text in found.texts]
        return Rows(
            found.launches, metrics, found.values, found.kinds, found.launch_of, found.metric_of, texts, skipped=False
        )
    found = wide_cells(block, layout, TEXT_METRIC, known)
    if found is None:
        return None
    metrics = [("", name, unit) for _, name, unit in layout.wide]
    texts = [(i // len(metrics), TEXT_METRIC, text) for i, text in found.texts]
    return Rows(found.launches, metrics, found.values.T, found.kinds.T, texts=texts, skipped=False)


def parse_slowly(text: str, layout: Layout, known: dict[str, tuple[float, Kind]]) -> Rows:
    """The forgiving path: any noise, line ends in names, ragged rows."""
    rows = [cells for cells in read_cells(text, layout.delimiter) if is_launch(cells, layout)]
    order = [index for _, index in layout.identity_columns]
    launches: list[tuple[str, ...]] = []
    launch_of: list[int] = []
    last: list[str] | None = None
    for cells in rows:
        key = [cells[i] if i < len(cells) else "" for i in layout.key_columns]
        if key != last or not layout.is_long:
            launches.append(tuple(cells[i] if i < len(cells) else "" for i in order))
            last = key
        launch_of.append(len(launches) - 1)
    if layout.is_long:
        return long_rows(rows, layout, launches, launch_of, known)
    tokens = [cells[i] if i < len(cells) else "" for i, _, _ in layout.wide for cells in rows]
    return wide_rows(
        layout, launches, *settle_block(*parse_numbers(tokens, known)), texts_of_wide(layout, tokens, len(launches))
    )


def long_rows(
    rows: list[list[str]],
    layout: Layout,
    launches: list[tuple[str, ...]],
    launch_of: list[int],
    known: dict[str, tuple[float, Kind]],
) -> Rows:
    """Rows of a long CSV, one metric each."""
    codes: dict[Metric, int] = {}
    metric_of = [codes.setdefault(metric_in(cells, layout), len(codes)) for cells in rows]
    tokens = [cells[layout.value] for cells in rows]
    values, kinds = settle_block(*parse_numbers(tokens, known))
    metrics = list(codes)
    texts = [
        (launch, metrics[metric][1], token)
        for launch, metric, token in zip(launch_of, metric_of, tokens, strict=True)
        if metrics[metric][1] == TEXT_METRIC
    ]
    return Rows(launches, metrics, values, kinds, as_index(launch_of), as_index(metric_of), texts)


def metric_in(cells: list[str], layout: Layout) -> Metric:
    """Section, name and unit in a row of a long CSV."""
    section = cells[layout.section] if layout.section >= 0 else ""
    unit = cells[layout.unit] if layout.unit >= 0 else ""
    return section, cells[layout.metric], unit


def wide_rows(
    layout: Layout,
    launches: list[tuple[str, ...]],
    values: FloatArray,
    kinds: KindArray,
    texts: list[tuple[int, str, str]],
) -> Rows:
    """Rows of a wide CSV from its values, metric after metric."""
    metrics = [("", name, unit) for _, name, unit in layout.wide]
    shape = (len(metrics), len(launches))
    return Rows(launches, metrics, values.reshape(shape), kinds.reshape(shape), texts=texts)


def texts_of_wide(layout: Layout, tokens: Sequence[str] | polars.Series, count: int) -> list[tuple[int, str, str]]:
    """Texts worth keeping among the tokens of a wide CSV, which stand metric after metric."""
    return [
        (row, name, tokens[position * count + row] or "")
        for position, (_, name, _) in enumerate(layout.wide)
        if name == TEXT_METRIC
        for row in range(count)
    ]


def is_launch(cells: list[str], layout: Layout) -> bool:
    """Whether the cells are of a launch: its number, a kernel name and, in a long CSV, a metric and a value."""
    identity = layout.identity
    anchor = identity.get("id", identity.get("process"))
    if anchor is not None and (anchor >= len(cells) or not COUNT.fullmatch(cells[anchor])):
        return False
    kernel = identity["kernel"]
    if kernel >= len(cells) or not cells[kernel]:
        return False
    return not layout.is_long or (len(cells) > max(layout.value, layout.metric) and bool(cells[layout.metric]))


def parse_fast(block: bytes, layout: Layout, known: dict[str, tuple[float, Kind]]) -> Rows | None:
    """The fast path; None where the block is not one row per line."""
    if layout.is_long:
        return fast_long(block, layout, known)
    return quoted_wide(block, layout) or parse_wide_cells(block, layout, known) or fast_wide(block, layout, known)


def fast_long(block: bytes, layout: Layout, known: dict[str, tuple[float, Kind]]) -> Rows | None:
    """A long CSV on the fast path."""
    found = long_block(block, layout)
    if found is None:
        return None
    metrics = [metric_of_parts(cells, layout) for cells in found.metrics]
    values, kinds = parse_series(found.tokens, known)
    texts = [
        (int(found.launch_of[i]), metric[1], str(found.tokens[int(i)]))
        for m, metric in enumerate(metrics)
        if metric[1] == TEXT_METRIC
        for i in np.flatnonzero(found.metric_of == m)
    ]
    return Rows(found.launches, metrics, values, kinds, found.launch_of, found.metric_of, texts, found.skipped)


def quoted_wide(block: bytes, layout: Layout) -> Rows | None:
    """A wide CSV on the quickest path."""
    found = wide_block(block, layout)
    if found is None or not are_launches(found.launches, layout).all():
        return None
    metrics = [("", name, unit) for _, name, unit in layout.wide]
    texts = [
        (row, name, found.cells.cell(row * layout.columns + i))
        for i, name, _ in layout.wide
        if name == TEXT_METRIC
        for row in range(len(found.launches))
    ]
    return Rows(found.launches, metrics, found.values, points_only(found.values.shape), texts=texts, skipped=False)


def parse_wide_cells(block: bytes, layout: Layout, known: dict[str, tuple[float, Kind]]) -> Rows | None:
    """A wide CSV whose cells are all quoted, read as one long column of cells; None where they do not add up.

    A thousand columns of a few rows each would cost more than their cells.
    """
    import polars as pl

    between = f'"{layout.delimiter}"'.encode()
    rows = int(np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n"))) + (not block.endswith(b"\n"))
    if not block.startswith(b'"') or block.count(between) != rows * (layout.columns - 1):
        return None
    try:
        cells = pl.read_csv(
            block.replace(between, b'"\n"'),
            has_header=False,
            schema={"cell": pl.String},
            separator="\x1f",
            truncate_ragged_lines=True,
            encoding="utf8" if block.isascii() else "utf8-lossy",
        )["cell"]
    except pl.exceptions.PolarsError:
        return None
    identity = [i for _, i in layout.identity_columns]
    at = np.arange(rows, dtype=np.uint32) * np.uint32(layout.columns)
    if len(cells) != rows * layout.columns:
        return None
    launches = pl.DataFrame([cells.gather(at + i).alias(str(i)) for i in identity]).fill_null("").rows()
    if not are_launches(launches, layout).all():
        return None
    wanted = np.array([i for i, _, _ in layout.wide], dtype=np.uint32)
    tokens = cells.gather((at[None, :] + wanted[:, None]).ravel())
    texts = texts_of_wide(layout, tokens, rows)
    found = wide_rows(layout, launches, *parse_series(tokens, known), texts)
    found.skipped = False
    return found


def metric_of_parts(parts: tuple[str, ...], layout: Layout) -> Metric:
    """Section, name and unit from those of the three that the CSV has."""
    rest = iter(parts)
    section = next(rest) if layout.section >= 0 else ""
    name = next(rest)
    return section, name, next(rest) if layout.unit >= 0 else ""


def fast_wide(block: bytes, layout: Layout, known: dict[str, tuple[float, Kind]]) -> Rows | None:
    """A wide CSV of any cells, column by column; None where its rows are not one line each."""
    import polars as pl

    identity = [i for _, i in layout.identity_columns]
    frame = read_strings(block, layout, [*identity, *(i for i, _, _ in layout.wide)])
    # Counted by NumPy, which lets other threads run meanwhile.
    lines = int(np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n"))) + (not block.endswith(b"\n"))
    if frame is None or frame.height != lines:
        return None
    cells = frame.select([str(i) for i in identity]).fill_null("").rows()
    is_row = are_launches(cells, layout)
    if not is_row.all():
        frame = frame.filter(is_row)
        cells = [row for row, kept in zip(cells, is_row.tolist(), strict=True) if kept]
    tokens = pl.concat([frame[str(i)] for i, _, _ in layout.wide])
    rows = wide_rows(layout, cells, *parse_series(tokens, known), texts_of_wide(layout, tokens, frame.height))
    rows.skipped = not is_row.all()
    return rows


def as_index(values: list[int] | NDArray[np.integer]) -> IndexArray:
    """(n,) int32 positions."""
    return np.asarray(values, dtype=np.int32)
