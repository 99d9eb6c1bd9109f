"""A CSV, TSV or Parquet file as columns of strings or numbers, whatever separators it was saved with."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from roofcast.core.errors import InputError, one_line
from roofcast.ingest.text.decoding import MAX_CELL_CHARS, is_text
from roofcast.ingest.text.files import MOST_UNPACKED_BYTES, refuse_unpacked
from roofcast.ingest.text.lines import blocks, split_header
from roofcast.ingest.text.numbers import Evidence, FloatArray, Kind, decide, parse_numbers, parse_series, settle

if TYPE_CHECKING:
    import polars

PARQUET = b"PAR1"
ABSENT_WORDS = ("", "na", "n/a", "nan", "none", "null", "-", "--", "inf", "-inf", "(!) n/a")
MAX_HEADERS = 20_000
CELL_BYTES = 8
BEYOND = "\x00beyond the header"

Columns = dict[str, "polars.Series"]
"""Header -> values, as strings or as numbers."""


def header_of(text: str) -> tuple[list[str], str, int]:
    r"""Header cells, delimiter and number of lines before the header; comment and empty lines are skipped.

    >>> header_of("# made by hand\nkernel;time_ms\na;1,5")
    (['kernel', 'time_ms'], ';', 1)
    """
    skipped = 0
    for line in text.split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            break
        skipped += 1
    else:
        return [], ",", 0
    return *split_header(line), skipped


def read_columns(stream: BinaryIO, name: str) -> Columns:
    """All columns of the file.

    Raises
    ------
    InputError : neither Parquet nor delimited text, or damaged.
    """
    stream.seek(0)
    head = stream.read(65536)
    stream.seek(0)
    if head.startswith(PARQUET):
        return read_parquet(stream, name)
    if head.strip() and not is_text(head):
        raise InputError(f"{one_line(name)}: binary content: not a kernel table (CSV or Parquet)")
    return read_delimited(b"".join(blocks(stream, name)), name)


def read_parquet(stream: BinaryIO, name: str) -> Columns:
    """All columns of a Parquet file; nested ones as text."""
    import polars as pl

    try:
        content = stream.read()
        found = pl.scan_parquet(io.BytesIO(content))
        # Runs of one value take no room in the file, whatever their length.
        if found.select(pl.len()).collect().item() * len(found.collect_schema()) * CELL_BYTES > MOST_UNPACKED_BYTES:
            raise refuse_unpacked(stream)
        frame = pl.read_parquet(io.BytesIO(content))
        plain = [
            s if s.dtype.is_numeric() or s.dtype == pl.String else s.cast(pl.String, strict=False)
            for s in frame.get_columns()
            if not s.dtype.is_nested() and s.dtype not in (pl.Binary, pl.Object)
        ]
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        raise InputError(f"{one_line(name)}: a damaged Parquet file: {one_line(str(error), 120)}") from error
    return {s.name: s for s in plain}


def read_delimited(data: bytes, name: str) -> Columns:
    """All columns of delimited text, as strings."""
    import polars as pl

    first = data[: 2**22].decode("utf-8", "replace")
    headers, delimiter, skipped = header_of(first)
    if not headers or len(headers) > MAX_HEADERS:
        raise InputError(f"{one_line(name)}: not a kernel table: no header line")
    names = [h or f"column {i + 1}" for i, h in enumerate(headers)]
    names = [h if names.index(h) == i else f"{h} ({i + 1})" for i, h in enumerate(names)]
    body = data
    for _ in range(skipped + 1):
        body = body.partition(b"\n")[2]
    # The fast reader takes the number of columns from the first row: an empty one says that there is one more.
    first_row = delimiter.encode() * len(names) + b"\n"
    try:
        frame = pl.read_csv(
            first_row + body,
            has_header=False,
            schema=dict.fromkeys([*names, BEYOND], pl.String),
            separator=delimiter,
            truncate_ragged_lines=True,
            encoding="utf8" if body.isascii() else "utf8-lossy",
        ).slice(1)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        frame = read_slowly(body, [*names, BEYOND], delimiter)
    frame = within_header(frame, name)
    present = pl.any_horizontal([pl.col(n).str.len_bytes() > 0 for n in names])
    frame = frame.filter(present.fill_null(value=False)) if frame.height else frame
    return {s.name: s for s in frame.get_columns()}


def within_header(frame: polars.DataFrame, name: str) -> polars.DataFrame:
    """The named columns; rows that go on beyond them are shifted, and would be read as wrong numbers."""
    import polars as pl

    longer = frame.select((pl.col(BEYOND).str.strip_chars().str.len_bytes() > 0).fill_null(value=False)).to_series()
    if longer.any():
        row = int(longer.arg_max() or 0) + 1
        raise InputError(
            f"{one_line(name)}: row {row} below the header has more cells than the header has names"
            f" ({frame.width - 1}): put names that hold separators into quotes"
        )
    return frame.drop(BEYOND)


def read_slowly(body: bytes, names: list[str], delimiter: str) -> polars.DataFrame:
    """The same for text that the fast reader refuses: unbalanced quotes, ragged rows."""
    import polars as pl

    csv.field_size_limit(MAX_CELL_CHARS)
    rows: list[list[str]] = []
    for line in body.decode("utf-8", "replace").split("\n"):
        try:
            cells = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
        except csv.Error:
            continue
        if cells:
            rows.append([*cells[: len(names)], *[""] * (len(names) - len(cells))])
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def strings(column: polars.Series) -> list[str]:
    """Cells as stripped strings; absent ones are empty."""
    import polars as pl

    return column.cast(pl.String).fill_null("").str.strip_chars().to_list()


def numbers(columns: Mapping[str, polars.Series]) -> tuple[dict[str, FloatArray], dict[str, list[int]], str]:
    """Values of columns that are expected to be numbers; NaN where absent or no number.

    Returns header -> (n,) float64; header -> rows whose cell is neither absent nor a number; a doubt about the
    locale, '' where there is none. The decimal separator is settled once for all columns together.
    """
    import polars as pl

    texts = {h: c for h, c in columns.items() if c.dtype == pl.String}
    values: dict[str, FloatArray] = {
        h: c.cast(pl.Float64, strict=False).fill_null(math.nan).to_numpy().copy()
        for h, c in columns.items()
        if h not in texts
    }
    texts = {h: c.str.strip_chars() for h, c in texts.items()}
    known: dict[str, tuple[float, Kind]] = {}
    note = ""
    if any(c.str.contains(",", literal=True).any() for c in texts.values()):
        evidence = Evidence()
        parsed = {h: parse_series(c, known) for h, c in texts.items()}
        for _, kinds in parsed.values():
            evidence.add(kinds)
        decimal, note = decide(evidence, ambiguous_is_grouping=False)
        values |= {h: settle(v, kinds, decimal) for h, (v, kinds) in parsed.items()}
    else:
        for header, column in texts.items():
            found = column.cast(pl.Float64, strict=False).fill_null(math.nan).to_numpy().copy()
            odd = np.flatnonzero(np.isnan(found) & (column.str.len_bytes() > 0).fill_null(value=False).to_numpy())
            if len(odd):
                found[odd] = parse_numbers(column.gather(odd).to_list(), known)[0]
            values[header] = found
    bad = {h: words_in(c, values[h]) for h, c in texts.items()}
    for found in values.values():
        found[np.isinf(found)] = math.nan
    return values, {h: rows for h, rows in bad.items() if rows}, note


def words_in(column: polars.Series, values: FloatArray) -> list[int]:
    """Rows whose cell is a word other than those for an absent value."""
    rows = np.flatnonzero(np.isnan(values))
    if not len(rows):
        return []
    cells = column.gather(rows).fill_null("").to_list()
    return [int(r) for r, cell in zip(rows, cells, strict=True) if cell.lower() not in ABSENT_WORDS]


def looks_delimited(text: str) -> bool:
    """Whether the first line of a text is a header of at least two names."""
    cells = header_of(text)[0]
    named = [c for c in cells if re.search(r"[A-Za-z]", c) and len(c) < 200]
    return len(named) >= 2 and len(named) >= 0.5 * len(cells)
