"""Seconds that stay a column times a row are those of their cells, and factors in shares are products of powers."""

from __future__ import annotations

import numpy as np
import pytest

from roofcast.core.kernel_table import FloatArray
from roofcast.core.resource import Resource
from roofcast.models.physics.carried import Carried, SecondsByResource
from roofcast.models.physics.resource_seconds import overlap_carried, overlapped_s
from roofcast.models.physics.stages import Follows, follow, geometric_mix, log_of, mix_factors

DRAW = np.random.default_rng(3)
N, M = 9, 5
FILL = DRAW.uniform(0.3, 2.0, (N, M))


def drawn(*shape: int) -> FloatArray:
    return np.asarray(10 ** DRAW.uniform(-3, 1, shape))


def some_seconds() -> SecondsByResource:
    """Carried by rows and by cells, of SMs and beside them, unused and unknown here and there; and cells."""
    unused, unknown = drawn(N, 1), drawn(1, M)
    unused[2:7], unknown[0, 1] = 0.0, np.nan
    return SecondsByResource(
        {
            Resource.FLOPS_FP32: Carried(drawn(N, 1), drawn(1, M), of_sms=True),
            Resource.FLOPS_FP64: Carried(unused, drawn(N, M), of_sms=True),
            Resource.BYTES_L1: Carried(drawn(N, 1), unknown, of_sms=True),
            Resource.ATOMICS_L2: Carried(drawn(N, 1), drawn(1, M), of_sms=False),
            Resource.BYTES_L2: drawn(N, M),
        },
        FILL,
    )


@pytest.mark.parametrize("p", [1.5, 3.3, 8.0])
def test_the_norm_of_columns_and_rows_is_that_of_their_cells(p: float) -> None:
    seconds, blocks = some_seconds(), [drawn(N, M)]
    unit_s = drawn(N, 1)
    together = overlap_carried(seconds.found, FILL, blocks, unit_s, p)
    np.testing.assert_allclose(together, overlapped_s([*seconds.values(), *blocks], p), rtol=1e-12)


def test_seconds_that_are_put_stand_there_and_the_others_keep_every_bit() -> None:
    before, moved = some_seconds(), np.zeros((N, M), np.bool_)
    moved[3], moved[5, 2] = True, True
    own = np.asarray(moved.any(axis=1, keepdims=True))
    for resource in (Resource.FLOPS_FP32, Resource.FLOPS_FP64, Resource.BYTES_L2, Resource.BYTES_SHARED):
        part = before.found.get(resource)
        old = part.source_s if isinstance(part, Carried) else np.full((N, 1), np.nan)
        here, there = drawn(N, 1), drawn(N, M)
        there[3, 0] = 0.0
        after = before.put(resource, np.where(own, here, old), own, moved, there)
        cells = before.get(resource, np.full((N, M), np.nan))
        np.testing.assert_array_equal(after[resource][~own[:, 0]], cells[~own[:, 0]])
        np.testing.assert_allclose(after[resource], np.where(moved, there, cells), rtol=1e-12)


@pytest.mark.parametrize("factor", [drawn(N, 1), drawn(N, M)])
def test_a_factor_on_a_resource_is_one_on_its_cells(factor: FloatArray) -> None:
    before = some_seconds()
    for resource in before:
        np.testing.assert_allclose(before.times(resource, factor)[resource], before[resource] * factor, rtol=1e-14)


def test_shares_of_ratios_are_their_powers() -> None:
    a, b, c = drawn(N, M), drawn(1, M), drawn(N, 1)
    u, v = DRAW.uniform(0.0, 1.0, (2, N, 1))
    u[:3], v[2:5] = 0.0, 1.0
    one = np.ones((N, 1))
    found = follow(follow([Follows(one, a)], b, u), c, v)
    wanted = geometric_mix(geometric_mix(a, b, u), c, v)
    np.testing.assert_allclose(np.exp(log_of(found)), wanted, rtol=1e-12)
    both = mix_factors([Follows(one, a)], follow([Follows(one, b)], c, u), v)
    np.testing.assert_allclose(np.exp(log_of(both)), geometric_mix(a, geometric_mix(b, c, u), v), rtol=1e-12)


def test_a_ratio_without_a_share_need_not_be_known() -> None:
    share, unknown = np.zeros((N, 1)), np.full((N, M), np.nan)
    share[4] = 0.5
    unknown[4] = 2.0
    found = log_of(follow([Follows(np.ones((N, 1)), np.ones((1, M)))], unknown, share))
    np.testing.assert_allclose(found, np.broadcast_to(np.log(2.0) * share, (N, M)))
