"""Splits by program and by GPU, never by row: the same answer on every machine and in every order of rows."""

from __future__ import annotations

import hashlib
import re

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import TextArray

FOLDS = 5


def program_of(kernel: str) -> str:
    """The program that a kernel's name begins with, else the kernel.

    >>> program_of("ace-cuda:_Z14calculateForcePA400_"), program_of("micro/vector_add"), program_of("void f<int>()")
    ('ace-cuda', 'micro/vector_add', 'void f<int>()')
    """
    found = re.match(r"([\w.+-]+):(?!:)", kernel)
    return found.group(1).removesuffix("-omp") if found else kernel


def fold_of(program: str, folds: int = FOLDS) -> int:
    """Fold of a program, from its hash.

    >>> 0 <= fold_of("ace-cuda") < 5
    True
    """
    return int(hashlib.sha256(program.encode("utf-8", "surrogatepass")).hexdigest(), 16) % folds


def folds_of(kernel: TextArray, folds: int = FOLDS) -> NDArray[np.intp]:
    """(n,) fold of each row's program."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(k, fold_of(program_of(k), folds)) for k in kernel], dtype=np.intp)
