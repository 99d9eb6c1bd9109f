"""Which formats hold timelines, and how files and folders become timelines."""

from __future__ import annotations

import dataclasses
import importlib
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from roofcast.core.errors import InputError, one_line
from roofcast.core.workers import map_each, processes_allowed
from roofcast.ingest.readers import Watch, find_reader, name_of, opened
from roofcast.ingest.refused import AS_SQLITE, NSYS_TABLES

if TYPE_CHECKING:
    from roofcast.ingest.traces.windows import Windows

TIMELINES: dict[str, str] = {
    "rocpd": "roofcast.ingest.amd.rocpd",
    "nsys-sqlite": "roofcast.ingest.traces.nsys",
    "kineto": "roofcast.ingest.traces.kineto",
    "nsys-stats": "roofcast.ingest.traces.nsys_stats",
    "rocprof-trace": "roofcast.ingest.amd.rocprof_trace",
    "nvprof-csv": "roofcast.ingest.nvprof.gpu_trace",
}
"""Key of :data:`roofcast.ingest.readers.READERS` -> module whose ``read_windows`` reads it as a timeline."""

HOW = (
    "record one with `nsys profile` (and `nsys export --type sqlite`), torch.profiler (export_chrome_trace), rocprofv3 "
    "or `nvprof --print-gpu-trace --csv`"
)
SUFFIXES = (".csv", ".json", ".gz", ".sqlite", ".db", ".zst", ".zip")
MAX_FILES = 2000
"""Files of a folder; one with more holds something else than traces."""


class TimelineModule(Protocol):
    """What the module of a trace format provides."""

    def read_windows(self, stream: BinaryIO, name: str) -> Windows:
        """The timeline, in windows. Raises InputError in one line for anything that is not this format."""
        ...


def is_timeline(path: str | Path, input_format: str | None = None) -> bool:
    """Whether a file is of a format that holds timelines; files that cannot be read are not."""
    try:
        with opened(path) as (stream, _):
            key, module = find_reader(stream, Path(path).name, input_format)
            # Of several tables that a file may hold, the first tells whether there are single events.
            of_sums: Callable[[BinaryIO], bool] | None = getattr(module, "holds_sums", None)
            if of_sums is not None and of_sums(stream):
                return False
    except InputError:
        return False
    # nvprof's metrics and summaries are tables of kernels; so are its traces, for people who ask about kernels.
    return key in TIMELINES and key != "nvprof-csv"


def are_timelines(paths: Sequence[str | Path], input_format: str | None = None) -> bool:
    """Whether all files are recorded runs; nobody looks into standard input twice."""
    return "-" not in paths and all(is_timeline(path, input_format) for path in paths)


def read_runs(
    paths: Sequence[str | Path], input_format: str | None = None, watch: Watch | None = None
) -> list[Windows]:
    """The timelines of files and folders in windows; the CSV files of one rocprofv3 run make one timeline."""
    single_files: list[tuple[str | Path, str | None]] = []
    parts: list[Path | str] = []
    for file in (f for p in paths for f in files_of(p)):
        key = key_of(file, input_format)
        if key == "rocprof-trace" or (key == "" and parts):
            parts.append(file)
        else:
            single_files.append((file, key if key in TIMELINES else input_format))
    several = len(single_files) >= SEVERAL and sum(map(size_of, single_files)) >= SEVERAL_BYTES
    # What shows how far a file has been read stays in this process.
    timelines = map_each(
        partial(read_one, watch=None if several and processes_allowed() else watch), single_files, worth=several
    )
    if parts:
        timelines.append(read_together(parts, watch))
    return timelines


SEVERAL, SEVERAL_BYTES = 4, 50_000_000
"""Files, and bytes of all of them, from which other processes read some of them."""


def size_of(given: tuple[str | Path, str | None]) -> int:
    """Bytes of a file; 0 where it has none of its own."""
    try:
        return Path(given[0]).stat().st_size
    except OSError:
        return 0


def read_one(given: tuple[str | Path, str | None], watch: Watch | None) -> Windows:
    """:func:`read_run` of a file and its format."""
    return read_run(*given, watch)


def files_of(path: str | Path) -> list[str | Path]:
    """The file itself, or the traces in a folder and its subfolders."""
    folder = Path(path)
    if str(path) == "-" or not folder.is_dir():
        return [path]
    inside = all_files(folder)
    listed = [f for f in inside if f.suffix.lower() in SUFFIXES]
    traces: list[str | Path] = [f for f in listed if key_of(f, None, other="") in TIMELINES or is_agents(f)]
    if not traces and any(
        f.suffix.lower() in (".nsys-rep", ".qdrep") or f.name.startswith(NSYS_TABLES) for f in inside
    ):
        raise InputError(f"{one_line(str(path))}: holds reports of Nsight Systems or their tables: {AS_SQLITE}")
    if not traces:
        raise InputError(f"{one_line(str(path))}: a folder without traces: {HOW}")
    return traces


def all_files(folder: Path) -> list[Path]:
    """The files in a folder and its subfolders, in order of their names; what may not be read is passed over."""
    paths: list[Path] = []
    for place, folders, files in os.walk(folder):
        folders.sort()
        paths += [Path(place) / name for name in sorted(files)]
        if len(paths) > MAX_FILES:
            raise InputError(
                f"{one_line(str(folder))}: a folder with more than {MAX_FILES} files: name the traces in it"
            )
    return paths


def is_agents(path: Path) -> bool:
    """Whether a file describes the agents of a rocprofv3 run."""
    return path.name.endswith("agent_info.csv")


def key_of(path: str | Path, input_format: str | None, other: str = "unreadable") -> str:
    """Key of a file's reader; ``other`` where none reads it."""
    if input_format is not None or str(path) == "-":
        return input_format or "-"
    try:
        with opened(path) as (stream, _):
            return find_reader(stream, Path(path).name)[0]
    except InputError:
        return other


def read_run(path: str | Path, input_format: str | None = None, watch: Watch | None = None) -> Windows:
    """The timeline of one file, in windows; ``watch`` may wrap the raw stream, to show progress."""
    name = name_of(path)
    with opened(path, watch) as (stream, content):
        key, _ = find_reader(stream, name, input_format)
        if key not in TIMELINES:
            raise InputError(f"{one_line(name)}: a file of kind {key}, without a timeline; {HOW}")
        module = cast("TimelineModule", importlib.import_module(TIMELINES[key]))
        windows = module.read_windows(stream, name)
    provenance = dataclasses.replace(windows.provenance, file=name, format=key, sha256=content)
    return dataclasses.replace(windows, provenance=provenance)


def read_together(paths: Sequence[str | Path], watch: Watch | None = None) -> Windows:
    """One timeline from the CSV files of one rocprofv3 run."""
    from roofcast.ingest.amd.rocprof_trace import read_parts

    with ExitStack() as stack:
        streams = [(stack.enter_context(opened(p, watch))[0], Path(p).name) for p in paths]
        return read_parts(streams, Path(paths[0]).name)
