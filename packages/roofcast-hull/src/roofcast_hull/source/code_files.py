"""Source code among the files that are read; what reads it is loaded for such a file only."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from typing import BinaryIO

from roofcast.core.kernel_table import KernelTable

SUFFIXES = (".cu", ".hip", ".cuh")
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How a text of two bytes a character begins."""
PYTHON = re.compile(rb"^[ \t]*(?:import\b[^\n]*\b|from[ \t]+)triton\b|\bcuda\.jit\b|numba import cuda", re.MULTILINE)
"""What a file of Python with kernels holds."""


def recognises(head: bytes, name: str) -> bool:
    """Whether a file is one of CUDA or HIP, by its name or its kernels, or one of Python with Triton or numba.cuda."""
    label = name.lower()
    python = label.endswith(".py") and PYTHON.search(head) is not None
    host = label.endswith((".cpp", ".cc", ".cxx")) and any(w in head for w in (b"__global__", b"hip/hip_runtime"))
    return (label.endswith(SUFFIXES) or python or host) and (b"\0" not in head or head.startswith(WIDE))


def read(stream: BinaryIO, name: str) -> KernelTable:
    """A row for each kernel that the file launches.

    Raises
    ------
    InputError : no kernel of the file can be derived; with the first reasons.
    """
    return read_at_sizes(stream, name, {})


def read_at_sizes(stream: BinaryIO, name: str, sizes: Mapping[str, int]) -> KernelTable:
    """The same with values of names that the file does not say, or that are to be others.

    Raises
    ------
    InputError : no kernel of the file can be derived, or it has no such name.
    """
    from roofcast_hull.source import code_rows

    return code_rows.read(stream, name, sizes)
