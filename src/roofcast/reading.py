"""The one door for what users give: files and folders by the readers of ``ingest``, ``store:NAME`` by the store.

What is no file (data frames, dicts, bytes, open files) becomes one first, so that the same readers see it.
"""

from __future__ import annotations

import atexit
import dataclasses
import math
import re
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from roofcast.core.errors import InputError, one_line, why_not
from roofcast.core.extras import require_polars
from roofcast.core.joined_parts import list_further_readers
from roofcast.core.kernel_table import KernelTable, concatenate, rows_matching
from roofcast.ingest import readers, timelines
from roofcast.ingest.readers import Watch, number_files
from roofcast.ingest.text.files import files_in, is_folder, watch_file
from roofcast.store.set_names import is_stored

if TYPE_CHECKING:
    import polars

    from roofcast.core.timeline import Timeline
    from roofcast.ingest.traces.windows import Windows

REPORT = "ncu-rep"
"""Format of the files that are looked at again when their kernels are forecast: they hold machine code."""


NAMED = re.compile(r"(?P<file>.+\.(?:cu|cuh|hip|cpp|cc|cxx|py)):(?P<kernel>[A-Za-z_]\w*)", re.IGNORECASE)
"""A kernel of a file of source code: ``saxpy.cu:saxpy``."""


def read(given: Any, input_format: str | None = None) -> KernelTable:
    """Read a profile, or several one after the other.

    given : file or folder name(s); ``-`` is standard input; ``store:NAME`` a set of the store. ``.gz`` and
        ``.ncu-repz`` are decompressed on the way. Or what holds a profile or a table of kernels: bytes, a file object,
        a data frame (polars, pandas, Arrow), a dict of columns, a list of dicts (one per row); a list of any of these.
    input_format : a key of :data:`roofcast.ingest.readers.READERS`; by default the content decides.

    Raises
    ------
    InputError : the file is missing, empty, damaged or of a format that roofcast does not read; the frame or dict is
        no table of kernels.
    """
    if isinstance(given, KernelTable):
        return given
    if not is_several(given):
        return read_folder(given, input_format) if is_folder_name(given) else read_given(given, input_format)
    return concatenate(number_files([read(g, input_format) for g in given]))


def read_watched(given: Any, input_format: str | None, progress: Callable[[str, float], None] | None) -> KernelTable:
    """What :func:`read` makes of it; of files, in order, it tells how far each is.

    progress : takes what is done, and the share of it; None where nobody looks.
    """
    files = given if isinstance(given, (list, tuple)) and all(isinstance(f, str) for f in given) else []
    if progress is None or not files:
        return read(given, input_format)
    if any(is_folder(f) for f in files):
        tables = [
            read_folder(f, input_format, progress) if is_folder(f) else read_given(f, input_format) for f in files
        ]
        return tables[0] if len(tables) == 1 else concatenate(number_files(tables))
    watches = [
        watch_file(f, partial(progress, f"reading {Path(f).name}")) if f != "-" and Path(f).is_file() else None
        for f in files
    ]
    return concatenate(number_files([read_one(f, input_format, w) for f, w in zip(files, watches, strict=True)]))


def read_kernels(
    given: Any, input_format: str | None, kernel: str | None, progress: Callable[[str, float], None] | None = None
) -> KernelTable:
    """What :func:`read_watched` makes of it, with the kernels whose name matches a regular expression."""
    table = read_watched(given, input_format, progress)
    if kernel is None:
        return table
    return table.select(rows_matching([str(name) for name in table.strings("kernel")], kernel))


def is_several(given: object) -> bool:
    """Whether a list stands for several profiles; a list of dicts is the rows of one table."""
    return isinstance(given, (list, tuple)) and not (given and all(isinstance(g, Mapping) for g in given))


def is_folder_name(given: object) -> bool:
    """Whether it is the name of a folder."""
    return isinstance(given, (str, Path)) and is_folder(given)


def read_given(given: Any, input_format: str | None) -> KernelTable:
    """Read one file, set of the store, or what holds a profile."""
    if isinstance(given, (str, Path)):
        return read_one(given, input_format)
    with as_files(given) as files:
        table = read_one(files[0], input_format)
        provenance = tuple(
            dataclasses.replace(p, sha256=str(p.sha256), path=p.path if p.format == REPORT else "")
            for p in table.provenance
        )
    return dataclasses.replace(table, provenance=provenance)


@contextmanager
def as_files(given: Any) -> Iterator[list[str | Path]]:
    """Names of files that hold what was given; files made for it go again, reports with the process.

    Raises
    ------
    InputError : it is nothing that can hold a profile.
    """
    written: list[Path] = []
    names: list[str | Path] = []
    try:
        for part in given if is_several(given) else [given]:
            if isinstance(part, (str, Path)):
                names.append(part)
                continue
            written.append(write_content(part))
            names.append(written[-1])
        yield names
    finally:
        for path in written:
            if path.exists() and timelines.key_of(path, None) == REPORT:
                atexit.register(shutil.rmtree, path.parent, ignore_errors=True)
            else:
                shutil.rmtree(path.parent, ignore_errors=True)


def write_content(given: Any) -> Path:
    """A new file, alone in its folder, that holds bytes, the content of a file object, or a table as Parquet."""
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="roofcast-"))
    try:
        if isinstance(given, (bytes, bytearray, memoryview)):
            path = folder / "bytes"
            path.write_bytes(given)
        elif callable(getattr(given, "read", None)):
            name = getattr(given, "name", "")
            path = folder / ((Path(name).name if isinstance(name, str) else "") or "stream")
            with path.open("wb") as out:
                while block := given.read(2**20):
                    out.write(block.encode() if isinstance(block, str) else block)
        else:
            path = folder / "frame"
            frame_of(given).write_parquet(path)
        return path
    except InputError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    except Exception as error:
        # A frame or file object of anybody's may raise anything.
        shutil.rmtree(folder, ignore_errors=True)
        raise InputError(f"{type(given).__name__}: cannot be read: {one_line(str(error), 200)}") from error


