"""One block of an ncu CSV as arrays, on a fast and on a forgiving path that agree.

The fast path (Polars) wants every physical line to be one row. Where a kernel name holds a line end, where noise
holds a lone quote or where the counts differ for any other reason, the block goes the forgiving way, line by line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roofcast.ingest.decoding import MAX_CELL_CHARS
from roofcast.ingest.ncu_layout import Layout
from roofcast.ingest.numbers import FloatArray, Kind, KindArray, parse_numbers, parse_series

IndexArray = NDArray[np.int32]
Metric = tuple[str, str, str]
"""Section, name, unit."""

COUNT = re.compile(r"\s*[0-9]+(\.0)?\s*")
ROW_START = re.compile(r'\s*"?[0-9]')
QUOTED_ROW = re.compile(r'"[0-9]+","')
MAX_ROW_CHARS = 2**21
TEXT_METRICS = ("device__attribute_display_name",)
"""Metrics whose value is a text that roofcast keeps."""
FAST_FROM_BYTES = 2**20
"""Blocks below this size are not worth loading Polars for."""


@dataclass
class Rows:
    """Values of one block, each with the launch and the metric that it belongs to."""

    launches: list[tuple[str, ...]]
    """Identity cells of each run of rows that share them, in the order of ``Layout.identity_columns``."""
    launch_of: IndexArray
    """(n,) position in ``launches``."""
    metrics: list[Metric]
    metric_of: IndexArray
    values: FloatArray
    kinds: KindArray
    texts: list[tuple[int, str, str]] = field(default_factory=list)
    """Position in ``launches``, metric name, text."""


def parse_block(block: bytes, layout: Layout, known: dict[str, tuple[float, Kind]]) -> Rows:
    """All rows of a block; noise lines are skipped."""
    if len(block) >= FAST_FROM_BYTES:
        found = parse_fast(block, layout, known)
        if found is not None:
            return found
    return parse_slowly(block.decode("utf-8", "replace"), layout, known)


def parse_slowly(text: str, layout: Layout, known: dict[str, tuple[float, Kind]]) -> Rows:
    """The forgiving path: any noise, line ends in names, ragged rows."""
    rows = [cells for cells in read_cells(text, layout.delimiter) if is_launch(cells, layout)]
    order = [index for _, index in layout.identity_columns]
    launches: list[tuple[str, ...]] = []
    launch_of: list[int] = []
    last: tuple[str, ...] | None = None
    for cells in rows:
        identity = tuple(cells[i] if i < len(cells) else "" for i in order)
        if identity != last or not layout.is_long:
            launches.append(identity)
            last = identity
        launch_of.append(len(launches) - 1)
    if layout.is_long:
        return long_rows(rows, layout, launches, launch_of, known)
    tokens = [cells[i] if i < len(cells) else "" for i, _, _ in layout.wide for cells in rows]
    return wide_rows(layout, launches, *parse_numbers(tokens, known), texts_of_wide(layout, tokens, len(launches)))


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
    values, kinds = parse_numbers(tokens, known)
    metrics = list(codes)
    texts = [
        (launch, metrics[metric][1], token)
        for launch, metric, token in zip(launch_of, metric_of, tokens, strict=True)
        if metrics[metric][1] in TEXT_METRICS
    ]
    return Rows(launches, as_index(launch_of), metrics, as_index(metric_of), values, kinds, texts)


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
    """Rows of a wide CSV from its values, metric after metric; absent values are dropped."""
    count = len(launches)
    here = np.flatnonzero(~np.isnan(values))
    metrics = [("", name, unit) for _, name, unit in layout.wide]
    size = max(count, 1)
    return Rows(launches, as_index(here % size), metrics, as_index(here // size), values[here], kinds[here], texts)


def texts_of_wide(layout: Layout, tokens: list[str], count: int) -> list[tuple[int, str, str]]:
    """Texts worth keeping among the tokens of a wide CSV, which stand metric after metric."""
    return [
        (row, name, tokens[position * count + row])
        for position, (_, name, _) in enumerate(layout.wide)
        if name in TEXT_METRICS
        for row in range(count)
    ]


def read_cells(text: str, delimiter: str) -> Iterator[list[str]]:
    """Cells of each logical row of a text."""
    return read_lines(logical_rows(text), delimiter)


def read_lines(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Cells of each line; lines that no CSV reader accepts are skipped."""
    csv.field_size_limit(MAX_CELL_CHARS)
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error:
            continue


def logical_rows(text: str) -> Iterator[str]:
    """Lines that can be rows; lines that an open quote joins are one. Noise and cut rows are dropped."""
    pending = ""
    for line in text.split("\n"):
        if pending:
            # A lone quote in the program's output must not swallow the rows after it.
            if not QUOTED_ROW.match(line) and len(pending) + len(line) < MAX_ROW_CHARS:
                pending += "\n" + line
                if line.count('"') % 2:
                    yield pending
                    pending = ""
                continue
            pending = ""
        if not ROW_START.match(line):
            continue
        if line.count('"') % 2:
            pending = line
        else:
            yield line


