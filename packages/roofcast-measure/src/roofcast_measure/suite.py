"""The kernel suite: 16 kernels in 71 configurations, 13 PolyBench programs, KNN, a one-dimensional gas, corner forces.

[Srivastava2025] "Cross-GPU Performance Prediction Using Analytical and Machine Learning Models", Table 2. It prints the
sizes and the number 71, not the list; its files hold 63 (RTX 2080 Ti) and 60 (the others). The 63 are here: four sizes
of 14 kernels, three of ``atomic_hotspot`` with 50 and 100 additions, one block of ``shared_bank_conflict``. Which the
other eight are nobody says: here the largest size of ``atomic_hotspot``, twice, and six strides of the bank conflict.
[VanLanker2024] Van Lanker et al., Euro-Par 2024, Table 2; a smaller size stands beside each of its sizes, without which
nobody could see whether times grow with the work.

To add a kernel: one ``.cu`` file with its header, one line here, one reference in :mod:`roofcast_measure.references`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from roofcast.core.errors import RoofcastError, one_line
from roofcast_measure.programs import Program, read_program

FOLDER = Path(__file__).with_name("suite")

SUITE: dict[str, str] = {
    "vector_add": "Srivastava2025", "saxpy": "Srivastava2025", "strided_copy_8": "Srivastava2025",
    "naive_transpose": "Srivastava2025", "shared_transpose": "Srivastava2025", "random_access": "Srivastava2025",
    "matmul_naive": "Srivastava2025", "matmul_tiled": "Srivastava2025", "conv2d_3x3": "Srivastava2025",
    "conv2d_7x7": "Srivastava2025", "reduce_sum": "Srivastava2025", "dot_product": "Srivastava2025",
    "histogram": "Srivastava2025", "atomic_hotspot": "Srivastava2025", "vector_add_divergent": "Srivastava2025",
    "shared_bank_conflict": "Srivastava2025",
    "conv2d_polybench": "VanLanker2024", "mm2_polybench": "VanLanker2024", "conv3d_polybench": "VanLanker2024",
    "mm3_polybench": "VanLanker2024", "atax_polybench": "VanLanker2024", "corr_polybench": "VanLanker2024",
    "covar_polybench": "VanLanker2024", "fdtd2d_polybench": "VanLanker2024", "gemm_polybench": "VanLanker2024",
    "mvt_polybench": "VanLanker2024", "syrk_polybench": "VanLanker2024", "syr2k_polybench": "VanLanker2024",
    "gramschm_polybench": "VanLanker2024",
    "knn": "VanLanker2024", "hydro1d": "VanLanker2024", "corners": "VanLanker2024",
    "transport": "VanLanker2024", "docking": "VanLanker2024",
}  # fmt: skip
"""Program (a file of the folder ``suite``) -> where it is defined."""

EIGHT_STEPS = "gpp"
"""The plasmon-pole kernel in nine versions, which :mod:`roofcast_measure.gpp` runs."""


@lru_cache(maxsize=64)
def load(name: str) -> Program:
    """A program by name."""
    if name not in SUITE and name != EIGHT_STEPS:
        raise RoofcastError(
            f"no program {one_line(name, 60)!r} in the suite; `roofcast measure suite --list` lists them"
        )
    return read_program(FOLDER / f"{name}.cu")


def programs() -> list[Program]:
    """Every program of the suite, in its order."""
    return [load(name) for name in SUITE]


def selected(pattern: str | None) -> list[Program]:
    """Programs whose name, or one of whose kernels' names, matches a regular expression."""
    if pattern is None:
        return programs()
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise RoofcastError(f"--kernel {one_line(pattern, 60)!r} is not a regular expression: {error}") from error
    matching = [p for p in programs() if wanted.search(p.name) or any(wanted.search(k.name) for k in p.kernels)]
    if not matching:
        raise RoofcastError(
            f"--kernel {one_line(pattern, 60)!r} matches no kernel; `roofcast measure suite --list` lists them"
        )
    return matching