def frame_of(given: Any) -> polars.DataFrame:
    """A data frame, a dict of columns or the rows of a table as a Polars frame.

    Raises
    ------
    InputError : none of these.
    """
    require_polars("reading a data frame")
    import polars as pl

    if isinstance(given, pl.LazyFrame):
        return given.collect()
    if isinstance(given, pl.DataFrame):
        return given
    if callable(getattr(given, "to_dict", None)) and hasattr(given, "columns"):
        columns = given.to_dict("list")  # pandas: NaN stands for any absent value
        given = {
            k: [None if isinstance(v, float) and math.isnan(v) else v for v in values] for k, values in columns.items()
        }
    if isinstance(given, Mapping):
        columns = {str(k): v if hasattr(v, "__len__") and not isinstance(v, str) else [v] for k, v in given.items()}
        return pl.DataFrame(columns, strict=False)
    if isinstance(given, (list, tuple)):
        return pl.DataFrame([{str(k): v for k, v in row.items()} for row in given], infer_schema_length=None)
    if hasattr(given, "__arrow_c_stream__"):
        return pl.DataFrame(given)
    raise InputError(
        f"a {type(given).__name__} holds no profile: give a file name, bytes, a file object, a data frame (polars, "
        "pandas, Arrow), a dict of columns or a list of dicts"
    )


def read_one(path: str | Path, input_format: str | None = None, watch: Watch | None = None) -> KernelTable:
    """Read one file or set of the store (see :func:`read`); ``watch`` may wrap the raw stream, to show progress."""
    if is_stored(path):
        from roofcast.store.sets import read_set

        return read_set(str(path))
    named = None if Path(path).exists() else NAMED.fullmatch(str(path))
    if named is None or not Path(named["file"]).is_file():
        return readers.read_file(path, input_format, watch)
    table = readers.read_file(named["file"], input_format, watch)
    kernels = [str(k) for k in table.strings("kernel")]
    if named["kernel"] not in kernels:
        known = ", ".join(dict.fromkeys(one_line(k, 40) for k in kernels[:8]))
        raise InputError(f"{one_line(str(path), 120)}: the file launches no such kernel: it has {known}")
    return table.select([i for i, k in enumerate(kernels) if k == named["kernel"]])


def read_folder(
    folder: str | Path, input_format: str | None = None, progress: Callable[[str, float], None] | None = None
) -> KernelTable:
    """Read all profiles in a folder and its subfolders; files that are none are named in the notes.

    progress : takes what is done, and the share of it; None where nobody looks.

    Raises
    ------
    InputError : nothing in it can be read; the message is that of the first file.
    """
    tables: list[KernelTable] = []
    refused: list[InputError] = []
    files = list(files_in(folder))
    for at, file in enumerate(files):
        if progress is not None:
            progress(f"reading {Path(file).name}", at / len(files))
        try:
            tables.append(read_one(file, input_format))
        except InputError as error:
            refused.append(error)
    if not tables:
        raise InputError(f"{one_line(str(folder))}: no profile in it can be read; {one_line(str(refused[0]), 300)}")
    measured = [t for t in tables if t.provenance[0].format not in list_further_readers()]
    if measured and len(measured) < len(tables):
        # Source code beside profiles is what was profiled, not more of it.
        refused += [
            InputError(f"{t.provenance[0].file}: source code") for t in tables if all(t is not m for m in measured)
        ]
        tables = measured
    if refused:
        note = f"{len(refused)} of {len(refused) + len(tables)} files left out, e.g. {one_line(str(refused[0]), 200)}"
        first = tables[0].provenance
        noted = (dataclasses.replace(first[0], notes=(*first[0].notes, note)), *first[1:])
        tables[0] = dataclasses.replace(tables[0], provenance=noted)
    return concatenate(number_files(tables))


def read_timelines(
    paths: str | Path | Sequence[str | Path], input_format: str | None = None, watch: Watch | None = None
) -> list[Timeline]:
    """The timelines of files and folders, in order; the files of one rocprofv3 run make one.

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
    stored = next((p for p in given if is_stored(p)), None)
    if stored is not None:
        raise InputError(
            f"{one_line(str(stored), 80)}: the store holds kernels, no recorded runs: give the trace itself"
        )
    return timelines.read_runs(given, input_format, watch)


def holds_runs(name: str, input_format: str | None = None) -> bool:
    """Whether a file, or each file of a folder, is a recorded run; the store keeps none."""
    named = files_in(name) if is_folder(name) else [name]
    return not is_stored(name) and all(timelines.is_timeline(n, input_format) for n in named)


def open_input(path: str | Path) -> BinaryIO:
    """A seekable binary stream of a file or of standard input.

    Raises
    ------
    InputError : a folder, or a set of the store.
    """
    if is_stored(path):
        raise InputError(f"{one_line(str(path), 80)}: the store holds kernels, not whole files")
    return readers.open_input(path)


@contextmanager
def opened(path: str | Path) -> Iterator[BinaryIO]:
    """The decompressed content of a file or of standard input; what cannot be read is an InputError."""
    try:
        with open_input(path) as raw, readers.decompressed(raw) as stream:
            yield stream
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{one_line(str(path))}: cannot be read: {why_not(error)}") from error
