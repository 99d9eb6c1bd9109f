"""How long libraries' kernels take: matrix products in tiles, operators over rows; what of an efficiency travels.

[Fits] are the project's own cross-validated fits on public measurements (docs/accuracy.md, "Library operators").
"""

from __future__ import annotations

import numpy as np

from roofcast.formulas.values import FloatArray, Values


def tile_efficiency(rows: float, columns: float, overhead: float) -> float:
    r"""Share of a pipe's rate that a tile reaches: operands are loaded per edge, products made per area.

    .. math:: e = \left(1 + 32 h \left(\tfrac{1}{b_m} + \tfrac{1}{b_n}\right)\right)^{-1}

    rows, columns : of the tile, b_m and b_n. overhead : h, what a 64 x 64 tile takes longer. Source: counting; h from
    [Fits].

    >>> round(tile_efficiency(64, 64, 0.1), 4), round(tile_efficiency(256, 128, 0.1), 4)
    (0.9091, 0.9639)
    """
    return 1.0 / (1.0 + 32.0 * overhead * (1.0 / rows + 1.0 / columns))


def wave_bytes(
    tiles: Values, depth: Values, rows: float, columns: float, down: Values, across: Values, element_bytes: float
) -> FloatArray:
    r"""Bytes that waves of tiles ask of memory if tiles share operands within a wave and none between waves.

    .. math:: V = T \, b_m b_n \, K s \left(\frac{1}{g_m b_m} + \frac{1}{g_n b_n}\right)

    tiles : (...) 1, T. depth : (...) 1, K. down, across : (...) 1, tiles of a wave along rows and columns, g_m and g_n.
    Source: counting.

    >>> float(wave_bytes(1, 100, 64, 64, 1, 1, 4.0)) == 2 * 64 * 100 * 4
    True
    """
    shared = 1.0 / (np.asarray(down) * rows) + 1.0 / (np.asarray(across) * columns)
    return np.asarray(np.asarray(tiles) * (rows * columns * element_bytes) * depth * shared)


def outgrown_fraction(working_set_bytes: Values, capacity_bytes: Values) -> FloatArray:
    r"""Share of repeated reads of an operand that a cache does not serve, for operands that are read in panels.

    .. math:: m = \mathrm{clip}((w / C - 0.9) / 4, 0, 1)

    Unlike a cyclic sweep, panels are used at once by many blocks, so that the loss sets in slowly. Source: [Fits].

    >>> outgrown_fraction(np.array([0.5, 2.9, 9.0]), 1.0).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.clip((np.divide(working_set_bytes, capacity_bytes) - 0.9) / 4.0, 0.0, 1.0)


def row_operator_s(bytes_s: Values, elements_s: Values, rows_s: Values, norm: float = 2.0) -> FloatArray:
    r"""Seconds of an operator over rows (element-wise, softmax, norms).

    .. math:: T = (\tau_{bytes}^p + \tau_{elements}^p)^{1/p} + \tau_{rows}

    bytes_s : (...) s of the bus. elements_s : (...) s of the SMs' arithmetic. rows_s : (...) s of starting and reducing
    rows; NaN counts as 0. Source: [Fits].

    >>> float(row_operator_s(3.0, 4.0, 1.0))
    6.0
    """
    rows = np.nan_to_num(np.asarray(rows_s, dtype=np.float64), nan=0.0)
    if norm == 2.0:
        return np.asarray(np.hypot(bytes_s, elements_s) + rows)
    return np.asarray(np.power(np.power(bytes_s, norm) + np.power(elements_s, norm), 1.0 / norm) + rows)


def kept_ratio(ratio: Values, share: Values, limit: float = 4.0) -> FloatArray:
    r"""What the target inherits of the source's time over the model's: libraries pick another kernel there.

    .. math:: r' = r \cdot \mathrm{clip}(r, 1/l, l)^{k - 1}

    ratio : (...) 1, r. share : (...) 1, k: 1 keeps all, 0 nothing. limit : l; a kernel further from the model than that
    is no library's, or slow for a reason of its own: what lies beyond stays. Source: regression to the mean.

    >>> kept_ratio(np.array([2.0, 8.0]), 0.5).round(3).tolist()
    [1.414, 4.0]
    """
    r = np.asarray(ratio, dtype=np.float64)
    return np.asarray(r * np.power(np.clip(r, 1.0 / limit, limit), np.asarray(share) - 1.0))
