"""Source code among the files that are read; what reads it is loaded for such a file only."""

from __future__ import annotations

from typing import BinaryIO

from roofcast.core.kernel_table import KernelTable

SUFFIXES = (".cu", ".hip", ".cuh")


def recognises(head: bytes, name: str) -> bool:
    """Whether a file is named as one of CUDA or HIP, or is one of Python that imports Triton."""
    triton = name.lower().endswith(".py") and b"import triton" in head
    return (name.lower().endswith(SUFFIXES) or triton) and b"\0" not in head


def read(stream: BinaryIO, name: str) -> KernelTable:
    """A row for each kernel that the file launches.

    Raises
    ------
    InputError : no kernel of the file can be derived; with the first reasons.
    """
    from roofcast_hull.source import code_rows

    return code_rows.read(stream, name)
