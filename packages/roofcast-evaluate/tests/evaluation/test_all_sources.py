"""All other GPUs together: one row per work and target, beside what each alone reaches."""

from __future__ import annotations

import numpy as np
import pytest

import model_builders as builders
from roofcast.core.errors import DatasetError
from roofcast.core.kernel_table import KernelTable
from roofcast.forecasting.forecast import forecast
from roofcast_evaluate.experiments import run_experiment

GPUS = {"A100-SXM4-40GB": 1.0, "Tesla V100-SXM2-16GB": 1.6, "A10": 2.4}


def measured(*gpus: str) -> KernelTable:
    rows = [{"bytes_dram": b, "time_s": b * 1e-12 * GPUS[g]} for b in (1e8, 1e9) for g in gpus]
    text = {"kernel": [k for k in ("small", "large") for _ in gpus], "gpu": list(gpus) * 2}
    return builders.table(rows, text)


def test_each_gpu_is_forecast_once_per_work_as_forecast_does() -> None:
    kernels = measured(*GPUS)
    found = run_experiment("t", kernels, "mechanistic", "all-sources")
    assert found.outcome is not None
    assert [s.source_gpu for s in found.scores] == ["all others"] * 3
    assert len(found.outcome) == 6
    for kernel, gpu, time, high in zip(
        found.outcome.kernel, found.outcome.target_gpu, found.outcome.time_s, found.outcome.time_high_s, strict=True
    ):
        here = forecast(kernels, gpu, model="mechanistic")
        row = list(kernels.strings("kernel")).index(kernel)
        assert time == pytest.approx(here.estimate.time_s[row, 0], rel=1e-9)
        assert high == pytest.approx(here.estimate.time_high_s[row, 0], rel=1e-9)


def test_the_remark_says_what_one_source_reaches() -> None:
    kernels = measured(*GPUS)
    (remark,) = run_experiment("t", kernels, "mechanistic", "all-sources").remarks
    pairs = run_experiment("t", kernels, "mechanistic", "pairs").scores
    assert f"{100 * np.mean([s.mape for s in pairs]):.2f} % on average" in remark


def test_two_gpus_are_not_several_sources() -> None:
    with pytest.raises(DatasetError, match="three GPUs"):
        run_experiment("t", measured(*list(GPUS)[:2]), "mechanistic", "all-sources")
