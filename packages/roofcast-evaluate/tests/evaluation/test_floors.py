"""Launch floors from measurements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast_evaluate.floors import CONFIGURATIONS_FOR_FLOOR, measured_floors


def table(rows: Sequence[tuple[str, str, float, float]]) -> KernelTable:
    """Rows of (GPU, kernel, bytes, seconds)."""
    gpu, kernel, moved, time = zip(*rows, strict=True)
    return KernelTable.from_columns(
        {"kernel": kernel, "gpu": gpu}, {"time_s": (time, Origin.COUNTED), "bytes_dram": (moved, Origin.DERIVED)}
    )


def test_a_time_that_stays_while_the_work_grows_is_a_floor_of_its_own() -> None:
    found = measured_floors(
        table(
            [
                *(("g", "flat", 1e3, 9e-6), ("g", "flat", 1e4, 9.2e-6), ("g", "flat", 1e8, 9e-4)),
                *(("g", "grows", 1e6, 2e-5), ("g", "grows", 1e7, 2e-4), ("g", "tiny", 0.0, 5e-6)),
            ]
        )
    )
    assert found == {("g", "flat"): 9e-6, ("g", "grows"): 9e-6, ("g", "tiny"): 5e-6}


def test_without_plateaus_the_shortest_time_of_the_gpu_counts() -> None:
    rows = [("g", "a", 1e6, 2e-5), ("g", "a", 1e7, 2e-4), ("g", "b", 1e6, 3e-5), ("h", "a", 1e6, 1e-5)]
    assert measured_floors(table(rows)) == {("g", "a"): 2e-5, ("g", "b"): 2e-5, ("h", "a"): 1e-5}


def test_many_configurations_show_their_own_floor() -> None:
    rows = [("g", "op", 1e6 * (i + 1), 4e-5 * (i + 1)) for i in range(CONFIGURATIONS_FOR_FLOOR)]
    assert measured_floors(table([*rows, ("g", "other", 1e3, 1e-6)]))["g", "op"] == pytest.approx(4e-5)


def test_times_that_are_none_show_nothing() -> None:
    assert measured_floors(table([("g", "a", 1e6, np.nan), ("g", "a", 1e7, np.nan)])) == {}
