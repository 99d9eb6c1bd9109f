"""Kernel tables and forecasts into the store and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from roofcast.core.columns import ALL_NUMERIC, TEXT_COLUMNS
from roofcast.core.errors import InputError, RoofcastError, one_line
from roofcast.core.kernel_table import KernelTable, Provenance, as_text
from roofcast.core.records import dataclass
from roofcast.core.results import or_none
from roofcast.ingest.saved_forecasts import read_number, read_text
from roofcast.store.database import NoStoreError, columns_of, reading, writing
from roofcast.store.packing import packed, plain_extra, restored, restored_extra
from roofcast.store.set_names import checked_name

if TYPE_CHECKING:
    import polars
    from duckdb import DuckDBPyConnection

OF_SET = "WHERE file_id IN (SELECT id FROM files WHERE name = ?) ORDER BY file_id, position"
FORECAST_TEXT = ("kernel", "source_gpu", "target_gpu", "model", "limit_source", "limit_target")
FORECAST_NUMBERS = ("source_time_s", "time_s", "time_low_s", "time_high_s", "coverage")


@dataclass(frozen=True)
class Entry:
    """One file to store: a table of measurements, or a forecast."""

    file: str
    sha256: str
    kernels: KernelTable | None = None
    forecasts: polars.DataFrame | None = None
    """:func:`frame_of_columns`."""

    @property
    def rows(self) -> int:
        """Rows that it adds."""
        return len(self.kernels) if self.kernels is not None else 0 if self.forecasts is None else len(self.forecasts)


def stored_hashes(name: str, path: Path | None = None) -> set[str]:
    """SHA-256 of the files that a set holds already; empty where there is no store yet."""
    try:
        with reading(path) as connection:
            rows = connection.execute("SELECT sha256 FROM files WHERE name = ?", [checked_name(name)]).fetchall()
    except NoStoreError:
        return set()
    return {row[0] for row in rows}


def add(name: str, entries: Sequence[Entry], path: Path | None = None) -> int:
    """Store files under a name, all of them or none; those that the set holds already are passed over.

    Returns the number of files added.
    """
    import tempfile

    plain = checked_name(name)
    with writing(path) as connection, tempfile.TemporaryDirectory() as folder:
        known = {r[0] for r in connection.execute("SELECT sha256 FROM files WHERE name = ?", [plain]).fetchall()}
        new = [e for e in {e.sha256: e for e in entries}.values() if e.sha256 not in known]
        launches, origins, forecasts = [], [], []
        for entry in new:
            number = insert_file(connection, plain, entry)
            if entry.kernels is not None:
                launches.append(launch_frame(number, entry.kernels))
                origins.append(origin_frame(number, entry.kernels))
            elif entry.forecasts is not None:
                forecasts.append(forecast_frame(number, entry.forecasts))
        for table, frames in (("launches", launches), ("origins", origins), ("forecasts", forecasts)):
            insert_frames(connection, table, frames, Path(folder))
        return len(new)


def insert_file(connection: DuckDBPyConnection, name: str, entry: Entry) -> int:
    """The row of a file; returns its number."""
    sources = entry.kernels.provenance if entry.kernels is not None else ()
    p = sources[0] if sources else Provenance(file=entry.file, format="forecast")
    row = connection.execute("SELECT nextval('file_ids')").fetchone()
    number = int(row[0]) if row else 0
    kind = "forecast" if entry.kernels is None else "measurement"
    added = datetime.now(UTC).replace(tzinfo=None)
    connection.execute(
        "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [number, name, kind, one_line(p.file, 500), entry.sha256, p.format, p.tool, list(p.notes), added,
         None if entry.kernels is None else packed(entry.kernels.counters),
         None if entry.kernels is None else packed(plain_extra(entry.kernels)), p.memory_bytes],
    )  # fmt: skip
    return number


def launch_frame(number: int, kernels: KernelTable) -> polars.DataFrame:
    """Rows of ``launches``."""
    import polars as pl

    size = len(kernels)
    columns: dict[str, Any] = {
        "file_id": pl.Series([number] * size, dtype=pl.Int64),
        "position": np.arange(size),
        "gpu_key": pl.Series(gpu_keys(kernels), dtype=pl.String),
        "flags": pl.Series([list(f) for f in kernels.flags], dtype=pl.List(pl.String)),
    }
    columns |= {k: pl.Series(k, list(v), dtype=pl.String) for k, v in kernels.text.items()}
    columns |= {k: pl.Series(k, v).fill_nan(None) for k, v in kernels.numeric.items()}
    return pl.DataFrame(columns)


def origin_frame(number: int, kernels: KernelTable) -> polars.DataFrame:
    """Rows of ``origins``."""
    import polars as pl

    size = len(kernels)
    place = {"file_id": pl.Series([number] * size, dtype=pl.Int64), "position": np.arange(size)}
    return pl.DataFrame({**place, **dict(kernels.origin)})


def frame_of_records(rows: Sequence[dict[str, Any]], version: str) -> polars.DataFrame:
    """What is stored of the rows of a saved forecast. version : of the roofcast that made it."""
    import polars as pl

    columns: dict[str, Any] = {
        "launch": pl.Series([whole(r.get("launch"), i) for i, r in enumerate(rows)], dtype=pl.Int64),
        "notes": pl.Series([strings(r.get("notes")) for r in rows], dtype=pl.List(pl.String)),
    }
    columns |= {k: pl.Series([read_text(r, k) for r in rows], dtype=pl.String) for k in FORECAST_TEXT}
    columns |= {k: pl.Series([or_none(read_number(r, k)) for r in rows], dtype=pl.Float64) for k in FORECAST_NUMBERS}
    return frame_of_columns(columns, version)


def frame_of_columns(columns: Mapping[str, polars.Series], version: str) -> polars.DataFrame:
    """The same of columns; others than those that are stored may be among them."""
    import polars as pl

    frame = pl.DataFrame({name: columns[name] for name in ("launch", "notes", *FORECAST_TEXT, *FORECAST_NUMBERS)})
    frame = frame.with_columns(pl.col(FORECAST_TEXT).replace({"": None}))
    names = frame["target_gpu"].unique()
    keys = pl.Series([gpu_key(name or "") for name in names.to_list()], dtype=pl.String)
    key = frame["target_gpu"].replace_strict(names, keys, return_dtype=pl.String)
    return frame.with_columns(target_key=key, roofcast=pl.lit(one_line(version, 40)))


def forecast_frame(number: int, frame: polars.DataFrame) -> polars.DataFrame:
    """Rows of ``forecasts``."""
    import polars as pl

    return frame.with_columns(file_id=pl.lit(number, pl.Int64), position=pl.int_range(len(frame), dtype=pl.Int64))


def insert_frames(connection: DuckDBPyConnection, table: str, frames: Sequence[polars.DataFrame], folder: Path) -> None:
    """Append frames to a table, through a file that DuckDB reads much faster than rows one by one."""
    import polars as pl

    if not frames:
        return
    place = folder / f"{table}.parquet"
    pl.concat(frames, how="diagonal").write_parquet(place)
    connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM read_parquet(?)", [str(place)])  # noqa: S608 - names are ours


def gpu_keys(kernels: KernelTable) -> list[str]:
    """Catalog key of each row's GPU; '' where none fits."""
    known: dict[tuple[str, float], str] = {}
    result = []
    for name, sms in zip(kernels.strings("gpu"), kernels.column("sm_count").tolist(), strict=True):
        key = (str(name), sms if sms > 0 else 0.0)
        if key not in known:
            known[key] = gpu_key(*key)
        result.append(known[key])
    return result


