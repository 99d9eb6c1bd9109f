"""Programs as people write them that were refused falsely once: classes, bytes and operations by hand."""

from __future__ import annotations

import pytest

from hulls.test_blind import CODES, EXPECTED, score

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")
pytest.importorskip("clang", reason="the extra 'source' is not installed")

QUICK = """c/algorithms.cpp:scale_transform c/containers.cpp:row_totals c/everyday.c:walk_pointers
    c/everyday.c:gray_decode cuda/together.cu:both_sides py/with_numba.py:product
    c/called_from_main.c:pick cuda/dense.cu:transpose_double cuda/reductions.cu:row_max
    cuda/block_sums.cu:layer_stats
    py/numpy_whole.py:scatter_add py/called_from_main.py:scale cuda/with_thrust.cu:total
    cuda/embedding.cu:encoder_forward_kernel cuda/jacobi_borders.cu:jacobi_step cuda/blur_dealt.cu:box_blur
    cuda/swish_extension.cu:swish_kernel c/rows_of_rows.cpp:multiply c/sparse_struct.cpp:spmv
    c/solver.cpp:HeatSolver_step"""


@pytest.mark.parametrize("name", QUICK.split())
def test_each_cause_once(name: str) -> None:
    assert score(name, "common") == "right"


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in EXPECTED["common"] if n not in QUICK.split()])
def test_class_bytes_and_operations(name: str) -> None:
    assert score(name, "common") == "right"


def test_every_program_is_there() -> None:
    assert {n.partition(":")[0] for n in EXPECTED["common"]} == {
        str(p.relative_to(CODES / "common")) for p in (CODES / "common").rglob("*.*")
    }
