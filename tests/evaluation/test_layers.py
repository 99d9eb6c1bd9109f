"""Layers made of measured operators: sums, intervals as applications have them."""

from __future__ import annotations

import numpy as np

from roofcast.evaluation.layers import composed
from roofcast.evaluation.scores import Outcome

RECIPE = {"torch/linear": 3, "torch/softmax": 1}


def outcome(ratio: float, spread: float = 1.5) -> Outcome:
    """Forecasts that are all off by one factor."""
    kernel = np.array(["torch/linear"] * 20 + ["torch/softmax"] * 20, dtype=np.object_)
    measured = np.geomspace(1e-4, 1e-2, 40)
    gpu = np.full(40, "A", dtype=np.object_)
    time = measured * ratio
    limit = np.full(40, "", dtype=np.object_)
    return Outcome(kernel, gpu, gpu, measured, time, time / spread, time * spread, measured, limit)


def test_a_common_factor_stays_and_is_covered_while_it_is_small() -> None:
    exact, slow = composed(outcome(1.0), RECIPE, 50), composed(outcome(2.0), RECIPE, 50)
    assert exact is not None
    assert slow is not None
    assert exact.error < 1e-12
    assert exact.covered == 1.0
    assert abs(slow.error - 1.0) < 1e-9
    assert abs(slow.ratio - 2.0) < 1e-9
    assert slow.covered == 0.0


def test_layers_need_all_of_their_operators() -> None:
    assert composed(outcome(1.0), {**RECIPE, "torch/bmm": 1}, 5) is None
