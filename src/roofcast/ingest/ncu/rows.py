"""One block of an ncu CSV as arrays, on two paths that agree: a fast one by Polars and a forgiving one.

The fast path wants every physical line to be one row. Where a kernel name holds a line end, where noise holds a lone
quote or where the counts differ for any other reason, the block goes the forgiving way, line by line.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roofcast.core.extras import has_polars
from roofcast.core.records import dataclass
from roofcast.ingest.ncu.layout import COUNT, Layout, are_launches
from roofcast.ingest.text.lines import read_cells
from roofcast.ingest.text.numbers import (
    FloatArray,
    Kind,
    KindArray,
    parse_numbers,
    parse_series,
    read_english,
    settle,
    settle_block,
    shows_point,
)  # fmt: skip

if TYPE_CHECKING:
    import polars

BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.int32]
Positions = NDArray[np.intp]
Known = dict[str, tuple[float, Kind]]
"""What tokens mean, kept between blocks."""
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


def parse_block(block: bytes, layout: Layout, known: Known) -> Rows:
    """All rows of a block; noise lines are skipped."""
    if len(block) >= (FAST_ONCE_LOADED if "polars" in sys.modules else FAST_FROM_BYTES) and has_polars():
        rows = parse_fast(block, layout, known)
        if rows is not None:
            return rows
    return parse_slowly(block.decode("utf-8", "replace"), layout, known)


def parse_slowly(text: str, layout: Layout, known: Known) -> Rows:
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
    if not layout.is_long:
        tokens = [cells[i] if i < len(cells) else "" for i, _, _ in layout.wide for cells in rows]
        return wide_rows(layout, launches, tokens, settle_block(*parse_numbers(tokens, known)))
    codes: dict[Metric, int] = {}
    metric_of = [codes.setdefault(metric_in(dict(enumerate(cells)), layout), len(codes)) for cells in rows]
    tokens = [cells[layout.value] for cells in rows]
    numbers = settle_block(*parse_numbers(tokens, known))
    return long_rows(launches, as_index(launch_of), list(codes), as_index(metric_of), tokens, numbers)


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


def metric_in(cells: Mapping[int, str], layout: Layout) -> Metric:
    """Section, name and unit of a metric by its cells' positions; '' for a column that the CSV lacks."""
    return cells.get(layout.section, ""), cells[layout.metric], cells.get(layout.unit, "")


def long_rows(
    launches: list[tuple[str, ...]],
    launch_of: IndexArray,
    metrics: list[Metric],
    metric_of: IndexArray,
    tokens: Sequence[str] | polars.Series,
    numbers: tuple[FloatArray, KindArray],
) -> Rows:
    """Rows of a long CSV, one metric each, from the values as printed and as numbers."""
    texts = [
        (int(launch_of[i]), TEXT_METRIC, str(tokens[int(i)]))
        for m, metric in enumerate(metrics)
        if metric[1] == TEXT_METRIC
        for i in np.flatnonzero(metric_of == m)
    ]
    return Rows(launches, metrics, *numbers, launch_of, metric_of, texts)


def wide_rows(
    layout: Layout,
    launches: list[tuple[str, ...]],
    tokens: Sequence[str] | polars.Series,
    numbers: tuple[FloatArray, KindArray],
) -> Rows:
    """Rows of a wide CSV from its values as printed and as numbers, metric after metric."""
    metrics = [("", name, unit) for _, name, unit in layout.wide]
    shape = (len(metrics), len(launches))
    texts = [
        (row, name, tokens[position * len(launches) + row] or "")
        for position, (_, name, _) in enumerate(metrics)
        if name == TEXT_METRIC
        for row in range(len(launches))
    ]
    values, kinds = numbers
    return Rows(launches, metrics, values.reshape(shape), kinds.reshape(shape), texts=texts)


def parse_fast(block: bytes, layout: Layout, known: Known) -> Rows | None:
    """The fast path; None where the block is not one row per line."""
    return parse_long(block, layout, known) if layout.is_long else parse_wide(block, layout, known)


def parse_wide(block: bytes, layout: Layout, known: Known) -> Rows | None:
    """A wide CSV, column by column; None where its rows are not one line each."""
    import polars as pl

    if (parsed := parse_wide_quoted(block, layout, known)) is not None:
        return parsed
    if not are_quotes_regular(block, layout.delimiter):
        return None
    identity = [i for _, i in layout.identity_columns]
    frame = read_strings(block, layout, [*identity, *(i for i, _, _ in layout.wide)])
    if frame is None or frame.height != len(line_ends(block)):
        return None
    launches = frame.select([str(i) for i in identity]).fill_null("").rows()
    is_row = are_launches(launches, layout)
    if not is_row.all():
        frame = frame.filter(is_row)
        launches = [row for row, wanted in zip(launches, is_row.tolist(), strict=True) if wanted]
    tokens = pl.concat([frame[str(i)] for i, _, _ in layout.wide])
    del frame
    rows = wide_rows(layout, launches, tokens, parse_series(tokens, known))
    rows.skipped = not is_row.all()
    return rows


