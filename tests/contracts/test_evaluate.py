"""Contract 2: `evaluate` scores what `forecast` prints on the file as a user gives it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofcast
import roofcast.core.errors
from contracts.doors import ENDS, Breach, command_of, folder, forecast, read, scored_pairs
from roofcast_evaluate.datasets import DATASETS

QUICK = ("hecbench_ncu", "hopper_ncu", "nca_nvprof", "micro16", "pmpp_nvbench", "llmcompass", "deepbench")
PAIRS = 200
GPUS_MOST = 5
HERE = folder("ROOFCAST_DATA", "data")


def gpus_of(table: Any, most: int) -> list[str]:
    """GPUs with the most rows, of those that the catalog knows."""
    found = [g for g, _ in Counter(table.strings("gpu")).most_common() if is_known(g)]
    return found[:most]


def is_known(gpu: str) -> bool:
    """Whether the catalog has it."""
    try:
        return bool(roofcast.gpu(gpu))
    except roofcast.core.errors.RoofcastError:
        return False


def different_scores(name: str, model: str, pairs: list[tuple[str, str]]) -> tuple[list[Breach], int]:
    """Pairs of a data set that `evaluate` scores otherwise than `forecast` prints them, and how many were looked at."""
    path = files_of(name)
    found, looked = [], 0
    for pair in pairs:
        kernels, outcome, conditions = scored_pairs(name, model, pair, PAIRS)
        said = forecast(path, (pair[1],), model, pair[0], conditions)
        command = command_of(
            "forecast",
            Path(DATASETS[name].file),
            "--from",
            pair[0],
            "--to",
            pair[1],
            "--model",
            model,
            "--conditions",
            conditions,
        )
        at: dict[tuple[str, str, float], int] = {}
        for i, key in enumerate(keys(said.kernels)):
            at.setdefault(key, i)
        for p, key in enumerate(keys(kernels)):
            row = at.get(key)
            for end in ENDS:
                x = float(getattr(outcome, end)[p])
                y = float("nan") if row is None else float(getattr(said.estimate, end)[row, 0])
                if not (x == y or (np.isnan(x) and np.isnan(y))):
                    scores = f"roofcast evaluate {name} --model {model}   ({pair[0]} -> {pair[1]}, {key[1][:60]})"
                    found.append(Breach(key[0], end, x, y, scores, command))
        looked += len(ENDS) * len(kernels)
    return found, looked


def files_of(name: str) -> Path | tuple[Path, ...]:
    """What a user gives of a data set: its file, or its profiles."""
    assert HERE is not None
    paths = tuple(sorted(HERE.glob(DATASETS[name].file)))
    return paths[0] if len(paths) == 1 else paths


def keys(kernels: Any) -> list[tuple[str, str, float]]:
    """Kernel, configuration (of a profile the launch) and measured time of each row."""
    strings, column = kernels.strings, kernels.column
    launch = [
        c if np.isnan(n) else f"{c} {f} {n}"
        for c, f, n in zip(strings("config"), strings("source_file"), column("launch"), strict=True)
    ]
    return list(zip(strings("kernel"), launch, column("time_s").tolist(), strict=True))


@pytest.mark.skipif(HERE is None, reason="data sets are absent: set ROOFCAST_DATA")
@pytest.mark.parametrize("model", ["hybrid", pytest.param("mechanistic", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in DATASETS])
def test_evaluate_scores_what_forecast_prints(name: str, model: str, hold: Callable[..., None]) -> None:
    assert HERE is not None
    if DATASETS[name].within_gpu:
        pytest.skip("pairs are clock settings of one GPU: no command line names them")
    gpus = gpus_of(read(files_of(name)), 2)
    hold(*different_scores(name, model, [(gpus[0], gpus[1])]))


@pytest.mark.slow
@pytest.mark.skipif(HERE is None, reason="data sets are absent: set ROOFCAST_DATA")
@pytest.mark.parametrize("name", DATASETS)
def test_evaluate_scores_what_forecast_prints_for_all_pairs(name: str, hold: Callable[..., None]) -> None:
    assert HERE is not None
    if DATASETS[name].within_gpu:
        pytest.skip("pairs are clock settings of one GPU: no command line names them")
    gpus = gpus_of(read(files_of(name)), GPUS_MOST)
    hold(*different_scores(name, "hybrid", list(itertools.permutations(gpus, 2))))
