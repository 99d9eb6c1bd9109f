"""Measured operators composed into layers: ``python -m roofcast.evaluation.layers`` prints errors and coverage.

A layer is a handful of operators of random sizes that were measured on both GPUs. Its forecast is the sum, its interval
that of applications: errors of one kind go together, kinds are independent. ``--floors`` gives launch floors.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from roofcast.core.launch_totals import find_ends
from roofcast.evaluation.cases import cases_of
from roofcast.evaluation.datasets import load
from roofcast.evaluation.floors import measured_floors
from roofcast.evaluation.operators import PAIRS, TOGETHER, sample_cases
from roofcast.evaluation.scores import Outcome, by_gpu_pair
from roofcast.kit.quantities import format_percent
from roofcast.models.base import Model
from roofcast.models.physics.model import Mechanistic

LAYERS: Mapping[str, Mapping[str, int]] = {
    "neusight": {"torch/linear": 4, "torch/bmm": 2, "torch/softmax": 1, "torch/ln": 2, "torch/element-wise": 4},
    "llmcompass": {"llmcompass/matmul": 6, "llmcompass/softmax": 1, "llmcompass/layernorm": 2, "llmcompass/gelu": 1},
}
"""Operators of a transformer layer, and how many of each."""
COUNT = 200
"""Layers per directed pair of GPUs."""


@dataclass(frozen=True)
class LayerScore:
    """How layers of one directed pair of GPUs were forecast."""

    source: str
    target: str
    error: float
    """Mean absolute error over the measured time."""
    ratio: float
    """Median of forecast over measured."""
    covered: float
    """Share of layers whose measured time is in the interval."""
    operators_error: float
    """Mean absolute error of the operators that they are made of."""


def composed(outcome: Outcome, recipe: Mapping[str, int], count: int, seed: int = 0) -> LayerScore | None:
    """Layers of random operators of one directed pair of GPUs; None where an operator is missing."""
    random = np.random.default_rng(seed)
    kind = np.array([TOGETHER.get(str(k), str(k)) for k in outcome.kernel])
    rows = {name: np.flatnonzero((kind == name) & np.isfinite(outcome.time_s)) for name in recipe}
    if any(len(found) == 0 for found in rows.values()):
        return None
    errors, ratios, covered, single = [], [], [], []
    for _ in range(count):
        chosen = np.concatenate([random.choice(rows[name], number) for name, number in recipe.items()])
        kinds = np.repeat(np.arange(len(recipe)), list(recipe.values()))
        time, measured = outcome.time_s[chosen], float(outcome.time_s_measured[chosen].sum())
        single += (np.abs(time / outcome.time_s_measured[chosen] - 1.0)).tolist()
        total = float(time.sum())
        low, high = find_ends(time, outcome.time_low_s[chosen], outcome.time_high_s[chosen], kinds)
        errors.append(abs(total / measured - 1.0))
        ratios.append(total / measured)
        covered.append(low <= measured <= high)
    return LayerScore(
        str(outcome.source_gpu[0]), str(outcome.target_gpu[0]), float(np.mean(errors)), float(np.median(ratios)),
        float(np.mean(covered)), float(np.mean(single)),
    )  # fmt: skip


def scores(name: str, model: Model, count: int = COUNT, *, floors: bool = False) -> Iterator[LayerScore]:
    """Scores of the layers of a data set, pair by pair."""
    _, kernels = load(name)
    cases = sample_cases(cases_of(name, kernels, floors=measured_floors(kernels) if floors else None), PAIRS)
    for pair in by_gpu_pair(cases.forecast(model)):
        found = composed(pair, LAYERS[name], count)
        if found is not None:
            yield found


if __name__ == "__main__":
    for dataset in [a for a in sys.argv[1:] if a in LAYERS] or LAYERS:
        for s in scores(dataset, Mechanistic(), floors="--floors" in sys.argv[1:]):
            error, covered, alone = (f"{format_percent(v, 1):>7}" for v in (s.error, s.covered, s.operators_error))
            sys.stdout.write(
                f"{dataset:11} {s.source:20} {s.target:20} layers {error}  ratio {s.ratio:4.2f}  "
                f"covered {covered}  operators {alone}\n"
            )
            sys.stdout.flush()
