"""Files and folders into the store: in batches, resumable, with bad files listed instead of ending the work."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from roofcast.core.errors import InputError, RoofcastError, one_line, why_not
from roofcast.core.records import dataclass
from roofcast.ingest import readers
from roofcast.ingest.saved_forecasts import is_saved_forecast, load_rows
from roofcast.ingest.text.files import files_in, is_folder, watch_file
from roofcast.store.sets import Entry, add, frame_of_columns, frame_of_records, stored_hashes

if TYPE_CHECKING:
    import polars

BATCH_ROWS = 50_000
"""Rows of one transaction: its memory stays bounded, and a disk is not asked for each file."""
BATCH_FILES = 64
"""Files of one transaction."""


@dataclass
class Added:
    """What became of the files."""

    added: int = 0
    rows: int = 0
    known: int = 0
    """Files that the set held already."""
    refused: list[str] = field(default_factory=list)
    """One line per file that could not be read."""

    def summary(self) -> str:
        """One line."""
        parts = [f"added {self.added} file{'s' * (self.added != 1)} with {self.rows:,} rows"]
        if self.known:
            parts.append(f"{self.known} stored before")
        if self.refused:
            parts.append(f"{len(self.refused)} left out")
        return "; ".join(parts)


def add_files(
    name: str, paths: Sequence[str | Path], store: Path | None = None, *, input_format: str | None = None,
    progress: Callable[[Path, int], None] | None = None, refused: Callable[[str], None] | None = None,
    reached: Callable[[Path, float], None] | None = None,
) -> Added:  # fmt: skip
    """Store profiles, saved forecasts and folders of them under a name.

    What is stored already (by content) is passed over, so that an interrupted run can be repeated. progress : called
    with each file and its size when it is done, ``reached`` meanwhile with the share of it that was read.
    refused : called with one line for each file that cannot be read.
    """
    result = Added()
    known = stored_hashes(name, store)
    batch: list[Entry] = []
    try:
        for file in expanded(paths):
            try:
                sha256 = hash_of(file)
                if sha256 in known:
                    result.known += 1
                else:
                    batch.append(entry_of(file, sha256, input_format, reached))
                    known.add(sha256)
            except InputError as error:
                line = one_line(str(error))
                result.refused.append(line)
                if refused is not None:
                    refused(line)
            if sum(e.rows for e in batch) >= BATCH_ROWS or len(batch) >= BATCH_FILES:
                flush(name, batch, store, result)
            if progress is not None:
                progress(file, size_of(file))
    except KeyboardInterrupt:
        # What was read already may be minutes of work.
        flush(name, batch, store, result)
        raise KeyboardInterrupt(f"interrupted: {result.summary()}; the same command goes on from there") from None
    flush(name, batch, store, result)
    return result


def add_forecast(name: str, columns: Mapping[str, polars.Series], version: str, store: Path | None = None) -> int:
    """Store a forecast that no file holds, by its columns; returns its rows, 0 where it is known."""
    frame = frame_of_columns(columns, version)
    content = frame.with_columns(frame["notes"].list.join("\n")).write_csv().encode()
    entry = Entry("forecast", hashlib.sha256(content).hexdigest(), forecasts=frame)
    return entry.rows if add(name, [entry], store) else 0


def flush(name: str, batch: list[Entry], store: Path | None, result: Added) -> None:
    """Write a batch in one transaction."""
    if batch:
        result.added += add(name, batch, store)
        result.rows += sum(e.rows for e in batch)
        batch.clear()


def expanded(paths: Sequence[str | Path]) -> Iterator[Path]:
    """The files, and those in the folders."""
    for path in paths:
        if is_folder(path):
            yield from files_in(path)
        else:
            yield Path(path)


def size_of(file: Path) -> int:
    """Bytes of a file; 0 where nobody knows."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


def hash_of(file: Path) -> str:
    """SHA-256 of a file, as the readers compute it."""
    try:
        if not file.is_file():
            raise InputError(f"{one_line(str(file))}: no such file")
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{one_line(file.name)}: cannot be read: {why_not(error)}") from error


def entry_of(
    file: Path, sha256: str, input_format: str | None, reached: Callable[[Path, float], None] | None = None
) -> Entry:
    """What to store of a file."""
    if is_saved_forecast(file):
        rows, version = load_rows(file)
        return Entry(file.name, sha256, forecasts=frame_of_records(rows, version))
    try:
        watch = None if reached is None else watch_file(file, partial(reached, file))
        return Entry(file.name, sha256, readers.read_file(file, input_format, watch))
    except InputError:
        raise
    except RoofcastError as error:
        raise InputError(f"{one_line(file.name)}: {error}") from error
