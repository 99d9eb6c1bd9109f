"""The experiments: what is held out, and what a model says of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import DatasetError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.results import PROFILED
from roofcast.models.base import Model
from roofcast.models.learned.hybrid import Hybrid
from roofcast.models.physics.model import Mechanistic
from roofcast.models.published.regressors import Regressor
from roofcast.models.registry import load_model
from roofcast_evaluate.all_sources import beside_single_sources, combined_outcome
from roofcast_evaluate.cases import FOLDS, Cases, cases_of, folds_of, forecast_parts
from roofcast_evaluate.fitting import fit
from roofcast_evaluate.floors import measured_floors
from roofcast_evaluate.scores import Outcome, Score, scores_of, summary
from roofcast_evaluate.screening import sound_rows
from roofcast_evaluate.teach_intervals import errors_of, table_of
from roofcast_evaluate.train import learn, nothing_learned, samples_of

REPORT_EXPERIMENTS = ("new-gpu", "new-configuration", "new-kernel")
"""Of the cross-GPU prediction report, on its own files."""


@dataclass(frozen=True)
class Result:
    """Scores of one model in one experiment on one table."""

    dataset: str
    experiment: str
    model: str
    scores: tuple[Score, ...]
    outcome: Outcome | None = None
    cases: Cases | None = None
    """The pairs behind the outcome, in its order."""
    remarks: tuple[str, ...] = ()
    """What else a reader must know of the scores."""

    def rows(self) -> Iterator[dict[str, Any]]:
        """One dict per directed pair of GPUs, the summary last; keys of the machine-readable output."""
        # The report's experiments have one score over all pairs: it is the summary.
        whole = len(self.scores) == 1 and self.scores[0].source_gpu is None
        for score in self.scores if whole else (*self.scores, summary(list(self.scores))):
            row = {"dataset": self.dataset, "experiment": self.experiment, "model": self.model}
            values = dataclasses.asdict(score)
            yield row | {k: None if isinstance(v, float) and not np.isfinite(v) else v for k, v in values.items()}


def pairs_experiment(cases: Cases, model: Model) -> Outcome:
    """Every pair with the model as it is shipped."""
    return cases.forecast(model)


def folds_experiment(cases: Cases, model: Model) -> Outcome:
    """Programs in folds: constants fitted to the other folds. Models without constants of their own are as shipped."""
    fold = folds_of(cases.kernels.strings("kernel"))
    held_out = [(fold != k, fold == k) for k in range(FOLDS)]
    return cross_validated(cases, model, held_out)


def folds_new_gpu_experiment(cases: Cases, model: Model) -> Outcome:
    """Programs in folds, and no pair of the target GPU in the training either."""
    fold = folds_of(cases.kernels.strings("kernel"))
    held_out = []
    for gpu in sorted(set(cases.target_gpu)):
        touched = (cases.source_gpu == gpu) | (cases.target_gpu == gpu)
        held_out += [((fold != k) & ~touched, (fold == k) & (cases.target_gpu == gpu)) for k in range(FOLDS)]
    return cross_validated(cases, model, held_out)


def cross_validated(cases: Cases, model: Model, held_out: list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]) -> Outcome:
    """Forecasts of each test part by a model that saw its training part only."""
    if not isinstance(model, (Mechanistic, Hybrid, Regressor)):
        return cases.forecast(model)
    taught = ((test, train_model(model, cases.select(train))) for train, test in held_out if test.any())
    return forecast_parts(cases, taught)


def train_model(model: Model, cases: Cases) -> Model:
    """The model with constants, trees and intervals from training pairs alone; without any, as it is shipped.

    Raises
    ------
    DatasetError : a model that has to learn has no pairs to learn from. MissingExtraError : its library is absent.
    """
    if isinstance(model, Regressor):
        if not len(cases):
            raise DatasetError(f"{model.name} has no pair of other programs or GPUs to learn from")
        return model.trained(cases.kernels, cases.sources, cases.targets, cases.time_s_measured)
    if isinstance(model, Hybrid):
        physics = train_model(model.physics, cases)
        assert isinstance(physics, Mechanistic)
        return Hybrid(physics, learn(samples_of(cases, physics)) if len(cases) else nothing_learned())
    if isinstance(model, Mechanistic) and len(cases):
        fitted = dataclasses.replace(model, constants=fit(cases))
        return dataclasses.replace(fitted, intervals=table_of(errors_of(cases, fitted)))
    return model


def all_sources(
    experiment: Callable[[Cases, Model], Outcome], cases: Cases, model: Model
) -> tuple[Outcome, Cases, str]:
    """Each work on each GPU from all other GPUs together: one row per work and target, its first pair, a remark.

    experiment : what is held out in the forecasts of the pairs.
    """
    outcome = experiment(cases, model)
    combined = combined_outcome(cases, outcome)
    return (
        combined.whole,
        cases.select(combined.first),
        beside_single_sources(outcome, combined.whole, combined.narrowest),
    )


TOGETHER = {"all-sources": pairs_experiment, "all-sources-new-gpu": folds_new_gpu_experiment}
"""Experiments in which all other GPUs forecast one, and what is held out in their forecasts."""

EXPERIMENTS: dict[str, Callable[[Cases, Model], Outcome]] = {
    "pairs": pairs_experiment,
    "folds": folds_experiment,
    "folds-new-gpu": folds_new_gpu_experiment,
}


def run_experiment(  # noqa: PLR0913 - what users may say of a score, by keyword
    name: str, kernels: KernelTable, model: str, experiment: str = "pairs", *, screened: bool = False,
    floors: bool = False, cache: str = "auto", conditions: str = PROFILED, without: Collection[str] = (),
) -> Result:  # fmt: skip
    """Score a model on a table.

    name : of the data set. screened : leave out what :func:`screen` finds. floors : give the shortest time of
    each GPU (of each kernel on it, where many configurations were measured) as its launch floor. cache,
    conditions : as ``roofcast forecast`` takes them; by default those that the pairs were measured under. without :
    steps of preparation that are left out.

    Raises
    ------
    RoofcastError : an unknown model. DatasetError : an unknown experiment, or no pairs.
    """
    chosen = EXPERIMENTS.get(experiment)
    if chosen is None and experiment not in TOGETHER:
        known = ", ".join((*EXPERIMENTS, *TOGETHER, *REPORT_EXPERIMENTS))
        raise DatasetError(f"unknown experiment {experiment!r} for {name}: use one of {known}")
    keep = sound_rows(kernels) if screened else None
    given = measured_floors(kernels) if floors else None
    cases = cases_of(name, kernels, accepted=keep, floors=given, cache=cache, conditions=conditions, without=without)
    if not len(cases):
        raise DatasetError(f"{name}: no kernel and configuration was measured on two GPUs that the catalog knows")
    if chosen is None:
        outcome, cases, remark = all_sources(TOGETHER[experiment], cases, load_model(model))
        return Result(name, experiment, model, tuple(scores_of(outcome)), outcome, cases, (remark,))
    outcome = chosen(cases, load_model(model))
    return Result(name, experiment, model, tuple(scores_of(outcome)), outcome, cases)


def run_report_experiment(model: str, experiment: str) -> Result:
    """One of the cross-GPU prediction report's experiments, on its own files and GPU figures.

    Unlike the other experiments its metrics are unweighted, over pairs that have a forecast: as published.

    Raises
    ------
    DatasetError : the files are absent.
    """
    from roofcast_evaluate.datasets import folder
    from roofcast_evaluate.report_experiments import forecast_experiment, score_pairs

    outcome = forecast_experiment(folder() / "micro16" / "original", load_model(model), experiment)
    return Result("micro16", experiment, model, (score_pairs(outcome),), outcome)
