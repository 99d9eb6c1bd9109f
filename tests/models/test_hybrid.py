"""The hybrid model: exact on the source, monotone, never beyond what it has learned, and no slower than promised."""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from roofcast.catalog import find
from roofcast.core.columns import Origin
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, columns_of
from roofcast.core.processor import Processor
from roofcast.core.results import Conditions
from roofcast.forecasting.forecast import forecast
from roofcast.forecasting.forecasts import Forecast
from roofcast.models.learned import residual
from roofcast.models.learned.features import ABSENT, FEATURES, OF_KERNEL
from roofcast.models.learned.hybrid import Hybrid
from roofcast.models.learned.residual import GROUPS, apartness, classes_of, find_representatives, shipped
from roofcast.models.physics.kernel_inputs import NAMED_STALLS
from roofcast.models.physics.model import Mechanistic

SOURCE = "A100-SXM4-40GB"
TARGETS = ("H100 SXM5 80GB", "RTX 3080", "A10", "L4", "Tesla V100-SXM2-16GB", "RTX 4090")


def profile(n: int = 60, seed: int = 1, **replaced: float) -> KernelTable:
    """Launches with the counters of a full profile, within what such profiles hold."""
    draw = np.random.default_rng(seed)
    grid, block = draw.integers(200, 4000, n), np.full(n, 256.0)
    traffic = 10 ** draw.uniform(6, 8.5, n)
    time = traffic / 8e11 * draw.uniform(1.2, 4, n) + 4e-6
    latency = draw.uniform(8, 40, n)
    values = {
        "time_s": time, "grid_blocks": grid, "block_threads": block, "regs_per_thread": np.full(n, 32.0),
        "smem_bytes_per_block": np.full(n, 1024.0), "bytes_dram": traffic, "bytes_dram_read": traffic * 0.7,
        "bytes_dram_write": traffic * 0.3, "bytes_l2": traffic * 1.5, "bytes_l1": traffic * 2.5,
        "flops_fp32": traffic * draw.uniform(0.1, 3, n), "ops_int32": traffic, "flops_fp64": np.zeros(n),
        "flops_fp16": np.zeros(n), "bytes_shared": np.zeros(n), "insts_lsu": traffic / 50,
        "insts_executed": traffic / 10, "insts_thread": grid * block * 60,
        "ipc_active": draw.uniform(0.3, 2.5, n), "sm_active_fraction": draw.uniform(0.7, 1, n),
        "l1_hit_fraction": draw.uniform(0, 0.8, n), "l2_hit_fraction": draw.uniform(0.2, 0.9, n),
        "divergent_branch_fraction": np.full(n, 0.01), "clock_hz": np.full(n, 1.095e9),
        "warp_latency_cycles_per_inst": latency,
        **{f"stall_{r}_per_inst": latency * 0.02 for r in NAMED_STALLS},
        "stall_long_scoreboard_per_inst": latency * draw.uniform(0.1, 0.7, n),
    }  # fmt: skip
    values |= {name: np.full(n, value) for name, value in replaced.items()}
    text = {"kernel": [f"k{i}" for i in range(n)], "gpu": [SOURCE] * n}
    return KernelTable.from_columns(text, {k: (np.asarray(v, float), Origin.COUNTED) for k, v in values.items()})


def both(kernels: KernelTable, targets: list[str] | list[Processor]) -> tuple[Forecast, Forecast]:
    return forecast(kernels, targets, model="mechanistic"), forecast(kernels, targets, model="hybrid")


def test_it_moves_forecasts_between_gpus_that_it_knows() -> None:
    physics, hybrid = both(profile(), list(TARGETS[:3]))
    ratio = hybrid.estimate.time_s / physics.estimate.time_s
    assert (np.abs(ratio - 1) > 1e-3).mean() > 0.8
    assert (ratio > residual.RATIO_RANGE[0]).all()
    assert (ratio < residual.RATIO_RANGE[1]).all()
    inside = (hybrid.estimate.time_low_s < hybrid.estimate.time_s) & (
        hybrid.estimate.time_s < hybrid.estimate.time_high_s
    )
    assert inside.all()


