"""The model as published against a scalar twin, on the machines of the paper's Table 1."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import model_builders as builders
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions, Estimate
from roofcast.models.kernel_amounts import amounts_of
from roofcast.models.published.van_lanker import VanLanker, ceilings_of

# GFLOP/s, then GB/s of DRAM, L2, L1 (Table 1); shared memory, absent there, as fast as L1.
TABLE_1 = {
    "V100": (6890, 846, 2460, 13963),
    "A100-40": (9476, 1375, 4710, 19492),
    "A100-80": (9476, 1678, 4710, 19492),
    "H100": (24979, 1907, 7758, 25330),
}
amount = st.floats(1e3, 1e12)


def machine(name: str) -> Processor:
    flops, dram, l2, l1 = TABLE_1[name]
    rates = {Resource.FLOPS_FP64: 1e9 * flops, Resource.BYTES_DRAM: 1e9 * dram, Resource.BYTES_L2: 1e9 * l2}
    return builders.processor(name, rates | {Resource.BYTES_L1: 1e9 * l1, Resource.BYTES_SHARED: 1e9 * l1})


def forecast(row: dict[str, float], source: str = "V100", targets: tuple[str, ...] = ("A100-80",)) -> Estimate:
    machines = [machine(t) for t in targets]
    return VanLanker().estimate(
        builders.table([row]), builders.on(machine(source), 1), builders.onto(machines, 1), Conditions()
    )


def roofs(row: dict[str, float], name: str) -> list[float]:
    """Eq. 1-8 and 10 one number at a time: the roofline of L1, L2 and DRAM at the kernel's intensity."""
    flops_rate, dram_rate, l2_rate, l1_rate = (1e9 * v for v in TABLE_1[name])
    fma, plain = row["insts_fp64_fma"], row["insts_fp64_add"] + row["insts_fp64_mul"]
    mix = flops_rate * fma / (fma + plain) + flops_rate / 2 * plain / (fma + plain)
    ceiling = row["threads_per_inst"] / 32 * mix
    n_l1 = max(row["bytes_l1"] - row["bytes_l2"], 0.0)
    n_l2 = max(row["bytes_l2"] - row["bytes_dram"], 0.0)
    n_dram, n_shm = row["bytes_dram"], row["bytes_shared_useful"]
    per_pass = n_shm / row["shared_wavefronts"]
    t_l1, t_l2, t_dram = n_l1 / l1_rate, n_l2 / l2_rate, n_dram / dram_rate
    t_shm = n_shm / per_pass * 128 / l1_rate
    flops = row["flops_fp64"]
    found = []
    for n, t in (
        (n_l1 + n_shm + n_l2 + n_dram, t_l1 + t_shm + t_l2 + t_dram),
        (n_l2 + n_dram, t_l2 + t_dram),
        (n_dram, t_dram),
    ):
        found.append(min(n / t * (flops / n), ceiling))
    return found


@pytest.mark.slow
@settings(deadline=None)
@given(
    values=st.tuples(*[amount] * 9),
    time_s=st.floats(1e-6, 1.0),
    lanes=st.floats(1, 32),
    target=st.sampled_from(list(TABLE_1)),
)
def test_all_ten_equations_agree_with_the_scalar_twin(
    values: tuple[float, ...], time_s: float, lanes: float, target: str
) -> None:
    names = (
        "flops_fp64", "insts_fp64_fma", "insts_fp64_add", "insts_fp64_mul", "bytes_l1", "bytes_l2", "bytes_dram",
        "bytes_shared_useful", "shared_wavefronts",
    )  # fmt: skip
    row = dict(zip(names, values, strict=True)) | {"time_s": time_s, "threads_per_inst": lanes}
    # Passes carry at most 128 useful bytes.
    row["shared_wavefronts"] = max(row["shared_wavefronts"], row["bytes_shared_useful"] / 128)
    found = forecast(row, targets=(target,))
    measured = row["flops_fp64"] / time_s
    times = [
        row["flops_fp64"] / (measured / source * there)
        for source, there in zip(roofs(row, "V100"), roofs(row, target), strict=True)
    ]
    assert found.time_low_s[0, 0] == pytest.approx(min(times), rel=1e-9)
    assert found.time_high_s[0, 0] == pytest.approx(max(times), rel=1e-9)
    assert found.time_s[0, 0] == pytest.approx((min(times) + max(times)) / 2, rel=1e-9)
    assert found.coverage is None


