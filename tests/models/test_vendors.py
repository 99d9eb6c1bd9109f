"""Forecasts between vendors: no nonsense, wider intervals than within one vendor, caches behind L2."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from roofcast.catalog import gpu
from roofcast.core.columns import Origin
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.machines import Machines
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.forecasting.forecast import forecast
from roofcast.models.physics.causes.collectives import find_collectives, peer_rate
from roofcast.models.physics.link_times import NODE_GPUS
from roofcast.reading import read

OTHERS = ("MI300X", "MI250X", "MI100", "Data Center GPU Max 1550", "Radeon RX 7900 XTX", "Arc A770")
MOST_ROWS = 40
MARGIN = 2.5
"""How far a forecast may lie beyond what all roofs, the clocks and the floors of two GPUs say at most."""


LIBRARY_MARGIN = 8.0
"""For library operators: a product for which one vendor's library has no kernel takes ten times as long there."""


def known_rows(path: Path) -> KernelTable | None:
    """The first kernels of a profile; None where it is none."""
    try:
        table = read(path)
    except RoofcastError:
        return None
    return table.select(np.arange(min(len(table), MOST_ROWS)))


def roof_ratios(source: Processor, target: Processor) -> tuple[float, float]:
    """Least and largest factor between the seconds that a resource needs on two GPUs; clocks and floors count too."""
    shared = [r for r in source.supplies if r in target.supplies and r is not Resource.BYTES_HOST_LINK]
    ratios = [source.rate(r) / target.rate(r) for r in shared]
    ratios.append(source.clock_hz_boost / target.clock_hz_boost)
    return min(ratios), max(*ratios, 1.0)


def profiles(folder: Path) -> list[Path]:
    """Reports with counters of both vendors, and traces."""
    groups = ("ncu_rep/*", "ncu_csv/*", "rocprof_compute/*pmc*", "kineto/*")
    return sorted(f for g in groups for f in folder.glob(g) if f.stat().st_size < 3_000_000)


def link_ratios(source: Processor, target: Processor) -> tuple[float, float]:
    """Least and largest factor between the seconds of a collective on two GPUs: links, whose tree may be unknown."""
    sides = Machines.of([source, target], clock_hz=np.array([source.clock_hz_boost, target.clock_hz_boost]))
    here, there = np.ravel(sides.gather(peer_rate))
    tree = np.sqrt(2.0 * NODE_GPUS)
    return min(1.0, here / there / tree), max(1.0, here / there * tree)


@pytest.mark.slow
def test_real_profiles_forecast_to_other_vendors_without_nonsense(fixtures_dir: Path) -> None:
    seen = 0
    for path in profiles(fixtures_dir):
        table = known_rows(path)
        if table is None:
            continue
        result = forecast(table, to=OTHERS)
        source_s = result.kernels.column("time_s")
        collective = np.isin(np.arange(len(table)), find_collectives(result.kernels))
        # A model knows neither the cache nor the clocks of a run better than by a factor of a few.
        for i, source in enumerate(result.sources):
            for j, target in enumerate(result.targets):
                ratio = result.estimate.time_s[i, j] / source_s[i]
                if source is None or not np.isfinite(ratio):
                    continue
                low, high = (link_ratios if collective[i] else roof_ratios)(source, target)
                seen += 1
                library = any("another kernel may run" in text for text in result.estimate.assumed[i])
                margin = LIBRARY_MARGIN if library and source.vendor != target.vendor else MARGIN
                assert low / margin <= ratio <= high * margin, f"{path.name} #{i} {source.name} to {target.name}"
    assert seen > 500


def stream(source: str, working_set: float = 1e9, cache: str = "cold") -> KernelTable:
    """A kernel that moves a gigabyte, with counted bytes."""
    origin = Origin.COUNTED if cache == "cold" else Origin.DERIVED
    return KernelTable.from_columns(
        {"kernel": ["k"], "gpu": [source], "cache_state": [cache]},
        {
            "time_s": ([working_set / gpu(source).rate(Resource.BYTES_DRAM) * 1.1], Origin.COUNTED),
            "bytes_dram": ([working_set], origin), "bytes_l2": ([working_set], origin),
            "working_set_bytes": ([working_set], Origin.COUNTED), "grid_blocks": ([1e5], Origin.COUNTED),
            "block_threads": ([256.0], Origin.COUNTED),
        },
    )  # fmt: skip


PAIRS = [(s, t) for s in ("V100 SXM2 32GB", "H100 SXM5 80GB") for t in ("MI300X", "MI250X", "Data Center GPU Max 1550")]


@pytest.mark.parametrize(("one", "other"), [*PAIRS, *((t, s) for s, t in PAIRS)])
def test_memory_bound_kernels_follow_the_bandwidth(one: str, other: str) -> None:
    result = forecast(stream(one), to=other)
    time = result.estimate.time_s[0, 0] / stream(one).column("time_s")[0]
    expected = gpu(one).rate(Resource.BYTES_DRAM) / gpu(other).rate(Resource.BYTES_DRAM)
    assert time == pytest.approx(expected, rel=0.35)


