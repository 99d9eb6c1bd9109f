"""The report's seven regressors: what they see, what they need, and Table 6."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import model_builders as builders
from roofcast.core.errors import MissingExtraError, RoofcastError
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.models.published.regressors import Regressor, features_of
from roofcast.models.registry import FORECASTERS, MODELS, load_model
from roofcast_evaluate.report_experiments import TABLE_6, forecast_experiment, score_pairs

pytest.importorskip("sklearn")
NAMES = [name for name in MODELS if name not in FORECASTERS]
SLOW_GPU = builders.processor("slow", {Resource.BYTES_DRAM: 1e12, Resource.FLOPS_FP32: 1e13})
FAST_GPU = builders.processor("fast", {Resource.BYTES_DRAM: 2e12, Resource.FLOPS_FP32: 3e13})
EXACT = ("linear", "ridge", "lasso", "knn")
"""Models whose printed numbers do not depend on the version of the library."""


def regressor(name: str) -> Regressor:
    found = load_model(name)
    assert isinstance(found, Regressor)
    return found


def trained(name: str, times: FloatArray) -> Regressor:
    rows = [{"time_s": t, "bytes_dram": 1e12 * t, "flops_fp32": 1e12 * t} for t in times]
    sources, targets = builders.on(SLOW_GPU, len(rows)), Machines.of([FAST_GPU], np.zeros((len(rows), 1), np.intp))
    return regressor(name).trained(builders.table(rows), sources, targets, times / 2)


def test_there_are_seven() -> None:
    assert NAMES == ["linear", "ridge", "lasso", "svr", "random_forest", "gradient_boosting", "knn"]


@pytest.mark.parametrize("name", NAMES)
def test_untrained_they_say_what_they_need(name: str) -> None:
    kernels = builders.table([{"time_s": 1.0, "bytes_dram": 1e9}])
    with pytest.raises(RoofcastError, match="learns from measured pairs") as caught:
        load_model(name).estimate(kernels, builders.on(SLOW_GPU, 1), builders.onto([FAST_GPU], 1), Conditions())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_they_learn_a_plain_ratio(name: str) -> None:
    model = trained(name, np.geomspace(1e-3, 0.1, 60))
    kernels = builders.table([{"time_s": 0.03, "bytes_dram": 3e10, "flops_fp32": 3e10}])
    found = model.estimate(kernels, builders.on(SLOW_GPU, 1), builders.onto([FAST_GPU] * 2, 1), Conditions())
    assert found.time_s.shape == (1, 2)
    assert found.time_s[0, 0] == pytest.approx(0.015, rel=0.25)
    assert np.isnan(found.time_low_s).all()
    assert found.coverage is None


def test_a_time_below_zero_is_no_forecast() -> None:
    times = np.geomspace(1e-3, 0.1, 60)
    model = trained("linear", times)
    model.fitted.mean = -1e6
    kernels = builders.table([{"time_s": 0.03, "bytes_dram": 3e10}])
    found = model.estimate(kernels, builders.on(SLOW_GPU, 1), builders.onto([FAST_GPU], 1), Conditions())
    assert np.isnan(found.time_s[0, 0])
    assert found.reasons[0, 0]


def test_features_are_finite_whatever_is_absent() -> None:
    kernels = builders.table([{"time_s": 1e-3}, {"time_s": 2e-3, "bytes_dram": 0.0, "flops_fp32": 5.0}])
    found = features_of(kernels, builders.on(SLOW_GPU, 2), builders.onto([FAST_GPU, SLOW_GPU], 2))
    assert found.shape == (2, 2, 31)
    assert np.isfinite(found).all()
    # Milliseconds, and the DRAM bandwidth of both sides in GB/s, as the authors have them.
    assert found[0, 0, 10] == 1.0
    assert found[0, 0, 17:19].tolist() == [1000.0, 2000.0]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_table_6(data_dir: Path, name: str) -> None:
    folder = data_dir / "micro16" / "original"
    for experiment, printed in zip(("new-gpu", "new-configuration", "new-kernel"), TABLE_6[name], strict=True):
        score = score_pairs(forecast_experiment(folder, regressor(name), experiment))
        assert score.pairs == {"new-gpu": 137, "new-configuration": 58, "new-kernel": 134}[experiment]
        tolerance = 0.006 if name in EXACT else 0.3 * printed
        assert 100 * score.mape == pytest.approx(printed, abs=tolerance)


def test_without_the_library_they_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("sklearn", "sklearn.neighbors"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"roofcast\[learn\]"):
        trained("knn", np.geomspace(1e-3, 0.1, 10))
    assert trained("linear", np.geomspace(1e-3, 0.1, 10)).fitted is not None
