from __future__ import annotations

import math

import numpy as np
import pytest

from roofcast.core.errors import CatalogEntryError
from roofcast.core.machines import Machines
from roofcast.core.processor import Domain, Kind, Processor, Supply
from roofcast.core.resource import Resource


def processor() -> Processor:
    return Processor(
        key="test", name="Test GPU", vendor="T", architecture="sm_80", sm_count=100, warp_size=32, clock_hz_boost=2e9,
        supplies={
            Resource.FLOPS_FP32: Supply(10e12, Kind.MEASURED, "here", 0.02, 11e12, Domain.SM, 2e9),
            Resource.BYTES_DRAM: Supply(1e12, Kind.ESTIMATED, "class", 0.1, 1.2e12, Domain.MEMORY, None, False),
        },
        variants={"bytes_dram:read": Supply(1.1e12, Kind.MEASURED, "here", 0.02, 1.2e12, Domain.MEMORY, None, False)},
    )  # fmt: skip


def test_sm_supplies_follow_the_clock_and_dram_does_not() -> None:
    p = processor()
    assert p.rate(Resource.FLOPS_FP32, 1e9) == 5e12
    assert p.rate(Resource.BYTES_DRAM, 1e9) == 1e12
    assert p.rate(Resource.BYTES_DRAM, variant="read") == 1.1e12
    assert p.rate(Resource.BYTES_DRAM, variant="copy") == 1e12
    assert math.isnan(p.rate(Resource.BYTES_L2))


def test_replacing_sms_and_clock_moves_what_follows_them() -> None:
    bigger = processor().replace(sm_count=150, clock_hz_boost=1e9)
    assert bigger.rate(Resource.FLOPS_FP32) == pytest.approx(10e12 * 1.5 / 2)
    assert bigger.rate(Resource.BYTES_DRAM) == 1e12
    assert bigger.facts["sm_count"].kind is Kind.USER


def test_replacing_a_supply_moves_its_variants() -> None:
    faster = processor().replace(bytes_per_s_dram=2e12, name="faster")
    assert faster.rate(Resource.BYTES_DRAM) == 2e12
    assert faster.rate(Resource.BYTES_DRAM, variant="read") == pytest.approx(2.2e12)
    assert faster.name == "faster"


def test_replace_can_add_a_supply_that_the_catalog_lacks() -> None:
    assert processor().replace(bytes_per_s_l2=5e12).rate(Resource.BYTES_L2, 1e9) == 2.5e12


@pytest.mark.parametrize("changes", [{"bandwidth": 1.0}, {"sm_count": 0}, {"bytes_per_s_dram": float("nan")}])
def test_a_bad_replacement_names_the_field(changes: dict[str, float]) -> None:
    with pytest.raises(CatalogEntryError, match=next(iter(changes))):
        processor().replace(**changes)


def test_machines_spread_processors_over_cells() -> None:
    a, b = processor(), processor().replace(bytes_per_s_dram=3e12)
    machines = Machines.of([a, b], np.array([0, 1, -1, 0]), np.array([2e9, 2e9, 2e9, 1e9]))
    np.testing.assert_array_equal(machines.rate(Resource.BYTES_DRAM), [1e12, 3e12, np.nan, 1e12])
    np.testing.assert_array_equal(machines.rate(Resource.FLOPS_FP32), [10e12, 10e12, np.nan, 5e12])


@pytest.mark.parametrize("name", ["H100 SXM5 80GB", "A10", "L4", "V100"])
def test_a_supply_that_a_user_raises_is_never_below_what_it_was(name: str) -> None:
    """Sustained and peak rates grow together: else 5 % more of a sustained rate would be a lower peak."""
    import roofcast

    gpu = roofcast.gpu(name)
    for resource, supply in gpu.supplies.items():
        for factor in (1.0, 1.02, 1.5):
            made = gpu.replace(**{resource.supply: gpu.rate(resource) * factor}).supplies[resource]
            assert made.per_s >= supply.at_clock(gpu.clock_hz_boost) * factor * (1 - 1e-12)
            assert (made.peak_per_s or 0.0) >= (supply.peak_per_s or 0.0) * factor * (1 - 1e-12), resource
