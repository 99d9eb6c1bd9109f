"""Fit constants of the model to training pairs: a pull towards the prior, robust loss.

There is no randomness in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection

import numpy as np

from roofcast.core.absent import quietly
from roofcast.models.physics.cause import Constants
from roofcast.models.physics.constants import BOUNDS, PRIOR
from roofcast.models.physics.model import Mechanistic
from roofcast_evaluate.cases import Cases

PULL = 0.03
"""Loss of a constant that is a factor e from its prior: as much as 3 % of mean log error. Weaker pulls fit the training
programs better and new programs worse (docs/accuracy.md)."""

SOFTENING = 0.05
"""Log errors below this count about quadratically."""

ROUNDS = 6
"""Passes over all constants; a constant that gains nothing is tried with a shorter step in the next one."""

PAIRS_MOST = 4000
"""Training pairs, evenly spread over the table: more of the same programs take longer and say nothing new."""


def loss_of(cases: Cases, without: Collection[str] = ()) -> Callable[[Constants], float]:
    """Mean softened log error of the training pairs as a function of the constants."""
    weights = cases.weights
    measured = cases.time_s_measured

    def loss(constants: Constants) -> float:
        forecast = cases.forecast(Mechanistic(constants, without)).time_s
        with quietly():
            error = np.log(forecast / measured)
        error = np.where(np.isfinite(error), error, 1.0)
        return float(np.sum(weights * np.sqrt(error**2 + SOFTENING**2)))

    return loss


def fit(
    cases: Cases, start: Constants = PRIOR, *, pull: float = PULL, rounds: int = ROUNDS, names: Collection[str] = BOUNDS
) -> Constants:
    """Constants that suit training pairs, by coordinate search with growing and shrinking steps.

    Deterministic: the same pairs give the same constants bit for bit. names : of those that may change.
    """
    loss = loss_of(cases.thin(PAIRS_MOST))

    def total(c: Constants) -> float:
        return loss(c) + pull * sum(math.log(getattr(c, n) / getattr(PRIOR, n)) ** 2 for n in BOUNDS)

    best, least = start, total(start)
    bounds = {name: ends for name, ends in BOUNDS.items() if name in names}
    steps = dict.fromkeys(bounds, 0.3)
    for _ in range(rounds):
        for name, (low, high) in bounds.items():
            before = least
            for factor in (1 + steps[name], 1 / (1 + steps[name])):
                value = min(max(getattr(best, name) * factor, low), high)
                tried = best.replace(**{name: value})
                if value != getattr(best, name) and (score := total(tried)) < least - 1e-7:
                    best, least = tried, score
                    break
            steps[name] *= 1.3 if least < before else 0.6
    return best
