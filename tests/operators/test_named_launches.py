"""Grids that only a configuration or a kernel's name tells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model_builders import table
from roofcast.core.columns import Origin
from roofcast.operators.operator_rows import find_blocks, with_named_launches


@pytest.mark.parametrize(
    ("config", "kernel", "blocks", "origin"),
    [
        ("n=1;Grid dim=12x3x2;block=64", "k", 72.0, Origin.DERIVED),
        ("Num Blocks=40", "reduce", 40.0, Origin.DERIVED),
        ("T=U32;Num Rows=4096;Num Cols=4096;Num Threads=512", "Simple Matrix Vector Multiplication", 8.0,
         Origin.ASSUMED),
        ("rows=100;cols=3", "mat_vec_mul", 1.0, Origin.ASSUMED),
        ("rows=100;cols=3", "mat_mat_mul", np.nan, Origin.ABSENT),
        ("rows=100;cols=3", "matrix_vectorized_copy", np.nan, Origin.ABSENT),
        ("grid=0", "k", np.nan, Origin.DERIVED),
        ("grid=99999999999x99", "k", np.nan, Origin.DERIVED),
        ("", "matvec", np.nan, Origin.ABSENT),
    ],
)  # fmt: skip
def test_what_names_a_grid(config: str, kernel: str, blocks: float, origin: Origin) -> None:
    found = find_blocks(config, kernel, 512.0)
    np.testing.assert_equal(found[0], blocks)
    assert found[1] == origin or np.isnan(found[0])


def test_recorded_grids_stay_and_rows_without_threads_stay_absent() -> None:
    rows = [
        {"time_s": 1.0, "block_threads": 64.0, "grid_blocks": 7.0},
        {"time_s": 1.0},
        {"time_s": 1.0, "block_threads": 64.0},
    ]
    found = with_named_launches(table(rows, {"config": ["grid=9", "grid=9", "grid=9"]}))
    np.testing.assert_equal(found.column("grid_blocks"), [7.0, np.nan, 9.0])
    assert found.origin_of("grid_blocks").tolist() == [Origin.COUNTED, Origin.ABSENT, Origin.DERIVED]


def test_a_table_that_names_none_is_the_same_object() -> None:
    plain = table([{"time_s": 1.0, "block_threads": 64.0}], {"config": ["n=5"]})
    assert with_named_launches(plain) is plain
    assert with_named_launches(empty := table([{"time_s": 1.0}])) is empty


@given(st.text(max_size=40), st.text(max_size=40), st.floats(allow_nan=False, min_value=1e-300))
def test_any_text_gives_blocks_or_nothing(config: str, kernel: str, threads: float) -> None:
    blocks, _ = find_blocks(config, kernel, threads)
    assert np.isnan(blocks) or 1 <= blocks <= 2**31
