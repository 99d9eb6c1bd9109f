"""Reading profiles for a command, with a progress bar where it takes a while."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from roofcast.commands.showing import Step, progress_bar

if TYPE_CHECKING:
    from roofcast.analyses.applications.run_summary import TimelineSummary
    from roofcast.core.kernel_table import KernelTable


def read_profiles(files: Sequence[str], input_format: str | None) -> KernelTable:
    """Read the files of a command line, in order."""
    from roofcast.core.kernel_table import concatenate
    from roofcast.ingest.readers import number_files
    from roofcast.ingest.text.files import is_folder
    from roofcast.reading import read, read_one

    with progress_bar() as step:
        if step is None or any(is_folder(f) for f in files):
            return read(list(files), input_format)
        return concatenate(number_files([read_one(file, input_format, watch_of(file, step)) for file in files]))


def watch_of(file: str, step: Step | None) -> Callable[[BinaryIO], BinaryIO] | None:
    """What shows how far a file has been read; None where nobody looks."""
    if step is None or file == "-" or not Path(file).is_file():
        return None
    from roofcast.ingest.text.files import watched

    show, doing, size = step, f"reading {Path(file).name}", Path(file).stat().st_size
    return lambda raw: watched(raw, size, lambda share: show(doing, share))


def read_inspected(files: Sequence[str], input_format: str | None) -> tuple[KernelTable, list[TimelineSummary]]:
    """The kernels of the files, and of traces what each run spent its time on."""
    from roofcast.analyses.applications import recorded

    if not recorded.are_timelines(files, input_format):
        return read_profiles(files, input_format), []
    with progress_bar() as step:
        return recorded.read_inspected(files, input_format, step)
