"""The file behind the store: where it lies, its versioned schema, and connections that wait for other writers.

DuckDB lets one process write at a time and undoes a transaction that its process did not live to finish. It makes a
file in several steps, though: a new store is made beside its name and gets it when its tables are there.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.core.columns import ALL_NUMERIC, TEXT_COLUMNS
from roofcast.core.errors import RoofcastError, one_line, refused_by_system, why_not
from roofcast.core.extras import import_extra
from roofcast.kit.output import temporary_name

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

VARIABLE = "ROOFCAST_STORE"
VERSION = 1
"""Of the tables: a store of another version is refused in words."""


class NoStoreError(RoofcastError):
    """There is no store yet, or an empty file that an older roofcast did not live to fill."""


WAIT_S = 20.0
"""How long a connection waits for another process to finish."""
PAUSE_S = 0.1
"""s between two tries for a store that another process writes."""
KEPT = "; what it held before is kept"
MEMORY = "400MB"


def default_path() -> Path:
    """The store of this user: ``ROOFCAST_STORE``, else ``roofcast/store.duckdb`` in the user's data folder."""
    given = os.environ.get(VARIABLE)
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    else:
        base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "roofcast" / "store.duckdb"


def statements() -> Iterator[str]:
    """What creates the tables of a new store."""
    text = ", ".join(f'"{name}" VARCHAR' for name in TEXT_COLUMNS)
    numeric = ", ".join(f'"{name}" DOUBLE' for name in ALL_NUMERIC)
    origins = ", ".join(f'"{name}" UTINYINT' for name in ALL_NUMERIC)
    place = "file_id BIGINT NOT NULL, position BIGINT NOT NULL"
    yield "CREATE TABLE about (version INTEGER NOT NULL)"
    yield f"INSERT INTO about VALUES ({VERSION})"  # noqa: S608 - a constant
    yield "CREATE SEQUENCE file_ids"
    yield (
        "CREATE TABLE files (id BIGINT PRIMARY KEY, name VARCHAR NOT NULL, kind VARCHAR NOT NULL, file VARCHAR, "
        "sha256 VARCHAR, format VARCHAR, tool VARCHAR, notes VARCHAR[], added TIMESTAMP NOT NULL, counters BLOB, "
        "extra BLOB, memory_bytes DOUBLE, UNIQUE (name, sha256))"
    )
    yield f"CREATE TABLE launches ({place}, gpu_key VARCHAR, flags VARCHAR[], {text}, {numeric})"
    yield f"CREATE TABLE origins ({place}, {origins})"
    yield (
        f"CREATE TABLE forecasts ({place}, kernel VARCHAR, launch BIGINT, source_gpu VARCHAR, target_gpu VARCHAR, "
        "target_key VARCHAR, model VARCHAR, roofcast VARCHAR, source_time_s DOUBLE, time_s DOUBLE, time_low_s DOUBLE, "
        "time_high_s DOUBLE, coverage DOUBLE, limit_source VARCHAR, limit_target VARCHAR, notes VARCHAR[])"
    )


def import_duckdb() -> Any:
    """The database, which is an extra."""
    return import_extra("duckdb", "store", "the store")


@contextmanager
def writing(path: Path | None = None) -> Iterator[DuckDBPyConnection]:
    """A connection inside one transaction: all of it is stored, or nothing where an error (or a kill) interrupts it."""
    duckdb = import_duckdb()

    place = path or default_path()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists():
            create(place)
    except OSError as error:
        raise RoofcastError(f"the store {one_line(str(place), 200)} cannot be written: {why_not(error)}") from error
    with connected(place, read_only=False) as connection:
        try:
            connection.execute("BEGIN TRANSACTION")
            prepare(connection, place)
            yield connection
            connection.execute("COMMIT")
        except BaseException as error:
            # After a failure of the disk there may be nothing left to undo.
            with suppress(duckdb.Error):
                connection.execute("ROLLBACK")
            reason = refused_by_system(error) if isinstance(error, Exception) else ""
            if not reason:
                raise
            raise RoofcastError(f"the store {one_line(str(place), 200)} cannot be written: {reason}{KEPT}") from error


