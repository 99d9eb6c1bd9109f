"""The one door for what users name: files and folders by the readers of ``ingest``, ``store:NAME`` by the store."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import KernelTable, concatenate
from roofcast.core.timeline import Timeline
from roofcast.ingest import readers, timelines
from roofcast.ingest.readers import Watch, number_files
from roofcast.ingest.text.files import files_in, is_folder
from roofcast.ingest.traces.windows import OneWindow, Windows
from roofcast.store.sets import is_stored, read_set
from roofcast.store.stored_runs import read_timelines_of


def read(path: str | Path | Sequence[str | Path], input_format: str | None = None) -> KernelTable:
    """Read a profile, or several one after the other.

    path : file or folder name(s); ``-`` is standard input; ``store:NAME`` a set of the store. ``.gz`` and ``.ncu-repz``
        are decompressed on the way.
    input_format : a key of :data:`roofcast.ingest.readers.READERS`; by default the content decides.

    Raises
    ------
    InputError : the file is missing, empty, damaged or of a format that roofcast does not read.
    """
    if isinstance(path, (str, Path)):
        return read_folder(path, input_format) if is_folder(path) else read_one(path, input_format)
    tables = [read_folder(p, input_format) if is_folder(p) else read_one(p, input_format) for p in path]
    return concatenate(number_files(tables))


def read_one(path: str | Path, input_format: str | None = None, watch: Watch | None = None) -> KernelTable:
    """Read one file or set of the store (see :func:`read`); ``watch`` may wrap the raw stream, to show progress."""
    return read_set(str(path)) if is_stored(path) else readers.read_file(path, input_format, watch)


def read_folder(folder: str | Path, input_format: str | None = None) -> KernelTable:
    """Read all profiles in a folder and its subfolders; files that are none are named in the notes.

    Raises
    ------
    InputError : nothing in it can be read; the message is that of the first file.
    """
    tables: list[KernelTable] = []
    refused: list[InputError] = []
    for file in files_in(folder):
        try:
            tables.append(read_one(file, input_format))
        except InputError as error:
            refused.append(error)
    if not tables:
        raise InputError(f"{one_line(str(folder))}: no profile in it can be read; {one_line(str(refused[0]), 300)}")
    if refused:
        note = f"{len(refused)} of {len(refused) + len(tables)} files left out, e.g. {one_line(str(refused[0]), 200)}"
        first = tables[0].provenance
        noted = (dataclasses.replace(first[0], notes=(*first[0].notes, note)), *first[1:])
        tables[0] = dataclasses.replace(tables[0], provenance=noted)
    return concatenate(number_files(tables))


def read_timelines(
    paths: str | Path | Sequence[str | Path], input_format: str | None = None, watch: Watch | None = None
) -> list[Timeline]:
    """The timelines of files, folders and sets of the store, in order; the files of one rocprofv3 run make one.

    Each is held as a whole: some 600 bytes per kernel while it is worked on. :func:`read_runs` needs less.

    Raises
    ------
    InputError : a file cannot be read, or holds no timeline.
    """
    return [run.whole() for run in read_runs(paths, input_format, watch)]


def read_runs(
    paths: str | Path | Sequence[str | Path], input_format: str | None = None, watch: Watch | None = None
) -> list[Windows]:
    """The same in windows: what is long lies in temporary files.

    Raises
    ------
    InputError : a file cannot be read, or holds no timeline.
    """
    given = [paths] if isinstance(paths, (str, Path)) else list(paths)
    if not any(is_stored(p) for p in given):
        return timelines.read_runs(given, input_format, watch)
    return [run for p in given for run in runs_of(p, input_format, watch)]


def runs_of(path: str | Path, input_format: str | None, watch: Watch | None) -> list[Windows]:
    """The runs that one name stands for."""
    if is_stored(path):
        return [OneWindow(timeline) for timeline in read_timelines_of(str(path))]
    return timelines.read_runs([path], input_format, watch)


def open_input(path: str | Path) -> BinaryIO:
    """A seekable binary stream of a file or of standard input.

    Raises
    ------
    InputError : a folder, or a set of the store.
    """
    if is_stored(path):
        raise InputError(f"{one_line(str(path), 80)}: the store holds kernels, not whole files")
    return readers.open_input(path)