def test_streaming_kernel_moves_with_dram_bandwidth() -> None:
    """Sec. 5.2: Hydro1D has no reuse, so that all three projections agree and the interval is narrow."""
    row = {"time_s": 1e-3, "flops_fp64": 1e6, "bytes_l1": 1e9, "bytes_l2": 1e9, "bytes_dram": 1e9}
    found = forecast(row, targets=("A100-40", "A100-80", "H100"))
    np.testing.assert_allclose(found.time_s[0], [1e-3 * 846 / bw for bw in (1375, 1678, 1907)])
    np.testing.assert_allclose(found.time_low_s, found.time_high_s)


def test_cached_kernel_is_the_same_on_both_a100s() -> None:
    """Sec. 5.6: with a DRAM intensity above 1000 FLOP/B the DRAM bandwidth has virtually no influence."""
    row = {"time_s": 1e-3, "flops_fp64": 4e9, "bytes_l1": 5e9, "bytes_l2": 1e9, "bytes_dram": 1e6}
    times = forecast(row, targets=("A100-40", "A100-80")).time_s[0]
    assert times[0] == pytest.approx(times[1], rel=1e-3)


def test_wide_interval_of_a_high_dram_intensity_reaches_to_the_compute_ratio() -> None:
    """Sec. 5.3: SYRK, GEMM: the DRAM projection follows the ratio of compute peaks."""
    row = {"time_s": 1e-1, "flops_fp64": 1e11, "bytes_l1": 1e12, "bytes_l2": 1e9, "bytes_dram": 1e8}
    found = forecast(row, targets=("H100",))
    assert found.time_low_s[0, 0] == pytest.approx(1e-1 * 6890 / 24979)
    assert found.time_high_s[0, 0] == pytest.approx(1e-1 * 13963 / 25330, rel=0.02)


def test_kernel_without_flops_is_projected_in_bytes_and_says_so() -> None:
    row = {"time_s": 1e-3, "bytes_l2": 2e9, "bytes_dram": 1e9}
    found = forecast(row, targets=("A100-80",))
    by_l2 = (1 / 4710 + 1 / 1678) / (1 / 2460 + 1 / 846) * 1e-3
    low, high = sorted((1e-3 * 846 / 1678, by_l2))
    assert found.time_low_s[0, 0] == pytest.approx(low)
    assert found.time_high_s[0, 0] == pytest.approx(high)
    assert "no FLOPs: projected in bytes per second" in found.notes[0]
    assert "no L1 bytes: projected by the other levels" in found.notes[0]


def test_uncounted_l2_gives_its_bytes_to_l1() -> None:
    found = forecast({"time_s": 1e-3, "bytes_l1": 5e9, "bytes_dram": 1e9})
    by_l1 = (4 / 19492 + 1 / 1678) / (4 / 13963 + 1 / 846) * 1e-3
    assert found.time_high_s[0, 0] == pytest.approx(by_l1)


def test_assumptions_are_listed_apart_from_what_was_counted() -> None:
    found = forecast({"time_s": 1e-3, "flops_fp64": 1e9, "bytes_compulsory": 1e6, "bytes_shared_useful": 1e6})
    text = "; ".join(found.assumed[0])
    for part in ("mix not counted", "all lanes", "least that the kernel must move", "conflicts"):
        assert part in text


def test_write_only_kernels_get_the_init_ceiling_only_where_both_sides_have_one() -> None:
    dram = Resource.BYTES_DRAM
    source = builders.processor("s", {dram: 1e12}, {"bytes_dram:init": 1.5e12})
    with_init = builders.processor("t", {dram: 2e12}, {"bytes_dram:init": 2.4e12})
    without = builders.processor("u", {dram: 2e12})
    rows = [
        {"time_s": 1.0, "bytes_dram": 1e9, "bytes_dram_read": 0.0, "bytes_dram_write": 1e9},
        {"time_s": 1.0, "bytes_dram": 1e9, "bytes_dram_read": 1e9, "bytes_dram_write": 0.0},
    ]
    found = VanLanker().estimate(
        builders.table(rows), builders.on(source, 2), builders.onto([with_init, without], 2), Conditions()
    )
    np.testing.assert_allclose(found.time_s, [[1.5 / 2.4, 0.5], [0.5, 0.5]])


def test_a_roof_that_one_side_does_not_know_is_absent_on_both() -> None:
    source = machine("V100")
    rates: dict[Resource, float] = {
        r: s.per_s for r, s in machine("A100-80").supplies.items() if r is not Resource.BYTES_L2
    }
    target = builders.processor("no L2", rates)
    row = {"time_s": 1e-3, "bytes_l1": 3e9, "bytes_l2": 2e9, "bytes_dram": 1e9}
    found = VanLanker().estimate(
        builders.table([row]), builders.on(source, 1), builders.onto([target], 1), Conditions()
    )
    by_l1 = (1 / 19492 + 1 / 1678) / (1 / 13963 + 1 / 846) * 1e-3
    assert found.time_high_s[0, 0] == pytest.approx(by_l1)
    assert any("no known supply of L2 on no L2" in note for note in found.notes[0])