def create(place: Path) -> None:
    """Make a store without entries under a temporary name, then give it its own, unless another process was faster."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix=temporary_name(place)[0], dir=place.parent) as folder:
        new = Path(folder) / "new"
        with connected(new, read_only=False, shown=place) as connection:
            connection.execute("BEGIN TRANSACTION")
            prepare(connection, place)
            connection.execute("COMMIT")
        try:
            place.hardlink_to(new)  # never over another's store, as a renaming would
        except FileExistsError:
            return
        except OSError:  # a file system without links
            if not place.exists():
                new.rename(place)


@contextmanager
def reading(path: Path | None = None) -> Iterator[DuckDBPyConnection]:
    """A connection that cannot change anything, nor reach any other file."""
    place = path or default_path()
    absent = NoStoreError(f"no store at {one_line(str(place), 200)}: `roofcast store add NAME FILE` makes one")
    if not place.is_file():
        raise absent
    with connected(place, read_only=True) as connection:
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        if not tables_of(connection):
            raise absent
        check_version(connection, place)
        yield connection


@contextmanager
def connected(place: Path, *, read_only: bool, shown: Path | None = None) -> Iterator[DuckDBPyConnection]:
    """A connection to the file, which waits for other processes. shown : its name in messages."""
    duckdb = import_duckdb()
    name = one_line(str(shown or place), 200)

    until = time.monotonic() + WAIT_S
    while True:
        try:
            connection = duckdb.connect(str(place), read_only=read_only, config={"memory_limit": MEMORY})
            break
        except duckdb.Error as error:
            message = one_line(str(error), 200)
            # Not any word with "lock" in it: a damaged file has blocks too.
            locked = "Could not set lock" in message or "being used by another process" in message
            if locked and time.monotonic() < until:
                time.sleep(PAUSE_S)
                continue
            if locked:
                raise RoofcastError(
                    f"the store {name} is in use by another process: try again when it is done"
                ) from None
            raise RoofcastError(f"{name} cannot be opened as a store: {message}") from error
    try:
        yield connection
    except (duckdb.OperationalError, duckdb.InternalError, duckdb.FatalException) as error:
        message = f"{'read' if read_only else 'written'}: {one_line(str(error), 200)}{'' if read_only else KEPT}"
        raise RoofcastError(f"the store {name} cannot be {message}") from error
    finally:
        connection.close()


def prepare(connection: DuckDBPyConnection, place: Path) -> None:
    """Create the tables of a new store; add the columns that later versions of roofcast know to an older one."""
    if not tables_of(connection):
        for statement in statements():
            connection.execute(statement)
        return
    check_version(connection, place)
    if "memory_bytes" not in columns_of(connection, "files"):
        connection.execute("ALTER TABLE files ADD COLUMN memory_bytes DOUBLE")
    for table, kind in (("launches", "DOUBLE"), ("origins", "UTINYINT")):
        have = columns_of(connection, table)
        for name in ALL_NUMERIC:
            if name not in have:
                connection.execute(f'ALTER TABLE {table} ADD COLUMN "{name}" {kind}')
        for name in TEXT_COLUMNS if table == "launches" else ():
            if name not in have:
                connection.execute(f'ALTER TABLE launches ADD COLUMN "{name}" VARCHAR')


def tables_of(connection: DuckDBPyConnection) -> list[str]:
    """Names of the tables in a database."""
    return [row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]


def columns_of(connection: DuckDBPyConnection, table: str) -> set[str]:
    """Names of the columns of a table."""
    rows = connection.execute("SELECT column_name FROM duckdb_columns() WHERE table_name = ?", [table]).fetchall()
    return {row[0] for row in rows}


def check_version(connection: DuckDBPyConnection, place: Path) -> None:
    """Refuse what is no store, or one of a later version."""
    duckdb = import_duckdb()

    name = one_line(str(place), 200)
    try:
        row = connection.execute("SELECT version FROM about").fetchone()
    except duckdb.Error:
        row = None
    if row is None:
        raise RoofcastError(f"{name} is a database, but no store of roofcast")
    if row[0] > VERSION:
        raise RoofcastError(f"{name} was written by a later roofcast (schema {row[0]}, this one knows {VERSION})")