def test_the_source_onto_itself_and_its_variations_have_no_residual() -> None:
    kernels = profile()
    same = find(SOURCE).processor
    varied = [same, same.replace(bytes_per_s_dram=3e12), same.replace(sm_count=140)]
    physics, hybrid = both(kernels, varied)
    np.testing.assert_array_equal(hybrid.estimate.time_s, physics.estimate.time_s)
    hybrid = forecast(kernels, varied, model="hybrid", conditions="profiled")
    np.testing.assert_allclose(hybrid.estimate.time_s[:, 0], kernels.column("time_s"), rtol=1e-12)


@pytest.mark.parametrize("target", TARGETS)
def test_more_of_any_supply_is_never_slower(target: str) -> None:
    base = find(target).processor
    grown = [base.replace(**{r.supply: s.per_s * f}) for r, s in base.supplies.items() for f in (2.0, 5.0)]
    grown.append(base.replace(bytes_per_s_dram=9e12, flops_per_s_fp32=9e14))
    kernels = profile(20)
    found = forecast(kernels, [base, *grown], model="hybrid").estimate.time_s
    physics = forecast(kernels, base, model="mechanistic").estimate.time_s[:, 0]
    # For a V100 the source itself stands: physics alone.
    assert (np.abs(found[:, 0] / physics - 1) > 1e-4).any() == ("V100" not in target)
    assert (found[:, 1:] <= found[:, :1] * (1 + 1e-12)).all()
    # A supply that was grown behind the catalog's back, under the same key, moves the physics alone as well.
    supplies = {r: s.scaled(2.0) for r, s in base.supplies.items()}
    hidden = dataclasses.replace(base, supplies=supplies)
    assert (forecast(kernels, hidden, model="hybrid").estimate.time_s[:, 0] <= found[:, 0] * (1 + 1e-12)).all()


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS[:4])
def test_a_faster_clock_is_never_slower_and_moves_the_physics_alone(target: str) -> None:
    kernels, clocks = profile(20), np.linspace(0.8e9, 1.7e9, 7)
    found = [[f.estimate.time_s[:, 0] for f in both_at(kernels, target, clock)] for clock in clocks]
    physics, hybrid = (np.array(times) for times in zip(*found, strict=True))
    assert (np.diff(hybrid, axis=0) <= 1e-12 * hybrid[:-1]).all()
    np.testing.assert_allclose(hybrid / physics, np.broadcast_to((hybrid / physics)[:1], hybrid.shape), rtol=1e-9)


def both_at(kernels: KernelTable, target: str, clock_hz: float) -> tuple[Forecast, Forecast]:
    asked = Conditions(clock=float(clock_hz))
    physics, hybrid = (forecast(kernels, [target], model=m, conditions=asked) for m in ("mechanistic", "hybrid"))
    return physics, hybrid


def test_what_was_not_counted_stays_physics() -> None:
    full = profile()
    kept = ("time_s", "flops_fp32", "bytes_compulsory", "grid_blocks", "block_threads")
    kernels = KernelTable(
        {k: v for k, v in full.numeric.items() if k in kept}, {k: v for k, v in full.origin.items() if k in kept},
        full.text,
    )  # fmt: skip
    physics, hybrid = both(kernels, list(TARGETS))
    np.testing.assert_array_equal(hybrid.estimate.time_s, physics.estimate.time_s)
    np.testing.assert_array_equal(hybrid.estimate.time_low_s, physics.estimate.time_low_s)


def test_kernels_unlike_the_training_data_fall_back_and_say_so() -> None:
    strange = profile(5, ipc_active=90.0, block_threads=1.0, warp_latency_cycles_per_inst=9e4, grid_blocks=4e9)
    physics, hybrid = both(strange, list(TARGETS[:2]))
    np.testing.assert_array_equal(hybrid.estimate.time_s, physics.estimate.time_s)
    np.testing.assert_array_equal(hybrid.estimate.time_high_s, physics.estimate.time_high_s)
    assert all("unlike the kernels" in " ".join(notes) for notes in hybrid.estimate.notes)
    assert not any("unlike the kernels" in " ".join(n) for n in both(profile(5), list(TARGETS[:2]))[1].estimate.notes)


