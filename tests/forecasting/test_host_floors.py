"""What the host takes of a library call, by sizes that all take the same."""

from __future__ import annotations

import numpy as np
import pytest

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.core.results import Conditions
from roofcast.forecasting.forecast import forecast
from roofcast.forecasting.seen_host_floors import infer_host_floors


def calls(kernel: str = "torch/add", host_s: float = 3e-5, sizes: int = 60) -> KernelTable:
    """Calls of 12 KB to 100 MB on an A100, behind a host."""
    moved = np.geomspace(1.2e4, 1e8, sizes)
    return KernelTable.from_columns(
        {"kernel": [kernel] * sizes, "gpu": ["A100 PCIe 40GB"] * sizes},
        {"time_s": (host_s + moved / 1.3e12, Origin.COUNTED), "bytes_compulsory": (moved, Origin.DERIVED),
         "flops": (moved / 12, Origin.DERIVED)},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("table", "floor_s"),
    [
        (calls(), 3e-5), (calls(sizes=20), None), (calls(host_s=4e-6), 0.0), (calls("my_kernel"), None),
        (calls("vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>"), None),
    ],
)  # fmt: skip
def test_a_host_shows_in_many_calls_of_a_library_alone(table: KernelTable, floor_s: float | None) -> None:
    found = infer_host_floors(table, np.zeros(len(table), np.intp)).column("host_floor_s")
    if floor_s is None:
        assert np.isnan(found).all()
    else:
        np.testing.assert_allclose(found, floor_s, rtol=0.01)


def test_the_host_stays_and_the_kernel_scales() -> None:
    there = forecast(calls(), "T4", model="mechanistic").estimate.time_s[:, 0]
    assert there[0] == pytest.approx(3e-5, rel=0.3)
    assert there[-1] > 3 * calls().column("time_s")[-1]


def test_a_given_floor_goes_before() -> None:
    given = forecast(
        calls(), "T4", model="mechanistic", conditions=Conditions(launch_floor_s=(3e-5, 6e-5))
    ).estimate.time_s[:, 0]
    assert given[0] >= 6e-5
