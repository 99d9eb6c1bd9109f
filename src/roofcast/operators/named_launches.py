"""Blocks of launches whose grid was not recorded: as the configuration says them, or as the kernel's name does."""

from __future__ import annotations

import re

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.forecasting.sizes import configuration

BLOCKS = frozenset({"grid", "griddim", "gridsize", "numblocks", "blocks", "numberofblocks", "nblocks"})
"""Names of the number of blocks in a configuration, as letters alone."""
ROWS = frozenset({"rows", "numrows", "nrows", "m"})
MATRIX_VECTOR = re.compile(r"(?:mat|matrix)[\W_]*(?:vec|vector)(?![a-z])")
"""Names of hand-written products of a matrix with a vector: a thread computes a row."""
EXTENT = re.compile(r"\d+(?:x\d+){0,2}")
LARGEST_GRID = float(2**31 - 1)


def with_named_launches(kernels: KernelTable) -> KernelTable:
    """The table with the blocks of the rows that have threads per block but no grid, where something names them.

    A product of a matrix with a vector that names its rows has a thread per row, which is an assumption (``ASSUMED``).
    The same table where nothing is to be added.
    """
    threads, blocks = kernels.column("block_threads"), kernels.column("grid_blocks")
    rows = np.flatnonzero((threads > 0) & np.isnan(blocks))
    if not len(rows) or not any(kernels.strings("config")):
        return kernels
    configs, names = kernels.strings("config"), kernels.strings("kernel")
    origin = kernels.origin_of("grid_blocks").copy()
    found = blocks.copy()
    known: dict[tuple[str, str, float], tuple[float, Origin]] = {}
    for row in rows.tolist():
        key = (str(configs[row]), str(names[row]), float(threads[row]))
        if key not in known:
            known[key] = named_blocks(*key)
        found[row], origin[row] = known[key]
    if np.isnan(found[rows]).all():
        return kernels
    return kernels.with_columns(grid_blocks=(found, np.where(np.isnan(found), np.uint8(Origin.ABSENT), origin)))


def named_blocks(config: str, kernel: str, threads: float) -> tuple[float, Origin]:
    """Blocks of one launch, and how that is known; NaN where nothing names them.

    >>> named_blocks("n=4096;grid=16x2", "scale", 128.0)[0]
    32.0
    >>> named_blocks("Num Rows=1000;Num Cols=64", "Matrix Vector Multiplication", 512.0)[0]
    2.0
    >>> named_blocks("Num Rows=1000;Num Cols=64", "matrix_transpose", 512.0)[0]
    nan
    """
    parts = {re.sub(r"[^a-z0-9]", "", name.lower()): value.strip() for name, value in configuration(config).items()}
    said = next((parts[name] for name in parts if name in BLOCKS), "")
    if EXTENT.fullmatch(said):
        return within(float(np.prod([float(n) for n in said.split("x")]))), Origin.DERIVED
    rows = next((parts[name] for name in parts if name in ROWS), "")
    if rows.isascii() and rows.isdigit() and MATRIX_VECTOR.search(kernel.lower()):
        return within(float(np.ceil(float(rows) / threads))), Origin.ASSUMED
    return float("nan"), Origin.ABSENT


def within(blocks: float) -> float:
    """A number of blocks that a launch can have; else NaN."""
    return blocks if 1 <= blocks <= LARGEST_GRID else float("nan")
