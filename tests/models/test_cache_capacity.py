"""The share of the bytes that DRAM serves falls where a cache holds the working set."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from cause_builders import DRAM, STALLS, gpu, ratio
from model_builders import processor
from roofcast.core.columns import Origin
from roofcast.core.processor import Processor
from roofcast.models.physics.causes.cache import miss_fraction

SETS = (2.4e6, 24e6, 240e6)
ROW = {"time_s": 1e-2, "bytes_dram": 7e9, "bytes_l2": 2e10, "l2_hit_fraction": 0.65, "grid_blocks": 1e5,
       "block_threads": 256.0} | STALLS  # fmt: skip
LARGE, SMALL = gpu("target", l2_bytes=40 << 20), gpu("target", l2_bytes=1 << 20)


def test_a_cache_keeps_what_it_holds() -> None:
    found = miss_fraction(np.array([1e6, 3.6e7, 4.2e7, 1e9, np.nan]), 40e6)
    np.testing.assert_allclose(found, [0, 0, 0.5, 1, np.nan])


@pytest.mark.parametrize(
    ("origin", "target"), [(Origin.COUNTED, LARGE), (Origin.COUNTED, SMALL), (Origin.DERIVED, LARGE)]
)
def test_every_working_set_has_a_time_of_its_own_on_another_cache(origin: Origin, target: Processor) -> None:
    row = ROW if origin is Origin.COUNTED else {k: ROW[k] for k in ("time_s", "bytes_dram", "grid_blocks")}
    found = [ratio(row | {"working_set_bytes": w}, gpu(), target, origin=origin) for w in SETS]
    apart = np.abs(np.log(np.divide.outer(found, found)))[np.triu_indices(3, 1)]
    assert (apart > 0.02).all(), found


def test_counted_bytes_grow_where_the_cache_shrinks_and_fall_where_it_grows() -> None:
    stated = ROW | {"working_set_bytes": 24e6}
    sizes = [ratio(stated, gpu(), gpu("target", l2_bytes=c << 20)) for c in (1, 2, 5, 10, 40, 400)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[2] == pytest.approx(1.0, rel=1e-6)
    assert ratio(ROW, gpu(), LARGE, "reuse") == pytest.approx(1.0, rel=1e-6), "no working set is stated"


def test_an_unknown_capacity_keeps_everything_in_dram() -> None:
    unknown = dataclasses.replace(processor("p", {DRAM: 1e12}), latency_cycles_l2=200.0, latency_cycles_dram=600.0)
    for origin in (Origin.COUNTED, Origin.DERIVED):
        row = {"time_s": 1e-2, "bytes_dram": 7e9, "working_set_bytes": 1e6}
        assert ratio(row, gpu(), unknown, origin=origin) == pytest.approx(
            ratio(row, gpu(), unknown, "cache", origin=origin)
        )
