"""Tables of an SQLite file that nobody vouches for: read only, nothing in it is ever executed.

Views, virtual tables, generated columns, triggers and functions of the file are never touched; only the stored
columns of plain tables are read, in blocks, as arrays: from the pages themselves where their layout is the plain one.
"""

from __future__ import annotations

import io
import math
import re
import sqlite3
import tempfile
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import InputError, one_line
from roofcast.core.records import dataclass
from roofcast.ingest.text.files import progress_of
from roofcast.ingest.traces.event_columns import LIMIT, whole
from roofcast.ingest.traces.sqlite_pages import NULL, NotPlainError, PageColumn, Pages

BLOCK_ROWS = 1 << 15
"""Rows that are fetched at once."""
MAX_TEXT_BYTES = 1 << 22
"""B of a text or a blob: SQLite refuses longer ones before it makes them."""
MAX_COPY_BYTES = 1 << 34
"""B of the temporary copy of a file that was compressed or piped."""
LEAST_ROW_BYTES = 4
"""No row of a table takes less room in a file: more rows than that come from pages that refer to each other."""

FRACTIONS = re.compile("REAL|FLOA|DOUB", re.I)
"""Types of columns whose whole numbers SQLite makes fractions."""
ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_PRAGMA, sqlite3.SQLITE_TRANSACTION})


@dataclass(frozen=True)
class StoredTable:
    """Where the rows of a plain table stand, and what a record of them holds."""

    root: int
    """Number of the page from which the others are found."""
    columns: tuple[str, ...]
    """Of a record, in their order."""
    changed: frozenset[str]
    """Columns whose cells SQLite hands out in another way than they are stored: numbers of rows, fractions."""


@dataclass
class Database:
    """The plain tables of a file."""

    connection: sqlite3.Connection
    size_bytes: int
    columns: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Table -> its stored columns."""
    stored: dict[str, StoredTable] = field(default_factory=dict)
    """Tables that can be read from the pages themselves."""
    file: BinaryIO | None = None
    """The pages; None where they are not to be read but by SQLite."""
    rows_read: int = 0
    reached: Callable[[float], None] | None = None
    """Told how much of the tables that are read has been read."""

    def __contains__(self, table: str) -> bool:
        return table in self.columns

    def has(self, table: str, *columns: str) -> bool:
        """Whether a table has all of the columns."""
        return table in self.columns and set(columns) <= set(self.columns[table])

    def blocks(self, table: str, columns: Sequence[str]) -> Iterator[dict[str, Sequence[Any]]]:
        """The columns of a table in blocks of rows; columns that it lacks are lists of None."""
        present = [c for c in columns if c in self.columns[table]]
        if not present:
            return
        read = 0
        try:
            for cells in self.blocks_of_pages(table, present):
                count = len(cells[present[0]])
                read += count
                self.count_rows(table, count)
                yield {c: cells[c] if c in cells else [None] * count for c in columns}
        except NotPlainError:
            pass
        else:
            return
        chosen = ", ".join(quoted(c) for c in present)
        # In the order of the pages, whatever indices the file has.
        asked = f"SELECT {chosen} FROM {quoted(table)} NOT INDEXED LIMIT -1 OFFSET {read}"  # noqa: S608
        try:
            with closing(self.connection.execute(asked)) as cursor:
                while rows := cursor.fetchmany(BLOCK_ROWS):
                    self.count_rows(table, len(rows))
                    listed: dict[str, list[Any]] = dict(zip(present, map(list, zip(*rows, strict=True)), strict=True))
                    yield {c: listed.get(c) or [None] * len(rows) for c in columns}
        except (sqlite3.Error, MemoryError, OverflowError, UnicodeDecodeError) as error:
            raise InputError(f"table {one_line(table, 80)} is damaged: {one_line(str(error), 120)}") from error

    def blocks_of_pages(self, table: str, columns: Sequence[str]) -> Iterator[dict[str, PageColumn]]:
        """The columns of a table from the pages themselves.

        Raises
        ------
        NotPlainError : SQLite has to read what follows.
        """
        stored = self.stored.get(table)
        if stored is None or self.file is None or not stored.changed.isdisjoint(columns):
            raise NotPlainError
        wanted = [stored.columns.index(c) for c in columns]
        for block in Pages.of(self.file).blocks(stored.root, len(stored.columns), wanted):
            yield dict(zip(columns, block, strict=True))

    def count_rows(self, table: str, count: int) -> None:
        """Take rows into the count of what was read."""
        self.rows_read += count
        if self.rows_read * LEAST_ROW_BYTES > self.size_bytes + (1 << 20):
            raise InputError(f"table {one_line(table, 80)} is damaged: more rows than the file can hold")
        if self.reached is not None:
            # How much of a page a row takes is not known beforehand; most take some hundred bytes.
            self.reached(1.0 - 1.0 / (1.0 + 150.0 * self.rows_read / self.size_bytes))

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """The rows of a small table, with None for columns that it lacks; nothing where there is no such table."""
        if table in self.columns:
            for block in self.blocks(table, columns):
                yield from zip(*block.values(), strict=True)


def quoted(name: str) -> str:
    """An identifier for a statement."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def open_database(stream: BinaryIO) -> Iterator[Database]:
    """The tables of the SQLite file that a stream holds."""
    with file_of(stream) as path:
        check_length(path)
        uri = f"file:{Path(path).as_posix().replace('%', '%25').replace('?', '%3f').replace('#', '%23')}"
        try:
            with closing(sqlite3.connect(f"{uri}?mode=ro&immutable=1", uri=True, isolation_level=None)) as connection:
                secure(connection)
                size = Path(path).stat().st_size
                columns, stored = plain_tables(connection)
                with Path(path).open("rb", buffering=0) as pages:
                    yield Database(connection, size, columns, stored, pages, reached=progress_of(stream))
        # The module itself cannot decode messages that quote undecodable parts of a damaged schema.
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise InputError(f"damaged SQLite file: {one_line(str(error), 120)}") from error


