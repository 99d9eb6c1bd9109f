"""What runs read of the catalog: made by the build of a package, in a checkout at the first use.

A package has the files as its build wrote them. In a checkout they are made from the entries and kept in
``__pycache__`` beside them, else in the user's cache folder, else nowhere, under the hash of what they were made from:
names, sizes and times of all entries and of the code. A file is written whole or not at all, so that several first uses
at once only do the same work.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

from roofcast.catalog.entries import ROOT
from roofcast.kit import disk_cache

MADE_FROM = ("", "architectures", "cpus", "gpus", "measurements", "../core", "../formulas")
"""Folders, from that of the catalog on, whose entries and code a generated file depends on."""


def read_generated(name: str, make: Callable[[], bytes]) -> bytes:
    """The content of a generated file. make : makes it from the entries."""
    shipped = ROOT / name
    if shipped.is_file():
        return shipped.read_bytes()
    key = disk_cache.key_of(name, describe_sources(ROOT))
    beside = ROOT / "__pycache__" / f"{name}-{key}"
    content = disk_cache.load(beside) or disk_cache.find(key)
    if content is None:
        content = make()
        forget_older(beside.parent, name)
        disk_cache.store(beside, content)
        try:
            beside.chmod(0o644)  # whoever installed it, all users of the checkout read it
        except OSError:
            disk_cache.keep(key, content)
    return content


@cache
def describe_sources(root: Path) -> str:
    """Name, size and time of every file that a generated file is made from, as a run first finds them.

    root : folder of the catalog.
    """
    lines = []
    for folder in MADE_FROM:
        path = root / folder
        if not path.is_dir():
            continue
        with os.scandir(path) as files:
            for file in files:
                if file.name.endswith((".toml", ".py")):
                    state = file.stat()
                    lines.append(f"{path}/{file.name} {state.st_size} {state.st_mtime_ns}")
    return "\n".join(sorted(lines))


def forget_older(folder: Path, name: str) -> None:
    """Remove what was made of other entries."""
    with contextlib.suppress(OSError):
        for path in folder.glob(f"{name}-*"):
            path.unlink()
