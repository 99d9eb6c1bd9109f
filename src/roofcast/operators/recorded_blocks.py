"""Which two sizes of a matrix product span its result, by the blocks of its recorded launch.

Tables name the sizes of a product in different orders: ``M, N, K`` are rows, columns and sum for some, and rows, sum
and columns for others. FLOPs and bytes are the same in any order; tiles, waves and splits are not. A library's kernel
has the tile of a block in its name, and its grid covers the result with such tiles: a fact that the table states.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.operators.kernel_names import Operation, library_kernel
from roofcast.operators.operator_rows import KERNEL_COLUMNS, find_operators

SHAPE = ("shape_m", "shape_n", "shape_k", "shape_batch")
ORDERS = ((0, 1, 2), (0, 2, 1), (2, 1, 0))
"""Places of rows, columns and sum among the three sizes as a table has them: as named, or the sum elsewhere."""
FITS, FAILS = 0.98, 0.9
"""Share of a kernel's launches that another order must explain, and of which the order as named must not."""
SPLITS_MOST = 128.0
"""Blocks that may share a tile's sum."""
ORDER_BY_BLOCKS = "sizes of the product: the recorded blocks fit its tiles with the sum along another size than k"


def with_shapes_of_blocks(kernels: KernelTable) -> tuple[KernelTable, NDArray[np.bool_]]:
    """The table with rows, columns and sum of products in the order that their blocks prove; (n,) rows so changed.

    Of a kernel in a file all rows have one order, that of nearly all of their launches.
    """
    nothing = np.zeros(len(kernels), np.bool_)
    tiles = find_tiles(kernels)
    if tiles is None:
        return kernels, nothing
    operators = find_operators(kernels)
    if operators is None:
        return kernels, nothing
    sizes = (operators.m, operators.n, operators.k)
    shaped = operators.of(Operation.GEMM) & ~np.isnan(operators.m + operators.n + operators.k)
    launched = shaped & (tiles[:, 0] > 0) & (kernels.column("grid_blocks") > 0)
    if not launched.any():
        return kernels, nothing
    grid, batch = kernels.column("grid_blocks"), operators.batch
    fits = np.stack([covers(grid, sizes[m], sizes[n], batch, tiles) for m, n, _ in ORDERS])
    names = [f"{file}\x00{name}" for file, name in zip(kernels.files(), kernels.strings("kernel"), strict=True)]
    _, which = np.unique(np.array(names), return_inverse=True)
    count = np.bincount(which, weights=launched)
    with quietly():
        share = np.stack([np.bincount(which, weights=launched & fit) for fit in fits]) / count
    best = np.argmax(share, axis=0)
    single = np.sum(share >= share.max(axis=0), axis=0) == 1
    proven = single & (share.max(axis=0) >= FITS) & (share[0] <= FAILS)
    order = np.where(proven, best, 0)[which]
    changed = shaped & (order > 0)
    if not changed.any():
        return kernels, nothing
    ordered = [np.choose(order, [sizes[places[i]] for places in ORDERS]) for i in range(3)]
    columns = {
        name: (np.where(changed, values, kernels.column(name)), Origin.DERIVED)
        for name, values in zip(SHAPE, (*ordered, batch), strict=True)
    }
    return kernels.with_columns(**columns), changed


def find_tiles(kernels: KernelTable) -> FloatArray | None:
    """(n, 2) tile of a block by the recorded name of a library's kernel, NaN without; None where no row has one."""
    if "grid_blocks" not in kernels.numeric:
        return None
    texts = [kernels.strings("kernel"), *(kernels.extra[c] for c in KERNEL_COLUMNS if c in kernels.extra)]
    of_rows = np.full((len(kernels), 2), np.nan)
    for column in texts:
        known = {text: library_kernel(str(text)) for text in set(column.tolist())}
        tiles = {text: kernel.tile for text, kernel in known.items() if kernel is not None and kernel.tile is not None}
        if tiles:
            of_column = np.array([tiles.get(text, (np.nan, np.nan)) for text in column.tolist()], np.float64)
            of_rows = np.where(np.isnan(of_column), of_rows, of_column)
    return None if np.isnan(of_rows).all() else of_rows


def covers(
    grid: FloatArray, rows: FloatArray, columns: FloatArray, batch: FloatArray, tiles: FloatArray
) -> NDArray[np.bool_]:
    """(n,) launches whose blocks cover a result of rows x columns with tiles, either way round, in whole splits.

    >>> one = np.array([[128.0, 64.0]])
    >>> covers(np.array([58.0]), np.array([129.0]), np.array([63.0]), np.array([29.0]), one).tolist()
    [True]
    >>> covers(np.array([58.0]), np.array([257.0]), np.array([63.0]), np.array([29.0]), one).tolist()
    [False]
    """
    result = np.zeros(len(grid), np.bool_)
    with quietly():
        for a, b in ((rows, columns), (columns, rows)):
            split = grid / (np.ceil(a / tiles[:, 0]) * np.ceil(b / tiles[:, 1]) * batch)
            result |= (split >= 1.0) & (split <= SPLITS_MOST) & (np.abs(split - np.round(split)) < 1e-9)
    return result
