"""Occupancy against slow scalar twins, and against what Nsight Compute recorded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofcast.formulas.occupancy import Residency, SmLimits, published_occupancy, residency

# compute capability -> blocks, warps, shared memory per SM, the granularity of it, and the driver's share
SM = {
    "5.2": (32, 64, 98304, 256, 0), "7.0": (32, 64, 98304, 256, 0), "7.5": (16, 32, 65536, 256, 0),
    "8.0": (32, 64, 167936, 128, 1024), "8.6": (16, 48, 102400, 128, 1024), "8.9": (24, 48, 102400, 128, 1024),
    "9.0": (32, 64, 233472, 128, 1024), "10.0": (32, 64, 233472, 128, 1024), "12.0": (24, 48, 102400, 128, 1024),
}  # fmt: skip
capabilities = st.sampled_from(sorted(SM))
threads, registers, shared = st.integers(1, 1024), st.integers(1, 255), st.integers(0, 101376)


def limits_of(capability: str, smem: float | None = None) -> SmLimits:
    blocks, warps, largest, granularity, reserved = SM[capability]
    return SmLimits(
        blocks, warps, 65536, smem or largest, reg_granularity=256, subpartitions=4,
        smem_granularity_bytes=granularity, smem_reserved_bytes_per_block=reserved,
    )  # fmt: skip


def twin(capability: str, block: int, regs: int, smem: int) -> tuple[int, dict[str, int]]:
    """Blocks per SM found by putting one block after the other onto an empty SM."""
    max_blocks, max_warps, smem_left, granularity, reserved = SM[capability]
    warps = (block + 31) // 32
    per_warp = ((regs * 32 + 255) // 256) * 256
    slots = [16384 // per_warp] * 4
    need = ((smem + reserved + granularity - 1) // granularity) * granularity
    by = {"blocks": max_blocks, "warps": max_warps // warps, "registers": sum(slots) // warps}
    count, free = 0, sum(slots)
    while count < max_blocks and (count + 1) * warps <= max_warps and free >= warps and smem_left >= need:
        count, free, smem_left = count + 1, free - warps, smem_left - need
    return count, by


@given(capabilities, threads, registers, shared)
def test_exact_rules_agree_with_filling_an_sm(capability: str, block: int, regs: int, smem: int) -> None:
    found = residency(block, regs, smem, limits_of(capability))
    blocks, by = twin(capability, block, regs, smem)
    assert float(found.blocks) == blocks
    assert {name: int(found.blocks_by[name]) for name in by} == by
    assert float(found.warps) == blocks * ((block + 31) // 32)
    assert float(found.blocks_by[str(found.limiter)]) == blocks


@given(capabilities, threads, registers, st.integers(0, 49152))
def test_published_estimate_never_lies_below_the_exact_one(cc: str, block: int, regs: int, smem: int) -> None:
    blocks, warps, largest, _, _ = SM[cc]
    exact = float(residency(block, regs, smem, limits_of(cc)).occupancy)
    assert float(published_occupancy(block, regs, smem, 32 * warps, blocks, 65536, largest)) >= exact


@given(threads, registers, shared)
def test_published_estimate_agrees_with_its_scalar_twin(block: int, regs: int, smem: int) -> None:
    limits = [16, 1024 // block, 65536 // (regs * block)] + ([65536 // smem] if smem else [])
    blocks = min(b for b in limits if b > 0)
    expected = min(blocks * -(-block // 32) / 32, 1.0)
    assert float(published_occupancy(block, regs, smem, 1024, 16, 65536, 65536)) == pytest.approx(expected, rel=1e-15)


# Launches as recorded: capability, threads, registers, shared memory, carve-out,
# then limits by registers, shared memory and warps, and the theoretical occupancy in percent.
Recorded = tuple[str, int, int, int, int | None, int, int | None, int, float]
RECORDED: list[Recorded] = [
    ("8.0", 1024, 30, 0, 8192, 2, None, 2, 100.0),
    ("8.0", 256, 30, 0, 32768, 8, 32, 8, 100.0),
    ("8.0", 256, 64, 0, 32768, 4, None, 8, 50.0),
    ("8.0", 10, 16, 0, 32768, 128, None, 64, 50.0),
    ("8.0", 256, 224, 147456, 167936, 1, 1, 8, 12.5),
    ("8.6", 32, 56, 8192, 102400, 36, 11, 48, 22.916666666666664),
    ("8.6", 768, 80, 76896, 102400, 1, 1, 2, 50.0),
    ("8.6", 256, 16, 0, 8192, 16, 8, 6, 100.0),
    ("8.6", 512, 18, 144, None, 5, 80, 3, 100.0),
    ("9.0", 128, 94, 2112, 32768, 5, 10, 16, 31.25),
    ("7.5", 1024, 29, 0, 32768, 2, None, 1, 100.0),
    ("7.0", 128, 37, 0, None, 12, None, 16, 75.0),
]


@pytest.mark.parametrize("case", RECORDED)
def test_recorded_launches_come_out_exactly(
    case: tuple[str, int, int, int, int | None, int, int | None, int, float],
) -> None:
    capability, block, regs, smem, carve_out, by_regs, by_smem, by_warps, percent = case
    found = residency(block, regs, smem, limits_of(capability, carve_out))
    assert [float(found.blocks_by[name]) for name in ("registers", "warps")] == [by_regs, by_warps]
    if by_smem is not None:
        assert found.blocks_by["shared memory"] == by_smem
    assert float(found.occupancy) * 100 == pytest.approx(percent, rel=1e-12)


def test_unknown_limits_set_none_and_an_unknown_block_gives_nothing() -> None:
    nothing_known = SmLimits(np.nan, 64, np.nan, np.nan)
    found = residency(np.array([256.0, np.nan]), np.nan, np.nan, nothing_known)
    np.testing.assert_array_equal(found.blocks, [8.0, np.nan])
    assert found.limiter.tolist() == ["warps", ""]
    assert np.isnan(residency(256, 32, 0, SmLimits(np.nan, np.nan, np.nan, np.nan)).blocks)


def test_a_block_that_does_not_fit_has_no_resident_block() -> None:
    assert float(residency(256, 32, 200000, limits_of("8.6")).blocks) == 0
    assert float(residency(2048, 32, 0, limits_of("8.0")).blocks) == 0
    opt_in = SmLimits(16, 48, 65536, 102400, max_smem_bytes_per_block=49152)
    assert float(residency(256, 32, 60000, opt_in).blocks) == 0


def test_oldest_gpus_allocate_registers_per_block() -> None:
    tesla = SmLimits(8, 24, 8192, 16384, reg_granularity=256, reg_alloc_per_block=True, smem_granularity_bytes=512)
    # 96 threads are 3 warps, rounded to 4; 4 x 32 x 11 = 1408 registers, rounded to 1536: 5 blocks.
    assert float(residency(96, 11, 0, tesla).blocks_by["registers"]) == 5


def test_profiles_record_the_same_occupancy(fixtures_dir: Path) -> None:
    """Through the official reader, so that nothing of ours but the formula is at work."""
    ncu_report = pytest.importorskip("ncu_report")
    launches = 0
    for path in sorted((fixtures_dir / "ncu_rep").glob("*.ncu-rep")):
        context = ncu_report.load_report(str(path))
        for i in range(context.num_ranges()):
            part = context.range_by_idx(i)
            actions = (part.action_by_idx(j) for j in range(part.num_actions()))
            launches += sum(check_action(action) for action in actions if action is not None)
    assert launches >= 50


def check_action(action: object) -> int:
    """Compare one launch; 1 where the report records its occupancy."""
    names = set(action.metric_names())  # type: ignore[attr-defined]  # ncu_report has no types

    def value(name: str) -> float:
        return float(action.metric_by_name(name).value())  # type: ignore[attr-defined]  # the same

    if "sm__maximum_warps_per_active_cycle_pct" not in names:
        return 0
    capability = ".".join(str(int(value(f"device__attribute_compute_capability_{p}"))) for p in ("major", "minor"))
    asked = value("launch__shared_mem_per_block_dynamic") + value("launch__shared_mem_per_block_static")
    # CUDA's own static share (16 bytes on newer drivers) is allocated with the rest.
    smem = max(asked, value("launch__shared_mem_per_block") - value("launch__shared_mem_per_block_driver"))
    block, regs = value("launch__block_size"), value("launch__registers_per_thread")
    carve_out = value("launch__shared_mem_config_size")
    by_size = [residency(block, regs, smem, limits_of(capability, c)) for c in {None, carve_out or None}]
    for found in by_size:
        assert float(found.occupancy) * 100 == pytest.approx(value("sm__maximum_warps_per_active_cycle_pct"), rel=1e-12)
        for limiter, metric in (("registers", "registers"), ("warps", "warps"), ("blocks", "blocks")):
            assert float(found.blocks_by[limiter]) == value(f"launch__occupancy_limit_{metric}")
    assert value("launch__occupancy_limit_shared_mem") in [shared_limit(f) for f in by_size]
    return 1


def shared_limit(found: Residency) -> float:
    """Limit by shared memory as ncu prints it: the block limit where nothing is allocated."""
    by = float(found.blocks_by["shared memory"])
    return float(found.blocks_by["blocks"]) if np.isinf(by) else by
