"""A CSV, TSV or Parquet file as columns of strings or numbers, whatever separators it was saved with."""

from __future__ import annotations

import csv
import io
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import InputError, one_line
from roofcast.core.extras import has_polars, require_polars
from roofcast.core.kernel_table import TextArray, as_text
from roofcast.ingest.text.decoding import MAX_CELL_CHARS, is_text
from roofcast.ingest.text.files import MOST_UNPACKED_BYTES, refuse_unpacked
from roofcast.ingest.text.lines import blocks, split_header
from roofcast.ingest.text.numbers import (
    Evidence,
    FloatArray,
    Kind,
    KindArray,
    decide,
    parse_numbers,
    parse_series,
    settle,
    settle_block,
)

if TYPE_CHECKING:
    import polars

PARQUET = b"PAR1"
ABSENT_WORDS = ("", "na", "n/a", "nan", "none", "null", "-", "--", "inf", "-inf", "(!) n/a")
MAX_HEADERS = 20_000
"""Columns of a table: no profiler has so many counters, and each column takes memory."""
CELL_BYTES = 8
"""B of a cell in memory: a double."""
WITH_COMMA = r"^[\s+-]*[0-9.' ]*,[0-9]"
"""What begins as a number does that has a comma in it."""
SAMPLE_ROWS = 256
"""Rows that show which columns hold numbers."""
BEYOND = "\x00beyond the header"
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""

FAST_FROM_BYTES = 2**20
"""Text from which a table is read by Polars, where it is installed: below, loading it takes longer than reading."""

Cells: TypeAlias = "TextArray | polars.Series"
Columns: TypeAlias = dict[str, Cells]
"""Header -> values: strings, or from the fast reader strings or numbers."""


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


def read_columns(stream: BinaryIO, name: str, is_word: Callable[[str], bool] = bool) -> Columns:
    """All columns of the file.

    is_word : whether the cells under a header stay as they are written, even where all are numbers.
    """
    stream.seek(0)
    head = stream.read(65536)
    stream.seek(0)
    if head.startswith(PARQUET):
        return read_parquet(stream, name)
    if head.strip() and not is_text(head):
        raise InputError(f"{one_line(name)}: binary content: not a kernel table (CSV or Parquet)")
    return read_delimited(blocks(stream, name), name, is_word)


def refuse_width(columns: int, name: str) -> None:
    """Refuse a table of more columns than anybody's counters have; each takes memory whatever stands in it."""
    if columns > MAX_HEADERS:
        raise InputError(
            f"{one_line(name)}: more than {MAX_HEADERS:,} columns ({columns:,} in what was looked at): "
            "keep the kernel, its time and the amounts"
        )


def read_parquet(stream: BinaryIO, name: str) -> Columns:
    """All columns of a Parquet file; nested ones as text."""
    require_polars("Parquet")
    import polars as pl

    try:
        content = stream.read()
        lazy = pl.scan_parquet(io.BytesIO(content))
        refuse_width(len(lazy.collect_schema()), name)
        # Runs of one value take no room in the file, whatever their length.
        if lazy.select(pl.len()).collect().item() * len(lazy.collect_schema()) * CELL_BYTES > MOST_UNPACKED_BYTES:
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


def read_delimited(parts: Iterator[bytes], name: str, is_word: Callable[[str], bool] = bool) -> Columns:
    """Columns of delimited text: as strings, or as numbers where all cells of one can be read in one way only."""
    head = next(parts, b"")
    headers, delimiter, skipped = header_of(head[: 2**22].decode("utf-8", "replace"))
    if not headers:
        raise InputError(f"{one_line(name)}: not a kernel table: no header line")
    refuse_width(len(headers), name)
    names = [h or f"column {i + 1}" for i, h in enumerate(headers)]
    places = {h: i for i, h in reversed(list(enumerate(names)))}
    names = [h if places[h] == i else f"{h} ({i + 1})" for i, h in enumerate(names)]
    start = 0
    for _ in range(skipped + 1):
        start = head.find(b"\n", start) + 1 or len(head)
    following = next(parts, None)
    short = following is None and len(head) < FAST_FROM_BYTES
    parts = chain((head[start:],), () if following is None else (following,), parts)
    if short or not has_polars():
        return read_cells(b"".join(parts), names, delimiter, name)
    return read_fast(parts, names, delimiter, name, is_word)


def read_cells(body: bytes, names: list[str], delimiter: str, name: str) -> Columns:
    """The rows by Python's own reader: all columns as strings."""
    csv.field_size_limit(MAX_CELL_CHARS)
    text, width = body.decode("utf-8", "replace"), len(names)
    try:
        balanced = text.count('"') % 2 == 0
        rows = list(csv.reader(io.StringIO(text), delimiter=delimiter)) if balanced else read_lines(text, delimiter)
    except csv.Error:
        rows = read_lines(text, delimiter)
    for number, cells in enumerate((r for r in rows if r), 1):
        if len(cells) > width and cells[width].strip():
            raise refuse_longer(number, width, name)
    rows = [[*cells[:width], *[""] * (width - len(cells))] for cells in rows if any(cells[:width])]
    columns = zip(*rows, strict=True) if rows else [()] * width
    return {h: as_text(map(without_own_apostrophe, cells)) for h, cells in zip(names, columns, strict=True)}


