"""Pareto fronts against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofcast.sweeps.pareto import pareto_front


def by_definition(first: np.ndarray, second: np.ndarray) -> set[tuple[float, float]]:
    points = [p for p in zip(first.tolist(), second.tolist(), strict=True) if np.isfinite(p).all()]
    return {p for p in points if not any(q[0] <= p[0] and q[1] <= p[1] and q != p for q in points)}


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from([1.0, 2.0, 3.0, np.nan, np.inf]), st.floats(-2, 2)), max_size=30))
def test_small_fronts(points: list[tuple[float, float]]) -> None:
    first, second = np.array(points, dtype=np.float64).reshape(-1, 2).T
    found = pareto_front(first, second)
    assert {(first[i], second[i]) for i in found} == by_definition(first, second)
    assert len(found) == len(set(found.tolist()))


@pytest.mark.parametrize("seed", range(4))
def test_large_fronts_keep_what_sorting_everything_keeps(seed: int) -> None:
    draw = np.random.default_rng(seed)
    first, second = draw.lognormal(size=(2, 5000))
    second = np.round(second, 1) - (2.0 if seed == 3 else 0.0)
    order = np.lexsort((first, second))
    before = np.concatenate([[np.inf], np.minimum.accumulate(first[order])[:-1]])
    np.testing.assert_array_equal(pareto_front(first, second), order[first[order] < before])
