"""A kernel's forecast does not depend on the kernels beside it, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from roofcast.catalog import find
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable, concatenate
from roofcast.core.machines import Machines
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.models.registry import load_model
from sweep_builders import a_table

SOURCE = "A100-SXM4-40GB"
TARGETS = ("H100 SXM5 80GB", "RTX 3080", "MI300X", "T4", "GTX 980", "Arc A770")
EVIDENCE = ("stalls", "counters", "analytic", "time")


def a_mix() -> KernelTable:
    """Kernels of all kinds of evidence, some with L2 bytes and some without."""
    known = [a_table(evidence, 6, seed) for seed, evidence in enumerate(EVIDENCE)]
    asked = KernelTable.from_columns(
        {"kernel": ["asked", "for"]},
        {
            name: (np.array(v), Origin.DERIVED)
            for name, v in {"time_s": (1e-3, 2e-4), "bytes_compulsory": (1e8, 3e8)}.items()
        },
    )
    return concatenate([*known, asked])


@pytest.mark.slow
@pytest.mark.parametrize("model", ["mechanistic", "hybrid", "van_lanker"])
def test_neighbours_change_no_bit(model: str) -> None:
    table, engine = a_mix(), load_model(model)
    targets = Machines.of([find(t).processor for t in TARGETS], np.arange(len(TARGETS))[None, :])

    def estimate(rows: np.ndarray) -> np.ndarray:
        here = Machines.of([find(SOURCE).processor], np.zeros(len(rows), np.intp))
        found = engine.estimate(table.select(rows), here, targets, Conditions())
        return np.stack([found.time_s, found.time_low_s, found.time_high_s])

    rows = np.arange(len(table))
    together = estimate(rows)
    assert np.isfinite(together).any()
    assert (~np.isnan(table.column(Resource.BYTES_L2.value))).any()
    assert np.isnan(table.column(Resource.BYTES_L2.value)).any()
    for part in (*np.split(rows, len(rows)), rows[:7], rows[5:], rows[::3]):
        np.testing.assert_array_equal(estimate(part), together[:, part])
