"""What tells the libraries of one vendor from those of another: what they usually reach.

On another vendor's GPU another library runs, written by other people. How far the source's kernel is from its model
then says little about the target's; what the vendor's libraries usually take beside the model says more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines, code_of
from roofcast.operators.kernel_names import Operation

LEVELS: Mapping[Operation, Mapping[str, float]] = {
    Operation.GEMM: {"NVIDIA": 0.87, "AMD": 1.17},
    Operation.ATTENTION: {"NVIDIA": 1.0, "AMD": 1.9},
    Operation.CONVOLUTION: {"NVIDIA": 1.22, "AMD": 1.27},
}
"""Usual time over the model's (convolutions: over the roofs).

Products on tensor pipes: medians of A100 (0.84 and 0.86), H100 (0.79), L40S (0.98), V100 (1.0 to 1.27); MI250X 1.20,
MI210 0.94 (eleuther_gemm, llmcompass, llm_ops); MI300X 1.16 [TraceLens], ten shapes of two models. Convolutions:
deepbench, V100, P100, GTX 1080 Ti against MI25 and Vega FE. Attention: three shapes of H100 and MI300X [TraceLens], 1.6
to 4 times what the roofs say; an assumption more than a fit.

[TraceLens]: operator tables of traced models in the repository AMD-AGI/TraceLens, tests/traces (MIT licence).
"""
KEPT_ACROSS: Mapping[Operation, float] = {Operation.CONVOLUTION: 0.75}
KEPT_ACROSS_MOST = 0.25
"""Part of what the source's kernel takes beside its model that another vendor's takes too: slope of one logarithm over
the other, 0.1 (V100) and 0.27 (A100) to MI250X for products, 0.7 to 0.77 for convolutions (deepbench)."""

LEAST_CYCLES = 2000.0
"""SM cycles of the smallest kernel beside its launch: three accesses to DRAM one after the other. Less than that is no
efficiency of a library."""


def vendors_differ(source: Machines, target: Machines) -> NDArray[np.bool_]:
    """(n, m) where source and target are known and of different vendors."""
    here, there = source.codes("vendor"), target.codes("vendor")
    unknown = (-1, code_of(""))
    return np.asarray((here != there) & ~np.isin(here, unknown) & ~np.isin(there, unknown))


def level(machines: Machines, operation: Operation) -> FloatArray:
    """What the vendor's libraries usually take, over the model; 1 for all of an operation that was not compared.

    Vendors that nobody measured are taken to be between the others.
    """
    usual = LEVELS.get(operation)
    if usual is None:
        return np.ones(machines.index.shape)
    between = math.exp(sum(map(math.log, usual.values())) / len(usual))
    return machines.spread(machines.columns.told("vendor", lambda vendor: usual.get(vendor, between)))


def kept_across(operation: Operation, kept: float) -> float:
    """Part of a source's efficiency that another vendor's kernel keeps. kept : within a vendor, an upper bound."""
    return KEPT_ACROSS.get(operation, min(kept, KEPT_ACROSS_MOST))
