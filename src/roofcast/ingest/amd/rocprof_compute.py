"""Counter files of rocprof-compute (Omniperf) and rocprofv2: ``pmc_perf.csv``, one row per dispatch."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from roofcast.core.kernel_table import KernelTable
from roofcast.ingest.amd.amd_wide import read_wide, recognised_wide
from roofcast.ingest.amd.dispatches import (
    agents_beside,
    described,
    system_beside,
    times_beside,
    with_times,
)

NEEDED = frozenset({"dispatchid", "kernelname"})
TOOL = "rocprof-compute"


def recognises(head: bytes, name: str) -> bool:
    """Whether a header of such a file stands in the head."""
    return recognised_wide(head, NEEDED)


def read(stream: BinaryIO, name: str) -> KernelTable:
    """One row per dispatch.

    Raises
    ------
    InputError : not such a file, or one without dispatches.
    """
    return read_wide(stream, name, NEEDED, TOOL)


def with_company(table: KernelTable, path: Path) -> KernelTable:
    """The table with what ``sysinfo.csv`` (or agent lists) and ``timestamps.csv`` beside the file say."""
    system = system_beside(path.parent / "sysinfo.csv")
    for part in ("pmc_perf", "pmc-perf"):
        if part in path.name and not system.arch:
            system = system_beside(path.with_name(path.name.replace(part, "sysinfo")))
    if not system.arch:
        system = agents_beside(sorted(path.parent.glob("*agent_info.csv")))
    return described(with_times(table, times_beside([path.parent / "timestamps.csv"])), system)
