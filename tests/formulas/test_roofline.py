"""Eq. 1-10 against the paper's own figures and against slow scalar twins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofcast.formulas import roofline

V100, A100_40, A100_80, H100 = "V100", "A100-40", "A100-80", "H100"
# Table 1 of the paper: GFLOP/s, then GB/s of DRAM, L2 and L1.
TABLE_1 = {
    V100: (6890, 846, 2460, 13963),
    A100_40: (9476, 1375, 4710, 19492),
    A100_80: (9476, 1678, 4710, 19492),
    H100: (24979, 1907, 7758, 25330),
}
positive = st.floats(1e-3, 1e15)
share = st.floats(0.0, 1.0)


def test_yang_mix_gives_the_printed_ceiling() -> None:
    for found in (
        roofline.flops_per_s_with_fma_fraction(6.7e12, 0.58),
        roofline.flops_per_s_of_mix(6.7e12, 3.35e12, 58, 42),
    ):
        assert float(found) / 1e12 == pytest.approx(5.3, abs=0.05)
    assert roofline.flops_per_s_with_fma_fraction(1.0, 0.58) == pytest.approx(0.79, abs=0.005)


@pytest.mark.parametrize("gpu", TABLE_1)
def test_ridge_points_of_table_1_separate_the_two_roofs(gpu: str) -> None:
    compute, *bandwidths = TABLE_1[gpu]
    for bandwidth in bandwidths:
        ridge = compute / bandwidth
        below, above = roofline.attainable_flops_per_s(bandwidth, np.array([0.99 * ridge, 1.01 * ridge]), compute)
        assert below == pytest.approx(0.99 * compute)
        assert above == compute


def test_dram_bound_kernel_moves_with_the_bandwidths_of_table_1() -> None:
    found = roofline.projected_flops_per_s(500.0, 0.5 * TABLE_1[V100][1], 0.5 * TABLE_1[A100_80][1])
    assert float(found) == pytest.approx(500.0 * 1678 / 846)


@given(positive, positive, positive)
def test_eq_1_is_the_lower_roof(bandwidth: float, intensity: float, compute: float) -> None:
    twin = bandwidth * intensity if bandwidth * intensity < compute else compute
    assert float(roofline.attainable_flops_per_s(bandwidth, intensity, compute)) == twin


@given(positive, positive, st.floats(0, 1e12), st.floats(1, 1e12))
def test_eq_2_is_a_weighted_mean(fma_rate: float, plain_rate: float, fused: float, plain: float) -> None:
    found = float(roofline.flops_per_s_of_mix(fma_rate, plain_rate, fused, plain))
    total = fused + plain
    assert found == pytest.approx(fma_rate * fused / total + plain_rate * plain / total, rel=1e-9)
    slow, fast = sorted((fma_rate, plain_rate))
    assert slow * (1 - 1e-9) <= found <= fast * (1 + 1e-9)


@given(positive, share)
def test_yang_is_the_special_case_of_eq_2(peak: float, alpha: float) -> None:
    assert float(roofline.flops_per_s_of_mix(peak, peak / 2, alpha, 1 - alpha)) == pytest.approx(
        float(roofline.flops_per_s_with_fma_fraction(peak, alpha)), rel=1e-12
    )


@given(positive, st.floats(1, 128), positive)
def test_eq_5_counts_passes(useful: float, per_pass: float, bandwidth: float) -> None:
    passes = useful / per_pass
    found = float(roofline.shared_transfer_time_s(useful, per_pass, bandwidth))
    assert found == pytest.approx(passes * 128 / bandwidth, rel=1e-12)


@given(st.lists(st.tuples(positive, positive), min_size=1, max_size=4))
def test_eq_6_to_8_are_a_weighted_harmonic_mean(levels: list[tuple[float, float]]) -> None:
    times = [roofline.transfer_time_s(n, bandwidth) for n, bandwidth in levels]
    found = float(roofline.bytes_per_s_ceiling([n for n, _ in levels], times))
    twin = math.fsum(n for n, _ in levels) / math.fsum(n / bandwidth for n, bandwidth in levels)
    assert found == pytest.approx(twin, rel=1e-9)
    assert min(b for _, b in levels) * (1 - 1e-9) <= found <= max(b for _, b in levels) * (1 + 1e-9)


def test_hit_bytes_are_never_negative_and_absent_stays_absent() -> None:
    found = roofline.bytes_hit(np.array([5.0, 3.0, np.nan]), np.array([3.0, 5.0, 1.0]))
    np.testing.assert_array_equal(found, [2.0, 0.0, np.nan])


def test_no_bytes_is_infinite_intensity_and_no_instructions_is_no_mix() -> None:
    assert float(roofline.operational_intensity(1.0, 0.0)) == math.inf
    assert math.isnan(float(roofline.flops_per_s_of_mix(2.0, 1.0, 0.0, 0.0)))


def test_formulas_broadcast() -> None:
    kernels, targets = np.array([[1.0], [100.0]]), np.array([[846.0, 1375.0, 1907.0]])
    assert roofline.attainable_flops_per_s(targets, kernels, 6890.0).shape == (2, 3)