CELL = r'"(?:[^",\n]*|[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:[.][0-9]*)?|[A-Za-z(<][^"\n]*)"'
"""A cell without a comma, with commas that group digits by three, or with some in what is no number."""
QUOTED = rf"\A(?:{CELL}(?:,{CELL})*(?:\r?\n|\z))*\z"
PIECE = 2**18
"""Bytes that are looked at together: they stay in the cache."""
SHOWN = 2**14
"""Bytes whose numbers show which separator is the decimal one."""


def parse_wide_quoted(block: bytes, layout: Layout, known: Known) -> Rows | None:
    """A wide CSV as ncu prints it where the point is decimal, without a text per number; None for any other.

    Every cell is quoted, the identity stands before the metrics, and no number has a comma but to group its digits: so
    without quotes and those commas Polars reads numbers at once. Columns in which it finds other cells are read again
    as texts.
    """
    import polars as pl

    wide = [i for i, _, _ in layout.wide]
    first, last = wide[0], wide[-1]
    if layout.delimiter != "," or max(layout.identity.values()) >= first:
        return None
    before = re.compile(rb'(?:"[^"\n]*",){%d}(?=")' % first)
    who, rest, begin = [], [], 0
    for end in line_ends(block).tolist():
        match = before.match(block, begin)
        if match is None:
            return None
        who.append(match.group())
        rest.append(memoryview(block)[match.end() : end])
        begin = end
    text = b"".join(rest)
    head = [cell.strip('",\r\n') for cell in text[:SHOWN].decode("utf-8", "replace").split('","')]
    if not (
        text.isascii() and shows_point(pl.Series(head), known) and pl.Series([text.decode()]).str.contains(QUOTED)[0]
    ):
        return None
    order = [i for _, i in layout.identity_columns]
    identity = read_strings(b"\n".join(who), layout, order)
    names = [str(i) for i in range(first, last + 1)]
    try:
        numbers = pl.read_csv(
            strip_grouping(text), has_header=False, schema=dict.fromkeys(names, pl.Float64), quote_char=None,
            ignore_errors=True, truncate_ragged_lines=True,
        )  # fmt: skip
    except pl.exceptions.PolarsError:
        # The first line has other cells than the header: damage.
        return None
    if identity is None or not identity.height == numbers.height == len(who):
        return None
    launches = identity.select([str(i) for i in order]).fill_null("").rows()
    if not are_launches(launches, layout).all():
        return None
    values = numbers.to_numpy().T
    if values.shape[0] > len(wide):
        values = values[np.array(wide) - first]
    kinds = np.full(values.shape, int(Kind.DECIMAL_POINT), np.uint8)
    rows = Rows(launches, [("", name, unit) for _, name, unit in layout.wide], values, kinds, skipped=False)
    return rows if read_others(block, text, layout, rows, known) else None


def read_others(block: bytes, text: bytes, layout: Layout, rows: Rows, known: Known) -> bool:
    """Read columns with cells that are no plain numbers again, from their texts; False where the comma is decimal."""
    absent = ~np.isfinite(rows.values)
    rows.kinds[absent] = int(Kind.PLAIN)
    others = np.flatnonzero(absent.any(axis=1))
    # Where as many cells are empty, these are all.
    unbroken = len(layout.wide) == layout.wide[-1][0] - layout.wide[0][0] + 1
    if not len(others) or (unbroken and np.count_nonzero(absent) == text.count(b'""')):
        return True
    frame = read_strings(block, layout, [layout.wide[k][0] for k in others])
    if frame is None or frame.height != len(rows.launches):
        return False
    for k in others.tolist():
        column, name, _ = layout.wide[k]
        cells = read_english(frame[str(column)], known)
        if cells is None:
            return False
        rows.values[k], rows.kinds[k] = settle(*cells, "."), cells[1]
        if name == TEXT_METRIC:
            rows.texts += [(row, name, cell or "") for row, cell in enumerate(frame[str(column)].to_list())]
    return True