def test_gpus_of_another_kind_fall_back_and_say_so() -> None:
    physics, hybrid = both(profile(5), ["MI250X", "RTX 3080"])
    np.testing.assert_array_equal(hybrid.estimate.time_s[:, 0], physics.estimate.time_s[:, 0])
    assert (hybrid.estimate.time_s[:, 1] != physics.estimate.time_s[:, 1]).any()
    assert all("MI250X" in " ".join(notes) for notes in hybrid.estimate.notes)
    own = dataclasses.replace(find("RTX 3080").processor, key="mine", name="Mine")
    physics, hybrid = both(profile(5), [own])
    np.testing.assert_array_equal(hybrid.estimate.time_s, physics.estimate.time_s)
    assert all("GPUs like Mine" in " ".join(notes) for notes in hybrid.estimate.notes)


def test_close_gpus_get_less_of_the_residual() -> None:
    a100, big, h100 = (find(n).processor for n in (SOURCE, "A100-SXM4-80GB", "H100 SXM5 80GB"))
    machines = Machines.of([a100, a100.replace(sm_count=50), big, h100], np.array([0, 1, 2, 3, -1]))
    here, there = machines.cells(machines.index[:, None], np.zeros(())), machines.cells(machines.index, np.zeros(()))
    found = apartness(here, there)
    assert (found[:2, :2] == 0).all()
    assert (found[4] == 0).all()
    assert 0 < found[0, 2] < 0.5 < found[0, 3] <= 1
    assert found[0, 3] == found[3, 0]
    kinds = classes_of(columns_of([a100, h100, find("L4").processor]))
    assert kinds[0] == kinds[1] != kinds[2]


def log_factor(kernels: KernelTable, target: str, conditions: str = "production") -> FloatArray:
    """(n,) log of what the residual multiplies the physics with."""
    hybrid, physics = (
        forecast(kernels, target, model=m, conditions=conditions).estimate.time_s[:, 0]
        for m in ("hybrid", "mechanistic")
    )
    return np.asarray(np.log(hybrid / physics))


def test_the_nearest_of_its_kind_that_taught_stands_for_a_gpu() -> None:
    """An A100 for V100 and P100, an H100 for Hopper and Blackwell, an A10 or RTX 3080 for cards with GDDR."""
    names = ("H200", "B200", "Tesla V100-SXM2-16GB", "Tesla P100-PCIE-16GB", "L4", "RTX 3090", "MI250X", SOURCE, "A10")
    found = find_representatives(shipped(), Machines.of([find(n).processor for n in names]))
    keys = [shipped().gpus[i] if i >= 0 else "" for i in found.tolist()]
    a100 = find(SOURCE).processor.key
    assert keys == [*["nvidia-h100-sxm5-80gb"] * 2, a100, a100, "nvidia-a10", "nvidia-rtx-3080", "", a100, "nvidia-a10"]


def test_a_target_has_the_residual_of_the_gpu_that_stands_for_it() -> None:
    kernels = profile(20)
    apart = [apartness(*(Machines.of([find(n).processor]) for n in (SOURCE, t)))[0] for t in ("RTX 3080", "RTX 3090")]
    one, other = (log_factor(kernels, target) for target in ("RTX 3080", "RTX 3090"))
    np.testing.assert_allclose(one / apart[0], other / apart[1], rtol=1e-9)
    assert np.abs(one).max() > 0.01
    # Nothing was learned between GPUs for which the same one stands.
    np.testing.assert_array_equal(log_factor(kernels, "A100-SXM4-80GB"), 0.0)


