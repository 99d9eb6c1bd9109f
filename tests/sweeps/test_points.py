"""The points of a space are variations, whether they come as columns or one by one, and all are forecast alike."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofcast import read
from roofcast.core import machines
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray, concatenate
from roofcast.core.machines import NUMBERS, columns_of
from roofcast.core.resource import Resource
from roofcast.core.results import PROFILED, Conditions
from roofcast.forecasting.forecast import forecast
from roofcast.models import cell_blocks
from roofcast.sweeps.chunks import sweep
from roofcast.sweeps.space import Space, parse_space
from roofcast.sweeps.sums import add_up, parts_alike
from roofcast.sweeps.workload import Workload, prepare
from sweep_builders import AXES, a_space, a_table, some_levels, worst

EVIDENCE = ("stalls", "counters", "analytic", "time")
BASES = ["H100 SXM5 80GB", "V100", "RTX 4090", "MI250X", "T4"]
EXACT = 1e-12
RECORDED = Conditions(named=PROFILED)
WARM = Conditions(0.8, "boost", "warm", (3e-6, 5e-6))
FOLDERS = ("ncu_rep", "ncu_csv", "nvprof")


def every_forecast(work: Workload, space: Space, levels: np.ndarray) -> tuple[FloatArray, FloatArray, FloatArray]:
    shape = (len(work), levels.shape[1])
    every = (np.empty(shape), np.empty(shape), np.empty(shape))
    add_up(work, space, levels, every)
    return every


@pytest.mark.parametrize("base", BASES)
def test_columns_of_a_space_are_its_processors(base: str) -> None:
    space = a_space(*AXES, base=base)
    levels = some_levels(space, 40)
    columns, one_by_one = space.columns(levels), columns_of(space.processors(levels))
    for name in sorted(NUMBERS):
        np.testing.assert_allclose(columns.number(name), one_by_one.number(name), rtol=1e-14, err_msg=name)
    np.testing.assert_array_equal(columns.codes("vendor"), one_by_one.codes("vendor"))
    variants = {key.partition(":")[2] or None for key in space.base.variants} | {None}
    for resource in Resource:
        for variant in variants:
            here, there = columns.supply(resource, variant), one_by_one.supply(resource, variant)
            for field in dataclasses.fields(here):
                np.testing.assert_allclose(
                    getattr(here, field.name), getattr(there, field.name), rtol=1e-14, err_msg=f"{resource} {variant}"
                )


@pytest.mark.slow
@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    st.sampled_from(EVIDENCE), st.integers(0, 10**6), st.sets(st.sampled_from(sorted(AXES)), min_size=1, max_size=5),
    st.sampled_from(BASES),
)  # fmt: skip
def test_a_point_is_what_forecast_says_of_the_variation(evidence: str, seed: int, keys: set[str], base: str) -> None:
    space, table = a_space(*sorted(keys), base=base), a_table(evidence, 4, seed)
    levels = some_levels(space, 5, seed)
    work = prepare(table, space.base, model="mechanistic", conditions=RECORDED)
    found = every_forecast(work, space, levels)
    right = forecast(table, space.processors(levels), model="mechanistic", conditions=RECORDED).estimate
    assert worst(found[:1], (right.time_s,)) < EXACT
    # A variation may be as sure as its base, and never surer.
    assert not (found[1] > right.time_low_s * (1 + EXACT)).any()
    assert not (found[2] < right.time_high_s * (1 - EXACT)).any()


@pytest.mark.parametrize("conditions", [Conditions(), WARM], ids=["recorded", "floors"])
@pytest.mark.parametrize("model", [None, "mechanistic"])
def test_the_base_is_the_forecast(conditions: Conditions, model: str | None) -> None:
    space = parse_space({"base": "H100 SXM5 80GB", "axes": {"sm": [132], "clock": ["1.98 GHz"]}})
    table = concatenate([a_table(e, 3, i) for i, e in enumerate(EVIDENCE)])
    found = every_forecast(prepare(table, space.base, model=model, conditions=conditions), space, space.levels_of(0, 1))
    right = forecast(table, space.base, model=model, conditions=conditions).estimate
    assert worst(found, (right.time_s, right.time_low_s, right.time_high_s)) < EXACT


def test_totals_are_sums_and_minima_of_all_forecasts() -> None:
    space = a_space("sm", "clock", "dram")
    table = concatenate([a_table(e, 3, i) for i, e in enumerate(EVIDENCE)])
    work = prepare(table, space.base, weights={"kernel_1": 5.0})
    levels = space.levels_of(0, space.size)
    every = every_forecast(work, space, levels)
    found = add_up(work, space, levels)
    for total, rows in zip((found.time_s, found.low_s, found.high_s), every, strict=True):
        np.testing.assert_allclose(total, work.weights @ rows, rtol=1e-13)
    np.testing.assert_array_equal(found.best_s, every[0].min(axis=1))
    np.testing.assert_array_equal(every[0][np.arange(len(table)), found.best_at], found.best_s)


def test_library_operators_are_swept_as_they_are_forecast() -> None:
    table = a_table("analytic", 3)
    names = np.array(["torch/linear", "kernel_b", "aten::softmax"], dtype=np.object_)
    table = dataclasses.replace(table, text={**table.text, "kernel": names})
    space = a_space("sm", "dram")
    levels = some_levels(space, 10)
    found = every_forecast(prepare(table, space.base, model="mechanistic"), space, levels)
    right = forecast(table, space.processors(levels), model="mechanistic").estimate
    assert worst(found[:1], (right.time_s,)) < EXACT


def test_a_workload_without_a_source_is_refused() -> None:
    table = a_table("time")
    table = dataclasses.replace(table, text={**table.text, "gpu": np.array([""] * len(table), dtype=np.object_)})
    space = a_space("sm")
    with pytest.raises(RoofcastError, match="source GPU unknown"):
        prepare(table, space.base)


@pytest.mark.parametrize("key", [*sorted(AXES), "launch"])
def test_what_all_processors_share_is_met_once_and_changes_no_bit(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    axis = {"launch_floor_s": ["1 us", "4 us"]} if key == "launch" else {key: AXES[key]}
    space = parse_space({"base": "H100 SXM5 80GB", "axes": axis})
    names = np.array(["torch/linear", "aten::softmax", "nccl_all_reduce"], dtype=np.object_)
    library = a_table("analytic", 3)
    tables = [a_table(e, 12, i) for i, e in enumerate(EVIDENCE)]
    tables.append(dataclasses.replace(library, text={**library.text, "kernel": names}))
    work = prepare(concatenate(tables), space.base, model="mechanistic")
    columns = space.columns(np.tile(space.levels_of(0, space.size), 40))
    once = work.physics(columns)
    for module in (machines, cell_blocks):
        monkeypatch.setattr(module, "common_cell", lambda values: values)
    on_each = work.physics(columns)
    for name in ("time_s", "time_low_s", "time_high_s"):
        np.testing.assert_array_equal(getattr(once, name), getattr(on_each, name), err_msg=name)
    for resource, seconds in on_each.time_s_by_resource_target.items():
        np.testing.assert_array_equal(once.time_s_by_resource_target[resource], seconds, err_msg=resource)


def test_parts_are_all_processors_and_share_what_is_worth_it() -> None:
    space = a_space("sm", "clock", "l2")
    levels = space.levels_of(0, space.size)
    for most, least in ((1, 1), (7, 1), (1000, 20), (1000, 1000)):
        parts = [*parts_alike(space, levels, most, least)]
        assert sorted(np.concatenate(parts).tolist()) == list(range(space.size))
        assert all((np.diff(part) > 0).all() and len(part) <= most for part in parts)
        if least == 20:
            assert all(len(set(levels[2, part].tolist())) == 1 for part in parts)
            assert len(parts) == 3


@pytest.mark.slow
def test_parts_and_chunks_of_any_length_give_the_same_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    space = a_space("sm", "clock", "dram", cost="sm + dram/1e11", constraints={"a": "sm >= 60"}, goal=1.05)
    work = prepare(a_table("stalls", 3), space.base)
    whole = sweep(work, space)
    monkeypatch.setattr("roofcast.sweeps.chunks.CHUNK", 7)
    assert str(sweep(work, space).to_json()) == str(whole.to_json())
    monkeypatch.setattr("roofcast.sweeps.sums.CELLS", 10)
    assert str(sweep(work, space).to_json()) == str(whole.to_json())
    assert whole.feasible == space.size * 4 // 5
    assert whole.nearest is not None


def test_a_few_draws_of_a_fine_grid_make_no_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    space = parse_space({
        "base": "H100 SXM5 80GB", "sample": 40,
        "axes": {"sm": {"from": 1, "to": 20_000, "step": 1}, "clock": {"from": "1 GHz", "to": "2 GHz", "count": 9999}},
    })  # fmt: skip
    work = prepare(a_table("stalls", 4), space.base)
    monkeypatch.setattr(Space, "processor", None)
    assert np.isfinite(add_up(work, space, space.levels_of(0, 40)).time_s).all()


@pytest.mark.slow
def test_real_profiles_agree_with_forecast(fixtures_dir: Path) -> None:
    space = a_space("sm", "clock", "dram", "l2", "fp32")
    levels = some_levels(space, 12)
    targets = space.processors(levels)
    draw = np.random.default_rng(2)
    files = sorted(p for folder in FOLDERS for p in (fixtures_dir / folder).iterdir() if p.stat().st_size < 3e6)
    compared = 0
    for index in draw.permutation(len(files))[:14]:
        try:
            table = read([str(files[index])])
            table = table.select(np.arange(min(len(table), 8)))
            work = prepare(table, space.base, model="mechanistic", conditions=RECORDED)
        except RoofcastError:
            continue
        out = every_forecast(work, space, levels)
        right = forecast(table, targets, model="mechanistic", conditions=RECORDED).estimate
        assert worst(out[:1], (right.time_s,)) < EXACT, files[index].name
        assert not (out[1] > right.time_low_s * (1 + EXACT)).any(), files[index].name
        assert not (out[2] < right.time_high_s * (1 - EXACT)).any(), files[index].name
        compared += 1
    assert compared >= 4