def without_own_apostrophe(cell: str) -> str:
    """A text without the apostrophe that keeps a spreadsheet from taking it for a formula."""
    return cell[1:] if cell.startswith("'") and cell[1:2] in FORMULAS else cell


def read_lines(text: str, delimiter: str) -> list[list[str]]:
    """Rows of text whose quotes are not balanced, a line each; lines that are no row are left out."""
    rows = []
    for line in text.split("\n"):
        try:
            rows.append(next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), []))
        except csv.Error:
            continue
    return rows


def refuse_longer(row: int, width: int, name: str) -> InputError:
    """Refuse a row that goes on beyond the header: its cells are shifted, and would be read as wrong numbers."""
    return InputError(
        f"{one_line(name)}: row {row} below the header has more cells than the header has names"
        f" ({width}): put names that hold separators into quotes"
    )


def read_fast(
    parts: Iterable[bytes], names: list[str], delimiter: str, name: str, is_word: Callable[[str], bool]
) -> Columns:
    """The rows by Polars."""
    import polars as pl

    # Every further copy of a file of tables would stay in memory while it is parsed.
    text, plain = io.BytesIO(), True
    # The fast reader takes the number of columns from the first row: an empty one says that there is one more.
    for part in chain((delimiter.encode() * len(names) + b"\n",), parts):
        plain = plain and part.isascii()
        text.write(part)
    schema = dict.fromkeys([*names, BEYOND], pl.String)
    try:
        frame = read_typed(text, schema, delimiter, plain, is_word)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        frame = read_slowly(text.getvalue().partition(b"\n")[2], list(schema), delimiter)
    frame = within_header(frame, name)
    return {s.name: without_apostrophes(s) for s in without_empty_rows(frame).get_columns()}


def without_apostrophes(cells: polars.Series) -> polars.Series:
    """:func:`without_own_apostrophe` of all cells."""
    import polars as pl

    quoted = cells.dtype == pl.String and cells.str.starts_with("'").any()
    return cells.str.replace(r"^'([=+\-@\t\r])", "$1") if quoted else cells


def read_typed(
    text: io.BytesIO, schema: dict[str, Any], delimiter: str, plain: bool, is_word: Callable[[str], bool]
) -> polars.DataFrame:
    """The rows by the fast reader, with numbers where a sample shows them and all other cells agree.

    What ``1.234`` means only the other numbers say (see :func:`numbers`): where a comma stands in any number, all
    columns stay strings.
    """
    import polars as pl

    def read(dtypes: dict[str, Any], rows: int | None = None) -> polars.DataFrame:
        text.seek(0)
        return pl.read_csv(
            text, has_header=False, schema=dtypes, separator=delimiter, truncate_ragged_lines=True, n_rows=rows,
            encoding="utf8" if plain else "utf8-lossy",
        ).slice(1)  # fmt: skip

    sample = read(schema, SAMPLE_ROWS)
    if sample.height < SAMPLE_ROWS - 1:  # all there is
        return sample
    words = [h for h in schema if h == BEYOND or is_word(h)]
    numbers = [h for h in schema if h not in words and is_numeric(sample[h])]
    try:
        frame = read(schema | dict.fromkeys(numbers, pl.Float64))
    except pl.exceptions.PolarsError:
        return read(schema)
    rest = [h for h in schema if h not in words and h not in numbers]
    return read(schema) if any(frame[h].str.contains(WITH_COMMA).any() for h in rest) else frame


def is_numeric(cells: polars.Series) -> bool:
    """Whether the cells that are not empty are plain numbers, and there are some."""
    import polars as pl

    return 0 < cells.cast(pl.Float64, strict=False).count() == cells.replace("", None).count()


def without_empty_rows(frame: polars.DataFrame) -> polars.DataFrame:
    """The rows in which anything stands."""
    import polars as pl

    def present(name: str) -> polars.Expr:
        column = pl.col(name)
        return column.str.len_bytes().fill_null(0) > 0 if frame[name].dtype == pl.String else column.is_not_null()

    # Nearly always one look at the first column is enough.
    if not frame.height or frame.select(present(frame.columns[0])).to_series().all():
        return frame
    return frame.filter(pl.any_horizontal([present(n) for n in frame.columns]))


