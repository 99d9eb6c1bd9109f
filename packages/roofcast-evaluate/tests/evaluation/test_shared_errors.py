"""How much of their error kernels share: the estimate, and what the constant of totals rests on."""

from __future__ import annotations

import numpy as np
import pytest
from teaching.shared_errors import DATASET, correlate, correlate_targets, measure

import roofcast
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.core.launch_totals import SHARED_ERROR, Kinship, find_ends
from roofcast.core.machines import Machines, columns_of
from roofcast.models.physics.model import Mechanistic
from roofcast_evaluate.cases import Cases, cases_of
from roofcast_evaluate.datasets import load
from roofcast_evaluate.scores import Outcome
from roofcast_evaluate.screening import accepted, screen


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


@pytest.mark.slow
def test_the_constant_is_what_the_data_say(data_dir: object) -> None:
    kernels = load(DATASET)[1]
    found = measure(cases_of(DATASET, kernels, accepted=accepted(kernels, screen(kernels))).forecast(Mechanistic()))
    assert found.within_program == pytest.approx(SHARED_ERROR, abs=0.08)
    assert abs(found.between_programs) < 0.1
    assert found.total_coverage[SHARED_ERROR] > found.kernel_coverage - 0.05
    assert found.total_coverage[0.0] < found.total_coverage[SHARED_ERROR] < found.total_coverage[1.0]


def test_the_share_between_targets_is_found() -> None:
    """Errors made with a known correlation between two targets, as intervals claim them."""
    random = np.random.default_rng(3)
    gpus = [roofcast.gpu(n) for n in ("L40S", "L40", "A100 SXM4 80GB")]
    n, common = 4000, random.normal(size=4000)
    near = np.sqrt(0.5) * common + np.sqrt(0.5) * random.normal(size=n)
    z = np.stack([0.9 * near + np.sqrt(1 - 0.81) * random.normal(size=n) for _ in range(2)] + [common])
    target = np.repeat(np.arange(3), n)
    text = np.array([f"k{i}" for i in range(n)] * 3, np.object_)
    time = np.ones(3 * n)
    outcome = Outcome(
        text, np.full(3 * n, "S", np.object_), target.astype(str).astype(np.object_), np.exp(0.1 * z.ravel()), time,
        time * np.exp(-0.16448536), time * np.exp(0.16448536),
    )  # fmt: skip
    kernels = KernelTable.from_columns(
        {"kernel": list(text)}, {"time_s": (np.tile(np.arange(n) + 1.0, 3), Origin.COUNTED)}
    )
    machines = Machines(columns_of(gpus), target[:, None], np.ones((3 * n, 1)))
    cases = Cases(kernels, machines, machines, outcome.time_s_measured, outcome.source_gpu, outcome.target_gpu, {})
    found: dict[Kinship, list[float]] = {}
    for kin, product, square, count in correlate_targets(cases, outcome):
        found.setdefault(kin, []).append(product / square)
        assert count == n
    assert found[Kinship.ARCHITECTURE] == pytest.approx([0.81], abs=0.03)
    assert found[Kinship.VENDOR] == pytest.approx([0.9 * np.sqrt(0.5)] * 2, abs=0.03)