def test_source_ceilings_follow_the_recorded_clock_and_dram_does_not() -> None:
    source, target = machine("V100"), machine("A100-80")
    rows = [{"time_s": 1e-3, "flops_fp64": 1e12}, {"time_s": 1e-3, "bytes_dram": 1e9}]
    found = VanLanker().estimate(
        builders.table(rows), builders.on(source, 2, builders.CLOCK_HZ / 2), builders.onto([target], 2), Conditions()
    )
    np.testing.assert_allclose(found.time_s[:, 0], [1e-3 * 0.5 * 6890 / 9476, 1e-3 * 846 / 1678])


def test_times_of_several_precisions_add() -> None:
    rates = {Resource.FLOPS_FP64: 1e12, Resource.FLOPS_FP32: 2e12}
    target = builders.processor("t", {Resource.FLOPS_FP64: 4e12, Resource.FLOPS_FP32: 2e12})
    row = {"time_s": 1.0, "flops_fp64": 1e9, "flops_fp32": 2e9}
    found = VanLanker().estimate(
        builders.table([row]), builders.on(builders.processor("s", rates), 1), builders.onto([target], 1), Conditions()
    )
    assert found.time_s[0, 0] == pytest.approx((1 / 4 + 1) / 2)


def test_seconds_per_resource_are_amount_over_supply() -> None:
    found = forecast({"time_s": 1e-3, "flops_fp64": 6890e6, "bytes_dram": 846e6}, targets=("V100", "H100"))
    assert found.time_s_by_resource_source[Resource.BYTES_DRAM][0] == pytest.approx(1e-3)
    np.testing.assert_allclose(found.time_s_by_resource_target[Resource.FLOPS_FP64][0], [1e-3, 6.89 / 24979])


def test_ceilings_are_those_of_the_equations() -> None:
    row = {
        "time_s": 1e-3, "flops_fp64": 1e9, "insts_fp64_fma": 58.0, "insts_fp64_add": 42.0, "insts_fp64_mul": 0.0,
        "threads_per_inst": 16.0, "bytes_l1": 4e9, "bytes_l2": 2e9, "bytes_dram": 1e9,
    }  # fmt: skip
    kernels = builders.table([row])
    found = ceilings_of(kernels, amounts_of(kernels), builders.on(machine("V100"), 1))
    assert found.flops_per_s_peak[0] == pytest.approx(6890e9)
    assert found.flops_per_s_mix[0] == pytest.approx(6890e9 * 0.79)
    assert found.flops_per_s[0] == pytest.approx(6890e9 * 0.79 / 2)
    assert found.bytes_per_s[Resource.BYTES_L2][0] == pytest.approx(2e9 / (1 / 2460 + 1 / 846))
    assert found.flops_per_byte[Resource.BYTES_L1][0] == pytest.approx(0.25)


def test_precision_of_a_lump_of_flops_is_taken_from_its_column_else_assumed() -> None:
    gpu = builders.processor("s", {Resource.FLOPS_FP64: 1e12, Resource.FLOPS_FP32: 2e12})
    faster = builders.processor("t", {Resource.FLOPS_FP64: 4e12, Resource.FLOPS_FP32: 4e12})
    kernels = builders.table([{"time_s": 1.0, "flops": 1e9}] * 2, {"precision": ["FP64", ""]})
    found = VanLanker().estimate(kernels, builders.on(gpu, 2), builders.onto([faster], 2), Conditions())
    np.testing.assert_allclose(found.time_s[:, 0], [0.25, 0.5])
    assert any("FP32" in text for text in found.assumed[1])


def test_register_moves_are_no_fp16_work() -> None:
    gpu = builders.processor("s", {Resource.FLOPS_FP16: 1e12, Resource.BYTES_DRAM: 1e12})
    row = {"time_s": 1.0, "flops_fp16": 0.0, "flops_phantom_fp16": 4e9, "bytes_dram": 1e6}
    found = VanLanker().estimate(builders.table([row]), builders.on(gpu, 1), builders.onto([gpu], 1), Conditions())
    assert found.time_s_by_resource_source[Resource.FLOPS_FP16][0] == 0
    assert math.isclose(found.time_s[0, 0], 1.0)