@pytest.mark.parametrize("target", ["MI300X", "MI250X", "Data Center GPU Max 1550"])
def test_intervals_are_wider_between_vendors(target: str) -> None:
    found = forecast(stream("A100-SXM4-80GB"), to=["H100 SXM5 80GB", target]).estimate
    same, other = np.log(found.time_high_s[0] / found.time_low_s[0])
    assert other > 1.2 * same
    back = forecast(stream("MI210"), to=["MI100", "H100 SXM5 80GB"]).estimate
    same, other = np.log(back.time_high_s[0] / back.time_low_s[0])
    assert other > 1.2 * same


def test_a_cache_behind_l2_lies_between_l2_and_dram() -> None:
    card = gpu("Radeon RX 7900 XTX")
    assert card.capacity_bytes_llc is not None
    assert card.capacity_bytes_l2 is not None
    inside = forecast(stream("RTX 3090", card.capacity_bytes_llc / 2, "warm"), to=card)
    beyond = forecast(stream("RTX 3090", card.capacity_bytes_llc * 20, "warm"), to=card)
    cached, streamed = (
        r.estimate.time_s_by_resource_target[Resource.BYTES_DRAM][0, 0] / r.kernels.column("bytes_dram")[0]
        for r in (inside, beyond)
    )
    assert cached == pytest.approx(1 / card.rate(Resource.BYTES_LLC), rel=1e-9)
    assert streamed == pytest.approx(1 / card.rate(Resource.BYTES_DRAM), rel=1e-9)
    assert cached < streamed


def test_dies_and_partitions_are_single_processors() -> None:
    mi250x, mi300x = gpu("MI250X"), gpu("MI300X")
    assert mi250x.sm_count == 110
    assert mi250x.published["bytes_dram"] == pytest.approx(1638.4e9)
    assert mi300x.sm_count == 304
    assert all(p.warp_size == 64 for p in (mi250x, mi300x, gpu("MI100")))
    assert gpu("Data Center GPU Max 1550").sm_count == 64


def arithmetic(source: str, per_s: float, column: str = "flops_fp32") -> KernelTable:
    """A kernel of a millisecond that does so many operations per second."""
    return KernelTable.from_columns(
        {"kernel": ["k"], "gpu": [source]},
        {"time_s": ([1e-3], Origin.COUNTED), column: ([per_s * 1e-3], Origin.COUNTED),
         "bytes_dram": ([1e6], Origin.COUNTED), "grid_blocks": ([1e5], Origin.COUNTED),
         "block_threads": ([256.0], Origin.COUNTED)},
    )  # fmt: skip


def test_double_precision_is_refused_where_no_unit_computes_it() -> None:
    table = arithmetic("V100 PCIe 32GB", 3e12, "flops_fp64")
    result = forecast(table, to=["Arc A770", "MI300X", "RTX 4090"], model="mechanistic")
    assert np.isnan(result.estimate.time_s[0, 0])
    assert "FP64" in result.estimate.reasons[0, 0]
    assert np.isfinite(result.estimate.time_s[0, 1:]).all()
    few = table.with_columns(flops_fp32=(np.array([1e11]), Origin.COUNTED))
    assert np.isfinite(forecast(few, to="Arc A770", model="mechanistic").estimate.time_s).all()


def test_packed_single_precision_is_for_kernels_that_show_it() -> None:
    mi210, single = gpu("MI210"), gpu("MI210").rate(Resource.FLOPS_FP32)
    supply = mi210.supply(Resource.FLOPS_FP32, "packed")
    assert supply is not None
    assert supply.peak_per_s == pytest.approx(45.3e12, rel=0.01)
    slower = []
    for per_s in (0.7 * single, 1.4 * single):
        result = forecast(arithmetic("MI210", per_s), to=["MI250X", "A100 SXM4 80GB"], model="mechanistic")
        time = result.estimate.time_s[0]
        slower.append(time[1] / time[0])
        assert 0.8e-3 < time[0] < 1.05e-3
    # What packed instructions did has to be done one by one elsewhere.
    assert slower[1] > 1.5 * slower[0]


def test_matrix_units_of_single_precision_stand_for_vector_units_elsewhere() -> None:
    rate = gpu("MI210").rate(Resource.FLOPS_TENSOR_FP32)
    assert gpu("MI210").supplies[Resource.FLOPS_TENSOR_FP32].peak_per_s == pytest.approx(45.3e12, rel=0.01)
    result = forecast(arithmetic("MI210", 0.9 * rate, "flops_tensor_fp32"), to=["A100", "MI100"], model="mechanistic")
    there = gpu("A100").rate(Resource.FLOPS_FP32)
    assert result.estimate.time_s[0, 0] == pytest.approx(1e-3 * rate / there, rel=0.4)
    assert np.isfinite(result.estimate.time_s[0, 1])


def test_products_in_single_precision_run_on_matrix_units_of_amd() -> None:
    table = KernelTable.from_columns(
        {"kernel": ["ampere_sgemm_128x64_tn"], "gpu": ["A100 SXM4 80GB"]},
        {"time_s": ([8e-3], Origin.COUNTED), "flops_fp32": ([2 * 4096.0**3], Origin.DERIVED),
         "bytes_compulsory": ([3 * 4 * 4096.0**2], Origin.DERIVED),
         **{f"shape_{n}": ([4096.0], Origin.DERIVED) for n in "mnk"}},
    )  # fmt: skip
    seconds = forecast(table, to="MI210", model="mechanistic").estimate.time_s[0, 0]
    assert seconds < 2 * 4096.0**3 / gpu("MI210").rate(Resource.FLOPS_FP32)
