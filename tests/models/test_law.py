"""The law without counters: what holds of it whatever its constants are."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import model_builders as builders
from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.models.physics.intervals import shipped
from roofcast.models.physics.law import BOUNDS, LawConstants, LawInputs, forecast_log_ratio, shipped_law
from roofcast.models.physics.model import NO_CLAIM, Mechanistic
from roofcast.models.physics.widths import law_half_widths
from roofcast_evaluate.teach_law import NAMES, LawPairs, fit_law
from roofcast_evaluate.teach_widths import fit_widths

DRAM, FP32, FP16, FP64 = Resource.BYTES_DRAM, Resource.FLOPS_FP32, Resource.FLOPS_FP16, Resource.FLOPS_FP64
SOURCE = builders.processor("source", {DRAM: 1e12, FP32: 1e13, FP64: 5e12})
SHARES = st.floats(0.0, 1.2)


def inputs(**changes: object) -> LawInputs:
    """One kernel of 1 ms with bytes that explain half of it, on a GPU of twice the bandwidth."""
    plain = {
        "time_s": 1e-3, "share": 0.5, "bytes_known": True, "flops_known": False, "roofs": -np.log(2.0),
        "bandwidth": -np.log(2.0), "fp32": 0.0, "clock": 0.0, "int32": 0.0, "integer": False,
        "same_architecture": False, "other_code": False, "kind": np.int8(0), "geometry": False, "physics": np.nan,
        "modelled": 0.0, "kept": 1.0,
        "device_source_s": 2e-6, "device_target_s": 2e-6, "floor_source_s": np.nan, "floor_target_s": np.nan,
        "on_device": False,
    }  # fmt: skip
    return LawInputs(**{name: np.atleast_1d(value) for name, value in (plain | changes).items()})


def ratio(**changes: object) -> float:
    return float(np.exp(forecast_log_ratio(inputs(**changes), shipped_law())[0]))


def test_the_more_the_roofs_explain_the_more_follows_them() -> None:
    found = [ratio(share=u) for u in (0.05, 0.2, 0.6, 1.0)]
    assert found == sorted(found, reverse=True)
    assert found[-1] == pytest.approx(0.5, rel=0.2)


@settings(max_examples=60, deadline=None)
@given(share=SHARES, supply=st.sampled_from(["roofs", "bandwidth", "fp32", "clock"]), by=st.floats(0.0, 3.0))
def test_more_supply_is_never_slower(share: float, supply: str, by: float) -> None:
    known = {"bytes_known": share < 1.0, "flops_known": True, "share": share}
    assert ratio(**known, **{supply: -by}) <= ratio(**known, **{supply: 0.0}) * (1 + 1e-12)


def test_amounts_that_explain_nothing_leave_the_forecast_of_the_time_alone() -> None:
    apart = {"bandwidth": -0.7, "fp32": -1.5, "roofs": -2.0}
    alone = ratio(share=0.0, bytes_known=False, **apart)
    for known in ({"bytes_known": True}, {"flops_known": True, "bytes_known": False}):
        assert ratio(share=1e-6, **known, **apart) == pytest.approx(alone, rel=1e-3)


def test_a_short_time_that_nothing_explains_keeps_what_is_launch_and_host() -> None:
    assert ratio(time_s=5e-6, share=0.0) > 0.9 > ratio(time_s=5e-6, share=1.0)
    assert ratio(time_s=1e-4, share=0.0, floor_source_s=9e-5, floor_target_s=1e-5) < 0.3


def test_the_fit_finds_constants_again() -> None:
    rng = np.random.default_rng(1)
    n = 800
    draws = inputs(
        share=rng.uniform(0, 1, n), roofs=rng.normal(0, 1, n), bandwidth=rng.normal(0, 1, n),
        fp32=rng.normal(0, 1, n), clock=rng.normal(0, 0.2, n), bytes_known=rng.uniform(0, 1, n) < 0.6,
        time_s=10 ** rng.uniform(-5, -2, n),
    )  # fmt: skip
    whole = LawInputs(*(np.broadcast_to(getattr(draws, f.name), n) for f in dataclasses.fields(LawInputs)))
    true = LawConstants().replace(bandwidth=0.5, fp32=0.4, half_share_bytes=0.2)
    found = fit_law(LawPairs(whole, forecast_log_ratio(whole, true), np.ones(n)))
    assert found.bandwidth == pytest.approx(0.5, abs=0.05)
    assert found.half_share_bytes == pytest.approx(0.2, rel=0.25)


def test_the_shipped_constants_lie_within_their_bounds() -> None:
    for name in NAMES:
        low, high = BOUNDS.get(name, (0.0, 1.0))
        assert low <= getattr(shipped_law(), name) <= high, name


def seconds(row: dict[str, float], source: Processor, target: Processor, name: str = "k", precision: str = "") -> float:
    table = builders.table([row])
    text = {**table.text, "kernel": np.array([name], np.object_), "precision": np.array([precision], np.object_)}
    found = Mechanistic().estimate(
        KernelTable(table.numeric, table.origin, text), builders.on(source, 1), builders.onto([target], 1), Conditions()
    )
    return float(found.time_s[0, 0])


def test_half_precision_on_a_gpu_without_fast_fp16_runs_at_the_fp32_rate() -> None:
    """A token FP16 rate (1/64 on Pascal) is no roof of work that nobody counted."""
    pascal = builders.processor("pascal", {DRAM: 5e11, FP32: 1e13, FP16: 1.6e11})
    volta = builders.processor("volta", {DRAM: 8e11, FP32: 1.4e13, FP16: 2.8e13})
    row = {"time_s": 1e-2, "flops": 5e10}
    assert 0.4 < seconds(row, pascal, volta, precision="fp16") / 1e-2 < 1.0
    assert 1.0 < seconds(row, volta, pascal, precision="fp16") / 1e-2 < 2.5


def test_a_rate_above_the_fp32_peak_is_tensor_work() -> None:
    tensor = {DRAM: 1e12, FP32: 1e13, Resource.FLOPS_TENSOR_TF32: 8e13}
    source = builders.processor("source", tensor)
    more_fp32 = builders.processor("target", tensor | {FP32: 4e13})
    beyond = {"time_s": 1e-2, "flops": 6e11}
    within = {"time_s": 1e-2, "flops": 8e10}
    assert seconds(beyond, source, more_fp32, precision="fp32") > 1.3 * seconds(
        within, source, more_fp32, precision="fp32"
    )


def test_names_that_are_nobodys_say_nothing() -> None:
    target = builders.processor("target", {DRAM: 3e12, FP32: 2e13, FP64: 5e12})
    for row in ({"time_s": 1e-3}, {"time_s": 1e-3, "bytes_compulsory": 1e8}, {"time_s": 1e-3, "flops": 1e9}):
        assert seconds(row, SOURCE, target, "hashcat/0") == seconds(row, SOURCE, target, "zq17")


def width(**changes: object) -> float:
    return float(shipped().law_half_width(inputs(**changes), shipped_law(), 0.9).ravel()[0])


@settings(max_examples=60, deadline=None)
@given(share=SHARES, less=SHARES, time_s=st.floats(1e-6, 1e-1), bandwidth=st.floats(-2, 2))
def test_knowing_less_is_never_surer(share: float, less: float, time_s: float, bandwidth: float) -> None:
    more, fewer = max(share, less), min(share, less)
    at = {"time_s": time_s, "bandwidth": bandwidth}
    if more <= 1.0:
        assert width(share=fewer, **at) >= width(share=more, **at)
    flops = width(share=fewer, bytes_known=False, flops_known=True, **at)
    assert width(share=0.0, bytes_known=False, **at) >= flops >= width(share=fewer, **at)


def test_far_gpus_and_other_code_are_wider() -> None:
    assert width(same_architecture=True) < width() < width(other_code=True)
    assert width(bandwidth=-0.5) < width(bandwidth=-1.0)


def test_short_kernels_that_the_device_timed_are_the_surest() -> None:
    times = (3e-6, 3e-5, 3e-3)
    by_device, by_host = ([width(time_s=t, on_device=d) for t in times] for d in (True, False))
    assert by_device == sorted(by_device)
    assert by_host == sorted(by_host, reverse=True)
    assert all(a < b for a, b in zip(by_device, by_host, strict=True))


def test_widths_hold_the_errors_that_they_were_fitted_to() -> None:
    rng = np.random.default_rng(2)
    n, families = 500, {}
    for name in "abcdef":
        one = inputs(share=rng.uniform(0, 1, n), time_s=10 ** rng.uniform(-5, -2, n))
        whole = LawInputs(*(np.broadcast_to(getattr(one, f.name), n) for f in dataclasses.fields(LawInputs)))
        noise = rng.normal(0, 0.3 - 0.2 * whole.share, n)
        families[name] = LawPairs(whole, forecast_log_ratio(whole, LawConstants()) + noise, np.ones(n))
    found = fit_widths(families, LawConstants())
    p = families["a"]
    error = np.abs(p.log_ratio - forecast_log_ratio(p.inputs, LawConstants()))
    assert np.mean(error <= law_half_widths(p.inputs, LawConstants(), found)) > 0.88
    assert found.unexplained + found.low_share > 0.3


def test_the_claim_is_withdrawn_where_nothing_of_the_kind_was_calibrated() -> None:
    near, far = (
        builders.processor("t", {DRAM: f * 9e11, FP32: f * 1.4e13}).replace(architecture="o") for f in (1.5, 9.0)
    )
    rows = builders.table([{"time_s": 1e-3}, {"time_s": 1e-3, "bytes_compulsory": 5e8}])
    said = [
        [NO_CLAIM in notes for notes in Mechanistic().estimate(
            rows, builders.on(SOURCE, 2), builders.onto([target], 2), Conditions()).notes]
        for target in (near, far)
    ]  # fmt: skip
    assert said == [[False, False], [True, False]]