def strip_grouping(text: bytes) -> bytes:
    """Quoted cells without their quotes and without the commas in them."""
    data, pieces = np.frombuffer(text, np.uint8), []
    # The first byte is a quote.
    for start in range(1, len(data), PIECE):
        piece = data[start : start + PIECE]
        keep = data[start - 1 : start - 1 + len(piece)] == ord('"')
        keep |= piece != ord(",")
        keep &= piece != ord('"')
        pieces.append(piece.take(np.flatnonzero(keep)))  # twice as quick as by the mask
    return np.concatenate(pieces).tobytes()


def are_quotes_regular(block: bytes, delimiter: str) -> bool:
    """Whether quotes come in pairs, each at an edge of a cell or beside another; Polars reads others in its own way."""
    mark = re.escape(delimiter)
    if block.count(b'"') % 2 or re.search(rf'{mark} "(?!"[^{mark}\n])'.encode(), block):
        return False
    data = np.frombuffer(block, np.uint8)
    quote = data == ord('"')
    edge = quote | (data == ord(delimiter)) | (data == ord("\n"))
    return not (quote[1:-1] & ~(edge[:-2] | edge[2:])).any()


def parse_long(block: bytes, layout: Layout, known: Known) -> Rows | None:
    """A long CSV, a line per metric; None where its rows are not one line each.

    All lines of a launch name it by the same cells. So of these only the key (its number and process) is read in every
    line, and the rest in the first line of each launch.
    """
    parts = [i for i in (layout.section, layout.metric, layout.unit) if i >= 0]
    ends = line_ends(block)
    frame = read_strings(block, layout, [*layout.key_columns, *parts, layout.value])
    if frame is None or frame.height != len(ends):
        return None
    rows, skipped = metric_rows(frame, layout)
    while True:
        metrics = frame if len(rows) == frame.height else frame[rows]
        starts = run_starts(metrics, layout)
        launches = read_identities(block, ends, rows[starts], layout)
        if launches is None:
            return None
        known_launch = are_launches(launches, layout)
        launch_of = np.cumsum(starts, dtype=np.int32) - np.int32(1)
        if known_launch.all():
            break
        # Every other line of such a run is looked at: the first one alone may be damaged.
        doubtful = np.flatnonzero(~known_launch[launch_of])
        cells = read_identities(block, ends, rows[doubtful], layout)
        if cells is None:
            return None
        # Without the noise, lines of one launch that stood on either side of it come together.
        rows, skipped = np.delete(rows, doubtful[~are_launches(cells, layout) | starts[doubtful]]), True
    distinct, metric_of = distinct_rows(metrics.select([str(i) for i in parts]))
    names = [metric_in(dict(zip(parts, cells, strict=True)), layout) for cells in distinct]
    tokens = metrics[str(layout.value)]
    parsed = long_rows(launches, launch_of, names, metric_of, tokens, parse_series(tokens, known))
    parsed.skipped = skipped
    return parsed


def line_ends(block: bytes) -> Positions:
    """Position behind each line of a block; the last line may lack its line feed."""
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n")) + 1
    return ends if block.endswith(b"\n") else np.append(ends, len(block))


def metric_rows(frame: polars.DataFrame, layout: Layout) -> tuple[Positions, bool]:
    """Which lines have a metric and a value; and whether others than rules, which have no metric, have none."""
    import polars as pl

    has_value = pl.col(str(layout.value)).is_not_null()
    is_metric = has_value & (pl.col(str(layout.metric)).str.len_bytes() > 0).fill_null(value=False)
    metrics = frame.select(is_metric.alias("metric")).to_series()
    if metrics.all():
        return np.arange(frame.height), False
    anchor = str(layout.key_columns[0])
    is_rule = has_value & pl.col(anchor).str.strip_suffix(".0").cast(pl.UInt64, strict=False).is_not_null()
    others = frame.filter(~metrics).select(is_rule.all()).item()
    return np.flatnonzero(metrics.to_numpy()), not others


def run_starts(frame: polars.DataFrame, layout: Layout) -> BoolArray:
    """(n,) whether a line's key differs from that of the line before it; so does the first."""
    import polars as pl

    keys = [pl.col(str(i)) for i in layout.key_columns]
    changes = [key.ne_missing(key.shift()) for key in keys]
    starts: BoolArray = frame.select(pl.any_horizontal(changes)).to_series().to_numpy().copy()
    starts[:1] = True
    return starts


def read_identities(block: bytes, ends: Positions, lines: Positions, layout: Layout) -> list[tuple[str, ...]] | None:
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


def distinct_rows(frame: polars.DataFrame) -> tuple[list[tuple[str, ...]], IndexArray]:
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


def as_index(values: list[int] | NDArray[np.integer]) -> IndexArray:
    """(n,) int32 positions."""
    return np.asarray(values, dtype=np.int32)
