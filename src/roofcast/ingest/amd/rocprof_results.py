"""Counter files of rocprof (the first): ``results.csv``, one row per kernel."""

from __future__ import annotations

from typing import BinaryIO

from roofcast.core.kernel_table import KernelTable
from roofcast.ingest.amd.amd_wide import read_wide, recognised_wide

NEEDED = frozenset({"index", "kernelname"})


def recognises(head: bytes, name: str) -> bool:
    """Whether a header of such a file stands in the head."""
    return recognised_wide(head, NEEDED)


def read(stream: BinaryIO, name: str) -> KernelTable:
    """One row per kernel launch.

    Raises
    ------
    InputError : not such a file, or one without kernels.
    """
    return read_wide(stream, name, NEEDED, "rocprof")
