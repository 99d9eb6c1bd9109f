"""Contract 2: `evaluate` scores what `forecast` prints on the file as a user gives it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from contracts.doors import Breach, command_of, folder, forecast, scored_pairs

import roofcast
from roofcast.evaluation.datasets import DATASETS

QUICK = ("hecbench_ncu", "nca_nvprof", "micro16", "pmpp_nvbench", "llmcompass", "eleuther_gemm", "deepbench")
PAIRS = 200
HERE = folder("ROOFCAST_DATA", "data")


@pytest.mark.parametrize("model", ["hybrid", pytest.param("mechanistic", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in DATASETS])
@pytest.mark.skipif(HERE is None, reason="data sets are absent: set ROOFCAST_DATA")
def test_evaluate_scores_what_forecast_prints(name: str, model: str, hold: Callable[..., None]) -> None:
    assert HERE is not None
    path = HERE / DATASETS[name].file
    table = read_once(path)
    if DATASETS[name].within_gpu:
        pytest.skip("pairs are clock settings of one GPU: no command line names them")
    gpus = [g for g, _ in Counter(table.strings("gpu")).most_common(2)]
    pair = (gpus[0], gpus[1])
    kernels, outcome = scored_pairs(name, model, pair, PAIRS)
    said = forecast(path, (pair[1],), model, pair[0])
    command = command_of("forecast", path, "--from", pair[0], "--to", pair[1], "--model", model)
    at: dict[tuple[str, str, float], int] = {}
    for i, key in enumerate(keys(said.kernels)):
        at.setdefault(key, i)
    found = []
    for p, key in enumerate(keys(kernels)):
        scored = [float(getattr(outcome, end)[p]) for end in ("time_s", "time_low_s", "time_high_s")]
        i = at.get(key)
        for end, x in zip(("time_s", "time_low_s", "time_high_s"), scored, strict=True):
            y = float("nan") if i is None else float(getattr(said.estimate, end)[i, 0])
            if not (x == y or (np.isnan(x) and np.isnan(y))):
                scores = f"roofcast evaluate {name} --model {model}   ({pair[0]} -> {pair[1]}, {key[1][:60]})"
                found.append(Breach(key[0], end, x, y, scores, command))
    hold(found, 3 * len(kernels))


def keys(kernels: object) -> list[tuple[str, str, float]]:
    """Kernel, configuration and measured time of each row."""
    strings, column = kernels.strings, kernels.column  # type: ignore[attr-defined]
    return list(zip(strings("kernel"), strings("config"), column("time_s").tolist(), strict=True))


def read_once(path: Path) -> object:
    """The file as a user gives it."""
    from contracts.doors import read

    assert roofcast.read
    return read(path)
