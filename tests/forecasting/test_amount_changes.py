"""Changes of the amounts on the target: what they do to every model, against scalar arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

import model_builders as builders
from roofcast.core.changes import AmountChanges
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions, Estimate
from roofcast.models import cell_blocks
from roofcast.models.base import Model
from roofcast.models.registry import load_model

RATES = {
    Resource.FLOPS_FP64: 5e12, Resource.FLOPS_FP32: 1e13, Resource.BYTES_L1: 1e13, Resource.BYTES_L2: 3e12,
    Resource.BYTES_DRAM: 1e12, Resource.INSTS_LSU: 2e11,
}  # fmt: skip
FASTER = {r: 2 * v for r, v in RATES.items()}
COMPUTE = {
    "time_s": 2.5e-3, "flops_fp64": 1e10, "bytes_l1": 1e8, "bytes_l2": 1e8, "bytes_dram": 1e8, "grid_blocks": 8000.0,
    "block_threads": 256.0, "regs_per_thread": 32.0, "smem_bytes_per_block": 0.0,
}  # fmt: skip
SPILLING = COMPUTE | {"flops_fp64": 1e8, "bytes_l1": 2e10, "bytes_l2": 1e6, "bytes_dram": 1e6}
NAMES = ("mechanistic", "van_lanker", "occupancy_efficiency")


def estimate(model: str, row: dict[str, float], changes: AmountChanges | None, targets: int = 1) -> Estimate:
    there = [builders.processor(f"t{i}", FASTER) for i in range(targets)]
    return load_model(model).estimate(
        builders.table([row]), builders.on(builders.processor("s", RATES), 1), builders.onto(there, 1), Conditions(),
        changes,
    )  # fmt: skip


def test_amounts_on_the_target_one_number_at_a_time() -> None:
    changes = AmountChanges(
        {"flops_fp64": np.array([[1.5, 1.0]])}, np.array([[256.0, -9e9]]), np.array([[64.0, np.nan]])
    )
    one = np.array([[1000.0]])
    assert changes.on_target(Resource.FLOPS_FP64, one).tolist() == [[1500.0, 1000.0]]
    assert changes.on_target(Resource.BYTES_L1, one).tolist() == [[1256.0, 0.0]]  # never below nothing
    assert changes.on_target(Resource.INSTS_LSU, one).tolist() == [[1002.0, 0.0]]  # 128 B in a pass
    assert changes.on_target(Resource.BYTES_DRAM, one) is one
    assert changes.registers(np.array([[32.0]])).tolist() == [[64.0, 32.0]]
    assert changes.factor(Resource.BYTES_L1, np.array([[0.0]])).tolist() == [[1.0, 1.0]]  # type: ignore[union-attr]
    assert changes.factor(Resource.BYTES_L2, one) is None
    assert np.isnan(changes.on_target(Resource.FLOPS_FP64, np.array([[np.nan]]))).all()
    assert AmountChanges().registers(one) is one


@pytest.mark.parametrize("model", NAMES)
def test_work_scales_a_compute_bound_kernel(model: str) -> None:
    plain = estimate(model, COMPUTE, None).time_s[0, 0]
    changes = AmountChanges({"flops_fp64": np.array([[1.5]])})
    changed = estimate(model, COMPUTE, changes)
    assert changed.time_s[0, 0] == pytest.approx(1.5 * plain, rel=0.02)
    ratio = changed.time_s_by_resource_target[Resource.FLOPS_FP64] / 1.5
    np.testing.assert_allclose(ratio, estimate(model, COMPUTE, None).time_s_by_resource_target[Resource.FLOPS_FP64])


@pytest.mark.parametrize("model", ["mechanistic", "van_lanker"])
def test_spills_cost_l1_bandwidth(model: str) -> None:
    plain = estimate(model, SPILLING, None)
    changed = estimate(model, SPILLING, AmountChanges(bytes_local_added=np.array([[2e10]])))
    l1 = Resource.BYTES_L1
    np.testing.assert_allclose(
        changed.time_s_by_resource_target[l1], 2 * plain.time_s_by_resource_target[l1], rtol=1e-12
    )
    assert changed.time_s[0, 0] > 1.2 * plain.time_s[0, 0]


@pytest.mark.parametrize("model", ["mechanistic", "occupancy_efficiency"])
def test_more_registers_mean_fewer_warps(model: str) -> None:
    plain = estimate(model, COMPUTE | {"time_s": 9e-3}, None).time_s[0, 0]
    changed = estimate(model, COMPUTE | {"time_s": 9e-3}, AmountChanges(regs_per_thread=np.array([[128.0]])))
    assert changed.time_s[0, 0] > 1.05 * plain


@pytest.mark.parametrize("model", NAMES)
def test_nothing_changed_is_exactly_nothing(model: str) -> None:
    neutral = AmountChanges(
        {"flops_fp64": np.ones((1, 2)), "flops_fp32": np.ones((1, 2))}, np.zeros((1, 2)), np.full((1, 2), np.nan)
    )
    for row in (COMPUTE, SPILLING, {"time_s": 1e-3}, {"time_s": 1e-3, "bytes_dram": 1e8}):
        a, b = estimate(model, row, None, 2), estimate(model, row, neutral, 2)
        np.testing.assert_array_equal(a.time_s, b.time_s)
        np.testing.assert_array_equal(a.time_high_s, b.time_high_s)


def test_van_lanker_projects_with_the_targets_intensity() -> None:
    """P_t = P_s roof_t / roof_s with the intensity of each side's own code, one number at a time (Eq. 9, 10)."""
    flops, extra, dram = 1e10, 1.4, 4e10
    row = {"time_s": 50e-3, "flops_fp64": flops, "bytes_dram": dram, "insts_fp64_fma": 1.0, "insts_fp64_add": 0.0,
           "insts_fp64_mul": 0.0, "threads_per_inst": 32.0}  # fmt: skip
    roof_s, roof_t = min(1e12 * flops / dram, 5e12), min(2e12 * flops * extra / dram, 1e13)
    expected = flops * extra / (flops / 50e-3 * roof_t / roof_s)
    found = estimate("van_lanker", row, AmountChanges({"flops_fp64": np.array([[extra]])}))
    assert found.time_s[0, 0] == pytest.approx(expected, rel=1e-12)
    assert expected == pytest.approx(25e-3)  # bandwidth-bound: more FLOPs change nothing


@pytest.mark.parametrize("model", NAMES)
def test_blocks_of_rows_take_their_own_changes(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [COMPUTE | {"flops_fp64": 1e10 * (i + 1)} for i in range(5)]
    kernels, source = builders.table(rows), builders.on(builders.processor("s", RATES), 5)
    targets = builders.onto([builders.processor("t", FASTER), builders.processor("u", RATES)], 5)
    generator = np.random.default_rng(4)
    changes = AmountChanges(
        {"flops_fp64": generator.uniform(0.5, 2, (5, 2))}, generator.uniform(0, 1e9, (5, 2)), np.full((5, 2), 64.0)
    )
    engine: Model = load_model(model)
    whole = engine.estimate(kernels, source, targets, Conditions(), changes)
    monkeypatch.setattr(cell_blocks, "BLOCK_CELLS", 4)
    found = engine.estimate(kernels, source, targets, Conditions(), changes)
    np.testing.assert_array_equal(whole.time_s, found.time_s)