def gpu_key(name: str, sm_count: float = 0.0) -> str:
    """Catalog key of a GPU as a file prints it; '' where none fits."""
    from roofcast.catalog import find

    try:
        return find(name, sm_count=sm_count or None).processor.key if name.strip() else ""
    except RoofcastError:
        return ""


def whole(value: object, default: int) -> int:
    """A whole number; the default where absent."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**62 else default


def strings(value: object) -> list[str]:
    """The texts of a list."""
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


def read_set(name: str, path: Path | None = None) -> KernelTable:
    """All measurements of a set, in the order in which they were added."""
    plain = checked_name(name)
    with reading(path) as connection:
        # A store of an earlier version, opened to be read, does not know what its programs held.
        held = "memory_bytes" if "memory_bytes" in columns_of(connection, "files") else "NULL"
        files = connection.execute(
            f"SELECT id, file, sha256, format, tool, notes, counters, extra, {held} FROM files "  # noqa: S608 - constants
            "WHERE name = ? AND kind = 'measurement' ORDER BY id",
            [plain],
        ).fetchall()
        if not files:
            known = [r[0] for r in connection.execute("SELECT DISTINCT name FROM files ORDER BY name").fetchall()]
            hint = f"it has {one_line(', '.join(known), 200)}" if known else "it is empty"
            raise InputError(f"the store has no measurements under {one_line(plain, 80)!r}: {hint}")
        present = columns_with_values(connection, plain)
        numbers = [name for name in present if name in ALL_NUMERIC]
        launches = selected(connection, "launches", present, plain)
        origins = selected(connection, "origins", numbers, plain)
        flags = connection.execute(f"SELECT flags FROM launches {OF_SET}", [plain]).fetchall()  # noqa: S608 - constant
    return assembled(launches, origins, [tuple(row[0] or ()) for row in flags], files)


def columns_with_values(connection: DuckDBPyConnection, name: str) -> list[str]:
    """The columns of the vocabulary of which the launches of a set have any value: most are empty."""
    described = connection.execute("SELECT column_name FROM duckdb_columns() WHERE table_name = 'launches'").fetchall()
    stored = {row[0] for row in described}
    names = [n for n in (*TEXT_COLUMNS, *ALL_NUMERIC) if n in stored]
    counts = ", ".join(f'count("{n}")' for n in names)
    of_set = OF_SET.partition(" ORDER BY")[0]
    row = connection.execute(f"SELECT {counts} FROM launches {of_set}", [name]).fetchone()  # noqa: S608 - names are ours
    return [n for n, count in zip(names, row or (), strict=True) if count or n == "kernel"]


def selected(connection: DuckDBPyConnection, table: str, columns: Sequence[str], name: str) -> dict[str, Any]:
    """Columns of all rows of a set."""
    listed = ", ".join(("file_id", *(f'"{c}"' for c in columns)))
    sql = f"SELECT {listed} FROM {table} {OF_SET}"  # noqa: S608 - names are ours
    return dict(connection.execute(sql, [name]).fetchnumpy())


def assembled(
    launches: dict[str, Any], origins: dict[str, Any], flags: Sequence[tuple[str, ...]], files: Sequence[Any]
) -> KernelTable:
    """The table of what was read."""

    def plain(values: Any, absent: Any) -> Any:
        return values.filled(absent) if np.ma.isMaskedArray(values) else values

    numeric = {k: np.asarray(plain(launches[k], np.nan), np.float64) for k in ALL_NUMERIC if k in launches}
    numeric = {k: v for k, v in numeric.items() if not np.isnan(v).all()}
    text_columns = {
        # Filling a masked array of texts would invent one.
        k: as_text(
            "" if masked or v is None else str(v)
            for v, masked in zip(np.ma.getdata(launches[k]), np.ma.getmaskarray(launches[k]), strict=True)
        )
        for k in TEXT_COLUMNS if k in launches
    }  # fmt: skip
    text_columns = {k: v for k, v in text_columns.items() if k == "kernel" or any(v)}
    provenance = tuple(
        Provenance(
            file=f[1] or "",
            format=f[3] or "",
            tool=f[4] or "",
            sha256=f[2] or "",
            notes=tuple(f[5] or ()),
            memory_bytes=f[8],
        )
        for f in files
    )
    return KernelTable(
        numeric=numeric,
        origin={k: np.asarray(plain(origins[k], 0), np.uint8) for k in numeric},
        text=text_columns,
        counters=restored(launches["file_id"], [(f[0], f[6]) for f in files]),
        extra=restored_extra(launches["file_id"], [(f[0], f[7]) for f in files]),
        flags=tuple(flags),
        provenance=provenance,
        file=np.searchsorted([f[0] for f in files], np.asarray(launches["file_id"])).astype(np.int32),
    )


def remove(name: str, path: Path | None = None) -> int:
    """Remove a set; returns the number of files that it held."""
    plain = checked_name(name)
    with reading(path):
        pass
    with writing(path) as connection:
        numbers = [r[0] for r in connection.execute("SELECT id FROM files WHERE name = ?", [plain]).fetchall()]
        if not numbers:
            raise RoofcastError(f"the store has nothing under {one_line(plain, 80)!r}")
        for table, key in (("launches", "file_id"), ("origins", "file_id"), ("forecasts", "file_id"), ("files", "id")):
            connection.execute(f"DELETE FROM {table} WHERE list_contains(?, {key})", [numbers])  # noqa: S608 - ours
    return len(numbers)
