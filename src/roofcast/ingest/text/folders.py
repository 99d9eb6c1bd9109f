"""Folders as input: the profiles in them, without the files that only describe another one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from roofcast.core.errors import InputError, one_line

MOST_FILES = 50_000
"""Files in a folder beyond which it is surely not one of profiles (a home folder, a file system)."""
COUNTERS = re.compile(r"(?:^|[_-])pmc_perf\.csv(?:\.gz)?$|counter_collection\.csv(?:\.gz)?$")
OF_PASSES = "*counter_collection.csv"
COMPANY_OF_COUNTERS = re.compile(
    r"^(?:sysinfo|timestamps|roofline|pmc_perf_\d+|pmc_dispatch_info|SQ_\w+|SQC_\w+)\.csv$|"
    r"(?:kernel_trace|agent_info|domain_stats|kernel_stats)\.csv(?:\.gz)?$"
)
"""Other files of the same run: they name the same launches once more, or describe the machine."""


def is_folder(path: str | Path) -> bool:
    """Whether an input is a folder."""
    return str(path) != "-" and Path(path).is_dir()


def files_in(folder: str | Path) -> list[Path]:
    """The files of a folder and its subfolders that may be profiles, sorted by path.

    Hidden files and folders are left out, links to folders not followed. In a folder with counters of an AMD profiler
    the rest of that run, its raw files below included, is read with them, not beside them.

    Raises
    ------
    InputError : more files than any folder of profiles has, or none.
    """
    found = sorted(walk(Path(folder)))
    counted = {path.parent for path in found if COUNTERS.search(path.name)}
    whole = {path.parent for path in found if path.name.startswith("pmc_perf.csv")}
    first = {place.parent for p in found if (place := pass_of(p)) is not None and place.name == "pass_1"}
    kept = [
        p
        for p in found
        if not (p.parent in counted and COMPANY_OF_COUNTERS.search(p.name))
        and whole.isdisjoint(p.parents[1:])
        and not is_later_pass(p, first)
    ]
    if not kept:
        raise InputError(f"{one_line(str(folder))}: an empty folder: give one with profiles in it")
    return kept


def is_later_pass(path: Path, first: set[Path]) -> bool:
    """Whether a counter file is of a later pass of rocprofv3, which is read with the first.

    first : the folders in which a first pass lies.
    """
    place = pass_of(path)
    return place is not None and place.name != "pass_1" and place.parent in first


def pass_of(path: Path) -> Path | None:
    """The folder of the pass that a counter file of rocprofv3 lies in; None where it lies in none."""
    if not path.name.endswith("counter_collection.csv"):
        return None
    return next((p for p in list(path.parents)[:2] if re.fullmatch(r"pass_\d+", p.name)), None)


def walk(folder: Path) -> Iterator[Path]:
    """All files that are not hidden.

    Raises
    ------
    InputError : there are too many.
    """
    count = 0
    for at, folders, files in os.walk(folder):
        folders[:] = [f for f in folders if not f.startswith(".")]
        for name in files:
            if name.startswith("."):
                continue
            count += 1
            if count > MOST_FILES:
                raise InputError(
                    f"{one_line(str(folder))}: a folder of over {MOST_FILES:,} files: give the one with profiles"
                )
            path = Path(at) / name
            if is_regular(path):
                yield path


def is_regular(path: Path) -> bool:
    """Whether a path is a file that could be opened: pipes and devices are not."""
    try:
        return path.is_file()
    except OSError:
        return False
