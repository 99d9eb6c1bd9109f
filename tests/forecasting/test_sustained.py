"""Clocks under a load that lasts: boards hold their power."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import roofcast
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.forecasting.forecast import estimate_prepared, forecast_on_source
from roofcast.forecasting.forecasts import Forecast
from roofcast.models.registry import load_model

LOOPS = Path(__file__).parents[2] / "examples" / "power_loops.csv"
H100 = "H100 SXM5 80GB"


def bursts() -> tuple[KernelTable, KernelTable]:
    """Loops of 3 s on an H100, and the same launches as they ran alone at the boost clock."""
    whole = roofcast.read(LOOPS)
    loops = whole.select(np.flatnonzero(whole.strings("gpu") == H100))
    faster = np.where(
        [str(n).startswith("gemm") for n in loops.strings("kernel")], loops.column("clock_hz") / 1.98e9, 1
    )
    return loops, loops.with_columns(
        clock_hz=(np.full(len(loops), 1.98e9), loops.origin_of("clock_hz")),
        time_s=(loops.column("time_s") * faster, loops.origin_of("time_s")),
    )


def clocks(forecast: Forecast) -> np.ndarray:
    """(n,) Hz on the first target."""
    return np.asarray(forecast.prepared.machines_there(forecast.targets)[0].clock_hz[:, 0])


def test_products_take_what_the_board_sustains_and_streams_their_boost() -> None:
    loops, alone = bursts()
    found = roofcast.forecast(alone, to=H100)
    off = found.estimate.time_s[:, 0] / loops.column("time_s") - 1
    names = [str(n) for n in loops.strings("kernel")]
    # 672 TFLOP/s of bf16 at 1.33 GHz as measured, 1003 at the boost clock.
    assert abs(off[names.index("gemm_bf16_8192")]) < 0.12
    assert abs(off[names.index("gemm_tf32_8192")]) < 0.12
    assert clocks(found)[names.index("copy_1GiB")] == 1.98e9
    assert found.source_time_s[names.index("gemm_bf16_8192")] > 1.2 * alone.column("time_s")[0]
    power = found.energy.energy_j[:, 0] / found.estimate.time_s[:, 0]
    assert (power <= 700.0 * (1 + 1e-9)).all()


def test_single_launches_run_at_boost() -> None:
    _, alone = bursts()
    for conditions in (Conditions(load="burst"), Conditions(named="profiled")):
        found = roofcast.forecast(alone, to=["H200 SXM 141GB"], conditions=conditions)
        assert (clocks(found) == 1.98e9).all()
    held = roofcast.forecast(alone, to="H200 SXM 141GB", conditions=Conditions(named="profiled", load="sustained"))
    assert clocks(held).min() < 1.6e9
    assert any("as the board's power holds" in n for n in held.notes(0, 0))


def test_more_power_is_a_higher_clock() -> None:
    _, alone = bursts()
    found = roofcast.forecast(alone, to=[f"H200 SXM 141GB{{tdp={w}W}}" for w in (350, 500, 700, 1400)])
    clock = found.prepared.machines_there(found.targets)[0].clock_hz
    assert (np.diff(clock, axis=1) >= 0).all()
    assert (clock[:, -1] == 1.98e9).all()
    assert (np.diff(found.estimate.time_s, axis=1) <= 1e-12).all()


def test_a_variation_holds_the_share_of_its_clock_that_its_base_holds() -> None:
    _, alone = bursts()
    base = "H200 SXM 141GB"
    varied = (f"{base}{{dram=9TB/s}}", f"{base}{{sm=160}}", f"{base}{{clock=2.2GHz}}", f"{base}{{clock=1.5GHz}}")
    found = roofcast.forecast(alone, to=[base, *varied])
    clock = found.prepared.machines_there(found.targets)[0].clock_hz
    share = clock / np.array([1.98e9, 1.98e9, 1.98e9, 2.2e9, 1.5e9])
    assert share[:, 0].min() < 0.8
    np.testing.assert_allclose(share[:, 1:], np.broadcast_to(share[:, :1], (len(alone), 4)), rtol=1e-9)
    assert (found.estimate.time_s[:, 1] <= found.estimate.time_s[:, 0] * (1 + 1e-9)).all()


def test_a_kernel_that_its_board_slows_is_forecast_as_if_alone_among_many() -> None:
    _, alone = bursts()
    names = [str(n) for n in alone.strings("kernel")]
    gemm, copy = names.index("gemm_bf16_8192"), names.index("copy_1GiB")
    # One of forty: the others of its column share a clock (roofcast.models.cell_blocks).
    many, targets = alone.select(np.array([copy] * 20 + [gemm] + [copy] * 19)), ["H200 SXM 141GB", "A100 PCIe 80GB"]
    found = roofcast.forecast(many, to=targets)
    clock = found.prepared.machines_there(found.targets)[0].clock_hz
    assert len(set(clock[:, 0].tolist())) == 2
    for row, one in ((20, gemm), (0, copy)):
        apart = roofcast.forecast(alone.select(np.array([one])), to=targets).estimate
        for name in ("time_s", "time_low_s", "time_high_s"):
            np.testing.assert_array_equal(getattr(found.estimate, name)[row], getattr(apart, name)[0])


@pytest.mark.parametrize("model", ["mechanistic", "hybrid"])
def test_clocks_from_the_estimate_itself_are_those_that_are_asked_for_before(model: str) -> None:
    _, alone = bursts()
    targets = tuple(roofcast.gpu(name) for name in ("H200 SXM 141GB", "A100 PCIe 80GB", H100, "L4"))
    found = roofcast.forecast(alone, to=targets, model=model)
    before = dataclasses.replace(found.prepared)
    there, notes = before.machines_there(targets)
    after, again = found.prepared.machines_there(targets)
    assert (there.clock_hz < before.machines_at_once(targets)[0].clock_hz).any()
    np.testing.assert_allclose(after.clock_hz, there.clock_hz, rtol=1e-12)
    assert again == notes
    asked = estimate_prepared(load_model(model), before, before.machines_here(), there, None)
    for name in ("time_s", "time_low_s", "time_high_s"):
        np.testing.assert_allclose(getattr(found.estimate, name), getattr(asked, name), rtol=1e-12)


@pytest.mark.parametrize("model", ["mechanistic", "hybrid"])
def test_kernels_on_their_own_gpu_are_the_same_whether_it_is_a_target_or_not(model: str) -> None:
    _, alone = bursts()
    # Locked at base as a profiler does, so that the source is forecast as well.
    clock = np.full(len(alone), roofcast.gpu(H100).clock_hz_base)
    at_base = alone.with_columns(clock_hz=(clock, alone.origin_of("clock_hz")))
    control = np.full(len(alone), "base", dtype=np.object_)
    locked = dataclasses.replace(at_base, text={**at_base.text, "clock_control": control})
    beside, among = (roofcast.forecast(locked, to=to, model=model) for to in (["A10"], ["A10", H100, "L4"]))
    assert beside.on_source is not None
    assert among.on_source is not None
    assert beside.on_source.moved.any()
    np.testing.assert_allclose(among.prepared.asked.clock_hz, beside.prepared.asked.clock_hz, rtol=1e-12)
    assert (beside.prepared.asked.clock_hz < beside.prepared.asked_at_once.clock_hz).any()
    np.testing.assert_array_equal(among.on_source.time_s, among.estimate.time_s[:, 1])
    ready = beside.prepared
    apart = forecast_on_source(load_model(model), ready, ready.machines_here(), None)
    assert apart is not None
    for name in ("time_s", "time_low_s", "time_high_s"):
        np.testing.assert_allclose(getattr(among.on_source, name), getattr(apart, name), rtol=1e-9)
        np.testing.assert_allclose(getattr(beside.on_source, name), getattr(apart, name), rtol=1e-9)
    for found in (among, beside):
        seconds = found.estimate.time_s_by_resource_source
        for resource in seconds:
            np.testing.assert_allclose(seconds[resource], apart.time_s_by_resource[resource], rtol=1e-9)
    # An A10 has no tensor pipe for FP64.
    assert Resource.FLOPS_TENSOR_FP64 not in beside.estimate.time_s_by_resource_source


def test_a_load_that_is_none_is_one_line() -> None:
    _, alone = bursts()
    with pytest.raises(RoofcastError, match="use auto, burst or sustained"):
        roofcast.forecast(alone, to=H100, load="steady")
