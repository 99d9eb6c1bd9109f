"""What each program must compute: float64 NumPy from the definitions, without regard for speed or blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError
from roofcast_measure.inputs import Arrays, integer
from roofcast_measure.programs import Program, Sizes
from roofcast_measure.reference_gas import hydro1d
from roofcast_measure.reference_poles import gpp
from roofcast_measure.reference_search import docking, transport

Reference = Callable[[Arrays, Sizes], Arrays]


def expected_of(program: Program, inputs: Mapping[str, NDArray[Any]], sizes: Sizes) -> Arrays:
    """Results of a program: name of an array -> (count,) float64, complex128 or integers.

    inputs : arrays before the first launch; they stay as they are.
    """
    reference = REFERENCES.get(program.name)
    if reference is None:
        raise RoofcastError(f"{program.name}: no reference; the suite runs nothing that it cannot check")
    wide = {n: a.astype(np.float64) if a.dtype == np.float32 else a.copy() for n, a in inputs.items()}
    return reference(wide, sizes)


def matrix(a: Arrays, name: str, rows: int) -> NDArray[Any]:
    """An array as a matrix of so many rows."""
    return a[name].reshape(rows, -1)


def blocks_of_256(values: NDArray[Any]) -> NDArray[Any]:
    """Sums of 256 elements each."""
    padded = np.zeros(-(-len(values) // 256) * 256)
    padded[: len(values)] = values
    return np.asarray(padded.reshape(-1, 256).sum(axis=1))


def strided_copy_8(a: Arrays, s: Sizes) -> Arrays:
    """b[8 i] = a[8 i]."""
    a["b"][::8] = a["a"][::8]
    return {"b": a["b"]}


def convolution(size: int) -> Reference:
    """Square convolution whose border repeats the edge."""

    def reference(a: Arrays, s: Sizes) -> Arrays:
        rows, cols, half = integer(s, "rows"), integer(s, "cols"), size // 2
        image = np.pad(matrix(a, "image", rows), half, mode="edge")
        weights = matrix(a, "weights", size)
        total = np.zeros((rows, cols))
        for i in range(size):
            for j in range(size):
                total += weights[i, j] * image[i : i + rows, j : j + cols]
        return {"result": total}

    return reference


def bank_conflict(a: Arrays, s: Sizes) -> Arrays:
    """Each thread's word of the tile, so often."""
    t = np.arange(1024 * integer(s, "blocks")) % 1024
    return {"y": a["x"][(t % 32 * integer(s, "stride") + t // 32) % 1024] * integer(s, "iters")}


def corner_forces(a: Arrays, s: Sizes) -> Arrays:
    """Forces of every cell on its eight corners, added up at the nodes."""
    n = integer(s, "n")
    node = np.arange((n + 1) ** 3).reshape(n + 1, n + 1, n + 1)
    near, far = slice(0, n), slice(1, n + 1)
    pick = [(k, j, i) for k in (near, far) for j in (near, far) for i in (near, far)]
    corner = np.stack([node[p].reshape(-1) for p in pick])
    away = np.stack([a[axis][corner] for axis in "xyz"])
    away -= away.mean(axis=1, keepdims=True)
    force = (a["pressure"] - s["softness"] * (away**2).sum(axis=0)) * away
    for axis, part in zip("xyz", force, strict=True):
        np.add.at(a[f"f{axis}"], corner, part)
    return {"corner": corner.reshape(-1), **{f"f{axis}": a[f"f{axis}"] for axis in "xyz"}}


def conv2d(a: Arrays, s: Sizes) -> Arrays:
    """2DCONV of PolyBench; the border stays."""
    x, b = matrix(a, "a", integer(s, "ni")), matrix(a, "b", integer(s, "ni"))
    weights = np.array([[0.2, -0.3, 0.4], [0.5, 0.6, 0.7], [-0.8, -0.9, 0.1]])
    rows, cols = x.shape[0] - 2, x.shape[1] - 2
    b[1:-1, 1:-1] = sum(weights[i, j] * x[i : i + rows, j : j + cols] for i in range(3) for j in range(3))
    return {"b": b}


def conv3d(a: Arrays, s: Sizes) -> Arrays:
    """3DCONV of PolyBench: 11 of the 27 neighbours; the border stays."""
    shape = integer(s, "ni"), integer(s, "nj"), integer(s, "nk")
    x, b = a["a"].reshape(shape), a["b"].reshape(shape)
    terms = {
        (-1, -1, -1): 2.0, (1, -1, -1): 4.0, (-1, -1, 1): 5.0, (1, -1, 1): 7.0, (-1, 0, 1): -8.0, (1, 1, -1): -9.0,
        (1, 1, 1): 10.0, (0, -1, 0): -3.0, (0, 0, 0): 6.0, (0, 1, 0): 2.5, (1, 0, 1): 1.5,
    }  # fmt: skip
    i, j, k = (n - 2 for n in shape)
    b[1:-1, 1:-1, 1:-1] = sum(
        w * x[1 + di : 1 + di + i, 1 + dj : 1 + dj + j, 1 + dk : 1 + dk + k] for (di, dj, dk), w in terms.items()
    )
    return {"b": b}


def gemm(a: Arrays, s: Sizes) -> Arrays:
    """C = alpha A B + beta C."""
    c = matrix(a, "c", integer(s, "ni"))
    return {"c": s["alpha"] * matrix(a, "a", integer(s, "ni")) @ matrix(a, "b", integer(s, "nk")) + s["beta"] * c}


def two_products(a: Arrays, s: Sizes) -> Arrays:
    """2MM."""
    t = matrix(a, "a", integer(s, "ni")) @ matrix(a, "b", integer(s, "nk"))
    return {"t": t, "d": t @ matrix(a, "c", integer(s, "nj"))}


def three_products(a: Arrays, s: Sizes) -> Arrays:
    """3MM."""
    e = matrix(a, "a", integer(s, "ni")) @ matrix(a, "b", integer(s, "nk"))
    f = matrix(a, "c", integer(s, "nj")) @ matrix(a, "d", integer(s, "nm"))
    return {"e": e, "f": f, "g": e @ f}


def atax(a: Arrays, s: Sizes) -> Arrays:
    """ATAX: t = A x, y = A^T t."""
    m = matrix(a, "a", integer(s, "nx"))
    t = m @ a["x"]
    return {"t": t, "y": m.T @ t}


def mvt(a: Arrays, s: Sizes) -> Arrays:
    """x1 += A y1, x2 += A^T y2."""
    m = matrix(a, "a", integer(s, "n"))
    return {"x1": a["x1"] + m @ a["y1"], "x2": a["x2"] + m.T @ a["y2"]}


def rank_updates(a: Arrays, s: Sizes) -> Arrays:
    """SYRK (B = A, half of the sum) and SYR2K."""
    x = matrix(a, "a", integer(s, "n"))
    product = x @ x.T if "b" not in a else x @ (y := matrix(a, "b", integer(s, "n"))).T + y @ x.T
    return {"c": s["alpha"] * product + s["beta"] * matrix(a, "c", integer(s, "n"))}


def fdtd(a: Arrays, s: Sizes) -> Arrays:
    """FDTD-2D over all time steps."""
    nx = integer(s, "nx")
    ex, ey, hz = matrix(a, "ex", nx), matrix(a, "ey", nx + 1), matrix(a, "hz", nx)
    for t in range(integer(s, "tmax")):
        ey[0] = a["source"][t]
        ey[1:nx] -= 0.5 * (hz[1:] - hz[:-1])
        ex[:, 1:-1] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz -= 0.7 * (ex[:, 1:] - ex[:, :-1] + ey[1:] - ey[:-1])
    return {"ex": ex, "ey": ey, "hz": hz}


def covariance(a: Arrays, s: Sizes) -> Arrays:
    """Sums of products of centred columns."""
    data = matrix(a, "data", integer(s, "n"))
    centred = data - data.mean(axis=0)
    return {"mean": data.mean(axis=0), "centred": centred, "result": centred.T @ centred}


def correlation(a: Arrays, s: Sizes) -> Arrays:
    """Correlation of columns; one on the diagonal by definition."""
    data = matrix(a, "data", integer(s, "n"))
    deviation = data.std(axis=0)
    deviation[deviation <= 0.005] = 1.0
    centred = (data - data.mean(axis=0)) / (np.sqrt(len(data)) * deviation)
    result = centred.T @ centred
    np.fill_diagonal(result, 1.0)
    return {"deviation": deviation, "centred": centred, "result": result}


def gram_schmidt(a: Arrays, s: Sizes) -> Arrays:
    """Modified Gram-Schmidt, column by column."""
    n = integer(s, "n")
    x, r = matrix(a, "a", integer(s, "m")), matrix(a, "r", n)
    q = np.zeros_like(x)
    for k in range(n):
        r[k, k] = np.sqrt(np.sum(x[:, k] ** 2))
        q[:, k] = x[:, k] / r[k, k]
        r[k, k + 1 :] = q[:, k] @ x[:, k + 1 :]
        x[:, k + 1 :] -= np.outer(q[:, k], r[k, k + 1 :])
    return {"a": x, "q": q, "r": r}


def nearest(a: Arrays, s: Sizes) -> Arrays:
    """All distances, and the k least of each query with their places (random data hold no ties)."""
    dim, k = integer(s, "dim"), integer(s, "k")
    off = matrix(a, "reference", dim)[:, :, None] - matrix(a, "query", dim)[:, None, :]
    distance = np.sum(off**2, axis=0)
    order = np.argsort(distance, axis=0, kind="stable")[:k]
    return {"distance": distance, "nearest": np.sqrt(np.take_along_axis(distance, order, 0)), "index": order}


REFERENCES: dict[str, Reference] = {
    "vector_add": lambda a, s: {"c": a["a"] + a["b"]},
    "saxpy": lambda a, s: {"y": s["alpha"] * a["x"] + a["y"]},
    "strided_copy_8": strided_copy_8,
    "naive_transpose": lambda a, s: {"b": matrix(a, "a", integer(s, "rows")).T},
    "shared_transpose": lambda a, s: {"b": matrix(a, "a", integer(s, "rows")).T},
    "random_access": lambda a, s: {"b": a["a"][a["index"]]},
    "matmul_naive": lambda a, s: {"c": matrix(a, "a", integer(s, "n")) @ matrix(a, "b", integer(s, "n"))},
    "matmul_tiled": lambda a, s: {"c": matrix(a, "a", integer(s, "n")) @ matrix(a, "b", integer(s, "n"))},
    "conv2d_3x3": convolution(3),
    "conv2d_7x7": convolution(7),
    "reduce_sum": lambda a, s: {"partial": blocks_of_256(a["x"])},
    "dot_product": lambda a, s: {"partial": blocks_of_256(a["x"] * a["y"])},
    "histogram": lambda a, s: {"bins": a["bins"] + np.bincount(a["x"], minlength=256)},
    "atomic_hotspot": lambda a, s: {"counter": a["counter"] + integer(s, "n") * integer(s, "iters")},
    "vector_add_divergent": lambda a, s: {"c": a["a"] + a["b"] * np.where(np.arange(len(a["a"])) % 2, -1, 1)},
    "shared_bank_conflict": bank_conflict,
    "conv2d_polybench": conv2d,
    "conv3d_polybench": conv3d,
    "gemm_polybench": gemm,
    "mm2_polybench": two_products,
    "mm3_polybench": three_products,
    "atax_polybench": atax,
    "mvt_polybench": mvt,
    "syrk_polybench": rank_updates,
    "syr2k_polybench": rank_updates,
    "fdtd2d_polybench": fdtd,
    "covar_polybench": covariance,
    "corr_polybench": correlation,
    "gramschm_polybench": gram_schmidt,
    "knn": nearest,
    "corners": corner_forces,
    "hydro1d": hydro1d,
    "transport": transport,
    "docking": docking,
    "gpp": gpp,
}
"""Program -> reference; it may change the arrays that it is given."""
