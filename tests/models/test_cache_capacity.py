"""The share of the bytes that DRAM serves falls where a cache holds the working set."""

from __future__ import annotations

import dataclasses

import numpy as np

from model_builders import on, processor
from roofcast.core.resource import Resource
from roofcast.models.physics.causes.cache import dram_fraction


def test_warm_working_sets_within_the_cache_need_no_dram() -> None:
    gpu = dataclasses.replace(processor("p", {Resource.BYTES_DRAM: 1e12}), capacity_bytes_l2=40_000_000)
    sets = np.array([1e6, 3.6e7, 4.2e7, 1e9, 1e6, np.nan])
    warm = np.array([1.0, 1, 1, 1, 0, 1])
    found = dram_fraction(sets, warm, on(gpu, 6))
    np.testing.assert_allclose(found, [0, 0, 0.5, 1, 1, 1])


def test_an_unknown_capacity_keeps_everything_in_dram() -> None:
    gpu = processor("p", {Resource.BYTES_DRAM: 1e12})
    assert dram_fraction(np.array([1.0]), np.array([1.0]), on(gpu, 1)).tolist() == [1.0]
