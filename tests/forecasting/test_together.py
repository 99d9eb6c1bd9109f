"""Several sources for one kernel: grouping, combining, and what a single source stays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import model_builders as builders
import roofcast
from roofcast.catalog import find
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.core.properties import Property
from roofcast.forecasting.forecast import APART, forecast
from roofcast.forecasting.several_sources import combine, distances, same_work, with_amounts_of_others
from roofcast.forecasting.sources import resolve_sources

A100, V100, A10, H100 = "A100-SXM4-40GB", "Tesla V100-SXM2-16GB", "A10", "H100 SXM5 80GB"
WORK = {"bytes_dram": 1e9, "bytes_l2": 2e9, "flops_fp32": 5e9, "grid_blocks": 4096.0, "block_threads": 256.0}
TIMES = {A100: 1.0e-3, V100: 1.6e-3, A10: 2.4e-3}


def measured(*gpus: str, kernels: int = 1, **text: list[str]) -> KernelTable:
    rows = [{**WORK, "time_s": TIMES[g] * (1 + k)} for k in range(kernels) for g in gpus]
    names = [f"k{k}" for k in range(kernels) for _ in gpus]
    return builders.table(rows, {"kernel": names, "gpu": list(gpus) * kernels, **text})


def groups(kernels: KernelTable) -> list[list[list[int]]]:
    return [rows.tolist() for _, rows in same_work(kernels, resolve_sources(kernels, None).index).patterns]


def test_every_row_stays_in_file_order_and_shows_the_combined_time() -> None:
    records = list(forecast(measured(A100, V100, A10, kernels=2), [H100, "L40S"]).records())
    assert [(r["kernel"], r["target_gpu"]) for r in records] == [
        (k, t) for k in ("k0",) * 3 + ("k1",) * 3 for t in ("H100 SXM5 80GB", find("L40S").processor.name)
    ]
    for k in ("k0", "k1"):
        for t in ("H100 SXM5 80GB", find("L40S").processor.name):
            same = [r for r in records if r["kernel"] == k and r["target_gpu"] == t]
            assert len({r["time_s"] for r in same}) == len({r["time_high_s"] for r in same}) == 1
            assert len({r["source_gpu"] for r in same}) == len({r["source_time_s"] for r in same}) == 3
            assert all("together" in " ".join(r["notes"]) for r in same)


def test_the_combination_lies_between_the_sources_and_from_chooses_one() -> None:
    kernels = measured(A100, V100, A10)
    whole = forecast(kernels, H100).estimate.time_s[0, 0]
    singles = [forecast(kernels, H100, source=g).estimate.time_s for g in TIMES]
    assert all(s.shape == (1, 1) for s in singles)
    alone = [s[0, 0] for s in singles]
    assert min(alone) < whole < max(alone)


@pytest.mark.parametrize("model", ["mechanistic", "hybrid"])
def test_one_source_is_what_it_was(model: str) -> None:
    one = forecast(measured(A100, kernels=3), [H100, A100], model=model)
    apart = forecast(measured(A100, V100, kernels=3), [H100, A100], model=model, source=A100)
    np.testing.assert_array_equal(one.estimate.time_s, apart.estimate.time_s)
    np.testing.assert_allclose(one.estimate.time_s[:, 1], one.kernels.column("time_s"), rtol=1e-12)
    assert not one.cell_notes


def test_a_measured_target_is_forecast_from_the_others() -> None:
    found = forecast(measured(A100, V100), [A100, V100])
    one = forecast(measured(A100, V100), V100, source=A100).estimate
    assert found.estimate.time_s[:, 1].tolist() == [one.time_s[0, 0]] * 2
    assert found.estimate.time_high_s[:, 1].tolist() == [one.time_high_s[0, 0]] * 2
    name = find(V100).processor.name
    assert f"forecast from A100 SXM4 40GB; the measurement on {name} itself is not used" in found.notes(0, 1)


def test_published_models_stay_as_published() -> None:
    found = forecast(measured(A100, V100, A10), H100, model="van_lanker")
    assert len(set(found.estimate.time_s[:, 0].tolist())) == 3


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.permutations(range(6)))
def test_rows_may_stand_in_any_order(order: list[int]) -> None:
    kernels = measured(A100, V100, A10, kernels=2)
    straight = forecast(kernels, [H100, A10]).estimate.time_s
    mixed = forecast(kernels.select(order), [H100, A10]).estimate.time_s
    np.testing.assert_allclose(mixed, straight[order], rtol=1e-12)


def test_the_last_step_of_the_waterfall_is_the_other_sources() -> None:
    found = forecast(measured(A100, V100, A10), H100, model="mechanistic")
    chains = found.explain()
    for i, g in enumerate(TIMES):
        alone = forecast(measured(g), H100, model="mechanistic").estimate.time_s[0, 0]
        steps = chains.of(i)
        assert steps[Property.SOURCES] == pytest.approx(found.estimate.time_s[i, 0] - alone, rel=1e-9)
        assert sum(steps.values()) == pytest.approx(found.estimate.time_s[i, 0] - TIMES[g], rel=1e-12)
    assert found.select([2]).explain(0).of(0) == chains.of(2)


def test_other_configurations_and_sizes_are_other_work() -> None:
    assert groups(measured(A100, V100, config=["N=1", "N=1"])) == [[[0, 1]]]
    assert groups(measured(A100, V100, config=["N=1", "N=2"])) == []
    apart = builders.table(
        [{**WORK, "time_s": 1e-3, "grid_blocks": g} for g in (64.0, 128.0)],
        {"kernel": ["k", "k"], "gpu": [A100, V100]},
    )
    assert groups(apart) == []
    sized = measured(A100, V100, A100, V100)
    sized = KernelTable(sized.numeric, sized.origin, sized.text, extra={"N": np.array([1.0, 2.0, 2.0, 1.0])})
    assert sorted(groups(sized)[0]) == [[0, 3], [2, 1]]


def test_launches_pair_in_order_and_only_where_every_gpu_has_as_many() -> None:
    assert groups(measured(A100, V100, A100, V100)) == [[[0, 1], [2, 3]]]
    assert groups(measured(A100, V100, A100)) == []


def test_contradicting_counts_keep_rows_apart_and_say_so() -> None:
    rows = [{**WORK, "time_s": 1e-3}, {**WORK, "time_s": 1e-3, "flops_fp32": 1e10}]
    found = forecast(builders.table(rows, {"kernel": ["k", "k"], "gpu": [A100, V100]}), H100)
    assert found.estimate.time_s[0, 0] != found.estimate.time_s[1, 0]
    assert APART in found.notes(0, 0)


def test_amounts_counted_on_one_gpu_serve_the_others() -> None:
    rows = [{**WORK, "time_s": 1e-3}, {"time_s": 1.6e-3}]
    kernels = builders.table(rows, {"kernel": ["k", "k"], "gpu": [A100, V100]})
    found = resolve_sources(kernels, None)
    filled = with_amounts_of_others(kernels, same_work(kernels, found.index))
    assert filled.column("flops_fp32").tolist() == [5e9, 5e9]
    assert filled.origin_of("flops_fp32").tolist() == [Origin.COUNTED, Origin.ASSUMED]
    assert filled.column("time_s").tolist() == [1e-3, 1.6e-3]


def test_unknown_and_useless_rows_stay_without_a_say() -> None:
    kernels = measured(A100, V100, A10)
    time = np.array([np.nan, 1.6e-3, 2.4e-3])
    part = forecast(kernels.with_columns(time_s=(time, Origin.COUNTED)), H100).estimate.time_s
    two = forecast(measured(V100, A10), H100).estimate.time_s
    np.testing.assert_allclose(part[:, 0], two[0, 0], rtol=1e-12)
    strange = builders.table(
        [{**WORK, "time_s": 1e-3}] * 3, {"kernel": ["k"] * 3, "gpu": [A100, V100, "No Such GPU 9000"]}
    )
    assert np.isnan(forecast(strange, H100).estimate.time_s[2, 0])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-12, 0), min_size=3, max_size=3), st.lists(st.floats(0.05, 1.5), min_size=3, max_size=3))
def test_combining_is_an_average_that_disagreement_widens(log_time: list[float], half: list[float]) -> None:
    gpus = [roofcast.gpu(g) for g in TIMES]
    result, width = combine(np.array([[log_time]]), np.array([[half]]), gpus, [roofcast.gpu(H100)])
    assert min(log_time) - 1e-9 <= result[0, 0] <= max(log_time) + 1e-9
    assert width[0, 0] <= max(*half, max(log_time) - min(log_time)) + 1e-9
    agreeing, narrow = combine(np.array([[[log_time[0]] * 3]]), np.array([[half]]), gpus, [roofcast.gpu(H100)])
    assert agreeing[0, 0] == pytest.approx(log_time[0])
    assert narrow[0, 0] <= width[0, 0] + 1e-9


def test_like_sources_share_their_weight() -> None:
    twins, other = [roofcast.gpu(A100), roofcast.gpu("A100-SXM4-80GB")], roofcast.gpu(V100)
    apart = distances([*twins, other], [*twins, other])
    assert apart[0, 1] < apart[0, 2]
    values, half = np.array([[[0.0, 0.0, 1.0]]]), np.full((1, 1, 3), 0.3)
    with_twin = combine(values, half, [*twins, other], [roofcast.gpu("RTX 3090")])[0][0, 0]
    without = combine(values[..., 1:], half[..., 1:], [twins[1], other], [roofcast.gpu("RTX 3090")])[0][0, 0]
    # Counted as independent, a twin would halve the other's weight relative to its own.
    assert without > with_twin > without / 1.8
