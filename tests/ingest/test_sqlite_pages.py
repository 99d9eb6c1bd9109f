"""What pages show is what SQLite hands out, whatever a file holds."""

from __future__ import annotations

import math
import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roofcast.core.errors import InputError
from roofcast.ingest.traces import sqlite_pages
from roofcast.ingest.traces.sqlite import Database, numbers, open_database, whole_numbers

SHARED = Path(__file__).resolve().parents[3] / "shared" / "fixtures" / "nsys_sqlite"
COLUMNS = "whole INTEGER, other BIGINT, text TEXT, anything, id INTEGER PRIMARY KEY, share REAL"


def draw_cell(chance: random.Random) -> Any:
    """A cell of any type, near the limits of its sizes."""
    return chance.choice(
        [None, 0, 1, 127, 128, -129, 32767, -(1 << 23), 1 << 40, (1 << 63) - 1, -(1 << 63), 1.5, -0.0, math.inf, "",
         "a", "ä" * 20, "n" * 90, b"", b"\0\1"]
    )  # fmt: skip


def write(path: Path, rows: Sequence[Sequence[Any]], page_size: int = 4096, columns: str = COLUMNS) -> Path:
    """A database of one table."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA page_size={page_size}")
        connection.execute(f"CREATE TABLE t ({columns})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(rows[0]))})", rows)
        connection.commit()
    return path


def cells_of(database: Database, columns: Sequence[str], table: str = "t") -> list[tuple[Any, ...]]:
    """The rows of a table, blocks joined."""
    return [row for block in database.blocks(table, columns) for row in zip(*block.values(), strict=True)]


def compare(path: Path, columns: Sequence[str], table: str = "t") -> int:
    """How many rows come from the pages themselves; all have to be those of SQLite."""
    with path.open("rb") as stream, open_database(stream) as database:
        ours = cells_of(database, columns, table)
        arrays = [[f(b[c]) for f in (whole_numbers, numbers) for c in columns] for b in database.blocks(table, columns)]
        pages = 0
        try:
            for block in database.blocks_of_pages(table, columns):
                pages += len(block[columns[0]])
        except sqlite_pages.NotPlainError:
            pass
        database.file = None
        theirs = cells_of(database, columns, table)
        known = [[f(b[c]) for f in (whole_numbers, numbers) for c in columns] for b in database.blocks(table, columns)]
    assert repr(ours) == repr(theirs)
    for one, other in zip(zip(*arrays, strict=True), zip(*known, strict=True), strict=True):
        np.testing.assert_array_equal(np.concatenate(one), np.concatenate(other))
    return pages


@pytest.mark.parametrize("page_size", [512, 4096, 65536])
def test_cells_of_every_kind_are_those_of_sqlite(page_size: int, tmp_path: Path) -> None:
    chance = random.Random(page_size)
    rows = [[*(draw_cell(chance) for _ in range(4)), None, draw_cell(chance)] for _ in range(3000)]
    path = write(tmp_path / "a.sqlite", rows, page_size)
    assert compare(path, ("whole", "other", "text", "anything")) == 3000
    assert compare(path, ("anything",)) == 3000
    # Numbers of rows and fractions are stored in another way than they are handed out.
    assert compare(path, ("id", "whole")) == 0
    assert compare(path, ("share",)) == 0


def test_words_are_alike_where_texts_are(tmp_path: Path) -> None:
    chance = random.Random(5)
    texts = [
        chance.choice(["", "a", "b" * 8, "ä"]) * chance.randint(0, 3) + "\0" * chance.randint(0, 1) for _ in range(900)
    ]
    path = write(tmp_path / "a.sqlite", [(text, text.encode()) for text in texts], columns="text TEXT, blob BLOB")
    with path.open("rb") as stream, open_database(stream) as database:
        for block in database.blocks_of_pages("t", ["text", "blob"]):
            for column in block.values():
                assert isinstance(column, sqlite_pages.PageColumn)
                words = [*zip(*(w.tolist() for w in column.words), strict=True)]
                cells = [*column]
                assert len({*zip(cells, words, strict=True)}) == len({*cells}) == len({*words}) > 15


def test_texts_that_go_on_on_other_pages_are_read_by_sqlite(tmp_path: Path) -> None:
    """The blocks before the one that holds such a text come from the pages; none is read twice."""
    rows = [(i, "x" * (9000 if i == 60_000 else 100)) for i in range(80_000)]
    path = write(tmp_path / "a.sqlite", rows, columns="number INTEGER, text TEXT")
    assert 0 < compare(path, ("number", "text")) < 60_000


@pytest.mark.parametrize(
    "columns",
    [
        "a INTEGER, b INTEGER, c AS (a + b)",
        "a INTEGER, b INTEGER, c AS (a + b) STORED",
        "a INTEGER, b INTEGER, c DEFAULT 7",
    ],
)
def test_tables_whose_records_hold_less_or_more_are_those_of_sqlite(columns: str, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection:
        if "DEFAULT" in columns:
            connection.execute("CREATE TABLE t (a INTEGER, b INTEGER)")
            connection.executemany("INSERT INTO t VALUES (?, ?)", [(i, i * i) for i in range(500)])
            connection.execute("ALTER TABLE t ADD COLUMN c DEFAULT 7")
        else:
            connection.execute(f"CREATE TABLE t ({columns})")
        connection.executemany("INSERT INTO t (a, b) VALUES (?, ?)", [(i, i * i) for i in range(500)])
        connection.commit()
    compare(tmp_path / "a.sqlite", ("a", "b"))


def test_a_table_with_deleted_rows_and_indices_keeps_the_order_of_its_pages(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection:
        connection.execute("CREATE TABLE t (a INTEGER, b INTEGER)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(-i, i) for i in range(9000)])
        connection.execute("CREATE INDEX i ON t (a, b)")
        connection.execute("DELETE FROM t WHERE b % 3 = 0 OR b BETWEEN 2000 AND 4000")
        connection.commit()
    assert compare(tmp_path / "a.sqlite", ("a", "b")) == 9000 - 3000 - 2001 + 667


def test_tables_without_numbers_of_rows_and_other_encodings_are_read_by_sqlite(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection:
        connection.execute("CREATE TABLE t (a INTEGER, b TEXT, PRIMARY KEY (a)) WITHOUT ROWID")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(i, str(i)) for i in range(500)])
        connection.commit()
    with closing(sqlite3.connect(tmp_path / "b.sqlite")) as connection:
        connection.execute("PRAGMA encoding='UTF-16'")
        connection.execute("CREATE TABLE t (a INTEGER, b TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(i, str(i)) for i in range(500)])
        connection.commit()
    assert compare(tmp_path / "a.sqlite", ("b",)) == 0
    assert compare(tmp_path / "b.sqlite", ("a", "b")) == 0


def test_damaged_pages_give_rows_or_one_line(tmp_path: Path) -> None:
    """Bytes that are others than they were: rows, or the error that SQLite has for them."""
    chance = random.Random(5)
    rows = [[*(draw_cell(chance) for _ in range(4)), None, 1.5] for _ in range(2000)]
    whole = write(tmp_path / "a.sqlite", rows).read_bytes()
    for number in range(150):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 4, 40))):
            data[chance.randrange(4096, len(data))] = chance.randrange(256)
        damaged = tmp_path / "b.sqlite"
        damaged.write_bytes(data[: chance.randrange(8192, len(data)) if number % 3 == 0 else None])
        said = ""
        try:
            with damaged.open("rb") as stream, open_database(stream) as database:
                cells_of(database, ("whole", "text", "anything"))
        except InputError as error:
            said = str(error)
        assert "\n" not in said


@pytest.mark.skipif(not SHARED.is_dir(), reason="no real exports beside the checkout")
def test_tables_of_real_exports_come_from_their_pages() -> None:
    direct = every = 0
    for path in sorted(SHARED.glob("*.sqlite")):
        with path.open("rb") as stream, open_database(stream) as database:
            tables = {
                t: c for t, c in database.columns.items() if t.startswith(("CUPTI_ACTIVITY_KIND_", "NVTX_EVENTS"))
            }
        for table, columns in tables.items():
            with path.open("rb") as stream, open_database(stream) as database:
                every += len(cells_of(database, columns[:1], table))
                wanted = [c for c in columns if c not in database.stored[table].changed]
            direct += compare(path, wanted, table)
    assert direct > 0.9 * every > 0
