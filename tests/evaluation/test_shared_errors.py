"""How much of their error kernels share: the estimate, and what the constant of totals rests on."""

from __future__ import annotations

import numpy as np
import pytest

from roofcast.core.launch_totals import SHARED_ERROR, find_ends
from roofcast.evaluation.cases import cases_of
from roofcast.evaluation.datasets import load
from roofcast.evaluation.screening import accepted, screen
from roofcast.evaluation.shared_errors import DATASET, correlate, measure
from roofcast.models.physics.model import Mechanistic


@pytest.mark.parametrize("shared", [0.0, 0.3, 0.8])
def test_the_share_that_was_put_in_is_found(shared: float) -> None:
    random = np.random.default_rng(1)
    group = np.repeat(np.arange(4000), 5)
    error = np.sqrt(shared) * random.normal(size=4000)[group] + np.sqrt(1 - shared) * random.normal(size=len(group))
    assert correlate(error, group)[0] == pytest.approx(shared, abs=0.03)


def test_a_sum_with_that_share_is_covered() -> None:
    random = np.random.default_rng(2)
    hits = []
    for _ in range(4000):
        error = np.sqrt(SHARED_ERROR) * random.normal() + np.sqrt(1 - SHARED_ERROR) * random.normal(size=8)
        time = np.full(8, 1.0)
        low, high = find_ends(time, time - 0.1645, time + 0.1645)
        hits.append(low <= float((time + 0.1 * error).sum()) <= high)
    assert np.mean(hits) == pytest.approx(0.9, abs=0.015)


def test_the_constant_is_what_the_data_say(data_dir: object) -> None:
    kernels = load(DATASET)[1]
    found = measure(cases_of(DATASET, kernels, accepted=accepted(kernels, screen(kernels))).forecast(Mechanistic()))
    assert found.within_program == pytest.approx(SHARED_ERROR, abs=0.08)
    assert abs(found.between_programs) < 0.1
    assert found.total_coverage[SHARED_ERROR] > found.kernel_coverage - 0.05
    assert found.total_coverage[0.0] < found.total_coverage[SHARED_ERROR] < found.total_coverage[1.0]
