"""Fitting the constants of library operators: what is not needed stays, what helps is found, nobody's GPU leaks."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.evaluation import experiments
from roofcast.evaluation.cases import Cases, cases_of
from roofcast.evaluation.fitting import change_constant, fit_library, paths, value_at
from roofcast.models.operators.levels import LibraryConstants
from roofcast.models.physics.model import Mechanistic
from roofcast.operators.amounts import elementwise_amounts

GPUS = ("A100 SXM4 80GB", "H100 SXM5 80GB", "V100 PCIe 32GB")
TRUTH = change_constant(LibraryConstants(), ("elementwise", "kept"), 1.0)


def made_by(constants: LibraryConstants) -> Cases:
    """Cases whose times are what the model says with some constants, all from the first GPU."""
    sizes = np.geomspace(1e7, 1e9, 12)
    columns = elementwise_amounts(sizes, reads=2).columns()
    count = len(GPUS) * len(sizes)
    text = {
        "kernel": ["torch/add"] * count,
        "config": [f"n={n:.0f}" for n in sizes] * len(GPUS),
        "gpu": np.repeat(GPUS, len(sizes)).tolist(),
    }
    rows = KernelTable.from_columns(text, {"time_s": (np.full(count, 1e-3), Origin.COUNTED)})
    rows = rows.with_columns(**{k: (np.tile(v, len(GPUS)), o) for k, (v, o) in columns.items()})
    time = np.tile(sizes * 12 / 0.5e12, len(GPUS))
    for gpu in GPUS[1:]:
        cases = cases_of("made", rows.with_columns(time_s=(time, Origin.COUNTED)))
        chosen = (cases.source_gpu == GPUS[0]) & (cases.target_gpu == gpu)
        told = cases.select(chosen).forecast(Mechanistic(library=constants)).time_s
        time = np.where(rows.strings("gpu") == gpu, np.tile(told, len(GPUS)), time)
    cases = cases_of("made", rows.with_columns(time_s=(time, Origin.COUNTED)))
    return cases.select(cases.source_gpu == GPUS[0])


def error(cases: Cases, model: Mechanistic) -> float:
    return float(np.mean(np.abs(cases.forecast(model).time_s / cases.time_s_measured - 1)))


def test_fitting_finds_what_made_the_times_and_leaves_the_rest() -> None:
    cases = made_by(TRUTH)
    fitted = fit_library(cases, Mechanistic(), pull=0.001)
    assert error(cases, fitted) < 0.6 * error(cases, Mechanistic())
    assert fitted.library.tensor == LibraryConstants().tensor
    assert fitted.library.softmax == LibraryConstants().softmax


def test_paths_name_every_number() -> None:
    found = list(paths(LibraryConstants()))
    assert ("tensor", "kept") in found
    assert ("experts_share",) in found
    assert len(found) == len(set(found)) == 2 * 10 + 3 * 7 + 2
    assert value_at(change_constant(LibraryConstants(), ("vector", "l2"), 9.0), ("vector", "l2")) == 9.0


def test_the_target_gpu_does_not_take_part_in_its_own_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = made_by(TRUTH)
    seen: list[set[str]] = []

    def spy(training: Cases, model: Mechanistic) -> Mechanistic:
        seen.append({*training.source_gpu, *training.target_gpu})
        return dataclasses.replace(model, library=TRUTH)

    monkeypatch.setattr(experiments, "fit_library", spy)
    outcome = experiments.EXPERIMENTS["library-new-gpu"](cases, Mechanistic())
    assert seen == [{GPUS[0], GPUS[2]}, {GPUS[0], GPUS[1]}]
    np.testing.assert_allclose(outcome.time_s, cases.time_s_measured)
