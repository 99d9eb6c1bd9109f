"""The mechanistic model's causes, one by one, and its intervals."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import model_builders as builders
from roofcast import catalog
from roofcast.core.machines import column
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.models.physics.causes.registry import CAUSES
from roofcast.models.physics.constants import BOUNDS, CONSTANTS, PRIOR
from roofcast.models.physics.intervals import COVERAGES, GROUPS, distances, shipped
from roofcast.models.physics.model import Mechanistic

DRAM, FP32, FP64 = Resource.BYTES_DRAM, Resource.FLOPS_FP32, Resource.FLOPS_FP64
GPU = builders.processor("source", {DRAM: 1e12, FP32: 1e13, FP64: 5e12})
NO_FLOOR = Mechanistic(without=("floor", "explained_share"))


def seconds(
    row: dict[str, float], source: Processor, target: Processor, model: Mechanistic | None = None, **conditions: object
) -> float:
    """Forecast of one kernel."""
    found = (model or Mechanistic()).estimate(
        builders.table([row]),
        builders.on(source, 1),
        builders.onto([target], 1),
        Conditions(**conditions),  # type: ignore[arg-type]  # conditions by name
    )
    return float(found.time_s[0, 0])


def test_a_memory_bound_kernel_follows_the_bandwidth() -> None:
    row = {"time_s": 1e-2, "bytes_dram": 1e10, "grid_blocks": 1e5, "block_threads": 256.0}
    twice = builders.processor("target", {DRAM: 2e12, FP32: 1e13})
    assert seconds(row, GPU, twice, NO_FLOOR) == pytest.approx(5e-3, rel=1e-3)


def test_against_a_scalar_twin() -> None:
    """No stalls, no geometry: roofs, the unexplained part and its scaling, written out for one kernel."""
    target = builders.processor("target", {DRAM: 2e12, FP32: 1.5e13})
    row = {"time_s": 1e-2, "bytes_dram": 4e9, "flops_fp32": 3e10}
    c = PRIOR
    bytes_s, bytes_t = 4e9 / 1e12, 4e9 / 2e12
    flops_s, flops_t = (3e10 / (r * c.fp32_mix) for r in (1e13, 1.5e13))
    p, q = c.overlap, c.overlap_unexplained
    roofs_s, roofs_t = ((a**p + b**p) ** (1 / p) for a, b in ((bytes_s, flops_s), (bytes_t, flops_t)))
    floor = (c.floor_s + c.floor_cycles / 1.4e9) * 1e-6
    execution = 1e-2 - floor
    rest = (execution**q - roofs_s**q) ** (1 / q)
    compute = flops_s**p / (flops_s**p + bytes_s**p)
    kept = c.efficiency_share_compute * compute + c.efficiency_share_counted * (1 - compute)
    scale = (roofs_t / roofs_s) ** kept
    expected = floor + (roofs_t**q + (rest * scale) ** q) ** (1 / q)
    assert seconds(row, GPU, target, NO_FLOOR) == pytest.approx(expected, rel=1e-9)


def test_a_source_without_fp64_units_hides_the_targets_limit() -> None:
    weak = builders.processor("weak", {DRAM: 1e12, FP32: 1e13, FP64: 1e13 / 64})
    strong = builders.processor("strong", {DRAM: 1e12, FP32: 1e13, FP64: 5e12})
    row = {"time_s": 1e-2, "flops_fp64": 6e8, "bytes_dram": 1e7, "grid_blocks": 1e5, "block_threads": 256.0}
    assert seconds(row, weak, strong) < 0.2 * seconds(row, weak, strong, Mechanistic(without=("fp64",)))


def test_a_given_host_floor_bounds_the_forecast() -> None:
    target = builders.processor("target", {DRAM: 1e13, FP32: 1e14})
    row = {"time_s": 31e-6, "bytes_dram": 1e6}
    assert seconds(row, GPU, target, launch_floor_s=(30e-6, 20e-6)) == pytest.approx(20e-6 * 31 / 30)
    assert seconds(row, GPU, GPU, launch_floor_s=(30e-6, 30e-6)) == pytest.approx(31e-6)
    assert seconds({"time_s": 1e-3, "bytes_dram": 9e8}, GPU, target, launch_floor_s=(3e-5, 5e-4)) >= 5e-4


def test_few_blocks_do_not_gain_from_more_sms() -> None:
    wide = GPU.replace(sm_count=160)
    row = {"time_s": 1e-3, "flops_fp32": 1e8, "grid_blocks": 40.0, "block_threads": 256.0}
    assert seconds(row, GPU, wide, NO_FLOOR) == pytest.approx(1e-3, rel=1e-6)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    row=builders.rows(),
    blocks=st.integers(1, 5000),
    sms=st.integers(1, 400),
    more=st.integers(1, 100),
)
def test_more_sms_are_never_slower(row: dict[str, float], blocks: int, sms: int, more: int) -> None:
    launch = row | {"grid_blocks": float(blocks), "block_threads": 128.0}
    few, many = (GPU.replace(sm_count=n) for n in (sms, sms + more))
    before, after = seconds(launch, GPU, few), seconds(launch, GPU, many)
    assert math.isnan(before) or after <= before * (1 + 1e-12)


@pytest.mark.parametrize("cause", [cause.name for cause in CAUSES])
def test_every_cause_can_be_switched_off_and_stays_exact(cause: str) -> None:
    model = Mechanistic(without=(cause,))
    row = {"time_s": 1e-4, "bytes_dram": 3e7, "flops_fp64": 1e8, "grid_blocks": 300.0, "block_threads": 128.0}
    assert seconds(row, GPU, GPU, model) == pytest.approx(1e-4, rel=1e-12)


def test_constants_lie_within_their_bounds_and_say_why() -> None:
    assert list(BOUNDS) == list(PRIOR.values) == [c.name for c in CONSTANTS]
    for c in CONSTANTS:
        assert 0 < c.low <= getattr(PRIOR, c.name) == c.value <= c.high, c.name
        assert c.why


def test_the_time_alone_is_forecast_and_said_so() -> None:
    target = dataclasses.replace(builders.processor("target", {DRAM: 2e12, FP32: 1e13}), architecture="other")
    rows = [{"time_s": 1e-3}, {"time_s": 1e-3, "bytes_dram": 9e8}]
    found = Mechanistic().estimate(builders.table(rows), builders.on(GPU, 2), builders.onto([target], 2), Conditions())
    assert 1e-3 / 2 < found.time_s[0, 0] < 1e-3 / math.sqrt(2) * 1.02
    assert any("only the time is known" in text for text in found.assumed[0])


def test_a_higher_coverage_is_a_wider_interval() -> None:
    row = builders.table([{"time_s": 1e-3, "bytes_dram": 9e8}])
    target = builders.processor("target", {DRAM: 2e12, FP32: 1e13})
    widths = []
    for coverage in (0.5, 0.8, 0.9, 0.99, 0.999):
        found = Mechanistic().estimate(row, builders.on(GPU, 1), builders.onto([target], 1), Conditions(coverage))
        assert found.coverage == coverage
        widths.append(float(found.time_high_s[0, 0] / found.time_low_s[0, 0]))
    assert widths == sorted(widths)
    assert len(set(widths)) == len(widths)


def test_the_shipped_intervals_grow_with_coverage_and_cover_every_group() -> None:
    table = shipped()
    for group in GROUPS:
        quantiles = table.of(group)
        assert len(quantiles) == len(COVERAGES)
        assert list(quantiles) == sorted(quantiles)
    assert "data sets" in table.provenance


def test_less_that_was_counted_never_claims_more() -> None:
    table = shipped()
    for group in GROUPS:
        evidence, distance, doubt = group.split("/")
        poorer = [f"counters/{distance}/{doubt}", *([f"{evidence}/{distance}/{int(doubt) + 1}"] if doubt < "3" else [])]
        for name in poorer:
            assert all(p >= r for p, r in zip(table.of(name), table.of(group), strict=True)), (group, name)


def test_the_same_sms_with_another_memory_are_nearer_than_an_architecture() -> None:
    h100, h200, a10, rtx_3080, v100 = map(catalog.gpu, ("H100 SXM5 80GB", "H200 SXM 141GB", "A10", "RTX 3080", "V100"))
    for a, b, expected in ((h100, h200, 0), (h100, h100, 0), (a10, rtx_3080, 1), (h100, v100, 2), (a10, v100, 3)):
        assert distances(column(builders.on(a, 1)), builders.onto([b], 1))[0, 0] == expected, (a.name, b.name)
    table = shipped()
    for doubt in range(3):
        for evidence in ("stalls", "counters"):
            assert table.of(f"{evidence}/sms/{doubt}")[-3] < table.of(f"{evidence}/architecture/{doubt}")[-3]


def test_absent_values_never_become_zero() -> None:
    found = Mechanistic().estimate(
        builders.table([{"time_s": 1e-3, "bytes_dram": 1e9}]),
        builders.on(GPU, 1),
        builders.onto([GPU], 1),
        Conditions(),
    )
    assert set(found.time_s_by_resource_source) == {DRAM}
    assert np.isfinite(found.time_s_by_resource_source[DRAM]).all()


def test_amounts_beyond_all_reason_end_in_no_forecast_or_a_finite_one() -> None:
    rows = [
        {"time_s": 1e-300, "bytes_dram": 1e300, "grid_blocks": 1e18, "block_threads": 1e9},
        {"time_s": 1e300, "flops_fp32": 1e-300, "grid_blocks": 0.0, "block_threads": 0.0},
    ]
    found = Mechanistic().estimate(builders.table(rows), builders.on(GPU, 2), builders.onto([GPU], 2), Conditions())
    known = ~np.isnan(found.time_s)
    assert np.isfinite(found.time_s[known]).all()
    np.testing.assert_array_equal(known, found.reasons == "")
