"""Reading profiles for a command, with a progress bar where it takes a while."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from roofcast.core.table import KernelTable

LONG_READ_BYTES = 30_000_000
"""Files larger than this take over a second or two: show a bar."""


def read_profiles(files: Sequence[str], input_format: str | None) -> KernelTable:
    """Read the files of a command line, in order."""
    from roofcast.core.table import concatenate
    from roofcast.ingest.readers import read, read_one

    sizes = [Path(f).stat().st_size if f != "-" and Path(f).is_file() else 0 for f in files]
    if not sys.stderr.isatty() or max(sizes) < LONG_READ_BYTES:
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