def test_no_condition_moves_the_residual() -> None:
    kernels = profile(20)
    kernels = dataclasses.replace(kernels, text={**kernels.text, "cache_state": np.full(20, "cold", np.object_)})
    np.testing.assert_allclose(
        log_factor(kernels, "H100 SXM5 80GB"), log_factor(kernels, "H100 SXM5 80GB", "profiled"), rtol=1e-9, atol=1e-12
    )


def test_one_kernel_is_forecast_as_in_a_table() -> None:
    kernels = profile(8)
    whole = forecast(kernels, list(TARGETS), model="hybrid").estimate.time_s
    for i in range(8):
        np.testing.assert_allclose(
            forecast(kernels.select([i]), list(TARGETS), model="hybrid").estimate.time_s, whole[[i]], rtol=1e-12
        )


def test_wider_coverage_is_wider() -> None:
    kernels = profile(10)
    widths = [
        (e.time_high_s / e.time_low_s)
        for e in (forecast(kernels, "RTX 3080", model="hybrid", coverage=c).estimate for c in (0.5, 0.9, 0.99, 0.999))
    ]
    assert all((b > a).all() for a, b in itertools.pairwise(widths))


@pytest.mark.parametrize("model", ["mechanistic", "hybrid"])
def test_intervals_hold_the_run_with_flushed_and_the_run_with_warm_caches(model: str) -> None:
    kernels = profile(300)
    kernels = dataclasses.replace(kernels, text={**kernels.text, "cache_state": np.full(300, "cold", np.object_)})
    ends = {
        cache: forecast(kernels, list(TARGETS), model=model, cache=cache).estimate for cache in ("auto", "cold", "warm")
    }
    either, *each = ends.values()
    assert (ends["warm"].time_s < ends["cold"].time_s).mean() > 0.2
    for one in each:
        assert (either.time_low_s <= one.time_low_s * (1 + 1e-12)).all()
        assert (either.time_high_s >= one.time_high_s * (1 - 1e-12)).all()
    alike = ends["warm"].time_low_s == ends["cold"].time_low_s
    np.testing.assert_array_equal(either.time_low_s[alike], ends["cold"].time_low_s[alike])


def test_the_shipped_file_is_whole_and_tells_where_it_comes_from() -> None:
    assert residual.FILE.stat().st_size < 2e6
    found = shipped()
    assert set(found.ratio.features) <= set(FEATURES)
    assert set(found.ranges) <= set(OF_KERNEL)
    assert set(found.quantiles) == set(GROUPS)
    assert all(list(q) == sorted(q) for q in found.quantiles.values())
    assert {"made by", "data sets", "mechanistic model", "settings"} <= set(found.provenance)
    assert all({"sha256", "licence", "origin"} <= set(d) for d in found.provenance["data sets"].values())
    again = residual.residual_of(json.loads(json.dumps(found.content())))
    rows = np.zeros((len(found.ratio.features), 3), np.float32)
    np.testing.assert_array_equal(again.log_factor([*rows], (3,)), found.log_factor([*rows], (3,)))


def test_a_damaged_file_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shipped.cache_clear()
    for content in (b"", b"{}", b'{"ratio": 3}', b"\xff\xfe"):
        (tmp_path / "h.json").write_bytes(content)
        monkeypatch.setattr(residual, "FILE", tmp_path / "h.json")
        with pytest.raises(RoofcastError, match="reinstall roofcast"):
            shipped()
    monkeypatch.undo()
    shipped.cache_clear()


def test_absent_features_are_not_numbers_that_occur() -> None:
    kernels, machines = profile(4), Machines.of([find(SOURCE).processor], np.zeros(4, np.intp))
    targets = Machines.of([find("RTX 3080").processor], np.zeros((1, 1), np.intp))
    physics = Mechanistic()
    parts = physics.parts(kernels, machines, targets, Conditions())
    learned = Hybrid(physics).learned(kernels, parts, machines, targets, 0.9)
    assert learned.used.all()
    assert np.isfinite(learned.half_width).all()
    assert float(ABSENT) < -8
