"""Reading profiles for a command, with a progress bar where it takes a while."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from roofcast.advice.timelines import RunAdvice
    from roofcast.applications.summary import TimelineSummary
    from roofcast.core.table import KernelTable
    from roofcast.core.timeline import Timeline

LONG_READ_BYTES = 30_000_000
"""Files larger than this take over a second or two: show a bar."""


def read_profiles(files: Sequence[str], input_format: str | None) -> KernelTable:
    """Read the files of a command line, in order."""
    from roofcast.core.table import concatenate
    from roofcast.ingest.folders import is_folder
    from roofcast.ingest.readers import read, read_one

    sizes = [Path(f).stat().st_size if f != "-" and Path(f).is_file() else 0 for f in files]
    if not sys.stderr.isatty() or max(sizes) < LONG_READ_BYTES or any(is_folder(f) for f in files):
        return read(list(files), input_format)
    from rich.console import Console
    from rich.progress import Progress, TaskID

    with Progress(console=Console(stderr=True), transient=True) as progress:
        tables = []
        for file, size in zip(files, sizes, strict=True):
            task = progress.add_task(f"reading {Path(file).name}", total=size)

            def watched(raw: BinaryIO, task_id: int = task) -> BinaryIO:
                return progress.wrap_file(raw, task_id=TaskID(task_id))

            tables.append(read_one(file, input_format, watched))
    return concatenate(tables)


def read_traces(files: Sequence[str], input_format: str | None) -> list[Timeline]:
    """Read the traces of a command line, in order; folders stand for the traces in them."""
    from roofcast.ingest.timelines import read_timelines

    sizes = [Path(f).stat().st_size if f != "-" and Path(f).is_file() else 0 for f in files]
    if not sys.stderr.isatty() or max(sizes) < LONG_READ_BYTES:
        return read_timelines(files, input_format)
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("reading", total=sum(sizes))

        def watched(raw: BinaryIO) -> BinaryIO:
            return progress.wrap_file(raw, task_id=task)

        return read_timelines(files, input_format, watched)


def read_inspected(files: Sequence[str], input_format: str | None) -> tuple[KernelTable, list[TimelineSummary]]:
    """The kernels of the files, and of traces what each run spent its time on (a trace is read once)."""
    kernels, timelines = read_both(files, input_format)
    if not timelines:
        return kernels, []
    from roofcast.applications.summary import summarise

    return kernels, [summarise(t) for t in timelines]


def read_advised(files: Sequence[str], input_format: str | None) -> tuple[KernelTable, list[RunAdvice]]:
    """The kernels of the files, and of traces what to change in each run."""
    kernels, timelines = read_both(files, input_format)
    if not timelines:
        return kernels, []
    from roofcast.advice.timelines import advise_on_run

    return kernels, [advise_on_run(t) for t in timelines]


def read_both(files: Sequence[str], input_format: str | None) -> tuple[KernelTable, list[Timeline]]:
    """The kernels of the files, and the timelines where all of them are traces (each is read once)."""
    from roofcast.ingest.timelines import is_timeline

    if "-" in files or not all(is_timeline(f, input_format) for f in files):
        return read_profiles(files, input_format), []
    from roofcast.core.table import concatenate
    from roofcast.ingest.readers import from_file, numbered
    from roofcast.ingest.timeline_table import kernel_table

    timelines = read_traces(files, input_format)
    tables = [from_file(kernel_table(t), t.provenance[0].file) for t in timelines]
    return concatenate(numbered(tables)), timelines
