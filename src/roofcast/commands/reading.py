"""Reading profiles for a command, with a progress bar where it takes a while."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roofcast.commands.showing import progress_bar

if TYPE_CHECKING:
    from roofcast.applications.run_summary import TimelineSummary
    from roofcast.core.kernel_table import KernelTable


def read_profiles(files: Sequence[str], input_format: str | None) -> KernelTable:
    """Read the files of a command line, in order."""
    from roofcast.reading import read_watched

    with progress_bar() as step:
        return read_watched(files, input_format, step)


def read_inspected(files: Sequence[str], input_format: str | None) -> tuple[KernelTable, list[TimelineSummary]]:
    """The kernels of the files, and of traces what each run spent its time on."""
    from roofcast.ingest.timelines import are_timelines

    if not are_timelines(files, input_format):
        return read_profiles(files, input_format), []
    from roofcast.applications import recorded

    with progress_bar() as step:
        return recorded.read_inspected(files, input_format, step)
