"""How fast the store takes rows, beside the plainest thing that a team would do instead: append to a CSV file."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.store import sets

ROWS = 100_000
COLUMNS = ("time_s", "grid_blocks", "block_threads", "bytes_dram", "bytes_l2", "flops_fp32", "flops_fp64", "clock_hz")
SLOWER_MOST = 3.0
"""Times the baseline: the store also keeps origins, checks for duplicates and survives a kill."""


def table(seed: int) -> KernelTable:
    """Launches of some hundred kernels."""
    random = np.random.default_rng(seed)
    return KernelTable.from_columns(
        {
            "kernel": [f"kernel_{i % 300}(float*, int)" for i in range(ROWS)],
            "gpu": ["NVIDIA A100-SXM4-80GB"] * ROWS,
        },
        {name: (random.random(ROWS), Origin.COUNTED) for name in COLUMNS},
        provenance=Provenance(file=f"{seed}.csv", format="table"),
    )


def seconds(start: float) -> float:
    """Since a start."""
    return time.perf_counter() - start


def test_rows_per_second_beside_appending_to_a_csv_file(tmp_path: Path) -> None:
    kernels = [table(i) for i in range(3)]
    start = time.perf_counter()
    with (tmp_path / "all.csv").open("a", encoding="utf-8") as file:
        for one in kernels:
            one.to_pandas().to_csv(file, index=False)
    baseline = seconds(start)
    start = time.perf_counter()
    for i, one in enumerate(kernels):
        sets.add("bench", [sets.Entry(f"{i}.csv", f"{i:064}", one)], tmp_path / "s.duckdb")
    stored = seconds(start)
    start = time.perf_counter()
    found = sets.read_set("bench", tmp_path / "s.duckdb")
    read = seconds(start)
    assert len(found) == 3 * ROWS
    print(
        f"store: {3 * ROWS / stored:,.0f} rows/s in, {3 * ROWS / read:,.0f} rows/s out; "
        f"pandas CSV append {3 * ROWS / baseline:,.0f} rows/s"
    )
    assert stored < SLOWER_MOST * baseline
