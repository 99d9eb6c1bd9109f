"""The compiled engine against the model itself."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofcast.analyses.sweeps.cell_tables import tables_of
from roofcast.analyses.sweeps.chunks import sweep
from roofcast.analyses.sweeps.engine import Engine
from roofcast.analyses.sweeps.space import parse_space
from roofcast.analyses.sweeps.workload import prepare
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import concatenate
from roofcast.core.results import Conditions
from roofcast.forecasting.forecast import forecast
from sweep_builders import AXES, a_space, a_table, some_levels, worst

EVIDENCE = ("stalls", "counters", "analytic", "time")
EXACT = 1e-12
WARM = Conditions(0.8, "boost", "warm", (3e-6, 5e-6))


def compared(engine: Engine, levels: np.ndarray) -> float:
    n, m = len(engine.work), levels.shape[1]
    out = (np.empty((n, m)), np.empty((n, m)), np.empty((n, m)))
    engine.totals(levels, out)
    right = engine.work.estimate(engine.space.processors(levels))
    return worst(out, (right.time_s, right.time_low_s, right.time_high_s))


@pytest.mark.parametrize("evidence", EVIDENCE)
@pytest.mark.parametrize("conditions", [Conditions(), WARM], ids=["recorded", "floors"])
def test_every_kind_of_evidence_agrees_with_the_model(evidence: str, conditions: Conditions) -> None:
    space = a_space("sm", "clock", "dram", "l2", "l2_rate", "fp32", "shared")
    engine = Engine(prepare(a_table(evidence, 8), space.base, conditions=conditions), space)
    counted = evidence not in ("analytic", "time")
    assert not counted or not len(engine.direct), "compiled, not handed back to the model"
    assert compared(engine, some_levels(space, 60)) < EXACT


@pytest.mark.slow
@settings(max_examples=8, deadline=None, derandomize=True)
@given(
    st.sampled_from(EVIDENCE), st.integers(0, 10**6), st.sets(st.sampled_from(sorted(AXES)), min_size=1, max_size=5),
    st.sampled_from(["H100 SXM5 80GB", "V100", "RTX 4090", "MI250X", "T4"]),
)  # fmt: skip
def test_random_kernels_on_random_spaces_agree(evidence: str, seed: int, keys: set[str], base: str) -> None:
    space = a_space(*sorted(keys), base=base)
    engine = Engine(prepare(a_table(evidence, 4, seed), space.base), space)
    assert compared(engine, some_levels(space, 25, seed)) < EXACT


def test_the_engine_forecasts_what_forecast_does() -> None:
    space, table = a_space("sm", "dram"), a_table("stalls")
    levels = some_levels(space, 5)
    engine = Engine(prepare(table, space.base), space)
    out = (np.empty((len(table), 5)), np.empty((len(table), 5)), np.empty((len(table), 5)))
    engine.totals(levels, out)
    result = forecast(table, space.processors(levels), model="mechanistic")
    assert worst(out[:1], (result.estimate.time_s,)) < EXACT


def test_totals_are_sums_and_minima_of_all_forecasts() -> None:
    space = a_space("sm", "clock", "dram")
    table = concatenate([a_table(e, 3, i) for i, e in enumerate(EVIDENCE)])
    engine = Engine(prepare(table, space.base, weights={"kernel_1": 5.0}), space)
    levels = space.levels_of(0, space.size)
    shape = (len(table), space.size)
    every = (np.empty(shape), np.empty(shape), np.empty(shape))
    found = engine.totals(levels, every)
    assert engine.totals(levels).time_s.tolist() == found.time_s.tolist()
    for total, rows in zip((found.time_s, found.low_s, found.high_s), every, strict=True):
        np.testing.assert_allclose(total, engine.work.weights @ rows, rtol=1e-13)
    np.testing.assert_array_equal(found.best_s, every[0].min(axis=1))
    at = every[0][np.arange(len(table)), found.best_at]
    np.testing.assert_array_equal(at, found.best_s)


def test_what_differs_from_the_model_is_left_to_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    space, table = a_space("sm", "dram"), a_table("stalls")

    def damaged(*args: object) -> object:
        found = tables_of(*args)  # type: ignore[arg-type]  # passed on
        found.inner[:] *= 2.0
        return found

    monkeypatch.setattr("roofcast.analyses.sweeps.engine.tables_of", damaged)
    engine = Engine(prepare(table, space.base), space)
    assert len(engine.direct) == len(table)
    assert compared(engine, some_levels(space, 10)) < EXACT


def test_library_operators_take_the_models_own_way() -> None:
    from dataclasses import replace

    table = a_table("analytic", 3)
    names = np.array(["torch/linear", "kernel_b", "aten::softmax"], dtype=np.object_)
    table = replace(table, text={**table.text, "kernel": names})
    space = a_space("sm", "dram")
    engine = Engine(prepare(table, space.base), space)
    assert 2 in engine.direct.tolist()
    assert compared(engine, some_levels(space, 10)) < EXACT
    assert np.isfinite(engine.totals(some_levels(space, 10)).time_s).all()


def test_a_workload_without_a_source_is_refused() -> None:
    from dataclasses import replace

    table = a_table("time")
    table = replace(table, text={**table.text, "gpu": np.array([""] * len(table), dtype=np.object_)})
    space = a_space("sm")
    with pytest.raises(RoofcastError, match="source GPU unknown"):
        Engine(prepare(table, space.base), space)


def test_chunks_of_any_length_give_the_same_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    space = a_space("sm", "clock", "dram", cost="sm + dram/1e11", constraints={"a": "sm >= 60"}, goal=1.05)
    work = prepare(a_table("stalls", 3), space.base)
    whole = sweep(work, space)
    monkeypatch.setattr("roofcast.analyses.sweeps.chunks.CHUNK", 7)
    assert sweep(work, space).to_json() == whole.to_json()
    assert whole.feasible == space.size * 4 // 5
    assert whole.nearest is not None


def test_a_few_draws_of_a_fine_grid_need_no_tables() -> None:
    space = parse_space({
        "base": "H100 SXM5 80GB", "sample": 40,
        "axes": {"sm": {"from": 1, "to": 20_000, "step": 1}, "clock": {"from": "1 GHz", "to": "2 GHz", "count": 9999}},
    })  # fmt: skip
    work = prepare(a_table("stalls", 4), space.base)
    engine = Engine(work, space)
    assert not engine.blocks
    levels = space.levels_of(0, 40)
    right = work.estimate(space.processors(levels)).time_s
    np.testing.assert_allclose(engine.totals(levels).time_s, right.sum(axis=0), rtol=1e-12)
    with pytest.raises(RoofcastError, match=r"axes sm, clock have 2e\+08 combinations.*fewer levels"):
        Engine(work, dataclasses.replace(space, sample=None))
