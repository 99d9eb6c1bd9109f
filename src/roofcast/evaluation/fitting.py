"""Fit constants to training pairs, the model's and those of library operators: a pull towards the prior, robust loss.

There is no randomness in it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np

from roofcast.evaluation.cases import Cases
from roofcast.evaluation.scores import kernel_weights
from roofcast.models.operators.levels import LibraryConstants
from roofcast.models.physics.cause import Constants
from roofcast.models.physics.constants import BOUNDS, PRIOR
from roofcast.models.physics.model import Mechanistic

PULL = 0.03
"""Loss of a constant that is a factor e from its prior: as much as 3 % of mean log error. Weaker pulls fit the training
programs better and new programs worse (docs/accuracy.md)."""

SOFTENING = 0.05
"""Log errors below this count about quadratically."""

ROUNDS = 6

PAIRS_MOST = 4000
"""Training pairs, evenly spread over the table: more of the same programs take longer and say nothing new."""


def pair_weights(cases: Cases) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """(p,) weights: every directed pair of GPUs the same, and every kernel in it."""
    key = (cases.source_gpu + "\x00" + cases.target_gpu).astype(str)
    weights = np.zeros(len(cases))
    names = np.unique(key)
    kernel = cases.kernels.strings("kernel")
    for name in names:
        rows = key == name
        weights[rows] = kernel_weights(kernel[rows]) / len(names)
    return weights


def loss_of(cases: Cases, without: Collection[str] = ()) -> Callable[[Constants], float]:
    """Mean softened log error of the training pairs as a function of the constants."""
    weights = pair_weights(cases)
    measured = cases.time_s_measured

    def loss(constants: Constants) -> float:
        forecast = cases.forecast(Mechanistic(constants, without)).time_s
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.log(forecast / measured)
        error = np.where(np.isfinite(error), error, 1.0)
        return float(np.sum(weights * np.sqrt(error**2 + SOFTENING**2)))

    return loss


def fit(cases: Cases, start: Constants = PRIOR, *, pull: float = PULL, rounds: int = ROUNDS) -> Constants:
    """Constants that suit training pairs, by coordinate search with growing and shrinking steps.

    Deterministic: the same pairs give the same constants bit for bit.
    """
    every = np.zeros(len(cases), np.bool_)
    every[:: max(1, -(-len(cases) // PAIRS_MOST))] = True
    loss = loss_of(cases.select(every))

    def total(c: Constants) -> float:
        return loss(c) + pull * sum(math.log(getattr(c, n) / getattr(PRIOR, n)) ** 2 for n in BOUNDS)

    best, found = start, total(start)
    steps = dict.fromkeys(BOUNDS, 0.3)
    for _ in range(rounds):
        for name, (low, high) in BOUNDS.items():
            before = found
            for factor in (1 + steps[name], 1 / (1 + steps[name])):
                value = min(max(getattr(best, name) * factor, low), high)
                tried = best.replace(**{name: value})
                if value != getattr(best, name) and (score := total(tried)) < found - 1e-7:
                    best, found = tried, score
                    break
            steps[name] *= 1.3 if found < before else 0.6
    return best


LIBRARY_ROUNDS = 4
LIBRARY_PAIRS_MOST = 6000

Path = tuple[str, ...]


def paths(constants: LibraryConstants) -> Iterator[Path]:
    """Names of all numbers that can be fitted."""
    for outer in dataclasses.fields(constants):
        value = getattr(constants, outer.name)
        if isinstance(value, float):
            yield (outer.name,)
        else:
            yield from (
                (outer.name, f.name) for f in dataclasses.fields(value) if isinstance(getattr(value, f.name), float)
            )


def value_at(constants: LibraryConstants, path: Path) -> float:
    """One of the numbers."""
    found = constants
    for name in path:
        found = getattr(found, name)
    assert isinstance(found, float)
    return found


def change_constant(constants: LibraryConstants, path: Path, value: float) -> LibraryConstants:
    """A copy with one number changed."""
    if len(path) == 1:
        changes: dict[str, Any] = {path[0]: value}
    else:
        changes = {path[0]: dataclasses.replace(getattr(constants, path[0]), **{path[1]: value})}
    return dataclasses.replace(constants, **changes)


def fit_library(cases: Cases, model: Mechanistic, *, pull: float = PULL, rounds: int = LIBRARY_ROUNDS) -> Mechanistic:
    """The model with constants of library operators that suit training pairs.

    Coordinate search; deterministic. Constants that no training pair needs stay as they are.
    """
    every = np.zeros(len(cases), np.bool_)
    every[:: max(1, -(-len(cases) // LIBRARY_PAIRS_MOST))] = True
    cases = cases.select(every)
    weights, start = pair_weights(cases), model.library

    def total(c: LibraryConstants) -> float:
        forecast = cases.forecast(dataclasses.replace(model, library=c)).time_s
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.log(forecast / cases.time_s_measured)
        error = np.where(np.isfinite(error), error, 1.0)
        away = sum(math.log(value_at(c, p) / value_at(start, p)) ** 2 for p in steps)
        return float(np.sum(weights * np.sqrt(error**2 + SOFTENING**2))) + pull * away

    steps = dict.fromkeys(paths(start), 0.3)
    best, found = start, total(start)
    idle = found + pull * math.log(2.0) ** 2
    steps = {p: s for p, s in steps.items() if total(change_constant(start, p, 2.0 * value_at(start, p))) != idle}
    for _ in range(rounds):
        for path in steps:
            before = found
            for factor in (1 + steps[path], 1 / (1 + steps[path])):
                tried = change_constant(best, path, min(value_at(best, path) * factor, highest(path)))
                if (score := total(tried)) < found - 1e-7:
                    best, found = tried, score
                    break
            steps[path] *= 1.3 if found < before else 0.5
    return dataclasses.replace(model, library=best)


def highest(path: Path) -> float:
    """Shares do not exceed 1."""
    return 1.0 if path[-1] in ("sharpness", "kept", "floor_share", "experts_share", "experts_kept") else math.inf
