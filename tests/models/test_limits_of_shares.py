"""Shares and hits at their limits, held to what their docstrings say of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from roofcast.catalog import gpu
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines
from roofcast.core.resource import Resource
from roofcast.forecasting.forecast import forecast
from roofcast.models.learned.residual import CLOSE, SAME_ARCHITECTURE, apartness
from roofcast.models.physics.causes.reuse import hits_at_capacity
from roofcast.models.physics.unexplained import slowest_share

SOLD = ("A100 SXM4 40GB", "A100 SXM4 80GB", "H100 SXM5 80GB", "V100 SXM2 32GB", "L40S", "MI300X", "RTX 3080")


def column(*values: float) -> FloatArray:
    return np.array(values)[:, None]


def test_the_slowest_roof_is_the_most_that_any_takes_and_none_is_0() -> None:
    execution = column(1.0, 4.0, 2.0, np.nan)
    dram, fp64 = column(0.25, 1.0, np.nan, 1.0), column(0.75, 0.5, np.nan, 1.0)
    for roofs in ({Resource.BYTES_DRAM: dram, Resource.FLOPS_FP64: fp64},
                  {Resource.FLOPS_FP64: fp64, Resource.BYTES_DRAM: dram}):  # fmt: skip
        assert slowest_share(roofs, execution)[:, 0].tolist() == [0.75, 0.25, 0.0, 0.0]
    assert slowest_share({}, execution)[:, 0].tolist() == [0.0] * 4


@pytest.mark.parametrize("reuse", [0.0, 0.065, 0.5, 2.0])
def test_hits_grow_with_capacity_and_stay_shares(reuse: float) -> None:
    hits = np.linspace(0.0, 1.0, 21)[:, None]
    ratios = np.geomspace(1e-4, 1e4, 33)[None, :]
    found = hits_at_capacity(hits, ratios, reuse)
    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found, axis=1) >= 0).all()
    assert (np.diff(found, axis=0) >= 0).all()
    # The capacity of the profile, or one that nobody knows: the hits of the profile.
    assert hits_at_capacity(hits[:, 0], np.ones(21), reuse) == pytest.approx(hits[:, 0])
    assert hits_at_capacity(hits[:, 0], np.full(21, np.nan), reuse) == pytest.approx(hits[:, 0])
    # Without room nothing hits.
    none = 0.0 if reuse else 0.5
    assert hits_at_capacity(np.array([0.5]), np.array([1e-300]), reuse) == pytest.approx([none])
    # Of the misses a larger cache saves half at most, and what never missed keeps hitting.
    assert hits_at_capacity(np.array([0.5, 1.0]), np.array([1e300, 1e300]), 2.0) == pytest.approx([0.75, 1.0])


def test_gpus_part_by_the_ratios_of_what_they_supply() -> None:
    gpus = [gpu(name) for name in SOLD]
    machines = Machines.of(gpus, np.arange(len(gpus)))
    here, there = (machines.cells(i, np.zeros(())) for i in (machines.index[:, None], machines.index))
    found = apartness(here, there)
    assert np.diag(found).tolist() == [0.0] * len(gpus)
    assert found == pytest.approx(found.T)
    for (i, a), (j, b) in itertools.permutations(enumerate(gpus), 2):
        ratios = [a.rate(r) / b.rate(r) for r in (Resource.BYTES_DRAM, Resource.BYTES_L2)]
        ratios.append(a.sm_count * a.clock_hz_boost / (b.sm_count * b.clock_hz_boost))
        r = np.sqrt(np.mean(np.square(np.log(ratios))))
        most = SAME_ARCHITECTURE if a.architecture == b.architecture else 1.0
        assert found[i, j] == pytest.approx(most * (1 - np.exp(-r / CLOSE)), rel=1e-3)


def test_operands_that_the_grid_refutes_explain_nothing_where_no_grid_is_known() -> None:
    """Two loads per multiply-add fit the time of all SMs, not of the few that 121 blocks fill."""
    amounts = {"time_s": 0.0177, "flops_fp32": 97.5e9, "block_threads": 64.0, "regs_per_thread": 35.0}
    widths = []
    for more in ({"grid_blocks": 121.0}, {}):
        numeric = {name: ([value], Origin.COUNTED) for name, value in {**amounts, **more}.items()}
        table = KernelTable.from_columns({"kernel": ["k"], "gpu": ["A100 SXM4 40GB"]}, numeric)
        found = forecast(table, to="RTX 4090").estimate
        widths.append(float(found.time_high_s[0, 0] / found.time_low_s[0, 0]))
    assert widths[1] > widths[0]
