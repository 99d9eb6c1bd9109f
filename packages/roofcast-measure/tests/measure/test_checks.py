"""Measurements that cannot be: the faults of the report's own data, and that sound ones pass."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from roofcast import catalog
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.core.resource import Resource
from roofcast.reading import read
from roofcast_measure.checks import refusals, roofs_of, without
from roofcast_measure.driver import DeviceInfo

INFO = DeviceInfo("x", "8.0", 108, 40 * 2**20, 40 * 2**30, bytes_per_s_dram_peak=1.555e12)


def table(
    times: list[float], work: list[float], more: dict[str, list[float]] | None = None, state: str = "cold"
) -> KernelTable:
    n = len(times)
    numeric = {"time_s": times, "flops_fp32": work, **(more or {})}
    return KernelTable.from_columns(
        {"kernel": ["k"] * n, "config": [f"n={i}" for i in range(n)], "gpu": ["g"] * n, "cache_state": [state] * n},
        {k: (np.array(v, dtype=float), Origin.DERIVED) for k, v in numeric.items()},
    )


def test_a_time_that_does_not_move_with_the_size_is_refused() -> None:
    found = refusals(table([6.72e-5] * 4, [1.0, 4.0, 16.0, 64.0]), {})
    assert [r.row for r in found] == [0, 1, 2, 3]
    assert "times the work of n=0 in 1.00 times its time" in found[-1].reason


def test_times_that_grow_pass() -> None:
    assert refusals(table([1e-4, 2e-4, 8e-4, 32e-4], [1.0, 4.0, 16.0, 64.0]), {}) == []


def test_launch_floors_may_be_constant() -> None:
    assert refusals(table([4e-6, 4e-6, 5e-6], [1.0, 4.0, 16.0]), {}) == []
    assert refusals(table([3e-5, 3e-5], [1.0, 16.0]), {}, floor_s=1e-5) == []
    assert refusals(table([3e-5, 3e-5], [1.0, 16.0]), {}, floor_s=2e-6) != []


def test_one_amount_that_grows_alone_must_show_when_it_grows_much() -> None:
    shared = {"bytes_shared": [1.0, 32.0]}
    assert refusals(table([1e-3, 1.01e-3], [5.0, 5.0], shared), {})
    assert not refusals(table([1e-3, 1.01e-3], [5.0, 4.0], shared), {})
    assert not refusals(table([1e-3, 9e-3], [5.0, 5.0], shared), {})


def test_rates_above_a_roof_are_refused() -> None:
    roofs = {Resource.FLOPS_FP32: 1e12, Resource.BYTES_DRAM: 1e12}
    assert refusals(table([1.0], [1.2e12]), roofs) == []
    (found,) = refusals(table([1.0], [1.3e12]), roofs)
    assert found.reason == "1.30 times the FP32 peak of the GPU"


def test_dram_is_checked_only_where_bytes_must_have_moved() -> None:
    roofs = {Resource.BYTES_DRAM: 1e12}

    def moved(state: str, read: float, write: float) -> bool:
        parts = {"bytes_dram_read": [read], "bytes_dram_write": [write], "bytes_compulsory": [read + write]}
        return bool(refusals(table([1.0], [0.0], parts, state), roofs, capacity_bytes_l2=1e12))

    assert moved("cold", 1.2e12, 0)
    assert not moved("warm", 1.2e12, 0), "the last cache may hold it"
    assert not moved("cold", 0.9e12, 0.9e12), "what was written may still be in the cache"
    assert moved("warm", 5e12, 4e12), "no cache is near this"


def test_roofs_come_from_the_catalog_and_the_driver() -> None:
    roofs = roofs_of(INFO, catalog.gpu("A100 SXM4 40GB"))
    assert roofs[Resource.FLOPS_FP32] == pytest.approx(19.5e12, rel=0.02)
    assert roofs_of(INFO, None) == {Resource.BYTES_DRAM: 1.555e12}
    assert roofs_of(DeviceInfo("x", "", 1, 1, 1), None) == {}


def test_refused_rows_leave_the_table() -> None:
    kernels = table([1e-3, 1e-3, 1.0], [1.0, 8.0, 1e4])
    left = without(kernels, refusals(kernels, {}))
    assert list(left.strings("config")) == ["n=2"]


def test_the_reports_broken_gpu_is_refused_and_its_sound_ones_are_not(data_dir: Path) -> None:
    """Published measurements: GTX TITAN X shows one time for all sizes and rates above its peak."""
    kernels = read(data_dir / "micro16" / "micro16.csv.gz")
    roofs = {Resource.FLOPS_FP32: 7.47e12}
    for name, broken in (("GTX Titan X", True), ("2080", False), ("Titan V", False)):
        rows = np.array([name in g and (name != "Titan V" or "X" not in g) for g in kernels.strings("gpu")])
        here = kernels.select(rows)
        bad = {here.strings("kernel")[r.row] for r in refusals(here, roofs if broken else {})}
        assert ({"micro16/conv2d_3x3", "micro16/matmul_naive"} <= bad) == broken, (name, bad)
        assert (len(bad) >= 4) == broken, (name, bad)
