"""Errors are weighed per kernel, missing forecasts count, and summaries are means over GPU pairs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from roofcast_evaluate.datasets import load
from roofcast_evaluate.experiments import run_experiment
from roofcast_evaluate.scores import (
    Outcome,
    kernel_weights,
    rankings,
    scores_of,
    spearman,
    summary,
    weighted_quantile,
)


def outcome(rows: list[tuple[str, str, str, float, float]]) -> Outcome:
    """Pairs given as kernel, source, target, measured, forecast; intervals of 20 % around the forecast."""
    kernel, source, target = (np.array([r[i] for r in rows], dtype=np.object_) for i in range(3))
    measured, forecast = (np.array([r[i] for r in rows]) for i in (3, 4))
    return Outcome(kernel, source, target, measured, forecast, forecast / 1.2, forecast * 1.2)


def test_each_kernel_weighs_the_same() -> None:
    rows = [("a", "X", "Y", 1.0, 1.5)] * 9 + [("b", "X", "Y", 1.0, 1.05)]
    (score,) = scores_of(outcome(rows))
    assert score.mape == pytest.approx((0.5 + 0.05) / 2)
    assert score.within_10 == pytest.approx(0.5)
    assert score.within_50 == pytest.approx(1.0)
    assert score.coverage == pytest.approx(0.5)
    assert score.pairs == 10


def test_a_missing_forecast_is_an_error_of_100_percent() -> None:
    (score,) = scores_of(outcome([("a", "X", "Y", 1.0, float("nan")), ("b", "X", "Y", 1.0, 1.0)]))
    assert score.mape == pytest.approx(0.5)
    assert score.median_ratio == pytest.approx(1.0)


def test_the_summary_is_the_mean_over_directed_pairs() -> None:
    rows = [("a", "X", "Y", 1.0, 1.4)] * 5 + [("a", "Y", "X", 2.0, 2.0)]
    whole = summary(scores_of(outcome(rows)))
    assert (whole.source_gpu, whole.target_gpu, whole.pairs) == (None, None, 6)
    assert whole.mape == pytest.approx(0.2)


def test_weights_against_a_plain_loop() -> None:
    kernel = np.array(["a", "b", "a", "c", "a", "b"], dtype=np.object_)
    names = sorted(set(kernel))
    slow = [1 / len(names) / sum(k == name for k in kernel) for name in kernel]
    np.testing.assert_allclose(kernel_weights(kernel), slow)


def test_the_weighted_median_of_equal_weights_is_a_median() -> None:
    values = np.array([5.0, 1.0, 9.0])
    assert weighted_quantile(values, np.ones(3)) == 5.0
    assert np.isnan(weighted_quantile(np.zeros(0), np.zeros(0)))


def ranked(times: dict[str, float], wrong: float = 1.0) -> Outcome:
    """Every GPU forecast from every other, all forecasts too long by a factor that keeps the order."""
    pairs = [(s, t) for s in times for t in times if s != t]
    measured = np.array([times[t] for _, t in pairs])
    kernel, source, target = (
        np.array(values, dtype=np.object_)
        for values in (["k"] * len(pairs), [s for s, _ in pairs], [t for _, t in pairs])
    )
    return Outcome(kernel, source, target, measured, measured**wrong, measured, measured)


def test_rankings_of_many_gpus() -> None:
    (right,) = rankings(ranked({f"g{i}": 1.0 + i for i in range(9)}))
    assert right.gpus == 9
    assert (right.spearman, right.spearman_single) == pytest.approx((1.0, 1.0))
    (reverse,) = rankings(ranked({f"g{i}": 1.0 + i for i in range(9)}, wrong=-1.0))
    assert reverse.spearman == pytest.approx(-1.0)
    assert rankings(ranked({f"g{i}": 1.0 + i for i in range(7)})) == []


def test_spearman_against_the_formula_without_ties() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.permutation(30), rng.permutation(30)
    slow = 1 - 6 * sum((int(x) - int(y)) ** 2 for x, y in zip(a, b, strict=True)) / (30 * (30**2 - 1))
    assert spearman(a.astype(float), b.astype(float)) == pytest.approx(slow)


@pytest.mark.slow
def test_rankings_on_a_memory_bound_kernel(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOFCAST_DATA", str(data_dir))
    name, kernels = load("fluidx3d")
    rows = np.flatnonzero(kernels.strings("kernel") == "fluidx3d/FP32/FP32")[::3]
    result = run_experiment(name, kernels.select(rows), "mechanistic", "pairs")
    assert result.outcome is not None
    (found,) = rankings(result.outcome)
    assert found.gpus > 50
    assert found.spearman > 0.95