def is_launch(cells: list[str], layout: Layout) -> bool:
    """Whether the cells are of a launch: its number, a kernel name and, in a long CSV, a metric and a value."""
    identity = layout.identity
    anchor = identity.get("id", identity.get("process"))
    if anchor is not None and (anchor >= len(cells) or not COUNT.fullmatch(cells[anchor])):
        return False
    kernel = identity["kernel"]
    if kernel >= len(cells) or not cells[kernel].strip():
        return False
    return not layout.is_long or (len(cells) > max(layout.value, layout.metric) and bool(cells[layout.metric].strip()))


def parse_fast(block: bytes, layout: Layout, known: dict[str, tuple[float, Kind]]) -> Rows | None:
    """The fast path; None where the block is not one row per line."""
    import polars as pl

    lines = block.count(b"\n") + (not block.endswith(b"\n"))
    kept = [i for _, i in layout.identity_columns]
    kept += [i for i in (layout.section, layout.metric, layout.unit, layout.value) if i >= 0]
    kept += [i for i, _, _ in layout.wide]
    try:
        frame = pl.read_csv(
            block,
            has_header=False,
            schema={str(i): pl.String for i in range(layout.columns)},
            columns=sorted(kept),
            separator=layout.delimiter,
            truncate_ragged_lines=True,
            encoding="utf8-lossy",
        )
    except pl.exceptions.PolarsError:
        return None
    if frame.height != lines:
        return None
    anchor = layout.identity.get("id", layout.identity.get("process"))
    present = pl.col(str(layout.identity["kernel"])).fill_null("").str.strip_chars() != ""
    if anchor is not None:
        present &= pl.col(str(anchor)).str.contains(r"^\s*[0-9]+(?:\.0)?\s*$").fill_null(value=False)
    if layout.is_long:
        present &= pl.col(str(layout.metric)).fill_null("").str.strip_chars() != ""
        present &= pl.col(str(layout.value)).is_not_null()
    frame = frame.filter(present)
    return fast_long(frame, layout, known) if layout.is_long else fast_wide(frame, layout, known)


def fast_long(frame: object, layout: Layout, known: dict[str, tuple[float, Kind]]) -> Rows:
    """Rows of a long CSV in a Polars frame whose columns are named by position."""
    import polars as pl

    assert isinstance(frame, pl.DataFrame)
    order = [str(i) for _, i in layout.identity_columns]
    new = frame.select(pl.any_horizontal([pl.col(c).ne_missing(pl.col(c).shift()) for c in order])).to_series()
    starts = new.to_numpy().copy()
    starts[:1] = True
    launches = [tuple(v or "" for v in row) for row in frame.select(order).filter(pl.Series(starts)).iter_rows()]
    parts = [str(i) for i in (layout.section, layout.metric, layout.unit) if i >= 0]
    keys = frame.select(pl.concat_str([pl.col(p).fill_null("") for p in parts], separator="\x1f")).to_series()
    distinct = keys.unique(maintain_order=True)
    codes = keys.cast(pl.Enum(distinct)).to_physical().to_numpy().astype(np.int32)
    metrics = [metric_of_parts(key.split("\x1f"), layout) for key in distinct.to_list()]
    tokens = frame[str(layout.value)]
    values, kinds = parse_series(tokens, known)
    launch_of = (np.cumsum(starts) - 1).astype(np.int32)
    texts = [
        (int(launch_of[i]), metrics[codes[i]][1], str(tokens[int(i)]))
        for m, metric in enumerate(metrics)
        if metric[1] in TEXT_METRICS
        for i in np.flatnonzero(codes == m)
    ]
    return Rows(launches, launch_of, metrics, codes, values, kinds, texts)


def metric_of_parts(parts: list[str], layout: Layout) -> Metric:
    """Section, name and unit from those of the three that the CSV has."""
    rest = iter(parts)
    section = next(rest) if layout.section >= 0 else ""
    name = next(rest)
    return section, name, next(rest) if layout.unit >= 0 else ""


def fast_wide(frame: object, layout: Layout, known: dict[str, tuple[float, Kind]]) -> Rows:
    """Rows of a wide CSV in a Polars frame whose columns are named by position."""
    import polars as pl

    assert isinstance(frame, pl.DataFrame)
    order = [str(i) for _, i in layout.identity_columns]
    launches = [tuple(v or "" for v in row) for row in frame.select(order).iter_rows()]
    tokens = frame.select([str(i) for i, _, _ in layout.wide]).unpivot()["value"]
    texts = [
        (row, name, text or "")
        for i, name, _ in layout.wide
        if name in TEXT_METRICS
        for row, text in enumerate(frame[str(i)].to_list())
    ]
    return wide_rows(layout, launches, *parse_series(tokens, known), texts)


def as_index(values: list[int] | NDArray[np.integer]) -> IndexArray:
    """(n,) int32 positions."""
    return np.asarray(values, dtype=np.int32)
