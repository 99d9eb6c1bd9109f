"""Shrinkage of nested levels, against the same posterior by one dense matrix."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from roofcast.formulas.shrinkage import Shares, learn_levels, mix_beliefs

SHARES = Shares(0.2, 0.15, 0.25, 6.0)
GROUP_OF = np.array([0, 0, 1, 1, 1, 2])


def measured(seed: int, n: int = 40) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
    random = np.random.default_rng(seed)
    member = np.r_[np.arange(6), random.integers(0, 6, n - 6)]
    error = random.normal(size=6)[member] + 0.3 + random.normal(size=n) * 0.5
    return error, GROUP_OF[member], member


def covariance(
    one: tuple[NDArray[np.intp], NDArray[np.intp]], other: tuple[NDArray[np.intp], NDArray[np.intp]]
) -> NDArray[np.float64]:
    """Of two sets of errors over the scale, without what each has for itself."""
    (g, m), (h, k) = one, other
    same_group, same_member = g[:, None] == h, (m[:, None] == k) & (m[:, None] >= 0)
    return np.asarray(SHARES.whole + SHARES.group * same_group + SHARES.member * same_member)


@pytest.mark.parametrize("seed", range(5))
def test_levels_are_those_of_the_dense_posterior(seed: int) -> None:
    error, group, member = measured(seed)
    wanted_group, wanted_member = np.array([0, 1, 2, 9, 1]), np.array([0, -1, 5, -1, 3])
    dense = covariance((group, member), (group, member)) + SHARES.own * np.eye(len(error))
    across = covariance((wanted_group, wanted_member), (group, member))
    solved = np.linalg.solve(dense, across.T)
    total = SHARES.weight + error @ np.linalg.solve(dense, error)
    scale = total / (SHARES.weight + len(error))
    variance = 1.0 - np.einsum("ij,ji->i", across, solved)
    found = learn_levels(error, group, member, SHARES)
    seen = np.where(wanted_group < 3, wanted_group, -1)
    mean, deviation = found.predict(seen, wanted_member)
    np.testing.assert_allclose(mean, error @ solved, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(deviation, np.sqrt(scale * variance), rtol=1e-9)
    evidence = -0.5 * np.linalg.slogdet(dense)[1] - 0.5 * (6.0 + len(error)) * np.log(total / 6.0)
    assert found.log_evidence == pytest.approx(evidence)


def test_nothing_measured_moves_nothing() -> None:
    nothing = np.zeros(0, np.intp)
    found = mix_beliefs(np.zeros(0), nothing, nothing, {SHARES: 0.5, Shares(0.02, 0.02, 0.02, 8.0): 0.5})
    mean, deviation = found.predict(np.array([-1, -1]), np.array([-1, -1]))
    assert mean.tolist() == [0.0, 0.0]
    np.testing.assert_allclose(deviation, 1.0)


def test_levels_are_exact_in_the_limit_and_so_are_widths() -> None:
    random = np.random.default_rng(0)
    member = np.arange(4000)
    error = 0.7 + 0.2 * random.normal(size=4000)
    found = mix_beliefs(error, member % 3, member, {SHARES: 0.5, Shares(0.35, 0.3, 0.05, 8.0): 0.5})
    mean, deviation = found.predict(np.array([1]), np.array([-1]))
    assert mean[0] == pytest.approx(0.7, abs=0.02)
    assert deviation[0] == pytest.approx(0.2, rel=0.06)


@pytest.mark.parametrize("count", [1, 3, 10, 100])
def test_pairs_are_never_worse_in_expectation(count: int) -> None:
    """Where errors are as believed, the mean square error after measurements is below that before."""
    random = np.random.default_rng(1)
    before, after = [], []
    for _ in range(600):
        group_level, whole = random.normal(size=3) * np.sqrt(SHARES.group), random.normal() * np.sqrt(SHARES.whole)
        own = np.sqrt(SHARES.member + SHARES.own)
        group = random.integers(0, 3, count + 1)
        error = whole + group_level[group] + own * random.normal(size=count + 1)
        found = learn_levels(error[:-1], group[:-1], np.arange(count), SHARES)
        seen = np.where(np.isin(group[-1:], group[:-1]), group[-1:], -1)
        mean, _ = found.predict(seen, np.array([-1]))
        before.append(error[-1] ** 2)
        after.append((error[-1] - mean[0]) ** 2)
    assert np.mean(after) < np.mean(before)