def within_header(frame: polars.DataFrame, name: str) -> polars.DataFrame:
    """The named columns; no row may go on beyond them."""
    import polars as pl

    longer = frame.select((pl.col(BEYOND).str.strip_chars().str.len_bytes() > 0).fill_null(value=False)).to_series()
    if longer.any():
        raise refuse_longer(int(longer.arg_max() or 0) + 1, frame.width - 1, name)
    return frame.drop(BEYOND)


def read_slowly(body: bytes, names: list[str], delimiter: str) -> polars.DataFrame:
    """The same for text that the fast reader refuses: unbalanced quotes, ragged rows."""
    import polars as pl

    csv.field_size_limit(MAX_CELL_CHARS)
    lines = read_lines(body.decode("utf-8", "replace"), delimiter)
    rows = [[*cells[: len(names)], *[""] * (len(names) - len(cells))] for cells in lines if cells]
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def strings(column: Cells) -> TextArray:
    """(n,) cells as stripped strings; absent ones are empty. Cells with one text share one string."""
    if isinstance(column, np.ndarray):
        return as_text(sys.intern(c.strip()) for c in column)
    import polars as pl

    cells = column.cast(pl.String).fill_null("").str.strip_chars()
    distinct = cells.unique()
    if 2 * len(distinct) > len(cells):
        return as_text(cells.to_list())
    codes: NDArray[np.uint32] = cells.cast(pl.Enum(distinct)).to_physical().to_numpy()
    return as_text(distinct.to_list()).take(codes)


def numbers(columns: Mapping[str, Cells]) -> tuple[dict[str, FloatArray], dict[str, list[int]], str]:
    """Values of columns that are expected to be numbers; NaN where absent or no number.

    Returns header -> (n,) float64; header -> rows whose cell is neither absent nor a number; a doubt about the
    locale, '' where there is none. The decimal separator is settled once for all columns together.
    """
    texts: dict[str, Cells] = {}
    values: dict[str, FloatArray] = {}
    for header, column in columns.items():
        if isinstance(column, np.ndarray):
            texts[header] = as_text(c.strip() for c in column)
        elif column.dtype.is_numeric():
            values[header] = as_floats(column)
        else:
            texts[header] = column.str.strip_chars()
    known: dict[str, tuple[float, Kind]] = {}
    note = ""
    if any(map(has_comma, texts.values())):
        evidence = Evidence()
        parsed = {h: parse_any_cells(c, known) for h, c in texts.items()}
        for _, kinds in parsed.values():
            evidence.add(kinds)
        decimal, note = decide(evidence, ambiguous_is_grouping=False)
        values |= {h: settle(v, kinds, decimal) for h, (v, kinds) in parsed.items()}
    else:
        values |= {h: parse_plain_cells(c, known) for h, c in texts.items()}
    bad = {h: words_in(c, values[h]) for h, c in texts.items()}
    for of_column in values.values():
        of_column[np.isinf(of_column)] = math.nan
    return values, {h: rows for h, rows in bad.items() if rows}, note


def as_floats(column: polars.Series) -> FloatArray:
    """A column as numbers, NaN where a cell is none."""
    import polars as pl

    return column.cast(pl.Float64, strict=False).fill_null(math.nan).to_numpy().copy()


def has_comma(cells: Cells) -> bool:
    """Whether any cell has one."""
    if isinstance(cells, np.ndarray):
        return any("," in c for c in cells)
    return bool(cells.str.contains(",", literal=True).any())


def parse_any_cells(cells: Cells, known: dict[str, tuple[float, Kind]]) -> tuple[FloatArray, KindArray]:
    """Numbers of any locale, with what each shows of it."""
    if isinstance(cells, np.ndarray):
        return settle_block(*parse_numbers(cells, known))
    return parse_series(cells, known)


def parse_plain_cells(cells: Cells, known: dict[str, tuple[float, Kind]]) -> FloatArray:
    """Numbers without a comma in any of them."""
    if isinstance(cells, np.ndarray):
        return parse_numbers(cells, known)[0]
    values = as_floats(cells)
    odd = np.flatnonzero(np.isnan(values) & (cells.str.len_bytes() > 0).fill_null(value=False).to_numpy())
    if len(odd):
        values[odd] = parse_numbers(cells.gather(odd).to_list(), known)[0]
    return values


def words_in(column: Cells, values: FloatArray) -> list[int]:
    """Rows whose cell is a word other than those for an absent value."""
    rows = np.flatnonzero(np.isnan(values))
    if not len(rows):
        return []
    cells = column[rows] if isinstance(column, np.ndarray) else column.gather(rows).fill_null("").to_list()
    return [int(r) for r, cell in zip(rows, cells, strict=True) if cell.lower() not in ABSENT_WORDS]


def looks_delimited(text: str) -> bool:
    """Whether the first line of a text is a header of at least two names."""
    cells = header_of(text)[0]
    named = [c for c in cells if re.search(r"[A-Za-z]", c) and len(c) < 200]
    return len(named) >= 2 and len(named) >= 0.5 * len(cells)