def check_length(path: str) -> None:
    """Refuse a file that is shorter than its own header says.

    Raises
    ------
    InputError : it is.
    """
    with Path(path).open("rb") as file:
        head, size = file.read(100), file.seek(0, 2)
    if len(head) < 100:
        raise InputError("the file ends early, in its first 100 bytes: copy or export it again")
    page, changes, pages, valid = (
        int.from_bytes(head[a:b], "big") for a, b in ((16, 18), (24, 28), (28, 32), (92, 96))
    )
    # The count of pages holds where the file was last written by a version that keeps it.
    whole = pages * (page if page > 1 else 1 << 16)
    if changes == valid and size < whole:
        raise InputError(
            f"the file ends early: {size:,} of its {whole:,} bytes are there: copy it again from where it was made, or "
            "export it again"
        )


def secure(connection: sqlite3.Connection) -> None:
    """Nothing but reading stored columns; bounded texts; undecodable bytes become replacement characters."""
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    for pragma in ("trusted_schema=OFF", "query_only=ON", "cell_size_check=ON", "mmap_size=0", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_TEXT_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.set_authorizer(
        lambda action, *_: sqlite3.SQLITE_OK if action in ALLOWED else sqlite3.SQLITE_DENY  # nothing else is needed
    )


def plain_tables(connection: sqlite3.Connection) -> tuple[dict[str, tuple[str, ...]], dict[str, StoredTable]]:
    """Table -> stored columns, for tables that are neither views nor virtual; and those that pages show as they are."""
    by_table: dict[str, tuple[str, ...]] = {}
    stored: dict[str, StoredTable] = {}
    asked = "SELECT name, sql, rootpage FROM sqlite_master WHERE type = 'table'"
    for name, sql, root in connection.execute(asked).fetchmany(10_000):
        if isinstance(name, str) and isinstance(sql, str) and not sql.lstrip().lower().startswith("create virtual"):
            try:
                rows, every = (
                    connection.execute(f"PRAGMA {listed}({quoted(name)})").fetchall()
                    for listed in ("table_info", "table_xinfo")
                )
            except (sqlite3.Error, UnicodeDecodeError):
                continue
            # table_info lists no generated columns: their expressions are the file's, and stay unevaluated.
            by_table[name] = tuple(str(r[1]) for r in rows)
            if len(every) == len(rows) and isinstance(root, int):
                changed = frozenset(str(r[1]) for r in rows if r[5] or FRACTIONS.search(str(r[2])))
                stored[name] = StoredTable(root, by_table[name], changed)
    return by_table, stored


@contextmanager
def file_of(stream: BinaryIO) -> Iterator[str]:
    """A path of the content: the file itself, else a temporary copy of what was decompressed or piped."""
    stream.seek(0)
    name = getattr(stream, "name", None)
    if isinstance(name, str) and isinstance(stream, io.BufferedReader) and Path(name).is_file():
        yield str(Path(name).resolve())
        return
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as copy:
        taken = 0
        while data := stream.read(1 << 20):
            taken += len(data)
            if taken > MAX_COPY_BYTES:
                raise InputError("the decompressed content is larger than 16 GiB")
            copy.write(data)
        copy.flush()
        yield copy.name


def whole_numbers(values: Sequence[Any], default: int = -1) -> NDArray[np.int64]:
    """(n,) whole numbers of at most 62 bits; the default for anything else."""
    if isinstance(values, PageColumn):
        if values.is_plain:
            usable = values.is_whole & (values.whole < LIMIT) & (values.whole > -LIMIT)
            return values.whole if usable.all() else np.where(usable, values.whole, default)
        values = values.cells
    if len(values) and values[0] is None and values.count(None) == len(values):
        return np.full(len(values), default, np.int64)
    try:
        # Twice as quick as NumPy makes arrays of a list; it takes whole numbers alone.
        integers = np.frombuffer(array("q", values), np.int64)
        if np.abs(integers).max(initial=0) < LIMIT:
            return integers
    except (TypeError, ValueError, OverflowError):
        pass
    good = [v if isinstance(v, int) and abs(v) < LIMIT else whole(v, default) for v in values]
    return np.array(good, dtype=np.int64)


def numbers(values: Sequence[Any]) -> NDArray[np.float64]:
    """(n,) numbers that are not negative; NaN for anything else."""
    if isinstance(values, PageColumn):
        if values.is_plain:
            return np.where(values.is_whole & (values.whole >= 0), values.whole, np.nan)
        values = values.cells
    if len(values) and values[0] is None and values.count(None) == len(values):
        return np.full(len(values), np.nan)
    try:
        doubles = np.frombuffer(array("d", values), np.float64)
    except (TypeError, OverflowError):
        cells = [float(v) if isinstance(v, (int, float)) and 0 <= v < 1e300 else math.nan for v in values]
        return np.array(cells, dtype=np.float64)
    return np.where((doubles >= 0) & (doubles < 1e300), doubles, np.nan)


def absent(values: Sequence[Any]) -> NDArray[np.bool_]:
    """(n,) which cells hold nothing."""
    return values.kind == NULL if isinstance(values, PageColumn) else np.array([v is None for v in values], np.bool_)
